"""One forward pass over the history of a branch: the origin of every line at every commit, as
`git blame` would say it there.

Each commit edits the vectors of its parent (see `model`), merges ask all their parents (see
`merge`), so that the whole history costs little more than the diffs git prints. Observers are told
what each commit did to lines.

    with repo.open_scratch() as git:
        history = HistoryWalk(repo, git).run(tip, observers=[LineLifetimes().step])
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial

from attribution.lineage.edit import CommitEdit, EditRules
from attribution.lineage.edit import write as write_lines
from attribution.lineage.files import Contents
from attribution.lineage.merge import Merger, Parent, SideBranches, merge_deltas, same_lines
from attribution.lineage.model import (
    BINARY,
    UNREADABLE,
    CommitStep,
    FileLines,
    LineHistory,
    LineRange,
    MergedFile,
    Observer,
    Origins,
    State,
    count_lines,
    trim_common_lines,
)
from attribution.lineage.outside import Blamed, Listing, Outside, list_files
from attribution.lineage.reverts import fingerprint
from collector.git.diff_tree import FileDelta, PatchStream, Range, files_only
from collector.git.program import GitFailed, ScratchGit
from collector.git.renames import File
from collector.git.repository import GitRepo
from collector.groups import positions
from collector.json_values import Numbers, Texts
from collector.limits import FOLLOWED_BYTES
from collector.runtime.progress import Progress, no_progress


class ChangeSource:
    """Changes of commits, to be asked for in the order in which `start` was told them.

    One git child prints the patches of all ordinary commits. At an object that the clone does not
    have git dies: that commit is read file by file through libgit2, where a missing object is a
    gap, and the child is started again behind it. Merges are always read so.
    """

    def __init__(self, repo: GitRepo, git: ScratchGit, max_file: int, with_text: bool) -> None:
        self._repo = repo
        self._patches = PatchStream(git, max_file, with_text)

    def start(self, commits: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        self._patches.feed([sha for sha, parents in commits if len(parents) < 2])

    def close(self) -> None:
        self._patches.close()

    def changes(self, sha: str, parents: Sequence[str]) -> list[FileDelta] | None:
        """Against the only parent, or against nothing; None when a tree is missing."""
        deltas = self._patches.read(sha)
        return self.paths_changed(sha, parents) if deltas is None else files_only(deltas)

    def paths_changed(self, sha: str, parents: Sequence[str]) -> list[FileDelta] | None:
        """Against the first parent, or against nothing, without hunks; None when a tree is
        missing.
        """
        commit = self._repo.commit(sha)
        if commit is None:
            return None
        old = self._repo.commit(parents[0]) if parents else None
        changes = self._repo.tree_changes(old.tree if old else "", commit.tree, renames=False)
        if changes is None:
            return None
        deltas = []
        for change in changes:
            if change.status == "T":
                deltas.append(FileDelta(change.path, change.old or "", "", change.old_mode, 0, []))
                deltas.append(
                    FileDelta(change.path, "", change.new or "", 0, change.new_mode, None)
                )
                continue
            old_mode = change.old_mode if change.old else 0
            new_mode = change.new_mode if change.new else 0
            hunks: list[Range] | None = [] if not change.new else None
            deltas.append(
                FileDelta(
                    change.path, change.old or "", change.new or "", old_mode, new_mode, hunks
                )
            )
        return files_only(deltas)


_ID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
Commits = list[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class WalkOptions:
    max_file: int = FOLLOWED_BYTES  # bytes; the lines of larger files are not followed
    # lines that a commit changed only in shape or place stay the lines they were; else exactly as
    # git blame
    keep: bool = False
    # also read the texts of lines, to find blank lines and patches that revert others
    texts: bool = False
    ignored: frozenset[str] = frozenset()  # commits that blame is to look through


class HistoryWalk:
    """Walks a history once; each run needs a new walk."""

    def __init__(self, repo: GitRepo, git: ScratchGit, options: WalkOptions | None = None) -> None:
        self._repo = repo
        self.git = git
        self._options = options or WalkOptions()
        self._contents = Contents(repo, self._options.max_file)
        self._states: dict[str, State] = {}
        self._uses: Counter[str] = Counter()
        # commit whose state lacks files -> commit outside that has them
        self._partial: Texts = {}
        self._boundary: set[str] = set()
        self._index: Numbers = {}
        self._shas: list[str] = []
        self._origins = Origins()
        self._outside = Outside(git, self._contents)
        self._present = array("i")  # by commit: lines in its files
        self._branches = SideBranches()
        self._changed: list[str] = []  # paths that the commit at work changed

    def run(
        self,
        tip: str,
        after: str = "",
        saved: LineHistory | None = None,
        observers: Sequence[Observer] = (),
        progress: Progress = no_progress,
    ) -> LineHistory:
        """Walks up to the commit `tip`: from the first commit on, with what `after` does not
        have, or from a `saved` history on.
        """
        if not _ID.fullmatch(tip):
            raise ValueError(f"not a commit id: {tip!r}")
        commits = self._commits(tip, saved.tip if saved else after)
        mainline = _first_parents(commits, tip)
        self._prepare(commits, tip, saved, bool(after))
        options = self._options
        with_text = options.keep or options.texts or bool(options.ignored)
        source = ChangeSource(self._repo, self.git, options.max_file, with_text)
        try:
            source.start(commits)
            for number, (sha, parents) in enumerate(commits):
                progress("following lines", number, len(commits))
                step = CommitStep(self._index[sha], sha, parents, sha in mainline)
                self._commit(step, source)
                for observe in observers:
                    observe(step)
        finally:
            source.close()
        return self._result(tip)

    def _commits(self, tip: str, after: str) -> Commits:
        """Parents first; without `after` and all that it comes from."""
        args = ["rev-list", "--topo-order", "--reverse", "--parents", tip]
        if after:
            args.append(f"^{after}")
        try:
            rows = [line.split(" ") for line in self.git.output(args).decode("ascii").splitlines()]
            return [(row[0], tuple(row[1:])) for row in rows]
        except GitFailed as error:
            self._contents.report(tip, "incomplete_history", str(error))
        commits = list(self._repo.history_of([tip], [after] if after else None))
        there = {commit.sha for commit in commits} | ({after} if after else set())
        self._boundary.update(
            c.sha for c in commits if not all(p in there or self._repo.has(p) for p in c.parents)
        )
        return [
            (c.sha, tuple(p for p in c.parents if p in there or self._repo.has(p))) for c in commits
        ]

    def _prepare(self, commits: Commits, tip: str, saved: LineHistory | None, window: bool) -> None:
        if saved is not None:
            self._shas = saved.shas
            self._origins = saved.origins
            self._present = saved.present
            self._states[saved.tip] = saved.state
            self._contents.written.update(file.oid for file in saved.state.values())
            self._boundary.update(saved.boundary)
            self._partial.update({} if saved.complete else {saved.tip: saved.tip})
            self._outside = Blamed(self.git, self._contents, saved)
        self._index = positions(self._shas)
        for sha, parents in commits:
            self._index[sha] = len(self._shas)
            self._shas.append(sha)
            self._uses.update(set(parents))
        self._uses[tip] += 1
        handled = {sha for sha, _ in commits} | set(self._states)
        for _, parents in commits:
            for parent in parents:
                if parent not in handled:
                    self._states[parent] = {}
                    self._partial[parent] = parent
                    handled.add(parent)
        if window and not commits:
            self._partial[tip] = tip

    def _result(self, tip: str) -> LineHistory:
        state = self._states.get(tip, {})
        boundary = frozenset(
            self._boundary | (set(self._repo.censored().shallow) & self._index.keys())
        )
        complete = tip not in self._partial
        return LineHistory(
            self._shas,
            self._origins,
            tip,
            state,
            self._contents.problems,
            complete,
            boundary,
            self._present,
        )

    def _commit(self, step: CommitStep, source: ChangeSource) -> None:
        parents = step.parents
        # A parent outside the window has none of the lines that are counted.
        step.present = (
            self._present[self._index[parents[0]]] if parents and parents[0] in self._index else 0
        )
        step.state = self._states[step.sha] = (
            self._merge(step, source) if step.merge else self._plain(step, source)
        )
        if parents and parents[0] in self._partial:
            self._partial[step.sha] = self._partial[parents[0]]
        self._present.append(step.present)
        self._branches.add(
            step.index, tuple(self._index[p] for p in parents if p in self._index), self._changed
        )
        if step.mainline:
            self._branches.land(step.index)
        for parent in set(parents):
            self._uses[parent] -= 1
            if not self._uses[parent]:
                del self._states[parent]

    def _take(self, parent: str) -> State:
        """The files of a parent, to be changed: its own dict for the last child, a copy for the
        others.
        """
        state = self._states[parent]
        return state if self._uses[parent] == 1 else state.copy()

    def _plain(self, step: CommitStep, source: ChangeSource) -> State:
        parent = step.parents[0] if step.parents else ""
        state = self._take(parent) if parent else {}
        deltas = source.changes(step.sha, step.parents)
        self._changed = [delta.path for delta in deltas or ()]
        if deltas is None:
            return self._catch_up(step, state)
        if self._options.texts:
            step.patch = fingerprint(deltas)
        self._edit(step, state, parent, deltas)
        return state

    def _edit(
        self,
        step: CommitStep,
        state: State,
        parent: str,
        deltas: Sequence[FileDelta],
        doubt: int = 0,
    ) -> None:
        ignored = step.sha in self._options.ignored
        rules = EditRules(self._options.keep, self._options.texts, doubt, ignored)
        edit = CommitEdit(
            self._contents, self._origins, step, state, partial(self._old_file, parent), rules
        )
        edit.apply(deltas)
        step.present += edit.net

    def _catch_up(self, step: CommitStep, state: State) -> State:
        """A tree of the parent is missing: what differs from the last files known may be of an
        earlier commit, too.
        """
        self._contents.report(
            step.sha, "missing_tree", "the changes of this commit are not known exactly"
        )
        now = list_files(self.git, step.sha)
        if now is None or any(parent in self._partial for parent in step.parents[:1]):
            return state
        deltas = [
            FileDelta(path, old.oid, "", old.mode, 0, [])
            for path, old in state.items()
            if path not in now
        ]
        for path, (oid, mode) in now.items():
            before = state.get(path)
            if before is None:
                deltas.append(FileDelta(path, "", oid, 0, mode, None))
            elif before.oid != oid:
                deltas.append(FileDelta(path, before.oid, oid, before.mode, mode, None))
        self._edit(step, state, "", deltas, UNREADABLE)
        return state

    def _old_file(self, parent: str, delta: FileDelta) -> FileLines:
        """A file that is not in the state: older than the window, or a gap in the clone."""
        oid = delta.old
        mode = delta.old_mode
        if not oid:
            oid, mode = self._outside.listing(parent).get(delta.path, ("", delta.old_mode))
        return FileLines(
            oid,
            mode,
            (
                self._outside.vector(self._partial.get(parent, parent), delta.path, oid)
                if oid
                else b""
            ),
        )

    def _merge(self, step: CommitStep, source: ChangeSource) -> State:
        deltas = source.paths_changed(step.sha, step.parents)
        self._changed = [delta.path for delta in deltas or ()]
        if deltas is None:
            return self._catch_up(step, self._take(step.parents[0]))
        present, gone = merge_deltas(deltas)
        merger = Merger(self._parents(step, deltas, gone), self._contents)
        changed = {
            d.path: merger.file(d.path, d.new, d.new_mode, partial(self._write_merged, step, d))
            for d in present
        }
        before = self._parent(step.parents[0], list)
        for path, file in changed.items():
            old = before.file(path)
            step.swapped.append(trim_common_lines(old.vector if old else b"", file.vector))
            self._note_merged(step, old, file)
        for path, _, _ in gone:
            old = before.file(path)
            step.swapped.append((old.vector if old else b"", b""))
        step.present += sum(count_lines(new) - count_lines(old) for old, new in step.swapped)
        state = self._take(step.parents[0])
        for path, _, _ in gone:
            state.pop(path, None)
        state.update(changed)
        deleted = {path for path, _, _ in gone}
        for sha in step.parents[1:]:
            side = self._index.get(sha, -1)
            for path in sorted(
                self._branches.changed_paths(side, self._index.get(step.parents[0], -1)) - deleted
            ):
                self._note_merged(
                    step, self._states[sha].get(path), changed.get(path) or before.file(path)
                )
        return state

    def _write_merged(
        self, step: CommitStep, delta: FileDelta, line: int, count: int, flags: int
    ) -> bytes:
        blank = (
            self._contents.blank(delta.new) if self._options.texts and not flags & BINARY else []
        )
        offsets = tuple(n + 1 - line for n in blank if line <= n + 1 < line + count)
        return write_lines(self._origins, step, LineRange(delta.path, line, count), flags, offsets)

    def _note_merged(self, step: CommitStep, old: FileLines | None, new: FileLines | None) -> None:
        """Notes a file of a parent whose lines the merge may have taken from another parent with
        the same text.
        """
        if old is not None and new is not None and old.vector != new.vector:
            step.merged.append(
                MergedFile(old.vector, new.vector, partial(same_lines, old, new, self._contents))
            )

    def _parent(self, sha: str, deleted: Callable[[], list[File]]) -> Parent:
        base = self._partial.get(sha)
        return Parent(sha, base or sha, self._states[sha], self._outside if base else None, deleted)

    def _parents(
        self, step: CommitStep, deltas: Sequence[FileDelta], gone: list[File]
    ) -> list[Parent]:
        first = step.parents[0]
        first_gone = {path for path, _, _ in gone}
        first_new = {d.path for d in deltas if not d.old}

        def deleted_files(sha: str) -> list[File]:
            there: Container[str] = (
                self._listing(first) if first in self._partial else self._states[first]
            )
            return [
                (path, *file)
                for path, file in self._listing(sha).items()
                if path not in first_new and (path not in there or path in first_gone)
            ]

        return [
            self._parent(first, lambda: gone),
            *(self._parent(sha, partial(deleted_files, sha)) for sha in step.parents[1:]),
        ]

    def _listing(self, sha: str) -> Listing:
        if sha in self._partial:
            return self._outside.listing(sha)
        return {path: (file.oid, file.mode) for path, file in self._states[sha].items()}


def _first_parents(commits: Commits, tip: str) -> set[str]:
    above = {sha: parents[0] if parents else "" for sha, parents in commits}
    ancestors = set()
    ancestor = tip
    while ancestor in above and ancestor not in ancestors:
        ancestors.add(ancestor)
        ancestor = above[ancestor]
    return ancestors
