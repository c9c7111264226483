"""Selection statistics: what each channel found, what was confirmed, what was left out and why, and how much was probably missed.

A repository that was renamed counts once, under its present name, with the channels of all its names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import combinations
from typing import Any

from collector.checkpoints.entire import BRANCHES
from collector.discover import channels
from collector.discover.channel import Channel, Scope
from collector.discover.estimates import Estimate, chao, chapman, log_linear, quantiles
from collector.discover.exclusions import REASONS
from collector.storage.store import Store

# No channels: a new name, and a place of checkpoints that a repository names.
_DERIVED = ("renamed", "checkpoint_remote")
TOP = 10
# There may be a million candidates, and they have twice as many columns.
_COLUMNS = (
    "id, server, full_name, renamed_to, outcome, confirmed, exclusion, metadata_at, v1_oid, v2_oid, legacy_oid, checkpoint_refs, "
    "shadow_branches, notes, stars, forks, size_kb, created_at, pushed_at, language, licence"
)

Row = dict[str, Any]


def report(store: Store, now: datetime) -> dict[str, list[Row]]:
    """Sections, each a list of rows with the same columns. Raises DatabaseUnusable."""
    candidates = {row["id"]: row for row in store.rows(f"SELECT {_COLUMNS} FROM candidates ORDER BY id")}
    present = _present_names(candidates)
    found_by: dict[int, set[str]] = {}
    for row in store.rows("SELECT DISTINCT candidate_id, channel FROM discoveries"):
        found_by.setdefault(present[row["candidate_id"]], set()).add(row["channel"])
    current = [row for key, row in candidates.items() if present[key] == key]
    confirmed = [row for row in current if row["confirmed"]]
    taken = [row for row in current if row["exclusion"] is None and (row["confirmed"] or row["notes"])]
    return {
        "totals": _totals(candidates, current, confirmed, taken),
        "channels": _channels(store, current, {row["id"] for row in taken}, found_by),
        "exclusions": _exclusions(candidates.values()),
        "layouts": _layouts(confirmed),
        "numbers": _numbers(taken, now),
        "languages": _top(taken, "language"),
        "licences": _top(taken, "licence"),
        "overlap": _overlap([found_by.get(row["id"], set()) for row in confirmed]),
        "coverage": _coverage([found_by.get(row["id"], set()) for row in confirmed]),
        "cursors": store.rows(
            "SELECT channel, state, count(*) AS slices, sum(found) AS results FROM cursors GROUP BY channel, state ORDER BY 1, 2"
        ),
    }


def _present_names(candidates: Mapping[int, Row]) -> dict[int, int]:
    """Candidate -> the candidate of its present name."""
    by_name = {(row["server"], row["full_name"].lower()): key for key, row in candidates.items()}
    present = {}
    for key, row in candidates.items():
        seen = {key}
        while row["renamed_to"]:
            following = by_name.get((row["server"], row["renamed_to"].lower()))
            if following is None or following in seen:
                break
            seen.add(following)
            row = candidates[following]
        present[key] = row["id"]
    return present


def _totals(every: Mapping[int, Row], current: list[Row], confirmed: list[Row], taken: list[Row]) -> list[Row]:
    probed = sum(row["outcome"] is not None for row in current)
    counts = {
        "names": len(every),
        "repositories": len(current),
        "probed": probed,
        "confirmed": len(confirmed),
        "taken": len(taken),
        "with metadata": sum(row["metadata_at"] is not None for row in current),
    }
    return [{"what": name, "count": count} for name, count in counts.items()]


def _channels(store: Store, current: list[Row], taken: set[int], found_by: Mapping[int, set[str]]) -> list[Row]:
    names = sorted({name for found in found_by.values() for name in found})
    hits = {row["channel"]: row["hits"] for row in store.rows("SELECT channel, sum(hits) AS hits FROM discoveries GROUP BY 1")}
    rows = []
    for name in names:
        mine = [row for row in current if name in found_by.get(row["id"], ())]
        others = set(names) - {name, *_DERIVED}
        rows.append(
            {
                "channel": name,
                "hits": hits.get(name, 0),
                "found": len(mine),
                "probed": sum(row["outcome"] is not None for row in mine),
                "confirmed": sum(bool(row["confirmed"]) for row in mine),
                "taken": sum(row["id"] in taken for row in mine),
                "confirmed_by_no_other": sum(bool(row["confirmed"]) and not found_by[row["id"]] & others for row in mine),
            }
        )
    return rows


def _exclusions(candidates: Iterable[Row]) -> list[Row]:
    counts = Counter(row["exclusion"] for row in candidates if row["exclusion"])
    return [{"reason": reason, "count": counts[reason], "meaning": words} for reason, words in REASONS.items() if counts[reason]]


def _layouts(confirmed: list[Row]) -> list[Row]:
    tests: dict[str, Callable[[Row], Any]] = {
        "v1 branch": lambda r: r["v1_oid"],
        "one ref per checkpoint": lambda r: r["checkpoint_refs"],
        "one ref per checkpoint, no v1 branch": lambda r: r["checkpoint_refs"] and not r["v1_oid"],
        "v2": lambda r: r["v2_oid"],
        f"{BRANCHES}sessions": lambda r: r["legacy_oid"],
        "shadow branches": lambda r: r["shadow_branches"],
        "notes of other tools": lambda r: r["notes"],
    }
    return [{"layout": name, "count": sum(bool(test(r)) for r in confirmed), "of": len(confirmed)} for name, test in tests.items()]


def _numbers(taken: list[Row], now: datetime) -> list[Row]:
    columns = {
        "stars": [row["stars"] for row in taken],
        "forks": [row["forks"] for row in taken],
        "size_kb": [row["size_kb"] for row in taken],
        "age_days": [_days(row["created_at"], now) for row in taken],
        "days_since_push": [_days(row["pushed_at"], now) for row in taken],
        "checkpoint_refs": [row["checkpoint_refs"] for row in taken],
    }
    rows = []
    for name, values in columns.items():
        known = [v for v in values if v is not None]
        found = {k: round(v, 1) for k, v in quantiles(known).items()}
        rows.append(
            {
                "number": name,
                "known": len(known),
                "of": len(values),
                **{k: found.get(k) for k in ("min", "q1", "median", "q3", "max")},
            }
        )
    return rows


def _days(text: str | None, now: datetime) -> float | None:
    try:
        return None if text is None else (now - datetime.fromisoformat(text)).total_seconds() / 86400
    except (ValueError, TypeError):
        return None


def _top(taken: list[Row], column: str) -> list[Row]:
    known = [row for row in taken if row["metadata_at"] is not None]
    counts = Counter(row[column] or "(none)" for row in known)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows: list[Row] = [{column: name, "count": count, "of": len(known)} for name, count in ordered]
    rest = sum(count for _, count in ordered[TOP:])
    return rows[:TOP] + ([{column: "(others)", "count": rest, "of": len(known)}] if rest else [])


def _used(found: list[set[str]]) -> list[Channel]:
    """Channels that look by themselves and found something confirmed."""
    return [c for c in channels() if c.independent and any(c.name in named for named in found)]


def _overlap(found: list[set[str]]) -> list[Row]:
    """Estimates from channels that look at different things, each pair and all together.

    Those that look at the same, as the default branch, are one list: that they agree says nothing about what both cannot see.
    """
    lists: dict[Scope, list[str]] = {}
    for channel in _used(found):
        lists.setdefault(channel.scope, []).append(channel.name)
    names = ["/".join(members) for members in lists.values()]
    seen = [frozenset(n for n, members in enumerate(lists.values()) if named.intersection(members)) for named in found]
    shared = [f"{' and '.join(members)} share the {scope}: one list" for scope, members in lists.items() if len(members) > 1]
    rows = []
    for first, second in combinations(range(len(names)), 2):
        both = sum({first, second} <= numbers for numbers in seen)
        counts = [sum(number in numbers for numbers in seen) for number in (first, second)]
        rows.append(_estimated(f"{names[first]}, {names[second]}", "chapman", both, chapman(counts[0], counts[1], both)))
    if len(names) > 1:
        times = [len(numbers) for numbers in seen]
        rows.append(_estimated("all", "chao", sum(n > 1 for n in times), chao(times, len(names))))
        model = log_linear(seen, len(names))
        if model is not None:
            dependent = [f"{names[a]} with {names[b]}" for a, b in model.pairs]
            rows.append(_estimated("all", "log-linear", sum(n > 1 for n in times), model.estimate, "; ".join(dependent)))
    for row in rows:
        if row:
            row["dependent"] = "; ".join(filter(None, (row["dependent"], *shared)))
    return [row for row in rows if row] or [_no_estimate(names[0], shared)] if names else []


def _no_estimate(names: str, shared: list[str]) -> Row:
    why = shared[0] if shared else "one channel alone has no overlap"
    empty = dict.fromkeys(("found", "by_both", "estimated", "low", "high", "share_found"))
    return {"channels": names, "method": "none", **empty, "dependent": why}


def _coverage(found: list[set[str]]) -> list[Row]:
    """What each channel is expected to find, and what it found of the confirmed ones that channels of another scope found."""
    used = {channel.name for channel in _used(found)}
    rows = []
    for channel in channels():
        others = {c.name for c in channels() if c.independent and c.scope is not channel.scope} & used
        witnessed = [named for named in found if named & others]
        mine = sum(channel.name in named for named in witnessed)
        measured = channel.name in used and bool(witnessed)
        rows.append(
            {
                "channel": channel.name,
                "looks_at": channel.scope.value,
                "expected_low": channel.coverage.low,
                "expected_high": channel.coverage.high,
                "found": mine if measured else None,
                "of": len(witnessed) if measured else None,
                "measured": round(mine / len(witnessed), 3) if measured else None,
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
