"""Lines of sessions that stand in commits of other branches than the attributed one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from attribution.authorship.agent_text import lines_without_layout, new_text, without_layout
from attribution.authorship.texts import DiffTexts
from attribution.authorship.timeline import EditFate
from collector.git.base import is_regular
from collector.git.repository import GitRepo, line_changes
from collector.model import Commit, FileChange
from collector.text import decode, is_binary, split_lines

_TELLING = 12  # characters without layout: a shorter line stands anywhere


def commits_elsewhere(texts: DiffTexts, edits: Iterable[EditFate], sessions: Collection[int]) -> dict[int, str]:
    """Session -> the first commit of another branch or pull request that adds a line it wrote, to the file it wrote it into.

    The line must be a telling one that no other session wrote into that file, and the commit must not be older than it. What a
    stash is made of does not count.
    """
    lines = _written_lines(edits, sessions)
    first = min((moment for _, moment in lines.values()), default=0.0)
    paths = {path for path, _ in lines}
    result: dict[int, str] = {}
    for commit in _commits_elsewhere(texts) if lines else ():
        if commit.author_time < first or len(commit.parents) > 1:
            continue
        for location in _lines_added(texts.repo, commit, paths):
            session, moment = lines.get(location, (0, float("inf")))
            if moment <= commit.author_time:
                result.setdefault(session, commit.sha)
        if len(result) == len(sessions):
            break
    return result


def _written_lines(edits: Iterable[EditFate], sessions: Collection[int]) -> dict[tuple[str, str], tuple[int, float]]:
    """(path, line without layout) -> the session that alone wrote it, and when it first did."""
    applied = [fate for fate in edits if not fate.outcome and fate.path]
    paths = {fate.path for fate in applied if fate.raw.call.session_id in sessions}
    writers: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for fate in applied:
        session, moment = fate.raw.call.session_id, fate.raw.at
        for text in new_text(fate.raw.edit) if fate.path in paths else ():
            for location in {(fate.path, bare) for bare in lines_without_layout(text) if len(bare) >= _TELLING}:
                writers[location][session] = min(moment, writers[location].get(session, moment))
    alone = {location: next(iter(several.items())) for location, several in writers.items() if len(several) == 1}
    return {location: writer for location, writer in alone.items() if writer[0] in sessions}


def _commits_elsewhere(texts: DiffTexts) -> Iterator[Commit]:
    """Commits of other branches without those that a stash is made of."""
    stash = texts.repo.refs().get("refs/stash", "")
    remaining = texts.repo.commit(stash) if stash else None
    parts = {stash, *remaining.parents[1:]} if remaining is not None else set()
    return (commit for commit in texts.aside if commit.sha not in parts)


def _lines_added(repo: GitRepo, commit: Commit, paths: Collection[str]) -> Iterator[tuple[str, str]]:
    """(path, line without layout) of what a commit adds to some files."""
    for change in repo.changes(commit, renames=False) or ():
        if change.path in paths and change.new is not None:
            yield from ((change.path, without_layout(line)) for line in _lines(repo, change))


def _lines(repo: GitRepo, change: FileChange) -> Iterator[str]:
    sides = ((change.old, change.old_mode), (change.new, change.new_mode))
    old, new = ((repo.blob(oid) or b"") if oid is not None and is_regular(mode) else b"" for oid, mode in sides)
    if is_binary(old) or is_binary(new):
        return
    lines = split_lines(new)
    for hunk in line_changes(old, new):
        yield from map(decode, lines[hunk.b0 : hunk.b1])
