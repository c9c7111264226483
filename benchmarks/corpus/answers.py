"""What is said of the lines of kept histories: by this program, and by the simple rules that others
count with.

Each contestant is a function of an unpacked history; it gives rows as the scorer reads them
(scorer/answers.schema.json).
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lab.install import CACHE
from lab.play import environment, plan_row, run_inside
from scorer import VERSION
from scorer.histories import WAS_AT, about, cpu_seconds, run_in, unpack

from collector.errors import EXIT_PARTIAL
from corpus.ledger import added_lines

ROOT = Path(__file__).parent.parent.parent
BLAME = ROOT / "benchmarks" / "scorer" / "examples" / "blame.py"
Row = dict[str, Any]
_PROGRAM = Path(sys.executable).parent / "whowrote"
_CLASSES = {
    "agent": "agent",
    "declared": "agent",
    "human": "person",
    "likely_human": "person",
    "tool": "tool",
}
_SPANS = (
    'SELECT commit_sha AS "commit", path, start_line AS start, end_line AS "end", class, how,'
    " reason, COALESCE(call_id, '') AS call, edited_by, COALESCE(witness, '') AS witness"
    " FROM line_spans"
)
_SOURCE = ("attribution", "collector", "whowrote")
_SECONDS = 600  # for a history
_TRAILER = re.compile(
    r"^co-authored-by:.*(claude|codex|copilot|opencode|gemini|cursor|noreply@anthropic|noreply@openai)",
    re.IGNORECASE | re.MULTILINE,
)
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_BLAMED = re.compile(r"([0-9a-f]{40}) (\d+) (\d+)")
OPENTRACES = "opentraces==0.4.13"
_AFTER = 1800  # seconds after a session's last event in which a commit is still counted as its


def git(clone: Path) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(clone), *arguments], capture_output=True, check=True
        )
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    return run


def arguments(clone: Path, home: Path, database: Path) -> list[str]:
    """Of this program, as a user calls it whose clone has moved since the agents worked in it."""
    options = ("--db", database, "--transcripts", home, "--was-at", WAS_AT)
    return ["repo", str(clone), *map(str, options)]


def spans_as_answers(database: Path) -> Iterator[Row]:
    """Spans of lines as answers."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        connection.row_factory = sqlite3.Row
        for span in connection.execute(_SPANS):
            yield {name: span[name] for name in ("commit", "path", "start", "end")} | _answer(span)


def _answer(line: Mapping[str, Any] | sqlite3.Row) -> Row:
    """Author of a line or span; `detail` is our class with how we know it, or why we do not."""
    known = (line["class"], line["how"].replace("none", ""), line["witness"])
    nobody = line["class"] in ("unknown", "undeclared", "")
    return {
        "class": _CLASSES.get(line["class"], "unknown"),
        "detail": line["reason"] if nobody else " ".join(dict.fromkeys(filter(None, known))),
        "call": line["call"],
        "edited_by": _CLASSES.get(line["edited_by"], ""),
    }


def by_this_program(clone: Path, home: Path) -> Iterator[Row]:
    database = clone.parent.parent / "lines.db"
    command = [str(_PROGRAM), *arguments(clone, home, database)]
    run_in(clone, command, _SECONDS, accepted=(0, EXIT_PARTIAL))
    yield from spans_as_answers(database)


def by_this_program_early(clone: Path, home: Path) -> Iterator[Row]:
    """What this program says of the lines of the last commit while they are in no commit yet."""
    run = git(clone)
    head, *parents = run("rev-list", "-1", "--parents", "HEAD").split(" ")
    if len(parents) != 1:
        return
    diff = run("diff", "--name-only", "--diff-filter=d", "-z", "HEAD~", "HEAD")
    changed = list(filter(None, diff.split("\0")))
    moment = int(run("show", "-s", "--format=%at", head))
    run("reset", "-q", "HEAD~")
    for path in changed:  # which the person who asks has just written
        os.utime(clone / path, (moment, moment), follow_symlinks=False)
    database = clone.parent.parent / "early.db"
    command = [str(_PROGRAM), *arguments(clone, home, database)]
    run_in(clone, command, _SECONDS, accepted=(0, EXIT_PARTIAL))
    for path in changed:
        blame = [str(_PROGRAM), "blame", "--json", "--db", str(database), path]
        for line in json.loads(run_in(clone, blame, _SECONDS)):
            if not line["commit"].strip("0"):
                row = {"commit": head, "path": path, "line": line["line"], "before_commit": True}
                yield row | _answer(line)


def _every_line(clone: Path, said: Callable[[str, float, str], str]) -> Iterator[Row]:
    """An answer for each line of each commit; `said` gets its id, its time and its message."""
    run = git(clone)
    for line in run("rev-list", "HEAD", "--parents").split("\n"):
        commit, *parents = line.split(" ")
        moment, _, message = run("show", "-s", "--format=%at%n%B", commit).partition("\n")
        answer = said(commit, float(moment), message)
        for path, numbers in added_lines(run, commit, parents).items():
            yield from (
                {"commit": commit, "path": path, "line": number, "class": answer}
                for number in sorted(numbers)
            )


def by_trailers(clone: Path, home: Path) -> Iterator[Row]:
    """A commit that names an agent as co-author is the agent's; nothing is said of the others."""
    yield from _every_line(
        clone, lambda commit, moment, message: "agent" if _TRAILER.search(message) else "unknown"
    )


def session_spans(home: Path) -> list[tuple[float, float]]:
    """First and last time in each transcript, in seconds."""
    spans = []
    for path in sorted(
        path
        for path in home.rglob("*")
        if path.is_file() and "shop" not in path.relative_to(home).parts[:1]
    ):
        if path.suffix == ".db":
            with sqlite3.connect(path) as connection:
                times = [
                    row[0] / 1000 for row in connection.execute("SELECT time_created FROM message")
                ]
        else:
            times = [
                datetime.fromisoformat(text).timestamp()
                for text in _TIME.findall(path.read_text("utf-8", "replace"))
            ]
        if times:
            spans.append((min(times), max(times)))
    return spans


def by_sessions(clone: Path, home: Path) -> Iterator[Row]:
    """Every line of a commit that was made in a session, or half an hour after it, is the
    agent's; the others are not told.
    """
    spans = session_spans(home)

    def said(commit: str, moment: float, message: str) -> str:
        return (
            "agent" if any(first <= moment <= last + _AFTER for first, last in spans) else "unknown"
        )

    yield from _every_line(clone, said)


def by_blame(clone: Path, home: Path) -> Iterator[Row]:
    """What git knows, which is the scorer's example of a program."""
    text = run_in(clone, [sys.executable, str(BLAME)], _SECONDS)
    yield from map(json.loads, text.splitlines())


def opentraces_program() -> Path:
    """The program, installed from PyPI when the cache lacks it."""
    directory = CACHE / "peers" / "opentraces"
    program = directory / "bin" / "opentraces"
    if not program.exists():
        subprocess.run(
            [sys.executable, "-m", "venv", str(directory)], check=True, capture_output=True
        )
        subprocess.run(
            [str(directory / "bin" / "pip"), "install", "-q", OPENTRACES],
            check=True,
            capture_output=True,
        )
    return program


def by_opentraces(clone: Path, home: Path) -> Iterator[Row]:
    """opentraces takes up the sessions of Claude Code that it finds, and names the trace of
    lines of the files as they are.
    """
    program, run = opentraces_program(), git(clone)
    commits = run("rev-list", "HEAD").split("\n")
    calls = {
        "init": ["init", "--agent", "claude-code", "--import-existing"],
        "backfill": ["backfill"],
    }
    calls |= {f"commit-{commit}": ["trail", "blame", "commit", commit] for commit in commits}
    rows = [
        plan_row(name, [program, "--json", *call], environment(), 120)
        for name, call in calls.items()
    ]
    log = clone.parent.parent / "opentraces"
    run_inside({"home": str(home), "commands": rows}, log)
    traced: set[tuple[str, int]] = set()
    for commit in commits:
        text = (log / f"commit-{commit}.out").read_text("utf-8")
        for path, lines in json.loads(text)["files"].items() if text.startswith("{") else ():
            traced |= {(path, line["n"]) for line in lines["lines"] if line["trace_id"]}
    for path in sorted({path for path, _ in traced}):
        blamed = run("blame", "--porcelain", "HEAD", "--", path).split("\n")
        for match in filter(None, map(_BLAMED.match, blamed)):
            if (path, int(match[3])) in traced:
                yield {"commit": match[1], "path": path, "line": int(match[2]), "class": "agent"}


EARLY = "whowrote-early"  # scored with the answers of whowrote
CONTESTANTS: Mapping[str, Callable[[Path, Path], Iterator[Row]]] = {
    "whowrote": by_this_program,
    EARLY: by_this_program_early,
    "trailers": by_trailers,
    "sessions": by_sessions,
    "blame": by_blame,
    "opentraces": by_opentraces,
}
# the others must be installed and take their time
ALWAYS = ("whowrote", "sessions", "trailers", "blame")
# Those that read the sessions of one agent alone are asked about its histories alone.
ONE_AGENT = {"opentraces": "claude-code"}


def asked(rows: Sequence[Path], name: str, most: int = 0) -> list[Path]:
    """Those of the histories that a contestant is asked about, the first so many if `most` is not
    0.
    """
    agent = ONE_AGENT.get(name)
    if agent is None:
        return list(rows)
    return [path for path in rows if about(path)["agent"] == agent][: most or None]


def answers(history: Path, name: str, kept: Path) -> Path | None:
    """What a contestant says of a history, as a file in the directory `kept`, where an earlier
    answer stands; None if it fails.
    """
    target = kept / f"{history.name}.jsonl"
    if target.exists():
        return target
    with tempfile.TemporaryDirectory() as scratch:
        clone = unpack(history, Path(scratch))
        before = cpu_seconds()
        try:
            rows = list(CONTESTANTS[name](clone, clone.parent))
        except RuntimeError as error:
            print(f"{name} {history.name}: {error}", file=sys.stderr)
            return None
        rows.append({"cpu_seconds": round(cpu_seconds() - before, 2)})
        rows[-1] |= {"before_commit": True} if name == EARLY else {}
    kept.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_text(
        "".join(json.dumps({"history": history.name, **row}) + "\n" for row in rows),
        "utf-8",
        errors="surrogateescape",
    )
    part.rename(target)
    return target


def kept_answers(part: str, name: str) -> Path:
    """Where the answers of a contestant about a part of the corpus are kept, by what they depend
    on.
    """
    return CACHE / "corpus" / "answers" / VERSION / part / f"{name}-{version_of(name)}"


def version_of(name: str) -> str:
    """What an answer depends on beside the history: the version of the program, with its commit
    if it is kept here.
    """
    if name == "opentraces":
        return OPENTRACES.rpartition("=")[2]
    ours = name in ("whowrote", EARLY)
    places = _SOURCE if ours else (f"benchmarks/corpus/{Path(__file__).name}", str(BLAME))
    number = version("whowrote").partition(".dev")[0] if ours else VERSION
    return f"{number}+g{git(ROOT)('log', '-1', '--format=%h', '--', *places)}"
