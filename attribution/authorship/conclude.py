"""From what was seen in worktrees to one verdict per added line of every commit. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from attribution.authorship.diffs import CommitDiff, FileDiff
from attribution.authorship.links import CommitLinks
from attribution.authorship.people import without_person
from attribution.authorship.tools import bot_verdict
from attribution.authorship.verdicts import (
    STATED_DOUBTS,
    UNSEEN,
    CommitVerdict,
    Span,
    Verdict,
    append_span,
    uniform_span,
    unknown,
)
from attribution.authorship.worktrees import FileProbe, ProbeResult, content_share, explained_share
from collector.checkpoints.statements import automation, declared_agent, is_bots_own
from collector.model import Commit
from collector.vocabulary.agent_names import model_identity
from collector.vocabulary.lines import Author, Evidence, How, Reason


@dataclass(frozen=True, slots=True)
class MissingTranscript:
    """A linked session whose transcript does not reach the commit."""

    files: frozenset[str]  # the files it touched, as the checkpoint says; empty: not known
    reason: Reason = Reason.TRANSCRIPT_MISSING  # what is wrong with it


@dataclass(frozen=True, slots=True)
class NamedSessions:
    """The sessions that a commit names, as far as they are known."""

    missing: Sequence[MissingTranscript]
    readable: bool  # some of them could be read
    # paths that one touched as its checkpoint says, though no call of it is known to have: why not
    claimed: Mapping[str, Reason]
    # the sessions are those that agents keep on this machine, so that no recorder has left one out
    local: bool = False


def conclude(
    diff: CommitDiff,
    link: CommitLinks,
    probe_results: Sequence[ProbeResult],
    named: NamedSessions,
) -> CommitVerdict:
    """The verdict on one commit. `probe_results`: what the worktrees told."""
    by_path = _best(probe_results)
    strongest = (
        max(map(link.method_of, link.sessions), key=lambda result: result.confidence)
        if link.is_resolved
        else None
    )
    method, confidence = strongest or _link_by_texts(link, probe_results)
    if not confidence or (not probe_results and not named.missing and not named.readable):
        return _drop_session(diff, link, by_path)
    result = CommitVerdict([], method, confidence)
    for file in diff.files or ():
        path = file.change.path
        judged = by_path.get(path)
        if judged is not None and link.incomplete:
            # sessions we cannot know of took part
            judged = _take_people_out(judged, Reason.CHECKPOINT_MISSING, also_followed=True)
        elif judged is not None and link.partly:
            judged = _take_people_out(judged, Reason.NO_SESSION, also_followed=True)
        elif judged is not None and not link.is_resolved:  # it is linked by its texts
            judged = (
                judged if named.local and method == "time_and_files" else _keep_seen_people(judged)
            )
        elif judged is not None and path in named.claimed:
            judged = _take_people_out(judged, named.claimed[path])
        by_agent = judged is not None and any(
            verdict.author == Author.AGENT for verdict in judged.verdicts.values()
        )
        came_along = (
            link.made is not None and link.partly and path not in link.made.paths and not by_agent
        )
        # What came with a commit that names nothing is judged as if it stood alone.
        spans = (
            _spans(file, _sessionless_verdict(link, named=False))
            if came_along
            else _spans_of(file, judged, named.missing)
        )
        result.files.append((file, spans))
    # the replay may be exact: that it is this commit's is a conclusion from its text
    if method == "content":
        result.change(_match_verdict)
    result.note_sessions()
    return result


def _drop_session(
    diff: CommitDiff, link: CommitLinks, by_path: Mapping[str, FileProbe]
) -> CommitVerdict:
    """The verdict on a commit that nothing links to a session: what was moved out of another file
    keeps its author.
    """
    verdict = _sessionless_verdict(link)
    result = CommitVerdict([])
    for file in diff.files or ():
        judged = by_path.get(file.change.path)
        moved = {i: v for i, v in judged.verdicts.items() if v.how == How.MOVED} if judged else {}
        if judged is None or len(moved.keys() & judged.nonblank) < _MOVED:
            result.files.append((file, _spans(file, verdict)))
            continue
        verdicts = {i: moved.get(i, verdict) for i in judged.verdicts}
        result.files.append((file, _spans_of(file, replace(judged, verdicts=verdicts), ())))
    result.note_sessions()
    return result


_MOVED = 3  # lines with text that came out of another file together


def _link_by_texts(link: CommitLinks, probe_results: Sequence[ProbeResult]) -> tuple[str, float]:
    """Without a named session the texts must speak: of the same person's worktrees first, then
    of any.
    """
    same_person = [s for s in probe_results if not s.look.by_content]
    result = explained_share(_best(same_person).values(), named=bool(link.named))
    if result > 0:
        return "time_and_files", result
    return "content", content_share(_best(probe_results).values())


def _match_verdict(verdict: Verdict) -> Verdict:
    agent = verdict.author == Author.AGENT and verdict.evidence in (
        Evidence.OBSERVED,
        Evidence.REPLAYED,
    )
    return replace(verdict, evidence=Evidence.MATCHED) if agent else verdict


_ALIKE = frozenset({Reason.AGENT_TEXT, Reason.COMMON_LINE})  # only the text speaks for an agent


def declare(verdict: CommitVerdict, commit: Commit, *, by_record: bool = False) -> None:
    """What no record explains is what the commit says of itself, if it names an agent; the reason
    why it is not known stays.

    `by_record`: a session on record wrote that itself, so that it says no more than this record:
    nothing of lines that no call of it can have written.
    """
    named = declared_verdict(commit)
    if named is None:
        return
    for _, spans in verdict.files:
        before = list(spans)
        for number, span in enumerate(before):
            if span.verdict.author != Author.UNKNOWN:
                continue
            if by_record and _is_beyond_record(before, number):
                continue
            declared = replace(named, reason=span.verdict.reason)
            spans[number] = replace(span, verdict=declared)


def declared_verdict(commit: Commit) -> Verdict | None:
    """The verdict on lines of which nothing is known but what their commit says; None: nothing."""
    declared = declared_agent(commit)
    if declared is None:
        return None
    model = model_identity(declared.model) or declared.agent
    return Verdict(Author.DECLARED, How.DECLARED, Evidence.DECLARED, model=model)


def _is_beyond_record(spans: Sequence[Span], number: int) -> bool:
    """Whether no call on record can have written the lines: none explains them, or those beside
    them in the same block.
    """
    span = spans[number]
    edges = {span.start - 1, span.end + 1}
    beside = [
        other.verdict
        for other in spans[max(0, number - 1) : number + 2]
        if other.start in edges or other.end in edges
    ]
    beyond = [item for item in beside if item.author == Author.HUMAN or item.reason in UNSEEN]
    alike = all(item in beyond or item.reason in _ALIKE for item in beside)
    return span.verdict.reason in UNSEEN or (
        span.verdict.reason in _ALIKE and bool(beyond) and alike
    )


def _spans(file: FileDiff, verdict: Verdict) -> list[Span]:
    return [uniform_span(lines, verdict) for lines in file.added]


def _sessionless_verdict(link: CommitLinks, named: bool = True) -> Verdict:
    """`named`: the lines belong to a commit that names checkpoints, if this one does."""
    commit: Commit = link.commit
    declared = declared_verdict(commit)
    if declared is not None:
        return declared
    bot = automation(commit)
    if bot is not None:
        return bot_verdict(bot) if is_bots_own(commit) else unknown(Reason.BOT)
    return unknown(Reason.CHECKPOINT_MISSING if link.named and named else Reason.NO_SESSION)


def _best(probe_results: Iterable[ProbeResult]) -> dict[str, FileProbe]:
    """Per path what the most telling worktree and moment says; where none followed the file, the
    most cautious answer.
    """
    best: dict[str, FileProbe] = {}
    # of equally telling moments the latest
    for probe_result in sorted(probe_results, key=lambda s: (-s.look.at, s.root)):
        for judged in probe_result.files:
            # an earlier moment says nothing about a file that was not followed
            if judged.followed or probe_result.look.main:
                existing = best.get(judged.path)
                best[judged.path] = judged if existing is None else _better(existing, judged)
    return best


def _better(existing: FileProbe, judged: FileProbe) -> FileProbe:
    if judged.followed != existing.followed:
        return judged if judged.followed else existing
    if judged.followed:
        return judged if _score(judged) > _score(existing) else existing
    pairs = {
        i: (verdict, judged.verdicts.get(i, verdict)) for i, verdict in existing.verdicts.items()
    }
    return replace(existing, verdicts={i: max(pair, key=_caution) for i, pair in pairs.items()})


def _caution(verdict: Verdict) -> tuple[int, bool]:
    order = (Author.HUMAN, Author.UNKNOWN, Author.TOOL, Author.DECLARED, Author.AGENT)
    return order.index(verdict.author), verdict.reason in STATED_DOUBTS


def _score(judged: FileProbe) -> tuple[int, int]:
    verdicts = judged.verdicts.values()
    certain = [v for v in verdicts if v.author == Author.AGENT and v.evidence != Evidence.INFERRED]
    return sum(1 for v in certain if v.how != How.EDITED), len(certain)


def _take_people_out(judged: FileProbe, reason: Reason, also_followed: bool = False) -> FileProbe:
    """A file that no known session worked on although we cannot be sure to know them all:
    nobody's, not a human's.
    """
    if judged.followed and not also_followed:
        return judged
    nobody = unknown(reason)
    return replace(
        judged, verdicts={i: without_person(v, nobody) for i, v in judged.verdicts.items()}
    )


def _keep_seen_people(judged: FileProbe) -> FileProbe:
    """Only people who were seen to write: sessions that the commit does not name need not be all
    that took part.
    """
    nobody = unknown(Reason.UNEXPLAINED)
    verdicts = {
        i: v if v.witness and v.witness.seen_to_appear else without_person(v, nobody)
        for i, v in judged.verdicts.items()
    }
    return replace(judged, verdicts=verdicts)


def _spans_of(
    file: FileDiff, judged: FileProbe | None, missing: Sequence[MissingTranscript]
) -> list[Span]:
    if judged is None:
        absent = _gap(missing)
        return _spans(file, unknown(absent or Reason.UNEXPLAINED))
    absent = _gap([item for item in missing if not item.files or file.change.path in item.files])
    spans: list[Span] = []
    for start, end, _ in file.added:
        for index in range(start, end):
            verdict = judged.verdicts.get(index) or unknown(Reason.UNEXPLAINED)
            # nothing can bring it back: what else is known is the better reason
            lost = absent is Reason.TRANSCRIPT_NOT_STORED
            if (
                absent is not None
                and verdict.author != Author.AGENT
                and not (lost and verdict.author == Author.UNKNOWN)
            ):
                verdict = without_person(verdict, unknown(absent)) if lost else unknown(absent)
            append_span(spans, Span(index + 1, index + 1, int(index in judged.nonblank), verdict))
    return spans


def _gap(missing: Sequence[MissingTranscript]) -> Reason | None:
    """What is wrong with the transcripts: what a fetch or a new reader can bring first."""
    reasons = {item.reason for item in missing}
    order = (Reason.TRANSCRIPT_MISSING, Reason.TRANSCRIPT_UNREADABLE, Reason.TRANSCRIPT_NOT_STORED)
    return next((reason for reason in order if reason in reasons), None)
