"""The same owner/name on two servers in one database; and merge requests, as GitLab calls its pull requests."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.fake_time import FakeTime
from support.git_server import GitServer
from support.served import add_file, git, publish

from collector.cli import cli
from collector.fetching.disk import Mirrors
from collector.fetching.mirrors import FetchOptions, update_mirror
from collector.fetching.refs import WantedRefs
from collector.fetching.remote import Remote
from collector.repository_names import BadName, RepositorySource, checked_label, directory, name_with_host


def collect(*args: str) -> Any:
    return CliRunner().invoke(cli, list(args), prog_name="collect")


def test_two_servers_with_the_same_name_are_two_repositories(tmp_path: Path) -> None:
    db = str(tmp_path / "d.db")
    publish(tmp_path / "one", "o/r", "example")
    other = publish(tmp_path / "two", "o/r", "example")
    add_file(other, "refs/heads/main", "only-here.txt", b"x")
    with GitServer(tmp_path / "one") as one, GitServer(tmp_path / "two") as two:
        urls = [one.url("o/r"), two.url("o/r")]
        for _ in range(2):
            done = collect("run", *urls, "--db", db, "--protocols", "http", "--quiet")
            assert done.exit_code == 0, done.output
        host = two.base.removeprefix("http://")
        with sqlite3.connect(db) as store:
            mirrors = dict(store.execute("SELECT name, url FROM mirrors").fetchall())
            assert mirrors == {"o/r": urls[0], f"{host}/o/r": urls[1]}
            count = "(SELECT count(*) FROM commits c WHERE c.repo_id = r.id)"
            commits = dict(store.execute(f"SELECT name, {count} FROM repos r").fetchall())
        assert commits.keys() == mirrors.keys() and commits[f"{host}/o/r"] == commits["o/r"] + 1
        done = collect("forget", f"{host}/o/r", "--yes", "--db", db)
        assert done.exit_code == 0, done.output
        with sqlite3.connect(db) as store:
            assert store.execute("SELECT name FROM repos").fetchall() == [("o/r",)]


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
    options = FetchOptions(WantedRefs(pulls=True), protocols=("http",), pauses=())
    with GitServer(tmp_path / "srv") as server:
        one = RepositorySource("o/r", server.url("o/r"))
        done = update_mirror(one, Mirrors(tmp_path / "m"), Remote(clock=FakeTime().clock()), options)
    held = git(Path(done.path), "for-each-ref", "--format=%(refname)").split()
    assert {"refs/merge-requests/7/head", "refs/pull/8/head"} <= set(held) and "refs/merge-requests/7/merge" not in held
