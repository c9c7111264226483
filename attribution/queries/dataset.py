"""Repositories, checkpoints, sessions and commits with their numbers, as published data sets of agents' sessions have them."""

from __future__ import annotations

from typing import NamedTuple

from collector.storage.store import Store, columns_of


class RepositoryTotals(NamedTuple):
    """Counts of one repository. Linked commits: those with a checkpoint that the clone has."""

    checkpoints: int
    sessions: int
    linked_commits: int
    linked_people: int  # authors of linked commits, by their addresses
    linked_added: int | None
    linked_deleted: int | None
    commits: int
    added: int | None
    deleted: int | None
    declared_commits: int | None  # a trailer or the author field names an agent
    declared_added: int | None
    declared_deleted: int | None
    last_run_at: str | None


def repository_totals(store: Store, repo_id: int) -> RepositoryTotals:
    return store.select(
        RepositoryTotals,
        "WITH every AS (SELECT * FROM commits WHERE repo_id = ?1), linked AS (SELECT * FROM every c WHERE EXISTS "
        "(SELECT 1 FROM commit_checkpoint_links l WHERE l.commit_id = c.id AND l.checkpoint IS NOT NULL)) SELECT "
        "(SELECT COUNT(*) FROM checkpoints WHERE repo_id = ?1) AS checkpoints, "
        "(SELECT COUNT(*) FROM sessions WHERE repo_id = ?1) AS sessions, (SELECT COUNT(*) FROM linked) AS linked_commits, "
        "(SELECT COUNT(DISTINCT author_email) FROM linked) AS linked_people, "
        "(SELECT SUM(lines_added) FROM linked) AS linked_added, (SELECT SUM(lines_deleted) FROM linked) AS linked_deleted, "
        "COUNT(*) AS commits, SUM(lines_added) AS added, SUM(lines_deleted) AS deleted, "
        "SUM(declared_agent IS NOT NULL) AS declared_commits, "
        "SUM(CASE WHEN declared_agent IS NOT NULL THEN lines_added END) AS declared_added, "
        "SUM(CASE WHEN declared_agent IS NOT NULL THEN lines_deleted END) AS declared_deleted, "
        "(SELECT MAX(finished_at) FROM stage_runs WHERE repo_id = ?1) AS last_run_at FROM every",
        (repo_id,),
    )[0]


# --- checkpoints ------------------------------------------------------------------------------------------------------


class CheckpointRow(NamedTuple):
    """Columns of `checkpoints`."""

    id: int
    checkpoint_id: str
    strategy: str | None
    branch: str | None
    cli_version: str | None
    author_email: str | None
    files_touched: int | None


def checkpoints(store: Store, repo_id: int) -> list[CheckpointRow]:
    """In order of time; shadow branches left out."""
    sql = f"SELECT {columns_of(CheckpointRow, 'c')} FROM checkpoints c WHERE c.repo_id = ? AND c.store <> 'shadow'"
    return store.select(CheckpointRow, f"{sql} ORDER BY c.created_at", (repo_id,))


class CheckpointSession(NamedTuple):
    checkpoint_id: int  # number of the row
    key: str


def checkpoint_sessions(store: Store, repo_id: int) -> list[CheckpointSession]:
    return store.select(
        CheckpointSession,
        "SELECT cs.checkpoint_id, s.key FROM checkpoint_sessions cs JOIN sessions s ON s.id = cs.session_id WHERE s.repo_id = ? "
        "ORDER BY cs.position",
        (repo_id,),
    )


class CheckpointCommit(NamedTuple):
    checkpoint: int  # number of the row
    commit_sha: str
    author_email: str | None
    lines_added: int | None
    lines_deleted: int | None


def checkpoint_commits(store: Store, repo_id: int) -> list[CheckpointCommit]:
    """Oldest commits first."""
    return store.select(
        CheckpointCommit,
        "SELECT l.checkpoint, c.commit_sha, c.author_email, c.lines_added, c.lines_deleted FROM commit_checkpoint_links l "
        "JOIN commits c ON c.id = l.commit_id WHERE c.repo_id = ? AND l.checkpoint IS NOT NULL ORDER BY c.position",
        (repo_id,),
    )


class CommitCheckpoint(NamedTuple):
    commit_id: int
    checkpoint_key: str
    checkpoint: int  # number of the row


def commit_checkpoints(store: Store, repo_id: int) -> list[CommitCheckpoint]:
    """In the order in which the commits name them."""
    return store.select(
        CommitCheckpoint,
        "SELECT l.commit_id, l.checkpoint_key, l.checkpoint FROM commit_checkpoint_links l "
        "JOIN commits c ON c.id = l.commit_id WHERE c.repo_id = ? AND l.checkpoint IS NOT NULL ORDER BY l.rowid",
        (repo_id,),
    )


# --- sessions ---------------------------------------------------------------------------------------------------------


class DatasetSession(NamedTuple):
    """A session with its counts and what became of its lines."""

    id: int
    key: str
    agent: str | None
    agent_label: str | None
    branch: str | None
    started_at: str | None
    ended_at: str | None
    turns: int
    checkpoints: int
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    agent_lines: int | None  # of its commits
    human_lines: int | None
    agent_percentage: float | None
    human_overwritten: int | None  # lines of agents that people changed
    human_deleted: int | None
    tool_calls: int
    tools: int  # different ones
    author_email: str | None  # of its commits
    attributed_at: str | None


def dataset_sessions(store: Store, repo_id: int) -> list[DatasetSession]:
    """In order of time."""
    return store.select(
        DatasetSession,
        "SELECT s.id, s.key, s.agent, s.agent_label, s.branch, s.started_at, s.ended_at, s.turns, s.checkpoints, s.input_tokens, "
        "s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, t.agent_lines, t.human_lines, t.agent_percentage, "
        "(SELECT SUM(cs.human_overwritten) FROM commit_sessions cs WHERE cs.session_id = s.id) AS human_overwritten, "
        "(SELECT SUM(cs.human_deleted + cs.not_committed) FROM commit_sessions cs WHERE cs.session_id = s.id) AS human_deleted, "
        "(SELECT COUNT(*) FROM tool_calls c WHERE c.session_id = s.id) AS tool_calls, "
        "(SELECT COUNT(DISTINCT name) FROM tool_calls c WHERE c.session_id = s.id) AS tools, "
        "(SELECT MIN(c.author_email) FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE cs.session_id = s.id) "
        "AS author_email, "
        "(SELECT finished_at FROM stage_runs g WHERE g.repo_id = s.repo_id AND g.stage = 'lines' AND g.subject = '') "
        "AS attributed_at "
        "FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id WHERE s.repo_id = ? ORDER BY s.started_at, s.id",
        (repo_id,),
    )


class SessionCopy(NamedTuple):
    """A checkpoint that holds a copy of a session."""

    session_id: int
    checkpoint: str
    strategy: str | None
    cli_version: str | None
    metadata: str | None  # JSON


def session_copies(store: Store, repo_id: int) -> list[SessionCopy]:
    """Oldest first; shadow branches left out."""
    return store.select(
        SessionCopy,
        "SELECT cs.session_id, c.checkpoint_id AS checkpoint, c.strategy, c.cli_version, cs.metadata "
        "FROM checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id WHERE c.repo_id = ? AND c.store <> 'shadow' "
        "ORDER BY COALESCE(cs.created_at, c.created_at)",
        (repo_id,),
    )


class SessionPath(NamedTuple):
    """A file of the repository that a session edited."""

    session_id: int
    path: str


def edited_paths(store: Store, repo_id: int) -> list[SessionPath]:
    return store.select(
        SessionPath,
        "SELECT DISTINCT e.session_id, e.path FROM edits e JOIN sessions s ON s.id = e.session_id WHERE s.repo_id = ? AND "
        "e.root IS NOT NULL ORDER BY e.path",
        (repo_id,),
    )


class SessionTool(NamedTuple):
    """The tool of one call."""

    session_id: int
    name: str


def called_tools(store: Store, repo_id: int) -> list[SessionTool]:
    """Call by call, as they stand in the transcripts."""
    return store.select(
        SessionTool,
        "SELECT c.session_id, c.name FROM tool_calls c JOIN sessions s ON s.id = c.session_id WHERE s.repo_id = ? ORDER BY c.id",
        (repo_id,),
    )


# --- commits ----------------------------------------------------------------------------------------------------------


class DatasetCommit(NamedTuple):
    """Columns of `commits`."""

    id: int
    commit_sha: str
    author_name: str | None
    author_email: str | None
    author_at: str
    committed_at: str
    subject: str | None
    declared_agent: str | None
    files: int | None  # None: its tree is not in the clone
    lines_added: int | None
    lines_deleted: int | None


def dataset_commits(store: Store, repo_id: int) -> list[DatasetCommit]:
    """Oldest first."""
    sql = f"SELECT {columns_of(DatasetCommit, 'c')} FROM commits c WHERE c.repo_id = ? ORDER BY c.position"
    return store.select(DatasetCommit, sql, (repo_id,))


class ChangedFile(NamedTuple):
    """A file that a commit changed, with its added lines by who wrote them."""

    commit_id: int
    path: str
    status: str
    lines_added: int
    lines_deleted: int
    agent_lines: int
    human_lines: int
    likely_human_lines: int


def changed_files(store: Store, repo_id: int) -> list[ChangedFile]:
    return store.select(
        ChangedFile,
        f"SELECT {columns_of(ChangedFile, 'f')} FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? "
        "ORDER BY f.path",
        (repo_id,),
    )
