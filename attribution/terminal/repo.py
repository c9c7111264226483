"""What `whowrote repo` prints at its end, commits as `whowrote log` shows them, and the list of
checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal import style as ui
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.storage.views import table_of
from collector.text import command_line
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass
from collector.vocabulary.sessions import Signature

if TYPE_CHECKING:
    from attribution.queries.checks import Check
    from attribution.queries.commit import CommitReport
    from attribution.queries.commit_range import RangeStats
    from attribution.queries.coverage import Coverage
    from attribution.queries.repo_report import Advice, RepoReport
    from collector.storage.views import Table


_REASONS = 5  # why lines have no author: so many are shown


def repo_report(console: Console, r: RepoReport, database: str) -> None:
    """The short table at the end of `whowrote repo`."""
    when = (
        f"{r.first_commit_at[:10]} to {r.last_commit_at[:10]}"
        if r.first_commit_at
        else "no commits"
    )
    ui.title(console, r.name, f"{r.branch} at {r.head[:9]}, {when}")
    if not (r.linked or r.declared or r.unresolved or r.sessions):
        console.print(f"no sign of an agent in {ui.count_of(r.commits, 'commit')}")
    _lines(console, r)
    _coverage(console, r.coverage)
    _commits(console, r)
    ui.kinds(console, r.kinds)
    _evidence(console, r.shares)
    _edits(console, r)
    if len(r.sessions):
        console.print()
        columns = (
            "agent, model, transcript?, sessions, tool_calls, lines=lines in files of every kind"
        )
        show_table(console, r.sessions, columns, most=8, indent=2)
    if len(r.problems):
        console.print()
        show_table(
            console,
            r.problems,
            "code=problem, stage, count, example=for example",
            most=5,
            indent=2,
        )
    ui.notes(console, r.censored)
    _advice(console, r.advice)
    console.print()
    state = "nothing changed since the last run" if r.unchanged else f"done in {r.seconds:.1f} s"
    ui.dim(console, one_line(f"{state}, results in {database}"))


def hints(console: Console, path: str, example: str) -> None:
    """Suggestions for what to run next."""
    file = example.rpartition(":")[0]
    for question, command, asked in (
        ("Why this author?", "why", example),
        ("A whole file:", "blame", file),
    ):
        called = command_line("whowrote", command, path, asked)
        console.print(
            Text.assemble((question + "  ", "dim"), one_line(called)),
            soft_wrap=True,
        )


def _advice(console: Console, advices: Sequence[Advice]) -> None:
    """What would name the author of most lines, on one line; --json has the rest."""
    for item in advices[:1]:
        lines = f"{ui.count_of(item.lines, 'line')}: " if item.lines else ""
        command = Text(one_line(f"  {item.command}" if item.command else ""), "cyan")
        console.print()
        console.print(
            Text.assemble(("what would help: ", "bold"), one_line(f"{lines}{item.what}"), command),
            soft_wrap=True,
        )


def _commits(console: Console, r: RepoReport) -> None:
    console.print()
    table = ui.grid("<", ">", "<")
    table.add_row(Text("commits", "bold"), ui.number(r.commits), "")
    by = ", ".join(f"{ui.number(n)} by {ui.words(m)}" for m, n in r.linked_by.items())
    table.add_row("  linked to a session", ui.number(r.linked), Text(by, "dim"))
    if r.declared:
        table.add_row(
            "  name an agent only",
            ui.number(r.declared),
            Text("in a trailer or as the author; no session", "dim"),
        )
    if r.unresolved:
        table.add_row(
            "  refer to missing checkpoints",
            ui.number(r.unresolved),
            Text("not in this clone; fetch them", "dim"),
        )
    table.add_row(
        "  no agent mentioned", ui.number(r.commits - r.linked - r.declared - r.unresolved), ""
    )
    if r.unlinked:
        why = ", ".join(f"{ui.number(n)} {reason}" for reason, n in r.unlinked.items())
        table.add_row(
            Text("sessions without one", "bold"),
            ui.number(sum(r.unlinked.values())),
            Text(why, "dim"),
        )
    ui.show(console, table)


def _lines(console: Console, r: RepoReport) -> None:
    console.print()
    whole = sum(r.headline.values())
    table = ui.grid("<", ">", ">", "<", "<~")
    table.add_row(
        Text("lines added", "bold"),
        ui.number(whole),
        "",
        "",
        Text("in source and test files, not counting blank lines", "dim"),
    )
    for name, count in r.headline.items():
        meaning = Text(ui.MEANING[name], "dim")
        share = ui.percent(count, whole)
        table.add_row(
            Text("  " + name, ui.STYLE[name]),
            ui.number(count),
            share,
            ui.bar(name, count, whole),
            meaning,
        )
    for aside in r.asides:
        lines = sum(row["lines"] for row in aside.rows)
        if lines:
            meaning = Text(" ".join(aside.words), "dim")
            table.add_row(Text(aside.name, "bold"), ui.number(lines), "", "", meaning)
    ui.show(console, table)
    ui.audited(console, *(name for name, count in r.headline.items() if count))
    ui.notes(console, r.undeclared_notes)


def _coverage(console: Console, coverages: Sequence[Coverage]) -> None:
    """How many lines have a named author, of commits that can have one."""
    if not coverages or not coverages[0].lines:
        return
    console.print()
    console.print(
        Text.assemble(
            "  ",
            ("coverage", "bold"),
            ("  lines with a named author, of commits with any sign of an agent", "dim"),
        )
    )
    table = ui.grid("<", ">", "<", "<")
    for of in coverages:
        name = (
            "source and test lines" if of.days is None else f"  {of.days} days to the last commit"
        )
        counts = (
            f"{ui.number(of.attributed)} of {ui.number(of.lines)}" if of.lines else "no such lines"
        )
        table.add_row(name, ui.percent(of.attributed, of.lines), Text(counts, "dim"), "")
    for reason, lines in list(coverages[0].missing.items())[:_REASONS]:
        name = (
            "declared: no session"
            if reason == LineClass.DECLARED
            else f"unknown: {ui.words(reason)}"
        )
        table.add_row(
            Text(f"  {name}", "dim"),
            ui.percent(lines, coverages[0].lines),
            Text(ui.number(lines), "dim"),
            "",
        )
    ui.show(console, table)


def _evidence(console: Console, shares: Table, most: int = 6) -> None:
    whole = sum(row["nonblank"] for row in shares)
    rows = [
        row for row in shares if row["reason"] != "no_session" and row["evidence"] != "declared"
    ]
    if not rows:
        return
    console.print()
    table = ui.grid("<", ">", ">", "<")
    table.add_row(Text("evidence", "bold"), "", "", Text("in files of every kind", "dim"))
    for row in rows[:most]:
        what = row["evidence"] if row["how"] == "none" else f"{row['how']}, {row['evidence']}"
        what = f"dated, {ui.words(row['witness'])}" if row["witness"] else what
        kind = row["class"]
        what = (
            ui.words(row["reason"]) if kind in (LineClass.UNKNOWN, LineClass.UNDECLARED) else what
        )
        name = Text.assemble("  ", (ui.words(kind), ui.STYLE[kind]), f" {what}")
        table.add_row(name, ui.number(row["nonblank"]), ui.percent(row["nonblank"], whole), "")
    ui.show(console, table)


def _edits(console: Console, r: RepoReport) -> None:
    if not r.edits and not r.shell_edits:
        return
    console.print()
    parts = [f"{ui.number(n)} {ui.words(o)}" for o, n in r.edits.items()]
    table = ui.grid("<", "<")
    table.add_row(Text("agent edits", "bold"), ", ".join(parts) or "none")
    if r.shell_edits:
        table.add_row(
            Text("  by shell commands"),
            ", ".join(f"{ui.number(n)} {ui.words(o)}" for o, n in r.shell_edits.items()),
        )
    ui.show(console, table)


def check_list(console: Console, checks: Sequence[Check]) -> None:
    table = ui.grid("<", "<", "<~")
    for check in checks:
        state = (
            Text("OK", "green")
            if not check.broken
            else Text(f"BROKEN in {ui.count_of(check.broken, 'row')}", "bold red")
        )
        table.add_row(state, ui.plain(check.name), Text(one_line(check.promise), "dim"))
    ui.show(console, table, 0)
    for check in checks:
        if check.broken:
            console.print()
            ui.title(console, check.name, "first rows")
            show_table(console, table_of(check.rows), indent=2)


def failures(console: Console, failed: Iterable[tuple[str, str, str]]) -> None:
    """(path, message, hint) of repositories that could not be attributed."""
    for path, message, hint in failed:
        console.print(
            Text.assemble(("failed ", "bold red"), one_line(path), ": ", one_line(message))
        )
        for line in hint.split("\n") if hint else ():
            # commands are there to be copied
            console.print(Text("       " + one_line(line), "dim"), soft_wrap=True)


_NOT_COMPARABLE = (
    "not comparable: several checkpoints or commits are involved, so the two percentages count"
    " different lines"
)


def commit_view(console: Console, report: CommitReport) -> None:
    commit = report.commit
    ui.title(console, f"{commit.sha[:9]} {commit.subject}", report.repo)
    ui.dim(console, f"{one_line(commit.author_name)}, {ui.minute(commit.author_at)}")
    whole = sum(report.lines.values())
    if whole:
        console.print()
        ui.class_bars(console, report.lines)
        ui.audited(console, *(name for name, count in report.lines.items() if count))
    ui.kinds(console, report.kinds)
    _commit_sessions(console, report)
    _commit_files(console, report)
    if len(report.claims):
        console.print()
        columns = (
            "checkpoint",
            "theirs=recorder says, %",
            "ours=we say, %",
            "reason=reason for the difference",
            "session",
        )
        show_table(console, report.claims, columns)
        if any(row["reason"] == "not_comparable" for row in report.claims):
            ui.dim(console, _NOT_COMPARABLE)


def _commit_sessions(console: Console, report: CommitReport) -> None:
    console.print()
    absent = [named["checkpoint"] for named in report.checkpoints if not named["in_clone"]]
    if absent:
        console.print(
            Text.assemble(
                ("note: ", "yellow"),
                f"refers to checkpoints that are not in this clone: {one_line(', '.join(absent))}",
            )
        )
    for named in report.checkpoints:
        if named["signature"]:
            kind = Signature(named["signature"]).meaning
            ui.dim(
                console,
                f"checkpoint {one_line(named['checkpoint'])}: stored by a signed commit"
                f" ({kind}), not verified",
            )
    if not len(report.sessions):
        declared = report.commit.declared_agent
        ui.dim(
            console,
            f"no linked session{f'; the commit names {one_line(declared)}' if declared else ''}",
        )
    for s in report.sessions:
        who = (
            ", ".join(one_line(w) for w in (label_of(s["agent"] or ""), s["model"]) if w)
            or "unknown agent"
        )
        state = "" if s["transcript"] == "present" else f", transcript {ui.words(s['transcript'])}"
        console.print(
            Text(
                ui.cut(f"session {one_line(s['key'][:13])}: {one_line(s['label'])}", console.width),
                "bold",
            )
        )
        link = f"by {ui.words(s['method'])}, confidence {s['confidence']:.2f}"
        ui.dim(
            console,
            f"  {who}, linked {link}, wrote {ui.count_of(s['agent_lines'], 'line')} here{state}",
        )
        for prompt in s["prompts"][:5]:
            console.print(Text(ui.cut(f"  “{one_line(ui.opening(prompt))}”", console.width)))
        if len(s["prompts"]) > 5:
            ui.dim(console, f"  and {ui.count_of(len(s['prompts']) - 5, 'more prompt')}")


def _commit_files(console: Console, report: CommitReport, most: int = 12) -> None:
    if not report.files:
        return
    console.print()
    table = ui.grid("<", "<~", ">", "<~", head=("", "file", "+/-", "added lines"))
    for f in report.files:
        name = f"{f['old_path']} → {f['path']}" if f["old_path"] else f["path"]
        spans = Text()
        for start, end, attribution in f["spans"][:most]:
            kind = attribution.kind
            spans.append(
                f"{ui.LETTER[kind]}{start}" if start == end else f"{ui.LETTER[kind]}{start}-{end}",
                ui.STYLE[kind],
            )
            spans.append(" ")
        if len(f["spans"]) > most:
            spans.append(f"and {len(f['spans']) - most} more", "dim")
        if f["content"] != "text":
            spans = Text(ui.words(f["content"]), "dim")
        table.add_row(f["status"], ui.plain(name), f"+{f['added']} -{f['deleted']}", spans)
    ui.show(console, table, 0)


_ABSENT = "not attributed and not counted, {}: attribute the branch first"


def stats_view(console: Console, range_stats: RangeStats) -> None:
    ui.title(console, range_stats.repo, range_stats.range)
    merges = f", {ui.number(range_stats.merges)} of them merges" if range_stats.merges else ""
    linked = (
        f"{ui.number(range_stats.with_sessions)} with source or test lines of recorded sessions"
    )
    ui.dim(console, f"{ui.count_of(range_stats.commits, 'commit')}{merges}; {linked}")
    if range_stats.not_in_database:
        ui.notes(console, [_ABSENT.format(ui.count_of(range_stats.not_in_database, "commit"))])
    console.print()
    if not range_stats.total:
        ui.dim(console, "no lines were added to source and test files")
    else:
        _classes(console, range_stats)
    ui.kinds(console, range_stats.kinds)
    if len(range_stats.models):
        console.print()
        show_table(console, range_stats.models, indent=2)


def _classes(console: Console, range_stats: RangeStats) -> None:
    console.print(
        Text.assemble(
            (ui.count_of(range_stats.total, "line"), "bold"), " added to source and test files"
        )
    )
    ui.class_bars(console, range_stats.lines)
    because = ", ".join(
        f"{ui.words(reason)} {ui.number(lines)}"
        for reason, lines in list(range_stats.unknown_because.items())[:3]
        if lines
    )
    if because:
        ui.dim(console, f"  unknown because: {because}")
    ui.audited(console, *(name for name, lines in range_stats.lines.items() if lines))
