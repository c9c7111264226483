"""Lines that only a turn of the agent can have brought: a conclusion from what the recorder counted. Pure.

Entire compares the worktree with what the agent left, at every prompt, and stores the lines that others changed, by file. Where
it counted none in a file at any prompt since the last checkpoint, and a call of the session made the commit itself, the file was
changed within turns only. What a person did while the agent worked is not counted, so this is an inference with a tier of its own.
Of lines whose author is known it is asked by `benchmarks/turn_owned.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attribution.authorship.conclude import CommitVerdict, VerdictSpan, append_span
from attribution.authorship.lines import Verdict
from attribution.authorship.links import CommitLinks
from attribution.authorship.replay import CallRef
from attribution.authorship.timeline import SessionEdits
from collector.json_values import get_dict, objects, parsed
from collector.vocabulary.lines import Author, FileKind, How, Reason

_SHORT = 7  # characters of an abbreviated id of a commit
_COUNTS = ("user_added_per_file", "user_removed_per_file")
_TYPED = frozenset({FileKind.SOURCE, FileKind.TEST, FileKind.DOCS, FileKind.CONFIG})  # programs write the other kinds
# What else can explain the line is something that the agent did in its turn, or a person between turns.
_OPEN = frozenset(
    {
        Reason.OPAQUE_SHELL, Reason.AGENT_TEXT, Reason.EDIT_UNPLACED, Reason.BASE_UNKNOWN, Reason.UNCAPTURED, Reason.UNOBSERVED,
        Reason.COMMON_LINE, Reason.UNEXPLAINED, Reason.INVISIBLE_SUBAGENT,
    }
)  # fmt: skip


class OwnCommits:
    """Commits that calls of sessions made, by the ids that these calls printed."""

    def __init__(self, tracks: Iterable[SessionEdits]) -> None:
        made = ((sha, track.key, call) for track in tracks for sha, call in track.made.items() if len(sha) >= _SHORT)
        self._calls = {one[0][:_SHORT]: one for one in made}

    def call_of(self, link: CommitLinks) -> CallRef | None:
        """The call of a session that the commit names."""
        found = self._calls.get(link.commit.sha[:_SHORT])
        if found is None:
            return None
        sha, key, call = found
        return call if link.commit.sha.startswith(sha) and key in link.sessions else None


def attribute_to_turn(verdict: CommitVerdict, link: CommitLinks, own: OwnCommits) -> None:
    """Gives lines of unknown author to the session whose call made the commit, in files that only its turns changed."""
    call = own.call_of(link)
    whole = link.made is None and not link.incomplete and len(link.commit.parents) == 1
    if call is None or not whole or not any(_is_open(span) for _, spans in verdict.files for span in spans):
        return
    others = _changed_by_others(link)
    for number, (file, spans) in enumerate(verdict.files):
        if others is not None and file.kind in _TYPED and not others.intersection((file.change.path, file.change.old_path)):
            verdict.files[number] = (file, _given(spans, call))


def _changed_by_others(link: CommitLinks) -> set[str] | None:
    """Files in which a prompt found changes that the agent had not made; None when not every session has such counts."""
    found: set[str] = set()
    for record in link.records:
        prompts = objects(parsed(record.vendor_prompts))
        if not prompts:
            return None
        found.update(path for one in prompts for name in _COUNTS for path, lines in get_dict(one, name).items() if lines)
    return found


def _given(spans: Sequence[VerdictSpan], call: CallRef) -> list[VerdictSpan]:
    turns = Verdict(Author.AGENT, How.TURN, "inferred", call=call)
    new: list[VerdictSpan] = []
    for span in spans:
        append_span(new, VerdictSpan(span.start, span.end, span.nonblank, turns) if _is_open(span) else span)
    return new


def _is_open(span: VerdictSpan) -> bool:
    return span.verdict.author == Author.UNKNOWN and span.verdict.reason in _OPEN
