"""`why` denies nothing that stands in the list under it."""

import re
from pathlib import Path

import pytest
from support import random_history
from support.builder import import_stream
from support.git_answers import git

from attribution.authorship.options import AttributeOptions
from attribution.commands.common import open_clone
from attribution.queries.blame import blame
from attribution.queries.explain import LineExplanation, explain_line
from attribution.stages.lines import attribute_repo
from collector.storage.store import Store

# What a sentence says of deeds of agents; whether a record exists elsewhere is another matter.
DENIAL = re.compile(
    r"\b(?:no (?:other |recorded )?(?:session|edit|command|call|agent|person)"
    r"|nothing|nobody|none of)\b"
)


def _denied(explanation: LineExplanation) -> list[str]:
    """Sentences that say no or nothing while calls of others stand in the list."""
    of = explanation.line.attribution
    others = [
        action
        for action in explanation.actions
        if not action.ours and (of.author != "agent" or action.session != of.label)
    ]
    between = [
        action for action in others if of.seen_without_at < action.at <= (of.seen_with_at or "~")
    ]
    listed = between if of.author == "human" else others
    sentences = [*explanation.evidence, *explanation.others]
    return [text for text in sentences if listed and DENIAL.search(text.lower())]


@pytest.mark.parametrize("seed", range(2))
def test_no_sentence_denies_what_the_list_has(seed: int, tmp_path: Path, db: Path) -> None:
    repository = import_stream(random_history.generate(seed)[0], tmp_path / "repo")
    with Store(db) as store:
        attribute_repo(store, repository, AttributeOptions())
    explained = 0
    listed = 0
    with open_clone(str(repository), db) as opened:
        for path in git(repository, "ls-tree", "-r", "--name-only", opened.head).splitlines():
            blamed = blame(opened, path, opened.head)
            for line in blamed.lines:
                explanation = explain_line(opened, line, blamed.texts, blamed.path, blamed.sha)
                assert _denied(explanation) == [], (path, line.line, explanation.actions)
                explained, listed = explained + 1, listed + bool(explanation.actions)
    assert explained > 50 and listed > 20
