"""The same owner/name on two servers in one database; and merge requests, as GitLab calls its
pull requests.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import column, select
from support.commands import analyse, collect
from support.fake_time import FakeTime
from support.git_server import GitServer
from support.served import add_file, git, publish

from collector.discovery.channels.channel import DiscoveryHit, DiscoveryLog
from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import Remote, WantedRefs
from collector.discovery.mirrors.table import not_forgotten
from collector.discovery.mirrors.update import FetchOptions, update_mirror
from collector.json_values import Numbers, Texts
from collector.repository_names import (
    BadName,
    RepositorySource,
    checked_label,
    directory,
    name_with_host,
    on_other_server,
)
from collector.storage.store import Store


def test_two_servers_with_the_same_name_are_two_repositories(tmp_path: Path, db: Path) -> None:
    publish(tmp_path / "one", "o/r", "example")
    other = publish(tmp_path / "two", "o/r", "example")
    add_file(other, "refs/heads/main", "only-here.txt", b"x")
    with GitServer(tmp_path / "one") as one, GitServer(tmp_path / "two") as two:
        urls = [one.url("o/r"), two.url("o/r")]
        for _ in range(2):
            collect("run", *urls, "--quiet", db=db)
        host = two.base.removeprefix("http://")
        mirrors: Texts = dict(select(db, "SELECT name, url FROM mirrors"))
        assert mirrors == {"o/r": urls[0], f"{host}/o/r": urls[1]}
        count = "(SELECT count(*) FROM commits c WHERE c.repo_id = r.id)"
        commits: Numbers = dict(select(db, f"SELECT name, {count} FROM repos r"))
        assert commits.keys() == mirrors.keys() and commits[f"{host}/o/r"] == commits["o/r"] + 1
        collect("forget", f"{host}/o/r", "--yes", db=db)
        assert names(db) == {"o/r"}


def names(db: Path) -> set[str]:
    return set(column(db, "SELECT name FROM repos"))


def test_databases_with_the_same_name_of_two_servers_can_be_merged(tmp_path: Path) -> None:
    publish(tmp_path / "one", "o/r", "example")
    publish(tmp_path / "two", "o/r", "squash")
    shards = [tmp_path / "one.db", tmp_path / "two.db"]
    with GitServer(tmp_path / "one") as one, GitServer(tmp_path / "two") as two:
        hosts = [server.base.removeprefix("http://") for server in (one, two)]
        for server, shard in zip((one, two), shards, strict=True):
            done = collect("run", server.url("o/r"), "--quiet", db=shard)
    for order in ((0, 1), (1, 0)):
        whole = tmp_path / f"all{order[0]}.db"
        first, second = (shards[n] for n in order)
        expected = {"o/r", f"{hosts[order[1]]}/o/r"}
        for said in ("repositories added: 2", "repositories kept: 2"):
            done = collect("merge", first, second, "-o", whole)
            assert said in done.output, done.output
            assert names(whole) == expected
        mirrors: Texts = dict(select(whole, "SELECT name, url FROM mirrors"))
        assert mirrors.keys() == expected and all(
            name == "o/r" or name.split("/")[0] in url for name, url in mirrors.items()
        )
        sessions: Numbers = dict(
            select(
                whole,
                "SELECT r.name, count(*) FROM repos r JOIN sessions s ON s.repo_id = r.id GROUP BY"
                " r.id",
            )
        )
        assert sessions.keys() == expected and len(set(sessions.values())) == 2
    # Both know both, under different names.
    done = collect("merge", tmp_path / "all1.db", "-o", tmp_path / "all0.db", "--force")
    assert "repositories replaced: 2" in done.output and names(tmp_path / "all0.db") == {
        "o/r",
        f"{hosts[1]}/o/r",
    }


def test_a_namesake_without_a_server_is_not_replaced_by_a_merge(tmp_path: Path, db: Path) -> None:
    shards = []
    for number, fixture in enumerate(("example", "squash")):
        shards.append(tmp_path / f"{number}.db")
        repo = publish(tmp_path / str(number), "app", fixture)
        analyse(repo, shards[-1], "--quiet")
    done = collect("merge", *shards, "-o", db, code=3)
    assert "another repository named app" in done.output and "--force" in done.output
    collect("merge", *shards, "-o", db, "--force")
    assert names(db) == {"app"}


def test_clones_of_the_same_name_on_two_servers_are_two_repositories(
    tmp_path: Path, db: Path
) -> None:
    remotes = ["git@github.com:o/n.git", "https://gitlab.com/o/n.git", "https://www.github.com/o/n"]
    for number, remote in enumerate(remotes):  # all three have the same commits
        repo = publish(tmp_path, str(number))
        git(repo, "remote", "add", "origin", remote)
        analyse(repo, db, "--quiet")
    assert names(db) == {"o/n", "gitlab.com/o/n"}


def test_addresses_are_of_one_server_or_of_two() -> None:
    same = [
        ("git@github.com:o/n", "https://github.com/o/n.git"),
        ("ssh://git@ssh.github.com:443/o/n", "https://www.github.com/o/n"),
        ("https://user:secret@h.org:8443/o/n", "https://H.org:8443/x"),
        ("ssh://git@h.org:22/o/n", "https://h.org:8443/o/n"),
        ("/srv/o/n", "https://h.org/o/n"),
        ("file:///srv/o/n", ""),
    ]
    assert not any(on_other_server(*pair) for pair in same)
    assert on_other_server("git@github.com:o/n", "https://gitlab.com/o/n")
    assert on_other_server("http://127.0.0.1:1/o/n", "http://127.0.0.1:2/o/n")
    assert name_with_host("git@gitlab.com:g/p/n.git") == "gitlab.com/g/p/n"


def test_what_was_forgotten_on_one_server_stays_away(db: Path) -> None:
    with Store(db) as store:
        log = DiscoveryLog(store, "https://github.com", lambda: 0.0)
        for server in ("https://github.com", "https://gitlab.com"):
            log.name("listing", "q", "s", DiscoveryHit("o/n", "x", server=server))
    collect("forget", "gitlab.com/o/n", "--yes", db=str(db))
    with Store(db) as store:
        log = DiscoveryLog(store, "https://github.com", lambda: 0.0)
        assert not log.name(
            "listing", "q", "s", DiscoveryHit("o/n", "x", server="https://gitlab.com")
        )
        assert column(store, "SELECT server FROM candidates") == ["https://github.com"]
        both = [
            RepositorySource("o/n", f"https://{host}/o/n.git")
            for host in ("github.com", "gitlab.com")
        ]
        assert not_forgotten(store, both) == both[:1]


def test_names_with_a_host_stay_below_the_directory() -> None:
    assert name_with_host("https://GitLab.com/Group/part/r.git") == "gitlab.com/Group/part/r"
    assert directory("127.0.0.1:80/o/r") == "127.0.0.1+80/o/r.git"
    for bad in ("../o/r", "a b/o/r", "h/../r", "h/o/..", "h//r", "h/-o/r"):
        with pytest.raises(BadName):
            checked_label(bad)


def test_heads_of_merge_requests_come_with_pulls(tmp_path: Path) -> None:
    repo = publish(tmp_path / "srv", "o/r")
    for ref in ("refs/merge-requests/7/head", "refs/pull/8/head", "refs/merge-requests/7/merge"):
        git(repo, "update-ref", ref, "refs/heads/main")
    options = FetchOptions(WantedRefs(pulls=True), pauses=())
    with GitServer(tmp_path / "srv") as server:
        one = RepositorySource("o/r", server.url("o/r"))
        done = update_mirror(
            one, Mirrors(tmp_path / "m"), Remote(clock=FakeTime().clock()), options
        )
    held = git(Path(done.path), "for-each-ref", "--format=%(refname)").split()
    assert {"refs/merge-requests/7/head", "refs/pull/8/head"} <= set(
        held
    ) and "refs/merge-requests/7/merge" not in held
