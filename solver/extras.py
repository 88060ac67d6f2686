"""Packages that only a part of this program needs, and that are installed by naming an extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from solver.errors import UsageError

__all__ = ["MissingPackageError", "import_extra"]


class MissingPackageError(UsageError, ImportError):
    """A package is not installed that what was asked for needs; names the extra that brings it."""


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """Import a module of a package that not everybody has.

    Args:
        module: its name.
        extra: the optional dependencies of this project that bring it.
        purpose: what needs it, as the beginning of a sentence.

    Raises:
        MissingPackageError: it is not installed; says how to install it.
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise  # it is there, and lacks something itself
        raise MissingPackageError(
            f"{purpose} needs the Python package {package}, which is not installed; install it"
            f" with: pip install 'morris-solver[{extra}]'"
        ) from None
