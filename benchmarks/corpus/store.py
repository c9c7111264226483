"""Keeps a history: the repository as a bundle, the home with the transcripts, the truth, and what
was drawn.

What agents' makers wrote (system prompts, descriptions of tools) is cut out of the transcripts, and
what names the machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.samples import TEXT_SUFFIXES, Cutter, database_dump, neutral
from scorer.histories import about, histories

from corpus.axes import AXES
from corpus.history import History
from corpus.ledger import Author, line_counts, truth_rows
from corpus.shown import with_shown

LONG = 150  # characters, as in lab.samples


def keep(history: History, target: Path) -> dict[str, Any]:
    """Writes the history to the directory `target`; what `history.json` says."""
    texts = dict(_kept_transcripts(history))
    record = "".join(texts.values()) if history.cut else ""

    def on_record(author: Author) -> bool:
        return history.kept[author.start] and (not record or author.call in record)

    rows = list(truth_rows(history.ledger, history.git, on_record))
    row: dict[str, Any] = {
        "history": target.name,
        **asdict(history.plan),
        "versions": _versions(history),
        "lines": line_counts(rows),
    }
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    history.git("bundle", "create", "-q", str(part.resolve() / "repo.bundle"), "--branches", "HEAD")
    for path, text in texts.items():
        kept = part / "home" / path
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(text, "utf-8", errors="surrogateescape")
    (part / "home").mkdir(exist_ok=True)
    _write_truth(part, [{"history": target.name, **truth} for truth in rows])
    (part / "history.json").write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return row


def _write_truth(history: Path, rows: list[dict[str, Any]]) -> None:
    """Writes the truth of a kept history, with what its transcripts show of a person."""
    with tempfile.TemporaryDirectory() as clone:
        subprocess.run(
            ["git", "clone", "-q", "--bare", str(history / "repo.bundle"), clone],
            check=True,
            capture_output=True,
        )

        def lines_of(commit: str, path: str) -> list[str]:
            done = subprocess.run(
                ["git", "-C", clone, "show", f"{commit}:{path}"], check=True, capture_output=True
            )
            return done.stdout.decode("utf-8", "surrogateescape").split("\n")

        marked = with_shown(rows, lines_of, history / "home")
    (history / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in marked), "utf-8")


def mark_shown(corpus: Path) -> None:
    """Marks in the truth of each kept history what its transcripts show of a person."""
    for history in histories(corpus):
        _write_truth(
            history,
            [
                json.loads(line)
                for line in (history / "truth.jsonl").read_text("utf-8").splitlines()
            ],
        )


def _versions(history: History) -> dict[str, str]:
    return {name: history.versions[name] for name in history.plan.at_work}


def _kept_transcripts(history: History) -> Iterator[tuple[str, str]]:
    """Path below the home and text of each transcript that is not lost; databases are SQL."""
    texts = [text for states in history.ledger.known.values() for text in states]
    cutter = Cutter([*texts, *_script_texts(history), *history.prompts], LONG)
    home = history.homes[0]
    for path in history.transcripts():
        if str(path) in history.gone:
            continue
        name = str(path.relative_to(home))
        if path.suffix == ".db":
            name, text = name + ".sql", database_dump(path, cutter)
        elif path.suffix in TEXT_SUFFIXES:
            text = cutter.file(path)
        else:
            continue
        text = history.clock.move_times(neutral(text))
        end = text.find(history.cut) if history.cut else -1
        yield name, text[:end] if end > 0 else text


def _script_texts(history: History) -> Iterator[str]:
    for plan in sorted((history.directory / "mock").glob("*/plan.json")):
        for responses in json.loads(plan.read_text("utf-8")).get("script", {}).values():
            for action in (action for response in responses for action in response):
                yield from (action[name] for name in ("text", "old", "command"))


def small_choice(corpus: Path, most: int) -> list[Path]:
    """Histories of at most so many bytes together that have every value of every axis and every
    agent, as far as they fit.
    """
    sizes = {
        path: sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        for path in histories(corpus)
    }
    values = {
        path: {(axis, row[axis]) for axis in (*AXES, "agent")}
        for path in sizes
        for row in [about(path)]
    }
    seen: Counter[tuple[str, str]] = Counter()
    chosen: list[Path] = []
    while left := [path for path, size in sizes.items() if path not in chosen and size <= most]:
        best = max(
            left,
            key=lambda path: (
                sum(1 / (1 + 9 * seen[value]) for value in values[path]) / (sizes[path] + 40_000)
            ),
        )
        chosen.append(best)
        seen.update(values[best])
        most -= sizes[best]
    return sorted(chosen)
