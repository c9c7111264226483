"""One repository at a glance: who wrote what is there now, week by week, how long it lives, the
sessions behind it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from attribution.queries.coverage import Headline, headline
from attribution.queries.coverage import sum_by_class as sum_by_class
from attribution.queries.repositories import RepositoryRow, repository
from collector.json_values import Numbers, Row
from collector.storage.store import Store
from collector.storage.views import Table, read_view
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES

CLASSES = LINE_CLASSES
_MOST = 15  # rows of a table
_LATEST = 12  # sessions
_LINES = ("lines", "agent=agent lines", "classes=by class")

"""Class -> lines with text; in the tip also `older`, for lines that are not in the attributed
history. Charts draw it as it is.
"""


class Section(NamedTuple):
    """A table under a heading."""

    title: str
    table: Table
    columns: Sequence[str]  # as `collector.console.tables` takes them
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Overview:
    """Lines are lines with text of source and test files.

    `tip` and `survival` are empty when lines were not followed.
    """

    repo: RepositoryRow
    commits: int
    linked: int
    sessions: int
    agents: list[str]
    headline: Headline
    weeks: dict[str, Numbers]  # Monday -> class -> lines added
    sessions_by_week: Numbers
    tip: Numbers
    survival: dict[str, list[Row]]  # class -> rows of the table survival
    sections: list[Section]


def repositories(store: Store) -> Table:
    """All of them in order of their names; `tip` has the lines at HEAD by class, None where
    lines were not followed.
    """
    table = read_view(store, "repository_list", order="repo")
    tips: dict[int, Counter[str]] = defaultdict(Counter)
    for row in read_view(store, "tip_languages"):
        tips[row["repo_id"]].update(by_class(row))
    for row in table:
        row["tip"] = dict(tips[row["repo_id"]]) or None
    return table


def months(store: Store) -> dict[str, Numbers]:
    """2026-03 -> class -> lines that commits of that month added to source and test files, of a
    whole database.
    """
    return _lines_by_period(read_view(store, "daily_lines"), lambda day: day[:7])


def by_class(row: Row) -> Numbers:
    """The lines of a row at HEAD by class, older ones too."""
    return {name: row[name] for name in (*CLASSES, "older")}


def overview(store: Store, repo_id: int) -> Overview | None:
    """None when the database has no repository of that number."""
    repo = repository(store, repo_id)
    if repo is None:
        return None
    of_repo = {"repo_id": repo_id}
    (summary,) = read_view(store, "repository_list", of_repo)
    tips = [by_class(row) for row in read_view(store, "tip_languages", of_repo)]
    started = store.rows(
        "SELECT started_at FROM sessions WHERE repo_id = ? AND started_at IS NOT NULL ORDER BY 1",
        (repo_id,),
    )
    survival: dict[str, list[Row]] = {}
    for row in survival_table(store, repo_id):
        survival.setdefault(row["author"], []).append(row)
    return Overview(
        repo,
        summary["commits"],
        store.value(
            "SELECT COUNT(DISTINCT commit_id) FROM session_commits WHERE repo_id = ?", (repo_id,)
        ),
        summary["sessions"],
        summary["agents"],
        headline(store, repo_id),
        _lines_by_period(read_view(store, "daily_lines", of_repo, "day"), monday),
        dict(Counter(monday(row["started_at"]) for row in started)),
        {name: sum(tip[name] for tip in tips) for name in (*CLASSES, "older")} if tips else {},
        survival,
        [section for section in _sections(store, of_repo) if len(section.table)],
    )


def _sections(store: Store, of_repo: Row) -> list[Section]:
    sessions = read_view(
        store, "session_list", of_repo, "COALESCE(produced, 0) = 0, started_at DESC, id", _LATEST
    )
    table = read_view(
        store, "tip_files", of_repo | {"kind": sorted(HEADLINE)}, "agent DESC, path", _MOST
    )
    table.rows = [row | {"lines": sum(by_class(row).values())} for row in table if row["agent"]]
    return [
        Section(
            "By directory", _largest(store, "tip_directories", of_repo), ("directory", *_LINES)
        ),
        Section("By language", _largest(store, "tip_languages", of_repo), ("language", *_LINES)),
        Section("Files with the most agent lines", table, ("path=file", *_LINES)),
        Section(
            "Agents and models",
            read_view(
                store,
                "agent_sessions",
                of_repo,
                "produced DESC, sessions DESC, agent, model",
                _MOST,
            ),
            (
                "agent, model, transcript?, sessions, tool_calls, produced=lines written, "
                "lines=in commits"
            ),
        ),
        Section(
            "Latest sessions",
            sessions,
            (
                "label=session, agent, started_at, turns, tool_calls=calls, produced=written, "
                "agent_lines=in commits"
            ),
        ),
        Section(
            "Code rewritten back and forth",
            read_view(
                store, "region_list", of_repo | {"convergence": "oscillating"}, "rounds DESC, id", 8
            ),
            "path=file, rounds, sizes=lines changed in each, label=session",
        ),
        Section(
            "The recorder's percentage compared with ours",
            read_view(store, "recorder_differences", of_repo, "records DESC, reason"),
            (
                "reason=reason for the difference",
                "records",
                "theirs=theirs, mean %",
                "ours=ours, mean %",
            ),
        ),
        Section(
            "How we know: lines by evidence and reason",
            read_view(store, "evidence_shares", of_repo, "nonblank DESC, class, how"),
            "class, how, evidence, reason, nonblank=lines",
            folded=True,
        ),
        Section(
            "Problems: what could not be used",
            read_view(store, "problem_list", of_repo, "count DESC, stage, code", 10),
            "stage, code=kind, count=times, example",
            folded=True,
        ),
    ]


def _largest(store: Store, view: str, of_repo: Row) -> Table:
    table = read_view(store, view, of_repo, "lines DESC, 2", _MOST)
    table.rows = [row for row in table if row["lines"]]
    return table


def _lines_by_period(days: Iterable[Row], period: Callable[[str], str]) -> dict[str, Numbers]:
    """Period of a day -> class -> lines."""
    result: dict[str, Counter[str]] = defaultdict(Counter)
    for row in days:
        result[period(row["day"])].update({name: row[name] for name in CLASSES})
    return {name: dict(lines) for name, lines in result.items()}


def monday(day: str | None) -> str:
    """The first day of the week of a day, both in ISO 8601; "" when that is none."""
    try:
        start = date.fromisoformat((day or "")[:10])
    except ValueError:
        return ""
    return (start - timedelta(start.weekday())).isoformat()


def survival_table(store: Store, repo_id: int) -> Table:
    """Survival of lines by class and age in days."""
    return read_view(
        store,
        "survival",
        {"repo_id": repo_id, "grouping": "class", "unit": "days"},
        "author, horizon",
    )
