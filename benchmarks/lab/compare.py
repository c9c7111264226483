"""What the program reads of a run beside what the model served and what happened to every line."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lab.play import REPOSITORY, environment, plan_row, read_rows, run_inside

TOKENS = ("input", "output", "cached", "written")
_PROGRAM = Path(sys.executable).parent / "whowrote"
_SESSIONS = """SELECT agent, agent_version, model, turns, tool_calls, input_tokens AS input,
output_tokens AS output,
  cache_read_tokens AS cached, cache_write_tokens AS written FROM sessions"""


@dataclass
class Facts:
    """What the model served, or what was read of it."""

    calls: list[str] = field(default_factory=list)  # names of tools
    edits: list[str] = field(default_factory=list)  # paths, once for each change
    tokens: dict[str, int] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)
    # tokens of requests after a step's last answer, as for a summary
    later: dict[str, int] = field(default_factory=dict)
    unclear: int = 0  # calls of which nothing tells whether they succeeded


@dataclass
class Comparison:
    agent: str
    version: str
    scenario: str
    source: str  # local or checkpoints
    served: Facts
    side: dict[str, int]  # tokens of requests for titles and the like
    read: Facts
    lines: dict[str, int]  # "who wrote it > what was said" -> lines
    differences: list[str]
    problems: list[str]  # what the program itself reported


def served_facts(run: Path) -> tuple[Facts, dict[str, int]]:
    """What the model of the run's agent served, and the tokens of its side requests."""
    about = json.loads((run / "run.json").read_text("utf-8"))
    facts = Facts(prompts=about["prompts"], versions=[about["version"]])
    logs = sorted((run / "mock").iterdir(), key=lambda log: int(log.name.partition("-")[0]))
    requests = [row for log in logs for row in read_rows(log / "requests.jsonl")]
    interrupted = {
        row["key"]: row["usage"] for log in logs for row in read_rows(log / "interrupted.jsonl")
    }
    requests = [row | {"usage": interrupted.get(row.get("key"), row["usage"])} for row in requests]
    main = [row for row in requests if not row["side"]]
    facts.calls = [call["name"] for row in main for call in row["calls"]]
    changes = [row for log in logs for row in read_rows(log / "changes.jsonl")]
    # Aider makes an empty file before it asks the model
    facts.edits = sorted(row["path"] for row in changes if row["step"])
    facts.models = sorted({row["model"] for row in main})
    facts.tokens = _tokens(row["usage"] for row in main)
    facts.later = _tokens(row["usage"] for row in requests if row["side"] and "step" in row)
    facts.unclear = sum(start.get("interrupted_calls", 0) for start in about["starts"])
    return facts, _tokens(row["usage"] for row in requests if row["side"])


def _tokens(usages: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for usage in usages:
        total.update({name: usage[name] for name in TOKENS})
    return {name: total[name] for name in TOKENS}


def read_facts(database: Path) -> Facts:
    """What the database tells about all sessions."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as rows:
        rows.row_factory = sqlite3.Row
        sessions = rows.execute(_SESSIONS).fetchall()
        calls = rows.execute("SELECT name, status FROM tool_calls ORDER BY id").fetchall()
        edits = rows.execute(
            "SELECT path FROM edits WHERE outcome = 'applied' ORDER BY path"
        ).fetchall()
        turns = rows.execute(
            "SELECT prompt FROM turns WHERE origin <> 'injected' ORDER BY at, id"
        ).fetchall()
    return Facts(
        calls=[row["name"] for row in calls],
        edits=[row["path"] for row in edits],
        tokens={name: sum(row[name] or 0 for row in sessions) for name in TOKENS},
        prompts=[row["prompt"] or "" for row in turns],
        models=sorted({row["model"] or "" for row in sessions}),
        versions=sorted({row["agent_version"] or "" for row in sessions}),
        unclear=sum(row["status"] == "unknown" for row in calls),
    )


def attribute(run: Path, source: str = "local", options: Sequence[str] = ()) -> Path:
    """Attributes the clone of the run as its user would; the database."""
    database = run / f"{source}.db"
    database.unlink(missing_ok=True)
    variables = environment({"XDG_CACHE_HOME": str(run / "cache")})
    repo: list[str | Path] = [_PROGRAM, "repo", str(REPOSITORY), "--db", str(database), *options]
    paths = sorted({row["path"] for row in read_rows(run / "truth.jsonl")})
    blames: list[list[str | Path]] = [
        [_PROGRAM, "blame", str(REPOSITORY), path, "--db", str(database), "--json"]
        for path in paths
    ]
    commands = [plan_row("repo", repo, variables, 300)]
    commands += [
        plan_row(f"blame-{number}", blame, variables, 120) for number, blame in enumerate(blames)
    ]
    run_inside({"home": str(run / "home"), "commands": commands}, run / f"read-{source}")
    return database


def line_table(run: Path, source: str) -> tuple[dict[str, int], list[str]]:
    """How many lines of each author were said to be whose, and the wrong ones."""
    truth = read_rows(run / "truth.jsonl")
    paths = sorted({row["path"] for row in truth})
    said = {}
    for number, path in enumerate(paths):
        text = (run / f"read-{source}" / f"blame-{number}.out").read_text("utf-8")
        answer = json.loads(text) if text.lstrip().startswith(("[", "{")) else []
        for row in answer["lines"] if isinstance(answer, dict) else answer:
            said[path, row["line"]] = row
    counts: Counter[str] = Counter()
    wrong = []
    for row in truth:
        verdict = said.get((row["path"], row["line"]), {})
        author, how = verdict.get("class") or "none", verdict.get("how") or ""
        author = "unknown" if author == "undeclared" else author
        author = f"{author}, edited" if author == "agent" and how == "edited" else author
        counts[f"{row['who']} > {author}"] += 1
        if {row["who"], author.partition(",")[0]} == {"human", "agent"}:
            wrong.append(
                f"lines: {row['path']}:{row['line']} of {row['who']} said to be {author}:"
                f" {row['text']}"
            )
    return dict(sorted(counts.items())), wrong


def differences(served: Facts, side: Mapping[str, int], read: Facts) -> list[str]:
    """In words, what was read otherwise than served."""
    found = []
    if len(read.calls) != len(served.calls):
        found.append(f"calls: {len(read.calls)} of {len(served.calls)}")
    missing, extra = (
        Counter(served.edits) - Counter(read.edits),
        Counter(read.edits) - Counter(served.edits),
    )
    if missing or extra:
        found.append(f"edits: missing {dict(missing)}, too many {dict(extra)}")
    with_side = {name: served.tokens[name] + side[name] for name in TOKENS}
    with_later = {name: served.tokens[name] + served.later.get(name, 0) for name in TOKENS}
    if read.tokens not in (served.tokens, with_later, with_side):
        found.append(f"tokens: {_numbers(read.tokens)} for {_numbers(served.tokens)}")
    if len(read.prompts) != len(served.prompts) or any(
        prompt not in text for prompt, text in zip(served.prompts, read.prompts, strict=True)
    ):
        found.append(f"prompts: {read.prompts} for {served.prompts}")
    if read.models != served.models:
        found.append(f"models: {read.models} for {served.models}")
    if not all(served.versions[0] in version for version in read.versions) or not read.versions:
        found.append(f"version: {read.versions} for {served.versions[0]}")
    if read.unclear > served.unclear:
        found.append(f"results: {read.unclear} calls without one")
    return found


def _numbers(tokens: Mapping[str, int]) -> str:
    return "/".join(str(tokens.get(name, 0)) for name in TOKENS)


def compare(run: Path, source: str = "local", options: Sequence[str] = ()) -> Comparison:
    """Attributes a run and compares; the result is also in `comparison-<source>.json` in its
    directory.
    """
    about = json.loads((run / "run.json").read_text("utf-8"))
    database = attribute(run, source, options)
    served, side = served_facts(run)
    log = run / f"read-{source}"
    problems = [line for line in (log / "repo.err").read_text("utf-8").splitlines() if line.strip()]
    read = read_facts(database) if database.exists() else Facts(tokens=dict.fromkeys(TOKENS, 0))
    lines, wrong = line_table(run, source)
    found = differences(served, side, read) + wrong
    comparison = Comparison(
        about["agent"],
        about["version"],
        about["scenario"],
        source,
        served,
        side,
        read,
        lines,
        found,
        problems,
    )
    (run / f"comparison-{source}.json").write_text(
        json.dumps(asdict(comparison), indent=1), "utf-8"
    )
    return comparison


def table_row(comparison: Comparison) -> tuple[str, ...]:
    """agent, version, scenario, calls, edits, tokens, lines of the agent, lines of the person."""
    served, read, lines = comparison.served, comparison.read, comparison.lines
    edits = sum((Counter(served.edits) & Counter(read.edits)).values())
    agent = {
        said: count
        for key, count in lines.items()
        for who, said in [key.split(" > ")]
        if who == "agent"
    }
    human = {
        said: count
        for key, count in lines.items()
        for who, said in [key.split(" > ")]
        if who == "human"
    }
    right = agent.get("agent", 0) + agent.get("agent, edited", 0)
    words = ", ".join(f"{count} {said}" for said, count in sorted(human.items()))
    tokens = f"{_numbers(read.tokens)} of {_numbers(served.tokens)}"
    counts = (
        f"{len(read.calls)}/{len(served.calls)}",
        f"{edits}/{len(served.edits)}",
        tokens,
        f"{right}/{sum(agent.values())}",
        words,
    )
    return (comparison.agent, comparison.version, comparison.scenario, comparison.source, *counts)


HEADERS = (
    "agent",
    "version",
    "scenario",
    "source",
    "calls",
    "edits",
    "tokens",
    "agent's lines",
    "person's lines",
)
