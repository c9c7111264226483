"""The report on a ledger of candidates: the numbers of a plain count over lists, without holding
the lists.
"""

from __future__ import annotations

import random
import statistics
import tracemalloc
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from collector.discovery.selection.report import report
from collector.errors import DatabaseUnusable
from collector.json_values import Row
from collector.storage.store import Store

NOW = datetime(2026, 11, 24, 1, 2, 3, 456, UTC)
SEEN = "2026-01-01T00:00:00Z"
CHANNELS = ("code_search", "commit_search", "listing", "renamed", "repo_search")
COLUMNS = (
    "full_name",
    "first_seen_at",
    "outcome",
    "confirmed",
    "exclusion",
    "renamed_to",
    "v1_oid",
    "checkpoint_refs",
    "notes",
    "metadata_at",
    "stars",
    "language",
    "created_at",
)


def _ledger(path: Path, candidates: list[Row], found: list[tuple[int, str, int]]) -> Store:
    """`found`: candidate, channel, hits."""
    store = Store(path)
    rows = [
        [row.get(name, SEEN if name == "first_seen_at" else None) for name in COLUMNS]
        for row in candidates
    ]
    with store.transaction():
        store.insert("candidates", COLUMNS, rows)
        hits = [
            (number, channel, str(n), "slice", SEEN, count)
            for n, (number, channel, count) in enumerate(found)
        ]
        store.insert(
            "discoveries", ("candidate_id", "channel", "query", "slice", "seen_at", "hits"), hits
        )
    return store


def _candidate(rng: random.Random, number: int, of: int) -> Row:
    other = f"o/R{rng.randrange(of)}"
    at = (NOW - timedelta(seconds=rng.randrange(10**8))).isoformat()
    return {
        "full_name": f"o/r{number}",
        "outcome": rng.choice([None, "ok"]),
        "confirmed": rng.choice([None, 0, 1, 1]),
        "exclusion": rng.choice([None, None, "fork", "no_ref"]),
        "renamed_to": rng.choice([None, None, "", other, "gone/away"]),
        "v1_oid": rng.choice([None, "", "abc"]),
        "checkpoint_refs": rng.choice([None, 0, 7]),
        "notes": rng.choice([None, "", "refs/notes/ai"]),
        "metadata_at": rng.choice([None, SEEN]),
        "stars": rng.choice([None, rng.randrange(5), rng.randrange(1000)]),
        "language": rng.choice([None, "", *(f"L{n}" for n in range(14))]),
        "created_at": rng.choice(
            [None, "", "no time", "2020-01-01T00:00:00", at, at[:10] + "T00:00:00Z"]
        ),
    }


def _present(candidates: list[Row], number: int) -> int:
    """The candidate (counted from 1) that a name leads to; a circle ends before it closes."""
    numbers = {row["full_name"].lower(): n for n, row in enumerate(candidates, 1)}
    way = [number]
    while (
        following := numbers.get((candidates[way[-1] - 1]["renamed_to"] or "").lower())
    ) and following not in way:
        way.append(following)
    return way[-1]


def _days(text: str | None) -> float | None:
    try:
        return (NOW - datetime.fromisoformat(text or "")).total_seconds() / 86400
    except (ValueError, TypeError):
        return None


class _Plain:
    """The same numbers from lists of everything."""

    def __init__(self, candidates: list[Row], found: list[tuple[int, str, int]]) -> None:
        present = {n: _present(candidates, n) for n in range(1, len(candidates) + 1)}
        self.hits = Counter[str]()
        self.found: dict[int, set[str]] = {n: set() for n in present}
        for number, channel, hits in found:
            self.hits[channel] += hits
            self.found[present[number]].add(channel)
        self.current = {n: candidates[n - 1] for n in present if present[n] == n}
        self.confirmed = {n: row for n, row in self.current.items() if row["confirmed"]}
        wanted = {n: row for n, row in self.current.items() if row["confirmed"] or row["notes"]}
        self.taken = {n: row for n, row in wanted.items() if row["exclusion"] is None}

    def channel(self, name: str) -> Row:
        mine = {n for n in self.current if name in self.found[n]}
        others = {"code_search", "commit_search", "listing", "repo_search"} - {name}
        return {
            "channel": name,
            "hits": self.hits[name],
            "found": len(mine),
            "probed": sum(self.current[n]["outcome"] is not None for n in mine),
            "confirmed": len(mine & self.confirmed.keys()),
            "taken": len(mine & self.taken.keys()),
            "confirmed_by_no_other": sum(
                not self.found[n] & others for n in mine & self.confirmed.keys()
            ),
        }

    def number(self, name: str, value: Callable[[Row], float | None]) -> Row:
        known = [number for row in self.taken.values() if (number := value(row)) is not None]
        between = statistics.quantiles(known, method="inclusive") if len(known) > 1 else known * 3
        ends = [min(known), *between, max(known)] if known else [None] * 5
        shown = dict(zip(("min", "q1", "median", "q3", "max"), ends, strict=True))
        return {"number": name, "known": len(known), "of": len(self.taken), **shown}

    def languages(self) -> list[Row]:
        known = [row["language"] or "(none)" for row in self.taken.values() if row["metadata_at"]]
        ordered = sorted(Counter(known).items(), key=lambda pair: (-pair[1], pair[0]))
        rest = sum(count for _, count in ordered[10:])
        return [
            {"language": n, "count": c, "of": len(known)}
            for n, c in [*ordered[:10], *[("(others)", rest)] * bool(rest)]
        ]


@pytest.mark.parametrize("seed", range(12))
def test_numbers_are_those_of_a_plain_count(seed: int, db: Path) -> None:
    rng = random.Random(seed)
    size = (1, 2, 30, 400)[seed % 4]
    candidates = [_candidate(rng, number, size) for number in range(size)]
    found = [
        (n, c, rng.randrange(1, 4))
        for n in range(1, size + 1)
        for c in CHANNELS
        for _ in "ab"
        if rng.random() < 0.3
    ]
    with _ledger(db, candidates, found) as store:
        sections = report(store, NOW)
        assert report(store, NOW) == sections  # nothing stays behind
    plain = _Plain(candidates, found)
    totals = {row["what"]: row["count"] for row in sections["totals"]}
    assert totals == {
        "names": size,
        "repositories": len(plain.current),
        "probed": sum(row["outcome"] is not None for row in plain.current.values()),
        "confirmed": len(plain.confirmed),
        "taken": len(plain.taken),
        "with metadata": sum(row["metadata_at"] is not None for row in plain.current.values()),
    }
    assert sections["channels"] == [plain.channel(name) for name in sorted(plain.hits)]
    assert {row["reason"]: row["count"] for row in sections["exclusions"]} == Counter(
        row["exclusion"] for row in candidates if row["exclusion"]
    )
    layouts = {row["layout"]: row["count"] for row in sections["layouts"]}
    one_each = [row for row in plain.confirmed.values() if row["checkpoint_refs"]]
    assert layouts["one ref per checkpoint"] == len(one_each)
    assert layouts["one ref per checkpoint, no v1 branch"] == sum(
        not row["v1_oid"] for row in one_each
    )
    numbers = {row["number"]: row for row in sections["numbers"]}
    for name, value in {
        "stars": lambda row: row["stars"],
        "age_days": lambda row: _days(row["created_at"]),
    }.items():
        assert numbers[name] == pytest.approx(plain.number(name, value), abs=0.051), name
    assert sections["languages"] == plain.languages()


def test_names_that_lead_in_a_circle_are_no_repository(db: Path) -> None:
    ways = {
        "o/a": "o/b",
        "o/b": "O/A",
        "o/self": "o/self",
        "o/first": "o/second",
        "o/second": "o/third",
        "o/third": None,
    }
    candidates = [
        {"full_name": name, "renamed_to": to, "confirmed": 1, "outcome": "ok"}
        for name, to in ways.items()
    ]
    with _ledger(db, candidates, [(4, "listing", 1), (5, "commit_search", 1)]) as store:
        sections = report(store, NOW)
    # itself, and the third
    assert {row["what"]: row["count"] for row in sections["totals"]}["repositories"] == 2
    assert {row["channel"]: row["found"] for row in sections["channels"]} == {
        "commit_search": 1,
        "listing": 1,
    }


def test_a_database_without_a_ledger_has_a_report(db: Path) -> None:
    with Store(db) as store:
        sections = report(store, NOW)
    assert {row["count"] for row in sections["totals"]} == {0} and sections["channels"] == []


def test_a_database_that_cannot_be_written_has_the_same_report(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(3)
    candidates = [_candidate(rng, number, 50) for number in range(50)]
    with _ledger(db, candidates, [(n, "listing", 1) for n in range(1, 51)]) as store:
        sections = report(store, NOW)
    monkeypatch.setattr("os.access", lambda path, mode: False)  # whoever the tests run as
    with Store(db) as store:
        assert store.is_read_only
        assert report(store, NOW) == sections


def test_what_is_read_in_a_snapshot_is_of_one_moment(db: Path) -> None:
    with (
        _ledger(db, [{"full_name": "o/one"}], []) as store,
        Store(db) as other,
    ):
        with store.snapshot():
            assert store.value("SELECT count(*) FROM candidates") == 1
            with other.transaction():
                other.insert("candidates", ("full_name", "first_seen_at"), [("o/two", SEEN)])
            assert store.value("SELECT count(*) FROM candidates") == 1
        assert store.value("SELECT count(*) FROM candidates") == 2
        with pytest.raises(DatabaseUnusable), store.snapshot() as connection:
            connection.execute("SELECT * FROM nowhere")


def test_memory_does_not_grow_with_the_ledger(tmp_path: Path) -> None:
    few, many = (_held(tmp_path, size) for size in (200, 4_000))
    assert many < few + 50_000  # 4,000 rows are more than that, however small


def _held(tmp_path: Path, size: int) -> int:
    """Bytes of Python's values at the worst moment of a report."""
    names = [
        {"full_name": f"o/r{n}", "renamed_to": f"o/r{n - n % 2}", "confirmed": 1}
        for n in range(size)
    ]
    found = [(n, channel, 1) for n in range(1, size + 1) for channel in CHANNELS[: 1 + n % 3]]
    with _ledger(tmp_path / f"{size}.db", names, found) as store:
        sections = report(store, NOW)  # what is made once is there
        assert {row["what"]: row["count"] for row in sections["totals"]}["taken"] == size // 2
        # another thread of the test runner can only add to it
        return min(_peak(store) for _ in range(3))


def _peak(store: Store) -> int:
    tracemalloc.start()
    report(store, NOW)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
