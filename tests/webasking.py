"""Asking the interface over HTTP in tests."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

JSON = dict[str, Any]

WON = "w:Wa1,g1,g7:Bb6,c5,d1,e5"
"""A position of ``nine``, won in nine plies."""
SEVEN = "w:Wa1,d5,g7:Bb2,b6,d2,d6"
"""Another one, with 51 turns."""


def asked(client: TestClient, path: str, **parameters: Any) -> JSON:
    answer = client.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()  # type: ignore[no-any-return]


def refused(client: TestClient, status: int, path: str, **parameters: Any) -> JSON:
    answer = client.get(path, params=parameters)
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    record: JSON = answer.json()
    assert record["error"]
    assert "\n" not in record["error"]
    return record
