"""Questions right after new commits: python benchmarks/bench_questions.py CLONE ... [--steps N]
[--sample N]

Goes through the last commits of the default branch, or some of them drawn at random, with the
checkpoints that were there at that moment. The database is brought up to date with the commit
before, one random file is asked about, and the answers are compared with those of the next update.
Prints how many new lines had an answer, of these how many the same class, and the CPU seconds of
questions and updates, each a process of its own. The clone is only read.
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
    return subprocess.run(
        ["git", "-C", repo, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def whowrote(folder: Path, *arguments: object) -> tuple[str, float]:
    """What it prints, and its CPU seconds."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "WHOWROTE_SESSIONS": str(folder / "sessions.db")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "whowrote", *map(str, arguments)]
    done = subprocess.run(
        command, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def refs_at(repo: Path, branch: str, commit: str) -> Refs:
    """The branch at a commit, and the checkpoints that were stored until a minute later."""
    moment = int(git(repo, "log", "-1", "--format=%ct", commit)) + 60
    names = git(repo, "for-each-ref", "--format=%(refname)").split("\n")
    stored = {
        name: git(repo, "rev-list", "-1", f"--before={moment}", name)
        for name in names
        if CHECKPOINTS in name
    }
    return {branch: commit, **{name: sha for name, sha in stored.items() if sha}}


def set_refs(repo: Path, refs: Refs) -> None:
    for name, sha in refs.items():
        git(repo, "update-ref", name, sha)


def classes(db: Path, commits: set[str]) -> dict[tuple[str, str, int], str]:
    """(commit, path, line) -> class, as the update gives them."""
    with sqlite3.connect(db) as connection:
        rows = connection.execute(
            "SELECT commit_sha, path, start_line, end_line, class FROM line_spans"
        ).fetchall()
    return {
        (row[0], row[1], line): row[4]
        for row in rows
        if row[0] in commits
        for line in range(row[2], row[3] + 1)
    }


def measure(
    clone: Path, steps: int, sample: int, folder: Path
) -> tuple[Counter[str], list[float], list[float]]:
    """Lines by answer, and CPU seconds of questions and updates."""
    repo, db = folder / "repo.git", folder / "out.db"
    git(clone, "clone", "--quiet", "--mirror", "--shared", str(clone), str(repo))
    branch = git(repo, "symbolic-ref", "HEAD")
    commits = git(repo, "log", "--first-parent", "--format=%H", f"-{steps + 1}", branch).split(
        "\n"
    )[::-1]
    pairs = [(old, new) for old, new in pairwise(commits) if changed_files(repo, old, new)]
    chosen = [
        pairs[number]
        for number in sorted(
            random.Random(0).sample(range(len(pairs)), min(sample or len(pairs), len(pairs)))
        )
    ]
    # before any ref is moved
    states = [(refs_at(repo, branch, old), refs_at(repo, branch, new)) for old, new in chosen]
    update = ("repo", repo, "--db", db, "--local", "never", "-q")
    counts, questions, updates = Counter[str](), list[float](), list[float]()
    for number, ((old, new), (before, after)) in enumerate(zip(chosen, states, strict=True)):
        set_refs(repo, before)
        if not number or chosen[number - 1][1] != old:
            whowrote(folder, *update)
        set_refs(repo, after)
        added = set(git(repo, "log", "--no-merges", "--format=%H", f"{old}..{new}").split("\n"))
        file = random.Random(number).choice(changed_files(repo, old, new))
        answer, seconds = whowrote(folder, "blame", repo, file, "--db", db, "--json")
        questions.append(seconds)
        updates.append(whowrote(folder, *update)[1])
        right = classes(db, added)
        for row in (row for row in json.loads(answer) if row["commit"] in added):
            expected = right.get((row["commit"], row["path_then"], row["line_then"]))
            counts[
                (
                    "no answer"
                    if not row["class"]
                    else "same class"
                    if row["class"] == expected
                    else "another class"
                )
            ] += 1
            if row["class"] not in ("", expected):
                print(
                    f"{new} {file}:{row['line']} {row['class']}, after an update {expected}",
                    flush=True,
                )
    return counts, sorted(questions), sorted(updates)


def changed_files(repo: Path, old: str, new: str) -> list[str]:
    return git(repo, "diff", "--name-only", "--diff-filter=AM", old, new).splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(description="Questions right after new commits.")
    parser.add_argument("clones", type=Path, nargs="+", metavar="CLONE")
    parser.add_argument(
        "--steps", type=int, default=20, help="the last commits of the default branch"
    )
    parser.add_argument("--sample", type=int, default=0, help="draw so many of them at random")
    options = parser.parse_args()
    total, every = Counter[str](), list[float]()
    for clone in options.clones:
        with tempfile.TemporaryDirectory(prefix="whowrote-questions-") as folder:
            counts, questions, updates = measure(clone, options.steps, options.sample, Path(folder))
        total, every = total + counts, sorted([*every, *questions])
        print(
            f"{clone}: {dict(counts)} {_spread(questions)}, update"
            f" {updates[len(updates) // 2]:.1f} s",
            flush=True,
        )
    print(f"all: {dict(total)} {_spread(every)}")
    return 1 if total["another class"] else 0


def _spread(questions: list[float]) -> str:
    late = questions[len(questions) * 95 // 100]
    return (
        f"{len(questions)} questions {questions[len(questions) // 2]:.2f} s (95th percentile"
        f" {late:.2f})"
    )


if __name__ == "__main__":
    sys.exit(main())
