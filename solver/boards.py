"""Boards as data: points with names, the edges stones slide along, the lines that form mills.

A set of points is an integer mask: bit i stands for the board's i-th point, row by row from the
top left (on the 24-point board a7 is bit 0 and g1 bit 23).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise

from solver.errors import UsageError

__all__ = ["BOARDS", "Board", "apply_automorphism", "get_board"]


@dataclass(frozen=True)
class Board:
    """The points of a board and how they hang together.

    Attributes:
        name: the board's name, such as ``merels24``.
        points: algebraic names, row by row from the top left; bit i of a mask is ``points[i]``.
        edges: pairs (i, j) of point indices with i < j, ascending; a stone slides both ways.
        lines: ascending tuples of point indices, in ascending order; a line filled by one side's
            stones is a mill.
    """

    name: str
    points: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    lines: tuple[tuple[int, ...], ...]

    def __hash__(self) -> int:
        # Boards are keys of caches; hashing the whole record each time would cost too much.
        return hash((self.name, len(self.points)))

    def __repr__(self) -> str:
        return f"Board({self.name!r})"

    @cached_property
    def size(self) -> int:
        """The number of points."""
        return len(self.points)

    @cached_property
    def full_mask(self) -> int:
        """The mask of all points."""
        return (1 << len(self.points)) - 1

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """Per point: the mask of the points one slide away."""
        masks = [0] * self.size
        for i, j in self.edges:
            masks[i] |= 1 << j
            masks[j] |= 1 << i
        return tuple(masks)

    @cached_property
    def line_masks(self) -> tuple[int, ...]:
        """Per line: its mask."""
        return tuple(self.mask_of(line) for line in self.lines)

    @cached_property
    def long_line_masks(self) -> tuple[int, ...]:
        """The masks of all rows longer than a line: two lines that share all points but one each.

        Only boards with overlapping lines have any; no two lines of the others share two points.
        """
        return tuple(
            first | second
            for first, second in combinations(self.line_masks, 2)
            if (first & second).bit_count() == first.bit_count() - 1 > 1
        )

    @cached_property
    def lines_through(self) -> tuple[tuple[int, ...], ...]:
        """Per point: the masks of the lines through it, that point itself left out."""
        return tuple(
            tuple(mask & ~(1 << point) for mask in self.line_masks if mask >> point & 1)
            for point in range(self.size)
        )

    @cached_property
    def point_index(self) -> Mapping[str, int]:
        """Per name: the index of the point."""
        return {name: index for index, name in enumerate(self.points)}

    @cached_property
    def automorphisms(self) -> tuple[tuple[int, ...], ...]:
        """Every permutation of the points that keeps edges and lines, ascending, identity first.

        ``permutation[i]`` is the image of point i. Computed by search, never typed in.
        """
        return tuple(sorted(_search_automorphisms(self)))

    def mask_of(self, indices: Iterable[int]) -> int:
        """The mask of some point indices."""
        mask = 0
        for index in indices:
            mask |= 1 << index
        return mask

    def names_of(self, mask: int) -> list[str]:
        """The names of the points of a mask, in alphabetical order."""
        return [name for name, bit in self._alphabetical if mask & bit]

    @lru_cache(maxsize=4096)  # noqa: B019 - there are few boards, and they stay
    def text_of(self, mask: int) -> str:
        """The same with commas between them, as positions are written."""
        # Of a position's moves, most leave one side's stones as they are.
        return ",".join(self.names_of(mask))

    @cached_property
    def _alphabetical(self) -> tuple[tuple[str, int], ...]:
        """Names and bits of the points, by name."""
        return tuple(sorted((name, 1 << index) for index, name in enumerate(self.points)))


def apply_automorphism(permutation: tuple[int, ...], mask: int) -> int:
    """The image of a set of points under a permutation of the points.

    Args:
        permutation: ``permutation[i]`` is the image of point i.
        mask: the set, one bit per point.

    Returns:
        The mask of the images.
    """
    image = 0
    while mask:
        low = mask & -mask
        image |= 1 << permutation[low.bit_length() - 1]
        mask ^= low
    return image


def get_board(name: str) -> Board:
    """The board of a name.

    Raises:
        UsageError: there is none; the message lists the names there are.
    """
    try:
        return BOARDS[name]
    except KeyError:
        raise UsageError(f"no board is called {name!r}; there are {', '.join(BOARDS)}") from None


def _search_automorphisms(board: Board) -> Iterator[tuple[int, ...]]:
    """Backtracking: give one point after another an image, breadth first along edges and lines."""
    size = board.size
    neighbours = board.neighbours
    lines = set(board.line_masks)
    order = _connected_order(board)
    place = {point: step for step, point in enumerate(order)}
    # The lines whose last point (in the order of the search) is this one can be checked there.
    completed: list[list[tuple[int, ...]]] = [[] for _ in range(size)]
    for line in board.lines:
        completed[max(line, key=place.__getitem__)].append(line)
    kinds = [
        (neighbours[p].bit_count(), sorted(m.bit_count() for m in board.lines_through[p]))
        for p in range(size)
    ]
    image = [-1] * size

    def fits(point: int, candidate: int, step: int) -> bool:
        if kinds[point] != kinds[candidate]:
            return False
        for earlier in order[:step]:
            joined = neighbours[point] >> earlier & 1
            if joined != neighbours[candidate] >> image[earlier] & 1:
                return False
        image[point] = candidate
        return all(board.mask_of(image[p] for p in line) in lines for line in completed[point])

    def extend(step: int, used: int) -> Iterator[tuple[int, ...]]:
        if step == size:
            yield tuple(image)
            return
        point = order[step]
        for candidate in range(size):
            if not used >> candidate & 1 and fits(point, candidate, step):
                yield from extend(step + 1, used | 1 << candidate)

    return extend(0, 0)


def _connected_order(board: Board) -> list[int]:
    """All points, each (where it can) sharing an edge or line with an earlier one."""
    near = list(board.neighbours)
    for mask in board.line_masks:
        for point in range(board.size):
            if mask >> point & 1:
                near[point] |= mask
    order: list[int] = []
    seen: set[int] = set()
    for start in range(board.size):
        if start in seen:
            continue
        seen.add(start)
        queue = deque([start])
        while queue:
            point = queue.popleft()
            order.append(point)
            for other in range(board.size):
                if near[point] >> other & 1 and other not in seen:
                    seen.add(other)
                    queue.append(other)
    return order


def _make_board(name: str, lines: str, extra_edges: str = "", *, slides: bool = True) -> Board:
    """A board whose edges join the consecutive points of its lines.

    Args:
        name: the board's name.
        lines: words such as ``a7d7g7``, the points of a line in the order they lie in.
        extra_edges: words such as ``d5d6``, further edges that belong to no line.
        slides: whether the board has edges at all.
    """
    line_names = [_split_points(word) for word in lines.split()]
    edge_names = [pair for names in line_names for pair in pairwise(names)] if slides else []
    for word in extra_edges.split():
        first, second = _split_points(word)
        edge_names.append((first, second))
    # Row by row from the top left: descending rank, then ascending file.
    names = {point for line in line_names for point in line}
    points = tuple(sorted(names, key=lambda point: (-int(point[1:]), point[0])))
    index = {point: number for number, point in enumerate(points)}
    edges = {(min(i, j), max(i, j)) for i, j in ((index[a], index[b]) for a, b in edge_names)}
    return Board(
        name=name,
        points=points,
        edges=tuple(sorted(edges)),
        lines=tuple(sorted(tuple(sorted(index[point] for point in line)) for line in line_names)),
    )


def _split_points(word: str) -> list[str]:
    """Cut ``a7d7g7`` into its two-character points."""
    return [word[start : start + 2] for start in range(0, len(word), 2)]


def _rows(files: str, ranks: str) -> str:
    """Every three consecutive cells of a row or column of a grid, in the form of `_make_board`."""
    rows = [[file + rank for file in files] for rank in ranks]
    columns = [[file + rank for rank in ranks] for file in files]
    return " ".join(
        "".join(cells[start : start + 3])
        for cells in rows + columns
        for start in range(len(cells) - 2)
    )


_INNER_RINGS = """
    b6d6f6 c5d5e5 c3d3e3 b2d2f2
    b2b4b6 c3c4c5 e3e4e5 f2f4f6
"""

_THREE_RINGS = _INNER_RINGS + "a7d7g7 a1d1g1 a1a4a7 g1g4g7 a4b4c4 e4f4g4 d1d2d3 d5d6d7"

_THREE_BY_THREE = _rows("abc", "123") + " a1b2c3 a3b2c1"

BOARDS: dict[str, Board] = {
    board.name: board
    for board in (
        _make_board("merels24", _THREE_RINGS),
        # With the corners of the rings joined.
        _make_board("merels24d", _THREE_RINGS + " a1b2c3 a7b6c5 g7f6e5 g1f2e3"),
        # Without the outer ring the spokes are too short to be lines; stones still slide on them.
        _make_board("merels16", _INNER_RINGS, extra_edges="d5d6 b4c4 e4f4 d2d3"),
        _make_board("grid3d", _THREE_BY_THREE),
        _make_board("grid3", _THREE_BY_THREE, slides=False),
        _make_board("grid6x5", _rows("abcdef", "12345")),
    )
}
"""Every board, by name."""
