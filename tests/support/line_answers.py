"""What the program says about the lines of one commit of a built history, in a form that tests
can spell out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from collector.storage.store import Store
from collector.vocabulary.lines import Author, LineClass, line_class
from support.answers import analysed_store
from support.builder import Commit, World
from support.invariants import broken_checks


@dataclass(frozen=True, slots=True)
class Answer:
    """One added line: its text and everything the program says about it; "" where it says
    nothing.
    """

    text: str
    author: str
    how: str
    line_class: LineClass
    reason: str
    tool: str
    run_by: str
    edited_by: str
    witness: str
    seen_without: str  # times as in the database
    seen_with: str

    @property
    def source(self) -> str:
        """`agent`, `human`, `tool prettier agent`, `unknown agent_text`, …"""
        detail = f"{self.tool} {self.run_by}" if self.author == Author.TOOL else self.reason
        return f"{self.author} {detail}".strip()


_COLUMNS = (
    "author",
    "how",
    "reason",
    "tool",
    "run_by",
    "edited_by",
    "witness",
    "seen_without_at",
    "seen_with_at",
)


def answers(
    world: World, commit: Commit, directory: Path, prepare: Callable[[Path], None] = lambda _: None
) -> dict[str, list[Answer]]:
    """Path -> answers about the lines that `commit` adds, in order. The whole program runs on the
    built repository.

    `prepare`: what else is done to the clone before.
    """
    repository = directory / "repo"
    world.build(repository)
    prepare(repository)
    with analysed_store(repository, directory / "out.db") as store:
        assert not broken_checks(store)
        rows = store.rows(
            "SELECT * FROM line_spans WHERE commit_sha = ? ORDER BY path, start_line", (commit.sha,)
        )
    found: dict[str, list[Answer]] = {}
    for row in rows:
        said = [row[name] or "" for name in _COLUMNS]
        author, how, *rest = said
        kind = line_class(author, row["evidence"], row["reason"])
        lines = commit.files[row["path"]].lines[row["start_line"] - 1 : row["end_line"]]
        found.setdefault(row["path"], []).extend(
            Answer(line.text, author, how, kind, *rest) for line in lines
        )
    return found


def lines_of(found: dict[str, list[Answer]]) -> list[Answer]:
    """The answers of all files."""
    return [one for several in found.values() for one in several]


def about(found: dict[str, list[Answer]], text: str) -> Answer:
    """The only added line that holds this text."""
    (one,) = [one for one in lines_of(found) if text in one.text]
    return one


def session_count(directory: Path) -> int:
    """How many sessions the last run in this directory found."""
    with Store(directory / "out.db", create=False) as store:
        return len(store.rows("SELECT id FROM sessions"))
