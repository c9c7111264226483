"""Constructed histories: commits as whole trees, and random ones whose commits rename, copy,
merge and delete.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from collector.git.repository import GitRepo
from collector.json_values import Numbers, Texts

# content, its lines, or mode and content
Files = Mapping[str, bytes | Sequence[str] | tuple[str, bytes]]


class Build:
    """Commits as whole trees, imported in one go; names stand for commits."""

    def __init__(self, where: Path) -> None:
        self.where = where
        self._stream: list[bytes] = []
        self._marks: Numbers = {}
        self.sha: Texts = {}
        self.name: Texts = {}

    def commit(
        self,
        name: str,
        files: Files,
        on: str | None = None,
        time: int | None = None,
        message: str = "",
        author: str = "",
    ) -> None:
        """`on`: names of its parents, with blanks between them; the commit before where it is not
        given. `author`: name, address and time as git writes them; the committer without it."""
        parents = [*self._marks][-1:] if on is None else on.split()
        mark = self._marks[name] = len(self._marks) + 1
        at = 1_700_000_000 + 3600 * mark if time is None else time
        head = [
            f"commit refs/heads/x{mark}",
            f"mark :{mark}",
            *([f"author {author}"] if author else []),
        ]
        head.append(f"committer T <t@example.org> {at} +0000")
        message = message or name
        head += [f"data {len(message.encode())}", message]
        for number, parent in enumerate(parents):
            head.append(f"{'merge' if number else 'from'} :{self._marks[parent]}")
        if not parents:
            head.insert(0, f"reset refs/heads/x{mark}")
        self._stream.append("\n".join([*head, "deleteall", ""]).encode())
        for path, entry in files.items():
            mode, data = _content(entry)
            quoted = (
                path.encode("utf-8", "surrogateescape")
                .replace(b"\\", b"\\\\")
                .replace(b'"', b'\\"')
            )
            quoted = quoted.replace(b"\n", b"\\n")
            if mode == "160000":
                self._stream.append(b'M 160000 %s "%s"\n' % (data, quoted))
            else:
                self._stream.append(
                    b'M %s inline "%s"\ndata %d\n%s\n' % (mode.encode(), quoted, len(data), data)
                )

    def done(self) -> GitRepo:
        subprocess.run(["git", "init", "-q", "--bare", str(self.where)], check=True)
        marks = self.where / "marks"
        command = [
            "git",
            "-C",
            str(self.where),
            "fast-import",
            "--quiet",
            f"--export-marks={marks}",
        ]
        subprocess.run(command, input=b"".join(self._stream), check=True)
        by_mark = dict(line.split() for line in marks.read_text().splitlines())
        self.sha = {name: by_mark[f":{mark}"] for name, mark in self._marks.items()}
        self.name = {sha: name for name, sha in self.sha.items()}
        return GitRepo(self.where)


def _content(entry: bytes | Sequence[str] | tuple[str, bytes]) -> tuple[str, bytes]:
    """Mode and bytes."""
    match entry:
        case bytes():
            return "100644", entry
        case (str(mode), bytes(data)):
            return mode, data
        case lines:
            return "100644", text(*lines)


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def words(count: int, salt: str = "") -> list[str]:
    return [f"line {number} of the file {salt} with some text" for number in range(1, count + 1)]


def random_lines(rng: random.Random, lines: list[str]) -> list[str]:
    lines = list(lines)
    for _ in range(rng.randrange(0, 5)):
        at = rng.randrange(len(lines) + 1)
        if rng.random() < 0.5 or not lines:
            lines.insert(
                at, rng.choice(["{", "}", "", f"statement {rng.randrange(40)}", "return value"])
            )
        else:
            del lines[min(at, len(lines) - 1)]
    return lines


def random_history(build: Build, rng: random.Random, size: int) -> str:
    trees: dict[str, dict[str, list[str]]] = {"c0": {"a": words(12), "d/b": words(9, "b")}}
    build.commit("c0", {path: text(*lines) for path, lines in trees["c0"].items()}, "")
    names = ["c0"]
    for number in range(1, size):
        parents = rng.sample(names[-4:], min(len(names), rng.choice([1, 1, 1, 2, 2, 3])))
        tree: dict[str, list[str]] = {}
        for parent in reversed(parents):
            tree |= trees[parent]
        for path in list(tree):
            if rng.random() < 0.4:
                tree[path] = random_lines(rng, tree[path])
            if rng.random() < 0.1:
                tree[f"{rng.choice('xyz')}/{rng.choice('abc')}"] = tree.pop(path)
            elif rng.random() < 0.1:
                tree[f"copy{rng.randrange(5)}"] = random_lines(rng, tree[path])
            elif rng.random() < 0.04 and len(tree) > 2:
                del tree[path]
        name = f"c{number}"
        trees[name] = tree
        build.commit(name, tree, " ".join(parents))
        names.append(name)
    return names[-1]


def drop(repo: Path, oid: str) -> None:
    """Unpacks everything and removes one object."""
    packs = list((repo / "objects" / "pack").glob("*.pack"))
    for pack in packs:
        data = pack.read_bytes()
        for leftover in pack.parent.glob(pack.stem + ".*"):
            leftover.unlink()
        subprocess.run(["git", "-C", str(repo), "unpack-objects", "-q"], input=data, check=True)
    (repo / "objects" / oid[:2] / oid[2:]).unlink()


def with_lost_version(build: Build) -> GitRepo:
    """Four commits; the clone lacks the text that the second one gave the file `f`."""
    build.commit("one", {"f": ["a", "b"], "g": ["g"]}, "")
    build.commit("two", {"f": ["a", "b", "lost"], "g": ["g"]})
    build.commit("three", {"f": ["a", "b", "c"], "g": ["g", "h"]})
    build.commit("four", {"f": ["a", "b", "c", "d"], "g": ["g", "h"]})
    repo = build.done()
    drop(build.where, repo.file_at(build.sha["two"], "f") or "")
    return repo
