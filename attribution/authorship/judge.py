"""Author, evidence and source of every line a commit adds. Pure.

`match` finds each added line in the replayed state of the file; `judge` turns what was found into a verdict. A line that no
replayed state explains is given to whoever may have acted in between (`attribution.authorship.windows`), which includes "unknown".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from attribution.authorship.align import Kin, changes, kinship, lines_of, pairing, text_changes, tokens
from attribution.authorship.inline_scripts import computes, script_of, words_of
from attribution.authorship.replay import AGENT, BASE, OUTSIDE, CallRef, LineOrigin, ReplayedFile, Worktree
from attribution.authorship.windows import AttributionWindow, CandidateAuthor
from collector.model import LineChange
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy, Witness

STATED_DOUBTS = frozenset({Reason.FORMATTER, Reason.OPAQUE_SHELL, Reason.GIT_OPERATION, Reason.REWRITTEN})
"""What may stand beside a person's line until a witness is asked: what else may have written it."""
_TELLING = 12  # characters from which a line's text alone raises doubt
_WORD = re.compile(r"\w")
_RUN = 3  # lines that must follow each other before text found elsewhere counts as moved


@dataclass(frozen=True, slots=True)
class SightingPair:
    """What saw a person's line appear. Times in seconds since the epoch."""

    kind: Witness
    without: float  # when the file was last known to be without the line
    seen: float | None = None  # when the line was first seen; None: only the commit shows it

    @property
    def is_interval(self) -> bool:
        """Whether the line came between two moments; a change of a proposal is seen in one."""
        return self.seen is not None and self.seen > self.without

    @property
    def seen_to_appear(self) -> bool:
        """Whether both sightings lie within what was recorded."""
        return self.kind in (Witness.RECORDED, Witness.NOTICE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who wrote one line. `reason`: why it is unknown; of a person's line what to doubt, until a witness is asked."""

    author: Author
    how: How
    evidence: Evidence
    reason: Reason = Reason.NONE
    call: CallRef | None = None
    edited_by: RunBy | None = None  # a person or unknown, of a line that was edited
    similarity: float | None = None
    model: str = ""  # declared: the model that the commit names
    tool: str = ""
    run_by: RunBy | None = None  # of a tool
    witness: SightingPair | None = None  # of a human line


@dataclass(frozen=True, slots=True)
class AddedFile:
    """The part of a commit that concerns one file. `lines` are those of the new version, decoded as agents see them."""

    path: str
    old_path: str
    lines: tuple[str, ...]
    added: tuple[int, ...]  # 0-based numbers of the added lines
    before: Container[str] = frozenset()  # texts of the lines of the version before, where there is one
    text: str = ""  # the lines joined, each with its newline; "" when the caller has none
    last_commit: float = 0.0  # author time of the commit before this one that changed the file; 0: there is none
    before_text: str = ""  # the version before, joined
    by_hand: bool = True  # of a kind that people type


@dataclass(slots=True)
class StateAlignment:
    """Where the lines of a file version stand in the replayed state of the file."""

    file: AddedFile
    state: ReplayedFile | None
    ids: list[int] = field(default_factory=list)  # per line of the version: id in the state, or -1
    kin: dict[int, tuple[int, Kin]] = field(default_factory=dict)  # line -> (id it replaced, how they are related)
    was: dict[int, str] = field(default_factory=dict)  # line -> text of the line it replaced
    lost: list[tuple[int, str]] = field(default_factory=list)  # agent lines of the state that the version lacks, in order
    overwritten: set[int] = field(default_factory=set)  # of those, the ones whose place other text took


def align_state(tree: Worktree, file: AddedFile) -> StateAlignment:
    """Aligns the replayed state with the committed version."""
    state = tree.files.get(file.path)
    if (state is None or not state.exists) and file.old_path != file.path:
        state = tree.files.get(file.old_path) or state
    if state is None:
        return StateAlignment(file, None, [-1] * len(file.lines))
    if file.text and file.text == state.text:
        return StateAlignment(file, state, list(state.ids))
    old = lines_of(state.text)
    hunks = text_changes(state.text, file.text) if file.text else changes(old, file.lines)
    ids = [state.ids[p] if p >= 0 else -1 for p in pairing(len(old), len(file.lines), hunks)]
    state_alignment = StateAlignment(file, state, ids)
    added = set(file.added)
    for hunk in hunks:
        # A difference where the commit adds nothing is one to another base than its parent: nobody asks.
        if not added.isdisjoint(range(hunk.b0, hunk.b1)):
            _relate(tree, state_alignment, state.ids, old, hunk)
    _note_lost(tree, state_alignment, state.ids, old, hunks)
    return state_alignment


def _relate(tree: Worktree, state_alignment: StateAlignment, ids: Sequence[int], old: Sequence[str], hunk: LineChange) -> None:
    """What the new lines of a replaced block have to do with the old ones."""
    agent = tree.has_agent(ids[hunk.a0 : hunk.a1])
    kin = kinship(old[hunk.a0 : hunk.a1], state_alignment.file.lines[hunk.b0 : hunk.b1], agent)
    for index, relation in enumerate(kin, hunk.b0):
        if relation is None:
            continue
        line = ids[hunk.a0 + relation.source]
        if relation.kind == "redacted":
            state_alignment.ids[index] = line
        else:
            state_alignment.kin[index] = (line, relation)
            state_alignment.was[index] = old[hunk.a0 + relation.source]


def _note_lost(
    tree: Worktree, state_alignment: StateAlignment, ids: Sequence[int], old: Sequence[str], hunks: Sequence[LineChange]
) -> None:
    """Agent lines of the state that the version lacks."""
    remaining = set(state_alignment.ids) | {
        line for line, relation in state_alignment.kin.values() if relation.kind == "reformatted"
    }
    for hunk in hunks:
        for index in range(hunk.a0, hunk.a1):
            line = ids[index]
            if line not in remaining and tree.origin(line).kind == AGENT:
                state_alignment.lost.append((line, old[index]))
                if hunk.b1 > hunk.b0:
                    state_alignment.overwritten.add(line)


def _balance(tree: Worktree, state_alignment: StateAlignment, committed: Committed) -> None:
    """Git and the replay may disagree which of several equal lines is the new one; the number of new ones is the same.

    An added line that the replay calls old is exchanged with the nearest equal line that git calls old and the replay new.
    """
    added = set(state_alignment.file.added)
    want: dict[str, list[int]] = defaultdict(list)
    have: dict[str, list[int]] = defaultdict(list)
    for index in state_alignment.file.added:
        line, text = state_alignment.ids[index], state_alignment.file.lines[index]
        seen_before = line >= 0 and text in state_alignment.file.before and tree.origin(line).kind == OUTSIDE
        if line >= 0 and (seen_before or _is_old(tree, line, text, committed)):
            want[state_alignment.file.lines[index]].append(index)
    if not want:
        return
    for index, line in enumerate(state_alignment.ids):
        text = state_alignment.file.lines[index]
        if line >= 0 and index not in added and text in want and _is_new_agent(tree, line, text, committed):
            have[text].append(index)
    for text, positions in want.items():
        free = have.get(text, [])
        for index in positions:
            if not free:
                break
            nearest = min(free, key=lambda other: abs(other - index))
            free.remove(nearest)
            state_alignment.ids[index], state_alignment.ids[nearest] = state_alignment.ids[nearest], state_alignment.ids[index]


def _is_old(tree: Worktree, line: int, text: str, committed: Committed) -> bool:
    """Not new in this commit, as far as the replay can tell."""
    kind = tree.origin(line).kind
    return kind == BASE or (kind == AGENT and committed(line, text))


def _is_new_agent(tree: Worktree, line: int, text: str, committed: Committed) -> bool:
    return tree.origin(line).kind == AGENT and not committed(line, text)


Committed = Callable[[int, str | None], bool]
"""(line id, text) -> whether an ancestor already committed that agent line, with that text (None: with any)."""

Asker = Callable[[AttributionWindow], CandidateAuthor]
"""`AttributionWindows.cause`."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Times that matter for one commit: when it was made, and from when on its changes can date."""

    commit: float
    since: float
    redone: bool = False  # rebased, amended or squashed since


@dataclass(frozen=True, slots=True)
class _Case:
    """One file of one commit that is being judged."""

    tree: Worktree
    found: StateAlignment
    ask: Asker
    when: Moments
    committed: Committed
    words: dict[tuple[str, float, float], frozenset[str]] = field(default_factory=dict)  # of the state without one moment's lines
    gaps: dict[bool, CandidateAuthor] = field(default_factory=dict)  # only the layout differs? -> `_last_cause` of any line

    @property
    def path(self) -> str:
        return self.found.file.path

    def text(self, index: int) -> str:
        return self.found.file.lines[index]


def judge(tree: Worktree, state_alignment: StateAlignment, ask: Asker, when: Moments, committed: Committed) -> dict[int, Verdict]:
    """A verdict for each added line."""
    _balance(tree, state_alignment, committed)
    case = _Case(tree, state_alignment, ask, when, committed)
    verdicts = {}
    for index in state_alignment.file.added:
        line = state_alignment.ids[index]
        if line >= 0:
            verdicts[index] = _verdict_of_replayed_line(case, index, line)
        elif index in state_alignment.kin:
            verdicts[index] = _verdict_of_similar_line(case, index)
        else:
            verdicts[index] = _verdict_since_last_known(case, index)
    return verdicts


def _verdict_of_replayed_line(case: _Case, index: int, line: int) -> Verdict:
    origin = case.tree.origin(line)
    if origin.kind == AGENT and origin.call is not None:
        if case.committed(line, case.text(index)):
            return Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.RESTORED, origin.call)
        how = How.SHELL if origin.call.by_shell else How.REFORMATTED if line in case.tree.reformatted else How.EXACT
        return Verdict(Author.AGENT, how, origin.evidence or Evidence.REPLAYED, call=origin.call)
    if origin.kind == OUTSIDE:
        return _verdict_of_outside_line(case, line, index)
    state = case.found.state
    if state is not None and state.moved_by is not None:
        return Verdict(Author.AGENT, How.SHELL, Evidence.REPLAYED, call=state.moved_by)
    return _verdict_before_session(case, line)


def _verdict_of_outside_line(case: _Case, line: int, index: int) -> Verdict:
    """A line that appeared between two known texts of the file: `line` is its id, `index` its place in the version."""
    origin = case.tree.origin(line)
    cause = _narrow_to_text(case, case.ask(AttributionWindow(case.path, origin.after, origin.before, origin.layout)), index)
    witness = _seen_to_appear(case, origin) or _sighting_since_parent(case, index)
    if origin.changed >= 0 and origin.was not in case.found.file.before and not case.committed(origin.changed, None):
        return _edited_verdict(case.tree, origin.changed, origin.similarity, cause, witness)
    return _verdict_from_cause(cause, witness, layout=origin.layout)


def _seen_to_appear(case: _Case, origin: LineOrigin) -> SightingPair | None:
    """Both texts, without and with the line, must have been seen; where the one before was only computed, nothing saw it."""
    if origin.in_dialog:
        return SightingPair(Witness.NOTICE, origin.after, origin.before)
    if not origin.seen_without:
        return None
    window = AttributionWindow(case.path, origin.seen_without, origin.before)
    if origin.seen_without < origin.after and not case.ask(window).is_person:
        return None
    return SightingPair(Witness.RECORDED, origin.seen_without, origin.before)


def _sighting_since_parent(case: _Case, index: int) -> SightingPair | None:
    """The parent of the commit lacks the line, the commit has it: witnesses if nobody can have written to the file in between."""
    window = AttributionWindow(case.path, case.when.since, case.when.commit, last=True)
    cause = _narrow_to_text(case, case.ask(window), index)
    by_person = cause.author == Author.HUMAN and cause.reason != Reason.GIT_OPERATION
    return SightingPair(Witness.COMMIT, case.when.since) if by_person else None


def _sighting_by_commit(case: _Case, index: int) -> SightingPair | None:
    """The commit is the second sighting, unless a part of the file that was seen before it shows the line."""
    state = case.found.state
    if state is None:
        return SightingPair(Witness.COMMIT, case.when.since)
    since = state.certain_at
    if not since:
        return _sighting_since_parent(case, index)
    glimpse = case.tree.first_glimpse(case.path, case.text(index), since, case.when.commit)
    if glimpse is not None and case.ask(AttributionWindow(case.path, since, glimpse.at)).is_person:
        return SightingPair(Witness.NOTICE if glimpse.outside_edit else Witness.RECORDED, since, glimpse.at)
    return SightingPair(Witness.COMMIT, since)


def _edited_verdict(tree: Worktree, line: int, similarity: float, cause: CandidateAuthor, witness: SightingPair | None) -> Verdict:
    """An agent line that somebody changed afterwards stays the agent's, with the editor named."""
    call = tree.origin(line).call
    if cause.author == Author.AGENT:
        return Verdict(Author.AGENT, How.SHELL, Evidence.INFERRED, call=cause.call)
    if not cause.is_person or witness is None:  # a tool that changes words is not followed
        return Verdict(Author.AGENT, How.EDITED, Evidence.OBSERVED, call=call, edited_by=RunBy.UNKNOWN, similarity=similarity)
    return Verdict(Author.AGENT, How.EDITED, Evidence.OBSERVED, cause.reason, call, RunBy.HUMAN, similarity, witness=witness)


def _verdict_of_similar_line(case: _Case, index: int) -> Verdict:
    """A line that took the place of a similar one after the last known state."""
    line, relation = case.found.kin[index]
    origin = case.tree.origin(line)
    if relation.kind == "reformatted":
        if origin.kind == AGENT:
            return Verdict(Author.AGENT, How.REFORMATTED, origin.evidence or Evidence.REPLAYED, call=origin.call)
        if origin.kind == OUTSIDE:  # whoever wrote it before its layout was changed
            return _verdict_of_outside_line(case, line, index)
        return _verdict_from_cause(_last_cause(case, index, layout=True), layout=True)
    if origin.kind == AGENT and case.found.was[index] not in case.found.file.before and not case.committed(line, None):
        return _edited_verdict(case.tree, line, relation.similarity, _last_cause(case, index), _sighting_by_commit(case, index))
    return _verdict_since_last_known(case, index)  # a line of an earlier commit that is changed now is the changer's


def _verdict_since_last_known(case: _Case, index: int) -> Verdict:
    """A line that appeared after the last known state of the file."""
    cause = _last_cause(case, index)
    witness = _sighting_by_commit(case, index) if cause.author == Author.HUMAN else None  # most lines need none
    return _verdict_from_cause(cause, witness)


def _last_cause(case: _Case, index: int, layout: bool = False) -> CandidateAuthor:
    """Who it was between the last known state and the commit: the same for every line, unless scripts tell lines apart."""
    if layout in case.gaps:
        return case.gaps[layout]
    state, when = case.found.state, case.when
    created = state is None and len(case.found.file.added) == len(case.found.file.lines)
    after = state.known_at if state is not None else when.since
    last = case.ask(AttributionWindow(case.path, after, when.commit, layout, True, created, state is None))
    is_open = last.author == Author.HUMAN or bool(last.scripts)
    before = None
    if state is None and is_open:  # what was done to the file before the parent commit may have been left out of that
        before = case.ask(AttributionWindow(case.path, case.found.file.last_commit, when.since, layout, made=created, unseen=True))
    result = _choose_cause(case, index, last, before)
    if not last.scripts and not (before and before.scripts):
        case.gaps[layout] = result
    return result


def _choose_cause(case: _Case, index: int, last: CandidateAuthor, before: CandidateAuthor | None) -> CandidateAuthor:
    """`last`, `before`: who it was since the last known state, and before the parent of the commit."""
    state, when = case.found.state, case.when
    cause = _narrow_to_text(case, last, index)
    if cause.author != Author.HUMAN:
        return cause
    if before is not None:
        earlier = _narrow_to_text(case, before, index)
        if earlier.author in (Author.AGENT, Author.TOOL):
            return earlier
    if state is not None and state.sparse:
        return CandidateAuthor(Author.UNKNOWN, reason=Reason.BASE_UNKNOWN)
    if when.redone:
        # A rebase merges other people's text, and whoever resolved the conflicts did so after the last moment we know.
        return replace(cause, reason=Reason.REWRITTEN if cause.watched and not cause.reason else cause.reason, watched=False)
    return cause


def _verdict_before_session(case: _Case, line: int) -> Verdict:
    """The line stood in the file when an agent first saw it, but in no parent of the commit."""
    tree, when = case.tree, case.when
    if case.path in tree.partly:
        return Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.BASE_UNKNOWN)
    sighted = tree.first_seen.get(case.path, when.commit)
    if when.redone or sighted < when.since or case.path in tree.from_git:
        # The file was first seen on another base than the commit's parent: the text may come from any commit.
        return Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.OTHER_BRANCH)
    if tree.origin(line).evidence:  # it was not in the file when that was first seen
        return Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.BASE_UNKNOWN)
    cause = _narrow_to_text(case, case.ask(AttributionWindow(case.path, when.since, sighted)), case.found.ids.index(line))
    return _verdict_from_cause(cause, SightingPair(Witness.FIRST_READ, when.since, sighted))


def _narrow_to_text(case: _Case, cause: CandidateAuthor, index: int) -> CandidateAuthor:
    """Of an answer that names scripts, what it is for this line."""
    if not cause.scripts:
        return cause
    script = script_of(case.text(index), cause.scripts, _words_around(case, index))
    if script is not None:
        return replace(cause, call=script.call, scripts=(), otherwise=None)
    remainder = cause.otherwise or CandidateAuthor(Author.HUMAN)
    if remainder.author != Author.HUMAN:
        return remainder
    if remainder.reason == Reason.GIT_OPERATION:
        return replace(remainder, author=Author.UNKNOWN)
    if not case.found.file.by_hand:  # nobody types data that a script is there to write
        return CandidateAuthor(Author.TOOL, call=cause.call, tool="script")
    state = case.found.state
    is_known = bool(case.found.file.before_text) or (state is not None and state.certain_at > 0)
    author = Author.HUMAN if is_known and not computes(cause.scripts) else Author.UNKNOWN
    return CandidateAuthor(author, reason=Reason.OPAQUE_SHELL, call=cause.call)


def _words_around(case: _Case, index: int) -> frozenset[str]:
    """Words that were in the file before the line came, as far as is known."""
    file, state, line = case.found.file, case.found.state, case.found.ids[index]
    if state is None:
        return words_of(file.before_text)
    if line < 0:
        return words_of(state.text) | words_of(file.before_text)
    came = _moment_of(case.tree.origin(line))
    if came not in case.words:
        texts = zip(state.ids, lines_of(state.text), strict=True)
        remaining = [text for other, text in texts if _moment_of(case.tree.origin(other)) != came]
        case.words[came] = words_of("\n".join(remaining)) | words_of(file.before_text)
    return case.words[came]


def _moment_of(origin: LineOrigin) -> tuple[str, float, float]:
    """What lines that came together have in common."""
    return origin.kind, origin.after, origin.before


def _verdict_from_cause(cause: CandidateAuthor, witness: SightingPair | None = None, layout: bool = False) -> Verdict:
    """`witness`: what would show that a person wrote the line, if nobody else did."""
    if cause.author == Author.AGENT:
        return Verdict(Author.AGENT, cause.how, cause.evidence, call=cause.call)
    if cause.author != Author.HUMAN:
        return _not_a_person(cause)
    if layout:
        return Verdict(
            Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.FORMATTER, cause.call
        )  # an editor, a hook, whoever: nobody's words
    if witness is None:
        stated = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, cause.reason, cause.call)
        is_stated = cause.reason in (Reason.OPAQUE_SHELL, Reason.GIT_OPERATION)
        return stated if is_stated else Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.BASE_UNKNOWN)
    if not cause.is_person:
        witness = replace(witness, kind=Witness.UNWATCHED)
    return Verdict(
        Author.HUMAN,
        How.NONE,
        Evidence.OBSERVED if witness.seen_to_appear else Evidence.INFERRED,
        cause.reason,
        cause.call,
        witness=witness,
    )


def _not_a_person(cause: CandidateAuthor) -> Verdict:
    if cause.author == Author.TOOL:
        return Verdict(Author.TOOL, How.NONE, cause.evidence, call=cause.call, tool=cause.tool, run_by=RunBy.AGENT)
    return Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, cause.reason, cause.call)


_DOUBTS = frozenset({"agent_text", "edit_unplaced", "formatter"})


def downgrade_hunks(file: AddedFile, verdicts: dict[int, Verdict]) -> None:
    """A human's line is no surer than the added block it stands in.

    Where most lines of the block are an agent's text in a place or layout that nobody can explain, the common ones between them
    would be left over as a human's. And a lone line that the version before had as well was moved about by the diff.
    """
    for block in _blocks(file.added):
        doubts = [v.reason for i in block if (v := verdicts[i]).author == Author.UNKNOWN and v.reason in _DOUBTS]
        doubt = doubts[0] if len(doubts) > sum(1 for i in block if verdicts[i].author == Author.HUMAN) else Reason.NONE
        old = [i for i in block if _is_telling(file.lines[i].strip()) and file.lines[i] in file.before]
        for index in block:
            if verdicts[index].author == Author.HUMAN:
                lone = index in old and index - 1 not in old and index + 1 not in old
                if doubt or lone:
                    verdicts[index] = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, doubt or Reason.COMMON_LINE)


def _blocks(added: Sequence[int]) -> Iterator[list[int]]:
    """Runs of consecutive numbers."""
    block: list[int] = []
    for index in added:
        if block and index != block[-1] + 1:
            yield block
            block = []
        block.append(index)
    if block:
        yield block


def downgrade_unplaced(verdicts: dict[int, Verdict]) -> None:
    """An edit of this file, made for this commit, could not be replayed: its lines would look like a human's."""
    for index, verdict in verdicts.items():
        if verdict.author == Author.HUMAN:
            verdicts[index] = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.EDIT_UNPLACED)


def downgrade_known_text(file: AddedFile, verdicts: dict[int, Verdict], written: Container[str]) -> None:
    """A line that an agent once wrote into this very file is no human's, even if the replay lost track of it."""
    for index, verdict in verdicts.items():
        text = file.lines[index].strip()
        if verdict.author == Author.HUMAN and _is_telling(text) and text in written:
            verdicts[index] = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.AGENT_TEXT)


def _is_telling(text: str) -> bool:
    return len(text) >= _TELLING and not is_low_information(text)


def assign_low_information(file: AddedFile, verdicts: dict[int, Verdict]) -> None:
    """Blank lines and lone brackets that nothing explains follow their neighbours within the added block.

    Which of several `}` a diff calls new is a matter of chance. Between two lines of an agent it is the agent's (inferred); at the
    edge of an agent's block it is nobody's.
    """
    strong = {i: verdicts[i] for i in file.added if not is_low_information(file.lines[i])}
    order = sorted(verdicts)
    above, below = _nearest(order, strong, 1), _nearest(order[::-1], strong, -1)
    for index in file.added:
        if index in strong:
            continue
        if verdicts[index].author == Author.AGENT:
            if _is_lone(index, file, verdicts):
                verdicts[index] = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.COMMON_LINE, verdicts[index].call)
            continue
        sides = [v for v in (above.get(index), below.get(index)) if v is not None]
        agents = [v for v in sides if v.author == Author.AGENT]
        if len(agents) == 2:
            verdicts[index] = Verdict(Author.AGENT, How.EXACT, Evidence.INFERRED, call=agents[0].call)
        elif agents and len(sides) == 1 and verdicts[index].author == Author.HUMAN:
            verdicts[index] = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.COMMON_LINE, agents[0].call)


def _is_lone(index: int, file: AddedFile, verdicts: dict[int, Verdict]) -> bool:
    """A bracket of an agent's call amid lines of the same block that are not the agent's: the diff may have put it there."""
    around = [verdicts[other] for other in (index - 1, index + 1) if other in verdicts]
    return len(around) == 2 and all(v.author == Author.UNKNOWN for v in around) and bool(file.lines[index].strip())


def is_low_information(line: str) -> bool:
    """Says nothing by itself: blank, or no word in it."""
    return _WORD.search(line) is None


def _nearest(order: Sequence[int], strong: Mapping[int, Verdict], step: int) -> dict[int, Verdict]:
    """For each number, in `order`, the last strong verdict before it in the same run of consecutive numbers."""
    result: dict[int, Verdict] = {}
    last, previous = None, None
    for index in order:
        if previous is not None and index != previous + step:
            last = None
        if last is not None:
            result[index] = last
        last, previous = strong.get(index, last), index
    return result


# --- moved text -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MoveCandidates:
    """Agent text that is no longer where the agent put it: candidates for moves."""

    lines: tuple[tuple[str, CallRef], ...]  # consecutive
    evidence: Evidence = Evidence.MATCHED
    how: How = How.MOVED
    path: str = ""  # only in this file, and with the neighbours counted
    before: str = ""  # text of the line before, when it was there
    after: str = ""


class MovedLine(NamedTuple):
    """An added line whose text an agent wrote elsewhere."""

    file: int  # number in the files that were asked about
    line: int
    verdict: Verdict


def moved_lines(
    files: Sequence[tuple[AddedFile, dict[int, Verdict]]], sources: Sequence[MoveCandidates], is_common: Callable[[str], bool]
) -> list[MovedLine]:
    """Unexplained lines that are agent text from elsewhere.

    Three or more lines in a row must reappear in a row, at least one of them rare in the repository.
    """
    waiting = [[i for i in file.added if _is_open(verdicts.get(i))] for file, verdicts in files]
    if not any(waiting):
        return []
    positions: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, source in enumerate(sources):
        for position, (text, _) in enumerate(source.lines):
            key = _key(text)
            if key and len(positions[key]) < 50:
                positions[key].append((number, position))
    result = []
    for number, ((file, _), open_lines) in enumerate(zip(files, waiting, strict=True)):
        for start, length, (location, position) in _runs(file, open_lines, sources, positions, is_common):
            for offset in range(length):
                _, call = sources[location].lines[position + offset]
                verdict = Verdict(Author.AGENT, sources[location].how, sources[location].evidence, call=call)
                result.append(MovedLine(number, start + offset, verdict))
    return result


@lru_cache(maxsize=50_000)  # texts that found no place are looked for in every commit
def _key(text: str) -> str:
    """What is left of a line when its layout is taken away: moved blocks are often indented again."""
    return " ".join(tokens(text)) or text.strip()


def _is_open(verdict: Verdict | None) -> bool:
    return verdict is not None and (verdict.author != Author.AGENT or verdict.evidence == Evidence.INFERRED)


def _runs(
    file: AddedFile,
    open_lines: Sequence[int],
    sources: Sequence[MoveCandidates],
    positions: dict[str, list[tuple[int, int]]],
    is_common: Callable[[str], bool],
) -> list[tuple[int, int, tuple[int, int]]]:
    allowed = set(open_lines)
    result = []
    done = -1
    for start in open_lines:
        if start <= done:
            continue
        best: tuple[int, int, tuple[int, int]] = (0, 0, (0, 0))
        for location in positions.get(_key(file.lines[start]), ()):
            source = sources[location[0]]
            if source.path in ("", file.path):
                length = _run_length(file, start, allowed, source, location[1])
                best = max(best, (_strength(file, start, length, source, location[1]), length, location))
        strength, length, location = best
        texts = [file.lines[start + i].strip() for i in range(length)]
        telling = (file.lines[start + i] not in file.before and texts[i] and not is_common(texts[i]) for i in range(length))
        if strength >= _RUN and any(telling):
            result.append((start, length, location))
            done = start + length - 1
    return result


def _strength(file: AddedFile, start: int, length: int, source: MoveCandidates, position: int) -> int:
    """Lines with text in the run; in its old file also the neighbours that are the same as they were."""
    strength = sum(1 for i in range(length) if file.lines[start + i].strip())
    if source.path and position == 0 and source.before and _neighbour(file, start, -1) == source.before:
        strength += 1
    if (
        source.path
        and position + length == len(source.lines)
        and source.after
        and _neighbour(file, start + length - 1, 1) == source.after
    ):
        strength += 1
    return strength


def _neighbour(file: AddedFile, index: int, step: int) -> str:
    """The next line with text in that direction, stripped."""
    index += step
    while 0 <= index < len(file.lines):
        if file.lines[index].strip():
            return file.lines[index].strip()
        index += step
    return ""


def _run_length(file: AddedFile, start: int, allowed: set[int], source: MoveCandidates, position: int) -> int:
    length = 0
    while (
        start + length in allowed
        and position + length < len(source.lines)
        and _key(file.lines[start + length]) == _key(source.lines[position + length][0])
    ):
        length += 1
    return length


def sources_of(tree: Worktree, state_alignments: Sequence[StateAlignment]) -> list[MoveCandidates]:
    """What the commit's files lack of the agents' text, and the text of edits that could not be placed."""
    result = []
    for state_alignment in state_alignments:
        lines = []
        for line, text in state_alignment.lost:
            call = tree.origin(line).call
            if call is not None:
                lines.append((text, call))
        if lines:
            result.append(MoveCandidates(tuple(lines)))
    paths = {state_alignment.file.path for state_alignment in state_alignments} | {
        state_alignment.file.old_path for state_alignment in state_alignments
    }
    for path in paths:
        for buried in tree.buried.get(path, ()):
            result.append(MoveCandidates(buried.lines, Evidence.MATCHED, How.EXACT, path, buried.before, buried.after))
    for _, call, texts in tree.fragments:
        result.append(MoveCandidates(tuple((text, call) for text in texts), Evidence.MATCHED, How.EXACT))
    return result
