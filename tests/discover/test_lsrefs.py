"""Pkt-lines and ls-refs: against git itself over loopback, against old servers, and against hostile answers."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.git_answers import OID, V1, git, make_repo
from support.github_server import GitHubServer, Repo, World

from collector.discover.lsrefs import Prober, probe_all
from collector.discover.ref_state import PREFIXES
from collector.git import pktline
from collector.git.pktline import BadProtocol, ServerSays, packet, packets, parse_ls_refs
from collector.github.client import Clock
from collector.github.git_server import GitServers
from collector.github.transport import Web

RESULT = {"Content-Type": "application/x-git-upload-pack-result"}
ULID = "01JZKQ4W7V8Y9X2M3N4P5Q6R7S"


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., tuple[GitHubServer, Prober]]]:
    """Starts a server with the given repositories, and a prober that never waits."""
    opened: list[Any] = []

    def start(*repos: Repo, **world: Any) -> tuple[GitHubServer, Prober]:
        server, web = GitHubServer(World(list(repos), **world)), Web(timeout=10)
        opened.extend((server, web))
        server.__enter__()
        return server, Prober(GitServers(web, Clock(sleep=lambda seconds: None)))

    yield start
    for each in reversed(opened):
        each.__exit__()


def test_what_git_holds_is_what_is_seen(serve: Any, tmp_path: Path) -> None:
    refs = {f"refs/entire/checkpoints/{n:02x}/{n:012x}": str(n) for n in range(40)}
    refs |= {f"refs/heads/other-{n}": "x" for n in range(60)} | {f"refs/pull/{n}/head": "y" for n in range(60)}
    refs |= {
        "refs/heads/main": "m",
        V1: "v1",
        f"refs/entire/checkpoints/7S/{ULID}": "one",
        f"refs/entire/checkpoints/XX/{ULID}": "the shard is wrong",
        "refs/entire/checkpoints/v2/main": "v2",
        "refs/entire/policies/checkpoint": "no checkpoint",
        "refs/heads/entire/abc1234-e3b0c4": "shadow",
        "refs/notes/ai": "notes",
        "refs/notes/semantic-release": "no agent",
    }
    repo = make_repo(tmp_path / "r.git", refs)
    server, prober = serve(Repo("o/r", git_dir=repo))
    seen = prober(server.url, "o/r")
    found = seen.ref_state
    assert (seen.outcome, found.checkpoint_refs, found.shadow_branches, found.notes) == ("ok", 41, 1, ("refs/notes/ai",))
    assert (found.v1_oid, found.v2_oid) == (git(repo, "rev-parse", V1), git(repo, "rev-parse", "refs/entire/checkpoints/v2/main"))
    assert (found.head_ref, found.head_oid) == ("refs/heads/main", git(repo, "rev-parse", "main"))
    assert len(server.log) == 1 and "authorization" not in server.log[0].headers


def test_only_the_refs_asked_for_travel(serve: Any, tmp_path: Path) -> None:
    refs = {"refs/heads/main": "m", V1: "v1", "refs/heads/entirely-else": "x", **{f"refs/heads/b{n}": "x" for n in range(300)}}
    repo = make_repo(tmp_path / "r.git", refs)
    server, prober = serve(Repo("o/r", git_dir=repo))
    body = pktline.ls_refs_request(PREFIXES)
    headers = {"Git-Protocol": "version=2", "Content-Type": "application/x-git-upload-pack-request"}
    answer = prober.servers.web.send("POST", f"{server.url}/o/r.git/git-upload-pack", headers, body)
    assert set(parse_ls_refs([answer.body]).oids) == {"HEAD", V1}
    assert len(answer.body) < 300


def test_the_digest_changes_with_what_matters_only(serve: Any, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "r.git", {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(Repo("o/r", git_dir=repo))
    before = prober(server.url, "o/r").ref_state.digest
    git(repo, "update-ref", "refs/heads/feature", "main")
    git(repo, "update-ref", "refs/notes/semantic-release", "main")
    assert prober(server.url, "o/r").ref_state.digest == before
    git(repo, "update-ref", f"refs/entire/checkpoints/7S/{ULID}", "main")
    assert prober(server.url, "o/r").ref_state.digest != before


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("content", ["empty", "something"])
def test_an_empty_branch_is_told_from_a_full_one(serve: Any, tmp_path: Path, content: str, object_format: str) -> None:
    repo = make_repo(tmp_path / "r.git", {"refs/heads/main": "m", V1: content}, object_format)
    server, prober = serve(Repo("o/r", git_dir=repo))
    seen = prober(server.url, "o/r")
    assert (seen.outcome, seen.v1_empty) == ("ok", content == "empty")
    assert seen.ref_state.v1_oid == git(repo, "rev-parse", V1)


@pytest.mark.parametrize("kind", ["v0", "dumb"])
def test_old_servers_are_asked_for_all_refs(serve: Any, tmp_path: Path, kind: str) -> None:
    one = f"refs/entire/checkpoints/7S/{ULID}"
    repo = make_repo(tmp_path / "r.git", {"refs/heads/main": "m", V1: "v1", one: "x", "refs/tags/t": "y"})
    git(repo, "-c", "user.name=t", "-c", "user.email=t", "tag", "-a", "-m", "t", "annotated", "main")
    server, prober = serve(Repo("o/r", git_dir=repo, git=kind))
    seen = prober(server.url, "o/r")
    assert (seen.outcome, seen.ref_state.checkpoint_refs) == ("ok", 1)
    assert seen.ref_state.v1_oid == git(repo, "rev-parse", V1)
    assert seen.ref_state.head_ref == ("refs/heads/main" if kind == "v0" else None)


def test_a_repository_without_a_commit(serve: Any, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "r.git", {})
    for kind in ("v2", "v0"):
        server, prober = serve(Repo("o/r", git_dir=repo, git=kind))
        seen = prober(server.url, "o/r")
        assert (seen.outcome, seen.ref_state.head_oid, seen.ref_state.v1_oid) == ("ok", None, None)


def test_missing_private_and_renamed(serve: Any, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "r.git", {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(Repo("o/new", git_dir=repo), Repo("o/secret", private=True), renamed={"o/old": "o/new"})
    assert prober(server.url, "o/gone").outcome == "private_or_missing"
    assert prober(server.url, "o/secret").outcome == "private_or_missing"
    seen = prober(server.url, "o/old")
    assert (seen.outcome, seen.renamed_to, seen.v1_empty) == ("ok", "o/new", False)
    assert prober(server.url, "o/new").renamed_to is None


def test_failures_pass_and_limits_stop_all(serve: Any, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "r.git", {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(Repo("o/r", git_dir=repo))
    undisturbed = prober(server.url, "o/r")
    slept: list[float] = []
    at = [1000.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        at[0] += seconds

    prober.servers.clock = Clock(lambda: at[0], sleep, lambda: 0.0)
    for faults in (["503"], ["503"] * 3, ["drop", "cut"], [None, "502"], [None, "drop"], ["secondary-after"]):
        server.faults.extend(faults)
        assert prober(server.url, "o/r") == undisturbed, faults
    server.faults.append("secondary-429")
    slept.clear()
    assert prober(server.url, "o/r") == undisturbed
    assert slept == [60.0]
    server.faults.extend(["503"] * 9)
    assert prober(server.url, "o/r").outcome == "unreachable"
    server.faults.clear()
    server.faults.extend(["secondary-429"] * 9)
    assert prober(server.url, "o/r").outcome == "unreachable"


def test_nobody_is_there() -> None:
    with Web(timeout=1) as web:
        seen = Prober(GitServers(web, Clock(sleep=lambda seconds: None)))("http://127.0.0.1:9", "o/r")
    assert seen.outcome == "unreachable" and "127.0.0.1" in seen.detail


def test_many_at_once_come_back_in_order(serve: Any, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "r.git", {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(*(Repo(f"o/r{n}", git_dir=repo if n % 3 else None) for n in range(50)))
    found = list(probe_all(prober, range(50), lambda n: (server.url, f"o/r{n}"), jobs=6))
    assert [n for n, _ in found] == list(range(50))
    assert [seen.outcome for _, seen in found] == ["ok" if n % 3 else "private_or_missing" for n in range(50)]


# --- hostile answers --------------------------------------------------------------------------------------------------

LINE = packet(f"{OID} HEAD symref-target:refs/heads/main\n".encode())
BAD = {
    "not a packet": b"<html>",
    "half a length": LINE + b"00",
    "a length that lies": b"fff0" + b"x" * 20,
    "length 3": b"0003",
    "no end": LINE,
    "data after the end": LINE + b"0000" + LINE,
    "a delimiter": LINE + b"0001" + b"0000",
    "no object id": packet(b"zz HEAD\n") + b"0000",
    "no ref": packet(f"{OID}\n".encode()) + b"0000",
    "a path that climbs": packet(f"{OID} refs/heads/../../x\n".encode()) + b"0000",
    "control characters": packet(f"{OID} refs/heads/a\x1b[2J\n".encode()) + b"0000",
    "a blank in HEAD's target": packet(f"{OID} HEAD symref-target:refs/heads/a\x07\n".encode()) + b"0000",
}


@pytest.mark.parametrize("what", BAD)
def test_malformed_answers_are_refused(serve: Any, what: str) -> None:
    server, prober = serve(Repo("o/r", raw=lambda path, body: (200, RESULT, BAD[what])))
    seen = prober(server.url, "o/r")
    assert seen.outcome == "unreachable" and "not a git server" in seen.detail
    with pytest.raises(BadProtocol):
        parse_ls_refs([BAD[what]])


def test_a_login_page_is_no_git_server(serve: Any) -> None:
    server, prober = serve(Repo("o/r", raw=lambda path, body: (200, {"Content-Type": "text/html"}, b"<html>log in</html>")))
    assert prober(server.url, "o/r").outcome == "unreachable"


def test_an_endless_answer_is_cut_off(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collector.github.git_server.MOST_BYTES", 10_000)
    server, prober = serve(Repo("o/r", raw=lambda path, body: (200, RESULT, LINE * 1000 + b"0000")))
    seen = prober(server.url, "o/r")
    assert seen.outcome == "unreachable" and "larger than" in seen.detail
    assert len(server.log) == 1


def test_an_unborn_head_is_no_object() -> None:
    refs = parse_ls_refs([packet(b"unborn HEAD symref-target:refs/heads/main\n") + b"0000"])
    assert refs.oids == {} and refs.head == "refs/heads/main"


def commit_answer(pack: bytes, *extra: bytes) -> bytes:
    return packet(b"packfile\n") + packet(b"\x01" + pack) + b"".join(extra) + b"0000"


def pack_of(data: bytes, kind: int = 1, size: int | None = None) -> bytes:
    size = len(data) if size is None else size
    head, rest = kind << 4 | size & 15, size >> 4
    encoded = b""
    while rest:
        encoded += bytes([head | 128])
        head, rest = rest & 127, rest >> 7
    return b"PACK\0\0\0\2\0\0\0\1" + encoded + bytes([head]) + zlib.compress(data)


COMMIT = b"tree " + b"2" * 40 + b"\nauthor x\n\n" + b"m" * 5000


def test_a_commit_comes_out_of_its_pack() -> None:
    assert pktline.parse_commit([commit_answer(pack_of(COMMIT))]) == COMMIT
    assert pktline.tree_of(COMMIT) == "2" * 40


@pytest.mark.parametrize(
    "answer",
    [
        b"0000",
        commit_answer(b"PAC"),
        commit_answer(pack_of(COMMIT, kind=3)),
        commit_answer(pack_of(COMMIT, size=5001)),
        commit_answer(pack_of(COMMIT, size=20)),
        commit_answer(pack_of(COMMIT, size=1 << 30)),
        commit_answer(pack_of(COMMIT)[:20]),
        commit_answer(b"PACK\0\0\0\2\0\0\0\1" + b"\xff" * 40),
        commit_answer(pack_of(COMMIT)[:13] + b"not zlib"),
        packet(b"packfile\n") + packet(b"\x01" + b"x" * 60000) * 30 + b"0000",
    ],
)  # fmt: skip
def test_bad_packs_are_refused(answer: bytes) -> None:
    with pytest.raises(BadProtocol):
        pktline.parse_commit([answer])


def test_errors_of_the_server_are_its_words() -> None:
    with pytest.raises(ServerSays, match="no such thing"):
        pktline.parse_commit([packet(b"ERR no such thing\n")])
    with pytest.raises(ServerSays, match="too bad"):
        pktline.parse_commit([packet(b"packfile\n") + packet(b"\x03too bad\n") + b"0000"])


@given(st.lists(st.binary(max_size=50), max_size=20), st.lists(st.integers(1, 30), min_size=1, max_size=5))
def test_packets_survive_any_cutting(data: list[bytes], sizes: list[int]) -> None:
    stream = b"".join(map(packet, data)) + b"0000"
    pieces, at, turn = [], 0, 0
    while at < len(stream):
        pieces.append(stream[at : at + sizes[turn % len(sizes)]])
        at, turn = at + sizes[turn % len(sizes)], turn + 1
    found = list(packets(pieces))
    assert [p.data for p in found[:-1]] == data and found[-1].mark == pktline.FLUSH


@given(st.binary(max_size=300))
def test_no_bytes_make_the_parsers_fail_otherwise(data: bytes) -> None:
    for parse in (
        lambda: parse_ls_refs([data]),
        lambda: pktline.parse_commit([data]),
        lambda: pktline.parse_advertisement([data], False),
        lambda: pktline.parse_advertisement([data], True),
    ):
        try:
            parse()
        except (BadProtocol, ServerSays):
            continue
