"""The adapter for pygit2: refs, objects, history and diffs of one repository, read only.

libgit2 never runs a hook, a filter, a pager or a lazy fetch, so a hostile configuration has nothing
to trigger. Objects that a partial clone left out come back as None. Line diffs are git's own
(`git diff -U0`, indent heuristic) whatever the user's configuration or `.gitattributes` say.
"""

from __future__ import annotations

import collections
import hashlib
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import Any

import pygit2
from pygit2.enums import DiffOption, FileMode, FileStatus, ObjectType, SortMode

from collector.commit_model import Commit, FileChange, LineChange
from collector.errors import NotARepository, UnknownBranch
from collector.git.base import (
    BlobEntry,
    Config,
    NamedCommit,
    RepositoryBase,
    config_of,
    git_mode,
    setting,
)
from collector.git.raw_commits import commit_of, decode_as, repaired
from collector.git.regular import NotRegular, require_files
from collector.git.sha256 import Sha256Reader
from collector.json_values import Texts
from collector.limits import REFS
from collector.repository_names import public_url
from collector.text import decode

# what libgit2 raises for what is not there, or is no name
_ABSENT = (KeyError, ValueError, pygit2.GitError)
_TAIL_BLOCK = 1024
_STATUSES = "ADMRT"  # letters of changes; git has more, which do not occur between trees


_STAGED = FileStatus.INDEX_NEW | FileStatus.INDEX_MODIFIED
_UNSTAGED = FileStatus.WT_NEW | FileStatus.WT_MODIFIED | FileStatus.WT_DELETED
_KINDS = {
    ObjectType.BLOB: "blob",
    ObjectType.TREE: "tree",
    ObjectType.COMMIT: "commit",
    ObjectType.TAG: "tag",
}
_GITS_OWN = DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT
# Other ways to see a change, each as good as git's own when a tool did not say which one it used.
OTHER_LOOKS = (
    DiffOption.FORCE_TEXT,  # without the indent heuristic
    _GITS_OWN | DiffOption.PATIENCE,
    _GITS_OWN | DiffOption.MINIMAL,
    _GITS_OWN | DiffOption.IGNORE_WHITESPACE,
)


# Notes and refs of programs, which a flood of branches does not hide.
_RECORDS = re.compile(
    r"refs/(?!(?:heads/|remotes/[^/]+/)(?![^/]+/checkpoints/)|tags/|pull/|merge-requests/)"
)


def line_changes(old: bytes, new: bytes, look: DiffOption = _GITS_OWN) -> list[LineChange]:
    """Hunks of `git diff -U0` between two texts, in order.

    Source of the tail rule: git's `xdi_diff` with no context.
    """
    if old == new:
        return []
    trim = _common_tail(old, new)
    if trim:
        old = old[:-trim]
        new = new[:-trim]
    patch = pygit2.Patch.create_from(old, new, context_lines=0, flag=look)
    changes = []
    for hunk in patch.hunks:
        a0 = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        b0 = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
        changes.append(LineChange(a0, a0 + hunk.old_lines, b0, b0 + hunk.new_lines))
    return changes


def _common_tail(old: bytes, new: bytes) -> int:
    """Bytes of common tail that git drops before it diffs without context: whole blocks, then
    forward to a line start.
    """
    smaller = min(len(old), len(new))
    trimmed = 0
    end_old = len(old)
    end_new = len(new)
    while trimmed + _TAIL_BLOCK <= smaller:
        a = old[end_old - trimmed - _TAIL_BLOCK : end_old - trimmed]
        if a != new[end_new - trimmed - _TAIL_BLOCK : end_new - trimmed]:
            break
        trimmed += _TAIL_BLOCK
    if not trimmed:
        return 0
    newline = old.find(b"\n", end_old - trimmed)
    if newline < 0:
        return 0
    return end_old - newline - 1


def blob_id(data: bytes | memoryview, like: str = "") -> str:
    """The id git gives to a blob of this content: SHA-1, or SHA-256 when `like` is an id of that
    length.
    """
    name = "sha256" if len(like) == 64 else "sha1"
    digest = hashlib.new(name, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def empty_repository(directory: Path) -> GitRepo:
    """A new bare repository with one commit and no file, for sessions that are looked at alone.

    The commit is always the same.
    """
    repository = pygit2.init_repository(str(directory), bare=True)
    nobody = pygit2.Signature("whowrote", "whowrote@localhost", 0, 0)
    repository.create_commit(
        "HEAD", nobody, nobody, "No repository\n", repository.TreeBuilder().write(), []
    )
    return GitRepo(directory)


def _directory_of(path: str | Path) -> Path:
    """The directory of the repository that contains `path`. Raises NotARepository."""
    discovered = None
    if Path(path).exists():
        try:
            require_files(path)
        except NotRegular as error:
            raise NotARepository(
                f"{path} cannot be read: {error.path} is a pipe or a device, and no file",
                "Nothing was read; remove it or clone the repository again",
            ) from error
        discovered = pygit2.discover_repository(str(path))
    if discovered is None:
        what = "is not inside a git repository" if Path(path).exists() else "does not exist"
        raise NotARepository(
            f"{path} {what}", "Use the path of a clone, for example: whowrote repo ~/src/project"
        )
    return Path(discovered)


class GitRepo(RepositoryBase):
    """One repository, bare or not, a worktree, shallow or partial.

    One with SHA-256 ids is a `Sha256Repo`.
    """

    def __new__(cls, path: str | Path, *_: object) -> GitRepo:
        """The class that can read the repository that contains `path`; a subclass may take more.

        Raises NotARepository.
        """
        if (
            cls is GitRepo
            and setting(config_of(_directory_of(path)), "extensions.objectformat").lower()
            == "sha256"
        ):
            return super().__new__(Sha256Repo)
        return super().__new__(cls)

    def __init__(self, path: str | Path) -> None:
        """Opens the repository that contains `path`. Raises NotARepository."""
        self.path = _directory_of(path)
        self._config = self._open(path)
        self._listed = self._listed_refs(path)
        # libgit2 shows the boundary of a shallow clone as root commits; what they changed cannot be
        # known.
        self._boundary = frozenset(self.censored().shallow)
        self._texts = {}
        self._held = 0
        self.refused = {}

    def _open(self, path: str | Path) -> Config:
        """Opens it with libgit2; gives its configuration. Raises NotARepository."""
        try:
            self._repo = pygit2.Repository(str(path))  # not at `self.path`: files may be elsewhere
        except (pygit2.GitError, ValueError) as error:
            raise NotARepository(f"{path} cannot be opened as a git repository: {error}") from error
        return self._repo.config

    def refs(self) -> Texts:
        """Name -> object id, symbolic refs resolved; dangling ones left out, and of too many those
        that `refs_left_out` counts.
        """
        if self._listed is not None:
            return {name: oid for name, oid in self._listed.items() if name != "HEAD"}
        result: Texts = {}
        self.refs_left_out = 0
        for ref in self._repo.references.iterator():  # to look each up takes twice as long
            if len(result) >= REFS * (1 + bool(_RECORDS.match(ref.name))):
                self.refs_left_out += 1
                continue
            try:
                result[ref.name] = str(ref.resolve().target)
            # ValueError: libgit2 takes no name that long
            except _ABSENT:
                continue
        return result

    def _head(self) -> NamedCommit | None:
        try:
            head = self._repo.head
            name = head.shorthand
            target = str(head.target)
        except (ValueError, pygit2.GitError):  # ValueError: its branch cannot be read
            return None
        sha = self.peel_commit(target)
        if sha:
            return NamedCommit(name, sha)
        return None

    def _parse_name(self, name: str) -> str | None:
        try:
            return str(self._repo.revparse_single(name).peel(pygit2.Commit).id)
        except _ABSENT:
            return self._parse_refused(name)

    def _parse_refused(self, name: str) -> str | None:
        """A commit that libgit2 refuses, by its id or the name of a ref."""
        target = self.refs().get(name) or self.refs().get(f"refs/heads/{name}") or name
        return self.peel_commit(target)

    def peel_commit(self, oid: str) -> str | None:
        try:
            return str(self._repo[oid].peel(pygit2.Commit).id)
        except _ABSENT:
            kind, _ = self._header(oid)
            if kind == "commit":
                return oid
            return None

    def remote_url(self) -> str:
        """URL of `origin`, without anything that may be secret; empty if there is none."""
        try:
            return public_url(self._repo.remotes["origin"].url or "")
        except KeyError:
            return ""

    def worktree(self) -> Path | None:
        """The directory of the files; None in a bare repository, also in one whose configuration
        does not say that it is bare.
        """
        if self._repo.workdir is None:
            return None
        directory = Path(self._repo.workdir)
        # Of a git directory that says nothing libgit2 takes the parent, as if it were named .git.
        guessed = (
            directory == self.path.parent
            and self.path.name != ".git"
            and not (directory / ".git").exists()
        )
        if guessed and not setting(self._config, "core.worktree"):
            return None
        return directory

    def _object(self, oid: str) -> tuple[str, bytes]:
        try:
            kind, data = self._repo.odb.read(oid)
        except _ABSENT:
            return "", b""
        return _KINDS.get(kind, ""), bytes(data)

    def _header(self, oid: str) -> tuple[str, int]:
        try:
            kind, size = self._repo.odb.read_header(oid)
        except _ABSENT:
            return "", 0
        return _KINDS.get(kind, ""), int(size)

    def has(self, oid: str) -> bool:
        """Whether the object is in this clone; does not inflate it."""
        return self._repo.odb.exists(oid)

    def _tree(self, oid: str) -> dict[str, BlobEntry] | None:
        try:
            tree = self._root_tree(oid)
            return {
                decode(entry.raw_name or b""): BlobEntry(
                    str(entry.id), git_mode(int(entry.filemode))
                )
                for entry in tree
            }
        except _ABSENT:
            return None

    def _root_tree(self, oid: str) -> pygit2.Tree:
        """A tree, or that of a commit. Raises KeyError, ValueError, GitError."""
        try:
            return self._repo[oid].peel(pygit2.Tree)
        except pygit2.GitError:
            commit = self._refused(oid)
            if commit is None:
                raise
            return self._repo[commit.tree].peel(pygit2.Tree)

    def staged(self) -> list[tuple[str, str]]:
        """(path, blob id) of what the index has and HEAD does not; everything in the index where
        there is no commit yet.
        """
        repo = self._repo
        entries = [
            (entry.path, str(entry.id)) for entry in repo.index if entry.mode != FileMode.COMMIT
        ]
        if repo.head_is_unborn:
            return entries
        changes = repo.index.diff_to_tree(repo.head.peel(pygit2.Tree)).deltas
        changed = {delta.old_file.path for delta in changes}  # the index is the old side
        return [entry for entry in entries if entry[0] in changed]

    def changed_files(self) -> tuple[dict[str, bytes | None], list[str]]:
        """What is not committed in this worktree: of the index path -> content (None for a file
        that is gone), and the paths of files that are not as the index has them.

        Files that git ignores are left out.
        """
        try:
            states = self._repo.status(untracked_files="all") if self.worktree() else {}
            index = self._repo.index
            if not len(index):  # nothing was ever checked out
                return {}, []
            staged = {path: index[path].id for path, s in states.items() if s & _STAGED}
        except (OSError, *_ABSENT):
            return {}, []
        gone = [path for path, state in states.items() if state & FileStatus.INDEX_DELETED]
        contents = {path: self.blob(str(oid)) for path, oid in staged.items()}
        return {**contents, **dict.fromkeys(gone)}, [p for p, s in states.items() if s & _UNSTAGED]

    def as_committed(self, parent: str, files: Mapping[str, bytes | None], at: float) -> str | None:
        """The id of a commit on `parent` in which these files (path -> content, None for one that
        is gone) are others, as if it had been made `at` that time; None where the clone lacks
        objects.

        Its objects are in a directory of our own, where this object finds them. The repository is
        not written to.
        """
        if self.sha256:  # libgit2 makes no commits of these
            return None
        if self._beside is None:
            directory = Path(tempfile.mkdtemp(prefix="whowrote-commit-"))
            weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
            pygit2.init_repository(str(directory), bare=True)
            self._beside = directory / "objects"
            self._repo.odb.add_disk_alternate(str(self._beside))
        own = pygit2.Repository(str(self._beside.parent))
        own.odb.add_disk_alternate(str(self.common_dir() / "objects"))
        index = pygit2.Index()
        try:
            last = self._repo[parent].peel(pygit2.Commit)
            index.read_tree(last.tree)
            for path, data in files.items():
                before = self.entry_at(parent, path)
                if data is not None:
                    mode = FileMode(before.mode) if before is not None else FileMode.BLOB
                    index.add(pygit2.IndexEntry(path, own.create_blob(data), mode))
                elif before is not None:
                    index.remove(path)
            email = self.own_email() or min(self.own_emails(), default=last.author.email)
            who = pygit2.Signature("Nobody", email, max(int(at), last.commit_time), 0)
            tree = index.write_tree(own)
            made = own.create_commit(None, who, who, "Not committed\n", tree, [last.id])
        except (OSError, *_ABSENT):
            return None
        return str(made)

    def entry_at(self, sha: str, path: str) -> BlobEntry | None:
        """A path in a commit; None when it has no such file, or a tree is missing."""
        try:
            entry = self._root_tree(sha)[path]
        except (KeyError, ValueError, TypeError, pygit2.GitError):
            return None
        if entry.type == ObjectType.BLOB:
            return BlobEntry(str(entry.id), git_mode(int(entry.filemode)))
        return None

    @cached_property
    def _first_commit(self) -> str | None:
        try:
            walker = self._repo.walk(pygit2.Oid(hex=self.default_branch().sha), SortMode.NONE)
            walker.simplify_first_parent()
            last = collections.deque(walker, 1).pop()
        except (KeyError, UnknownBranch, pygit2.GitError):
            return None
        if str(last.id) in self._boundary:
            return None
        return str(last.id)

    def commit(self, sha: str) -> Commit | None:
        try:
            commit = self._repo[sha].peel(pygit2.Commit)
        except KeyError:
            return None
        except _ABSENT:
            return self._refused(sha)
        return _commit(commit)

    def _refused(self, sha: str) -> Commit | None:
        """A commit that libgit2 cannot parse, as git shows it; None for one that is absent."""
        kind, data = self._object(sha)
        if kind != "commit":
            return None
        self.refused[sha] = None
        return commit_of(sha, repaired(data), sha in self._boundary)

    def history_of(self, tips: list[str], hide: list[str] | None = None) -> Iterator[Commit]:
        """Commits reachable from any of `tips` and from none of `hide`, parents first."""
        try:
            yield from self._walk_ordered(tips, hide or [])
            return
        except (KeyError, pygit2.GitError):
            pass  # a parent is absent, or libgit2 refuses a commit
        yield from self._ordered_tolerant(tips, hide or [])

    def _walk_ordered(self, tips: list[str], hide: list[str]) -> list[Commit]:
        walker = self._repo.walk(None, SortMode.TOPOLOGICAL | SortMode.REVERSE)
        for tip in tips:
            walker.push(pygit2.Oid(hex=tip))
        for tip in hide:
            walker.hide(pygit2.Oid(hex=tip))
        return [_commit(c) for c in walker]

    def tree_changes(
        self, old_tree: str | None, new_tree: str, renames: bool = True
    ) -> list[FileChange] | None:
        """As `changes`, for two trees; `old_tree` "" is the empty tree."""
        diff = None
        if old_tree is not None:
            diff = self._tree_diff(old_tree, new_tree, context_lines=0, flags=_TYPECHANGE)
        if diff is None:
            return None
        changes = [
            change
            for change in map(_file_change, diff.deltas)
            if (change.old, change.old_mode) != (change.new, change.new_mode)
        ]
        if renames:
            return self.pair_renames(changes)
        return changes

    def _tree_diff(self, old: str, new: str, **options: Any) -> pygit2.Diff | None:
        """From a tree, or a commit's, to another; "" is the empty one. None when one is missing."""
        try:
            tree = self._repo[new].peel(pygit2.Tree)
            if old:
                return self._repo[old].peel(pygit2.Tree).diff_to_tree(tree, **options)
            return tree.diff_to_tree(swap=True, **options)
        except _ABSENT:
            return None

    def patch_id(self, base: str, tip: str) -> str | None:
        """git's patch id of what `tip` changed since `base` ("" is nothing): the same wherever the
        lines stand, layout aside.

        None when a tree or a text is missing, or nothing differs.
        """
        try:
            diff = self._tree_diff(base, tip)
            if diff:
                return str(diff.patchid)
        except _ABSENT:
            return None
        return None


def _commit(commit: pygit2.Commit) -> Commit:
    parents = tuple(intern(str(parent)) for parent in commit.parent_ids)
    author = _person(commit.author)
    committer = _person(commit.committer)
    return Commit(
        intern(str(commit.id)),
        parents,
        str(commit.tree_id),
        *author,
        *committer,
        decode_as(commit.raw_message, commit.message_encoding),
    )


def _person(signature: pygit2.Signature) -> tuple[str, str, float]:
    """(name, address, time). Few people make many commits: a name is kept once."""
    return (
        intern(decode(signature.raw_name)),
        intern(decode(signature.raw_email)),
        float(signature.time),
    )


_TYPECHANGE = (
    DiffOption.INDENT_HEURISTIC | DiffOption.INCLUDE_TYPECHANGE | DiffOption.SKIP_BINARY_CHECK
)


def _file_change(delta: pygit2.DiffDelta) -> FileChange:
    letter = delta.status_char()
    status = letter if letter in _STATUSES else "M"
    return FileChange(
        path=decode((delta.old_file if status == "D" else delta.new_file).raw_path or b""),
        old_path=decode(delta.old_file.raw_path or b""),
        old=None if status == "A" else str(delta.old_file.id),
        new=None if status == "D" else str(delta.new_file.id),
        old_mode=git_mode(int(delta.old_file.mode)),
        new_mode=git_mode(int(delta.new_file.mode)),
        status=status,
    )


class Sha256Repo(Sha256Reader, GitRepo):
    """One with SHA-256 ids. Its processes end with it."""
