"""Ask a database of tables: who wins, in how many plies, and by which moves.

    with open_tablebase() as tablebase:
        position = Position.parse(get_variant("nine"), "w:Wa4,d5,d6:Ba7,b4,c4,g4")
        tablebase.probe(position)    # Result(value='draw', dtw=None)
        tablebase.moves(position)    # every move with its value, best first

Each question has two forms: ``probe_*`` raises where a table is missing, ``get_*`` returns a
default. A damaged table raises in both.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeVar

import numpy.typing as npt

from solver.errors import DamagedTableError, MissingTableError, UsageError
from solver.lru import LruCache
from solver.position import Position
from solver.results import (
    OTHER,
    WDL,
    MoveResult,
    Result,
    best_first,
    choose,
    contradict,
    other_side,
    words,
)
from solver.rules import Rules, get_variant
from solver.sectors import Sector, check_sector, parse_sector
from solver.sectortable import METRICS, Metric, SectorTable, open_sector_table
from solver.tablefile import TableHeader, TableReader, table_path

if TYPE_CHECKING:
    from solver.probing import ManyResults

__all__ = [
    "Line",
    "MoveResult",
    "Result",
    "Tablebase",
    "default_database",
    "open_tablebase",
]

Default = TypeVar("Default")

UNGUIDED_PLIES: Final = 60
"""How far a line without a distance is followed unless the caller says otherwise."""


class Line(NamedTuple):
    """Best play by both sides.

    Attributes:
        moves: the turns in order, each from the side of who makes it.
        ended: ``loss`` if the side to move has lost at the end, ``draw`` if the board is full and
            that draws, ``repetition`` if the last position has occurred before in the line,
            ``limit`` if the line was not followed further.
    """

    moves: list[MoveResult]
    ended: Literal["loss", "draw", "repetition", "limit"]


def default_database() -> Path:
    """Return the database folder to use when none is named; it need not exist.

    The environment variable MORRIS_DB; otherwise ``databases/`` of a source checkout; otherwise
    ``morris-solver`` in the user's data folder (XDG_DATA_HOME or ``~/.local/share``).

    Raises:
        UsageError: there is no home folder to look in.
    """
    named = os.environ.get("MORRIS_DB")
    if named:
        return Path(named)
    checkout = Path(__file__).resolve().parents[1] / "databases"
    if (checkout / "FORMAT.md").is_file():
        return checkout
    data = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(data):  # the XDG specification has others ignored
        return Path(data) / "morris-solver"
    try:
        return Path.home() / ".local" / "share" / "morris-solver"
    except RuntimeError:
        raise UsageError(
            "there is no home folder: name the database with MORRIS_DB or --db"
        ) from None


def open_tablebase(
    path: str | os.PathLike[str] | None = None, *, cache_mb: float = 64, max_open_files: int = 64
) -> Tablebase:
    """Open a database for reading.

    Nothing is read yet, and tables may be added while it is open. The folder need not exist: then
    every table is missing.

    Args:
        path: the database folder; None for :func:`default_database`.
        cache_mb: megabytes of unpacked table frames to keep.
        max_open_files: tables to keep open.

    Raises:
        UsageError: `path` is not a folder.
    """
    return Tablebase(
        default_database() if path is None else path,
        cache_mb=cache_mb,
        max_open_files=max_open_files,
    )


class Tablebase:
    """A database of tables, open for reading. Any number of threads may use it at once.

    Every method that takes a position raises UsageError if it is one that cannot be,
    MissingTableError if a table is not there (naming the command that makes it), ResourceError if
    it may not be read, and DamagedTableError if a table is unsound or two contradict each other.
    Positions in which the game is over are answered without a table.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, cache_mb: float = 64, max_open_files: int = 64
    ) -> None:
        """See :func:`open_tablebase`."""
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"the database {self.path} is not a folder")
        self._closed = False
        self._tables: LruCache[tuple[Rules, Sector, Metric | None], SectorTable] = LruCache(
            max_open_files
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

    def close(self) -> None:
        """Close all files. Asking afterwards raises ValueError."""
        self._closed = True
        # A file closes when the last thread that is still reading from it lets go.
        self._tables.clear()
        self._frames.clear()

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
        """
        position.validate()
        return self._probe(position)

    def get(self, position: Position, default: Default | None = None) -> Result | Default | None:
        """Like :meth:`probe`, but a default stands for a missing table."""
        try:
            return self.probe(position)
        except MissingTableError:
            return default

    def probe_wdl(self, position: Position) -> int:
        """Return 1 if the mover wins, 0 for a draw, -1 if the mover loses."""
        return WDL[self.probe(position).value]

    def get_wdl(self, position: Position, default: Default | None = None) -> int | Default | None:
        """Like :meth:`probe_wdl`, but a default stands for a missing table."""
        try:
            return self.probe_wdl(position)
        except MissingTableError:
            return default

    def probe_dtw(self, position: Position) -> int | None:
        """Return the plies to the end of the game under best play; None for a draw.

        A table of win, draw and loss does not tell those of a win or loss: then that of distances
        is missing.
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
        """
        # Not needed by anything else here, and 20 ms of a query's time.
        from solver.probing import probe_positions

        rules = get_variant(rules) if isinstance(rules, str) else rules
        sector = parse_sector(sector) if isinstance(sector, str) else sector
        check_sector(rules, sector)
        table = self._table(rules, sector)
        return probe_positions(table, rules, sector, mover_masks, opponent_masks, threads)

    def _probe(self, position: Position, metric: Metric | None = None) -> Result:
        """Probe a position known to be possible."""
        outcome = position.outcome()
        if outcome is not None:
            return Result("draw", None) if outcome.drawn else Result("loss", 0)
        table = self._table(position.rules, position.sector, metric)
        slot = table.layout.index(position.mover_mask, position.opponent_mask)
        return table.result(slot, self._frames)

    # -- moves and lines ----------------------------------------------------------------------

    def moves(self, position: Position) -> list[MoveResult]:
        """Return every turn with its value, best first; equally good ones by their text.

        Best are the quickest wins, then draws, then the losses that take longest; of equal value
        those with a distance come first. Empty if the game is over.
        """
        position.validate()
        found = []
        for turn in position.turns():
            successor = position.apply(turn)
            value, dtw = self._probe(successor)
            found.append(
                MoveResult(
                    turn=turn,
                    text=turn.text(position.rules.board),
                    position=successor,
                    value=OTHER[value],
                    dtw=None if dtw is None else dtw + 1,
                )
            )
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
        if best is not None and contradict(Result(best.value, best.dtw), result):
            raise DamagedTableError(self._contradiction(position, result, best))
        return result, moves

    def _contradiction(self, position: Position, result: Result, best: MoveResult) -> str:
        """Return what to say where the tables contradict each other."""
        rules = position.rules
        around = [position, *position.successors()]
        sectors = dict.fromkeys(p.sector for p in around if p.outcome() is None)
        files = [self.reader(rules, sector).name for sector in sectors]
        where = f"{files[0]} contradicts itself"
        if len(files) > 1:
            where = f"{', '.join(files[:-1])} and {files[-1]} contradict each other"
        return (
            f"{where}: {position} is a {words(result)}, but its best move {best.text} makes it a"
            f" {words(Result(best.value, best.dtw))}; find out where with: morris verify"
            f" {rules.name} {' '.join(map(str, sectors))} --full --db {shlex.quote(str(self.path))}"
        )

    def best_moves(self, position: Position) -> list[MoveResult]:
        """Return the turns none is better than, by their text; empty if the game is over."""
        moves = self.moves(position)
        return [move for move in moves if move[3:] == moves[0][3:]]

    def line(self, position: Position, plies: int | None = None) -> Line:
        """Play on with the first of the best moves until the game is over.

        Args:
            position: where to begin.
            plies: follow the line no further; None for no limit where the distance is known, and
                60 plies otherwise. A line also ends at its first repetition: where tables know no
                distances, moves that keep the value need not make progress.
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
            if contradict(Result(best.value, best.dtw), result):
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
        """
        position.validate()
        around = [position, *position.successors()]
        sectors = dict.fromkeys(p.sector for p in around if p.outcome() is None)
        present = self.present(position.rules, sectors)
        return [sector for sector in sectors if sector not in present]

    def present(
        self, rules: Rules, sectors: Iterable[Sector], metric: Metric | None = None
    ) -> list[Sector]:
        """Return those of some sectors whose table file is there, in the same order.

        Args:
            rules: the game.
            sectors: which ones to look for.
            metric: the table that must be there; None if any will do.
        """
        metrics = METRICS if metric is None else (metric,)
        return [
            sector
            for sector in sectors
            if any(table_path(self.path, rules, sector, each).is_file() for each in metrics)
        ]

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
        if self._closed:
            raise ValueError("the tablebase is closed")
        table = self._tables.get((rules, sector, metric))
        if table is None:
            table = open_sector_table(self.path, rules, sector, metric)
            self._tables.put((rules, sector, metric), table)
        return table
