"""What would name the author of more lines, most lines first."""

from __future__ import annotations

from collections.abc import Sequence
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


def advice(store: Store, repo_id: int, clone: CloneState, branches: Sequence[tuple[str, int]]) -> list[Advice]:
    """`branches`: (name, sessions) of branches whose commits name checkpoints that the attributed ones do not."""
    lines = {row["reason"]: row["lines"] for row in store.rows(_UNKNOWN, (repo_id,))}
    # In a clone without any checkpoint also those that name an agent and no checkpoint.
    fetched = _FETCHED if store.value(_ANY_CHECKPOINT, (repo_id,)) else (*_FETCHED, Reason.NONE)
    waiting = sum(lines.get(reason, 0) for reason in fetched)
    uncounted = clone.shallow or store.value(_MISSING_FILE, (repo_id,)) is not None
    result = [_to_fetch(waiting, clone)] if waiting or uncounted else []
    agents = [f"{label_of(row['agent']) or 'not named'} ({row['sessions']})" for row in store.rows(_UNREAD, (repo_id,))]
    if agents:
        unread = f"sessions in a format that is not read yet: {', '.join(agents)}"
        result.append(Advice(lines.get(Reason.TRANSCRIPT_UNREADABLE, 0), unread))
    result.sort(key=lambda item: -item.lines)
    for name, sessions in branches:
        what = f"sessions whose commits are on branch {name} only: {sessions}"
        result.append(Advice(0, what, f"whowrote repo {quote(clone.path)} --branch {quote(name)}"))
    return result


# Source and test lines with text of which no action is known; also those that only the commit declares.
_UNKNOWN = (
    f"SELECT reason, SUM(nonblank) AS lines FROM line_spans WHERE repo_id = ? AND kind IN ({sql_list(sorted(HEADLINE))}) "
    "AND author IN ('unknown', 'declared') GROUP BY 1"
)
_ANY_CHECKPOINT = "SELECT 1 FROM checkpoints WHERE repo_id = ? LIMIT 1"
_MISSING_FILE = (
    "SELECT 1 FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? AND f.content = 'missing' LIMIT 1"
)
_UNREAD = (
    "SELECT COALESCE(agent_label, '') AS agent, COUNT(*) AS sessions FROM sessions "
    "WHERE repo_id = ? AND transcript = 'unknown_format' GROUP BY 1 ORDER BY 2 DESC, 1"
)


def _to_fetch(count: int, clone: CloneState) -> Advice:
    if not clone.has_remote:
        return Advice(count, "checkpoints, transcripts or files that this clone lacks; it has no remote named origin")
    what = (
        f"{'history, ' if clone.shallow else ''}checkpoints, transcripts or files that this clone lacks; "
        "fetch them if the server has them, then attribute again"
    )
    return Advice(count, what, fetch_command(clone.path, clone.shallow, clone.partial))


def unnamed_checkpoints(store: Store, repo_id: int) -> dict[str, set[int]]:
    """Checkpoints that no attributed commit names, with their sessions; snapshots at the end of a turn left out."""
    sessions: dict[str, set[int]] = {}
    for row in store.rows(
        "SELECT c.checkpoint_id AS id, cs.session_id AS session FROM checkpoints c JOIN checkpoint_sessions cs "
        "ON cs.checkpoint_id = c.id WHERE c.repo_id = ? AND c.store <> 'shadow' "
        "AND NOT EXISTS (SELECT 1 FROM commit_checkpoint_links l WHERE l.checkpoint = c.id)",
        (repo_id,),
    ):
        sessions.setdefault(row["id"], set()).add(row["session"])
    return sessions
