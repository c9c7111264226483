"""Notes of git-ai that name lines a person was seen typing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator

from attribution.authorship.typing_seen import TypingRecord
from attribution.exchange.producers import git_ai, sources
from attribution.exchange.producers.model import ClaimRecord
from attribution.exchange.words import ClaimBasis, ClaimedAuthor, RecordState
from collector.git.ranges import LineRange, unite
from collector.git.repository import GitRepo


def typing_records(repo: GitRepo, commits: Container[str]) -> Iterator[TypingRecord]:
    """What the notes about these commits say, each note once, if it names an agent's lines too.

    An agent that git-ai does not know looks like a person who types, as far as an editor tells.
    """
    refs = {name: target for name, target in repo.refs().items() if name.startswith(sources.NOTES)}
    notes = (note for ref, target in sorted(refs.items()) for note in sources.notes(repo, ref, target, []))
    for note in {(note.commit, note.blob): note for note in notes}.values():
        data = sources.content(repo, note) if note.commit in commits else None
        if data is not None and b"\n  h_" in data and git_ai.sniff(note, data):
            for record in git_ai.read(note, data):
                if _is_of_typing(record):
                    yield from _files(record)


def _is_of_typing(record: ClaimRecord) -> bool:
    is_seen = record.state == RecordState.READ and git_ai.basis_of_people(record.tool_version) == ClaimBasis.SEEN
    return is_seen and any(claim.who.author == ClaimedAuthor.AGENT for claim in record.claims)


def _files(record: ClaimRecord) -> Iterator[TypingRecord]:
    typed, named = defaultdict[str, list[LineRange]](list), defaultdict[str, list[LineRange]](list)
    for claim in record.claims:
        named[claim.path] += claim.ranges
        if claim.who.author == ClaimedAuthor.HUMAN:
            typed[claim.path] += claim.ranges
    for path, ranges in typed.items():
        yield TypingRecord(record.commit, path, unite(ranges), unite(named[path]))
