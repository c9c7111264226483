"""Which sessions may explain which commit, by which method, and when to look at their worktrees.

Pure.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Self

from attribution.authorship.case import SECOND, SLACK
from attribution.authorship.originals import SquashSource
from attribution.authorship.own_commits import OwnCommit
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.timeline import Timeline
from attribution.authorship.worktrees import CommitProbe
from collector.checkpoints.pull_requests import Names, named_checkpoints
from collector.checkpoints.statements import checkpoint_ids, id_of_session, statements
from collector.model import Checkpoint, Commit, SessionRecord

# a checkpoint stored this long before the commit belongs to an earlier commit: the commit is a
# squash or a redo
_LATE = 60.0
# without a trailer, a session's work is looked for in commits of the next three days
_RECENT = 3 * 86_400.0
# the same where a whole text shows it, and no commit changed the file in between
_WAITING = 30 * 86_400.0
BY_CALL = "made_by_call"
_MAX_BEHIND = 500  # commits that a branch may be behind the one it is merged into
_MAX_MOMENTS = 12  # earlier moments tried for one squash


class ChangedPaths(NamedTuple):
    touched: Mapping[str, set[str]]  # commit -> its paths
    # (path, moment) -> time of the last commit before it
    last_change: Callable[[str, float], float] = lambda path, before: before


class MethodConfidence(NamedTuple):
    """How a commit was linked to a checkpoint or session."""

    method: str
    confidence: float  # between 0 and 1


BY_TRAILER = MethodConfidence("trailer", 1.0)
_IMPORTED = MethodConfidence("imported", 0.95)
_OF_MERGE = MethodConfidence("trailer", 0.95)
# most commits name nothing: they share what is empty
_NO_METHODS: Mapping[str, MethodConfidence] = MappingProxyType({})


@dataclass(slots=True)
class CommitLinks:
    """What a commit's message names, or the messages of the commits it was made of, resolved as
    far as this clone can.
    """

    commit: Commit
    named: tuple[str, ...]  # checkpoint ids
    records: Sequence[SessionRecord] = ()  # of the checkpoints that exist
    incomplete: bool = False  # names a checkpoint that this clone does not have
    made: SquashSource | None = None  # set when the ids come from other commits
    # by checkpoint id
    methods: Mapping[str, MethodConfidence] = field(default_factory=lambda: _NO_METHODS)
    own: OwnCommit | None = None  # by which session on record it was made

    @property
    def is_resolved(self) -> bool:
        return bool(self.records)

    @property
    def sessions(self) -> list[str]:
        return list(dict.fromkeys(r.session_id for r in self.records))

    @property
    def partly(self) -> bool:
        """Some of the commits it was made of name nothing: whoever wrote them is not known."""
        return self.made is not None and bool(self.made.others)

    def with_record(self, record: SessionRecord, how: MethodConfidence) -> Self:
        """The same commit, linked to one session in another way than by its message."""
        methods = {**self.methods, record.checkpoint_id: how}
        return replace(self, records=[*self.records, record], methods=methods)

    def method_of(self, session: str) -> MethodConfidence:
        """The strongest link to a session."""
        existing = (
            self.methods.get(r.checkpoint_id, BY_TRAILER)
            for r in self.records
            if r.session_id == session
        )
        return max(existing, key=lambda link: link.confidence, default=BY_TRAILER)


def _link_commit(
    commit: Commit,
    methods: Mapping[str, MethodConfidence],
    existing: Mapping[str, Checkpoint],
    squash_source: SquashSource | None = None,
) -> CommitLinks:
    """A commit with the records of the checkpoints that it names."""
    if not methods:
        return CommitLinks(commit, (), made=squash_source)
    records = [record for key in methods if key in existing for record in existing[key].sessions]
    return CommitLinks(
        commit,
        tuple(methods),
        records,
        any(key not in existing for key in methods),
        squash_source,
        methods,
    )


def link_by_trailer(
    commits: Iterable[Commit], checkpoints: Iterable[Checkpoint]
) -> dict[str, CommitLinks]:
    """Commit id -> what it names."""
    existing = {c.id: c for c in checkpoints}
    links = {
        c.sha: _link_commit(c, dict.fromkeys(checkpoint_ids(c.message), BY_TRAILER), existing)
        for c in commits
    }
    _add_merged_squashes(links, existing)
    return links


def _add_merged_squashes(links: dict[str, CommitLinks], existing: Mapping[str, Checkpoint]) -> None:
    """GitLab squashes and merges at once: the trailers of the squash may stand in the message of
    its merge alone.
    """
    for merge in [link for link in links.values() if len(link.commit.parents) == 2 and link.named]:
        base, squash = merge.commit.parents
        ours = links.get(squash)
        at_once = (
            ours is not None and 0 <= merge.commit.commit_time - ours.commit.commit_time <= _LATE
        )
        if (
            ours is not None
            and at_once
            and not ours.named
            and _is_on(links, base, ours.commit.parents)
        ):
            links[squash] = _link_commit(
                ours.commit, dict.fromkeys(merge.named, _OF_MERGE), existing
            )


def _is_on(links: Mapping[str, CommitLinks], base: str, parents: Sequence[str]) -> bool:
    """Whether a commit with these parents is the only one beside the line of first parents that
    `base` ends.
    """
    for _ in range(_MAX_BEHIND):
        if (base,) == tuple(parents):
            return True
        before = links[base].commit.parents[:1] if base in links else ()
        if not before:
            return False
        base = before[0]
    return False


def add_originals(
    links: dict[str, CommitLinks],
    created: Mapping[str, SquashSource],
    checkpoints: Iterable[Checkpoint],
    names: Names = named_checkpoints,
) -> None:
    """What the commits that a commit was made of name counts as named by itself."""
    existing = {c.id: c for c in checkpoints}
    for sha, item in created.items():
        ours = links[sha]
        methods = dict(ours.methods)
        for original in item.originals:
            for key in names(original.commit):
                methods.setdefault(key, MethodConfidence(original.method, original.confidence))
        links[sha] = replace(_link_commit(ours.commit, methods, existing, item), own=ours.own)


def add_stated(
    links: dict[str, CommitLinks],
    sessions: Iterable[SessionEdits],
    checkpoints: Iterable[Checkpoint],
) -> None:
    """A commit that names no checkpoint that is here is linked to the sessions that its message
    names by their ids.
    """
    records = {r.session_id: r for c in checkpoints for r in c.sessions}
    known = {id_of_session(record.session_id_raw): record for record in records.values()}
    known |= {
        id_of_session(name): records[s.key]
        for s in sessions
        if s.key in records
        for name in s.names
    }
    for sha, link in links.items() if known else ():
        stated = (
            [] if link.is_resolved else [s.session for s in statements(link.commit) if s.session]
        )
        for record in (known[key] for key in map(id_of_session, stated) if key and key in known):
            links[sha] = links[sha].with_record(record, BY_TRAILER)


def add_own(
    links: dict[str, CommitLinks], own: Mapping[str, OwnCommit], checkpoints: Iterable[Checkpoint]
) -> None:
    """A commit that names no checkpoint that is here is linked to the session that made it; of
    the others it is noted.
    """
    records = {r.session_id: r for c in checkpoints for r in c.sessions}
    for sha, made in own.items():
        link = links.get(sha)
        if link is not None and made.session in records:
            if not link.is_resolved:
                link = link.with_record(
                    records[made.session], MethodConfidence(BY_CALL, 0.99 if made.printed else 0.97)
                )
            links[sha] = replace(link, own=made)


def add_imports(
    links: dict[str, CommitLinks],
    session_edits: Iterable[SessionEdits],
    checkpoints: Iterable[Checkpoint],
) -> None:
    """A commit that an imported session names is linked to it, if it was made while the session
    went on.

    Where the recorder knew of no commit, it names what was HEAD at the time of the import, which
    says nothing.
    """
    spans = {session.key: (session.started, session.ended) for session in session_edits}
    for record in (r for c in checkpoints for r in c.sessions if r.commit_sha in links):
        ours = links[record.commit_sha]
        started, ended = spans.get(record.session_id, (0.0, 0.0))
        if (
            started <= ours.commit.author_time <= ended + SLACK
            and not ours.is_resolved
            and not ours.commit.is_merge
        ):
            links[record.commit_sha] = ours.with_record(record, _IMPORTED)


def since(commit: Commit, parents: Sequence[Commit]) -> float:
    """From when on the commit's changes can date: its parent's time; a root, or a parent with a
    later time, sets no limit.
    """
    return max((p.author_time for p in parents if p.author_time <= commit.author_time), default=0.0)


def commit_probes(
    links: Mapping[str, CommitLinks],
    commits: Mapping[str, Commit],
    roots_of: Mapping[str, set[str]],
    timelines: Mapping[str, Timeline],
    paths: ChangedPaths,
    homes: Container[str] = frozenset(),
) -> dict[str, list[CommitProbe]]:
    """Root -> moments at which its state is compared with a commit.

    `roots_of`: session -> worktree roots; `homes`: roots that are known to be worktrees of the
    clone.
    """
    result: dict[str, list[CommitProbe]] = defaultdict(list)
    activity = {root: _Activity(line) for root, line in timelines.items()}
    for sha, link in links.items():
        commit = link.commit
        at = commit.author_time + SLACK
        begin = since(commit, [commits[p] for p in commit.parents if p in commits])
        if link.is_resolved:
            roots = {root for s in link.sessions for root in roots_of.get(s, ())}
            for root in sorted(roots):
                last = _amended_at(link)
                redone = link.made is not None or commit.commit_time > (last or at) + _LATE
                here = len(roots) == 1 and not redone and not last and not _earlier(link)
                probe = CommitProbe(last or at, sha, begin, redone=redone, here=here, authored=at)
                result[root].append(probe)
                result[root].extend(activity[root].earlier(probe, commit.author_time + SECOND))
                late = not last and activity[root].worked_on(
                    paths.touched[sha], at, commit.commit_time
                )
                # amended without a new checkpoint: its last content is of the committer's time
                others = [
                    *_earlier(link),
                    *([at] if last else []),
                    *([commit.commit_time + SLACK] if late else []),
                ]
                result[root].extend(
                    CommitProbe(moment, sha, 0.0, main=False, redone=True, authored=at)
                    for moment in others
                )
        else:
            for root in (
                root for root, line in timelines.items() if commit.author_email in line.emails
            ):
                late = not activity[root].worked_on(paths.touched[sha], at - _RECENT, at)
                redone = commit.commit_time > at + _LATE
                probe = CommitProbe(
                    at, sha, begin, redone=redone, linked=False, home=root in homes, late=late
                )
                if not late or activity[root].is_waiting(
                    paths.touched[sha], commit.author_time, paths.last_change
                ):
                    result[root].append(probe)
                    result[root].extend(activity[root].earlier(probe, commit.author_time + SECOND))
                # amended since
                if redone and activity[root].worked_on(paths.touched[sha], at, commit.commit_time):
                    moment = commit.commit_time + SLACK
                    result[root].append(
                        replace(probe, at=moment, main=False, late=False, authored=at)
                    )
    return result


def _earlier(link: CommitLinks) -> list[float]:
    """Moments of the checkpoints a squash names, besides its own, or of the commits it was made
    of.
    """
    commit = link.commit
    if link.made is not None:
        moments = {o.commit.author_time + SLACK for o in link.made.originals}
    else:
        moments = {r.created_at for r in link.records if r.created_at is not None}
    return sorted(moment for moment in moments if moment < commit.author_time - _LATE)[
        -_MAX_MOMENTS:
    ]


def _amended_at(link: CommitLinks) -> float:
    """When an amended commit got its last content: it keeps its author time, its checkpoint is
    stored after the last version.

    0 for commits that were not amended, and for checkpoints stored long after the fact (a
    backfill): there the committer time, which an amend renews, lies before the checkpoint.
    """
    commit = link.commit
    stored = (record.created_at for record in link.records if record.created_at is not None)
    moments = (
        moment
        for moment in stored
        if commit.author_time + _LATE < moment <= commit.commit_time + _LATE
    )
    return max(moments, default=0.0)


class _Activity:
    """When which paths of a worktree were worked on."""

    def __init__(self, line: Timeline) -> None:
        self._times: dict[str, list[float]] = defaultdict(list)
        # an edit without any time says with the text before it whose the other lines are
        self._undated: set[str] = set()
        for step in line.steps:
            self._times[step.new_path or step.path].append(step.at)
            if not step.at and step.edit.before_known:
                self._undated.add(step.path)
        self._moments = sorted(step.at for step in line.steps)

    def worked_on(self, paths: Iterable[str], after: float, before: float) -> bool:
        return any(
            path in self._undated or after <= t <= before
            for path in paths
            for t in self._times.get(path, ())
        )

    def earlier(self, probe: CommitProbe, moment: float) -> list[CommitProbe]:
        """The probe of a moment before, where something was changed between the two: within the
        seconds by which clocks may differ, only the committed text tells which came first.
        """
        between = bisect_right(self._moments, probe.at) - bisect_right(self._moments, moment)
        if not between or probe.at > moment + SLACK:
            return []
        return [replace(probe, at=moment, main=False, here=False)]

    def is_waiting(
        self, paths: Iterable[str], before: float, last_change: Callable[[str, float], float]
    ) -> bool:
        """Whether work on one of the paths was not committed since."""
        changed = (path for path in paths if path in self._times)
        return any(
            self.worked_on((path,), max(last_change(path, before), before - _WAITING), before)
            for path in changed
        )
