"""What other producers claim: read as written, checked against the commit, laid beside our own
lines.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import column, pick
from support.builder import git
from support.claim_notes import lines_of, put_notes
from support.commands import analyse, clone, run, run_json, run_rows
from support.histories import Build, Files, words

from attribution.exchange.claims.stage import relative, root_of
from attribution.exchange.claims.verify import (
    CommittedFile,
    CommittedFiles,
    check,
    status_of,
    worst,
)
from attribution.exchange.exports import Share, commit_shares
from attribution.exchange.exports.git_ai import note
from attribution.exchange.producers import agent_trace, git_ai, producers, trailers
from attribution.exchange.producers.model import Claim, ClaimSource, Producer, Who
from attribution.exchange.words import ClaimedAuthor, ClaimStatus, Reach
from collector.checkpoints.statements import agent_blocks, declared_agent
from collector.git import ranges
from collector.git.ranges import Ranges
from collector.json_values import JsonObject, Row, Texts
from collector.model import Commit
from collector.runtime.stages import StageRun
from collector.storage.schema import schema_sql
from collector.storage.store import Store


def blob_producers() -> list[Producer]:
    return [producer for producer in producers() if hasattr(producer, "sniff")]


SHA = "a" * 40
NOTE = ClaimSource("note", "refs/notes/x", SHA, "b" * 40, SHA)
FILE = ClaimSource("file", "", ".agent-trace/traces.jsonl", "b" * 40)


def git_ai_note(entries: str = "a.py\n  s_1::t_1 1-2,4\n", **meta: Any) -> bytes:
    agent = {
        "agent_id": {"tool": "claude", "id": "talk", "model": "opus"},
        "human_author": "Ann <ann@example.org>",
    }
    found = {
        "schema_version": "authorship/3.0.0",
        "git_ai_version": "1.6.0",
        "base_commit_sha": SHA,
        "prompts": {},
        "sessions": {"s_1": agent},
    }
    return (entries + "---\n" + json.dumps(found | meta, indent=2)).encode()


def trace(
    revision: str = SHA, path: str = "a.py", version: str = "0.1.0", **span: Any
) -> JsonObject:
    talk = {
        "contributor": {"type": "ai", "model_id": "x/y"},
        "ranges": [{"start_line": 1, "end_line": 2} | span],
    }
    return {
        "version": version,
        "id": "00000000-0000-4000-8000-000000000000",
        "timestamp": "2026-01-01T00:00:00Z",
        "vcs": {"type": "git", "revision": revision},
        "tool": {"name": "cursor", "version": "3"},
        "files": [{"path": path, "conversations": [talk]}],
    }


# --- ranges ---------------------------------------------------------------------------------------

_pairs = st.lists(
    st.tuples(st.integers(1, 40), st.integers(0, 6)).map(lambda p: (p[0], p[0] + p[1])), max_size=8
)


def _set(found: Ranges) -> set[int]:
    return {n for first, last in found for n in range(first, last + 1)}


@given(_pairs, _pairs)
def test_ranges_are_sets_of_lines(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    x = ranges.unite(a)
    y = ranges.unite(b)
    assert _set(x) == _set(tuple(a)) and ranges.count(x) == len(_set(x))
    assert _set(ranges.intersect(x, y)) == _set(x) & _set(y)
    assert _set(ranges.subtract(x, y)) == _set(x) - _set(y)
    for found in (x, ranges.intersect(x, y), ranges.subtract(x, y)):
        assert list(found) == sorted(found)
        assert all(left[1] < right[0] for left, right in pairwise(found))
    assert ranges.parse(ranges.text(x)) == (x, True) or not x


@pytest.mark.parametrize(
    "written", ["", "0", "5-1", "x", "1-", "1,,2", "99999999999", "1-9999999999999999999999", "-3"]
)
def test_absurd_ranges_are_told(written: str) -> None:
    assert not ranges.parse(written)[1]


# --- readers --------------------------------------------------------------------------------------


def test_git_ai_note() -> None:
    entries = 'a.py\n  s_1::t_1 1-2,4\n  h_9 3\n"b c.py"\n  s_7::t_1 9-10,1-3\n'
    (record,) = git_ai.read(
        NOTE, git_ai_note(entries, humans={"h_9": {"author": "Bob"}}, logical_commit_id="kept")
    )
    assert lines_of(record) == {
        "a.py": [("agent", "talk", "1-2,4"), ("human", "", "3")],
        "b c.py": [("agent", "s_7", "9-10,1-3")],
    }
    assert [claim.dangling for claim in record.claims] == [False, False, True]
    assert record.claims[0].who == Who(
        ClaimedAuthor.AGENT, "claude", "opus", "talk", "Ann <ann@example.org>"
    )
    assert (record.format_version, record.tool_version, record.base) == (
        "authorship/3.0.0",
        "1.6.0",
        SHA,
    )
    assert json.loads(record.detail) == {"logical_commit_id": "kept"}


def test_every_part_of_joined_notes_is_read() -> None:
    """`git notes merge -s union` writes the notes of two clones one after the other."""
    first = git_ai_note("a.py\n  s_1::t_1 1\n")
    second = git_ai_note("c.py\n  s_1::t_1 2\n")
    records = git_ai.read(NOTE, first + b"\n\n" + second)
    assert [list(lines_of(record)) for record in records] == [["a.py"], ["c.py"]]
    assert [record.entry for record in records] == [0, 1]
    assert [record.state for record in git_ai.read(NOTE, first + b"\nwhat is this?\n")] == [
        "read",
        "unreadable",
    ]


def test_git_ai_prompts_are_not_kept() -> None:
    prompt = {
        "agent_id": {"tool": "cursor", "id": "p", "model": "m"},
        "messages": [{"text": "secret words"}],
        "new_key": 7,
    }
    (record,) = git_ai.read(
        NOTE, git_ai_note("a.py\n  0123456789abcdef 1\n", prompts={"0123456789abcdef": prompt})
    )
    assert record.claims[0].who.session == "p" and json.loads(record.claims[0].who.detail) == {
        "new_key": 7
    }
    assert "secret" not in repr(record)


@pytest.mark.parametrize(
    ("version", "basis"),
    {
        "1.5.6": "seen",
        "1.6.20": "seen",
        "1.6.21": "rest",
        "1.6.22": "rest",
        "1.10.0": "rest",
        "2.0.0-alpha.1": "rest",
        "development:1.6.19": "seen",
        "development:1.6.20": "rest",  # the release it was made before is not known
        "": "rest",
        "custom": "rest",
    }.items(),
)
def test_git_ai_says_when_a_persons_lines_are_only_what_was_left(version: str, basis: str) -> None:
    """Since pull request 2060 of git-ai, lines that it saw nobody write become the person's."""
    entries = "a.py\n  h_9 1-3\n  s_1::t_1 4\n"
    (record,) = git_ai.read(
        NOTE, git_ai_note(entries, humans={"h_9": {"author": "Bob"}}, git_ai_version=version)
    )
    assert [claim.who.basis for claim in record.claims] == [basis, ""]


@pytest.mark.parametrize(
    ("path", "expected"),
    {
        "a.py": "a.py",
        "src\\x\\a.py": "src/x/a.py",
        "./a.py": "a.py",
        "file:///home/x/a.py": "/home/x/a.py",
        "file://c:\\x\\a.py": "/c/x/a.py",
        "C:\\x\\a.py": "/c/x/a.py",
    }.items(),
)
def test_agent_trace_paths(path: str, expected: str) -> None:
    (record,) = agent_trace.read(FILE, json.dumps(trace(path=path)).encode())
    assert record.claims[0].path == expected and record.before


@pytest.mark.parametrize("version", ["0.1.0", "1.0", "2.0"])
def test_agent_trace_versions_seen_in_the_wild(version: str) -> None:
    data = trace(
        version=version, content_hash="murmur3:1234", line_hashes=[{"line_offset": 0, "hash": "x"}]
    )
    data["files"][0]["conversations"][0]["id"] = "talk"
    (record,) = agent_trace.read(FILE, json.dumps(data).encode())
    assert lines_of(record) == {"a.py": [("agent", "talk", "1-2")]}
    assert json.loads(record.claims[0].detail)["content_hash"] == "murmur3:1234"


def test_a_placeholder_is_no_claim() -> None:
    (record,) = agent_trace.read(FILE, json.dumps(trace(end_line=1)).encode())
    assert record.claims == () and [p.code for p in record.problems] == ["placeholder_range"]
    assert (
        len(
            agent_trace.read(FILE, json.dumps(trace(end_line=1, content_hash="sha256:0")).encode())[
                0
            ].claims
        )
        == 1
    )
    assert len(agent_trace.read(NOTE, json.dumps(trace(end_line=1)).encode())[0].claims) == 1


def test_agent_trace_lines_of_all_kinds() -> None:
    flat = {
        "schema": "agent-trace/v0.1.0",
        "session_id": "s",
        "file_path": "/home/me/p/a.py",
        "start_line": 3,
        "end_line": 4,
        "tool": "Edit",
        "tool_use_id": "u",
    }
    data = "\n".join(
        [
            json.dumps(trace()),
            json.dumps(flat),
            "{broken",
            json.dumps(trace(path=".shell-history")),
            json.dumps(trace(start_line=9)),
        ]
    )
    found = agent_trace.read(FILE, data.encode())
    assert [(r.state, r.entry, len(r.claims)) for r in found] == [
        ("read", 1, 1),
        ("read", 2, 1),
        ("unreadable", 3, 0),
        ("read", 4, 0),
        ("read", 5, 0),
    ]
    assert [p.code for r in found for p in r.problems] == [
        "unreadable",
        "pseudo_file",
        "bad_ranges",
    ]
    assert found[1].commit == "" and found[1].claims[0].who.session == "s"


def test_trailers_name_agents() -> None:
    message = (
        "Title\n\nCo-Authored-By: Claude Opus 4.6 <noreply@anthropic.com>\nCo-authored-by: Cursor"
        " <cursoragent@cursor.com>\n"
    )
    commit = Commit(
        SHA, (), "", "Ann", "ann@example.org", 1.0, "Ann", "ann@example.org", 1.0, message
    )
    (record,) = trailers.read_commit(commit)
    assert [(c.who.tool, c.who.model, c.key) for c in record.claims] == [
        ("claude-code", "Claude Opus 4.6", "trailer"),
        ("cursor", "", "trailer"),
    ]


AGENT_TURN = """<aGiTrack> Fix the parser

What it did: `commit_type: user` is a line of prose.

# Interaction Trace

## Agent

```
# aGiTrack Metadata
commit_type: agent
backend: opencode
```

# aGiTrack Metadata
commit_type: agent
backend: claude
model: claude-opus-5
session_name: unknown
agitrack_session_id: agitrack-1
backend_session_id: talk-1
tokens_since_last_commit_output: 7
agitrack_version: 0.6.18
"""
USERS = (
    "Fix a typo\n\n# aGiTrack Metadata\ncommit_type: user\nbackend: agit\nagitrack_session_id:"
    " x\nagitrack_version: 0.6.10\n"
)


def _commit(message: str) -> Commit:
    return Commit(
        SHA, (), "", "Ann", "ann@example.org", 1.0, "Ann", "ann@example.org", 1.0, message
    )


def test_agitrack_names_the_agent_of_a_commit() -> None:
    declared = declared_agent(_commit(AGENT_TURN))  # what is quoted in a fence is no block
    assert declared is not None and tuple(declared)[:3] == (
        "metadata",
        "claude-code",
        "claude-opus-5",
    )
    (record,) = trailers.read_commit(_commit(AGENT_TURN))
    assert [(c.who.author, c.who.tool, c.who.model, c.key) for c in record.claims] == [
        ("agent", "claude-code", "claude-opus-5", "metadata")
    ]


def test_agitrack_commit_of_a_user_claims_no_author() -> None:
    assert declared_agent(_commit(USERS)) is None and trailers.read_commit(_commit(USERS)) == []


def test_agitrack_squashes_and_folded_turns_name_everybody() -> None:
    message = (
        f"{USERS}\n{AGENT_TURN}\n* a merge\n\n# aGiT Metadata\r\ncommit_type:"
        " agent-merge\r\nbackend: codex\r\n"
    )
    (record,) = trailers.read_commit(_commit(message))
    assert [claim.who.tool for claim in record.claims] == ["claude-code", "codex"]


def test_a_fence_that_is_never_closed_quotes_nothing() -> None:
    (block,) = agent_blocks(
        "Title\n\n```\ncode\n```\n\n``` is how a fence begins\n\n# aGiTrack Metadata\ncommit_type:"
        " agent\nbackend: codex\n"
    )
    assert block == {"commit_type": "agent", "backend": "codex"}


@given(st.text(alphabet="# aGiTrckMetd:\n`~\r_", max_size=300))
def test_any_message_can_be_searched_for_blocks(message: str) -> None:
    for block in agent_blocks(message + "\n# aGiTrack Metadata\n" + message):
        assert block.get("commit_type") != "user"


UNKNOWN = {
    git_ai: git_ai_note(schema_version="authorship/4.0.0"),
    agent_trace: json.dumps(trace(version="5.0.0")).encode(),
}


@pytest.mark.parametrize("reader", UNKNOWN, ids=lambda reader: reader.NAME)
def test_unknown_versions_are_skipped_with_a_reason(reader: Any) -> None:
    assert reader.sniff(NOTE, UNKNOWN[reader])
    (record,) = reader.read(NOTE, UNKNOWN[reader])
    assert (
        record.state == "unknown_version"
        and record.claims == ()
        and record.problems[0].code == "unknown_version"
    )


def test_nobody_reads_what_another_wrote() -> None:
    samples = {"git-ai": git_ai_note(), "agent-trace": json.dumps(trace()).encode()}
    for name, data in samples.items():
        assert [p.NAME for p in blob_producers() if p.sniff(NOTE, data)] == [name]


_KEYS = """
files path lines version ranges vcs id session attributions ledger start_line end_line conversations
source trace_id
"""
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_KEYS.split()), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(_json, st.binary(max_size=40))
def test_damage_is_no_exception(value: Any, tail: bytes) -> None:
    for data in (
        json.dumps(value).encode(),
        json.dumps(value).encode()[:20] + tail,
        b"a\n  s_1 1-x\n---\n" + json.dumps(value).encode(),
    ):
        for producer in blob_producers():
            producer.sniff(NOTE, data)
            for record in producer.read(NOTE, data):
                assert record.claims or record.problems or record.state == "read"


def test_a_note_of_megabytes_and_deep_json() -> None:
    entries = "a.py\n" + "".join(f"  s_1::t_{n} {n}-{n + 5},{n - 3}\n" for n in range(4, 90_004))
    (record,) = git_ai.read(NOTE, git_ai_note(entries))
    assert len(record.claims) == 90_000
    deep = b"---\n" + b'{"schema_version":' + b"[" * 200_000
    assert git_ai.read(NOTE, deep)[0].state == "unreadable"


# --- checks ---------------------------------------------------------------------------------------


class Seen(CommittedFiles):
    """A commit with one file of ten lines that adds lines 3 to 6, and perhaps 7."""

    def __init__(self) -> None:
        self._file = CommittedFile(
            [], "".join(f"line {number}\n" for number in range(1, 11)).encode()
        )
        vars(self._file).update(added_lines=((3, 6),), perhaps_added=((3, 5), (7, 7)))

    def file(self, path: str) -> CommittedFile | None:
        return self._file if path == "a.py" else None


def claim(path: str, written: str, session: str = "s", **more: Any) -> Claim:
    return Claim(
        path, ranges.parse(written)[0], Who(ClaimedAuthor.AGENT, "t", "m", session), **more
    )


def shown(claims: list[Claim], commit: Seen | None = None) -> list[Texts]:
    return [
        {name: ranges.text(r) for name, r in one.lines.items()} for one in check(claims, commit)
    ]


def test_each_line_has_one_status() -> None:
    assert shown([claim("a.py", "5-6,1-4,6-7,9-12")], Seen()) == [
        {"beyond_eof": "11-12", "not_added": "1-2,9-10", "ok": "3-7"}
    ]
    assert shown([claim("b.py", "1-2")], Seen()) == [{"file_missing": "1-2"}]
    assert shown([claim("a.py", "1-2")], None) == [{"commit_missing": "1-2"}]
    assert shown([claim("a.py", "3", dangling=True)], Seen()) == [{"dangling_key": "3"}]
    assert shown([claim("", "")], Seen()) == [{}]


def test_the_last_entry_wins_where_two_overlap() -> None:
    found = shown(
        [
            claim("a.py", "3-5", "first"),
            claim("a.py", "5-6", "second"),
            claim("a.py", "6", "second"),
        ],
        Seen(),
    )
    assert found == [{"overlapping": "5", "ok": "3-4"}, {"ok": "5-6"}, {"ok": "6"}]


def test_status_of_a_record() -> None:
    mixed = check([claim("a.py", "3"), claim("a.py", "99"), claim("b.py", "1")], Seen())
    assert (
        worst(mixed) == "file_missing"
        and worst(mixed[:2]) == "beyond_eof"
        and worst(mixed[:1]) == "ok"
    )
    assert worst([]) == "empty" and worst(check([claim("", "")], Seen())) == "ok"
    assert [
        status_of(ClaimStatus.OK, reach)
        for reach in (Reach.BRANCH, Reach.REF, Reach.NONE, Reach.MISSING)
    ] == ["ok", "unreachable", "unreachable", "commit_missing"]


def test_roots_of_absolute_paths() -> None:
    known = ["README.md", "lib/a.py", "lib/deep/b.py"]
    recorded = ["/home/me/p/lib/a.py", "/home/me/p/lib/deep/b.py", "/home/me/other/README.md"]
    assert root_of(recorded, known) == "/home/me/p"
    assert [relative(path, "/home/me/p") for path in recorded] == [
        "lib/a.py",
        "lib/deep/b.py",
        "/home/me/other/README.md",
    ]
    assert root_of(["/tmp/x"], known) == ""


# --- beside ours ----------------------------------------------------------------------------------


def beside(**values: Any) -> Row:
    """A row of `claimed_lines`."""
    usual = {
        "repo_id": 1,
        "producer": "git-ai",
        "claimed_author": "agent",
        "claimed_basis": "",
        "record_status": "ok",
        "copied": 0,
        "claim_lines": 9,
        "file_lines_added": 20,
        "lines": 9,
        "author": "human",
        "how": "none",
        "reason": "",
        "has_session": 1,
    }
    return usual | values


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (beside(author="agent", evidence="observed", how="exact"), ("agree", "")),
        (beside(author="declared", evidence="declared"), ("undecided", "missing_session")),
        (beside(author=None), ("undecided", "missing_session")),
        (beside(author="unknown", reason="transcript_missing"), ("undecided", "missing_session")),
        (beside(author="unknown", reason="opaque_shell"), ("undecided", "shell_command")),
        (beside(record_status="not_added"), ("disagree", "rebased_note")),
        (beside(copied=1), ("disagree", "rebased_note")),
        (beside(claim_lines=20), ("disagree", "whole_file_claim")),
        (beside(lines=2), ("disagree", "recovered_lines")),
        (beside(), ("disagree", "other")),
        (beside(producer="trailers", claim_lines=None), ("disagree", "whole_commit_claim")),
        (
            beside(claimed_author="human", claimed_basis="rest", author="agent", how="exact"),
            ("disagree", "recovered_lines"),
        ),
        (
            beside(claimed_author="human", claimed_basis="seen", author="agent", how="exact"),
            ("disagree", "other"),
        ),
        (
            beside(claimed_author="human", author="agent", how="reformatted"),
            ("disagree", "formatter"),
        ),
        (beside(claimed_author="human", author="agent", how="edited"), ("disagree", "edited_line")),
    ],
)
def test_agreement_and_its_cause(row: Row, expected: tuple[str, str]) -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema_sql())
        names = [name for _, name, *_ in connection.execute("PRAGMA table_info(claimed_lines)")]
        connection.execute("DROP VIEW claimed_lines")  # the view is asked about one row
        connection.execute(f"CREATE TABLE claimed_lines ({', '.join(names)})")
        connection.execute(
            f"INSERT INTO claimed_lines ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
            [*row.values()],
        )
        assert connection.execute("SELECT verdict, cause FROM claim_agreement").fetchall() == [
            expected
        ]


# --- in a clone -----------------------------------------------------------------------------------


@pytest.fixture
def noted(tmp_path: Path) -> tuple[Path, Build]:
    """Three commits on the branch, one beside it, one only known to a note; records of four
    producers.
    """
    build = Build(tmp_path / "noted.git")
    a = words(6, "a")
    flat = {
        "schema": "agent-trace/v0.1.0",
        "file_path": "/home/me/p/lib/b.py",
        "start_line": 1,
        "end_line": 2,
        "timestamp": "2023-11-14T23:00:00+00:00",
    }
    build.commit(
        "one",
        {"a.py": [*a]},
        message="one\n\nCo-Authored-By: Claude <noreply@anthropic.com>",
    )
    build.commit("side", {"a.py": [*a, "side"]})
    traces = json.dumps(flat).encode() + b"\n"
    build.commit(
        "two",
        {
            "a.py": [*a, "new", "newer"],
            "lib/b.py": ["x", "y"],
            ".agent-trace/traces.jsonl": traces,
        },
        "one",
    )
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x3")
    two, side = pick(build.sha, "two", "side")
    put_notes(
        build.where,
        "refs/notes/ai",
        {
            two: git_ai_note(
                "a.py\n  s_1::t_1 7-8\nlib/b.py\n  s_1::t_1 1-9\n", base_commit_sha=two
            ),
            side: git_ai_note("a.py\n  s_1::t_1 7\n", base_commit_sha=side),
            "f" * 40: git_ai_note("a.py\n  s_1::t_1 1\n"),
            build.sha["one"]: git_ai_note(schema_version="authorship/9.0.0"),
        },
    )
    put_notes(build.where, "refs/notes/unrelated", {two: b"released as 1.0\n"})
    return build.where, build


def statuses(db: Path) -> dict[tuple[str, str], str]:
    with Store(db) as store:
        return {
            pick(row, "producer", "commit_sha"): row["status"]
            for row in store.rows(
                "SELECT r.producer, COALESCE(x.commit_sha, r.commit_sha) AS commit_sha, x.status"
                " FROM claim_records r JOIN claim_record_checks x ON x.record_id = r.id"
            )
        }


def test_a_clone_is_searched_and_checked(noted: tuple[Path, Build], db: Path) -> None:
    repo, build = noted
    before = sorted(p.relative_to(repo) for p in repo.rglob("*"))
    printed = run("data", "claims", repo, db=db)
    assert (
        "not attributed" in printed.stderr
        and "unknown notes" in printed.stdout
        and "beyond eof" in printed.stdout
    )
    assert statuses(db) == {
        ("git-ai", build.sha["two"]): "beyond_eof",
        ("git-ai", build.sha["side"]): "unreachable",
        ("git-ai", "f" * 40): "commit_missing",
        ("git-ai", build.sha["one"]): "empty",
        ("trailers", build.sha["one"]): "ok",
        ("agent-trace", build.sha["two"]): "ok",
    }
    assert sorted(p.relative_to(repo) for p in repo.rglob("*")) == before
    run("data", "check", db=db)
    with Store(db) as store:
        codes = column(store, "SELECT code FROM problems WHERE stage = 'claims' ORDER BY code")
        assert codes == ["unknown_notes", "unknown_version"]
        spans = store.rows(
            "SELECT path, start_line, end_line, claimed_author, producer FROM claimed_lines ORDER"
            " BY producer, path"
        )
    assert [tuple(row.values()) for row in spans] == [
        ("lib/b.py", 1, 2, "agent", "agent-trace"),
        ("a.py", 7, 8, "agent", "git-ai"),
        ("lib/b.py", 1, 2, "agent", "git-ai"),
    ]


def table(db: Path, name: str) -> list[Row]:
    with Store(db) as store:
        return store.rows(f"SELECT * FROM {name}")


def test_records_are_those_of_the_refs_as_they_are(noted: tuple[Path, Build], db: Path) -> None:
    repo, build = noted
    run("data", "claims", repo, db=db)
    first = table(db, "claim_records"), table(db, "stage_runs")
    run("data", "claims", repo, db=db)
    assert (table(db, "claim_records"), table(db, "stage_runs")) == first
    two, side = pick(build.sha, "two", "side")
    git(repo, "update-ref", "-d", "refs/notes/ai")
    put_notes(
        repo,
        "refs/notes/ai",
        {
            two: git_ai_note("a.py\n  s_1::t_1 7-8\n", base_commit_sha=two),
            side: git_ai_note("a.py\n  s_1::t_1 7\n", base_commit_sha=side),
        },
    )
    git(repo, "symbolic-ref", "HEAD", "refs/heads/x2")
    run("data", "claims", repo, "--branch", "x2", db=db)
    found = statuses(db)
    assert (
        found["git-ai", side] == "ok"
        and found["git-ai", two] == "unreachable"
        and ("git-ai", "f" * 40) not in found
    )
    run("data", "check", db=db)


def test_a_commit_that_arrives_later(noted: tuple[Path, Build], tmp_path: Path, db: Path) -> None:
    repo, build = noted
    later = Build(tmp_path / "later.git")
    later.commit("late", {"z.py": ["z"]})
    later.done()
    sha = later.sha["late"]
    put_notes(
        repo, "refs/notes/more", {sha: git_ai_note("z.py\n  s_1::t_1 1\n", base_commit_sha=sha)}
    )
    run("data", "claims", repo, db=db)
    assert statuses(db)["git-ai", sha] == "commit_missing"
    git(repo, "fetch", "-q", str(later.where), "refs/heads/x1:refs/heads/late")
    run("data", "claims", repo, db=db)
    assert statuses(db)["git-ai", sha] == "unreachable"
    run("data", "claims", repo, "--branch", "late", db=db)
    assert (
        statuses(db)["git-ai", sha] == "ok"
        and statuses(db)["git-ai", build.sha["two"]] == "unreachable"
    )
    run("data", "check", db=db)


# --- commits that a squash replaced ---------------------------------------------------------------


def held(db: Path) -> dict[str, tuple[str, str, str]]:
    """Commit of a note -> the commit its lines are in, how that was found, and its verified
    lines by path.
    """
    with Store(db) as store:
        found = store.rows(
            "SELECT r.commit_sha, x.commit_sha AS held, x.anchor, COALESCE((SELECT"
            " group_concat(k.path || ' ' || c.ranges, ' | ') FROM claims k JOIN claim_checks c ON"
            " c.claim_id = k.id WHERE k.record_id = r.id AND c.status = 'ok'), '') AS lines FROM"
            " claim_records r JOIN claim_record_checks x ON x.record_id = r.id WHERE r.producer ="
            " 'git-ai'"
        )
    return {row["commit_sha"]: pick(row, "held", "anchor", "lines") for row in found}


@pytest.fixture
def squashed(tmp_path: Path) -> Build:
    """A pull request of two commits with notes and its squash, and one of a commit that was
    rebased onto that.
    """
    build = Build(tmp_path / "squashed.git")
    old = words(6, "a")
    build.commit("base", {"a.py": [*old]})
    build.commit("first", {"a.py": [*old, "kept", "changed later"], "b.py": ["b"]})
    build.commit("second", {"a.py": [*old, "kept", "as it is now"], "b.py": ["b"]})
    build.commit("alone", {"a.py": ["on top", *old]}, "base")
    build.commit("c", {"a.py": [*old], "c.py": ["c"]}, "base")
    whole: Files = {"a.py": ["of main", *old, "kept", "as it is now"], "b.py": ["b"]}
    build.commit("before", {"a.py": ["of main", *old]}, "base")
    build.commit("squash", whole, message="Everything (#7)")
    build.commit("rebased", {**whole, "c.py": ["c"]})
    build.done()
    for number, name in ((7, "second"), (8, "alone"), (9, "c")):
        git(build.where, "update-ref", f"refs/pull/{number}/head", build.sha[name])
    for number in range(1, 9):
        git(build.where, "update-ref", "-d", f"refs/heads/x{number}")
    git(build.where, "update-ref", "refs/heads/main", build.sha["rebased"])
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/main")
    entries = {
        "first": "a.py\n  s_1::t_1 1,7-8\nb.py\n  s_1::t_1 1\n",
        "second": "a.py\n  s_1::t_1 8\n",
        "alone": "a.py\n  s_1::t_1 1\n",
        "c": "c.py\n  s_1::t_1 1\n",
    }
    put_notes(
        build.where,
        "refs/notes/ai",
        {build.sha[name]: git_ai_note(lines) for name, lines in entries.items()},
    )
    return build


def test_notes_of_squashed_commits_reach_the_branch(squashed: Build, db: Path) -> None:
    sha = squashed.sha
    (worth,) = (
        r
        for r in run_rows("data", "claims", squashed.where, "--by", "producer", db=db)
        if r["producer"] == "git-ai"
    )
    assert held(db) == {
        # line 1 was there before; line 8 was changed by the second commit, so it is not what the
        # first one's note is about
        sha["first"]: (sha["squash"], "squash_by_number", "a.py 8 | b.py 1"),
        sha["second"]: (sha["squash"], "squash_by_number", "a.py 9"),
        sha["c"]: (sha["rebased"], "same_patch_id", "c.py 1"),
        sha["alone"]: (sha["alone"], "named", "a.py 1"),
    }
    assert pick(worth, "carried", "on_branch", "on_other_refs", "attesting") == (
        "3",
        "0",
        "1",
        "0",
    )
    run("data", "check", db=db)


def test_undeclared_lines_that_notes_of_squashed_commits_give_to_an_agent(
    squashed: Build, db: Path
) -> None:
    run("repo", squashed.where, "--history", db=db)
    run("data", "claims", squashed.where, db=db)
    told = run("survival", db=db)
    assert (
        "4 of 11 added undeclared lines (36.4%) are an agent's by a verified record of another tool"
        in " ".join(told.stdout.split())
    )
    # claims are counted beside our classes
    assert {row["class"] for row in table(db, "line_spans")} == {"undeclared"}


def test_notes_follow_a_branch_that_moves(squashed: Build, tmp_path: Path) -> None:
    db = tmp_path / "c.db"
    sha = squashed.sha
    git(squashed.where, "update-ref", "refs/heads/main", sha["before"])
    run("data", "claims", squashed.where, db=db)
    assert {where[1] for where in held(db).values()} == {"named"}
    git(squashed.where, "update-ref", "refs/heads/main", sha["rebased"])
    run("data", "claims", squashed.where, db=db)
    fresh = tmp_path / "fresh.db"
    run("data", "claims", squashed.where, db=fresh)
    assert held(db) == held(fresh) and held(db)[sha["c"]][1] == "same_patch_id"
    git(squashed.where, "update-ref", "refs/heads/main", sha["squash"])
    run("data", "claims", squashed.where, db=db)
    assert (
        held(db)[sha["c"]] == (sha["c"], "named", "c.py 1")
        and held(db)[sha["first"]] == held(fresh)[sha["first"]]
    )
    run("data", "check", db=db)


def test_a_run_that_was_stopped_goes_on(
    noted: tuple[Path, Build], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, _ = noted
    whole = tmp_path / "whole.db"
    db = tmp_path / "c.db"
    run("data", "claims", repo, db=whole)

    def stop(run: StageRun, problems: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(StageRun, "report", stop)
    run("data", "claims", repo, code=130, db=db)
    assert table(db, "claim_records") == []
    monkeypatch.undo()
    run("data", "claims", repo, db=db)
    assert statuses(db) == statuses(whole) and len(table(db, "claim_records")) == len(
        table(whole, "claim_records")
    )


def place_of(db: Path) -> str:
    """A line of the tip that an agent wrote."""
    with Store(db) as store:
        return str(
            store.value(
                "SELECT path || ':' || start_line FROM line_spans WHERE author = 'agent' "
                "AND commit_sha = (SELECT head_sha FROM repos)"
            )
        )


def test_claims_without_a_session_are_counted_apart(noted: tuple[Path, Build], db: Path) -> None:
    repo, _ = noted
    run("data", "claims", repo, db=db)
    found = run_json("repo", repo, db=db)[0]
    assert found["claimed_lines"] == 4  # two of a.py, and two of b.py that two producers claim
    assert pick(found["lines"], "agent", "human") == (0, 0)
    assert "by other tools" in run("repo", repo, db=db).stdout


def test_survival_says_how_many_lines_without_a_sign_another_tool_gives_to_an_agent(
    noted: tuple[Path, Build], db: Path
) -> None:
    repo, _ = noted
    analyse(repo, db)
    assert "added undeclared lines" not in run("survival", repo, "--no-curves", db=db).stdout
    run("data", "claims", repo, db=db)
    shown = " ".join(run("survival", repo, "--no-curves", db=db).stdout.split())
    assert shown.split(" added undeclared lines")[0].split("note: ")[-1] == "4 of 4"
    assert "and 0 (0.0%) a person's" in shown and "git-ai: 0 of 1 records fit their commit" in shown
    assert "4 of 4 added undeclared lines" in " ".join(run("repo", repo, db=db).stdout.split())


def test_claims_stand_beside_our_lines(tmp_path: Path, db: Path) -> None:
    repo = clone("two_sessions_one_file", tmp_path)
    analyse(repo, db)
    with Store(db) as store:
        groups: dict[str, list[Share]] = {}
        for share in commit_shares(store, 1, people=False):
            groups.setdefault(share[0]["commit"], []).append(share)
    notes = {
        sha: note(sha, group).replace("whowrote:", "").encode() for sha, group in groups.items()
    }
    put_notes(repo, "refs/notes/ai", notes)
    spans = table(db, "spans")
    found = run_rows("data", "claims", repo, "--by", "agreement", db=db)
    assert {pick(r, "claimed", "ours", "verdict") for r in found if r["producer"] == "git-ai"} == {
        ("agent", "agent", "agree")
    }
    exported = sum(span["lines"] for group in groups.values() for share in group for span in share)
    assert sum(int(r["lines"]) for r in found if r["producer"] == "git-ai") == exported > 0
    assert table(db, "spans") == spans  # claims never change our own lines
    told = run_json("why", repo, place_of(db), db=db)
    assert [
        pick(c, "producer", "author", "status") for c in told["claims"] if c["producer"] == "git-ai"
    ] == [("git-ai", "agent", "ok")]
    assert "claimed by" in run("why", repo, place_of(db), db=db).stdout
    run("data", "check", db=db)


def test_what_we_export_is_not_taken_for_a_claim(tmp_path: Path, db: Path) -> None:
    repo = clone("two_sessions_one_file", tmp_path)
    run("data", "export", "git-ai", repo, "--into", repo, db=db)
    run("data", "claims", repo, "--by", "added", db=db)
    assert {row["state"] for row in table(db, "claim_records") if row["producer"] == "git-ai"} == {
        "own"
    }
    assert [row for row in table(db, "claims") if row["path"]] == []


def test_a_clone_without_claims(tmp_path: Path, db: Path) -> None:
    build = Build(tmp_path / "plain.git")
    build.commit("one", {"a": ["x"]})
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x1")
    shown_ = run("data", "claims", build.where, db=tmp_path / "p.db")
    assert "no claims found" in shown_.stderr
    run("data", "claims", tmp_path / "nowhere", code=2, db=db)
    assert not (db).exists()
