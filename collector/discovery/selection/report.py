"""Selection statistics: what each channel found, what was confirmed, what was left out and why.

A repository that was renamed counts once, under its present name, with the channels of all its
names.
"""

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from collector.checkpoints.entire import BRANCHES
from collector.discovery.records import CHECKPOINTS, records
from collector.discovery.words import Exclusion
from collector.json_values import Numbers, Row, Texts
from collector.storage.store import Store

# no channels: a new name, and a place of checkpoints that a repository names
DERIVED = ("renamed", "checkpoint_remote")
TOP = 10

# There may be a million candidates: SQLite counts them, and no list of all of them is held.
_CURRENT = "candidates c WHERE c.id NOT IN (SELECT id FROM temp.renamed)"
_CONFIRMED = "c.confirmed IS TRUE"
_TAKEN = "c.exclusion IS NULL AND (c.confirmed IS TRUE OR c.notes <> '' OR c.records <> '')"
_LAYOUTS = {
    "v1 branch": "c.v1_oid <> ''",
    "one ref per checkpoint": "c.checkpoint_refs <> 0",
    "one ref per checkpoint, no v1 branch": (
        "c.checkpoint_refs <> 0 AND COALESCE(c.v1_oid, '') = ''"
    ),
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
_CURSORS = (
    "SELECT channel, state, count(*) AS slices, sum(found) AS results FROM cursors GROUP BY"
    " channel, state ORDER BY 1, 2"
)


def report(store: Store, now: datetime) -> dict[str, list[Row]]:
    """Sections, each a list of rows with the same columns. Raises DatabaseUnusable."""
    with _one_moment(store, now):
        totals = _totals(store)
        counts = _count(store, f"{_CURRENT} AND {_CONFIRMED}", _LAYOUTS)
        return {
            "totals": [{"what": name, "count": count} for name, count in totals.items()],
            "channels": _channels(store, _groups(store)),
            "exclusions": _exclusions(store),
            "layouts": [
                {"layout": name, "count": count, "of": totals["confirmed"]}
                for name, count in counts.items()
            ],
            "records": _records(store),
            "numbers": _numbers(store, totals["taken"]),
            "languages": _top(store, "language"),
            "licences": _top(store, "licence"),
            "cursors": store.rows(_CURSORS),
        }


@contextmanager
def _one_moment(store: Store, now: datetime) -> Iterator[None]:
    """What is read inside does not change; `temp.renamed` has the candidates that are another
    one under their present name.
    """
    with store.snapshot() as connection:
        connection.create_function("days_since", 1, partial(_days, now), deterministic=True)
        connection.execute(
            "CREATE TEMP TABLE renamed (id INTEGER PRIMARY KEY, present INTEGER NOT NULL)"
        )
        connection.execute(
            "INSERT INTO temp.renamed WITH RECURSIVE chain (id, present, steps) AS ("
            "  SELECT id, id, 0 FROM candidates WHERE renamed_to <> ''"
            "  UNION SELECT chain.id, n.id, steps + 1 FROM chain JOIN candidates c ON c.id ="
            " chain.present"
            "  JOIN candidates n ON n.server = c.server AND n.full_name = c.renamed_to"
            "  WHERE n.id <> chain.id AND steps < 10"  # names may lead in a circle
            ") SELECT id, present FROM (SELECT id, present, max(steps) FROM chain GROUP BY id)"
            " WHERE present <> id"
        )
        yield


def _days(now: datetime, text: str | None) -> float | None:
    try:
        if text is None:
            return None
        return (now - datetime.fromisoformat(text)).total_seconds() / 86400
    except (ValueError, TypeError):
        return None


def _count(store: Store, source: str, tests: Texts) -> Numbers:
    """Of the rows of `source`: how many pass each test."""
    columns = ", ".join(
        f'count(*) FILTER (WHERE {test}) AS "{name}"' for name, test in tests.items()
    )
    (row,) = store.rows(f"SELECT {columns} FROM {source}")
    return row


def _totals(store: Store) -> Numbers:
    tests = {
        "repositories": "TRUE",
        "probed": "c.outcome IS NOT NULL",
        "confirmed": _CONFIRMED,
        "taken": _TAKEN,
        "with metadata": "c.metadata_at IS NOT NULL",
    }
    return _count(store, "candidates", {"names": "TRUE"}) | _count(store, _CURRENT, tests)


def _groups(store: Store) -> list[Row]:
    """Repositories that the same channels found; one set of channels may be in several groups."""
    rows = store.rows(
        "WITH sets AS (SELECT COALESCE(r.present, d.candidate_id) AS id, json_group_array(DISTINCT"
        " d.channel) AS channels FROM discoveries d LEFT JOIN temp.renamed r ON r.id ="
        " d.candidate_id GROUP BY 1) SELECT s.channels, count(*) AS found, count(c.outcome) AS"
        f" probed, count(*) FILTER (WHERE {_CONFIRMED}) AS confirmed, count(*) FILTER (WHERE"
        f" {_TAKEN}) AS taken FROM sets s CROSS JOIN {_CURRENT} AND c.id = s.id GROUP BY s.channels"
    )
    return [row | {"channels": frozenset(json.loads(row["channels"]))} for row in rows]


def _channels(store: Store, groups: list[Row]) -> list[Row]:
    hits = store.pairs(_HITS)
    rows = []
    for name, count in hits.items():
        mine = [group for group in groups if name in group["channels"]]
        others = hits.keys() - {name, *DERIVED}
        counts = {
            column: sum(group[column] for group in mine)
            for column in ("found", "probed", "confirmed", "taken")
        }
        alone = sum(group["confirmed"] for group in mine if not group["channels"] & others)
        rows.append({"channel": name, "hits": count, **counts, "confirmed_by_no_other": alone})
    return rows


def _exclusions(store: Store) -> list[Row]:
    counts = store.pairs("SELECT exclusion, count(*) FROM candidates GROUP BY 1")
    return [
        {"reason": word.value, "count": counts[word], "meaning": word.meaning}
        for word in Exclusion
        if word in counts
    ]


def _records(store: Store) -> list[Row]:
    """For how many repositories each kind of record speaks, and how many of them are taken."""
    has = {name: f"(' ' || c.records || ' ') LIKE '% {name} %'" for name in records()} | {
        CHECKPOINTS: _CONFIRMED
    }
    found = _count(store, _CURRENT, has)
    taken = _count(store, f"{_CURRENT} AND {_TAKEN}", has)
    return [{"record": name, "found": found[name], "taken": taken[name]} for name in has]


def _numbers(store: Store, taken: int) -> list[Row]:
    rows = []
    for name, number in _NUMBERS.items():
        source = f"{_CURRENT} AND {_TAKEN} AND ({number}) IS NOT NULL"
        count = _count(store, source, {"known": "TRUE"})["known"]
        ordered = (
            value
            for (value,) in store.connection.execute(f"SELECT {number} FROM {source} ORDER BY 1")
        )
        shares = zip(("min", "q1", "median", "q3", "max"), _quartiles(count, ordered), strict=True)
        rows.append({"number": name, "known": count, "of": taken, **dict(shares)})
    return rows


def _quartiles(count: int, ordered: Iterable[float]) -> list[float | None]:
    """Minimum, quartiles and maximum of so many values, the smallest first, which are not held;
    linear between the nearest two.
    """
    if not count:
        return [None] * 5
    positions = [share * (count - 1) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    needed = {
        number for position in positions for number in (math.floor(position), math.ceil(position))
    }
    values = {number: value for number, value in enumerate(ordered) if number in needed}
    pairs = [
        (values[math.floor(position)], values[math.ceil(position)], position % 1)
        for position in positions
    ]
    return [round(low + (high - low) * share, 1) for low, high, share in pairs]


def _top(store: Store, column: str) -> list[Row]:
    source = f"{_CURRENT} AND {_TAKEN} AND c.metadata_at IS NOT NULL"
    total = _count(store, source, {"total": "TRUE"})["total"]
    rows = store.rows(
        f"SELECT COALESCE(NULLIF(c.{column}, ''), '(none)') AS {column}, count(*) AS count, ? AS of"
        f" FROM {source} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {TOP}",
        (total,),
    )
    others = total - sum(row["count"] for row in rows)
    if others:
        rows.append({column: "(others)", "count": others, "of": total})
    return rows
