"""Time and bytes read when an ordinary clone is attributed from a home directory full of other
repositories' sessions.

    python benchmarks/bench_local.py DIRECTORY [--commits 1000] [--gigabytes 2]

Makes the clone and the home directory in DIRECTORY, unless they are there, and attributes the clone
twice.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "tests"), str(Path(__file__).parent.parent)]

from support import local_layouts as layouts  # noqa: E402
from support.local_clone import AgentSession, Clone, attributed, wrong_lines  # noqa: E402
from support.truth import program_lines  # noqa: E402

from attribution.authorship.options import AttributeOptions  # noqa: E402
from attribution.stages.lines import attribute_repo  # noqa: E402
from collector.agents.machine import files  # noqa: E402
from collector.agents.machine.model import Machine  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.local import find_sessions  # noqa: E402
from collector.local.model import LocalChoice, LocalOptions  # noqa: E402
from collector.storage.store import Store  # noqa: E402

_PADDING = 40_000  # bytes of what a command printed in each session of the others
_WRITERS = (
    layouts.claude_code,
    layouts.codex,
    layouts.gemini_cli,
    layouts.opencode,
    layouts.copilot_cli,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    given = parser.parse_args()
    clone = _clone(given.directory, given.commits)
    home = given.directory / "home"
    if not (home / "filled").exists():
        _fill(home, given.gigabytes * 1e9)
    Machine.here = classmethod(lambda cls: cls(home))  # type: ignore[method-assign, assignment]
    _measure(clone, given.directory / "bench.db")


def _clone(directory: Path, commits: int) -> Clone:
    """A clone of so many commits, every second one by an agent, and the sessions of five agents
    on it.
    """
    clone = Clone(directory / "home" / "work" / "tally")
    session: AgentSession | None = None
    for number in range(commits // 2):
        if number % 20 == 0:
            if session is not None:
                _WRITERS[number // 20 % len(_WRITERS)](directory / "home", session)
            session = clone.session(f"{number:08x}-5d2c-7b4e-8f60-0197f3a10197")
        assert session is not None
        session.prompt(f"Step {number}")
        path = f"src/part{number % 50}.py"
        lines = "".join(f"value_{number}_{line} = {line}\n" for line in range(12))
        session.write(path, lines) if clone.text(path) is None else session.edit(path, "", lines)
        session.commit(f"Add step {number}")
        clone.person_adds(path, f"# {number}: checked by hand, {number * 7}\n")
        clone.commit(f"Check step {number}")
    if session is not None:
        layouts.claude_code(directory / "home", session)
    return clone


def _fill(home: Path, wanted: float) -> None:
    """Sessions of other repositories, by the writers of all layouts, padded."""
    written, number = 0.0, 0
    while written < wanted:
        other = Clone.__new__(Clone)
        other.path, other.clock, other.lines, other.truth, other._committed = (
            home / "work" / f"other{number}",
            1.77e9,
            {},
            {},
            {},
        )
        for writer in _WRITERS:
            session = other.session(
                f"{number:08x}-5d2c-7b4e-9f60-0197f3a101{_WRITERS.index(writer):02x}"
            )
            session.prompt("Work")
            for step in range(40):
                session.shell(f"cat file{step}", "x" * _PADDING)
            writer(home, session)
            written += 40 * _PADDING
        number += 1
    (home / "filled").touch()


def _measure(clone: Clone, db: Path) -> None:
    read, whole = [0, 0], files._read

    def counted(path: Path, size: int | None) -> bytes:
        data = whole(path, size)
        read[0] += len(data)
        read[1] += 1
        return data

    files._read = counted
    began = time.perf_counter()
    found = find_sessions(GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS))
    finding, opened = time.perf_counter() - began, tuple(read)
    db.unlink(missing_ok=True)
    began = time.perf_counter()
    with Store(db) as store:
        done = attribute_repo(store, clone.path, AttributeOptions())
        first = time.perf_counter() - began
        began = time.perf_counter()
        unchanged = attribute_repo(store, clone.path, AttributeOptions()).unchanged
        second = time.perf_counter() - began
        said = program_lines(store, done.repo_id)
    size = sum(path.stat().st_size for path in (clone.path.parents[1]).rglob("*") if path.is_file())
    print(
        json.dumps(
            {
                "home_gb": round(size / 1e9, 2),
                "commits": len(clone.truth),
                "sessions": len(found.sessions),
                "find_seconds": round(finding, 2),
                "find_mb": round(opened[0] / 1e6, 2),
                "find_files": opened[1],
                "attribute_seconds": round(first, 2),
                "again_seconds": round(second, 2),
                "unchanged": unchanged,
                "files_mb_all": round(read[0] / 1e6, 2),
                "agent": attributed(clone, said, "agent"),
                "human": attributed(clone, said, "human"),
                "wrong": len(wrong_lines(clone, said)),
            }
        )
    )


if __name__ == "__main__":
    main()
