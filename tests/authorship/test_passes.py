"""Every pass keeps its contract: whose lines it may take, and whom it may give them to."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import clone
from support.truth import run

from attribution.authorship.passes import PASSES
from attribution.authorship.run_data import Judged
from collector.vocabulary.lines import Author

_CASES = (
    "example",
    "formatter_after_agent",
    "human_after_last_edit",
    "rebased_commit",
    "odd_files",
    "squash_of_a_branch",
)


def _authors(judged: Judged) -> dict[tuple[str, str, int], Author]:
    """(commit, path, line) -> author."""
    files = (
        (sha, file.change.path, spans)
        for sha, verdict in judged.verdicts.items()
        for file, spans in verdict.files
    )
    return {
        (sha, path, line): span.verdict.author
        for sha, path, spans in files
        for span in spans
        for line in span.lines
    }


@pytest.mark.parametrize("case", _CASES)
def test_a_pass_takes_and_gives_what_it_says(
    case: str, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def settle(judged: Judged) -> None:
        for each in PASSES:
            before = _authors(judged)
            each.run(judged)
            after = _authors(judged)
            assert before.keys() == after.keys(), each
            changes = {
                (author, after[line]) for line, author in before.items() if author != after[line]
            }
            assert all(old in each.takes and new in each.gives for old, new in changes), (
                each,
                changes,
            )
            runs.append(each)

    monkeypatch.setattr("attribution.stages.judging.settle", settle)
    repo = clone(case, tmp_path)
    run(repo, db)
    assert runs == list(PASSES)
