"""What `whowrote repo` prints at its end, commits as `whowrote log` shows them, and the list of
checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.queries.coverage import AgentShare
from attribution.terminal import style as ui
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.json_values import plain
from collector.storage.views import table_of
from collector.text import command_line
from collector.vocabulary.agents import label_of
from collector.vocabulary.sessions import Signature

if TYPE_CHECKING:
    from attribution.queries.checks import Check
    from attribution.queries.commit import CommitReport
    from attribution.queries.commit_range import RangeStats
    from attribution.queries.repo_report import Advice, RepoReport


def repo_report(
    console: Console, r: RepoReport, database: str, path: str = "", full: bool = False
) -> None:
    """The answer of `whowrote repo`; with `full` all that is behind it."""
    ui.title(console, r.name, " · ".join(_scope(r)))
    unread = sum(row["count"] for row in r.problems if row["code"] == "record_not_understood")
    if not (r.linked or r.declared or r.unresolved or r.sessions or unread):
        console.print(f"There is no sign of an agent in {ui.count_of(r.commits, 'commit')}.")
    share = AgentShare.of(r.headline)
    if share.lines:
        agents = f"Agents wrote at least {ui.percent(share.by_agents, share.lines)} of "
        text = (agents if share.by_agents else "") + f"{ui.count_of(share.lines, 'line')} of source"
        text += " and tests.  "
        console.print(Text.assemble(text, ui.bar(r.headline, console.width - len(text))))
        ui.class_rows(console, r.headline)
    if full:
        console.print()
        ui.everything(console, r.data())
    if r.unlinked:
        why = ", ".join(f"{ui.number(n)} {reason}" for reason, n in r.unlinked.items())
        ui.notes(console, [f"sessions without a commit: {why}"])
    for aside in r.asides:
        if lines := sum(row["lines"] for row in aside.rows):
            text = f"{aside.name}: {ui.count_of(lines, 'line')}, {' '.join(aside.words)}"
            ui.notes(console, [text])
    ui.notes(console, [*r.undeclared_notes, *r.censored])
    if unread:
        ui.notes(console, [f"{ui.count_of(unread, 'record')} not understood"])
    if problems := sum(row["count"] for row in r.problems) - unread:
        text = f"{ui.count_of(problems, 'thing')} could not be used: whowrote data problems"
        ui.notes(console, [text])
    _advice(console, r.advice)
    state = "nothing changed since the last run" if r.unchanged else f"done in {r.seconds:.1f} s"
    ui.dim(console, one_line(f"{state}, results in {database}"))
    if path and r.example:
        called = command_line("whowrote", "why", path, r.example)
        console.print(Text(one_line(f"{called}  · blame FILE · log · --full")), soft_wrap=True)


def _scope(r: RepoReport) -> Iterator[str]:
    """What was read: the commit, how many of them, whose sessions."""
    yield f"{r.branch} {r.head[:9]}"
    when = f", {r.first_commit_at[:10]} to {r.last_commit_at[:10]}" if r.first_commit_at else ""
    yield ui.count_of(r.commits, "commit") + when
    if sessions := sum(row["sessions"] for row in r.sessions):
        agents = filter(None, (row["agent"] for row in r.sessions))  # none of what was not read
        labels = dict.fromkeys(label_of(agent) or agent for agent in agents)
        yield " of ".join(filter(None, (ui.count_of(sessions, "session"), ", ".join(labels))))


def _advice(console: Console, advices: Sequence[Advice]) -> None:
    """What would name the author of most lines, on one line; --json has the rest."""
    for item in advices[:1]:
        lines = f"{ui.count_of(item.lines, 'line')}: " if item.lines else ""
        command = Text(one_line(f"  {item.command}" if item.command else ""), "cyan")
        text = one_line(f"{lines}{item.what}")
        console.print(Text.assemble(("what would help: ", "bold"), text, command), soft_wrap=True)


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


# of a session, of a commit: so many are shown
_PROMPTS = 3
_FILES = 8


def commit_view(console: Console, report: CommitReport, full: bool = False) -> None:
    """A commit: whose lines, of which sessions, in which files; with `full` all of it."""
    commit = report.commit
    when = f"{report.repo} · {commit.author_name}, {ui.minute(commit.author_at)}"
    ui.title(console, f"{commit.sha[:9]} {commit.subject}", when)
    ui.class_rows(console, report.lines)
    _commit_sessions(console, report)
    _commit_files(console, report)
    if full:
        console.print()
        ui.everything(console, plain(report))
    else:
        ui.dim(console, "whowrote why FILE:LINE explains a line; --full: all that is known")


def _commit_sessions(console: Console, report: CommitReport) -> None:
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
            text = f"checkpoint {named['checkpoint']}: stored by a signed commit ({kind})"
            ui.dim(console, one_line(f"{text}, not verified"))
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
        wrote = f"{who} wrote {ui.count_of(s['agent_lines'], 'line')} here{state}"
        console.print(Text(f"session {one_line(s['key'][:13])}: {wrote}", "bold"))
        for prompt in s["prompts"][:_PROMPTS] or [s["label"]]:
            console.print(Text(ui.cut(f"  “{one_line(ui.opening(prompt))}”", console.width)))


def _commit_files(console: Console, report: CommitReport, most: int = 12) -> None:
    table = ui.grid("<", "<~", ">", "<~")
    for f in report.files[:_FILES]:
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
    if len(report.files) > _FILES:
        ui.dim(console, f"and {ui.count_of(len(report.files) - _FILES, 'more file')}: --full")


_ABSENT = "not attributed and not counted, {}: attribute the branch first"


def stats_view(console: Console, range_stats: RangeStats, full: bool = False) -> None:
    """The lines of a range; with `full` all that is counted of it."""
    merges = f", {ui.number(range_stats.merges)} of them merges" if range_stats.merges else ""
    of = f"{range_stats.range} · {ui.count_of(range_stats.commits, 'commit')}{merges}"
    ui.title(console, range_stats.repo, of)
    if range_stats.not_in_database:
        ui.notes(console, [_ABSENT.format(ui.count_of(range_stats.not_in_database, "commit"))])
    lines = ui.count_of(range_stats.total, "line")
    console.print(
        f"{lines} added to source and test files, commits of sessions:"
        f" {ui.number(range_stats.with_sessions)}"
    )
    ui.class_rows(console, range_stats.lines)
    if full:
        console.print()
        ui.everything(console, range_stats.data())
