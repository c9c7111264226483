"""Transcripts that were committed beside the code: read from any clone, in any time zone, also
once they are removed.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, numbered_text
from support.answers import column, pick, select
from support.builder import git, object_id
from support.builder.objects import git_environment
from support.commands import analyse, run
from support.git_server import GitServer

from attribution.cli import cli as attribute
from collector.agents import reader_for
from collector.checkpoints import in_tree
from collector.cli import cli as collect
from collector.git.repository import GitRepo
from collector.json_values import JsonObject, RowValues, Texts
from collector.storage.store import Store

SAMPLES = ROOT / "fixtures" / "lab"
ZONES = ("UTC", "America/New_York", "Asia/Tokyo")
CODE = (
    "x = 1\n\n\ndef double(value):\n    return value * 2\n\n\ndef triple(value):\n    return value"
    " * 3 + compute(value)\n"
)
AIDER = """
# aider chat started at 2025-08-06 12:06:30

> Aider v0.86.1  
> Model: gpt-4o with diff edit format  

#### add two functions  

a.py
```python
<<<<<<< SEARCH
x = 1
=======
{code}>>>>>>> REPLACE
```

> Tokens: 8.5k sent, 233 received. Cost: $0.0014 message, $0.0087 session.  
> Applied edit to a.py  
> Commit {sha} feat: add two functions  
"""  # noqa: W291 (the program's own lines end in blanks)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


class Clone:
    """A repository of a developer whose clock is two hours ahead of UTC."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        git(path, "init", "-q", "-b", "main")

    def put(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def commit(
        self, minute: int, message: str = "Change", zone: str = "+0200", who: str = "Ana"
    ) -> str:
        when = f"2025-08-06T12:{minute:02}:00{zone}"
        git(self.path, "add", "-A")
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        command = [
            "git",
            "-c",
            f"user.name={who}",
            "-c",
            f"user.email={who.lower()}@example.org",
            "commit",
            "-q",
            "-m",
            message,
        ]
        subprocess.run(command, cwd=self.path, check=True, env=git_environment() | dates)
        return object_id(self.path)

    def merge_main(self) -> None:
        """Bob does that."""
        who = ("-c", "user.name=Bob", "-c", "user.email=bob@example.org")
        git(self.path, *who, "merge", "-q", "--no-ff", "-m", "Merge", "main")


@pytest.fixture
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def start_clone(path: Path) -> Clone:
    """One whose first commit has `a.py`."""
    clone = Clone(path)
    clone.put("a.py", "x = 1\n")
    clone.commit(0)
    return clone


def aider_clone(path: Path, where: str = "") -> Clone:
    """An edit by Aider that it committed itself, and later its history."""
    clone = start_clone(path)
    clone.put("a.py", CODE)
    sha = clone.commit(8, "feat: add two functions")
    clone.put(f"{where}.aider.chat.history.md", AIDER.format(code=CODE, sha=sha[:7]))
    clone.commit(20, "Keep the history")
    return clone


def bare(clone: Clone) -> Path:
    mirror = clone.path.with_name(clone.path.name + ".git")
    git(clone.path.parent, "clone", "-q", "--bare", str(clone.path), str(mirror))
    return mirror


def attributed(repo: Path, db: Path) -> Store:
    analyse(repo, db, "--local", "auto")
    return Store(db, create=False)


def session_count(clone: Clone, db: Path) -> int:
    """Of a mirror of the clone."""
    with attributed(bare(clone), db) as store:
        return int(store.value("SELECT count(*) FROM sessions"))


def spans(repo: Path, db: Path, path: str = "a.py") -> list[RowValues]:
    """(class, how, evidence, agent, lines) of the file in all commits."""
    with attributed(repo, db) as store:
        sql = (
            "SELECT l.class, l.how, l.evidence, s.agent, l.start_line, l.end_line FROM line_spans l"
            " LEFT JOIN sessions s ON s.id = l.session_id WHERE path = ? ORDER BY l.commit_id,"
            " l.start_line"
        )
        return select(store, sql, path)


@pytest.mark.parametrize("zone", ZONES, indirect=True)
def test_a_history_of_aider_gives_the_same_lines_in_every_zone_and_clone(
    zone: None, tmp_path: Path, work: Path, db: Path
) -> None:
    clone = aider_clone(work)
    expected = [
        ("undeclared", "none", "inferred", None, 1, 1),
        ("agent", "exact", "replayed", "aider", 2, 9),
    ]
    assert spans(clone.path, tmp_path / "a.db") == expected
    assert spans(bare(clone), db) == expected
    with Store(db, create=False) as store:
        assert select(store, "SELECT key, turns, tool_calls, output_tokens FROM sessions") == [
            ("aider 2025-08-06 12:06:30", 1, 2, 233)
        ]
        assert select(store, "SELECT store, ref FROM checkpoints") == [
            ("tree", ".aider.chat.history.md")
        ]


def clone_without_commits(path: Path, zone: str = "+0200") -> Clone:
    """The same with --no-auto-commits: the history names no commit, Ana makes it herself."""
    clone = start_clone(path)
    clone.put("a.py", CODE)
    history = AIDER.format(code=CODE, sha="").replace("> Commit  feat: add two functions  \n", "")
    clone.put(".aider.chat.history.md", history)
    clone.commit(8, "Add two functions", zone)
    return clone


AGENTS = ("agent", "exact", "replayed", "aider", 2, 9)


def test_a_history_without_commits_is_of_the_zone_that_commits_around_it_share(
    tmp_path: Path,
    work: Path,
    db: Path,
) -> None:
    clone = clone_without_commits(work)
    assert AGENTS in spans(clone.path, db)
    assert AGENTS in spans(bare(clone), tmp_path / "b.db")


def test_of_several_zones_it_is_that_of_whoever_committed_the_history(work: Path, db: Path) -> None:
    clone = clone_without_commits(work)
    clone.put("b.py", "y = 1\n")
    clone.commit(40, zone="-0800", who="Bob")
    assert AGENTS in spans(bare(clone), db)


def test_where_her_own_zones_differ_too_nothing_is_known_of_the_time(work: Path, db: Path) -> None:
    clone = clone_without_commits(work)
    clone.put("b.py", "y = 1\n")
    clone.commit(40, zone="-0800")
    assert AGENTS not in spans(bare(clone), db)


def test_a_history_that_a_merge_brought_is_as_old_as_the_commit_that_made_it(
    work: Path,
    db: Path,
) -> None:
    clone = clone_without_commits(work)
    git(clone.path, "checkout", "-q", "-b", "other", "HEAD~1")
    clone.put("b.py", "y = 1\n")
    clone.commit(30, who="Bob")
    clone.merge_main()
    git(clone.path, "checkout", "-q", "-B", "main")
    assert AGENTS in spans(bare(clone), db)
    with Store(db, create=False) as store:
        assert store.value("SELECT author_email FROM checkpoints") == "ana@example.org"


def test_a_history_that_was_removed_later_is_read(tmp_path: Path, work: Path, db: Path) -> None:
    clone = aider_clone(work)
    before = spans(bare(clone), db)
    (clone.path / ".aider.chat.history.md").unlink()
    clone.commit(30, "Remove it")
    shutil.rmtree(tmp_path / "work.git")
    assert spans(bare(clone), tmp_path / "b.db") == before


def test_branches_and_pull_requests_may_be_more_than_a_command_line_takes(work: Path) -> None:
    repo = GitRepo(str(bare(aider_clone(work))))
    # 4 MB of commits that the clone lacks
    gone = {f"refs/pull/{number}/head": f"{number:040x}" for number in range(100_000)}
    expected = list(in_tree.find(repo, repo.refs()))
    assert expected and list(in_tree.find(repo, repo.refs() | gone)) == expected


def another_history(minute: int) -> str:
    return AIDER.format(code=CODE, sha="0" * 7).replace("12:06:30", f"11:{minute:02}:00")


def test_a_history_among_more_files_than_git_compares_each_commit_at_is_read(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git is told their directories then, or none where they lie at the top."""
    monkeypatch.setattr(in_tree, "_MOST_PLACES", 1)
    clone = aider_clone(work, "one/")
    for where in ("two/deep/", ""):
        clone.put(f"{where}.aider.chat.history.md", another_history(len(where)))
    clone.commit(30)
    found = {found.ref for found in in_tree.find(GitRepo(str(bare(clone))), {})}
    assert found == {f"{where}.aider.chat.history.md" for where in ("one/", "two/deep/", "")}


@pytest.mark.parametrize(
    "most, problems", [(1, [("**/.aider.chat.history.md", "1 of 2 files were read")]), (2, [])]
)
def test_records_beyond_the_limit_are_a_problem(
    most: int,
    problems: list[tuple[str, str]],
    work: Path,
    db: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(in_tree, "TREE_RECORDS", most)
    clone = aider_clone(work)
    clone.put("sub/.aider.chat.history.md", another_history(0))
    clone.commit(30)
    with attributed(bare(clone), db) as store:
        rows = store.rows("SELECT subject, detail FROM problems WHERE code = 'records_left_out'")
        assert [tuple(row.values()) for row in rows] == problems
        assert store.value("SELECT count(*) FROM checkpoints") == most


@pytest.mark.parametrize("most, sessions", [(0, 0), (1, 1)])
def test_other_programs_files_in_pull_requests_are_compared_up_to_a_limit(
    most: int, sessions: int, tmp_path: Path, work: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_tree, "FOREIGN_RECORDS", most)
    clone = chat_clone(work, BY_CODEX, "sessions/trajectory.json")
    tip = object_id(clone.path)
    with attributed(bare(clone), db) as store:
        # on the default branch it counts whatever the limit
        assert store.value("SELECT count(*) FROM sessions") == 1
    git(clone.path, "update-ref", "refs/pull/7/head", tip)
    git(clone.path, "reset", "-q", "--hard", "HEAD~1")
    with attributed(clone.path, tmp_path / "b.db") as store:
        assert store.value("SELECT count(*) FROM sessions") == sessions
        assert (
            store.value("SELECT count(*) FROM problems WHERE code = 'records_left_out'")
            == (most == 0) * 1
        )


@pytest.mark.parametrize(
    "ref", ["refs/heads/ai", "refs/heads/records", "refs/pull/7/head", "refs/merge-requests/7/head"]
)
def test_a_history_on_another_branch_or_in_a_pull_request_counts_for_the_default_branch(
    ref: str, tmp_path: Path, work: Path, db: Path
) -> None:
    clone = aider_clone(work)
    expected = spans(bare(clone), db)
    git(clone.path, "update-ref", ref, "HEAD")
    git(clone.path, "reset", "-q", "--hard", "HEAD~1")
    assert spans(clone.path, tmp_path / "b.db") == expected
    shutil.rmtree(tmp_path / "work.git")
    git(tmp_path, "clone", "-q", "--mirror", str(clone.path), str(tmp_path / "work.git"))
    assert spans(tmp_path / "work.git", tmp_path / "c.db") == expected


def test_a_branch_with_a_record_that_comes_later_is_read_then(
    tmp_path: Path, work: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHOWROTE_ARCHIVE", "off")  # which would know the record already
    clone = aider_clone(work)
    expected = spans(clone.path, tmp_path / "a.db")
    tip = object_id(clone.path)
    git(clone.path, "reset", "-q", "--hard", "HEAD~1")
    assert "agent" not in {row[0] for row in spans(clone.path, db)}
    git(clone.path, "update-ref", "refs/heads/ai", tip)
    assert spans(clone.path, db) == expected


def test_what_another_branch_merged_of_the_default_branch_is_no_newer_record(
    work: Path,
    db: Path,
) -> None:
    clone = aider_clone(work)
    git(clone.path, "checkout", "-q", "-b", "other", "HEAD~2")
    clone.put("b.py", "y = 1\n")
    clone.commit(30, who="Bob")
    clone.merge_main()
    git(clone.path, "checkout", "-q", "main")
    with attributed(bare(clone), db) as store:
        assert store.value("SELECT author_email FROM checkpoints") == "ana@example.org"
        assert store.value("SELECT count(*) FROM checkpoint_sessions") == 1


def test_a_history_that_goes_on_in_another_branch_has_the_runs_of_both(
    work: Path, db: Path
) -> None:
    clone = aider_clone(work)
    history = clone.path / ".aider.chat.history.md"
    written = history.read_text()
    later = (
        AIDER.format(code="z = 3\n", sha="").replace("12:06:30", "12:30:00").replace("a.py", "c.py")
    )
    git(clone.path, "checkout", "-q", "-b", "other")
    history.write_text(written + later)
    clone.commit(35, "Elsewhere")
    git(clone.path, "checkout", "-q", "main")
    history.write_text(written + later.replace("12:30:00", "12:45:00"))
    clone.commit(50, "Here")
    with attributed(bare(clone), db) as store:
        keys = column(store, "SELECT key FROM sessions ORDER BY key")
    assert keys == [f"aider 2025-08-06 12:{minute}" for minute in ("06:30", "30:00", "45:00")]


def test_a_run_without_edits_is_a_session_too(work: Path, db: Path) -> None:
    clone = aider_clone(work)
    history = clone.path / ".aider.chat.history.md"
    history.write_text(
        history.read_text()
        + "\n# aider chat started at 2025-08-07 09:00:00\n\n#### hello\n\nHello!\n"
    )
    clone.commit(40, "More of it")
    assert session_count(clone, db) == 2


def test_a_history_that_was_cut_keeps_what_an_earlier_version_had(
    tmp_path: Path, work: Path, db: Path
) -> None:
    clone = aider_clone(work)
    history = clone.path / ".aider.chat.history.md"
    before = spans(bare(clone), db)
    history.write_text("\n# aider chat started at 2025-08-07 09:00:00\n")
    clone.commit(40, "Start again")
    shutil.rmtree(tmp_path / "work.git")
    assert spans(bare(clone), tmp_path / "b.db") == before


@pytest.mark.parametrize("name", ["claude-code-basic", "codex-basic"])
def test_a_home_that_was_committed_has_the_sessions_that_the_agent_recorded(
    name: str, work: Path, db: Path
) -> None:
    served = json.loads((SAMPLES / name / "served.json").read_text())
    clone = Clone(work)
    shutil.copytree(SAMPLES / name / "home", clone.path, dirs_exist_ok=True)
    clone.commit(0, "Everything")
    with attributed(bare(clone), db) as store:
        (session,) = store.rows("SELECT agent, tool_calls, output_tokens, turns FROM sessions")
    expected = (
        served["agent"],
        len(served["served"]["calls"]),
        served["served"]["tokens"]["output"],
        len(served["served"]["prompts"]),
    )
    assert tuple(session.values()) == expected


def test_a_recorders_own_file_that_was_committed_by_mistake_is_read(work: Path, db: Path) -> None:
    clone = Clone(work)
    (transcript,) = (SAMPLES / "claude-code-basic").rglob("*.jsonl")
    clone.put(".entire/metadata/2025-08-06-995fc99a/full.jsonl", transcript.read_text())
    clone.commit(0)
    with attributed(bare(clone), db) as store:
        assert select(store, "SELECT key, agent FROM sessions") == [("995fc99a", "claude-code")]


def test_other_files_of_such_names_are_no_transcripts(work: Path, db: Path) -> None:
    clone = Clone(work)
    clone.put("docs/.aider.chat.history.md", "# About Aider\n")
    clone.put(".claude/projects/x/notes.jsonl", '{"note": 1}\n')
    clone.put(".codex/sessions/readme.md", "none\n")
    clone.commit(0)
    assert session_count(clone, db) == 0


def test_a_session_in_two_forms_is_one_session_as_the_agent_recorded_it(
    work: Path, db: Path
) -> None:
    clone = Clone(work)
    home = SAMPLES / "claude-code-basic" / "home"
    shutil.copytree(home, clone.path, dirs_exist_ok=True)
    (transcript,) = home.rglob("*.jsonl")
    title = f"<!-- Claude Code Session {transcript.stem} (2025-08-06 10:00:00Z) -->"
    story = f"<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n{title}\n\n_**User**_\n\nhello\n"
    clone.put(".specstory/history/2025-08-06_10-00-00Z-hello.md", story)
    clone.put(
        ".specstory/history/2025-08-07_10-00-00Z-other.md",
        story.replace(transcript.stem, "5c7d5c23-0691-4467"),
    )
    clone.commit(0)
    with attributed(bare(clone), db) as store:
        rows = select(store, "SELECT key, tool_calls > 0 FROM sessions ORDER BY tool_calls")
    assert rows == [("5c7d5c23-0691-4467", 0), (transcript.stem, 1)]


MORE = """
# aider chat started at 2025-08-06 12:20:00

#### and one more  

a.py
```python
<<<<<<< SEARCH
def triple(value):
=======
def fourfold(value):
    return compute(value) * 4


def triple(value):
>>>>>>> REPLACE
```

> Committing a.py before applying edits.  
> Commit {before} feat: what stood there  
> Applied edit to a.py  
> Commit {after} feat: one more  
"""  # noqa: W291
PERSONS = "\n\ndef halved(value):\n    return value / 2 - offset_of(value)\n"


def one_more(
    clone: Clone,
    text: str,
    before: str,
    more: str = MORE,
    beside: str = "",
    later: str = "",
    minutes: tuple[int, int] = (26, 40),
    zone: str = "+0200",
) -> str:
    """The commit of Aider's own edit of this text. Its history has what it says of both, with
    something beside it and later.
    """
    fourfold = "def fourfold(value):\n    return compute(value) * 4\n\n\n"
    clone.put("a.py", text.replace("def triple", f"{fourfold}def triple"))
    after = clone.commit(minutes[0], "feat: one more", zone)
    history = clone.path / ".aider.chat.history.md"
    said = more.format(before=before[:7], after=after[:7])
    history.write_text(history.read_text() + beside + said + later)
    clone.commit(minutes[1], "The history", zone)
    return after


def changes_of_others(
    path: Path, beside: str = "", more: str = MORE, earlier: Sequence[str] = ()
) -> tuple[Clone, str, str]:
    """A person's lines that Aider committed before its own edits, with both commits. `beside`: what
    its history says before.

    `earlier`: what the file was in commits before.
    """
    clone = aider_clone(path)
    for minute, text in enumerate(earlier, 21):
        clone.put("a.py", text)
        clone.commit(minute, "Before")
    clone.put("a.py", CODE + PERSONS)
    before = clone.commit(25, "feat: what stood there")
    return clone, before, one_more(clone, CODE + PERSONS, before, more, beside)


def test_what_aider_commits_before_its_own_edits_is_a_persons_and_its_edits_are_its_own(
    work: Path,
    db: Path,
) -> None:
    clone, before, after = changes_of_others(work)
    repo = bare(clone)
    spans(repo, db)
    sql = (
        "SELECT DISTINCT class, witness FROM line_spans WHERE commit_sha = ? AND path = 'a.py'"
        " AND nonblank > 0"
    )
    verdicts = {sha: select(db, sql, sha) for sha in (before, after)}
    assert verdicts == {before: [("likely_human", "before_edits")], after: [("agent", None)]}


def test_what_git_may_have_put_back_before_aiders_edits_is_nobodys(work: Path, db: Path) -> None:
    clone, before, _ = changes_of_others(work, earlier=(CODE + PERSONS, CODE))
    spans(bare(clone), db)
    sql = (
        "SELECT DISTINCT class, reason FROM line_spans WHERE commit_sha = ? AND path = 'a.py'"
        " AND nonblank > 0"
    )
    assert select(db, sql, before) == [("unknown", "git_operation")]


def test_a_question_after_aider_committed_changes_of_others_is_answered(
    work: Path, db: Path
) -> None:
    """Of the commits that the histories name, only the newer ones are worked out for it."""
    clone, _, _ = changes_of_others(work)
    analyse(clone.path, db)
    clone.put("a.py", f"{(clone.path / 'a.py').read_text()}\n\nLEDGER = offset_of(1)\n")
    clone.commit(50, "One more")
    done = run("blame", clone.path, "a.py", "--json", db=db)
    assert "LEDGER" in done.stdout


def _classes_before_edits(clone: Clone, before: str, path: str, added: str = "") -> set[str]:
    """Those of a file in the commit that Aider makes before its own edits."""
    one_more(clone, CODE, before, MORE.replace("Committing a.py", f"Committing {path}"), added)
    with attributed(bare(clone), clone.path.parent / "a.db") as store:
        sql = "SELECT DISTINCT class FROM line_spans WHERE commit_sha = ? AND path = ? AND nonblank"
        return set(column(store, sql, before, path))


@pytest.mark.parametrize("history", [CODE + PERSONS, None])
def test_what_may_be_copied_set_up_or_put_back_is_nobodys(history: str | None, work: Path) -> None:
    """A new file that Aider commits before its edits, and a text that an older version of the
    file has.
    """
    clone = aider_clone(work)
    path = "a.py" if history else "b.py"
    for minute, text in enumerate((history, CODE) if history else ()):
        clone.put(path, text)
        clone.commit(20 + minute, "feat: to and fro")
    clone.put(path, CODE + PERSONS)
    before = clone.commit(25, "feat: what stood there")
    classes = _classes_before_edits(clone, before, path)
    assert classes and "likely_human" not in classes


NOT_TYPED = [
    ("package.json", '{\n  "name": "w"\n}\n', '{\n  "name": "w",\n  "lodash": "^4.17.21"\n}\n'),
    (
        "game/project.godot",
        "[application]\n",
        '[application]\n\nconfig/name="Warehouse of parcels"\n',
    ),
    (".gitignore", "*.pyc\n", "*.pyc\n.aider*\n"),
    (
        "b.py",
        "total = sum_of(parcels, shelves)\n",
        "total = sum_of(\n    parcels,\n    shelves\n)\n",
    ),
]
ADDED = "\n# aider chat started at 2025-08-06 12:10:00\n\n> Added .aider* to .gitignore  \n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [*NOT_TYPED, ("b.py", "total = 1\n", "total = 1\noffset = shelf_of(parcel)\n")],
)
def test_what_programs_write_beside_a_person_is_not_that_persons(
    path: str, old: str, new: str, work: Path
) -> None:
    """Package managers, editors of games, Aider itself, formatters; the last one is a control."""
    clone = aider_clone(work)
    clone.put(path, old)
    clone.commit(20, "feat: the first version")
    clone.put(path, new)
    before = clone.commit(25, "feat: what stood there")
    classes = _classes_before_edits(clone, before, path, ADDED)
    assert ("likely_human" in classes) == ((path, old, new) not in NOT_TYPED)


ASKED = """
# aider chat started at 2025-08-06 12:15:00

#### /ask how would you halve it?  

Put this at the end:

```python
def halved(value):
    return value / 2 - offset_of(value)
```
"""  # noqa: W291


@pytest.mark.parametrize("in_one_run", [True, False])
def test_what_a_person_pasted_from_an_answer_of_aider_is_not_that_persons(
    in_one_run: bool, work: Path, db: Path
) -> None:
    """Aider commits it before its own edits, but had said it when it was asked an earlier
    question.
    """
    more = MORE.split("12:20:00\n")[1] if in_one_run else MORE
    clone, before, _ = changes_of_others(work, ASKED, more)
    spans(bare(clone), db)
    sql = (
        "SELECT DISTINCT class FROM line_spans WHERE commit_sha = ? AND path = 'a.py' AND"
        " nonblank > 0"
    )
    assert column(db, sql, before) == ["unknown"]


# a commit that is none of changes of others
_LATER = MORE.split("```")[0] + "\n> Commit {before} feat: what stood there  \n"


@pytest.mark.parametrize(
    ("more", "changed", "reason"),
    [
        (MORE, CODE.replace("    return", "\treturn"), "formatter"),
        (MORE, CODE.replace("value * 2", "(value * 2)"), "agent_text"),
        (_LATER, CODE.replace("    return", "\treturn"), None),
    ],
)
def test_what_others_did_to_the_layout_of_aiders_text_is_not_aiders(
    more: str, changed: str, reason: str | None, work: Path, db: Path
) -> None:
    clone = aider_clone(work)
    clone.put("a.py", changed)
    before = clone.commit(25, "feat: what stood there")
    one_more(clone, changed, before, more)
    with attributed(bare(clone), db) as store:
        sql = (
            "SELECT DISTINCT class, how, reason FROM line_spans WHERE commit_sha = ? AND path ="
            " 'a.py' AND nonblank > 0"
        )
        assert select(store, sql, before) == [
            ("unknown", "none", reason) if reason else ("agent", "reformatted", "")
        ]


@pytest.mark.parametrize(
    ("count", "minute", "verdict"),
    [
        (180, 55, ("likely_human", None)),
        (210, 55, ("unknown", "uncaptured")),
        (180, 25, ("unknown", "unobserved")),  # nobody types so fast
    ],
)
def test_hundreds_of_lines_that_aider_commits_before_its_edits_may_be_another_agents(
    count: int, minute: int, verdict: tuple[str, str | None], work: Path, db: Path
) -> None:
    clone = aider_clone(work)
    many = "\n\n" + numbered_text(count, "warehouse_{n} = shelves_of({n})\n")
    clone.put("a.py", CODE + many)
    before = clone.commit(minute, "feat: what stood there")
    one_more(clone, CODE + many, before, minutes=(minute + 1, minute + 2))
    with attributed(bare(clone), db) as store:
        sql = (
            "SELECT class, NULLIF(reason, '') FROM line_spans WHERE commit_sha = ? AND path ="
            " 'a.py' AND nonblank GROUP BY class, reason"
        )
        assert select(store, sql, before) == [verdict]


UNSIGNED = """
# aider chat started at 2025-08-06 12:18:00

#### tenfold, too  

a.py
```python
<<<<<<< SEARCH
def triple(value):
=======
def tenfold(value):
    amount = compute(value)
    return amount * 10


def triple(value):
>>>>>>> REPLACE
```

> Applied edit to a.py  
> Unable to commit: Cmd('git') failed due to: exit code(128)  
> stderr: 'error: gpg failed to sign the data  
"""  # noqa: W291


def test_what_aider_commits_beside_its_uncommitted_edit_is_a_persons_only_with_new_words(
    work: Path,
    db: Path,
) -> None:
    """Its edit stays its own in the layout of an editor."""
    clone = aider_clone(work)
    tenfold = (
        "def tenfold(value):\n    amount = compute(\n        value\n    )\n    return amount *"
        " 10\n\n\n"
    )
    dirty = (CODE + PERSONS).replace("def triple", tenfold + "def triple")
    clone.put("a.py", dirty)
    before = clone.commit(25, "feat: what stood there")
    one_more(clone, dirty, before, beside=UNSIGNED)
    with attributed(bare(clone), db) as store:
        sql = (
            "SELECT class, start_line, end_line FROM line_spans WHERE commit_sha = ? AND path ="
            " 'a.py' AND nonblank"
        )
        classes = {
            n: row["class"]
            for row in store.rows(sql, (before,))
            for n in range(row["start_line"], row["end_line"] + 1)
        }
    texts = {
        name: {
            classes.get(dirty[: dirty.index(line)].count("\n") + 1)
            for line in text.split("\n")
            if line
        }
        for name, text in (("agent", tenfold.replace("    )\n", "")), ("likely_human", PERSONS))
    }
    assert texts == {"agent": {"agent"}, "likely_human": {"likely_human"}}


LATER = """
# aider chat started at 2025-08-06 12:40:00

#### show me halved  

a.py has:

```python
{text}```

> Tokens: 8.5k sent, 233 received. Cost: $0.0014 message, $0.0087 session.  
"""  # noqa: W291


def _verdicts_of_halved(
    tmp_path: Path, sooner: str = "", later: str = "", answer: str = "", zone: str = "+0200"
) -> set[str]:
    """Classes of the lines that Aider committed before its edits: with what runs before and
    after it, and its answer, say.
    """
    clone = aider_clone(tmp_path / "work")
    clone.put("a.py", CODE + PERSONS)
    before = clone.commit(25, "feat: what stood there", zone)
    more = MORE.replace("\na.py\n", answer + "\na.py\n", 1)
    one_more(clone, CODE + PERSONS, before, more, sooner, later, (26, 50), zone)
    with attributed(bare(clone), tmp_path / "a.db") as store:
        sql = (
            "SELECT TRIM(class || ' ' || COALESCE(reason, '')) FROM line_spans WHERE commit_sha ="
            " ? AND path = 'a.py' AND nonblank"
        )
        return set(column(store, sql, before))


def test_what_later_answers_repeat_of_a_persons_lines_does_not_take_them_away(
    tmp_path: Path,
) -> None:
    assert _verdicts_of_halved(tmp_path, later=LATER.format(text=PERSONS)) == {"likely_human"}


def test_what_the_answer_to_the_very_prompt_repeats_of_a_persons_lines_does_not_take_them_away(
    tmp_path: Path,
) -> None:
    """The file was committed before anything of the answer was written."""
    assert _verdicts_of_halved(tmp_path, answer=f"\nI see:\n\n```python\n{PERSONS}```\n") == {
        "likely_human"
    }


def test_lines_that_an_earlier_answer_has_may_be_taken_from_it(tmp_path: Path) -> None:
    sooner = LATER.format(text=PERSONS).replace("12:40:00", "12:15:00")
    assert _verdicts_of_halved(tmp_path, sooner=sooner) == {"unknown agent_text"}


@pytest.mark.parametrize(
    "name", ["aider.chat.history.md", "docs/aider.chat.history-1.md", "chat.md"]
)
def test_a_history_of_aider_is_read_where_its_name_says_that_it_is_one(
    name: str, work: Path, db: Path
) -> None:
    clone = start_clone(work)
    clone.put("a.py", CODE)
    sha = clone.commit(8, "feat: add two functions")
    clone.put(name, AIDER.format(code=CODE, sha=sha[:7]))
    clone.commit(20, "Keep the history")
    assert (AGENTS in spans(bare(clone), db)) == (name != "chat.md")


def test_why_does_not_say_that_a_line_of_aider_is_missing_from_the_call_that_wrote_it(
    work: Path,
    db: Path,
) -> None:
    repo = bare(aider_clone(work))
    attributed(repo, db)
    result = run("why", repo, "a.py:4", db=db)
    assert "Aider (gpt-4o) wrote this line, asked:" in result.output, result.output
    assert "does not appear" not in result.output


@pytest.mark.parametrize(
    ("removed", "second"),
    [
        (False, "sub/.aider.chat.history.md"),
        (True, "sub/.aider.chat.history.md"),
        (False, ".aider.chat.history.md"),
        (True, ".aider.chat.history.md"),
    ],
)
def test_two_histories_of_aider_in_one_clone_are_both_read_and_each_run_counts_once(
    removed: bool, second: str, work: Path, db: Path
) -> None:
    """In two directories, the first one perhaps removed, or one that goes on or is begun anew,
    and is longer then.
    """
    clone = aider_clone(work)
    if removed:
        (clone.path / ".aider.chat.history.md").unlink()
        clone.commit(24, "Without the history")
    text = CODE.replace("double", "fourth").replace("triple", "fifth").replace("compute", "measure")
    clone.put("sub/b.py", "x = 1\n")
    clone.commit(30)
    clone.put("sub/b.py", text)
    sha = clone.commit(38, "feat: two more")
    more = (
        AIDER.format(code=text, sha=sha[:7])
        .replace("12:06:30", "12:36:30")
        .replace("a.py", "sub/b.py")
    )
    history = clone.path / second
    clone.put(second, (history.read_text() if history.exists() else "") + more)
    clone.commit(50, "The second history")
    repo = bare(clone)
    assert AGENTS in spans(repo, db)
    assert AGENTS in spans(repo, db, "sub/b.py")
    with Store(db, create=False) as store:
        rows = store.rows("SELECT key, turns, tool_calls FROM sessions ORDER BY key")
    assert [pick(row, "turns", "tool_calls") for row in rows] == [(1, 2), (1, 2)]


# --- what hooks of Claude Code wrote down, and databases ------------------------------------------

HOME = "/home/ana/work"
HALVED = (
    "def halved(value):\n    return value / 2 - offset_of(value)\n\n\ndef quartered(value):\n   "
    " return halved(halved(value)) + 1\n"
)


def entry(
    session: str, event: str, name: str, path: str, response: Any = None, **arguments: str
) -> JsonObject:
    """What a hook is called with, as Claude Code 1.0 did it: without the id of the call, and
    without a time.
    """
    transcript = f"/home/ana/.claude/projects/-home-ana-work/{session}.jsonl"
    about = {
        "session_id": session,
        "transcript_path": transcript,
        "cwd": HOME,
        "hook_event_name": event,
        "tool_name": name,
    }
    return (
        about
        | {"tool_input": {"file_path": f"{HOME}/{path}", **arguments}}
        | ({"tool_response": response} if response else {})
    )


def write_log(clone: Clone, event: str, entries: list[JsonObject], where: str = "logs") -> None:
    clone.put(f"{where}/{event}.json", json.dumps(entries, indent=2))


def hook_clone(path: Path, where: str = "logs") -> Clone:
    """Two sessions in one log: the first wrote a file, the second replaced a line; one edit
    failed.
    """
    clone = start_clone(path)
    created: JsonObject = {
        "type": "create",
        "filePath": f"{HOME}/src/b.py",
        "content": HALVED,
        "structuredPatch": [],
        "originalFile": None,
    }
    write = entry("one", "PreToolUse", "Write", "src/b.py", content=HALVED)
    wrote = entry("one", "PostToolUse", "Write", "src/b.py", created, content=HALVED)
    clone.put("src/b.py", HALVED)
    write_log(clone, "pre_tool_use", [write], where)
    write_log(clone, "post_tool_use", [wrote], where)
    clone.commit(8, "feat: halved")
    old, new = (
        "    return value / 2 - offset_of(value)",
        "    return value // 2 - shifted_by(value, offset_of(value))",
    )
    patch = {
        "oldStart": 1,
        "oldLines": 2,
        "newStart": 1,
        "newLines": 2,
        "lines": [f" {HALVED[:18]}", f"-{old}", f"+{new}"],
    }
    edited = {
        "filePath": f"{HOME}/src/b.py",
        "oldString": old,
        "newString": new,
        "originalFile": HALVED,
        "structuredPatch": [patch],
    }
    strings = {"old_string": old, "new_string": new}
    failed = entry(
        "two",
        "PreToolUse",
        "Edit",
        "src/b.py",
        old_string="nowhere",
        new_string="def offset_of(value):",
    )
    write_log(
        clone,
        "pre_tool_use",
        [write, failed, entry("two", "PreToolUse", "Edit", "src/b.py", **strings)],
        where,
    )
    write_log(
        clone,
        "post_tool_use",
        [wrote, entry("two", "PostToolUse", "Edit", "src/b.py", edited, **strings)],
        where,
    )
    clone.put("src/b.py", HALVED.replace(old, new))
    clone.commit(20, "feat: whole numbers")
    return clone


BY_HOOKS = [("agent", "exact", "claude-code", 1, 6), ("agent", "exact", "claude-code", 2, 2)]


@pytest.mark.parametrize("zone", ZONES, indirect=True)
def test_logs_of_hooks_have_the_calls_of_several_sessions(
    zone: None, tmp_path: Path, work: Path, db: Path
) -> None:
    clone = hook_clone(work, "logs/today")
    lines = sorted(
        (row[0], row[1], *row[3:]) for row in spans(clone.path, tmp_path / "a.db", "src/b.py")
    )
    assert lines == BY_HOOKS
    assert spans(bare(clone), db, "src/b.py") == spans(clone.path, tmp_path / "c.db", "src/b.py")
    sql = (
        "SELECT s.key, c.status FROM tool_calls c JOIN sessions s ON s.id = c.session_id ORDER"
        " BY c.id"
    )
    assert select(db, sql) == [
        ("one", "ok"),
        ("two", "unknown"),
        ("two", "ok"),
    ]


def test_logs_of_hooks_that_were_emptied_and_removed_keep_what_they_had(
    work: Path, db: Path
) -> None:
    clone = hook_clone(work)
    write_log(clone, "pre_tool_use", [])
    write_log(clone, "post_tool_use", [])
    clone.commit(30, "Empty them")
    shutil.rmtree(clone.path / "logs")
    clone.commit(40, "Remove them")
    lines = sorted((row[0], row[1], *row[3:]) for row in spans(bare(clone), db, "src/b.py"))
    assert lines == BY_HOOKS


def test_logs_of_other_programs_hooks_are_not_claude_codes(work: Path, db: Path) -> None:
    clone = Clone(work)
    other = entry("one", "PostToolUse", "Write", "a.py", {"filePath": "a.py"}, content="x = 1\n")
    write_log(clone, "post_tool_use", [other | {"transcript_path": "/home/ana/.other/one.json"}])
    write_log(clone, "chat", [{"role": "user", "content": "hello"}])
    clone.put("a.py", "x = 1\n")
    clone.commit(0)
    assert session_count(clone, db) == 0


def test_a_transcript_as_an_array_is_that_of_its_last_record_and_a_later_one_does_not_replace_it(
    work: Path,
    db: Path,
) -> None:
    clone = Clone(work)
    (transcript,) = (SAMPLES / "claude-code-basic").rglob("*.jsonl")
    records = [json.loads(line) for line in transcript.read_text().splitlines()]
    clone.put("logs/chat.json", json.dumps(records, indent=2))
    clone.commit(0)
    clone.put(
        "logs/chat.json", json.dumps([record | {"sessionId": "later"} for record in records[:3]])
    )
    clone.commit(10)
    with attributed(bare(clone), db) as store:
        rows = select(store, "SELECT key, agent, tool_calls FROM sessions ORDER BY tool_calls DESC")
    calls = len(
        json.loads((SAMPLES / "claude-code-basic" / "served.json").read_text())["served"]["calls"]
    )
    assert rows[0] == (transcript.stem, "claude-code", calls)
    assert [key for key, *_ in rows[1:]] == ["later"]


@pytest.mark.parametrize("place", ["logs", "logs/later"])
@pytest.mark.parametrize("named", [True, False], ids=["with ids", "without ids"])
def test_calls_that_only_a_log_of_hooks_has_are_added_to_the_transcript_beside_it(
    tmp_path: Path, work: Path, db: Path, named: bool, place: str
) -> None:
    """Each call once, whether entries have its id or not; one more like an earlier one is a call
    of its own.
    """
    clone = Clone(work)
    (transcript,) = (SAMPLES / "claude-code-basic").rglob("*.jsonl")
    text = re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d", "2025-08-06T10:30", transcript.read_text())
    records = [json.loads(line) for line in text.splitlines()]
    blocks = [
        block
        for record in records
        for block in (record.get("message") or {}).get("content") or []
        if type(block) is dict
    ]
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    logged = []
    for call in calls:
        logged.append(
            entry(transcript.stem, "PreToolUse", call["name"], "") | {"tool_input": call["input"]}
        )
        logged[-1] |= {"tool_use_id": call["id"]} if named else {}
    again = logged[-1] | ({"tool_use_id": "again"} if named else {})
    written: JsonObject = {
        "type": "create",
        "filePath": f"{HOME}/src/b.py",
        "content": HALVED,
        "structuredPatch": [],
    }
    write = entry(transcript.stem, "PreToolUse", "Write", "src/b.py", content=HALVED)
    other = entry("another session", "PreToolUse", "Write", "src/c.py", content=HALVED)
    for new, number in ((write, "write"), (other, "other")):
        new |= {"tool_use_id": number} if named else {}
    write_log(clone, "pre_tool_use", [*logged, again, write, other], place)
    write_log(
        clone,
        "post_tool_use",
        [write | {"hook_event_name": "PostToolUse", "tool_response": written}],
        place,
    )
    clone.put("logs/chat.json", json.dumps(records))
    clone.put("src/b.py", HALVED)
    clone.commit(59)
    with attributed(bare(clone), db) as store:
        sql = (
            "SELECT s.key, COUNT(*) AS n FROM tool_calls c JOIN sessions s ON s.id = c.session_id"
            " GROUP BY 1"
        )
        assert {row["key"]: row["n"] for row in store.rows(sql)} == {
            transcript.stem: len(calls) + 2,
            "another session": 1,
        }
    assert {row[0] for row in spans(clone.path, tmp_path / "b.db", "src/b.py")} == {"agent"}


@pytest.mark.parametrize("results", [False, True], ids=["no call has one", "another call has one"])
def test_edits_of_which_hooks_logged_no_result_count_where_none_is_logged_at_all(
    results: bool, tmp_path: Path, work: Path, db: Path
) -> None:
    """Some people log calls only before they are made; where results are logged, a call without
    one may have been refused.
    """
    clone = Clone(work)
    (transcript,) = (SAMPLES / "claude-code-basic").rglob("*.jsonl")
    text = re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d", "2025-08-06T10:30", transcript.read_text())
    write = entry(transcript.stem, "PreToolUse", "Write", "src/b.py", content=HALVED) | {
        "agent_id": "a77935ac",
        "tool_use_id": "write",
    }
    listed = entry(transcript.stem, "PostToolUse", "Bash", "", {"stdout": "a.py"}, command="ls") | {
        "tool_use_id": "list"
    }
    write_log(clone, "pre_tool_use", [write])
    write_log(clone, "post_tool_use", [listed] if results else [])
    clone.put("logs/chat.json", json.dumps([json.loads(line) for line in text.splitlines()]))
    clone.put("src/b.py", HALVED)
    clone.commit(59)
    with attributed(clone.path, db) as store:
        assert store.value("SELECT status FROM tool_calls WHERE call_id = 'write'") == (
            "unknown" if results else "ok"
        )
    authors = {row[0] for row in spans(clone.path, tmp_path / "b.db", "src/b.py")}
    assert ("agent" in authors) is not results


@pytest.mark.parametrize(
    ("reads", "path", "status"),
    [
        (("a.py",), "src/b.py", "ok"),
        ((), "src/b.py", "unknown"),
        (("a.py",), "src/late.py", "unknown"),
    ],
    ids=["before a log that lacks what was read too", "nothing was read", "after its beginning"],
)
def test_edits_before_a_log_of_results_that_was_begun_anew_count(
    reads: tuple[str, ...], path: str, status: str, work: Path, db: Path
) -> None:
    clone = hook_clone(work)
    read = [
        entry("three", "PreToolUse", "Read", name) | {"tool_use_id": f"read {name}"}
        for name in reads
    ]
    early = entry("three", "PreToolUse", "Write", "src/b.py", content=HALVED) | {
        "tool_use_id": "src/b.py"
    }
    listed = entry("three", "PreToolUse", "Bash", "", command="ls") | {"tool_use_id": "list"}
    late = entry("three", "PreToolUse", "Write", "src/late.py", content=HALVED) | {
        "tool_use_id": "src/late.py"
    }
    result = entry("three", "PostToolUse", "Bash", "", {"stdout": "a.py"}, command="ls") | {
        "tool_use_id": "list"
    }
    write_log(clone, "pre_tool_use", [early, *read, listed, late])
    write_log(clone, "post_tool_use", [result])
    clone.commit(50, "More")
    with attributed(clone.path, db) as store:
        assert store.value("SELECT status FROM tool_calls WHERE call_id = ?", (path,)) == status


def test_a_command_without_a_result_may_have_been_refused_as_the_edit_before_it(
    work: Path,
    db: Path,
) -> None:
    clone = hook_clone(work)
    edit = entry("three", "PreToolUse", "Write", "src/b.py", content=HALVED) | {
        "tool_use_id": "edit"
    }
    refused = entry("three", "PreToolUse", "Bash", "", command="make") | {"tool_use_id": "refused"}
    listed = entry("three", "PreToolUse", "Bash", "", command="ls") | {"tool_use_id": "list"}
    result = entry("three", "PostToolUse", "Bash", "", {"stdout": "a.py"}, command="ls") | {
        "tool_use_id": "list"
    }
    write_log(clone, "pre_tool_use", [edit, refused, listed])
    write_log(clone, "post_tool_use", [result])
    clone.commit(50, "More")
    with attributed(clone.path, db) as store:
        assert store.value("SELECT status FROM tool_calls WHERE call_id = 'edit'") == "unknown"


def test_edits_before_a_log_was_begun_anew_are_as_old_as_they_were(work: Path, db: Path) -> None:
    """What a later version of the log lacks was not done after it."""
    clone = hook_clone(work)
    other = entry("three", "PreToolUse", "Read", "a.py")
    write_log(clone, "pre_tool_use", [other])
    write_log(clone, "post_tool_use", [])
    clone.commit(50, "Another day")
    lines = sorted((row[0], row[1], *row[3:]) for row in spans(clone.path, db, "src/b.py"))
    assert lines == BY_HOOKS


def test_a_log_without_times_is_no_witness_of_a_person(work: Path, db: Path) -> None:
    """Between two calls of such a log anything may have been done that it does not have: it can
    begin anywhere in the session.
    """
    clone = hook_clone(work)
    text = (clone.path / "src" / "b.py").read_text()
    typed = "LEDGER = load_ledger('somebody typed this')\n"
    old, new = (
        "    return halved(halved(value)) + 1",
        "    return halved(halved(value)) + offset_of(value)",
    )
    strings = {"old_string": old, "new_string": new}
    edited = {
        "filePath": f"{HOME}/src/b.py",
        "oldString": old,
        "newString": new,
        "originalFile": typed + text,
        "structuredPatch": [],
    }
    for event, more in (("pre_tool_use", None), ("post_tool_use", edited)):
        name = "PreToolUse" if event == "pre_tool_use" else "PostToolUse"
        log = json.loads((clone.path / "logs" / f"{event}.json").read_text())
        write_log(clone, event, [*log, entry("two", name, "Edit", "src/b.py", more, **strings)])
    clone.put("src/b.py", typed + text.replace(old, new))
    clone.commit(40, "feat: offsets")
    rows = spans(clone.path, db, "src/b.py")
    assert {row[0] for row in rows} - {"undeclared"} == {"agent", "unknown"}


# --- transcripts under names of their users' own --------------------------------------------------


def turn(second: int, role: str, text: str, **more: Any) -> JsonObject:
    """A message of a session that was kept as a chat."""
    when = f"2025-08-06T10:05:{second:02}.000Z"
    return {
        "role": role,
        "content": [{"type": "text", "text": text}],
        "_metadata": {"timestamp": when},
    } | more


def chat(call: str, **arguments: str) -> list[JsonObject]:
    """One call, and its result."""
    function = {"name": call, "arguments": json.dumps(arguments)}
    asked = turn(
        2, "assistant", "", tool_calls=[{"id": "call_1", "type": "function", "function": function}]
    )
    return [
        turn(1, "user", "Halve it"),
        asked,
        turn(3, "tool", "Success. Updated the following files:", tool_call_id="call_1"),
    ]


PATCH = (
    "*** Begin Patch\n*** Add File: src/b.py\n"
    + "".join(f"+{line}\n" for line in HALVED.splitlines())
    + "*** End Patch\n"
)
BY_CODEX = (
    chat("apply_patch", input=PATCH),
    {"id": "019d20aa", "cwd": HOME, "originator": "codex_cli_rs", "cli_version": "0.1"},
)
BY_CLAUDE = (
    chat("Write", file_path=f"{HOME}/src/b.py", content=HALVED),
    {"session_id": "0c3617a1", "cwd": HOME, "version": "2.1"},
)


def chat_clone(
    path: Path, kept: tuple[list[JsonObject], Texts], name: str, code: str = HALVED
) -> Clone:
    messages, meta = kept
    clone = start_clone(path)
    clone.put("src/b.py", code)
    clone.put(name, json.dumps({"messages": messages, "meta": {"session_meta": meta}}, indent=2))
    clone.commit(8, "Everything")
    return clone


@pytest.mark.parametrize("zone", ZONES, indirect=True)
@pytest.mark.parametrize(("agent", "kept"), [("codex", BY_CODEX), ("claude-code", BY_CLAUDE)])
def test_a_session_that_was_kept_as_a_chat_is_the_agents(
    zone: None, agent: str, kept: Any, tmp_path: Path, work: Path, db: Path
) -> None:
    clone = chat_clone(work, kept, "sessions/trajectory-2.json")
    expected = [("agent", "exact", "replayed", agent, 1, 6)]
    assert spans(clone.path, tmp_path / "a.db", "src/b.py") == expected
    assert spans(bare(clone), db, "src/b.py") == expected
    with Store(db, create=False) as store:
        assert select(store, "SELECT tool_calls, turns, started_at FROM sessions") == [
            (1, 1, "2025-08-06T10:05:01.000Z")
        ]


@pytest.mark.parametrize("kept", [BY_CODEX, BY_CLAUDE])
def test_a_chat_about_another_repository_is_none_of_this_ones_sessions(
    kept: Any, work: Path, db: Path
) -> None:
    clone = chat_clone(
        work,
        kept,
        "runs/trajectory.json",
        code="# its own text, which no session wrote\n",
    )
    assert session_count(clone, db) == 0


def test_what_an_agent_wrote_up_as_a_chat_afterwards_is_no_record(work: Path, db: Path) -> None:
    """Such files have no times, and say what was done without the text."""
    messages = [
        {key: value for key, value in message.items() if key != "_metadata"}
        for message in BY_CODEX[0]
    ]
    clone = chat_clone(work, (messages, BY_CODEX[1]), "sessions/trajectory.json")
    assert session_count(clone, db) == 0


@pytest.mark.parametrize("name", ["claude-code-basic", "codex-basic"])
def test_a_transcript_under_a_name_of_its_users_own_counts_where_it_wrote_text_of_the_repository(
    name: str, tmp_path: Path
) -> None:
    (transcript,) = (SAMPLES / name).rglob("*.jsonl")
    reader = reader_for(transcript.read_bytes())
    assert reader is not None
    session = reader.read("", [transcript.read_bytes()])
    written: Texts = defaultdict(str)
    for edit in (edit for call in session.calls for edit in call.edits):
        written[edit.path.rpartition("/")[2]] += "\n".join(edit.new_texts())
    for number in (0, 1):  # of the sessions that are expected
        clone = Clone(tmp_path / f"work{number}")
        for path, text in written.items():
            clone.put(path, text if number else "# another text\n")
        clone.put("docs/session-1.jsonl", transcript.read_text())
        clone.commit(0)
        with attributed(bare(clone), tmp_path / f"{number}.db") as store:
            assert store.value("SELECT count(*) FROM sessions") == number


def openhands_record(sha: str) -> Any:
    """On a server whose clock is seven hours behind UTC."""
    new = {
        "path": "/workspace/src/b.py",
        "prev_exist": False,
        "old_content": None,
        "new_content": HALVED,
    }
    commit = {
        "command": "git commit -m all",
        "metadata": {"exit_code": 0, "working_dir": "/workspace"},
    }
    events: list[JsonObject] = [
        {"source": "user", "action": "message", "args": {"content": "Halve it"}},
        {
            "source": "agent",
            "action": "edit",
            "args": {"path": "/workspace/src/b.py", "command": "create", "file_text": HALVED},
        },
        {"source": "agent", "observation": "edit", "cause": 1, "content": "Created", "extras": new},
        {"source": "agent", "action": "run", "args": {"command": "git commit -m all"}},
        {
            "source": "agent",
            "observation": "run",
            "cause": 3,
            "content": f"[main {sha[:7]}] all",
            "extras": commit,
        },
    ]
    return [
        event | {"id": n, "timestamp": f"2025-08-06T03:07:{10 * n:02}.100118"}
        for n, event in enumerate(events)
    ]


def mini_swe_agent_record(sha: str) -> Any:
    command = f"cd {HOME} && cat > src/b.py <<'EOF'\n{HALVED}EOF"
    asked = {
        "role": "assistant",
        "content": "",
        "extra": {"actions": [{"command": command}], "timestamp": 1754474700.5},
    }
    done = {
        "role": "tool",
        "content": "",
        "extra": {"raw_output": "", "returncode": 0, "timestamp": 1754474701.5},
    }
    messages = [
        {"role": "system", "content": ""},
        {"role": "user", "content": "Halve it"},
        asked,
        done,
    ]
    about = {"mini_version": "2.3.0", "config": {"environment": {"cwd": HOME}}}
    return {"info": about, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}


def swe_agent_record(sha: str) -> Any:
    action = f"str_replace_editor create /home/ana/work/src/b.py --file_text '{HALVED}'"
    state = {"working_dir": HOME}
    return {
        "trajectory": [
            {"action": action, "observation": "File created", "thought": "", "state": state}
        ],
        "history": [],
        "info": {},
    }


@pytest.mark.parametrize("zone", ZONES, indirect=True)
@pytest.mark.parametrize(
    ("agent", "record", "name"),
    [
        ("openhands", openhands_record, "trajectory.json"),
        ("mini-swe-agent", mini_swe_agent_record, "runs/one.traj.json"),
        ("swe-agent", swe_agent_record, "runs/one.traj"),
    ],
)
def test_a_trajectory_of_work_on_the_repository_is_read(
    zone: None, agent: str, record: Any, name: str, tmp_path: Path, work: Path, db: Path
) -> None:
    clone = start_clone(work)
    clone.put("src/b.py", HALVED)
    sha = clone.commit(8, "all")
    clone.put(name, json.dumps(record(sha)))
    clone.commit(20, "Keep the record")
    lines = spans(bare(clone), db, "src/b.py")
    # without times its edits are known, and not in which commit they are
    timed = agent != "swe-agent"
    assert [(row[0], *row[3:]) for row in lines] == [
        ("agent", agent, 1, 6) if timed else ("undeclared", None, 1, 6)
    ]
    assert select(db, "SELECT path, outcome FROM edits") == [("src/b.py", "applied")]
    assert spans(clone.path, tmp_path / "b.db", "src/b.py") == lines
    other = Clone(tmp_path / "other")
    other.put("src/b.py", "# no line that a session wrote\n")
    other.put(name, json.dumps(record(sha)))
    other.commit(0)
    with attributed(bare(other), tmp_path / "c.db") as store:
        assert store.value("SELECT count(*) FROM sessions") == 0


@pytest.mark.parametrize(("made", "began"), [(True, "2025-08-06T10:07:00.100Z"), (False, None)])
def test_commits_say_on_which_clock_openhands_wrote_its_times(
    made: bool, began: str | None, work: Path, db: Path
) -> None:
    clone = Clone(work)
    clone.put("src/b.py", HALVED)
    sha = clone.commit(7, "all")
    clone.put("trajectory.json", json.dumps(openhands_record(sha if made else "0" * 40)))
    clone.commit(20, "Keep the record")
    assert [(row[0], *row[3:]) for row in spans(bare(clone), db, "src/b.py")] == [
        ("agent", "openhands", 1, 6)
    ]
    with Store(db, create=False) as store:
        assert store.value("SELECT started_at FROM sessions") == began


TABLES = """
CREATE TABLE sessions (id, parent_session_id, message_count, prompt_tokens, completion_tokens, cost,
  created_at, updated_at);
CREATE TABLE messages (id, session_id, role, parts, model, created_at);
CREATE TABLE files (id, session_id, path, content, version);
"""


def crush_database(path: Path) -> None:
    """A session in which Crush wrote a file, and an empty one."""
    call = {
        "id": "c1",
        "name": "write",
        "input": json.dumps({"file_path": f"{HOME}/src/b.py", "content": HALVED}),
    }
    result = {"tool_call_id": "c1", "content": "File successfully written", "is_error": False}
    messages = [
        ("m1", "user", {"type": "text", "data": {"text": "halve it"}}, None),
        ("m2", "assistant", {"type": "tool_call", "data": call}, "gpt-5"),
        ("m3", "tool", {"type": "tool_result", "data": result}, None),
    ]
    path.parent.mkdir()
    at = 1754474700  # 12:05 at +02:00, between the two commits
    with sqlite3.connect(path) as database:
        database.executescript("PRAGMA journal_mode = WAL;" + TABLES)
        database.execute(
            "INSERT INTO sessions VALUES ('s1', NULL, 3, 10, 5, 0.5, ?, ?), ('s2', NULL, 0, 0, 0,"
            " 0, ?, ?)",
            (at,) * 4,
        )
        for number, (key, role, part, model) in enumerate(messages):
            row = (key, "s1", role, json.dumps([part]), model, at + number)
            database.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)", row)
        database.execute(
            "INSERT INTO files VALUES ('f1', 's1', ?, '', 'v0'), ('f2', 's1', ?, ?, 'v1')",
            (*[f"{HOME}/src/b.py"] * 2, HALVED),
        )
    database.close()


@pytest.mark.parametrize("zone", ZONES[:2], indirect=True)
def test_a_database_of_crush_in_the_history_has_its_sessions(
    zone: None, work: Path, db: Path
) -> None:
    clone = start_clone(work)
    crush_database(clone.path / ".crush" / "crush.db")
    clone.put("src/b.py", HALVED)
    clone.commit(8)
    (clone.path / ".crush" / "crush.db").write_text("gone")
    clone.commit(20)
    assert [(row[0], *row[3:]) for row in spans(bare(clone), db, "src/b.py")] == [
        ("agent", "crush", 1, 6)
    ]
    assert select(db, "SELECT key, tool_calls, turns FROM sessions") == [("s1", 1, 1)]


def flow_database(path: Path) -> None:
    """Hooks of claude-flow saw a command and an edit, in two sessions; a row is damaged."""
    made = f"cat > src/b.py <<'EOF'\n{HALVED}EOF"
    rows = [
        ("hooks:pre-bash", "b2", {"bashId": "b2", "command": made, "workingDir": HOME}),
        ("hooks:post-bash", "b3", {"bashId": "b3", "command": made, "exitCode": "0"}),
        ("sessions", "s2", {}),
        ("coordination", "edit-context:e1", {"editId": "e1", "file": f"{HOME}/src/c.py"}),
    ]
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE memory_entries (id INTEGER PRIMARY KEY, namespace, key, value)"
        )
        for minute, (space, key, value) in enumerate(rows, 5):
            at = f"2025-08-06T10:{minute:02}:00Z"
            row = (space, key, json.dumps(value | {"timestamp": at, "editedAt": at}))
            database.execute("INSERT INTO memory_entries VALUES (NULL, ?, ?, ?)", row)
        database.execute("UPDATE memory_entries SET value = '[' WHERE namespace = 'sessions'")
    database.close()


def test_a_database_of_claude_flow_has_commands_and_names_of_edited_files(
    work: Path, db: Path
) -> None:
    clone = start_clone(work)
    clone.put("src/b.py", HALVED)
    clone.commit(9)
    flow_database(clone.path / ".swarm" / "memory.db")
    clone.put("src/c.py", "def third(text):\n    return text[: len(text) // 3]\n")
    clone.commit(20)
    rows = "SELECT path, class, reason FROM line_spans WHERE path LIKE 'src/%' ORDER BY 1"
    with attributed(bare(clone), db) as store:
        assert select(store, rows) == [
            ("src/b.py", "agent", ""),
            ("src/c.py", "unknown", "opaque_shell"),
        ]
        calls = "SELECT s.key, call_id FROM tool_calls JOIN sessions s ON s.id = session_id"
        assert select(store, calls) == [("b2", "b2"), ("edit-context:e1", "e1")]


def test_another_database_in_that_place_is_no_record(work: Path, db: Path) -> None:
    clone = Clone(work)
    (clone.path / ".crush").mkdir()
    with sqlite3.connect(clone.path / ".crush" / "crush.db") as database:
        database.execute("CREATE TABLE notes (text)")
    database.close()
    clone.commit(0)
    assert session_count(clone, db) == 0


# --- the whole way: found by its name, mirrored, loaded, attributed -------------------------------

STORY = """<!-- Generated by SpecStory, Markdown v2.1.0 -->

<!-- Claude Code Session 5c7d5c23-0691-4467-b98e-0fb865b4a639 (2025-08-06 10:04:00Z) -->

_**User (2025-08-06 10:04:00Z)**_

Halve it

---

_**Agent (claude-opus-4-8 2025-08-06 10:05:00Z)**_

<tool-use data-tool-type="write" data-tool-name="Write"><details>
<summary>Tool use: **Write**</summary>


```py
{code}
```
```
File created successfully at: /home/ana/work/src/b.py
```
</details></tool-use>
"""


EXPORTED = f"""# Halve it

**Session ID:** ses_3f83
**Created:** 8/6/2025, 12:04:00 PM
**Updated:** 8/6/2025, 12:09:00 PM

---

## User

Halve it

---

## Assistant (Build · m1 · 3.3s)

**Tool: write**

**Input:**
```json
{json.dumps({"filePath": "/home/ana/work/src/b.py", "content": HALVED})}
```

**Output:**
```
Wrote file successfully.
```

---
"""


def fenced_block(text: str, about: str = "python") -> str:
    return f"Here:\n\n```{about}\n{text}```\n"


CHAT_HEAD = "# Halve it\n_Exported on 8/6/2025 at 13:38:20 GMT+2 from Cursor (1.2.4)_\n"


def cursor_chat(answer: str, prompt: str = "Halve it") -> str:
    """As Cursor exports it."""
    return f"{CHAT_HEAD}\n---\n\n**User**\n\n{prompt}\n\n---\n\n**Cursor**\n\n{answer}"


CHAT_FILE = "docs/cursor_halve_it.md"
NUMBERED = "".join(f"value_{n} = {n}\n" for n in range(90))
HALVING_CHAT = {CHAT_FILE: cursor_chat(fenced_block(HALVED) + fenced_block(NUMBERED))}


def record_clone(path: Path, name: str, record: str) -> Clone:
    """`src/b.py`, and a record that says who wrote it."""
    clone = start_clone(path)
    clone.put("src/b.py", HALVED)
    sha = clone.commit(8, "all")
    clone.put(name, record.replace("SHA", sha[:7]))
    clone.commit(20, "Keep the record")
    return clone


def transcript_clone(path: Path, name: str, sample: str) -> Clone:
    """A transcript of the agent's own, and the texts that it wrote."""
    (transcript,) = (SAMPLES / sample).rglob("*.jsonl")
    reader = reader_for(transcript.read_bytes())
    assert reader is not None
    clone = Clone(path)
    for edit in (
        edit for call in reader.read("", [transcript.read_bytes()]).calls for edit in call.edits
    ):
        clone.put(edit.path.rpartition("/")[2], "\n".join(edit.new_texts()) + "\n")
    clone.put(name.format(transcript=transcript.name), transcript.read_text())
    clone.commit(0)
    return clone


def crush_clone(path: Path) -> Clone:
    clone = start_clone(path)
    crush_database(clone.path / ".crush" / "crush.db")
    clone.put("src/b.py", HALVED)
    clone.commit(8)
    return clone


KINDS: dict[str, tuple[str, Callable[[Path], Clone]]] = {
    "Aider": ("aider", aider_clone),
    "SpecStory": (
        "claude-code",
        lambda path: record_clone(path, ".specstory/history/one.md", STORY.format(code=HALVED)),
    ),
    "home of Codex": (
        "codex",
        lambda path: transcript_clone(
            path, ".codex/sessions/2025/08/06/{transcript}", "codex-basic"
        ),
    ),
    "home of Claude": (
        "claude-code",
        lambda path: transcript_clone(
            path, ".claude/projects/-w/{transcript}", "claude-code-basic"
        ),
    ),
    "home of Claude in a folder": (
        "claude-code",
        lambda path: transcript_clone(
            path, ".claude/config/projects/-w/{transcript}", "claude-code-basic"
        ),
    ),
    "export of OpenCode": (
        "opencode",
        lambda path: record_clone(path, "docs/session-ses_3f83.md", EXPORTED),
    ),
    "chat of Cursor": (
        "cursor",
        lambda path: record_clone(path, CHAT_FILE, HALVING_CHAT[CHAT_FILE]),
    ),
    "hook logs": ("claude-code", hook_clone),
    "Crush": ("crush", crush_clone),
    "chat": ("codex", lambda path: chat_clone(path, BY_CODEX, "sessions/trajectory-2.json")),
    "OpenHands": (
        "openhands",
        lambda path: record_clone(path, "trajectory.json", json.dumps(openhands_record("SHA"))),
    ),
    "mini-SWE-agent": (
        "mini-swe-agent",
        lambda path: record_clone(path, "a.traj.json", json.dumps(mini_swe_agent_record(""))),
    ),
    "SWE-agent": (
        "swe-agent",
        lambda path: record_clone(path, "a.traj", json.dumps(swe_agent_record(""))),
    ),
    "recorder": (
        "claude-code",
        lambda path: transcript_clone(path, ".entire/metadata/one/full.jsonl", "claude-code-basic"),
    ),
}


def what_it_says(db: Path) -> dict[str, list[RowValues]]:
    queries = {
        "sessions": "SELECT key, agent, started_at, turns, tool_calls FROM sessions ORDER BY key",
        "edits": "SELECT path, op, outcome FROM edits ORDER BY id",
        "lines": (
            "SELECT commit_sha, path, start_line, end_line, class, how, evidence, reason FROM"
            " line_spans ORDER BY 1, 2, 3"
        ),
    }
    return {name: select(db, sql) for name, sql in queries.items()}


def in_zone(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_record_is_collected_as_it_is_read_from_a_worktree(
    kind: str, tmp_path: Path, work: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, make = KINDS[kind]
    clone = make(work)
    (tmp_path / "served" / "o").mkdir(parents=True)
    git(
        tmp_path,
        "clone",
        "-q",
        "--bare",
        str(clone.path),
        str(tmp_path / "served" / "o" / "one.git"),
    )
    with GitServer(tmp_path / "served") as server:
        monkeypatch.setenv("GITHUB_SERVER_URL", server.base)
        in_zone(ZONES[0], monkeypatch)
        for command, program in (
            (["run", "o/one", "--db", db], collect),
            (["db", db], attribute),
        ):
            run(*command, program=program)
    collected = what_it_says(db)
    assert agent in {session[1] for session in collected["sessions"]} and collected["edits"]
    for zone, repo in zip(ZONES[1:], (bare(clone), clone.path), strict=True):
        in_zone(zone, monkeypatch)
        attributed(repo, tmp_path / f"{repo.name}.db").close()
        assert what_it_says(tmp_path / f"{repo.name}.db") == collected
    monkeypatch.undo()
    time.tzset()


def test_lines_of_a_call_in_an_export_are_the_agents(work: Path, db: Path) -> None:
    clone = record_clone(work, "session-ses_3f83.md", EXPORTED)
    with attributed(clone.path, db) as store:
        authors = store.rows(
            "SELECT path, class, sum(nonblank) AS lines FROM line_spans WHERE path LIKE '%.py'"
            " GROUP BY 1, 2 ORDER BY 1"
        )
    assert [tuple(row.values()) for row in authors] == [
        ("a.py", "undeclared", 1),
        ("src/b.py", "agent", 4),
    ]


MOVED = "def quartered(value):\n"
TABBED = HALVED.replace("    ", "\t")
OTHER = "def total(values):\n    found = sum(values)\n    return found + offset_of(values)\n"


@pytest.mark.parametrize(
    ("commits", "agents"),
    [
        ([HALVING_CHAT | {"b.py": HALVED, "c.py": TABBED, "d.py": OTHER}], {"b.py": 4, "c.py": 4}),
        ([{"b.py": HALVED}, HALVING_CHAT], {}),
        ([HALVING_CHAT, {"b.py": HALVED}], {}),
        (
            [
                {CHAT_FILE: cursor_chat("Hi"), "d.py": OTHER},
                {CHAT_FILE: cursor_chat(fenced_block(OTHER))},
            ],
            {},
        ),
        ([{CHAT_FILE: cursor_chat(fenced_block(HALVED, "1:6:b.py")), "b.py": HALVED}], {}),
        (
            [{CHAT_FILE: cursor_chat(fenced_block(HALVED), fenced_block(HALVED)), "b.py": HALVED}],
            {},
        ),
        ([HALVING_CHAT | {"b.py": HALVED + OTHER}], {}),
        ([{"b.py": MOVED + OTHER}, HALVING_CHAT | {"b.py": OTHER + HALVED}], {"b.py": 3}),
    ],
    ids=[
        "the commit that brings it",
        "code before it",
        "code after it",
        "a later version quotes code",
        "what an answer quotes",
        "what the user pasted",
        "a part of a file",
        "a line that moved",
    ],
)
def test_lines_of_an_answer_are_the_agents_where_its_chat_comes(
    commits: list[Texts], agents: dict[str, int], work: Path, db: Path
) -> None:
    clone = Clone(work)
    for minute, files in enumerate(commits):
        for name, text in files.items():
            clone.put(name, text)
        clone.commit(minute)
    with attributed(bare(clone), db) as store:
        lines = "SELECT path, sum(nonblank) FROM line_spans WHERE class = 'agent' GROUP BY 1"
        assert dict(select(store, lines)) == agents
        assert column(store, "SELECT agent FROM sessions") == ["cursor"]
        assert not column(store, "SELECT 1 FROM problems WHERE code = 'record_not_understood'")


def test_lines_that_another_record_explains_stay_as_they_are(work: Path, db: Path) -> None:
    clone = start_clone(work)
    clone.put("src/b.py", HALVED)
    clone.put(CHAT_FILE, HALVING_CHAT[CHAT_FILE])
    clone.commit(8)
    clone.put("session-ses_3f83.md", EXPORTED)
    clone.commit(20)
    assert {agent for *_, agent, _, _ in spans(clone.path, db, "src/b.py")} == {"opencode"}
    assert column(db, "SELECT unlinked_because FROM session_list WHERE agent = 'cursor'") == [
        "no edit was replayed"
    ]


def test_why_shows_the_prompt_and_the_block_of_an_answer(work: Path, db: Path) -> None:
    clone = Clone(work)
    clone.put("b.py", HALVED)
    clone.put(CHAT_FILE, HALVING_CHAT[CHAT_FILE])
    clone.commit(0)
    said = run("why", clone.path, "b.py:1", db=db).stdout
    assert "Halve it" in said and "return value / 2" in said


STORY_OF_ONE = """<!-- Generated by SpecStory -->
{title}
_**User**_

Halve the value, please

---

_**Agent**_

Done.
"""
NAMED = "<!-- cursor Session 3069ab07-0672-4d4b-9fd9-177cac79a704 (2025-08-06 10:00:00Z) -->\n"


@pytest.mark.parametrize(
    ("later", "title"),
    [
        ("2025-08-06_10-00-00Z-halve-the-value.md", "# Halve (2025-08-06 10:00:00Z)\n"),
        ("2025-08-06_10-00-00Z-one.md", "# Another heading (2025-08-06 10:00:00Z)\n"),
        ("2025-08-06_10-00-00Z-one.md", NAMED),
        ("renamed.md", NAMED),
    ],
)
def test_a_story_with_another_name_or_heading_or_an_id_later_is_one_session(
    work: Path, db: Path, later: str, title: str
) -> None:
    clone = Clone(work)
    first = ".specstory/history/2025-08-06_10-00-00Z-one.md"
    clone.put(first, STORY_OF_ONE.format(title="# One (2025-08-06 10:00:00Z)\n"))
    clone.commit(0)
    (clone.path / first).unlink()
    more = "\n---\n\n_**User**_\n\nthanks a lot\n"
    clone.put(f".specstory/history/{later}", STORY_OF_ONE.format(title=title) + more)
    clone.commit(30)
    with attributed(bare(clone), db) as store:
        assert store.value("SELECT count(*) FROM sessions") == 1
        assert store.value("SELECT user_turn_count FROM session_features") == 2


def test_stories_that_begin_alike_at_other_times_are_several(work: Path, db: Path) -> None:
    clone = Clone(work)
    for hour in (10, 11):
        title = f"# One (2025-08-06 {hour}:00:00Z)\n"
        story = STORY_OF_ONE.format(title=title)
        clone.put(f".specstory/history/2025-08-06_{hour}-00-00Z-one.md", story)
    clone.commit(0)
    assert session_count(clone, db) == 2


def test_a_file_that_was_moved_before_its_first_commit_is_found_by_its_text(
    tmp_path: Path,
    db: Path,
) -> None:
    clone = Clone(tmp_path / "repo")
    clone.put("README.md", "x\n")
    clone.commit(0)
    clone.put("tools/calc/a.py", CODE)
    clone.commit(8, "Add it by hand")
    clone.put(".aider.chat.history.md", AIDER.format(code=CODE, sha="1234567"))
    clone.put("other/a.py", "def other(values):\n    return len(values)\n\n\nLIMIT = 4\n")
    clone.commit(20, "Keep the history")
    moved = {row[0] for row in spans(clone.path, db, "tools/calc/a.py")}
    assert "agent" in moved  # its first line was in the file that the edit names
    assert moved <= {"agent", "unknown"}
    assert "agent" not in {row[0] for row in spans(clone.path, db, "other/a.py")}
