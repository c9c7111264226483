"""Commits that git shows and libgit2 refuses hide no history; messages are read in their
encoding.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.local_clone import Clone

from attribution.authorship.options import AttributeOptions
from attribution.stages.lines import attribute_repo
from collector.git.repository import GitRepo
from collector.local.model import LocalChoice, LocalOptions
from collector.storage.store import Store

WHEN = "1772442000 +0000"
ODD = {
    "line break in the address": f"A <a@b\n> {WHEN}",
    "line break in the name": f"A\nB <a@b> {WHEN}",
    "no address": f"A {WHEN}",
    "no date": "A <a@b>",
}


def _add(clone: Clone, author: str, message: bytes = b"odd\n", more: str = "") -> str:
    """Adds a commit with such a line for its author to the branch."""
    tree, parent = (clone.git(*of).strip() for of in (("write-tree",), ("rev-parse", "HEAD")))
    head = f"tree {tree}\nparent {parent}\nauthor {author}\ncommitter C <c@d> {WHEN}\n{more}\n"
    command = ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
    done = subprocess.run(
        command, cwd=clone.path, input=head.encode() + message, capture_output=True, check=True
    )
    sha = done.stdout.decode().strip()
    clone.git("update-ref", "refs/heads/main", sha)
    return sha


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("at_the_tip", [False, True])
def test_a_commit_with_a_broken_author_hides_no_history(
    tmp_path: Path, db: Path, kind: str, at_the_tip: bool
) -> None:
    clone = Clone(tmp_path / "tally")
    clone.person("old.py", "old = 1\n")
    first = clone.commit("Old")
    clone.person("odd.py", "odd = 1\n")
    clone.git("add", "-A")
    odd = _add(clone, ODD[kind])
    shas = [first, odd]
    if not at_the_tip:
        clone.person("new.py", "new = 1\n")
        shas.append(clone.commit("New"))
    repo = GitRepo(clone.path)
    head = repo.default_branch().sha
    commits = list(repo.history(head))
    assert [commit.sha for commit in commits] == shas
    assert [[change.path for change in repo.changes(commit) or ()] for commit in commits] == [
        ["old.py"],
        ["odd.py"],
        ["new.py"],
    ][: len(shas)]
    assert set(repo.paths(odd)) == {"old.py", "odd.py"}
    assert repo.resolve("main").sha == head
    assert commits[1].commit_time == 1772442000
    with Store(db) as store:
        options = AttributeOptions(local=LocalOptions(LocalChoice.NEVER))
        attribute_repo(store, clone.path, options)
        assert store.value("SELECT COUNT(*) FROM commits") == len(shas)
        rows = store.rows("SELECT subject FROM problems WHERE code = 'commit_damaged'")
        refused = set(repo.refused)
        assert {row["subject"] for row in rows} == refused <= {odd}


def test_an_absent_parent_is_not_a_damaged_commit(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "tally")
    clone.person("a.py", "a = 1\n")
    gone = clone.commit("Old")
    clone.person("b.py", "b = 1\n")
    kept = clone.commit("New")
    (clone.path / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    repo = GitRepo(clone.path)
    assert [commit.sha for commit in repo.history(kept)] == [kept]
    assert not repo.refused


@pytest.mark.parametrize(
    ("encoding", "message"),
    [("ISO-8859-1", "Ärger behoben\n"), ("windows-1251", "Исправлено\n"), ("Shift_JIS", "修正\n")],
)
def test_a_message_is_read_in_its_encoding(tmp_path: Path, encoding: str, message: str) -> None:
    clone = Clone(tmp_path / "tally")
    clone.person("a.py", "a = 1\n")
    clone.commit("Old")
    sha = _add(clone, f"A <a@b> {WHEN}", message.encode(encoding), f"encoding {encoding}\n")
    commit = GitRepo(clone.path).commit(sha)
    assert commit is not None
    assert commit.message == message


@pytest.mark.parametrize("encoding", ["idna", "rot13", "no such", "hex", "utf-8"])
def test_no_other_encoding_is_asked_for(tmp_path: Path, encoding: str) -> None:
    clone = Clone(tmp_path / "tally")
    clone.person("a.py", "a = 1\n")
    clone.commit("Old")
    sha = _add(clone, f"A <a@b> {WHEN}", b"\xff plain\n", f"encoding {encoding}\n")
    commit = GitRepo(clone.path).commit(sha)
    assert commit is not None
    assert commit.message == "\udcff plain\n"
