"""The GitHub client against the stand-in: limits, retries, conditional requests, redirects,
partial answers; no token anywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.github_server import TOKEN, GitHubServer, Repo, World

from collector.discovery.github.client import (
    BadToken,
    Clock,
    GitHub,
    LimitReached,
    NotFound,
    Refused,
)
from collector.discovery.github.patience import Budgets, Token, find_token, limit_kind
from collector.discovery.github.transport import Unreachable, Web
from collector.errors import WhoWroteError


@dataclass
class FakeClock:
    """Time that passes only by sleeping."""

    at: float = 1_790_000_000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    def clock(self) -> Clock:
        return Clock(self.now, self.sleep, lambda: 0.0)


@pytest.fixture
def time() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(time: FakeClock) -> Iterator[GitHubServer]:
    repos = [Repo(f"octo/r{n:03d}", stars=n) for n in range(250)]
    world = World(
        [*repos, Repo("octo/secret", private=True)],
        renamed={"octo/old": "octo/r007"},
        organisations={"octo"},
    )
    with GitHubServer(world, time.now) as running:
        yield running


Connect = Callable[..., GitHub]


@pytest.fixture
def client(server: GitHubServer, time: FakeClock) -> Iterator[Connect]:
    with Web(timeout=5) as web:

        def connect(**more: Any) -> GitHub:
            return GitHub(
                web,
                api=server.api_url,
                **{"token": Token("test", TOKEN), "clock": time.clock(), **more},
            )

        yield connect


def test_pages_end_where_the_link_header_says(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    github = client()
    pages = [
        github.get("/orgs/octo/repos", {"per_page": 100, "page": number}) for number in (1, 2, 3)
    ]
    assert [(len(p.value), p.has_next) for p in pages] == [(100, True), (100, True), (50, False)]
    assert len({r["full_name"] for p in pages for r in p.value}) == 250


@pytest.mark.parametrize("fault", ["500", "502", "503", "drop", "cut", "malformed"])
def test_what_may_pass_is_tried_again_with_growing_pauses(
    client: Connect, server: GitHubServer, time: FakeClock, fault: str
) -> None:
    server.faults.extend([fault] * 4)
    assert client().get("/repos/octo/r001").value["id"] == 1002
    assert time.slept == [1.0, 2.0, 4.0, 8.0]
    assert len(server.log) == 5


def test_a_server_that_stays_ill_is_given_up_with_words(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    server.faults.extend(["503"] * 6)
    with pytest.raises(Unreachable, match="answered 503, 6 times"):
        client().get("/repos/octo/r001")
    assert sum(time.slept) == 31.0


def test_a_timeout_is_an_ordinary_failure(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    server.faults.append("hang")
    with Web(timeout=0.2) as web:
        assert (
            GitHub(web, time.clock(), api=server.api_url).get("/repos/octo/r001").value["id"]
            == 1002
        )
    assert time.slept == [1.0]


@pytest.mark.parametrize(
    ("faults", "slept"),
    [
        (["secondary-after"], [7.0]),
        (["secondary", "secondary-429", "secondary"], [60.0, 120.0, 240.0]),
        (["primary"], [31.0]),
    ],
)
def test_limits_are_waited_out(
    client: Connect, server: GitHubServer, time: FakeClock, faults: list[str], slept: list[float]
) -> None:
    server.faults.extend(faults)
    told: list[str] = []
    assert client(tell=told.append).get("/repos/octo/r001").value["id"] == 1002
    assert time.slept == slept
    assert len(told) == len(slept)


def test_the_budget_is_watched_so_that_no_request_is_refused(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    server.limits["search"] = (3, 3, 60)
    github = client()
    for _ in range(7):
        github.get("/search/repositories", {"q": "topic:x"}, "search")
    assert len(server.log) == 7
    assert time.slept == [61.0, 61.0]


def test_resources_have_budgets_of_their_own(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    server.limits["search"] = (1, 1, 60)
    github = client()
    github.get("/search/repositories", {"q": "topic:x"}, "search")
    github.get("/repos/octo/r001")
    assert time.slept == []


def test_a_wait_longer_than_allowed_ends_the_run(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    server.faults.append("secondary")
    with pytest.raises(LimitReached, match="60 s to wait"):
        client(longest_wait=10.0).get("/repos/octo/r001")


def test_limits_without_end_are_given_up(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    server.faults.extend(["secondary-after"] * 20)
    with pytest.raises(LimitReached, match="9 times in a row"):
        client().get("/repos/octo/r001")


def test_a_forbidden_resource_is_no_rate_limit(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    server.faults.append("forbidden")
    with pytest.raises(Refused, match="not accessible"):
        client().get("/repos/octo/r001")
    assert time.slept == []


def test_a_bad_token_and_no_token_have_words(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    with pytest.raises(BadToken, match="does not accept the token from test: Bad credentials"):
        client(token=Token("test", "ghp_wrong")).get("/repos/octo/r001")
    with pytest.raises(BadToken, match="requires a token"):
        client(token=None).get("/search/code", {"q": "x"}, "code_search")


def test_missing_private_and_renamed(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    github = client()
    for name in ("octo/none", "octo/secret"):
        with pytest.raises(NotFound):
            github.get(f"/repos/{name}")
    page = github.get("/repos/octo/old")
    assert page.value["full_name"] == "octo/r007"


def test_graphql_keeps_what_came(client: Connect, server: GitHubServer, time: FakeClock) -> None:
    query = (
        '{ a: repository(owner: "octo", name: "r001") {id} b: repository(owner: "octo", name:'
        ' "gone") {id} }'
    )
    answer = client().graphql(query)
    assert answer.data["a"]["nameWithOwner"] == "octo/r001" and answer.data["b"] is None
    assert answer.errors["b"][0] == "NOT_FOUND"
    assert server.log[-1].path == "/api/graphql"  # beside /api/v3, as on GitHub Enterprise


def test_no_token_goes_to_another_host(
    client: Connect, server: GitHubServer, time: FakeClock
) -> None:
    with GitHubServer(World([Repo("octo/r001")]), time.now) as other:
        server.faults.append("elsewhere")
        server.elsewhere = other.url
        page = client().get("/repos/octo/r001")
        assert page.value["full_name"] == "octo/r001"
        assert "authorization" not in other.log[0].headers
    assert "authorization" in server.log[0].headers


def test_a_redirect_that_is_no_address_is_said(server: GitHubServer) -> None:
    server.world.repos[0].raw = lambda path, body: (302, {"Location": "http://[/x"}, b"")
    with Web() as web, pytest.raises(Unreachable, match="not a URL"):
        web.send("POST", f"{server.url}/octo/r000.git/git-upload-pack")


def test_the_token_shows_up_nowhere(
    client: Connect, server: GitHubServer, time: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    token = Token("test", TOKEN)
    texts = [repr(token), str(token)]
    github = client(tell=told.append)
    github.get("/repos/octo/r001")
    for fault, kind in (("forbidden", Refused), ("bad-token", BadToken), ("503", Unreachable)):
        server.faults.extend([fault] * (6 if fault == "503" else 1))
        with pytest.raises(kind) as raised:
            github.get("/repos/octo/r002")
        texts += [str(raised.value), repr(raised.value), raised.value.hint]
    texts.append(repr(github))
    texts += told + [r.getMessage() for r in caplog.records] + [a.path for a in server.log]
    assert server.log[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert not [t for t in texts if TOKEN in t]


def test_where_a_token_comes_from(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path)}
    assert find_token(environment={"GITHUB_TOKEN": "x", "GH_TOKEN": "y"}) == Token(
        "GITHUB_TOKEN", "x"
    )
    assert find_token(environment={"GITHUB_TOKEN": " ", "GH_TOKEN": "y"}) == Token("GH_TOKEN", "y")
    assert find_token(environment=nothing) is None
    program = tmp_path / "gh"
    program.write_text('#!/bin/sh\n[ "$4" = example.org ] && echo from-$4\n')
    program.chmod(0o755)
    assert find_token("example.org", nothing) == Token("gh auth token", "from-example.org")
    assert find_token("other.org", nothing) is None


@pytest.mark.parametrize("content", ["two words", "naïve"])
def test_what_is_no_token_is_said_without_it(content: str) -> None:
    with pytest.raises(WhoWroteError, match="does not contain a token") as raised:
        find_token(environment={"GITHUB_TOKEN": content})
    assert content not in str(raised.value)


def test_kinds_of_limits() -> None:
    assert limit_kind(403, {}, b'{"message": "Must have admin rights"}') is None
    assert limit_kind(403, {"x-ratelimit-remaining": "0"}, b"") == "primary"
    assert limit_kind(403, {"retry-after": "5"}, b"") == "secondary"
    assert limit_kind(429, {}, b"not json") == "secondary"
    assert limit_kind(200, {"x-ratelimit-remaining": "0"}, b"") is None


def test_a_pause_is_never_longer_than_the_window_of_an_hour() -> None:
    budgets = Budgets()
    budgets.close("core", "secondary", {"retry-after": "999999999"}, 0.0)
    assert budgets.wait_before("core", 0.0) == 3900.0
