"""The files of the page, held in memory: what is not among them cannot be asked for."""

from __future__ import annotations

from importlib import resources
from typing import Final, NamedTuple

import xxhash

__all__ = ["INDEX", "File", "load_files"]

INDEX: Final = "index.html"

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class File(NamedTuple):
    """A file to send.

    Attributes:
        body: what is in it.
        media_type: what kind of thing that is.
        tag: tells this content from any other, packed or not, as HTTP has it.
    """

    body: bytes
    media_type: str
    tag: str


def load_files() -> dict[str, File]:
    """Return the files of the page by name."""
    found = {}
    for entry in (resources.files("solver.web") / "static").iterdir():
        suffix = f".{entry.name.rpartition('.')[2]}"
        if suffix in _TYPES:
            body = entry.read_bytes()
            tag = f'W/"{xxhash.xxh3_64_hexdigest(body)}"'
            found[entry.name] = File(body, _TYPES[suffix], tag)
    return found
