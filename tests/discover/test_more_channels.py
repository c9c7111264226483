"""Channels that begin with what is known, or look at other places than GitHub: owners, relatives, tables, lists, other servers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.fake_time import FakeTime
from support.git_answers import V1, refs
from support.github_server import TOKEN, GitHubServer, Repo, World
from support.replay_server import Answer, ReplayServer

from collector.commands.discover import _server as server_url
from collector.discover import forge_metadata, forge_search, gharchive, heritage, owners
from collector.discover.channel import ChannelContext, DiscoverOptions
from collector.discover.discovery_log import Cursor, DiscoveryHit, DiscoveryLog
from collector.discover.exclusions import Filters, exclusion
from collector.discover.forge_sites import token_for
from collector.discover.forges import GITEA, GITLAB
from collector.discover.lsrefs import Prober
from collector.discover.report import report
from collector.discover.run import DiscoverResult, add_forge_metadata, discover, settle
from collector.discover.tables import names_of
from collector.errors import WhoWroteError
from collector.github.client import GitHub
from collector.github.git_server import GitServers
from collector.github.token import Token
from collector.github.transport import Web
from collector.storage.store import Store

TRAILER = "x\n\nEntire-Checkpoint: 0123456789ab"
Open = Callable[..., Any]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    @contextmanager
    def start(world: World, archive: Path | None = None, **request: Any) -> Iterator[tuple[GitHubServer, ChannelContext]]:
        clock = FakeTime(datetime(2026, 11, 1, tzinfo=UTC).timestamp()).clock()
        with GitHubServer(world, clock.now, archive) as server, Web() as web, Store(tmp_path / "d.db") as store:
            github = GitHub(web, server.api_url, Token("test", TOKEN), None, clock)
            log = DiscoveryLog(store, server.url, clock.now)
            yield server, ChannelContext(github, web, log, clock, DiscoverOptions(**request))

    return start


def run(context: ChannelContext, *names: str, forks: bool = False) -> list[tuple[str, WhoWroteError]]:
    return discover(context, names, Filters(forks=forks), Prober(GitServers(context.web, context.clock)), jobs=2).failures


def found(context: ChannelContext, channel: str) -> set[str]:
    sql = "SELECT full_name FROM candidates c JOIN discoveries d ON d.candidate_id = c.id WHERE channel = ?"
    return {row["full_name"] for row in context.discovery_log.store.rows(sql, (channel,))}


# --- owners and relatives ---------------------------------------------------------------------------------------------


def test_owners_of_confirmed_ones_and_authors_are_asked_for_all_they_have(opened: Open) -> None:
    repos = [
        Repo("ada/listed", raw=refs(V1)),
        Repo("ada/quiet", raw=refs(V1)),
        Repo("ada/old", raw=refs(V1), pushed_at="2025-06-01T00:00:00Z"),
    ]
    repos += [Repo("ada/copy", raw=refs(V1), fork_of="x/y"), Repo("bob/private", private=True)]
    repos += [Repo("org/project", raw=refs(), commits=[("1", "2026-03-01T00:00:00Z", TRAILER)], author="Bob")]
    repos += [Repo("bob/side", raw=refs(V1)), Repo("carl/none", raw=refs())]
    with opened(World(repos), texts=(("test", b"ada/listed\ncarl/none"),)) as (server, context):
        assert run(context, "listing", "commit_search", "owners") == []
        assert found(context, "owners") == {"ada/listed", "ada/quiet", "bob/side"}
        rows = context.discovery_log.store.rows("SELECT full_name FROM candidates WHERE confirmed = 1 ORDER BY 1")
        assert [row["full_name"] for row in rows] == ["ada/listed", "ada/quiet", "bob/side"]
        assert len(server.asked("/users/")) == 2  # not for carl, whose repository holds nothing
        asked = len(server.log)
        assert run(context, "listing", "owners") == [] and len(server.log) == asked
        assert owners.plan(context)[0].requests == 0


def test_an_owner_that_is_gone_is_asked_for_once_and_old_names_not_at_all(opened: Open) -> None:
    world = World([Repo("ada/one", raw=refs(V1))], renamed={"old/one": "ada/one"})
    with opened(world, texts=(("test", b"old/one\nada/one"),)) as (server, context):
        told: list[str] = []
        context.tell = told.append
        context.discovery_log.put([Cursor("owners", "owner gone", "owner gone")])
        for _ in range(2):
            assert run(context, "listing", "owners") == []
        assert told == ["owners: no such organisation or user: gone"]
        assert len(server.asked("/users/gone")) == 1 and server.asked("/users/old") == []


@pytest.mark.parametrize(
    ("text", "url"),
    [("https://gitlab.com/", "https://gitlab.com"), ("codeberg.org", "https://codeberg.org"), ("http://h.org:80/git", None)],
)
def test_a_server_may_be_named_by_its_host(text: str, url: str | None) -> None:
    assert server_url(text) == (url or text)
    for bad in ("notaurl", "ftp://h.org", "https://", "https://user@h.org", "h.org x"):
        with pytest.raises(WhoWroteError, match="invalid URL of a server"):
            server_url(bad)


def test_an_owner_with_very_many_repositories_is_read_in_part(opened: Open) -> None:
    repos = [Repo(f"ada/r{n:03d}", raw=refs(V1) if n == 0 else refs()) for n in range(350)]
    with opened(World(repos), texts=(("test", b"ada/r000"),), most_of_owner=120) as (server, context):
        assert run(context, "listing", "owners") == []
        assert len(server.asked("/users/ada")) == 2 and len(found(context, "owners")) == 200
        [row] = context.discovery_log.store.rows("SELECT state, detail FROM cursors WHERE channel = 'owners'")
        assert row["state"] == "done" and "200 repositories" in row["detail"]


def test_parents_are_always_named_and_forks_when_they_are_wanted(opened: Open) -> None:
    repos = [Repo("a/fork", raw=refs(V1), fork_of="b/parent"), Repo("b/parent", raw=refs(V1), forks=1)]
    with opened(World(repos), texts=(("test", b"a/fork"),)) as (server, context):
        assert run(context, "listing", "relatives") == [] and found(context, "relatives") == {"b/parent"}
        assert server.asked("/forks") == []
        repos.append(Repo("c/other-fork", raw=refs(V1), fork_of="b/parent"))
        context.request = DiscoverOptions(forks=True)
        assert run(context, "relatives", forks=True) == []
        assert found(context, "relatives") == {"b/parent", "a/fork", "c/other-fork"}


# --- Software Heritage --------------------------------------------------------------------------------------------------

ROWS = [
    ("https://github.com/o/branch", b"refs/heads/entire/checkpoints/v1", "2026-05-01"),
    ("https://github.com/o/branch", b"refs/heads/entire/other", "2026-05-01"),
    ("https://github.com/o/refs.git", b"refs/entire/checkpoints/ab/cd", "2026-06-01"),
    ("https://gitlab.com/g/p/r", b"refs/heads/entire/sessions", "2026-06-01"),
    ("https://github.com/o/no", b"refs/heads/entirely/else", "2026-06-01"),
    ("deb://Debian/packages/x", b"refs/heads/entire/checkpoints/v1", "2026-06-01"),
]


def table(folder: Path, kind: str) -> Path:
    path = folder / f"rows.{kind}"
    if kind == "csv":
        lines = ["origin,name,date", *(f"{origin},{name.decode()},{date}" for origin, name, date in ROWS)]
        path.write_text("\n".join(lines))
        return path
    import pyarrow

    origins, names, dates = zip(*ROWS, strict=True)
    write(pyarrow.table({"origin": origins, "name": names, "date": dates}), path)
    return path


def write(rows: Any, path: Path) -> None:
    import pyarrow.orc
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    (pyarrow.orc if path.suffix == ".orc" else pyarrow.parquet).write_table(rows, path)


def export(folder: Path, kind: str) -> None:
    """The two tables of a graph export with the columns and types of swh-export's relational.py, in two files each."""
    import pyarrow

    for number in range(2):
        mine = [(f"{n:040x}", *row) for n, row in enumerate(ROWS) if n % 2 == number]
        snapshots, origins, names, dates = zip(*mine, strict=True)
        branch = {"snapshot_id": snapshots, "name": pyarrow.array(names, pyarrow.binary())}
        branch |= {"target": ["a" * 40] * len(mine), "target_type": ["revision"] * len(mine)}
        write(pyarrow.table(branch), folder / "snapshot_branch" / f"{number}.{kind}")
        moments = pyarrow.array([datetime.fromisoformat(date) for date in dates], pyarrow.timestamp("ns"))
        visit = {"origin": origins, "visit": [1] * len(mine), "date": moments, "status": ["full"] * len(mine)}
        visit |= {"snapshot": snapshots, "type": ["git"] * len(mine)}
        write(pyarrow.table(visit), folder / "origin_visit_status" / f"{number}.{kind}")


@pytest.mark.parametrize("kind", ["csv", "parquet", "orc"])
def test_branches_that_software_heritage_saw_name_candidates(opened: Open, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    table(folder, kind)
    with opened(World([]), heritage=(folder,)) as (server, context):
        heritage.run(context)
        heritage.run(context)
        assert found(context, "heritage") == {"o/branch", "o/refs", "g/p/r"} and server.log == []
        sql = "SELECT server, full_name, hits, evidence FROM candidates c JOIN discoveries d ON d.candidate_id = c.id ORDER BY 2"
        rows = context.discovery_log.store.rows(sql)
        assert [row["server"] for row in rows] == ["https://gitlab.com", "https://github.com", "https://github.com"]
        assert rows[1]["hits"] == 2 and rows[1]["evidence"] == "refs/heads/entire/checkpoints/v1 visited 2026-05-01"


@pytest.mark.parametrize("kind", ["orc", "parquet"])
def test_the_tables_of_an_export_are_read_themselves(opened: Open, tmp_path: Path, kind: str) -> None:
    export(tmp_path / "2026-06-01" / "orc", kind)
    with opened(World([]), heritage=(tmp_path / "2026-06-01",)) as (_, context):
        heritage.run(context)
        assert found(context, "heritage") == {"o/branch", "o/refs", "g/p/r"}
        rows = context.discovery_log.store.rows("SELECT evidence, hits FROM discoveries ORDER BY 1")
        assert rows[0] == {"evidence": "refs/entire/checkpoints/ab/cd visited 2026-06-01", "hits": 1}
        assert {row["hits"] for row in rows} == {1, 2}
        for file in (tmp_path / "2026-06-01" / "orc" / "origin_visit_status").iterdir():
            file.unlink()
        with pytest.raises(WhoWroteError, match="lacks the table origin_visit_status"):
            heritage.run(context)


@pytest.mark.parametrize("kind", ["orc", "parquet"])
def test_a_file_that_is_no_table_is_named(opened: Open, tmp_path: Path, kind: str) -> None:
    (tmp_path / f"x.{kind}").write_bytes(b"no table")
    words = f"cannot be read as {'ORC' if kind == 'orc' else 'Parquet'}"
    with opened(World([]), heritage=(tmp_path / f"x.{kind}",)) as (_, context), pytest.raises(WhoWroteError, match=words):
        heritage.run(context)


def test_a_table_without_the_columns_says_how_to_make_one(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("snapshot_id,name\n1,refs/heads/entire/x\n")
    with opened(World([]), heritage=(tmp_path / "x.csv",)) as (server, context):
        assert server.log == []
        with pytest.raises(WhoWroteError, match="lacks a column origin or name"):
            heritage.run(context)


def test_the_sql_asks_for_both_layouts() -> None:
    for engine in heritage.ENGINES:
        sql = heritage.query(engine)
        assert "refs/heads/entire/" in sql and "'refs/entire0'" in sql and "snapshot_branch" in sql


# --- lists of others -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "o/a\no/b\n",
        "stars;repo_name;url\n7;o/a;x\n8;o/b;x\n",
        "id\thtml_url\n1\thttps://github.com/o/a\n2\thttps://github.com/o/b/tree/main\n",
        'owner,name,description\no,a,"one, two"\no,b,"x"\n',
        "Repo Full Name,Language\no/a,C\n\no/b,Go\n",
        "\ufeffrepository,count\no/a,1\no/b,2\n",
        "session_id,repo,agent\ns1,o/a,claude-code\ns2,o/b,codex\ns3,o/a,codex\n",
        "https://github.com/o/a, a remark\no/b # another\n",
    ],
)
def test_any_table_with_a_column_of_names_is_a_list(text: str) -> None:
    names, bad = names_of(text.encode(), "https://github.com")
    assert {one.name for one in names} == {"o/a", "o/b"} and bad == []
    assert {one.server for one in names} == {"https://github.com"}


# --- archives of events ----------------------------------------------------------------------------------------------------


def push(name: str) -> bytes:
    payload = {"ref": V1, "head": "1" * 40}
    event = {"type": "PushEvent", "public": True, "repo": {"id": 1, "name": name}, "payload": payload}
    return gzip.compress(json.dumps(event).encode() + b"\n")


def test_one_bad_hour_blocks_none_of_the_later_ones(opened: Open, tmp_path: Path) -> None:
    start = datetime(2026, 2, 1, tzinfo=UTC)
    for hour, data in (("0", push("o/first")), ("2", push("o/last"))):
        (tmp_path / f"2026-02-01-{hour}.json.gz").write_bytes(data)
    (tmp_path / "2026-02-01-1.json.gz").mkdir()  # cannot be read
    with opened(World([]), archives=(str(tmp_path),), since=start, until=start + timedelta(hours=3)) as (_, context):
        with pytest.raises(WhoWroteError, match="cannot be read"):
            gharchive.run(context)
        assert found(context, "gharchive") == {"o/first", "o/last"}
        (tmp_path / "2026-02-01-1.json.gz").rmdir()
        (tmp_path / "2026-02-01-1.json.gz").write_bytes(push("o/middle"))
        gharchive.run(context)
        assert "o/middle" in found(context, "gharchive")


def test_an_archive_that_is_not_there_is_left_after_some_hours(opened: Open) -> None:
    start = datetime(2026, 2, 1, tzinfo=UTC)
    gone = "http://127.0.0.1:9"
    with opened(World([]), archives=(gone,), since=start, until=start + timedelta(days=2)) as (_, context):
        with pytest.raises(WhoWroteError, match="and 4 more hours"):
            gharchive.run(context)
        assert len(context.discovery_log.cursors("gharchive")) == gharchive.MOST_FAILED


def test_open_digger_comes_first_since_it_is_there(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "2026-09-05-23.json.gz").write_bytes(push("o/before"))
    (tmp_path / "2026-09-06-0.json.gz").write_bytes(push("o/after"))
    digger = tmp_path / "digger"
    digger.mkdir()
    start = datetime(2026, 9, 5, 23, tzinfo=UTC)
    with opened(World([]), tmp_path, since=start, until=start + timedelta(hours=3)) as (server, context):
        monkeypatch.setattr(gharchive, "GH_ARCHIVE", f"{server.url}/gharchive")
        monkeypatch.setattr(gharchive, "OPEN_DIGGER", str(digger))
        (digger / "2026-09-06-1.json.gz").write_bytes(push("o/digger"))
        gharchive.run(context)
        assert found(context, "gharchive") == {"o/before", "o/after", "o/digger"}
        assert [a.path.rpartition("/")[2] for a in server.log] == ["2026-09-05-23.json.gz", "2026-09-06-0.json.gz"]


def test_two_archives_are_both_read(opened: Open, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "2026-02-01-0.json.gz").write_bytes(push(f"o/{name}"))
    with opened(World([]), archives=(str(tmp_path / "a"), str(tmp_path / "b"))) as (_, context):
        gharchive.run(context)
        assert found(context, "gharchive") == {"o/a", "o/b"}


def test_what_the_archives_have_is_said_before_and_after(opened: Open, tmp_path: Path) -> None:
    """GH Archive lost most events on 2025-05-23 (igrigorik/gharchive.org issues 310 and 320)."""
    start = datetime(2026, 2, 1, tzinfo=UTC)
    with opened(World([]), archives=(str(tmp_path),), since=start, until=start + timedelta(hours=1)) as (_, context):
        [step] = gharchive.plan(context)
        assert "10 to 20 % of the events since 2025-05-23" in step.note
        (tmp_path / "2026-02-01-0.json.gz").write_bytes(push("o/a"))
        gharchive.run(context)
        [row] = [row for row in report(context.discovery_log.store, context.now())["coverage"] if row["channel"] == "gharchive"]
        assert (row["expected_low"], row["expected_high"]) == (0.1, None) and "41% to 67% with 5 pushes" in row["reasoning"]
    assert "all" not in gharchive.CHANNEL.about.split() and "no cap" not in gharchive.CHANNEL.about


def test_what_share_is_found_depends_on_the_pushes() -> None:
    assert round(gharchive.share_found(1, 0.1), 3) == 0.1 and round(gharchive.share_found(20, 0.2), 3) == 0.988


# --- other servers -----------------------------------------------------------------------------------------------------------


def project(name: str, number: int, **more: Any) -> dict[str, Any]:
    """As GitLab's documentation of its projects API shows one."""
    return {"id": number, "path_with_namespace": name, "visibility": "public", "star_count": 1, **more}


def gitlab(**more: Answer) -> dict[str, Answer]:
    return {
        "/api/v4/projects": Answer(([],)),
        "/api/v4/projects?topic=entire-cli": Answer(
            ([project("g/p/one", 1), project("g/two", 2)], [project("g/hidden", 3, visibility="internal"), project("g/three", 4)])
        ),
        "/api/v4/users/g%2Fp/projects": Answer(({"message": "404 User Not Found"},), 404),
        "/api/v4/groups/g%2Fp/projects": Answer(([project("g/p/four", 5), project("g/p/copy", 6, forked_from_project={"id": 1})],)),
        "/api/v4/projects/1": Answer((project("g/p/one", 1),)),
        "/api/v4/projects/9": Answer((project("h/in-a-file", 9),)),
        "/api/v4/search": Answer(([{"project_id": 9, "path": ".claude/settings.json"}],)),
        **more,
    }


def test_gitlab_is_searched_by_topic_file_and_owner(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with ReplayServer(gitlab()) as forge, opened(World([]), forges=(forge.url,)) as (server, context):
        told: list[str] = []
        context.tell = told.append
        forge_search.run(context)
        assert found(context, "forge_search") == {"g/p/one", "g/two", "g/three"}
        assert "not asked without GITLAB_TOKEN" in told[0] and server.log == []
        context.discovery_log.store.connection.execute("UPDATE candidates SET confirmed = 1 WHERE full_name = 'g/p/one'")
        monkeypatch.setenv("GITLAB_TOKEN", "glpat-x")
        monkeypatch.setenv("GITLAB_HOST", forge.url.removeprefix("http://"))
        forge_search.run(context)
        assert found(context, "forge_search") == {"g/p/one", "g/two", "g/three", "g/p/four", "h/in-a-file"}
        assert forge.log[-1][1]["authorization"] == "Bearer glpat-x"
        asked = len(forge.log)
        forge_search.run(context)
        assert len(forge.log) == asked + 2  # only which kind of server it is
        assert {row["server"] for row in context.discovery_log.store.rows("SELECT server FROM candidates")} == {forge.url}


def test_gitea_and_forgejo_wrap_their_results(opened: Open) -> None:
    items = [{"id": 1, "full_name": "u/one", "private": False}, {"id": 2, "full_name": "u/fork", "fork": True}]
    answers = {
        "/api/v1/version": Answer(({"version": "12.0.0+gitea-1.22.0"},)),
        "/api/v1/repos/search?q=entire-cli": Answer(({"ok": True, "data": items},)),
        "/api/v1/repos/search": Answer(({"ok": True, "data": []},)),
    }
    with ReplayServer(answers) as forge, opened(World([]), forges=(forge.url,)) as (_, context):
        forge_search.run(context)
        assert found(context, "forge_search") == {"u/one"} and forge.log[0][1]["accept"] == "application/json"


def test_a_plain_git_server_has_no_search(opened: Open) -> None:
    with ReplayServer({}) as forge, opened(World([]), forges=(forge.url,)) as (server, context):
        assert server.log == []
        with pytest.raises(WhoWroteError, match="has no search API"):
            forge_search.run(context)


def test_a_token_goes_to_its_own_host_alone() -> None:
    environment = {"GITLAB_TOKEN": "x", "GITEA_TOKEN": "y", "GITEA_HOST": "https://git.example.org/"}
    assert token_for(GITLAB, "https://gitlab.com", environment) is not None
    assert token_for(GITLAB, "https://gitlab.example.org", environment) is None
    assert token_for(GITEA, "https://git.example.org", environment) is not None
    assert token_for(GITEA, "https://codeberg.org", environment) is None


# --- metadata of other servers ----------------------------------------------------------------------------------------------


def settings_of(name: str) -> dict[str, Any]:
    import base64

    text = json.dumps({"strategy_options": {"checkpoint_remote": {"provider": "gitlab", "repo": name}}})
    return {"content": base64.b64encode(text.encode()).decode(), "encoding": "base64"}


def metadata_of(context: ChannelContext) -> dict[str, dict[str, Any]]:
    return {row["full_name"]: row for row in context.discovery_log.store.rows("SELECT * FROM candidates")}


def probed(context: ChannelContext, server: str, names: dict[str, bool]) -> DiscoverResult:
    """Candidates of a server as they are after their probe (name -> whether it holds checkpoints), and then their metadata."""
    for name, confirmed in names.items():
        context.discovery_log.name("listing", "q", name, DiscoveryHit(name, "x", server=server))
        context.discovery_log.store.connection.execute(
            "UPDATE candidates SET outcome = 'ok', probed_at = '2026-01-01', confirmed = ? WHERE full_name = ? AND server = ?",
            (confirmed, name, server),
        )
    outcome = DiscoverResult()
    add_forge_metadata(context, outcome)
    return outcome


def test_gitlab_tells_what_it_tells_and_the_rest_is_unknown(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = {"id": 8, "path_with_namespace": "up/stream"}
    whole = {"forks_count": 2, "archived": True, "created_at": "2026-01-05T00:00:00Z", "last_activity_at": "2026-05-01T00:00:00Z"}
    answers = {
        "/api/v4/projects": Answer(([],)),
        # Without a token neither `archived` nor `forked_from_project` is shown.
        "/api/v4/projects/g%2Fsub%2Fopen": Answer((project("g/sub/open", 1, license={"key": "apache-2.0"}, forks_count=4),)),
        "/api/v4/projects/g%2Fsub%2Fopen/languages": Answer(({"Go": 20.5, "Python": 79.5},)),
        "/api/v4/projects/g%2Ffork": Answer((project("g/fork", 2, **whole, forked_from_project=parent, license=None),)),
        "/api/v4/projects/g%2Fown": Answer((project("g/renamed", 3, **whole | {"archived": False}),)),
        "/api/v4/projects/g%2Fown/repository/files/.entire%2Fsettings.json": Answer((settings_of("g/checkpoints"),)),
    }
    with ReplayServer(answers) as forge, opened(World([])) as (_, context):
        names = {"g/sub/open": True, "g/fork": True, "g/own": False, "g/gone": True}
        outcome = probed(context, forge.url, names)
        assert outcome.failures == [] and outcome.metadata == 4
        found = metadata_of(context)
        columns = ("stars", "forks", "is_fork", "fork_of", "archived", "licence", "language", "size_kb", "not_said")
        assert [found["g/sub/open"][c] for c in columns] == [
            1, 4, None, None, None, "Apache-2.0", "Python", None, "is_fork archived size_kb",
        ]  # fmt: skip
        assert [found["g/fork"][c] for c in columns] == [1, 2, 1, "up/stream", 1, None, None, None, "size_kb"]
        assert found["g/own"]["is_fork"] == 0 and found["g/own"]["renamed_to"] == "g/renamed"
        assert found["g/own"]["not_said"] == "licence size_kb"
        assert found["g/own"]["checkpoint_remote"] == "https://gitlab.com/g/checkpoints"
        assert found["g/gone"]["metadata_at"] and found["g/gone"]["stars"] is None
        settle(context.discovery_log, Filters(archived=False))
        reasons = {name: row["exclusion"] for name, row in metadata_of(context).items()}
        assert reasons["g/sub/open"] is None and reasons["g/fork"] == "fork"
        settle(context.discovery_log, Filters(forks=True, archived=False, licences=frozenset({"apache-2.0"})))
        found = metadata_of(context)
        assert found["g/sub/open"]["exclusion"] is None and found["g/fork"]["exclusion"] == "archived"
        asked = len(forge.log)
        assert probed(context, forge.url, {}).metadata == 0 and len(forge.log) == asked


def test_a_licence_that_no_server_said_is_unknown() -> None:
    row: dict[str, Any] = dict.fromkeys(("exclusion", "renamed_to", "notes", "checkpoint_remote", "failure", "detail", "licence"))
    row |= {"outcome": "ok", "confirmed": 1, "v1_empty": 0, "server": "s", "metadata_at": "2026-01-01", "fork_of": None}
    row |= {"is_fork": 0, "archived": 0, "size_kb": None, "not_said": "licence size_kb"}
    licences = Filters(licences=frozenset({"mit"}))
    assert exclusion(row, licences, (), ("s",)) == ("no_metadata", "not known: its licence")
    assert exclusion(row | {"not_said": "size_kb"}, licences, (), ("s",)).reason == "licence"
    assert exclusion(row, Filters(), (), ("s",)).reason is None
    assert exclusion(row | {"not_said": None}, Filters(), (), ("s",)) == ("no_metadata", "not known: its size")


def test_gitea_and_forgejo_tell_all_in_one_answer(opened: Open) -> None:
    item = {"id": 5, "full_name": "U/one", "fork": True, "parent": {"full_name": "up/one"}, "archived": False, "stars_count": 7}
    item |= {"forks_count": 1, "size": 321, "language": "Rust", "created_at": "2026-01-02T00:00:00Z", "licenses": ["MIT"]}
    older = {"id": 6, "full_name": "u/two", "fork": False, "archived": False, "stars_count": 10**30, "size": 1, "language": ""}
    answers = {
        "/api/v1/version": Answer(({"version": "12.0.0+gitea-1.22.0"},)),
        "/api/v1/repos/u/one": Answer((item,)),
        "/api/v1/repos/u/two": Answer((older,)),
    }
    with ReplayServer(answers) as forge, opened(World([])) as (_, context):
        assert probed(context, forge.url, {"u/one": True, "u/two": True}).failures == []
        found = metadata_of(context)
        assert (found["U/one"]["licence"], found["U/one"]["fork_of"], found["U/one"]["not_said"]) == ("MIT", "up/one", None)
        assert (found["u/two"]["stars"], found["u/two"]["language"], found["u/two"]["not_said"]) == (None, None, "licence")
        assert len([path for path, _ in forge.log if "/u/" in path]) == 2


def test_a_server_without_an_api_is_asked_once_which_kind_it_is(opened: Open) -> None:
    with ReplayServer({}) as plain, opened(World([])) as (_, context):
        for _ in range(2):
            assert probed(context, plain.url, {"o/r": True}).failures == []
            assert len(plain.log) == 2 and forge_metadata.described(context.discovery_log) == []
        settle(context.discovery_log, Filters())
        assert metadata_of(context)["o/r"]["exclusion"] is None
        settle(context.discovery_log, Filters(licences=frozenset({"mit"})))
        assert metadata_of(context)["o/r"]["exclusion"] == "no_metadata"


def test_a_server_that_refuses_is_a_failure_and_its_candidates_wait(opened: Open) -> None:
    answers = {"/api/v1/version": Answer(({"version": "1"},)), "/api/v1/repos/u/one": Answer(({"message": "no"},), 403)}
    with ReplayServer(answers) as forge, opened(World([])) as (_, context):
        [(what, error)] = probed(context, forge.url, {"u/one": True}).failures
        assert what == "metadata" and "1 candidates on" in str(error)
        settle(context.discovery_log, Filters())
        assert metadata_of(context)["u/one"]["exclusion"] == "no_metadata"
