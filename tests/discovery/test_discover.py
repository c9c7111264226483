"""Discovery as a whole: confirmation, metadata, exclusions, statistics, the commands; and that
faults and kills change nothing.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from support.answers import column, pick
from support.commands import collect
from support.fake_time import FakeTime
from support.git_answers import V1, refs
from support.github_server import FIRST_SEARCH, TOKEN, GitHubServer, Repo, World, one_search
from support.invariants import broken_checks

from collector.discovery.channels import code_search, paging
from collector.discovery.channels.channel import (
    ChannelContext,
    DiscoverOptions,
    DiscoveryLog,
    checkpoint_remote,
    parse_name,
)
from collector.discovery.github.client import GitHub
from collector.discovery.github.git_server import GitServers
from collector.discovery.github.patience import Token
from collector.discovery.github.transport import Web
from collector.discovery.selection import run as running
from collector.discovery.selection.probe import Prober
from collector.discovery.selection.report import report
from collector.discovery.selection.run import (
    DiscoverResult,
    Filters,
    candidates,
    confirm,
    discover,
    settle,
)
from collector.json_values import JsonObject, Row
from collector.storage.store import Store

SETTINGS = ".entire/settings.json"
NOW = datetime(2026, 7, 1, tzinfo=UTC)


def commits(count: int, name: str) -> list[tuple[str, str, str]]:
    times = [datetime(2026, 2, 1, tzinfo=UTC) + timedelta(hours=5 * n) for n in range(count)]
    return [
        (f"{name}{n}", f"{at:%Y-%m-%dT%H:%M:%SZ}", "x\n\nEntire-Checkpoint: 0123456789ab")
        for n, at in enumerate(times)
    ]


@contextmanager
def opened(
    server: GitHubServer,
    db: Path,
    time: FakeTime | None = None,
    token: bool = True,
    web: Web | None = None,
    **request: Any,
) -> Iterator[ChannelContext]:
    with web or Web() as connections, Store(db) as store:
        clock = (time or FakeTime(NOW.timestamp())).clock()
        github = GitHub(
            connections, clock, token=Token("test", TOKEN) if token else None, api=server.api_url
        )
        yield ChannelContext(
            github, DiscoveryLog(store, server.url, clock.now), DiscoverOptions(**request)
        )


def listed(*names: str) -> JsonObject:
    return {"texts": (("test", "\n".join(names).encode()),)}


def rows(context: ChannelContext) -> dict[str, Row]:
    return {row["full_name"]: row for row in context.log.store.rows("SELECT * FROM candidates")}


def prober(context: ChannelContext) -> Prober:
    return Prober(GitServers(context.github.web, context.github.clock))


def ask_listing(context: ChannelContext, one: Prober | None = None) -> DiscoverResult:
    """Discovery in what a list names."""
    return discover(context, ["listing"], Filters(), one or prober(context))


def remote(repo: str, provider: str = "github") -> str:
    return json.dumps(
        {
            "enabled": True,
            "strategy_options": {"checkpoint_remote": {"provider": provider, "repo": repo}},
        }
    )


ONE = "refs/entire/checkpoints/7S/01JZKQ4W7V8Y9X2M3N4P5Q6R7S"
REPOS = [
    Repo("o/v1", raw=refs(V1), stars=10, language="Go"),
    Repo("o/new-layout", raw=refs(ONE), stars=3),
    Repo("o/v2", raw=refs("refs/entire/checkpoints/v2/main")),
    Repo("o/old", raw=refs("refs/heads/entire/sessions")),
    Repo("o/nothing", raw=refs("refs/heads/entire-ly/other", "refs/entire/policies/checkpoint")),
    Repo("o/notes", raw=refs("refs/notes/ai")),
    Repo("o/fork", raw=refs(V1), fork_of="o/v1"),
    Repo("o/archived", raw=refs(V1), archived=True),
    Repo("o/gpl", raw=refs(V1), licence="GPL-3.0"),
    Repo("o/unlicensed", raw=refs(V1), licence=None),
    Repo("o/huge", raw=refs(V1), size_kb=50_000_000),
    Repo("o/secret", private=True),
    Repo("o/Renamed", raw=refs(V1)),
    Repo("o/code", raw=refs(), files={SETTINGS: remote("o/data")}),
    Repo("o/data", raw=refs(V1)),
    Repo("o/lost-data", raw=refs(), files={SETTINGS: remote("o/deleted")}),
]
NAMES = [repo.full_name for repo in REPOS if repo.full_name not in ("o/data", "o/Renamed")] + [
    "o/old-name",
    "o/gone",
]
EXPECTED = {
    "o/v1": None,
    "o/new-layout": None,
    "o/v2": None,
    "o/old": None,
    "o/nothing": "no_ref",
    "o/notes": "no_ref",
    "o/fork": "fork",
    "o/archived": None,
    "o/gpl": None,
    "o/unlicensed": None,
    "o/huge": "too_large",
    "o/secret": "private_or_missing",
    "o/Renamed": None,
    "o/old-name": "renamed_duplicate",
    "o/gone": "private_or_missing",
    "o/code": "elsewhere",
    "o/data": None,
    "o/lost-data": "elsewhere",
    "o/deleted": "private_or_missing",
}


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer(World(list(REPOS), renamed={"o/old-name": "o/Renamed"})) as running:
        yield running


def test_every_candidate_is_taken_or_has_a_reason(server: GitHubServer, db: Path) -> None:
    with opened(server, db, **listed(*NAMES)) as context:
        outcome = ask_listing(context)
        assert outcome.failures == []
        assert {name: row["exclusion"] for name, row in rows(context).items()} == EXPECTED
        wanted = set(column(context.log.store, "SELECT full_name FROM wanted_candidates"))
        assert wanted == {name for name, reason in EXPECTED.items() if reason is None}
        assert (
            context.log.store.value(
                "SELECT clone_url FROM wanted_candidates WHERE full_name = 'o/v1'"
            )
            == f"{server.url}/o/v1.git"
        )
        assert broken_checks(context.log.store) == {}
        row = rows(context)["o/v1"]
        assert pick(row, "stars", "language", "licence", "github_id") == (
            10,
            "Go",
            "MIT",
            1001,
        )
        named_by = context.log.store.value(
            "SELECT evidence FROM discoveries d JOIN candidates c ON c.id = d.candidate_id"
            " WHERE full_name = 'o/data' AND channel = 'checkpoint_remote'"
        )
        assert named_by == "named by o/code"


def test_filters_decide_anew_without_asking(server: GitHubServer, db: Path) -> None:
    with opened(server, db, **listed(*NAMES)) as context:
        ask_listing(context)
        asked = len(server.log)
        filters = Filters(True, frozenset({"mit"}), None, True)
        settle(context.log, filters)
        changed = {
            name: row["exclusion"]
            for name, row in rows(context).items()
            if row["exclusion"] != EXPECTED[name]
        }
        assert changed == {
            "o/notes": None,
            "o/fork": None,
            "o/huge": None,
            "o/gpl": "licence",
            "o/unlicensed": "licence",
        }
        assert rows(context)["o/unlicensed"]["detail"] == "licence: none"
        assert len(server.log) == asked
        settle(context.log, Filters())
        assert {name: row["exclusion"] for name, row in rows(context).items()} == EXPECTED


def test_a_repository_with_another_record_is_taken_where_that_is_asked_for(db: Path) -> None:
    """A record at the root is shown with the metadata; one elsewhere is known from the search
    that found it.
    """
    world = [
        Repo("o/aider", raw=refs(), files={".aider.chat.history.md": "# aider chat started at"}),
        Repo(
            "o/deeper", raw=refs(), files={"app/.aider.chat.history.md": "# aider chat started at"}
        ),
        Repo(
            "o/both",
            raw=refs(V1),
            files={".specstory/history/x.md": "<!-- Generated by SpecStory -->"},
        ),
        Repo("o/none", raw=refs(), files={"README.md": "aider"}),
    ]
    names = listed("o/aider", "o/both", "o/none")
    with (
        GitHubServer(World(world)) as server,
        opened(server, db, **names) as context,
    ):
        ask_listing(context)
        assert {name: row["exclusion"] for name, row in rows(context).items()} == {
            "o/aider": "no_ref",
            "o/both": None,
            "o/none": "no_ref",
        }
        context.request = DiscoverOptions(records=("aider",))
        discover(context, ["code_search"], Filters(records=frozenset({"aider"})), prober(context))
        named = {name: pick(row, "records", "exclusion") for name, row in rows(context).items()}
        assert named == {
            "o/aider": ("aider", None),
            "o/deeper": ("aider", None),
            "o/both": ("specstory", None),
            "o/none": (None, "no_ref"),
        }
        wanted = set(column(context.log.store, "SELECT full_name FROM wanted_candidates"))
        assert wanted == {"o/aider", "o/deeper", "o/both"}
        counts = {
            row["record"]: pick(row, "found", "taken")
            for row in report(context.log.store, NOW)["records"]
        }
        assert {name: count for name, count in counts.items() if count != (0, 0)} == {
            "aider": (2, 2),
            "specstory": (1, 1),
            "checkpoints": (1, 1),
        }


def test_probe_says_which_records_a_repository_has(reached: GitHubServer) -> None:
    reached.world.repos.append(
        Repo("x/aider", raw=refs(), files={".aider.chat.history.md": "# aider chat started at"})
    )
    said = collect("probe", "x/aider", "--record", "aider").stderr
    assert "repositories by record: aider 1" in said
    said = collect("discover", "code_search", "--record", "nothing", code=2).stderr
    assert "no such record: nothing" in said and "specstory" in said


def test_a_forgotten_candidate_stays_forgotten(server: GitHubServer, db: Path) -> None:
    with opened(server, db, **listed("o/v1")) as context:
        context.log.store.connection.execute(
            "INSERT INTO candidates (server, full_name, first_seen_at, exclusion) VALUES (?,"
            " 'O/V1', 'x', 'forgotten')",
            (server.url,),
        )
        ask_listing(context)
        assert rows(context)["O/V1"]["exclusion"] == "forgotten" and server.log == []


def test_a_second_run_asks_nothing_and_probe_asks_once(server: GitHubServer, db: Path) -> None:
    with opened(server, db, **listed(*NAMES)) as context:
        ask_listing(context)
        asked = len(server.log)
        assert ask_listing(context).probed == 0
        assert len(server.log) == asked
        before = rows(context)["o/v2"]
        confirm(context, prober(context), DiscoverResult(), candidates(context.log, ["o/V2"]))
        assert len(server.log) == asked + 1
        assert rows(context)["o/v2"]["refs_digest"] == before["refs_digest"]


def test_what_fails_is_asked_again_later(
    server: GitHubServer, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "JOBS", 1)
    time = FakeTime(NOW.timestamp())
    with opened(server, db, time, **listed("o/v1", "o/gone")) as context:
        server.faults.extend(["503"] * 4)
        one = Prober(GitServers(context.github.web, context.github.clock))
        outcome = ask_listing(context, one)
        assert {n: r["exclusion"] for n, r in rows(context).items()} == {
            "o/v1": "unreachable",
            "o/gone": "private_or_missing",
        }
        assert ask_listing(context, one).probed == 0
        time.sleep(3 * 3600)
        assert ask_listing(context, one).probed == 1
        assert rows(context)["o/v1"]["exclusion"] is None and rows(context)["o/v1"]["attempts"] == 0
        time.sleep(31 * 86400)
        assert ask_listing(context, one).probed == 1
        assert outcome.failures == []


def test_failures_of_another_kind_are_not_counted_together(server: GitHubServer, db: Path) -> None:
    """What could not be reached at first and then is gone is gone for the first time: its pauses
    do not add up.
    """
    time = FakeTime(NOW.timestamp())
    with opened(server, db, time, **listed("o/gone")) as context:
        server.faults.extend(["503"] * 8)
        for outcome, hours in (("unreachable", 3), ("private_or_missing", 0)):
            ask_listing(context)
            row = rows(context)["o/gone"]
            assert pick(row, "outcome", "attempts") == (outcome, 1)
            server.faults.clear()
            time.sleep(3600 * hours)


def test_without_a_token_metadata_comes_by_rest_as_far_as_it_goes(
    server: GitHubServer, tmp_path: Path, db: Path
) -> None:
    server.limits["core"] = (5000, 24, 3600)
    time = FakeTime(NOW.timestamp())
    server.now = lambda: time.at
    with opened(server, db, time, token=False, **listed(*NAMES)) as context:
        outcome = ask_listing(context)
        unnamed = {"o/data", "o/deleted"}  # only GraphQL tells the settings
        expected = {
            name: "no_ref" if reason == "elsewhere" else reason for name, reason in EXPECTED.items()
        }
        exclusions = {name: row["exclusion"] for name, row in rows(context).items()}
        assert exclusions == {
            name: reason for name, reason in expected.items() if name not in unnamed
        }
        assert outcome.failures == []
    server.used.clear()
    server.limits["core"] = (5000, 5, 3600)
    with opened(server, tmp_path / "e.db", time, token=False, **listed(*NAMES)) as context:
        outcome = ask_listing(context)
        assert "candidates without metadata" in str(outcome.failures[0][1])
        known = [row for row in rows(context).values() if row["metadata_at"]]
        assert len(known) == 5 and all(row["confirmed"] for row in known)


def test_graphql_that_fails_at_one_repository_gives_the_others(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from collector.discovery.github.client import Partial

    with GitHubServer(World([Repo(f"o/r{n}", raw=refs(V1), stars=n) for n in range(8)])) as server:
        real = GitHub.graphql

        def moody(self: GitHub, query: str) -> Partial:
            answer = real(self, query)
            for alias in [a for a, v in answer.data.items() if v and v["nameWithOwner"] == "o/r3"]:
                answer.data[alias] = None
                answer.errors[alias] = ("", "Something went wrong")
            return answer

        monkeypatch.setattr(GitHub, "graphql", moody)
        with opened(
            server,
            db,
            **listed(*(f"o/r{n}" for n in range(8))),
        ) as context:
            outcome = ask_listing(context)
            assert {n for n, r in rows(context).items() if r["metadata_at"] is None} == {"o/r3"}
            assert rows(context)["o/r5"]["stars"] == 5 and outcome.metadata == 7
            [(what, error)] = outcome.failures
            assert what == "metadata" and "no metadata of 1 candidate, for example o/r3" in str(
                error
            )
            assert rows(context)["o/r3"]["exclusion"] == "no_metadata"


def test_a_gateway_that_fails_at_large_batches_gets_smaller_ones(db: Path) -> None:
    names = [f"o/r{n}" for n in range(6)]
    server = GitHubServer(World([Repo(name, raw=refs(V1)) for name in names]))
    with (
        server,
        opened(server, db, **listed(*names)) as context,
    ):
        server.faults.extend([None] * 6 + ["502"] * 6)
        ask_listing(context)
        assert all(row["metadata_at"] for row in rows(context).values())
        assert len(server.asked("/graphql")) == 6 + 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (remote("a/b"), ("https://github.com", "a/b")),
        (remote("a/b", "gitlab"), ("https://gitlab.com", "a/b")),
        (remote("a/b", "elsewhere"), None),
        (remote("../b"), None),
        (
            '{"strategy_options": {"checkpoint_remote": "https://github.com/a/b.git"}}',
            ("https://github.com", "a/b"),
        ),
        ('{"strategy_options": {"checkpoint_remote": {"repo": 7}}}', None),
        ('{"strategy_options": []}', None),
        ("[1]", None),
        ("not json", None),
        ("[" * 100_000, None),
    ],
)
def test_where_settings_say_the_checkpoints_are(
    text: str, expected: tuple[str, str] | None
) -> None:
    assert checkpoint_remote(text) == expected


@given(st.text(max_size=60))
def test_a_name_is_a_name_or_nothing(text: str) -> None:
    parsed = parse_name(text)
    if parsed is not None:
        server, name = parsed
        assert (
            server.startswith("http")
            and not set(name) & set(" \t\n\\?#:@")
            and ".." not in name.split("/")
        )


# --- the report -----------------------------------------------------------------------------------


def test_the_report_counts_a_renamed_repository_once(server: GitHubServer, db: Path) -> None:
    with opened(server, db, **listed(*NAMES)) as context:
        ask_listing(context)
        sections = report(context.log.store, NOW)
    totals = {row["what"]: row["count"] for row in sections["totals"]}
    assert pick(totals, "names", "repositories", "confirmed") == (19, 18, 11)
    by_channel = {row["channel"]: row for row in sections["channels"]}
    assert by_channel["listing"]["found"] == 16 and by_channel["listing"]["confirmed"] == 10
    assert (
        by_channel["listing"]["confirmed_by_no_other"] == 10
        and by_channel["checkpoint_remote"]["confirmed"] == 1
    )
    assert {row["reason"]: row["count"] for row in sections["exclusions"]} == {
        "private_or_missing": 3,
        "renamed_duplicate": 1,
        "elsewhere": 2,
        "no_ref": 2,
        "fork": 1,
        "too_large": 1,
    }
    layouts = {row["layout"]: row["count"] for row in sections["layouts"]}
    assert layouts["one ref per checkpoint, no v1 branch"] == 1 and layouts["v2"] == 1
    assert {row["number"]: row["max"] for row in sections["numbers"]}["stars"] == 10


# --- kills and faults -----------------------------------------------------------------------------


class Killed(BaseException):
    """The process ends here."""


class DyingWeb(Web):
    """Dies before or after its n-th request."""

    def __init__(self, dies_at: int, after: bool) -> None:
        super().__init__()
        self.left = dies_at
        self.after = after

    def send(self, *args: Any, **more: Any) -> Any:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Killed
        answer = super().send(*args, **more)
        if self.left == 0:
            raise Killed
        return answer


def small_world() -> World:
    repos = [Repo(f"a/r{n}", files={SETTINGS: "x" * (10 + 7 * n)}, raw=refs(V1)) for n in range(30)]
    repos += [Repo(f"b/r{n}", commits=commits(4, f"{n}x"), raw=refs(ONE)) for n in range(9)]
    repos += [
        Repo("d/both", files={SETTINGS: remote("d/data")}, commits=commits(2, "d"), raw=refs()),
        Repo("d/data", raw=refs(V1)),
    ]
    repos.append(Repo("e/now", raw=refs(V1)))
    repos.append(Repo("e/gone"))
    return World(repos, renamed={"e/before": "e/now"})


SEARCHES = ["listing", "code_search", "commit_search"]
LISTED = listed("e/before", "e/gone", "a/r3")


def outcome_of(context: ChannelContext) -> JsonObject:
    ask = context.log.store.rows
    return {
        "candidates": ask(
            "SELECT full_name, outcome, confirmed, exclusion, detail, renamed_to, v1_oid,"
            " checkpoint_refs, checkpoint_remote, stars, attempts, refs_digest FROM candidates"
            " ORDER BY full_name"
        ),
        # Without slice and evidence: they tell of the first hit, and a slice that failed is asked
        # again after others.
        "discoveries": ask(
            "SELECT full_name, channel, query, hits FROM discoveries d JOIN candidates c ON c.id ="
            " d.candidate_id ORDER BY 1, 2, 3"
        ),
        "cursors": ask(
            "SELECT channel, query, slice, state, total, found FROM cursors ORDER BY 1, 2, 3"
        ),
    }


class Undisturbed:
    """No dataclass: hypothesis would print all of it."""

    def __init__(self, result: JsonObject, requests: int) -> None:
        self.result = result
        self.requests = requests


def run_once(server: GitHubServer, db: Path, time: FakeTime, web: Web) -> tuple[bool, JsonObject]:
    """Whether everything was asked, and what is known now."""
    with opened(server, db, time, web=web, until=NOW, **LISTED) as context:
        outcome = discover(context, SEARCHES, Filters(), prober(context))
        waiting = any(row["outcome"] == "unreachable" for row in rows(context).values())
        return not (outcome.failures or waiting), outcome_of(context)


def run_to_the_end(server: GitHubServer, db: Path, time: FakeTime) -> JsonObject:
    """As a person would: again, some hours later, when something could not be reached."""
    for attempt in range(6):
        complete, result = run_once(server, db, time, Web())
        if complete:
            return result
        time.sleep(3600 * 2 ** (attempt + 2))
    raise AssertionError("it does not come to an end")


_FAULTS = [
    None,
    None,
    None,
    "500",
    "502",
    "drop",
    "cut",
    "malformed",
    "secondary",
    "secondary-after",
    "primary",
    "incomplete",
]


@pytest.fixture(scope="module")
def undisturbed() -> Iterator[Undisturbed]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        shrink(patch)
        time = FakeTime(NOW.timestamp())
        with GitHubServer(small_world(), lambda: time.at) as server:
            server.cap = 10
            complete, result = run_once(server, Path(folder) / "d.db", time, Web())
            assert complete
            yield Undisturbed(result, len(server.log))


def shrink(patch: pytest.MonkeyPatch) -> None:
    """The cap at ten results, so that a small world is cut into slices and pages."""
    patch.setattr(paging, "CAP", 10)
    patch.setattr(paging, "PER_PAGE", 4)
    patch.setattr(code_search, "records", one_search)
    patch.setattr(running, "JOBS", 1)  # answers come in the order of the faults


def test_the_undisturbed_run_has_slices_and_pages(undisturbed: Undisturbed) -> None:
    cursors = undisturbed.result["cursors"]
    assert {c["state"] for c in cursors} == {"done", "split"} and len(cursors) > 20
    assert len(undisturbed.result["candidates"]) == 30 + 9 + 2 + 3


def with_known_totals(result: JsonObject, undisturbed: JsonObject) -> JsonObject:
    """The result with the number of results of slices that were cut because the server never
    finished them, which nobody knows.
    """
    pairs = zip(result["cursors"], undisturbed["cursors"], strict=True)
    cut = [
        c | {"total": other["total"]} if pick(c, "state", "total") == ("split", None) else c
        for c, other in pairs
    ]
    return result | {"cursors": cut}


NEVER_FINISHED = [
    "malformed",
    "incomplete",
    None,
    None,
    "incomplete",
    "drop",
    "secondary-after",
    None,
    "secondary-after",
    "cut",
    "secondary-after",
    None,
    "incomplete",
    "incomplete",
    "incomplete",
    None,
]


# Shrinking would take minutes; the faults and kills that were drawn say enough.
@settings(
    max_examples=8,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.integers(0, 120),
    st.lists(st.sampled_from(_FAULTS), max_size=60),
    st.lists(st.tuples(st.integers(1, 60), st.booleans()), max_size=6),
)
@example(
    peace=13,
    faults=NEVER_FINISHED,
    kills=[(5, False), (6, False), (45, False), (28, False), (10, True), (60, False)],
)
def test_faults_and_kills_change_nothing(
    undisturbed: Undisturbed, peace: int, faults: list[str | None], kills: list[tuple[int, bool]]
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        shrink(patch)
        time = FakeTime(NOW.timestamp())
        with GitHubServer(small_world(), lambda: time.at) as server:
            server.cap = 10
            server.faults.extend([None] * peace + faults)
            for dies_at, after in kills:
                with suppress(Killed):
                    run_once(server, Path(folder) / "d.db", time, DyingWeb(dies_at, after))
            result = run_to_the_end(server, Path(folder) / "d.db", time)
            assert with_known_totals(result, undisturbed.result) == undisturbed.result
            answered = len(server.log) - sum(fault is not None for fault in faults)
            # a kill costs what was on its way, not what was done
            assert answered <= undisturbed.requests + 10 * (len(kills) + 1)


# --- commands -------------------------------------------------------------------------------------


@pytest.fixture
def reached(server: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitHubServer:
    """The server that commands ask."""
    monkeypatch.setenv("GITHUB_API_URL", server.api_url)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.chdir(tmp_path)
    return server


def test_the_commands_end_to_end(reached: GitHubServer) -> None:
    done = collect("discover", "--list", "-", stdin="\n".join(NAMES))
    assert "11 confirmed" in done.stdout
    assert done.stderr.startswith("excluded: ") and done.stderr.count("\n") == 1
    assert "no_ref" in done.stderr
    totals = json.loads(collect("report", "--json").stdout)["totals"]
    assert {row["what"]: row["count"] for row in totals}["confirmed"] == 11
    assert "no_ref" in collect("report").stdout
    assert collect("report", "--csv").stdout.startswith("section,row,column,value\n")
    asked = len(reached.log)
    collect("probe", "o/v1", "--json")
    assert len(reached.log) == asked + 1
    reached.world.repos.append(Repo("x/new", raw=refs(V1)))
    probed = json.loads(collect("probe", "x/new", "--json").stdout)
    assert {row["channel"]: row["confirmed"] for row in probed}["listing"] == 11
    for text in ("nonsense", "../x", "x y", "https://me:s3cret@github.com/o"):
        said = collect("probe", text, code=2).stderr
        assert "is not a repository" in said and "s3cret" not in said


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("graphql-pathless", "no metadata of 2 candidates"),
        ("refused", "refused: "),
        ("incomplete", "not finished by the server: "),
    ],
)
def test_what_was_left_out_is_printed_and_ends_with_3(
    reached: GitHubServer, fault: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_search, "records", one_search)
    monkeypatch.setattr("collector.discovery.github.patience.FIRST_BACKOFF", 0.0)
    monkeypatch.setattr("collector.discovery.channels.paging.TRIES", 1)
    reached.world.repos[:] = [
        Repo(f"o/r{n}", files={".entire/settings.json": "{}"}, raw=refs("refs/entire/x"))
        for n in range(2)
    ]
    if fault == "graphql-pathless":
        reached.faults.extend([None] * 3 + [fault] * 100)  # one search, two probes
    else:
        query = FIRST_SEARCH
        (reached.refused if fault == "refused" else reached.incomplete).add(query)
    err = collect("discover", "code_search", code=3).stderr
    assert words in err


def test_without_a_token_the_commands_say_what_is_lost(
    reached: GitHubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "")
    monkeypatch.setenv("GH_TOKEN", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    err = collect("discover", "code_search", code=3).stderr
    assert "needs a token" in err and "no token:" in err
    err = collect("discover", "nonsense", code=2).stderr
    assert "no such channel: nonsense" in err and "code_search" in err


def test_addresses_that_cannot_be_meant(
    reached: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "api.example.org")
    err = collect("discover", "commit_search", code=2).stderr
    assert "invalid URL" in err
    monkeypatch.setenv("GITHUB_API_URL", "http://api.example.org/api/v3")
    err = collect("discover", "commit_search", code=2).stderr
    assert "unencrypted" in err and TOKEN not in err


def test_no_network_is_said_in_words(
    reached: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collector.discovery.github.patience.FIRST_BACKOFF", 0.0)
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9/api/v3")
    err = collect("discover", "commit_search", code=3).stderr
    assert "cannot be reached" in err and "Check the network" in err
    collect("probe", "o/v1", "--json")
    excluded = json.loads(collect("report", "--json").stdout)["exclusions"]
    assert [row["reason"] for row in excluded] == ["unreachable"]
