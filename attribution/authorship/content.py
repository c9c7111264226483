"""Links by content alone: commits that hold, in order, rare text that an agent wrote into the same
files before. Pure.

No trailer, no original and another author: a squash on a clone without pull refs. Text equality
only proposes here; a commit counts as linked when the replayed state of a worktree, aligned with
it, explains enough of its rare lines (`worktrees.content_share`).
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from attribution.authorship.case import SLACK, AddedFile
from attribution.authorship.links import CommitLinks, since
from attribution.authorship.replay import ReplayStep
from attribution.authorship.timeline import Timeline
from attribution.authorship.worktrees import CommitProbe
from collector.model import Commit

# a pull request is merged within that time after the last edit, or not found
_WINDOW = 30 * 86_400.0
_PROPOSED = 3  # rare lines that must be equal before a worktree is compared at all
_PROPOSED_SHARE = 0.2  # of the rare lines it adds to files of the worktree
_MAX_MOMENTS = 4

Added = Callable[[str], Sequence[AddedFile]]
"""Added lines of a commit, by its id."""

Rarity = Callable[[str], float]
"""Text of a line -> 1 / number of files that ever added it; 0 for common lines."""


@dataclass(frozen=True, slots=True)
class CommitTexts:
    """What commits add."""

    touched: Mapping[str, Iterable[str]]  # commit -> paths
    added: Added
    rarity: Rarity


def content_probes(
    links: Mapping[str, CommitLinks],
    commits: Mapping[str, Commit],
    timelines: Mapping[str, Timeline],
    texts: CommitTexts,
    requested: Container[int],
) -> dict[str, list[CommitProbe]]:
    """Root -> moments at which its state is compared with other people's commits, as far as their
    authors' fields tell.

    `requested`: numbers of the sessions with a checkpoint that no commit names; what the others
    wrote has arrived by other ways.
    """
    written = {root: _Written(line, requested) for root, line in timelines.items()}
    roots_of: dict[str, set[str]] = defaultdict(set)
    for root, item in written.items():
        for path in item.steps:
            roots_of[path].add(root)
    result: dict[str, list[CommitProbe]] = defaultdict(list)
    for sha, link in links.items():
        commit = link.commit
        if link.is_resolved or commit.is_merge:
            continue
        at = commit.author_time + SLACK
        touched = texts.touched[sha]
        for root in sorted({root for path in touched for root in roots_of.get(path, ())}):
            same_person = commit.author_email in timelines[root].emails
            if same_person or not any(written[root].worked_on(path, at) for path in touched):
                continue  # `links.looks` compares commits of the same person anyhow
            moments = written[root].moments(texts.added(sha), at, texts.rarity)
            begin = since(commit, [commits[p] for p in commit.parents if p in commits])
            for moment in moments:
                main = moment == moments[-1]
                probe = CommitProbe(
                    moment,
                    sha,
                    begin if main else 0.0,
                    main=main,
                    redone=True,
                    linked=False,
                    by_content=True,
                )
                result[root].append(probe)
    return result


class _Written:
    """What was written into which file of a worktree, and when."""

    def __init__(self, line: Timeline, requested: Container[int]) -> None:
        self.steps: dict[str, list[ReplayStep]] = defaultdict(list)
        for step in sorted(line.steps, key=lambda s: s.at):
            if step.call.session_id in requested:
                self.steps[step.path].append(step)
                if step.new_path:
                    self.steps[step.new_path] += self.steps[step.path]
        self._texts: dict[str, dict[str, list[float]]] = {}

    def worked_on(self, path: str, moment: float) -> bool:
        return any(moment - _WINDOW <= step.at <= moment for step in self.steps.get(path, ()))

    def moments(self, files: Iterable[AddedFile], moment: float, rarity: Rarity) -> list[float]:
        """When the worktree may have looked like the commit: after the last edits that wrote its
        lines. Empty: hardly ever.
        """
        hits: set[str] = set()
        rare = 0
        last: dict[float, int] = defaultdict(int)
        for file in files:
            texts = self._of(file.path) if self.worked_on(file.path, moment) else {}
            for index in file.added if texts else ():
                text = file.lines[index].strip()
                if rarity(text) == 0:
                    continue
                rare += 1
                times = [t for t in texts.get(text, ()) if moment - _WINDOW <= t <= moment]
                if times:
                    hits.add(text)
                    last[times[-1]] += 1
        if len(hits) < _PROPOSED or sum(last.values()) < _PROPOSED_SHARE * rare:
            return []
        telling = sorted(last, key=lambda t: (-last[t], -t))[: _MAX_MOMENTS - 1]
        return sorted({*(t + SLACK for t in telling if t + SLACK < moment), moment})

    def _of(self, path: str) -> dict[str, list[float]]:
        """Text of a line -> when it was written into that file, earliest first."""
        if path not in self._texts:
            result = self._texts[path] = {}
            for step in self.steps.get(path, ()):
                for line in (line for text in step.edit.new_texts() for line in text.split("\n")):
                    times = result.setdefault(line.strip(), [])
                    if not times or times[-1] != step.at:
                        times.append(step.at)
        return self._texts[path]
