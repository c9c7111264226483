"""Some commits together, as a pull request has them: who wrote the lines, file by file."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from attribution.hooks import OfComment, sections
from attribution.queries.commit import CommitSummary, commit_summaries
from attribution.queries.coverage import AgentShare, headline, sum_by_class
from collector.checkpoints.entire import server_path
from collector.errors import WhoWroteError
from collector.json_values import Numbers, Texts
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.lines import HEADLINE, LINE_CLASSES, LineClass

_KINDS = sql_list(sorted(HEADLINE))


class FileLines(NamedTuple):
    """Lines that the commits added to a file of source or test."""

    path: str
    lines: Numbers  # class -> lines with text, every class

    @property
    def total(self) -> int:
        return sum(self.lines.values())


class PullRequest(NamedTuple):
    """What is known of the commits."""

    commits: list[CommitSummary]
    missing: int  # commits that are not in the database
    files: list[FileLines]  # most lines first
    sections: list[str]  # lines of Markdown that plug-ins add
    # the database has a recorded session: without one, the share of agents is what commits declare
    recorded: bool
    usual: AgentShare  # of all attributed commits of the repository
    reasons: Numbers  # why lines have no author -> lines, most first
    # key of a session -> branch and directory of its newest checkpoint
    checkpoints: Texts
    url: str | None  # of the repository's origin

    @property
    def lines(self) -> Numbers:
        """Class -> added lines with text of source and test files, every class."""
        return sum_by_class(commit.row for commit in self.commits)

    @property
    def share(self) -> AgentShare:
        return AgentShare.of(self.lines)

    @property
    def agent_percent(self) -> float | None:
        """What a badge shows and a limit judges; None without records of sessions, or without
        lines.
        """
        return self.share.percent if self.recorded else None


def pull_request(store: Store, shas: Sequence[str]) -> PullRequest:
    """Summarises the commits with these ids.

    Raises WhoWroteError when the database has none of them.
    """
    commits = commit_summaries(store, shas)
    if not commits:
        raise WhoWroteError(
            "none of these commits is in the database",
            "Attribute the branch first: whowrote repo PATH --branch NAME",
        )
    requested = {commit.row["commit_sha"] for commit in commits}
    added = [line for part in sections(store, OfComment(requested)) for line in part.words]
    recorded = bool(store.value("SELECT EXISTS (SELECT 1 FROM sessions)"))
    repo_id = commits[0].row["repo_id"]
    return PullRequest(
        commits,
        len(shas) - len(commits),
        _files(store, requested),
        added,
        recorded,
        headline(store, repo_id).share,
        _reasons(store, requested),
        _checkpoints(
            store,
            repo_id,
            {session["session_id"] for commit in commits for session in commit.sessions},
        ),
        store.value("SELECT url FROM repos WHERE id = ?", (repo_id,)),
    )


def _reasons(store: Store, requested: set[str]) -> Numbers:
    """Why lines of source and test files are unknown -> lines, most first."""
    counts: Counter[str] = Counter()
    for sha in sorted(requested):
        where = f"commit_sha = ? AND class = ? AND kind IN ({_KINDS})"
        sql = f"SELECT reason, SUM(nonblank) AS lines FROM line_spans WHERE {where} GROUP BY 1"
        counts.update(store.pairs(sql, (sha, LineClass.UNKNOWN)))
    return dict(counts.most_common())


def _checkpoints(store: Store, repo_id: int, sessions: set[int]) -> Texts:
    """Where the newest checkpoint of each session is on a branch that the forge shows."""
    rows = store.rows(
        "SELECT cs.session_id, s.key, c.checkpoint_id, c.ref FROM checkpoint_sessions cs "
        "JOIN checkpoints c ON c.id = cs.checkpoint_id JOIN sessions s ON s.id = cs.session_id "
        "WHERE c.repo_id = ? ORDER BY c.created_at",
        (repo_id,),
    )
    paths = {
        row["key"]: server_path(row["ref"], row["checkpoint_id"])
        for row in rows
        if row["session_id"] in sessions
    }
    return {key: path for key, path in paths.items() if path}


def _files(store: Store, requested: set[str]) -> list[FileLines]:
    result: dict[str, Counter[str]] = defaultdict(Counter)
    for sha in sorted(requested):
        for row in store.rows(
            "SELECT l.path, l.class, SUM(l.nonblank) AS lines FROM line_spans l JOIN commits c ON"
            f" c.id = l.commit_id WHERE c.commit_sha = ? AND l.kind IN ({_KINDS}) GROUP BY 1, 2",
            (sha,),
        ):
            result[row["path"]][row["class"]] += row["lines"]
    files = [
        FileLines(path, {name: of[name] for name in LINE_CLASSES}) for path, of in result.items()
    ]
    return sorted((file for file in files if file.total), key=lambda file: (-file.total, file.path))
