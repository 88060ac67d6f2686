"""The interface over HTTP: answers to requests drawn from its own description are as it says."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver.tablebase import Tablebase
from solver.web.application import make_application
from solver.web.document import describe_interface

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from schemathesis import GenerationMode  # noqa: E402
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi import checks  # noqa: E402

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
    checks.negative_data_rejection,
]
"""All but that valid data is accepted: no schema can tell which positions can be."""


@pytest.mark.parametrize("path", describe_interface()["paths"])
def test_every_answer_is_as_described(served: Tablebase, path: str) -> None:
    schema = schemathesis.openapi.from_asgi("/openapi.json", make_application(served))
    operation = schema[path]["GET"]
    right, wrong = (
        operation.as_strategy(generation_mode=mode)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    )

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=st.one_of(right, wrong))
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS)

    check()
