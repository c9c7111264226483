"""The adapter for pygit2: refs, objects, history and diffs of one repository, read only.

libgit2 never runs a hook, a filter, a pager or a lazy fetch, so a hostile configuration has nothing to trigger. Objects that a
partial clone left out come back as None. Line diffs are git's own (`git diff -U0`, indent heuristic) whatever the user's
configuration or `.gitattributes` say.
"""

from __future__ import annotations

import collections
import hashlib
import re
import stat
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import NamedTuple

import pygit2
from pygit2.enums import ConfigLevel, DiffOption, FileMode, ObjectType, SortMode

from collector.commit_model import Censored, Commit, FileChange, LineChange
from collector.errors import NotARepository, UnknownBranch
from collector.git.program import GitFailed, reftable_refs
from collector.git.regular import NotRegular, require_files
from collector.git.renames import pair
from collector.repository_names import public_url
from collector.text import decode
from collector.vocabulary.sessions import Signature

# Objects are content-addressed and we only read: checking each SHA-1 again is a third of a diff walk.
pygit2.settings.enable_strict_hash_verification(False)
# We execute nothing from a repository, so who owns the directory does not matter (git's safe.directory guards execution).
pygit2.settings.owner_validation = False
# What git writes into every clone with `--filter` says nothing about how to read it: objects that are not there are None.
pygit2.settings.set_extensions(["partialclone", "refstorage"])  # libgit2 reads no reftable, but finds its objects
# What a repository says must not depend on the configuration of whoever asks.
for _level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
    pygit2.settings.search_path[_level] = ""

# Objects are read once, in the order of the history: libgit2's own copies of commits and trees, and packs that stay mapped
# as a whole (in windows of a gigabyte), are memory that nothing gains from.
pygit2.settings.cache_max_size(8 << 20)
pygit2.settings.mwindow_size = 1 << 20
pygit2.settings.mwindow_mapped_limit = 32 << 20

Config = pygit2.Config
MAX_TEXT = 50_000_000  # bytes; larger files are listed, flagged and not diffed
_TAIL_BLOCK = 1024
# An entry of a reflog that says that a commit was made here, not fetched: the address of whoever did.
_OWN_COMMIT = re.compile(r"^[0-9a-f]{40,64} [0-9a-f]{40,64} [^<\n]*<([^>\n]+)> \d+ [+-]\d{4}\tcommit\b", re.M)
# Source: gpg-interface.c of git.
_SIGNED = re.compile(rb"^gpgsig(?:-sha256)? (.*)$", re.M)
_SIGNATURES = {
    b"-----BEGIN PGP ": Signature.GPG,
    b"-----BEGIN SSH SIGNATURE": Signature.SSH,
    b"-----BEGIN SIGNED MESSAGE": Signature.X509,
}
_CACHED, _CACHED_TEXT = 32_000_000, 200_000  # bytes of blobs that are kept in memory, and of the largest of them
_STATUSES = "ADMRT"  # letters of changes; git has more, which do not occur between trees


_NEW, _GONE = "A", "D"  # letters of a delta
_GITS_OWN = DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT
# Other ways to see a change, each as good as git's own when a tool did not say which one it used.
OTHER_LOOKS = (
    DiffOption.FORCE_TEXT,  # without the indent heuristic
    _GITS_OWN | DiffOption.PATIENCE,
    _GITS_OWN | DiffOption.MINIMAL,
    _GITS_OWN | DiffOption.IGNORE_WHITESPACE,
)


def line_changes(old: bytes, new: bytes, look: DiffOption = _GITS_OWN) -> list[LineChange]:
    """Hunks of `git diff -U0` between two texts, in order. Source of the tail rule: git's `xdi_diff` with no context."""
    if old == new:
        return []
    trim = _common_tail(old, new)
    if trim:
        old, new = old[:-trim], new[:-trim]
    patch = pygit2.Patch.create_from(old, new, context_lines=0, flag=look)
    changes = []
    for hunk in patch.hunks:
        a0 = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        b0 = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
        changes.append(LineChange(a0, a0 + hunk.old_lines, b0, b0 + hunk.new_lines))
    return changes


def _common_tail(old: bytes, new: bytes) -> int:
    """Bytes of common tail that git drops before it diffs without context: whole blocks, then forward to a line start."""
    smaller = min(len(old), len(new))
    trimmed = 0
    end_old, end_new = len(old), len(new)
    while trimmed + _TAIL_BLOCK <= smaller:
        a = old[end_old - trimmed - _TAIL_BLOCK : end_old - trimmed]
        if a != new[end_new - trimmed - _TAIL_BLOCK : end_new - trimmed]:
            break
        trimmed += _TAIL_BLOCK
    if not trimmed:
        return 0
    newline = old.find(b"\n", end_old - trimmed)
    return 0 if newline < 0 else end_old - newline - 1


def blob_id(data: bytes | memoryview, like: str = "") -> str:
    """The id git gives to a blob of this content: SHA-1, or SHA-256 when `like` is an id of that length."""
    name = "sha256" if len(like) == 64 else "sha1"
    digest = hashlib.new(name, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


class NamedCommit(NamedTuple):
    """A commit as somebody named it."""

    name: str  # short name of a branch or tag, or what was asked for
    sha: str


class TreeEntry(NamedTuple):
    """What a tree holds under a name."""

    oid: str
    is_tree: bool


class BlobEntry(NamedTuple):
    """A file of a commit."""

    oid: str
    mode: int


def without_files(directory: Path) -> GitRepo:
    """A new bare repository with one commit and no file, for sessions that are looked at alone. The commit is always the same."""
    repository = pygit2.init_repository(str(directory), bare=True)
    nobody = pygit2.Signature("whowrote", "whowrote@localhost", 0, 0)
    repository.create_commit("HEAD", nobody, nobody, "No repository\n", repository.TreeBuilder().write(), [])
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
        raise NotARepository(f"{path} {what}", "Use the path of a clone, for example: whowrote repo ~/src/project")
    return Path(discovered)


def _common_dir(directory: Path) -> Path:
    marker = directory / "commondir"
    return (directory / marker.read_text().strip()).resolve() if marker.is_file() else directory


def config_of(directory: Path) -> Config:
    """The configuration of a repository that libgit2 may not open."""
    path = _common_dir(directory) / "config"
    try:
        return pygit2.Config(str(path)) if path.is_file() else pygit2.Config()
    except (pygit2.GitError, ValueError, OSError) as error:
        raise NotARepository(f"{directory} cannot be opened as a git repository: {error}") from error


def setting(config: pygit2.Config, name: str) -> str:
    """Empty when it is not set, or damaged."""
    try:
        return config[name] or "" if name in config else ""
    except (pygit2.GitError, ValueError):
        return ""


class GitRepo:
    """One repository, bare or not, a worktree, shallow or partial. One with SHA-256 ids is a `Sha256Repo`."""

    sha256 = False  # the length of its ids

    def __new__(cls, path: str | Path, *_: object) -> GitRepo:
        """The class that can read the repository that contains `path`; a subclass may take more. Raises NotARepository."""
        if cls is GitRepo and setting(config_of(_directory_of(path)), "extensions.objectformat").lower() == "sha256":
            from collector.git.sha256 import Sha256Repo

            return super().__new__(Sha256Repo)
        return super().__new__(cls)

    def __init__(self, path: str | Path) -> None:
        """Opens the repository that contains `path`. Raises NotARepository."""
        self.path = _directory_of(path)
        self._config = self._open(path)
        self._listed = self._listed_refs(path)
        # libgit2 shows the boundary of a shallow clone as root commits; what they changed cannot be known.
        self._boundary = frozenset(self.censored().shallow)
        self._texts: dict[str, bytes] = {}  # the last blobs read: a version is the new side of one diff and the old side of another
        self._held = 0  # bytes in it

    def _open(self, path: str | Path) -> Config:
        """Opens it with libgit2; gives its configuration. Raises NotARepository."""
        try:
            self._repo = pygit2.Repository(str(self.path))
        except (pygit2.GitError, ValueError) as error:
            raise NotARepository(f"{path} cannot be opened as a git repository: {error}") from error
        return self._repo.config

    def _listed_refs(self, path: str | Path, sha256: bool = False) -> dict[str, str] | None:
        """Refs that git listed from a reftable, and HEAD; None where refs are in files. Raises NotARepository."""
        if setting(self._config, "extensions.refstorage").lower() != "reftable":
            return None
        common = self.common_dir()
        try:
            return reftable_refs(common / "objects", common / "reftable", self.path / "reftable", sha256)
        except GitFailed as error:
            raise NotARepository(
                f"{path} keeps its refs in a reftable, which this git cannot read: {error}",
                f"Install git 2.45 or newer, or attribute a copy: git clone --mirror --ref-format=files {path} COPY.git",
            ) from error

    def _listed_head(self, refs: Mapping[str, str]) -> NamedCommit | None:
        """What HEAD of a reftable points to; None when that is no commit."""
        head = refs.get("HEAD", "")
        name = head.removeprefix("ref: ")
        sha = self.peel_commit(head if name == head else refs.get(name, ""))
        return NamedCommit("HEAD" if name == head else name.removeprefix("refs/heads/"), sha) if sha else None

    # --- refs ---------------------------------------------------------------------------------------------------------

    def refs(self) -> dict[str, str]:
        """Name -> object id, symbolic refs resolved; dangling ones left out."""
        if self._listed is not None:
            return {name: oid for name, oid in self._listed.items() if name != "HEAD"}
        result = {}
        for name in self._repo.listall_references():
            try:
                result[name] = str(self._repo.references[name].resolve().target)
            except (KeyError, pygit2.GitError):
                continue
        return result

    def default_branch(self) -> NamedCommit:
        """The branch and commit that HEAD points to. Raises UnknownBranch for an empty repository."""
        listed = self._listed_head(self._listed) if self._listed is not None else None
        if listed is not None:
            return listed
        try:
            head = self._repo.head
            return NamedCommit(head.shorthand, str(head.peel(pygit2.Commit).id))
        except pygit2.GitError as error:
            raise UnknownBranch(
                "HEAD points to no commit", "Is the repository empty? Otherwise choose a branch with --branch"
            ) from error

    def resolve(self, name: str) -> NamedCommit:
        """The commit of a branch, tag or commit id. Raises UnknownBranch."""
        for candidate in (name, f"refs/heads/{name}", f"refs/remotes/{name}", f"refs/remotes/origin/{name}"):
            listed = self.peel_commit(self._of_listed(candidate))
            if listed is not None:
                return NamedCommit(name, listed)
            try:
                target = self._repo.revparse_single(candidate)
                return NamedCommit(name, str(target.peel(pygit2.Commit).id))
            except (KeyError, ValueError, pygit2.GitError):
                continue
        raise UnknownBranch(f"no branch, tag or commit named {name!r}", "List the names with: git branch -a")

    def _of_listed(self, name: str) -> str:
        """The object that a name of a reftable stands for; "" for none."""
        refs = self._listed or {}
        return next((refs[full] for full in (name, f"refs/{name}", f"refs/tags/{name}") if full in refs and full != "HEAD"), "")

    def peel_commit(self, oid: str) -> str | None:
        try:
            return str(self._repo[oid].peel(pygit2.Commit).id)
        except (KeyError, ValueError, pygit2.GitError):
            return None

    def given_name(self) -> str:
        """The name that our mirrors keep in their configuration when owner/name alone is taken; empty for all others."""
        return setting(self._config, "whowrote.name")

    def remote_url(self) -> str:
        """URL of `origin`, without anything that may be secret; empty if there is none."""
        try:
            return public_url(self._repo.remotes["origin"].url or "")
        except KeyError:
            return ""

    def censored(self) -> Censored:
        """What this clone cannot show."""
        common = self.common_dir()
        shallow: tuple[str, ...] = ()
        if (common / "shallow").is_file():
            shallow = tuple((common / "shallow").read_text("ascii", "replace").split())
        partial = any(common.joinpath("objects", "pack").glob("*.promisor"))
        return Censored(shallow, partial)

    def packs(self) -> list[str]:
        """Names of the packs of objects."""
        return sorted(p.name for p in self.common_dir().joinpath("objects", "pack").glob("*.pack"))

    def common_dir(self) -> Path:
        """The directory that holds objects and refs; differs from `path` in a worktree."""
        return _common_dir(self.path)

    # --- this machine -------------------------------------------------------------------------------------------------

    def worktrees(self) -> list[Path]:
        """Directories of files that belong to this clone: the main one and the linked ones, also those that are gone."""
        common = self.common_dir()
        main = self._worktree()
        directories = [main] if main else []
        if common.name == ".git":
            directories.append(common.parent)
        for marker in sorted(common.glob("worktrees/*/gitdir")):
            directories.append(Path(marker.read_text("utf-8", "replace").strip()).parent)
        return list(dict.fromkeys(directories))

    def _worktree(self) -> Path | None:
        """The directory of the files; None in a bare repository."""
        return Path(self._repo.workdir) if self._repo.workdir else None

    def own_emails(self) -> frozenset[str]:
        """E-mail addresses under which commits were made in this clone: those of its configuration and of its reflogs."""
        common, emails = self.common_dir(), set[str]()
        emails.add(setting(self._config, "user.email"))
        for log in (common / "logs" / "HEAD", *common.glob("worktrees/*/logs/HEAD")):
            if log.is_file():
                emails.update(_OWN_COMMIT.findall(log.read_text("utf-8", "replace")))
        return frozenset(emails - {""})

    # --- objects ------------------------------------------------------------------------------------------------------

    def blob(self, oid: str) -> bytes | None:
        """Content, or None when the object is missing or no blob."""
        cached = self._texts.get(oid)
        if cached is not None:
            return cached
        data = self._content(oid)
        if data is not None and len(data) <= _CACHED_TEXT:
            self._texts[oid] = data
            self._held += len(data)
            while self._held > _CACHED:
                self._held -= len(self._texts.pop(next(iter(self._texts))))
        return data

    def _content(self, oid: str) -> bytes | None:
        try:
            kind, data = self._repo.odb.read(oid)
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return bytes(data) if kind == ObjectType.BLOB else None

    def blob_size(self, oid: str) -> int | None:
        """Size in bytes without inflating; None when missing."""
        cached = self._texts.get(oid)
        if cached is not None:
            return len(cached)
        try:
            kind, size = self._repo.odb.read_header(oid)
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return int(size) if kind == ObjectType.BLOB else None

    def has(self, oid: str) -> bool:
        """Whether the object is in this clone; does not inflate it."""
        return self._repo.odb.exists(oid)

    def entries(self, tree: str) -> dict[str, TreeEntry]:
        """What is in a tree, or in a commit's root tree, by name; {} when missing."""
        try:
            tree_object = self._repo[tree].peel(pygit2.Tree)
            return {decode(e.raw_name or b""): TreeEntry(str(e.id), e.type == ObjectType.TREE) for e in tree_object}
        except (KeyError, ValueError, pygit2.GitError):
            return {}

    def staged(self) -> list[tuple[str, str]]:
        """(path, blob id) of what the index has and HEAD does not; everything in the index where there is no commit yet."""
        repo = self._repo
        entries = [(entry.path, str(entry.id)) for entry in repo.index if entry.mode != FileMode.COMMIT]
        if repo.head_is_unborn:
            return entries
        changes = repo.index.diff_to_tree(repo.head.peel(pygit2.Tree)).deltas
        changed = {delta.old_file.path for delta in changes}  # the index is the old side
        return [entry for entry in entries if entry[0] in changed]

    def paths(self, tree: str) -> dict[str, str]:
        """Path -> blob id of every regular file below a tree (symlinks and submodules left out)."""
        files: dict[str, str] = {}
        stack = [("", tree)]
        while stack:
            prefix, oid = stack.pop()
            try:
                entries = list(self._repo[oid].peel(pygit2.Tree))
            except (KeyError, ValueError, pygit2.GitError):
                continue
            for entry in entries:
                path = prefix + decode(entry.raw_name or b"")
                if entry.type == ObjectType.TREE:
                    stack.append((path + "/", str(entry.id)))
                elif is_regular(git_mode(int(entry.filemode))):
                    files[path] = str(entry.id)
        return files

    def file_at(self, sha: str, path: str) -> str | None:
        """Blob id of a path in a commit."""
        try:
            entry = self._repo[sha].peel(pygit2.Tree)[path]
        except (KeyError, ValueError, TypeError, pygit2.GitError):
            return None
        return str(entry.id) if entry.type == ObjectType.BLOB else None

    def entry_at(self, sha: str, path: str) -> BlobEntry | None:
        """A path in a commit; None when it has no such file, or a tree is missing."""
        try:
            entry = self._repo[sha].peel(pygit2.Tree)[path]
        except (KeyError, ValueError, TypeError, pygit2.GitError):
            return None
        return BlobEntry(str(entry.id), git_mode(int(entry.filemode))) if entry.type == ObjectType.BLOB else None

    # --- history ------------------------------------------------------------------------------------------------------

    def first_commit(self) -> str | None:
        """The root of the main line of HEAD; None when this clone does not have it, or HEAD points to no commit.

        Looked for once: it reads the whole main line.
        """
        return self._first_commit

    @cached_property
    def _first_commit(self) -> str | None:
        try:
            walker = self._repo.walk(pygit2.Oid(hex=self.default_branch().sha), SortMode.NONE)
            walker.simplify_first_parent()
            last = collections.deque(walker, 1).pop()
        except (KeyError, UnknownBranch, pygit2.GitError):
            return None
        return None if str(last.id) in self._boundary else str(last.id)

    def commit(self, sha: str) -> Commit | None:
        try:
            commit = self._repo[sha].peel(pygit2.Commit)
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return _commit(commit)

    def signature(self, sha: str) -> str:
        """The kind of signature that a commit carries, a `Signature`; empty for none. Nothing is verified."""
        head, _, _ = (self._raw_commit(sha) or b"").partition(b"\n\n")
        match = _SIGNED.search(head)
        return next((kind for start, kind in _SIGNATURES.items() if match[1].startswith(start)), Signature.OTHER) if match else ""

    def _raw_commit(self, sha: str) -> bytes | None:
        try:
            kind, data = self._repo.odb.read(sha)
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return bytes(data) if kind == ObjectType.COMMIT else None

    def history(self, tip: str) -> Iterator[Commit]:
        """Every commit reachable from `tip`, parents before children. A missing parent ends that line of history."""
        yield from self.history_of([tip])

    def history_of(self, tips: list[str], hide: list[str] | None = None) -> Iterator[Commit]:
        """Commits reachable from any of `tips` and from none of `hide`, parents first."""
        try:
            yield from self._walk_ordered(tips, hide or [])
            return
        except (KeyError, pygit2.GitError):
            pass  # a parent is absent
        for oid in self._ordered_tolerant(tips, hide or []):
            commit = self.commit(oid)
            if commit is not None:
                yield commit

    def _walk_ordered(self, tips: list[str], hide: list[str]) -> list[Commit]:
        walker = self._repo.walk(None, SortMode.TOPOLOGICAL | SortMode.REVERSE)
        for tip in tips:
            walker.push(pygit2.Oid(hex=tip))
        for tip in hide:
            walker.hide(pygit2.Oid(hex=tip))
        return [_commit(c) for c in walker]

    def _ordered_tolerant(self, tips: list[str], hide: list[str]) -> list[str]:
        """Post-order walk that survives absent parents, which libgit2's own walker does not."""
        visited: set[str] = set()
        for skip in hide:
            visited.update(self._ordered_tolerant([skip], []))
        order: list[str] = []
        for tip in tips:
            stack: list[tuple[str, bool]] = [(tip, False)]
            while stack:
                oid, done = stack.pop()
                if done:
                    order.append(oid)
                    continue
                if oid in visited:
                    continue
                visited.add(oid)
                commit = self.commit(oid)
                if commit is None:
                    continue
                stack.append((oid, True))
                stack.extend((parent, False) for parent in reversed(commit.parents) if parent not in visited)
        return order

    def changes(self, commit: Commit, parent: int = 0, renames: bool = True) -> list[FileChange] | None:
        """Files that differ from the parent with that index (from nothing for a root), renames followed or not.

        None when a tree is missing (a shallow boundary or a partial clone): the commit cannot be judged.
        """
        if commit.sha in self._boundary:
            return None
        return self.tree_changes(self._tree_of(commit.parents[parent]) if commit.parents else "", commit.tree, renames)

    def merge_changes(self, commit: Commit) -> list[list[FileChange]] | None:
        """Files of a merge that differ from every parent, once per parent; renames are not followed.

        Where a file is new to a parent, that parent's list has all that came or went: the file may have had another name there.
        None when a tree is missing.
        """
        diffs = [self._tree_diff(self._tree_of(parent), commit.tree) for parent in commit.parents]
        complete = [diff for diff in diffs if diff is not None]
        if len(complete) < len(diffs) or commit.sha in self._boundary:
            return None
        # Mostly one side brings a few files and the other one hundreds: names of the small side are looked up in the large one.
        smallest, *others = sorted(complete, key=len)
        touched = {delta.new_file.raw_path for delta in smallest.deltas if delta.status_char() != _GONE}
        for diff in others if touched else ():
            touched = {delta.new_file.raw_path for delta in _with_names(diff, touched) if delta.status_char() != _GONE}
        return [_of_merge(diff, touched) for diff in complete]

    def _tree_of(self, sha: str) -> str | None:
        commit = self.commit(sha)
        return commit.tree if commit else None

    def tree_changes(self, old_tree: str | None, new_tree: str, renames: bool = True) -> list[FileChange] | None:
        """As `changes`, for two trees; `old_tree` "" is the empty tree."""
        diff = self._tree_diff(old_tree, new_tree)
        if diff is None:
            return None
        changes = [
            change for change in map(_file_change, diff.deltas) if (change.old, change.old_mode) != (change.new, change.new_mode)
        ]
        return self.with_renames(changes) if renames else changes

    def _tree_diff(self, old_tree: str | None, new_tree: str) -> pygit2.Diff | None:
        """None when a tree is missing."""
        if old_tree is None:
            return None
        try:
            new = self._repo[new_tree].peel(pygit2.Tree)
            if old_tree:
                return self._repo[old_tree].peel(pygit2.Tree).diff_to_tree(new, context_lines=0, flags=_TYPECHANGE)
            return new.diff_to_tree(swap=True, context_lines=0, flags=_TYPECHANGE)
        except (KeyError, ValueError, pygit2.GitError):
            return None

    def patch_id(self, base: str, tip: str) -> str | None:
        """git's patch id of what `tip` changed since `base` ("" is nothing): the same wherever the lines stand, layout aside.

        None when a tree or a text is missing, or nothing differs.
        """
        try:
            new = self._repo[tip].peel(pygit2.Tree)
            old = self._repo[base].peel(pygit2.Tree) if base else None
            diff = old.diff_to_tree(new) if old is not None else new.diff_to_tree(swap=True)
            return str(diff.patchid) if len(diff) else None
        except (KeyError, ValueError, pygit2.GitError):
            return None

    def with_renames(self, changes: list[FileChange], needed: Container[str] | None = None) -> list[FileChange]:
        """Additions paired with deletions as `git diff -M` pairs them; `needed`: additions that matter (None: all do)."""
        deleted = {c.path: c for c in changes if c.status == "D" and c.old}
        added = {c.path: c for c in changes if c.status == "A" and c.new}
        if not deleted or not added:
            return changes
        pairs = pair(
            [(c.path, c.old or "", c.old_mode) for c in deleted.values()],
            [(c.path, c.new or "", c.new_mode) for c in added.values()],
            self.blob,
            size=self.blob_size,
            needed=needed,
        )
        gone = set(pairs.values())
        result = []
        for change in changes:
            source = deleted.get(pairs.get(change.path, "")) if change.status == "A" else None
            if source is not None:
                change = replace(change, old_path=source.path, old=source.old, old_mode=source.old_mode, status="R")
            if not (change.status == "D" and change.path in gone):
                result.append(change)
        return result


def _commit(commit: pygit2.Commit) -> Commit:
    author, committer = commit.author, commit.committer  # few people make many commits: a name is kept once
    return Commit(
        sha=intern(str(commit.id)),
        parents=tuple(intern(str(p)) for p in commit.parent_ids),
        tree=str(commit.tree_id),
        author_name=intern(decode(author.raw_name)),
        author_email=intern(decode(author.raw_email)),
        author_time=float(author.time),
        committer_name=intern(decode(committer.raw_name)),
        committer_email=intern(decode(committer.raw_email)),
        commit_time=float(committer.time),
        message=decode(commit.raw_message),
    )


_TYPECHANGE = DiffOption.INDENT_HEURISTIC | DiffOption.INCLUDE_TYPECHANGE | DiffOption.SKIP_BINARY_CHECK


def _with_names(diff: pygit2.Diff, names: set[bytes]) -> Iterator[pygit2.DiffDelta]:
    return (delta for delta in diff.deltas if delta.new_file.raw_path in names)


def _of_merge(diff: pygit2.Diff, touched: set[bytes]) -> list[FileChange]:
    """What a merge changed of one parent: the files that count, and all that came or went when one of them is new."""
    if not touched:
        return []
    counted = list(_with_names(diff, touched))
    if all(delta.status_char() != _NEW for delta in counted):
        return [_file_change(delta) for delta in counted]
    # A merge of a long branch differs in thousands of files, few of which can be a new name or an old one.
    letters = (_NEW, _GONE)
    deltas = (delta for delta in diff.deltas if delta.status_char() in letters or delta.new_file.raw_path in touched)
    return [_file_change(delta) for delta in deltas]


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


def git_mode(mode: int) -> int:
    """The mode of an entry of a tree as git sees it. Early versions wrote modes like 100664, which still mean a file."""
    return (0o100755 if mode & 0o100 else 0o100644) if stat.S_ISREG(mode) else mode


def is_regular(mode: int) -> bool:
    """A file with text, not a symlink, submodule or directory."""
    return mode in (0o100644, 0o100755)
