"""What would name the author of more lines, most lines first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from collector.checkpoints.entire import fetch_command
from collector.files.kinds import HEADLINE
from collector.vocabulary import sql_list
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import Reason

if TYPE_CHECKING:
    from collector.storage.store import Store

_FETCHED = (Reason.TRANSCRIPT_MISSING, Reason.CHECKPOINT_MISSING)


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that may help."""

    lines: int  # source and test lines with text that it may tell of; 0: not known before it is done
    what: str
    command: str = ""  # to run; "" when no command helps


class CloneState(NamedTuple):
    """What a fetch must know of the clone."""

    path: str
    shallow: bool
    partial: bool
    has_remote: bool


class UnnamedCheckpoints(NamedTuple):
    """Checkpoints that no attributed commit names."""

    ids: frozenset[str]
    sessions: Mapping[str, frozenset[int]]  # by checkpoint


def advice(store: Store, repo_id: int, clone: CloneState, branches: Sequence[tuple[str, int]]) -> list[Advice]:
    """`branches`: (name, sessions) of branches whose commits name checkpoints that the attributed ones do not."""
    lines = _unknown_lines(store, repo_id)
    result = [
        *_to_fetch(_waiting(store, repo_id, lines), _lacks_some(store, repo_id, clone), clone),
        *_to_read(store, repo_id, lines),
    ]
    result.sort(key=lambda item: -item.lines)
    for name, sessions in branches:
        what = f"sessions whose commits are on branch {name} only: {sessions}"
        result.append(Advice(0, what, f"whowrote repo {quote(clone.path)} --branch {quote(name)}"))
    return result


def unnamed_checkpoints(store: Store, repo_id: int) -> UnnamedCheckpoints:
    """Snapshots at the end of a turn left out: no commit ever names them."""
    sessions: dict[str, set[int]] = {}
    for row in store.rows(
        "SELECT c.checkpoint_id AS id, cs.session_id AS session FROM checkpoints c JOIN checkpoint_sessions cs "
        "ON cs.checkpoint_id = c.id WHERE c.repo_id = ? AND c.store <> 'shadow' "
        "AND NOT EXISTS (SELECT 1 FROM commit_checkpoint_links l WHERE l.checkpoint = c.id)",
        (repo_id,),
    ):
        sessions.setdefault(row["id"], set()).add(row["session"])
    return UnnamedCheckpoints(frozenset(sessions), {key: frozenset(several) for key, several in sessions.items()})


def _unknown_lines(store: Store, repo_id: int) -> dict[str, int]:
    """Reason -> source and test lines with text of which no action is known; also those that only the commit declares."""
    rows = store.rows(
        f"SELECT reason, SUM(nonblank) AS lines FROM line_spans WHERE repo_id = ? AND kind IN ({sql_list(sorted(HEADLINE))}) "
        "AND author IN ('unknown', 'declared') GROUP BY 1",
        (repo_id,),
    )
    return {row["reason"]: row["lines"] for row in rows}


def _has_missing_files(store: Store, repo_id: int) -> bool:
    """Whether the clone lacks file contents, whose lines nobody can count."""
    sql = "SELECT 1 FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? AND f.content = 'missing' LIMIT 1"
    return store.value(sql, (repo_id,)) is not None


def _waiting(store: Store, repo_id: int, lines: Mapping[str, int]) -> int:
    """Lines that a fetch may tell of; in a clone without any checkpoint also those that name an agent and no checkpoint."""
    if store.value("SELECT 1 FROM checkpoints WHERE repo_id = ? LIMIT 1", (repo_id,)) is not None:
        return sum(lines.get(reason, 0) for reason in _FETCHED)
    return sum(lines.get(reason, 0) for reason in (*_FETCHED, Reason.NONE))


def _lacks_some(store: Store, repo_id: int, clone: CloneState) -> bool:
    """Whether there are lines that nobody can count: of history that was cut off, and of files that were left out."""
    return clone.shallow or _has_missing_files(store, repo_id)


def _to_fetch(count: int, lacks_some: bool, clone: CloneState) -> list[Advice]:
    if not count and not lacks_some:
        return []
    if not clone.has_remote:
        return [Advice(count, "checkpoints, transcripts or files that this clone lacks; it has no remote named origin")]
    history = "history, " if clone.shallow else ""
    what = (
        f"{history}checkpoints, transcripts or files that this clone lacks; fetch them if the server has them, then attribute again"
    )
    return [Advice(count, what, fetch_command(clone.path, clone.shallow, clone.partial))]


def _to_read(store: Store, repo_id: int, lines: Mapping[str, int]) -> list[Advice]:
    """Transcripts that no reader understands."""
    rows = store.rows(
        "SELECT COALESCE(agent_label, '') AS agent, COUNT(*) AS sessions FROM sessions "
        "WHERE repo_id = ? AND transcript = 'unknown_format' GROUP BY 1 ORDER BY 2 DESC, 1",
        (repo_id,),
    )
    agents = [f"{label_of(row['agent']) if row['agent'] else 'not named'} ({row['sessions']})" for row in rows]
    if not agents:
        return []
    return [Advice(lines.get(Reason.TRANSCRIPT_UNREADABLE, 0), f"sessions in a format that is not read yet: {', '.join(agents)}")]
