"""Plots of distances, and ``morris stats --plot``."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from conftest import Morris
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import SVG, named, parsed, part, texts, words_of

from solver.errors import UsageError
from solver.histogram import render_histogram
from solver.rules import get_variant
from solver.sectors import Sector
from solver.tablebase import open_tablebase
from solver.tableheader import Counts, TableHeader

NINE = get_variant("nine")


@pytest.fixture(scope="module")
def header(database: Path) -> TableHeader:
    """That of sector 3-3."""
    with open_tablebase(database) as tablebase:
        return tablebase.header(NINE, Sector(3, 3))


def with_counts(header: TableHeader, histogram: dict[int, int], draws: int = 5) -> TableHeader:
    """The same header with other counts, as if no position had a twin."""
    wins = sum(count for depth, count in histogram.items() if depth % 2)
    counts = Counts(wins, sum(histogram.values()) - wins, draws)
    return replace(
        header,
        positions=counts,
        distinct=counts,
        position_histogram=histogram,
        distinct_histogram=histogram,
        slots=max(header.slots, counts.total),
        packing="word",  # for distances beyond 252
    )


def bars(root: Element, value: str) -> dict[int, tuple[float, float, float, float]]:
    """By distance: left, top, width and height of its bar."""
    group = part(root, value)
    if group is None:
        return {}
    assert group.attrib["fill"]
    return {
        int(depth): tuple(float(bar.attrib[key]) for key in ("x", "y", "width", "height"))  # type: ignore[misc]
        for depth, bar in named(group, "data-depth").items()
    }


def test_there_is_a_bar_for_every_distance(header: TableHeader) -> None:
    root = parsed(render_histogram("nine", header))
    wins, losses = bars(root, "win"), bars(root, "loss")
    assert set(wins) | set(losses) == set(header.distinct_histogram)
    assert all(depth % 2 for depth in wins)
    assert not any(depth % 2 for depth in losses)
    # Wins stand on one line, losses hang from a lower one.
    (ground,) = {round(y + height, 1) for _, y, _, height in wins.values()}
    (ceiling,) = {round(y, 1) for _, y, _, _ in losses.values()}
    assert ground < ceiling
    titles = [title.text for title in root.iter(f"{SVG}title")][1:]
    assert titles[0] == "win in 1: 66,472 positions"
    assert titles[-1] == "loss in 26: 70 positions"


def test_the_counts_are_said(header: TableHeader) -> None:
    root = parsed(render_histogram("nine", header))
    shown = texts(root)
    assert shown[0] == words_of(root)[0] == "nine, sector 3-3"
    assert shown[1] == "140,621 wins, 28,736 losses, 269 draws"
    assert {"wins", "losses", "plies to the end of the game"} < set(shown)
    assert words_of(root)[1] == (
        "nine, sector 3-3: 140,621 wins, 28,736 losses, 269 draws, counted up to symmetry, by plies"
        " to the end of the game. The longest win takes 25 plies (27 positions). The longest loss"
        " takes 26 plies (70 positions)."
    )


def test_the_scale_is_named_and_fits(header: TableHeader) -> None:
    root = parsed(render_histogram("nine", header))
    assert "positions up to symmetry (logarithmic scale)" in texts(root)
    assert [text for text in texts(root) if text.replace(",", "").startswith("10")].count(
        "10,000"
    ) == 2  # in either half
    # A decade is as high as any other.
    wins = bars(
        parsed(render_histogram("nine", with_counts(header, {1: 10, 3: 100, 5: 1000}))), "win"
    )
    heights = [wins[depth][3] for depth in (1, 3, 5)]
    assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1], abs=0.02)
    few = parsed(render_histogram("nine", with_counts(header, {1: 20, 3: 40, 2: 10})))
    assert "positions up to symmetry (linear scale)" in texts(few)
    heights = [bars(few, "win")[1][3], bars(few, "win")[3][3], bars(few, "loss")[2][3]]
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.02)
    assert heights[0] == pytest.approx(2 * heights[2], abs=0.02)


@settings(deadline=None)
@given(
    st.dictionaries(st.integers(0, 400), st.integers(1, 10**9), max_size=60),
)
def test_everything_stays_in_the_picture(header: TableHeader, histogram: dict[int, int]) -> None:
    root = parsed(render_histogram("nine", with_counts(header, histogram)))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    found = {**bars(root, "win"), **bars(root, "loss")}
    assert set(found) == set(histogram)
    for x, y, wide, high in found.values():
        assert 90 < x < x + wide < width - 20
        assert 60 < y < y + high < height - 20
        assert high > 0.5 or max(histogram.values()) < 100 * min(histogram.values())
    for value in ("win", "loss"):
        ordered = sorted(bars(root, value).items())
        for (_, (x, _, wide, _)), (_, (other, *_)) in pairwise(ordered):
            assert x + wide < other
        counts = sorted(bars(root, value), key=histogram.__getitem__)
        heights = [found[depth][3] for depth in counts]
        assert heights == sorted(heights)
    numbers = [int(text) for text in texts(root) if text.isdecimal()]
    assert histogram == {} or 0 in numbers


def test_a_sector_of_draws(header: TableHeader) -> None:
    root = parsed(render_histogram("nine", with_counts(header, {}, draws=1)))
    assert texts(root)[1:] == ["0 wins, 0 losses, 1 draw", "No position is won or lost."]
    assert not bars(root, "win")


def test_a_side_that_never_wins(header: TableHeader) -> None:
    root = parsed(render_histogram("nine", with_counts(header, {2: 7})))
    assert {"no wins", "losses"} <= set(texts(root))
    assert list(bars(root, "loss")) == [2]
    root = parsed(render_histogram("nine", with_counts(header, {1: 1})))
    assert {"wins", "no losses"} <= set(texts(root))
    assert texts(root)[1] == "1 win, 0 losses, 5 draws"


def test_the_same_table_gives_the_same_bytes(header: TableHeader) -> None:
    assert render_histogram("nine", header) == render_histogram("nine", header)


def test_names_are_escaped(header: TableHeader) -> None:
    root = parsed(render_histogram('<a href="x">&', header))
    assert texts(root)[0] == '<a href="x">&, sector 3-3'


# -- the command --------------------------------------------------------------------------------


def test_a_plot_is_written_beside_the_usual_answer(
    morris: Morris, database: Path, tmp_path: Path, header: TableHeader
) -> None:
    file = tmp_path / "new" / "plot.svg"
    for extra in ([], ["--json"], ["--csv"]):
        arguments = ["stats", "nine", "3-3", "--db", database, *extra]
        answer = morris(*arguments, "--plot", file)
        assert (answer.code, answer.err) == (0, "")
        assert answer.out == morris(*arguments).out
        assert file.read_text() == render_histogram("nine", header)
        assert os.listdir(file.parent) == ["plot.svg"]
        file.unlink()


@pytest.mark.parametrize(
    ("sectors", "message"),
    [
        ([], "--plot draws one sector, but none is named; name one, such as 3-3"),
        (["3-3", "4-3"], "--plot draws one sector, but 2 are named"),
    ],
)
def test_a_plot_is_of_one_sector(
    morris: Morris, database: Path, tmp_path: Path, sectors: list[str], message: str
) -> None:
    file = tmp_path / "plot.svg"
    answer = morris("stats", "nine", *sectors, "--db", database, "--plot", file)
    assert message in answer.refused(2)
    assert not file.exists()


def test_a_table_without_distances_cannot_be_plotted(
    morris: Morris, database: Path, tmp_path: Path
) -> None:
    copy, file = tmp_path / "copy", tmp_path / "plot.svg"
    shutil.copytree(database, copy)
    assert morris("pack", "nine", "3-3", "--wdl", "--db", copy).code == 0
    (table,) = copy.glob("*/3-3.dtw.zst")
    table.unlink()
    message = morris("stats", "nine", "3-3", "--db", copy, "--plot", file).refused(2)
    assert message == (
        "the table of sector 3-3 tells only win, draw or loss, so there are no distances to plot;"
        " make the one that does with: morris solve nine 3-3"
    )
    assert not file.exists()
    with open_tablebase(copy) as tablebase, pytest.raises(UsageError, match="only win, draw"):
        render_histogram("nine", tablebase.header(NINE, Sector(3, 3)))


def test_a_plot_of_a_missing_table(morris: Morris, database: Path, tmp_path: Path) -> None:
    file = tmp_path / "plot.svg"
    answer = morris("stats", "nine", "6-5", "--db", database, "--plot", file)
    assert "sector 6-5 is missing" in answer.refused(3)
    assert not file.exists()


def test_a_plot_that_cannot_be_written(morris: Morris, database: Path, tmp_path: Path) -> None:
    answer = morris("stats", "nine", "3-3", "--db", database, "--plot", tmp_path)
    assert f"--plot needs the name of a file, but {tmp_path} is a folder" in answer.refused(2)
