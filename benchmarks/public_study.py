"""A study of public repositories with checkpoints: attributes those of a list at its commits, and writes docs/public-study.md.

    python benchmarks/public_study.py --mirrors DIR --db FILE    attributes (OWNER+NAME/repo, OWNER/NAME.git, or cloned from GitHub)
    python benchmarks/public_study.py --scan MINUTES --mirrors DIR --db FILE    measures maintainability and scans, small ones first
    python benchmarks/public_study.py --page --db FILE           writes the page from the database
    python benchmarks/public_study.py --list --mirrors DIR       writes the list: every mirror with checkpoints, at its HEAD
    python benchmarks/public_study.py --records --mirrors DIR    which records each mirror has, in benchmarks/data/records.csv

The list is benchmarks/data/public-study.csv. A mirror that the table of records has at the same commit, read by the same program,
is not read again. Numbers of the page are computed, its sentences are in docs/templates/public-study.md.
"""

from __future__ import annotations

import argparse
import csv
import re
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
from attribution.stats.accuracy import audited_note  # noqa: E402
from attribution.weaknesses.queries.report import weakness_tables  # noqa: E402
from collector.checkpoints import read_all  # noqa: E402
from collector.checkpoints.statements import declared_agent  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.storage.store import Store  # noqa: E402
from collector.storage.views import Table  # noqa: E402
from collector.vocabulary.lines import LINE_CLASSES  # noqa: E402
from collector.vocabulary.sessions import CheckpointStore  # noqa: E402

Row = Mapping[str, Any]

LIST = ROOT / "benchmarks" / "data" / "public-study.csv"
RECORDS = ROOT / "benchmarks" / "data" / "records.csv"
PAGE = ROOT / "docs" / "public-study.md"
_SECONDS = 600  # for one repository


def _git(directory: Path, *arguments: str) -> str:
    command = ["git", "--git-dir", str(directory), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _mirror(mirrors: Path, name: str) -> Path:
    """The mirror of a repository, cloned when there is none."""
    for place in (mirrors / name.replace("/", "+") / "repo", mirrors / f"{name}.git"):
        if place.is_dir():
            return place
    target = mirrors / f"{name}.git"
    subprocess.run(["git", "clone", "--quiet", "--mirror", f"https://github.com/{name}", str(target)], check=True)
    return target


def listed(mirrors: Path) -> list[tuple[str, str]]:
    """(name, HEAD) of every mirror that has a ref of Entire's checkpoints."""
    found = []
    for place in sorted(mirrors.glob("*/repo")):
        refs = _git(place, "for-each-ref", "--format=%(refname)").split()
        if any(ref.startswith("refs/entire/") or "entire/checkpoints" in ref for ref in refs):
            found.append((place.parent.name.replace("+", "/"), _git(place, "rev-parse", "HEAD")))
    return found


def attribute(mirrors: Path, db: Path) -> None:
    """Every repository of the list, one after the other; those that fail are named and left out."""
    for row in _rows():
        try:
            command = [
                sys.executable, "-m", "whowrote", "repo", str(_mirror(mirrors, row["repository"])), "--branch", row["commit"],
                "--name", row["repository"], "--history", "--quiet", "--db", str(db),
            ]  # fmt: skip
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
            said = "" if done.returncode in (0, 3) else done.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            said = f"more than {_SECONDS} s"
        except subprocess.CalledProcessError:
            said = "cannot be cloned"
        print(row["repository"], said or "done", flush=True)


def scan(mirrors: Path, db: Path, minutes: float) -> None:
    """Maintainability and weaknesses of the attributed repositories, those with the fewest lines first, until the time is over."""
    end = time.monotonic() + 60 * minutes
    with Store(db, create=False) as store:
        names = [row["name"] for row in store.rows(_BY_SIZE)]
    for name in names:
        for what, command in _MEASURES.items():
            left = min(_SECONDS, end - time.monotonic())
            if left <= 0:
                return
            words = [sys.executable, "-m", "whowrote", *command, "1", "--db", str(db), str(_mirror(mirrors, name))]
            try:
                done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=left, check=False)
                print(name, what, done.stderr.strip().splitlines()[-1:] if done.returncode else "done", flush=True)
            except subprocess.TimeoutExpired:
                print(name, what, f"more than {left:.0f} s", flush=True)


_MEASURES = {"maintainability": ("report", "maintainability", "--jobs"), "scan": ("findings", "scan", "--scan-jobs")}
_BY_SIZE = (
    "SELECT r.name, COALESCE(SUM(f.lines_added), 0) AS lines FROM repos r JOIN commits c ON c.repo_id = r.id "
    "JOIN commit_files f ON f.commit_id = c.id GROUP BY r.id ORDER BY 2, 1"
)


# --- which records speak ----------------------------------------------------------------------------------------------

_KINDS = {  # what a file of the history is called here, by its path
    "histories of Aider": r"\.aider\.", "histories of SpecStory": r"\.specstory/", "homes of Claude Code": r"\.claude/projects/",
    "homes of Codex": r"\.codex/", "logs of Claude Code's hooks": r"(?:^|/)logs/", "databases of Crush": r"\.crush/",
    "files of Entire": r"\.entire/", "trajectories and chats": r"traj", "transcripts under other names": r"session",
}  # fmt: skip
CHECKPOINTS, STATED, NOTES = "checkpoints of Entire", "commits that name an agent", "notes of other tools"


def records_in(mirror: Path) -> list[str]:
    """The kinds of records that a mirror has."""
    repo = GitRepo(mirror)
    kinds = set()
    for checkpoint in read_all(repo):
        named = next((kind for kind, path in _KINDS.items() if re.search(path, checkpoint.ref)), "")
        kinds.add(named if checkpoint.store is CheckpointStore.TREE else CHECKPOINTS)
    if any(ref.startswith("refs/notes/") for ref in repo.refs()):
        kinds.add(NOTES)
    if any(declared_agent(commit) is not None for commit in repo.history(repo.default_branch().sha)):
        kinds.add(STATED)
    return sorted(kinds)


def count_records(mirrors: Path) -> None:
    """Reads the mirrors that the table lacks, or has at another commit or from another program, one process each, small ones first.

    A mirror that fails or takes too long has a row that says so, and the next run tries it again.
    """
    asked = ["git", "rev-parse", "--short=12", "HEAD:collector"]  # what reads records, with all its rules
    program = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    rows = {row["repository"]: row for row in _rows(RECORDS)} if RECORDS.exists() else {}
    for place in sorted(mirrors.glob("*/repo"), key=_size):
        name, head = place.parent.name.replace("+", "/", 1), _git(place, "rev-parse", "HEAD")
        row = rows.get(name, {})
        if (row.get("program"), row.get("commit"), row.get("problem")) == (program, head, ""):
            continue
        began = time.monotonic()
        said, problem = _records_of(place)
        took = f"{time.monotonic() - began:.1f}"
        rows[name] = dict(zip(_COLUMNS, (name, head, said, took, str(_size(place)), program, problem), strict=True))
        print(name, problem or said, flush=True)
        with RECORDS.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n", restval="")
            writer.writeheader()
            writer.writerows(rows[key] for key in sorted(rows))


_COLUMNS = ("repository", "commit", "records", "seconds", "bytes", "program", "problem")
_RECORD_SECONDS = 120  # for the records of one repository


def _records_of(mirror: Path) -> tuple[str, str]:
    """The kinds of records of a mirror, and why they are not known."""
    command = [sys.executable, __file__, "--records", "--mirror", str(mirror)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_RECORD_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "", f"more than {_RECORD_SECONDS} s"
    return (done.stdout.strip(), "") if done.returncode == 0 else ("", (done.stderr.strip().splitlines() or ["failed"])[-1][:100])


def _size(mirror: Path) -> int:
    return sum(file.stat().st_size for file in mirror.rglob("*") if file.is_file())


def _records() -> dict[str, str]:
    """For how many repositories each kind of record speaks."""
    rows = [row for row in _rows(RECORDS) if not row.get("problem")]
    unread = [row["repository"] for row in _rows(RECORDS) if row.get("problem")]
    kinds = [set(row["records"].split("; ")) - {""} for row in rows]
    cells = [(kind, sum(kind in each for each in kinds)) for kind in (CHECKPOINTS, *_KINDS, STATED, NOTES)]
    return {
        "recorded_of": f"{len(rows):,}",
        "recorded_unread": f"{len(unread)} more could not be read in {_RECORD_SECONDS} seconds each: {', '.join(unread)}."
        if unread
        else f"Each was read within {_RECORD_SECONDS} seconds.",
        "recorded": f"{sum(bool(each - {STATED}) for each in kinds):,}",
        "recorded_minutes": f"{sum(float(row['seconds']) for row in rows) / 60:,.0f}",
        "recorded_size": f"{sum(int(row['bytes']) for row in rows) / 1e9:,.1f}",
        "records": table(("record", "repositories"), cells),
    }


def _rows(path: Path | None = None) -> list[dict[str, str]]:
    with (path or LIST).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- the page ---------------------------------------------------------------------------------------------------------


def page(store: Store) -> str:
    """docs/public-study.md."""
    tables = {one.name: one for one in study(store)}
    whole = breakdown(store, BreakdownOptions(("repository",)))
    return fill(
        "public-study.md",
        {
            **_numbers(store, whole.whole),
            **_claims(tables),
            **_weaknesses(store),
            **_quality(store),
            **_appendix(store, whole.table.rows),
            **_records(),
        },
    )


def _numbers(store: Store, whole: Row) -> dict[str, str]:
    def count(sql: str) -> str:
        return f"{store.value(sql) or 0:,}"

    classes = {name: whole[f"{name}_lines"] for name in LINE_CLASSES}
    people = "COALESCE(q.special, '') <> 'no_prompt'"
    turns = "FROM turn_outcomes WHERE origin IN ('prompt', 'queued', 'plan')"
    return {
        "repositories": count("SELECT COUNT(*) FROM repos"),
        "sessions": count(f"SELECT COUNT(*) FROM corpus_sessions k JOIN scores q ON q.session_id = k.session_id WHERE {people}"),
        "commits": f"{whole['commits']:,}",
        "lines": f"{whole['lines']:,}",
        "first": str(store.value("SELECT substr(MIN(started_at), 1, 10) FROM sessions")),
        "last": str(store.value("SELECT substr(MAX(started_at), 1, 10) FROM sessions")),
        "classes": table(
            ("class", "lines", "share"),
            [(f"`{name}`", f"{lines:,}", _percent(lines, whole["lines"])) for name, lines in classes.items()],
        ),
        "coverage": _share(whole, "coverage"),
        "agent": _share(whole, "agent_share"),
        "either": _share(whole, "agent_or_declared_share"),
        "audited": f"In all audits, {audited_note('agent', 'declared', 'human', 'likely_human', 'tool')}.",
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


def _sums(store: Store, part: str, of: str) -> tuple[int, int]:
    (row,) = store.rows(f"SELECT SUM(MIN({part}, {of})) AS part, SUM({of}) AS whole FROM turn_outcomes")
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
    return next((row for row in found.rows if all(row.get(name) == value for name, value in wanted.items())), {})


def _claims(tables: Mapping[str, Table]) -> dict[str, str]:
    """The paper's headline claims, each beside our number and whether it lies in our interval."""
    modes, turns, produced = tables["coding_modes"], tables["turn_outcomes"], tables["produced_lines"]
    vibe, alone, theirs = (
        _row(modes, mode=mode, counted_by=side)
        for mode, side in (("vibe", "ours"), ("human_only", "ours"), ("human_only", "vendor"))
    )
    of_modes, of_efficiency = published_values("coding_modes"), published_values("coding_efficiency")["all"]["paper_v1"]
    of_vibe, of_alone = (of_modes[f"{mode} | vendor"]["paper_v1"] for mode in ("vibe", "human_only"))
    efficiency = _row(tables["coding_efficiency"], sessions="all")
    kept, claude = _row(tables["survival_to_commit"], sessions="all"), _row(tables["agents"], agent="claude-code")
    rows = [
        _claim("sessions in which agents write virtually all committed code", of_vibe, vibe),
        _claim("sessions in which people write all of it", of_alone, alone),
        _claim("the same, by the recorder's count", of_alone, theirs),
        _claim("produced lines that survive into a commit", of_efficiency, efficiency),
        _claim("the same, mean over sessions", of_efficiency, efficiency, "mean"),
        _claim("lines of the final state in a commit", published_values("survival_to_commit")["all"]["paper_v1"], kept),
        _claim("sessions of Claude Code", claude.get("paper_v1_share"), claude, "share"),
    ]
    for mode in ("human_only", "collaborative", "vibe"):
        row = _row(turns, turns="interrupted by the user", mode=mode)
        rows.append(_claim(f"turns interrupted by the user, {mode.replace('_', ' ')}", row.get("paper_v1"), row))
    fates = published_values("produced_lines")
    for name, of in (("self overwritten", "self overwritten"), ("human deleted", "not committed")):
        row = _row(produced, sessions="all", fate=name)
        rows.append(_claim(f"produced lines, {name}", fates[f"all | {of}"]["paper_v1"], row))
    rework = [
        (row["against"], row["excess"], row["low"], row["high"], row["agent lines"], row["baseline lines"], row["repositories"])
        for row in tables["excess_rework"].rows
    ]
    return {
        "claims": table(("what the paper says", "paper", "here (95 %)", ""), rows),
        "rework": table(
            ("against", "excess (95 %)", "agents' lines", "others' lines", "repositories"),
            [(a, _band(v, low, high), f"{n:,}", f"{m:,}", r) for a, v, low, high, n, m, r in rework],
        ),
    }


def _claim(what: str, published: float | None, row: Mapping[str, Any], name: str = "pooled") -> tuple[str, str, str, str]:
    value, low, high = (row.get(column) for column in (name, f"{name}_low", f"{name}_high"))
    if value is None or published is None:
        return what, f"{published:.1%}" if published is not None else "", "too few sessions", ""
    inside = "" if low is None or high is None else "within" if low <= published <= high else "outside"
    return what, f"{published:.1%}", _band(value, low, high), inside


def _band(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "too few lines or commits"
    return f"{value:.1%} ({low:.1%} to {high:.1%})" if low is not None and high is not None else f"{value:.1%}"


def _weaknesses(store: Store) -> dict[str, str]:
    """Findings of high and medium confidence in source files, by class of author, and what became of them."""
    scanned = store.value("SELECT COUNT(DISTINCT repo_id) FROM stage_runs WHERE stage = 'weaknesses' AND finished_at IS NOT NULL")
    if not scanned:
        return {"scanned": "0", "scanned_lines": "0", "weaknesses": "Nothing was scanned.", "fates": ""}
    tables = {each.name: each.rows for each in weakness_tables(store, by=("class",))}
    cells = [
        (
            f"`{row['author']}`", row["events"], f"{row['lines']:,}",
            f"{row['rate']:.3f} ({row['low']:.3f} to {row['high']:.3f})" if row["rate"] is not None else "too few lines",
        )
        for row in tables["class"]
    ]  # fmt: skip
    fates = [f"of {f['findings']} by `{f['author']}` {f['present']} still there at HEAD" for f in tables["fates"]]
    return {
        "scanned": str(scanned),
        "scanned_lines": f"{sum(row['lines'] for row in tables['class']):,}",
        "weaknesses": table(("author", "findings", "scanned lines", "per 1,000 lines (95 %)"), cells),
        "fates": "; ".join(fates) or "none",
    }


def _quality(store: Store) -> dict[str, str]:
    """Mean delta maintainability of commits, weighted by the lines of each class, and agents against undeclared lines."""
    if not store.value("SELECT COUNT(*) FROM commit_quality"):
        return {"measured": "0", "measured_commits": "0", "quality": "Nothing was measured."}
    tables = {found.name: found for found in maintainability(store)}
    means = {(row["name"], row["metric"]): row for row in tables["maintainability"] if row["by"] == "class"}
    cells = [
        (f"`{name}`", f"{means[name, DMM[0]]['whole']:,.0f}", *(_estimate(means[name, metric], "mean") for metric in DMM))
        for name in dict.fromkeys(name for name, _ in means)
        if means[name, DMM[0]]["mean"] is not None
    ]
    differences = {(row["metric"], row["reference"]): row for row in tables["differences"]}
    gaps = [_estimate(differences.get((metric, "undeclared"), {}), "alike") for metric in DMM]
    cells.append(("agents less undeclared, alike commits", "", *gaps))
    head = ("author", "whole commits", "short functions", "simple functions", "few parameters")
    repositories, commits = store.rows("SELECT COUNT(DISTINCT repo_id) AS r, COUNT(*) AS n FROM commit_quality")[0].values()
    return {"measured": str(repositories), "measured_commits": f"{commits:,}", "quality": table(head, cells)}


def _estimate(row: Mapping[str, Any], name: str) -> str:
    value, low, high = (row.get(column) for column in (name, f"{name}_low", f"{name}_high"))
    if value is None:
        return "too few commits"
    return f"{value:.3f}" + (f" ({low:.3f} to {high:.3f})" if low is not None else "")


def _appendix(store: Store, rows: Sequence[Row]) -> dict[str, str]:
    commits = {row["repository"]: row["commit"] for row in _rows()}
    counted = store.rows("SELECT r.name, COUNT(*) AS n FROM sessions s JOIN repos r ON r.id = s.repo_id GROUP BY 1")
    sessions = {row["name"]: row["n"] for row in counted}
    cells = [
        (
            row["repository"], f"`{commits.get(row['repository'], '')[:9]}`", f"{sessions.get(row['repository'], 0):,}",
            f"{row['commits']:,}",
            f"{row['lines']:,}", _short(row["coverage"]), _short(row["agent_share"]), _short(row["agent_kept_30_days"]),
            _short(row["undeclared_kept_30_days"]),
        )
        for row in rows
    ]  # fmt: skip
    head = ("repository", "commit", "sessions", "commits", "lines", "coverage", "agents", "kept 30 days", "undeclared kept")
    return {"appendix": table(head, cells), "missing": _missing(commits, rows)}


def _missing(commits: Iterable[str], rows: Sequence[Row]) -> str:
    names = sorted(set(commits) - {row["repository"] for row in rows})
    return f"Without an attributed line of source or tests, or not attributed: {', '.join(names) or 'none'}."


def _short(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--scan", type=float, metavar="MINUTES")
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--mirror", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.mirror:
        print("; ".join(records_in(given.mirror)))
    elif given.records:
        count_records(given.mirrors)
    elif given.list:
        lines = [f"{name},{commit}" for name, commit in listed(given.mirrors)]
        LIST.write_text("repository,commit\n" + "\n".join(lines) + "\n", "utf-8")
    elif given.page:
        with Store(given.db, create=False) as store:
            PAGE.write_text(page(store), "utf-8")
    elif given.scan:
        scan(given.mirrors, given.db, given.scan)
    else:
        attribute(given.mirrors, given.db)


if __name__ == "__main__":
    main()
