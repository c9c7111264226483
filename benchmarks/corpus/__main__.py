"""python -m corpus: makes histories, and scores what is said of their lines. See
docs/benchmark.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from lab.agents import BY_NAME
from lab.install import CACHE, NotInstalled, install
from scorer.__main__ import TABLES, print_scores
from scorer.histories import histories
from scorer.scoring import scores

from corpus.answers import ALWAYS, CONTESTANTS, EARLY, ONE_AGENT, answers, asked, kept_answers
from corpus.axes import AGENTS, PUBLISHED, draw
from corpus.floors import SAMPLE, measure
from corpus.history import History
from corpus.page import DOCS, FORMER, PARTS, note_look, page_texts, store_scores
from corpus.release import RELEASES, make_release
from corpus.store import keep, mark_shown, small_choice

CORPUS = CACHE / "corpus"


def directory(*, hidden: bool) -> Path:
    return CORPUS / ("hidden" if hidden else "open")


def place(seed: int, salt: str) -> Path:
    """Where the history of a seed is kept. What a published salt draws is open."""
    for release, published in PUBLISHED.items():
        if salt == published:
            return directory(hidden=False) / f"{release}-{seed:05}"
    return directory(hidden=bool(salt)) / f"{seed:05}"


def make(agents: list[str], seeds: range, minutes: float) -> int:
    """Makes the histories of the seeds that are not there yet, as far as the time goes; how many
    did not become what was drawn. With a salt in the environment they are those of the hidden
    part, which nobody can draw without it.
    """
    salt = os.environ.get("WHOWROTE_CORPUS_SALT", "").strip()
    versions = {}
    for name in agents:
        try:
            versions[name] = install(BY_NAME[name])
        except NotInstalled as error:
            print(f"{name}: {error}", flush=True)
    failures, until = 0, time.time() + 60 * minutes
    for seed in seeds:
        plan = draw(seed, list(versions), salt)
        target = place(seed, salt)
        if target.exists():
            continue
        if time.time() > until:
            break
        started = time.time()
        try:
            history = History(plan, versions, salt)
            history.play()
            row = keep(history, target)
        except (RuntimeError, ValueError, OSError, NotInstalled) as error:
            failures += 1
            print(
                f"{seed} {plan.agent} {'/'.join(plan.axes().values())}: not made,"
                f" {str(error)[:300]}",
                flush=True,
            )
            continue
        shutil.rmtree(history.directory, ignore_errors=True)
        print(
            f"{seed} {plan.agent} {'/'.join(plan.axes().values())}: {row['lines']},"
            f" {time.time() - started:.0f} s",
            flush=True,
        )
    return failures


def score(part: str, names: list[str], most: int) -> dict[str, dict[str, Any]]:
    """Prints and returns the scores of each contestant; its answers are beside the corpus, and
    given again by the same version.

    A contestant that reads one agent alone is asked about that agent's histories; this program's
    scores of them stand beside.
    """
    corpus, results = CORPUS / part, {}
    everything = histories(corpus)
    files: dict[str, dict[str, Path | None]] = {}
    for name in names:
        kept = kept_answers(part, name)
        files[name] = {
            history.name: answers(history, name, kept) for history in asked(everything, name, most)
        }
        chosen, given = set(files[name]), [*files[name].values()]
        was_hidden = {history for history in chosen if history.startswith(tuple(PUBLISHED))}
        if name == "whowrote" and was_hidden:
            results[FORMER] = scores(corpus, [path for path in given if path], was_hidden)
        if name == "whowrote":
            early = kept_answers(part, EARLY)
            given += [answers(history, EARLY, early) for history in asked(everything, name, most)]
        results[name] = scores(corpus, [path for path in given if path], chosen)
        if name in ONE_AGENT and "whowrote" in files:
            ours = [
                path for history, path in files["whowrote"].items() if path and history in chosen
            ]
            results[f"whowrote as {name}"] = scores(corpus, ours, chosen)
        failures = sum(path is None for path in files[name].values())
        print(
            f"\n== {part}, {name}"
            + (f", of {failures} histories without an answer" if failures else "")
        )
        print_scores(results[name], TABLES if part == "open" else ())
    if part == "hidden":
        note_look(names, len(everything))
    return results


def make_sample(most: int) -> None:
    """Takes histories of at most so many bytes into the repository, with today's floors."""
    shutil.rmtree(SAMPLE, ignore_errors=True)
    for path in small_choice(directory(hidden=False), most):
        shutil.copytree(path, SAMPLE / path.name)
    measure()


def make_page(names: list[str], most: int) -> None:
    parts = {part: CORPUS / part for part in PARTS if (CORPUS / part).exists()}
    store_scores(parts, {part: score(part, names, most) for part in parts})
    for name, text in page_texts().items():
        (DOCS / name).write_text(text, "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="corpus", description="Makes and scores histories whose lines have known authors."
    )
    parser.add_argument(
        "action",
        choices=("make", "score", "sample", "floors", "shown", "page", "release"),
    )
    parser.add_argument("--agents", default=",".join(AGENTS), help="names separated by commas")
    parser.add_argument("--seeds", default="0-499", help="first and last")
    parser.add_argument(
        "--hidden", action="store_true", help="the part whose seeds nobody can draw again"
    )
    parser.add_argument("--minutes", type=float, default=600, help="no history is begun after that")
    parser.add_argument(
        "--contestants", default=",".join(ALWAYS), help=f"of {', '.join(CONTESTANTS)}"
    )
    parser.add_argument(
        "--most", type=int, default=60, help="histories for a contestant that reads one agent alone"
    )
    parser.add_argument("--bytes", type=int, default=1_950_000, help="of sample: its size")
    options = parser.parse_args()
    if options.action == "sample":
        make_sample(options.bytes)
    elif options.action == "floors":
        measure()
    elif options.action == "shown":
        mark_shown(directory(hidden=options.hidden))
    elif options.action == "score":
        score("hidden" if options.hidden else "open", options.contestants.split(","), options.most)
    elif options.action == "page":
        make_page(options.contestants.split(","), options.most)
    elif options.action == "release":
        print(make_release(directory(hidden=False), RELEASES))
    else:
        first, _, last = options.seeds.partition("-")
        make(
            options.agents.split(","),
            range(int(first), int(last or first) + 1),
            options.minutes,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
