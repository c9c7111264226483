"""What all kinds of repositories have in common, and how libgit2 is set up.

`repository.py` reads objects with libgit2, `sha256.py` those that libgit2 does not read.
"""

import os
import posixpath
import re
import stat
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pygit2
from pygit2.enums import ConfigLevel

from collector.commit_model import Censored, Commit, FileChange
from collector.errors import InputTooLarge, NotARepository, UnknownBranch
from collector.git.program import GitFailed, ScratchGit, reftable_refs
from collector.git.renames import pair
from collector.json_values import Numbers, Texts
from collector.limits import MAILMAP_BYTES, TEXT_BYTES, TEXT_LINES, TREE_ENTRIES
from collector.text import decode, from_utf_16, unique
from collector.vocabulary.sessions import Signature

# Objects are content-addressed and we only read: checking each SHA-1 again is a third of a diff
# walk.
pygit2.settings.enable_strict_hash_verification(False)
# We execute nothing from a repository, so who owns the directory does not matter (git's
# safe.directory guards execution).
pygit2.settings.owner_validation = False
# What git writes into every clone with `--filter` says nothing about how to read it: objects that
# are not there are None.
# libgit2 reads no reftable, but finds its objects
pygit2.settings.set_extensions(["partialclone", "refstorage"])
# What a repository says must not depend on the configuration of whoever asks.
for _level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
    pygit2.settings.search_path[_level] = ""

# Objects are read in the order of the history: trees are kept for the next comparisons (twice as
# fast), but packs that stay mapped as a whole (in windows of a gigabyte) are memory that nothing
# gains from.
pygit2.settings.cache_max_size(48 << 20)
pygit2.settings.mwindow_size = 1 << 20
pygit2.settings.mwindow_mapped_limit = 32 << 20

Config = pygit2.Config
# An entry of a reflog that says that a commit was made here, not fetched: the address of whoever
# did.
_OWN_COMMIT = re.compile(
    r"^[0-9a-f]{40,64} [0-9a-f]{40,64} [^<\n]*<([^>\n]+)> \d+ [+-]\d{4}\tcommit\b", re.M
)
# Source: gpg-interface.c of git.
_EMPTY_ADDRESS = re.compile(r"^.*<\s*>.*$", re.M)
_SIGNED = re.compile(rb"^gpgsig(?:-sha256)? (.*(?:\n .*)*)", re.M)
_DAY = 86_400.0
_AUTHOR_ZONE = re.compile(rb"^author [^\n]* ([+-])(\d\d)(\d\d)$", re.M)
_SIGNATURES = {
    b"-----BEGIN PGP ": Signature.GPG,
    b"-----BEGIN SSH SIGNATURE": Signature.SSH,
    b"-----BEGIN SIGNED MESSAGE": Signature.X509,
}
TREE = 0o040000  # the mode of a tree in a tree
# by the length of an id
_SUBTREES = {2 * size: re.compile(rb"40000 [^\0]+\0(.{%d})" % size, re.S) for size in (20, 32)}
LINK = 0o120000  # of a symbolic link
# bytes of blobs that are kept in memory, and of the largest of them
_CACHED = 32_000_000
_CACHED_TEXT = 200_000


class NamedCommit(NamedTuple):
    """A commit as somebody named it."""

    name: str  # short name of a branch or tag, or what was asked for
    sha: str


class TreeEntry(NamedTuple):
    """What a tree holds under a name."""

    oid: str
    is_tree: bool


class BlobEntry(NamedTuple):
    """A file of a commit, or anything else that a tree holds."""

    oid: str
    mode: int


def _common_dir(directory: Path) -> Path:
    marker = directory / "commondir"
    if marker.is_file():
        return (directory / marker.read_text().strip()).resolve()
    return directory


def config_of(directory: Path) -> Config:
    """The configuration of a repository that libgit2 may not open."""
    try:
        return _read_config(_common_dir(directory) / "config")
    except (pygit2.GitError, ValueError, OSError) as error:
        raise NotARepository(
            f"{directory} cannot be opened as a git repository: {error}"
        ) from error


def _read_config(path: Path) -> Config:
    """A file of settings alone; empty where there is none."""
    if path.is_file():
        return pygit2.Config(str(path))
    return pygit2.Config()


def _personal_configs() -> list[Path]:
    """Where git keeps what a person has set for all repositories, the first counts."""
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    every = [Path.home() / ".gitconfig", Path.home() / ".config/git/config"]
    return every if named is None else [Path(named)]


def setting(config: pygit2.Config, name: str) -> str:
    """Empty when it is not set, or damaged."""
    try:
        if name in config:
            return config[name] or ""
        return ""
    except (pygit2.GitError, ValueError):
        return ""


def git_mode(mode: int) -> int:
    """The mode of an entry of a tree as git sees it.

    Early versions wrote modes like 100664, which still mean a file.
    """
    if stat.S_ISREG(mode):
        if mode & 0o100:
            return 0o100755
        return 0o100644
    return mode


def is_regular(mode: int) -> bool:
    """A file with text, not a symlink, submodule or directory."""
    return mode in (0o100644, 0o100755)


class RepositoryBase:
    """A repository, bare or not, a worktree, shallow or partial."""

    sha256 = False  # the length of its ids
    path: Path
    _config: Config
    _listed: Texts | None  # refs of a reftable
    _boundary: frozenset[str]  # of a shallow clone
    # commits that libgit2 cannot parse and that were read as they stand, in order
    refused: dict[str, None]
    # the last blobs read: a version is the new side of one diff and the old side of another
    _texts: dict[str, bytes]
    _held: int  # bytes in it
    refs_left_out = 0  # of the last list
    _beside: Path | None = None  # objects of commits that were never made, see `as_committed`

    def _listed_refs(self, path: str | Path, sha256: bool = False) -> Texts | None:
        """Refs that git listed from a reftable, and HEAD; None where refs are in files.

        Raises NotARepository.
        """
        if setting(self._config, "extensions.refstorage").lower() != "reftable":
            return None
        common = self.common_dir()
        try:
            return reftable_refs(
                common / "objects", common / "reftable", self.path / "reftable", sha256
            )
        except GitFailed as error:
            raise NotARepository(
                f"{path} keeps its refs in a reftable, which this git cannot read: {error}",
                "Install git 2.45 or newer, or attribute a copy: git clone --mirror"
                f" --ref-format=files {path} COPY.git",
            ) from error

    def _listed_head(self, refs: Mapping[str, str]) -> NamedCommit | None:
        """What HEAD of a reftable points to; None when that is no commit."""
        head = refs.get("HEAD", "")
        name = head.removeprefix("ref: ")
        sha = self.peel_commit(head if name == head else refs.get(name, ""))
        if sha:
            return NamedCommit("HEAD" if name == head else name.removeprefix("refs/heads/"), sha)
        return None

    def _find_listed(self, name: str) -> str:
        """The object that a name of a reftable stands for; "" for none."""
        refs = self._listed or {}
        for full in (name, f"refs/{name}", f"refs/tags/{name}"):
            if full in refs and full != "HEAD":
                return refs[full]
        return ""

    def given_name(self) -> str:
        """The name that our mirrors keep in their configuration when owner/name alone is taken;
        empty for all others.
        """
        return setting(self._config, "whowrote.name")

    def setting(self, name: str) -> str:
        """A setting of the repository itself; empty when it is not set."""
        return setting(self._config, name)

    def censored(self) -> Censored:
        """What this clone cannot show."""
        common = self.common_dir()
        shallow: tuple[str, ...] = ()
        if (common / "shallow").is_file():
            shallow = tuple((common / "shallow").read_text("ascii", "replace").split())
        # libgit2 takes the parents that it names; what its commits changed cannot be known
        grafts = common / "info" / "grafts"
        if grafts.is_file():
            lines = grafts.read_text("ascii", "replace").splitlines()
            shallow += tuple(words[0] for line in lines if (words := line.split()))
        return Censored(shallow, any(common.joinpath("objects", "pack").glob("*.promisor")))

    def open_scratch(self) -> ScratchGit:
        """Git on the objects of this repository."""
        objects = self.common_dir() / "objects"
        return ScratchGit(objects, self.censored().shallow, self.sha256, beside=self._beside)

    def packs(self) -> list[str]:
        """Names of the packs of objects."""
        return sorted(p.name for p in self.common_dir().joinpath("objects", "pack").glob("*.pack"))

    def common_dir(self) -> Path:
        """The directory that holds objects and refs; differs from `path` in a worktree."""
        return _common_dir(self.path)

    def worktrees(self) -> list[Path]:
        """Directories of files that belong to this clone: the main one and the linked ones, also
        those that are gone.
        """
        common = self.common_dir()
        main = self.worktree()
        directories = [main] if main else []
        if common.name == ".git":
            directories.append(common.parent)
        settings = ["config", "config.worktree", "worktrees/*/config.worktree"]
        for file in (path for pattern in settings for path in sorted(common.glob(pattern))):
            if named := setting(_read_config(file), "core.worktree"):
                directories.append(Path(os.path.normpath(file.parent / named)))
        # it may be written as seen from its own directory
        for marker in sorted(common.glob("worktrees/*/gitdir")):
            named = marker.read_text("utf-8", "replace").strip()
            directories.append(Path(os.path.normpath(marker.parent / named)).parent)
        return [*unique(directories)]

    def remote_urls(self) -> list[str]:
        """Addresses of all remotes, as they are written."""
        return [
            entry.value
            for entry in self._config
            if re.fullmatch(r"remote\..+\.url", entry.name or "") and entry.value
        ]

    def own_email(self) -> str:
        """The address under which a commit would be made here, as the configuration of the clone
        or of the person has it; "" where neither does.
        """
        configs = (self._config, *map(_read_config, _personal_configs()))
        return next(filter(None, (setting(config, "user.email") for config in configs)), "")

    def own_emails(self) -> frozenset[str]:
        """E-mail addresses under which commits were made in this clone, or would be: those of
        the configuration and of its reflogs.
        """
        common = self.common_dir()
        emails = {self.own_email()}
        for log in (common / "logs" / "HEAD", *common.glob("worktrees/*/logs/HEAD")):
            if log.is_file():
                emails.update(_OWN_COMMIT.findall(log.read_text("utf-8", "replace")))
        return frozenset(emails - {""})

    def default_branch(self) -> NamedCommit:
        """The branch and commit that HEAD points to.

        Raises UnknownBranch for an empty repository.
        """
        head = (
            self._listed_head(self._listed) if self._listed is not None else None
        ) or self._head()
        if head is None:
            raise UnknownBranch(
                "HEAD points to no commit",
                "Is the repository empty? Otherwise choose a branch with --branch",
            )
        return head

    def resolve(self, name: str) -> NamedCommit:
        """The commit of a branch, tag or commit id. Raises UnknownBranch."""
        for candidate in (
            name,
            f"refs/heads/{name}",
            f"refs/remotes/{name}",
            f"refs/remotes/origin/{name}",
        ):
            sha = self.peel_commit(self._find_listed(candidate)) or self._parse_name(candidate)
            if sha is not None:
                return NamedCommit(name, sha)
        raise UnknownBranch(
            f"no branch, tag or commit named {name!r}", "List the names with: git branch -a"
        )

    # --- objects ----------------------------------------------------------------------------------

    def blob(self, oid: str) -> bytes | None:
        """Content, a text in UTF-16 as UTF-8; None when the object is missing or no blob."""
        data = self.raw_blob(oid)
        return None if data is None else from_utf_16(data)

    def raw_blob(self, oid: str) -> bytes | None:
        """The bytes that git keeps; None when the object is missing or no blob."""
        cached = self._texts.get(oid)
        if cached is not None:
            return cached
        kind, data = self._object(oid)
        if kind != "blob":
            return None
        if len(data) <= _CACHED_TEXT:
            self._texts[oid] = data
            self._held += len(data)
            while self._held > _CACHED:
                self._held -= len(self._texts.pop(next(iter(self._texts))))
        return data

    def content(self, oid: str) -> bytes:
        """The same, empty where there is none."""
        return self.blob(oid) or b""

    def blob_size(self, oid: str) -> int | None:
        """Size in bytes without inflating; None when missing."""
        cached = self._texts.get(oid)
        if cached is not None:
            return len(cached)
        kind, size = self._header(oid)
        if kind == "blob":
            return size
        return None

    def text_blob(self, oid: str, most: int = TEXT_BYTES) -> bytes | None:
        """Content whose lines are compared; None when missing, larger than `most` bytes, or of
        more lines than are.
        """
        size = self.blob_size(oid)
        data = self.blob(oid) if size is not None and size <= most else None
        if data is None or len(data) <= TEXT_LINES or data.count(b"\n") <= TEXT_LINES:
            return data
        return None

    def check_trees(self, head: str) -> None:
        """Raises InputTooLarge where a commit has more files and directories than are read; a few
        trees can name any number.

        Git walks all of them whenever it compares commits, as libgit2 does, and neither of them
        stops. Checked are the history of `head` and the commits that refs name.
        """
        sizes: Numbers = {}
        tips = filter(None, map(self.peel_commit, sorted(set(self.refs().values()))))
        for commit in chain(self.history(head), filter(None, map(self.commit, tips))):
            if self._tree_size(commit.tree, sizes) > TREE_ENTRIES:
                raise InputTooLarge(
                    f"commit {commit.sha[:10]} has more than {TREE_ENTRIES:,} files and"
                    " directories",
                    "Directories that are the same one can hold each other any number of times;"
                    " nothing was read",
                )

    def _tree_size(self, tree: str, sizes: Numbers) -> int:
        """About how many entries a tree has, all below it included; `sizes` has those of trees
        that were counted before.
        """
        waiting = [tree]
        opened = dict[str, tuple[int, list[str]]]()
        while waiting:
            oid = waiting[-1]
            if oid in sizes:
                waiting.pop()
            elif oid in opened:  # all below it are counted
                own, below = opened.pop(oid)
                sizes[oid] = min(TREE_ENTRIES + 1, own + sum(sizes[inner] for inner in below))
            else:
                kind, data = self._object(oid)
                below = (
                    [raw.hex() for raw in _SUBTREES[len(oid)].findall(data)]
                    if kind == "tree"
                    else []
                )
                opened[oid] = data.count(b"\0"), below
                waiting += below
        return sizes[tree]

    def entries(self, tree: str) -> dict[str, TreeEntry]:
        """What is in a tree, or in a commit's root tree, by name; {} when missing."""
        return {
            name: TreeEntry(entry.oid, entry.mode == TREE)
            for name, entry in (self._tree(tree) or {}).items()
        }

    def paths(self, tree: str) -> Texts:
        """Path -> blob id of every regular file below a tree (symlinks and submodules left out)."""
        return {path: entry.oid for path, entry in self._blobs(tree) if is_regular(entry.mode)}

    def links(self, tree: str) -> Texts:
        """Path of every symbolic link below a tree -> the path in the tree that it leads to; of
        one that leads out, a path that begins with `/` or `..`.
        """
        targets = {}
        for path, entry in self._blobs(tree):
            target = decode(self.content(entry.oid)) if entry.mode == LINK else ""
            if target:
                targets[path] = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return targets

    def _blobs(self, tree: str) -> Iterator[tuple[str, BlobEntry]]:
        """(path, entry) of everything below a tree that is no tree."""
        stack = [("", tree)]
        while stack:
            prefix, oid = stack.pop()
            for name, entry in (self._tree(oid) or {}).items():
                if entry.mode == TREE:
                    stack.append((f"{prefix}{name}/", entry.oid))
                else:
                    yield prefix + name, entry

    def find_commit(self, name: str) -> Commit | None:
        """The commit whose id begins like this; None where the clone has none, or several."""
        sha = self._parse_name(name)
        if sha:
            return self.commit(sha)
        return None

    def author_offset(self, sha: str) -> float | None:
        """How many seconds the clock of a commit's author is ahead of UTC."""
        kind, data = self._object(sha)
        zone = _AUTHOR_ZONE.search(data) if kind == "commit" else None
        if zone is None:
            return None
        minutes = int(zone[2]) * 60 + int(zone[3])
        return 60.0 * (-minutes if zone[1] == b"-" else minutes)

    def author_offset_near(self, moment: float, emails: Collection[str]) -> float | None:
        """The zone of a moment on an author's clock (seconds, read as if it were UTC), in seconds
        ahead of UTC.

        It is that of the commits authored from a day before to three days after: of all, or where
        they differ of these authors'; None where those differ too, or there is none.
        """
        first = bisect_left(self._author_zones, (moment - _DAY,))
        zones = self._author_zones[first : bisect_left(self._author_zones, (moment + 3 * _DAY,))]
        every = {offset for _, offset, _ in zones}
        own = {offset for _, offset, email in zones if email in emails}
        for offsets in (every, own):
            if len(offsets) == 1:
                return offsets.pop()
        return None

    @cached_property
    def _author_zones(self) -> list[tuple[float, float, str]]:
        """(author time on the author's clock, seconds ahead of UTC, address) of the default
        branch's commits, in order of time.
        """
        commits = (
            (commit, self.author_offset(commit.sha))
            for commit in self.history(self.default_branch().sha)
        )
        return sorted(
            (commit.author_time + offset, offset, commit.author_email)
            for commit, offset in commits
            if offset is not None
        )

    def file_at(self, sha: str, path: str) -> str | None:
        """Blob id of a path in a commit."""
        entry = self.entry_at(sha, path)
        if entry:
            return entry.oid
        return None

    # --- history ----------------------------------------------------------------------------------

    def first_commit(self) -> str | None:
        """The root of the main line of HEAD; None when this clone does not have it, or HEAD points
        to no commit.

        Looked for once: it reads the whole main line.
        """
        return self._first_commit

    def signature(self, sha: str) -> str:
        """The kind of signature that a commit carries, a `Signature`; empty for none.

        Nothing is verified.
        """
        kind, data = self._object(sha)
        head, _, _ = data.partition(b"\n\n") if kind == "commit" else (b"", b"", b"")
        match = _SIGNED.search(head)
        if match is None:
            return ""
        kinds = (kind for start, kind in _SIGNATURES.items() if match[1].startswith(start))
        return next(kinds, Signature.OTHER)

    def mailmap(self, commit: str) -> Callable[[str, str], tuple[str, str]]:
        """Name and address of an author -> those that the `.mailmap` of a commit gives them; the
        same ones without the file.
        """
        oid = self.file_at(commit, ".mailmap")
        data = self.blob(oid) if oid else None
        text = decode(data) if data is not None and len(data) < MAILMAP_BYTES else ""
        # libgit2 fails on an address without a letter
        return pygit2.Mailmap.from_buffer(_EMPTY_ADDRESS.sub("", text)).resolve

    def history(self, tip: str) -> Iterator[Commit]:
        """Every commit reachable from `tip`, parents before children.

        A missing parent ends that line of history.
        """
        yield from self.history_of([tip])

    def _ordered_tolerant(self, tips: list[str], hide: list[str]) -> list[Commit]:
        """Post-order walk that survives absent parents, which libgit2's own walker does not."""
        visited = {commit.sha for commit in self._ordered_tolerant(hide, [])} if hide else set()
        order: list[Commit] = []
        for tip in tips:
            stack: list[tuple[str, Commit | None]] = [(tip, None)]
            while stack:
                oid, done = stack.pop()
                if done is not None:
                    order.append(done)
                    continue
                if oid in visited:
                    continue
                visited.add(oid)
                commit = self.commit(oid)
                if commit is None:
                    continue
                stack.append((oid, commit))
                stack.extend(
                    (parent, None) for parent in reversed(commit.parents) if parent not in visited
                )
        return order

    def changes(
        self, commit: Commit, parent: int = 0, renames: bool = True
    ) -> list[FileChange] | None:
        """Files that differ from the parent with that index (from nothing for a root), renames
        followed or not.

        None when a tree is missing (a shallow boundary or a partial clone): the commit cannot be
        judged.
        """
        if commit.sha in self._boundary:
            return None
        return self.tree_changes(
            self._tree_of(commit.parents[parent]) if commit.parents else "", commit.tree, renames
        )

    def _tree_of(self, sha: str) -> str | None:
        commit = self.commit(sha)
        if commit:
            return commit.tree
        return None

    def merge_changes(self, commit: Commit) -> list[list[FileChange]] | None:
        """Files of a merge that differ from every parent, once per parent; renames are not
        followed.

        Where a file is new to a parent, that parent's list has all that came or went: the file may
        have had another name there. None when a tree is missing.
        """
        diff = self.changes(commit, renames=False)
        touched = [change for change in diff or () if change.new]
        for parent in commit.parents[1:]:
            touched = [c for c in touched if self.entry_at(parent, c.path) != (c.new, c.new_mode)]
        sides = [self._changes_from(parent, commit, touched) for parent in commit.parents]
        complete = [side for side in sides if side is not None]
        if diff is None or len(complete) < len(sides):
            return None
        return complete

    def _changes_from(
        self, parent: str, commit: Commit, touched: Sequence[FileChange]
    ) -> list[FileChange] | None:
        """What a merge made of the touched files of a parent; where one is new to it, with all
        that came or went. Reading a few entries is cheaper than comparing the trees.
        """
        result = []
        for change in touched:
            old = self.entry_at(parent, change.path)
            if old is None or not is_regular(old.mode) or not is_regular(change.new_mode):
                diff = self.tree_changes(self._tree_of(parent), commit.tree, renames=False)
                paths = {change.path for change in touched}
                return diff and [c for c in diff if c.status in "AD" or c.path in paths]
            result.append(replace(change, old=old.oid, old_mode=old.mode, status="M"))
        return result

    def pair_renames(self, changes: list[FileChange]) -> list[FileChange]:
        """Additions paired with deletions as `git diff -M` pairs them."""
        deleted = {c.path: c for c in changes if c.status == "D" and c.old}
        added = {c.path: c for c in changes if c.status == "A" and c.new}
        if not deleted or not added:
            return changes
        pairs = pair(
            [(c.path, c.old or "", c.old_mode) for c in deleted.values()],
            [(c.path, c.new or "", c.new_mode) for c in added.values()],
            self.blob,
            size=self.blob_size,
        )
        gone = set(pairs.values())
        result = []
        for change in changes:
            source = deleted.get(pairs.get(change.path, "")) if change.status == "A" else None
            if source is not None:
                change = replace(
                    change,
                    old_path=source.path,
                    old=source.old,
                    old_mode=source.old_mode,
                    status="R",
                )
            if not (change.status == "D" and change.path in gone):
                result.append(change)
        return result

    # --- what a kind of repository reads in its own way -------------------------------------------

    def refs(self) -> Texts:
        raise NotImplementedError

    def peel_commit(self, oid: str) -> str | None:
        raise NotImplementedError

    def commit(self, sha: str) -> Commit | None:
        raise NotImplementedError

    def history_of(self, tips: list[str], hide: list[str] | None = None) -> Iterator[Commit]:
        raise NotImplementedError

    def tree_changes(
        self, old_tree: str | None, new_tree: str, renames: bool = True
    ) -> list[FileChange] | None:
        raise NotImplementedError

    def entry_at(self, sha: str, path: str) -> BlobEntry | None:
        """A path in a commit; None when it has no such file, or a tree is missing."""
        raise NotImplementedError

    def _head(self) -> NamedCommit | None:
        """What HEAD points to where no refs were listed."""
        raise NotImplementedError

    def _parse_name(self, name: str) -> str | None:
        """The commit that git understands by a name: an id, part of one, `HEAD~2`."""
        raise NotImplementedError

    def _object(self, oid: str) -> tuple[str, bytes]:
        """(kind, content); both empty where there is none."""
        raise NotImplementedError

    def _header(self, oid: str) -> tuple[str, int]:
        """(kind, size in bytes); no kind where there is none."""
        raise NotImplementedError

    def _tree(self, oid: str) -> dict[str, BlobEntry] | None:
        """What is in a tree, or in a commit's; None when it is missing or damaged."""
        raise NotImplementedError

    def worktree(self) -> Path | None:
        raise NotImplementedError

    @cached_property
    def _first_commit(self) -> str | None:
        raise NotImplementedError
