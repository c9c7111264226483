"""Repositories whose ids are SHA-256, read through the git program: libgit2 as it is distributed knows SHA-1 alone.

Everything that `GitRepo` tells of a repository, told from objects that `git cat-file` hands over. Git opens a directory of ours,
not the repository (`program.py`). `tests/git/test_sha256.py` compares each answer with libgit2's of the same history.
"""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from collector.errors import UnknownBranch
from collector.git.base import (
    BlobEntry,
    Config,
    NamedCommit,
    RepositoryBase,
    TreeEntry,
    config_of,
    git_mode,
    is_regular,
    setting,
)
from collector.git.program import GitFailed, ObjectReader, ScratchGit
from collector.model import Commit, FileChange
from collector.repository_names import public_url
from collector.text import decode, encode

_EMPTY_TREE = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
_ID_BYTES = 32
_TREE, _LINK = 0o040000, 0o160000
_ZEROES = "0" * 64
_LONGEST_REF = 4096  # bytes of a file with a ref
_MOST_PACKED = 1 << 30
_DEEPEST = 10  # refs that name refs; tags that name tags


class _Entry(NamedTuple):
    mode: int
    oid: str


class Sha256Reader(RepositoryBase):
    """What `GitRepo` reads with libgit2, read from processes of git."""

    sha256 = True

    def _open(self, path: str | Path) -> Config:
        self._git = ScratchGit(self.common_dir() / "objects", self.censored().shallow, sha256=True)
        self._objects = ObjectReader(self._git)
        weakref.finalize(self, self._objects.close)
        return config_of(self.path)

    def _listed_refs(self, path: str | Path, sha256: bool = True) -> dict[str, str]:
        listed = super()._listed_refs(path, sha256)
        refs = listed if listed is not None else _refs_in_files(self.common_dir(), self.path)
        lines = [f"{oid} {name}\n" for name, oid in sorted(refs.items()) if name != "HEAD"]
        packed = "# pack-refs with: sorted\n" + "".join(lines)
        (self._git.directory / "packed-refs").write_bytes(os.fsencode(packed))
        if refs.get("HEAD", "").isprintable() and refs.get("HEAD"):
            (self._git.directory / "HEAD").write_bytes(os.fsencode(refs["HEAD"] + "\n"))
        return refs

    # --- refs ---------------------------------------------------------------------------------------------------------

    def default_branch(self) -> NamedCommit:
        head = self._listed_head(self._listed or {})
        if head is None:
            raise UnknownBranch("HEAD points to no commit", "Is the repository empty? Otherwise choose a branch with --branch")
        return head

    def resolve(self, name: str) -> NamedCommit:
        for candidate in (name, f"refs/heads/{name}", f"refs/remotes/{name}", f"refs/remotes/origin/{name}"):
            sha = self.peel_commit(self._of_listed(candidate)) or self._parse_name(candidate)
            if sha is not None:
                return NamedCommit(name, sha)
        raise UnknownBranch(f"no branch, tag or commit named {name!r}", "List the names with: git branch -a")

    def _parse_name(self, name: str) -> str | None:
        """What git understands by a name: an id, part of one, `HEAD~2`."""
        if "\0" in name:
            return None
        try:
            printed = self._git.output(["rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"])
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
                return oid if header else None
            follow = {"tag": b"object", "commit": b"tree" if kind == "tree" else b""}.get(header[0])
            target = self._objects.read(oid) if follow else None
            if not target or not follow:
                return None
            oid = _headers(target[1]).get(follow, b"").decode("ascii", "replace")
        return None

    def remote_url(self) -> str:
        return public_url(setting(self._config, "remote.origin.url"))

    def _worktree(self) -> Path | None:
        marker = self.path / "gitdir"
        if marker.is_file():
            return Path(marker.read_text("utf-8", "replace").strip()).parent
        bare = setting(self._config, "core.bare").lower() in ("true", "yes", "on", "1")
        return self.path.parent if self.path.name == ".git" and not bare else None

    # --- objects ------------------------------------------------------------------------------------------------------

    def _content(self, oid: str) -> bytes | None:
        answer = self._objects.read(oid)
        return answer[1] if answer and answer[0] == "blob" else None

    def blob_size(self, oid: str) -> int | None:
        header = self._objects.header(oid)
        return header[1] if header and header[0] == "blob" else None

    def has(self, oid: str) -> bool:
        return self._objects.header(oid) is not None

    def _tree(self, oid: str) -> dict[bytes, _Entry] | None:
        """What is in a tree or in a commit's; None when it is missing or damaged."""
        tree = self._peel(oid, "tree")
        answer = self._objects.read(tree) if tree else None
        return _entries(answer[1]) if answer else None

    def entries(self, tree: str) -> dict[str, TreeEntry]:
        content = self._tree(tree) or {}
        return {decode(name): TreeEntry(entry.oid, entry.mode == _TREE) for name, entry in content.items()}

    def paths(self, tree: str) -> dict[str, str]:
        files: dict[str, str] = {}
        stack = [("", tree)]
        while stack:
            prefix, oid = stack.pop()
            for name, entry in (self._tree(oid) or {}).items():
                path = prefix + decode(name)
                if entry.mode == _TREE:
                    stack.append((path + "/", entry.oid))
                elif is_regular(entry.mode):
                    files[path] = entry.oid
        return files

    def entry_at(self, sha: str, path: str) -> BlobEntry | None:
        *folders, last = encode(path).split(b"/")
        entries = self._tree(sha)
        for folder in folders:
            below = (entries or {}).get(folder)
            entries = self._tree(below.oid) if below and below.mode == _TREE else None
        entry = (entries or {}).get(last)
        return BlobEntry(entry.oid, entry.mode) if entry and entry.mode not in (_TREE, _LINK) else None

    def file_at(self, sha: str, path: str) -> str | None:
        entry = self.entry_at(sha, path)
        return entry.oid if entry else None

    # --- history ------------------------------------------------------------------------------------------------------

    @cached_property
    def _first_commit(self) -> str | None:
        try:
            sha = self.default_branch().sha
        except UnknownBranch:
            return None
        while (commit := self.commit(sha)) is not None and commit.parents:
            sha = commit.parents[0]
        return sha if commit is not None and sha not in self._boundary else None

    def commit(self, sha: str) -> Commit | None:
        oid = self._peel(sha, "commit")
        answer = self._objects.read(oid) if oid else None
        return _commit(oid, answer[1], oid in self._boundary) if oid and answer else None

    def _raw_commit(self, sha: str) -> bytes | None:
        answer = self._objects.read(sha)
        return answer[1] if answer and answer[0] == "commit" else None

    def history_of(self, tips: list[str], hide: list[str] | None = None) -> Iterator[Commit]:
        for oid in self._ordered_tolerant(tips, hide or []):
            commit = self.commit(oid)
            if commit is not None:
                yield commit

    def merge_changes(self, commit: Commit) -> list[list[FileChange]] | None:
        diffs = [self.tree_changes(self._tree_of(parent), commit.tree, renames=False) for parent in commit.parents]
        complete = [diff for diff in diffs if diff is not None]
        if len(complete) < len(diffs) or commit.sha in self._boundary:
            return None
        touched = set.intersection(*({c.path for c in diff if c.status != "D"} for diff in complete))
        return [_of_merge(diff, touched) for diff in complete]

    def tree_changes(self, old_tree: str | None, new_tree: str, renames: bool = True) -> list[FileChange] | None:
        if old_tree is None:
            return None
        changes: list[FileChange] = []
        waiting = [(b"", old_tree, new_tree)]
        while waiting:
            prefix, old, new = waiting.pop()
            before, after = (self._tree(oid) if oid else {} for oid in (old, new))
            if before is None or after is None:
                return None
            for name in before.keys() | after.keys():
                was, now = before.get(name), after.get(name)
                if was != now:
                    changes += _files_changed(prefix + name, was, now)
                    folders = [side.oid if side and side.mode == _TREE else "" for side in (was, now)]
                    if any(folders) and folders[0] != folders[1]:
                        waiting.append((prefix + name + b"/", folders[0], folders[1]))
        changes.sort(key=lambda change: encode(change.path))
        return self.with_renames(changes) if renames else changes

    def patch_id(self, base: str, tip: str) -> str | None:
        try:
            patch = self._git.output(["diff-tree", "-r", "-p", "--full-index", "--no-ext-diff", base or _EMPTY_TREE, tip])
            return self._git.output(["patch-id", "--stable"], patch).decode("ascii").split(" ")[0] or None
        except GitFailed:
            return None


def _files_changed(path: bytes, was: _Entry | None, now: _Entry | None) -> list[FileChange]:
    """What changed at a path, directories left out."""
    old = was if was and was.mode != _TREE else None
    new = now if now and now.mode != _TREE else None
    if old == new:
        return []
    name = decode(path)
    status = "M" if old and new else "A" if new else "D"
    if old and new and stat.S_IFMT(old.mode) != stat.S_IFMT(new.mode):
        status = "T"
    return [
        FileChange(
            path=name,
            old_path=name,
            old=old.oid if old else None,
            new=new.oid if new else None,
            old_mode=old.mode if old else 0,
            new_mode=new.mode if new else 0,
            status=status,
        )
    ]


def _of_merge(diff: list[FileChange], touched: set[str]) -> list[FileChange]:
    """What a merge changed of one parent: the files that count, and all that came or went when one of them is new."""
    counted = [change for change in diff if change.path in touched and change.status != "D"]
    is_new = any(change.status == "A" for change in counted)
    return [change for change in diff if change.status in "AD" or change.path in touched] if is_new else counted


def _entries(data: bytes) -> dict[bytes, _Entry] | None:
    """A tree: mode, space, name, zero byte, id, for each entry. None when it is damaged."""
    entries: dict[bytes, _Entry] = {}
    start = 0
    while start < len(data):
        space, zero = data.find(b" ", start), data.find(b"\0", start)
        end = zero + 1 + _ID_BYTES
        if not start < space < zero or end > len(data):
            return None
        try:
            mode = int(data[start:space], 8)
        except ValueError:
            return None
        entries[data[space + 1 : zero]] = _Entry(git_mode(mode), data[zero + 1 : end].hex())
        start = end
    return entries


def _headers(data: bytes) -> dict[bytes, bytes]:
    """The first value of each header of a commit or tag."""
    headers: dict[bytes, bytes] = {}
    for line in data.partition(b"\n\n")[0].split(b"\n"):
        name, _, value = line.partition(b" ")
        if name:  # lines of a signature go on with a space
            headers.setdefault(name, value)
    return headers


def _commit(sha: str, data: bytes, is_boundary: bool) -> Commit:
    """A commit as libgit2 reads it; the boundary of a shallow clone has no parents."""
    head, _, message = data.partition(b"\n\n")
    headers = _headers(data)
    parents = [line[7:].decode("ascii", "replace") for line in head.split(b"\n") if line.startswith(b"parent ")]
    author_name, author_email, author_time = _person(headers.get(b"author", b""))
    committer_name, committer_email, commit_time = _person(headers.get(b"committer", b""))
    return Commit(
        sha=sha,
        parents=() if is_boundary else tuple(parents),
        tree=headers.get(b"tree", b"").decode("ascii", "replace"),
        author_name=author_name,
        author_email=author_email,
        author_time=author_time,
        committer_name=committer_name,
        committer_email=committer_email,
        commit_time=commit_time,
        message=decode(message.lstrip(b"\n")),
    )


def _person(line: bytes) -> tuple[str, str, float]:
    """(name, address, time in seconds since 1970) of `Name <address> 1700000000 +0100`."""
    name, _, address_and_time = line.partition(b"<")
    address, _, when = address_and_time.rpartition(b">")
    seconds = (when.split() or [b""])[0]
    is_number = seconds.isdigit() and len(seconds) < 19
    return decode(name.strip()), decode(address.strip()), float(int(seconds)) if is_number else 0.0


# --- refs in files ----------------------------------------------------------------------------------------------------


def _refs_in_files(common: Path, worktree: Path) -> dict[str, str]:
    """Name -> object id, symbolic refs resolved; HEAD as `ref: NAME` where it is one."""
    refs: dict[str, str] = {}
    for line in _small(common / "packed-refs", _MOST_PACKED).split("\n"):
        oid, _, name = line.partition(" ")
        if _is_oid(oid) and _is_name(name):
            refs[name] = oid
    symbolic: dict[str, str] = {}
    for folder, folders, files in os.walk(common / "refs"):
        folders.sort()
        for file in files:
            name = Path(folder, file).relative_to(common).as_posix()
            value = _small(Path(folder, file), _LONGEST_REF).strip()
            if _is_oid(value) and _is_name(name):
                refs[name] = value
            elif value.startswith("ref: "):
                symbolic[name] = value[5:].strip()
    for name, target in symbolic.items():
        for _ in range(_DEEPEST):
            target = symbolic.get(target, target)
        if _is_name(name) and target in refs:
            refs[name] = refs[target]
    head = _small(worktree / "HEAD", _LONGEST_REF).strip()
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
    return text.startswith("refs/") and not any(ord(sign) <= 0x20 or ord(sign) == 0x7F for sign in text)
