"""The newest scores in benchmarks/data/lab-corpus.json, their history in lab-corpus.csv, the looks
at the hidden part in hidden-looks.csv; the pages of PAGES show it all.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.servers import SERVERS
from scorer.histories import about, histories
from scorer.scoring import FAILURES, NUMBERS, percent

from corpus.answers import git, version_of
from corpus.axes import PUBLISHED, crossed_counts
from corpus.release import RELEASE, RELEASES, make_release

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "benchmarks" / "data" / "lab-corpus.json"
HISTORY = ROOT / "benchmarks" / "data" / "lab-corpus.csv"
LOOKS = ROOT / "benchmarks" / "data" / "hidden-looks.csv"
DOCS = ROOT / "docs"
PAGES = tuple(f"benchmark{name}.md" for name in ("", "-axes", "-failures", "-missed"))
PARTS = ("open", "hidden")
COLUMNS = (
    *("day", "version", "release", "part", "histories", "lines"),
    *(number.name for number in NUMBERS),
)
BY_AXIS = (
    *("agent_found", "agent_precision", "agent_called_person"),
    *("person_shown_found", "person_called_agent"),
)
CAUSES = 3  # that are shown of the lines of an event
LOOK_COLUMNS = ("day", "release", "version", "commit", "entries", "histories")
FORMER = "whowrote on former"
ENTRIES = {
    "whowrote": ("whowrote", "this program, as a user starts it"),
    FORMER: ("whowrote, where 2.0 was hidden", "those histories of the open part"),
    "sessions": (
        "commit windows",
        "every line of a commit that was made while a transcript goes on, or up to half an hour"
        " later, is the agent's",
    ),
    "trailers": ("trailers", "a commit that names an agent as co-author is that agent's"),
    "blame": (
        "git blame",
        "whoever committed a line wrote it, and that is a person's name throughout"
        " ([blame.py](../benchmarks/scorer/examples/blame.py))",
    ),
    "opentraces": (
        "opentraces",
        "from PyPI, asked about histories of Claude Code, whose sessions it takes up",
    ),
    "whowrote as opentraces": ("whowrote on the same", "the same histories as opentraces"),
}
ELSEWHERE = (
    (
        "git-ai, Entire",
        "in neither npm nor PyPI nor Debian; both must be installed before the lines are written",
    ),
    (
        "causari 0.5.0 (PyPI)",
        "its package fetches the program from GitHub when it is first run; not to be had",
    ),
    (
        "agent-strace 0.103.0 (PyPI)",
        "imports sessions of Claude Code and answers neither lines nor commits",
    ),
    ("deja-vu", "in neither npm nor PyPI"),
)


def store_scores(
    corpora: Mapping[str, Path], results: Mapping[str, Mapping[str, dict[str, Any]]]
) -> None:
    """Keeps the scores of each entry in each part of the corpus, those of entries that were not
    scored again as they were; adds rows to the history.
    """
    before = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    old = before["parts"] if before.get("release") == RELEASE else {}
    day = datetime.now(UTC).date().isoformat()
    tar = make_release(corpora["open"], RELEASES)
    data: dict[str, Any] = {
        "release": RELEASE,
        "tar_sha256": hashlib.sha256(tar.read_bytes()).hexdigest(),
        "salt_sha256": salt_digest(corpora),
        "parts": {},
    }
    for part, corpus in corpora.items():
        rows = [about(path) for path in histories(corpus)]
        agents = Counter(
            f"{name} {number}" for row in rows for name, number in row["versions"].items()
        )
        kept = {
            name: {
                "day": day,
                "version": version_of(name.split()[0]),
                **_kept(result, name if part == "open" else ""),
            }
            for name, result in results[part].items()
        }
        data["parts"][part] = {
            "agents": dict(sorted(agents.items())),
            "counts": crossed_counts(rows),
            "scores": old.get(part, {}).get("scores", {}) | kept,
        }
    DATA.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")
    _add_to_history(data)


def salt_digest(corpora: Mapping[str, Path]) -> str:
    """The SHA-256 of the salt that the hidden part was drawn with; none without that part."""
    if "hidden" not in corpora:
        return ""
    salt = os.environ.get("WHOWROTE_CORPUS_SALT", "").strip()
    if not salt:
        raise SystemExit("WHOWROTE_CORPUS_SALT must hold the salt of the hidden part")
    return hashlib.sha256(salt.encode()).hexdigest()


def _kept(result: Mapping[str, Any], entry: str) -> dict[str, Any]:
    """What the page shows: where this program fails in the open part, else only how often. No
    `entry` in the hidden part.
    """
    names = {"scorer", "histories", "lines", "scored", "all", "before_commit"}
    names |= {"cpu_seconds", "misses"}
    whole = entry == "whowrote"
    names |= {"recall", "precision", "axes"} if whole else set()
    counts = Counter({failure.words: 0 for failure in FAILURES})
    for row in result["failures"]:
        counts[row["failure"]] += row["lines"]
    return {
        **{name: result[name] for name in names},
        **({"failures": result["failures"]} if whole else {}),
        "failed": dict(counts),
        "without_answers": len(result["without_answers"] or ()),
    }


def _add_to_history(data: Mapping[str, Any]) -> None:
    rows = csv_rows(HISTORY)
    for part, facts in data["parts"].items():
        ours = facts["scores"]["whowrote"]
        row = {
            "day": ours["day"],
            "version": ours["version"],
            "release": data["release"],
            "part": part,
            "histories": ours["histories"],
            "lines": ours["scored"],
            **{number.name: _short(ours["all"][number.name]) for number in NUMBERS},
        }
        same = [row[name] for name in ("version", "release", "part")]
        rows = [
            other
            for other in rows
            if [other.get(name) for name in ("version", "release", "part")] != same
        ]
        rows.append({name: str(value) for name, value in row.items()})
    _write_csv(HISTORY, COLUMNS, rows)


def note_look(entries: Sequence[str], histories: int) -> None:
    """Counts a look at the hidden part; the same answers scored again are the same look."""
    row = {
        "day": datetime.now(UTC).date().isoformat(),
        "release": RELEASE,
        "version": version_of("whowrote"),
        "commit": git(ROOT)("describe", "--always", "--abbrev=8", "--exclude=*", "--dirty"),
        "entries": " ".join(entries),
        "histories": str(histories),
    }
    looks = csv_rows(LOOKS)
    if not any(row | {"day": look["day"], "commit": look["commit"]} == look for look in looks):
        _write_csv(LOOKS, LOOK_COLUMNS, [*looks, row])


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def csv_rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def _short(value: Mapping[str, Any]) -> str:
    return "" if value["rate"] is None else f"{100 * value['rate']:.1f}"


def _table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(headers) + " |", "|" + "---|" * len(headers)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"


def _numbers(parts: Mapping[str, Any], whose: str) -> str:
    """The numbers about the lines of agents, or of people: a row for each entry and part."""
    numbers = [number for number in NUMBERS if number.about == whose]
    rows = []
    for name, (label, _) in ENTRIES.items():
        for part, facts in parts.items():
            scored = facts["scores"].get(name, {})
            for asked, words in (("all", label), ("before_commit", f"{label}, before the commit")):
                if scored.get(asked, {}).get("lines"):
                    shares = (percent(scored[asked][number.name]) for number in numbers)
                    rows.append((words, part, scored["histories"], *shares))
    return _table(("", "part", "histories", *(number.words for number in numbers)), rows)


def _entries(parts: Mapping[str, Any]) -> str:
    rows = []
    for name, (label, what) in ENTRIES.items():
        for part, facts in parts.items():
            if scored := facts["scores"].get(name):
                number, _, commit = scored["version"].partition("+g")
                spent = scored["cpu_seconds"]
                rows.append(
                    (
                        label,
                        part,
                        scored["day"],
                        number,
                        commit or "-",
                        scored["without_answers"],
                        f"{spent['median']:.1f}, {spent['most']:.1f}" if spent else "-",
                        what if part == PARTS[0] else "",
                    )
                )
    headers = ("entry", "part", "scored on", "version", "commit", "histories without answers")
    return _table((*headers, "CPU seconds for a history: median, most", "what it says"), rows)


def _failed(parts: Mapping[str, Any]) -> str:
    rows = [
        (
            failure.words,
            *(part["scores"]["whowrote"]["failed"][failure.words] for part in parts.values()),
        )
        for failure in FAILURES
    ]
    return _table(("lines", *parts), rows)


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
    shown = [number for number in NUMBERS if number.name in BY_AXIS]
    counts = {(axis, value): (count, agents) for axis, value, count, agents in part["counts"]}
    rows = []
    for row in part["scores"]["whowrote"]["axes"]:
        count, agents = counts.get((row["axis"], row["value"]), ("", {}))
        names = ", ".join(f"{name} {number}" for name, number in agents.items())
        shares = (percent(row[number.name]) for number in shown)
        rows.append((row["axis"], row["value"], count, *shares, names))
    headers = (f"{number.about}: {number.words}" for number in shown)
    return _table(("axis", "value", "histories", *headers, "histories by agent"), rows)


def _failures(part: Mapping[str, Any]) -> str:
    rows = [
        (
            row["failure"],
            row["whose"] or "-",
            row["cause"] or "-",
            row["lines"],
            row["histories"],
            ", ".join(sorted(row["most"], key=row["most"].get, reverse=True)) or "-",
        )
        for row in part["scores"]["whowrote"]["failures"]
    ]
    headers = ("failure", "whose line", "cause", "lines", "histories", "most lines in")
    return _table(headers, rows)


def _misses(part: Mapping[str, Any], entry: str) -> str:
    named = {number.name: number.about for number in NUMBERS}
    rows = [
        (
            named[row["number"]],
            row["event"],
            f"{row['missed']} of {row['lines']}",
            row["histories"],
            "; ".join(f"{words} {n}" for words, n in Counter(row["causes"]).most_common(CAUSES)),
        )
        for row in part["scores"].get(entry, {}).get("misses", ())
    ]
    headers = ("whose", "event", "lines that were not found", "histories", "answers")
    return _table(headers, rows)


def _csv_table(path: Path, columns: Sequence[str]) -> str:
    rows = ([row.get(name) or "-" for name in columns] for row in csv_rows(path))
    return _table([name.replace("_", " ") for name in columns], rows)


def _size(part: Mapping[str, Any]) -> str:
    ours = part["scores"]["whowrote"]
    return (
        f"{ours['histories']} histories with {ours['lines']:,} lines, {ours['scored']:,} of them"
        " with a letter or a digit"
    )


def page_texts() -> dict[str, str]:
    """Name -> text of each page of PAGES, from the stored scores."""
    data = json.loads(DATA.read_text("utf-8"))
    parts = {part: data["parts"][part] for part in PARTS if part in data["parts"]}
    whole = parts["open"]
    looks = [row for row in csv_rows(LOOKS) if row["release"] == data["release"]]
    salts = (f"of release {release} `{salt}`" for release, salt in PUBLISHED.items())
    texts = {name: (DOCS / "templates" / name).read_text("utf-8") for name in PAGES}
    values = {
        "RELEASE": data["release"],
        "SIZE": _size(whole),
        "HIDDEN_SIZE": _size(parts["hidden"]) if "hidden" in parts else "not made yet",
        "TAR": data["tar_sha256"],
        "SALT": data["salt_sha256"] or "not made yet",
        "SALTS": ", ".join(salts),
        "LOOKS": _csv_table(LOOKS, LOOK_COLUMNS),
        "LOOK_COUNT": str(len(looks)),
        "LOOK_COMMITS": ", ".join(f"`{row['commit']}`" for row in looks) or "none",
        "AGENTS": ", ".join(sorted({name for part in parts.values() for name in part["agents"]})),
        "SERVERS": ", ".join(
            name for server in SERVERS.values() for name in server.packages.split()
        ),
        "ENTRIES": _entries(parts),
        "ABOUT_AGENTS": _numbers(parts, "agents"),
        "ABOUT_PEOPLE": _numbers(parts, "people"),
        "ELSEWHERE": _table(("program", "why it has no row"), ELSEWHERE),
        "RECALL": _recall(whole),
        "PRECISION": _precision(whole),
        "AXES": _axes(whole),
        "FAILED": _failed(parts),
        "FAILURES": _failures(whole),
        "MISSES": _misses(whole, "whowrote"),
        "FORMER_MISSES": _misses(whole, FORMER),
        "HIDDEN_MISSES": _misses(parts.get("hidden", whole), "whowrote"),
        "HISTORY": _csv_table(HISTORY, COLUMNS),
    }
    for name, value in values.items():
        filled = "{" + name + "}", value.rstrip("\n")
        texts = {page: text.replace(*filled) for page, text in texts.items()}
    return texts
