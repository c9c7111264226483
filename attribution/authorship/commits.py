"""The history of a branch: what each commit changed, how rare its lines are, and the texts when
the lines are to be judged.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, field
from zlib import crc32

from attribution.authorship.align import text_of
from attribution.authorship.case import AddedFile, added_file
from attribution.authorship.diffs import CommitDiff
from attribution.authorship.printed_diffs import PrintedDiffs
from attribution.authorship.scope import ALL, Scope
from collector.checkpoints.statements import checkpoint_ids
from collector.files.kinds import BY_HAND, Attributes
from collector.git.ancestry import Ancestry
from collector.git.repository import GitRepo
from collector.model import Commit

RARE = 3  # text of lines that more files than this ever had proves nothing
_FILES = 8  # bits of a number of files


@dataclass(slots=True)
class CommitHistory:
    """The commits of a branch, parents first, with their changes, and how common each added line
    is.
    """

    commits: list[Commit]
    diffs: dict[str, CommitDiff]
    paths: set[str] = field(default_factory=set)
    # as git has them, those that were put on the clock of a session
    recorded: dict[str, Commit] = field(default_factory=dict)
    # beside ASCII, of the sessions' edits: they tell in which encoding a file is
    characters: frozenset[str] = frozenset()
    _versions: dict[str, list[tuple[float, str]]] | None = None
    _deletions: dict[str, list[float]] | None = None
    # the versions that were asked for, sorted
    _in_time: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    _ancestry: Ancestry[str] | None = None
    lines: LineFiles = field(default_factory=lambda: LineFiles())

    @property
    def versions(self) -> dict[str, list[tuple[float, str]]]:
        """Path -> (author time, blob), in order of commits.

        Made when it is first asked for, which is for sessions.
        """
        if self._versions is None:
            self._versions = {}
            for diff in self.diffs.values():
                for file in diff.files or ():
                    if file.change.new is not None and file.content == "text":
                        self._versions.setdefault(file.change.path, []).append(
                            (diff.commit.author_time, file.change.new)
                        )
        return self._versions

    @property
    def deletions(self) -> dict[str, list[float]]:
        """Path -> author times of the commits that deleted it. Made when it is first asked for."""
        if self._deletions is None:
            self._deletions = {}
            for diff in self.diffs.values():
                for file in diff.files or ():
                    if file.change.new is None:
                        at = diff.commit.author_time
                        self._deletions.setdefault(file.change.path, []).append(at)
        return self._deletions

    def put_on_clock(self, moved: Iterable[Commit]) -> None:
        """Gives commits times of the sessions' clocks.

        Call before anything is asked about versions.

        Checkpoints were stored by git's clock, so commits that name some keep it.
        """
        places = {commit.sha: number for number, commit in enumerate(self.commits)}
        for commit in moved:
            existing = self.commits[places[commit.sha]]
            if commit != existing and not checkpoint_ids(commit.message):
                self.recorded[commit.sha] = existing
                self.commits[places[commit.sha]] = commit
                self.diffs[commit.sha].commit = commit

    def last_change(self, path: str, before: float) -> float:
        """Author time of the last commit that wrote a path before this moment; 0 when there is
        none.
        """
        return self.last_version(path, before)[0]

    def last_version(self, path: str, before: float) -> tuple[float, str]:
        """(author time, blob) of the last commit that wrote a path before this moment; (0.0, "")
        when there is none.
        """
        versions = self._in_time.get(path) or self._in_time.setdefault(
            path, sorted(self.versions.get(path, ()))
        )
        earlier = bisect_left(versions, (before, ""))
        return versions[earlier - 1] if earlier else (0.0, "")

    def touched(self, sha: str) -> set[str]:
        """Paths that a commit changed."""
        return {file.change.path for file in self.diffs[sha].files or ()}

    def texts(self, sha: str) -> set[str]:
        """Paths that a commit changed, and that have a text in it."""
        files = self.diffs[sha].files or ()
        return {f.change.path for f in files if f.content == "text" and f.change.new is not None}

    def renames(self, sha: str) -> dict[str, str]:
        """Path -> path before, of the files that a commit renamed."""
        changes = (file.change for file in self.diffs[sha].files or ())
        return {change.path: change.old_path for change in changes if change.status == "R"}

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether `ancestor` can be reached from `descendant`, both commits of this history."""
        if self._ancestry is None:
            self._ancestry = Ancestry((commit.sha, commit.parents) for commit in self.commits)
        return self._ancestry.is_ancestor(ancestor, descendant)

    def rarity(self, text: str) -> float:
        """1 / number of files that ever added the line; 0 for lines of many files and for ones
        that are too short to tell.
        """
        stripped = text.strip()
        files = max(1, self.lines.files(stripped.encode("utf-8", "replace")))
        return 1.0 / files if len(stripped) >= 4 and files <= RARE else 0.0


class LineFiles:
    """In how many files each line was ever added, layout aside; hashes stand for texts, and
    `RARE + 1` for any larger number.

    A history has millions of lines, most of them in one file: for those only the file is kept, not
    a set of files.
    """

    def __init__(self, earlier: bytes = b"") -> None:
        """`earlier`: `shared_lines` of commits that are not added."""
        self._files: dict[int, int | tuple[int, ...]] = {}
        # by a hash that is always the same
        self._shared = {value >> _FILES: value & 0xFF for value in array("Q", earlier)}

    def add(self, path: str, lines: Iterable[bytes]) -> None:
        """Lines that a commit added to a file."""
        files = self._files
        file = hash(path)
        for line in lines:
            key = hash(line.strip())
            existing = files.setdefault(key, file)
            if existing == file:
                continue
            several = (existing,) if isinstance(existing, int) else existing
            if file not in several and len(several) <= RARE:
                files[key] = (*several, file)
                kept = crc32(line.strip())
                self._shared[kept] = max(len(several) + 1, self._shared.get(kept, 0))

    def files(self, line: bytes) -> int:
        """Of a line without its layout; 0 when no commit added it."""
        existing = self._files.get(hash(line))
        counted = 0 if existing is None else 1 if isinstance(existing, int) else len(existing)
        return max(counted, self._shared.get(crc32(line), 0))

    def shared_lines(self) -> bytes:
        """In how many files each line is that is in several."""
        return array(
            "Q", (line << _FILES | count for line, count in self._shared.items())
        ).tobytes()


def read_history(
    repo: GitRepo,
    commits: Sequence[Commit],
    attributes: Sequence[Attributes] = (),
    *,
    rarity: bool = True,
    scope: Scope = ALL,
) -> CommitHistory:
    """Diffs of all commits, with the kind of each file; `attributes` are the repository's own.

    Texts are not kept.

    Without `rarity` nothing is remembered of the lines, and nobody may ask how rare one is.
    """
    history = CommitHistory(list(commits), {}, lines=LineFiles(scope.shared or b""))
    count = history.lines.add if rarity else None
    chosen = [commit for commit in commits if commit.sha in scope.commits]
    if scope is not ALL:
        history.diffs = {commit.sha: CommitDiff(commit, []) for commit in commits}
        history.paths.update(repo.paths(commits[-1].sha))
    with (
        repo.open_scratch() as git,
        closing(PrintedDiffs(repo, git, chosen, attributes, count, scope)) as printed,
    ):
        for commit in chosen:
            result = history.diffs[commit.sha] = printed.diff_of(commit)
            history.paths.update(file.change.path for file in result.files or ())
    return history


def added_files(
    repo: GitRepo, diff: CommitDiff, characters: Set[str] = frozenset(), old: bool = True
) -> list[AddedFile]:
    """The added lines of a commit with the texts around them, also of files that only lose some.
    `characters`: as for `text_of`. `old`: with the versions before.
    """
    result = []
    for file in diff.files or ():
        if file.content == "text" and file.change.new is not None:
            text = text_of(repo.content(file.change.new), characters)
            before = (
                text_of(repo.content(file.change.old), characters)
                if old and file.change.old is not None
                else ""
            )
            ranges = ((a, b) for a, b, _ in file.added)
            result.append(
                added_file(
                    file.change.path,
                    file.change.old_path,
                    text,
                    ranges,
                    before,
                    file.kind in BY_HAND,
                )
            )
    return result
