"""Random histories with known authors: a small share of what `make accuracy` runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from support import random_history
from support.builder import git, import_stream
from support.truth import compare, run

from attribution.authorship.options import AttributeOptions
from attribution.ensure.clone import attributed_clone
from attribution.queries.blame import BlameLine, blame
from attribution.stages import line_rows
from attribution.stages.lines import attribute_repo
from collector.git.repository import GitRepo
from collector.json_values import Texts
from collector.storage.compare import compare as compare_databases
from collector.storage.store import Store

SEEDS = range(6)


@pytest.fixture(scope="module")
def confusion(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """(truth, said) -> lines over all seeds."""
    total: Counter[tuple[str, str]] = Counter()
    for seed in SEEDS:
        where = tmp_path_factory.mktemp("random")
        stream, expected = random_history.generate(seed)
        import_stream(stream, where / "repo")
        said, _ = run(where / "repo", where / "out.db")
        total += compare(expected, said).confusion
    return total


# Most of a person's lines in these histories have no witness: whole files that only the commit
# shows.
@pytest.mark.parametrize(
    ("author", "precision", "recall"), [("agent", 0.99, 0.99), ("human", 0.97, 0.2)]
)
def test_precision_and_recall(
    confusion: Counter[tuple[str, str]], author: str, precision: float, recall: float
) -> None:
    right = confusion[author, author]
    said = sum(n for (_, s), n in confusion.items() if s == author)
    true = sum(n for (t, _), n in confusion.items() if t == author)
    assert right > 80
    assert right / said >= precision, confusion
    assert right / true >= recall, confusion


def test_wrong_with_confidence_is_rare(confusion: Counter[tuple[str, str]]) -> None:
    wrong = sum(n for (truth, said), n in confusion.items() if said != "unknown" and truth != said)
    assert wrong / confusion.total() < 0.01, confusion


@pytest.mark.parametrize("seed", range(6))
def test_updates_commit_by_commit_or_in_leaps_end_as_one_fresh_run(
    seed: int, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what a later run must take back: a commit can change what is known of older lines.

    A commit is made again, and another branch is checked out for a while. In every other history
    some sessions arrive after their commits, and a run is killed while it writes.
    """
    rng, stream = Random(seed), random_history.generate(seed)[0]
    repository = import_stream(stream, tmp_path / "repo")
    commits = git(repository, "rev-list", "--reverse", "main").decode().split()
    cuts = rng.sample(commits[:-1], min(4, len(commits) - 1))
    late, killed = (rng.sample([*cuts, ""], 2), rng.choice([*cuts, ""])) if seed % 2 else ([], None)
    again = _make_again(repository, rng.choice(commits[1:]))
    for branch in (*sorted(cuts, key=commits.index), again, rng.choice(commits), ""):
        options = AttributeOptions(branch=branch)
        hidden = (
            _refs(repository, "refs/heads/entire", "refs/entire", "refs/remotes")
            if branch in late
            else {}
        )
        for ref in hidden:
            git(repository, "update-ref", "-d", ref)
        if branch == killed:
            with monkeypatch.context() as patch, Store(db) as store:
                patch.setattr(line_rows, "totals", _kill)
                with pytest.raises(KeyboardInterrupt):
                    attribute_repo(store, repository, options)
        with Store(db) as store:
            attribute_repo(store, repository, options)
        for ref, target in hidden.items():
            git(repository, "update-ref", ref, target)
    _attribute(repository, commits[-1], db)
    _attribute(repository, commits[-1], tmp_path / "fresh.db")
    tables = compare_databases(db, tmp_path / "fresh.db")
    # what was known of the commit that is gone stays
    assert {table.table for table in tables if table.differs} == {"gone_commits"} and any(
        table.table == "spans" and table.rows for table in tables
    )


def _make_again(repository: Path, commit: str) -> str:
    """A commit with the same files, message and first parent, by nobody of the history."""
    message = git(repository, "log", "-1", "--format=%B", commit).decode()
    parents = "-p", f"{commit}~", "-m", message
    nobody = "-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"
    made = git(repository, *nobody, "commit-tree", f"{commit}^{{tree}}", *parents)
    return made.decode().strip()


def _kill(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("with_sessions", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_line_of_a_newer_commit_has_the_class_of_a_fresh_run_or_none(
    seed: int, with_sessions: bool, tmp_path: Path
) -> None:
    """Also where the first run knew no session."""
    repository = import_stream(random_history.generate(seed)[0], tmp_path / "repo")
    commits = git(repository, "rev-list", "--reverse", "main").decode().split()
    answered = 0
    for number, first in enumerate(Random(seed).sample(range(len(commits) - 3), 3)):
        hidden = (
            {}
            if with_sessions
            else _refs(repository, "refs/heads/entire", "refs/entire", "refs/remotes")
        )
        for ref in hidden:
            git(repository, "update-ref", "-d", ref)
        _attribute(repository, commits[first], tmp_path / f"{number}.db")
        for ref, target in hidden.items():
            git(repository, "update-ref", ref, target)
        last = commits[first + 1 + number]
        _attribute(repository, last, tmp_path / f"{number}-fresh.db")
        for path in git(repository, "ls-tree", "-r", "--name-only", last).decode().splitlines():
            quick, fresh = (
                _blamed(repository, tmp_path / f"{number}{name}.db", path)
                for name in ("", "-fresh")
            )
            pairs = [
                (a.attribution, b.attribution)
                for a, b in zip(quick, fresh, strict=True)
                if a.attribution.provisional
            ]
            assert [(told.kind, told.session) for told, _ in pairs] == [
                (settled.kind, settled.session) for _, settled in pairs
            ]
            answered += len(pairs)
    assert answered


def _refs(repository: Path, *below: str) -> Texts:
    lines = (
        git(repository, "for-each-ref", "--format=%(refname) %(objectname)", *below)
        .decode()
        .splitlines()
    )
    return dict(line.split() for line in lines)


def _attribute(repository: Path, commit: str, db: Path) -> None:
    git(repository, "update-ref", "refs/heads/main", commit)
    with Store(db) as store:
        attribute_repo(store, repository, AttributeOptions())


def _blamed(repository: Path, db: Path, path: str) -> list[BlameLine]:
    with Store(db) as store:
        return (
            blame(attributed_clone(store, GitRepo(repository), print), path).lines if path else []
        )
