"""Lines and documents too long to hold in memory as values: each costs itself alone."""

from __future__ import annotations

import json

import pytest

from collector.agents.common import jsonl
from collector.agents.common.jsonl import documents
from collector.model import Problem


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "JSON_BYTES", 1000)


def test_a_long_line_is_a_problem_and_the_others_are_read() -> None:
    problems: list[Problem] = []
    blob = b"\n".join(
        json.dumps({"n": n, "text": "x" * size}).encode() for n, size in enumerate((5, 2000, 5))
    )
    assert [record["n"] for record in jsonl.records([blob], problems, "s")] == [0, 2]
    assert [(p.code, p.detail) for p in problems] == [
        ("unreadable_lines", "1, first at line 2: longer than 1,000 bytes")
    ]


def test_a_long_document_is_a_problem_and_the_other_copies_are_read() -> None:
    problems: list[Problem] = []
    blobs = [json.dumps({"n": n, "text": "x" * size}).encode() for n, size in enumerate((2000, 5))]
    assert list(documents(blobs, problems, "s")) == [{"n": 1, "text": "xxxxx"}]
    assert [p.code for p in problems] == ["unreadable_document"]


@pytest.mark.parametrize(
    "blob", [json.dumps(["x" * 2000]).encode(), json.dumps(["x"] * 500, indent=1).encode()]
)
def test_what_is_too_long_is_not_recognised(blob: bytes) -> None:
    assert jsonl.first_value(blob) is None
    assert jsonl.first_value(blob[:1] + b'"a"]') == ["a"]
