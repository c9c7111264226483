"""Repositories that a test server shows, and changes to them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from collector.git.program import import_repository
from support import ROOT

FIXTURES = ROOT / "fixtures" / "repos"


def git(repo: Path, *args: str, data: bytes = b"") -> str:
    done = subprocess.run(
        ["git", "-C", str(repo), *args], input=data, capture_output=True, check=True
    )
    return done.stdout.decode()


def publish(root: Path, name: str, case: str = "example") -> Path:
    """A fixture as a bare repository that the server shows."""
    path = root / f"{name}.git"
    import_repository(path, (FIXTURES / case / "history.fi").read_bytes())
    return path


def add_file(repo: Path, ref: str, path: str, data: bytes) -> str:
    """A commit on top of a ref that adds a file; returns its id."""
    parent = git(repo, "rev-parse", "--verify", "-q", ref).strip() if has_ref(repo, ref) else ""
    stream = f"commit {ref}\ncommitter T <t@example.org> 1790000000 +0000\ndata 1\nx\n".encode()
    stream += f"from {parent}\n".encode() if parent else b""
    stream += f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
    git(repo, "fast-import", "--quiet", data=stream)
    return git(repo, "rev-parse", ref).strip()


def has_ref(repo: Path, ref: str) -> bool:
    return (
        subprocess.run(
            ["git", "-C", str(repo), "rev-parse", "-q", "--verify", ref],
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )


def noise(size: int, salt: int = 1) -> bytes:
    """Bytes that do not compress."""
    import random

    return random.Random(salt).randbytes(size).hex().encode()[:size]
