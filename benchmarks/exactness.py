"""Does the line history agree with `git blame`, at HEAD and at a random sample of commits? Used
by accuracy.py.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pages import table
from support.blame_check import BlameAgreement, verify

from attribution.lineage.walk import HistoryWalk
from collector.git.repository import GitRepo

EARLIER = 20  # commits besides HEAD


def exactness(
    path: Path, head_files: int | None, earlier_files: int | None, seed: int = 1
) -> dict[str, Any]:
    """Lines compared and lines that agree in commit, path and number. None: all files."""
    repo = GitRepo(path)
    tip = repo.default_branch().sha
    with repo.open_scratch() as git:
        shas = git.output(["rev-list", "--topo-order", tip]).decode("ascii").split()
        earlier = random.Random(seed).sample(shas[1:], min(EARLIER, len(shas) - 1))
        found = verify(
            HistoryWalk(repo, git),
            tip,
            {tip: head_files, **dict.fromkeys(earlier, earlier_files)},
            seed,
        )
    head, others = found.pop(tip), list(found.values())
    for sha, name, lines in head.differing + [d for one in others for d in one.differing]:
        print(f"{path}: {lines} lines differ in {sha[:12]}:{name}", file=sys.stderr)
    return {
        "commits": len(shas),
        "head": _numbers([head]),
        "earlier": _numbers(others),
        "earlier_commits": len(others),
        "all_files": head_files is None,
        "all_files_earlier": earlier_files is None,
    }


def _numbers(found: Iterable[BlameAgreement]) -> dict[str, int]:
    total = {"files": 0, "lines": 0, "same": 0, "skipped": 0}
    for one in found:
        for name in total:
            total[name] += getattr(one, name)
    return total


def history_table(results: dict[str, dict[str, Any]]) -> str:
    """The table for docs/accuracy.md."""
    header = (
        "repository",
        "commits",
        "HEAD: lines",
        "agree",
        "earlier commits: lines",
        "agree",
        "files compared",
    )
    rows = []
    for name, found in sorted(results.items()):
        head, earlier = found["head"], found["earlier"]
        whole = (
            "all"
            if found["all_files"] and found["all_files_earlier"]
            else "all at HEAD"
            if found["all_files"]
            else "a sample"
        )
        lines = (f"{head['lines']:,}", _percent(head), f"{earlier['lines']:,}", _percent(earlier))
        rows.append(
            (
                name,
                f"{found['commits']:,}",
                *lines,
                f"{whole}: {head['files'] + earlier['files']:,}",
            )
        )
    return table(header, rows)


def _percent(found: dict[str, int]) -> str:
    if not found["lines"]:
        return "–"
    share = 100 * found["same"] / found["lines"]
    return "100 %" if found["same"] == found["lines"] else f"{share:.4f} %"
