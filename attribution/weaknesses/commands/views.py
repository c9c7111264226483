"""Weaknesses on a terminal: one finding in its context, rates with their comparisons, one rule."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from attribution.lineage import minimum
from attribution.terminal.style import minute, notes, number, opening, percent, source, title, words
from attribution.weaknesses.rules.rulesets import weaknesses
from collector.console.formats import STYLE
from collector.console.grid import grid, show
from collector.console.terminal import one_line
from collector.text import printable

_MOST = 12  # names in a table of rates
Row = dict[str, Any]


def finding_view(console: Console, finding: Row) -> None:
    """The lines, who wrote them, why it matters, what became of it."""
    f = finding
    title(console, f"{f['cwe'] or ''} {f['path']}:{f['start_line']}", f"{f['repo']} {f['commit_sha'][:9]}  {f['fingerprint'][:10]}")
    _dim(console, f"{f['rule_id']} ({f['tier'] or f['confidence'] or 'no tier'}): {f['message'] or ''}")
    console.print()
    for n, line in enumerate(f["lines"], f["first_line"]):
        inside = f["start_line"] <= n <= f["end_line"]
        console.print(Text(f"{n:>6} {'>' if inside else ' '} {source(line)}", "bold" if inside else "dim"), soft_wrap=True)
    if not f["lines"]:
        console.print(Text(f"the clone is no longer at {one_line(str(f['clone']))}", "yellow"))
    console.print()
    table = grid("<", "<~")
    by = ", ".join(part for part in (f["author_class"], f["agent"], f["model"]) if part)
    table.add_row(
        "author", Text(one_line(by + (f" ({words(f['reason'])})" if f["reason"] else "")), STYLE.get(f["author_class"], ""))
    )
    other = f["added_lines"] - f["agent_lines"] - f["human_lines"] - f["unknown_lines"]
    table.add_row(
        "lines",
        f"{f['added_lines']} added by the commit: {f['agent_lines']} agent, {f['human_lines']} human, "
        f"{f['unknown_lines']} unknown, {other} other",
    )
    table.add_row("status", f"{f['status']}, {minute(f['author_at'])}")
    if f["session"]:
        table.add_row("session", Text(one_line(f"{f['session']} turn {f['turn_index']}: {opening(f['prompt'])}")))
    table.add_row("now", Text(one_line(_fate(f))))
    if f["suppressed"] or f["ignored"]:
        hidden = "suppressed by a nosemgrep comment" if f["suppressed"] else "the file is listed in .semgrepignore"
        table.add_row("hidden", hidden)
    if f["verdicts"]:
        table.add_row("review", Text(one_line(f["verdicts"])))
    show(console, table)
    console.print()


def _fate(f: Row) -> str:
    if f["alive_at_head"]:
        return f"still present at {f['head_path']}:{f['head_line']}"
    return f"gone since {(f['fixed_sha'] or '')[:9]} ({words(f['fixed_how'] or '')}), by {f['fixed_author'] or 'unknown'}"


def rule_view(console: Console, row: Row) -> None:
    about = weaknesses()
    console.print(Text(one_line(row["rule"]), "bold"))
    console.print(Text(printable(row["message"])))
    for cwe in row["cwe"].split():
        if cwe in about:
            _dim(console, f"{cwe} {about[cwe]['name']} ({about[cwe]['owasp']}). {about[cwe]['text']}")
    _dim(console, f"tier {row['tier'] or 'unknown'}, confidence {row['confidence'] or 'unknown'}, {row['languages']}")
    console.print(Text(printable(json.dumps(row["rule_body"], indent=1, ensure_ascii=False, default=str))))


def _dim(console: Console, text: str) -> None:
    console.print(Text(one_line(text), "dim"))


# --- rates ------------------------------------------------------------------------------------------------------------


def report_view(console: Console, report: Row) -> None:
    """`report`: as `weakness_report` makes it."""
    repos = report["repositories"]
    title(console, "Weaknesses in introduced code", ", ".join(repos) if len(repos) <= 4 else f"{len(repos)} repositories")
    for rules in report["rules"]:
        _dim(console, f"{rules['rules']} rules {rules['name']} {rules['hash'][:12]}, {rules['engine']}")
    _dim(console, f"files: {', '.join(report['places'])}; confidence: {', '.join(filter(None, report['confidence']))}")
    for by in dict.fromkeys(row["by"] for row in report["rates"]):
        _rates(console, by, [row for row in report["rates"] if row["by"] == by])
    _comparisons(console, report["comparisons"])
    _fates(console, report)
    top = [(row["rule_id"], number(row["findings"]), f"{100 * row['share']:.0f} %") for row in report["top_rules"][:5]]
    _section(console, "rules with the most findings", "", ("<~", ">", ">"), top)
    whole = sum(row["lines"] for row in report["left_out"])
    left_out = [(r["place"], words(r["status"]), number(r["lines"]), percent(r["lines"], whole)) for r in report["left_out"]]
    about = f"{number(whole)} in all files; rates are per scanned line in the files above"
    _section(console, "non-blank added lines", about, ("<", "<", ">", ">"), left_out, ("place", "status", "lines", ""))
    about = "share of true findings among those reviewed, and the corrected rate"
    head = ("author", "reviewed", "true", "precision", "per 1,000 lines, corrected")
    _section(console, "after review", about, ("<", ">", ">", "<", "<"), map(_review_cells, report["review"].items()), head)
    notes(console, report["notes"])


def _section(
    console: Console, name: str, about: str, columns: Sequence[str], rows: Iterable[Sequence[str]], head: Sequence[str] = ()
) -> None:
    """A titled table, if it has rows. A class of lines in the first column has its colour."""
    table = grid(*columns, head=head)
    for first, *cells in rows:
        table.add_row(Text(one_line(first), STYLE.get(first, "")), *(Text(one_line(cell), STYLE.get(cell, "")) for cell in cells))
    if table.row_count:
        console.print()
        if name:
            title(console, name, about)
        show(console, table)


def _rates(console: Console, by: str, rows: Sequence[Row]) -> None:
    names = list(dict.fromkeys(row["name"] for row in rows))
    visible = [row for row in rows if row["name"] in names[:_MOST]]
    numbers = ("findings", "lines", "per 1,000 lines", "95 %")
    if by == "class":
        _section(console, "", "", "<>>><", [(r["author"], *_cells(r)) for r in visible], ("author", *numbers))
    else:
        cells = [(r["name"], r["author"], *_cells(r)) for r in visible]
        _section(console, "", "", ("<~", "<", ">", ">", ">", "<"), cells, (by, "author", *numbers))
    if len(names) > _MOST:
        _dim(console, f"  … {len(names) - _MOST} more; for all of them: --csv")


def _cells(rate: Row) -> tuple[str, str, str, str]:
    events, lines = number(rate["events"]), number(rate["lines"]) if rate["lines"] else ""
    if rate["rate"] is None:
        return events, lines, "too few" if lines else "", ""
    return events, lines, f"{rate['rate']:.3f}", f"{rate['low']:.3f} to {rate['high']:.3f}"


def _comparisons(console: Console, comparisons: Sequence[Row]) -> None:
    rows = []
    for c in comparisons:
        if c["refused"]:
            continue
        if c["strata"] == comparisons[0]["strata"]:
            rows.append((c["baseline"], "pooled", *_ratio(c["pooled"]), ""))
        rows.append((c["baseline"], c["strata"], *_ratio(c["stratified"]), _range(c)))
    head = ("baseline", "within", "ratio", "95 %", "leaving one repository out")
    _section(console, "agents compared with", "rate ratio, 95 %", ("<", "<", "<", "<", "<~"), rows, head)
    for refused in dict.fromkeys(f"{c['baseline']}: {c['refused']}" for c in comparisons if c["refused"]):
        console.print(Text(f"  no ratio against {refused}", "yellow"))


def _ratio(ratio: Row) -> tuple[str, str]:
    if ratio["ratio"] is None and ratio["low"] is None:
        return "unknown", ""
    middle = f"{ratio['ratio']:.2f}" if ratio["ratio"] is not None else "no findings on one side"
    low, high = (f"{ratio[end]:.2f}" if ratio[end] is not None else "?" for end in ("low", "high"))
    return middle, f"{low} to {high}"


def _range(c: Row) -> str:
    strata = c["stratified"]["strata"]
    if c["without_one"] is None:
        return f"{strata} strata with findings"
    low, high = c["without_one"]
    return f"{low:.2f} to {high:.2f}, {strata} strata, most by {c['most']}"


def _fates(console: Console, report: Row) -> None:
    fates = report["fates"]
    endings = list(dict.fromkeys(name for fate in fates.values() for name in fate if name not in ("findings", "alive")))
    rows = []
    for author, fate in fates.items():
        share = f" ({percent(fate['alive'], fate['findings'])})" if fate["findings"] >= minimum.FINDINGS else ""
        rows.append(
            (author, number(fate["findings"]), number(fate["alive"]) + share, *(number(fate.get(name)) for name in endings))
        )
    about = "removed: by the author of the lines that replaced them, else of the commit"
    _section(
        console, "what became of them", about, ("<", *">" * (2 + len(endings))), rows, ("author", "findings", "present", *endings)
    )
    _dim(console, "  " + ", ".join(f"{number(count)} {words(name)}" for name, count in report["status"].items() if count))


def _review_cells(review: tuple[str, Row]) -> tuple[str, ...]:
    author, r = review
    shares = f"{100 * r['precision']:.0f} % ({100 * r['low']:.0f} to {100 * r['high']:.0f})"
    rate = r["corrected_rate"]
    corrected = "" if rate is None else f"{rate:.3f} ({r['corrected_low']:.3f} to {r['corrected_high']:.3f})"
    return author, number(r["read"]), number(r["true"]), shares, corrected
