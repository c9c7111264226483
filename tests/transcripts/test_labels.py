"""Short names of sessions, and ids as they are printed."""

from __future__ import annotations

import pytest

from attribution.terminal.style import prefixes
from collector.labels import session_label


@pytest.mark.parametrize(
    ("prompts", "label"),
    [
        (["Add a mean\nto the report"], "Add a mean"),
        (["Implement the following plan:\n\n# Plan: Add a mean\n\n## Context"], "Add a mean"),
        (["# Context from my IDE setup:\n## Active file: a.py\n## My request for Codex:\nAdd a mean"], "Add a mean"),
        (["<task>\nReview only the diff"], "Review only the diff"),
        (['"# Context\n\nYou are one of many"'], "Context"),
        (["---\n", "yes"], "yes"),
        (["x" * 100], "x" * 80),
        ([], ""),
    ],
)
def test_a_session_is_named_by_words_of_its_own(prompts: list[str], label: str) -> None:
    assert session_label(prompts) == label


def test_printed_ids_are_the_shortest_that_are_unique() -> None:
    keys = ["ses_1234abcd", "ses_1234abff", "01f00000-0000", "01f00000-0000"]
    assert prefixes(keys) == {"ses_1234abcd": "ses_1234abc", "ses_1234abff": "ses_1234abf", "01f00000-0000": "01f00000"}
