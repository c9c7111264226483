"""Repositories whose ids are SHA-256: what is told of them is what libgit2 tells of the same
history with SHA-1 ids.
"""

from __future__ import annotations

import gc
import random
import re
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from support.builder.objects import git, object_id
from support.commands import clone, collect, run
from support.histories import Build, random_history

from attribution.lineage.lifetimes import LineLifetimes
from attribution.lineage.walk import HistoryWalk
from collector.errors import UnknownBranch
from collector.git.repository import GitRepo, Sha256Repo
from collector.json_values import Texts
from collector.model import Commit

SHORT = re.compile(r"\b[0-9a-f]{9}\b")
FURTHER = b"0" * 24  # what an id of another repository's commit is made longer by


def translated(place: Path, to: Path, tmp_path: Path) -> Texts:
    """Makes the same history with SHA-256 ids; gives the SHA-1 id of each of its commits, blobs
    and trees.
    """
    marks = [tmp_path / f"{to.name}.{number}" for number in (1, 2)]
    stream = git(
        place,
        "fast-export",
        "--all",
        "--reencode=no",
        "--signed-tags=verbatim",
        f"--export-marks={marks[0]}",
    )
    stream = re.sub(rb"(?m)^(M 160000 [0-9a-f]{40}) ", rb"\g<1>%s " % FURTHER, stream)
    to.mkdir()
    git(to, "init", "-q", "--bare", "--object-format=sha256", "-b", "main", "--template=")
    git(to, "fast-import", "--quiet", f"--export-marks={marks[1]}", stdin=stream)
    one, two = (dict(line.split() for line in path.read_text().splitlines()) for path in marks)
    known = {two[mark]: one[mark] for mark in one}
    for new, old in list(known.items()):
        if git(to, "cat-file", "-t", new).strip() == b"commit":
            listed = [
                git(at, "ls-tree", "-rtz", "--full-tree", sha)
                for at, sha in ((to, new), (place, old))
            ]
            for ours, theirs in zip(*(text.split(b"\0")[:-1] for text in listed), strict=True):
                known[ours.split()[2].decode()] = theirs.split()[2].decode()
            trees = [object_id(at, sha + "^{tree}") for at, sha in ((to, new), (place, old))]
            known[trees[0]] = trees[1]
    return known


def named(value: object, known: Texts) -> str:
    """As text, each SHA-256 id exchanged."""
    text = value if isinstance(value, str) else repr(value)
    return re.sub(r"[0-9a-f]{64}", lambda found: known.get(found[0], found[0]), text)


def questions(one: GitRepo, other: GitRepo, known: Texts) -> None:
    """Everything that is asked of a repository."""
    new = {old: new for new, old in known.items()}
    for ask in (
        "default_branch",
        "first_commit",
        "censored",
        "given_name",
        "remote_url",
        "worktrees",
    ):
        assert named(answer(getattr(other, ask)), known) == named(answer(getattr(one, ask)), {}), (
            ask
        )
    assert named(sorted(other.refs().items()), known) == repr(sorted(one.refs().items()))
    for name in (*one.refs(), "HEAD", "main", "HEAD~1", "no such name", "-x", "a\0b"):
        assert named(answer(other.resolve, name), known) == named(answer(one.resolve, name), {}), (
            name
        )
    tips = {sha for tip in one.refs().values() if (sha := one.peel_commit(tip))}
    for commit in {commit.sha: commit for tip in tips for commit in one.history(tip)}.values():
        ours = other.commit(new[commit.sha])
        assert ours is not None and named(ours, known) == repr(commit)
        assert named(at(other, ours), known) == repr(at(one, commit))
        assert other.resolve(ours.sha[:12]).sha == ours.sha
        for parent in commit.parents:
            assert (one.patch_id(parent, commit.sha) is None) == (
                other.patch_id(new[parent], ours.sha) is None
            )
    for oid, old in known.items():
        assert (other.blob(oid), other.blob_size(oid), other.has(oid)) == (
            one.blob(old),
            one.blob_size(old),
            one.has(old),
        )


def answer(ask: Callable[..., object], *given: object) -> object:
    try:
        return ask(*given)
    except UnknownBranch as error:
        return str(error)


def at(repo: GitRepo, commit: Commit) -> list[object]:
    """What a commit holds and changed."""
    told: list[object] = [
        sorted(repo.paths(commit.sha).items()),
        sorted(repo.entries(commit.sha).items()),
    ]
    told += [repo.changes(commit, number) for number in range(max(1, len(commit.parents)))]
    told += [
        repo.changes(commit, renames=False),
        repo.merge_changes(commit) if len(commit.parents) > 1 else None,
    ]
    told += [
        (path, repo.file_at(commit.sha, path), repo.entry_at(commit.sha, path))
        for path in (*repo.paths(commit.sha), "no/file")
    ]
    return told


@pytest.mark.parametrize(
    "case",
    [
        "example",
        "merge_with_own_lines",
        "odd_files",
        "rename_with_edit",
        "squash_of_a_branch",
        "per_checkpoint_refs",
    ],
)
def test_each_answer_is_that_of_libgit2(tmp_path: Path, case: str) -> None:
    place = clone(case, tmp_path)
    to = tmp_path / "new.git"
    known = translated(place, to, tmp_path)
    one = GitRepo(place)
    other = GitRepo(to)
    assert type(one) is GitRepo and type(other) is Sha256Repo and other.sha256
    questions(one, other, known)


@pytest.mark.parametrize("seed", range(3))
def test_random_histories_have_the_same_lines(tmp_path: Path, seed: int) -> None:
    build = Build(tmp_path / "repo.git")
    random_history(build, random.Random(seed), 25)
    one = build.done()
    to = tmp_path / "new.git"
    known = translated(build.where, to, tmp_path)
    other = GitRepo(to)
    questions(one, other, known)
    tip = build.sha["c24"]
    tips = (tip, {old: new for new, old in known.items()}[tip])
    lives = []
    for repo, tip in zip((one, other), tips, strict=True):
        observer = LineLifetimes()
        with repo.open_scratch() as scratch:
            history = HistoryWalk(repo, scratch).run(tip, observers=[observer.step])
        shas = [known.get(sha, sha) for sha in history.shas]
        spans = observer.spans(history)
        lives.append(
            sorted(
                (shas[s.birth], s.path, s.line, s.lines, [*shas, ""][s.death], s.cause)
                for s in spans
            )
        )
    assert lives[0] == lives[1] and lives[0]


@pytest.mark.parametrize(
    "case", ["example", "squash", "cherry_pick", "merge_with_own_lines", "rebased_commit"]
)
def test_attribution_says_the_same(tmp_path: Path, case: str) -> None:
    place = clone(case, tmp_path)
    to = tmp_path / "new.git"
    known = translated(place, to, tmp_path)
    stored = []
    for number, path in enumerate((place, to)):
        db = tmp_path / f"{number}.db"
        for command in (
            ("repo", path, "--name", "o/r", "-q"),
            ("survival", path, "--no-curves", "-q"),
            ("data", "claims", path),
        ):
            run(*command, db=db)
        with closing(sqlite3.connect(db)) as store, store:
            store.execute("UPDATE repos SET path = NULL, url = NULL")
            store.execute("UPDATE stage_runs SET input_key = ''")  # made of ids
            store.execute("UPDATE tip_states SET state = ''")  # holds ids
            rename(store, known)
        stored.append(db)
    found = run("data", "compare", *stored)
    assert (found.exit_code, found.output[:6]) == (0, "equal:"), found.output


def rename(store: sqlite3.Connection, known: Texts) -> None:
    """Each SHA-256 id in a database becomes the SHA-1 id of the same object."""
    store.execute("PRAGMA ignore_check_constraints = ON")
    short = {new[:9]: old[:9] for new, old in known.items()}
    store.create_function(
        "named", 1, lambda value: SHORT.sub(lambda m: short.get(m[0], m[0]), named(value, known))
    )
    for (table,) in list(
        store.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
    ):
        for column in [row[1] for row in store.execute(f'PRAGMA table_info("{table}")')]:
            store.execute(
                f'UPDATE "{table}" SET "{column}" = named("{column}") WHERE typeof("{column}") ='
                " 'text'"
            )


@pytest.fixture
def example(tmp_path: Path) -> Path:
    translated(clone("example", tmp_path), tmp_path / "new.git", tmp_path)
    return tmp_path / "new.git"


def test_a_shallow_clone_ends_at_its_boundary(example: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--depth=3", example.as_uri(), "shallow.git")
    repo = GitRepo(tmp_path / "shallow.git")
    history = list(repo.history(repo.default_branch().sha))
    assert (
        len(history) == 3 and history[0].sha in repo.censored().shallow and history[0].parents == ()
    )
    assert (
        repo.first_commit() is None
        and repo.changes(history[0]) is None
        and repo.changes(history[1])
    )


@pytest.mark.parametrize("damage", ["absent", "cut", "other"])
def test_objects_that_are_absent_or_damaged_are_not_there(example: Path, damage: str) -> None:
    tip = object_id(example, "main")
    lost = object_id(example, "main~2")
    tree = object_id(example, "main^{tree}")
    for pack in (example / "objects" / "pack").glob("*.pack"):
        data = pack.read_bytes()
        for file in pack.parent.glob(pack.stem + ".*"):
            file.unlink()
        git(example, "unpack-objects", "-q", stdin=data)
    for oid in (lost, tree):
        file = example / "objects" / oid[:2] / oid[2:]
        file.chmod(0o600)
        content = {
            "absent": None,
            "cut": file.read_bytes()[:-8],
            "other": b"nothing that git wrote",
        }[damage]
        file.unlink() if content is None else file.write_bytes(content)
    repo = GitRepo(example)
    commit = repo.commit(tip)
    assert commit is not None and repo.changes(commit) is None and repo.paths(tip) == {}
    assert repo.commit(lost) is None and repo.blob(lost) is None and repo.patch_id("", tip) is None
    assert [found.sha for found in repo.history(tip)][-1] == tip and len(
        list(repo.history(tip))
    ) == 2
    assert repo.commit(tip) == commit, "the next question is answered again"


def test_worktrees_tags_and_symbolic_refs(example: Path, tmp_path: Path) -> None:
    tip = object_id(example, "main")
    git(
        example,
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "tag",
        "-a",
        "-m",
        "one",
        "v1",
        "main~1",
    )
    git(example, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(example, "worktree", "add", "-q", "--detach", str(tmp_path / "side"), "main~2")
    git(example, "pack-refs", "--all")
    repo = GitRepo(example)
    assert repo.refs()["refs/heads/alias"] == tip and repo.resolve("alias").sha == tip
    assert repo.resolve("v1").sha == object_id(example, "main~1")
    side = GitRepo(tmp_path / "side" / "birdlog")
    assert isinstance(side, Sha256Repo) and side.resolve("main").sha == tip
    assert side.default_branch() == ("HEAD", object_id(example, "main~2"))
    assert tmp_path / "side" in repo.worktrees() and tmp_path / "side" in side.worktrees()


def test_names_of_refs_are_no_lines_of_a_list(example: Path) -> None:
    tip = object_id(example, "main")
    for name, content in (
        ("a\nb", tip),
        ("link", None),
        ("odd", "ref: refs/heads/odd"),
        ("long", "x" * 100_000),
        ("bytes", "\0"),
    ):
        file = example / "refs" / "heads" / name
        file.symlink_to("/etc/hostname") if content is None else file.write_text(content)
    (example / "packed-refs").write_text(
        f"# pack-refs with: peeled\n{tip} ../outside\n{tip}\n^{tip}\n{tip} refs/heads/packed\n"
    )
    repo = GitRepo(example)
    assert repo.refs().keys() - {"refs/heads/main", "refs/heads/entire/checkpoints/v1"} <= {
        "refs/heads/packed"
    }
    assert repo.resolve("packed").sha == tip


def test_nothing_of_the_configuration_is_obeyed_and_nothing_written(
    example: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    with (example / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = "touch {mark}"\n\thooksPath = /\n[diff]\n\texternal = "touch'
            f' {mark}"\n'
        )
        config.write(
            f'[diff "x"]\n\ttextconv = "touch {mark}"\n[remote "origin"]\n\turl = "ext::touch'
            f' {mark}"\n'
        )
    (example / "info").mkdir()
    (example / "info" / "attributes").write_text("* diff=x\n")
    before = {path: path.stat().st_mtime_ns for path in example.rglob("*")}
    run("repo", example, "--history", "-q", db=tmp_path / "a.db")
    assert not mark.exists() and before == {
        path: path.stat().st_mtime_ns for path in example.rglob("*")
    }


def test_its_processes_and_directories_end_with_it(example: Path) -> None:
    repo = GitRepo(example)
    assert repo.commit(repo.default_branch().sha)
    assert isinstance(repo, Sha256Repo)
    place = repo._git.directory
    process, *_ = repo._objects._running.values()
    del repo
    gc.collect()
    assert not place.exists() and process.returncode is not None


def test_a_mirror_is_fetched_and_attributed(example: Path, tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    collect("run", example.as_uri(), "-q", db=db)
    run("db", db, "-q")
    with closing(sqlite3.connect(db)) as store:
        assert store.execute("SELECT sum(agent_lines) FROM commit_files").fetchone()[0] > 0


def test_sha_256_ids_and_a_reftable_at_once(example: Path, tmp_path: Path) -> None:
    try:
        git(tmp_path, "clone", "-q", "--mirror", "--ref-format=reftable", str(example), "both.git")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this git knows no reftable: {error.stderr.decode().strip()[:100]}")
    one = GitRepo(example)
    both = GitRepo(tmp_path / "both.git")
    assert (
        isinstance(both, Sha256Repo)
        and both.refs() == one.refs()
        and both.default_branch() == one.default_branch()
    )
