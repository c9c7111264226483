"""Checkpoints in every layout, tidy or not: what can be used is found, the rest becomes a
problem and never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.builder import Stored, World, git, import_stream, object_id
from support.builder.model import ADA
from support.builder.objects import Blob, History
from support.commands import analyse, clone, run

from collector.checkpoints import layouts, merge, read_all, tree
from collector.checkpoints.tree import transcript_chunks
from collector.git.base import TreeEntry
from collector.git.repository import GitRepo
from collector.json_values import JsonObject, Texts
from collector.load import read_session, session_files
from collector.model import Checkpoint, Problem, SessionRecord, SubagentRecord
from collector.text import timestamp
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

ID = "a1b2c3d4e5f6"
ULID = "01JZXW8Q5T9N3M4K7R2V6Y0ABC"
V1 = "refs/heads/entire/checkpoints/v1"
T = b'{"type":"user","message":{"content":"hi"}}\n'
Files = Mapping[str, bytes]


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "r"


def _meta(session: str = "s-1", **more: Any) -> bytes:
    return json.dumps(
        {"session_id": session, "created_at": "2026-03-02T10:00:00Z", **more}
    ).encode()


def _root(**more: Any) -> bytes:
    return json.dumps({"sessions": [], "strategy": "manual-commit", **more}).encode()


def _v1(files: Files, checkpoint: str = ID) -> dict[str, bytes]:
    return {f"{checkpoint[:2]}/{checkpoint[2:]}/{path}": data for path, data in files.items()}


ONE: dict[str, bytes] = {"metadata.json": _root(), "0/metadata.json": _meta(), "0/full.jsonl": T}


def _repo(
    directory: Path, refs: Mapping[str, Files], subjects: Mapping[str, str] | None = None
) -> GitRepo:
    """A repository with these trees behind these refs."""
    history = History()
    for n, (ref, files) in enumerate(refs.items()):
        blobs = {path: Blob(data) for path, data in files.items()}
        history.refs[ref] = history.commit(
            blobs, [], ADA, 1_772_000_000 + n, (subjects or {}).get(ref, f"Checkpoint: {ID}")
        )
    return GitRepo(import_stream(history.stream(), directory))


def _read_stored(
    directory: Path, refs: Mapping[str, Files], subjects: Mapping[str, str] | None = None
) -> list[Checkpoint]:
    return read_all(_repo(directory, refs, subjects))


def _signed(repo: GitRepo, ref: str, first_line: str) -> None:
    """Puts a signature, of whatever it may be, into the commit of a ref."""
    text = git(repo.path, "cat-file", "commit", ref).decode()
    head, _, message = text.partition("\n\n")
    changed = f"{head}\ngpgsig {first_line}\n U1NIU0lH\n -----END SIGNATURE-----\n\n{message}"
    sha = (
        git(repo.path, "hash-object", "-t", "commit", "-w", "--stdin", stdin=changed.encode())
        .decode()
        .strip()
    )
    git(repo.path, "update-ref", ref, sha)


@pytest.mark.parametrize("ref", [V1, f"refs/entire/checkpoints/{ULID[-2:]}/{ULID}"])
@pytest.mark.parametrize(
    ("first_line", "kind"),
    {
        "-----BEGIN SSH SIGNATURE-----": "ssh",
        "-----BEGIN PGP SIGNATURE-----": "gpg",
        "-----BEGIN PGP MESSAGE-----": "gpg",
        "-----BEGIN SIGNED MESSAGE-----": "x509",
        "-----BEGIN something new-----": "other",
    }.items(),
)
def test_the_kind_of_signature_of_a_checkpoint_is_told(
    tmp_path: Path, ref: str, first_line: str, kind: str
) -> None:
    files = _v1(ONE) if ref == V1 else ONE
    repo = _repo(tmp_path, {ref: files})
    assert [found.signature for found in read_all(repo)] == [""]
    _signed(repo, ref, first_line)
    assert [found.signature for found in read_all(GitRepo(tmp_path))] == [kind]


def _branch_signed(place: Path, ref: str, first_line: str) -> None:
    """Every commit of a branch again, with a signature."""
    known: Texts = {}
    for sha in git(place, "rev-list", "--reverse", "--topo-order", ref).decode().split():
        head, _, message = git(place, "cat-file", "commit", sha).decode().partition("\n\n")
        for old, new in known.items():
            head = head.replace(f"parent {old}", f"parent {new}")
        text = f"{head}\ngpgsig {first_line}\n U1NIU0lH\n\n{message}"
        known[sha] = (
            git(place, "hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())
            .decode()
            .strip()
        )
    git(place, "update-ref", ref, known[sha])


def test_a_signature_is_shown_with_the_commit_and_not_called_verified(
    tmp_path: Path, db: Path
) -> None:
    place = clone("example", tmp_path)
    repo = GitRepo(place)
    named = next(
        c for c in repo.history(repo.default_branch().sha) if "Entire-Checkpoint: " in c.message
    )
    for is_signed in (False, True):
        if is_signed:
            _branch_signed(place, V1, "-----BEGIN SSH SIGNATURE-----")
        analyse(place, db)
        shown = run("log", "--show", named.sha, place, db=db).output
        assert ("stored by a signed commit (SSH), not verified" in shown) is is_signed


def test_a_checkpoint_that_a_commit_without_a_signature_stored_has_none(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {V1: _v1(ONE)})
    _signed(repo, V1, "-----BEGIN SSH SIGNATURE-----")
    tree = object_id(tmp_path, f"{V1}^{{tree}}")
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words, told in (
        ("Something else", "ssh"),
        (f"Finalize transcript for Checkpoint: {ID}", ""),
    ):
        git(
            tmp_path,
            "update-ref",
            V1,
            git(tmp_path, *person, "commit-tree", tree, "-p", V1, "-m", words).decode().strip(),
        )
        assert [found.signature for found in read_all(GitRepo(tmp_path))] == [told]


def test_words_of_a_message_are_no_signature(tmp_path: Path) -> None:
    words = f"Checkpoint: {ID}\n\ngpgsig -----BEGIN SSH SIGNATURE-----\n"
    assert [found.signature for found in _read_stored(tmp_path, {V1: _v1(ONE)}, {V1: words})] == [
        ""
    ]


def _codes(found: list[Checkpoint]) -> list[tuple[str, str]]:
    return [(p.subject, p.code) for c in found for p in c.problems]


def _texts(repo: GitRepo, record: SessionRecord) -> list[bytes | None]:
    return [repo.blob(oid) for oid in record.transcript]


# --- layouts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "files", "checkpoint", "store"),
    [
        (V1, _v1(ONE), ID, "v1"),
        ("refs/remotes/origin/entire/checkpoints/v1", _v1(ONE), ID, "v1"),
        ("refs/entire/checkpoints/v1", _v1(ONE), ID, "v1"),
        ("refs/entire/checkpoints/v1/main", _v1(ONE), ID, "v1"),
        (f"refs/entire/checkpoints/f6/{ID}", ONE, ID, "ref"),
        (f"refs/entire/checkpoints/BC/{ULID}", ONE, ULID, "ref"),
        (f"refs/entire/checkpoints/bc/{ULID}", ONE, ULID, "ref"),
        (f"refs/remotes/origin/entire/checkpoints/BC/{ULID}", ONE, ULID, "ref"),
        (
            "refs/heads/entire/sessions",
            _v1({"metadata.json": _meta(), "full.jsonl": T}),
            ID,
            "legacy",
        ),
        (
            "refs/heads/entire/sessions-legacy",
            _v1({"metadata.json": _meta(), "full.log": T}),
            ID,
            "legacy",
        ),
        (
            "refs/remotes/origin/entire/sessions-old",
            _v1({"metadata.json": _meta(), "full.jsonl": T}),
            ID,
            "legacy",
        ),
    ],
)
def test_layout_is_found_by_ref_and_shape(
    ref: str, files: Files, checkpoint: str, store: str, where: Path
) -> None:
    repo = _repo(where, {ref: files})
    (found,) = read_all(repo)
    assert (found.id, found.store, found.ref, found.problems) == (checkpoint, store, ref, ())
    (record,) = found.sessions
    assert (record.session_id, record.transcript_state, _texts(repo, record)) == (
        "s-1",
        "present",
        [T],
    )
    assert found.author_email == "ada@example.com" or found.id == ULID


def test_v2_joins_metadata_and_raw_transcript(where: Path) -> None:
    main = {
        "metadata.json": _root(),
        "0/metadata.json": _meta(),
        "0/transcript.jsonl": b"compact\n",
    }
    full = {"0/raw_transcript": T}
    refs = {
        "refs/entire/checkpoints/v2/main": _v1(main),
        "refs/entire/checkpoints/v2/full/current": _v1(full),
    }
    repo = _repo(where, refs)
    (found,) = read_all(repo)
    (record,) = found.sessions
    assert (found.store, found.problems) == ("v2", ())
    assert (record.session_id, _texts(repo, record)) == ("s-1", [T])
    assert repo.blob(record.compact) == b"compact\n"


def test_v2_archives_are_read_and_older_names_too(where: Path) -> None:
    main = {"metadata.json": _root(), "0/metadata.json": _meta("a"), "1/metadata.json": _meta("b")}
    refs = {
        "refs/entire/checkpoints/v2/main": _v1(main),
        "refs/entire/checkpoints/v2/full/3": _v1({"0/full.jsonl": b"old\n"}),
        "refs/entire/checkpoints/v2/full/current": _v1({"1/raw_transcript": b"new\n"}),
    }
    repo = _repo(where, refs)
    (found,) = read_all(repo)
    assert [(r.session_id, _texts(repo, r)) for r in found.sessions] == [
        ("a", [b"old\n"]),
        ("b", [b"new\n"]),
    ]


def test_raw_transcript_without_metadata_is_kept(where: Path) -> None:
    repo = _repo(where, {"refs/entire/checkpoints/v2/full/current": _v1({"0/raw_transcript": T})})
    (found,) = read_all(repo)
    assert found.store == "v2full"
    assert [r.session_id for r in found.sessions] == [f"{ID}/0"]


def test_checkpoint_stored_twice_is_one_with_the_best_of_both(where: Path) -> None:
    v1 = {
        "metadata.json": _root(strategy=""),
        "0/metadata.json": _meta(),
        "0/full.jsonl": T,
        "1/metadata.json": _meta("s-2"),
    }
    main = {
        "metadata.json": _root(branch="topic"),
        "0/metadata.json": _meta(model="m"),
        "1/metadata.json": _meta("s-2"),
    }
    full = {"0/raw_transcript": b"other\n", "1/raw_transcript": b"only here\n"}
    refs = {
        V1: _v1(v1),
        "refs/entire/checkpoints/v2/main": _v1(main),
        "refs/entire/checkpoints/v2/full/current": _v1(full),
    }
    repo = _repo(where, refs)
    (found,) = read_all(repo)
    assert (found.store, found.branch, found.strategy) == ("v1", "topic", "manual-commit")
    first, second = found.sessions
    assert (_texts(repo, first), first.model) == ([T], "m")
    assert (_texts(repo, second), second.transcript_state) == ([b"only here\n"], "present")
    assert found.problems == ()  # what one copy lacks the other has


def test_local_branch_and_its_remote_twin_are_one(where: Path) -> None:
    world = World("twin")
    world.human_write("a", "a\n")
    session = world.session(prompt="x")
    session.write("b", "b\n")
    world.commit("c", [session])
    repository = world.build(where)
    git(
        repository,
        "update-ref",
        "refs/remotes/origin/entire/checkpoints/v1",
        "refs/heads/entire/checkpoints/v1",
    )
    assert len(read_all(GitRepo(repository))) == 1


def test_stale_remote_twin_adds_what_the_local_branch_lost(where: Path) -> None:
    other = "b" * 12
    refs = {
        V1: _v1(ONE),
        "refs/remotes/origin/entire/checkpoints/v1": {**_v1(ONE, other), **_v1(ONE)},
    }
    assert [c.id for c in _read_stored(where, refs)] == [ID, other]


@pytest.mark.parametrize(
    "ref",
    [
        "refs/entire/policies/checkpoint",
        "refs/entire/checkpoints/policy",
        f"refs/entire/checkpoints/a1/{ID}",  # a shard of the first two characters is none of ours
        f"refs/entire/checkpoints/f6/{ID}0",
        f"refs/entire/checkpoints/f6/extra/{ID}",
        f"refs/entire/checkpoints/BC/{'9' + ULID[1:]}",  # no ULID begins with 9
        f"refs/heads/entire/checkpoints/f6/{ID}",
        "refs/heads/entire/checkpoints/v1-backup",
        "refs/heads/entire/abcdef1-e3b0c4",
        "refs/heads/feature/entire/checkpoints/v1",
        "refs/tags/entire/checkpoints/v1",
    ],
)
def test_sibling_refs_are_no_checkpoints(ref: str, where: Path) -> None:
    assert _read_stored(where, {ref: {**ONE, **_v1(ONE)}}) == []


def test_layouts_are_the_modules_of_the_folder() -> None:
    assert {layout.NAME for layout in layouts()} == {"branch", "in_tree", "per_ref", "shadow", "v2"}


@pytest.mark.parametrize("layout", ["v1", "v1-remote", "refs", "v2", "both", "legacy"])
def test_every_session_of_a_built_world_is_found_with_its_transcript(
    layout: str, where: Path
) -> None:
    world = World("w", layout)
    world.human_write("a.py", "a = 1\n")
    sessions = [world.session() for _ in range(3)]
    for n, session in enumerate(sessions):
        session.prompt(f"Prompt {n}")
        session.write(f"f{n}.py", f"x = {n}\n")
    commit = world.commit("All", sessions)
    repo = GitRepo(world.build(where))
    (found,) = read_all(repo)
    assert (found.id,) == commit.checkpoints
    assert {r.session_id for r in found.sessions} == {s.id for s in sessions}
    assert found.branch in ("main", "") and found.problems == ()
    loaded = {files.key: read_session(repo, files) for files in session_files([found])}
    for n, session in enumerate(sessions):
        one = loaded[session.id]
        assert one.state == "present" and one.session is not None
        assert [turn.text for turn in one.session.turns] == [f"Prompt {n}"]


# --- untidy trees ---------------------------------------------------------------------------------


def test_session_directories_need_no_order_and_no_pointers(where: Path) -> None:
    files = {
        "metadata.json": _root(sessions=[{"transcript": "/nowhere/9/full.jsonl", "metadata": ""}])
    }
    for number in (0, 2, 10, 123):
        files |= {f"{number}/metadata.json": _meta(f"s-{number}"), f"{number}/full.jsonl": T}
    (found,) = _read_stored(where, {V1: _v1(files)})
    assert [(r.index, r.session_id) for r in found.sessions] == [
        (0, "s-0"),
        (2, "s-2"),
        (10, "s-10"),
        (123, "s-123"),
    ]
    assert found.problems == ()


def test_other_directories_of_a_checkpoint_are_no_sessions(where: Path) -> None:
    more = {
        "tasks/toolu_1/metadata.json": _meta("task"),
        "assets/manifest.json": b"{}",
        "x1/metadata.json": _meta("x"),
        "1234567890/metadata.json": _meta("huge"),
        "-1/metadata.json": _meta("minus"),
        "5": b"a file",
    }
    (found,) = _read_stored(where, {V1: _v1({**ONE, **more})})
    assert [r.session_id for r in found.sessions] == ["s-1"]
    assert found.problems == ()


def test_records_of_subagents_are_read_and_their_damage_is_survived(where: Path) -> None:
    record = {
        "tool_use_id": "toolu_1",
        "agent_id": "a1",
        "files": ["src/a.py", 3],
        "completed_at": "2026-08-19T09:01:30Z",
    }
    reason = "transcript path unresolvable"
    more = {
        "tasks/toolu_1/task.json": json.dumps(record).encode(),
        "tasks/toolu_2/task.json": (
            json.dumps({"transcript_unavailable_reason": reason, "files": None}).encode()
        ),
        "tasks/toolu_3/task.json": b"[1, 2",
        "tasks/toolu_4/task.json/x": b"{}",
        "tasks/toolu_5/task.json": b"[]",
        "tasks/stray": b"a file",
    }
    (found,) = _read_stored(where, {V1: _v1({**ONE, **more})})
    (session,) = found.sessions
    assert session.subagents == (
        SubagentRecord("toolu_1", "a1", ("src/a.py",), True),
        SubagentRecord("toolu_2", "", (), False),
    )
    assert [(p.code, p.subject.rpartition("/")[2], p.detail) for p in found.problems] == [
        ("no_subagent_transcript", "toolu_2", reason)
    ]


@pytest.mark.parametrize("name", ["00", "01", "٣", "²"])
def test_directory_that_is_no_plain_number_is_no_reason_to_stop(name: str, where: Path) -> None:
    """Names that count as digits somewhere, but that nobody writes for a session."""
    (found,) = _read_stored(where, {V1: _v1({**ONE, f"{name}/metadata.json": _meta("odd")})})
    assert "s-1" in [r.session_id for r in found.sessions]


def test_foreign_files_on_the_branch_are_somebody_elses(where: Path) -> None:
    foreign = {
        ".gitignore": b"x",
        "apps/main.go": b"x",
        "vercel.json": b"{}",
        "a1/README": b"x",
        "zz/metadata.json": b"{}",
        "a1/short/x": b"",
    }
    found = _read_stored(where, {V1: {**_v1(ONE), **foreign}})
    assert [c.id for c in found] == [ID] and _codes(found) == []


def test_empty_branch_is_no_problem(where: Path) -> None:
    assert _read_stored(where, {V1: {}}) == []


def test_repository_without_any_commit_has_no_checkpoints(tmp_path: Path, where: Path) -> None:
    git(tmp_path, "init", "-q", str(where))
    assert read_all(GitRepo(where)) == []


def test_checkpoint_without_sessions_says_so(where: Path) -> None:
    found = _read_stored(where, {V1: _v1({"metadata.json": _root()})})
    assert _codes(found) == [(ID, "no_sessions")]


def test_session_with_nothing_but_metadata_says_so(where: Path) -> None:
    found = _read_stored(where, {V1: _v1({"metadata.json": _root(), "0/metadata.json": _meta()})})
    assert _codes(found) == [(f"{ID}/0", "no_transcript")]
    assert found[0].sessions[0].transcript_state == "none"


def test_dangling_pointers_of_a_built_world_lose_nothing(where: Path) -> None:
    world = World("w")
    world.human_write("a.py", "a = 1\n")
    session = world.session(prompt="x")
    session.write("b.py", "b = 2\n")
    world.commit("c", [session], stored=Stored(dangling=True, numbers=(4,), parts=3))
    (found,) = read_all(GitRepo(world.build(where)))
    assert [(r.index, r.session_id, len(r.transcript)) for r in found.sessions] == [
        (4, session.id, 3)
    ]


# --- transcripts ----------------------------------------------------------------------------------


def test_chunks_are_put_in_the_order_of_their_numbers() -> None:
    names = ["full.jsonl", "full.jsonl.010", "full.jsonl.002", "full.jsonl.001", "full.jsonl.100"]
    entries = {name: TreeEntry(name, False) for name in names}
    assert transcript_chunks(entries) == [names[0], names[3], names[2], names[1], names[4]]


@pytest.mark.parametrize(
    "name",
    [
        "full.jsonl.123abc.tmp",
        "full.jsonl.",
        "full.jsonl.bak",
        "full.jsonl.1.2",
        "full.jsonl001",
        "xfull.jsonl.001",
        "full.jsonl.1234567890",
    ],
)
def test_leftovers_are_no_chunks(name: str) -> None:
    assert transcript_chunks(
        {"full.jsonl": TreeEntry("first", False), name: TreeEntry("left", False)}
    ) == ["first"]


def test_directory_with_the_name_of_a_transcript_is_none() -> None:
    assert transcript_chunks(
        {"full.jsonl": TreeEntry("tree", True), "raw_transcript": TreeEntry("raw", False)}
    ) == ["raw"]
    assert transcript_chunks(
        {"full.jsonl": TreeEntry("first", False), "full.jsonl.001": TreeEntry("tree", True)}
    ) == ["first"]


def test_chunks_without_the_first_are_no_transcript() -> None:
    assert transcript_chunks({"full.jsonl.001": TreeEntry("second", False)}) == []


def test_chunked_transcript_is_read_as_one(where: Path) -> None:
    head = b'{"type":"user","sessionId":"s","timestamp":"2026-03-02T10:00:0'
    one = head + b'0Z","message":{"content":"first"}}'
    two = head + b'1Z","message":{"content":"second"}}\n'
    files = {**ONE, "0/full.jsonl": one, "0/full.jsonl.001": two}
    repo = _repo(where, {V1: _v1(files)})
    (session,) = session_files(read_all(repo))
    loaded = read_session(repo, session).session
    assert loaded is not None and [turn.text for turn in loaded.turns] == ["first", "second"]


def test_one_absent_chunk_makes_the_transcript_absent(where: Path) -> None:
    repo = _repo(where, {V1: _v1({**ONE, "0/full.jsonl.001": b"gone\n"})})
    assert read_all(repo)[0].sessions[0].transcript_state == "present"
    lost = object_id(where, f"{V1}:a1/{ID[2:]}/0/full.jsonl.001")
    (where / "objects" / lost[:2] / lost[2:]).unlink()
    found = read_all(GitRepo(where))
    assert _codes(found) == [(f"{ID}/0", "transcript_missing_blob")]
    assert found[0].sessions[0].transcript_state == "missing_blob"


def test_session_under_two_spellings_is_one(where: Path) -> None:
    files = {
        "metadata.json": _root(),
        "0/metadata.json": _meta("2026-02-03-0a1b"),
        "0/full.jsonl": T,
        "1/metadata.json": _meta("0a1b"),
        "1/full.jsonl": T * 2,
    }
    found = _read_stored(where, {V1: _v1(files)})
    (session,) = session_files(found)
    assert (session.key, len(session.records), len(session.copies())) == ("0a1b", 2, 2)
    assert [r.session_id_raw for r in session.records] == ["2026-02-03-0a1b", "0a1b"]


def test_records_without_an_id_are_never_one_session(where: Path) -> None:
    files = {
        "metadata.json": _root(),
        "0/full.jsonl": T,
        "1/full.jsonl": T * 2,
        "0/metadata.json": b"{}",
        "1/metadata.json": b"{}",
    }
    found = _read_stored(where, {V1: _v1(files)})
    assert sorted(s.key for s in session_files(found)) == [f"{ID}/0", f"{ID}/1"]


# --- metadata that lies ---------------------------------------------------------------------------

_BROKEN = {
    "empty": b"",
    "not json": b"{",
    "list": b"[]",
    "null": b"null",
    "text": b'"x"',
    "number": b"1e999",
    "binary": b"\xff\xfe\0",
    "deep": b'{"a":' + b"[" * 100_000,
    "deep and closed": b'{"sessions":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
}


@pytest.mark.parametrize("where", ["metadata.json", "0/metadata.json"])
@pytest.mark.parametrize("name", _BROKEN)
def test_metadata_that_is_no_object_is_a_problem_and_the_transcript_is_kept(
    where: str, name: str, tmp_path: Path
) -> None:
    repo = _repo(tmp_path / "r", {V1: _v1({**ONE, where: _BROKEN[name]})})
    found = read_all(repo)
    subject = ID if where == "metadata.json" else f"{ID}/0"
    assert _codes(found) == [(subject, "metadata_unreadable")]
    (record,) = found[0].sessions
    assert _texts(repo, record) == [T]


@pytest.mark.parametrize("where", ["metadata.json", "0/metadata.json"])
def test_metadata_that_is_absent_is_a_problem_and_the_transcript_is_kept(
    where: str, tmp_path: Path
) -> None:
    files = {path: data for path, data in ONE.items() if path != where}
    found = _read_stored(tmp_path / "r", {V1: _v1(files)})
    assert [code for _, code in _codes(found)] == ["metadata_absent"]
    assert found[0].sessions[0].transcript_state == "present"


def test_metadata_that_is_huge_is_not_loaded(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "METADATA_BYTES", 1000)
    found = _read_stored(where, {V1: _v1({**ONE, "0/metadata.json": _meta(x="x" * 1000)})})
    assert _codes(found) == [(f"{ID}/0", "metadata_too_large")]


_FIELDS = (
    "session_id",
    "agent",
    "model",
    "branch",
    "strategy",
    "created_at",
    "files_touched",
    "turn_id",
    "kind",
    "cli_version",
    "checkpoint_transcript_start",
    "transcript_lines_at_start",
    "initial_attribution",
    "token_usage",
    "checkpoints_count",
)
_ODD: JsonObject = {
    "null": None,
    "true": True,
    "minus": -1,
    "huge": 10**400,
    "infinite": float("inf"),
    "nan": float("nan"),
    "surrogate": "\ud800",
    "nul": "a\0b",
    "long": "x" * 100_000,
    "list": [None, 1, {}, "a.py"],
    "object": {"a": {"b": [1]}},
}


@pytest.mark.parametrize("odd", _ODD)
def test_every_field_of_every_wrong_type_is_read_past(odd: str, where: Path) -> None:
    files: dict[str, bytes] = {}
    for n, name in enumerate(_FIELDS):
        checkpoint = f"{n:012x}"
        inner = {
            **ONE,
            "0/metadata.json": json.dumps({"session_id": "s-1", name: _ODD[odd]}).encode(),
        }
        files |= _v1(
            inner | {"metadata.json": json.dumps({"sessions": 3, name: _ODD[odd]}).encode()},
            checkpoint,
        )
    repo = _repo(where, {V1: files})
    found = read_all(repo)
    assert len(found) == len(_FIELDS)
    for one in found:
        record = one.sessions[-1]
        assert _texts(repo, record) == [T]
        assert isinstance(record.start, int) and record.start >= 0
        assert all(isinstance(path, str) for path in (*record.files_touched, *one.files_touched))


# --- details --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    {
        "2026-03-02T10:00:00Z": 1772445600.0,
        "2026-03-02T11:00:00+01:00": 1772445600.0,
        "2026-03-02T10:00:00.5Z": 1772445600.5,
        "2026-03-02T10:00:00.123456789Z": 1772445600.123456,
        "2026-03-02T10:00:00": 1772445600.0,  # no zone means UTC
        "0001-01-01T00:00:00Z": -62135596800.0,
        "2026-02-30T10:00:00Z": None,
        "yesterday": None,
        "": None,
        1772445600: None,
        "2026-03-02T10:00:00Z" + " " * 100: None,
    }.items(),
)
def test_times_with_any_number_of_digits(text: object, seconds: float | None) -> None:
    assert timestamp(text) == seconds


def test_fields_are_kept_as_the_producer_wrote_them(where: Path) -> None:
    meta = _meta(
        agent="Claude Code",
        model="claude-opus-4-8[1m]",
        branch="topic",
        files_touched=["a.py", "b/c.py"],
        checkpoint_transcript_start=17,
        transcript_lines_at_start=3,
        kind="agent_review",
        turn_id="abc",
        cli_version="0.5.4",
        initial_attribution={"agent_lines": 3, "agent_percentage": 75.5},
        prompt_attributions=[{"x": 1}],
        commit_sha="C" * 40,
    )
    root = _root(files_touched=None, combined_attribution={"agent_lines": 1})
    (found,) = _read_stored(
        where,
        {V1: _v1({**ONE, "metadata.json": root, "0/metadata.json": meta, "0/prompt.txt": b"p"})},
    )
    (record,) = found.sessions
    assert (record.agent_label, record.model, record.branch, record.start) == (
        "Claude Code",
        "claude-opus-4-8",
        "topic",
        17,
    )
    assert (record.files_touched, record.kind, record.turn_id) == (
        ("a.py", "b/c.py"),
        "agent_review",
        "abc",
    )
    assert json.loads(record.vendor) == {"agent_lines": 3, "agent_percentage": 75.5}
    assert json.loads(found.vendor) == {"agent_lines": 1}
    assert (found.files_touched, found.created_at) == ((), 1772445600.0)
    assert "prompt_attributions" not in json.loads(record.metadata) and json.loads(
        record.vendor_prompts
    ) == [{"x": 1}]
    assert record.commit_sha == "c" * 40


def test_checkpoint_ref_is_read_at_its_tip(where: Path) -> None:
    """The end of a turn rewrites the checkpoint."""
    world = World("w", "refs")
    world.human_write("a.py", "a = 1\n")
    session = world.session(prompt="One")
    session.write("b.py", "b = 1\n")
    commit = world.commit("c", [session])
    session.prompt("Two")
    world.finalise(commit)
    repo = GitRepo(world.build(where))
    (found,) = read_all(repo)
    (files,) = session_files([found])
    loaded = read_session(repo, files).session
    assert loaded is not None and [turn.text for turn in loaded.turns] == ["One", "Two"]


def test_forgotten_checkpoint_is_gone_from_the_branch(where: Path) -> None:
    world = World("w")
    world.human_write("a.py", "a = 1\n")
    session = world.session(prompt="One")
    session.write("b.py", "b = 1\n")
    first = world.commit("c", [session])
    session.write("c.py", "c = 1\n")
    second = world.commit("d", [session])
    world.forget(first.checkpoints[0])
    assert [c.id for c in read_all(GitRepo(world.build(where)))] == [second.checkpoints[0]]


def test_branch_with_several_roots_and_merges_names_the_developer_of_each(where: Path) -> None:
    other = "b" * 12
    history = History()
    one = history.commit(
        {p: Blob(d) for p, d in _v1(ONE).items()}, [], ADA, 1_772_000_000, f"Checkpoint: {ID}"
    )
    bob = "Bob <bob@example.com>"
    two = history.commit(
        {p: Blob(d) for p, d in _v1(ONE, other).items()},
        [],
        bob,
        1_772_000_001,
        f"Checkpoint: {other}",
    )
    both = {p: Blob(d) for p, d in {**_v1(ONE), **_v1(ONE, other)}.items()}
    history.refs[V1] = history.commit(
        both, [one, two], ADA, 1_772_000_002, "Merge remote session logs"
    )
    found = read_all(GitRepo(import_stream(history.stream(), where)))
    assert {c.id: c.author_email for c in found} == {
        ID: "ada@example.com",
        other: "bob@example.com",
    }


def test_ref_that_points_to_no_commit_is_passed_over(where: Path) -> None:
    _repo(where, {V1: _v1(ONE)})
    blob = git(where, "hash-object", "-w", "--stdin", stdin=b"x").decode().strip()
    git(where, "update-ref", f"refs/entire/checkpoints/bb/{'b' * 12}", blob)
    git(where, "update-ref", "refs/entire/checkpoints/v2/main", blob)
    git(
        where,
        "symbolic-ref",
        f"refs/entire/checkpoints/cc/{'c' * 12}",
        "refs/heads/nowhere",
    )
    assert [c.id for c in read_all(GitRepo(where))] == [ID]


def test_tag_on_a_checkpoint_commit_is_followed(where: Path) -> None:
    history = History()
    history.refs["refs/heads/x"] = history.commit(
        {p: Blob(d) for p, d in ONE.items()}, [], ADA, 1_772_000_000, "x"
    )
    import_stream(history.stream(), where)
    git(
        where,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "tag",
        "-a",
        "-m",
        "t",
        "t",
        "refs/heads/x",
    )
    git(where, "update-ref", f"refs/entire/checkpoints/f6/{ID}", "refs/tags/t")
    assert [c.id for c in read_all(GitRepo(where))] == [ID]


def test_merging_keeps_problems_only_as_long_as_they_hold() -> None:
    lacking = Checkpoint(
        ID,
        CheckpointStore.V1,
        "r",
        sessions=(
            SessionRecord(
                ID, 0, "s", "s", transcript_state=StoredTranscript.MISSING_BLOB, transcript=("x",)
            ),
            SessionRecord(ID, 1, "t", "t"),
        ),
        problems=(
            Problem("checkpoints", f"{ID}/0", "transcript_missing_blob"),
            Problem("checkpoints", f"{ID}/1", "no_transcript"),
        ),
    )
    having = Checkpoint(
        ID,
        CheckpointStore.V2_FULL,
        "q",
        sessions=(
            SessionRecord(
                ID, 0, f"{ID}/0", "", transcript=("y",), transcript_state=StoredTranscript.PRESENT
            ),
        ),
    )
    for found in (merge(lacking, having), merge(having, lacking)):
        assert found.sessions[0].transcript == ("y",)
        assert found.sessions[0].session_id == "s"
        assert [(p.subject, p.code) for p in found.problems] == [(f"{ID}/1", "no_transcript")]
