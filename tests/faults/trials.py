"""Everything that is asked of a table that was damaged."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from damaging import Harmed, Morris, stamps

from solver.errors import DamagedTableError
from solver.results import WDL
from solver.tablebase import Tablebase

__all__ = ["PROMISE", "REFUSED", "Trial", "flipped"]

PROMISE = (
    "never a value; one line names file and part, exit code 4; `morris verify` lists it and goes on"
    " with the others; `morris solve` or `morris pack` makes it anew and touches no other"
)
REFUSED = "refused, named and made anew as it was"


def flipped(data: bytes, where: slice, source: random.Random) -> bytes:
    """The file with one bit changed somewhere."""
    changed = bytearray(data)
    changed[source.randrange(where.start, where.stop)] ^= 1 << source.randrange(8)
    return bytes(changed)


class Trial:
    """A table that was damaged, and all that is asked of it."""

    def __init__(self, morris: Morris, harmed: Harmed, part: str) -> None:
        self.morris = morris
        self.harmed = harmed
        self.subject = harmed.subject
        self.said = re.compile(f"{re.escape(str(harmed.path))}: (?:{part})")
        self.before = stamps(harmed.database)

    def refuses(self, message: str) -> bool:
        """Check the sentence of a refusal: it names file, part and remedy."""
        assert self.said.match(message), (self.said.pattern, message)
        assert "\n" not in message
        *_, command = message.partition("; make it anew with: ")
        verb = "pack" if self.subject.metric == "wdl" else "solve"
        assert command.startswith(f"morris {verb} {self.subject.rules.name} {self.subject.sector} ")
        return True

    def asked(self) -> set[int]:
        """Ask for a value of every frame, one by one and all at once; return those refused."""
        known, refused = self.harmed.known, set()
        with Tablebase(self.harmed.database) as tablebase:
            for position, frame, result in known.positions:
                try:
                    assert tablebase.probe(position) == result
                    assert tablebase.probe_wdl(position) == WDL[result.value]
                except DamagedTableError as error:
                    assert self.refuses(str(error))
                    refused.add(frame)
            position = known.of_frame(next(iter(refused)))
            for ask in (tablebase.get, tablebase.analyse, tablebase.line):
                with pytest.raises(DamagedTableError, match=self.said):
                    ask(position)
            self.asked_at_once(tablebase, refused)
        return refused

    def asked_at_once(self, tablebase: Tablebase, refused: set[int]) -> None:
        """Ask for many positions together: those of refused frames, and the others."""
        for damaged in (True, False):
            chosen = [
                (position, result)
                for position, frame, result in self.harmed.known.positions
                if (frame in refused) == damaged
            ]
            masks = [[p.mover_mask for p, _ in chosen], [p.opponent_mask for p, _ in chosen]]
            arguments = (*masks, self.subject.sector, self.subject.rules)
            if damaged:
                with pytest.raises(DamagedTableError, match=self.said):
                    tablebase.probe_many(*arguments, threads=2)
            elif chosen:
                found = tablebase.probe_many(*arguments, threads=2)
                assert found.wdl.tolist() == [WDL[result.value] for _, result in chosen]
                expected = [-1 if result.dtw is None else result.dtw for _, result in chosen]
                assert found.dtw.tolist() == expected

    def queried(self, frame: int) -> None:
        """Ask by the command line for a value of a frame that is damaged."""
        position = self.harmed.known.of_frame(frame)
        for command in ("query", "line"):
            answer = self.morris(
                command, position, *self.subject.variant, "--db", self.harmed.database
            )
            assert self.refuses(answer.refused(4))

    def verified(self) -> None:
        """The file is listed by verify, and none but it; the others are checked."""
        game, database = self.subject.game, self.harmed.database
        how = ["--checksums"] if self.subject.metric == "dtw" else []
        answer = self.morris("verify", *game, *how, "--threads", 1, "--db", database)
        assert (answer.code, answer.out) == (4, "")
        named = re.findall(r"^Error: (.*)$", answer.err, re.M)
        assert len(named) == 1
        assert self.refuses(named[0])
        checked = set(re.findall(r"^(\S+): checksums .* right", answer.err, re.M))
        others = {path.name.split(".")[0] for path in self.before if ".zst" in path.name}
        assert checked == others - {str(self.subject.sector)}

    def make(self) -> Any:
        """Have the file made by the command that makes its kind."""
        subject, database = self.subject, self.harmed.database
        command = ["solve"] if subject.metric == "dtw" else ["pack", "--wdl"]
        return self.morris(
            *command, *subject.game, subject.sector, "--threads", 1, "--db", database
        )

    def made_anew(self) -> None:
        """The file is made anew as it was, and no other is touched."""
        assert self.make().code == 0
        assert self.harmed.path.read_bytes() == self.harmed.bytes
        after = stamps(self.harmed.database)
        assert after.keys() == self.before.keys()
        changed = {path for path in after if after[path] != self.before[path]}
        assert changed == {self.harmed.path}

    def run(self) -> set[int]:
        """Try all of that; return the frames that were refused."""
        with self.harmed.only():
            refused = self.asked()
            self.queried(next(iter(refused)))
        self.verified()
        self.made_anew()
        return refused
