"""What two looks of a transcript show of a person's lines, in the forms that agents record, and
what they do not show.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus.shown import with_shown
from support import jsonl

from collector.json_values import JsonObject

OLD = [
    "import shop",
    "",
    "def price(order):",
    "    return order.sum",
    "",
    "def tax(order):",
    "    return 7",
]
ADDED = ["    if order is None:", "        raise ValueError"]
NEW = [*OLD[:3], *ADDED, *OLD[3:]]
BEFORE, ALONE, AFTER = map("\n".join, (OLD, ADDED, NEW))


def numbered(lines: list[str]) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, 1))


def diff(lines: list[str], added: list[str]) -> str:
    return "@@ -1,5 +1,7 @@\n" + "\n".join(
        f"{'+' if line in added else ' '}{line}" for line in lines
    )


def said(minute: int, text: str) -> JsonObject:
    return {
        "timestamp": f"2026-09-01T10:{minute:02}:00.000Z",
        "result": {"content": [{"type": "text", "text": text}]},
    }


LOOKS = [said(1, BEFORE), said(9, AFTER)]


def marked(
    tmp_path: Path, records: list[JsonObject], committed: list[str] = NEW, how: str = "between"
) -> list[int]:
    """Numbers of the lines that are shown, of the person's lines among those that were
    committed.
    """
    home = tmp_path / "home" / ".agent"
    home.mkdir(parents=True, exist_ok=True)
    (home / "session.jsonl").write_bytes(jsonl(*records))
    first = committed.index(ADDED[0]) + 1
    row = {
        "commit": "c",
        "path": "a.py",
        "start": first,
        "end": first + 1,
        "author": "person",
        "how": how,
    }
    rows = with_shown([row], lambda commit, path: committed, tmp_path / "home")
    return [
        number for row in rows if row.get("shown") for number in range(row["start"], row["end"] + 1)
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (BEFORE, AFTER),
        (numbered(OLD), numbered(NEW)),
        (BEFORE, diff(NEW, ADDED)),
        (
            json.dumps({"output": BEFORE}, indent=1),
            json.dumps({"output": AFTER}, indent=1),
        ),
    ],
)
def test_a_line_between_two_looks_is_shown(tmp_path: Path, first: str, second: str) -> None:
    assert marked(tmp_path, [said(1, first), said(9, second)]) == [4, 5]


def test_the_rows_of_a_database_are_looks(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    rows = [
        'INSERT INTO "part"'
        f" VALUES('p','m',{moment},{moment},'{json.dumps({'output': chr(10).join(lines)})}');"
        for moment, lines in ((1790598060966, OLD), (1790598090966, NEW))
    ]
    (tmp_path / "home" / "agent.db.sql").write_text("\n".join(rows), "utf-8")
    assert marked(tmp_path, []) == [4, 5]


def test_what_the_agent_put_below_afterwards_does_not_matter(tmp_path: Path) -> None:
    committed = [*NEW[:5], "    return order.total(7)", "    # of the agent", *NEW[6:]]
    assert marked(tmp_path, LOOKS, committed) == []
    assert marked(
        tmp_path,
        [said(1, "\n".join([*OLD[:3], *committed[5:]])), said(9, AFTER)],
        committed,
    ) == [4, 5]


@pytest.mark.parametrize(
    "records",
    [
        [said(9, AFTER)],  # no look without
        [said(1, BEFORE)],  # no look with
        [said(1, AFTER), said(9, BEFORE)],
        [said(1, "\n".join(OLD[:3])), said(9, AFTER)],  # elsewhere before
        [said(1, BEFORE), said(9, ALONE)],  # out of place after
    ],
)
def test_one_look_alone_shows_nothing(tmp_path: Path, records: list[JsonObject]) -> None:
    assert marked(tmp_path, records) == []


@pytest.mark.parametrize("how", ["base", "before", "pastes", "after"])
def test_what_was_not_typed_between_two_tasks_is_not_asked_about(tmp_path: Path, how: str) -> None:
    assert marked(tmp_path, LOOKS, how=how) == []


def test_a_whole_file_has_no_place(tmp_path: Path) -> None:
    assert marked(tmp_path, [said(1, BEFORE), said(9, ALONE)], committed=ADDED) == []
