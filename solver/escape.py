"""Text from outside, such as names of files, made fit to be printed."""

from __future__ import annotations

import shlex

__all__ = ["one_line", "shell_word"]


def one_line(text: str) -> str:
    r"""Return a text with backslash escapes for all that cannot be shown or would break the line.

    Bytes of a file name that are not of the file system's encoding become ``\xff``, control
    characters ``\n`` or ``\x1b``. Nothing else is changed, backslashes included.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def shell_word(text: str) -> str:
    r"""Return a name as a word of a command that can be shown in one line and pasted into a shell.

    Control characters, and bytes that are not of the file system's encoding, are written as bash,
    zsh and ksh read them: ``$'a\x0ab'``.
    """
    return shlex.quote(text) if text.isprintable() else f"$'{''.join(map(_quoted, text))}'"


def _quoted(character: str) -> str:
    if character.isprintable() and character not in "'\\":
        return character
    is_byte = "\udc80" <= character <= "\udcff"  # how Python carries one that it could not decode
    code = character.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in code)


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python carries a byte that it could not decode
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
