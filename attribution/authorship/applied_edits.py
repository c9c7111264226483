"""Lines that the replay lost track of although an agent's own edit of that very file holds them.

Pure.

An amended commit, a file that was renamed twice, a script that might have written anything: the
replay cannot say that the line of the commit is the one of the edit, but nobody else is known to
have written it. A line is given to the edit (moved, or reformatted where only its layout differs)
when a session of the commit applied the edit to that file before the commit was made, the text was
not in the file before the edit as far as anybody saw it, the version before the commit lacks it
there, and it stands between the same lines: equal lines in other functions of a file are common. Of
a long line that the file has once, one neighbour is enough. An edit of a session that the commit is
not linked to (a squash names one of several, say) must have the very line between the same two, and
the version before lacks it altogether. So must one of a document, which may be the plan that others
carry out, and any edit where the commit names a checkpoint that the clone lacks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from attribution.authorship.agent_text import (
    MIN_LENGTH,
    each_without_layout,
    lines_without_layout,
    new_lines,
    without_layout,
)
from attribution.authorship.align import is_low_information
from attribution.authorship.case import SLACK
from attribution.authorship.diffs import runs
from attribution.authorship.formatters import ToolOf, give_to_formatters, tools_of
from attribution.authorship.person_lines import Texts
from attribution.authorship.script_texts import Script, scripts_of
from attribution.authorship.session_edits import RawEdit
from attribution.authorship.span_lines import spans_of, verdicts_by_line
from attribution.authorship.timeline import EditFate, Timeline
from attribution.authorship.verdicts import CallRef, CommitVerdict, Span, Verdict
from collector.model import Commit
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy
from collector.vocabulary.sessions import NoReplay

# characters without layout from which an equal line is no coincidence within the edits of one file
_SAME = 8
_SIMILAR = 16  # the same for a line of which only the layout differs
_ALONE = 24  # the same for a line of which the file has one, between other lines on one side
_CLOSERS = 4  # brackets at the edge of an agent's block that are its own
_NEVER = float("inf")
DOCUMENTS = (".md", ".mdx")  # their code may be the plan that other sessions carry out
# What a missing transcript would show can only be that an agent wrote the line again, unless it is
# a copy of one that was there.
_MISSING = frozenset(
    {Reason.TRANSCRIPT_MISSING, Reason.TRANSCRIPT_NOT_STORED, Reason.TRANSCRIPT_UNREADABLE}
)
# What the replay says when it lost track.
_LOST_TRACK = _MISSING.union(
    {
        Reason.REWRITTEN,
        Reason.RESTORED,
        Reason.OPAQUE_SHELL,
        Reason.GIT_OPERATION,
        Reason.OTHER_BRANCH,
        Reason.AGENT_TEXT,
        Reason.EDIT_UNPLACED,
        Reason.BASE_UNKNOWN,
        Reason.UNCAPTURED,
        Reason.FORMATTER,
        Reason.UNOBSERVED,
        Reason.UNEXPLAINED,
        Reason.INVISIBLE_SUBAGENT,
        Reason.BROUGHT_IN,
        Reason.CHECKPOINT_MISSING,
    }
)


Undone = Iterable[tuple[str, float, str]]
"""(path, when, text) of agents' lines that git took away before they were committed."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A line of an applied edit."""

    at: float
    call: CallRef
    text: str  # stripped
    # the next line of the edit's text that says something, without layout; "" at its edge
    above: str
    below: str
    by_subagent: bool = False  # the line stands in the task of one whose calls nobody recorded


@dataclass(slots=True)
class _FileLines:
    """Lines without layout of one file, of those that say enough."""

    # in order of time
    written: dict[str, list[_Written]] = field(default_factory=lambda: defaultdict(list))
    # of the written ones: the first time the file was seen with the line
    seen: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class AppliedEdits:
    """What the applied edits of all sessions added.

    A file is read line by line when somebody asks for it.
    """

    # by path; "": of documents with code
    edits: dict[str, list[RawEdit]] = field(default_factory=lambda: defaultdict(list))
    # by path
    sightings: dict[str, list[tuple[float, Iterable[str] | str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    # path -> those it had, until when
    renamed: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    # path without some of its parts -> those it may be
    redacted: dict[str, re.Pattern[str]] = field(default_factory=dict)
    # that may have written to any file they name
    scripts: list[Script] = field(default_factory=list)
    tool_of: ToolOf = lambda call: ("", 0)
    # path -> line without layout -> when git took it away before it was committed
    undone: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(dict))
    _lines: dict[str, _FileLines] = field(default_factory=dict)

    def names_of(self, *paths: str) -> dict[str, float]:
        """The paths, those that agents renamed to them, and redacted ones that may be one of
        them; each with until when it was.
        """
        result = dict[str, float]()
        waiting = [(path, _NEVER) for path in paths]
        while waiting:
            path, until = waiting.pop()
            if path and result.get(path, 0.0) < until:
                result[path] = until
                waiting.extend(
                    (old, min(moment, until)) for old, moment in self.renamed.get(path, {}).items()
                )
        redacted = [
            name
            for name, stands_for in self.redacted.items()
            if any(map(stands_for.fullmatch, result))
        ]
        return result | dict.fromkeys(redacted, _NEVER)

    def writers(self, names: Mapping[str, float], text: str, bare: str) -> list[_Written]:
        """The edits that added such a line before the files were seen with it, while they had
        these names.
        """
        result = []
        for name, until in names.items():
            lines = self._of(name)
            last = min(lines.seen.get(bare, _NEVER), until)
            enough = len(bare) >= _SIMILAR
            result += [
                w
                for w in lines.written.get(bare, ())
                if last >= w.at and (enough or w.text == text.strip())
            ]
        return result

    def holds_any(self, names: Iterable[str], bares: Collection[str]) -> bool:
        """Whether an edit of the files, or a document with code, added one of these lines."""
        return not all(self._of(name).written.keys().isdisjoint(bares) for name in ("", *names))

    def is_undone(self, names: Iterable[str], bare: str, wrote: float, until: float) -> bool:
        """Whether git took the line away between an edit that wrote it and a commit."""
        moments = (at for name in names for at in self.undone[name].get(bare, ()))
        return any(wrote < at <= until for at in moments)

    def first_seen(self, names: Iterable[str], text: str) -> float:
        """When one of the files was seen with a line for the first time: a document that has it
        later quotes it.
        """
        seen = (item for name in names for item in self.sightings.get(name, ()))
        texts = ((at, [lines] if isinstance(lines, str) else lines) for at, lines in seen)
        return min(
            (at for at, several in texts if any(text in lines for lines in several)), default=_NEVER
        )

    def _of(self, path: str) -> _FileLines:
        if path not in self._lines:
            self._lines[path] = _read(
                path, self.edits.get(path, ()), self.scripts, self.sightings.get(path, ())
            )
        return self._lines[path]


def applied_edits(
    edits: Sequence[EditFate], timelines: Mapping[str, Timeline], undone: Undone = ()
) -> AppliedEdits:
    """Of edits that were applied, what was seen of their files, and what git took away."""
    found = AppliedEdits()
    for path, moment, text in undone:
        found.undone[path].setdefault(without_layout(text), []).append(moment)
    for fate in edits:
        # it neither failed nor was refused, as far as is known
        if not fate.outcome or fate.detail == NoReplay.NO_RESULT:
            found.edits[fate.path].append(fate.raw)
            if fate.path.endswith(DOCUMENTS) and any(
                "```" in text for text in fate.raw.edit.new_texts()
            ):
                found.edits[""].append(fate.raw)
            # what an edit shows to have been in the file: the context of its patch, what it takes
            # out and what it looks for
            if carried := frozenset[str]().union(
                *(hunk.side("-") for hunk in fate.raw.edit.hunks if hunk.exact_text),
                *(item.old.split("\n") for item in fate.raw.edit.replacements),
            ):
                found.sightings[fate.path].append((fate.raw.at, carried))
        elif fate.detail == NoReplay.PATH_REDACTED:
            found.edits[fate.path].append(fate.raw)
            found.redacted[fate.path] = re.compile(
                ".+".join(map(re.escape, fate.path.split("REDACTED")))
            )
    for timeline in timelines.values():
        for step in timeline.steps:
            if step.edit.op in ("move", "copy") and step.new_path:
                earlier = found.renamed[step.new_path]
                earlier[step.path] = max(step.at, earlier.get(step.path, 0.0))
        for path, sightings in timeline.sightings.items():
            found.sightings[path].extend((item.at, item.text) for item in sightings)
    found.scripts = scripts_of(edits, timelines)
    found.tool_of = tools_of(timelines.values())
    for path in found.redacted:  # what was seen under such a name may be another file
        found.sightings.pop(path, None)
    return found


def _read(
    path: str,
    edits: Iterable[RawEdit],
    scripts: Iterable[Script],
    sightings: Iterable[tuple[float, Iterable[str] | str]],
) -> _FileLines:
    result = _FileLines()
    for raw in edits:
        offer = raw.edit.proposed  # what the user put in instead is the user's
        offered = None if offer is None else {line.strip() for line in offer.split("\n")}
        for text, added in new_lines(raw.edit):
            _note(
                result,
                raw.at,
                raw.call,
                text,
                [n for n in added if offered is None or text[n].strip() in offered],
            )
    for script in scripts:
        if script.writes_to(path):
            for text, added in script.texts:
                _note(result, script.at, script.call, text, added, script.is_task)
    first: dict[str, float] = {}  # the same lines are seen again and again: each is looked at once
    for moment, lines in sorted(sightings, key=lambda item: -item[0]) if result.written else ():
        first.update(dict.fromkeys(lines.split("\n") if isinstance(lines, str) else lines, moment))
    for bare, moment in zip(each_without_layout(first), first.values(), strict=True):
        if bare in result.written:
            result.seen[bare] = min(moment, result.seen.get(bare, moment))
    return result


def _note(
    result: _FileLines,
    moment: float,
    call: CallRef,
    text: Sequence[str],
    added: Iterable[int],
    by_subagent: bool = False,
) -> None:
    bares = each_without_layout(text)
    telling = _telling(bares)
    for index in added:
        if len(bares[index]) >= MIN_LENGTH:
            around = _around(bares, telling, index)
            result.written[bares[index]].append(
                _Written(moment, call, text[index].strip(), *around, by_subagent)
            )


def _telling(bares: Sequence[str]) -> list[int]:
    """Indices of the lines that say something."""
    return [index for index, bare in enumerate(bares) if len(bare) >= MIN_LENGTH]


def _around(bares: Sequence[str], telling: Sequence[int], index: int) -> tuple[str, str]:
    """The next of the `telling` lines above and below; "" where there is none."""
    first = bisect_left(telling, index)
    end = bisect_right(telling, index)
    return bares[telling[first - 1]] if first else "", (
        bares[telling[end]] if end < len(telling) else ""
    )


def attribute_to_edits(
    commit: Commit, verdict: CommitVerdict, existing: AppliedEdits, texts: Texts
) -> None:
    """Gives lines of unknown author to the edits that hold them, where the commit is linked to a
    session or names one.
    """
    sessions = frozenset(verdict.sessions | verdict.named)
    if commit.is_merge:
        return
    until = max(commit.author_time, commit.commit_time) + SLACK
    laid_out = _laid_out(verdict)

    def tool_of(call: CallRef) -> tuple[str, int]:
        """A linter that mended less than was changed in all files did not change all of it."""
        tool, fixes = existing.tool_of(call)
        return tool, fixes if laid_out[call] <= fixes else 0

    for number, (file, spans) in enumerate(verdict.files):
        if any(_is_open(span.verdict) or span.verdict.run_by == RunBy.AGENT for span in spans):
            names = existing.names_of(file.change.path, file.change.old_path)
            lines = texts.lines(file)
            bares = lines_without_layout("\n".join(lines)) if lines else []
            before = _Before(texts.before(file))
            question = _Asked(
                existing,
                names,
                lines,
                bares,
                _telling(bares),
                Counter(bares),
                before,
                sessions,
                until,
            )
            # vendored files have thousands of lines of which no agent wrote any
            is_any = any(span.verdict.author == Author.AGENT for span in spans)
            result = (
                _attribute_spans(spans, question)
                if is_any or existing.holds_any(names, bares)
                else list(spans)
            )
            verdict.files[number] = (
                file,
                give_to_formatters(result, lines, question.before.text, tool_of, until),
            )
    if not sessions:
        verdict.note_sessions()


def _laid_out(verdict: CommitVerdict) -> Counter[CallRef]:
    """Call of a formatter -> lines with text, of all files, that it may have changed."""
    counts = Counter[CallRef]()
    for _, spans in verdict.files:
        for span in spans:
            if span.verdict.reason == Reason.FORMATTER and span.verdict.call is not None:
                counts[span.verdict.call] += span.nonblank
    return counts


def give_to_maker(
    commit: Commit, verdict: CommitVerdict, maker: int, existing: AppliedEdits, texts: Texts
) -> None:
    """Of the lines of other sessions than the commit is linked to, those that an edit of its maker
    brings are the maker's.

    What the file was seen with before that edit is not the edit's. A session that is left without a
    line has no part in the commit.
    """
    until = max(commit.author_time, commit.commit_time) + SLACK
    for file, spans in verdict.files:
        by_line = verdicts_by_line(spans)
        linked = verdict.named | {maker}
        others = {
            line
            for line, v in by_line.items()
            if v.author == Author.AGENT and v.call and v.call.session_id not in linked
        }
        lines = texts.lines(file) if others else []
        names = existing.names_of(file.change.path, file.change.old_path) if others else {}
        for line in sorted(others):
            text = lines[line - 1] if line <= len(lines) else ""
            writers = existing.writers(names, text, without_layout(text))
            ours = [item for item in writers if item.call.session_id == maker and item.at <= until]
            if ours:
                by_line[line] = _verdict_of(max(ours, key=lambda item: item.at), text, How.EXACT)
            elif is_low_information(text) and (above := _call_of(by_line.get(line - 1), maker)):
                by_line[line] = replace(by_line[line], call=above)
        if others:
            spans[:] = spans_of(by_line, lines)
    verdict.note_sessions()


def _call_of(verdict: Verdict | None, session: int) -> CallRef | None:
    """The call of an agent's line, if it is of this session."""
    if verdict is None or verdict.author != Author.AGENT or verdict.call is None:
        return None
    return verdict.call if verdict.call.session_id == session else None


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who wrote lines of one file of a commit."""

    known: AppliedEdits
    names: Mapping[str, float]  # with the moment until which the file had them
    lines: Sequence[str]
    bares: Sequence[str]  # the lines without layout
    telling: Sequence[int]  # indices of those that say something
    times: Mapping[str, int]  # how often each of them stands in the file
    before: _Before
    sessions: frozenset[int]
    until: float

    def verdict(self, index: int, reason: Reason) -> Verdict | None:
        """Of the line at this index, unknown for this reason; None when no edit is known to hold
        it.
        """
        writer = self._writer(index, reason)
        if writer is None:
            return None
        return _verdict_of(writer, self.lines[index], How.MOVED)

    def _writer(self, index: int, reason: Reason) -> _Written | None:
        """The last edit that holds the line where the commit has it."""
        text = self.lines[index]
        bare = self.bares[index]
        is_copy = reason in _MISSING and (len(bare) < _SIMILAR or bare in self.before.bare)
        if len(bare) < MIN_LENGTH or is_copy:
            return None
        location = _Place(bare, *_around(self.bares, self.telling, index))
        alone = len(bare) >= _ALONE and self.times[bare] == 1 and reason not in _MISSING
        # Agents produced the very text, so that nobody else is left for it: it need not stand
        # between the same lines.
        verbatim = (
            reason == Reason.AGENT_TEXT
            and len(bare) >= _SIMILAR
            and self.times[bare] == 1
            and bare not in self.before.bare
        )
        writers = (
            writer
            for writer in self.known.writers(self.names, text, bare)
            if writer.at <= self.until
            and not self.known.is_undone(self.names, bare, writer.at, self.until)
            and (
                reason != Reason.RESTORED and self._is_same(writer, text, location)
                if reason == Reason.CHECKPOINT_MISSING
                or writer.call.session_id not in self.sessions
                else (verbatim and writer.text == text.strip())
                or self._is_at(writer, text, location, alone)
            )
        )
        last = max(writers, key=lambda item: item.at, default=None)
        if last is not None or any(name.endswith(DOCUMENTS) for name in self.names):
            return last
        drafts = [
            item
            for item in self.known.writers({"": self.until}, text, bare)
            if self._is_same(item, text, location)
        ]
        seen = self.known.first_seen(self.names, text.strip()) if drafts else _NEVER
        return max(
            (item for item in drafts if item.at <= seen), key=lambda item: item.at, default=None
        )

    def _is_same(self, item: _Written, text: str, location: _Place) -> bool:
        """Whether a line that was new is the very one of an edit, by a session that the commit
        need not be linked to.
        """
        is_new = len(location.bare) >= _SIMILAR and location.bare not in self.before.bare
        return (
            is_new
            and item.text == text.strip()
            and location == (location.bare, item.above, item.below)
            and all(location)
        )

    def _is_at(self, item: _Written, text: str, location: _Place, alone: bool) -> bool:
        """Whether a line of an edit stands where the line of the commit does."""
        within = bool(location.above and location.below) and (item.above, item.below) == (
            location.above,
            location.below,
        )
        # a second one is new where both neighbours are the edit's and the first has others
        if text in self.before.lines:
            more = self.times[location.bare] > self.before.times[location.bare]
            return within and more and location not in self.before.places
        if len(location.bare) < _SAME:
            return within
        one_side = (location.above and item.above == location.above) or (
            location.below and item.below == location.below
        )
        # Equal text elsewhere in the file is common: the neighbours must be the edit's too, but for
        # one at the edit's edge.
        above = item.above == location.above and item.below in (location.below, "")
        return (
            above or (item.below == location.below and not item.above) or bool(alone and one_side)
        )


class _Place(NamedTuple):
    """A line without layout, and the next lines that say something."""

    bare: str
    above: str
    below: str


# without slots: what is derived from the text is kept; few files need all of it
@dataclass(frozen=True)
class _Before:
    """The version before, whose lines are not new."""

    text: str

    @cached_property
    def lines(self) -> frozenset[str]:
        return frozenset(self.text.split("\n"))

    @cached_property
    def times(self) -> Counter[str]:
        """How often each line without layout stands in it."""
        return Counter(lines_without_layout(self.text))

    @property
    def bare(self) -> Container[str]:
        return self.times.keys()

    @cached_property
    def places(self) -> frozenset[_Place]:
        bares = [bare for bare in lines_without_layout(self.text) if len(bare) >= MIN_LENGTH]
        return frozenset(
            _Place(bare, *around)
            for bare, *around in zip(bares[1:], bares, bares[2:], strict=False)
        )


def _verdict_of(writer: _Written, text: str, same: How) -> Verdict:
    """`same`: how the line came where the edit has its very text."""
    how = same if writer.text == text.strip() else How.REFORMATTED
    how = How.SUBAGENT if writer.by_subagent else How.SHELL if writer.call.by_shell else how
    return Verdict(Author.AGENT, how, Evidence.MATCHED, call=writer.call)


def _attribute_spans(spans: Sequence[Span], question: _Asked) -> list[Span]:
    every = verdicts_by_line(spans)
    result = dict[int, Verdict]()
    for line, lost in every.items():
        verdict = (
            question.verdict(line - 1, lost.reason)
            if _is_lost(lost) and line <= len(question.lines)
            else None
        )
        if verdict is not None:
            result[line] = verdict
    result |= _verdicts_beside(every | result, question)
    return spans_of(every | result, question.lines) if result else list(spans)


def _verdicts_beside(verdicts: Mapping[int, Verdict], question: _Asked) -> dict[int, Verdict]:
    """Lines without a word in a block of added lines of which all the others are an agent's are the
    agent's too.

    Which of several brackets is the new one depends on how the versions are compared: git may count
    the bracket above a block to it, and the one that closes it not. Between two lines of an agent
    they are the agent's whoever wrote the rest of the block.
    """
    result: dict[int, Verdict] = {}
    for start, end in runs(sorted(verdicts)):
        texts = {
            line: question.lines[line - 1]
            for line in range(start, end)
            if line <= len(question.lines)
        }
        weak = {
            line
            for line, text in texts.items()
            if _is_open(verdicts[line]) and is_low_information(text)
        }
        strong = [line for line, text in texts.items() if line not in weak and text.strip()]
        whole = bool(strong) and all(verdicts[line].author == Author.AGENT for line in strong)
        edges = [0, *strong, 0]
        for line in weak if strong else ():
            above = edges[location := bisect_left(strong, line)]
            below = edges[location + 1]
            between = (
                above and below and verdicts[above].author == verdicts[below].author == Author.AGENT
            )
            if between or (
                whole and _is_lost(verdicts[line]) and abs(line - (above or below)) <= _CLOSERS
            ):
                beside = verdicts[above or below]
                how = How.SUBAGENT if beside.how == How.SUBAGENT else How.EXACT
                result[line] = Verdict(Author.AGENT, how, Evidence.INFERRED, call=beside.call)
    return result


def _is_open(verdict: Verdict) -> bool:
    """Whether a line that says nothing may follow the lines beside it."""
    return _is_lost(verdict) or (
        verdict.author == Author.UNKNOWN and verdict.reason == Reason.COMMON_LINE
    )


def _is_lost(verdict: Verdict) -> bool:
    return verdict.author == Author.UNKNOWN and verdict.reason in _LOST_TRACK
