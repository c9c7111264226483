"""A deadline holds whatever a server does: each of these servers sends a byte before any timeout
of a connection is over.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support.trickle import Trickle

from collector.discovery.github.client import Clock, GitHub, LimitReached
from collector.discovery.github.git_server import GitServers, NoRefs
from collector.discovery.github.transport import Unreachable, Web
from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import GitAccess, Remote, Stopped, talk
from collector.discovery.mirrors.update import FetchOptions, update_mirror
from collector.repository_names import RepositorySource
from collector.runtime.bounds import NEVER, Deadline, current, deadline_until

HEADERS = (b"HTTP/1.1 200 OK\r\n", b"x-more: 1\r\n")
BODY = (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nContent-Type: text/plain\r\n\r\n", b"x")
REFS = (
    (
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nContent-Type:"
        b" application/x-git-upload-pack-result\r\n\r\n"
    ),
    b"003d" + b"a" * 40 + b" refs/heads/main\n",
)
AT_MOST = 8.0  # seconds, on a machine with much to do; without a deadline it would be minutes


def test_the_earlier_deadline_holds_and_ends_with_its_block() -> None:
    assert current() is NEVER and not NEVER.has_passed
    with deadline_until(Deadline.from_now(100)) as outer:
        with deadline_until(Deadline.from_now(1000)) as inner:
            assert inner is outer
        with deadline_until(Deadline.from_now(1)) as inner:
            assert inner.seconds_left() <= 1 and current() is inner
        assert current() is outer and deadline_until(Deadline.from_now(0))
    assert current() is NEVER and Deadline.from_now(0) is NEVER


@pytest.mark.parametrize("answer", [HEADERS, BODY], ids=["headers", "body"])
def test_an_answer_that_trickles_ends_in_time(answer: tuple[bytes, bytes]) -> None:
    began = time.monotonic()
    with (
        Trickle(*answer) as server,
        Web(timeout=30) as web,
        pytest.raises(Unreachable, match=r"took longer than 0\.5 s"),
        web.stream("GET", server.base, patience=0.5) as (_, chunks),
    ):
        list(chunks)
    assert time.monotonic() - began < AT_MOST


def test_connections_that_are_kept_have_the_deadline_of_each_request() -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with Trickle(whole, b"HTTP/1.1 ") as server, Web(timeout=30) as web:
        assert web.send("GET", server.base).body == b"ok"
        with deadline_until(Deadline.from_now(0.5)), pytest.raises(Unreachable):
            web.send("GET", server.base)


@pytest.mark.parametrize("answer", [HEADERS, REFS], ids=["headers", "refs"])
def test_refs_that_trickle_do_not_outlast_max_time(
    tmp_path: Path, answer: tuple[bytes, bytes]
) -> None:
    """Three attempts with pauses between them, and still no more than the time of one."""
    began = time.monotonic()
    options = FetchOptions(seconds=0.5, pauses=(0.1, 0.1))
    with Trickle(*answer) as server:
        done = update_mirror(
            RepositorySource("o/r", f"{server.base}/o/r.git"),
            Mirrors(tmp_path / "m"),
            Remote(),
            options,
        )
    assert done.state in ("too_slow", "unreachable") and time.monotonic() - began < AT_MOST
    assert not Mirrors(tmp_path / "m").path("o/r").exists()


def test_git_ends_at_the_deadline(tmp_path: Path) -> None:
    with (
        Trickle(*HEADERS) as server,
        deadline_until(Deadline.from_now(0.5)),
        pytest.raises(Stopped, match=r"took longer than 0\.5 s"),
    ):
        talk(tmp_path, ["ls-remote", f"{server.base}/o/r.git"], GitAccess(("http",)))


def test_nobody_sleeps_past_the_deadline() -> None:
    slept: list[float] = []
    clock = Clock(sleep=slept.append, chance=lambda: 0.0)
    with Web() as web, deadline_until(Deadline.from_now(0.5)):
        servers = GitServers(web, clock)
        servers.budgets.close("http://127.0.0.1:1", "secondary", {}, servers.clock.now())
        with pytest.raises(LimitReached, match="60 s to wait"):
            servers.wait("http://127.0.0.1:1")
        with pytest.raises(NoRefs, match="s to wait, more than the"):
            GitServers(web, clock)._ask("GET", "http://127.0.0.1:1/o/r.git", {})
        with pytest.raises(LimitReached, match="s to wait, more than the"):
            GitHub(web, clock, api="http://127.0.0.1:1").get("/x")
    assert slept == []
