"""Lines that git-ai saw a person type, and notes that are no witness."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from support.builder import Commit, World
from support.claim_notes import put_notes
from support.line_answers import Answer, about, answers

from collector.vocabulary.lines import Author

TYPED = "export const currency = 'EUR'"
OTHER = "export const rate = fetchRate()"
TRAILER = "Tidy\n\nCo-Authored-By: Claude <noreply@anthropic.com>"


def _note(entries: str, version: str) -> bytes:
    meta = {
        "schema_version": "authorship/3.0.0",
        "git_ai_version": version,
        "base_commit_sha": "",
        "prompts": {"c5b6e6dbc097f326": {"agent_id": {"tool": "claude", "id": "talk", "model": "opus"}}},
        "humans": {"h_1f2e3d4c5b6a79": {"author": "Mo <mo@example.org>"}},
    }
    return f"{entries}---\n{json.dumps(meta, indent=2)}".encode()


def _said(directory: Path, entries: str, version: str, message: str = "Tidy", path: str = "src/app.ts") -> dict[str, list[Answer]]:
    """A commit with a line that was typed (2) and another one (3), a session elsewhere, and a note of git-ai."""
    world = World("typing")
    world.human_write(path, "import { fetchRate } from './rates'\n")
    world.commit("Start")
    world.human_insert(path, f"{TYPED}\n{OTHER}\n")
    commit = world.commit(message)
    session = world.session()
    session.prompt("Add a readme")
    session.write("README.md", "# Ledger of cents\n")
    session.end_turn()
    world.commit("Say what it is", [session])
    return answers(world, commit, directory, partial(_annotate, commit=commit, note=_note(entries, version)))


def _annotate(repository: Path, commit: Commit, note: bytes) -> None:
    put_notes(repository, "refs/notes/ai", {commit.sha: note})


AGENTS = "src/rates.ts\n  c5b6e6dbc097f326 3\n"
FITTING = AGENTS + "src/app.ts\n  h_1f2e3d4c5b6a79 2\n"


@pytest.mark.parametrize("version", ["1.3.2", "development:1.5.1", "1.6.20"])
@pytest.mark.parametrize("message", ["Tidy", TRAILER])
def test_typed_line(version: str, message: str, tmp_path: Path) -> None:
    """A co-author trailer does not erase what was seen."""
    found = _said(tmp_path, FITTING, version, message)
    line = about(found, TYPED)
    assert (line.author, str(line.line_class), line.witness) == ("human", "likely_human", "typed")
    assert about(found, OTHER).author in (Author.UNKNOWN, Author.DECLARED)


@pytest.mark.parametrize(
    ("entries", "version"),
    [
        (FITTING, "1.6.21"),  # since then a person's is also what nothing else explains
        (FITTING.removeprefix(AGENTS), "1.3.2"),  # no agent at all: one that git-ai does not know looks like a person
        (AGENTS + "src/app.ts\n  h_1f2e3d4c5b6a79 2,40\n", "1.3.2"),  # of another text: this one has no such line
        (AGENTS + "src/app.ts\n  h_1f2e3d4c5b6a79 1-2\n", "1.3.2"),  # the commit did not add the first line
    ],
)
def test_note_that_is_no_witness(entries: str, version: str, tmp_path: Path) -> None:
    assert about(_said(tmp_path, entries, version), TYPED).author == Author.UNKNOWN


def test_line_of_a_kind_that_nobody_types(tmp_path: Path) -> None:
    found = _said(tmp_path, AGENTS + "yarn.lock\n  h_1f2e3d4c5b6a79 2\n", "1.3.2", path="yarn.lock")
    assert about(found, TYPED).source.startswith("tool yarn")
