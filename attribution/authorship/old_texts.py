"""Lines that a commit brings back from the history: whoever wrote them then wrote them. Pure.

A revert of a revert, a file that was deleted and is there again: where a version of the file is one
that an earlier commit of the same history made, its lines are the lines of that version. A new file
may have had another name then. What an agent writes again on another branch is that agent's.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from attribution.authorship.align import lines_of
from attribution.authorship.case import is_after
from attribution.authorship.diffs import FileDiff
from attribution.authorship.edits import normal_text
from attribution.authorship.run_data import Judged
from attribution.authorship.session_edits import RawEdit
from attribution.authorship.span_lines import put_lines, verdicts_by_line
from attribution.authorship.verdicts import CallRef, Span, Verdict, change_verdicts
from collector.groups import group_pairs
from collector.vocabulary.lines import Author

_KEPT = frozenset({Author.AGENT, Author.TOOL})
_OPEN = frozenset({Author.UNKNOWN, Author.HUMAN})
_ENOUGH = 3  # lines of a file of another name: anybody writes the few of a smaller one


class _Version(NamedTuple):
    """A version of a file, and the verdicts on the lines that its commit added."""

    sha: str
    file: FileDiff
    spans: list[Span]


def give_old_texts_back(judged: Judged) -> None:
    """Lines without an author, or a person's, of a version that was there before go to the agent
    or the tool that wrote them.
    """
    versions = defaultdict[str, list[_Version]](list)  # by path, in order of commits
    names: dict[str, str] = {}  # of the last file that had a content
    written = set[str]()  # paths with lines to give back
    for commit, verdict in judged.commits:
        for file, spans in verdict.files:
            path = file.change.path
            content = file.change.new or ""
            before = path if path in versions else names.get(content, path)
            if before in written and any(span.verdict.author in _OPEN for span in spans):
                known = _authors_then(judged, commit.sha, file, versions[before])
                if len(known) >= (1 if before == path else _ENOUGH):
                    ours = verdicts_by_line(spans)
                    ours = {n: v for n, v in known.items() if n in ours and ours[n].author in _OPEN}
                    put_lines(spans, ours, judged.texts.lines(file))
            versions[path].append(_Version(commit.sha, file, spans))
            names[content] = path
            if any(span.verdict.author in _KEPT for span in spans):
                written.add(path)
        if not verdict.sessions:
            verdict.note_sessions()


def _authors_then(
    judged: Judged, sha: str, file: FileDiff, earlier: list[_Version]
) -> dict[int, Verdict]:
    """Line -> the verdict on it when it was written, where the version was there before."""
    is_ancestor = judged.evidence.history.is_ancestor
    same = [number for number, one in enumerate(earlier) if one.file.change.new == file.change.new]
    last = next((n for n in reversed(same) if is_ancestor(earlier[n].sha, sha)), None)
    if last is None or file.change.new is None:
        return {}
    known = verdicts_by_line(earlier[last].spans)
    texts = judged.texts.lines(file)
    often = Counter(texts)
    wanted = {
        text: line
        for line, text in enumerate(texts, 1)
        if line not in known and text.strip() and often[text] == 1
    }
    for text, verdict in _added_before(judged, earlier[:last], sha) if wanted else ():
        if text in wanted:
            known[wanted.pop(text)] = verdict
    return {line: verdict for line, verdict in known.items() if verdict.author in _KEPT}


def _added_before(
    judged: Judged, earlier: list[_Version], sha: str
) -> Iterator[tuple[str, Verdict]]:
    """Lines that commits before have added to the file, the last ones first."""
    for version in reversed(earlier):
        if judged.evidence.history.is_ancestor(version.sha, sha):
            texts = judged.texts.lines(version.file)
            for line, verdict in verdicts_by_line(version.spans).items():
                if line <= len(texts):
                    yield texts[line - 1], verdict


def give_to_branch(judged: Judged) -> None:
    """The lines of a new file go to the last call that wrote all of it, where another branch had
    the same text before that call: the file of that branch was not there any more.
    """
    written = _written_again(judged)
    for commit, verdict in judged.commits if written else ():
        for file, spans in verdict.files:
            again = written.get(file.change.path, ())
            calls = [raw.call for raw in again if _is_text(judged, file, raw, commit.author_time)]
            first = _committed_aside(judged, file) if calls and file.change.old is None else 0.0
            if calls and 0 < first < calls[-1].at:
                _give_to_call(spans, calls[-1], first)
                verdict.note_sessions()


def _give_to_call(spans: list[Span], call: CallRef, until: float) -> None:
    """What agents wrote before `until`."""

    def verdict_of(verdict: Verdict) -> Verdict:
        older = verdict.author == Author.AGENT and verdict.call and verdict.call.at < until
        return replace(verdict, call=call) if older else verdict

    change_verdicts(spans, verdict_of)


def _written_again(judged: Judged) -> dict[str, list[RawEdit]]:
    """Path -> the edits that wrote the whole file, where several sessions did."""
    written = group_pairs(
        (fate.path, fate.raw)
        for fate in judged.replayed.edits
        if not fate.outcome and fate.raw.edit.op == "write" and fate.raw.edit.content is not None
    )
    return {
        path: sorted(edits, key=lambda raw: raw.at)
        for path, edits in written.items()
        if len({raw.call.session_id for raw in edits}) > 1
    }


def _is_text(judged: Judged, file: FileDiff, raw: RawEdit, until: float) -> bool:
    """Whether the edit wrote what the commit has, before it."""
    texts = lines_of(normal_text(raw.edit.content or ""))
    return is_after(until, raw.at) and texts == judged.texts.lines(file)


def _committed_aside(judged: Judged, file: FileDiff) -> float:
    """When a commit of another branch had this version of the file first; 0 for never."""
    repo = judged.texts.repo
    path = file.change.path
    times = (
        commit.author_time
        for commit in judged.texts.aside
        if repo.file_at(commit.sha, path) == file.change.new
    )
    return min(times, default=0.0)
