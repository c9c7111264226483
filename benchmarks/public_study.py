"""A study of public repositories: attributes those of a list at its commits, one after the other,
and writes docs/public-study.md.

    python benchmarks/public_study.py --list --mirrors DIR       adds every mirror that the list
        lacks, at its HEAD
    python benchmarks/public_study.py --mirrors DIR --db FILE    attributes (OWNER+NAME/repo,
        OWNER/NAME.git, or cloned from GitHub)
    python benchmarks/public_study.py --scan MINUTES --mirrors DIR --db FILE    measures
        maintainability and scans, small ones first
    python benchmarks/public_study.py --page --db FILE           writes the page from the list and
        the database

The list is benchmarks/data/public-study.csv. Its rows say what was done for a repository, by which
commit of this program, in how many seconds of CPU, and why not. Numbers of the page are computed,
its sentences are in docs/templates/public-study.md.
"""

from __future__ import annotations

import argparse
import csv
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import fill, table  # noqa: E402

from attribution.evaluation.maintainability.measure import DMM  # noqa: E402
from attribution.evaluation.maintainability.report import maintainability  # noqa: E402
from attribution.evaluation.study import published_values, study  # noqa: E402
from attribution.queries.breakdown import breakdown  # noqa: E402
from attribution.queries.breakdown_facts import BreakdownOptions  # noqa: E402
from attribution.queries.survival import records_of  # noqa: E402
from attribution.stats.accuracy import audited_note  # noqa: E402
from attribution.stats.comparison import BASELINES, compare  # noqa: E402
from attribution.weaknesses.queries.report import weakness_tables  # noqa: E402
from collector.checkpoints import read_all  # noqa: E402
from collector.checkpoints.statements import declared_agent  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.storage.store import Store  # noqa: E402
from collector.storage.views import Table  # noqa: E402
from collector.vocabulary.lines import LINE_CLASSES, LineClass  # noqa: E402
from collector.vocabulary.sessions import CheckpointStore  # noqa: E402

Row = Mapping[str, Any]

LIST = ROOT / "benchmarks" / "data" / "public-study.csv"
PAGE = ROOT / "docs" / "public-study.md"
REPOSITORIES = ROOT / "docs" / "public-study-repositories.csv"
_SECONDS = 600  # for one measure of one repository
CPU_SECONDS = 300  # for one step of one repository
MOST_COMMITS = 10_000
STEPS = ("lines", "history", "records")
_COLUMNS = (
    "repository",
    "commit",
    "commits",
    "bytes",
    "records",
    *(f"{step}_{of}" for step in STEPS for of in ("by", "seconds", "problem")),
)


def _git(directory: Path, *arguments: str) -> str:
    command = ["git", "-C", str(directory), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _mirror(mirrors: Path, name: str) -> Path:
    """The mirror of a repository, cloned when there is none."""
    for place in (mirrors / name.replace("/", "+") / "repo", mirrors / f"{name}.git"):
        if place.is_dir():
            return place
    target = mirrors / f"{name}.git"
    subprocess.run(
        ["git", "clone", "--quiet", "--mirror", f"https://github.com/{name}", str(target)],
        check=True,
    )
    return target


def add_mirrors(mirrors: Path) -> None:
    """Adds every mirror that the list lacks, at its HEAD; one without a commit is left out."""
    rows = {row["repository"]: row for row in _rows()}
    for place in sorted(mirrors.glob("*/repo")):
        name, commit = (
            place.parent.name.replace("+", "/", 1),
            _git(place, "rev-parse", "--verify", "--quiet", "HEAD"),
        )
        if name not in rows and commit:
            rows[name] = {"repository": name, "commit": commit, "bytes": str(_size(place))}
    _save(rows.values())


def attribute(mirrors: Path, db: Path) -> None:
    """Takes every step for every repository of the list: lines, then their history, then which
    records it has.

    A row says what each step took, or why the repository was left out of it. What this program
    tried at the same commit is not tried again, so a run that was ended goes on where it was.
    """
    rows = [dict.fromkeys(_COLUMNS, "") | row for row in _rows()]
    program = _program()
    for step in STEPS:
        for row in sorted(rows, key=_order):
            if row[f"{step}_by"] != program:
                began = _children_seconds()
                row[f"{step}_problem"] = _take(step, row, mirrors, db)
                row[f"{step}_by"], row[f"{step}_seconds"] = (
                    program,
                    f"{_children_seconds() - began:.1f}",
                )
                print(row["repository"], step, row[f"{step}_problem"] or "done", flush=True)
                _save(rows)


def _order(row: Row) -> tuple[bool, int]:
    """Those without sessions cost the least, and so do small ones."""
    return bool(set(row["records"].split("; ")) - {"", STATED, NOTES}), int(row["bytes"] or 0)


def _take(step: str, row: dict[str, str], mirrors: Path, db: Path) -> str:
    """Takes a step for a repository; returns why it could not, or ""."""
    try:
        mirror = _mirror(mirrors, row["repository"])
    except subprocess.CalledProcessError:
        return "cannot be cloned"
    row["commits"] = _git(mirror, "rev-list", "--count", row["commit"])
    if step != "records" and int(row["commits"] or 0) > MOST_COMMITS:
        return f"more than {MOST_COMMITS:,} commits"
    if step == "history" and row["lines_problem"]:
        return row["lines_problem"]
    if step == "records":
        row["records"], problem = _run([__file__, "--records", "--mirrors", str(mirror)])
        return problem
    words = (
        "--branch",
        row["commit"],
        "--name",
        row["repository"],
        "--local",
        "never",
        "--quiet",
    )
    followed = ["--history"] if step == "history" else []
    return _run(["-m", "whowrote", "repo", str(mirror), "--db", str(db), *words, *followed])[1]


def _run(command: Sequence[str]) -> tuple[str, str]:
    """What a Python program prints, and why it failed; it may use `CPU_SECONDS` in each of its
    processes.
    """
    began = _children_seconds()
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5)),
    )
    if done.returncode in (0, 3):
        return done.stdout.strip(), ""
    if done.returncode == -signal.SIGXCPU or _children_seconds() - began > 0.9 * CPU_SECONDS:
        return "", f"more than {CPU_SECONDS} s"
    said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
    return (
        "",
        next(
            (line.removeprefix("error: ") for line in said if line.startswith("error: ")), said[-1]
        )[:100],
    )


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _program() -> str:
    """The commit that last changed what is run."""
    asked = ["git", "log", "-1", "--format=%h", "--abbrev=12", "--", "collector", "attribution"]
    return subprocess.run(
        asked, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()


def _save(rows: Iterable[Mapping[str, str]]) -> None:
    written = LIST.with_suffix(".new")
    with written.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["repository"]))
    written.replace(LIST)


def scan(mirrors: Path, db: Path, minutes: float) -> None:
    """Maintainability and weaknesses of the attributed repositories, those with the fewest lines
    first, until the time is over.
    """
    end = time.monotonic() + 60 * minutes
    with Store(db, create=False) as store:
        names = [row["name"] for row in store.rows(_BY_SIZE)]
    for name in names:
        for what, command in _MEASURES.items():
            left = min(_SECONDS, end - time.monotonic())
            if left <= 0:
                return
            words = [
                sys.executable,
                "-m",
                "whowrote",
                *command,
                "1",
                "--db",
                str(db),
                str(_mirror(mirrors, name)),
            ]
            try:
                done = subprocess.run(
                    words, cwd=ROOT, capture_output=True, text=True, timeout=left, check=False
                )
                print(
                    name,
                    what,
                    done.stderr.strip().splitlines()[-1:] if done.returncode else "done",
                    flush=True,
                )
            except subprocess.TimeoutExpired:
                print(name, what, f"more than {left:.0f} s", flush=True)


_MEASURES = {
    "maintainability": ("report", "maintainability", "--jobs"),
    "scan": ("findings", "scan", "--scan-jobs"),
}
_BY_SIZE = (
    "SELECT r.name, COALESCE(SUM(f.lines_added), 0) AS lines FROM repos r JOIN commits c ON"
    " c.repo_id = r.id JOIN commit_files f ON f.commit_id = c.id GROUP BY r.id ORDER BY 2, 1"
)


# --- which records speak --------------------------------------------------------------------------

_KINDS = {  # what a file of the history is called here, by its path
    "histories of Aider": r"\.aider\.",
    "histories of SpecStory": r"\.specstory/",
    "homes of Claude Code": r"\.claude/projects/",
    "homes of Codex": r"\.codex/",
    "logs of Claude Code's hooks": r"(?:^|/)logs/",
    "databases of Crush": r"\.crush/",
    "files of Entire": r"\.entire/",
    "trajectories and chats": r"traj",
    "transcripts under other names": r"session",
}
CHECKPOINTS, STATED, NOTES = (
    "checkpoints of Entire",
    "commits that name an agent",
    "notes of other tools",
)
NOTHING = "none of these"


def records_in(mirror: Path) -> list[str]:
    """The kinds of records that a mirror has."""
    repo = GitRepo(mirror)
    kinds = set()
    for checkpoint in read_all(repo):
        named = next((kind for kind, path in _KINDS.items() if re.search(path, checkpoint.ref)), "")
        kinds.add(named if checkpoint.store is CheckpointStore.TREE else CHECKPOINTS)
    if any(ref.startswith("refs/notes/") for ref in repo.refs()):
        kinds.add(NOTES)
    if any(
        declared_agent(commit) is not None for commit in repo.history(repo.default_branch().sha)
    ):
        kinds.add(STATED)
    return sorted(kinds)


def _size(mirror: Path) -> int:
    return sum(file.stat().st_size for file in mirror.rglob("*") if file.is_file())


def _records(attributed: Sequence[Row]) -> dict[str, str]:
    """For how many repositories each kind of record speaks, and what was said of their lines;
    `attributed` has a row for each.
    """
    rows = _rows()
    lines = {row["repository"]: row for row in attributed}
    kinds = {
        row["repository"]: set(row["records"].split("; ")) - {""}
        for row in rows
        if not row["records_problem"]
    }
    cells = []
    for kind in (CHECKPOINTS, *_KINDS, STATED, NOTES, NOTHING):
        names = [
            name for name, each in kinds.items() if kind in each or (not each and kind == NOTHING)
        ]
        of = [lines[name] for name in names if name in lines]
        whole = sum(row["lines"] for row in of)
        shares = (_percent(sum(row[f"{name}_lines"] for row in of), whole) for name in _SHOWN)
        cells.append((kind, len(names), len(of), f"{whole:,}", *shares))
    unread = [
        f"{row['repository']} ({row['records_problem']})" for row in rows if row["records_problem"]
    ]
    return {
        "recorded_of": f"{len(kinds):,}",
        "recorded_unread": (
            f"Not read: {', '.join(unread)}."
            if unread
            else f"Each was read within {CPU_SECONDS} seconds."
        ),
        "recorded": f"{sum(bool(each - {STATED}) for each in kinds.values()):,}",
        "recorded_size": f"{sum(int(row['bytes'] or 0) for row in rows) / 1e9:,.1f}",
        "records": table(
            ("record", "repositories", "with lines", "lines", *(f"`{name}`" for name in _SHOWN)),
            cells,
        ),
    }


_SHOWN = ("agent", "declared", "human", "tool", "unknown", "undeclared")


def _steps(store: Store) -> dict[str, str]:
    """How many repositories of the list went through each step, what it took, and which were
    left out and why.
    """
    rows = _rows()
    done = {
        step: [row for row in rows if row[f"{step}_by"] and not row[f"{step}_problem"]]
        for step in STEPS
    }
    left = [
        (row["repository"], f"{int(row['commits'] or 0):,}", _reason(row))
        for row in rows
        if _reason(row)
    ]
    pages, size = (store.value(f"PRAGMA {name}") for name in ("page_count", "page_size"))
    seconds = sum(float(row[f"{step}_seconds"] or 0) for row in rows for step in STEPS)
    return {
        "listed": f"{len(rows):,}",
        "programs": (
            ", ".join(f"`{name}`" for name in sorted({row["lines_by"] for row in rows} - {""}))
            or "none"
        ),
        "attributed": f"{len(done['lines']):,}",
        "followed": f"{len(done['history']):,}",
        "seconds_each": f"{CPU_SECONDS}",
        "hours": f"{seconds / 3600:,.1f}",
        "database": f"{pages * size / 1e9:,.1f}",
        "left_out": (
            table(("repository", "commits", "why it has no lines here"), left) if left else "None."
        ),
    }


def _reason(row: Row) -> str:
    return row["lines_problem"] or ("" if row["lines_by"] else "the run was ended before it")


def _rows() -> list[dict[str, str]]:
    with LIST.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- the page -------------------------------------------------------------------------------------


def page(store: Store) -> str:
    """docs/public-study.md."""
    tables = {one.name: one for one in study(store)}
    whole = breakdown(store, BreakdownOptions(("repository",)))
    text = fill(
        "public-study.md",
        {
            **_numbers(store, whole.whole),
            **_claims(tables),
            **_rework(store),
            **_weaknesses(store),
            **_quality(store),
            **_without_lines(whole.table.rows),
            **_records(whole.table.rows),
            **_steps(store),
        },
    )
    for section, stage in _SLOW.items():
        if not store.value(_DONE, (stage,)):
            text = _keep(section, text)
    return text


# section -> the stage that it needs
_SLOW = {"What became of them": "history", "Weaknesses and maintainability": "weaknesses"}
_DONE = "SELECT COUNT(DISTINCT repo_id) FROM stage_runs WHERE stage = ? AND finished_at IS NOT NULL"
_KEPT = "\n*Of an earlier run; the repositories that were added since have no part in it.*\n"


def _keep(section: str, text: str) -> str:
    """The page with what an earlier one says in a section, if there is one: its stage takes
    longer than all the rest.
    """
    found = re.compile(rf"(?<=^## {section}\n).*?(?=^## )", re.M | re.S)
    earlier = found.search(PAGE.read_text("utf-8")) if PAGE.exists() else None
    return found.sub(lambda _: _KEPT + earlier[0].removeprefix(_KEPT), text) if earlier else text


def _numbers(store: Store, whole: Row) -> dict[str, str]:
    def count(sql: str) -> str:
        return f"{store.value(sql) or 0:,}"

    classes = {name: whole[f"{name}_lines"] for name in LINE_CLASSES}
    people = "COALESCE(q.special, '') <> 'no_prompt'"
    turns = "FROM turn_outcomes WHERE origin IN ('prompt', 'queued', 'plan')"
    return {
        "repositories": count("SELECT COUNT(*) FROM repos"),
        "sessions": count(
            "SELECT COUNT(*) FROM corpus_sessions k JOIN scores q ON q.session_id = k.session_id"
            f" WHERE {people}"
        ),
        "commits": f"{whole['commits']:,}",
        "lines": f"{whole['lines']:,}",
        "first": str(store.value("SELECT substr(MIN(started_at), 1, 10) FROM sessions")),
        "last": str(store.value("SELECT substr(MAX(started_at), 1, 10) FROM sessions")),
        "classes": table(
            ("class", "lines", "share"),
            [
                (f"`{name}`", f"{lines:,}", _percent(lines, whole["lines"]))
                for name, lines in classes.items()
            ],
        ),
        "people": f"{classes['human']:,}",
        "dated": count(f"{_PEOPLE} AND evidence = 'dated'"),
        "coverage": _share(whole, "coverage"),
        "agent": _share(whole, "agent_share"),
        "either": _share(whole, "agent_or_declared_share"),
        "audited": (
            f"In all audits, {audited_note('agent', 'declared', 'human', 'likely_human', 'tool')}."
        ),
        "kept": _share(whole, "agent_kept_30_days"),
        "kept_undeclared": _share(whole, "undeclared_kept_30_days"),
        "present": _share(whole, "agent_at_head"),
        "priced": f"{whole['prompts_with_cost']:,} of {whole['prompts']:,}",
        "cost": f"{whole['cost_usd']:,.0f}" if whole["cost_usd"] else "an unknown number of",
        "prompts": count(f"SELECT COUNT(*) {turns}"),
        "writing": count(f"SELECT COUNT(*) {turns} AND produced > 0"),
        "changed_next": _percent(*_sums(store, "changed_next", "produced")),
        "committed": _percent(*_sums(store, "committed", "produced")),
        "discarded": _percent(*_sums(store, "discarded", "produced")),
    }


_PEOPLE = (
    "SELECT SUM(nonblank) FROM line_spans WHERE kind IN ('source', 'test') AND class = 'human'"
)


def _sums(store: Store, part: str, of: str) -> tuple[int, int]:
    (row,) = store.rows(
        f"SELECT SUM(MIN({part}, {of})) AS part, SUM({of}) AS whole FROM turn_outcomes"
    )
    return row["part"] or 0, row["whole"] or 0


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _share(row: Row, name: str) -> str:
    if row[name] is None:
        return "not known"
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    band = f" ({100 * low:.0f} to {100 * high:.0f})" if low is not None else ""
    return f"{100 * row[name]:.1f} %{band} of {row[f'{name}_of']:,} lines"


def _row(found: Table, **wanted: str) -> Mapping[str, Any]:
    return next(
        (
            row
            for row in found.rows
            if all(row.get(name) == value for name, value in wanted.items())
        ),
        {},
    )


def _claims(tables: Mapping[str, Table]) -> dict[str, str]:
    """The paper's headline claims, each beside our number and whether it lies in our interval."""
    modes, turns, produced = (
        tables["coding_modes"],
        tables["turn_outcomes"],
        tables["produced_lines"],
    )
    vibe, alone, theirs = (
        _row(modes, mode=mode, counted_by=side)
        for mode, side in (("vibe", "ours"), ("human_only", "ours"), ("human_only", "vendor"))
    )
    of_modes, of_efficiency = (
        published_values("coding_modes"),
        published_values("coding_efficiency")["all"]["paper_v1"],
    )
    of_vibe, of_alone = (
        of_modes[f"{mode} | vendor"]["paper_v1"] for mode in ("vibe", "human_only")
    )
    efficiency = _row(tables["coding_efficiency"], sessions="all")
    kept, claude = (
        _row(tables["survival_to_commit"], sessions="all"),
        _row(tables["agents"], agent="claude-code"),
    )
    rows = [
        _claim("sessions in which agents write virtually all committed code", of_vibe, vibe),
        _claim("sessions in which people write all of it", of_alone, alone),
        _claim("the same, by the recorder's count", of_alone, theirs),
        _claim("produced lines that survive into a commit", of_efficiency, efficiency),
        _claim("the same, mean over sessions", of_efficiency, efficiency, "mean"),
        _claim(
            "lines of the final state in a commit",
            published_values("survival_to_commit")["all"]["paper_v1"],
            kept,
        ),
        _claim("sessions of Claude Code", claude.get("paper_v1_share"), claude, "share"),
    ]
    for mode in ("human_only", "collaborative", "vibe"):
        row = _row(turns, turns="interrupted by the user", mode=mode)
        rows.append(
            _claim(
                f"turns interrupted by the user, {mode.replace('_', ' ')}", row.get("paper_v1"), row
            )
        )
    fates = published_values("produced_lines")
    for name, of in (("self overwritten", "self overwritten"), ("human deleted", "not committed")):
        row = _row(produced, sessions="all", fate=name)
        rows.append(_claim(f"produced lines, {name}", fates[f"all | {of}"]["paper_v1"], row))
    return {"claims": table(("what the paper says", "paper", "here (95 %)", ""), rows)}


def _rework(store: Store) -> dict[str, str]:
    """Lines removed within 30 days: agents' against each baseline in the repositories that have
    both.
    """
    followed = store.rows("SELECT repo_id FROM tip_states ORDER BY repo_id")
    records = records_of(store, [row["repo_id"] for row in followed])
    agents = {r.repo for r in records if r.author == LineClass.AGENT}
    rows = []
    for name, belongs in BASELINES.items():
        shared = agents & {r.repo for r in records if belongs(r)}
        c = compare([r for r in records if r.repo in shared], name)
        excess = _band(c.excess_rework, c.excess_low, c.excess_high)
        lines = (f"{c.rework_agent.lines:,}", f"{c.rework_baseline.lines:,}")
        rows.append((name, excess, *lines, len(shared)))
    head = ("against", "excess (95 %)", "agents' lines", "others' lines", "repositories")
    return {"rework": table(head, rows)}


def _claim(
    what: str, published: float | None, row: Mapping[str, Any], name: str = "pooled"
) -> tuple[str, str, str, str]:
    value, low, high = (row.get(column) for column in (name, f"{name}_low", f"{name}_high"))
    if value is None or published is None:
        return what, f"{published:.1%}" if published is not None else "", "too few sessions", ""
    inside = (
        "" if low is None or high is None else "within" if low <= published <= high else "outside"
    )
    return what, f"{published:.1%}", _band(value, low, high), inside


def _band(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "too few lines or commits"
    return (
        f"{value:.1%} ({low:.1%} to {high:.1%})"
        if low is not None and high is not None
        else f"{value:.1%}"
    )


def _weaknesses(store: Store) -> dict[str, str]:
    """Findings of high and medium confidence in source files, by class of author, and what
    became of them.
    """
    scanned = store.value(_DONE, ("weaknesses",))
    if not scanned:
        return {
            "scanned": "0",
            "scanned_lines": "0",
            "weaknesses": "Nothing was scanned.",
            "fates": "",
        }
    tables = {each.name: each.rows for each in weakness_tables(store, by=("class",))}
    cells = [
        (
            f"`{row['author']}`",
            row["events"],
            f"{row['lines']:,}",
            (
                f"{row['rate']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
                if row["rate"] is not None
                else "too few lines"
            ),
        )
        for row in tables["class"]
    ]
    fates = [
        f"of {f['findings']} by `{f['author']}` {f['present']} still there at HEAD"
        for f in tables["fates"]
    ]
    return {
        "scanned": str(scanned),
        "scanned_lines": f"{sum(row['lines'] for row in tables['class']):,}",
        "weaknesses": table(
            ("author", "findings", "scanned lines", "per 1,000 lines (95 %)"), cells
        ),
        "fates": "; ".join(fates) or "none",
    }


def _quality(store: Store) -> dict[str, str]:
    """Mean delta maintainability of commits, weighted by the lines of each class, and agents
    against undeclared lines.
    """
    if not store.value("SELECT COUNT(*) FROM commit_quality"):
        return {"measured": "0", "measured_commits": "0", "quality": "Nothing was measured."}
    tables = {found.name: found for found in maintainability(store)}
    means = {
        (row["name"], row["metric"]): row
        for row in tables["maintainability"]
        if row["by"] == "class"
    }
    cells = [
        (
            f"`{name}`",
            f"{means[name, DMM[0]]['whole']:,.0f}",
            *(_estimate(means[name, metric], "mean") for metric in DMM),
        )
        for name in dict.fromkeys(name for name, _ in means)
        if means[name, DMM[0]]["mean"] is not None
    ]
    differences = {(row["metric"], row["reference"]): row for row in tables["differences"]}
    gaps = [_estimate(differences.get((metric, "undeclared"), {}), "alike") for metric in DMM]
    cells.append(("agents less undeclared, alike commits", "", *gaps))
    head = ("author", "whole commits", "short functions", "simple functions", "few parameters")
    repositories, commits = store.rows(
        "SELECT COUNT(DISTINCT repo_id) AS r, COUNT(*) AS n FROM commit_quality"
    )[0].values()
    return {
        "measured": str(repositories),
        "measured_commits": f"{commits:,}",
        "quality": table(head, cells),
    }


def _estimate(row: Mapping[str, Any], name: str) -> str:
    value, low, high = (row.get(column) for column in (name, f"{name}_low", f"{name}_high"))
    if value is None:
        return "too few commits"
    return f"{value:.3f}" + (f" ({low:.3f} to {high:.3f})" if low is not None else "")


_SHARES = ("coverage", "agent_share", "agent_kept_30_days", "undeclared_kept_30_days")


def write_repositories(store: Store) -> None:
    """The numbers of each repository, beside the page."""
    rows = breakdown(store, BreakdownOptions(("repository",))).table
    commits = {row["repository"]: row["commit"] for row in _rows()}
    counted = store.rows(
        "SELECT r.name, COUNT(*) AS n FROM sessions s JOIN repos r ON r.id = s.repo_id GROUP BY 1"
    )
    sessions = {row["name"]: row["n"] for row in counted}
    head = (
        "repository",
        "commit",
        "sessions",
        "commits",
        "lines",
        "coverage",
        "agents",
        "kept 30 days",
        "undeclared kept",
    )
    with REPOSITORIES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        for row in rows:
            name = row["repository"]
            shares = (_short(row[share]) for share in _SHARES)
            numbers = (sessions.get(name, 0), row["commits"], row["lines"])
            writer.writerow((name, commits.get(name, "")[:9], *numbers, *shares))


def _without_lines(rows: Sequence[Row]) -> dict[str, str]:
    names = sorted(
        {row["repository"] for row in _rows()}
        - {row["repository"] for row in rows}
        - {row["repository"] for row in _rows() if _reason(row)}
    )
    return {"missing": f"Without a line of source or tests: {', '.join(names) or 'none'}."}


def _short(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--scan", type=float, metavar="MINUTES")
    parser.add_argument("--records", action="store_true", help=argparse.SUPPRESS)  # of one mirror
    given = parser.parse_args()
    if given.records:
        print("; ".join(records_in(given.mirrors)))
    elif given.list:
        add_mirrors(given.mirrors)
    elif given.page:
        with Store(given.db, create=False) as store:
            PAGE.write_text(page(store), "utf-8")
            write_repositories(store)
    elif given.scan:
        scan(given.mirrors, given.db, given.scan)
    else:
        attribute(given.mirrors, given.db)


if __name__ == "__main__":
    main()
