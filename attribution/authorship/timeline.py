"""From sessions to worktrees: which steps, sightings and other actions happened in which
directory, in time order. Pure.
"""

import re
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from attribution.authorship.case import SLACK
from attribution.authorship.edits import NoFit, normal_text, text_after
from attribution.authorship.replay import ReplayStep
from attribution.authorship.session_edits import RawEdit, SessionEdits, WorktreeAction
from attribution.authorship.sightings import Sighting
from attribution.authorship.verdicts import CallRef
from attribution.authorship.windows import AttributionWindows
from attribution.authorship.worktree_roots import WorktreeRoots
from attribution.shell import Effect
from collector.groups import group_pairs
from collector.model import Commit, Status
from collector.text import canonical_path, file_name
from collector.vocabulary.lines import Reason
from collector.vocabulary.sessions import NoReplay

_RECENT = 3 * 86_400.0  # seconds before a commit in which what was done may be committed by it
_SHORT = 7  # digits of an abbreviated id, at least
PER_SESSION = 1_000_000  # numbers that each session has for the order of what happened in it
LAST = 10**15  # after every step of the same moment
_OUTCOMES = {Status.REJECTED: "rejected", Status.ERROR: "tool_error"}
_INSTANT = 0.001  # seconds
# lines of a moved file, and their share, that must be an agent's
_FEWEST_MOVED = 3
_SHARE_MOVED = 0.6
_PLAIN = frozenset({"remove", "move", "copy", "commit"})  # effects that change no text
# for what looks like a secret: several files have that name
_REDACTED = re.compile(r"(?:^|/)\.?REDACTED(?:[./]|$)")

TextAt = Callable[[str, str], str | None]
"""(commit, path) -> text of the file; None when there is none."""


@dataclass(slots=True)
class Timeline:
    """Everything that happened in one worktree directory, in time order."""

    root: str
    steps: list[ReplayStep] = field(default_factory=list)
    sightings: dict[str, list[Sighting]] = field(default_factory=dict)  # by path, in order of time
    windows: AttributionWindows = field(default_factory=lambda: AttributionWindows(""))
    sessions: set[int] = field(default_factory=set)
    emails: set[str] = field(default_factory=set)

    def was_at_work(self, commit: Commit) -> bool:
        """Whether a session of the commit's author worked here in the days before it."""
        at = commit.author_time + SLACK
        spans = self.windows.spans if commit.author_email in self.emails else ()
        return any(start <= at and end >= at - _RECENT for start, end in spans)

    def command_on(self, path: str, since: float, commit: Commit) -> CallRef | None:
        """The call of the last command that named the file, or said that it writes it, between a
        moment and a commit; None: there was none.
        """
        at = commit.author_time + SLACK
        hits = self.windows.index.hits_on(path).spans.overlapping(max(since, at - _RECENT), at)
        commands = (self.windows.actions[number] for number in hits)
        return next((item.call for item in commands if not item.failed), None)

    def keep(self, paths: Container[str], since: float) -> None:
        """Leaves out other files, unless a directory is moved or removed, and earlier commands,
        as if they were not stored.
        """
        self.steps = [
            s
            for s in self.steps
            if s.path in paths or s.new_path in paths or s.edit.op in ("delete", "move")
        ]
        self.sightings = {path: seen for path, seen in self.sightings.items() if path in paths}
        unread = WorktreeAction(
            0.0, since, CallRef(0, "", 0, 0.0), unseen=Reason.TRANSCRIPT_NOT_STORED
        )
        self.windows.actions = [
            unread,
            *(action for action in self.windows.actions if action.until > since),
        ]


@dataclass(frozen=True, slots=True)
class EditFate:
    """What is known of an edit before the replay: placed, or why not."""

    edit_id: int  # its place among the edits of all sessions
    raw: RawEdit
    outcome: str  # "" (to be replayed) | tool_error | rejected | outside_repo | unmatched
    root: str = ""
    path: str = ""
    detail: str = ""


def learn_roots(
    worktree_roots: WorktreeRoots,
    sessions: Iterable[SessionEdits],
    listed: Iterable[str] = (),
    commits: Iterable[str] = (),
) -> None:
    """`listed`: the worktrees that git lists; `commits`: ids of those of the repository."""
    for session in sessions:
        worktree_roots.learn(_paths_of(session), session.cwds)
    worktree_roots.stated.update(map(canonical_path, listed))
    shown = [worktree for session in sessions for worktree in session.worktrees]
    short = {sha[:_SHORT] for sha in commits} if shown else set()
    for worktree in shown:
        if any(name[:_SHORT] in short for name in worktree.commits):
            worktree_roots.state(worktree.directory)
    worktree_roots.settle()
    for worktree in shown:
        if not worktree.commits and worktree_roots.root_of(worktree.made_from) is not None:
            worktree_roots.stated.add(canonical_path(worktree.directory))
    worktree_roots.settle()


def paths_named(session: SessionEdits) -> Iterator[str]:
    """Absolute paths of a session: its directories, with an end, and its files."""
    yield from (f"{cwd}/" for cwd in session.cwds)
    edited = {raw.edit.path for raw in session.edits} or _paths_of(session)
    yield from (path for path in edited if path.startswith("/"))


def find_moved(
    worktree_roots: WorktreeRoots,
    sessions: Iterable[SessionEdits],
    first_text: Callable[[str], str],
) -> None:
    """Finds files that were put elsewhere before git saw them: an agent wrote `calc.js`, and
    the repository has its text as `calculator/calc.js`. The ends of paths propose, texts decide.

    `first_text`: what a path of the repository had when it was first committed.
    """
    named = set[str]()
    written = defaultdict[str, set[str]](set)
    homes = group_pairs((file_name(path), path) for path in sorted(worktree_roots.known))
    for session in sessions:
        for raw in session.edits:
            location = worktree_roots.place(raw.edit.path, raw.cwd)
            path = location.path if location is not None else raw.edit.path
            named.add(_new_path(raw, worktree_roots))
            if path in worktree_roots.known:
                named.add(path)
            elif file_name(path) in homes and not path.startswith(("/", "~")):
                texts = raw.edit.new_texts()
                written[path].update(line.strip() for text in texts for line in text.split("\n"))
    for path, lines in written.items():
        proposed = (home for home in homes[file_name(path)] if home not in named)
        fitting = [home for home in proposed if _holds(lines, first_text(home))]
        if len(fitting) == 1:
            worktree_roots.move(path, fitting[0])


def _holds(lines: Container[str], text: str) -> bool:
    """Whether most of a text, and enough of it, is among these lines."""
    existing = [line.strip() for line in text.split("\n") if line.strip()]
    found = sum(line in lines for line in existing)
    return found >= _FEWEST_MOVED and found >= _SHARE_MOVED * len(existing)


def timelines(
    sessions: Iterable[SessionEdits], worktree_roots: WorktreeRoots
) -> tuple[dict[str, Timeline], list[EditFate]]:
    """Root -> worktree with its steps; and what is already decided about each edit, in order of
    the sessions and their edits.
    """
    roots: dict[str, Timeline] = {}
    fates: list[EditFate] = []
    sessions = list(sessions)
    bring_in(sessions, worktree_roots)
    for number, session in enumerate(sessions):
        base = number * PER_SESSION
        for raw in session.edits:
            fate = _place_edit(len(fates), raw, worktree_roots)
            fates.append(fate)
            if not fate.outcome:
                target = _new_path(raw, worktree_roots)
                step = ReplayStep(
                    raw.at, base + raw.order, fate.path, raw.edit, raw.call, target, fate.edit_id
                )
                _line(roots, fate.root, session).steps.append(step)
            elif fate.detail == NoReplay.NO_RESULT:
                _line(roots, fate.root, session)  # it worked there
        _add_actions(session, worktree_roots, roots)
        _add_sightings(session, base, worktree_roots, roots)
        _add_listed(session, worktree_roots, roots)
    for line in roots.values():
        line.windows.settle()
        for sightings in line.sightings.values():
            sightings.sort(key=_when)
    return roots, fates


def roots_of(
    sessions: Iterable[SessionEdits], worktree_roots: WorktreeRoots, lines: Mapping[str, Timeline]
) -> dict[str, set[str]]:
    """Session -> worktrees it worked in, or at least stood in."""
    result: dict[str, set[str]] = {}
    for session in sessions:
        roots = {root for root, line in lines.items() if session.session_id in line.sessions}
        if not roots:
            home = worktree_roots.root_of(session.cwd)
            roots = {home} if home is not None and home in lines else set()
        result[session.key] = roots
    return result


def edited_paths(lines: Mapping[str, Timeline]) -> dict[int, set[str]]:
    """Session -> paths, relative to their worktree, that its calls changed."""
    result: dict[int, set[str]] = {}
    for line in lines.values():
        for step in line.steps:
            result.setdefault(step.call.session_id, set()).update(
                (step.path, step.new_path) if step.new_path else (step.path,)
            )
    return result


def add_snapshots(
    lines: Mapping[str, Timeline], snapshots: Iterable[tuple[float, int, str]], text_at: TextAt
) -> None:
    """What a worktree held at the end of a turn: (when, session, commit) become sightings of every
    file that is followed.

    A session that worked in several worktrees says nothing, since the snapshot does not tell which
    of them it shows.
    """
    for number, (moment, session, commit) in enumerate(snapshots):
        mine = [line for line in lines.values() if session in line.sessions]
        if len(mine) != 1:
            continue
        for path in sorted({step.path for step in mine[0].steps}):
            text = text_at(commit, path)
            if text is not None:
                insort(
                    mine[0].sightings.setdefault(path, []),
                    Sighting(moment, LAST + number, normal_text(text), True),
                    key=_when,
                )


def add_unrecorded(lines: Iterable[Timeline], spans: Iterable[tuple[float, float]]) -> None:
    """Times in which an agent was at work, and nobody knows in which files."""
    spans = list(spans)
    for line in lines:
        line.windows.actions += [
            WorktreeAction(
                begin, end, CallRef(0, "", 0, begin), unseen=Reason.TRANSCRIPT_NOT_STORED
            )
            for begin, end in spans
        ]
        line.windows.settle()


def _place_edit(edit_id: int, raw: RawEdit, worktree_roots: WorktreeRoots) -> EditFate:
    location = worktree_roots.place(raw.edit.path, raw.cwd)
    root, path = location if location is not None else ("", raw.edit.path)
    outcome = _OUTCOMES.get(raw.status, "")
    detail = ""
    if not outcome and location is None:
        outcome = "outside_repo" if raw.edit.path else "unmatched"
    elif not outcome and raw.status is Status.UNKNOWN:
        outcome = "unmatched"
        detail = NoReplay.NO_RESULT
    elif not outcome and any(
        _REDACTED.search(p) and p not in worktree_roots.known
        for p in (path, _new_path(raw, worktree_roots))
    ):
        outcome = "unmatched"
        detail = NoReplay.PATH_REDACTED
    return EditFate(edit_id, raw, outcome, root, path, detail)


def _new_path(raw: RawEdit, worktree_roots: WorktreeRoots) -> str:
    """Where a move or copy leads; where that is a directory, the file in it."""
    if not raw.edit.new_path:
        return ""
    location = worktree_roots.place(raw.edit.new_path, raw.cwd)
    path = location.path if location is not None else raw.edit.new_path
    inside = f"{path}/{raw.edit.path.rpartition('/')[2]}"
    return inside if path not in worktree_roots.known and inside in worktree_roots.known else path


def _line(roots: dict[str, Timeline], root: str, session: SessionEdits) -> Timeline:
    line = roots.get(root)
    if line is None:
        line = roots[root] = Timeline(root, windows=AttributionWindows(root))
    if session.session_id not in line.sessions and session.started:
        line.windows.spans.append((session.started, session.ended))
        line.windows.moments.extend(session.moments)
    if not (session.moments or session.said):  # a log of calls alone
        line.windows.undated = max(line.windows.undated, session.ended)
    line.sessions.add(session.session_id)
    line.emails.update(session.emails)
    return line


def _paths_of(session: SessionEdits) -> set[str]:
    """Files of the session's worktrees: those that it changed, and where it changed none, those
    that it saw where it worked.
    """
    edited = {raw.edit.path for raw in session.edits if not raw.edit.by_shell}
    inside = tuple(f"{cwd}/" for cwd in session.cwds)
    return edited or {
        sighted.path for _, sighted in session.sightings if sighted.path.startswith(inside)
    }


def _add_sightings(
    session: SessionEdits, base: int, worktree_roots: WorktreeRoots, roots: dict[str, Timeline]
) -> None:
    """What the session saw of files, in worktrees that somebody worked in or in which it was
    started.
    """
    home = worktree_roots.root_of(session.cwd)
    for order, sighted in session.sightings:
        location = worktree_roots.place(sighted.path, session.cwd)
        if (
            location is None
            or sighted.at is None
            or (location.root not in roots and location.root != home)
        ):
            continue
        line = roots.get(location.root) or _line(roots, location.root, session)
        text = normal_text(sighted.text) if sighted.whole else sighted.text
        item = Sighting(
            sighted.at, base + order, text, sighted.whole, sighted.start, sighted.outside_edit
        )
        line.sightings.setdefault(location.path, []).append(item)


def _when(item: Sighting) -> tuple[float, int]:
    return item.at, item.order


def _add_listed(
    session: SessionEdits, worktree_roots: WorktreeRoots, roots: dict[str, Timeline]
) -> None:
    """What the session's calls showed to exist, for worktrees in which somebody worked; and its
    prompts.
    """
    for moment, listing in session.listed:
        location = worktree_roots.place(listing.path, session.cwd)
        if location is None or location.root not in roots:
            continue
        roots[location.root].windows.existence[location.path].append((moment, listing.exists))
    for line in roots.values():
        if session.session_id in line.sessions:
            line.windows.prompts.extend(session.prompts)


def _add_actions(
    session: SessionEdits, worktree_roots: WorktreeRoots, roots: dict[str, Timeline]
) -> None:
    """A command may reach every worktree of the session; subagents too."""
    touched = {line.root for line in roots.values() if session.session_id in line.sessions} | {
        worktree_roots.root_of(session.cwd)
    }
    for action in session.actions:
        targets = {worktree_roots.root_of(action.cwd)} - {None} if action.cwd else set()
        for root in targets or touched:
            if root is not None:
                here = _drop_undo_elsewhere(action, root, worktree_roots)
                _line(roots, root, session).windows.actions.append(here)


def _drop_undo_elsewhere(
    action: WorktreeAction, root: str, worktree_roots: WorktreeRoots
) -> WorktreeAction:
    """What git takes away in another repository or worktree stays here."""
    elsewhere = {
        effect.directory
        for effect in action.effects
        if effect.undo
        and effect.directory.startswith("/")
        and worktree_roots.root_of(effect.directory) != root
    }
    if not elsewhere:
        return action
    effects = (
        replace(effect, undo="") if effect.undo and effect.directory in elsewhere else effect
        for effect in action.effects
    )
    return replace(action, effects=tuple(effects))


def bring_in(sessions: Iterable[SessionEdits], worktree_roots: WorktreeRoots) -> None:
    """Makes each copy from outside, of a text that its session wrote as a whole, a write of that
    text.

    An agent writes a draft or a script into a directory for temporary files, changes it there and
    runs `cp` at last. A command of unknown effect may have changed it on the way.
    """
    for session in sessions:
        arrivals = {raw.edit.path for raw in session.edits if _is_arrival(raw, worktree_roots)}
        if arrivals:
            _follow_outside(session, worktree_roots)


def _is_arrival(raw: RawEdit, worktree_roots: WorktreeRoots) -> bool:
    edit = raw.edit
    into = (
        edit.op in ("copy", "move")
        and raw.status is Status.OK
        and worktree_roots.place(edit.new_path, raw.cwd) is not None
    )
    return into and edit.path.startswith("/") and worktree_roots.place(edit.path, raw.cwd) is None


def _follow_outside(session: SessionEdits, worktree_roots: WorktreeRoots) -> None:
    """The files outside through time; `texts`: path -> (when it was last changed, text)."""
    texts: dict[str, tuple[float, str]] = {}
    order = sorted(range(len(session.edits)), key=lambda number: (session.edits[number].at, number))
    for number in order:
        raw = session.edits[number]
        edit = raw.edit
        if raw.status is not Status.OK or worktree_roots.place(edit.path, raw.cwd) is not None:
            continue
        if edit.op in ("copy", "move"):
            existing = texts.pop(edit.path, None) if edit.op == "move" else texts.get(edit.path)
            if existing is not None and _is_arrival(raw, worktree_roots):
                session.edits[number] = replace(
                    raw,
                    edit=replace(
                        edit, path=edit.new_path, op="write", content=existing[1], new_path=""
                    ),
                )
                _carry_doubts(session, edit.path, existing[0], raw.at)
            elif existing is not None:
                texts[edit.new_path] = existing
        else:
            _change_outside(texts, raw)


def _change_outside(texts: dict[str, tuple[float, str]], raw: RawEdit) -> None:
    """A text of which a part is not the session's own is not followed."""
    edit = raw.edit
    existing = texts.pop(edit.path, None)
    if edit.op == "delete" or (existing is None and edit.op != "write"):
        return
    before = existing[1] if existing is not None else ""
    try:
        after = text_after(edit, before)
    except NoFit:
        return
    texts[edit.path] = (raw.at, after.text)


def _carry_doubts(session: SessionEdits, path: str, since: float, until: float) -> None:
    """What a command may have done to the text outside shows in the repository when it arrives
    there.
    """
    between = [action for action in session.actions if since < action.at < until]
    doubtful = [
        item
        for item in between
        if any(
            e.kind not in _PLAIN and not e.is_literal and (not e.paths or path in e.paths)
            for e in item.effects
        )
    ]
    session.actions += [
        replace(item, at=until, until=until + _INSTANT, effects=(Effect("opaque"),))
        for item in doubtful
    ]
