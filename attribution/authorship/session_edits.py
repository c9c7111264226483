"""What the replay needs of each session: edits, commands and other actions, and what was seen of
files. Pure.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from attribution.authorship.agent_text import ProducedText, produced_texts
from attribution.authorship.commit_calls import CommitCall, commit_calls
from attribution.authorship.harmless import may_write
from attribution.authorship.verdicts import CallRef
from attribution.shell import Effect, effects
from attribution.shell.expansion import SOME_TEMPORARY
from attribution.shell.printed import lines_traced, parts_shown
from collector.groups import group_pairs
from collector.json_values import get_str, parse_json
from collector.model import (
    ChangeOfOthers,
    Command,
    Edit,
    FileObservation,
    Session,
    Status,
    ToolCall,
)
from collector.text import file_name, resolve, unique
from collector.vocabulary.agents import read_only_subagents
from collector.vocabulary.lines import Reason
from collector.vocabulary.sessions import FROM_USER

# Commands without any of these write no text that the command itself gives.
_MAY_WRITE = re.compile(
    r"<<|(?<![0-9&])>(?!\s*/dev/null|&)|\b(?:rm|mv|cp|tee|sed|touch|truncate|ln|rsync|install|echo|printf|patch|apply|perl|python[\d.]*|py)\b|-(?:Content|Item|File)\b|::(?:Write|Append)All"
    r"|\b(?:ren|rni|move|mi|copy|cpi|del|erase)\s",
    re.I,
)
# A process that goes on when the command is over, and what only looks like the sign of one.
_LEFT_RUNNING = re.compile(
    r"(?<![&>|<\\])&(?![&>\d])|\b(?:nohup|setsid|disown|tmux\s+new|screen\s+-d|Start-Process|Start-Job)\b"
)
_QUOTED = re.compile(r"'[^']{0,2000}'|\"[^\"]{0,2000}\"|\d?>&\d?-?")
# What bash says of a heredoc whose end word it did not find.
_NOT_ENDED = re.compile(r"here-document at line \d+ delimited by end-of-file \(wanted `(.+)'\)")
_NO_FILE = re.compile(
    r"(?:File|file) does not exist|No such file or directory|ENOENT|[Ff]ile not found"
)
_PATH_ARGUMENTS = ("file_path", "filePath", "path", "absolute_path")
_HOOK = 1.0  # seconds after the result of a call in which a hook may still have changed its files
_BEFORE = 86_400.0  # a session whose beginning is missing may have worked unseen for that long
_ANSWER = 60.0  # seconds from the last event of a subagent to the end of the call that started it
_TELLING = 12  # characters: a shorter line is written again and again
_FILE_NAME = re.compile(r"[\w.@+-]+")
# what numbers, searches and differences put before a line
_LISTED = re.compile(r"^(?:[^\s:]{1,200}:)?\s*\d+[:\t→|-]|^[+-]", re.M)
_ASCII = bytes(range(128))
_NO_FILES: Mapping[str, frozenset[str]] = {}
_EXACT_EFFECTS = {
    "write": "write",
    "append": "append",
    "remove": "delete",
    "move": "move",
    "copy": "copy",
    "modify": "edit",
}


@dataclass(frozen=True, slots=True)
class WorktreeAction:
    """Something an agent did in a worktree that is not an edit call."""

    at: float
    until: float
    call: CallRef
    command: str = ""
    cwd: str = ""
    effects: tuple[Effect, ...] = ()  # of a command that runs tasks: as their names tell
    subagent: str = ""  # session or agent id of the subagent that it started, where recorded
    # the reason why what was done is not known: a part of the transcript, or a subagent's, is
    # missing
    unseen: Reason = Reason.NONE
    told: str = ""  # invisible_subagent: what it was asked to do
    # invisible_subagent: paths it can have left changed when it was done; None: any
    files: frozenset[str] | None = None
    failed: bool = False  # the command ended with an error
    ran: str = ""  # what the first task of the command was, as its runner printed it
    fixes: int = 0  # how many problems it said that it had mended


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a user said, which starts a turn."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class RawEdit:
    """An edit as recorded, not yet placed in a worktree."""

    at: float
    order: int
    edit: Edit
    call: CallRef
    status: Status
    cwd: str


@dataclass(frozen=True, slots=True)
class FileListed:
    """A file that a call showed to be there, or not to be there."""

    path: str
    exists: bool


class ShownWorktree(NamedTuple):
    """A directory that a command shows to be a worktree: git made a commit there, or was told to
    make the worktree.
    """

    directory: str
    commits: tuple[str, ...]  # abbreviated ids; () for a new worktree
    made_from: str  # where the command was run


@dataclass(slots=True)
class SessionEdits:
    """What the replay needs of one session; the rest of the session can be forgotten."""

    session_id: int
    key: str
    cwd: str
    cwds: tuple[str, ...]
    started: float
    ended: float
    edits: list[RawEdit] = field(default_factory=list)
    # order, and what was seen of a file
    sightings: list[tuple[int, FileObservation]] = field(default_factory=list)
    of_others: tuple[ChangeOfOthers, ...] = ()
    parent: str = ""  # the session that started this one
    produced: list[ProducedText] = field(default_factory=list)
    actions: list[WorktreeAction] = field(default_factory=list)
    emails: frozenset[str] = frozenset()
    moments: list[float] = field(default_factory=list)  # of everything that happened in the session
    worktrees: list[ShownWorktree] = field(default_factory=list)
    commits: list[CommitCall] = field(default_factory=list)
    names: tuple[str, ...] = ()  # further ids by which commits may name the session
    # what was there, and what was not
    listed: list[tuple[float, FileListed]] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)  # turn and text of what the user said
    # when, and which of the lines that it wrote it had before it
    shown: list[tuple[float, str]] = field(default_factory=list)


def session_edits(
    session: Session,
    session_id: int,
    emails: Iterable[str] = (),
    subagent_files: Mapping[str, frozenset[str]] = _NO_FILES,
) -> SessionEdits:
    """The file-changing side of a session.

    `subagent_files`: as in `SessionFiles.subagent_files`.
    """
    cwd = session.cwds[0] if session.cwds else ""
    track = SessionEdits(
        session_id,
        session.id,
        cwd,
        session.cwds,
        session.started_at or 0.0,
        session.ended_at or 0.0,
        emails=frozenset(emails),
    )
    # Agents that record no results (Cursor) say of no call how it ended; for the others "unknown"
    # means cut off.
    no_results = bool(session.calls) and all(c.status is Status.UNKNOWN for c in session.calls)
    last = track.started
    refs: dict[str, CallRef] = {}
    for order, call in enumerate(session.calls):
        at = _moment(call, last)
        last = at
        ref = CallRef(session_id, call.call_id, call.turn, at, call.model, call.agent_id)
        status = Status.OK if no_results and call.edits else call.status
        track.edits.extend(RawEdit(at, order, edit, ref, status, cwd) for edit in call.edits)
        paths = tuple(_changed_without_text(call, cwd))
        if paths and status is Status.OK:
            modified = (Effect("modify", paths),)
            track.actions.append(WorktreeAction(at, at, ref, cwd=cwd, effects=modified))
        if call.hook_ran and call.edits:
            paths = tuple(resolve(cwd, edit.path) for edit in call.edits)
            track.actions.append(
                WorktreeAction(
                    at, at + _HOOK, ref, cwd=cwd, effects=(Effect("format", paths, tool="hook"),)
                )
            )
        if call.command is not None and call.status is not Status.REJECTED:
            _add_command(track, call, ref, at, order, _latest(session, call, at))
        if may_write(call):
            started = call.at if call.at is not None else at
            opaque = (Effect("opaque"),)
            track.actions.append(WorktreeAction(started, at, ref, cwd=cwd, effects=opaque))
        refs[call.call_id] = ref
        if call.status is Status.OK:
            track.worktrees.extend(_shown_worktrees(call, cwd))
        if call.spawn is not None:
            _add_spawn(track, call, ref, at, subagent_files.get(call.call_id))
        track.sightings.extend((order, item) for item in _sightings(call, track.cwd))
        track.listed.extend((at, item) for item in _listings(call, track.cwd))
    beginning = [(track.started - _BEFORE, track.started)] if session.truncated_start else []
    for after, before in (*beginning, *session.holes):
        _add_unseen(track, after, before, Reason.TRANSCRIPT_NOT_STORED)
    calls = (moment for call in session.calls for moment in (call.at, call.done_at))
    others = (item.at for several in (session.turns, session.messages) for item in several)
    track.moments = sorted({round(moment) for moment in (*calls, *others) if moment is not None})
    track.sightings.extend((len(session.calls), item) for item in session.notices)
    track.of_others = session.of_others
    track.parent = session.parent_id
    track.commits = commit_calls(session, refs)
    track.names = unique(
        mark.detail for mark in session.marks if mark.kind == "bridged" and mark.detail
    )
    track.produced = produced_texts(session)
    track.prompts = [
        Prompt(turn.at, turn.text)
        for turn in session.turns
        if turn.at is not None and turn.origin != "injected"
    ]
    track.shown = list(shown_texts(session, track.edits))
    track.said = [(turn.index, turn.text) for turn in session.turns if turn.origin in FROM_USER]
    return track


def shown_texts(session: Session, edits: Iterable[RawEdit]) -> Iterator[tuple[float, str]]:
    """Of the lines that a session wrote, those that prompts and commands had shown before, with the
    moment.

    Of a file whose text before is not on record, and that a prompt or another call had named, all
    of it may have been shown.
    """
    wanted = {
        line for raw in edits for text in raw.edit.new_texts() for line in telling_lines(text)
    }
    unknown = [
        raw
        for raw in edits
        if raw.edit.content is not None and not raw.edit.before_known and raw.edit.before is None
    ]
    names = {_base(raw) for raw in unknown}
    named = {
        name: -1 for turn in session.turns for name in names & set(_FILE_NAME.findall(turn.text))
    }
    for turn in session.turns:
        yield turn.at or 0.0, "\n".join(wanted.intersection(telling_lines(turn.text)))
    for order, call in enumerate(session.calls):
        if not call.edits:
            text = call.command.text if call.command is not None else call.input
            named |= dict.fromkeys(names & set(_FILE_NAME.findall(text)) - named.keys(), order)
        if call.command is not None and call.command.output and wanted:
            lines = telling_lines(_LISTED.sub("", call.command.output))
            yield call.done_at or call.at or 0.0, "\n".join(wanted.intersection(lines))
    yield from (
        (0.0, raw.edit.content or "")
        for raw in unknown
        if named.get(_base(raw), raw.order) < raw.order
    )


def _changed_without_text(call: ToolCall, cwd: str) -> Iterator[str]:
    """The files that a call changed in a way of which nothing but the file is on record."""
    for edit in call.edits:
        if edit.op in ("edit", "write") and not edit.hunks and next(edit.new_texts(), None) is None:
            yield resolve(cwd, edit.path)


def _base(raw: RawEdit) -> str:
    return file_name(raw.edit.path)


def telling_lines(text: str) -> Iterator[str]:
    """Lines that are not written again and again, without the blanks around them."""
    return (line for line in map(str.strip, text.split("\n")) if len(line) >= _TELLING)


def _shown_worktrees(call: ToolCall, cwd: str) -> Iterator[ShownWorktree]:
    """Where several commits were made in several directories, nobody can tell which of them was
    made where.
    """
    text, ran_in = (
        (call.command.text, call.command.cwd or cwd) if call.command is not None else ("", "")
    )
    if call.commits or "worktree" in text:
        known = (
            effect
            for effect in effects(text, ran_in)
            if SOME_TEMPORARY not in (effect.directory, *effect.paths)
        )
        several = [
            effect
            for effect in known
            if effect.directory.startswith("/") and "$" not in effect.directory
        ]
        yield from (
            ShownWorktree(path, (), effect.directory)
            for effect in several
            if effect.kind != "commit" and not effect.undo
            for path in effect.paths
        )
        places = {effect.directory for effect in several if effect.kind == "commit"}
        if call.commits and len(places) == 1:
            yield ShownWorktree(places.pop(), call.commits, ran_in)


def characters_of(sessions: Iterable[SessionEdits]) -> frozenset[str]:
    """The characters beside ASCII in the texts of all edits."""
    edits = (raw.edit for session in sessions for raw in session.edits)
    special = {text for edit in edits for text in _texts_of(edit) if text and not text.isascii()}
    # the rest is not looked at
    encoded = (text.encode("utf-8", "surrogatepass").translate(None, _ASCII) for text in special)
    return frozenset(b"".join(encoded).decode("utf-8", "surrogatepass"))


def _texts_of(edit: Edit) -> Iterator[str | None]:
    yield from (
        edit.before,
        edit.content,
        edit.after,
        *(replacement.new for replacement in edit.replacements),
    )
    yield from (line for hunk in edit.hunks for line in hunk.lines)


def _listings(call: ToolCall, cwd: str) -> Iterator[FileListed]:
    """Files that a call showed to exist, or to be absent."""
    if call.seen is not None:
        yield FileListed(call.seen.path, True)
    elif call.command is None and call.status is Status.ERROR and _NO_FILE.search(call.error):
        arguments = parse_json(call.input)
        if path := next(filter(None, (get_str(arguments, key) for key in _PATH_ARGUMENTS)), ""):
            yield FileListed(resolve(cwd, path), False)


def _sightings(call: ToolCall, cwd: str) -> Iterator[FileObservation]:
    """What a call showed of files: as it read them, or as a command printed them."""
    if call.seen is not None:
        yield call.seen
    elif call.command is not None and call.command.output:
        output = call.command.output
        started = call.command.cwd or cwd
        parts = parts_shown(call.command.text, started, output) if call.status is Status.OK else []
        moment = call.done_at if call.done_at is not None else call.at
        for part in (*parts, *lines_traced(output)):
            yield FileObservation(
                resolve(started, part.path), moment, part.start, part.text, part.whole
            )


def add_missing_end(session: SessionEdits, until: float) -> None:
    """Copies of the session that reach up to `until` cannot be read: what it did after its last
    known event is unknown.
    """
    if until > session.ended > 0:
        _add_unseen(session, session.ended, until, Reason.TRANSCRIPT_MISSING)


def add_missing_past(session: SessionEdits, until: float) -> None:
    """Other sessions that ended before `until` may have been deleted: what they did is unknown."""
    if until > 0:
        _add_unseen(session, 0.0, until, Reason.TRANSCRIPT_MISSING)


def add_missing_parents(sessions: Iterable[SessionEdits], listed: Container[str]) -> None:
    """A session that started others was at work before and between them: where it cannot be read,
    what it did is unknown.

    `listed`: sessions of which a checkpoint lists a transcript.
    """
    children = group_pairs((session.parent, session) for session in sessions)
    for parent in children.keys() - {
        "",
        *(session.key for group in children.values() for session in group),
    }:
        first = min(children[parent], key=lambda session: session.started)
        ended = max(session.ended for session in children[parent])
        reason = Reason.TRANSCRIPT_MISSING if parent in listed else Reason.TRANSCRIPT_NOT_STORED
        _add_unseen(first, first.started - _BEFORE, ended, reason)


def _add_unseen(session: SessionEdits, start: float, end: float, reason: Reason) -> None:
    """Nobody knows what was done from `start` to `end`."""
    call = CallRef(session.session_id, "", 0, start or end)
    session.actions.append(WorktreeAction(start, end, call, unseen=reason))


def _moment(call: ToolCall, last: float) -> float:
    """When the call was over, as far as it is known; `last` is the moment of the call before."""
    if call.done_at is not None or call.at is not None:
        return call.done_at if call.done_at is not None else call.at or 0.0
    return max(last, call.not_before or 0.0)


def _latest(session: Session, call: ToolCall, moment: float) -> float:
    """When a call was over at the latest: one without a time was made before the next prompt, or
    the end of the session.
    """
    if call.done_at is not None or call.at is not None or call.not_before is None:
        return moment
    later = (turn.at for turn in session.turns if turn.index > call.turn and turn.at is not None)
    return max(moment, next(later, session.ended_at or moment))


def _add_command(
    session: SessionEdits, call: ToolCall, ref: CallRef, moment: float, order: int, latest: float
) -> None:
    command = call.command
    assert command is not None
    started = call.at if call.at is not None else moment
    cwd = command.cwd or session.cwd
    text = _text_as_run(command)
    result = effects(text, cwd)
    is_writing = _MAY_WRITE.search(text) is not None
    goes_on = command.background or _LEFT_RUNNING.search(_QUOTED.sub("", text)) is not None
    until = call.over_at or session.ended if goes_on else max(latest, started)
    if call.status is not Status.OK:
        result = tuple(replace(effect, undo="") for effect in result)
    idle = _idle_formatter(command)
    if idle:
        result = tuple(effect for effect in result if effect.tool != idle)
    if is_writing and not result:
        return
    has_failed = call.status is Status.ERROR
    session.actions.append(
        WorktreeAction(
            started,
            until,
            ref,
            text,
            cwd,
            result,
            failed=has_failed,
            ran=_printed_task(command),
            fixes=max(map(int, _FIXES.findall(command.output[-_TOLD:])), default=0),
        )
    )
    if call.status is Status.OK and is_writing:
        by_shell = replace(ref, at=moment, by_shell=True)
        for effect in result:
            settled = effect.kind != "modify" or _settles(effect, result)
            session.edits.extend(
                _exact_edits(effect, by_shell, moment if settled else started, order, cwd)
            )


# npm, pnpm and bun print `> eslint .` before they run a task, yarn `$ eslint .`, each but bun below
# a line with the package or its own version. What stands further down may be the task's own words.
_PRINTED_TASK = re.compile(r"\s*(?:(?:> \S+@\d|yarn run ).*\n)?[>$] (?!\S+@\d\S* )(\S.*)")


# `Found 3 errors (3 fixed, 0 remaining)` of ruff, `Fixed 2 files` of biome
_FIXES = re.compile(
    r"(?i)(?:\bfixed |\()(\d{1,6})(?= fix(?:ed|es)\b| (?:error|problem|issue|file)s?\b)"
)
# what formatters print when they changed no file, and when they did
_UNCHANGED = {
    "biome": re.compile(r"No fixes applied"),
    "black": re.compile(r"files? left unchanged"),
    "ruff": re.compile(r"All checks passed!|files? left unchanged"),
}
_CHANGED = re.compile(r"(?i)\breformatted\b|\bfixed\b")
_TOLD = 2000  # characters at the end of an output, where programs say what they did


def _idle_formatter(command: Command) -> str:
    """The formatter that said it changed nothing; "" where there is none, or the command ran
    several, of which the words may be another's.
    """
    ran = [name for name in _UNCHANGED for _ in range(command.text.count(name))]
    is_idle = len(ran) == 1 and _UNCHANGED[ran[0]].search(command.output)
    return ran[0] if is_idle and not _CHANGED.search(command.output) else ""


def _printed_task(command: Command) -> str:
    """The task that the command ran first, as its output begins; "" where none was printed."""
    printed = _PRINTED_TASK.match(command.output[:_TOLD])
    return printed[1] if printed else ""


def _text_as_run(command: Command) -> str:
    """The command's text with what Claude Code 1.0 put behind it: the shell missed the end word
    with which the record ends.
    """
    text = command.text.rstrip()
    missed = _NOT_ENDED.search(command.output)
    return (
        f"{text} < /dev/null"
        if missed and text.rpartition("\n")[2].strip() == missed[1]
        else command.text
    )


def _settles(effect: Effect, others: Iterable[Effect]) -> bool:
    """Whether the text of a file that a command changes is known afterwards: nothing else in the
    command may have changed it.
    """
    doubtful = [
        other
        for other in others
        if not other.is_literal and other.kind not in ("remove", "move", "copy", "commit")
    ]
    return not any(
        not item.paths or set(item.paths).intersection(effect.paths) for item in doubtful
    )


def _exact_edits(
    effect: Effect, call: CallRef, moment: float, order: int, cwd: str
) -> Iterator[RawEdit]:
    """Edits that a command's text gives exactly: heredocs, `rm`, `mv`, `cp` of named files,
    patches.
    """
    op = _EXACT_EFFECTS.get(effect.kind)
    if op is None or (op in ("write", "append", "edit") and not effect.is_literal):
        return
    for path in effect.paths:
        if not any(mark in path for mark in "*?[$"):
            path = resolve(cwd, path)
            new_path = resolve(cwd, effect.target)
            edit = Edit(
                path,
                op,
                content=effect.content,
                hunks=effect.hunks,
                new_path=new_path,
                by_shell=True,
            )
            yield RawEdit(moment, order, edit, call, Status.OK, cwd)


def _add_spawn(
    session: SessionEdits, call: ToolCall, ref: CallRef, moment: float, files: frozenset[str] | None
) -> None:
    spawn = call.spawn
    assert spawn is not None
    if (
        spawn.visible
        or spawn.edits == 0
        or spawn.kind.lower() in read_only_subagents()
        or call.status is not Status.OK
    ):
        return
    until = call.over_at or session.ended if spawn.asynchronous else moment
    instructions = get_str(parse_json(call.input), "prompt") or call.input.replace("\\n", "\n")
    started = call.at if call.at is not None else moment
    # of one in the background only its edit calls are known to the recorder
    named = None if spawn.asynchronous else files
    action = WorktreeAction(
        started,
        until,
        ref,
        subagent=spawn.agent_id,
        unseen=Reason.INVISIBLE_SUBAGENT,
        told=instructions,
        files=named,
    )
    session.actions.append(action)


def forget_stored_subagents(sessions: Iterable[SessionEdits], stored: Mapping[str, float]) -> None:
    """Subagents that are sessions of their own hide nothing: their calls are on record.

    `stored`: session -> end of its record.
    """
    for session in sessions:
        session.actions = [action for action in session.actions if not _is_stored(action, stored)]


def _is_stored(action: WorktreeAction, stored: Mapping[str, float]) -> bool:
    """Whether the whole work of a subagent is on record: its last answer is what ends the call
    that started it.
    """
    ended = (
        stored.get(action.subagent)
        if action.subagent and action.unseen == Reason.INVISIBLE_SUBAGENT
        else None
    )
    return ended is not None and ended >= action.until - _ANSWER
