"""Answers of github.com and of other servers as people report them: written by hand in the shape of
what was recorded, none copied.

The headings name the threads that they come from; the table in docs/discovery.md says what is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick
from support.fake_time import FakeTime
from support.git_answers import V1, refs
from support.github_server import FIRST_SEARCH, TOKEN, GitHubServer, Repo, World, one_search
from support.served import add_file, git, publish

from collector.discovery.channels import code_search, paging
from collector.discovery.channels.channel import ChannelContext, DiscoverOptions, DiscoveryLog
from collector.discovery.channels.paging import Unfinished
from collector.discovery.github.client import GitHub, Page
from collector.discovery.github.git_server import HTTP_AGENT, GitServers, packet
from collector.discovery.github.patience import Token, limit_kind, pause_after, retry_after
from collector.discovery.github.transport import Web
from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import Remote
from collector.discovery.mirrors.update import FetchOptions, FetchResult, update_mirror
from collector.discovery.selection.metadata import _columns, from_graphql
from collector.discovery.selection.probe import Prober, RefsProbe, probe_all
from collector.discovery.selection.run import DiscoverResult, Filters, decide, discover
from collector.json_values import JsonObject, Row, Texts
from collector.repository_names import RepositorySource, same_place, source
from collector.storage.store import Store

SETTINGS = ".entire/settings.json"
HTTP = FetchOptions(pauses=())


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


Open = Callable[..., Any]


@pytest.fixture
def opened(tmp_path: Path, time: FakeTime) -> Open:
    @contextmanager
    def start(
        world: World, names: list[str] | None = None, **request: Any
    ) -> Iterator[tuple[GitHubServer, ChannelContext]]:
        texts = (("test", "\n".join(names or []).encode()),)
        with (
            GitHubServer(world, lambda: time.at) as server,
            Web() as web,
            Store(tmp_path / "d.db") as store,
        ):
            clock = time.clock()
            github = GitHub(web, clock, token=Token("test", TOKEN), api=server.api_url)
            log = DiscoveryLog(store, server.url, clock.now)
            yield server, ChannelContext(github, log, DiscoverOptions(texts=texts, **request))

    return start


def run(context: ChannelContext, *names: str) -> DiscoverResult:
    token = context.github.token
    server = context.log.server
    prober = Prober(
        GitServers(context.github.web, context.github.clock, token=token, server=server)
    )
    return discover(context, names or ("listing",), Filters(), prober)


def probe(server: GitHubServer, web: Web, time: FakeTime, name: str = "o/r") -> RefsProbe:
    return Prober(GitServers(web, time.clock()))(server.url, name)


def fetch(one: RepositorySource, mirrors: Mirrors, time: FakeTime) -> FetchResult:
    return update_mirror(one, mirrors, Remote(clock=time.clock()), HTTP)


def candidates(context: ChannelContext) -> dict[str, Row]:
    return {row["full_name"]: row for row in context.log.store.rows("SELECT * FROM candidates")}


# --- addresses of git (dulwich 562, isomorphic-git 247 and 1292, johnmehr/gitup 23) ---------------


def test_every_request_of_git_says_git_and_ends_in_git(tmp_path: Path, time: FakeTime) -> None:
    repo = publish(tmp_path / "srv", "o/r")
    with GitHubServer(World([Repo("o/r", git_dir=repo)])) as server, Web() as web:
        assert web.send("GET", f"{server.url}/o/r/info/refs?service=git-upload-pack").status == 404
        server.log.clear()
        assert probe(server, web, time).outcome == "ok"
        one = source(f"{server.url}/o/r")
        done = fetch(one, Mirrors(tmp_path / "m"), time)
        assert done.state == "fetched" and len(server.log) > 3
        assert {asked.headers["user-agent"] for asked in server.log} == {HTTP_AGENT}
        assert all(asked.path.startswith("/o/r.git/") for asked in server.log)


def test_one_repository_named_in_several_ways_has_one_mirror(
    tmp_path: Path, time: FakeTime
) -> None:
    repo = publish(tmp_path / "srv", "o/r")
    mirrors = Mirrors(tmp_path / "m")
    with GitHubServer(World([Repo("o/r", git_dir=repo)])) as server:
        ways = [f"{server.url}/o/r", f"{server.url}/O/R.git/", f"{server.url}/o/r.git"]
        states = [fetch(RepositorySource("o/r", w), mirrors, time).state for w in ways]
    assert states == ["fetched", "unchanged", "unchanged"]
    assert same_place("https://GitHub.com/o/r/", "https://github.com/O/R.git")
    assert not same_place("https://github.com/o/r", "https://gitlab.com/o/r")
    assert not same_place("/srv/a", "/srv/A")


@pytest.mark.parametrize("get", [301, 302, 307])
@pytest.mark.parametrize("post", [301, 307, 308, 404])
def test_a_renamed_repository_is_followed_whatever_the_post_says(
    tmp_path: Path, time: FakeTime, post: int, get: int
) -> None:
    repo = publish(tmp_path / "srv", "o/new")
    world = World(
        [Repo("o/new", git_dir=repo), Repo("o/old", git_dir=repo)], renamed={"o/old": "o/new"}
    )
    with GitHubServer(world) as server, Web() as web:
        server.moved_post = post
        server.moved_get = get
        seen = probe(server, web, time, "o/old")
        assert (seen.outcome, seen.renamed_to) == ("ok", "o/new")
        one = RepositorySource("o/old", f"{server.url}/o/old.git")
        mirrors = Mirrors(tmp_path / "m")
        done = fetch(one, mirrors, time)
        assert (done.state, done.address) == (
            "moved",
            f"{server.url}/o/new.git",
        ) and not mirrors.path("o/old").exists()
        world.renamed.clear()
        assert fetch(one, mirrors, time).state == "fetched"
        world.renamed["o/old"] = "o/new"  # now the mirror was there before
        add_file(repo, "refs/heads/main", "more.txt", b"more")
        for state in ("fetched", "unchanged"):
            done = fetch(one, mirrors, time)
            assert (done.state, done.url) == (state, f"{server.url}/o/new.git"), done.detail


def test_gone_is_said_only_after_git_s_own_question(time: FakeTime) -> None:
    with GitHubServer(World([Repo("o/r")])) as server, Web() as web:
        seen = probe(server, web, time, "o/gone")
        assert seen.outcome == "private_or_missing"
        assert [(a.method, a.path.rpartition("/")[2].partition("?")[0]) for a in server.log] == [
            ("POST", "git-upload-pack"),
            ("GET", "refs"),
            ("GET", "refs"),
        ]


def test_a_server_that_knows_no_suffix_is_asked_without_it(tmp_path: Path, time: FakeTime) -> None:
    from support.git_server import GitServer

    publish(tmp_path / "srv", "o/r").rename(tmp_path / "srv" / "o" / "plain")
    with GitServer(tmp_path / "srv") as server, Web() as web:
        assert Prober(GitServers(web, time.clock()))(server.base, "o/plain").outcome == "ok"
        one = source(f"{server.base}/o/plain")
        assert one.url.endswith("/o/plain.git")
        done = fetch(one, Mirrors(tmp_path / "m"), time)
        assert done.state == "fetched", done.detail


# --- limits of git (github.blog 2025-05-08, ROCm/TheRock 6431, cli/cli 14329) ---------------------


@pytest.mark.parametrize(
    "limit", ["git-429", "git-err", "git-403-limit", "git-503-after", "secondary-date"]
)
def test_a_limit_of_git_is_waited_out_once_for_all(time: FakeTime, limit: str) -> None:
    with (
        GitHubServer(
            World([Repo(f"o/r{n}", raw=refs("refs/entire/x")) for n in range(6)]), lambda: time.at
        ) as server,
        Web() as web,
    ):
        prober = Prober(GitServers(web, time.clock()))
        server.git_limits.append(limit)
        found = list(probe_all(prober, range(6), lambda n: (server.url, f"o/r{n}"), jobs=1))
        assert {seen.outcome for _, seen in found} == {"ok"} and len(server.log) == 7
        assert time.slept == [{"git-503-after": 9.0, "secondary-date": 20.0}.get(limit, 60.0)]


def test_a_server_that_limits_for_ever_gets_few_requests(tmp_path: Path, time: FakeTime) -> None:
    """Six names of one run."""
    with GitHubServer(
        World([Repo(f"o/r{n}", raw=refs(V1)) for n in range(6)]), lambda: time.at
    ) as server:
        server.git_limits.extend(["git-429"] * 1000)
        mirrors = Mirrors(tmp_path / "m")
        remote = Remote(clock=time.clock())
        states = {
            update_mirror(
                RepositorySource(f"o/r{n}", f"{server.url}/o/r{n}.git"), mirrors, remote, HTTP
            ).state
            for n in range(6)
        }
        assert (
            states == {"unreachable"}
            and len(server.log) == 5
            and sum(time.slept) == 60 + 120 + 240 + 480
        )


def test_transfers_wait_too_and_tell_the_others(tmp_path: Path, time: FakeTime) -> None:
    repo = publish(tmp_path / "srv", "o/r")
    mirrors = Mirrors(tmp_path / "m")
    with GitHubServer(World([Repo("o/r", git_dir=repo)]), lambda: time.at) as server:
        one = RepositorySource("o/r", f"{server.url}/o/r.git")
        remote = Remote(clock=time.clock())
        server.faults.extend([None, "git-429"])  # the refs come, the transfer does not
        done = update_mirror(one, mirrors, remote, HTTP)
        assert done.state == "unreachable" and "429" in done.detail
        assert remote._servers.budgets.closed[server.url] == time.at + 60
        assert update_mirror(one, mirrors, remote, HTTP).state == "fetched" and time.slept == [60.0]


def test_the_token_goes_to_git_of_its_server_and_a_bad_one_is_left_out(time: FakeTime) -> None:
    with GitHubServer(World([Repo("o/r", raw=refs("refs/entire/x"))])) as server, Web() as web:
        good = GitServers(web, time.clock(), token=Token("t", TOKEN), server=server.url)
        assert Prober(good)(server.url, "o/r").outcome == "ok"
        assert [a.headers.get("authorization", "")[:6] for a in server.log] == ["Basic "]
        bad = GitServers(web, time.clock(), token=Token("t", "expired"), server=server.url)
        assert Prober(bad)(server.url, "o/r").outcome == "ok" and len(server.log) == 3
        assert bad.authorization("https://example.org/o/r.git") == {}
        assert (
            GitServers(web, token=Token("t", "x"), server="http://ghe.example.org").authorization(
                "http://ghe.example.org/o/r"
            )
            == {}
        )


# --- limits of the API (githubkit 271, octokit/plugin-throttling.js 438, 632 and 636) -------------


@pytest.mark.parametrize(
    ("fault", "slept"),
    {
        "graphql-limit": [60.0],
        "graphql-limit-left": [41.0],
        "secondary-200": [60.0],
        "secondary-date": [20.0],
        "secondary-after": [7.0],
        "secondary": [60.0],
    }.items(),
)
def test_a_limit_of_graphql_is_waited_out_in_every_form(
    opened: Open, time: FakeTime, fault: str, slept: list[float]
) -> None:
    names = [f"o/r{n}" for n in range(50)]
    with opened(
        World([Repo(name, raw=refs("refs/entire/x"), stars=3) for name in names]), names
    ) as (server, context):
        server.faults.extend([*[None] * 50, fault])
        outcome = run(context)
        assert outcome.failures == [] and outcome.metadata == 50 and time.slept == slept
        assert len(server.asked("graphql")) == 2


def test_limits_of_graphql_double_and_end_the_run_not_in_silence(
    opened: Open, time: FakeTime
) -> None:
    names = [f"o/r{n}" for n in range(50)]
    with opened(
        World([Repo(name, raw=refs("refs/heads/entire/sessions")) for name in names]), names
    ) as (server, context):
        server.faults.extend([*[None] * 50, *["graphql-limit"] * 100])
        outcome = run(context)
        assert [what for what, _ in outcome.failures] == ["metadata"] and len(
            server.asked("graphql")
        ) == 9
        assert time.slept[:3] == [60.0, 120.0, 240.0]
        assert {row["exclusion"] for row in candidates(context).values()} == {"no_metadata"}


def test_a_server_that_fails_at_every_batch_is_not_asked_for_each_repository(opened: Open) -> None:
    names = [f"o/r{n}" for n in range(120)]
    with opened(World([Repo(name, raw=refs("refs/entire/x")) for name in names]), names) as (
        server,
        context,
    ):
        server.faults.extend([*[None] * 120, *["graphql-pathless"] * 500])
        outcome = run(context)
        [(what, error)] = outcome.failures
        assert (
            what == "metadata"
            and "no metadata of 120 candidates" in str(error)
            and "Something went wrong" in str(error)
        )
        assert len(server.asked("graphql")) == 8


def test_a_null_without_an_error_is_not_known_instead_of_missing(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from collector.discovery.github.client import Partial

    real = GitHub.graphql

    def partial(self: GitHub, query: str) -> Partial:
        answer = real(self, query)
        for alias, value in answer.data.items():
            if value and value["nameWithOwner"] == "o/b":
                answer.data[alias] = None
        return answer

    monkeypatch.setattr(GitHub, "graphql", partial)
    with opened(
        World([Repo(f"o/{n}", raw=refs("refs/entire/x")) for n in "abc"]), ["o/a", "o/b", "o/c"]
    ) as (_, context):
        assert len(run(context).failures) == 1
        found = candidates(context)
        assert {n: r["metadata_at"] is None for n, r in found.items()} == {
            "o/a": False,
            "o/b": True,
            "o/c": False,
        }


HOSTILE = {
    "databaseId": -1,
    "stargazerCount": 10**30,
    "forkCount": "many",
    "parent": [],
    "isFork": 0,
    "isArchived": "no",
}
HOSTILE |= {
    "licenseInfo": {"spdxId": 7},
    "diskUsage": "huge",
    "createdAt": {},
    "primaryLanguage": {"name": ["C"]},
}


def test_fields_of_another_kind_are_not_known(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = from_graphql({"nameWithOwner": "o/r", **HOSTILE}, "s")
    assert {name: value for name, value in found.items() if value is not None} == {
        "now_called": "o/r"
    }
    found = _columns(
        {
            "full_name": ["o/r"],
            "size": -(10**30),
            "license": None,
            "stargazers_count": 3,
            "forks_count": 0,
        },
        1,
    )
    assert {name: value for name, value in found.items() if value is not None} == {
        "stars": 3,
        "forks": 0,
        "licence": "none",
    }
    assert from_graphql({}, "s")["licence"] is None
    real = GitHub.graphql

    def hostile(self: GitHub, query: str) -> Any:
        answer = real(self, query)
        for value in answer.data.values():
            value.update(HOSTILE)
        return answer

    monkeypatch.setattr(GitHub, "graphql", hostile)
    with opened(World([Repo("o/r", raw=refs(V1))]), ["o/r"]) as (_, context):
        assert run(context).failures == []
        row = candidates(context)["o/r"]
        assert pick(row, "exclusion", "detail") == (
            "no_metadata",
            "not known: whether it is a fork, its size",
        )


def test_filters_take_unknown_for_unknown() -> None:
    row: Row = dict.fromkeys(
        ("exclusion", "renamed_to", "notes", "checkpoint_remote", "failure", "detail", "licence")
    )
    row |= {"outcome": "ok", "confirmed": 1, "server": "s", "metadata_at": None, "fork_of": None}
    row |= {"is_fork": None, "archived": None, "size_kb": None}
    assert decide(row, Filters(), (), "s") == (
        "no_metadata",
        "not known: whether it is a fork, its size",
    )
    assert decide(row, Filters(forks=True, most_kb=None), (), "s").exclusion is None
    # a plain git server: nobody will ever know
    assert decide(row, Filters(), (), "other").exclusion is None
    assert decide(row | {"is_fork": 1}, Filters(), (), "s").exclusion == "fork"
    assert decide(row, Filters(licences=frozenset({"mit"})), (), "other").exclusion == "no_metadata"


def test_pauses_are_read_line_ranges_dates_and_the_server_s_clock() -> None:
    date = {"date": "Thu, 01 Jan 2026 00:00:00 GMT"}  # 1767225600
    assert retry_after({"retry-after": "7"}, 0) == 7
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 00:01:30 GMT", **date}, 5.0) == 90
    assert retry_after({"retry-after": "Wed, 31 Dec 2025 23:00:00 GMT", **date}, 5.0) == 0
    assert retry_after({"retry-after": "soon"}, 0) is None
    # our clock is wrong, not theirs
    assert pause_after("primary", {"x-ratelimit-reset": "1767225640", **date}, 99.0, 0) == 41
    assert pause_after("secondary", {}, 0, 3) == 480
    assert pause_after("primary", {"retry-after": "1e12"}, 0, 0) == 3900
    assert (
        limit_kind(
            200,
            {},
            b'{"data": {"r0": {"x": 1}}, "errors": [{"type": "RATE_LIMIT", "message": "x"}]}',
        )
        is None
    )
    assert limit_kind(200, {}, b'{"items": [], "message": "secondary rate limit"}') is None
    assert limit_kind(200, {}, b'[{"message": "API rate limit exceeded"}]') is None


# --- searches (docs.github.com: timeouts and incomplete results; PyGithub 2812) -------------------


def test_a_qualifier_that_the_server_ignores_is_given_up(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_search, "records", one_search)
    texts = ["enabled", "enabled strategy", "telemetry", "nothing"]
    world = World(
        [Repo(f"o/r{n}", files={SETTINGS: texts[n % 4].ljust(50 + n % 300)}) for n in range(2000)]
    )
    with opened(world) as (server, context):
        server.limits["code_search"] = (10_000, 0, 60)
        server.ignored.add("size")
        told: list[str] = []
        context.tell = told.append
        code_search.run(context)
        assert len(candidates(context)) == 2000 and len(server.log) < 100
        assert "the server ignores what it was cut by" in told[0]
    world = World([Repo(f"p/r{n}", files={SETTINGS: "same"}) for n in range(1200)])
    with opened(world) as (server, context):
        context.log.forget_cursors(["code_search"])
        server.limits["code_search"] = (10_000, 0, 60)
        server.ignored.add("size")
        context.tell = told.append
        code_search.run(context)
        assert len(server.log) < 100 and "1200 results, of which 1000 can be read" in "".join(told)


def test_a_search_that_promises_results_without_an_end_ends(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each slice has a thousand million results, each page a next one: what is not read is told,
    and the next run goes on.
    """
    monkeypatch.setattr(paging, "MOST_PAGES", 40)
    monkeypatch.setattr(code_search, "records", one_search)
    asked: list[str] = []

    def lie(path: str, params: JsonObject, resource: str) -> Page:
        asked.append(params["q"])
        # Each slice promises less than the one it was cut from, as an honest one would.
        items = [
            {"repository": {"full_name": f"o/r{len(asked)}", "id": len(asked)}, "path": SETTINGS}
        ]
        return Page({"total_count": 10**9 - len(asked), "items": items}, True)

    with opened(World([])) as (_, context):
        monkeypatch.setattr(
            type(context.github), "get", lambda self, *given, **named: lie(*given, **named)
        )
        for run in range(1, 3):
            with pytest.raises(Unfinished, match="not read to the end after 40 requests"):
                code_search.run(context)
            assert run * 20 < len(asked) <= run * 80
        assert context.log.next_open("code_search", FIRST_SEARCH) is not None


def test_forks_are_searched_when_they_are_wanted(opened: Open) -> None:
    with opened(World([]), forks=True) as (server, context):
        run(context, "code_search", "commit_search")
        asked = [a.path for a in server.log]
        assert all("fork%3Atrue" in path for path in asked if "/code" in path)
        assert not any("fork" in path for path in asked if "/commits" in path)


# --- servers of git: protocols, sizes, lies -------------------------------------------------------


@pytest.mark.parametrize("kind", ["v2", "v1", "v0", "dumb"])
def test_probe_and_fetch_in_every_protocol(tmp_path: Path, time: FakeTime, kind: str) -> None:
    repo = publish(tmp_path / "srv", "o/r")
    with GitHubServer(World([Repo("o/r", git_dir=repo, git=kind)])) as server, Web() as web:
        seen = probe(server, web, time)
        if kind == "v2":
            assert seen.outcome == "ok" and seen.columns["v1_oid"]
        else:  # nobody but git asks in older protocols
            assert seen.outcome == "unreachable" and seen.detail
        one = RepositorySource("o/r", f"{server.url}/o/r.git")
        done = fetch(one, Mirrors(tmp_path / "m"), time)
        assert done.state == "fetched" or (kind, done.is_usable()) == ("dumb", False), done


# What a server answers first -> what the probe and the fetch say: "ok" when they waited or asked
# otherwise.
FIRST_ANSWERS = {
    "401": ("private_or_missing", "gone"),
    "404": ("private_or_missing", "gone"),
    "git-403-wall": ("unreachable", "unreachable"),
    "git-403-blocked": ("private_or_missing", "gone"),
    "git-403-limit": ("ok", "fetched"),
    "git-429": ("ok", "fetched"),
    "slow": ("ok", "fetched"),
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real repository with as many refs as a large one has."""
    repo = publish(tmp_path_factory.mktemp("large"), "o/r")
    git(repo, "pack-refs", "--all")
    packed = repo / "packed-refs"
    tip = git(repo, "rev-parse", "refs/heads/main").strip()
    lines = [f"{tip} refs/pull/{n:04d}/head\n" for n in range(5000)]
    packed.write_text(packed.read_text().replace(" sorted ", " ") + "".join(lines))
    return repo


@pytest.mark.parametrize("first", FIRST_ANSWERS)
def test_every_answer_of_a_real_git_server(
    tmp_path: Path, time: FakeTime, large: Path, first: str
) -> None:
    world = World([Repo("o/r", git_dir=large)])
    mirrors, outcome, state = Mirrors(tmp_path / "m"), *FIRST_ANSWERS[first]
    with GitHubServer(world, lambda: time.at) as server, Web(timeout=5) as web:

        def again() -> None:
            server.git_limits.extend(
                [first] * (1 if outcome == "ok" else 4) if first.startswith("git-") else []
            )
            server.faults.extend(["late"] if first == "slow" else [])
            if first in ("401", "404"):
                world.repos[0].raw = lambda path, body: (int(first), {}, b"Repository not found.")

        again()
        seen = probe(server, web, time)
        assert seen.outcome == outcome, seen.detail
        assert outcome != "ok" or (seen.columns["v1_oid"] and seen.renamed_to is None)
        server.git_limits.clear()
        again()
        done = fetch(RepositorySource("o/r", f"{server.url}/o/r.git"), mirrors, time)
        assert done.state == state, done.detail
        assert mirrors.path("o/r").exists() == (state == "fetched")


@pytest.mark.parametrize("lie", ["html", "other service", "endless", "too large"])
def test_a_server_that_lies_is_unreachable_and_nothing_is_kept(
    tmp_path: Path, time: FakeTime, lie: str
) -> None:
    types = {"Content-Type": "application/x-git-upload-pack-advertisement"}
    answers: dict[str, Callable[[str, bytes], tuple[int, Texts, bytes]]] = {
        "html": lambda path, body: (200, {"Content-Type": "text/html"}, b"<html>log in</html>"),
        "other service": lambda path, body: (
            200,
            types,
            packet(b"# service=git-receive-pack\n") + b"0000zzzz",
        ),
        "endless": lambda path, body: (302, {"Location": "/o/r.git/info/refs"}, b""),
        "too large": lambda path, body: (200, {**types, "Content-Type": "text/plain"}, b"x" * 5000),
    }
    with (
        GitHubServer(World([Repo("o/r", raw=answers[lie])])) as server,
        Web() as web,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("collector.discovery.github.patience.ANSWER_BYTES", 4000)
        assert probe(server, web, time).outcome == "unreachable"
        mirrors = Mirrors(tmp_path / "m")
        done = fetch(RepositorySource("o/r", f"{server.url}/o/r.git"), mirrors, time)
        assert done.state in ("unreachable", "failed") and not mirrors.path("o/r").exists()


def test_a_slow_server_is_left_after_its_time(time: FakeTime) -> None:
    with GitHubServer(World([Repo("o/r", raw=refs(V1))])) as server, Web(timeout=0.2) as web:
        server.faults.extend(["hang"] * 4)
        seen = probe(server, web, time)
        assert seen.outcome == "unreachable" and "did not answer within" in seen.detail
        server.released.set()
