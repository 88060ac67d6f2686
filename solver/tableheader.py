"""The JSON header of a table file: what the table holds, for which rules, and its statistics.

``databases/FORMAT.md`` lists the fields. Whoever holds a :class:`TableHeader` holds one that does
not contradict itself: making one checks all that can be checked without the table's slots.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from solver.packing import ENTRIES_PER_BYTE, Bands
from solver.seekable import MAX_FRAME_SIZE
from solver.widths import BYTE, WIDTHS, WORD, Width, width_of

__all__ = [
    "CHECKSUM",
    "DEFAULT_FRAME_SIZE",
    "DRAW",
    "VOID",
    "Counts",
    "TableHeader",
    "canonical_json",
    "rules_fingerprint",
]

CHECKSUM: Final = "xxh64"
"""The only checksum algorithm."""
DEFAULT_FRAME_SIZE: Final = 16 << 10
"""Payload bytes per frame unless the writer says otherwise.

A probe unpacks a whole frame. Frames of 64 KiB take three to four times as long and save 1 to 6 %
of the file.
"""
MOST_IMAGES: Final = 64
"""More than any board has automorphisms."""
MAX_SLOTS: Final = 1 << 40
"""Far more than any sector has; keeps forged numbers out of size arithmetic."""

DRAW: Final = BYTE.draw
"""Stored byte of a drawn slot."""
VOID: Final = BYTE.void
"""Stored byte of a slot that holds no possible position."""

CHOICES: Final = {
    "major": ("mover", "opponent"),
    "metric": ("dtw", "wdl"),
    "packing": (*WIDTHS, "base3"),
    "checksum": (CHECKSUM,),
}
"""What this program can read, by header field."""


class Counts(NamedTuple):
    """Positions by value, from the mover's side."""

    wins: int
    losses: int
    draws: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.wins + self.losses + self.draws


@dataclass(frozen=True, kw_only=True)
class TableHeader:
    """What a table file says about itself.

    *Positions* are all positions of the sector; *distinct* ones are those that are left when one
    is kept of every set of symmetric ones. Void slots are counted in neither.

    Attributes:
        sector: text form, such as ``6-5`` or ``2-3+7-6``.
        slots: entries of the table.
        major: the side whose stones number the blocks of the index, ``mover`` or ``opponent``.
        rules: the rules as far as they matter in this sector or in one reachable from it.
        positions: all positions by value.
        distinct: distinct positions by value.
        position_histogram: positions by distance in plies; odd ones are wins, even ones losses.
        distinct_histogram: distinct positions by distance in plies.
        program: name and version of the program that wrote the file.
        metric: what an entry says; ``dtw`` is the distance to the end under best play, ``wdl``
            only win, draw or loss. Then there are no histograms.
        packing: how entries lie in the payload; ``byte`` is one byte per slot and ``word`` two,
            for ``dtw``; ``base3`` five slots per byte in bands of blocks, for ``wdl``.
        block: slots of a block, in packing ``base3``.
        band: blocks of a band, in packing ``base3``.
        frame_size: payload bytes per frame, the last one excepted.

    Raises:
        ValueError: when made from fields that cannot be or contradict each other.
    """

    sector: str
    slots: int
    major: str
    rules: Mapping[str, Any]
    positions: Counts
    distinct: Counts
    position_histogram: Mapping[int, int]
    distinct_histogram: Mapping[int, int]
    program: str
    metric: str = "dtw"
    packing: str = "byte"
    block: int | None = None
    band: int | None = None
    frame_size: int = DEFAULT_FRAME_SIZE

    def __post_init__(self) -> None:
        for name in ("major", "metric", "packing"):
            _check_choice(name, getattr(self, name))
        for contradiction in (*self._wrong_packing(), *self._contradictions()):
            raise ValueError(contradiction)

    @property
    def fingerprint(self) -> str:
        """:func:`rules_fingerprint` of the rules."""
        return rules_fingerprint(self.rules)

    @cached_property
    def bands(self) -> Bands | None:
        """Where entries lie in packing ``base3``; None in the others."""
        if self.block is None or self.band is None:
            return None
        return Bands(self.slots // self.block, self.block, self.band)

    @property
    def width(self) -> Width | None:
        """What the entries of packings ``byte`` and ``word`` are; None in packing ``base3``."""
        return WIDTHS.get(self.packing)

    @property
    def payload_bytes(self) -> int:
        """Bytes the file unpacks to."""
        if self.bands is not None:
            return self.bands.payload_bytes
        return self.slots * WIDTHS[self.packing].bytes

    @property
    def frames(self) -> int:
        """Frames the payload is cut into."""
        return -(-self.payload_bytes // self.frame_size)

    @property
    def deepest_win(self) -> int | None:
        """The longest distance of a won position, in plies; None where none is won."""
        return max((depth for depth in self.distinct_histogram if depth % 2), default=None)

    @property
    def deepest_loss(self) -> int | None:
        """The longest distance of a lost position, in plies; None where none is lost."""
        return max((depth for depth in self.distinct_histogram if depth % 2 == 0), default=None)

    def frame_bytes(self, frame: int) -> int:
        """Return the payload bytes of one frame."""
        return min(self.frame_size, self.payload_bytes - frame * self.frame_size)

    @classmethod
    def of_counts(
        cls,
        positions: Sequence[int],
        distinct: Sequence[int],
        *,
        sector: str,
        slots: int,
        major: str,
        rules: Mapping[str, Any],
        program: str,
        frame_size: int = DEFAULT_FRAME_SIZE,
    ) -> TableHeader:
        """Make the header of a ``dtw`` table from its counts by entry.

        Args:
            positions: how many of all positions have each of the 256 entries of packing ``byte``,
                or each of the 65536 of ``word``: their number tells the packing.
            distinct: the same for distinct positions.
            sector, slots, major, rules, program, frame_size: see the attributes.

        Raises:
            ValueError: the counts contradict each other or are so many of no packing.
        """
        width = width_of(len(positions))
        if len(distinct) != width.numbers:
            raise ValueError("the counts are not of the same packing")
        position_counts, position_histogram = _tally(positions, width)
        distinct_counts, distinct_histogram = _tally(distinct, width)
        return cls(
            sector=sector,
            slots=slots,
            major=major,
            rules=rules,
            positions=position_counts,
            distinct=distinct_counts,
            position_histogram=position_histogram,
            distinct_histogram=distinct_histogram,
            program=program,
            packing=width.packing,
            frame_size=frame_size,
        )

    def to_json(self) -> bytes:
        """Return the header as canonical JSON: the same fields always give the same bytes."""
        bands = {} if self.bands is None else {"band": self.band, "block": self.block}
        return canonical_json(
            {
                **bands,
                "checksum": CHECKSUM,
                "deepest_loss": self.deepest_loss,
                "deepest_win": self.deepest_win,
                "distinct": self.distinct._asdict(),
                "fingerprint": self.fingerprint,
                "frame_size": self.frame_size,
                "histogram": {
                    "distinct": {str(d): n for d, n in self.distinct_histogram.items()},
                    "positions": {str(d): n for d, n in self.position_histogram.items()},
                },
                "major": self.major,
                "metric": self.metric,
                "packing": self.packing,
                "positions": self.positions._asdict(),
                "program": self.program,
                "rules": self.rules,
                "sector": self.sector,
                "slots": self.slots,
            }
        )

    @classmethod
    def from_json(cls, text: bytes) -> TableHeader:
        """Read a header back from UTF-8 JSON; unknown fields are passed over.

        Raises:
            ValueError: names the field that is missing or wrong.
        """
        try:
            return cls._from_record(json.loads(text.decode()))
        except RecursionError as error:
            raise ValueError(str(error)) from None

    @classmethod
    def _from_record(cls, record: object) -> TableHeader:
        get = _Fields(record)
        _check_choice("checksum", get("checksum", str))
        histogram = _Fields(get("histogram", dict), "histogram.")
        header = cls(
            sector=get("sector", str),
            slots=get("slots", int),
            major=get("major", str),
            rules=get("rules", dict),
            positions=_counts(get, "positions"),
            distinct=_counts(get, "distinct"),
            position_histogram=_depths(histogram("positions", dict)),
            distinct_histogram=_depths(histogram("distinct", dict)),
            program=get("program", str),
            metric=get("metric", str),
            packing=get("packing", str),
            block=get("block", int) if get("packing", str) == "base3" else None,
            band=get("band", int) if get("packing", str) == "base3" else None,
            frame_size=get("frame_size", int),
        )
        for name in ("fingerprint", "deepest_win", "deepest_loss"):
            expected = getattr(header, name)
            if get(name, str if name == "fingerprint" else (int, type(None))) != expected:
                raise ValueError(f"{name} is not {expected}, which the other fields make it")
        return header

    def _wrong_packing(self) -> Iterator[str]:
        """Yield what keeps the packing's numbers from being used at all."""
        if (self.metric == "wdl") != (self.packing == "base3"):
            yield f"packing {self.packing} does not go with metric {self.metric}"
        if self.width is not None:
            if (self.block, self.band) != (None, None):
                yield f"packing {self.packing} has no blocks and bands"
            if self.frame_size % self.width.bytes:
                text = "entries would lie in two frames"
                yield f"frame_size cannot be {_shown(self.frame_size)}: {text}"
        elif self.block is None or self.block < 1 or self.slots % self.block:
            yield f"block cannot be {_shown(self.block)}"
        elif self.band is None or not 0 < self.band <= MAX_SLOTS or self.band % ENTRIES_PER_BYTE:
            yield f"band cannot be {_shown(self.band)}"

    def _contradictions(self) -> Iterator[str]:
        if not 0 < self.slots <= MAX_SLOTS:
            yield f"slots cannot be {_shown(self.slots)}"
        if not 0 < self.frame_size <= MAX_FRAME_SIZE:
            yield f"frame_size cannot be {_shown(self.frame_size)}"
        if min(*self.positions, *self.distinct) < 0:
            yield "a count is negative"
        if self.distinct.total > min(self.slots, self.positions.total):
            yield "more distinct positions than slots or positions"
        if self.positions.total > MOST_IMAGES * self.slots:
            yield "more positions than the slots can have images"
        if self.position_histogram.keys() != self.distinct_histogram.keys():
            yield "the histograms of positions and distinct positions differ in their depths"
        deepest = (self.width or WORD).deepest
        for name, counts, histogram in (
            ("positions", self.positions, self.position_histogram),
            ("distinct", self.distinct, self.distinct_histogram),
        ):
            if any(not 0 <= d <= deepest or n < 1 for d, n in histogram.items()):
                yield f"the histogram of {name} has an impossible entry"
            wins = sum(n for depth, n in histogram.items() if depth % 2)
            expected = (counts.wins, counts.losses) if self.metric == "dtw" else (0, 0)
            if (wins, sum(histogram.values()) - wins) != expected:
                yield f"the histogram of {name} does not add up to its wins and losses"


def canonical_json(record: object) -> bytes:
    """Return JSON with sorted keys, no spaces and nothing but ASCII."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def rules_fingerprint(rules: Mapping[str, Any]) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of the rules' canonical JSON."""
    return hashlib.sha256(canonical_json(dict(rules))).hexdigest()[:16]


def _tally(numbers: Sequence[int], width: Width) -> tuple[Counts, dict[int, int]]:
    """Return the counts by value and the histogram of the counts by entry."""
    histogram = {depth: int(numbers[depth]) for depth in range(width.void) if numbers[depth]}
    wins = sum(n for depth, n in histogram.items() if depth % 2)
    return Counts(wins, sum(histogram.values()) - wins, int(numbers[width.draw])), histogram


class _Fields:
    """Typed access to a JSON object."""

    def __init__(self, record: object, prefix: str = "") -> None:
        if not isinstance(record, dict):
            raise ValueError("not a JSON object")
        self._record = record
        self._prefix = prefix

    def __call__(self, name: str, kind: type | tuple[type, ...]) -> Any:
        if name not in self._record:
            raise ValueError(f"{self._prefix}{name} is missing")
        value = self._record[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{self._prefix}{name} cannot be {_shown(value)}")
        return value


def _counts(get: _Fields, name: str) -> Counts:
    counts = _Fields(get(name, dict), f"{name}.")
    return Counts(counts("wins", int), counts("losses", int), counts("draws", int))


def _depths(record: dict[str, object]) -> dict[int, int]:
    """Turn a JSON histogram's keys, which are canonical decimal numbers, into integers."""
    result: dict[int, int] = {}
    for key, count in record.items():
        if not (key.isascii() and key.isdigit() and key == str(int(key[:6]))):
            raise ValueError(f"a histogram has the depth {_shown(key)}")
        if not isinstance(count, int) or isinstance(count, bool):
            raise ValueError(f"a histogram counts {_shown(count)} positions")
        result[int(key)] = count
    return result


def _check_choice(name: str, value: str) -> None:
    if value not in CHOICES[name]:
        known = " or ".join(CHOICES[name])
        raise ValueError(f"{name} is {_shown(value)}; this program reads {known}")


def _shown(value: object) -> str:
    """Return a value's beginning, safe to print."""
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
