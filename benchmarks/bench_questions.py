"""Questions right after new commits: python benchmarks/bench_questions.py CLONE ... [--steps N]

Goes through the last merges into the default branch, with the checkpoints that were there at that moment. After each of them
one random file is asked about before the database is brought up to date, and the answers are compared with those of the update.
Prints how many new lines had an answer, of these how many the same class, and the CPU seconds of questions and updates. The clone
is only read.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKPOINTS = "entire/"
Refs = dict[str, str]


def git(repo: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", repo, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def whowrote(folder: Path, *arguments: object) -> tuple[str, float]:
    """What it prints, and its CPU seconds."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "WHOWROTE_SESSIONS": str(folder / "sessions.db")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "whowrote", *map(str, arguments)]
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def refs_at(repo: Path, branch: str, commit: str) -> Refs:
    """The branch at a commit, and the checkpoints that were stored until a minute later."""
    moment = int(git(repo, "log", "-1", "--format=%ct", commit)) + 60
    names = git(repo, "for-each-ref", "--format=%(refname)").split("\n")
    stored = {name: git(repo, "rev-list", "-1", f"--before={moment}", name) for name in names if CHECKPOINTS in name}
    return {branch: commit, **{name: sha for name, sha in stored.items() if sha}}


def set_refs(repo: Path, refs: Refs) -> None:
    for name, sha in refs.items():
        git(repo, "update-ref", name, sha)


def classes(db: Path, commits: set[str]) -> dict[tuple[str, str, int], str]:
    """(commit, path, line) -> class, as the update gives them."""
    with sqlite3.connect(db) as connection:
        rows = connection.execute("SELECT commit_sha, path, start_line, end_line, class FROM line_spans").fetchall()
    return {(row[0], row[1], line): row[4] for row in rows if row[0] in commits for line in range(row[2], row[3] + 1)}


def measure(clone: Path, steps: int, folder: Path) -> tuple[Counter[str], list[float], list[float]]:
    """Lines by answer, and CPU seconds of questions and updates."""
    repo, db = folder / "repo.git", folder / "out.db"
    git(clone, "clone", "--quiet", "--mirror", "--shared", str(clone), str(repo))
    branch = git(repo, "symbolic-ref", "HEAD")
    commits = git(repo, "log", "--first-parent", "--format=%H", f"-{steps + 1}", branch).split("\n")[::-1]
    states = [refs_at(repo, branch, commit) for commit in commits]
    update = ("repo", repo, "--db", db, "--local", "never", "-q")
    set_refs(repo, states[0])
    whowrote(folder, *update)
    counts, questions, updates = Counter[str](), list[float](), list[float]()
    for number, (old, new) in enumerate(pairwise(commits)):
        set_refs(repo, states[number + 1])
        files = git(repo, "diff", "--name-only", "--diff-filter=AM", old, new).split("\n")
        added = set(git(repo, "log", "--no-merges", "--format=%H", f"{old}..{new}").split("\n"))
        answer, seconds = whowrote(folder, "blame", repo, random.Random(number).choice(files), "--db", db, "--json")
        questions.append(seconds)
        updates.append(whowrote(folder, *update)[1])
        right = classes(db, added)
        for row in (row for row in json.loads(answer) if row["commit"] in added):
            same = right.get((row["commit"], row["path_then"], row["line_then"])) == row["class"]
            counts["no answer" if not row["class"] else "same class" if same else "another class"] += 1
    return counts, sorted(questions), sorted(updates)


def main() -> int:
    parser = argparse.ArgumentParser(description="Questions right after new commits.")
    parser.add_argument("clones", type=Path, nargs="+", metavar="CLONE")
    parser.add_argument("--steps", type=int, default=20, help="merges into the default branch, the last ones")
    options = parser.parse_args()
    total, every = Counter[str](), list[float]()
    for clone in options.clones:
        with tempfile.TemporaryDirectory(prefix="whowrote-questions-") as folder:
            counts, questions, updates = measure(clone, options.steps, Path(folder))
        total, every = total + counts, sorted([*every, *questions])
        print(f"{clone}: {dict(counts)} {_spread(questions)}, update {updates[len(updates) // 2]:.1f} s", flush=True)
    print(f"all: {dict(total)} {_spread(every)}")
    return 1 if total["another class"] else 0


def _spread(questions: list[float]) -> str:
    return f"question {questions[len(questions) // 2]:.1f} s (95th percentile {questions[len(questions) * 95 // 100]:.1f})"


if __name__ == "__main__":
    sys.exit(main())
