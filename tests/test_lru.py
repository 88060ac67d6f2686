"""The bounded cache."""

from __future__ import annotations

from solver.lru import LruCache


def test_what_was_not_used_for_longest_goes() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    assert (len(cache), cache.used) == (2, 2)


def test_costs_add_up() -> None:
    cache: LruCache[int, str] = LruCache(10)
    cache.put(1, "a", 4)
    cache.put(1, "b", 6)
    assert (cache.get(1), cache.used) == ("b", 6)
    cache.put(2, "c", 11)  # never fits, and must not drive out the rest
    assert (cache.get(2), cache.get(1)) == (None, "b")
    cache.put(3, "d", 5)
    assert (cache.get(1), cache.get(3), cache.used) == (None, "d", 5)
    cache.clear()
    assert (len(cache), cache.used, cache.get(3)) == (0, 0, None)
