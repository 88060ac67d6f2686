"""Ask a database of tables: who wins, in how many plies, and by which moves.

    >>> from solver import Position, get_variant, open_tablebase
    >>> nine = get_variant("nine")
    >>> position = Position.parse(nine, "w:Wa4,b6,c3,g4:Ba1,a7,g1,g7")
    >>> with open_tablebase() as tablebase:
    ...     print(tablebase.probe(position))
    ...     for move in tablebase.moves(position)[:2]:
    ...         print(move.text, move.value, move.dtw)
    Result(value='win', dtw=9)
    c3-d3 win 9
    a4-b4 draw None

Each question has two forms: ``probe`` and ``probe_*`` raise where a table is missing, ``get`` and
``get_*`` return a default. A damaged table raises in both.

In the examples below `tablebase` is such a tablebase, with the tables that ``morris solve nine
--stones 8`` makes, and `position` the position above.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, TypeVar

import numpy.typing as npt

from solver.errors import DamagedTableError, MissingTableError, UsageError
from solver.escape import shell_word
from solver.folders import PathOrPaths, read_folders
from solver.forking import ready_for_forks
from solver.lru import LruCache
from solver.memory import most_open_tables
from solver.position import Position, Turn
from solver.results import (
    WDL,
    Line,
    MoveResult,
    Result,
    before_turn,
    best_first,
    choose,
    contradict,
    equally_best,
    other_side,
    words,
)
from solver.rules import Rules, get_variant
from solver.sectors import Sector, check_sector, parse_sector
from solver.sectortable import METRICS, Metric, SectorTable, is_there, names_in, open_sector_table
from solver.tablefile import TableHeader, TableReader, table_path

if TYPE_CHECKING:
    from solver.probing import ManyResults

__all__ = [
    "Line",
    "MoveResult",
    "Result",
    "Tablebase",
    "open_tablebase",
]

Default = TypeVar("Default")

UNGUIDED_PLIES: Final = 60
"""How far a line without a distance is followed unless the caller says otherwise."""


def open_tablebase(
    paths: PathOrPaths | None = None, *, cache_mb: float = 64, max_open_files: int = 64
) -> Tablebase:
    """Open a database for reading.

    Nothing is read yet, and tables may be added while it is open. A folder need not exist: then it
    has no tables.

        >>> with open_tablebase() as tablebase:
        ...     position = Position.parse(get_variant("nine"), "w:Wa1,d1,g4:Bb2,b4,d6")
        ...     tablebase.probe(position)
        Result(value='win', dtw=1)

    Args:
        paths: the database folder, or several, such as ``["fast disk", "large disk"]``: a table is
            looked for in each, in this order, one of distances in all of them before one that has
            none. None for :func:`solver.folders.default_database`.
        cache_mb: megabytes of unpacked table frames to keep. What is known of the open tables
            comes on top: 24 bytes for each frame of theirs, 0.9 MB for the largest of `nine`.
        max_open_files: tables to keep open. A thread that is at a question has those open besides
            that it takes, one for each sector that a turn can lead to.

    Raises:
        UsageError: something is named that is not a folder, or nothing is; or a limit is no
            number.
    """
    return Tablebase(paths, cache_mb=cache_mb, max_open_files=max_open_files)


class Tablebase:
    """A database of tables, open for reading. Any number of threads may use it at once.

    So may processes: a child that is forked goes on with what its parent had open, and a tablebase
    that is pickled, as for a child that is spawned, opens the same folders with the same limits.

    Every method that takes a position raises UsageError if it is one that cannot be,
    MissingTableError if a table is not there (naming the command that makes it), ResourceError if
    it may not be read, and DamagedTableError if a table is unsound or two contradict each other.
    Positions in which the game is over are answered without a table.

    Attributes:
        paths: the folders that tables are looked for in.
    """

    def __init__(
        self, paths: PathOrPaths | None, *, cache_mb: float = 64, max_open_files: int = 64
    ) -> None:
        """See :func:`open_tablebase`."""
        self.paths = read_folders(paths)
        for name, limit in (("cache_mb", cache_mb), ("max_open_files", max_open_files)):
            if not isinstance(limit, int | float) or not limit >= 0:
                raise UsageError(f"{name} must be a number of 0 or more, not {limit!r}")
        self._limits = (cache_mb, max_open_files)
        self._closed = False
        self._tables: LruCache[tuple[Rules, Sector, Metric | None], SectorTable] = LruCache(
            min(max_open_files, most_open_tables())
        )
        self._frames: LruCache[tuple[object, int], bytes] = LruCache(cache_mb * 1e6)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what was asked for, and no file; ValueError if it is closed."""
        self._check_open()
        return _reopened, (type(self), self.paths, *self._limits)

    def close(self) -> None:
        """Close all files. Asking afterwards raises ValueError."""
        self._closed = True
        # A file closes when the last thread that is still reading from it lets go.
        self._tables.clear()
        self._frames.clear()

    def refresh(self) -> None:
        """Look at the files anew from now on: tables may have been replaced, removed or added.

        What has been unpacked of those that are as before is kept.
        """
        self._tables.clear()

    # -- one position -------------------------------------------------------------------------

    def probe(self, position: Position) -> Result:
        """Return the value and distance of a position, from the mover's side.

        ===========  ==========  ======================================================
        ``value``    ``dtw``     meaning
        ===========  ==========  ======================================================
        ``'win'``    1, 3, 5 ..  the mover wins, and that many plies are left
        ``'loss'``   0           the mover has lost: too few stones, blocked, or against a mill
                                 where that wins
        ``'loss'``   2, 4, 6 ..  the mover loses, and that many plies are left
        ``'draw'``   None        neither side can win, or the board is full and that draws
        ===========  ==========  ======================================================

        Where only a table of win, draw and loss is there, distances other than 0 are None.

            >>> tablebase.probe(position)
            Result(value='win', dtw=9)
            >>> tablebase.probe(Position.parse(nine, "w:Wa1,a4,a7,d7:Bb4,d1,d6,g7"))
            Result(value='loss', dtw=0)
        """
        position.validate()
        return self._probe(position)

    def get(self, position: Position, default: Default | None = None) -> Result | Default | None:
        """Like :meth:`probe`, but a default stands for a missing table.

        >>> tablebase.get(Position.start(nine)) is None
        True
        """
        try:
            return self.probe(position)
        except MissingTableError:
            return default

    def probe_wdl(self, position: Position) -> int:
        """Return 1 if the mover wins, 0 for a draw, -1 if the mover loses.

        >>> tablebase.probe_wdl(position), tablebase.probe_wdl(position.swap_colours())
        (1, 1)
        """
        return WDL[self.probe(position).value]

    def get_wdl(self, position: Position, default: Default | None = None) -> int | Default | None:
        """Like :meth:`probe_wdl`, but a default stands for a missing table.

        >>> tablebase.get_wdl(Position.start(nine), "unknown")
        'unknown'
        """
        try:
            return self.probe_wdl(position)
        except MissingTableError:
            return default

    def probe_dtw(self, position: Position) -> int | None:
        """Return the plies to the end of the game under best play; None for a draw.

        A table of win, draw and loss does not tell those of a win or loss: then that of distances
        is missing.

            >>> tablebase.probe_dtw(position)
            9
        """
        result = self.probe(position)
        if result.dtw is None and result.value != "draw":
            result = self._probe(position, "dtw")
        return result.dtw

    def get_dtw(self, position: Position, default: Default | None = None) -> int | Default | None:
        """Like :meth:`probe_dtw`, but a default stands for a missing table."""
        try:
            return self.probe_dtw(position)
        except MissingTableError:
            return default

    def probe_many(
        self,
        mover_masks: npt.ArrayLike,
        opponent_masks: npt.ArrayLike,
        sector: Sector | str,
        rules: Rules | str = "nine",
        *,
        threads: int | None = None,
    ) -> ManyResults:
        """Return the values of many positions of one sector, fastest when there are very many.

        A position is given as two masks: bit `i` stands for the board's `i`-th point, row by row
        from the top left, as in :attr:`solver.position.Position.mover_mask`.

        Args:
            mover_masks, opponent_masks: integers, both of one shape.
            sector: which sector all the positions belong to, such as ``"6-5"``.
            rules: the game, or a variant's name.
            threads: threads to use; None for one per processor.

        Returns:
            Two arrays of the same shape, ``wdl`` (1, 0 or -1) and ``dtw`` (-1 where there is
            no distance, or the table does not tell).

        Raises:
            UsageError: masks that are no position of the sector, or a sector without a table.

            >>> sides = [position.mover_mask, position.opponent_mask]
            >>> wdl, dtw = tablebase.probe_many(sides, sides[::-1], "4-4")
            >>> wdl.tolist(), dtw.tolist()
            ([1, 0], [9, -1])
        """
        # Not needed by anything else here, and 20 ms of a query's time.
        from solver.probing import probe_positions

        rules = get_variant(rules) if isinstance(rules, str) else rules
        sector = parse_sector(sector) if isinstance(sector, str) else sector
        if not isinstance(sector, Sector):
            raise UsageError(f"a sector is a Sector or a text such as '6-5', not {sector!r}")
        check_sector(rules, sector)
        table = self._table(rules, sector)
        return probe_positions(table, rules, sector, mover_masks, opponent_masks, threads)

    def _probe(
        self,
        position: Position,
        metric: Metric | None = None,
        tables: dict[Sector, SectorTable] | None = None,
    ) -> Result:
        """Probe a position known to be possible; `tables` has those that are at hand."""
        outcome = position.outcome()
        if outcome is not None:
            return Result("draw", None) if outcome.drawn else Result("loss", 0)
        sector = position.sector
        table = tables.get(sector) if tables else None
        if table is None:
            table = self._table(position.rules, sector, metric)
            if tables is not None:
                tables[sector] = table
        slot = table.layout.index(position.mover_mask, position.opponent_mask)
        return table.result(slot, self._frames)

    # -- moves and lines ----------------------------------------------------------------------

    def moves(self, position: Position, turns: Iterable[Turn] | None = None) -> list[MoveResult]:
        """Return every turn with its value, best first; equally good ones by their text.

        Best are the quickest wins, then draws, then the losses that take longest; of equal value
        those with a distance come first. Empty if the game is over.

        Args:
            position: where to move.
            turns: the only legal turns to look at; None for all of them.

            >>> [(move.text, move.value, move.dtw) for move in tablebase.moves(position)[:2]]
            [('c3-d3', 'win', 9), ('a4-b4', 'draw', None)]
        """
        position.validate()
        found = []
        tables: dict[Sector, SectorTable] = {}
        for turn in position.turns() if turns is None else turns:
            successor = position.apply(turn)
            text = turn.text(position.rules.board)
            result = before_turn(self._probe(successor, tables=tables))
            found.append(MoveResult(turn, text, successor, *result))
        return sorted(found, key=best_first)

    def analyse(self, position: Position) -> tuple[Result, list[MoveResult]]:
        """Return :meth:`probe` and :meth:`moves` of a position, compared with each other.

        Raises:
            DamagedTableError: the best move does not lead to the result, so a value is wrong; names
                the files it may be in.
        """
        result = self.probe(position)
        moves = self.moves(position)
        best = choose(moves, result)
        if best is not None and contradict(best.result, result):
            raise DamagedTableError(self._contradiction(position, result, best))
        return result, moves

    def _contradiction(self, position: Position, result: Result, best: MoveResult) -> str:
        """Return what to say where the tables contradict each other."""
        rules = position.rules
        around = [position, *position.successors()]
        sectors = dict.fromkeys(p.sector for p in around if p.outcome() is None)
        files = [self.reader(rules, sector).name for sector in sectors]
        # The folder of the position's own table; a table is in a folder of its rules' in that.
        folder = str(Path(files[0]).parent.parent)
        where = f"{files[0]} contradicts itself"
        if len(files) > 1:
            where = f"{', '.join(files[:-1])} and {files[-1]} contradict each other"
        return (
            f"{where}: {position} is a {words(result)}, but its best move {best.text} makes it a"
            f" {words(best.result)}; find out where with: morris verify"
            f" {rules.name} {' '.join(map(str, sectors))} --full --db {shell_word(folder)}"
        )

    def best_moves(self, position: Position) -> list[MoveResult]:
        """Return the turns none is better than, by their text; empty if the game is over.

        >>> [move.text for move in tablebase.best_moves(position)]
        ['c3-d3']
        """
        return equally_best(self.moves(position))

    def line(self, position: Position, plies: int | None = None) -> Line:
        """Play on with the first of the best moves until the game is over.

        Args:
            position: where to begin.
            plies: follow the line no further; None for no limit where the distance is known, and
                60 plies otherwise. A line also ends at its first repetition: where tables know no
                distances, moves that keep the value need not make progress.

            >>> line = tablebase.line(position)
            >>> " ".join(move.text for move in line.moves), line.ended
            ('c3-d3 a1-d1 d3-d2 a7-d7 b6-d6 d1-a1 d2-d1 d7-a7 d6-d7', 'loss')
        """
        result = self.probe(position)
        if plies is None and result.dtw is None:
            plies = UNGUIDED_PLIES
        moves: list[MoveResult] = []
        seen = {position}
        while plies is None or len(moves) < plies:
            best = choose(self.moves(position), result)
            if best is None:
                break
            if contradict(best.result, result):
                raise DamagedTableError(self._contradiction(position, result, best))
            moves.append(best)
            position = best.position
            result = other_side(best)
            if position in seen:
                return Line(moves, "repetition")
            seen.add(position)
        outcome = position.outcome()
        if outcome is None:
            return Line(moves, "limit")
        return Line(moves, "draw" if outcome.drawn else "loss")

    # -- tables -------------------------------------------------------------------------------

    def missing(self, position: Position) -> list[Sector]:
        """Return the sectors that :meth:`probe` and :meth:`moves` need and that have no table.

        Only looks whether the files are there. The position's own sector comes first.

            >>> tablebase.missing(position)
            []
            >>> [str(sector) for sector in tablebase.missing(Position.start(nine))]
            ['0-0+9-9', '0-1+9-8']
        """
        position.validate()
        around = [position, *position.successors()]
        sectors = dict.fromkeys(p.sector for p in around if p.outcome() is None)
        present = self.present(position.rules, sectors)
        return [sector for sector in sectors if sector not in present]

    def present(
        self, rules: Rules, sectors: Iterable[Sector], metric: Metric | None = None
    ) -> list[Sector]:
        """Return those of some sectors that have a table, be it damaged, in the same order.

        Args:
            rules: the game.
            sectors: which ones to look for.
            metric: the table that must be there; None if any will do.

        Raises:
            ResourceError: a folder may not be looked into.
        """
        metrics = METRICS if metric is None else (metric,)
        names = cache(names_in)  # of thousands of sectors, most tables are not there

        def is_present(sector: Sector) -> bool:
            paths = (
                table_path(folder, rules, sector, each) for each in metrics for folder in self.paths
            )
            return any(path.name in names(path.parent) and is_there(path) for path in paths)

        return [sector for sector in sectors if is_present(sector)]

    def header(self, rules: Rules, sector: Sector) -> TableHeader:
        """Return the header of a sector's table: counts, deepest distances, histogram."""
        return self._table(rules, sector).reader.header

    def reader(self, rules: Rules, sector: Sector, metric: Metric | None = None) -> TableReader:
        """Return the open file of a sector's table, which belongs to this object.

        Args:
            rules: the game.
            sector: which one.
            metric: ``dtw`` for the table of distances, ``wdl`` for that of win, draw and loss;
                None for the first of them that is there.
        """
        return self._table(rules, sector, metric).reader

    def _table(self, rules: Rules, sector: Sector, metric: Metric | None = None) -> SectorTable:
        self._check_open()
        table = self._tables.get((rules, sector, metric))
        if table is None:
            table = open_sector_table(self.paths, rules, sector, metric)
            self._tables.put((rules, sector, metric), table)
            if self._closed:  # by another thread, meanwhile
                self._tables.clear()
        return table

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the tablebase is closed")


def _reopened(
    kind: type[Tablebase], paths: tuple[Path, ...], cache_mb: float, max_open_files: int
) -> Tablebase:
    """Return what a pickled tablebase was."""
    return kind(paths, cache_mb=cache_mb, max_open_files=max_open_files)


ready_for_forks()
