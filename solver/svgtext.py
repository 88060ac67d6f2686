"""SVG as text: elements, numbers, words, and the document around them.

Nothing here knows what is drawn. Pictures stand alone and can stand in a page together: no style
sheets, no identifiers, nothing from outside, and ASCII characters only.
"""

from __future__ import annotations

import re
from typing import Final

from solver.results import Value

__all__ = [
    "COLOURS",
    "FONT",
    "INK",
    "PALE_INK",
    "document",
    "element",
    "escape",
    "fitting_size",
    "number",
    "sheet",
    "width_of",
    "words",
]

FONT: Final = "sans-serif"
"""Whatever the viewer has of that kind; no font is fetched."""

INK: Final = "#3b2f1e"
PALE_INK: Final = "#6f6049"
"""For what matters less."""
COLOURS: Final[dict[Value, str]] = {"win": "#10693f", "draw": "#5a6270", "loss": "#b23a12"}
"""Of values; white on each of them is easily read, and so is each on white."""

_FRAME: Final = "#cdb88d"
_CHARACTER_WIDTH: Final = 0.6
"""Of a character on average, as a part of the font's size; wide fonts need as much."""
_BASELINE: Final = 0.35
"""How far below its middle a line of words stands, as a part of the font's size."""
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """Return a text as it may stand in an element or an attribute.

    Characters that XML cannot hold are replaced by U+FFFD, all beyond ASCII written as references.
    """
    text = _NOT_XML.sub("\ufffd", text)
    for character, reference in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        text = text.replace(character, f"&{reference};")
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def number(value: float) -> str:
    """Return a number with two decimals at most, and none that say nothing."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, *content: str, **attributes: str | float) -> str:
    """Return an element.

    Args:
        name: of the element.
        content: what stands in it, written already; none makes an empty element.
        attributes: by name, an underscore for each hyphen; texts are escaped.
    """
    parts = [name]
    for key, value in attributes.items():
        text = escape(value) if isinstance(value, str) else number(value)
        parts.append(f'{key.replace("_", "-")}="{text}"')
    opening = " ".join(parts)
    return f"<{opening}>{''.join(content)}</{name}>" if content else f"<{opening}/>"


def words(x: float, y: float, text: str, size: float, fill: str, **attributes: str | float) -> str:
    """Return a line of words whose middle has the height `y`, centred on `x` unless told otherwise.

    Args:
        x, y: where.
        text: what it says; it is escaped.
        size: of the font.
        fill: its colour.
        attributes: more of them, such as ``text_anchor="start"``.
    """
    attributes = {"text_anchor": "middle", **attributes}
    return element(
        "text", escape(text), x=x, y=y + _BASELINE * size, font_size=size, fill=fill, **attributes
    )


def width_of(text: str, size: float) -> float:
    """Return about how wide a text is in a font of some size."""
    return _CHARACTER_WIDTH * size * len(text)


def fitting_size(text: str, width: float, most: float) -> float:
    """Return the largest size of font, up to `most`, in which a text is not wider than `width`."""
    return min(most, width / width_of(text or " ", 1))


def sheet(width: float, height: float, fill: str) -> str:
    """Return the ground of a whole picture, with a frame, so that it can stand on any other."""
    return element(
        "rect", x=0.5, y=0.5, width=width - 1, height=height - 1, rx=9, fill=fill, stroke=_FRAME
    )


def document(
    body: str,
    *,
    title: str,
    description: str,
    box: tuple[float, float],
    width: int,
) -> str:
    """Return a whole picture, with a newline at its end.

    Args:
        body: its elements.
        title: what it is called; viewers show it at the pointer, and screen readers read it.
        description: what can be seen, for those who cannot.
        box: width and height in the units of `body`.
        width: in pixels; the height follows.
    """
    across, down = box
    return (
        element(
            "svg",
            "\n",
            element("title", escape(title)),
            "\n",
            element("desc", escape(description)),
            "\n",
            body,
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=max(1, round(width * down / across)),
            viewBox=f"0 0 {number(across)} {number(down)}",
            role="img",
            font_family=FONT,
        )
        + "\n"
    )
