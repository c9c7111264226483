"""The page about accuracy answers first how often the program is wrong, from the same results as
its sections.
"""

from __future__ import annotations

from pathlib import Path

import accuracy
import independent
from support import ROOT
from support.answers import pick
from support.commands import clone

ROWS = [
    {
        "audit": "second",
        "repository": "o/n",
        "class": said,
        "evidence": "replayed",
        "who": who,
        "sure": "yes",
        "reason": "",
    }
    | {"now_class": now, "now_evidence": "replayed", "now_how": "moved"}
    for said, who, now in [
        *[("agent", "agent", "agent")] * 3,
        ("agent", "human", "unknown"),
        ("human", "human", "human"),
    ]
]
RESULTS = {
    "forgotten": {
        "o/n": {
            "sessions": 1,
            "lines": 10,
            "held_out": True,
            "answers": {"human observed": 1, "unknown": 9},
        }
    },
    "spikes": {
        "o/n": {
            "held_out": False,
            "complete": {
                "after": {"human inferred": 3, "agent exact": 1},
                "paste": {"agent exact": 9},
            },
        }
    },
    "decoys": {"o/n": {"given": 1, "certain": 99}},
}


def _cells(table: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]
    ]


def test_the_first_table_has_ten_rows_of_counts_and_intervals() -> None:
    rows = {
        name: (lines, share) for name, lines, share in _cells(independent._summary(RESULTS, ROWS))
    }
    assert len(rows) == 10
    assert rows["lines called `agent`: right"] == ("4", "75.0 % (30.1 to 95.4)")
    assert rows["lines called `human`: right"][0] == "1"
    assert rows["lines called `tool`: right"] == ("0", "–")
    assert rows["lines of a session that nobody recorded: called a person's"] == (
        "10",
        "1 (at most 40.42 %)",
    )
    # a paste is nobody's
    assert rows["a person's lines where all records are complete: found"][0] == "4"
    assert rows["the same: given to an agent"][1].startswith("25.0 %")
    assert rows["lines beside a session of another repository: given to it"][0] == "100"


def test_a_right_line_that_its_reader_doubted_is_right_but_not_sure() -> None:
    doubted = [row | {"sure": "no"} for row in ROWS]
    agent = [
        next(row[2:5] for row in _cells(independent._blind(rows)) if row[0] == "`agent`")
        for rows in (ROWS, doubted)
    ]
    assert agent == [["4", "3", "3"], ["4", "3", "0"]]


def test_every_audit_of_the_file_has_a_row_with_all_its_lines() -> None:
    read = independent.blind()
    rows = _cells(independent._by_audit(read))
    assert sum(int(row[1]) for row in rows) == len(read)
    assert {row[0].strip("`") for row in rows} == {line["audit"] for line in read}


def test_the_first_page_is_one_screen() -> None:
    page = (ROOT / "docs" / "templates" / accuracy.PAGES[0]).read_text("utf-8")
    assert page.index("{{ summary }}") < 1_000 and len(page.split()) < 600


def test_what_the_agent_did_is_taken_from_today_only_where_the_rest_is_the_same() -> None:
    found = {pick(row, "class", "how"): row["checked"] for row in independent.confidence(ROWS)}
    assert found == {("agent", "moved"): 3, ("agent", ""): 1, ("human", "none"): 1}


def test_gits_own_counts_are_compared_for_every_file_with_text(tmp_path: Path) -> None:
    found = accuracy.git_counts(clone("example", tmp_path))
    assert found["files"] == found["same"] > 5 and found["different"] == 0
