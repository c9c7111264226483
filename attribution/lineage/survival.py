"""How long lines live: numbers over spans of lines, each weighted by its lines with text. Pure.

A line is born at the author time of the commit that wrote it and dies at the author time of the
commit that ended it; at the tip it is censored. Ages in commits count commits of the main line from
the one that brought the line to the first that did without it; a line that never reached the main
line is 0 commits old when it dies. Definitions: docs/survival.md.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from collector.groups import group_pairs
from collector.json_values import Numbers
from collector.text import file_name, split_names
from collector.vocabulary.lines import Author, Evidence, LineClass

DAYS = (1, 7, 30, 90, 180, 365)
COMMITS = (1, 10, 100)
REWORK_DAYS = 30
BY_AGENTS = (LineClass.AGENT, LineClass.DECLARED)
"""Classes of lines with a record and without."""
UNANSWERED = (LineClass.UNKNOWN, LineClass.UNDECLARED)
"""Anybody may have written them."""


@dataclass(frozen=True, slots=True)
class LifetimeRecord:
    """Lines with one author and one fate.

    Ages are at death, or at the tip for lines that are alive.
    """

    lines: int  # with text
    author: str  # agent | declared | human | unknown | undeclared | "" (not attributed)
    days: float  # 0 where times run backwards
    follow_days: float  # from birth to tip: how long they could be observed
    commits: int
    follow_commits: int
    dead: bool
    lost: bool = False  # not dead, but out of sight from then on
    path: str = ""
    repo: int = 0
    birth: int = 0  # the commit: its lines live and die together
    model: str = ""
    agent: str = ""
    session: int | None = None
    session_name: str = ""
    actor: str = ""
    actor_session: int | None = None
    cause: str = ""
    reverted_later: bool = False
    kind: str = ""  # of the file when they were written: source, test, docs, …
    dated: bool = False  # a person's, by the date of the commit
    edited_by: str = ""  # who changed an agent's line before the commit: human | unknown

    @property
    def is_old(self) -> bool:
        """Whether the lines could be followed for `REWORK_DAYS`."""
        seen = self.days if self.lost else self.follow_days
        return min(seen, self.follow_days) >= REWORK_DAYS


GROUPINGS: Mapping[str, Callable[[LifetimeRecord], str]] = {
    # lines of commits that are older than agents stand apart from those of other people
    "class": lambda r: Evidence.DATED if r.dated else r.author,
    "model": lambda r: r.model,
    "agent": lambda r: r.agent,
    "session": lambda r: r.session_name,
    "directory": lambda r: r.path.split("/", 1)[0] + "/" if "/" in r.path else ".",
    "language": lambda r: language(r.path),
}
OF_AGENTS = ("model", "agent", "session")  # groupings that only lines of agents have


def group_records(
    records: Iterable[LifetimeRecord], grouping: str
) -> dict[tuple[str, str], list[LifetimeRecord]]:
    """(name, class) -> its records; lines without a name are left out."""
    name = GROUPINGS[grouping]
    groups = group_pairs(
        ((name(record), record.author), record)
        for record in records
        if name(record) and (grouping not in OF_AGENTS or record.author in BY_AGENTS)
    )
    return dict(groups)


_NAMES = {
    "makefile": "make",
    "dockerfile": "docker",
    "go.mod": "go",
    "go.sum": "go",
    "cmakelists.txt": "cmake",
}
_SUFFIXES = {
    "htm": "html",
    "jsx": "js",
    "cjs": "js",
    "mjs": "js",
    "tsx": "ts",
    "mts": "ts",
    "cts": "ts",
    "yml": "yaml",
    "bash": "sh",
    "zsh": "sh",
    "h": "c",
    "hpp": "cpp",
    "cc": "cpp",
    "cxx": "cpp",
    "hh": "cpp",
    "markdown": "md",
    "pyi": "py",
    "txt": "text",
}


def language(path: str) -> str:
    """Language of a file by its name: the usual suffix of the language; "other" without a known
    suffix.
    """
    name = file_name(path).lower()
    if name in _NAMES:
        return _NAMES[name]
    stem, dot, suffix = name.rpartition(".")
    return (
        _SUFFIXES.get(suffix, suffix)
        if dot and stem and suffix.isalnum() and len(suffix) <= 10
        else "other"
    )


def ended_by(records: Iterable[LifetimeRecord]) -> Numbers:
    """Dead lines of agents, recorded or declared, by who ended them: same session, another
    session, agent (which session is not known), human, unknown.
    """
    count: Counter[str] = Counter()
    for r in records:
        if r.dead and r.author in BY_AGENTS:
            count[_ender(r)] += r.lines
    return {name: count[name] for name in ENDERS}


ENDERS = ("same session", "another session", "agent, session unknown", Author.HUMAN, Author.UNKNOWN)


def _ender(r: LifetimeRecord) -> str:
    if r.actor == Author.HUMAN:
        return Author.HUMAN
    if r.actor != Author.AGENT:
        return Author.UNKNOWN
    if r.actor_session is None or r.session is None:
        return "agent, session unknown"
    return "same session" if r.actor_session == r.session else "another session"


class RemovedLines(NamedTuple):
    """Lines with one author and one fate, and the commit that removed them."""

    removed_in: int  # number in `history_commits`; 0 while they are there
    record: LifetimeRecord


DELETION = split_names(
    "commit_id, author, author_session_id, actor, actor_session_id, cause, lines, "
    "youngest_days, mean_days, oldest_days"
)


def deletions(removed: Iterable[RemovedLines]) -> list[tuple[object, ...]]:
    """Lines of one author that one commit removed, by actor and cause: the columns `DELETION` of
    `deletions`.
    """
    groups = group_pairs(
        ((commit, r.author, r.session, r.actor, r.actor_session, r.cause), r)
        for commit, r in removed
        if r.dead and r.lines
    )
    rows: list[tuple[object, ...]] = []
    for key, records in groups.items():
        lines = sum(r.lines for r in records)
        mean = sum(r.lines * r.days for r in records) / lines
        ages = [r.days for r in records]
        rows.append((*key, lines, min(ages), mean, max(ages)))
    return rows
