"""Repositories whose ids are SHA-256, read through the git program: libgit2 as it is distributed
knows SHA-1 alone.

Everything that `GitRepo` tells of a repository, told from objects that `git cat-file` hands over.
Git opens a directory of ours, not the repository (`program.py`). `tests/git/test_sha256.py`
compares each answer with libgit2's of the same history.
"""

import os
import stat
import weakref
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from collector.commit_model import Commit, FileChange
from collector.errors import UnknownBranch
from collector.git.base import TREE, BlobEntry, Config, RepositoryBase, config_of, git_mode, setting
from collector.git.program import GitFailed, ObjectReader, ScratchGit
from collector.git.raw_commits import commit_of, headers_of
from collector.json_values import Texts
from collector.limits import REF_BYTES, REFS_BYTES
from collector.repository_names import public_url
from collector.text import decode, encode

_EMPTY_TREE = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
_ID_BYTES = 32
_LINK = 0o160000
_ZEROES = "0" * 64
_DEEPEST = 10  # refs that name refs; tags that name tags


class Sha256Reader(RepositoryBase):
    """What `GitRepo` reads with libgit2, read from processes of git."""

    sha256 = True

    def _open(self, path: str | Path) -> Config:
        self._git = ScratchGit(self.common_dir() / "objects", self.censored().shallow, sha256=True)
        self._objects = ObjectReader(self._git)
        weakref.finalize(self, self._objects.close)
        return config_of(self.path)

    def _listed_refs(self, path: str | Path, sha256: bool = True) -> Texts:
        listed = super()._listed_refs(path, sha256)
        refs = listed if listed is not None else _refs_in_files(self.common_dir(), self.path)
        lines = [f"{oid} {name}\n" for name, oid in sorted(refs.items()) if name != "HEAD"]
        packed = "# pack-refs with: sorted\n" + "".join(lines)
        (self._git.directory / "packed-refs").write_bytes(os.fsencode(packed))
        if refs.get("HEAD", "").isprintable() and refs.get("HEAD"):
            (self._git.directory / "HEAD").write_bytes(os.fsencode(refs["HEAD"] + "\n"))
        return refs

    def _head(self) -> None:
        """All refs of these repositories are listed."""

    def _parse_name(self, name: str) -> str | None:
        """What git understands by a name: an id, part of one, `HEAD~2`."""
        if "\0" in name:
            return None
        try:
            printed = self._git.output(
                ["rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"]
            )
        except GitFailed:
            return None
        return self.peel_commit(printed.decode("ascii", "replace").strip())

    def peel_commit(self, oid: str) -> str | None:
        return self._peel(oid, "commit")

    def _peel(self, oid: str, kind: str) -> str | None:
        """The commit or tree that an id stands for."""
        for _ in range(_DEEPEST):
            header = self._objects.header(oid)
            if header is None or header[0] == kind:
                if header:
                    return oid
                return None
            follow = {"tag": b"object", "commit": b"tree" if kind == "tree" else b""}.get(header[0])
            target = self._objects.read(oid) if follow else None
            if not target or not follow:
                return None
            oid = headers_of(target[1]).get(follow, b"").decode("ascii", "replace")
        return None

    def remote_url(self) -> str:
        return public_url(setting(self._config, "remote.origin.url"))

    def worktree(self) -> Path | None:
        marker = self.path / "gitdir"
        if marker.is_file():
            return Path(marker.read_text("utf-8", "replace").strip()).parent
        bare = setting(self._config, "core.bare").lower() in ("true", "yes", "on", "1")
        if self.path.name == ".git" and not bare:
            return self.path.parent
        return None

    def _object(self, oid: str) -> tuple[str, bytes]:
        return self._objects.read(oid) or ("", b"")

    def _header(self, oid: str) -> tuple[str, int]:
        return self._objects.header(oid) or ("", 0)

    def has(self, oid: str) -> bool:
        return self._objects.header(oid) is not None

    def _tree(self, oid: str) -> dict[str, BlobEntry] | None:
        tree = self._peel(oid, "tree")
        answer = self._objects.read(tree) if tree else None
        if answer:
            return _entries(answer[1])
        return None

    def entry_at(self, sha: str, path: str) -> BlobEntry | None:
        *folders, last = path.split("/")
        entries = self._tree(sha)
        for folder in folders:
            below = (entries or {}).get(folder)
            entries = self._tree(below.oid) if below and below.mode == TREE else None
        entry = (entries or {}).get(last)
        if entry and entry.mode not in (TREE, _LINK):
            return entry
        return None

    @cached_property
    def _first_commit(self) -> str | None:
        try:
            sha = self.default_branch().sha
        except UnknownBranch:
            return None
        while (commit := self.commit(sha)) is not None and commit.parents:
            sha = commit.parents[0]
        if commit and sha not in self._boundary:
            return sha
        return None

    def commit(self, sha: str) -> Commit | None:
        oid = self._peel(sha, "commit")
        answer = self._objects.read(oid) if oid else None
        if oid and answer:
            return commit_of(oid, answer[1], oid in self._boundary)
        return None

    def history_of(self, tips: list[str], hide: list[str] | None = None) -> Iterator[Commit]:
        yield from self._ordered_tolerant(tips, hide or [])

    def tree_changes(
        self, old_tree: str | None, new_tree: str, renames: bool = True
    ) -> list[FileChange] | None:
        if old_tree is None:
            return None
        changes = []
        waiting = [("", old_tree, new_tree)]
        while waiting:
            prefix, old, new = waiting.pop()
            before, after = (self._tree(oid) if oid else {} for oid in (old, new))
            if before is None or after is None:
                return None
            for name in before.keys() | after.keys():
                was = before.get(name)
                now = after.get(name)
                if was != now:
                    changes += _files_changed(prefix + name, was, now)
                    folders = [
                        side.oid if side and side.mode == TREE else "" for side in (was, now)
                    ]
                    if any(folders) and folders[0] != folders[1]:
                        waiting.append((f"{prefix}{name}/", folders[0], folders[1]))
        changes.sort(key=lambda change: encode(change.path))
        if renames:
            return self.pair_renames(changes)
        return changes

    def patch_id(self, base: str, tip: str) -> str | None:
        try:
            patch = self._git.output(
                ["diff-tree", "-r", "-p", "--full-index", "--no-ext-diff", base or _EMPTY_TREE, tip]
            )
            return (
                self._git.output(["patch-id", "--stable"], patch).decode("ascii").split(" ")[0]
                or None
            )
        except GitFailed:
            return None


def _files_changed(path: str, was: BlobEntry | None, now: BlobEntry | None) -> list[FileChange]:
    """What changed at a path, directories left out."""
    old = was if was and was.mode != TREE else None
    new = now if now and now.mode != TREE else None
    if old == new:
        return []
    status = "M" if old and new else "A" if new else "D"
    if old and new and stat.S_IFMT(old.mode) != stat.S_IFMT(new.mode):
        status = "T"
    modes = (old.mode if old else 0, new.mode if new else 0)
    return [FileChange(path, path, old and old.oid, new and new.oid, *modes, status)]


def _entries(data: bytes) -> dict[str, BlobEntry] | None:
    """A tree: mode, space, name, zero byte, id, for each entry. None when it is damaged."""
    entries = {}
    start = 0
    while start < len(data):
        space = data.find(b" ", start)
        zero = data.find(b"\0", start)
        end = zero + 1 + _ID_BYTES
        if not start < space < zero or end > len(data):
            return None
        try:
            mode = int(data[start:space], 8)
        except ValueError:
            return None
        entries[decode(data[space + 1 : zero])] = BlobEntry(
            data[zero + 1 : end].hex(), git_mode(mode)
        )
        start = end
    return entries


def _refs_in_files(common: Path, worktree: Path) -> Texts:
    """Name -> object id, symbolic refs resolved; HEAD as `ref: NAME` where it is one."""
    refs = {}
    for line in _small(common / "packed-refs", REFS_BYTES).split("\n"):
        oid, _, name = line.partition(" ")
        if _is_oid(oid) and _is_name(name):
            refs[name] = oid
    symbolic = {}
    for folder, folders, files in os.walk(common / "refs"):
        folders.sort()
        for file in files:
            name = Path(folder, file).relative_to(common).as_posix()
            value = _small(Path(folder, file), REF_BYTES).strip()
            if _is_oid(value) and _is_name(name):
                refs[name] = value
            elif value.startswith("ref: "):
                symbolic[name] = value[5:].strip()
    for name, target in symbolic.items():
        for _ in range(_DEEPEST):
            target = symbolic.get(target, target)
        if _is_name(name) and target in refs:
            refs[name] = refs[target]
    head = _small(worktree / "HEAD", REF_BYTES).strip()
    if _is_oid(head) or (head.startswith("ref: ") and _is_name(head[5:].strip())):
        refs["HEAD"] = head
    return refs


def _small(path: Path, most: int) -> str:
    """Text of a regular file; empty when it is anything else, or too large."""
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return ""
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""


def _is_oid(text: str) -> bool:
    return len(text) == len(_ZEROES) and all(digit in "0123456789abcdef" for digit in text)


def _is_name(text: str) -> bool:
    """A name of a ref that may stand in a line of its own."""
    return text.startswith("refs/") and not any(
        ord(sign) <= 0x20 or ord(sign) == 0x7F for sign in text
    )
