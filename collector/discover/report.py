"""Selection statistics: what each channel found, what was confirmed, what was left out and why, and how much was probably missed.

A repository that was renamed counts once, under its present name, with the channels of all its names.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from collector.checkpoints.entire import BRANCHES
from collector.discover import channels
from collector.discover.channel import Channel, Scope
from collector.discover.estimates import Estimate, chao, chapman, log_linear, quantiles
from collector.discover.exclusions import REASONS
from collector.storage.store import Store

# No channels: a new name, and a place of checkpoints that a repository names.
_DERIVED = ("renamed", "checkpoint_remote")
TOP = 10

# There may be a million candidates: SQLite counts them, and no list of them is held.
_CURRENT = "candidates c WHERE c.id NOT IN (SELECT id FROM temp.renamed)"
_CONFIRMED = "c.confirmed IS TRUE"
_TAKEN = "c.exclusion IS NULL AND (c.confirmed IS TRUE OR c.notes <> '')"
_LAYOUTS = {
    "v1 branch": "c.v1_oid <> ''",
    "one ref per checkpoint": "c.checkpoint_refs <> 0",
    "one ref per checkpoint, no v1 branch": "c.checkpoint_refs <> 0 AND COALESCE(c.v1_oid, '') = ''",
    "v2": "c.v2_oid <> ''",
    f"{BRANCHES}sessions": "c.legacy_oid <> ''",
    "shadow branches": "c.shadow_branches <> 0",
    "notes of other tools": "c.notes <> ''",
}
_NUMBERS = {
    "stars": "c.stars",
    "forks": "c.forks",
    "size_kb": "c.size_kb",
    "age_days": "days_since(c.created_at)",
    "days_since_push": "days_since(c.pushed_at)",
    "checkpoint_refs": "c.checkpoint_refs",
}
_HITS = "SELECT channel, sum(hits) AS hits FROM discoveries GROUP BY 1 ORDER BY 1"
_CURSORS = "SELECT channel, state, count(*) AS slices, sum(found) AS results FROM cursors GROUP BY channel, state ORDER BY 1, 2"

Row = dict[str, Any]
Found = Mapping[frozenset[str], int]  # confirmed repositories by the channels that found them


def report(store: Store, now: datetime) -> dict[str, list[Row]]:
    """Sections, each a list of rows with the same columns. Raises DatabaseUnusable."""
    with _one_moment(store, now):
        groups = _groups(store)
        found = Counter[frozenset[str]]()
        for group in groups:
            found[group.channels] += group.confirmed
        totals = _totals(store)
        return {
            "totals": [{"what": name, "count": count} for name, count in totals.items()],
            "channels": _channels(store, groups),
            "exclusions": _exclusions(store),
            "layouts": _layouts(store, totals["confirmed"]),
            "numbers": _numbers(store, totals["taken"]),
            "languages": _top(store, "language"),
            "licences": _top(store, "licence"),
            "overlap": _overlap(+found),
            "coverage": _coverage(+found),
            "cursors": store.rows(_CURSORS),
        }


@contextmanager
def _one_moment(store: Store, now: datetime) -> Iterator[None]:
    """What is read inside does not change; `temp.renamed` has the candidates that are another one under their present name."""
    with store.snapshot() as connection:
        connection.create_function("days_since", 1, partial(_days, now), deterministic=True)
        connection.execute("CREATE TEMP TABLE renamed (id INTEGER PRIMARY KEY, present INTEGER NOT NULL)")
        connection.executemany("INSERT INTO temp.renamed VALUES (?, ?)", _present_names(store))
        yield


class _Name(NamedTuple):
    id: int
    server: str
    renamed_to: str | None


_NAMES = "SELECT id, server, renamed_to FROM candidates"


def _present_names(store: Store) -> Iterator[tuple[int, int]]:
    """(candidate, the candidate of its present name) where they differ."""
    for row in store.stream(_Name, f"{_NAMES} WHERE renamed_to <> '' ORDER BY id"):
        present = _present_name(store, row)
        if present != row.id:
            yield row.id, present


def _present_name(store: Store, row: _Name) -> int:
    seen = {row.id}
    while row.renamed_to:
        following = store.select_one(_Name, f"{_NAMES} WHERE server = ? AND full_name = ?", (row.server, row.renamed_to))
        if following is None or following.id in seen:
            break
        seen.add(following.id)
        row = following
    return row.id


def _counts(store: Store, among: str, tests: Mapping[str, str]) -> dict[str, int]:
    """Of the rows of `among`: how many pass each test."""
    columns = ", ".join(f'count(*) FILTER (WHERE {test}) AS "{name}"' for name, test in tests.items())
    (row,) = store.rows(f"SELECT {columns} FROM {among}")
    return row


def _totals(store: Store) -> dict[str, int]:
    tests = {
        "repositories": "TRUE",
        "probed": "c.outcome IS NOT NULL",
        "confirmed": _CONFIRMED,
        "taken": _TAKEN,
        "with metadata": "c.metadata_at IS NOT NULL",
    }
    return _counts(store, "candidates", {"names": "TRUE"}) | _counts(store, _CURRENT, tests)


class _Group(NamedTuple):
    """Repositories that the same channels found."""

    channels: frozenset[str]
    found: int
    probed: int
    confirmed: int
    taken: int


class _GroupRow(NamedTuple):
    channels: str
    found: int
    probed: int
    confirmed: int
    taken: int


def _groups(store: Store) -> list[_Group]:
    """As many as there are sets of channels; one set may be in several groups."""
    sql = (
        "WITH sets AS (SELECT COALESCE(r.present, d.candidate_id) AS id, json_group_array(DISTINCT d.channel) AS channels "
        "FROM discoveries d LEFT JOIN temp.renamed r ON r.id = d.candidate_id GROUP BY 1) "
        "SELECT s.channels, count(*) AS found, count(c.outcome) AS probed, "
        f"count(*) FILTER (WHERE {_CONFIRMED}) AS confirmed, count(*) FILTER (WHERE {_TAKEN}) AS taken "
        f"FROM sets s CROSS JOIN {_CURRENT} AND c.id = s.id GROUP BY s.channels"
    )
    return [_Group(frozenset(json.loads(row.channels)), *row[1:]) for row in store.select(_GroupRow, sql)]


def _channels(store: Store, groups: list[_Group]) -> list[Row]:
    hits = {row["channel"]: row["hits"] for row in store.rows(_HITS)}
    rows = []
    for name in hits:
        mine = [group for group in groups if name in group.channels]
        others = hits.keys() - {name, *_DERIVED}
        rows.append(
            {
                "channel": name,
                "hits": hits[name],
                "found": sum(group.found for group in mine),
                "probed": sum(group.probed for group in mine),
                "confirmed": sum(group.confirmed for group in mine),
                "taken": sum(group.taken for group in mine),
                "confirmed_by_no_other": sum(group.confirmed for group in mine if not group.channels & others),
            }
        )
    return rows


def _exclusions(store: Store) -> list[Row]:
    rows = store.rows("SELECT exclusion, count(*) AS count FROM candidates GROUP BY 1")
    counts = {row["exclusion"]: row["count"] for row in rows}
    return [{"reason": reason, "count": counts[reason], "meaning": words} for reason, words in REASONS.items() if reason in counts]


def _layouts(store: Store, confirmed: int) -> list[Row]:
    counts = _counts(store, f"{_CURRENT} AND {_CONFIRMED}", _LAYOUTS)
    return [{"layout": name, "count": count, "of": confirmed} for name, count in counts.items()]


def _numbers(store: Store, taken: int) -> list[Row]:
    known = _counts(store, f"{_CURRENT} AND {_TAKEN}", {name: f"{number} IS NOT NULL" for name, number in _NUMBERS.items()})
    rows = []
    for name, number in _NUMBERS.items():
        sql = f"SELECT {number} AS value FROM {_CURRENT} AND {_TAKEN} AND {number} IS NOT NULL ORDER BY 1"
        ordered = (row.value for row in store.stream(_Value, sql))
        found = {k: round(v, 1) for k, v in quantiles(known[name], ordered).items()}
        rows.append(
            {
                "number": name,
                "known": known[name],
                "of": taken,
                **{k: found.get(k) for k in ("min", "q1", "median", "q3", "max")},
            }
        )
    return rows


class _Value(NamedTuple):
    value: float


def _days(now: datetime, text: str | None) -> float | None:
    try:
        return None if text is None else (now - datetime.fromisoformat(text)).total_seconds() / 86400
    except (ValueError, TypeError):
        return None


def _top(store: Store, column: str) -> list[Row]:
    among = f"{_CURRENT} AND {_TAKEN} AND c.metadata_at IS NOT NULL"
    known = _counts(store, among, {"known": "TRUE"})["known"]
    rows = store.rows(
        f"SELECT COALESCE(NULLIF(c.{column}, ''), '(none)') AS {column}, count(*) AS count, ? AS of "
        f"FROM {among} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {TOP}",
        (known,),
    )
    rest = known - sum(row["count"] for row in rows)
    return rows + ([{column: "(others)", "count": rest, "of": known}] if rest else [])


def _used(found: Found) -> list[Channel]:
    """Channels that look by themselves and found something confirmed."""
    return [c for c in channels() if c.independent and any(c.name in named for named in found)]


def _overlap(found: Found) -> list[Row]:
    """Estimates from channels that look at different things, each pair and all together.

    Those that look at the same, as the default branch, are one list: that they agree says nothing about what both cannot see.
    """
    lists: dict[Scope, list[str]] = {}
    for channel in _used(found):
        lists.setdefault(channel.scope, []).append(channel.name)
    names = ["/".join(members) for members in lists.values()]
    seen = Counter[frozenset[int]]()
    for named, count in found.items():
        seen[frozenset(n for n, members in enumerate(lists.values()) if named.intersection(members))] += count
    shared = [f"{' and '.join(members)} share the {scope}: one list" for scope, members in lists.items() if len(members) > 1]
    rows = []
    for first, second in combinations(range(len(names)), 2):
        both = sum(count for numbers, count in seen.items() if {first, second} <= numbers)
        counts = [sum(count for numbers, count in seen.items() if number in numbers) for number in (first, second)]
        rows.append(_estimated(f"{names[first]}, {names[second]}", "chapman", both, chapman(counts[0], counts[1], both)))
    if len(names) > 1:
        times = Counter[int]()
        for numbers, count in seen.items():
            times[len(numbers)] += count
        several = sum(count for number, count in times.items() if number > 1)
        rows.append(_estimated("all", "chao", several, chao(times, len(names))))
        model = log_linear(seen, len(names))
        if model is not None:
            dependent = [f"{names[a]} with {names[b]}" for a, b in model.pairs]
            rows.append(_estimated("all", "log-linear", several, model.estimate, "; ".join(dependent)))
    for row in rows:
        if row:
            row["dependent"] = "; ".join(filter(None, (row["dependent"], *shared)))
    return [row for row in rows if row] or [_no_estimate(names[0], shared)] if names else []


def _no_estimate(names: str, shared: list[str]) -> Row:
    why = shared[0] if shared else "one channel alone has no overlap"
    empty = dict.fromkeys(("found", "by_both", "estimated", "low", "high", "share_found"))
    return {"channels": names, "method": "none", **empty, "dependent": why}


def _coverage(found: Found) -> list[Row]:
    """What each channel is expected to find, and what it found of the confirmed ones that channels of another scope found."""
    used = {channel.name for channel in _used(found)}
    rows = []
    for channel in channels():
        others = {c.name for c in channels() if c.independent and c.scope is not channel.scope} & used
        witnessed = {named: count for named, count in found.items() if named & others}
        mine, of = sum(count for named, count in witnessed.items() if channel.name in named), sum(witnessed.values())
        measured = channel.name in used and bool(witnessed)
        rows.append(
            {
                "channel": channel.name,
                "looks_at": channel.scope.value,
                "expected_low": channel.coverage.low,
                "expected_high": channel.coverage.high,
                "found": mine if measured else None,
                "of": of if measured else None,
                "measured": round(mine / of, 3) if measured else None,
                "reasoning": channel.coverage.reasoning,
            }
        )
    return rows


def _estimated(channels: str, method: str, both: int, estimate: Estimate | None, dependent: str = "") -> Row:
    if estimate is None:
        return {}
    return {
        "channels": channels,
        "method": method,
        "found": estimate.seen,
        "by_both": both,
        "estimated": round(estimate.total, 1),
        "low": round(estimate.low, 1),
        "high": round(estimate.high, 1),
        "share_found": round(estimate.seen / estimate.total, 3),
        "dependent": dependent,
    }
