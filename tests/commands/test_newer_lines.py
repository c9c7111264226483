"""Lines that no database can have a verdict on yet: of commits made since, and of the working
tree.
"""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick
from support.builder import World, commit_by_ada, git, object_id
from support.commands import Analysed, analyse, clone, run, run_json

import whowrote
from attribution.demo import FILE
from attribution.stages import sessions as reading
from collector.json_values import Row
from collector.storage import session_cache

NO_COMMIT = "0" * 40


@pytest.fixture
def work(tmp_path: Path, db: Path) -> Analysed:
    """A clone with its files, and its database."""
    repo = clone("example", tmp_path, bare=False)
    git(repo, "checkout", "-q", "-f")
    analyse(repo, db)
    return Analysed(repo, db)


def blamed(work: Analysed, file: str = FILE) -> list[Row]:
    answer: list[Row] = run_json("blame", work.clone, file, db=work.db)
    return answer


def change(repo: Path, file: str = FILE) -> str:
    """Puts a line in front of a file, replaces its last; returns the text before."""
    before = (repo / file).read_bytes().decode()
    lines = before.splitlines()
    (repo / file).write_text("\n".join(["# first", *lines[:-1], "# last"]) + "\n")
    return before


def verdicts(rows: list[Row]) -> list[tuple[str, str, str]]:
    return [pick(row, "class", "commit", "text") for row in rows]


def commit(repo: Path) -> str:
    commit_by_ada(repo, "Newer", "-a")
    return head(repo)


def head(repo: Path) -> str:
    return object_id(repo)


def test_a_line_of_a_newer_commit_is_worked_out_for_its_file_and_the_others_keep_their_verdicts(
    work: Analysed,
) -> None:
    before = blamed(work)
    change(work.clone)
    sha = commit(work.clone)
    after = blamed(work)
    first, *between, last = after
    assert verdicts(between) == verdicts(before[:-1]) and not any(
        row["provisional"] for row in between
    )
    assert [pick(row, "class", "reason", "commit", "provisional") for row in (first, last)] == [
        ("undeclared", "no_session", sha, True)
    ] * 2
    assert (
        "worked out for this file only: 2 lines of newer commits"
        in run("blame", work.clone, FILE, db=work.db).stdout
    )
    why = run_json("why", work.clone, f"{FILE}:1", db=work.db)
    assert (
        pick(why, "class", "provisional")
        == (
            "undeclared",
            True,
        )
        and "worked out for this file only" in why["notes"][-1]
    )
    analyse(work.clone, work.db)
    assert verdicts(blamed(work)) == verdicts(after) and not any(
        row["provisional"] for row in blamed(work)
    )


def test_a_line_that_only_a_run_can_tell_is_not_attributed_yet(
    work: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attribution.ensure.current._MOST_COMMITS", 0)
    before = blamed(work)
    change(work.clone)
    sha = commit(work.clone)
    after = blamed(work)
    first, *between, last = after
    assert verdicts(between) == verdicts(before[:-1])
    assert [pick(row, "class", "reason", "commit") for row in (first, last)] == [
        ("", "not_attributed_yet", sha)
    ] * 2
    assert {pick(row, "at_commit", "commits_behind") for row in after} == {(sha, 1)}
    shown = run("blame", work.clone, FILE, db=work.db).stdout
    assert "too much for a question" in shown and "not attributed yet" in shown.split("\n")[0]
    analyse(work.clone, work.db)
    updated = blamed(work)
    assert all(row["class"] for row in updated) and {row["commits_behind"] for row in updated} == {
        0
    }


def test_lists_say_of_newer_commits_what_a_run_says(work: Analysed) -> None:
    git(work.clone, "checkout", "-q", "-b", "other")
    change(work.clone)
    sha = commit(work.clone)
    (work.clone / "new.py").write_text("first = 1\n")
    place = (work.clone, "--db", work.db)
    lists = (["-n", "3", ""], ["main.."], ["--total", ""], ["--show", "HEAD"])
    before = [run("log", *what, *place).stdout for what in lists]
    assert f"other at {sha[:9]} has 1 commit since the last run, which read main" in before[0]
    run("repo", *place, "-q")
    for what, said in zip(lists, before, strict=True):
        assert said.partition("other at")[0] == run("log", *what, *place).stdout
    (row, *_) = run_json("log", *place)
    values = [row[name] for name in ("commit_sha", "subject", "lines", "unknown")]
    assert values == [NO_COMMIT, "new: new.py", 1, 1]


def test_lines_of_the_working_tree_are_not_committed_and_the_others_keep_their_verdicts(
    work: Analysed,
) -> None:
    before = blamed(work)
    change(work.clone)
    first, *between, last = blamed(work)
    assert verdicts(between) == verdicts(before[:-1])
    assert [pick(row, "class", "reason", "commit") for row in (first, last)] == [
        ("", "not_committed", NO_COMMIT)
    ] * 2
    assert [first["line"], last["line"]] == [1, len(before) + 1]
    why = run_json("why", work.clone, f"{FILE}:1", db=work.db)
    assert (
        why["how_we_know"] == ["The line is not committed."]
        and why["class"] == ""
        and not why["found_by_blame"]
    )
    assert "not committed" in run("why", work.clone, f"{FILE}:1", db=work.db).stdout
    second = run_json("why", work.clone, f"{FILE}:2", db=work.db)
    assert pick(second, "class", "commit") == pick(before[0], "class", "commit")


def test_a_named_commit_is_answered_as_it_was_committed(work: Analysed) -> None:
    before = blamed(work)
    change(work.clone)
    named = run_json("blame", work.clone, FILE, "--commit", "HEAD", db=work.db)
    assert verdicts(named) == verdicts(before)


def test_changed_ends_of_lines_are_no_changed_lines(work: Analysed) -> None:
    before = blamed(work)
    file = work.clone / FILE
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert [row["class"] for row in blamed(work)] == [row["class"] for row in before]


def test_a_link_in_place_of_the_file_is_not_followed(work: Analysed, tmp_path: Path) -> None:
    before = blamed(work)
    (tmp_path / "secret").write_text("secret\n")
    (work.clone / FILE).unlink()
    (work.clone / FILE).symlink_to(tmp_path / "secret")
    assert verdicts(blamed(work)) == verdicts(before)


def test_another_branch_that_is_checked_out_is_answered_and_named(work: Analysed) -> None:
    before = blamed(work)
    git(work.clone, "checkout", "-q", "-b", "other")
    assert verdicts(blamed(work)) == verdicts(before)
    change(work.clone)
    sha = commit(work.clone)
    change(work.clone)
    rows = blamed(work)
    assert {pick(row, "at_commit", "commits_behind") for row in rows} == {(sha, 1)}
    assert {row["commit"] for row in rows[:2]} == {NO_COMMIT, sha}
    assert verdicts(rows[2:-1]) == verdicts(before[:-1])
    shown = run("blame", work.clone, FILE, db=work.db).stdout
    assert f"other {sha[:9]}" in shown
    assert "the last run, which read main" in shown.replace("\n", " ")
    assert "+ 1 line not committed" in shown
    git(work.clone, "checkout", "-q", "-f", "main")
    assert verdicts(blamed(work)) == verdicts(before)
    assert "the last run" not in run("blame", work.clone, FILE, db=work.db).stdout


def test_files_that_are_new_renamed_or_deleted_in_the_working_tree(work: Analysed) -> None:
    before = blamed(work)
    (work.clone / "new.py").write_text("first = 1\n")
    (row,) = blamed(work, "new.py")
    assert pick(row, "class", "reason", "commit") == ("", "not_committed", NO_COMMIT)
    (work.clone / FILE).rename(work.clone / "moved.py")
    moved = blamed(work, "moved.py")
    assert verdicts(moved) == verdicts(before)
    assert verdicts(blamed(work)) == verdicts(before)  # as it was committed
    commit(work.clone)
    gone = run("why", work.clone, f"{FILE}:1", code=2, db=work.db)
    assert "was deleted in" in gone.output
    assert f"why {FILE}:1 --commit" in gone.output
    run("blame", work.clone, ".git/config", code=2, db=work.db)
    run("blame", work.clone, "nowhere.py", code=2, db=work.db)


def test_nothing_is_written_into_a_clone_that_is_asked_about_its_working_tree(
    work: Analysed,
) -> None:
    change(work.clone)
    before = sorted(work.clone.rglob("*"))
    assert blamed(work)[0]["reason"] == "not_committed"
    assert sorted(work.clone.rglob("*")) == before


def test_a_branch_that_moved_back_is_answered_where_it_is(work: Analysed) -> None:
    git(work.clone, "reset", "-q", "--hard", "HEAD~1")
    rows = blamed(work)
    assert {pick(row, "at_commit", "commits_behind") for row in rows} == {(head(work.clone), 0)}
    assert all(row["class"] for row in rows)


def test_a_linked_worktree_has_its_own_changes(work: Analysed, tmp_path: Path) -> None:
    before = blamed(work)
    git(work.clone, "checkout", "-q", "--detach")
    git(work.clone, "worktree", "add", "-q", str(tmp_path / "linked"), "main")
    change(tmp_path / "linked")
    reasons = [row["reason"] for row in blamed(Analysed(tmp_path / "linked", work.db))]
    assert (reasons[0], reasons[-1], len(reasons)) == (
        "not_committed",
        "not_committed",
        len(before) + 1,
    )


def test_the_library_says_what_its_answer_is_about(work: Analysed) -> None:
    change(work.clone)
    sha = commit(work.clone)
    with whowrote.open(*work) as db:
        line = db.blame(FILE)[0]
        explained = db.explain(FILE, 1)
    assert (line.at.commit, line.at.behind, line.attribution.reason) == (sha, 1, "no_session")
    assert line.attribution.provisional and explained.line.attribution == line.attribution


_SPANS = "SELECT commit_sha FROM line_spans WHERE path = ?"


def test_lists_of_the_library_are_of_what_is_checked_out(work: Analysed) -> None:
    base = head(work.clone)
    git(work.clone, "checkout", "-q", "-b", "other", "HEAD~1")
    change(work.clone)
    sha = commit(work.clone)
    (work.clone / "new.py").write_text("first = 1\n")
    with whowrote.open(*work) as db:
        commits = [row["commit_sha"] for row in db.commits()]
        spans = {row["commit_sha"] for row in db.lines()}
        asked = {row["commit_sha"] for row in db.sql(_SPANS, (FILE,))}
        (new,) = db.lines("new.py")
        with pytest.raises(whowrote.WhoWroteError):
            db.sql("DELETE FROM commits")
    assert commits[-1] == sha and base not in {*commits, *spans, *asked}
    assert sha in spans & asked and new["commit_sha"] == NO_COMMIT


def test_questions_are_answered_while_another_process_writes(work: Analysed) -> None:
    before = blamed(work)
    writer = sqlite3.connect(work.db, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("DELETE FROM repos")
    try:
        assert blamed(work) == before
        with whowrote.open(*work) as db:
            assert db.explain(FILE, 1).line.attribution.kind == before[0]["class"]
            assert db.sessions() and db.regions() is not None
    finally:
        writer.execute("ROLLBACK")
        writer.close()


@pytest.mark.parametrize("content", [b"", zlib.compress(b""), zlib.compress(b"abc")])
def test_damaged_numbers_of_shared_lines_are_counted_again(content: bytes, work: Analysed) -> None:
    change(work.clone)
    commit(work.clone)
    before = blamed(work)
    with sqlite3.connect(session_cache.path() or "") as connection:
        connection.execute("UPDATE sessions_read SET content = ? WHERE session = ''", (content,))
        assert connection.total_changes == 1
    assert blamed(work) == before


def test_of_the_sessions_of_earlier_commits_only_those_are_read_that_edited_or_named_the_file(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    world.human_write("app.py", "a = 1\n")
    world.commit("Start")
    editing, naming, beside = sessions = [world.session() for _ in range(3)]
    for session in sessions:
        session.prompt("Go on")
    editing.edit("app.py", "a = 1\n", "a = 2\n")
    naming.bash("wc -l app.py", stdout="1 app.py")
    beside.write("beside.py", "b = 1\n")
    old = world.commit("All three", sessions)
    world.wait(10 * 86_400)
    world.human_insert("app.py", "c = 3\n")
    new = world.commit("Long after")
    repo = world.build(tmp_path / "repo")
    git(repo, "update-ref", "refs/heads/main", old.sha)
    analyse(repo, db)
    git(repo, "update-ref", "refs/heads/main", new.sha)
    read = set[str]()
    original = reading.read_sessions

    def noted(context: Any, files: Any, *rest: Any, **more: Any) -> Any:
        read.update(session.key for session in files)
        return original(context, files, *rest, **more)

    monkeypatch.setattr("attribution.ensure.current.read_sessions", noted)
    _, last = run_json("blame", repo, "app.py", db=db)
    assert (last["commit"], last["provisional"], read) == (new.sha, True, {editing.id, naming.id})


@pytest.mark.parametrize(
    ("document", "author"), [("docs/plan.md", "agent"), ("docs/plan.txt", "unknown")]
)
def test_a_line_of_a_newer_commit_that_an_agents_plan_has_is_answered_as_a_run_answers(
    document: str, author: str, tmp_path: Path, db: Path
) -> None:
    code = (
        "def ship(prices, rate):\n    shipping_total = sum(prices) * rate\n    return"
        " shipping_total, rate\n"
    )
    world = World()
    world.human_write("app.py", "a = 1\n")
    world.commit("Start")
    planning = world.session()
    other = world.session()
    planning.prompt("Plan shipping")
    planning.write(document, f"# Plan\n\n```python\n{code}```\n")
    old = world.commit("Plan", [planning])
    other.prompt("Go on")
    other.edit("app.py", "a = 1\n", "a = 2\n")
    world.human_write("ship.py", code)
    new = world.commit("Add shipping", [other])
    repo = world.build(tmp_path / "repo")
    git(repo, "update-ref", "refs/heads/main", old.sha)
    analyse(repo, db)
    git(repo, "update-ref", "refs/heads/main", new.sha)
    answers = blamed(Analysed(repo, db), "ship.py")
    analyse(repo, db)
    assert (
        verdicts(answers) == verdicts(blamed(Analysed(repo, db), "ship.py"))
        and answers[1]["class"] == author
    )
