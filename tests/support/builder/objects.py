"""Git objects as text: commits and refs that know their ids, and the `git fast-import` stream
that makes them.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from collector.json_values import Texts
from collector.text import encode


@dataclass(frozen=True, slots=True)
class Blob:
    data: bytes  # for a submodule the id of its commit
    mode: str = "100644"

    def sha(self) -> str:
        return self.data.decode() if self.mode == "160000" else _object_id("blob", self.data)


def _object_id(kind: str, data: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()


def _tree_id(files: Mapping[str, Blob]) -> str:
    entries: dict[str, tuple[str, str]] = {}
    folders: dict[str, dict[str, Blob]] = {}
    for path, blob in files.items():
        head, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(head, {})[rest] = blob
        else:
            entries[head] = (blob.mode, blob.sha())
    for name, inside in folders.items():
        entries[name + "/"] = ("40000", _tree_id(inside))
    rows = sorted((encode(key), key.rstrip("/"), value) for key, value in entries.items())
    return _object_id(
        "tree",
        b"".join(encode(f"{mode} {name}\0") + bytes.fromhex(sha) for _, name, (mode, sha) in rows),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A commit as git will know it."""

    number: int
    sha: str
    files: Mapping[str, Blob]
    parents: tuple[Node, ...]
    author: str
    committer: str
    message: str


class History:
    """Commits and refs, and the `git fast-import` stream that makes them."""

    def __init__(self) -> None:
        self.refs: dict[str, Node] = {}
        self._count = 0

    def commit(
        self,
        files: Mapping[str, Blob],
        parents: Sequence[Node],
        author: str,
        when: int,
        message: str,
        later: int = 0,
    ) -> Node:
        self._count += 1
        by = f"{author} {when} +0000"
        on = f"{author} {when + later} +0000"
        head = f"tree {_tree_id(files)}\n" + "".join(f"parent {parent.sha}\n" for parent in parents)
        body = encode(f"{head}author {by}\ncommitter {on}\n\n{message}")
        return Node(
            self._count, _object_id("commit", body), dict(files), tuple(parents), by, on, message
        )

    def reachable(self) -> dict[Node, str]:
        """Every commit that a ref leads to, oldest first, with the first such ref."""
        found: dict[Node, str] = {}
        for ref, tip in sorted(self.refs.items()):
            todo = [tip]
            while todo:
                node = todo.pop()
                if node not in found:
                    found[node] = ref
                    todo += node.parents
        return dict(sorted(found.items(), key=lambda item: item[0].number))

    def stream(self) -> bytes:
        out = [b"feature done\n"]
        known = set[str]()
        for node, ref in self.reachable().items():
            out += self._commit_lines(node, ref, known)
        for ref, node in sorted(self.refs.items()):
            out.append(f"reset {ref}\nfrom :{node.number}\n\n".encode())
        return b"".join([*out, b"done\n"])

    def _commit_lines(self, node: Node, ref: str, known: set[str]) -> Iterator[bytes]:
        if not node.parents:
            yield f"reset {ref}\n".encode()
        yield encode(
            f"commit {ref}\nmark :{node.number}\nauthor {node.author}\ncommitter {node.committer}\n"
        )
        message = encode(node.message)
        yield b"data %d\n%s\n" % (len(message), message)
        for i, parent in enumerate(node.parents):
            yield f"{'merge' if i else 'from'} :{parent.number}\n".encode()
        before = node.parents[0].files if node.parents else {}
        for path in sorted(before.keys() - node.files.keys()):
            yield encode(f"D {path}\n")
        for path in sorted(node.files):
            if before.get(path) != node.files[path]:
                yield from _file_lines(path, node.files[path], known)
        yield b"\n"


def _file_lines(path: str, blob: Blob, known: set[str]) -> Iterator[bytes]:
    sha = blob.sha()
    if blob.mode == "160000" or sha in known:
        yield encode(f"M {blob.mode} {sha} {path}\n")
        return
    known.add(sha)
    yield encode(f"M {blob.mode} inline {path}\n") + b"data %d\n%s\n" % (len(blob.data), blob.data)


def git_environment() -> Texts:
    """The environment without anything that could steer git."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return clean | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def git(directory: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = [
        "git",
        "-c",
        "core.autocrlf=false",
        "-c",
        "gc.auto=0",
        "-C",
        str(directory),
        *arguments,
    ]
    return subprocess.run(
        command, input=stdin, capture_output=True, check=True, env=git_environment()
    ).stdout


def commit_by_ada(directory: Path, message: str, *options: str) -> None:
    ada = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    git(directory, *ada, "commit", "-q", "-m", message, *options)


def object_id(directory: Path, name: str = "HEAD") -> str:
    """The id that a name stands for in a repository."""
    return git(directory, "rev-parse", name).decode().strip()


def import_stream(stream: bytes, directory: Path, bare: bool = True) -> Path:
    """A new repository in that directory, holding what the stream says; HEAD is `main`."""
    directory.mkdir(parents=True, exist_ok=True)
    git(directory, "init", "-q", "-b", "main", "--template=", *(["--bare"] if bare else []))
    git(directory, "fast-import", "--quiet", stdin=stream)
    if not bare:
        git(directory, "reset", "-q", "--hard")
    return directory
