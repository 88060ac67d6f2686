"""The errors this package raises: what the user did, what is missing, what is damaged.

Every one carries a single clear sentence. The exit codes are those of the command line.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "DamagedTableError",
    "ImpossiblePositionError",
    "LockedDatabaseError",
    "MissingTableError",
    "MorrisError",
    "ResourceError",
    "UsageError",
]


class MorrisError(Exception):
    """Base of every error of this package.

    Args:
        message: one clear sentence for the user, without a trailing newline.
    """

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        # KeyError and OSError would print their own representation of the arguments.
        return self.message


class UsageError(MorrisError, ValueError):
    """Wrong input: a text, an option, a sector, or a position that cannot be."""

    exit_code = 2


class ImpossiblePositionError(UsageError):
    """A position that cannot be.

    Args:
        message: says which law is broken, and how.
        law: the law by a short name, for who says it in another language: ``off board``,
            ``overlap``, ``negative hand``, ``hands``, ``too many stones``, ``too few stones``,
            ``mill`` or ``row``.
        facts: what the sentence tells besides: colours, points and numbers.
    """

    def __init__(self, message: str, law: str, facts: Mapping[str, object]) -> None:
        super().__init__(message)
        self.law = law
        self.facts = facts

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.law, self.facts)


class MissingTableError(MorrisError, KeyError):
    """A table that is needed is not in the database.

    Args:
        message: names the command that makes the table.
        sector: the text of the missing sector, such as ``6-5``; None for an empty database.
        command: that command alone; None where none can make the table.
    """

    exit_code = 3

    def __init__(self, message: str, sector: str | None = None, command: str | None = None) -> None:
        super().__init__(message)
        self.sector = sector
        self.command = command

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.sector, self.command)


class DamagedTableError(MorrisError, OSError):
    """A table file is not what its checksums or its header say; names the file and the part."""

    exit_code = 4


class ResourceError(MorrisError):
    """Not enough disk or memory for what was asked."""

    exit_code = 5


class LockedDatabaseError(ResourceError):
    """Another process is writing to the database."""
