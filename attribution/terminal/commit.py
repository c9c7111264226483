"""A commit as `whowrote log --show` prints it, with its sessions, files and claims of the recorder; and commits added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import (
    LETTER,
    STYLE,
    audited,
    class_bars,
    cut,
    dim,
    grid,
    kinds,
    minute,
    notes,
    number,
    opening,
    plain,
    show,
    title,
    words,
)
from collector.console.tables import show_table
from collector.console.terminal import one_line
from collector.vocabulary.agents import label_of
from collector.vocabulary.sessions import Signature

if TYPE_CHECKING:
    from attribution.queries.commit import CommitReport
    from attribution.queries.commit_range import RangeStats


_NOT_COMPARABLE = "not comparable: several checkpoints or commits are involved, so the two percentages count different lines"


def commit_view(console: Console, report: CommitReport) -> None:
    commit = report.commit
    title(console, f"{commit.sha[:9]} {commit.subject}", report.repo)
    console.print(Text(f"{one_line(commit.author_name)}, {minute(commit.author_at)}", "dim"))
    whole = sum(report.lines.values())
    if whole:
        console.print()
        class_bars(console, report.lines)
        audited(console, *(name for name, count in report.lines.items() if count))
    kinds(console, report.kinds)
    _commit_sessions(console, report)
    _commit_files(console, report)
    if len(report.claims):
        console.print()
        columns = ("checkpoint", "theirs=recorder says, %", "ours=we say, %", "reason=reason for the difference", "session")
        show_table(console, report.claims, columns)
        if any(row["reason"] == "not_comparable" for row in report.claims):
            console.print(Text(_NOT_COMPARABLE, "dim"))


def _commit_sessions(console: Console, report: CommitReport) -> None:
    console.print()
    absent = [named["checkpoint"] for named in report.checkpoints if not named["in_clone"]]
    if absent:
        console.print(
            Text.assemble(("note: ", "yellow"), f"refers to checkpoints that are not in this clone: {one_line(', '.join(absent))}")
        )
    for named in report.checkpoints:
        if named["signature"]:
            kind = Signature(named["signature"]).meaning
            console.print(
                Text(f"checkpoint {one_line(named['checkpoint'])}: stored by a signed commit ({kind}), not verified", "dim")
            )
    if not len(report.sessions):
        declared = report.commit.declared_agent
        console.print(Text(f"no linked session{f'; the commit names {one_line(declared)}' if declared else ''}", "dim"))
    for s in report.sessions:
        who = ", ".join(one_line(w) for w in (label_of(s["agent"] or ""), s["model"]) if w) or "unknown agent"
        state = "" if s["transcript"] == "present" else f", transcript {words(s['transcript'])}"
        console.print(Text(cut(f"session {one_line(s['key'][:13])}: {one_line(s['label'])}", console.width), "bold"))
        link = f"by {words(s['method'])}, confidence {s['confidence']:.2f}"
        console.print(Text(f"  {who}, linked {link}, wrote {number(s['agent_lines'])} lines here{state}", "dim"))
        for prompt in s["prompts"][:5]:
            console.print(Text(cut(f"  “{one_line(opening(prompt))}”", console.width)))
        if len(s["prompts"]) > 5:
            console.print(Text(f"  and {len(s['prompts']) - 5} more prompts", "dim"))


def _commit_files(console: Console, report: CommitReport, most: int = 12) -> None:
    if not report.files:
        return
    console.print()
    table = grid("<", "<~", ">", "<~", head=("", "file", "+/-", "added lines"))
    for f in report.files:
        name = f"{f['old_path']} → {f['path']}" if f["old_path"] else f["path"]
        spans = Text()
        for start, end, attribution in f["spans"][:most]:
            kind = attribution.kind
            spans.append(f"{LETTER[kind]}{start}" if start == end else f"{LETTER[kind]}{start}-{end}", STYLE[kind])
            spans.append(" ")
        if len(f["spans"]) > most:
            spans.append(f"and {len(f['spans']) - most} more", "dim")
        if f["content"] != "text":
            spans = Text(words(f["content"]), "dim")
        table.add_row(f["status"], plain(name), f"+{f['added']} -{f['deleted']}", spans)
    show(console, table, 0)


# --- a range ----------------------------------------------------------------------------------------------------------

_ABSENT = "{} commits are not attributed and not counted: attribute their branch first"


def stats_view(console: Console, range_stats: RangeStats) -> None:
    title(console, range_stats.repo, range_stats.range)
    merges = f", {number(range_stats.merges)} of them merges" if range_stats.merges else ""
    linked = f"{number(range_stats.with_sessions)} with source or test lines of recorded sessions"
    dim(console, f"{number(range_stats.commits)} commits{merges}; {linked}")
    if range_stats.not_in_database:
        notes(console, [_ABSENT.format(number(range_stats.not_in_database))])
    console.print()
    if not range_stats.total:
        console.print(Text("no lines were added to source and test files", "dim"))
    else:
        _classes(console, range_stats)
    kinds(console, range_stats.kinds)
    if len(range_stats.models):
        console.print()
        show_table(console, range_stats.models, indent=2)


def _classes(console: Console, range_stats: RangeStats) -> None:
    console.print(Text.assemble((f"{number(range_stats.total)} lines", "bold"), " added to source and test files"))
    class_bars(console, range_stats.lines)
    because = ", ".join(
        f"{words(reason)} {number(lines)}" for reason, lines in list(range_stats.unknown_because.items())[:3] if lines
    )
    if because:
        console.print(Text(f"  unknown because: {because}", "dim"))
    audited(console, *(name for name, lines in range_stats.lines.items() if lines))
