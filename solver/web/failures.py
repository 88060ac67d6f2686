"""What goes wrong, as HTTP has it: one table from error to status."""

from __future__ import annotations

from typing import Final, NamedTuple

from solver.errors import (
    DamagedTableError,
    ImpossiblePositionError,
    MissingTableError,
    MorrisError,
    ResourceError,
    UsageError,
)
from solver.facts import Facts
from solver.web.asked import UnknownVariantError

__all__ = ["FAILURES", "Failure", "failure_of", "record_of"]


class Failure(NamedTuple):
    """How a kind of error is answered.

    Attributes:
        status: of the answer.
        kind: what programs know it by.
        meaning: what it says, for the description of the interface.
    """

    status: int
    kind: str
    meaning: str

    @property
    def record(self) -> Facts:
        """What tells it where there is nothing more to say."""
        return {"error": self.meaning, "kind": self.kind}

    @property
    def passes(self) -> bool:
        """Whether the same request may be answered in a moment."""
        return self.status == 503


_BY_ERROR: Final[tuple[tuple[type[MorrisError], Failure], ...]] = (
    (UnknownVariantError, Failure(404, "not found", "There is no such variant.")),
    (UsageError, Failure(400, "bad request", "A parameter is wrong; the sentence says why.")),
    (
        MissingTableError,
        Failure(404, "missing table", "A table is needed that is not there; names its sector."),
    ),
    (DamagedTableError, Failure(500, "damaged table", "A table is damaged; names its file.")),
    (ResourceError, Failure(503, "no resources", "A table cannot be read at this moment.")),
)
"""What answers an error; the first class that it belongs to counts."""

FAILURES: Final = {
    "not found": _BY_ERROR[0][1],
    **{failure.kind: failure for _, failure in _BY_ERROR[1:]},
    "method": Failure(405, "method not allowed", "Everything is asked by GET or HEAD."),
    "long": Failure(414, "too long", "The address is longer than the server reads."),
    "busy": Failure(503, "busy", "Too many questions wait for an answer; ask again later."),
    "crowded": Failure(503, "busy", "Too many connections are open; ask again later."),
    "stopping": Failure(503, "stopping", "The server is being stopped."),
    "malformed": Failure(400, "bad request", "That is no request of HTTP that can be read."),
    "internal": Failure(500, "internal", "This is a mistake of the program's; its log says more."),
    "slow": Failure(503, "too slow", "The answer took longer than the server allows."),
}
"""Every way to fail, by a short name."""


def failure_of(error: MorrisError) -> Failure:
    """Return how an error of this package is answered."""
    return next(failure for kind, failure in _BY_ERROR if isinstance(error, kind))


def record_of(error: MorrisError) -> Facts:
    """Return the record that tells an error."""
    record: Facts = {"error": str(error), "kind": failure_of(error).kind}
    if isinstance(error, MissingTableError):
        record |= {"sector": error.sector, "command": error.command}
    if isinstance(error, ImpossiblePositionError):
        record |= {"law": error.law, "facts": dict(error.facts)}
    return record
