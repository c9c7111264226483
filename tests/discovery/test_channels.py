"""The channels of discovery against the stand-in: what they name, how they get past the cap, how
they go on after a kill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.github_server import TOKEN, GitHubServer, Repo, World

from collector.agents import agents_of_records
from collector.discovery.channels import (
    channels,
    code_search,
    commit_search,
    listing,
    paging,
)
from collector.discovery.channels.channel import ChannelContext, DiscoverOptions, DiscoveryLog
from collector.discovery.channels.paging import Unfinished, hit_of
from collector.discovery.github.client import Clock, GitHub
from collector.discovery.github.git_server import GitServers
from collector.discovery.github.patience import Budgets, Token
from collector.discovery.github.transport import Web
from collector.discovery.records import record_of, records
from collector.discovery.selection.probe import Prober
from collector.discovery.selection.run import Filters, discover
from collector.errors import WhoWroteError
from collector.json_values import Numbers, identifier
from collector.storage.store import Store

SETTINGS = ".entire/settings.json"
NOW = datetime(2026, 3, 1, tzinfo=UTC).timestamp()


@pytest.fixture
def context(tmp_path: Path) -> Callable[..., Any]:
    """`context(repos, **wishes)`: one with a server, and a database that stays."""

    @contextmanager
    def opened(
        repos: list[Repo],
        organisations: Sequence[str] = (),
        token: bool = True,
        **request: Any,
    ) -> Iterator[tuple[GitHubServer, ChannelContext]]:
        at = [NOW]

        def sleep(seconds: float) -> None:
            at[0] += seconds

        clock = Clock(lambda: at[0], sleep, lambda: 0.0)
        with (
            GitHubServer(World(repos, organisations=set(organisations)), clock.now) as server,
            Web() as web,
            Store(tmp_path / "d.db") as store,
        ):
            github = GitHub(
                web, clock, token=Token("test", TOKEN) if token else None, api=server.api_url
            )
            log = DiscoveryLog(store, "https://github.com", clock.now)
            yield (
                server,
                ChannelContext(github, log, DiscoverOptions(**request)),
            )

    return opened


def found(context: ChannelContext, channel: str | None = None) -> set[str]:
    rows = context.log.store.rows(
        "SELECT full_name FROM candidates c JOIN discoveries d ON d.candidate_id = c.id WHERE"
        " d.channel = ? OR ? IS NULL",
        (channel, channel),
    )
    return {row["full_name"] for row in rows}


def hits_of(context: ChannelContext, name: str) -> int:
    sql = (
        "SELECT sum(hits) FROM discoveries d JOIN candidates c ON c.id = d.candidate_id WHERE"
        " full_name = ?"
    )
    return int(context.log.store.value(sql, (name,)))


def states(context: ChannelContext, channel: str) -> Numbers:
    rows = context.log.store.rows(
        "SELECT state, count(*) AS n FROM cursors WHERE channel = ? GROUP BY 1", (channel,)
    )
    return {row["state"]: row["n"] for row in rows}


NAMES = ["listing", "code_search", "commit_search"]


def test_every_channel_has_a_file() -> None:
    assert [c.name for c in channels()] == NAMES


# --- searches -------------------------------------------------------------------------------------


def test_code_search_gets_past_the_cap_by_size_and_by_words(context: Any) -> None:
    sizes = [Repo(f"s/r{n}", files={SETTINGS: "x" * (20 + n % 700)}) for n in range(1800)]
    same = [
        Repo(f"w/r{n}", files={SETTINGS: "enabled".ljust(900) if n % 2 else "strategy".ljust(900)})
        for n in range(1500)
    ]
    with context([*sizes, *same, Repo("x/no", files={"src/settings.json": "{}"})]) as (
        server,
        it,
    ):
        server.limits["code_search"] = (10_000, 0, 60)
        code_search.CHANNEL.run(it)
        assert len(found(it)) == 3300 and "x/no" not in found(it)
        assert "capped" not in states(it, "code_search")
        asked = [a.path for a in server.log]
        assert len(asked) == len(set(asked)) and len(asked) < 100
        code_search.CHANNEL.run(it)
        assert len(server.log) == len(asked)


def test_code_search_finds_what_entire_installs_for_each_agent(context: Any) -> None:
    """The files and commands are those that `entire enable` writes, see code_search.py."""
    claude = (
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "entire hooks claude-code'
        ' stop"}]}]}}'
    )
    files = {
        "h/claude": {".claude/settings.json": claude},
        "h/codex": {".codex/hooks.json": '{"command": "entire hooks codex stop"}'},
        "h/cursor": {".cursor/hooks.json": '{"command": "entire hooks cursor stop"}'},
        "h/gemini": {".gemini/settings.json": '{"command": "entire hooks gemini session-end"}'},
        "h/copilot": {
            ".github/hooks/entire.json": '{"bash": "entire hooks copilot-cli session-end"}'
        },
        "h/opencode": {".opencode/plugins/entire.ts": "export const Entire = 1"},
        "h/other-hook": {".claude/settings.json": claude.replace("entire", "another")},
        "h/other-place": {"docs/settings.json": claude},
    }
    world = World([Repo(name, files=content) for name, content in files.items()])
    world.repos.append(Repo("h/secret", files={".claude/settings.json": claude}, private=True))
    world.repos += [
        Repo(f"big/r{n}", files={".claude/settings.json": claude.ljust(120 + n)})
        for n in range(1100)
    ]
    with context(world.repos) as (server, it):
        server.limits["code_search"] = (10_000, 0, 60)
        code_search.CHANNEL.run(it)
        assert found(it) - {f"big/r{n}" for n in range(1100)} == {
            f"h/{n}" for n in ("claude", "codex", "cursor", "gemini", "copilot", "opencode")
        }
        assert len(found(it)) == 1106 and len(server.log) < 30
    assert code_search.CHANNEL.needs_token and code_search.CHANNEL.is_usual(DiscoverOptions())


RECORDED = {  # files of each kind, as its program names them
    "aider": {".aider.chat.history.md": "# aider chat started at"},
    "specstory": {
        ".specstory/history/2026-01-01_x.md": "<!-- Generated by SpecStory, Markdown v2 -->"
    },
    "codex": {".codex/sessions/2026/01/01/rollout-x.jsonl": '{"type":"session_meta"}'},
    "claude-code": {".claude/projects/-home-ana/x.jsonl": '{"sessionId":"x"}'},
    "crush": {".crush/crush.db": "SQLite"},
    "claude-flow": {".swarm/memory.db": "SQLite"},
    "opencode": {"session-ses_3f83.md": "**Session ID:** ses_3f83\n\n## Assistant (Build · m1)\n"},
    "cursor": {"cursor_chat.md": "# Cart\n_Exported on 5/27/2025 at 13:38 GMT from Cursor (1)_"},
    "openhands": {"trajectory.json": '[{"observation": "agent_state_changed"}]'},
    "swe-agent": {"runs/one.traj": '{"trajectory": [{"observation": ""}]}'},
    "mini-swe-agent": {"runs/traj.json": '{"info": {"mini_version": "2.3.0"}}'},
}


def test_code_search_finds_the_files_of_each_record_that_is_asked_for(context: Any) -> None:
    world = World(
        [
            *(Repo(f"r/{name}", files=files) for name, files in RECORDED.items()),
            Repo("r/entire", files={SETTINGS: "{}"}),
        ]
    )
    for name in RECORDED:
        with context(world.repos, records=(name,)) as (server, it):
            server.limits["code_search"] = (10_000, 0, 60)
            before = found(it)
            code_search.CHANNEL.run(it)
            assert found(it) - before == {f"r/{name}"}
    with context(world.repos) as (server, it):  # checkpoints, where none is named
        code_search.CHANNEL.run(it)
        assert found(it) - {f"r/{name}" for name in RECORDED} == {"r/entire"}


def test_every_kind_of_committed_record_can_be_searched_for() -> None:
    assert {agent for agent, _ in agents_of_records()} <= set(records())
    assert set(records()) == {*RECORDED, "checkpoints", "statements"}
    assert all(
        record_of(query) == name for name, record in records().items() for query in record.files
    )
    assert record_of('"Claude-Session" user:ana') == "statements" and record_of("owner ana") is None


def test_commit_search_finds_agents_that_trailers_name_and_nobody_else(context: Any) -> None:
    messages = {
        "s/lovable": "Add\n\nX-Lovable-Edit-ID: edt-1",
        "s/kernel": "Fix\n\nAssisted-by: Claude:claude-opus-4-6",
        "s/person": "Fix\n\nAssisted-by: Ana Lee <ana@example.org>",
        "s/words": "We talk about Claude-Session here",
        "s/entire": "x\n\nEntire-Checkpoint: 0123456789ab",
    }
    repos = [
        Repo(name, commits=[(f"a{n}", "2026-02-03T04:05:06Z", text)])
        for n, (name, text) in enumerate(messages.items())
    ]
    with context(repos, records=("statements",)) as (server, it):
        server.limits["search"] = (10_000, 0, 60)
        commit_search.CHANNEL.run(it)
        assert found(it) == {"s/lovable", "s/kernel"}


def test_what_cannot_be_split_says_that_results_were_lost(context: Any) -> None:
    # of one owner
    with context([Repo(f"s/r{n}", files={SETTINGS: "{}"}) for n in range(1300)]) as (_, it):
        code_search.CHANNEL.run(it)
        assert len(found(it)) == 1000
        assert states(it, "code_search")["capped"] == 1
        assert it.log.store.value("SELECT total FROM cursors WHERE state = 'capped'") == 1300


def test_the_sizes_of_the_slices_have_no_gap_and_no_overlap() -> None:
    leaves: list[str] = []
    waiting = ["q"]
    while waiting:
        halves = paging.halve_sizes(code_search.LARGEST)(waiting.pop(), ())
        for half in halves:
            low, high = map(int, half.split("size:")[1].split("..")) if "size:" in half else (0, 0)
            (leaves if high - low < 3000 else waiting).append(half)
    ranges = sorted(tuple(map(int, leaf.split("size:")[1].split(".."))) for leaf in leaves)
    assert ranges[0][0] == 0 and ranges[-1][1] == code_search.LARGEST
    assert all(a[1] + 1 == b[0] for a, b in pairwise(ranges))
    assert paging.halve_sizes(9)("q size:5..5", ()) == []


def test_words_are_cut_by_as_long_as_the_server_allows_operators() -> None:
    split_words = paging.split_words(["a", "b", "c", "d", "e", "f"])
    assert split_words("q a NOT b", ()) == ["q a NOT b c", "q a NOT b NOT c"]
    assert (
        split_words("q NOT a NOT b NOT c NOT d NOT e", ()) == []
        and split_words("q a b c d e f", ()) == []
    )


def test_owners_are_cut_into_those_on_the_page_and_all_others() -> None:
    items = [
        {"repository": {"full_name": name}}
        for name in ("b/x", "a/x", "b/y", "no owner", "../z", "C/x")
    ]
    first, others = paging.split_owners("q -user:c size:1..1", [*items, {"repository": None}])
    assert (first, others) == ("q size:1..1 user:b user:a", "q -user:c size:1..1 -user:b -user:a")
    assert paging.split_owners("q user:a user:b user:c", ()) == ["q user:a", "q user:b user:c"]
    assert paging.split_owners("q user:a", items) == [] and paging.split_owners("q", ()) == []
    assert paging.split_owners("q -user:" + "x" * 3990, items) == []


def test_what_has_the_same_size_and_words_is_cut_by_owners(context: Any) -> None:
    world = World([Repo(f"u{n % 300}/r{n}", files={SETTINGS: "same"}) for n in range(1300)])
    with context(world.repos) as (server, it):
        server.limits["code_search"] = (10_000, 0, 60)
        code_search.CHANNEL.run(it)
        assert len(found(it)) == 1300 and "capped" not in states(it, "code_search")
        assert len(server.log) < 60


def test_commits_of_one_minute_are_cut_by_merges_and_owners(context: Any) -> None:
    text = "x\n\nEntire-Checkpoint: 0123456789ab"
    repos = [
        Repo(
            f"u{n % 40}/r{n}",
            commits=[(f"{n}", "2026-02-03T04:05:06Z", text if n % 9 else f"Merge {text}")],
        )
        for n in range(1400)
    ]
    with context(repos) as (server, it):
        server.limits["search"] = (10_000, 0, 60)
        commit_search.CHANNEL.run(it)
        assert len(found(it)) == 1400 and "capped" not in states(it, "commit_search")


def test_a_server_that_lies_about_totals_is_not_asked_for_ever(
    context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each slice promises less than the one before, and more than can be read: cut as long as
    words and owners last.
    """
    numbers = iter(range(10**9, 0, -1))
    asked = Counter[str]()
    monkeypatch.setattr(paging, "MOST_PAGES", 40)

    def lie(self: Any, slice: str, number: int) -> paging.SearchPage:
        self.pages += 1
        asked[slice] += 1
        return paging.SearchPage(
            [{"path": "x", "repository": {"full_name": f"u{number}/r"}}], next(numbers), True, False
        )

    monkeypatch.setattr(paging._Reading, "_page", lie)
    with context([]) as (_, it):
        with pytest.raises(Unfinished, match="not read to the end after 40 requests"):
            code_search.CHANNEL.run(it)
        rows = it.log.store.rows("SELECT query, count(*) AS n FROM cursors GROUP BY 1")
        assert rows and max(row["n"] for row in rows) <= 2 * 40 + 1
        assert asked.total() <= 40 * len(rows)


def commits(
    count: int, name: str, message: str = "x\n\nEntire-Checkpoint: 0123456789ab"
) -> list[tuple[str, str, str]]:
    start = datetime(2026, 1, 10, tzinfo=UTC)
    return [
        (f"{name}{n}", f"{start + timedelta(minutes=7 * n):%Y-%m-%dT%H:%M:%SZ}", message)
        for n in range(count)
    ]


def test_commit_search_halves_the_time_and_reads_the_trailer_itself(context: Any) -> None:
    repos = [Repo(f"c/r{n}", commits=commits(300, f"{n:x}")) for n in range(10)]
    repos.append(
        Repo("c/speaks-of-it", commits=commits(5, "f", "we should look at the entire checkpoint"))
    )
    with context(repos) as (server, it):
        commit_search.CHANNEL.run(it)
        assert found(it) == {f"c/r{n}" for n in range(10)}
        hits = it.log.store.rows("SELECT hits, evidence FROM discoveries")
        assert {row["hits"] for row in hits} == {300} and hits[0][
            "evidence"
        ] == "commit 00 names 0123456789ab"
        asked = [a.path for a in server.log]
        assert len(asked) == len(set(asked))


def test_the_next_commit_search_asks_only_for_what_is_new(context: Any) -> None:
    world = World([Repo("c/old", commits=commits(5, "a"))])
    with context(world.repos) as (server, it):
        commit_search.CHANNEL.run(it)
        it.github.clock.sleep(86400)
        world.repos.append(
            Repo(
                "c/new", commits=[("b1", "2026-03-01T12:00:00Z", "Entire-Checkpoint: 0123456789ab")]
            )
        )
        commit_search.CHANNEL.run(it)
        assert found(it) == {"c/old", "c/new"}
        assert "2026-03-01T00%3A00%3A01Z..2026-03-02T00%3A00%3A00Z" in server.log[-1].path
        assert len(server.log) == 2


def test_an_incomplete_answer_is_asked_again(context: Any) -> None:
    with context([Repo(f"c/r{n}", commits=commits(1, f"{n}")) for n in range(40)]) as (
        server,
        it,
    ):
        server.faults.extend(["incomplete", "incomplete"])
        commit_search.CHANNEL.run(it)
        assert len(found(it)) == 40 and len(server.log) == 3
    with context([Repo(f"d/r{n}", commits=commits(1, f"{n}")) for n in range(40)]) as (
        server,
        it,
    ):
        it.log.forget_cursors(["commit_search"])
        server.faults.extend(["incomplete"] * 3)
        with pytest.raises(WhoWroteError, match="not finished by the server"):
            commit_search.CHANNEL.run(it)
        [row] = it.log.store.rows(
            "SELECT state, detail FROM cursors WHERE channel = 'commit_search'"
        )
        assert (
            row["state"] == "incomplete"
            and "could not finish" in row["detail"]
            and len(found(it)) == 40 + 20
        )
        commit_search.CHANNEL.run(it)
        assert states(it, "commit_search") == {"done": 1} and len(found(it)) == 80


def test_two_at_once_count_nothing_twice(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with context([Repo(f"c/r{n}", commits=commits(2, f"{n}")) for n in range(30)]) as (
        _,
        it,
    ):
        record = it.log.record
        others = list[int]()

        def late(*args: Any) -> int:
            if not others:
                others.append(1)
                commit_search.CHANNEL.run(it)  # another process, faster than this one
            return int(record(*args))

        monkeypatch.setattr(it.log, "record", late)
        commit_search.CHANNEL.run(it)
        assert {hits_of(it, name) for name in found(it)} == {2} and len(found(it)) == 30


def test_a_refused_query_is_a_failure_and_asked_again(context: Any) -> None:
    with context([], owners=("o" * 300, "o")) as (server, it):
        for asked in (2, 3):
            with pytest.raises(WhoWroteError, match="refused"):
                commit_search.CHANNEL.run(it)
            assert (
                states(it, "commit_search") == {"refused": 1, "done": 1}
                and len(server.log) == asked
            )


def test_hostile_items_are_not_candidates(context: Any) -> None:
    names = [
        "../../etc/passwd",
        "a/b/c",
        "a b/c",
        "-x/y",
        "o/..",
        "o/\x1b[2J",
        "",
        "o/" + "x" * 200,
        "o",
    ]
    names.append("o/good")
    with context([Repo(name, commits=commits(1, "a")) for name in names]) as (_, it):
        commit_search.CHANNEL.run(it)
        assert found(it) == {"o/good"}
    large = {
        "repository": {"full_name": "o/r", "id": 10**30},
        "commit": {"message": "x\n\nEntire-Checkpoint: 0123456789ab"},
    }
    known = commit_search.read(large)
    assert known is not None and known.github_id is None
    for item in (
        {"repository": 7},
        {"repository": {"full_name": 7}},
        {"commit": None},
        {"commit": {"message": 7}},
        {},
    ):
        assert commit_search.read(item) is None


# --- lists ----------------------------------------------------------------------------------------

LIST = b"""# names
octo/one
https://github.com/octo/two.git
git@github.com:octo/three
"octo/four",12,more
https://github.com/octo/five/tree/main/docs
OCTO/One
https://gitlab.com/group/sub/project
not a name
../../etc
"""


def test_a_list_may_hold_names_and_addresses(context: Any, tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(LIST)
    told: list[str] = []
    with context([], lists=(tmp_path / "list",)) as (server, it):
        it.tell = told.append
        listing.run(it)
        listing.run(it)
        assert found(it) == {
            "octo/one",
            "octo/two",
            "octo/three",
            "octo/four",
            "octo/five",
            "group/sub/project",
        }
        assert (
            it.log.store.value(
                "SELECT server FROM candidates WHERE full_name = 'group/sub/project'"
            )
            == "https://gitlab.com"
        )
        # one of them was named twice
        assert it.log.store.value("SELECT max(hits) FROM discoveries") == 2
        assert "(2 in all)" in told[0] and "../../etc" in told[0]
        assert server.log == []


@pytest.mark.parametrize(
    "text",
    [
        "o/a\no/b\n",
        "stars;repo_name;url\n7;o/a;x\n8;o/b;x\n",
        "id\thtml_url\n1\thttps://github.com/o/a\n2\thttps://github.com/o/b/tree/main\n",
        "Repo Full Name,Language\no/a,C\n\no/b,Go\n",
        "\ufeffrepository,count\no/a,1\no/b,2\n",
        "session_id,repo,agent\ns1,o/a,claude-code\ns2,o/b,codex\ns3,o/a,codex\n",
        "https://github.com/o/a, a remark\no/b # another\n",
    ],
)
def test_any_table_with_a_column_of_names_is_a_list(text: str) -> None:
    names, bad = listing.names_of(text.encode(), "https://github.com")
    assert {name for _, _, name in names} == {"o/a", "o/b"} and len(bad) <= 1
    assert {server for _, server, _ in names} == {"https://github.com"}


def test_an_owner_is_an_organisation_or_a_user(context: Any) -> None:
    repos = [Repo(f"org/r{n:03d}") for n in range(130)] + [
        Repo("user/a"),
        Repo("org/secret", private=True),
    ]
    with context(repos, organisations={"org"}, owners=("org", "user")) as (server, it):
        listing.run(it)
        assert len(found(it)) == 131
        asked = len(server.log)
        listing.run(it)
        assert len(server.log) == asked == 3
    with (
        context(repos, owners=("nobody",)) as (_, it),
        pytest.raises(WhoWroteError, match="no such organisation or user: nobody"),
    ):
        listing.run(it)


# --- together -------------------------------------------------------------------------------------


def test_one_channel_that_fails_does_not_stop_the_others(context: Any) -> None:
    world = World([Repo("c/r", commits=commits(1, "a"))])
    with context(world.repos, token=False) as (_, it):
        prober = Prober(GitServers(it.github.web, it.github.clock))
        it.log.server = "http://127.0.0.1:9"
        outcome = discover(it, ["code_search", "commit_search"], Filters(), prober)
        assert [what for what, _ in outcome.failures] == ["code_search"]
        assert found(it, "commit_search") == {"c/r"}
        with pytest.raises(WhoWroteError, match="no such channel: guessing"):
            discover(it, ["guessing"], Filters(), prober)


@pytest.mark.parametrize("number", [10**30, -1, 0, True, 1.5, "7", None, 1 << 62])
def test_a_number_that_no_server_has_counts_as_absent(number: object) -> None:
    assert identifier(number) is None
    found = hit_of({"full_name": "o/r", "id": number}, "")
    assert found is not None and found.github_id is None


@pytest.mark.parametrize("text", ["1e999", "nan", "-inf", "x", ""])
def test_limits_that_are_no_numbers_are_not_noted(text: str) -> None:
    budgets = Budgets()
    budgets.note("core", {"x-ratelimit-remaining": text, "x-ratelimit-reset": "5"}, 0.0)
    budgets.note("core", {"x-ratelimit-remaining": "5", "x-ratelimit-reset": text}, 0.0)
    assert not budgets.left and not budgets.reset
