"""`attribute_repo` as a whole: what it keeps, redoes, survives and leaves alone."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import claude_writer as claude
from support import jsonl
from support.answers import column, pick
from support.builder import Commit, Session, Shell, Stored, World, git, object_id
from support.dumps import Dump, dump, same

from attribution.authorship.options import AttributeOptions
from attribution.stages import line_run
from attribution.stages.lines import Attributed, attribute_repo
from collector.errors import NotARepository, UnknownBranch
from collector.git.repository import GitRepo, blob_id
from collector.json_values import Row
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Store

APP = "def total(rows):\n    return sum(rows)\n"


# --- repositories ---------------------------------------------------------------------------------


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "repo"


class Tally:
    """A person's file, two sessions, three commits; the second session goes on after the last
    one.
    """

    def __init__(self, layout: str = "v1") -> None:
        self.world = w = World("tally", layout)
        w.human_write("src/app.py", APP)
        w.human_write("README.md", "# Tally\n")
        self.start = w.commit("Start by hand")
        self.one = self._session("Add a mean")
        self.one.edit(
            "src/app.py",
            "    return sum(rows)\n",
            "    return sum(rows)\n\n\ndef mean(rows):\n    return total(rows) / len(rows)\n",
        )
        self.one.end_turn()
        w.human_insert("README.md", "Counts things.\n")
        self.mean = w.commit("Add mean", [self.one])
        self.two = self._session("Add a median")
        self.two.write(
            "src/median.py",
            "def median(rows):\n    rows = sorted(rows)\n    return rows[len(rows) // 2]\n",
        )
        self.two.end_turn()
        self.median = w.commit("Add median", [self.two])

    def _session(self, prompt: str) -> Session:
        session = self.world.session(prompt=prompt)
        return session

    def go_on(self) -> Commit:
        """One more commit of the second session."""
        self.two.prompt("Add a mode")
        self.two.write(
            "src/mode.py", "def mode(rows):\n    return max(set(rows), key=rows.count)\n"
        )
        self.two.end_turn()
        return self.world.commit("Add mode", [self.two])

    def build(self, directory: Path, bare: bool = True) -> Path:
        return self.world.build(directory, bare)


MEDIAN_LINES = {"src/median.py": [(1, 3, "agent", "exact")]}


def _run(
    repository: Path,
    database: Path,
    options: AttributeOptions | None = None,
    progress: Progress = no_progress,
) -> tuple[Attributed, Dump]:
    with Store(database) as store:
        done = attribute_repo(store, repository, options or AttributeOptions(), progress)
        return done, dump(store)


def _run_built(world: World, tmp_path: Path) -> tuple[Attributed, Dump]:
    return _run(world.build(tmp_path / "repo"), tmp_path / "out.db")


def _fresh(repository: Path, tmp_path: Path, options: AttributeOptions | None = None) -> Dump:
    """What a database that never saw the repository before says of it."""
    database = tmp_path / f"fresh-{len(list(tmp_path.iterdir()))}.db"
    return _run(repository, database, options)[1]


def _rows(database: Path, sql: str) -> list[Row]:
    with Store(database, create=False) as store:
        return store.rows(sql)


def _authors(database: Path, sha: str) -> dict[str, list[tuple[int, int, str, str]]]:
    """Path -> (first line, last line, author, how or reason) of a commit."""
    found: dict[str, list[tuple[int, int, str, str]]] = {}
    for r in _rows(
        database, f"SELECT * FROM line_spans WHERE commit_sha = '{sha}' ORDER BY path, start_line"
    ):
        found.setdefault(r["path"], []).append(
            (r["start_line"], r["end_line"], r["author"], r["reason"] or r["how"])
        )
    return found


# --- a database as text, without the numbers and moments of the run -------------------------------


# --- what a run says ------------------------------------------------------------------------------


def test_lines_of_each_commit_go_to_those_who_wrote_them(where: Path, db: Path) -> None:
    tally = Tally()
    _run(tally.build(where), db)
    assert _authors(db, tally.start.sha) == {
        "README.md": [(1, 1, "unknown", "no_session")],
        "src/app.py": [(1, 2, "unknown", "no_session")],
    }
    assert _authors(db, tally.mean.sha) == {
        "README.md": [(2, 2, "human", "none")],
        "src/app.py": [(3, 6, "agent", "exact")],
    }
    assert _authors(db, tally.median.sha) == MEDIAN_LINES
    stats = _rows(
        db,
        "SELECT s.label, t.produced, t.survived, t.commits, t.edits_seen, t.edits_applied FROM"
        " session_stats t JOIN sessions s ON s.id = t.session_id ORDER BY s.label",
    )
    assert [tuple(row.values()) for row in stats] == [
        ("Add a mean", 2, 2, 1, 1, 1),
        ("Add a median", 3, 3, 1, 1, 1),
    ]


@pytest.mark.parametrize("layout", ["v1", "v1-remote", "refs", "v2", "both", "legacy"])
def test_where_the_checkpoints_lie_makes_no_difference_to_the_lines(
    layout: str, where: Path, db: Path
) -> None:
    tally = Tally(layout)
    _run(tally.build(where), db)
    assert _authors(db, tally.mean.sha)["src/app.py"] == [(3, 6, "agent", "exact")]
    assert _authors(db, tally.median.sha) == MEDIAN_LINES


# --- runs again -----------------------------------------------------------------------------------


def _never(*_: object, **__: object) -> Any:
    raise AssertionError("work was done again")


def test_second_run_reads_no_session_and_no_history(
    where: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Tally().build(where)
    first, before = _run(repository, db)
    monkeypatch.setattr(line_run, "attribute_again", _never)
    second, after = _run(repository, db)
    assert (first.unchanged, second.unchanged) == (False, True)
    assert second.repo_id == first.repo_id
    same(before, after)


def test_second_run_writes_nothing_to_the_database(tmp_path: Path, where: Path, db: Path) -> None:
    repository = Tally().build(where)
    _run(repository, db)
    with Store(db) as store:
        store.value("PRAGMA wal_checkpoint(TRUNCATE)")
    before = (db).read_bytes()
    _run(repository, db)
    assert (db).read_bytes() == before
    assert not (tmp_path / "out.db-wal").exists()


def test_moved_branch_is_done_again_and_equals_a_fresh_run(tmp_path: Path, db: Path) -> None:
    tally = Tally()
    _run(tally.build(tmp_path / "before"), db)
    added = tally.go_on()
    (tmp_path / "before").rename(tmp_path / "gone")
    repository = tally.build(tmp_path / "before")
    done, after = _run(repository, db)
    assert not done.unchanged
    assert _authors(db, added.sha) == {"src/mode.py": [(1, 2, "agent", "exact")]}
    same(after, _fresh(repository, tmp_path))


def test_a_commit_that_was_named_by_its_id_is_the_tip_of_its_branch_once_that_is_asked_for(
    where: Path,
    db: Path,
) -> None:
    """Else no later commit of the branch would count as newer."""
    tally = Tally()
    repository = tally.build(where)
    _run(
        repository,
        db,
        AttributeOptions(branch=object_id(repository, "main")),
    )
    done, _ = _run(repository, db)
    assert done.unchanged
    assert _rows(db, "SELECT branch FROM repos") == [{"branch": "main"}]


def test_branch_set_back_puts_the_commits_aside_that_it_lost(
    tmp_path: Path, where: Path, db: Path
) -> None:
    tally = Tally()
    repository = tally.build(where)
    _run(repository, db)
    git(repository, "update-ref", "refs/heads/main", tally.mean.sha)
    done, after = _run(repository, db)
    assert not done.unchanged
    assert [
        r["commit_sha"] for r in _rows(db, "SELECT commit_sha FROM commits ORDER BY position")
    ] == [
        tally.start.sha,
        tally.mean.sha,
    ]
    (gone,) = after["gone_commits"]
    assert f"commit_sha='{tally.median.sha}'" in gone
    same(after | {"gone_commits": []}, _fresh(repository, tmp_path))


def test_checkpoint_that_arrives_later_is_taken_in(tmp_path: Path, where: Path, db: Path) -> None:
    """Code is pushed first, its checkpoints follow."""
    tally = Tally("refs")
    repository = tally.build(where)
    late = tally.median.checkpoints[0]
    ref = f"refs/entire/checkpoints/{late[-2:]}/{late}"
    target = object_id(repository, ref)
    git(repository, "update-ref", "-d", ref)
    _run(repository, db)
    assert _authors(db, tally.median.sha) == {
        "src/median.py": [(1, 3, "unknown", "checkpoint_missing")]
    }
    git(repository, "update-ref", ref, target)
    done, after = _run(repository, db)
    assert not done.unchanged
    assert _authors(db, tally.median.sha) == MEDIAN_LINES
    same(after, _fresh(repository, tmp_path))


def test_checkpoint_that_disappears_leaves_what_was_known_by_it(tmp_path: Path, db: Path) -> None:
    tally = Tally()
    _run(tally.build(tmp_path / "with" / "repo"), db)
    tally.world.forget(tally.median.checkpoints[0])
    repository = tally.build(tmp_path / "without" / "repo")
    before = _authors(db, tally.median.sha)
    done, _ = _run(repository, db)
    assert not done.unchanged
    assert _authors(db, tally.median.sha) == before
    gone = _rows(db, "SELECT key FROM sessions WHERE gone_since IS NOT NULL")
    assert [row["key"] for row in gone] == [tally.two.id]
    _run(repository, tmp_path / "fresh.db")
    assert _authors(tmp_path / "fresh.db", tally.median.sha) == {
        "src/median.py": [(1, 3, "unknown", "checkpoint_missing")]
    }


def test_other_options_are_other_work(tmp_path: Path, where: Path, db: Path) -> None:
    tally = Tally()
    repository = tally.build(where)
    first, whole = _run(repository, db)
    since = AttributeOptions(since=float(tally.mean.at))
    second, part = _run(repository, db, since)
    third, again = _run(repository, db)
    assert [d.unchanged for d in (first, second, third)] == [False, False, False]
    same(whole, again)
    same(part, _fresh(repository, tmp_path, since))


def test_two_repositories_share_a_database_without_touching_each_other(
    tmp_path: Path, db: Path
) -> None:
    one, two = Tally(), Tally("refs")
    two.go_on()
    first, second = one.build(tmp_path / "first"), two.build(tmp_path / "second")
    _run(first, db)
    of_first = set(column(db, "SELECT commit_sha FROM commits"))
    _run(second, db)
    tally = _rows(
        db,
        "SELECT r.name, COUNT(*) AS n FROM commits c JOIN repos r ON r.id = c.repo_id GROUP BY 1",
    )
    assert {r["name"]: r["n"] for r in tally} == {"first": 3, "second": 4}
    assert of_first == {one.start.sha, one.mean.sha, one.median.sha}
    redone, _ = _run(first, db)
    assert redone.unchanged


# --- since, branch, nothing to read ---------------------------------------------------------------


def test_since_leaves_out_earlier_commits_and_changes_no_later_one(
    tmp_path: Path, where: Path, db: Path
) -> None:
    tally = Tally()
    repository = tally.build(where)
    _run(repository, tmp_path / "whole.db")
    _run(repository, db, AttributeOptions(since=float(tally.median.at)))
    shas = [r["commit_sha"] for r in _rows(db, "SELECT commit_sha FROM commits")]
    assert shas == [tally.median.sha]
    assert _authors(db, tally.median.sha) == _authors(tmp_path / "whole.db", tally.median.sha)


def test_branch_names_the_line_of_history(tmp_path: Path, where: Path, db: Path) -> None:
    tally = Tally()
    tally.world.branch_off("feature")
    side = tally.go_on()
    repository = tally.build(where)
    _run(repository, tmp_path / "main.db")
    _run(repository, db, AttributeOptions(branch="feature"))
    assert side.sha not in {
        r["commit_sha"] for r in _rows(tmp_path / "main.db", "SELECT commit_sha FROM commits")
    }
    assert _authors(db, side.sha) == {"src/mode.py": [(1, 2, "agent", "exact")]}
    assert _rows(db, "SELECT branch, head_sha FROM repos") == [
        {"branch": "feature", "head_sha": side.sha}
    ]


def test_unknown_branch_is_refused_before_anything_is_written(where: Path, db: Path) -> None:
    repository = Tally().build(where)
    with Store(db) as store:
        with pytest.raises(UnknownBranch, match="nowhere"):
            attribute_repo(store, repository, AttributeOptions(branch="nowhere"))
        assert store.value("SELECT COUNT(*) FROM repos") == 0


def test_directory_that_is_no_repository_is_refused(tmp_path: Path, db: Path) -> None:
    (tmp_path / "plain").mkdir()
    with Store(db) as store:
        for path in (tmp_path / "plain", tmp_path / "absent"):
            with pytest.raises(NotARepository):
                attribute_repo(store, path, AttributeOptions())


def _by_hand(directory: Path) -> tuple[Path, Commit]:
    world = World("plain")
    world.human_write("a.py", "a = 1\n")
    commit = world.commit("Alone\n\nCo-Authored-By: Claude Opus 4.6 <noreply@anthropic.com>")
    return world.build(directory), commit


def test_without_checkpoints_lines_are_judged_by_what_commits_declare(
    where: Path, db: Path
) -> None:
    repository, commit = _by_hand(where)
    _run(repository, db, AttributeOptions())
    (span,) = _rows(db, "SELECT * FROM line_spans")
    assert pick(span, "commit_sha", "author", "how", "evidence") == (
        commit.sha,
        "declared",
        "declared",
        "declared",
    )
    assert span["model"] == "claude-opus-4-6"


def test_branch_of_checkpoints_that_is_empty_counts_as_none(where: Path, db: Path) -> None:
    world = World("plain")
    world.human_write("a.py", "a = 1\n")
    world.commit("Alone")
    world.store_files({})
    _run(world.build(where), db, AttributeOptions())
    (span,) = _rows(db, "SELECT * FROM line_spans")
    assert pick(span, "author", "reason") == ("unknown", "no_session")


# --- killed ---------------------------------------------------------------------------------------


class _Stop:
    """Progress that ends the run at its n-th word."""

    def __init__(self, at: int) -> None:
        self.at, self.words = at, list[str]()

    def __call__(self, what: str, done: int, total: int) -> None:
        self.words.append(what)
        if len(self.words) == self.at:
            raise KeyboardInterrupt


def _words(repository: Path, tmp_path: Path) -> list[str]:
    counting = _Stop(-1)
    _run(repository, tmp_path / "counting.db", progress=counting)
    return counting.words


def test_progress_names_every_stage(tmp_path: Path, where: Path) -> None:
    words = _words(Tally().build(where), tmp_path)
    assert list(dict.fromkeys(words)) == [
        "reading checkpoints",
        "reading sessions",
        "reading commits",
        "replaying worktrees",
        "judging lines",
        "writing",
    ]


_FEWEST_STOPS = 6  # one for each stage


def _killed(
    repository: Path, database: Path, stop: int, options: AttributeOptions | None = None
) -> bool:
    """Whether the run ended at its n-th word: False if it has fewer, which depends on the
    sessions that are in the cache.
    """
    try:
        _run(repository, database, options or AttributeOptions(), _Stop(stop))
    except KeyboardInterrupt:
        return True
    return False


def test_first_run_killed_at_any_stage_continues_to_the_same_result(
    tmp_path: Path, where: Path
) -> None:
    repository = Tally().build(where)
    undisturbed = _fresh(repository, tmp_path)
    for stop in itertools.count(1):
        database = tmp_path / f"killed-{stop}.db"
        if not _killed(repository, database, stop):
            break
        with Store(database) as store:
            dump(store)  # what is there holds together
        done, after = _run(repository, database)
        assert not done.unchanged
        same(after, undisturbed)
    assert stop > _FEWEST_STOPS


def test_update_killed_at_any_stage_continues_to_the_same_result(tmp_path: Path, db: Path) -> None:
    tally = Tally()
    old = tally.build(tmp_path / "old" / "repo")
    tally.world.forget(tally.mean.checkpoints[0])
    tally.go_on()
    new = tally.build(tmp_path / "new" / "repo")
    _run(old, db)
    _, undisturbed = _run(new, db)
    for stop in itertools.count(1):
        database = tmp_path / f"killed-{stop}.db"
        _run(old, database)
        if not _killed(new, database, stop):
            break
        with Store(database) as store:
            dump(store)
        done, after = _run(new, database)
        assert not done.unchanged
        same(after, undisturbed)
    assert stop > _FEWEST_STOPS


def _said(store: Store) -> list[Row]:
    return store.rows(
        "SELECT commit_sha, path, start_line, end_line, author, how, call_id FROM line_spans ORDER"
        " BY 1, 2, 3"
    )


def _killed_while_writing(at: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Makes the n-th insertion of rows fail half-way; gives the number of insertions so far."""
    real = Store.insert
    count = [0]

    def insert(self: Store, table: str, columns: Any, rows: Any) -> None:
        count[0] += 1
        rows = list(rows)
        if count[0] == at:
            real(self, table, columns, rows[: len(rows) // 2])
            raise KeyboardInterrupt
        real(self, table, columns, rows)

    monkeypatch.setattr(Store, "insert", insert)
    return lambda: count[0]


def test_killed_in_the_middle_of_any_table_leaves_nothing_half_written(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = Tally()
    old = tally.build(tmp_path / "old" / "repo")
    before = _fresh(old, tmp_path)
    tally.go_on()
    new = tally.build(tmp_path / "new" / "repo")
    undisturbed = _fresh(new, tmp_path)
    _run(old, db)
    with monkeypatch.context() as patch:
        total = _killed_while_writing(-1, patch)
        _run(new, db)
    assert total() > 10
    for at in range(1, total() + 1):
        database = tmp_path / f"killed-{at}.db"
        same(_run(old, database)[1], before)
        with Store(database) as store:
            conclusions = _said(store), before["commit_files"]
        with monkeypatch.context() as patch:
            _killed_while_writing(at, patch)
            with pytest.raises(KeyboardInterrupt):
                _run(new, database)
        with Store(database) as store:
            left = dump(store)
            # those of the last whole run
            assert (_said(store), left["commit_files"]) == conclusions
        same(_run(new, database)[1], undisturbed)


def test_killed_run_with_other_options_does_not_spoil_what_was_there(where: Path, db: Path) -> None:
    tally = Tally()
    repository = tally.build(where)
    whole = _run(repository, db)[1]
    for stop in itertools.count(1):
        if not _killed(repository, db, stop, AttributeOptions(since=float(tally.mean.at))):
            break
        same(_run(repository, db)[1], whole)
    assert stop > _FEWEST_STOPS


# --- the clone is only read -----------------------------------------------------------------------


def _state(*directories: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file and directory below: mode, time of change, content."""
    found = {}
    for directory in directories:
        for path in [directory, *sorted(directory.rglob("*"))]:
            status = path.lstat()
            data = (
                str(path.readlink()).encode()
                if path.is_symlink()
                else path.read_bytes()
                if path.is_file()
                else b""
            )
            found[str(path)] = (status.st_mode, status.st_mtime_ns, data)
    return found


def _bare(tmp_path: Path) -> tuple[Path, list[Path]]:
    repository = Tally().build(tmp_path / "repo")
    return repository, [repository]


def _checked_out(tmp_path: Path) -> tuple[Path, list[Path]]:
    repository = Tally().build(tmp_path / "repo", bare=False)
    (repository / "src" / "app.py").write_text("edited, not committed\n")
    return repository / "src", [repository]  # a directory inside is as good as the top


def _worktree(tmp_path: Path) -> tuple[Path, list[Path]]:
    repository = Tally().build(tmp_path / "repo", bare=False)
    git(repository, "worktree", "add", "-q", "-b", "another", str(tmp_path / "tree"))
    return tmp_path / "tree", [repository, tmp_path / "tree"]


def _shallow(tmp_path: Path) -> tuple[Path, list[Path]]:
    source = Tally().build(tmp_path / "source")
    git(
        tmp_path,
        "clone",
        "-q",
        "--depth=1",
        "--no-single-branch",
        f"file://{source}",
        str(tmp_path / "repo"),
    )
    return tmp_path / "repo", [source, tmp_path / "repo"]


@pytest.mark.parametrize("make", [_bare, _checked_out, _worktree, _shallow])
def test_clone_is_the_same_byte_for_byte_after_a_run(
    make: Callable[[Path], tuple[Path, list[Path]]], tmp_path: Path, db: Path
) -> None:
    repository, directories = make(tmp_path)
    before = _state(*directories)
    assert len(before) > 30
    _run(repository, db)
    assert _state(*directories) == before


def test_worktree_tells_the_same_as_its_repository(tmp_path: Path, db: Path) -> None:
    side, (repository, _) = _worktree(tmp_path)
    one = _fresh(repository, tmp_path)
    _, other = _run(side, db)
    assert _rows(db, "SELECT name FROM repos") == [{"name": "repo"}]
    for table in ("spans", "sessions", "edits", "session_stats", "commits"):
        assert [row.replace("another", "main") for row in other[table]] == one[table]


def test_hostile_configuration_of_the_clone_runs_nothing(
    tmp_path: Path, where: Path, db: Path
) -> None:
    repository = Tally().build(where, bare=False)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "filter.x.smudge",
        "core.sshCommand",
        "core.hooksPath",
    ):
        git(repository, "config", name, f"touch {tmp_path}/ran")
    (repository / ".gitattributes").write_text("*.py diff=x filter=x -diff\n")
    tally = Tally()
    _run(repository, db)
    assert not (tmp_path / "ran").exists()
    assert _authors(db, tally.median.sha) == MEDIAN_LINES


# --- clones that lack something -------------------------------------------------------------------


def test_shallow_clone_judges_what_it_has_and_says_what_is_censored(
    tmp_path: Path, where: Path, db: Path
) -> None:
    tally = Tally()
    source = tally.build(tmp_path / "source")
    git(
        tmp_path,
        "clone",
        "-q",
        "--depth=2",
        "--no-single-branch",
        f"file://{source}",
        str(where),
    )
    done, _ = _run(where, db)
    assert any("shallow" in note for note in done.censored)
    assert _rows(db, "SELECT shallow, partial FROM repos") == [{"shallow": 1, "partial": 0}]
    assert _authors(db, tally.median.sha) == MEDIAN_LINES
    # What the boundary commit changed cannot be told: not one of its lines is claimed for anybody.
    assert _authors(db, tally.mean.sha) == {}
    (boundary,) = _rows(
        db,
        f"SELECT files, lines_added FROM commits WHERE commit_sha = '{tally.mean.sha}'",
    )
    assert boundary["files"] is None
    problems = _rows(db, "SELECT subject, code FROM problems WHERE stage = 'commits'")
    assert problems == [{"subject": tally.mean.sha, "code": "tree_missing"}]


def test_whole_clone_says_that_nothing_is_censored(where: Path, db: Path) -> None:
    done, _ = _run(Tally().build(where), db)
    assert done.censored == []
    assert _rows(db, "SELECT shallow, partial FROM repos") == [{"shallow": 0, "partial": 0}]


def test_shallow_clone_that_is_completed_is_done_again(
    tmp_path: Path, where: Path, db: Path
) -> None:
    source = Tally().build(tmp_path / "source")
    repository = where
    git(
        tmp_path,
        "clone",
        "-q",
        "--depth=1",
        "--no-single-branch",
        f"file://{source}",
        str(repository),
    )
    _run(repository, db)
    git(repository, "fetch", "-q", "--unshallow")
    done, after = _run(repository, db)
    assert not done.unchanged
    assert done.censored == []
    same(after, _fresh(repository, tmp_path))


def test_partial_clone_counts_what_it_was_not_given(tmp_path: Path, where: Path, db: Path) -> None:
    tally = Tally()
    source = tally.build(tmp_path / "source")
    git(source, "config", "uploadpack.allowFilter", "true")
    repository = where
    git(
        tmp_path,
        "clone",
        "-q",
        "--filter=blob:none",
        "--no-checkout",
        f"file://{source}",
        str(repository),
    )
    before = _state(repository)
    done, _ = _run(repository, db)
    assert _state(repository) == before  # nothing was fetched behind the user's back
    assert any("partial" in note for note in done.censored)
    assert {r["transcript"] for r in _rows(db, "SELECT transcript FROM checkpoint_sessions")} == {
        "missing_blob"
    }
    files = _rows(db, "SELECT DISTINCT content, lines_added FROM commit_files")
    assert files == [{"content": "missing", "lines_added": 0}]
    codes = {
        r["code"]: r["n"] for r in _rows(db, "SELECT code, COUNT(*) AS n FROM problems GROUP BY 1")
    }
    assert codes["file_missing"] == 5  # five files in three commits
    assert codes["metadata_missing_blob"] >= 2


def _lose(repository: Path, name: str) -> None:
    """Removes one loose object."""
    oid = object_id(repository, name)
    path = repository / "objects" / oid[:2] / oid[2:]
    path.unlink()


def test_transcript_that_is_absent_makes_its_commit_unknown_and_no_other(
    where: Path, db: Path
) -> None:
    tally = Tally()
    repository = tally.build(where)
    key = tally.median.checkpoints[0]
    _lose(repository, f"entire/checkpoints/v1:{key[:2]}/{key[2:]}/0/full.jsonl")
    _run(repository, db)
    assert _authors(db, tally.median.sha) == {
        "src/median.py": [(1, 3, "unknown", "transcript_missing")]
    }
    assert _authors(db, tally.mean.sha)["src/app.py"] == [(3, 6, "agent", "exact")]
    problems = _rows(db, "SELECT subject, code FROM problems")
    assert problems == [{"subject": f"{key}/0", "code": "transcript_missing_blob"}]
    states = _rows(db, "SELECT key, transcript FROM sessions")
    assert {r["key"]: r["transcript"] for r in states} == {
        tally.one.id: "present",
        tally.two.id: "missing_blob",
    }


def test_file_that_is_absent_is_listed_and_not_judged(where: Path, db: Path) -> None:
    tally = Tally()
    repository = tally.build(where)
    _lose(repository, "main:src/median.py")
    _run(repository, db)
    assert _authors(db, tally.median.sha) == {}
    assert _rows(db, "SELECT path, lines_added FROM commit_files WHERE content = 'missing'") == [
        {"path": "src/median.py", "lines_added": 0}
    ]
    problems = _rows(db, "SELECT subject, code, detail FROM problems")
    assert problems == [
        {"subject": tally.median.sha, "code": "file_missing", "detail": "src/median.py"}
    ]


def test_tree_that_is_absent_is_a_problem_of_its_commit_alone(where: Path, db: Path) -> None:
    tally = Tally()
    repository = tally.build(where)
    _lose(repository, f"{tally.mean.sha}:src")
    _run(repository, db)
    codes = {pick(r, "subject", "code") for r in _rows(db, "SELECT subject, code FROM problems")}
    assert (tally.mean.sha, "tree_missing") in codes
    assert tally.start.sha not in {subject for subject, _ in codes}


def test_transcript_that_arrives_after_all_is_read(tmp_path: Path, where: Path, db: Path) -> None:
    """The missing objects of a partial clone are fetched; no ref moves."""
    tally = Tally()
    repository = tally.build(where)
    whole = _fresh(repository, tmp_path)
    key = tally.median.checkpoints[0]
    name = f"entire/checkpoints/v1:{key[:2]}/{key[2:]}/0/full.jsonl"
    data = git(repository, "cat-file", "blob", name)
    _lose(repository, name)
    _run(repository, db)
    git(repository, "hash-object", "-w", "--stdin", stdin=data)
    done, after = _run(repository, db)
    assert not done.unchanged
    same(after, whole)


_CUT = '{"q":"yy","b":[' + ",".join(["{}"] * 80_000) + "]}"  # 200,000 characters end behind a brace
_LIES = {
    "negative start": '"checkpoint_transcript_start": -5',
    "start beyond SQLite": '"checkpoint_transcript_start": 99999999999999999999999999',
    "start as a float": '"checkpoint_transcript_start": 1e30',
    "claim that is cut": f'"initial_attribution": {_CUT}',
    "claim of text": '"initial_attribution": "{not json}"',
    "claim of numbers": (
        '"initial_attribution": {"agent_lines": 1e400, "agent_percentage": NaN, "total_committed":'
        ' "3"}'
    ),
    "time before time": '"created_at": "0001-01-01T00:00:00+14:00"',
    "time after time": '"created_at": "9999-12-31T23:59:59-14:00"',
    "text no database takes": '"branch": "\\ud800\\u0000", "model": "\\udfff", "agent": "\\u202e"',
    "id no database takes": '"session_id": "\\ud800\\u0000"',
    "paths that are none": '"files_touched": ["", "/", "../../etc/passwd", "\\ud800", 3, null]',
}


@pytest.mark.parametrize("lie", sorted(_LIES))
def test_metadata_that_lies_ends_in_rows_and_never_in_an_exception(
    lie: str, where: Path, db: Path
) -> None:
    tally = Tally()
    key = "a1b2c3d4e5f6"
    metadata = '{"session_id": "liar", ' + _LIES[lie] + "}"
    files = {
        "metadata.json": b'{"sessions": []}',
        "0/metadata.json": metadata.encode(),
        "0/full.jsonl": b"{}\n",
    }
    tally.world.human_write("liar.py", "x = 1\n")
    commit = tally.world.commit("By a liar", names=[key])
    tally.world.store_files({f"{key[:2]}/{key[2:]}/{name}": data for name, data in files.items()})
    _run(tally.build(where), db)
    assert _authors(db, tally.median.sha) == MEDIAN_LINES
    assert list(_authors(db, commit.sha)) == ["liar.py"]


def test_file_that_arrives_after_all_is_judged(tmp_path: Path, where: Path, db: Path) -> None:
    """A checkout in a partial clone fetches the files it needs; no ref moves."""
    tally = Tally()
    repository = tally.build(where)
    whole = _fresh(repository, tmp_path)
    data = git(repository, "cat-file", "blob", "main:src/median.py")
    _lose(repository, "main:src/median.py")
    _run(repository, db)
    git(repository, "hash-object", "-w", "--stdin", stdin=data)
    done, after = _run(repository, db)
    assert not done.unchanged
    same(after, whole)


def test_second_run_does_nothing_although_one_chunk_is_absent(where: Path, db: Path) -> None:
    world = World("chunks")
    session = world.session(prompt="Long work")
    for number in range(5):
        session.write(f"{number}.py", f"x = {number}\n")
    commit = world.commit("All", [session], stored=Stored(parts=3))
    repository = world.build(where)
    key = commit.checkpoints[0]
    _lose(repository, f"entire/checkpoints/v1:{key[:2]}/{key[2:]}/0/full.jsonl.001")
    first, _ = _run(repository, db)
    second, _ = _run(repository, db)
    assert (first.unchanged, second.unchanged) == (False, True)


def test_cut_transcript_leaves_what_follows_unknown(tmp_path: Path, db: Path) -> None:
    world = World.holding("cut", {"a.py": "a = 1\n"})
    session = world.session(prompt="Two files")
    session.write("one.py", "one = 1\n")
    kept = len(session.log.records)
    session.write("two.py", "two = 2\n")
    commit = world.commit("Both", [session], stored=Stored(transcript="cut", keep=kept))
    _run_built(world, tmp_path)
    said = _authors(db, commit.sha)
    assert said["one.py"] == [(1, 1, "agent", "exact")]
    assert said["two.py"][0][2] == "unknown"


def test_lines_from_before_the_beginning_of_a_truncated_transcript_are_not_called_human(
    tmp_path: Path,
    db: Path,
) -> None:
    """The copies hold what came since the one before, and the first of them is not there."""
    world = World.holding("truncated_start", {"a.py": "a = 1\n"})
    session = world.session(prompt="Two files")
    session.write("one.py", "one = 1\n")
    session.kept = len(session.log.records)
    session.write("two.py", "two = 2\n")
    commit = world.commit("Both", [session], stored=Stored(transcript="delta"))
    _run_built(world, tmp_path)
    said = _authors(db, commit.sha)
    assert said["two.py"] == [(1, 1, "agent", "exact")]
    assert said["one.py"] == [(1, 1, "unknown", "transcript_not_stored")]
    codes = [row["code"] for row in _rows(db, "SELECT code FROM problems")]
    assert codes == ["beginning_missing"]


def test_a_line_that_is_not_committed_was_removed_by_a_person_only_if_the_session_saw_it(
    tmp_path: Path,
    db: Path,
) -> None:
    world = World.holding("not_committed", {"a.py": "a = 1\n"})
    session = world.session(prompt="Three files")
    session.write("seen.py", "first_value = 1\nsecond_value = 2\nthird_value = 3\n")
    session.write("unseen.py", "fourth_value = 4\nfifth_value = 5\nsixth_value = 6\n")
    session.write("scratch.py", "never_committed = 7\n")
    session.end_turn()
    world.wait(60)
    world.human_delete("seen.py", "second_value = 2\n")
    session.prompt("Go on")
    session.read("seen.py")
    session.edit("seen.py", "third_value = 3", "third_value = 33")
    session.end_turn()
    world.wait(60)
    world.human_delete("unseen.py", "fifth_value = 5\n")
    world.commit("Some of it", [session], paths=["seen.py", "unseen.py"])
    _run_built(world, tmp_path)
    (row,) = _rows(db, "SELECT * FROM session_stats")
    found = {
        name: row[name]
        for name in (
            "survived",
            "self_overwritten",
            "human_deleted",
            "not_committed",
            "unexplained",
            "uncommitted",
        )
    }
    assert found == {
        "survived": 4,
        "self_overwritten": 1,
        "human_deleted": 1,
        "not_committed": 2,
        "unexplained": 0,
        "uncommitted": 1,
    }


@pytest.mark.parametrize(
    ("persons", "percentage", "mode"),
    [("docs/plan.md", 100.0, "vibe"), ("ledger.py", pytest.approx(50.0), "collaborative")],
)
def test_a_sessions_share_counts_source_and_test_files(
    persons: str, percentage: float, mode: str, tmp_path: Path, db: Path
) -> None:
    """What a person writes in the docs is counted beside it."""
    world = World("shares")
    world.human_write("docs/plan.md", "# Plan of the ledger\n\nIt keeps track of expenses.\n")
    world.human_write("ledger.py", "opening_value = 0\n")
    world.commit("A plan")
    session = world.session(prompt="Begin")
    session.edit("ledger.py", "opening_value = 0\n", "opening_value = 1\n")
    session.edit("docs/plan.md", "It keeps track", "It will keep track")
    world.wait(60)
    world.human_insert(persons, "expenses_of_the_day = 'counted by hand'\n")
    session.prompt("Look at it")
    session.outside_edit_notice(persons)
    session.end_turn()
    world.commit("Ledger", [session])
    _run_built(world, tmp_path)
    (row,) = _rows(db, "SELECT * FROM session_stats")
    assert pick(row, "agent_lines", "human_lines") == (2, 1)
    assert pick(row, "agent_percentage", "coding_mode") == (percentage, mode)


def test_commit_by_hand_between_two_edits_tells_what_the_agent_had_before_it(
    tmp_path: Path,
    db: Path,
) -> None:
    """No edit records its base; the commit in between does, so the next person's line is known
    for what it is.
    """
    world = World.holding("between", {"a.py": "alpha = 1\nomega = 9\n"})
    session = world.session(null_original=True, prompt="Edit")
    world.human_write("new.py", "first = 1\nlast = 9\n")
    session.edit("new.py", "first = 1", "first = 100")
    world.commit("With a file of unknown base", [session])
    world.human_insert("new.py", "by_hand = 5", after="first = 100")
    session.edit("new.py", "last = 9", "last = 900")
    commit = world.commit("And on", [session])
    _run_built(world, tmp_path)
    assert _authors(db, commit.sha)["new.py"] == [
        (2, 2, "human", "none"),
        (3, 3, "agent", "exact"),
    ]


def test_copy_that_is_the_beginning_of_a_longer_one_is_not_read(
    where: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.holding("growing", {"a.py": "a = 1\n"})
    session = world.session()
    for name in ("one", "two", "three"):
        session.prompt(name)
        session.write(f"{name}.py", f"{name} = 1\n")
        world.commit(name, [session])
    repository = world.build(where)
    read: list[str] = []
    blob = GitRepo.blob

    def noted(self: GitRepo, oid: str) -> bytes | None:
        read.append(oid)
        return blob(self, oid)

    monkeypatch.setattr(GitRepo, "blob", noted)
    _run(repository, db)
    transcripts = {
        row["transcript_blob"]
        for row in _rows(db, "SELECT transcript_blob FROM checkpoint_sessions")
    }
    assert len(transcripts) == 3
    assert len(transcripts & set(read)) == 1


@pytest.mark.parametrize(
    ("data", "like", "expected"),
    [
        (b"", "", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (b"hello\n", "", "ce013625030ba8dba906f756967f9e9ca394464a"),
        (b"", "0" * 64, "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"),
    ],
)
def test_blob_has_the_id_that_git_gives_it(data: bytes, like: str, expected: str) -> None:
    assert blob_id(data, like) == expected


def test_text_of_a_call_whose_result_was_lost_is_not_called_human(tmp_path: Path, db: Path) -> None:
    """The program ended, or the context was compacted, before the result was written: the edit
    wrote what the commit has of it.
    """
    world = World.holding("no-result", {"a.py": "import os\n"})
    session = world.session(prompt="Two imports")
    session.write("b.py", "b = 1\n")
    session.edit_cut_off("a.py", "import os", "import os\nimport strings_of_all_kinds")
    world.human_insert("a.py", "import strings_of_all_kinds\nimport another_one", after="import os")
    commit = world.commit("Both", [session])
    _run_built(world, tmp_path)
    assert _authors(db, commit.sha)["a.py"] == [
        (2, 2, "agent", "moved"),
        (3, 3, "human", "none"),
    ]


def _subagent_file(session: str, agent_id: str, cwd: str, path: str, text: str, at: float) -> bytes:
    """What a subagent did, as a transcript of its own: the task, a Write, its result."""
    shared = {
        "isSidechain": True,
        "sessionId": session,
        "agentId": agent_id,
        "cwd": cwd,
        "version": "2.1.150",
    }
    tool = {
        "type": "tool_use",
        "id": "toolu_sub",
        "name": "Write",
        "input": {"file_path": f"{cwd}/{path}", "content": text},
    }
    messages = [
        ("user", {"role": "user", "content": "Write that file"}, None),
        (
            "assistant",
            {"role": "assistant", "id": "msg_sub", "model": "claude-haiku-4-5", "content": [tool]},
            None,
        ),
        (
            "user",
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "toolu_sub", "content": "done"}],
            },
            claude.write_result(f"{cwd}/{path}", text, None),
        ),
    ]
    records = []
    for number, (kind, message, detail) in enumerate(messages):
        record = {
            **shared,
            "type": kind,
            "uuid": f"sub-{number}",
            "parentUuid": f"sub-{number - 1}" if number else None,
        }
        record |= {"timestamp": claude.iso(at + number), "message": message}
        records.append(record | ({"toolUseResult": detail} if detail else {}))
    return jsonl(*records)


@pytest.mark.parametrize(
    ("owner", "said"),
    [("", ("agent", "exact")), ("another-session", ("unknown", "invisible_subagent"))],
)
def test_file_of_a_subagent_beside_the_transcript_shows_what_it_did(
    owner: str, said: tuple[str, str], tmp_path: Path, db: Path
) -> None:
    world = World.holding("task-files", {"a.py": "a = 1\n"})
    session = world.session("2.1.150", prompt="Delegate it")
    with session.subagent("Write a file", visible=False) as sub:
        began = world.clock
        sub.write("sub.py", "written = by_a_subagent\n")
    commit = world.commit("By a subagent", [session])
    (checkpoint,) = commit.checkpoints
    content = _subagent_file(
        owner or session.id,
        sub.agent_id,
        session.log.cwd,
        "sub.py",
        "written = by_a_subagent\n",
        began,
    )
    world.store_files(
        {f"{checkpoint[:2]}/{checkpoint[2:]}/tasks/toolu_x/agent-{sub.agent_id}.jsonl": content},
        "Task",
    )
    _run_built(world, tmp_path)
    assert _authors(db, commit.sha)["sub.py"] == [(1, 1, *said)]
    (row,) = _rows(db, "SELECT turns, unseen_subagents FROM sessions")
    assert row == {"turns": 1, "unseen_subagents": 0 if not owner else 1}


@pytest.mark.parametrize(("gone", "method"), [(False, "made_by_call"), (True, "time_and_files")])
def test_commit_of_one_line_is_its_sessions_although_it_names_nothing(
    gone: bool, method: str, tmp_path: Path, db: Path
) -> None:
    """The call that made the commit printed its id; where somebody else made it, the file is as
    the session left it.
    """
    world = World.holding("by-call", {"a.py": "alpha = 1\nomega = 9\n"})
    session = world.session("2.1.160", prompt="Change it and commit")
    session.edit("a.py", "alpha = 1", "alpha = 100")
    if gone:
        commit = world.commit("Change alpha", [session], trailer="none", stored=None)
    else:
        commit = session.git_commit("Change alpha", trailer="none", stored=None)
    session.write("b.py", "b = 1\n")
    world.commit("And another", [session])
    _run_built(world, tmp_path)
    rows = _rows(
        db,
        "SELECT c.commit_sha, s.method FROM commit_sessions s JOIN commits c ON c.id = s.commit_id",
    )
    assert {row["commit_sha"]: row["method"] for row in rows}.get(commit.sha) == method
    assert _authors(db, commit.sha)["a.py"] == [(1, 1, "agent", "exact")]


def test_script_of_the_committed_package_file_tells_which_generator_ran(
    tmp_path: Path, db: Path
) -> None:
    """The name of the script says nothing; the file that was committed before the call does, and
    is not run.
    """
    world = World.holding(
        "scripts", {"package.json": '{"scripts": {"ship": "drizzle-kit generate"}}\n'}
    )
    session = world.session("2.1.150", prompt="Make a migration")
    session.write("src/schema.ts", "export const users = table()\n")
    session.bash(
        "pnpm ship",
        lambda shell: shell.write("drizzle/0000_init.sql", "CREATE TABLE users;\nSELECT 1;\n"),
        blunt=True,
    )
    commit = world.commit("Migration", [session])
    _run_built(world, tmp_path)
    assert _authors(db, commit.sha)["drizzle/0000_init.sql"] == [(1, 2, "tool", "none")]
    (row,) = _rows(db, "SELECT DISTINCT tool, run_by FROM line_spans WHERE author = 'tool'")
    assert row == {"tool": "drizzle-kit", "run_by": "agent"}


def test_file_that_a_subagent_was_told_to_make_is_the_agents(tmp_path: Path, db: Path) -> None:
    world = World.holding("told", {"a.py": "a = 1\n"})
    session = world.session("2.1.150", prompt="Delegate it")
    with session.subagent(
        "Create sub.py with one assignment. Read notes.md before.", visible=False
    ) as sub:
        sub.write("sub.py", "written = by_a_subagent\n")
    world.human_write("notes.md", "what to assign\n")
    commit = world.commit("By a subagent", [session])
    _run_built(world, tmp_path)
    said = _authors(db, commit.sha)
    assert said["sub.py"] == [(1, 1, "agent", "subagent")]
    assert said["notes.md"] == [(1, 1, "unknown", "invisible_subagent")]


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Create sub.py with one assignment.", ("agent", "subagent")),
        ("Write tests for sub.py.", ("agent", "subagent")),
        ("Read sub.py and review it.", ("unknown", "other_branch")),
    ],
)
def test_file_that_a_subagent_was_told_to_make_is_the_agents_after_a_rebase(
    task: str, said: tuple[str, str], tmp_path: Path, db: Path
) -> None:
    """The session read the file only afterwards, and it may have come from another branch; but a
    task names it first.
    """
    world = World.holding("told-and-rebased", {"a.py": "a = 1\n"})
    world.branch_off("feature")
    session = world.session("2.1.150", prompt="Delegate it")
    with session.subagent(task, visible=False) as sub:
        sub.write("sub.py", "written = by_a_subagent\n")
    session.read("sub.py")
    session.end_turn()
    (checkpoint,) = world.commit("By a subagent", [session]).checkpoints
    world.switch("main")
    world.human_write("other.py", "b = 2\n")
    world.commit("Meanwhile")
    world.rebase("feature", lambda title: f"{title}\n\nEntire-Checkpoint: {checkpoint}")
    rebased = world.tips["main"]
    session.prompt("Add a line")
    session.edit("sub.py", "written = by_a_subagent", "written = by_a_subagent\nmore = 1")
    world.commit("More", [session])
    _run_built(world, tmp_path)
    assert _authors(db, rebased.sha)["sub.py"] == [(1, 1, *said)]


def test_task_record_of_a_subagent_names_its_files(tmp_path: Path, db: Path) -> None:
    """Without the transcript of the subagent: the recorder's list of what differed when it was
    done.
    """
    world = World.holding("task-record", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    session = world.session("2.1.150", prompt="Delegate it")
    session.edit("b.py", "b = 1", "b = 2")
    with session.subagent("Do what is left", visible=False) as sub:
        sub.write("sub.py", "written = by_a_subagent\n")
        sub.edit("a.py", "a = 1", "a = 2")
        call = sub._parent
    world.human_write("b.py", "b = 2\nadded_by_a_person = 3\n")
    session.read("b.py")
    commit = world.commit("By a subagent", [session])
    (checkpoint,) = commit.checkpoints
    record = {
        "tool_use_id": call,
        "agent_id": sub.agent_id,
        "subagent_type": "general-purpose",
        "task_description": "Delegated work",
        "files": ["a.py", "sub.py"],
        "started_at": claude.iso(0),
        "completed_at": claude.iso(world.clock),
        "transcript_unavailable_reason": "transcript too large",
    }
    place = f"{checkpoint[:2]}/{checkpoint[2:]}/tasks/{call}/task.json"
    without = world.build(tmp_path / "without")
    _run(without, tmp_path / "without.db")
    said = _authors(tmp_path / "without.db", commit.sha)
    assert {spans[-1][2:] for spans in said.values()} == {("unknown", "invisible_subagent")}
    world.store_files({place: json.dumps(record).encode()}, "Task")
    _run(world.build(tmp_path / "with"), db)
    said = _authors(db, commit.sha)
    assert said["sub.py"] == [(1, 1, "agent", "subagent")]
    assert said["a.py"] == [(1, 1, "unknown", "invisible_subagent")]
    assert said["b.py"] == [(1, 1, "agent", "exact"), (2, 2, "human", "none")]
    (row,) = _rows(db, "SELECT detail FROM problems WHERE code = 'no_subagent_transcript'")
    assert row["detail"] == "transcript too large"


def test_copy_of_what_a_converter_wrote_is_nobodys_by_hand(tmp_path: Path, db: Path) -> None:
    """Both files are of one call: the converter's output, and a file that an unknown program
    wrote after it.
    """
    world = World("converted")
    world.human_write("src.md", "# Birds\n")
    world.commit("Start")
    session = world.session("2.1.150", prompt="Publish it")
    session.write("notes.md", "published\n")
    page = "<h1>Birds</h1>\n<p>one bird a day</p>\n<p>two at night</p>\n"

    def convert(shell: Shell) -> None:
        shell.write("a.xml", page)
        shell.write("b.xml", page)

    session.bash("pandoc src.md -o a.xml && ./publish a.xml", convert, blunt=True)
    commit = world.commit("Publish", [session])
    _run_built(world, tmp_path)
    authors = _authors(db, commit.sha)
    assert authors["a.xml"] == [(1, 3, "tool", "none")] and authors["b.xml"] == [
        (1, 3, "unknown", "opaque_shell")
    ]


def test_edits_whose_path_was_redacted_are_counted_and_their_lines_found_by_their_text(
    tmp_path: Path,
    db: Path,
) -> None:
    """The recorder put one word in the place of a name: the file is not known, the lines of a
    commit are.
    """
    world = World("redacted")
    world.human_write("docs/index.md", "# Ledger\n")
    world.commit("Begin")
    session = world.session(prompt="Write the guide and the notes")
    session.write(
        "docs/REDACTED.md",
        "The ledger keeps track of small expenses.\nIt is closed at the end of each month.\n",
    )
    world.rename("docs/REDACTED.md", "docs/aX9pQ2-guide.md")
    session.write("notes/REDACTED.md", "These notes of the ledger are committed nowhere.\n")
    world.remove("notes/REDACTED.md")
    session.end_turn()
    world.commit("A guide", [session])
    _run_built(world, tmp_path)
    edits = _rows(db, "SELECT outcome, detail FROM edits")
    assert [pick(row, "outcome", "detail") for row in edits] == [("unmatched", "path_redacted")] * 2
    (total,) = _rows(db, "SELECT edits_unmatched, edits_applied FROM session_stats")
    assert pick(total, "edits_unmatched", "edits_applied") == (2, 0)
    lines = _rows(
        db,
        "SELECT DISTINCT class, evidence FROM line_spans WHERE path = 'docs/aX9pQ2-guide.md'",
    )
    assert [pick(row, "class", "evidence") for row in lines] == [("agent", "matched")]


# --- a clone in which somebody goes on working ----------------------------------------------------


# they know what lies on any branch by the time they are written
_OF_ALL_BRANCHES = ("session_features", "scores", "stage_runs")


def _tip(repository: Path, name: str = "HEAD") -> str:
    return object_id(repository, name)


def _moving(repository: Path, stop: int, tips: tuple[str, str]) -> Progress:
    """Progress at whose n-th word the branch of HEAD is at the second commit instead of the
    first.
    """
    words = itertools.count(1)

    def move(what: str, done: int, total: int) -> None:
        if next(words) == stop:
            git(repository, "update-ref", "HEAD", tips[1], tips[0])

    return move


def test_branch_that_moves_during_a_run_gives_the_answer_of_before_or_after(
    tmp_path: Path, where: Path, db: Path
) -> None:
    repository = Tally().build(where)
    new = _tip(repository)
    old = _tip(repository, "HEAD~1")
    after = _fresh(repository, tmp_path)
    git(repository, "update-ref", "HEAD", old)
    before = _run(repository, db)[1]
    for stop in itertools.count(1):
        git(repository, "update-ref", "HEAD", old)
        answer = _run(
            repository,
            tmp_path / f"moved-{stop}.db",
            progress=_moving(repository, stop, (old, new)),
        )[1]
        if _tip(repository) == old:
            break
        expected = after if answer["commits"] == after["commits"] else before
        assert {t: answer[t] for t in answer if t not in _OF_ALL_BRANCHES} == {
            t: expected[t] for t in expected if t not in _OF_ALL_BRANCHES
        }
        same(_run(repository, tmp_path / f"moved-{stop}.db")[1], after)
    assert stop > _FEWEST_STOPS
