"""What tests of pictures share: an SVG document as a tree, and what is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: str) -> Element:
    """The root of a picture, which must stand alone."""
    assert picture.endswith("</svg>\n")
    assert picture.isascii()
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert left == top == 0
    assert width > 0
    assert height > 0
    pixels, down = int(root.attrib["width"]), int(root.attrib["height"])
    assert abs(down - pixels * height / width) <= 1
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert all(child.text for child in root[:2])
    names = {"text", "svg", "title", "desc", "g", "rect", "circle", "path"}
    for item in root.iter():
        assert item.tag.removeprefix(SVG) in names
        for key, value in item.attrib.items():
            # Nothing from outside, nothing that another picture of the page could clash with.
            assert key not in ("id", "class", "style", "href")
            assert "url(" not in value
            if re.fullmatch(r"x|y|r|rx|cx|cy|width|height|font-size|stroke-width", key):
                assert -1 < float(value) < 3000 or item is root
    return root


def part(root: Element, name: str) -> Element | None:
    """The group that shows something; None if it is not there."""
    found = [item for item in root.iter() if item.attrib.get("data-part") == name]
    assert len(found) <= 1
    return found[0] if found else None


def named(root: Element, key: str) -> dict[str, Element]:
    """The elements that have an attribute, by its value, each of which is there once."""
    found = [item for item in root.iter() if key in item.attrib]
    values = {item.attrib[key]: item for item in found}
    assert len(values) == len(found)
    return values


def texts(root: Element) -> list[str]:
    """Every line of words."""
    return [item.text or "" for item in root.iter(f"{SVG}text")]


def circles(root: Element) -> Iterator[tuple[float, float, float]]:
    """The middle and the radius of every circle."""
    for item in root.iter(f"{SVG}circle"):
        yield (float(item.attrib["cx"]), float(item.attrib["cy"]), float(item.attrib["r"]))


def words_of(root: Element) -> tuple[str, str]:
    """The title and the description."""
    return root[0].text or "", root[1].text or ""
