"""The pages: every link of every page answers, numbers equal SQL, nothing hostile acts, nothing
is loaded from elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import itertools
import json
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from html import unescape
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode, urljoin, urlsplit

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from support.builder import git
from support.commands import Analysed, analyse, analyse_case, clone, follow_cases, run, run_json
from support.hostile import EVIL

import whowrote
from attribution import addresses
from attribution.browse import (
    charts,
    comment,
    describe,
    pages,
    plugin,
    standalone,
    words,
)
from attribution.browse.plugin import Guard
from attribution.cli import cli
from attribution.queries.breakdown import breakdown
from attribution.queries.breakdown_facts import BreakdownOptions
from attribution.queries.compared import compare_tables
from attribution.queries.coverage import AgentShare
from attribution.queries.pull_request import pull_request
from attribution.queries.session_page import session_page
from collector.console.formats import LETTER
from collector.storage.store import Store
from collector.storage.views import tables
from collector.vocabulary.lines import LINE_CLASSES, line_class_sql

pytest.importorskip("datasette")
from datasette.database import Database, QueryInterrupted
from support import numbered_text

from attribution.browse.plugin import COUNT_MS, is_ours
from attribution.browse.serve import application
from collector.json_values import Numbers, Row, Texts


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.found += [
            value
            for name, value in attrs
            if name in ("href", "src") and value and not value.startswith("data:")
        ]


def links(html: str) -> Links:
    parser = Links()
    parser.feed(html)
    return parser


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several constructed repositories, their lines followed."""
    return follow_cases(
        tmp_path_factory.mktemp("browse") / "pages.db",
        "example",
        "two_sessions_one_file",
        "touched_up_by_human",
        "transcript_missing",
        "odd_files",
    )


class Site:
    """Datasette with the plugin, asked without a network."""

    def __init__(self, db: Path) -> None:
        self.datasette = application(db)
        self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(self.datasette.invoke_startup())

    def get(self, path: str) -> Any:
        return self.loop.run_until_complete(self.datasette.client.get(path))

    def of(self, kind: str, number: object) -> str:
        """The address of the page of a row."""
        answer = self.get(f"/-/whowrote/pages/-/go/{kind}/{number}")
        assert answer.status_code == 302, answer.text
        return str(answer.headers["location"])


@pytest.fixture(scope="module")
def site(db: Path) -> Iterator[Site]:
    site = Site(db)
    yield site
    site.loop.close()


def value(db: Path, sql: str, *parameters: object) -> Any:
    with sqlite3.connect(db) as connection:
        row = connection.execute(sql, parameters).fetchone()
    return row[0] if row else None


def rows(db: Path, sql: str, *parameters: object) -> list[Any]:
    with sqlite3.connect(db) as connection:
        return connection.execute(sql, parameters).fetchall()


# --- links and numbers ----------------------------------------------------------------------------


def test_every_page_of_ours_that_a_link_leads_to_answers(site: Site) -> None:
    seen = set[str]()
    waiting = ["/-/whowrote/pages"]
    kinds = set()
    while waiting:
        path = waiting.pop().split("#")[0]
        few = "?" in path or not path.startswith("/-/whowrote")
        if path in seen or (
            few and sum("?" in s or not s.startswith("/-/whowrote") for s in seen) >= 60
        ):
            continue  # of single lines and of Datasette's own pages some are enough
        seen.add(path)
        answer = site.get(path)
        assert answer.status_code == (302 if path == "/-/whowrote" else 200), path
        kinds.add(
            path.split("?")[0].split("/-/")[-1].split("/")[0]
            if path.count("/-/") > 1
            else "@"
            if "@" in path
            else ""
        )
        if path.startswith("/-/whowrote/"):
            waiting += [
                at
                for link in links(answer.text).found
                if not urlsplit(at := urljoin(path, link)).netloc
            ]
    unlinked = {"", "@", *addresses.REPOSITORY} - {"file"} - kinds
    assert not unlinked, "no page has a link to these; add one where readers would look for it"
    assert len(seen) > 60


def test_anchors_within_pages_exist(site: Site, db: Path) -> None:
    number = value(
        db,
        "SELECT t.id FROM tip_files t JOIN repos r ON r.id = t.repo_id WHERE t.agent > 0 ORDER BY"
        " t.agent DESC",
    )
    page = links(site.get(site.of("file", number)).text)
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    wanted = {urlsplit(link).fragment for link in page.found if link.startswith("?line=")}
    assert wanted and wanted <= ids
    for link in page.found:
        if "/session/" in link and "#" in link:
            found = links(site.get(link.split("#")[0]).text)
            assert urlsplit(link).fragment in {attrs.get("id") for _, attrs in found.tags}


def test_turns_lead_to_where_the_session_shows_them_and_gaps_are_dashes(
    site: Site, db: Path, tmp_path: Path
) -> None:
    """A session's page shows some of its turns: a link without the first one would end at
    another page.
    """
    copy = tmp_path / "pages.db"
    copy.write_bytes(db.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute(
            "UPDATE turn_outcomes SET cost_usd = NULL, old_30 = NULL, alive_30 = NULL,"
            " findings_introduced = NULL, message_class = NULL, pushback = NULL, origin = 'prompt'"
        )
    connection.close()
    repo = value(db, "SELECT repo_id FROM turn_outcomes WHERE produced + committed > 0")
    for link in links(site.get(site.of("repo", repo) + "/-/turns").text).found:
        if "#T" in link:
            turn = urlsplit(link).fragment
            assert urlsplit(link).query == f"from={turn[1:]}"
            assert turn in {
                attrs.get("id") for _, attrs in links(site.get(link.split("#")[0]).text).tags
            }
    gaps = Site(copy)
    try:
        row = (
            gaps.get(gaps.of("repo", repo) + "/-/turns")
            .text.rsplit("<tbody>\n", 1)[1]
            .split("</tr>")[0]
        )
    finally:
        gaps.loop.close()
    cells = [
        re.sub(r"<[^>]+>", "", cell.partition(">")[2]).strip() for cell in row.split("<td")[1:]
    ]
    # kind, cost, lines after 30 days, weaknesses
    assert [cells[n] for n in (3, 4, 10, 11, 12)] == ["–"] * 5


def test_the_numbers_of_a_repository_equal_sql(site: Site, db: Path) -> None:
    repo = value(db, "SELECT id FROM repos WHERE name LIKE '%example%'")
    page = site.get(site.of("repo", repo)).text
    added = value(
        db,
        "SELECT SUM(nonblank) FROM line_spans WHERE repo_id = ? AND author = 'agent' AND kind IN"
        " ('source', 'test')",
        repo,
    )
    assert f"agent <b>{added:,}</b>" in page
    docs = value(
        db, "SELECT SUM(nonblank) FROM line_spans WHERE repo_id = ? AND kind = 'docs'", repo
    )
    assert f'<td>docs</td><td class="n">{docs:,}</td>' in page.split("By kind of file")[1]
    assert "coverage<br>" in page.split("<h2>")[0], "on the first screen"
    assert "30 days" in page.split("<h2>")[0], "by age"
    assert "Right where readers checked: agent" in page.split("What do these classes mean?")[0], (
        "beside the numbers"
    )
    now = value(
        db,
        "SELECT SUM(agent) FROM tip_files WHERE repo_id = ? AND kind IN ('source', 'test')",
        repo,
    )
    assert now < value(db, "SELECT SUM(agent) FROM tip_files WHERE repo_id = ?", repo), (
        "documents stand beside"
    )
    assert f"agent <b>{now:,}</b>" in page.split("Lines at HEAD")[1]
    commits = value(db, "SELECT COUNT(*) FROM commits WHERE repo_id = ?", repo)
    assert f"<b>{commits}</b> commits" in page


def test_a_page_has_its_data_at_the_same_address(site: Site, db: Path) -> None:
    repo = value(db, "SELECT id FROM repos WHERE name LIKE '%example%'")
    home = site.of("repo", repo)
    assert site.get(f"{home}?_format=json").json()["overview"]["commits"] == value(
        db, "SELECT COUNT(*) FROM commits WHERE repo_id = ?", repo
    )
    for kind in ("commits", "tree", "sessions", "turns", "since", "compare", "repairs"):
        page = f"{home}/-/{kind}"
        assert "?_format=json" in links(site.get(page).text).found
        assert site.get(f"{page}?_format=json").json()
    commits = site.get(f"{home}/-/commits?q=&_format=json").json()["table"]
    assert {row["commit_sha"] for row in commits} == {
        row[0] for row in rows(db, "SELECT commit_sha FROM commits WHERE repo_id = ?", repo)
    }
    missing = site.get(f"{home}/-/commit/0000?_format=json")
    assert missing.status_code == 404 and not missing.json()["ok"]


def test_since_when_is_a_page_with_the_numbers_of_the_report(site: Site, db: Path) -> None:
    repo = value(db, "SELECT id FROM repos WHERE name LIKE '%example%'")
    page = f"{site.of('repo', repo)}/-/since"
    by_release = site.get(f"{page}?_format=json").json()["parts"][1]
    name = value(db, "SELECT name FROM repos WHERE id = ?", repo)
    with Store(db, create=False) as store:
        table = breakdown(store, BreakdownOptions(("repository",))).table
    (whole,) = [row for row in table if row["repository"] == name]
    assert sum(row["lines"] for row in by_release) == whole["lines"]
    assert by_release[0]["agent_or_declared_share"] == whole["agent_or_declared_share"]
    assert "first release with a sign of an agent" in site.get(page).text


def test_comparisons_are_a_page_with_the_numbers_of_the_command(site: Site, db: Path) -> None:
    repo = value(db, "SELECT id FROM repos WHERE name LIKE '%example%'")
    page = f"{site.of('repo', repo)}/-/compare"
    parts = site.get(f"{page}?_format=json").json()["parts"]
    with Store(db, create=False) as store:
        sides, ratios, commits = compare_tables(store, "survival", repo)
    assert [table.rows for table in (sides, ratios, commits)] == [
        part for part in parts if isinstance(part, list)
    ]
    text = site.get(page).text
    assert "whowrote culprit PATH --all" in text and "one repository does not stand for" in text


def test_the_ledger_of_a_session_leads_from_what_it_wrote_to_head(site: Site, db: Path) -> None:
    with Store(db) as store:
        every = [session_page(store, row["id"]) for row in store.rows("SELECT id FROM sessions")]
    pages = [page for page in every if page is not None and page.ledger]
    assert len(pages) >= 4
    for page in pages:
        names, lines, totals = zip(*page.ledger, strict=True)
        assert [name for name, total in zip(names, totals, strict=True) if total] == [
            "written by its recorded edits",
            "in commits",
            "at HEAD",
        ]
        written, lost, elsewhere, committed, gone, present = lines
        assert (written + lost + elsewhere, committed + gone) == (committed, present)
        assert committed == sum(row["agent_lines"] for row in page.commits), (
            "the table of commits adds up to it"
        )
        assert committed == sum(turn.lines for turn in page.turns), "the turns too"
        text = (
            site.get(site.of("session", page.session["id"]))
            .text.split("What became of its lines")[1]
            .split("<h2")[0]
        )
        assert f'in commits</th><td class="n"><b>{committed:,}</b>' in text
    assert any(page.ledger[1][1] for page in pages), "some lines were changed again"


def test_head_is_not_in_the_ledger_where_lines_were_not_followed(tmp_path: Path) -> None:
    with Store(analyse_case("example", tmp_path).db) as store:
        page = session_page(
            store, store.value("SELECT session_id FROM commit_sessions WHERE produced > 0")
        )
    assert page is not None
    assert [name for name, _, total in page.ledger if total] == [
        "written by its recorded edits",
        "in commits",
    ]


def test_what_a_person_removed_has_no_error_rate(site: Site, db: Path) -> None:
    number = value(db, "SELECT session_id FROM commit_sessions WHERE produced > 0 LIMIT 1")
    page = site.get(site.of("session", number)).text
    assert "no measured error rate" in page.split("What became of its lines")[1].split("<h2")[0]


def test_every_class_has_a_colour_a_pattern_or_shape_and_a_letter() -> None:
    style = resources.files("attribution.browse").joinpath("static/whowrote.css").read_text("utf-8")
    for name in LINE_CLASSES:
        for selector in (
            f".ww rect.k-{name},",
            f".ww .s-{name} ",
            f".ww .swatch.k-{name} ",
            f".ww table .k-{name}-bg td.who ",
        ):
            assert selector in style, selector
    assert len({LETTER[name] for name in LINE_CLASSES}) == len(LINE_CLASSES)
    light, dark = (
        set(re.findall(r"--([a-z]+): #", part))
        for part in style.split("@media (prefers-color-scheme: dark)")[:2]
    )
    assert (
        dark >= {"agent", "declared", "human", "likely", "tool", "unknown", "undeclared"}
        and dark <= light | dark
    )


def test_a_file_shows_each_line_with_its_author(site: Site, db: Path) -> None:
    number = value(db, "SELECT id FROM tip_files WHERE path = 'birdlog/store.py'")
    page = site.get(site.of("file", number)).text
    runs = re.findall(r"<tbody class=k-(\w+)-bg>(.*?)(?=<tbody|</table>)", page, re.DOTALL)
    rows = [(line, kind) for kind, run in runs for line in re.findall(r"<tr id=L(\d+)", run)]
    expected: Texts = {}
    with sqlite3.connect(db) as connection:
        for start, end, kind in connection.execute(
            f"SELECT start_line, end_line, {line_class_sql('t')} FROM tip_lines t WHERE path ="
            " 'birdlog/store.py'"
        ):
            expected |= {str(n): kind or "older" for n in range(start, end + 1)}
    assert dict(rows) == expected and len({kind for _, kind in rows}) > 1


def test_a_long_file_is_a_light_page(tmp_path: Path) -> None:
    """Every fourth line has another author; the page of the last line answers, too, and explains
    it in its place.
    """
    top = clone("example", tmp_path, bare=False)
    for second in (False, True):
        lines = [
            f"    total_{n} = count(birds[{n}], {second and n % 4 == 0})  # as seen"
            for n in range(4000)
        ]
        (top / "long.py").write_text("\n".join(["def f(birds):", *lines, ""]))
        git(top, "add", "long.py")
        git(
            top, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qm", "lines"
        )
    db = tmp_path / "pages.db"
    run("survival", top, "--no-curves", db=db)
    site = Site(db)
    address = site.of("file", value(db, "SELECT id FROM tip_files WHERE path = 'long.py'"))
    for query, shown in (
        ("", "total_0 "),
        ("?from=1001", "total_1500 "),
        ("?line=4001", "total_3999 "),
    ):
        answer = site.get(address + query)
        assert len(answer.content) < 300_000 and shown in re.sub(r"<[^>]+>", "", answer.text), query
    last = answer.text.split("<tr id=L4001 class=chosen>")[1]
    assert 'class="panel"' in last and "<tr id=" not in last
    site.loop.close()


def test_a_line_tells_its_prompt_and_call(site: Site, db: Path) -> None:
    number, line, prompt = _agent_line(db)
    page = site.get(f"{site.of('file', number)}?line={line}").text
    panel = page.split('class="panel"')[1].split("</tr>")[0]
    assert (
        prompt.split("\n")[0][:40] in panel.replace("&#39;", "'").replace("&#34;", '"')
        and 'class="diff"' in panel
    )


def _agent_line(db: Path) -> tuple[int, int, str]:
    with sqlite3.connect(db) as connection:
        found = connection.execute(
            "SELECT f.id, s.start_line, u.prompt FROM tip_spans s JOIN tip_files f ON f.id ="
            " s.file_id JOIN origins o ON o.id = s.origin_id JOIN turns u ON u.session_id ="
            " o.session_id AND u.turn_index = o.turn_index WHERE o.author = 'agent' AND o.how ="
            " 'exact' AND s.nonblank > 1 ORDER BY s.nonblank DESC"
        ).fetchone()
    return found[0], found[1], found[2]


def test_without_the_clone_a_file_still_has_its_spans(db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "pages.db"
    copy.write_bytes(db.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("UPDATE repos SET path = '/nowhere/at/all'")
    connection.close()
    site = Site(copy)
    page = site.get(site.of("file", _agent_line(copy)[0])).text
    assert "the clone is no longer at /nowhere/at/all" in page and "id=L1>" in page
    site.loop.close()


_NOT_THERE = [
    "nobody/nothing",
    "-/nothing",
    "-/go/repo/999",
    f"-/go/repo/{10**20}",
    "-/go/repo/0",
    "-/go/x/1",
    "-/go/file/x",
    "example/-/session/x",
    "example/-/commit/dead",
    "example/-/commit/zz",
    "example/-/tree/no/such",
    "example/no/such.py",
    "example/no.py@dead",
    "example/-/nothing",
    "%00",
    "example/%ff%00",
    "example/-/commit/",
]


@pytest.mark.parametrize("path", _NOT_THERE)
def test_what_is_not_there_is_a_404_with_words(site: Site, path: str) -> None:
    answer = site.get(f"/-/whowrote/pages/{path}")
    if answer.status_code == 302:  # Datasette's: without the slash at the end, with its own quoting
        answer = site.get(answer.headers["location"])
    assert answer.status_code == 404 and "Not found" in answer.text and "Start page" in answer.text


def test_no_page_for_an_unknown_or_foreign_database(site: Site, tmp_path: Path) -> None:
    assert site.get("/-/whowrote/other").status_code == 404
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    assert not is_ours(other) and not is_ours(tmp_path / "none") and not is_ours(None)


def test_findings_stand_at_their_lines_and_commits(db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "pages.db"
    copy.write_bytes(db.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("INSERT INTO rule_sets VALUES (1, 'h', 'semgrep 1', 'own', 1, 'python')")
        connection.execute(
            "INSERT INTO scan_rules (rule_set_id, rule_id, cwes, owasp, languages) VALUES (1, ?,"
            " '', '', '')",
            (EVIL,),
        )
        file, repo, path, commit, sha = connection.execute(
            "SELECT f.id, f.repo_id, f.path, c.id, c.commit_sha FROM tip_files f JOIN tip_spans s"
            " ON s.file_id = f.id JOIN history_commits h ON h.id = s.birth JOIN commits c ON"
            " c.commit_sha = h.commit_sha WHERE s.start_line = 1 LIMIT 1"
        ).fetchone()
        row: Row = {
            name: 0 if kind == "INTEGER" else "x"
            for _, name, kind, needed, *_ in connection.execute("PRAGMA table_info(findings)")
            if needed
        }
        row |= {
            "repo_id": repo,
            "rule_set_id": 1,
            "commit_id": commit,
            "commit_sha": sha,
            "path": path,
            "status": "introduced",
        }
        row |= {
            "cwe": "CWE-89",
            "rule_id": EVIL,
            "label": EVIL,
            "head_path": path,
            "head_line": 1,
            "alive_at_head": 1,
        }
        row |= {
            "severity": "x",
            "start_line": 1,
            "end_line": 1,
            "place": "source",
            "class": "agent",
        }
        connection.execute(
            f"INSERT INTO findings ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
            tuple(row.values()),
        )
    connection.close()
    site = Site(copy)
    for page in (
        site.of("file", file),
        site.of("commit", commit),
        f"{site.of('repo', repo)}/-/findings",
    ):
        text = site.get(page).text
        assert "&lt;script&gt;alert(1)" in text and "<script>alert" not in text
    assert (
        "CWE-89" in site.get(site.of("file", file)).text.split("<tr id=L1>")[1].split("<tr id=")[0]
    )
    assert "CWE-89" in site.get(site.of("repo", repo)).text
    with sqlite3.connect(copy) as connection:
        said = ("x", "Ann", "false", "<b>only tests</b> call it", "", "", "", "", 1, "")
        connection.execute(
            f"INSERT INTO finding_reviews VALUES ({', '.join('?' * len(said))})", said
        )
    connection.close()
    findings = f"{site.of('repo', repo)}/-/findings"
    page = site.get(findings).text
    assert 'class="hit"' in page and "false (Ann): &lt;b&gt;only tests&lt;/b&gt; call it" in page
    for choice, shown in (
        ("severity=x", 1),
        ("severity=ERROR", 0),
        ("status=all", 1),
        ("status=surfaced", 0),
        ("agent=codex", 0),
    ):
        assert site.get(f"{findings}?{choice}").text.count('class="weakness"') == shown, choice
    site.loop.close()


# --- what Datasette is told -----------------------------------------------------------------------


def test_every_table_and_column_is_described(db: Path) -> None:
    told = describe.metadata()["tables"]
    with sqlite3.connect(db) as connection:
        names = [
            r[0]
            for r in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%fts%'"
            )
        ]
        for name in names:
            if name == "sqlite_sequence":
                continue
            columns = {r[1] for r in connection.execute(f"PRAGMA table_info({name})")} - {
                "session_id"
            }
            assert told[name]["description"], name
            assert columns <= set(told[name]["columns"]) | {"session_id"}, name


def test_labels_facets_and_orders_are_columns() -> None:
    columns = {t.name: {c.name for c in t.columns} for t in tables()}
    for table, settings in describe.settings_of_tables().items():
        names = {
            *settings.get("facets", ()),
            *(settings[key] for key in ("label_column", "sort_desc") if key in settings),
        }
        assert names <= columns[table], table


def test_a_question_about_tables_that_were_never_filled_is_not_asked(site: Site) -> None:
    assert site.get("/pages/evidence").status_code == 200
    assert site.get("/pages/findings_by_cwe").status_code == 404


@pytest.mark.parametrize("name", describe.every_query())
def test_every_question_has_an_answer(site: Site, db: Path, name: str) -> None:
    # they are about tables that have no row
    if name in ("findings_by_cwe", "vendor_disagreements"):
        assert site.get(f"/pages/{name}").status_code == 404
        return
    assert site.get(f"/pages/{name}").status_code == 200
    rows = site.get(f"/pages/{name}.json?_shape=array").json()
    assert isinstance(rows, list)
    if name in ("agent_share_by_directory", "evidence", "sessions_by_quality", "lines_by_model"):
        assert rows, name


def test_prompts_can_be_searched(site: Site, db: Path) -> None:
    word = re.findall(
        r"[a-z]{5,}", value(db, "SELECT prompt FROM turns WHERE length(prompt) > 20")
    )[0]
    found = site.get(f"/pages/turns.json?_search={word}&_shape=array").json()
    assert found and all(word in row["prompt"].lower() for row in found)


# --- hostile input --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(db: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """The same database with hostile text wherever a text is."""
    copy = tmp_path_factory.mktemp("hostile") / "pages.db"
    copy.write_bytes(db.read_bytes())
    with sqlite3.connect(copy) as connection:
        for table, column in (
            ("turns", "prompt"),
            ("tool_calls", "command"),
            ("tool_calls", "error"),
            ("sessions", "label"),
            ("sessions", "branch"),
            ("commits", "subject"),
            ("commits", "label"),
            ("commits", "author_name"),
            ("tip_files", "path"),
            ("regions", "path"),
            ("region_edits", "added"),
            ("commit_files", "path"),
            ("edits", "path"),
            ("sessions", "model"),
            ("tip_files", "directory"),
        ):
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (EVIL,))
    connection.close()
    site = Site(copy)
    yield site, copy
    site.loop.close()


def test_hostile_text_stays_text_on_every_page(hostile: tuple[Site, Path]) -> None:
    site, db = hostile
    paths = [
        "/-/whowrote/pages",
        "/-/whowrote/pages/-/search?q=script",
        "/pages/sessions",
        "/pages/turns",
        "/pages/tool_calls",
        "/pages/commits",
        "/pages/oscillating_regions",
    ]
    for kind, sql in (
        ("repo", "SELECT id FROM repos"),
        ("session", "SELECT id FROM sessions"),
        ("commit", "SELECT id FROM commits"),
        ("file", "SELECT id FROM tip_files WHERE agent > 0"),
    ):
        with sqlite3.connect(db) as connection:
            found = [site.of(kind, row[0]) for row in connection.execute(f"{sql} LIMIT 4")]
        paths += found
        if kind == "repo":
            paths += [
                f"{at}/-/{page}"
                for at in found
                for page in ("commits", "tree", "sessions", "turns", "findings")
            ]
    shown = 0
    for path in paths:
        answer = site.get(path)
        assert answer.status_code == (302 if path == "/-/whowrote" else 200), path
        assert "<script>alert" not in answer.text and "<img src=http" not in answer.text, path
        if path.startswith("/-/"):
            assert not [c for c in answer.text if c in "\x1b\u202e"], path
        shown += "&lt;script&gt;alert(1)" in answer.text
    assert shown > 10


def test_ours_forbid_every_script_and_all_forbid_other_places(site: Site) -> None:
    for path in ("/-/whowrote/pages", "/pages/sessions", "/", "/pages/nothing"):
        policy = site.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy and "http" not in policy
        assert ("script-src 'none'" in policy) == path.startswith("/-/")


def test_pages_load_nothing_from_elsewhere(site: Site, db: Path) -> None:
    for path in (
        "/-/whowrote/pages",
        site.of("session", value(db, "SELECT id FROM sessions")),
        "/pages/sessions",
    ):
        loading = {"script", "link", "img", "iframe"}
        tags = [
            a
            for tag, a in links(site.get(path).text).tags
            if tag in loading and a.get("rel") != "alternate"
        ]
        addresses = [a.get("src") or a.get("href") or "" for a in tags]
        assert addresses and [x for x in addresses if urlsplit(x).netloc] == []


def test_no_formula_reaches_a_spreadsheet(hostile: tuple[Site, Path]) -> None:
    site, db = hostile
    with sqlite3.connect(db) as connection:
        connection.execute(
            'UPDATE turns SET prompt = \'=HYPERLINK("http://evil.example", "x"),\n-1+2\''
        )
        connection.execute("UPDATE sessions SET label = '+1', branch = '-5.5', model = '@sum(1)'")
    connection.close()
    for path in ("/pages/turns.csv", "/pages/sessions.csv?_stream=on"):
        cells = [cell for row in csv.reader(io.StringIO(site.get(path).text)) for cell in row]
        assert (
            cells and [c for c in cells if c.startswith(("=", "@", "+", "\t")) and c != "+1"] == []
        )
    assert "'@sum(1)" in site.get("/pages/sessions.csv").text


@pytest.mark.parametrize(
    ("given", "safe"),
    {
        "a,=1+1,c\n": "a,'=1+1,c\n",
        'a,"=1+1",c\n': 'a,"\'=1+1",c\n',
        '"x ""=1,\n=2""",-3\n': '"x ""=1,\n=2""",-3\n',
        "-1.5e3,+2,-x,@y\r\n": "-1.5e3,+2,'-x,'@y\r\n",
        "=last": "'=last",
        "\uff1d1+1,a;=1,b; c;d\n": "'\uff1d1+1,a;'=1,b; c;d\n",
        "\r\n": "\r\n",
    }.items(),
)
def test_the_guard_of_csv(given: str, safe: str) -> None:
    for size in (1, 2, 3, 100):
        guard = Guard()
        pieces = [guard.add(given[at : at + size]) for at in range(0, len(given), size)]
        assert "".join([*pieces, guard.close()]) == safe


# --- the page without a server --------------------------------------------------------------------


def test_the_report_is_an_index_and_a_page_of_each_repository_and_loads_nothing(
    db: Path, tmp_path: Path
) -> None:
    names = [name for (name,) in sqlite3.connect(db).execute("SELECT name FROM repos")]
    done = run("report", "--html", tmp_path / "all.html", db=db)
    assert str(tmp_path / "all") in "".join(done.stderr.split())
    index = (tmp_path / "all.html").read_text("utf-8")
    targets = [unquote(link) for link in links(index).found]
    assert len(targets) == len(names) == len(list((tmp_path / "all").iterdir())) > 1
    for name, page in (
        (name, (tmp_path / target).read_text("utf-8"))
        for name, target in zip(sorted(names), sorted(targets), strict=True)
    ):
        assert f"<h1>{name}</h1>" in page and name in index
        assert [tmp_path / "all" / link for link in links(page).found] == [
            tmp_path / "all" / ".." / "all.html"
        ]
    for text in (index, page):
        assert {tag for tag, _ in links(text).tags} & {"script", "link", "img", "iframe"} == set()


def test_the_report_of_one_repository_is_one_page(tmp_path: Path) -> None:
    with Store(analyse_case("example", tmp_path).db) as store:
        ((file, page),) = standalone.html_pages(store, "page.html")
    assert file == "page.html" and not links(page).found and "<h1>example</h1>" in page


def test_a_session_is_one_page_to_pass_on(tmp_path: Path) -> None:
    top, db = analyse_case("example", tmp_path, "--content", "prompts")
    page = tmp_path / "s.html"
    key = value(db, "SELECT key FROM sessions WHERE turns > 0 ORDER BY started_at")
    done = run("sessions", top, "--session", key[:8], "--html", page, db=db)
    text = page.read_text("utf-8")
    assert done.exit_code == 0 and stat.S_IMODE(page.stat().st_mode) == 0o600
    prompt = value(db, f"SELECT prompt FROM turns WHERE prompt <> '' AND session_id = {_of(key)}")
    assert prompt.split()[0] in text
    assert all(link.startswith("#") for link in links(text).found)
    assert {tag for tag, _ in links(text).tags} & {"script", "link", "img", "iframe"} == set()
    assert value(db, "SELECT COUNT(*) FROM messages") == 0 and 'class="said"' not in text
    run("sessions", top, "--html", page, code=2, db=db)


HOSTILE = """# not a heading
<script>alert(1)</script> <!--
```
~~~~~
````` x
- [ ] ![p](http://x.org/p)
</details>

***
===
&lt; \\` [a]: http://x.org \u202e AKIAIOSFODNN7EXAMPLE
"""


def test_a_session_is_markdown_whatever_it_holds(tmp_path: Path) -> None:
    top, db = analyse_case("example", tmp_path)
    page = tmp_path / "s.md"
    key = value(db, "SELECT key FROM sessions WHERE turns > 1")
    written = run("sessions", top, "--session", key, "--md", db=db).stdout
    with Store(db) as store:
        for place in ("turns.prompt", "messages.text", "tool_calls.output"):
            table, _, column = place.partition(".")
            store.connection.execute(
                f"UPDATE {table} SET {column} = ? WHERE {column} <> ''", [HOSTILE]
            )
    run("sessions", top, "--session", key, "--md", page, db=db)
    text = page.read_text("utf-8")
    assert "AKIA" not in text
    before, after = (MarkdownIt().parse(each) for each in (written, text))
    assert [token.type for token in before] == [token.type for token in after]
    inline = {child.type for token in after for child in token.children or ()}
    assert inline <= {"text", "softbreak"} and "fence" in {token.type for token in after}
    analyse(top, tmp_path / "none.db", "--content", "none")
    bare = run("sessions", top, "--session", key, "--md", db=tmp_path / "none.db").stdout
    assert "```" not in bare


def _of(key: str) -> str:
    return f"(SELECT id FROM sessions WHERE key = '{key}')"


def test_names_of_repositories_are_names_of_files() -> None:
    names = ("o/r", "o+r", "host.example:80/o/r", "o/r.html", "..", "o/r?x=1#y", "o/r%2F")
    files = [standalone._file_of(name) for name in names]
    assert len(set(files)) == len(names) and not any(set(file) & set("/?#:") for file in files)


def test_a_page_that_cannot_be_written_is_said_in_words(db: Path, tmp_path: Path) -> None:
    done = run("report", "--html", tmp_path / "none" / "page.html", code=2, db=db)
    assert "cannot write" in done.stderr


def test_the_report_without_options_has_a_row_for_each_repository(db: Path) -> None:
    shown = run_json("report", db=db)
    assert shown == run_json("report", "--by", "repository", db=db)
    assert len(shown["rows"]) == value(
        db, "SELECT COUNT(DISTINCT repo_id) FROM line_spans WHERE kind IN ('source', 'test')"
    )


def test_a_pull_request_in_markdown(tmp_path: Path) -> None:
    top, db = analyse_case("example", tmp_path, "--content", "prompts")
    shas = git(top, "rev-list", "--no-merges", "HEAD~3..HEAD").decode().split()
    with sqlite3.connect(db) as connection:
        lines = connection.execute(
            "SELECT SUM(nonblank) FROM line_spans WHERE kind IN ('source', 'test') "
            f"AND commit_sha IN ({', '.join('?' * len(shas))})",
            shas,
        ).fetchone()[0]
    in_short = run("log", "HEAD~3..HEAD", top, "--md", db=db).stdout
    assert (
        f"of {lines:,} lines added in source and test files" in in_short
        and "readers checked" in in_short
    )
    assert all(f"| {sha[:10]} " in in_short for sha in shas), "ids that the forge makes links of"
    head, *folded = in_short.split("<details>")
    assert (
        head.startswith(comment.MARK)
        and len(re.findall(r"^\*\*", head, re.MULTILINE)) <= 5
        and len(folded) == 2
    )
    with_prompts = run("log", "HEAD~3..HEAD", top, "--md", "--prompts", db=db).stdout
    beginnings = {label.split()[0] for (label,) in _labels(db) if " " in label}
    assert any(f"({word}" in with_prompts for word in beginnings)
    assert not any(f"({word}" in in_short for word in beginnings)


def test_sessions_are_links_to_their_prompts_where_the_forge_shows_them(tmp_path: Path) -> None:
    top = clone("example", tmp_path)
    db = tmp_path / "e.db"
    git(
        top,
        "remote",
        "set-url" if b"origin" in git(top, "remote") else "add",
        "origin",
        "git@git.example.org:o/r.git",
    )
    analyse(top, db)
    text = run("log", "HEAD~3..HEAD", top, "--md", db=db).stdout
    pages = re.findall(
        r"\(https://git\.example\.org/o/r/tree/entire/checkpoints/v1/(\w\w)/(\w+)\)", text
    )
    assert pages and all(
        git(top, "cat-file", "-e", f"refs/heads/entire/checkpoints/v1:{a}/{b}") == b""
        for a, b in pages
    )


def _cell_below(heading: str, table: str) -> str:
    """The first number under a heading that is aligned to the right."""
    _, head, _, row, *_ = table.splitlines()
    return row[: head.index(heading) + len(heading)].rsplit("  ", 1)[-1].split()[0]


def _weeks_printed(db: Path) -> list[tuple[int, int, float]]:
    """Lines, commits and percentage of lines by agents of each week, as the page of the week
    prints them on a terminal.
    """
    day = ("--since", "2020-01-01", "--until", "2026-12-31")
    week = ("report", "--by", "week", *day, "--full", "--db", db)
    rows = re.findall(
        r"^20\d\d-\d\d-\d\d +(?:[\d.]+ %)? +([\d,]+) +(\d+) (.*)$", run(*week).stdout, re.MULTILINE
    )
    return [
        (int(lines), int(commits), float(re.findall(r"([\d.]+) %", rest)[-1]))
        for lines, commits, rest in rows
    ]


def _printed_shares(top: Path, db: Path, tmp_path: Path) -> Texts:
    """Surface -> the percentage of lines by agents that it prints of the whole repository, as it
    prints it.
    """
    weeks = _weeks_printed(db)
    badge = tmp_path / "badge.json"
    whole = ("HEAD", top, "--db", db)
    pages = tmp_path / "page.html"
    pull = run("log", *whole, "--md", "--badge", badge, "--limit", "0", code=1)
    grouped = ("report", "--by", "repository", "--db", db)
    terminal = run("repo", top, db=db).stdout
    parts = re.findall(r" (?:agent|declared) +[\d,]+ +([\d.]+) %", terminal)
    run(*grouped, "--html", pages)
    breakdown = pages.read_text("utf-8")
    run("report", "--html", pages, db=db)
    site = Site(db)
    start = site.get(f"/-/whowrote/{db.stem}").text
    overview = site.get(f"/-/whowrote/{db.stem}/{value(db, 'SELECT name FROM repos')}").text
    site.loop.close()
    with Store(db) as store:
        request = pull_request(
            store, [row["commit_sha"] for row in store.rows("SELECT commit_sha FROM commits")]
        )
    with whowrote.open(db) as opened:
        (row,) = opened.report(("repository",))
        total = opened.stats(repo=row["repository"]).lines
    return {
        name: found[1] if isinstance(found, re.Match) else str(found)
        for name, found in {
            "comment": re.search(r"Agents wrote ([\d.]+) %", pull.stdout),
            "usual of the comment": re.search(r"Usual in this repository: ([\d.]+) %", pull.stdout),
            "limit": re.search(r"agents wrote ([\d.]+) %", pull.stderr),
            "badge": json.loads(badge.read_text("utf-8"))["message"].removesuffix(" %"),
            "summary": f"{sum(map(float, parts)):.0f}",  # it prints two parts
            "weeks": f"{sum(n * share for n, _, share in weeks) / sum(n for n, _, _ in weeks):.1f}",
            "report in a terminal": _cell_below(
                "agents",
                CliRunner(env={"COLUMNS": "180"}).invoke(cli, [str(a) for a in grouped]).stdout,
            ),
            "report as CSV": (
                100
                * float(
                    next(csv.DictReader(io.StringIO(run(*grouped, "--csv").stdout)))[
                        "agent_or_declared_share"
                    ]
                )
            ),
            "report as HTML": re.search(
                r"(?:<td[^<]*>([\d.]+) %.*?){3}", breakdown.split("<tbody>")[-1]
            ),
            "page of a repository": re.search(r"([\d.]+) % by agents", overview),
            "report of a repository": re.search(r"([\d.]+) % by agents", pages.read_text("utf-8")),
            "start page": re.search(r">([\d.]+) %<", start.split("<tbody>")[1]),
            "API, report": 100 * row["agent_or_declared_share"],
            "API, stats": AgentShare.of(total).percent,
            "API, pull request": request.agent_percent,
        }.items()
    }


def test_saved_queries_and_pages_print_the_same_share_of_the_lines_at_head(tmp_path: Path) -> None:
    """Of source and test files, lines that are older than the followed history included;
    documents change nothing.
    """
    top, db = _example_with_declared_lines(47, tmp_path)
    run("survival", top, db=db)
    site = Site(db)
    name = value(db, "SELECT name FROM repos")
    overview = site.get(f"/-/whowrote/{db.stem}/{name}").text
    (row,) = site.get(f"/{db.stem}/agent_share_now.json?_shape=array").json()
    parts = {
        by: site.get(f"/{db.stem}/agent_share_by_{by}.json?_shape=array").json()
        for by in ("directory", "language")
    }
    site.loop.close()
    card = re.search(r"<b>([\d.]+) %</b> of the lines at HEAD by agents", overview)
    assert (
        card
        and float(card[1]) == row["agent_percent"]
        and row["declared"] == 47
        and row["older"] > 0
    )
    assert all(
        sum(r[kind] for r in rows) == row[kind]
        for rows in parts.values()
        for kind in (*LINE_CLASSES, "older")
    )


def _example_with_declared_lines(declared: int, tmp_path: Path) -> Analysed:
    """The clone of the example, where a further commit declares so many lines, and its database."""
    top = clone("example", tmp_path, bare=False)
    db = tmp_path / "e.db"
    if declared:
        (top / "more.py").write_text(numbered_text(declared, "bird_{n} = {n} * wings\n"))
        git(top, "add", "more.py")
        said = "Birds\n\nCo-authored-by: Claude <noreply@anthropic.com>"
        dated = (
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=ann@example.org",
            "commit",
            "-qm",
            said,
            "--date",
            "2026-03-02T10:00:00Z",
        )
        git(top, *dated)
    analyse(top, db)
    return Analysed(top, db)


@pytest.mark.parametrize("declared", [0, 47])
def test_every_surface_prints_the_same_share_of_agents(declared: int, tmp_path: Path) -> None:
    """Each as exactly as it prints; the share is computed here from the lines themselves, some
    of which a commit declares.
    """
    top, db = _example_with_declared_lines(declared, tmp_path)
    lines = "SELECT 1.0 * SUM(nonblank) FROM line_spans WHERE kind IN ('source', 'test')"
    assert (value(db, f"{lines} AND class = 'declared'") or 0) == declared
    expected = 100 * value(db, f"{lines} AND class IN ('agent', 'declared')") / value(db, lines)
    for surface, printed in _printed_shares(top, db, tmp_path).items():
        decimals = len(printed.partition(".")[2])
        assert abs(float(printed) - expected) <= 0.51 / 10**decimals, (surface, printed, expected)


def test_a_page_says_what_is_checked_out_instead(tmp_path: Path) -> None:
    top, db = _example_with_declared_lines(0, tmp_path)
    git(top, "checkout", "-q", "-f", "-b", "older", "HEAD~1")
    site = Site(db)
    name = value(db, "SELECT name FROM repos")
    page = site.get(f"/-/whowrote/{db.stem}/{name}").text
    site.loop.close()
    assert "older at " in page and "is checked out, which read main" in page


def _first_numbers(text: str, **patterns: str) -> Numbers:
    """The number at each pattern of a text for people."""
    plain = re.sub(
        r"\s+",
        " ",
        re.sub(r"<[^>]+>", " ", re.sub(r"<(style|svg).*?</\1>", "", text, flags=re.DOTALL)),
    )
    return {
        name: int(re.search(pattern, plain)[1].replace(",", ""))  # type: ignore[index]
        for name, pattern in patterns.items()
    }


def _counted(rows: list[Row]) -> Numbers:
    """What the groups of a breakdown have together."""
    return {"coded": sum(int(row["commits"]) for row in rows)} | {
        name: sum(int(row[f"{name}_lines"]) for row in rows) for name in LINE_CLASSES
    }


def _printed_counts(top: Path, db: Path, tmp_path: Path) -> dict[str, Numbers]:
    """Surface -> what it counts of the whole repository: commits, those with lines of source or
    test, sessions, lines by class.
    """
    whole = ("HEAD", top, "--db", db)
    summary, total = (
        run_json(*command) for command in (("repo", top, "--db", db), ("log", *whole, "--total"))
    )
    comment_text = run("log", *whole, "--md").stdout
    table = comment_text.split("| commit |")[1].split("\n\n")[0].splitlines()[2:]
    cells = [
        [int(cell or 0) for cell in re.split(r" *\| *", row)[2 : 2 + len(LINE_CLASSES)]]
        for row in table
    ]
    day = ("--since", "2020-01-01", "--until", "2026-12-31")
    week = ("report", "--by", "week", *day, "--full", "--db", db)
    run("report", "--html", tmp_path / "page.html", db=db)
    site = Site(db)
    name = value(db, "SELECT name FROM repos")
    pages_of = {
        "start page": site.get(f"/-/whowrote/{db.stem}").text.split("<tbody>")[1],
        "page of a repository": site.get(f"/-/whowrote/{db.stem}/{name}").text,
        "report of a repository": (tmp_path / "page.html").read_text("utf-8"),
    }
    site.loop.close()
    cards = {
        "commits": r"([\d,]+) commits",
        "lines": r"([\d,]+) lines added in source",
        "sessions": r"([\d,]+) sessions",
    }
    classes = {
        kind: rf" {charts.NAMES[kind]} ([\d,]+)" for kind in ("agent", "likely_human", "undeclared")
    }
    digest = _weeks_printed(db)
    with whowrote.open(db) as opened:
        of_api = {
            "commits": len(opened.commits()),
            "sessions": len(opened.sessions()),
            **opened.stats(repo=name).lines,
        }
    return {
        "summary": {
            "commits": summary[0]["commits"],
            "sessions": summary[0]["sessions"][0]["sessions"],
            **summary[0]["headline"],
        },
        "summary in a terminal": _first_numbers(
            run("repo", top, db=db).stdout,
            lines=r"of ([\d,]+) lines",
            commits=r"· ([\d,]+) commits",
            agent=r" agent ([\d,]+) ",
            undeclared=r" undeclared ([\d,]+) ",
        ),
        "log": {"commits": total["commits"], "lines": total["total"], **total["lines"]},
        "comment": (
            {"commits": len(table)}
            | dict(zip(LINE_CLASSES, map(sum, zip(*cells, strict=True)), strict=True))
        ),
        "comment's sentences": _first_numbers(
            comment_text, lines=r"of ([\d,]+) lines", sessions=r"included:\*\* ([\d,]+) of"
        ),
        "report": _counted(run_json("report", db=db)["rows"]),
        "report by week": _counted(run_json(*week)["rows"]),
        "week, in a terminal": {
            "lines": sum(n for n, _, _ in digest),
            "coded": sum(n for _, n, _ in digest),
        },
        "start page": _first_numbers(
            pages_of["start page"], commits=r"% (\d+)", sessions=r"% \d+ (\d+)", **classes
        ),
        **{
            surface: _first_numbers(pages_of[surface], **cards, **classes)
            for surface in list(pages_of)[1:]
        },
        "sessions": {"sessions": len(run_json("sessions", top, db=db))},
        "API": of_api,
    }


@pytest.mark.parametrize("declared", [0, 47])
def test_every_surface_counts_the_same(declared: int, tmp_path: Path) -> None:
    """Commits, sessions and lines, computed here from the rows themselves."""
    top, db = _example_with_declared_lines(declared, tmp_path)
    lines = "FROM line_spans WHERE kind IN ('source', 'test')"
    expected = {
        "commits": value(db, "SELECT COUNT(*) FROM commits"),
        "sessions": value(db, "SELECT COUNT(*) FROM sessions"),
        "coded": value(db, f"SELECT COUNT(DISTINCT commit_id) {lines} AND nonblank > 0"),
        "lines": value(db, f"SELECT SUM(nonblank) {lines}"),
        **{
            name: value(db, f"SELECT SUM(nonblank) {lines} AND class = ?", name) or 0
            for name in LINE_CLASSES
        },
    }
    assert (
        expected["sessions"] > 1
        and expected["coded"] < expected["commits"]
        and expected["declared"] == declared
    )
    counts = _printed_counts(top, db, tmp_path)
    wrong = {
        s: {what: (n, expected[what]) for what, n in of.items() if n != expected[what]}
        for s, of in counts.items()
    }
    assert {surface: of for surface, of in wrong.items() if of} == {}
    assert all(counts.values()) and len(counts) == 13


def test_a_badge_and_a_limit_need_no_markdown(tmp_path: Path) -> None:
    top, db = analyse_case("example", tmp_path)
    badge = tmp_path / "badge.json"
    below = run("log", "HEAD~3..HEAD", top, "--badge", badge, "--limit", "100", db=db)
    assert below.stdout == "" and json.loads(badge.read_text("utf-8"))["message"].endswith(" %")
    above = run("log", "HEAD~3..HEAD", top, "--limit", "0", code=1, db=db)
    assert "more than 0 %" in above.stderr


def test_a_range_without_lines_of_its_own_is_said(tmp_path: Path) -> None:
    top, db = analyse_case("example", tmp_path)
    empty = run("log", "HEAD..HEAD", top, "--md", code=2, db=db)
    assert "no commits other than merges" in empty.stderr


def test_commits_that_are_not_in_the_database_are_counted(db: Path) -> None:
    with Store(db) as store:
        sha = store.value("SELECT commit_sha FROM commits LIMIT 1")
        request = pull_request(store, [sha, "0" * 40])
    assert "Not in the database: 1 commit." in comment.markdown_of(request)


def _labels(db: Path) -> list[tuple[str]]:
    with sqlite3.connect(db) as connection:
        return connection.execute("SELECT label FROM sessions").fetchall()


@pytest.mark.parametrize(
    "text",
    [
        "@somebody",
        "fixes #12",
        "o/r#12",
        "GH-12",
        "b20328069",
        "http://evil.example/x",
        "www.evil.example",
        "jo@evil.example",
    ],
)
def test_nothing_in_markdown_is_a_reference(text: str) -> None:
    """GitHub looks for these in the text that is left when Markdown is done, where escapes are
    gone.
    """
    pieces = re.sub(r"\\(.)", r"\1", comment.cell(text)).split("<!-- -->")
    assert "".join(pieces) == text and len(pieces) > 1
    reference = r"@\w|#\d|GH-\d|\b[0-9a-f]{7}|://\w|www\.\w"
    assert not any(re.search(reference, piece) for piece in pieces)


def test_markdown_of_hostile_text_is_text() -> None:
    cell = comment.cell(f"{EVIL} | [x](http://evil.example) @somebody ![i](y) `c`")
    assert (
        "<script" not in cell
        and "](http" not in cell.replace("\\]", "")
        and " | " not in cell
        and "@somebody" not in cell
    )


# --- charts ---------------------------------------------------------------------------------------


def test_a_bar_is_divided_as_its_numbers_are() -> None:
    svg = charts.stacked_bar({"agent": 3, "human": 1}, width=400)
    assert re.findall(r'class="k-(\w+)" x="([\d.]+)" y="0.00" width="([\d.]+)"', svg) == [
        ("agent", "0.00", "300.00"),
        ("human", "300.00", "100.00"),
    ]
    assert charts.stacked_bar({"agent": 0}) == ""


def test_columns_have_one_place_per_week_and_reach_the_top() -> None:
    svg = charts.columns(
        {"2026-01-05": {"agent": 10}, "2026-01-12": {"agent": 2, "human": 3}}, {"2026-01-12": 4}
    )
    heights = [float(h) for h in re.findall(r'height="([\d.]+)"><title>week', svg)]
    assert (
        max(heights) == pytest.approx(172)
        and len(heights) == 3
        and sum(heights[1:]) == pytest.approx(86, abs=0.1)
    )
    assert charts.columns({}) == ""


def _point(days: int, at_risk: int, share: float | None) -> Row:
    return {"horizon": days, "at_risk": at_risk, "share": share}


@pytest.mark.parametrize("weeks", [1, 2, 8, 9, 17, 60, 199])
def test_labels_of_time_stay_inside(weeks: int) -> None:
    first = date(2023, 1, 2)
    svg = charts.columns({str(first + timedelta(days=7 * n)): {"agent": 1} for n in range(weeks)})
    labels = [float(x) for x in re.findall(r'<text x="([\d.]+)" y="[\d.]+">\d{4}-', svg)]
    assert labels[0] == 56 and max(labels) <= 900 - 72
    assert all(after - before >= 76 for before, after in itertools.pairwise(labels)), (
        "labels do not touch"
    )
    curve = charts.curves({"agent": [_point(n, 100, 0.9) for n in (1, 7, 30, 90, 180, 365)]})
    assert (
        max(float(x) for x in re.findall(r'<text x="([\d.]+)" y="[\d.]+">\d+ d<', curve))
        <= 600 - 38
    )


def test_curves_leave_out_what_too_few_lines_tell() -> None:
    svg = charts.curves({"agent": [_point(1, 100, 0.9), _point(7, 4, None)]})
    assert svg.count("<circle") == 1 and "90.0% survive 1 days" in svg
    assert charts.curves({"human": [_point(1, 10, None)]}) == ""


# --- time -----------------------------------------------------------------------------------------


def test_a_page_of_ours_that_takes_too_long_says_so(
    site: Site, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c"
    )
    monkeypatch.setattr(plugin, "PAGE_SECONDS", 0.2)
    address = site.of("repo", 1)
    monkeypatch.setattr(pages, "overview", lambda store, number: store.value(endless))
    answer = site.get(address)
    assert answer.status_code == 400 and "longer than the pages allow" in answer.text
    monkeypatch.undo()
    assert site.get(address).status_code == 200


# --- what Datasette shows below our pages ---------------------------------------------------------


_OF_DATASETTE = [
    "",
    "?sql=select+1",
    "/sessions",
    "/sessions?agent=claude-code",
    "/turns?_search=bird",
    "/turns/1",
    "/agent_share_now",
]


@pytest.mark.parametrize("path", _OF_DATASETTE)
def test_pages_of_datasette_can_be_heard(site: Site, path: str) -> None:
    """A language, one main part, and a name for every field. Without our replacements its
    templates have none of them.
    """
    answer = site.get(f"/pages{path}")
    if answer.status_code == 302:  # Datasette 1 has another address for queries
        answer = site.get(answer.headers["location"])
    page = answer.text
    assert '<html lang="en">' in page and page.count("<main>") == page.count("</main>") == 1
    fields = re.findall(r"<(?:select|textarea|input)\b[^>]*>", page)
    # inside a label
    labelled = set(re.findall(r'<label for="([^"]+)"', page)) | {
        "_dl",
        "_labels",
        "_stream",
        "_sort_by_desc",
    }
    for field in fields:
        named = re.search(r'\baria-label="[^"]+"|type="(?:hidden|submit)"', field)
        assert named or set(re.findall(r'(?:id|name)="([^"]+)"', field)) & labelled, field


def test_pages_of_datasette_show_what_has_the_focus() -> None:
    style = resources.files("attribution.browse").joinpath("static/whowrote.css").read_text("utf-8")
    assert re.search(
        r"body:not\(\.ww\) :focus-visible, .*select-wrapper:focus-within.*outline: 3px", style
    )


def _shown_tables(site: Site) -> dict[str, bool]:
    """Name -> whether it is hidden, as Datasette says."""
    return {
        table["name"]: table["hidden"]
        for table in site.get("/pages.json?_extra=tables").json()["tables"]
    }


def test_internal_and_empty_tables_are_hidden(site: Site, db: Path) -> None:
    found = _shown_tables(site)
    assert all(found[name] for name in found if describe.is_internal(name)) and found["stage_runs"]
    with sqlite3.connect(db) as connection:
        filled = {
            name
            for name in found
            if connection.execute(f'SELECT EXISTS (SELECT 1 FROM "{name}")').fetchone()[0]
        }
    connection.close()
    assert {name for name, hidden in found.items() if not hidden} == {
        n for n in filled if not describe.is_internal(n)
    }
    assert {"commits", "sessions", "turns", "tip_files", "repos"} <= {
        name for name, hidden in found.items() if not hidden
    }


def test_a_table_page_counts_rows_for_a_moment_only_and_suggests_no_facets(
    site: Site, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, int | None] = {}
    original = Database.execute

    async def noted(self: Any, sql: str, *parameters: Any, **options: Any) -> Any:
        asked[sql.strip()] = options.get("custom_time_limit")
        if _counts_lines(sql):
            raise QueryInterrupted(Exception("interrupted"), sql, None)
        return await original(self, sql, *parameters, **options)

    monkeypatch.setattr(Database, "execute", noted)
    page = site.get(f"/{db.stem}/commit_lines")
    assert page.status_code == 200 and "Suggested facets" not in page.text
    assert {limit for sql, limit in asked.items() if _counts_lines(sql)} == {COUNT_MS}
    assert None in asked.values()


def _counts_lines(sql: str) -> bool:
    """Datasette 1 counts at most 10,001 rows."""
    return sql.startswith("select count(*) from ") and "commit_lines" in sql


def test_columns_are_described_on_table_pages(site: Site) -> None:
    page = site.get("/pages/sessions").text
    assert "the agent&#39;s own session id" in page or "the agent's own session id" in page


# --- addresses, search, markup --------------------------------------------------------------------


def test_an_address_outlives_the_numbers_of_rows(site: Site, db: Path) -> None:
    """What is shared still works with a database that was built again: nothing in it is the
    number of a row.
    """
    commit = value(
        db,
        "SELECT commit_sha FROM commits WHERE repo_id = (SELECT id FROM repos WHERE name ="
        " 'example')",
    )
    for path in ("example", f"example/-/commit/{commit[:7]}", f"example/-/commit/{commit}"):
        assert site.get(f"/-/whowrote/pages/{path}").status_code == 200, path
    for kind, table in (("session", "sessions"), ("file", "tip_files"), ("commit", "commits")):
        address = site.of(kind, value(db, f"SELECT id FROM {table}"))
        assert site.get(address).status_code == 200
        assert not re.search(r"/\d{1,9}$", address)


@pytest.mark.parametrize("path", ["a/b c.py", "src/-/x.py", "odd@abcd.py", "ü/%41?.py", "a#b"])
def test_an_address_leads_back_to_what_it_names(path: str) -> None:
    to = addresses.Addresses("/base")
    made = to.file("owner/name", path, "0123456789abcdef")
    assert addresses.place(made.removeprefix("/base/"), {"owner/name", "owner"}) == (
        "owner/name",
        "file",
        path,
        "0123456789ab",
    )
    session = to.session("owner/name", path, 3).split("?")[0]
    assert addresses.place(session.removeprefix("/base/"), {"owner/name"}) == (
        "owner/name",
        "session",
        path,
        "",
    )


@pytest.mark.parametrize(
    ("origin", "web"),
    {
        "https://github.com/o/r.git": "https://github.com/o/r",
        "git@gitlab.com:g/s/r.git": "https://gitlab.com/g/s/r",
        "ssh://git@codeberg.org/o/r": "https://codeberg.org/o/r",
        "javascript://x.y/a/b": "",
        "/home/me/r": "",
        None: "",
        'https://github.com/o/r" onclick=x': "",
        "http://github.com/o/r": "",
    }.items(),
)
def test_only_plain_addresses_of_origin_are_linked(origin: str | None, web: str) -> None:
    assert addresses.forge(origin) == web


def test_a_file_of_an_earlier_commit_is_shown_as_git_blames_it(site: Site, db: Path) -> None:
    from attribution.lineage.introduced import introductions
    from collector.git.repository import GitRepo

    repo = GitRepo(value(db, "SELECT path FROM repos WHERE name = 'example'"))
    sha = repo.resolve("HEAD~4").sha
    path = max(repo.paths(sha))
    page = site.get(addresses.Addresses("/-/whowrote/pages").file("example", path, sha)).text
    expected = introductions(repo, sha, path, page.count("<tr id=L"))
    shown = re.findall(r'/-/commit/([0-9a-f]{12})" title=', page)
    assert shown and set(shown) == {one.sha[:12] for one in expected.values()}


def test_search_finds_each_sort_and_takes_words_as_text(site: Site, db: Path) -> None:
    prompt = value(db, "SELECT prompt FROM turns WHERE prompt IS NOT NULL")
    subject = value(db, "SELECT subject FROM commits")
    path = value(db, "SELECT path FROM tip_files")
    for asked, heading in (
        (prompt.split()[0], "Prompts"),
        (subject, "Commits"),
        (path, "Files at HEAD"),
    ):
        assert (
            f"<h2>{heading}</h2>"
            in site.get("/-/whowrote/pages/-/search?" + urlencode({"q": asked})).text
        )
    for odd in (
        '" OR 1',
        "*",
        "%",
        "_____________",
        "NEAR(",
        "'; DROP TABLE turns",
        "\u202e",
        "a" * 5000,
    ):
        answer = site.get("/-/whowrote/pages/-/search?" + urlencode({"q": odd}))
        assert answer.status_code == 200 and "\u202e" not in answer.text
    assert (
        "Nothing has all of these words" in site.get("/-/whowrote/pages/-/search?q=%25%25%25").text
    )


def test_the_months_of_the_start_page_are_those_of_sql(site: Site, db: Path) -> None:
    sql = (
        "SELECT SUM(l.nonblank) FROM line_spans l JOIN commits c ON c.id = l.commit_id "
        "WHERE l.class = 'agent' AND l.kind IN ('source', 'test') AND c.author_at LIKE ? || '%'"
    )
    month = value(
        db,
        "SELECT MAX(substr(author_at, 1, 7)) FROM commits WHERE id IN (SELECT commit_id FROM"
        " line_spans WHERE class = 'agent')",
    )
    page = site.get("/-/whowrote/pages").text.split("Month by month")[1]
    assert f"month of {month}: agent, {value(db, sql, month):,} lines" in page


def test_markdown_is_rendered_without_links_images_and_markup() -> None:
    text = (
        "# t\n<script>alert(1)</script> [a](javascript:alert(1)) ![i](http://e/x) <http://e/>"
        " **b**\n\n[r]: http://e\n"
    )
    html = words.render_markdown(text)
    assert "<strong>b</strong>" in html and "<h1>t</h1>" in html
    assert not re.search(r"<(script|a|img)\b", html)


def test_highlighted_source_is_the_source() -> None:
    lines = ["def f(x):  # <b>&", "    return '''", "", "a''' ", "<script>alert(1)</script>"]
    found = words.highlight("x.py", lines)
    assert found is not None and len(found) == len(lines)
    for html, line in zip(found, lines, strict=True):
        assert unescape(re.sub(r"<[^>]+>", "", html)) == line
        assert set(re.findall(r"<(\w+)", html)) <= {"i"}
    assert words.highlight("x.unknown", lines) is None
    assert (
        words.highlight("x.py", ["x" * 3000]) is None
        and words.highlight("x.py", ["x = 1"] * 100_000) is None
    )


def test_a_commit_shows_its_changes_with_their_authors(site: Site, db: Path) -> None:
    number = value(
        db,
        "SELECT c.id FROM commits c JOIN line_spans l ON l.commit_id = c.id WHERE l.author ="
        " 'agent'",
    )
    page = site.get(site.of("commit", number)).text
    assert page.count('<tr class="added') == value(
        db, "SELECT lines_added FROM commits WHERE id = ?", number
    )
    assert 'k-agent-bg"><td class="who" title="agent"' in page


def test_months_without_lines_have_their_place() -> None:
    shown = charts.columns({"2025-11": {"agent": 3.0}, "2026-02": {"agent": 1.0}}, period="month")
    assert list(re.findall(r">(\d{4}-\d\d)</text>", shown)) == [
        "2025-11",
        "2025-12",
        "2026-01",
        "2026-02",
    ]
    far = charts.columns({"0001-01": {"agent": 3.0}, "2026-02": {"agent": 1.0}}, period="month")
    assert far.count("<rect") == 2
    assert "no time" in charts.columns(
        {"no time": {"agent": 3.0}, "2026-02": {"agent": 1.0}}, period="month"
    )


def test_the_server_is_stopped_without_a_word_of_unfinished_work(db: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "whowrote",
        "browse",
        "--db",
        str(db),
        "--port",
        "0",
        "--no-open",
    ]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    address = child.stderr.readline().split()[-5]
    with (
        contextlib.suppress(OSError),
        socket.create_connection(
            ("127.0.0.1", int(address.split(":")[2].split("/")[0])), 30
        ) as asked,
    ):
        asked.sendall(b"GET / HTTP/1.0\r\n\r\n")
        asked.recv(1)  # it answers: it can be stopped
    child.send_signal(signal.SIGINT)
    said = child.stderr.read()
    assert child.wait(60) == 0 and said.split("\n")[-2] == "stopped" and "interrupted" not in said
    child.stderr.close()
