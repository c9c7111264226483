"""How often is the commit that a fix is traced to the one that its author names? Measured where
authors write `Fixes: ID`.

    python benchmarks/culprits.py [--pairs N] [--tip NAME] CLONE…     measures clones, adds them to
        benchmarks/data/culprits.json
    python benchmarks/culprits.py --page                              writes the table of
        docs/culprit.md

The lines of a clone are followed once; a sample of its fixes, with a fixed seed, is traced by the
rules of `attribution/culprit` without a look at the tag. On the same fixes: B-SZZ (git blame of
every line that the fix removed), MA-SZZ (pydriller's `get_commits_last_modified_lines`, without
merges) and R-SZZ (the latest of these).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))

from git.exc import GitCommandError
from pages import table
from pydriller.git import Git

from attribution.culprit.repaired import (
    CODE_KINDS,
    AddedBlock,
    TracedLines,
    code_lines,
    first_answer,
    is_code,
    likeliest,
    neighbours,
    weight_of,
)
from attribution.culprit.signs import fix_signs, names_in
from attribution.culprit.words import FixTier, RepairOutcome
from attribution.lineage.model import BEFORE, CommitStep, LineHistory, LineRange, numbers
from attribution.lineage.walk import HistoryWalk, WalkOptions
from attribution.stats.intervals import Moments, around, jackknife, total
from collector.files.kinds import kind_of
from collector.git.repository import GitRepo
from collector.limits import FOLLOWED_BYTES
from collector.text import decode, split_lines

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "data" / "culprits.json"
PAGE = ROOT / "docs" / "culprit.md"
MARK = "<!-- measured: benchmarks/culprits.py -->"
SEED = 46
TUNED_ON = "openvswitch/ovs"
LOOKED_AT = "iproute2/iproute2"
OURS, NAMES = "whowrote", ("B-SZZ", "MA-SZZ", "R-SZZ", "whowrote")
# causes of removals that repair something, as in `attribution/culprit/trace/lines.py`
ENDED = ("modified", "deleted")

Answers = Mapping[str, frozenset[str]]
"""Fix -> the commits that it is traced to."""


def named_culprits(repo: GitRepo, tip: str) -> dict[str, frozenset[str]]:
    """Fix -> the commits that its message names, where all of them are in the history."""
    commits = [commit for commit in repo.history_of([tip]) if len(commit.parents) < 2]
    shas = sorted(commit.sha for commit in commits)
    pairs = {}
    for commit in commits:
        names = [sign.name for sign in fix_signs(commit.message) if sign.tier == FixTier.NAMED]
        resolved = {_resolve(name, shas) for name in names} - {commit.sha}
        if resolved and "" not in resolved:
            pairs[commit.sha] = frozenset(resolved)
    return pairs


def _resolve(name: str, shas: Sequence[str]) -> str:
    first = bisect_left(shas, name)
    matches = [sha for sha in shas[first : first + 2] if sha.startswith(name)]
    return matches[0] if len(matches) == 1 else ""


# --- ours -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class FixObserver:
    """Keeps what the wanted commits did to lines."""

    wanted: frozenset[str]
    # fix -> origins, and what replaced them
    removed: dict[str, list[tuple[int, LineRange]]] = field(default_factory=dict)
    # fix -> path -> lines that it wrote
    added: dict[str, dict[str, list[AddedBlock]]] = field(default_factory=dict)
    # fix, path -> the origins of all lines
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)

    def step(self, step: CommitStep) -> None:
        if step.sha not in self.wanted:
            return
        ended = [
            (origin, gone.into)
            for gone in step.gone
            if gone.cause in ENDED
            for origin in numbers(gone.origins)
        ]
        self.removed[step.sha] = [(origin, into) for origin, into in ended if origin != BEFORE]
        blocks = self.added.setdefault(step.sha, {})
        for born in step.born:
            if not born.flags:
                blocks.setdefault(born.path, []).append(
                    AddedBlock(born.line, born.line + born.lines - 1)
                )
                self.files[step.sha, born.path] = step.state[born.path].vector


class Tracer:
    """Traces fixes by the rules of the program, on a history that was followed here."""

    def __init__(self, repo: GitRepo, history: LineHistory, observed: FixObserver) -> None:
        self._repo, self._history, self._observed = repo, history, observed
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._code_lines = lru_cache(500)(
            lambda sha, path: code_lines(path, self._lines(sha, path))
        )

    def trace(self, fix: str) -> tuple[str, str]:
        """The commit, "" for none, and what the fix was traced by."""
        commit = self._repo.commit(fix)
        names = names_in(commit.message if commit else "")
        code = list(self._removed(fix, names))
        outcome, lines = first_answer(
            code, lambda: list(self._around(fix, names)), lambda: self._adds_code(fix)
        )
        return likeliest(lines), outcome or RepairOutcome.NOT_DECIDABLE

    def _removed(self, fix: str, names: frozenset[str]) -> Iterator[TracedLines]:
        for origin, into in self._observed.removed[fix]:
            line = self._traced(origin)
            if line.line in self._code_lines(line.sha, line.path):
                text = self._lines(line.sha, line.path)[line.line - 1]
                replacement = self._lines(fix, into.path)[
                    into.line - 1 : into.line - 1 + into.lines
                ]
                yield line._replace(
                    weight=weight_of(line.path, line.kind, text, replacement, names)
                )

    def _adds_code(self, fix: str) -> bool:
        return any(
            kind_of(path) in CODE_KINDS and is_code(path, text)
            for path, blocks in self._observed.added[fix].items()
            for block in blocks
            for text in self._lines(fix, path)[block.first - 1 : block.last]
        )

    def _around(self, fix: str, names: frozenset[str]) -> Iterator[TracedLines]:
        for path, blocks in self._observed.added[fix].items():
            texts, vector = self._lines(fix, path), numbers(self._observed.files[fix, path])
            new = {n for block in blocks for n in range(block.first, block.last + 1)}
            for block in blocks:
                for n in neighbours(path, texts, block, new):
                    line = self._traced(vector[n - 1])
                    yield line._replace(
                        weight=weight_of(line.path, line.kind, texts[n - 1], (), names)
                    )

    def _traced(self, origin: int) -> TracedLines:
        born = self._history.origins.birth_of(origin)
        return TracedLines(
            origin,
            born.commit,
            self._history.shas[born.commit],
            born.path,
            born.line,
            1,
            kind_of(born.path),
        )

    def _lines(self, sha: str, path: str) -> list[str]:
        if (sha, path) not in self._texts:
            if len(self._texts) > 2000:
                self._texts.clear()
            oid = self._repo.file_at(sha, path)
            data = self._repo.blob(oid) if oid else None
            self._texts[sha, path] = [decode(line) for line in split_lines(data or b"")]
        return self._texts[sha, path]


def ours(
    repo: GitRepo, tip: str, fixes: Sequence[str]
) -> tuple[dict[str, frozenset[str]], dict[str, str], LineHistory]:
    """Answers, what each fix was traced by, and the history."""
    observer = FixObserver(frozenset(fixes))
    with repo.open_scratch() as git:
        history = HistoryWalk(repo, git, WalkOptions(FOLLOWED_BYTES, keep=True, texts=True)).run(
            tip, observers=[observer.step]
        )
    tracer = Tracer(repo, history, observer)
    traced = {fix: tracer.trace(fix) for fix in fixes}
    return (
        {fix: frozenset(filter(None, [sha])) for fix, (sha, _) in traced.items()},
        {f: how for f, (_, how) in traced.items()},
        history,
    )


# --- theirs ---------------------------------------------------------------------------------------


class Others:
    """The classic methods, on a copy of the clone: GitPython may write to what it opens."""

    def __init__(self, clone: Path, place: Path, order: Mapping[str, int]) -> None:
        subprocess.run(
            ["git", "clone", "-q", "--bare", "--shared", str(clone), str(place)], check=True
        )
        self._git, self._order = Git(place), order

    def answers(self, fix: str) -> dict[str, frozenset[str]]:
        """Method -> commits."""
        commit = self._git.get_commit(fix)
        last = self._git.get_commits_last_modified_lines(commit)
        refined = frozenset(
            sha for shas in last.values() for sha in shas if not self._git.get_commit(sha).merge
        )
        latest = max(refined, key=lambda sha: self._order.get(sha, -1), default="")
        return {
            "B-SZZ": frozenset(self._blamed(fix)),
            "MA-SZZ": refined,
            "R-SZZ": frozenset(filter(None, [latest])),
        }

    def _blamed(self, fix: str) -> Iterator[str]:
        """The commits that git blame names for the removed lines."""
        for file in self._git.get_commit(fix).modified_files:
            removed = {number for number, _ in file.diff_parsed["deleted"]}
            if not removed or not file.old_path:
                continue
            try:
                lines = self._git.repo.git.blame("-l", "-s", f"{fix}^", "--", file.old_path).split(
                    "\n"
                )
            except GitCommandError:
                continue
            yield from (lines[n - 1].split(" ")[0].lstrip("^") for n in removed if n <= len(lines))


# --- scores ---------------------------------------------------------------------------------------


def moments(truth: Answers, answers: Answers) -> list[Moments]:
    """For each fix: commits named by both, by the answer alone, by the author alone."""
    return [
        (
            float(len(named & answers[fix])),
            float(len(answers[fix] - named)),
            float(len(named - answers[fix])),
        )
        for fix, named in truth.items()
    ]


def f1(sums: Moments) -> float | None:
    both, extra, missed = sums
    return 2 * both / (2 * both + extra + missed) if both else 0.0


def score(parts: Sequence[Moments]) -> dict[str, Any]:
    """Precision, recall and F1 over commits, with the 95 % interval of F1 over fixes."""
    both, extra, missed = total(parts)
    middle = f1((both, extra, missed)) or 0.0
    interval = around(middle, jackknife(parts, f1), len(parts) - 1, 0.0, 1.0)
    return {
        "precision": both / (both + extra) if both + extra else None,
        "recall": both / (both + missed),
        "f1": middle,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def measure(clone: Path, tip: str, pairs: int) -> dict[str, Any]:
    """Scores of each method on a sample of fixes, those of ours by what a fix was traced by, and
    the counts behind them.
    """
    repo = GitRepo(clone)
    head = repo.resolve(tip or "HEAD").sha
    named = named_culprits(repo, head)
    chosen = (
        sorted(named)
        if len(named) <= pairs
        else sorted(random.Random(SEED).sample(sorted(named), pairs))
    )
    started = time.monotonic()
    answers, how, history = ours(repo, head, chosen)
    seconds = round(time.monotonic() - started, 1)
    order = {sha: number for number, sha in enumerate(history.shas)}
    by_method: dict[str, dict[str, frozenset[str]]] = {name: {} for name in NAMES} | {OURS: answers}
    with tempfile.TemporaryDirectory() as scratch:
        others = Others(clone, Path(scratch) / "copy.git", order)
        for fix in chosen:
            for method, shas in others.answers(fix).items():
                by_method[method][fix] = shas
    truth = {fix: named[fix] for fix in chosen}
    parts = {method: moments(truth, by_method[method]) for method in NAMES}
    split = {
        outcome: score(moments(within, answers)) | {"fixes": len(within)}
        for outcome, within in _by(how, truth)
    }
    return {
        "tip": head,
        "commits": len(history.shas),
        "tags": len(named),
        "fixes": len(chosen),
        "seconds": seconds,
        "score": {name: score(rows) for name, rows in parts.items()},
        "traced_by": split,
        "parts": {name: [list(map(int, row)) for row in rows] for name, rows in parts.items()},
    }


def _by(how: Mapping[str, str], truth: Answers) -> Iterator[tuple[str, Answers]]:
    for outcome in sorted(set(how.values())):
        yield outcome, {fix: named for fix, named in truth.items() if how[fix] == outcome}


# --- the page -------------------------------------------------------------------------------------


def page(results: Mapping[str, dict[str, Any]]) -> str:
    """The tables of docs/culprit.md."""
    rows = [_rows(name, result) for name, result in results.items()]
    unseen = [name for name in results if name not in (TUNED_ON, LOOKED_AT)]
    together = {
        method: [tuple(row) for name in unseen for row in results[name]["parts"][method]]
        for method in NAMES
    }
    if len(unseen) > 1:
        scores = {method: score(parts) for method, parts in together.items()}
        rows.append(_rows("unseen together", {"fixes": len(together[OURS]), "score": scores}))
    return table(
        ["project", "fixes", "method", "precision", "recall", "F1"],
        [row for several in rows for row in several],
    )


def _rows(name: str, result: Mapping[str, Any]) -> list[list[str]]:
    note = {TUNED_ON: " (tuned)", LOOKED_AT: " (looked at)"}.get(name, "")
    scores: Mapping[str, Mapping[str, float]] = result["score"]
    return [
        [
            f"{name}{note}" if not number else "",
            f"{result['fixes']:,}" if not number else "",
            method,
            _share(row["precision"]),
            _share(row["recall"]),
            f"{_share(row['f1'])} ({_share(row['low'])} to {_share(row['high'])})",
        ]
        for number, (method, row) in enumerate(scores.items())
    ]


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _clone_name(clone: Path) -> str:
    place = clone.resolve().parent.name if clone.name in ("repo", ".git") else clone.name
    return place.replace("+", "/").removesuffix(".git")


def _write_page(results: Mapping[str, dict[str, Any]]) -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(MARK)
    _, _, after = rest.partition(MARK)
    PAGE.write_text(f"{before}{MARK}\n\n{page(results)}\n\n{MARK}{after}", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="*", type=Path)
    parser.add_argument("--pairs", type=int, default=400, help="fixes of a clone that are sampled")
    parser.add_argument("--tip", default="", help="the history up to this commit; default: HEAD")
    parser.add_argument("--page", action="store_true", help="write the table of docs/culprit.md")
    options = parser.parse_args(arguments)
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for clone in options.clones:
        results[_clone_name(clone)] = result = measure(clone, options.tip, options.pairs)
        RESULTS.write_text(json.dumps(results, separators=(",", ":")) + "\n", "utf-8")
        print(_clone_name(clone), {name: row for name, row in result.items() if name != "parts"})
    if options.page:
        _write_page(results)


if __name__ == "__main__":
    main()
