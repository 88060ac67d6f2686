"""What becomes of an answer when nobody waits for it any more: the task that works on it ends."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.types import Scope

__all__ = ["has_left", "leave", "may_leave"]

_TASK: Final = "morris.task"
_LEFT: Final = "morris.left"


def may_leave(scope: Scope) -> None:
    """Let the present task be cancelled if who has sent the request of a scope leaves."""
    scope[_TASK] = asyncio.current_task()


def leave(scope: Scope) -> None:
    """Say that who has sent a request has left."""
    scope[_LEFT] = True
    task = scope.get(_TASK)
    if task is not None:
        task.cancel()


def has_left(scope: Scope) -> bool:
    """Whether who has sent a request has left."""
    return _LEFT in scope
