"""What `explain` and `show` print about built histories in which something particular happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import pick
from support.builder import Session, World
from support.commands import analyse, run, run_json
from support.ledger import EDIT, PERSONS, insert_line, look_again, start, start_edit

from collector.json_values import JsonObject
from collector.storage.store import Store

DENIAL = "nothing that can write"


class Explained:
    """What is said about a line of `src/app.ts` after the session's commit."""

    def __init__(self, world: World, session: Session, text: str, directory: Path) -> None:
        session.end_turn()
        commit = world.commit("Go on", [session])
        where = world.build(directory / "repo")
        db = directory / "x.db"
        number = next(
            n for n, line in enumerate(commit.files["src/app.ts"].lines, 1) if text in line.text
        )
        asked = ("why", where, f"src/app.ts:{number}", "--db", db)
        self.data: JsonObject = run_json(*asked)
        self.shown = " ".join(run(*asked).stdout.split())

    @property
    def commands(self) -> list[str]:
        return [action["what"] for action in self.data["actions"]]


def test_the_witness_and_its_times_are_shown(tmp_path: Path) -> None:
    world, session = start_edit("reads")
    world.wait(60)
    insert_line(world)
    look_again(session)
    found = Explained(world, session, PERSONS, tmp_path)
    assert pick(found.data, "class", "witness") == ("human", "recorded")
    assert "without the line at 2026-03-02 09:01" in found.shown
    assert found.data["measured"].startswith("right in ") and "of such lines" in found.shown
    assert DENIAL in found.shown  # and no command that could have stands below
    assert not any(what.startswith("Bash") for what in found.commands)


@pytest.mark.parametrize(
    "command",
    ["npx prettier --write src", "npx prettier --write .", "prettier --write 'src/**/*.ts'"],
)
def test_a_command_on_the_directory_is_named_and_never_denied_above(
    command: str, tmp_path: Path
) -> None:
    """A formatter that ran over the directory between the two sightings wrote nothing of the
    line, and is not kept quiet.
    """
    world, session = start_edit("directory")
    session.bash(command)
    session.end_turn()
    world.wait(300)
    world.human_insert("src/app.ts", f"{PERSONS}\n", after="import { Row } from './rows'")
    found = Explained(world, session, PERSONS, tmp_path)
    assert found.data["class"] == "likely_human"
    assert f"Bash: {command}" in found.commands and f"Bash: {command}" in found.shown
    assert DENIAL not in found.shown


def test_a_call_without_a_time_stands_in_the_list_when_its_prompt_was_sent(
    tmp_path: Path, db: Path
) -> None:
    """Aider and SpecStory note no times of calls."""
    world, session = start_edit("untimed")
    session.bash("npx prettier --write src")
    session.end_turn()
    world.wait(300)
    world.human_insert("src/app.ts", f"{PERSONS}\n", after="import { Row } from './rows'")
    commit = world.commit("Go on", [session])
    where = world.build(tmp_path / "repo")
    analyse(where, db)
    with Store(db) as store, store.transaction() as connection:
        connection.execute("UPDATE tool_calls SET at = NULL WHERE command IS NOT NULL")
    number = [line.text for line in commit.files["src/app.ts"].lines].index(PERSONS) + 1
    found = run_json("why", where, f"src/app.ts:{number}", db=db)
    assert "Bash: npx prettier --write src" in [action["what"] for action in found["actions"]]


@pytest.mark.parametrize(
    ("said", "author"),
    [
        ("Co-authored-by: Claude Opus 4.6 <noreply@anthropic.com>", "declared"),
        ("Entire-Checkpoint: 0123456789ab", "unknown"),
    ],
)
def test_the_words_of_a_commit_are_quoted_where_the_verdict_rests_on_them(
    said: str, author: str, tmp_path: Path
) -> None:
    world, session = start_edit("words")
    world.commit("Go on", [session])
    world.human_write("src/app.ts", "export const rate = 19\n")
    world.commit(f"Rate\n\nThe new rate.\n\n{said}")
    where = world.build(tmp_path / "repo")
    found = run_json("why", where, "src/app.ts:1", "--db", tmp_path / "x.db")
    assert found["class"] == author and found["how_we_know"][-1] == f"The commit says: {said}"


@pytest.mark.parametrize("command", ["npx prettier --write docs", "ls src", "git status"])
def test_a_command_elsewhere_is_not_named(command: str, tmp_path: Path) -> None:
    world, session = start_edit("elsewhere")
    session.bash(command)
    session.end_turn()
    world.wait(300)
    world.human_insert("src/app.ts", f"{PERSONS}\n", after="import { Row } from './rows'")
    found = Explained(world, session, PERSONS, tmp_path)
    assert f"Bash: {command}" not in found.commands


@pytest.mark.parametrize("kind", ["rejected", "error"])
def test_an_edit_that_was_refused_is_quoted(kind: str, tmp_path: Path) -> None:
    """The user declined it and typed it all the same, or the tool failed and the line is there."""
    world, session = start("refused")
    session.read("src/app.ts")
    propose = {"rejected": session.edit_rejected, "error": session.edit_error}[kind]
    propose("src/app.ts", "}\n", f"}}\n\n{PERSONS}\n")
    insert_line(world)
    session.prompt("Go on")
    session.read("src/app.ts")
    session.edit("src/app.ts", *EDIT)
    found = Explained(world, session, PERSONS, tmp_path)
    assert found.data["class"] == "unknown"
    quoted = found.data["earlier_texts"][0]
    assert pick(quoted, "path", "outcome") == (
        "src/app.ts",
        {"rejected": "rejected", "error": "tool_error"}[kind],
    )
    assert quoted["text"] == PERSONS
    assert (
        "earlier text" in found.shown
        and {"rejected": "refused by", "error": "failed"}[kind] in found.shown
    )
    assert found.shown.count("currency") == 2  # the line, and the edit that held it


def test_a_refused_edit_is_quoted_whatever_the_reason_of_the_unknown_line_is(
    tmp_path: Path,
    db: Path,
) -> None:
    world, session = start("whatever")
    session.read("src/app.ts")
    session.edit_rejected("src/app.ts", "}\n", f"}}\n\n{PERSONS}\n")
    insert_line(world)
    session.end_turn()
    where = world.build(_committed(world, session, tmp_path))
    analyse(where, db)
    with Store(db) as store, store.transaction() as connection:
        assert connection.execute(
            "UPDATE origins SET reason = 'other_branch' WHERE author = 'unknown'"
        ).rowcount
    found = run_json("why", where, "src/app.ts:8", db=db)
    assert pick(found, "reason", "text") == ("other_branch", PERSONS)
    assert found["earlier_texts"][0]["outcome"] == "rejected"


def _committed(world: World, session: Session, directory: Path) -> Path:
    world.commit("Go on", [session])
    return directory / "repo"


def test_a_commits_headline_counts_source_and_tests_and_the_rest_stands_beside(
    tmp_path: Path,
    db: Path,
) -> None:
    world, session = start_edit("kinds")
    session.write("docs/plan.md", "# Plan\n\nFirst this.\nThen that.\n")
    session.write("tests/app.test.ts", "test('total', () => {})\n")
    session.end_turn()
    commit = world.commit("Go on", [session])
    where = world.build(tmp_path / "repo")
    data = run_json("log", "--show", commit.sha, where, db=db)
    assert data["lines"] == {"agent": 2}
    kinds = {of["kind"]: of["lines"] for of in data["kinds"]}
    assert kinds == {"docs": 3, "source": 1, "test": 1}
    shown = run("log", "--show", commit.sha, where, "--full", db=db).stdout
    assert "kinds" in shown and "docs " in shown
