"""Repositories for probes: git's answers for one that does not exist, and small real ones."""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

from collector.discovery.github.git_server import packet
from collector.json_values import Texts

V1 = "refs/heads/entire/checkpoints/v1"
OID = "1" * 40


def refs(*names: str, tree: str = "2" * 40) -> Callable[[str, bytes], tuple[int, Texts, bytes]]:
    """Git's answers for a repository with these refs, without a repository."""

    def answer(path: str, body: bytes) -> tuple[int, Texts, bytes]:
        if b"command=ls-refs" in body:
            lines = [packet(f"{OID} {name}\n".encode()) for name in ("HEAD", *names)]
            data = b"".join(lines) + b"0000"
        else:
            commit = f"tree {tree}\nauthor x\n\nm".encode()
            size = len(commit)
            head = bytes([1 << 4 | size & 15 | 128, size >> 4])
            pack = b"PACK\0\0\0\2\0\0\0\1" + head + zlib.compress(commit)
            data = packet(b"packfile\n") + packet(b"\x01" + pack) + b"0000"
        return 200, {"Content-Type": "application/x-git-upload-pack-result"}, data

    return answer


def git(where: Path, *args: str, stdin: bytes = b"") -> str:
    done = subprocess.run(
        ["git", f"--git-dir={where}", *args], input=stdin, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def make_repo(where: Path, refs: Texts, object_format: str = "sha1") -> Path:
    """A bare repository; `refs`: name -> "empty" for a commit of the empty tree, else the text
    of its only file.
    """
    where.parent.mkdir(parents=True, exist_ok=True)
    format_option = [f"--object-format={object_format}"] if object_format != "sha1" else []
    subprocess.run(
        ["git", "init", "-q", "--bare", "-b", "main", *format_option, str(where)], check=True
    )
    parts = []
    for name, content in refs.items():
        data = content.encode()
        parts.append(
            b"commit %s\ncommitter T <t@example.org> 1700000000 +0000\ndata 1\nx\n" % name.encode()
        )
        if content != "empty":
            parts.append(b"M 100644 inline f\ndata %d\n%s\n" % (len(data), data))
    git(where, "fast-import", "--quiet", "--force", stdin=b"".join(parts))
    return where
