"""A repository has one mirror and one row, whatever names it is given, and when it was renamed.
Real git on the loopback.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.commands import collect
from support.fake_time import FakeTime
from support.git_server import GitServer
from support.served import add_file, git, publish

from attribution.ensure.clone import mirror_address
from collector.discovery.mirrors import disk, table
from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import Remote
from collector.discovery.mirrors.table import FetchPlan
from collector.discovery.mirrors.update import FetchOptions, FetchResult, update_mirror
from collector.limits import REDIRECTS
from collector.repository_names import RepositorySource, source
from collector.runtime.progress import no_progress
from collector.storage.store import Store

HTTP = FetchOptions(pauses=())


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, impatient: None) -> Iterator[GitServer]:
    (tmp_path / "served").mkdir()
    publish(tmp_path / "served", "o/new", "example")
    with GitServer(tmp_path / "served") as server:
        monkeypatch.setenv("GITHUB_SERVER_URL", server.base)
        server.renamed["o/old"] = ("o/new", 301)
        yield server


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "d.db"


def run(server: GitServer, db: Path, *names: str, more: Sequence[str] = ()) -> Result:
    done = collect("run", *names, "--db", db, "--quiet", *more)
    return done


def rows(db: Path, table: str = "mirrors") -> list[str]:
    with sqlite3.connect(db) as store:
        return sorted(name for (name,) in store.execute(f"SELECT name FROM {table}"))


def only(db: Path, name: str) -> None:
    """One repository is in the database, and one mirror on the disk."""
    assert rows(db) == rows(db, "repos") == [name]
    root = db.with_name(db.name + ".mirrors")
    assert [str(p.relative_to(root)) for p in root.glob("[!.]*/*.git")] == [f"{name}.git"]


def rename(server: GitServer, old: str, new: str, status: int = 301) -> None:
    place = server.root / f"{new}.git"
    place.parent.mkdir(parents=True, exist_ok=True)
    (server.root / f"{old}.git").rename(place)
    server.renamed.pop(new, None)
    server.renamed[old] = (new, status)


# --- fetched for the first time -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "names", "jobs"),
    [
        (301, ("o/old", "o/new"), 2),
        (307, ("o/new", "o/old"), 2),
        (308, ("o/old", "o/new"), 1),
        (302, ("o/new", "o/old"), 1),
    ],
)
def test_both_names_in_one_list_are_one_repository(
    served: GitServer,
    db: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    names: tuple[str, str],
    jobs: int,
) -> None:
    monkeypatch.setattr(table, "JOBS", jobs)
    served.renamed["o/old"] = ("o/new", status)
    file = tmp_path / "list"
    file.write_text("\n".join(names) + "\n")
    done = run(served, db, more=["--list", str(file)])
    assert "o/old: it is o/new" in done.output
    only(db, "o/new")
    again = run(served, db, more=["--list", str(file)])
    assert "o/old: it is o/new" in again.output
    only(db, "o/new")


@pytest.mark.parametrize("names", [("o/old", "o/new"), ("o/new", "o/old")])
def test_the_names_may_come_one_after_the_other(
    served: GitServer, db: Path, names: tuple[str, str]
) -> None:
    for name in names:
        run(served, db, name)
        only(db, "o/new")
    served.reset()
    run(served, db)
    assert served.requests == {"POST git-upload-pack": 1}  # unchanged


def test_three_old_names_at_once(served: GitServer, db: Path) -> None:
    served.renamed |= {"o/older": ("o/old", 301), "p/oldest": ("o/older", 307)}
    done = run(served, db, "p/oldest", "o/old", "o/older")
    assert done.output.count("it is o/new") == 3
    only(db, "o/new")


def test_an_attempt_that_failed_leaves_no_row_of_an_old_name(served: GitServer, db: Path) -> None:
    served.faults = lambda path: 404
    collect("run", "o/old", code=3, db=db)
    assert rows(db) == ["o/old"]
    served.faults = lambda path: None
    run(served, db, "o/old")
    only(db, "o/new")


def test_a_repository_that_was_removed_does_not_come_back_under_an_old_name(
    served: GitServer, db: Path
) -> None:
    run(served, db, "o/new")
    collect("forget", "o/new", "--yes", db=db)
    done = run(served, db, "o/old")
    assert (
        "o/old: it is o/new, which was removed with collect forget" in done.output
        and rows(db) == []
    )


def test_a_server_that_sends_us_from_name_to_name_is_left(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def send_on(sources: Iterable[RepositorySource], plan: FetchPlan) -> Iterator[FetchResult]:
        for one in sources:
            yield FetchResult(
                one.name, "", "moved", address=f"https://h.org/o/{one.name.removeprefix('o/')}x.git"
            )

    monkeypatch.setattr(table, "_fetch_each", send_on)
    with Store(db) as store:
        found = list(table.fetch(store, [source("o/r")], table.FetchPlan(tmp_path / "m")))
    assert [done.state for done in found] == ["moved"] * (REDIRECTS - 1) + ["failed"]
    assert "from address to address" in found[-1].detail


# --- mirrored before it was renamed ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "names"), [(307, ("o/new", "o/later")), (301, ("o/later", "o/new")), (307, ())]
)
def test_a_mirror_from_before_the_rename_is_taken_on(
    served: GitServer, db: Path, status: int, names: tuple[str, ...]
) -> None:
    run(served, db, "o/new")
    whole = served.sent
    tip = add_file(served.root / "o/new.git", "refs/heads/main", "more.txt", b"more\n")
    rename(served, "o/new", "o/later", status)
    served.reset()
    done = run(served, db, *names)
    only(db, "o/new")
    assert (
        f"it is {served.url('o/later')} now" in done.output or "o/later: it is o/new" in done.output
    )
    assert served.sent < whole / 2  # only what is new
    mirror = db.with_name(db.name + ".mirrors") / "o/new.git"
    assert git(mirror, "rev-parse", "refs/heads/main").strip() == tip
    with sqlite3.connect(db) as store:
        assert store.execute("SELECT url FROM mirrors").fetchall() == [(served.url("o/later"),)]
    assert "o/later: it is called o/new here" in run(served, db, "o/later").output
    shown = collect("status", "o/later", "--json", db=db).stdout
    assert '"name": "o/new"' in shown
    collect("forget", "o/later", "--yes", db=db)
    assert rows(db) == rows(db, "repos") == [] and not mirror.exists()
    for name in ("o/later", "o/new"):
        assert "removed with collect forget" in run(served, db, name).output and rows(db) == []


def test_a_new_owner_and_a_new_name_at_once_are_found_when_the_old_one_is_asked(
    served: GitServer, db: Path
) -> None:
    run(served, db, "o/new")
    rename(served, "o/new", "p/other")
    run(served, db, "p/other")
    assert rows(db) == ["o/new", "p/other"]
    done = run(served, db)
    assert (
        "p/other is the same, and to keep one of the two, run: collect forget o/new" in done.output
    )


# --- old names that are used again ----------------------------------------------------------------


def moved_mirror(server: GitServer, mirrors: Mirrors) -> RepositorySource:
    one = RepositorySource("o/new", server.url("o/new"))
    update(one, mirrors)
    rename(server, "o/new", "o/later")
    done = update(one, mirrors)
    assert (done.state, done.url) == ("unchanged", server.url("o/later"))
    return RepositorySource("o/new", done.url)  # as the database has it now


def update(one: RepositorySource, mirrors: Mirrors) -> Any:
    return update_mirror(one, mirrors, Remote(clock=FakeTime().clock()), HTTP)


def test_who_takes_an_old_name_does_not_take_the_mirror(served: GitServer, tmp_path: Path) -> None:
    mirrors = Mirrors(tmp_path / "m")
    one = moved_mirror(served, mirrors)
    publish(served.root, "o/new", "squash")
    tip = add_file(served.root / "o/later.git", "refs/heads/main", "more.txt", b"more\n")
    done = update(one, mirrors)
    assert done.state == "fetched"
    assert git(mirrors.path("o/new"), "rev-parse", "refs/heads/main").strip() == tip
    other = update(RepositorySource("o/new", served.url("o/new")), mirrors)
    assert other.state == "failed" and "made from another URL" in other.detail


def test_an_old_name_may_end(served: GitServer, tmp_path: Path) -> None:
    mirrors = Mirrors(tmp_path / "m")
    one = moved_mirror(served, mirrors)
    served.renamed.clear()
    add_file(served.root / "o/later.git", "refs/heads/main", "more.txt", b"more\n")
    done = update(one, mirrors)
    assert done.state == "fetched"
    shutil.rmtree(served.root / "o/later.git")
    assert update(one, mirrors).state == "gone"


def test_an_old_name_may_be_given_back(served: GitServer, tmp_path: Path) -> None:
    mirrors = Mirrors(tmp_path / "m")
    one = moved_mirror(served, mirrors)
    rename(served, "o/later", "o/new")
    done = update(one, mirrors)
    assert (
        (done.state, done.url)
        == ("unchanged", served.url("o/new"))
        == (done.state, disk.url_of(mirrors.path("o/new")))
    )


def test_settings_that_name_the_present_name_mean_the_repository_itself(
    served: GitServer, tmp_path: Path
) -> None:
    mirrors = Mirrors(tmp_path / "m")
    one = moved_mirror(served, mirrors)
    settings = (
        b'{"strategy_options": {"checkpoint_remote": {"provider": "github", "repo": "o/later"}}}'
    )
    add_file(served.root / "o/later.git", "refs/heads/main", ".entire/settings.json", settings)
    assert (done := update(one, mirrors)).state == "fetched" and done.elsewhere == ""


def test_an_address_to_attribute_has_one_mirror_too(
    served: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    paths = {mirror_address(served.url(name), no_progress) for name in ("o/old", "o/new")}
    assert len(paths) == 1 and paths.pop().endswith("o/new.git")
