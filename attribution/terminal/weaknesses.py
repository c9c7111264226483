"""Weaknesses on a terminal: what a scan did, findings, one finding in context, rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.lineage import minimum
from attribution.queries.other_findings import by_class
from attribution.stats.accuracy import audited_note
from attribution.terminal.style import STYLE, grid, minute, notes, number, opening, percent, plain, show, source, title, words
from collector.console.terminal import one_line

if TYPE_CHECKING:
    from attribution.queries.findings import Finding, FindingContext
    from attribution.queries.other_findings import AuthoredResult
    from attribution.queries.weaknesses import RateRow, WeaknessReport
    from attribution.weaknesses.rates import Compared, Ratio, WeaknessRate
    from attribution.weaknesses.scan.request import ScanUpdate

_MOST = 12  # names in a table of rates


def scan_list(console: Console, updates: Mapping[str, ScanUpdate]) -> None:
    """One line for each repository."""
    head = ("repository", "state", "versions", "new", "scanned", "lines", "seconds", "findings", "rules", "scanner")
    table = grid("<~", "<", ">", ">", ">", ">", ">", ">", "<~", "<", head=head)
    for name, u in updates.items():
        table.add_row(
            plain(name), u.state, number(u.texts), number(u.new), number(u.given), number(u.given_lines), f"{u.seconds:.1f}",
            number(u.findings), plain(u.rules), plain(u.engine),
        )  # fmt: skip
    show(console, table, 0)
    console.print(
        Text("versions: of files that are scanned; new: not in the cache; scanned: new ones that a rule could match in", "dim")
    )


def finding_list(console: Console, rows: Sequence[Finding], left_out: int = 0) -> None:
    """One line for each finding; `left_out` are those of low confidence that nobody asked for."""
    head = ("id", "CWE", "tier", "author", "agent", "location", "commit", "present", "review", "rule")
    table = grid("<", "<", "<", "<", "<~", "<~", "<", "<", "<", "<~", head=head)
    for r in rows:
        style = STYLE.get(r.author_class, "")
        table.add_row(
            r.fingerprint[:10], plain(r.cwe), plain(r.tier or r.confidence), Text(r.author_class, style),
            plain(r.agent), plain(f"{r.path}:{r.start_line}"), r.commit_sha[:9], "yes" if r.alive_at_head else "",
            plain(r.verdicts), plain(r.rule_id),
        )  # fmt: skip
    show(console, table, 0)
    console.print(Text(f"{number(len(rows))} findings; to see one in context: whowrote findings show ID", "dim"))
    if left_out:
        console.print(Text(f"{number(left_out)} of low confidence are left out; to list them too: --low", "dim"))


def finding_view(console: Console, shown: FindingContext) -> None:
    """The lines, who wrote them, why it matters, what became of it."""
    r = shown.finding
    title(console, f"{r.cwe or ''} {r.path}:{r.start_line}", f"{r.repo} {r.commit_sha[:9]}  {r.fingerprint[:10]}")
    console.print(Text(one_line(f"{r.rule_id} ({r.tier or r.confidence or 'no tier'}): {r.message or ''}"), "dim"))
    console.print()
    for n, line in enumerate(shown.lines, shown.first):
        inside = r.start_line <= n <= r.end_line
        console.print(Text(f"{n:>6} {'>' if inside else ' '} {source(line)}", "bold" if inside else "dim"), soft_wrap=True)
    if not shown.lines:
        console.print(Text(f"the clone is no longer at {one_line(str(r.clone))}", "yellow"))
    console.print()
    table = grid("<", "<~")
    by = f"{r.author_class}{', ' + r.agent if r.agent else ''}{', ' + r.model if r.model else ''}"
    table.add_row("author", Text(one_line(by + (f" ({words(r.reason)})" if r.reason else "")), STYLE.get(r.author_class, "")))
    table.add_row(
        "lines",
        f"{r.added_lines} added by the commit: {r.agent_lines} agent, {r.human_lines} human, "
        f"{r.unknown_lines} unknown, {r.added_lines - r.agent_lines - r.human_lines - r.unknown_lines} other",
    )
    table.add_row("status", f"{r.status}, {minute(r.author_at)}")
    if r.session:
        table.add_row("session", plain(f"{r.session} turn {r.turn_index}: {opening(shown.prompt)}"))
    table.add_row("now", plain(_fate(r)))
    if r.suppressed or r.ignored:
        table.add_row("hidden", "suppressed by a nosemgrep comment" if r.suppressed else "the file is listed in .semgrepignore")
    if r.verdicts:
        table.add_row("review", plain(r.verdicts))
    show(console, table)
    console.print()


def _fate(r: Finding) -> str:
    if r.alive_at_head:
        return f"still present at {r.head_path}:{r.head_line}"
    return f"gone since {(r.fixed_sha or '')[:9]} ({words(r.fixed_how or '')}), by {r.fixed_author or 'unknown'}"


# --- rates ------------------------------------------------------------------------------------------------------------


def report_view(console: Console, report: WeaknessReport) -> None:
    repos = ", ".join(report.repos) if len(report.repos) <= 4 else f"{len(report.repos)} repositories"
    title(console, "Weaknesses in introduced code", repos)
    for r in report.rules:
        console.print(Text(one_line(f"{r.rules} rules {r.name} {r.hash[:12]}, {r.engine}"), "dim"))
    console.print(
        Text(one_line(f"files: {', '.join(report.places)}; confidence: {', '.join(c for c in report.confidence if c)}"), "dim")
    )
    for by in dict.fromkeys(row.by for row in report.rows):
        console.print()
        _rates(console, by, [row for row in report.rows if row.by == by])
    console.print()
    _compared(console, report)
    _fates(console, report)
    _top(console, report)
    _left_out(console, report)
    _review(console, report)
    notes(console, report.notes)


def _rates(console: Console, by: str, rows: Sequence[RateRow]) -> None:
    named = by != "class"
    head = (by if named else "author", "author", "findings", "lines", "per 1,000 lines", "95 %")
    table = grid("<~", "<", ">", ">", ">", "<", head=head)
    names = list(dict.fromkeys(row.name for row in rows))
    for row in rows:
        if row.name in names[:_MOST]:
            author = Text(row.author, STYLE.get(row.author, ""))
            table.add_row(plain(row.name) if named else author, author if named else "", *_cells(row.rate))
    show(console, table)
    if len(names) > _MOST:
        console.print(Text(f"  … {len(names) - _MOST} more; for all of them: --csv", "dim"))


def _cells(rate: WeaknessRate) -> tuple[str, str, str, str]:
    if rate.rate is None or rate.low is None or rate.high is None:
        return number(rate.events), number(rate.lines) if rate.lines else "", "too few" if rate.lines else "", ""
    return number(rate.events), number(rate.lines), f"{rate.rate:.3f}", f"{rate.low:.3f} to {rate.high:.3f}"


def _compared(console: Console, report: WeaknessReport) -> None:
    title(console, "agents compared with", "rate ratio, 95 %")
    table = grid("<", "<", "<", "<", "<~", head=("baseline", "within", "ratio", "95 %", "leaving one repository out"))
    for comparison in report.comparisons:
        compared = comparison.compared
        if comparison.refused:
            continue
        if comparison.strata == report.comparisons[0].strata:
            table.add_row(compared.baseline, "pooled", *_ratio(compared.pooled), "")
        table.add_row(compared.baseline, comparison.strata, *_ratio(compared.stratified), _range(compared))
    if table.row_count:
        show(console, table)
    for refused in dict.fromkeys(f"{c.compared.baseline}: {c.refused}" for c in report.comparisons if c.refused):
        console.print(Text(f"  no ratio against {refused}", "yellow"))
    console.print()


def _ratio(ratio: Ratio) -> tuple[str, str]:
    if ratio.ratio is None and ratio.low is None:
        return "unknown", ""
    middle = f"{ratio.ratio:.2f}" if ratio.ratio is not None else "no findings on one side"
    low = f"{ratio.low:.2f}" if ratio.low is not None else "?"
    return middle, f"{low} to {f'{ratio.high:.2f}' if ratio.high is not None else '?'}"


def _range(compared: Compared) -> str:
    strata = compared.stratified.strata
    if compared.without_one is None:
        return f"{strata} strata with findings"
    low, high = compared.without_one
    return f"{low:.2f} to {high:.2f}, {strata} strata, most by {one_line(compared.most)}"


def _fates(console: Console, report: WeaknessReport) -> None:
    endings = list(dict.fromkeys(name for fates in report.fates for name in fates.fixed))
    title(console, "what became of them", "removed: by the author of the lines that replaced them, else of the commit")
    table = grid("<", ">", ">", *([">"] * len(endings)), head=("author", "findings", "present", *endings))
    for fates in report.fates:
        many = fates.findings >= minimum.FINDINGS
        alive = f"{number(fates.alive)} ({percent(fates.alive, fates.findings)})" if many else number(fates.alive)
        author = Text(fates.author, STYLE.get(fates.author, ""))
        table.add_row(author, number(fates.findings), alive, *(number(fates.fixed.get(name)) for name in endings))
    show(console, table)
    counts = ", ".join(f"{number(count)} {words(name)}" for name, count in asdict(report.status).items() if count)
    console.print(Text(f"  {counts}", "dim"))
    console.print()


def _top(console: Console, report: WeaknessReport) -> None:
    if not report.top_rules:
        return
    title(console, "rules with the most findings")
    table = grid("<~", ">", ">")
    for rule in report.top_rules[:5]:
        table.add_row(plain(rule.rule_id), number(rule.findings), f"{100 * rule.share:.0f} %")
    show(console, table)
    console.print()


def _left_out(console: Console, report: WeaknessReport) -> None:
    whole = sum(r.lines for r in report.left_out)
    title(console, "non-blank added lines", f"{number(whole)} in all files; rates are per scanned line in the files above")
    table = grid("<", "<", ">", ">", head=("place", "status", "lines", ""))
    for r in report.left_out:
        table.add_row(r.place, words(r.status), number(r.lines), percent(r.lines, whole))
    show(console, table)


def _review(console: Console, report: WeaknessReport) -> None:
    if not report.review:
        return
    console.print()
    title(console, "after review", "share of true findings among those reviewed, and the corrected rate")
    table = grid("<", ">", ">", "<", "<", head=("author", "reviewed", "true", "precision", "per 1,000 lines, corrected"))
    for author, r in report.review.items():
        shares = f"{100 * r.precision:.0f} % ({100 * r.low:.0f} to {100 * r.high:.0f})"
        rate = r.corrected_rate
        corrected = "" if rate is None else f"{rate:.3f} ({r.corrected_low:.3f} to {r.corrected_high:.3f})"
        table.add_row(author, number(r.read), number(r.true), shares, corrected)
    show(console, table)


def authored_list(console: Console, rows: Sequence[AuthoredResult]) -> None:
    """Findings of other scanners with who wrote their lines."""
    if not rows:
        console.print(Text("the log has no finding with a place in a file", "dim"))
        return
    table = grid("<", "<", "<", "<~", "<~", "<~", head=("class", "agent", "level", "where", "rule", "message"))
    for row in rows:
        kind = Text(words(row.line_class) or "–", STYLE.get(row.line_class, ""))
        where = f"{row.path}:{row.start_line}"
        table.add_row(kind, plain(row.agent), plain(row.level), plain(where), plain(row.rule), plain(row.problem or row.message))
    show(console, table, 0)
    counts = [f"{number(n)} {words(name) or 'not known'}" for name, n in by_class(rows).items()]
    console.print(Text(f"{number(len(rows))} findings: {', '.join(counts)}", "dim"))
    notes(console, [audited_note("agent", "human", "likely_human")])
