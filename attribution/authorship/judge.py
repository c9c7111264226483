"""Author, evidence and source of every line a commit adds. Pure.

`judge` turns what `state_alignment` found into a verdict. A line that no replayed state explains is
given to whoever may have acted in between (`windows`), which includes "unknown"; whether that is a
person, `people` decides.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from attribution.authorship.align import is_low_information, redacted_equal
from attribution.authorship.case import (
    AddedFile,
    Asker,
    AttributionWindow,
    CandidateAuthor,
    Case,
    Committed,
    Moments,
    StateAlignment,
)
from attribution.authorship.diffs import runs
from attribution.authorship.inline_scripts import narrow_to_text
from attribution.authorship.people import (
    is_person,
    limit_to_known,
    person_verdict,
    sighting_by_commit,
    sighting_by_first_read,
    sighting_on_record,
    sighting_since_parent,
)
from attribution.authorship.replay import AGENT, OUTSIDE, Worktree
from attribution.authorship.state_alignment import balance
from attribution.authorship.verdicts import SightingPair, Verdict, unknown
from collector.text import SECRET
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy

_WORD = re.compile(r"[^\W_]+")  # where none differs, a hook that formats may have changed a line


def judge(
    tree: Worktree, alignment: StateAlignment, ask: Asker, when: Moments, committed: Committed
) -> dict[int, Verdict]:
    """A verdict for each added line."""
    balance(tree, alignment, committed)
    case = Case(tree, alignment, ask, when, committed)
    verdicts = {}
    for index in alignment.file.added:
        line = alignment.ids[index]
        if line >= 0:
            verdicts[index] = _verdict_of_replayed_line(case, index, line)
        elif index in alignment.kin:
            verdicts[index] = _verdict_of_similar_line(case, index)
        else:
            verdicts[index] = _verdict_since_last_known(case, index)
    return verdicts


def _verdict_of_replayed_line(case: Case, index: int, line: int) -> Verdict:
    origin = case.tree.origin(line)
    if origin.kind == AGENT and origin.call is not None:
        if case.committed(line, case.text(index)):
            return unknown(Reason.RESTORED, origin.call)
        how = How.EXACT
        if origin.call.by_shell:
            how = How.SHELL
        elif line in case.tree.reformatted:
            how = How.REFORMATTED
        return Verdict(Author.AGENT, how, origin.evidence or Evidence.REPLAYED, call=origin.call)
    if origin.kind == OUTSIDE:
        return _verdict_of_outside_line(case, line, index)
    state = case.alignment.state
    if state is not None and state.moved_by is not None:
        return unknown(Reason.BROUGHT_IN, state.moved_by)
    return _verdict_before_session(case, line)


def _verdict_of_outside_line(case: Case, line: int, index: int) -> Verdict:
    """A line that appeared between two known texts of the file: `line` is its id, `index` its
    place in the version.
    """
    origin = case.tree.origin(line)
    if SECRET in origin.was and redacted_equal(origin.was, case.text(index)):
        return unknown(Reason.SECRET, case.tree.origin(origin.changed).call)
    cause = narrow_to_text(
        case,
        case.ask(AttributionWindow(case.path, origin.after, origin.before, origin.layout)),
        index,
    )
    witness = sighting_on_record(case, origin) or sighting_since_parent(case, index)
    if (
        origin.changed >= 0
        and origin.was not in case.alignment.file.before
        and not case.committed(origin.changed, None)
    ):
        reworded = _WORD.findall(origin.was) != _WORD.findall(case.text(index))
        return _edited_verdict(
            case.tree, origin.changed, origin.similarity, cause, witness if reworded else None
        )
    return _verdict_from_cause(cause, witness, layout=origin.layout)


def _edited_verdict(
    tree: Worktree,
    line: int,
    similarity: float,
    cause: CandidateAuthor,
    witness: SightingPair | None,
) -> Verdict:
    """An agent line that somebody changed afterwards stays the agent's, with the editor named."""
    call = tree.origin(line).call
    if cause.author == Author.AGENT:
        return Verdict(Author.AGENT, How.SHELL, Evidence.INFERRED, call=cause.call)
    if not is_person(cause) or witness is None:  # a tool that changes words is not followed
        return Verdict(
            Author.AGENT,
            How.EDITED,
            Evidence.OBSERVED,
            call=call,
            edited_by=RunBy.UNKNOWN,
            similarity=similarity,
        )
    return Verdict(
        Author.AGENT,
        How.EDITED,
        Evidence.OBSERVED,
        cause.reason,
        call,
        RunBy.HUMAN,
        similarity,
        witness=witness,
    )


def _verdict_of_similar_line(case: Case, index: int) -> Verdict:
    """A line that took the place of a similar one after the last known state."""
    line, relation = case.alignment.kin[index]
    origin = case.tree.origin(line)
    if relation.kind == "secret":  # what stood there is on no record any more
        return unknown(Reason.SECRET, origin.call)
    if relation.kind == "reformatted":
        if origin.kind == AGENT:
            return Verdict(
                Author.AGENT,
                How.REFORMATTED,
                origin.evidence or Evidence.REPLAYED,
                call=origin.call,
            )
        if origin.kind == OUTSIDE:  # whoever wrote it before its layout was changed
            return _verdict_of_outside_line(case, line, index)
        return _verdict_from_cause(_last_cause(case, index, layout=True), layout=True)
    if (
        origin.kind == AGENT
        and case.alignment.was[index] not in case.alignment.file.before
        and not case.committed(line, None)
    ):
        reworded = _WORD.findall(case.alignment.was[index]) != _WORD.findall(case.text(index))
        witness = sighting_by_commit(case, index) if reworded else None
        return _edited_verdict(
            case.tree, line, relation.similarity, _last_cause(case, index), witness
        )
    # a line of an earlier commit that is changed now is the changer's
    return _verdict_since_last_known(case, index)


def _verdict_since_last_known(case: Case, index: int) -> Verdict:
    """A line that appeared after the last known state of the file."""
    cause = _last_cause(case, index)
    is_shared = case.alignment.state is None and cause is case.causes.get(False)
    if is_shared and case.shared:
        return case.shared[0]
    # most lines need none
    witness = sighting_by_commit(case, index) if cause.author == Author.HUMAN else None
    verdict = _verdict_from_cause(cause, witness)
    case.shared[:] = [verdict] if is_shared else []
    return verdict


def _last_cause(case: Case, index: int, layout: bool = False) -> CandidateAuthor:
    """Who it was between the last known state and the commit: the same for every line, unless
    scripts tell lines apart.
    """
    if layout in case.causes:
        return case.causes[layout]
    state = case.alignment.state
    when = case.when
    created = state is None and len(case.alignment.file.added) == len(case.alignment.file.lines)
    after = state.known_at if state is not None else when.since
    last = case.ask(
        AttributionWindow(case.path, after, when.commit, layout, True, created, state is None)
    )
    is_open = last.author == Author.HUMAN or bool(last.scripts)
    before = None
    # what was done to the file before the parent commit may have been left out of that
    if state is None and is_open:
        earlier = case.alignment.file.last_commit
        before = case.ask(
            AttributionWindow(case.path, earlier, when.since, layout, made=created, unseen=True)
        )
    result = _choose_cause(case, index, last, before)
    if not last.scripts and not (before and before.scripts):
        case.causes[layout] = result
    return result


def _choose_cause(
    case: Case, index: int, last: CandidateAuthor, before: CandidateAuthor | None
) -> CandidateAuthor:
    """`last`, `before`: who it was since the last known state, and before the parent of the
    commit.
    """
    cause = narrow_to_text(case, last, index)
    if cause.author != Author.HUMAN:
        return cause
    if before is not None:
        earlier = narrow_to_text(case, before, index)
        if earlier.author in (Author.AGENT, Author.TOOL):
            return earlier
    return limit_to_known(case, cause)


def _verdict_before_session(case: Case, line: int) -> Verdict:
    """The line stood in the file when an agent first saw it, but in no parent of the commit."""
    sighting = sighting_by_first_read(case, line)
    if isinstance(sighting, Reason):
        return _verdict_from_cause(
            _maker_of_file(case) or CandidateAuthor(Author.UNKNOWN, reason=sighting)
        )
    window = AttributionWindow(
        case.path, sighting.without or 0.0, sighting.seen or case.when.commit
    )
    return _verdict_from_cause(
        narrow_to_text(case, case.ask(window), case.alignment.ids.index(line)), sighting
    )


def _maker_of_file(case: Case) -> CandidateAuthor | None:
    """The subagent that was told to make a new file before any agent saw it, if its own calls
    are not on record.
    """
    sighted = min(case.tree.first_seen.get(case.path, case.when.commit), case.when.commit)
    made = len(case.alignment.file.added) == len(case.alignment.file.lines)
    maker = (
        case.ask(AttributionWindow(case.path, case.alignment.file.last_commit, sighted, made=True))
        if made
        else None
    )
    return maker if maker is not None and maker.how == How.SUBAGENT else None


def _verdict_from_cause(
    cause: CandidateAuthor, witness: SightingPair | None = None, layout: bool = False
) -> Verdict:
    """`witness`: what would show that a person wrote the line, if nobody else did."""
    if cause.author == Author.AGENT:
        return Verdict(Author.AGENT, cause.how, Evidence.INFERRED, call=cause.call)
    if cause.author == Author.TOOL:
        return Verdict(
            Author.TOOL,
            How.NONE,
            Evidence.INFERRED,
            call=cause.call,
            tool=cause.tool,
            run_by=RunBy.AGENT,
        )
    if cause.author != Author.HUMAN:
        return unknown(cause.reason, cause.call)
    return person_verdict(cause, witness, layout)


def assign_low_information(file: AddedFile, verdicts: dict[int, Verdict]) -> None:
    """Blank lines and lone brackets that nothing explains follow their neighbours within the added
    block.

    Which of several `}` a diff calls new is a matter of chance. Between two lines of an agent it is
    the agent's (inferred), and of the session that wrote these; at the edge of an agent's block it
    is nobody's.
    """
    for start, end in runs(file.added):
        strong = [index for index in range(start, end) if not is_low_information(file.lines[index])]
        for index in sorted(set(range(start, end)).difference(strong)):
            _follow_neighbours(index, strong, file, verdicts)


def _follow_neighbours(
    index: int, strong: Sequence[int], file: AddedFile, verdicts: dict[int, Verdict]
) -> None:
    """`strong`: the lines of the block that say something."""
    below = bisect_left(strong, index)
    sides = [verdicts[other] for other in strong[max(0, below - 1) : below + 1]]
    agents = [verdict for verdict in sides if verdict.author == Author.AGENT]
    if verdicts[index].author == Author.AGENT:
        if _is_lone(index, file, verdicts):
            verdicts[index] = unknown(Reason.COMMON_LINE, verdicts[index].call)
        elif agents and agents == sides and _session(verdicts[index]) not in map(_session, agents):
            verdicts[index] = replace(
                verdicts[index], evidence=Evidence.INFERRED, call=agents[0].call
            )
    elif len(agents) == 2:
        verdicts[index] = Verdict(Author.AGENT, How.EXACT, Evidence.INFERRED, call=agents[0].call)
    elif agents and len(sides) == 1 and verdicts[index].author == Author.HUMAN:
        verdicts[index] = unknown(Reason.COMMON_LINE, agents[0].call)


def _session(verdict: Verdict) -> int:
    return verdict.call.session_id if verdict.call is not None else 0


def _is_lone(index: int, file: AddedFile, verdicts: dict[int, Verdict]) -> bool:
    """A bracket of an agent's call amid lines of the same block that are not the agent's: the
    diff may have put it there.
    """
    around = [verdicts[other] for other in (index - 1, index + 1) if other in verdicts]
    return (
        len(around) == 2
        and all(v.author == Author.UNKNOWN for v in around)
        and bool(file.lines[index].strip())
    )
