"""Pkt-lines and ls-refs: against git itself over loopback, against old servers, and against
hostile answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import pick
from support.git_answers import OID, V1, git, make_repo
from support.github_server import GitHubServer, Repo, World

from collector.discovery.github import git_server
from collector.discovery.github.client import Clock
from collector.discovery.github.git_server import (
    BadProtocol,
    GitServers,
    packet,
    packets,
    parse_ls_refs,
)
from collector.discovery.github.transport import Web
from collector.discovery.selection.probe import PREFIXES, Prober, probe_all

RESULT = {"Content-Type": "application/x-git-upload-pack-result"}
ULID = "01JZKQ4W7V8Y9X2M3N4P5Q6R7S"


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "r.git"


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[GitHubServer, Prober]]]:
    """Starts a server with the given repositories, and a prober that never waits."""
    opened: list[Any] = []

    def start(*repos: Repo, **world: Any) -> tuple[GitHubServer, Prober]:
        server = GitHubServer(World(list(repos), **world))
        web = Web(timeout=10)
        opened.extend((server, web))
        server.__enter__()
        return server, Prober(GitServers(web, Clock(sleep=lambda seconds: None)))

    yield start
    for each in reversed(opened):
        each.__exit__()


def test_what_git_holds_is_what_is_seen(serve: Any, where: Path) -> None:
    refs = {f"refs/entire/checkpoints/{n:02x}/{n:012x}": str(n) for n in range(40)}
    refs |= {f"refs/heads/other-{n}": "x" for n in range(60)} | {
        f"refs/pull/{n}/head": "y" for n in range(60)
    }
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
    repo = make_repo(where, refs)
    server, prober = serve(Repo("o/r", git_dir=repo))
    seen = prober(server.url, "o/r")
    found = seen.columns
    assert (seen.outcome, found["checkpoint_refs"], found["shadow_branches"], found["notes"]) == (
        "ok",
        41,
        1,
        "refs/notes/ai",
    )
    assert pick(found, "v1_oid", "v2_oid") == (
        git(repo, "rev-parse", V1),
        git(repo, "rev-parse", "refs/entire/checkpoints/v2/main"),
    )
    assert pick(found, "head_ref", "head_oid") == (
        "refs/heads/main",
        git(repo, "rev-parse", "main"),
    )
    assert len(server.log) == 1 and "authorization" not in server.log[0].headers


def test_only_the_refs_asked_for_travel(serve: Any, where: Path) -> None:
    refs = {
        "refs/heads/main": "m",
        V1: "v1",
        "refs/heads/entirely-else": "x",
        **{f"refs/heads/b{n}": "x" for n in range(300)},
    }
    repo = make_repo(where, refs)
    server, prober = serve(Repo("o/r", git_dir=repo))
    body = git_server.ls_refs_request(PREFIXES)
    headers = {"Git-Protocol": "version=2", "Content-Type": "application/x-git-upload-pack-request"}
    answer = prober.servers.web.send("POST", f"{server.url}/o/r.git/git-upload-pack", headers, body)
    assert set(parse_ls_refs(answer.body).oids) == {"HEAD", V1}
    assert len(answer.body) < 300


def test_the_digest_changes_with_what_matters_only(serve: Any, where: Path) -> None:
    repo = make_repo(where, {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(Repo("o/r", git_dir=repo))
    before = prober(server.url, "o/r").columns["refs_digest"]
    git(repo, "update-ref", "refs/heads/feature", "main")
    git(repo, "update-ref", "refs/notes/semantic-release", "main")
    assert prober(server.url, "o/r").columns["refs_digest"] == before
    git(repo, "update-ref", f"refs/entire/checkpoints/7S/{ULID}", "main")
    assert prober(server.url, "o/r").columns["refs_digest"] != before


@pytest.mark.parametrize("kind", ["v0", "dumb"])
def test_old_servers_are_said_to_be_old(serve: Any, where: Path, kind: str) -> None:
    repo = make_repo(where, {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(Repo("o/r", git_dir=repo, git=kind))
    seen = prober(server.url, "o/r")
    assert (
        seen.outcome == "unreachable"
        and ("protocol 2" if kind == "v0" else "plain files") in seen.detail
    )


def test_a_repository_with_sha256_is_asked_in_its_own_words(serve: Any, where: Path) -> None:
    repo = make_repo(where, {"refs/heads/main": "m", V1: "v1"}, "sha256")
    server, prober = serve(Repo("o/r", git_dir=repo))
    seen = prober(server.url, "o/r")
    assert seen.outcome == "ok" and seen.columns["v1_oid"] == git(repo, "rev-parse", V1)


def test_a_repository_without_a_commit(serve: Any, where: Path) -> None:
    repo = make_repo(where, {})
    server, prober = serve(Repo("o/r", git_dir=repo))
    seen = prober(server.url, "o/r")
    assert (seen.outcome, seen.columns["head_oid"], seen.columns["v1_oid"]) == ("ok", None, None)


def test_missing_private_and_renamed(serve: Any, where: Path) -> None:
    repo = make_repo(where, {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(
        Repo("o/new", git_dir=repo), Repo("o/secret", private=True), renamed={"o/old": "o/new"}
    )
    assert prober(server.url, "o/gone").outcome == "private_or_missing"
    assert prober(server.url, "o/secret").outcome == "private_or_missing"
    seen = prober(server.url, "o/old")
    assert (seen.outcome, seen.renamed_to) == ("ok", "o/new")
    assert prober(server.url, "o/new").renamed_to is None


def test_failures_pass_and_limits_stop_all(serve: Any, where: Path) -> None:
    repo = make_repo(where, {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(Repo("o/r", git_dir=repo))
    undisturbed = prober(server.url, "o/r")
    slept: list[float] = []
    at = [1000.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        at[0] += seconds

    prober.servers.clock = Clock(lambda: at[0], sleep, lambda: 0.0)
    for faults in (["503"], ["503"] * 3, ["drop", "cut"], ["secondary-after"]):
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
        seen = Prober(GitServers(web, Clock(sleep=lambda seconds: None)))(
            "http://127.0.0.1:9", "o/r"
        )
    assert seen.outcome == "unreachable" and "127.0.0.1" in seen.detail


def test_many_at_once_come_back_in_order(serve: Any, where: Path) -> None:
    repo = make_repo(where, {"refs/heads/main": "m", V1: "v1"})
    server, prober = serve(*(Repo(f"o/r{n}", git_dir=repo if n % 3 else None) for n in range(50)))
    found = list(probe_all(prober, range(50), lambda n: (server.url, f"o/r{n}"), jobs=6))
    assert [n for n, _ in found] == list(range(50))
    assert [seen.outcome for _, seen in found] == [
        "ok" if n % 3 else "private_or_missing" for n in range(50)
    ]


# --- hostile answers ------------------------------------------------------------------------------

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
    "a blank in HEAD's target": (
        packet(f"{OID} HEAD symref-target:refs/heads/a\x07\n".encode()) + b"0000"
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_malformed_answers_are_refused(serve: Any, what: str) -> None:
    server, prober = serve(Repo("o/r", raw=lambda path, body: (200, RESULT, BAD[what])))
    seen = prober(server.url, "o/r")
    assert seen.outcome == "unreachable" and seen.detail
    with pytest.raises(BadProtocol):
        parse_ls_refs(BAD[what])


def test_a_login_page_is_no_git_server(serve: Any) -> None:
    server, prober = serve(
        Repo(
            "o/r",
            raw=lambda path, body: (200, {"Content-Type": "text/html"}, b"<html>log in</html>"),
        )
    )
    assert prober(server.url, "o/r").outcome == "unreachable"


def test_an_endless_answer_is_cut_off(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collector.discovery.github.patience.ANSWER_BYTES", 10_000)
    server, prober = serve(Repo("o/r", raw=lambda path, body: (200, RESULT, LINE * 1000 + b"0000")))
    seen = prober(server.url, "o/r")
    assert seen.outcome == "unreachable" and "larger than" in seen.detail
    assert len(server.log) == 1


def test_an_unborn_head_is_no_object() -> None:
    refs = parse_ls_refs(packet(b"unborn HEAD symref-target:refs/heads/main\n") + b"0000")
    assert refs.oids == {} and refs.head == "refs/heads/main"


def test_errors_of_the_server_are_its_words() -> None:
    with pytest.raises(BadProtocol, match="no such thing"):
        parse_ls_refs(packet(b"ERR no such thing\n"))


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_packets_come_out_as_they_went_in(data: list[bytes]) -> None:
    *parts, end = packets(b"".join(map(packet, data)) + b"0000")
    assert [part for part, _ in parts] == data and end[1] == git_server.FLUSH


@given(st.binary(max_size=300))
def test_no_bytes_make_the_parsers_fail_otherwise(data: bytes) -> None:
    with suppress(BadProtocol):
        parse_ls_refs(data)
