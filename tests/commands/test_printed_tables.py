"""Every view that is shown: its columns are those of the schema's comments, and its four formats
say the same.
"""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from support import ROOT, fake_semgrep
from support.commands import clone, run

from collector.console import tables
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import LISTS, Column, Table, read_view

_READ = re.compile(r"(?:read|described)_view\(\s*(?:[\w.]+,\s*)?\"(\w+)\"")
_SOURCES = [
    path.read_text("utf-8")
    for part in ("collector", "attribution")
    for path in (ROOT / part).rglob("*.py")
]
RULES = """
rules:
- {id: r, languages: [python], severity: ERROR, message: m, pattern-regex: return,
   metadata: {cwe: CWE-95, tier: taint}}
"""
SHOWN = sorted({name for text in _SOURCES for name in _READ.findall(text)})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Any:
    directory = tmp_path_factory.mktemp("tables")
    repo = clone("example", directory)
    db = directory / "t.db"
    run("survival", repo, "-q", db=db)
    run("data", "embed", db=db)
    (directory / "rules.yaml").write_text(RULES)
    program = fake_semgrep.install(directory / "bin")
    scan = (
        "--rules",
        directory / "rules.yaml",
        "--semgrep",
        program,
        "--cache",
        directory / "scans.db",
    )
    run("findings", "scan", repo, "--db", db, *scan)
    with Store(db) as opened:
        with opened.transaction() as connection:
            connection.execute(
                "INSERT INTO judgements VALUES (1, 'm', 'turns', '2', 'i', '{}', 1, NULL, NULL,"
                " NULL, '2026')"
            )
            connection.execute(
                "INSERT INTO finding_reviews SELECT fingerprint, 'me', 'true', 'why', '2026', repo,"
                " commit_sha, path, start_line, rule_id FROM finding_list WHERE id = 1"
            )
            connection.execute(
                "INSERT INTO judge_labels VALUES (1, 1, 'pushback', 'none', NULL, 'm', '2', 1)"
            )
        yield opened


class _Cells(HTMLParser):
    """The text of every cell of a table, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n")


def _sample(table: Table) -> Row:
    """A row for a view that has none in the example."""
    by_unit = {
        "UTC": "2026-01-12T10:42:00.000Z",
        "list": [1, 20],
        "agents": ["codex"],
        "%": 12.3456,
        "lines": 1234,
        "share": 0.5,
    }
    return {
        column.name: by_unit.get(column.unit, f"some {column.name}") for column in table.columns
    }


def _printed(capsys: pytest.CaptureFixture[str], output_format: str, table: Table) -> str:
    tables.print_table(output_format, table)
    return capsys.readouterr().out


@pytest.mark.parametrize("name", SHOWN)
def test_the_four_formats_of_a_view_say_the_same(
    store: Store, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100000")
    monkeypatch.setattr(tables, "_CELL", 10**6)
    table = read_view(store, name)
    table.rows = table.rows or [_sample(table)]
    names = [column.name for column in table.columns]

    assert json.loads(_printed(capsys, "json", table)) == table.rows

    head, *rows = csv.reader(io.StringIO(_printed(capsys, "csv", table)))
    assert head == names
    for written, row in zip(rows, table.rows, strict=True):
        values = [
            " ".join(map(str, value)) if isinstance(value, list) else value
            for value in row.values()
        ]
        assert [cell.removeprefix("'") for cell in written] == [
            "" if value is None else str(value) for value in values
        ]

    page = _Cells()
    page.feed(tables.html(table))
    assert page.rows[0] == [tables.heading(column) for column in table.columns]
    lines = _printed(capsys, "", table).splitlines()
    assert lines[0].split() == " ".join(page.rows[0]).split()
    for line, cells, row in zip(lines[2:], page.rows[1:], table.rows, strict=False):
        texts = [tables.cell_text(column, row[column.name]) for column in table.columns]
        expected = [
            " ".join(text.split()) if row[name] is not None else "–"
            for name, text in zip(names, texts, strict=True)
        ]
        assert cells == expected
        assert line.split() == " ".join(texts).replace("\n", "\\n").split()


@pytest.mark.parametrize("name", SHOWN)
def test_every_column_of_a_view_is_explained(store: Store, name: str) -> None:
    """By the schema's comments; what may have no value says when, and a list says that it is
    one.
    """
    table = read_view(store, name)
    assert table.title and all(column.meaning for column in table.columns)
    for column in table.columns:
        values = [row[column.name] for row in table.rows]
        assert column.null_reason or None not in values, column.name
        assert column.unit in LISTS or not any(str(value).startswith("[") for value in values), (
            column.name
        )


def test_a_class_cell_has_the_most_frequent_classes_first() -> None:
    row = {
        "agent": 60,
        "human": 39,
        "tool": 1,
        "declared": 0,
        "likely_human": 0,
        "unknown": 0,
        "undeclared": 0,
    }
    table = Table("t", "", [Column(name, "", name) for name in row], [row])
    assert "A 60% H 39% t 1%" in tables.html(table, ["classes"])


def test_a_marked_column_is_left_out_where_it_says_nothing() -> None:
    columns = [Column("repo", "", "r"), Column("subagents", "", "s")]
    one = Table("t", "", columns, [{"repo": "a", "subagents": 0}, {"repo": "a", "subagents": 0}])
    assert tables.chosen(one, ["repo?", "subagents?"]) == []
    two = Table("t", "", columns, [{"repo": "a", "subagents": 0}, {"repo": "b", "subagents": 2}])
    assert [shown.name for shown in tables.chosen(two, ["repo?", "subagents?"])] == [
        "repo",
        "subagents",
    ]
