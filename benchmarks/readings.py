"""Findings of the scan for weaknesses, read by hand (docs/findings-review.csv), and what follows for the rates."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from attribution.queries.weaknesses import weakness_report  # noqa: E402
from attribution.weaknesses.rates import binomial_interval  # noqa: E402
from collector.storage.store import Store  # noqa: E402

READ = ROOT / "docs" / "findings-review.csv"
TIERS = ("taint", "built", "api")
SEEN = ("held out", "tuned on")
VERDICTS = ("true", "false", "unsure")


def verdicts() -> dict[str, Any]:
    """Repositories, and by tier and by whether rules were tuned on the repository the number of each verdict."""
    if not READ.is_file():
        return {}
    with READ.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts = Counter((row["tier"], row["seen"], row["verdict"]) for row in rows)
    now = [row for row in rows if row["now"] == "yes" and row["place"] == "source"]
    return {
        "read": len(rows),
        "repositories": {seen: len({row["repository"] for row in rows if row["seen"] == seen}) for seen in SEEN},
        "counts": [[*key, number] for key, number in sorted(counts.items())],
        "now": [[*key, n] for key, n in sorted(Counter((row["tier"], row["seen"], row["verdict"]) for row in now).items())],
    }


def rates(databases: Iterable[Path]) -> list[dict[str, Any]]:
    """Rates per 1,000 added lines of scanned databases that hold the verdicts, as they are and corrected."""
    found = []
    for path in databases:
        with Store(path, create=False) as store:
            said = weakness_report(store, by=("class",))
        rows = [
            {"author": row.author, "findings": row.rate.events, "lines": row.rate.lines, "rate": row.rate.rate,
             "low": row.rate.low, "high": row.rate.high} for row in said.rows
        ]  # fmt: skip
        found.append({"repositories": said.repos, "rates": rows, "review": said.review, "status": said.status})
    return found


def section(read: dict[str, Any], measured: list[dict[str, Any]]) -> str:
    if not read:
        return ""
    many = read["repositories"]
    rows = [
        "## Weaknesses", "",
        f"{read['read']} introduced findings of {sum(many.values())} public repositories, {many['held out']} of them never looked",
        *_HOW.strip().split("\n"), "",
        "| tier (confidence) | repositories | read | true | false | unsure | true, of the clear ones | in source files, now |",
        "|---" * 8 + "|",
    ]  # fmt: skip
    counts, now = ({tuple(key): number for *key, number in read[name]} for name in ("counts", "now"))
    for tier, level in zip(TIERS, ("HIGH", "MEDIUM", "LOW"), strict=True):
        for seen in SEEN:
            said = [counts.get((tier, seen, verdict), 0) for verdict in VERDICTS]
            left = [now.get((tier, seen, verdict), 0) for verdict in VERDICTS]
            shares = f"{_share(*said[:2])} | {left[0]} of {left[0] + left[1]}"
            rows.append(f"| {tier} ({level}) | {seen} | {sum(said)} | {' | '.join(map(str, said))} | {shares} |")
    rows += ["", *_rates(measured), _NOTE.strip()]
    return "\n".join(rows) + "\n"


def _share(true: int, false: int) -> str:
    if not true + false:
        return "–"
    low, high = binomial_interval(true, true + false)
    return f"{100 * true / (true + false):.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def _rates(measured: list[dict[str, Any]]) -> Iterable[str]:
    if not measured:
        return
    yield from (*_RATES.strip().split("\n"), "")
    yield "| repositories | author | findings | added lines | per 1,000 lines | read | true | corrected |"
    yield "|---" * 8 + "|"
    for number, one in enumerate(measured):
        for row in one["rates"]:
            said = one["review"].get(row["author"])
            read = f"{said['read']} | {said['true']} | {_corrected(said)}" if said else "0 | | "
            rate = f"{row['rate']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
            yield f"| {chr(ord('A') + number)} | {row['author']} | {row['findings']} | {row['lines']:,} | {rate} | {read} |"
    yield ""
    for number, one in enumerate(measured):
        yield f"{chr(ord('A') + number)}: {', '.join(one['repositories'])}."
    yield ""


def _corrected(said: dict[str, Any]) -> str:
    if said["corrected_rate"] is None:
        return ""
    return f"{said['corrected_rate']:.3f} ({said['corrected_low']:.3f} to {said['corrected_high']:.3f})"


_HOW = """
at while the rules were written: all of high and medium confidence, and of low confidence, but for EntityProcess/agentv, all
except the actions that are not pinned, of which some were drawn. Each was judged at its commit, with callers and definitions,
by one of three readers who did not write the rules; `findings-review.csv` has the reasons. The intervals are exact, and take
findings as independent, which they are not: 37 are of one repository, most of them of one commit that copied another project.
Now: without those no longer found after what was mended since, and without tests and examples, which the rates leave out.
"""
_RATES = """
Rates of high and medium confidence in source files, as counted and corrected by what was read. All of A were held out.
"""
_NOTE = """
What was false: 21 times only constants of the program itself reach the call, mostly through a helper of the same file; 12 are
uses in tests where they do no harm, 4 stand in a copy of another project that never runs, 3 were misread, 14 have other
reasons. The three false ones of high confidence are one mistake, a helper that makes names of files harmless. Rules look at one
function at a time. A command line and a file of settings count as outside: five of the six true ones of high confidence are
scripts that developers start themselves.

So a rate that was not corrected is not one of weaknesses but of what rules of this kind find, and the difference between two
classes of authors needs verdicts for both (`attribute findings review`).
"""
