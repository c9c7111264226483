"""The newest scores in benchmarks/data/lab-corpus.json, their history in lab-corpus.csv;
docs/benchmark.md and docs/benchmark-axes.md show both.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from corpus.answers import version_of
from corpus.axes import crossed_counts
from corpus.score import percent
from corpus.store import about, histories

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "benchmarks" / "data" / "lab-corpus.json"
HISTORY = ROOT / "benchmarks" / "data" / "lab-corpus.csv"
DOCS = ROOT / "docs"
PAGES = ("benchmark.md", "benchmark-axes.md")
PARTS = ("open", "held-out")
NUMBERS = (
    "agent_found",
    "agent_precision",
    "agent_called_person",
    "person_found",
    "person_seen_found",
    "person_shown_found",
    "person_precision",
    "person_called_agent",
    "call_right",
)
COLUMNS = ("day", "version", "part", "histories", "lines", *NUMBERS)
NAMES = {
    "whowrote": "whowrote",
    "sessions": "every line of a session's commit",
    "trailers": "trailers alone",
    "blame": "git blame",
    "opentraces": "opentraces 0.4.13, on histories of Claude Code",
    "whowrote as opentraces": "whowrote on the same",
}
ELSEWHERE = (
    (
        "causari 0.5.0 (PyPI)",
        "its package fetches the program from GitHub when it is first run; not to be had",
    ),
    (
        "agent-strace 0.103.0 (PyPI)",
        "imports sessions of Claude Code and answers neither lines nor commits",
    ),
    ("deja-vu", "in neither npm nor PyPI"),
    (
        "git-ai, Entire",
        "in neither npm nor PyPI, and they must be installed before the lines are written",
    ),
)
WRONG = 12  # kinds of wrong answers on the page


def store_scores(
    corpora: Mapping[str, Path], results: Mapping[str, Mapping[str, dict[str, Any]]]
) -> None:
    """Keeps the scores of each contestant in each part of the corpus; adds rows to the history."""
    version = version_of("whowrote")
    day = datetime.now(UTC).date().isoformat()
    data: dict[str, Any] = {"day": day, "version": version, "parts": {}}
    for part, corpus in corpora.items():
        rows = [about(path) for path in histories(corpus)]
        agents = Counter(
            f"{name} {number}" for row in rows for name, number in row["versions"].items()
        )
        kept = {
            name: _kept(result, whole=name == "whowrote" and part == "open")
            for name, result in results[part].items()
        }
        data["parts"][part] = {
            "agents": dict(sorted(agents.items())),
            "counts": crossed_counts(rows),
            "scores": kept,
        }
    DATA.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")
    _add_to_history(data)


def _kept(result: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """What the page shows: tables of this program in the open part alone."""
    names = {"histories", "lines", "scored", "all"} | (
        {"recall", "precision", "axes", "wrong"} if whole else set()
    )
    return {
        name: value[:WRONG] if name == "wrong" else value
        for name, value in result.items()
        if name in names
    }


def _add_to_history(data: Mapping[str, Any]) -> None:
    rows = history_rows() if HISTORY.exists() else []
    for part, facts in data["parts"].items():
        ours = facts["scores"]["whowrote"]
        numbers = {name: _short(ours["all"][name]) for name in NUMBERS}
        row = {
            "day": data["day"],
            "version": data["version"],
            "part": part,
            "histories": ours["histories"],
            "lines": ours["scored"],
        }
        rows = [
            other for other in rows if (other["version"], other["part"]) != (row["version"], part)
        ]
        rows.append({**{name: str(value) for name, value in row.items()}, **numbers})
    with HISTORY.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def history_rows() -> list[dict[str, str]]:
    with HISTORY.open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def _short(value: Mapping[str, Any]) -> str:
    return "" if value["rate"] is None else f"{100 * value['rate']:.1f}"


def _table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(headers) + " |", "|" + "---|" * len(headers)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"


def _contestants(part: Mapping[str, Any]) -> str:
    rows = []
    for name, label in NAMES.items():
        if name in part["scores"]:
            row = part["scores"][name]["all"]
            rows.append(
                [
                    label,
                    part["scores"][name]["histories"],
                    *(percent(row[number]) for number in NUMBERS),
                ]
            )
    headers = (
        "",
        "histories",
        "agent's lines found",
        "right, of those called an agent's",
        "agent's lines called a person's",
        "people's lines found",
        "the same where a session saw them appear",
        "where two looks on record show them",
        "right, of those that name a person",
        "people's lines called an agent's",
        "right call",
    )
    return _table(headers, rows)


def _recall(part: Mapping[str, Any]) -> str:
    rows = [
        (
            row["truth"],
            row["lines"],
            *(
                percent(row[name])
                for name in ("right_by_hand", "right_by_source", "wrong", "abstained")
            ),
        )
        for row in part["scores"]["whowrote"]["recall"]
    ]
    return _table(
        ("truth", "lines", "right by the hand", "right by the source", "wrong", "no answer"), rows
    )


def _precision(part: Mapping[str, Any]) -> str:
    rows = [
        (row["said"], row["lines"], percent(row["right_by_hand"]), percent(row["right_by_source"]))
        for row in part["scores"]["whowrote"]["precision"]
        if "," in row["said"]
    ]
    return _table(("said", "lines", "right by the hand", "right by the source"), rows)


def _axes(part: Mapping[str, Any]) -> str:
    counts = {(axis, value): (count, agents) for axis, value, count, agents in part["counts"]}
    rows = []
    for row in part["scores"]["whowrote"]["axes"]:
        count, agents = counts.get((row["axis"], row["value"]), ("", {}))
        names = ", ".join(f"{name} {number}" for name, number in agents.items())
        numbers = (
            percent(row[name])
            for name in (
                "agent_found",
                "agent_precision",
                "person_shown_found",
                "person_called_agent",
            )
        )
        rows.append((row["axis"], row["value"], count, *numbers, names))
    headers = (
        "axis",
        "value",
        "histories",
        "agent's lines found",
        "right, of those called an agent's",
    )
    return _table(
        (
            *headers,
            "people's lines found where two looks show them",
            "people's lines called an agent's",
            "histories by agent",
        ),
        rows,
    )


def _wrong(part: Mapping[str, Any]) -> str:
    rows = [
        (
            row["author"],
            row["how"],
            row["agent"] or "-",
            row["said"],
            row["detail"] or "-",
            row["lines"],
            ", ".join(row["histories"]),
        )
        for row in part["scores"]["whowrote"]["wrong"]
    ]
    return _table(
        ("author", "wrote by", "agent", "said", "as", "lines", "histories, most lines first"), rows
    )


def _history() -> str:
    return _table(
        [name.replace("_", " ") for name in COLUMNS],
        ([row.get(name) or "-" for name in COLUMNS] for row in history_rows()),
    )


def _size(part: Mapping[str, Any]) -> str:
    ours = part["scores"]["whowrote"]
    return (
        f"{ours['histories']} histories with {ours['lines']:,} lines, {ours['scored']:,} of them"
        " with a letter or a digit"
    )


def page_texts() -> dict[str, str]:
    """Name -> text of each page of PAGES, from the stored scores."""
    data = json.loads(DATA.read_text("utf-8"))
    whole, held = data["parts"]["open"], data["parts"].get("held-out")
    texts = {name: (DOCS / "templates" / name).read_text("utf-8") for name in PAGES}
    values = {
        "SIZE": _size(whole),
        "HELD_SIZE": _size(held) if held else "not made yet",
        "VERSION": data["version"],
        "DAY": data["day"],
        "AGENTS": ", ".join(whole["agents"]),
        "CONTESTANTS": _contestants(whole),
        "HELD": _contestants(held) if held else "",
        "ELSEWHERE": _table(("program", "why it has no row"), ELSEWHERE),
        "RECALL": _recall(whole),
        "PRECISION": _precision(whole),
        "AXES": _axes(whole),
        "WRONG": _wrong(whole),
        "HISTORY": _history(),
    }
    for name, value in values.items():
        filled = "{" + name + "}", value.rstrip("\n")
        texts = {page: text.replace(*filled) for page, text in texts.items()}
    return texts
