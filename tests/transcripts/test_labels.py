"""Short names of sessions."""

from __future__ import annotations

import pytest

from collector.labels import session_label


@pytest.mark.parametrize(
    ("prompts", "label"),
    [
        (["Add a mean\nto the report"], "Add a mean"),
        (["Implement the following plan:\n\n# Plan: Add a mean\n\n## Context"], "Add a mean"),
        (
            [
                "# Context from my IDE setup:\n## Active file: a.py\n## My request for Codex:\nAdd"
                " a mean"
            ],
            "Add a mean",
        ),
        (["<task>\nReview only the diff"], "Review only the diff"),
        (['"# Context\n\nYou are one of many"'], "Context"),
        (["---\n", "yes"], "yes"),
        (["x" * 80], "x" * 80),
        (["x" * 100], "x" * 79 + "…"),
        ([], ""),
    ],
)
def test_a_session_is_named_by_words_of_its_own(prompts: list[str], label: str) -> None:
    assert session_label(prompts) == label


_REVIEW = (
    "<command-message>code-review</command-message>\n<command-name>/code-review</command-name>"
)
_FIX = "<command-name>/fix</command-name>\n<command-args>issue 12\nquickly</command-args>"


@pytest.mark.parametrize(
    ("prompts", "commands", "label"),
    [
        (["y", "Now add a mean"], [_REVIEW], "Now add a mean"),
        (["y", "2", "Ok, thanks!"], [_REVIEW, _FIX], "/code-review"),
        ([], [_FIX], "/fix issue 12 quickly"),
        (["hello there!", "go ahead"], [], "hello there!"),
        (["直して"], [_REVIEW], "直して"),
        (["Yes, but only for tests"], [], "Yes, but only for tests"),
        ([], [], ""),
    ],
)
def test_an_answer_is_no_name(prompts: list[str], commands: list[str], label: str) -> None:
    assert session_label(prompts, commands) == label
