"""Which sessions took part in a commit by the lines that are theirs there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from attribution.authorship.diffs import FileDiff
from attribution.authorship.texts import DiffTexts
from attribution.authorship.verdicts import CallRef, CommitVerdict, Span, Verdict
from attribution.stages.line_rows import lines_by_session
from collector.vocabulary.lines import Author, Evidence, How

PARENT = 1000.0
TEXT = "    endpoint = config.storage_endpoint"
COMMON = "        return None, error"


def took_part(
    text: str,
    at: float,
    how: How = How.EXACT,
    evidence: Evidence = Evidence.REPLAYED,
    before: str = "",
) -> bool:
    """Whether session 1 did, by one line of a call of this time."""
    verdict = Verdict(Author.AGENT, how, evidence, call=CallRef(1, "call", 0, at))
    commit = CommitVerdict([(cast(FileDiff, None), [Span(1, 1, 1, verdict)])])
    history = SimpleNamespace(rarity=lambda line: 0.0 if line == COMMON.strip() else 1.0)
    texts: Any = SimpleNamespace(
        lines=lambda file: [text], before=lambda file: before, history=history
    )
    counts, sessions = lines_by_session(commit, PARENT, cast(DiffTexts, texts))
    assert counts == {1: 1}  # the line stays its own either way
    return sessions == {1}


@pytest.mark.parametrize("how", [How.EXACT, How.SHELL, How.REFORMATTED, How.MOVED, How.EDITED])
def test_who_worked_since_the_parent_took_part_however_the_lines_look(how: How) -> None:
    assert took_part("    }", PARENT + 1, how)


@pytest.mark.parametrize(
    ("how", "expected"),
    {
        How.EXACT: True,
        How.SHELL: True,
        How.REFORMATTED: False,
        How.MOVED: False,
        How.EDITED: False,
    }.items(),
)
def test_older_work_that_others_changed_or_moved_is_no_part_of_their_commit(
    how: How, expected: bool
) -> None:
    assert took_part(TEXT, PARENT - 1, how) is expected


@pytest.mark.parametrize(
    ("before", "expected"),
    {
        "": True,
        "    host = config.host\n": True,
        f"{TEXT}\n": False,
        "    endpoint  =  config.storage_endpoint\n": False,
        "  endpoint = config.storage_endpoint,\n": False,
    }.items(),
)
def test_an_older_line_that_the_file_had_in_any_layout_is_not_brought_by_the_session(
    before: str, expected: bool
) -> None:
    assert took_part(TEXT, PARENT - 1, before=before) is expected


@pytest.mark.parametrize("text", ["", "    }", "            continue", COMMON])
def test_an_older_line_that_stands_anywhere_shows_nobody_at_work(text: str) -> None:
    assert not took_part(text, PARENT - 1)


@pytest.mark.parametrize("at", [PARENT - 1, PARENT + 1])
def test_a_line_that_follows_its_neighbours_shows_nobody_at_work(at: float) -> None:
    assert not took_part("    }", at, evidence=Evidence.INFERRED)
