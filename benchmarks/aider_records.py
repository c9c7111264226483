"""Lines whose author Aider's own history names, against the verdicts of a database. Shares no code
with the reader of that history.

    python benchmarks/aider_records.py MIRROR...

`> Commit HASH` after `> Applied edit to FILE` is the agent's commit.
`> Committing FILE before applying edits.` says that FILE had changes that are not of this answer: a
person's where no edit of FILE was applied and not committed before, else of both and left out.
Labels are of the lines that such a commit adds to such a file. Each mirror is attributed as a user
would; the rows have lines by label and class, without a label where no history names a commit of
the clone.
"""

from __future__ import annotations

import csv
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

_HISTORY = ":(glob)**/.aider.chat.history.md"
_LINE = re.compile(
    r"^> (?:(Applied edit to) (.+?)|(Committing) (.+?) before applying edits\.|(Commit)"
    r" ([0-9a-f]{7,40}) .*?)\s*$"
)
_CLASSES = ("agent", "declared", "unknown", "undeclared", "likely_human", "human", "tool")
_LINKED = (
    "SELECT DISTINCT commit_sha FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id"
    " JOIN sessions s ON s.id = cs.session_id WHERE s.agent = 'aider'"
)
Labels = dict[tuple[str, str], str]  # (commit id, path) -> agent or person


@cache
def git(mirror: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(mirror), *arguments], capture_output=True, check=False
    )  # an id may be none of the clone
    return done.stdout.decode("utf-8", "replace")


def histories(mirror: Path) -> list[str]:
    """The texts of all versions of all histories."""
    rows = git(
        mirror,
        "log",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "-m",
        "--diff-filter=AM",
        "--format=",
        "HEAD",
        "--",
        _HISTORY,
    )
    blobs = dict.fromkeys(row.split()[3] for row in rows.splitlines() if row.startswith(":"))
    return [git(mirror, "cat-file", "blob", blob) for blob in blobs]


def labels(mirror: Path, text: str) -> Labels:
    """Who made the changes of a file in a commit, as one history says."""
    found: Labels = {}
    applied: set[str] = set()  # files with edits that are not committed
    dirty: list[str] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        if match[1]:
            applied.add(match[2])
        elif match[3]:
            dirty.append(match[4])
        else:
            sha = git(mirror, "rev-parse", "--verify", "--quiet", f"{match[6]}^{{commit}}").strip()
            changed = (
                git(
                    mirror, "diff-tree", "--no-commit-id", "--name-only", "-r", "--root", sha
                ).splitlines()
                if sha
                else []
            )
            for path in changed:
                if dirty and path in dirty and path not in applied:
                    found[sha, path] = "person"
                elif not dirty and path in applied:
                    found[sha, path] = "agent"
            applied -= set(dirty) if dirty else applied
            dirty = []
    return found


def verdicts(mirror: Path, database: Path) -> tuple[dict[tuple[str, str], Counter[str]], set[str]]:
    """Lines by class of each file of each commit; commits that are linked to a session of Aider."""
    program = Path(sys.executable).with_name("attribute")
    command = [
        program,
        "repo",
        mirror,
        "--db",
        database,
        "--local",
        "never",
        "-q",
    ]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    lines: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with sqlite3.connect(database) as connection:
        for sha, path, kind, count in connection.execute(
            "SELECT commit_sha, path, class, nonblank FROM line_spans"
        ):
            lines[sha, path][kind] += count
        return lines, {sha for (sha,) in connection.execute(_LINKED)}


def main() -> None:
    """Writes a row for each repository and label: benchmarks/data/aider-labels.csv."""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(
        ("repository", "versions", "agent_commits", "linked_commits", "label", *_CLASSES)
    )
    for mirror in map(Path, sys.argv[1:]):
        texts = histories(mirror)
        found: Labels = {}
        for text in texts:
            found |= labels(mirror, text)
        with tempfile.TemporaryDirectory() as directory:
            lines, linked = verdicts(mirror, Path(directory) / "x.db") if found else ({}, set())
        counts: Counter[tuple[str, str]] = Counter()
        for place, label in found.items():
            counts.update(
                {(label, kind): count for kind, count in lines.get(place, Counter[str]()).items()}
            )
        agents = {sha for (sha, _), label in found.items() if label == "agent"}
        name = mirror.parent.name.replace("+", "/", 1)
        for label in sorted({label for label, _ in counts}) or [""]:
            commits = (len(agents), len(agents & linked)) if label == "agent" else (0, 0)
            table.writerow(
                (name, len(texts), *commits, label, *(counts[label, kind] for kind in _CLASSES))
            )


if __name__ == "__main__":
    main()
