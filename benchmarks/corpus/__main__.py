"""python -m corpus: makes histories, and scores what is said of their lines. See docs/benchmark.md."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

from lab.agents import BY_NAME
from lab.install import CACHE, NotInstalled, install

from corpus.answers import CONTESTANTS, answer
from corpus.axes import WEIGHTS, crossed_counts, draw
from corpus.history import History
from corpus.score import print_scores, scores
from corpus.store import histories, keep

CORPUS = CACHE / "corpus"


def directory(held_out: bool) -> Path:
    return CORPUS / ("held-out" if held_out else "open")


def make(agents: list[str], seeds: range, held_out: bool, minutes: float) -> int:
    """Makes the histories of the seeds that are not there yet, as far as the time goes; how many did not become what was drawn."""
    versions = {}
    for name in agents:
        try:
            versions[name] = install(BY_NAME[name])
        except NotInstalled as error:
            print(f"{name}: {error}", flush=True)
    failures, until = 0, time.time() + 60 * minutes
    for seed in seeds:
        plan = draw(seed, list(versions))
        target = directory(held_out) / f"{seed:05}"
        if plan.held_out != held_out or target.exists():
            continue
        if time.time() > until:
            break
        started = time.time()
        try:
            history = History(plan, versions)
            history.play()
            row = keep(history, target)
        except (RuntimeError, ValueError, OSError) as error:
            failures += 1
            print(f"{seed} {plan.agent} {'/'.join(plan.axes().values())}: not made, {str(error)[:300]}", flush=True)
            continue
        shutil.rmtree(history.directory, ignore_errors=True)
        print(f"{seed} {plan.agent} {'/'.join(plan.axes().values())}: {row['lines']}, {time.time() - started:.0f} s", flush=True)
    return failures


def print_counts(held_out: bool) -> None:
    rows = [json.loads((path / "history.json").read_text("utf-8")) for path in histories(directory(held_out))]
    for axis, value, count, agents in crossed_counts(rows):
        print(f"{axis:8} {value:16} {count:4} {agents}")


def score(corpus: Path, names: list[str]) -> None:
    """Prints the scores of each contestant; its answers are in `answers-NAME.jsonl` beside the corpus."""
    for name in names:
        target = corpus.with_name(f"answers-{corpus.name}-{name}.jsonl")
        failures = answer(corpus, name, target)
        print(f"\n== {name}" + (f", of {failures} histories without an answer" if failures else ""))
        print_scores(scores(corpus, target))


def main() -> int:
    parser = argparse.ArgumentParser(prog="corpus", description="Makes and scores histories whose lines have known authors.")
    parser.add_argument("action", choices=("make", "counts", "score"))
    parser.add_argument("--agents", default=",".join(WEIGHTS), help="names separated by commas")
    parser.add_argument("--seeds", default="0-499", help="first and last")
    parser.add_argument("--held-out", action="store_true", help="the fifth of the seeds that is held apart")
    parser.add_argument("--minutes", type=float, default=600, help="no history is begun after that")
    parser.add_argument("--contestants", default=",".join(CONTESTANTS), help="names separated by commas")
    options = parser.parse_args()
    if options.action == "score":
        score(directory(options.held_out), options.contestants.split(","))
        return 0
    if options.action == "counts":
        print_counts(options.held_out)
        return 0
    first, _, last = options.seeds.partition("-")
    make(options.agents.split(","), range(int(first), int(last or first) + 1), options.held_out, options.minutes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
