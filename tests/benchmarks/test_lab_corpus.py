"""The small corpus: of lines whose authors are known, none gets a wrong one, and as many get theirs
as did before.

`floors.json` has for each history how many lines of each kind were right, and how many wrong, when
it was measured last. A rule that finds more raises them (`python -m corpus floors`); one that finds
fewer, or names somebody else, fails here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus.answers import arguments, spans_as_answers
from corpus.axes import AGENTS, AXES
from corpus.floors import FLOORS, SAMPLE, tally
from corpus.page import DOCS, page_texts
from scorer.histories import about, histories, unpack
from scorer.scoring import read_truth
from support.commands import run

LARGEST = 1_000_000  # bytes of a file


@pytest.mark.parametrize("history", histories(SAMPLE), ids=lambda history: history.name)
def test_a_history_is_read_as_well_as_before(history: Path, tmp_path: Path, db: Path) -> None:
    clone, database = unpack(history, tmp_path), db
    run(*arguments(clone, clone.parent, database))
    floors = json.loads(FLOORS.read_text("utf-8"))[history.name]
    found = tally(history, spans_as_answers(database))
    assert found["agent called person"] == 0
    for name, count in found.items():
        if name.endswith("found"):
            assert count >= floors[name], name
        else:
            assert count <= floors[name], name


def test_the_small_corpus_has_every_value_of_every_axis() -> None:
    rows = [about(path) for path in histories(SAMPLE)]
    for axis, values in {**AXES, "agent": AGENTS}.items():
        assert {row[axis] for row in rows} == set(values), axis
    truth, _ = read_truth(SAMPLE)
    assert {line.group for line in truth} >= {
        "agent",
        "agent, session lost",
        "person",
        "person, seen",
        "tool",
    }


def test_the_small_corpus_is_small_and_has_nothing_of_the_agents_makers() -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 3_000_000
    assert max(path.stat().st_size for path in files) < LARGEST
    for path in files:
        if path.suffix in (".jsonl", ".json", ".sql"):
            assert "input_schema" not in path.read_text("utf-8", "surrogateescape"), path


def test_the_page_shows_the_stored_scores() -> None:
    texts = page_texts()
    assert texts == {name: (DOCS / name).read_text("utf-8") for name in texts}
