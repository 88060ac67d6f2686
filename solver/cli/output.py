"""What commands show and write: boards that suit the terminal, and files that a user names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.atomicfile import replacing
from solver.cli.common import Decorated
from solver.cli.formats import stdout_can_show, stdout_colour
from solver.cli.signals import terminated_like_interrupted
from solver.errors import ResourceError, UsageError
from solver.render import NOT_ASCII, render_text

if TYPE_CHECKING:
    from solver.position import Position, Turn

__all__ = ["pictures_option", "text_board", "write_text"]


def pictures_option(text: str) -> Callable[[Decorated], Decorated]:
    """Add ``--svg DIR`` as parameter `pictures`: a Path or None.

    Args:
        text: what help says of it.
    """
    return click.option("--svg", "pictures", metavar="DIR", callback=_folder, help=text)


def _folder(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    if value is None:
        return None
    if not value:
        raise UsageError("--svg needs the name of a folder")
    if Path(value).exists() and not Path(value).is_dir():
        raise UsageError(f"--svg needs the name of a folder, and {value} is none")
    return Path(value)


def text_board(position: Position, last_turn: Turn | None = None) -> str:
    """Return a position as text that suits stdout, in the characters and colours it can show.

    Args:
        position: what to draw.
        last_turn: the turn that led there, if it is known; it is marked where there are colours.
    """
    colour = stdout_colour()
    if colour:
        # Else click takes colours out again that were asked for in spite of a pipe.
        context = click.get_current_context(silent=True)
        if context is not None:
            context.color = True
    ascii_only = not stdout_can_show(NOT_ASCII)
    return render_text(position, ascii_only=ascii_only, colour=colour, last_turn=last_turn)


def write_text(path: str, text: str, option: str) -> None:
    """Write a file that a user has named: it appears whole, or not at all.

    Args:
        path: its name; what is no regular file, such as a pipe, is written to as it is.
        text: what to write, in UTF-8.
        option: what the user named it with, for the message.

    Raises:
        UsageError: no file can have that name.
        ResourceError: the file cannot be written.
    """
    target = Path(path)
    if not path or target.is_dir():
        reason = f"{path} is a folder" if path else "it was given an empty one"
        raise UsageError(f"{option} needs the name of a file, but {reason}")
    data = text.encode()
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        with (
            terminated_like_interrupted(),
            replacing(Path(os.path.realpath(target)), len(data)) as file,  # a link stays one
        ):
            file.write(data)
    except OSError as error:
        named_wrongly = isinstance(error, FileExistsError | FileNotFoundError | NotADirectoryError)
        reason = (error.strerror or str(error)).lower()
        if isinstance(error, FileExistsError | NotADirectoryError):
            reason = "a folder of its path is a file"
        message = f"{option} {path} cannot be written: {reason}"
        raise (UsageError if named_wrongly else ResourceError)(message) from None
