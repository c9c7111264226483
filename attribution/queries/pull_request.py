"""Some commits together, as a pull request has them: who wrote the lines, file by file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attribution.queries.commit import CommitSummary, commit_summaries
from collector.errors import WhoWroteError
from collector.files.kinds import HEADLINE
from collector.plugins import hooks
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.lines import LINE_CLASSES, LineClass


class FileLines(NamedTuple):
    """Lines that the commits added to a file of source or test."""

    path: str
    lines: Mapping[str, int]  # class -> lines with text, every class

    @property
    def total(self) -> int:
        return sum(self.lines.values())


class PullRequest(NamedTuple):
    """What is known of the commits."""

    commits: list[CommitSummary]
    missing: int  # commits that are not in the database
    files: list[FileLines]  # most lines first
    sections: list[str]  # lines of Markdown that plug-ins add
    recorded: bool  # the database has a recorded session: without one, the share of agents is what commits declare

    @property
    def lines(self) -> dict[str, int]:
        """Class -> added lines with text of source and test files, every class."""
        return {name: sum(commit.row[name] for commit in self.commits) for name in LINE_CLASSES}

    @property
    def agent_percent(self) -> float | None:
        """Lines that agents wrote or commits declare, of all; None without records of sessions, or without lines."""
        whole = sum(self.lines.values())
        by_agents = self.lines[LineClass.AGENT] + self.lines[LineClass.DECLARED]
        return 100 * by_agents / whole if whole and self.recorded else None


def pull_request(store: Store, shas: Sequence[str]) -> PullRequest:
    """Summarises the commits with these ids. Raises WhoWroteError when the database has none of them."""
    commits = commit_summaries(store, shas)
    if not commits:
        raise WhoWroteError(
            "none of these commits is in the database", "Attribute the branch first: whowrote repo PATH --branch NAME"
        )
    requested = {commit.row["commit_sha"] for commit in commits}
    sections = [line for write in hooks("markdown_sections") for line in write(store, requested)]
    recorded = bool(store.value("SELECT EXISTS (SELECT 1 FROM sessions)"))
    return PullRequest(commits, len(shas) - len(commits), _files(store, requested), sections, recorded)


def _files(store: Store, requested: set[str]) -> list[FileLines]:
    result: dict[str, dict[str, int]] = defaultdict(dict)
    for sha in sorted(requested):
        for row in store.rows(
            "SELECT l.path, l.class, SUM(l.nonblank) AS lines FROM line_spans l JOIN commits c ON c.id = l.commit_id "
            f"WHERE c.commit_sha = ? AND l.kind IN ({sql_list(sorted(HEADLINE))}) GROUP BY 1, 2",
            (sha,),
        ):
            of = result[row["path"]]
            of[row["class"]] = of.get(row["class"], 0) + row["lines"]
    files = [FileLines(path, {name: of.get(name, 0) for name in LINE_CLASSES}) for path, of in result.items()]
    return sorted((file for file in files if file.total), key=lambda file: (-file.total, file.path))
