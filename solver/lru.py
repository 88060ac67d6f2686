"""A bounded cache that threads share, and processes that are forked have copies of."""

from __future__ import annotations

import os
import weakref
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

__all__ = ["LruCache"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """What was used last, as far as it fits.

    Args:
        capacity: the sum of the costs of what is kept is at most this.
    """

    def __init__(self, capacity: float) -> None:
        self._capacity = capacity
        self._used: float = 0
        self._entries: OrderedDict[Key, tuple[Value, float]] = OrderedDict()
        self._lock = Lock()
        _caches.add(self)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def used(self) -> float:
        """The sum of the costs of what is kept."""
        return self._used

    def get(self, key: Key) -> Value | None:
        """Return what was put there, or None if it is not kept (any more)."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        # Threads that wait for each other here, many times a millisecond, would take twice as long;
        # so what is used while another thread is at it does not count as used last.
        if self._lock.acquire(blocking=False):
            try:
                if key in self._entries:
                    self._entries.move_to_end(key)
            finally:
                self._lock.release()
        return entry[0]

    def put(self, key: Key, value: Value, cost: float = 1) -> None:
        """Keep a value; what was not used for longest goes to make room for it."""
        with self._lock:
            if key in self._entries:
                self._used -= self._entries.pop(key)[1]
            if cost > self._capacity:
                return
            while self._entries and self._used + cost > self._capacity:
                self._used -= self._entries.popitem(last=False)[1][1]
            self._entries[key] = (value, cost)
            self._used += cost

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._entries.clear()
            self._used = 0

    def after_fork(self) -> None:
        """Set right what another thread of the parent may have been at when this child was made."""
        self._lock = Lock()  # nobody is left to release the old one
        self._used = sum(cost for _, cost in self._entries.values())


_caches: weakref.WeakSet[LruCache[Any, Any]] = weakref.WeakSet()


def _after_fork() -> None:
    for cache in list(_caches):
        cache.after_fork()


os.register_at_fork(after_in_child=_after_fork)
