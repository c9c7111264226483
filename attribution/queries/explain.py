"""One line explained: the verdict, how we know, the prompt and the call behind it, what else was done to the file, and why not
someone else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from attribution.queries.blame import BlameLine, blame
from attribution.queries.calls import CallExcerpt, call_of, neighbours_of
from attribution.queries.claims import LineClaim, claims_of
from attribution.queries.open_repo import SHORT, KnownRepo, OpenRepo
from attribution.queries.reasons import reasons
from attribution.queries.verdicts import LineAttribution
from collector.text import printable

_NAMING = "t.command IS NOT NULL AND instr(t.command, ?) > 0"
_ANY_COMMAND = "t.command IS NOT NULL AND ? <> ''"
_SUBAGENTS = "(lower(t.name) IN ('task', 'agent') OR t.name LIKE '%subagent%' OR instr(t.command, ?) > 0)"
_SUSPECTS = {"opaque_shell": _ANY_COMMAND, "git_operation": _ANY_COMMAND, "invisible_subagent": _SUBAGENTS}


@dataclass(frozen=True, slots=True)
class EarlierAction:
    """Something an agent did shortly before the commit."""

    at: str
    session: str
    what: str
    ours: bool  # the call that explains the line


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which the line can have been written: since the commit that changed the file before."""

    since: str
    until: str
    before: str  # that commit, short; "" when the file is new


@dataclass(slots=True)
class LineExplanation:
    """All there is to say about one line."""

    name: str
    path: str
    sha: str
    branch: str
    line: BlameLine
    by_blame: bool  # the line was followed back from a later commit
    evidence: list[str]  # how we know
    prompt: str
    turn_at: str
    call: CallExcerpt | None
    others: list[str]  # why not someone else
    actions: list[EarlierAction]
    needed: list[str]  # what would tell more
    notes: list[str]
    claims: list[LineClaim]

    def data(self) -> dict[str, Any]:
        call = asdict(self.call) if self.call else None
        return {
            "repo": self.name, "path": self.path, "at_commit": self.sha, **self.line.row(),
            "commit_subject": self.line.commit.subject if self.line.commit else "", "found_by_blame": self.by_blame,
            "session_label": self.line.said.label, "how_we_know": self.evidence, "prompt": self.prompt, "prompt_at": self.turn_at,
            "tool_call": call, "why_not_someone_else": self.others, "actions": [asdict(a) for a in self.actions],
            "to_know_more": self.needed, "notes": self.notes,
            "claims": [asdict(c) for c in self.claims],
        }  # fmt: skip


def explain(where: OpenRepo, file: str, number: int, commit: str = "") -> LineExplanation:
    """Why a line is whose it is. Raises UnknownBranch, WhoWroteError."""
    story = blame(where, file, commit, [number])
    found = story_of(where, story.lines[0], story.texts, story.path, story.sha)
    found.branch, found.notes = story.branch, story.notes
    return found


def story_of(where: KnownRepo, line: BlameLine, texts: Sequence[str], path: str, sha: str) -> LineExplanation:
    """Why a line of a file of a commit is whose it is; `texts` are all lines of the file, or none."""
    said = line.said
    window = _window(where, line)
    actions = _actions(where, line, window)
    turn = where.store.rows("SELECT at, prompt FROM turns WHERE session_id = ? AND turn_index = ?", (said.session_id, said.turn))
    why, needed = reasons(line)
    return LineExplanation(
        where.name,
        path,
        sha,
        where.branch,
        line,
        by_blame=line.birth.sha != sha,
        evidence=why,
        prompt=turn[0]["prompt"] or "" if turn else "",
        turn_at=turn[0]["at"] or "" if turn else "",
        call=call_of(where.store, line, neighbours_of(texts, line.line)),
        others=_others(line, actions, window),
        actions=actions,
        needed=needed,
        notes=[],
        claims=claims_of(where.store, where.repo_id, line.birth.sha, printable(line.birth.path), line.birth.line),
    )


def _window(where: KnownRepo, line: BlameLine) -> Window | None:
    if line.commit is None:
        return None
    path = printable(line.birth.path)
    rows = where.store.rows(
        "SELECT c.commit_sha, c.author_at FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? AND "
        "(f.path = ? OR f.path = (SELECT old_path FROM commit_files WHERE commit_id = ? AND path = ?)) AND c.position < "
        "(SELECT position FROM commits WHERE id = ?) AND c.author_at < ? ORDER BY c.position DESC LIMIT 1",
        (where.repo_id, path, line.commit.id, path, line.commit.id, line.commit.author_at),
    )
    before = rows[0] if rows else {"commit_sha": "", "author_at": ""}
    return Window(before["author_at"], line.commit.author_at, before["commit_sha"][:SHORT])


def _actions(where: KnownRepo, line: BlameLine, window: Window | None) -> list[EarlierAction]:
    """Edits of the file by any agent within the window, and what else may concern it: commands that name it, or all suspects."""
    if window is None:
        return []
    path = printable(line.birth.path)
    edits = where.store.rows(
        "SELECT e.at, s.label, e.op, e.outcome, e.lines_added, e.lines_removed, e.call_id, t.name FROM edits e "
        "JOIN sessions s ON s.id = e.session_id LEFT JOIN tool_calls t ON t.session_id = e.session_id AND t.call_id = e.call_id "
        "WHERE s.repo_id = ? AND e.path = ? AND e.at > ? AND e.at <= ?",
        (where.repo_id, path, window.since, window.until),
    )
    commands = where.store.rows(
        "SELECT t.at, s.label, t.name, t.command, t.input, t.call_id FROM tool_calls t JOIN sessions s ON s.id = t.session_id "
        f"WHERE s.repo_id = ? AND t.at > ? AND t.at <= ? AND {_SUSPECTS.get(line.said.reason, _NAMING)}",
        (where.repo_id, window.since, window.until, path.rpartition("/")[2]),
    )
    done = {e["call_id"] for e in edits}
    found = [EarlierAction(e["at"], e["label"], _edit_words(e), e["call_id"] == line.said.call_id) for e in edits]
    found += [
        EarlierAction(c["at"], c["label"], _command_words(c), c["call_id"] == line.said.call_id)
        for c in commands
        if c["call_id"] not in done
    ]
    return sorted(found, key=lambda a: a.at)


def _edit_words(row: Mapping[str, Any]) -> str:
    counts = "" if row["lines_added"] is None else f" +{row['lines_added']} -{row['lines_removed']}"
    return f"{row['name'] or row['op']}: {row['outcome'].replace('_', ' ')}{counts}"


def _command_words(row: Mapping[str, Any]) -> str:
    text = row["command"] or row["input"] or ""
    first = text.strip().split("\n", 1)[0]
    return f"{row['name']}: {first[:200]}"


def _others(line: BlameLine, actions: Sequence[EarlierAction], window: Window | None) -> list[str]:
    said = line.said
    if window is None or not said.author or said.how == "declared":
        return []
    span = f"between {window.before} and this commit" if window.before else "before this commit"
    file = line.birth.path
    rest = [a for a in actions if not a.ours]
    if said.author == "agent":
        sessions = {a.session for a in rest} - {said.label}
        others = f"{len(sessions)} other sessions touched it" if len(sessions) > 1 else "one other session touched it"
        who = others if sessions else "no other session touched it"
        where = (
            "its state here comes from this call" if said.evidence in ("observed", "replayed") else "this call is the best match"
        )
        return [f"{who.capitalize()} {span}, and {where}.", *_not_a_human(said)]
    if not rest:
        return [f"No recorded edit or command names {file} {span}."]
    times = "once" if len(rest) == 1 else f"{len(rest)} times"
    if said.author == "unknown" and said.reason in _SUSPECTS:
        return [f"Agents acted {times} {span} in ways that may be the cause (below)."]
    return [f"Agents edited or named {file} {times} {span} (below); none of it explains the line."]


def _not_a_human(said: LineAttribution) -> list[str]:
    if said.how in ("exact", "shell") and said.evidence in ("observed", "replayed"):
        return ["The line was there the moment the call ended: nobody needed to type it afterwards."]
    return []
