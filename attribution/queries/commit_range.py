"""The commits of a range with their lines by author: as a log, and added up.

A range is written as in git: `A..B` for what B has and A does not, or one name for all that it has.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from attribution.queries.coverage import code_lines, kind_lines
from attribution.queries.open_repo import OpenRepo, stand_at
from attribution.queries.verdicts import NO_COMMIT
from collector.errors import UnknownBranch
from collector.json_values import Numbers, Row, jsonable
from collector.storage.store import Store, iso
from collector.storage.views import Table, described_view, read_view, table_of
from collector.text import count_of, printable
from collector.vocabulary import sql_list
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES, LineClass

_AT_ONCE = 500  # commits in one statement


class RangeCommit(NamedTuple):
    sha: str
    parents: int
    author_name: str
    author_at: str  # UTC
    subject: str


@dataclass(frozen=True, slots=True)
class RangeStats:
    """The lines of a range added up.

    Lines are lines with text, of source and test files but in `kinds`.
    """

    repo: str
    range: str
    commits: int
    merges: int
    not_in_database: int  # commits of which nothing is known
    with_sessions: int  # commits that recorded sessions wrote lines of
    lines: Numbers  # every class
    unknown_because: Numbers  # reason -> lines that are unknown, most first
    kinds: Table
    models: Table  # agent, model, sessions, lines that these wrote

    @property
    def total(self) -> int:
        return sum(self.lines.values())

    @property
    def covered(self) -> int:
        """Lines with an author by evidence."""
        return sum(
            self.lines[name]
            for name in (LineClass.AGENT, LineClass.HUMAN, LineClass.LIKELY_HUMAN, LineClass.TOOL)
        )

    def data(self) -> Row:
        """Plain values, for --json."""
        return {**jsonable(self), "total": self.total, "covered": self.covered}

    def rows(self) -> list[Row]:
        """Plain values by class, for --csv."""
        return [
            {
                "range": self.range,
                "class": name,
                "lines": lines,
                "share": lines / self.total if self.total else None,
            }
            for name, lines in self.lines.items()
        ]


def commits_of(opened: OpenRepo, requested: str, since: str = "") -> list[RangeCommit]:
    """The commits of a range, newest first.

    `since`: only those authored then (ISO, UTC) or later. The clone stands at the last of them
    from then on. Raises UnknownBranch.
    """
    first, dots, last = requested.partition("..")
    if dots and last.startswith("."):
        raise UnknownBranch(
            f"{requested}: A...B is not supported", "Use A..B for what B has and A does not"
        )
    tip = _last_of(opened, requested)
    hidden = [opened.repo.resolve(first).sha if first else opened.tip] if dots else []
    stand_at(opened, tip)
    result = [
        RangeCommit(
            c.sha,
            len(c.parents),
            printable(c.author_name),
            iso(c.author_time) or "",
            printable(c.subject),
        )
        for c in opened.repo.history_of([tip], hidden)
    ]
    return [commit for commit in reversed(result) if commit.author_at >= since]


def _last_of(opened: OpenRepo, requested: str) -> str:
    first, dots, last = requested.partition("..")
    name = last if dots else first
    return opened.repo.resolve(name).sha if name else opened.tip


# --- what is known of them ------------------------------------------------------------------------


_KNOWN = (
    "SELECT commit_sha, id FROM commits WHERE repo_id = ? AND commit_sha IN (SELECT value FROM"
    " json_each(?))"
)
_LINES = (
    "SELECT kind, class, reason, SUM(nonblank) AS lines FROM line_spans "
    "WHERE commit_id IN (SELECT value FROM json_each(?)) GROUP BY 1, 2, 3"
)
_SESSIONS = (
    "SELECT l.commit_id, l.session_id, COALESCE(s.agent, s.agent_label, '') AS agent,"
    " COALESCE(l.model, s.model, '') AS model, SUM(l.nonblank) AS lines FROM line_spans l JOIN"
    " sessions s ON s.id = l.session_id WHERE l.commit_id IN (SELECT value FROM json_each(?)) AND"
    f" l.author = 'agent' AND l.kind IN ({sql_list(sorted(HEADLINE))}) GROUP BY 1, 2, 3, 4"
)


def log(opened: OpenRepo, requested: str = "", since: str = "", most: int | None = None) -> Table:
    """The commits of a range, newest first; `most`: only so many. Raises UnknownBranch.

    Of a commit that is not in the database, `commit_id` and the counts are None.
    """
    commits = commits_of(opened, requested, since)[:most]
    table = described_view("commit_list")
    rows: dict[str, Row] = {}
    for start in range(0, len(commits), _AT_ONCE):
        shas = [commit.sha for commit in commits[start : start + _AT_ONCE]]
        existing = read_view(
            opened.store, "commit_list", {"repo_id": opened.repo_id, "commit_sha": shas}
        )
        rows |= {row["commit_sha"]: row for row in existing}
    table.rows = [
        *(_rows_now(opened, table) if _last_of(opened, requested) == opened.tip else ()),
        *(rows.get(commit.sha) or _empty_row(table, opened, commit) for commit in commits),
    ]
    absent = len(commits) - len(rows)
    if absent:
        table.notes.append(f"note: not attributed, {count_of(absent, 'commit')}")
    return table


_FILES_NOW = (
    "SELECT f.path, f.status, l.class, l.nonblank, COALESCE(s.agent, s.agent_label, '') AS agent"
    " FROM commits c JOIN commit_files f ON f.commit_id = c.id LEFT JOIN line_spans l ON"
    " l.commit_id = c.id AND l.path = f.path LEFT JOIN sessions s ON s.id = l.session_id"
    " WHERE c.repo_id = ? AND c.commit_sha IN (?, ?) ORDER BY f.path, l.nonblank DESC"
)
_STATUS = {"D": "deleted: ", "R": "renamed: ", "A": "new: "}


def _rows_now(opened: OpenRepo, table: Table) -> list[Row]:
    """A row for each file of the working tree that is not as it was committed."""
    spans = opened.store.rows(_FILES_NOW, (opened.repo_id, *(opened.pending or ("", ""))))
    files: dict[str, Row] = {}
    for span in spans:
        commit = RangeCommit(NO_COMMIT, 1, "", "", _STATUS.get(span["status"], "") + span["path"])
        row = files.setdefault(
            span["path"], _empty_row(table, opened, commit) | dict.fromkeys(LINE_CLASSES, 0)
        )
        lines = span["nonblank"] or 0
        row["lines"] = (row["lines"] or 0) + lines
        if span["class"] is not None:
            row[span["class"]] += lines
        if span["class"] == LineClass.AGENT and span["agent"] not in row["agents"]:
            row["agents"] = [*row["agents"], span["agent"]]
    return list(files.values())


def _empty_row(table: Table, opened: OpenRepo, commit: RangeCommit) -> Row:
    named = {
        "repo_id": opened.repo_id,
        "commit_sha": commit.sha,
        "author_at": commit.author_at,
        "git_author": commit.author_name,
        "parents": commit.parents,
        "agents": [],
        "subject": commit.subject,
    }
    return dict.fromkeys((column.name for column in table.columns), None) | named


def stats(opened: OpenRepo, requested: str = "", since: str = "") -> RangeStats:
    """The lines of a range added up. Raises UnknownBranch."""
    commits = commits_of(opened, requested, since)
    shas = json.dumps([commit.sha for commit in commits])
    known = opened.store.pairs(_KNOWN, (opened.repo_id, shas))
    numbers = json.dumps(list(known.values()))
    lines = opened.store.rows(_LINES, (numbers,))
    sessions = opened.store.rows(_SESSIONS, (numbers,))
    kinds = kind_lines(lines)
    reasons = Counter[str]()
    for row in lines:
        if row["kind"] in HEADLINE and row["class"] == LineClass.UNKNOWN:
            reasons[row["reason"]] += row["lines"]
    return RangeStats(
        opened.name,
        requested or opened.branch,
        len(commits),
        sum(commit.parents > 1 for commit in commits),
        sum(commit.sha not in known for commit in commits),
        len({row["commit_id"] for row in sessions}),
        code_lines(kinds),
        dict(reasons.most_common()),
        kinds,
        _models(sessions),
    )


def _models(rows: Iterable[Row]) -> Table:
    lines = Counter[tuple[str, str]]()
    sessions = defaultdict[tuple[str, str], set[int]](set)
    for row in rows:
        lines[row["agent"], row["model"]] += row["lines"]
        sessions[row["agent"], row["model"]].add(row["session_id"])
    models = [
        {"agent": agent, "model": model, "sessions": len(sessions[agent, model]), "lines": count}
        for (agent, model), count in lines.most_common()
    ]
    return table_of(models, {"agent": "agent"})


# --- a page of them -------------------------------------------------------------------------------


PAGE = 100
_MERGED = re.compile(r"^Merge pull request #(\d+)")
_SQUASHED = re.compile(r"\(#(\d+)\)\s*$")


@dataclass(frozen=True, slots=True)
class CommitFilter:
    """Which commits; empty: all."""

    words: str = ""  # in the subject
    person: str = ""  # name of the author
    agent: str = ""  # of a linked session, or declared
    line_class: str = ""  # added at least one line of this class


def commit_page(
    store: Store, repo_id: int, commit_filter: CommitFilter, first: int = 0
) -> tuple[Table, int]:
    """The latest commits from `first` on, as rows of the view commit_list, and how many there
    are on all pages.
    """
    where_sql, values = _where(repo_id, commit_filter)
    every = store.value(f"SELECT COUNT(*) FROM commits c WHERE {where_sql}", values)
    sql = f"SELECT c.id FROM commits c WHERE {where_sql} ORDER BY c.position DESC LIMIT ? OFFSET ?"
    numbers = store.column(sql, (*values, PAGE, first))
    return read_view(store, "commit_list", {"commit_id": numbers}, "position DESC"), every


def _where(repo_id: int, commit_filter: CommitFilter) -> tuple[str, list[Any]]:
    conditions: list[str] = ["c.repo_id = ?"]
    result: list[Any] = [repo_id]
    if commit_filter.words:
        conditions.append("instr(lower(COALESCE(c.subject, '')), lower(?)) > 0")
        result.append(commit_filter.words)
    if commit_filter.person:
        conditions.append("c.author_name = ?")
        result.append(commit_filter.person)
    if commit_filter.agent:
        conditions.append(
            "(c.declared_agent = ? OR EXISTS (SELECT 1 FROM commit_sessions cs JOIN sessions s ON"
            " s.id = cs.session_id WHERE cs.commit_id = c.id AND s.agent = ?))"
        )
        result += [commit_filter.agent, commit_filter.agent]
    if commit_filter.line_class:
        conditions.append(
            "EXISTS (SELECT 1 FROM line_spans l WHERE l.commit_id = c.id AND l.class = ? AND"
            " l.nonblank > 0)"
        )
        result.append(commit_filter.line_class)
    return " AND ".join(conditions), result


def choices(store: Store, repo_id: int) -> dict[str, list[str]]:
    """What a filter can ask for: git authors and agents of the repository, most frequent first."""
    columns = {"persons": ("commits", "author_name"), "agents": ("sessions", "agent")}
    return {
        name: [
            row[column]
            for row in store.rows(_CHOICES.format(table=table, column=column), (repo_id,))
        ]
        for name, (table, column) in columns.items()
    }


_CHOICES = (
    "SELECT {column} FROM {table} WHERE repo_id = ? AND COALESCE({column}, '') <> '' GROUP BY 1"
    " ORDER BY COUNT(*) DESC, 1 LIMIT 200"
)


def pull_request(subject: str) -> int | None:
    """The number that GitHub and Gitea put into the subject of a merged pull request."""
    result = _MERGED.search(subject) or _SQUASHED.search(subject)
    return int(result[1]) if result and len(result[1]) < 10 else None
