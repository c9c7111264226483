"""One line explained: the verdict, how we know, the prompt and the call behind it, what else was
done to the file, and why not someone else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from attribution.hooks import OfLine, Section, sections
from attribution.queries.blame import BlameLine, blame
from attribution.queries.calls import CallExcerpt, call_of, neighbours_of
from attribution.queries.open_repo import SHORT, KnownRepo, OpenRepo
from attribution.queries.reasons import reasons
from attribution.queries.sessions import prompt
from attribution.queries.verdicts import NO_COMMIT, LineAttribution
from attribution.stats.accuracy import MeasuredTier, confidence_of, counted_on
from collector.text import printable
from collector.vocabulary.lines import Author, Evidence, Reason

_NAMING = "t.command IS NOT NULL AND instr(t.command, ?) > 0"
_ANY_COMMAND = "t.command IS NOT NULL AND ? <> ''"
_SUBAGENTS = (
    "(lower(t.name) IN ('task', 'agent') OR t.name LIKE '%subagent%' OR instr(t.command, ?) > 0)"
)
_NO_AGENT = (Reason.NO_SESSION,)  # there is no session whose text could hold the line
_SUSPECTS = {
    "opaque_shell": _ANY_COMMAND,
    "git_operation": _ANY_COMMAND,
    "invisible_subagent": _SUBAGENTS,
}


@dataclass(frozen=True, slots=True)
class EarlierAction:
    """Something an agent did shortly before the commit."""

    at: str
    session: str
    what: str
    ours: bool  # the call that explains the line


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which the line can have been written: since the commit that changed the file
    before.
    """

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
    sections: list[Section]  # what plug-ins say
    # how often lines of this kind are right, where readers checked; "" when nobody read any
    measured: str
    # calls of agents whose text holds a line that is not an agent's, see `earlier_texts`
    earlier: list[dict[str, Any]]

    def data(self) -> dict[str, Any]:
        """Plain values, for --json."""
        call = asdict(self.call) if self.call else None
        return {
            "repo": self.name,
            "path": self.path,
            **self.line.data(),
            "at_commit": self.sha,
            "commit_subject": self.line.commit.subject if self.line.commit else "",
            "found_by_blame": self.by_blame,
            "session_label": self.line.attribution.label,
            "how_we_know": self.evidence,
            "prompt": self.prompt,
            "prompt_at": self.turn_at,
            "tool_call": call,
            "why_not_someone_else": self.others,
            "actions": [asdict(a) for a in self.actions],
            "to_know_more": self.needed,
            "notes": self.notes,
            **{section.name: section.rows for section in self.sections},
            "measured": self.measured,
            "earlier_texts": self.earlier,
        }


def explain(opened: OpenRepo, file: str, number: int, commit: str = "") -> LineExplanation:
    """Why a line is whose it is. Raises UnknownBranch, WhoWroteError."""
    blamed = blame(opened, file, commit, [number])
    explanation = explain_line(opened, blamed.lines[0], blamed.texts, blamed.path, blamed.sha)
    explanation.branch, explanation.notes = blamed.branch, blamed.notes
    return explanation


def explain_line(
    opened: KnownRepo, line: BlameLine, texts: Sequence[str], path: str, sha: str
) -> LineExplanation:
    """Why a line of a file of a commit is whose it is; `texts` are all lines of the file, or
    none.
    """
    window = _window(opened, line)
    actions = _actions(opened, line, window)
    of = line.attribution
    asked = prompt(opened.store, of.session_id, of.turn)
    held = of.author == Author.UNKNOWN and of.reason not in _NO_AGENT
    earlier: list[dict[str, Any]] = []
    if window and held:
        # with the search for lines in texts of agents, which few lines need
        from attribution.queries.suspects import earlier_texts

        earlier = earlier_texts(opened.store, opened.repo_id, line.text or "", window.until)
    busy = of.author == "human" and any(
        of.seen_without_at < a.at <= (of.seen_with_at or "~") for a in actions
    )
    sentences = reasons(line, busy)
    introduced = line.introduced
    subject = OfLine(opened.repo_id, introduced.sha, printable(introduced.path), introduced.line)
    return LineExplanation(
        opened.name,
        path,
        sha,
        opened.branch,
        line,
        by_blame=introduced.sha not in (sha, NO_COMMIT),
        evidence=[*sentences.evidence, *_first_sign(opened, line)],
        prompt=asked.text,
        turn_at=asked.at,
        call=call_of(opened.store, line, neighbours_of(texts, line.line)),
        others=_others(line, actions, window),
        actions=actions,
        needed=sentences.needed,
        notes=[],
        sections=sections(opened.store, subject),
        measured=measured_words(of),
        earlier=earlier,
    )


_FIRST_SIGN = """
SELECT MIN(at) FROM (
  SELECT c.author_at AS at, c.author_email AS email FROM commits c WHERE c.repo_id = ?1
    AND (c.declared_agent IS NOT NULL
    OR c.checkpoint_ids > 0 OR EXISTS (SELECT 1 FROM commit_sessions s WHERE s.commit_id = c.id))
  UNION ALL SELECT s.started_at, k.author_email FROM sessions s JOIN checkpoint_sessions x
    ON x.session_id = s.id
    JOIN checkpoints k ON k.id = x.checkpoint_id WHERE s.repo_id = ?1
) WHERE lower(email) = (SELECT lower(author_email) FROM commits WHERE id = ?2)
"""


def _first_sign(opened: KnownRepo, line: BlameLine) -> list[str]:
    """When the author of a line that nothing links to an agent first gave a sign of one here.

    It decides nothing.
    """
    if (
        line.commit is None
        or line.attribution.reason != Reason.NO_SESSION
        or line.attribution.author != Author.UNKNOWN
    ):
        return []
    first = opened.store.value(_FIRST_SIGN, (opened.repo_id, line.commit.id))
    when = (
        f"first gave a sign of an agent here on {first[:10]}"
        if first
        else "gave no sign of an agent in this history"
    )
    return [f"{printable(line.commit.author_name)} {when}. That does not show who wrote this line."]


_BECAME = {
    "rejected": "refused by the user",
    "tool_error": "failed",
    "unmatched": "could not be replayed",
}


def earlier_words(call: Mapping[str, Any]) -> str:
    """A row of `LineExplanation.earlier` as one sentence."""
    what = f"edit of {call['path']}" if call["path"] else "call"
    became = _BECAME.get(call["outcome"], call["outcome"])
    return (
        f"{call['at'][:10]} {call['at'][11:16]} UTC {call['name']}: {what}, {became}:"
        f" {call['text'].strip()[:160]}"
    )


def measured_words(of: LineAttribution) -> str:
    """How often lines of which the same is known are right, where readers checked; "" when
    nobody read any.
    """
    if not of.author:
        return ""
    result = confidence_of(MeasuredTier(of.author, of.how, of.evidence, of.reason))
    verdict = "unknown was the right answer" if of.author == Author.UNKNOWN else "right"
    newest = (
        f"; in the newest audit of them, {result.newest_audit}, in {result.newest.words()}"
        if result.newest_audit
        else ""
    )
    return (
        f"{verdict} in {result.rate.words()} {result.measured_on.meaning}{newest}, {counted_on()}"
        if result.rate.checked
        else ""
    )


_BEFORE = """
SELECT c.commit_sha AS sha, c.author_at FROM commit_files f JOIN commits c ON c.id = f.commit_id
  WHERE c.repo_id = ?1
AND (f.path = ?2 OR f.path = (SELECT old_path FROM commit_files WHERE commit_id = ?3 AND path = ?2))
AND c.position < (SELECT position FROM commits WHERE id = ?3) AND c.author_at < ?4
  ORDER BY c.position DESC LIMIT 1
"""


def _window(opened: KnownRepo, line: BlameLine) -> Window | None:
    if line.commit is None:
        return None
    values = (
        opened.repo_id,
        printable(line.introduced.path),
        line.commit.id,
        line.commit.author_at,
    )
    for before in opened.store.rows(_BEFORE, values):
        return Window(before["author_at"], line.commit.author_at, before["sha"][:SHORT])
    return Window("", line.commit.author_at, "")


_EDITS = """
SELECT e.at, s.label AS session, e.call_id,
  COALESCE(NULLIF(t.name, ''), e.op) || ': ' || replace(e.outcome, '_', ' ')
    || CASE WHEN e.lines_added IS NULL THEN ''
      ELSE ' +' || e.lines_added || ' -' || COALESCE(e.lines_removed, 0) END AS what
FROM edits e JOIN sessions s ON s.id = e.session_id
LEFT JOIN tool_calls t ON t.session_id = e.session_id AND t.call_id = e.call_id
WHERE s.repo_id = ? AND e.path = ? AND e.at > ? AND e.at <= ?
"""
_COMMANDS = """
SELECT t.at, s.label AS session, t.call_id, t.name,
  COALESCE(NULLIF(t.command, ''), t.input, '') AS text
FROM tool_calls t JOIN sessions s ON s.id = t.session_id
WHERE s.repo_id = ?1 AND t.at > ?2 AND t.at <= ?3 AND
"""


def _actions(opened: KnownRepo, line: BlameLine, window: Window | None) -> list[EarlierAction]:
    """Edits of the file by any agent within the window, and what else may concern it: commands
    that name it, or all suspects.
    """
    if window is None:
        return []
    path, store, of = printable(line.introduced.path), opened.store, line.attribution
    edits = store.rows(_EDITS, (opened.repo_id, path, window.since, window.until))
    asked = (opened.repo_id, window.since, window.until)
    commands = store.rows(
        f"{_COMMANDS} {_SUSPECTS.get(of.reason, _NAMING)}", (*asked, path.rpartition("/")[2])
    )
    if of.author != "agent":
        from attribution.queries.suspects import works_on

        existing = {command["call_id"] for command in commands}
        every = store.rows(f"{_COMMANDS} t.command <> '' ORDER BY t.at DESC LIMIT 2000", asked)
        commands += [
            command
            for command in every
            if command["call_id"] not in existing and works_on(command["text"], path)
        ]
    editing = {edit["call_id"] for edit in edits}
    for command in commands:
        first = command["text"].strip().split("\n", 1)[0]
        command["what"] = f"{command['name']}: {first[:200]}"
    calls = [*edits, *(command for command in commands if command["call_id"] not in editing)]
    actions = [
        EarlierAction(call["at"], call["session"], call["what"], call["call_id"] == of.call_id)
        for call in calls
    ]
    return sorted(actions, key=lambda action: action.at)


def _others(line: BlameLine, actions: Sequence[EarlierAction], window: Window | None) -> list[str]:
    of = line.attribution
    if window is None or not of.author or of.how == "declared" or of.evidence == Evidence.DATED:
        return []
    span = f"between {window.before} and this commit" if window.before else "before this commit"
    file = line.introduced.path
    remainder = [action for action in actions if not action.ours]
    if of.author == "agent":
        sessions = {action.session for action in remainder} - {of.label}
        others = (
            f"{len(sessions)} other sessions touched it"
            if len(sessions) > 1
            else "one other session touched it"
        )
        who = others if sessions else "no other session touched it"
        opened = (
            "its state here comes from this call"
            if of.evidence in ("observed", "replayed")
            else "this call is the best match"
        )
        typed = of.how not in ("exact", "shell") or of.evidence not in ("observed", "replayed")
        seen = (
            []
            if typed
            else ["The line was there when the call ended, so nobody typed it afterwards."]
        )
        return [f"{who.capitalize()} {span}, and {opened}.", *seen]
    if not remainder:
        return [f"No recorded edit or command names {file} or works on its directory {span}."]
    times = "once" if len(remainder) == 1 else f"{len(remainder)} times"
    if of.author == "unknown" and of.reason in _SUSPECTS:
        return [f"Agents acted {times} {span} in ways that may be the cause (below)."]
    if of.author == "unknown":
        return [
            f"Agents edited or named {file}, or worked on its directory, {times} {span} (below)."
        ]
    return [
        f"Agents edited or named {file}, or worked on its directory, {times} {span} (below); none"
        " of it explains the line."
    ]
