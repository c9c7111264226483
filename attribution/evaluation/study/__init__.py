"""The tables of SWE-chat (arXiv 2604.20779) from any database, beside the published values.

A table is a query of tables.sql over the sessions of sessions.sql. `-- statistics:` in its head
says what becomes of its rows:

    pooled, mean, median    each row is a unit (a session): what it is grouped by, repo_id, top and
                            bottom of a ratio
    rate                    each row has findings and lines, and gets the rate per 1,000 lines

paper.toml has the published values by table, column and row. The labels of a judge are no query.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from math import inf
from pathlib import PurePosixPath
from typing import NamedTuple

from attribution.evaluation.estimates import Estimate, ratio_over_repositories, repository_sums
from attribution.evaluation.judge.queries import class_shares, judges
from attribution.features.tools import category_of
from attribution.lineage import minimum
from attribution.queries.features import features_ready
from attribution.stats.accuracy import audited_note
from attribution.stats.rates import RateCell, rate_if_enough
from collector.json_values import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.text import split_names, toml_beside
from collector.vocabulary import sql_list
from collector.vocabulary.lines import Author, coding_mode
from collector.vocabulary.sessions import TYPED

Unit = tuple[int, float, float]
"""Repository, top and bottom of the ratio of a session."""
_FEATURES = split_names(
    "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, "
    "session_runtime_s, agent_runtime_s, tool_counts, per_turn_agent_latency_s, "
    "interruption_events, turn_languages, files_seen, turn_classes, pushback_turns, "
    "turns_classified"
)


def study(store: Store) -> list[Table]:
    """Every table, in order. A table without data has no rows."""
    with _sessions(store):
        tables = [_table(store, query) for query in _queries()]
    return [*tables, _labels(store)]


@contextmanager
def _sessions(store: Store) -> Iterator[None]:
    """The temporary tables and the functions that the queries use."""
    connection = store.connection
    connection.create_function("coding_mode", 1, coding_mode, deterministic=True)
    connection.create_function("tool_category", 2, category_of)
    connection.create_function("published", 1, lambda name: json.dumps([*published_values(name)]))
    connection.create_function("file_type", 1, file_type, deterministic=True)
    connection.create_aggregate("quantile", 2, Quantile)  # type: ignore[arg-type]
    features = f"SELECT session_id AS has_features, {', '.join(_FEATURES)} FROM session_features"
    if not features_ready(store):
        features = (
            f"SELECT {', '.join(f'NULL AS {name}' for name in ('has_features', *_FEATURES))}"
            " WHERE 0"
        )
    for statement in (
        _text("sessions.sql").format(features=features, typed=sql_list(TYPED)).split(";\n")
    ):
        connection.execute(statement)
    try:
        yield
    finally:
        for name in ("study_groups", "study_modes", "study_sessions"):
            connection.execute(f"DROP TABLE temp.{name}")


def file_type(path: str) -> str:
    """Ending of a file's name in small letters."""
    return PurePosixPath(path.replace("\\", "/")).suffix.lower() or "no ending"


def _text(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text("utf-8")


@cache
def _paper() -> dict[str, dict[str, dict[str, float | str]]]:
    return toml_beside(__file__, "paper.toml")


def published_values(table: str) -> dict[str, Row]:
    """Key of a row of a table -> its columns with what the paper published; None where a version
    says nothing.
    """
    columns = _paper().get(table, {})
    keys = dict.fromkeys(key for values in columns.values() for key in values)
    return {key: {column: values.get(key) for column, values in columns.items()} for key in keys}


def join_published(name: str, rows: Sequence[Row], keys: Sequence[str]) -> list[Row]:
    """The rows with the published values of those that have the same values in the columns
    `keys`.
    """
    values = published_values(name)
    nothing = dict.fromkeys(_paper().get(name, ()))
    return [
        row | values.get(" | ".join(str(row[column]) for column in keys), nothing) for row in rows
    ]


class _Query(NamedTuple):
    name: str
    title: str
    statistics: tuple[str, ...]
    notes: list[str]
    sql: str


@cache
def _queries() -> list[_Query]:
    few = (
        f"No number of fewer than {minimum.SESSIONS} sessions (n); n = 0 cannot be asked of this"
        " database."
    )
    audited = audited_note(Author.AGENT, Author.HUMAN)
    words = {
        "few": few,
        "audited": f"{audited[:1].upper()}{audited[1:]}." if audited else "",
        "least": minimum.SESSIONS,
        "rate": minimum.RATE.lines,
    }
    queries = []
    for block in _text("tables.sql").strip().split("\n\n"):
        lines = block.splitlines()
        head, *notes = "\n".join(line[3:] for line in lines if line.startswith("-- ")).split("\n* ")
        first, _, statistics = head.partition("\nstatistics: ")
        name, _, title = first.partition(": ")
        sql = (
            "\n".join(line for line in lines if not line.startswith("--"))
            .rstrip(";")
            .replace("{least}", str(minimum.SESSIONS))
        )
        sentences = [" ".join(note.format(**words).split()) for note in notes]
        queries.append(
            _Query(
                name,
                title,
                tuple(statistics.split(", ")) if statistics else (),
                list(filter(None, sentences)),
                sql,
            )
        )
    return queries


def _table(store: Store, query: _Query) -> Table:
    rows = store.rows(query.sql)
    if rows:
        names = [*rows[0]]
        ends = [
            names.index(name) for name in ("repo_id", "lines") if name in names and query.statistics
        ]
        keys = names[: min(ends, default=1)]
        if query.statistics == ("rate",):
            rows = add_rates(rows)
        elif query.statistics:
            rows = ratio_rows(query.name, rows, keys, query.statistics)
        rows = join_published(query.name, rows, keys)
    return table_of(rows, notes=query.notes, name=query.name, title=query.title)


def add_rates(rows: Sequence[Row]) -> list[Row]:
    """Rows with findings and lines, and the rate per 1,000 lines with its interval."""
    rates = [(row, rate_if_enough(RateCell(row["findings"], row["lines"]))) for row in rows]
    return [
        row | {"per 1,000 lines": rate.rate, "low": rate.low, "high": rate.high}
        for row, rate in rates
    ]


def ratio_rows(
    name: str, units: Sequence[Row], keys: Sequence[str], statistics: Sequence[str]
) -> list[Row]:
    """A row for each group of units, and for those that were published alone; no number where the
    sessions are too few.

    `n`: its units; `of`: the sum of their bottoms.
    """
    groups = defaultdict(list)
    for row in units:
        groups[tuple(row[column] for column in keys)].append(
            (row["repo_id"], row["top"], row["bottom"])
        )
    for key in published_values(name):
        groups.setdefault(tuple(key.split(" | ")), [])
    return [
        dict(zip(keys, key, strict=True)) | _ratio_row(members, statistics)
        for key, members in groups.items()
    ]


def _ratio_row(units: Sequence[Unit], statistics: Sequence[str]) -> Row:
    row: Row = {
        "n": len(units),
        "of": sum(bottom for _, _, bottom in units),
        "repositories": len({unit[0] for unit in units}),
    }
    enough = len(units) >= minimum.SESSIONS
    for name in statistics:
        if name == "median":
            row[name] = (
                quantile([top / bottom for _, top, bottom in units if bottom], 0.5)
                if enough
                else None
            )
        else:
            estimate = RATIOS[name](units) if enough else Estimate()
            row |= {
                name: estimate.value,
                f"{name}_low": estimate.low,
                f"{name}_high": estimate.high,
            }
    return row


def pooled_ratio(units: Sequence[Unit]) -> Estimate:
    """Sum over sum; the interval is over repositories, as the sessions of one are not
    independent.
    """
    limits = (0.0, 1.0 if all(top <= bottom for _, top, bottom in units) else inf)
    # With two repositories an interval would say nothing.
    return ratio_over_repositories(
        repository_sums((repo, (b, t)) for repo, t, b in units), limits, minimum.REPOSITORIES
    )


def mean_ratio(units: Sequence[Unit]) -> Estimate:
    """Mean of the ratios of the units; units with nothing below the line are left out."""
    return pooled_ratio([(repo, top / bottom, 1.0) for repo, top, bottom in units if bottom])


RATIOS: dict[str, Callable[[Sequence[Unit]], Estimate]] = {
    "pooled": pooled_ratio,
    "mean": mean_ratio,
}


def quantile(values: Sequence[float], share: float) -> float | None:
    """Linear between the two nearest; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = int(position)
    return ordered[below] + (position - below) * (
        ordered[min(below + 1, len(ordered) - 1)] - ordered[below]
    )


class Quantile:
    """`quantile(value, share)` as an aggregate function of SQL."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.share = 0.5

    def step(self, value: float, share: float) -> None:
        self.values.append(value)
        self.share = share

    def finalize(self) -> float | None:
        return quantile(self.values, self.share)


def _labels(store: Store) -> Table:
    """Labels of the judge that answered last; its shares are over what it could tell."""
    title = (
        "Labels of the judge: what messages ask for, how often they push back, how sessions went"
    )
    latest = next(iter(judges(store)), None)
    if latest is None:
        note = "No label is stored; `whowrote data judge run` asks a model (docs/judge.md)."
        return table_of([], notes=[note], name="judge_labels", title=title)
    columns = ("label", "class", "n", "of", "share", "corrected", "low", "high")
    rows = []
    for share in class_shares(store, latest, None):
        number = {} if share["class"] else {"class": "mean", "share": share["mean"]}
        rows.append(
            {name: share.get(name) for name in columns} | number | {"note": share.get("note", "")}
        )
    notes = [
        (
            f"Judge: {latest.model}, prompts of version {latest.prompt_version}. Corrected shares"
            " take out the errors measured against people's labels (Rogan and Gladen); without a"
            " validation they are missing, and the counted share may be far off."
        ),
        (
            "The paper's judges were other models with other prompts, on Claude Code's sessions for"
            " pushback. It gives pushback by coding mode; here stands the mean of the three"
            " (`pushback_by_mode` has each)."
        ),
    ]
    rows = join_published("judge_labels", rows, ("label", "class"))
    return table_of(rows, notes=notes, name="judge_labels", title=title)
