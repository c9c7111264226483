"""One line explained: the verdict, how we know, the prompt and the call behind it, what else was
done to the file, and why not someone else.
"""

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import asdict, dataclass
from typing import Any

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.authorship.squashed import PullRequests
from attribution.hooks import OfLine, Section, sections
from attribution.queries.blame import BlameLine, blame
from attribution.queries.calls import CALLS, CallExcerpt, call_of, neighbours_of
from attribution.queries.open_repo import SHORT, KnownRepo, OpenRepo
from attribution.queries.reasons import reasons
from attribution.queries.sessions import prompt
from attribution.queries.verdicts import NO_COMMIT, LineAttribution
from attribution.stats.accuracy import MeasuredTier, confidence_of, counted_on
from collector.checkpoints.statements import (
    DECLARING,
    Statement,
    checkpoint_ids,
    statements_in,
)
from collector.git.repository import GitRepo
from collector.text import count_of, file_name, printable
from collector.vocabulary.lines import Author, Evidence, How, Reason

_NAMING = "instr(c.command, ?) > 0"
_ANY_COMMAND = "c.command IS NOT NULL AND ? <> ''"
_SUBAGENTS = (
    "lower(c.name) IN ('task', 'agent') OR c.name LIKE '%subagent%' OR instr(c.command, ?) > 0"
)
_SUSPECTS = {
    "opaque_shell": _ANY_COMMAND,
    "git_operation": _ANY_COMMAND,
    "invisible_subagent": _SUBAGENTS,
}


@dataclass(frozen=True, slots=True)
class EarlierAction:
    """Something an agent did shortly before the commit."""

    at: str
    session: str  # its label, which another session may have too
    session_id: int
    what: str
    ours: bool  # the call that explains the line, or stands in the way of an answer
    holds: bool = False  # its text holds the line, layout aside

    @property
    def mark(self) -> str:
        return "▶" if self.ours else "=" if self.holds else ""


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
    explanation.branch = blamed.branch
    explanation.notes = blamed.notes
    explanation.evidence += _words_of_commit(opened.repo, explanation.line)
    return explanation


def _words_of_commit(repo: GitRepo, line: BlameLine) -> list[str]:
    """The words of the commit on which the verdict rests: of an agent, or of a checkpoint. Of a
    squash it is the commit of its pull request that added the line.
    """
    of = line.attribution
    names = _NAMES.get(of.evidence) or _NAMES.get(of.reason)
    commit = repo.commit(line.introduced.sha) if names else None
    if commit is None or names is None:
        return []
    originals = PullRequests(repo).find_originals(commit).get(line.introduced.path, {})
    text = (line.text or "").strip()
    if originals and len(text) < MIN_LENGTH:
        return []
    original = originals.get(text)
    sentences = []
    if original is not None:
        commit = original
        sentences = [f"{commit.sha[:SHORT]} of its pull request added the line: {commit.subject}"]
    said = [text.strip() for text in commit.message.splitlines() if names(text)]
    sentences += [f"The commit says: {text}" for text in said[:1]]
    return [printable(sentence) for sentence in sentences]


def _declarations_in(text: str) -> list[Statement]:
    return [stated for stated in statements_in(text) if stated.sort in DECLARING]


_NAMES: dict[str, Callable[[str], Sized]] = {
    Evidence.DECLARED: _declarations_in,
    Reason.SQUASHED: _declarations_in,
    Reason.CHECKPOINT_MISSING: checkpoint_ids,
}


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
    earlier: list[dict[str, Any]] = []
    if window and of.author == Author.UNKNOWN:
        # with the search for lines in texts of agents, which few lines need
        from attribution.queries.suspects import earlier_texts

        earlier = earlier_texts(opened.store, opened.repo_id, line.text or "", window.until)
    call = call_of(opened.store, line, neighbours_of(texts, line.line))
    sentences = reasons(
        line,
        _acting(of, actions),
        any(action.holds for action in actions),
        call.path if call is not None else "",
    )
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
        call=call,
        others=_others(line, actions, window),
        actions=actions,
        needed=sentences.needed,
        notes=[],
        sections=sections(opened.store, subject),
        measured=measured_words(of),
        earlier=earlier,
    )


def _acting(of: LineAttribution, actions: Sequence[EarlierAction]) -> bool:
    """Whether agents acted on the file while the line can have appeared: of a person's line,
    between its sightings.
    """
    if of.author != Author.HUMAN:
        return any(not action.ours for action in actions)
    until = of.seen_with_at or "~"
    return any(not action.at or of.seen_without_at < action.at <= until for action in actions)


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


def measured_share(of: LineAttribution) -> float | None:
    """How often lines of which the same is known are right; None where too few were read."""
    if of.author in ("", Author.UNKNOWN):
        return None
    return confidence_of(MeasuredTier(of.author, of.how, of.evidence, of.reason)).rate.share


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
SELECT e.at, s.label AS session, s.id AS session_id, e.call_id, COALESCE(t.input, '') AS text,
  COALESCE(NULLIF(t.name, ''), e.op) || ': ' || replace(e.outcome, '_', ' ')
    || CASE WHEN e.lines_added IS NULL THEN ''
      ELSE ' +' || e.lines_added || ' -' || COALESCE(e.lines_removed, 0) END AS what
FROM edits e JOIN sessions s ON s.id = e.session_id
LEFT JOIN tool_calls t ON t.session_id = e.session_id AND t.call_id = e.call_id
WHERE s.repo_id = ? AND e.path = ? AND e.at > ? AND e.at <= ?
"""
_COMMANDS = f"""
SELECT c.at, c.session, c.session_id, c.call_id, c.name,
  COALESCE(NULLIF(c.command, ''), c.input, '') AS text
FROM {CALLS} c WHERE c.repo_id = ?1
"""
_IN_WINDOW = f"{_COMMANDS} AND c.not_after > ?2 AND c.not_before <= ?3 AND"
_LATEST = "c.command <> '' ORDER BY c.not_before DESC LIMIT 2000"
_OF_VERDICT = f"{_COMMANDS} AND c.session_id = ?2 AND c.call_id = ?3"


def _actions(opened: KnownRepo, line: BlameLine, window: Window | None) -> list[EarlierAction]:
    """Edits of the file by any agent within the window, and what else may concern it: commands
    that name it, or all suspects.
    """
    if window is None:
        return []
    from attribution.queries.suspects import produced, works_on

    path = printable(line.introduced.path)
    store = opened.store
    of = line.attribution
    edits = store.rows(_EDITS, (opened.repo_id, path, window.since, window.until))
    asked = (opened.repo_id, window.since, window.until)
    commands = store.rows(
        f"{_IN_WINDOW} ({_SUSPECTS.get(of.reason, _NAMING)})", (*asked, file_name(path))
    )
    if of.author != "agent":
        existing = {command["call_id"] for command in commands}
        if of.call_id not in existing:
            commands += store.rows(_OF_VERDICT, (opened.repo_id, of.session_id, of.call_id))
            existing.add(of.call_id)
        every = store.rows(
            f"{_IN_WINDOW} c.command <> '' ORDER BY c.not_before DESC LIMIT 2000", asked
        )
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
    bare = without_layout(line.text or "")
    holding = len(bare) >= MIN_LENGTH
    actions = [
        EarlierAction(
            call["at"],
            call["session"],
            call["session_id"],
            call["what"],
            call["call_id"] == of.call_id,
            holding and bare in without_layout(produced(call["text"])),
        )
        for call in calls
    ]
    return sorted(actions, key=lambda action: action.at)


def _others(line: BlameLine, actions: Sequence[EarlierAction], window: Window | None) -> list[str]:
    """What the list of actions says beside the verdict."""
    of = line.attribution
    if window is None or not of.author or of.evidence == Evidence.DATED:
        return []
    span = f"between {window.before} and this commit" if window.before else "before this commit"
    file = line.introduced.path
    remainder = [action for action in actions if not action.ours]
    if of.author == Author.AGENT:
        return _others_beside(of, actions, span)
    is_open = of.author in (Author.UNKNOWN, Author.DECLARED)
    in_the_way = (
        ["The call that stands in the way is marked (▶)."]
        if is_open and any(action.ours for action in actions)
        else []
    )
    if not remainder:
        other = "other " if in_the_way else ""
        none = f"No {other}recorded edit or command names {file} or may touch it {span}."
        return [none, *in_the_way]
    sentences = [
        f"Edits and commands {span} that name {file} or may touch it: {len(actions):,} (below)."
    ]
    if undated := sum(not action.at for action in remainder):
        sentences.append(f"{undated:,} of them have no time on record, and may be later.")
    holding = sum(action.holds for action in remainder)
    if holding:
        sentences.append(
            f"{holding:,} of them (=) had this text; that it became this line is not shown."
        )
    return [*sentences, *in_the_way]


def _others_beside(of: LineAttribution, actions: Sequence[EarlierAction], span: str) -> list[str]:
    sessions = {action.session_id for action in actions if not action.ours} - {of.session_id}
    who = f"{count_of(len(sessions), 'other session')} touched it"
    if not sessions:
        who = "No other session touched it"
    is_sure = of.evidence in (Evidence.OBSERVED, Evidence.REPLAYED)
    origin = "its state here comes from this call" if is_sure else "this call is the best match"
    sentences = [f"{who[0].upper()}{who[1:]} {span}, and {origin}."]
    mine = next((action.at for action in actions if action.ours), "")
    is_last = bool(mine) and all(action.at <= mine for action in actions)
    if is_sure and is_last and of.how in (How.EXACT, How.SHELL):
        sentences.append(
            "The line stood there when the call ended, so it was not typed afterwards."
        )
    return sentences
