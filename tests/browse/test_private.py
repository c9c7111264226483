"""Only who has the printed address reads the pages, and no question takes the machine: tried on
a port of the loopback.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from support.commands import clone, run
from support.pages import Server, serving

from attribution.browse.private import Access
from collector.storage.bounded import open_bounded

pytest.importorskip("datasette")
HOME = "/-/whowrote/my~2Edata~2Ev2"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The name has dots."""
    directory = tmp_path_factory.mktemp("private")
    db = directory / "my.data.v2.db"
    run("survival", clone("example", directory), "--no-curves", db=db)
    return db


@pytest.fixture(scope="module")
def server(db: Path) -> Iterator[Server]:
    with serving(db) as server:
        yield server


# --- who may read ---------------------------------------------------------------------------------


def test_the_printed_address_becomes_a_cookie(server: Server) -> None:
    path = server.address.split(str(server.port), 1)[1]
    first = server.get(path, known=False)
    assert first.status == 303 and first.headers["location"] == "/-/whowrote"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert server.get(HOME, known=False, Cookie=cookie.split(";")[0]).status == 200


@pytest.mark.parametrize(
    "path",
    ["/", HOME, "/my~2Edata~2Ev2/turns.json", "/-/databases.json", "/-/whowrote.css", "/nothing"],
)
def test_without_the_token_nothing_is_told(server: Server, path: str) -> None:
    for more in (
        {},
        {"Cookie": f"whowrote_{server.port}=x"},
        {"Authorization": "Bearer x"},
        {"Cookie": "\xff;=;"},
    ):
        answer = server.get(path, known=False, **more)
        assert answer.status == 403 and "whowrote browse" in answer.text and len(answer.text) < 100
    assert server.get(f"{path}?token=x", known=False).status == 403


def test_a_name_that_is_not_ours_is_refused_even_with_the_token(server: Server) -> None:
    port = server.port
    for host in ("localhost", "LOCALHOST", "127.0.0.1", "[::1]"):
        assert server.get(HOME, Host=f"{host}:{port}").status == 200
    rebound = [
        "evil.example",
        f"evil.example:{port}",
        f"127.0.0.1.evil.example:{port}",
        "127.0.0.1",
        f"127.0.0.1:{port + 1}",
    ]
    for host in [
        *rebound,
        f"x@127.0.0.1:{port}",
        f"127.0.0.1:{port}/",
        f"127.0.0.1:{port}x",
        f"192.168.1.1:{port}",
        "",
    ]:
        answer = server.get(HOME, Host=host)
        assert answer.status in (400, 403) and "commit" not in answer.text, host


def test_on_all_addresses_a_literal_one_is_ours_and_a_name_is_not() -> None:
    everywhere = Access("0.0.0.0", 8001, "t")
    assert everywhere.is_own_host("192.168.1.5:8001") and everywhere.is_own_host("[fe80::1]:8001")
    assert not everywhere.is_own_host("evil.example:8001")
    named = Access("box.lan", 80, "t")
    assert (
        named.is_own_host("box.lan")
        and named.is_own_host("Box.Lan:80")
        and not named.is_own_host("192.168.1.5")
    )


def test_what_other_pages_ask_for_is_refused(server: Server) -> None:
    for site in ("cross-site", "same-site"):
        answer = server.get(HOME, Sec_Fetch_Site=site)
        assert answer.status == 403 and "Another page" in answer.text
    for site in ("same-origin", "none"):
        answer = server.get(HOME, Sec_Fetch_Site=site)
        assert (
            answer.status == 200 and answer.headers["cross-origin-resource-policy"] == "same-origin"
        )


def test_pages_are_only_read(server: Server) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert server.get(HOME, method).status == 405
    assert server.get(HOME, "HEAD").status == 200


def test_the_token_does_not_lead_elsewhere(server: Server) -> None:
    answer = server.get(f"//evil.example/x?a=1&token={server.token}", known=False)
    assert answer.status == 303 and answer.headers["location"] == "/evil.example/x?a=1"


# --- names, and words instead of tracebacks -------------------------------------------------------


def test_a_name_with_dots_works_on_every_page(server: Server) -> None:
    page = server.get(server.get(f"{HOME}/-/go/repo/1").headers["location"])
    assert page.status == 200 and f'href="{HOME}' in page.text
    for path in ("/my~2Edata~2Ev2", "/my~2Edata~2Ev2/commits"):
        assert server.get(path).status == 200, path
    for row in ("commit/1", "session/1"):
        address = server.get(f"{HOME}/-/go/{row}").headers["location"]
        assert address.startswith(HOME) and server.get(address).status == 200
    assert server.get("/-/whowrote").headers["location"] == HOME


UNANSWERABLE = {
    "/nothing": 404,
    "/-/whowrote/other": 404,
    f"{HOME}/-/go/repo/99": 404,
    "/my~2Edata~2Ev2/none": 404,
    "/my~2Edata~2Ev2.json?sql=selec": 400,
    "/my~2Edata~2Ev2?sql=" + quote("delete from turns"): 400,
    "/my~2Edata~2Ev2?sql=" + quote("select * from nothing"): 400,
    "/my~2Edata~2Ev2/turns?_size=x": 400,
    "/my~2Edata~2Ev2/turns?_sort=none": 400,
    "/my~2Edata~2Ev2/turns?_through=no": 400,
    '/my~2Edata~2Ev2/turns?_through={"table":1,"column":[],"value":{}}': 400,
    "/-/static/" + "a" * 5000: 400,
    "/my~2Edata~2Ev2/corpus_sessions?_next=%00": 400,
    "/my~2Edata~2Ev2/turns?_timelimit=no": 400,
}


def test_what_cannot_be_answered_is_said_in_words(db: Path) -> None:
    with serving(db) as server:
        for path, status in UNANSWERABLE.items():
            answer = server.get(path)
            assert answer.status == status and "Traceback" not in answer.text, path
    assert [line for line in server.said[0].splitlines() if line and line != "stopped"] == []


# --- other files ----------------------------------------------------------------------------------

UPWARDS = (
    "../",
    "..%2f",
    "%2e%2e/",
    "%2e%2e%2f",
    "..%5c",
    "....//",
    "~2E~2E/",
    "~2E~2E~2F",
    "..%252f",
    "%c0%ae%c0%ae/",
)
PLACES = (
    "/-/static/",
    "/-/static-plugins/x/",
    "/-/whowrote/",
    f"{HOME}/file/",
    f"{HOME}/",
    "/my~2Edata~2Ev2/",
    "/",
)


@pytest.mark.parametrize("place", PLACES)
def test_no_address_leads_to_another_file(server: Server, db: Path, place: str) -> None:
    """A page, or words; never what lies elsewhere on the disk. Tried: each way to write "up",
    and whole paths.
    """
    (db.parent / "private.txt").write_text("PRIVATE-WORDS")
    shutil.copy(db, db.parent / "other.db")
    for up in UPWARDS:
        top = up * 12
        for target in (
            f"{top}etc/passwd",
            f"{up}private.txt",
            f"{up}other.db",
            f"{up}other",
            f"{top}{db.parent}/private.txt",
        ):
            answer = server.get(place + target)
            assert answer.status in (301, 302, 400, 403, 404), place + target
            assert (
                "root:" not in answer.text
                and "PRIVATE-WORDS" not in answer.text
                and "Traceback" not in answer.text
            )
    for whole in (
        "/etc/passwd",
        "//etc/passwd",
        quote(str(db), safe=""),
        f"{db.parent}/private.txt",
    ):
        answer = server.get(place + whole)
        assert (
            answer.status != 200
            and "root:" not in answer.text
            and "PRIVATE-WORDS" not in answer.text
        )


def test_only_the_databases_that_were_named_are_served(server: Server, db: Path) -> None:
    for path in (
        "/my~2Edata~2Ev2.db",
        "/my.data.v2.db",
        "/other",
        "/other.json",
        "/-/whowrote/other/repo/1",
        "/_memory?sql=select+1",
    ):
        assert server.get(path).status in (400, 403, 404), path
    assert server.get("/my~2Edata~2Ev2.db", known=False).status == 403


ELSEWHERE = (
    "attach database '{other}' as o",
    "select readfile('{text}')",
    "select load_extension('{text}')",
    "pragma writable_schema = 1",
    "vacuum into '{new}'",
    "select writefile('{new}', 'x')",
    "create table t (x)",
    "insert into repos select * from repos",
    "select * from fsdir('/')",
    "select edit('x', 'touch {new}')",
    "pragma journal_mode = delete",
    "select 1; drop table turns",
)


@pytest.mark.parametrize("sql", ELSEWHERE)
def test_a_question_neither_opens_nor_writes_a_file(server: Server, db: Path, sql: str) -> None:
    text = db.parent / "text.txt"
    other = db.parent / "o.db"
    new = db.parent / "new"
    text.write_text("PRIVATE-WORDS")
    shutil.copy(db, other)
    before = db.read_bytes()
    asked = "/my~2Edata~2Ev2.json?sql=" + quote(sql.format(other=other, text=text, new=new))
    assert server.get(asked, known=False).status == 403
    answer = server.get(asked)
    assert (
        answer.status in (400, 403)
        and "PRIVATE-WORDS" not in answer.text
        and "Traceback" not in answer.text
    ), answer.text[:200]
    assert not new.exists() and db.read_bytes() == before


# --- a question that would take the machine -------------------------------------------------------

HOSTILE = {
    "endless": (
        "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"
    ),
    "wide text": "select printf('%.*c', 900000000, 'x')",
    "wide number": "select printf('%.900000000d', 1)",
    "blobs": (
        "with recursive c(x) as (select 1 union all select x + 1 from c limit 1000) select"
        " zeroblob(3900000) from c"
    ),
    "hex": "select hex(zeroblob(400000000))",
    "joined": (
        "with recursive c(x) as (select 1 union all select x + 1 from c) select"
        " group_concat(hex(randomblob(1000))) from c"
    ),
    "kept": (
        "with recursive c(x) as (select hex(randomblob(900)) union select hex(randomblob(900)) from"
        " c) select count(*) from c"
    ),
    "sorted": (
        "with recursive c(x) as (select 1 union all select x + 1 from c) select"
        " hex(randomblob(500)) y from c order by y"
    ),
    "found": "select instr(printf('%.*c', 3900000, 'a'), printf('%.*c', 1900000, 'a') || 'b')",
    "replaced": (
        "select length(replace(printf('%.*c', 3900000, 'a'), 'a', printf('%.*c', 3900000, 'b')))"
    ),
    "replaced late": (
        "select length(replace(printf('%.*c', 3900000, 'a'), printf('%.*c', 1900000, 'a') || 'b',"
        " 'c'))"
    ),
    "trimmed": (
        "select length(trim(printf('%.*c', 3900000, 'a'), printf('%.*c', 300000, 'b') || 'a'))"
    ),
    "like": "select printf('%.*c', 3900000, 'a') like '%' || printf('%.*c', 900000, 'a') || 'b%'",
    "like, many": (
        "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"
        " where printf('%.*c', 3900000, 'a') like '%' || printf('%.*c', 150, 'a') || 'b%'"
    ),
    "patched": (
        "with recursive c(x) as (select 1 union all select x + 1 from c limit 90000) select"
        " length(json_patch(json_group_object('k' || x, 1), json_group_object('j' || x, 1))) from c"
    ),
    "crossed": (
        "select count(*) from sqlite_master a, sqlite_master b, sqlite_master c, sqlite_master d,"
        " sqlite_master e, sqlite_master f, sqlite_master g"
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_question_takes_the_machine(server: Server, name: str) -> None:
    started = time.monotonic()
    answer = server.get("/my~2Edata~2Ev2.json?sql=" + quote(HOSTILE[name]))
    taken = time.monotonic() - started
    assert answer.status in (200, 400) and "Traceback" not in answer.text, answer.text[:300]
    assert taken < 90, f"{taken:.1f} s"  # seconds where nothing else runs; without limits minutes
    if sys.platform == "linux":
        assert server.peak() < 1_500_000_000
    home = server.get(HOME)
    assert home.status == 200, home.text


def test_bounded_functions_give_what_sqlite_gives(tmp_path: Path) -> None:
    path = tmp_path / "any.db"
    plain = sqlite3.connect(path)
    bounded = open_bounded(path)
    texts = ("'xxabcxx'", "''", "'x'", "NULL", "12.5", "7", "x'c3a4'", "'äöä'")
    for text in texts:
        for other in texts:
            for call in (
                f"instr({text}, {other})",
                f"trim({text}, {other})",
                f"ltrim({text}, {other})",
                f"rtrim({text}, {other})",
                f"trim({text})",
                f"replace({text}, {other}, 'y')",
                f"replace({text}, 'x', {other})",
            ):
                asked = f"SELECT {call}"
                assert bounded.execute(asked).fetchall() == plain.execute(asked).fetchall(), call
    plain.close()
    bounded.close()


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c"


def test_whoever_comes_after_a_question_that_took_too_long_is_not_interrupted(
    tmp_path: Path,
) -> None:
    sqlite3.connect(tmp_path / "any.db").close()
    bounded = open_bounded(tmp_path / "any.db")
    asked = threading.Event()
    main = threading.get_ident()

    def slow() -> int:
        if threading.get_ident() == main:
            return 0
        asked.set()
        time.sleep(0.3)
        return 1

    bounded.set_progress_handler(slow, 1_000_000)
    assert asked.wait(60)
    bounded.set_progress_handler(None, 0)
    started = time.monotonic()
    while time.monotonic() - started < 0.6:
        assert bounded.execute(ENDLESS.replace("FROM c)", "FROM c LIMIT 300000)")).fetchall() == [
            (300_000,)
        ]
    bounded.close()


# --- where nothing can be written -----------------------------------------------------------------


MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


@pytest.fixture
def unwritable(db: Path, tmp_path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A copy where nothing can be written, and the command that makes it so: modes do not keep
    root from writing, a mount does.
    """
    copy = tmp_path / "there" / "a.b.db"
    copy.parent.mkdir()
    shutil.copy(db, copy)
    through: list[str] = []
    if os.geteuid() == 0:
        through = ["unshare", "--mount", "sh", "-c", MOUNTED, str(copy.parent)]
        if (
            not shutil.which("unshare")
            or subprocess.run([*through, "true"], capture_output=True).returncode
        ):
            pytest.skip("root without the right to mount")
    else:
        copy.chmod(0o444)
        copy.parent.chmod(0o555)
    yield copy, through
    copy.parent.chmod(0o755)


READING = """
import sys
from attribution.cli import main
from collector.errors import DatabaseUnusable
from collector.storage.store import Store
with Store(sys.argv[1], create=False) as store:
    assert store.is_read_only and store.value("SELECT COUNT(*) FROM repos") == 1
    assert store.value("SELECT COUNT(*) FROM findings") == 0
    try:
        with store.transaction() as connection:
            connection.execute("DELETE FROM repos")
    except DatabaseUnusable as error:
        assert "cannot be opened for writing" in str(error)
    else:
        raise AssertionError
sys.argv = ["whowrote", *sys.argv[2].split(), "--db", sys.argv[1]]
main()
"""


@pytest.mark.parametrize("command", ["data check", "data problems", "sessions"])
def test_a_database_is_read_where_nothing_can_be_written(
    unwritable: tuple[Path, list[str]], command: str
) -> None:
    copy, through = unwritable
    done = subprocess.run(
        [*through, sys.executable, "-c", READING, str(copy), command],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in copy.parent.iterdir()] == [copy.name]


def test_its_pages_are_shown_where_nothing_can_be_written(
    unwritable: tuple[Path, list[str]],
) -> None:
    copy, through = unwritable
    with serving(copy, through) as server:
        rows = [
            server.get(f"/-/whowrote/a~2Eb/-/go/{row}").headers["location"]
            for row in ("repo/1", "session/1")
        ]
        for path in (*rows, "/-/whowrote/a~2Eb", "/a~2Eb/turns"):
            assert server.get(path).status == 200, path
