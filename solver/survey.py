"""What there is to do: which tables are missing, and whether disk and memory suffice for them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Final

from solver import memory
from solver.atomicfile import remove_temporary_files
from solver.errors import DamagedTableError, ResourceError, UsageError
from solver.manifest import family_folders
from solver.plan import file_bytes, unit_memory, unit_slots
from solver.rules import Rules
from solver.sectors import (
    MOST_SLOTS_OF_BLOCK,
    Sector,
    Unit,
    block_slots,
    check_sector,
    closure,
    major_is_mover,
    moves_on_board,
    slots,
    solving_order,
    unit_of,
)
from solver.tablefile import TableReader, table_path

__all__ = [
    "FEWER_WORKERS",
    "MORE_MEMORY",
    "Survey",
    "UnreadableTableError",
    "check_disk",
    "check_folders",
    "check_memory",
    "clean",
    "open_table",
    "refuse_unsolvable",
    "sound_table",
    "survey",
    "too_large",
    "too_wide",
    "unsolvable",
]


class UnreadableTableError(Exception):
    """A table that a unit reads, and that was thought to be there, cannot be read.

    Attributes:
        sector: whose table it is.
    """

    def __init__(self, sector: Sector, text: str) -> None:
        super().__init__(sector, text)
        self.sector = sector

    def __str__(self) -> str:
        return str(self.args[1])


MORE_MEMORY: Final = "allow more with --memory {enough}"
FEWER_WORKERS: Final = f"{MORE_MEMORY} or, on one machine, start fewer workers"
_MOST_NAMED: Final = 5
"""So many units that are too large are named besides the largest."""


@dataclass(frozen=True)
class Survey:
    """What is to be done for some sectors and all they depend on.

    Attributes:
        units: to solve, in order.
        wanted: sectors of these units whose tables are to be written.
        skipped: sectors whose tables are there.
        damaged: why tables that are there cannot be used, by sector.
        sound: what the files of `skipped` are known by; see :attr:`TableReader.identity`.
    """

    units: list[Unit]
    wanted: frozenset[Sector]
    skipped: list[Sector]
    damaged: dict[Sector, str]
    sound: frozenset[object] = frozenset()


def survey(
    rules: Rules,
    sectors: Iterable[Sector],
    database: str | os.PathLike[str],
    *,
    force: bool = False,
    threads: int = 1,
    known: frozenset[object] = frozenset(),
    finished: Collection[Sector] = (),
    elsewhere: bool = False,
) -> Survey:
    """Look which tables are missing or damaged.

    Reads each file and compares its checksums; what the values mean is for others to check.

    Args:
        rules: the game.
        sectors: which tables are asked for.
        database: the folder they belong in.
        force: make the tables asked for anew even if they are there; not what they depend on.
        threads: threads to read with.
        known: files that an earlier survey has found sound and that need not be read again.
        finished: tables that have been made anew already, whatever `force` says.
        elsewhere: whether other machines will solve, so that the memory of this one does not count.

    Raises:
        UsageError: a sector has no table under these rules, or cannot be solved yet.
        ResourceError: a table may not be read.
    """
    asked = list(sectors)
    refuse_unsolvable(rules, asked, elsewhere=elsewhere)
    order = solving_order(rules, closure(rules, asked))
    forced = {unit_of(rules, sector) for sector in asked if force and sector not in finished}
    units, wanted, skipped, damaged = [], set(), [], {}
    sound: set[object] = set()
    for unit in order:
        missing = set()
        for sector in unit.sectors:
            if unit in forced:
                missing.add(sector)
                continue
            try:
                identity = sound_table(rules, sector, database, threads=threads, known=known)
            except DamagedTableError as error:
                damaged[sector] = str(error)
                identity = None
            if identity is None:
                missing.add(sector)
            else:
                skipped.append(sector)
                sound.add(identity)
        if missing:
            units.append(unit)
            wanted |= missing
    return Survey(units, frozenset(wanted), skipped, damaged, frozenset(sound))


def refuse_unsolvable(rules: Rules, sectors: Iterable[Sector], *, elsewhere: bool = False) -> None:
    """Raise an error if one of the sectors has no table, or none that can be made here.

    Args:
        rules: the game.
        sectors: which tables are asked for.
        elsewhere: whether other machines will solve, so that the memory of this one does not count.

    Raises:
        UsageError: it has none under these rules.
        ResourceError: it is too large for this machine or this program.
    """
    asked = list(sectors)
    for sector in asked:
        check_sector(rules, sector)
    if elsewhere:
        why = too_wide(rules, {unit_of(rules, sector) for sector in closure(rules, asked)})
    else:
        why = unsolvable(rules, asked)
    if why:
        raise ResourceError(f"not solvable here: {why}")


def unsolvable(rules: Rules, sectors: Iterable[Sector]) -> str | None:
    """Return why some sectors, or what they depend on, cannot be solved here; None if they can."""
    units = {unit_of(rules, sector) for sector in closure(rules, sectors)}
    return too_large(rules, units) or too_wide(rules, units)


def too_large(
    rules: Rules,
    units: Iterable[Unit],
    limit: int | None = None,
    *,
    each_worker: bool = False,
    remedy: str = MORE_MEMORY,
) -> str | None:
    """Return why some units do not fit into memory; None if they do.

    Args:
        rules: the game.
        units: what is to be solved.
        limit: most memory to use, in bytes; None for all that this machine has.
        each_worker: whether that is the limit of each of several workers, on whatever machines.
        remedy: what would be right if it is a limit; ``{enough}`` stands for the gigabytes.
    """
    needs = {unit: unit_memory(rules, unit) for unit in units}
    most = memory.total_memory() if limit is None else limit
    over = [unit for unit, need in needs.items() if need > most]
    if not over:
        return None
    hardest = max(over, key=lambda unit: (needs[unit], unit))
    need = needs[hardest]
    text = (
        f"unit {hardest} has {unit_slots(rules, hardest):,} slots and needs about"
        f" {memory.gigabytes(need)} of memory, and"
    )
    if limit is None:
        return f"{text} this machine has {memory.gigabytes(most)}"
    text += f" the limit{' of each worker' if each_worker else ''} is {memory.gigabytes(most)}"
    others = sorted((u for u in over if u != hardest), key=lambda unit: -needs[unit])
    if others:
        named = ", ".join(map(str, others[:_MOST_NAMED]))
        more = f" and {len(others) - _MOST_NAMED:,} more" if len(others) > _MOST_NAMED else ""
        text += f", too little for {named}{more} as well"
    enough = ceil(need / 1e7) / 100
    return f"{text}; {remedy.format(enough=f'{enough:.2f}')}"


def too_wide(rules: Rules, units: Iterable[Unit]) -> str | None:
    """Return why some units cannot be solved however much memory there is; None if they can."""
    firsts = [unit.sectors[0] for unit in units if moves_on_board(rules, unit.sectors[0])]
    widest = max(firsts, key=lambda sector: block_slots(rules, sector), default=None)
    slots_of_block = 0 if widest is None else block_slots(rules, widest)
    if slots_of_block > MOST_SLOTS_OF_BLOCK:
        return (
            f"unit {widest} has blocks of {slots_of_block:,} slots, and this program solves units"
            f" with blocks of at most {MOST_SLOTS_OF_BLOCK:,}"
        )
    return None


def open_table(rules: Rules, sector: Sector, database: str | os.PathLike[str]) -> TableReader:
    """Open a sector's table and compare what it says about itself with what is expected.

    Raises:
        FileNotFoundError, NotADirectoryError: it is not there.
        DamagedTableError: it is not a sound table of this sector under these rules.
        ResourceError: it may not be read.
    """
    path = table_path(database, rules, sector)
    try:
        reader = TableReader(
            path,
            sector=sector,
            rules=rules.reduced(sector),
            slots=slots(rules, sector),
        )
    except (FileNotFoundError, NotADirectoryError, DamagedTableError):
        raise
    except OSError as error:
        raise ResourceError(f"{path} cannot be read: {error.strerror}") from None
    if (reader.header.major == "mover") != major_is_mover(rules, sector):
        reader.close()
        raise DamagedTableError(f"{path}: header: the major side is not the expected one")
    return reader


def sound_table(
    rules: Rules,
    sector: Sector,
    database: str | os.PathLike[str],
    *,
    threads: int = 1,
    known: frozenset[object] = frozenset(),
) -> object | None:
    """Return what a sector's table is known by if it is sound; None if it is not there.

    Args:
        rules: the game.
        sector: which one.
        database: the folder it belongs in.
        threads: threads to read with.
        known: files that need not be read again.

    Raises:
        DamagedTableError: it cannot be used.
        ResourceError: it may not be read.
    """
    try:
        with open_table(rules, sector, database) as reader:
            if reader.identity not in known:
                reader.check_stored(threads=threads)
            return reader.identity
    except (FileNotFoundError, NotADirectoryError):
        return None


def check_folders(rules: Rules, todo: Survey, database: str | os.PathLike[str]) -> None:
    """Refuse to begin where something is in the way of the tables.

    Raises:
        UsageError: a family's folder is a file.
        ResourceError: a family's folder may not be written, or a table's file is a folder.
    """
    paths = [table_path(database, rules, sector) for sector in todo.wanted]
    for folder in sorted({path.parent for path in paths}):
        if not folder.exists():
            continue
        if not folder.is_dir():
            raise UsageError(f"{folder} is a file where a folder of tables belongs; move it away")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ResourceError(f"the folder {folder} may not be written")
    for path in sorted(paths):
        if path.is_dir():
            # Else it would be noticed when all is solved, hours later.
            raise ResourceError(f"{path} cannot be written: it is a folder; move it away")


def check_disk(rules: Rules, todo: Survey, database: str | os.PathLike[str]) -> None:
    """Refuse to begin what does not fit on the disk.

    Raises:
        ResourceError: says how much is needed and how much is free.
    """
    new, replaced = 0, 0
    for sector in todo.wanted:
        size = file_bytes(rules, sector)
        if table_path(database, rules, sector).exists():
            replaced = max(replaced, size)  # the old file goes when the new one is there
        else:
            new += size
    free = memory.free_disk(database)
    if new + replaced > free:
        raise ResourceError(
            f"the tables need about {memory.gigabytes(new + replaced)} of disk, but only"
            f" {memory.gigabytes(free)} are free at {Path(database)}"
        )


def check_memory(rules: Rules, units: Iterable[Unit], limit: int | None) -> int:
    """Refuse to begin what does not fit into memory.

    Args:
        rules: the game.
        units: what is to be solved.
        limit: most memory to use, in bytes; None for three quarters of what is available.

    Returns:
        The limit.

    Raises:
        ResourceError: says which unit needs how much, and what there is.
    """
    available = memory.available_memory()
    chosen = int(memory.DEFAULT_SHARE * available) if limit is None else limit
    largest = max(units, key=lambda unit: unit_memory(rules, unit), default=None)
    if largest is not None:
        need = unit_memory(rules, largest)
        problem = f"unit {largest} needs about {memory.gigabytes(need)} of memory, but"
        if need > available:
            raise ResourceError(f"{problem} only {memory.gigabytes(available)} are available")
        if need > chosen:
            raise ResourceError(
                f"{problem} the limit is {memory.gigabytes(chosen)}; allow more with --memory"
            )
    return chosen


def clean(database: Path) -> None:
    """Remove what writers that died left behind, from a database's folders of tables only."""
    for folder in family_folders(database):
        remove_temporary_files(folder)
