"""A file of a clone: every line with its verdict, or blocks of lines with the same origin."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from io import StringIO

from rich.cells import set_cell_size
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from attribution.hooks import Section
from attribution.queries.blame import BlameLine, Block, FileBlame
from attribution.queries.explain import EarlierAction, LineExplanation, earlier_words
from attribution.queries.history import LineHistoryReport
from attribution.queries.verdicts import (
    NO_COMMIT,
    NOT_COMMITTED,
    NOT_YET,
    LineAttribution,
    MoveHistory,
)
from attribution.terminal import style as ui
from collector.console.terminal import one_line
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import Evidence

_BRIEF = {
    "no_session": "undeclared",
    "transcript_missing": "transcript?",
    "transcript_not_stored": "transcript?",
    "transcript_unreadable": "transcript?",
    "checkpoint_missing": "checkpoint?",
    "invisible_subagent": "subagent?",
    "opaque_shell": "shell?",
    "git_operation": "git?",
    "other_branch": "branch?",
    "restored": "restored?",
    "rewritten": "rewritten?",
    "unexplained": "?",
    NOT_COMMITTED: "uncommitted",
    NOT_YET: "newer",
}
_DATED = re.compile(r"-\d{8}$")
_HOW_WIDTH, _WHO_WIDTH = 11, 14


def blame_view(console: Console, blamed: FileBlame) -> None:
    """One row per line, truncated on a terminal, complete in a file or pipe."""
    ui.title(
        console, blamed.path, f"at {blamed.branch or 'commit'} {blamed.sha[:9]}, {blamed.name}"
    )
    digits = len(str(len(blamed.lines)))
    texts = [_blame_line(line, digits) for line in blamed.lines]
    if console.is_terminal:
        for text in texts:
            console.print(text, no_wrap=True, overflow="ellipsis")
    else:
        ui.print_whole(console, texts)
    _legend(console, blamed.lines)
    ui.notes(console, blamed.notes)


def _blame_line(line: BlameLine, digits: int) -> Text:
    style = ui.STYLE.get(line.attribution.kind, "red")
    how, who = _fit(_brief(line.attribution), _HOW_WIDTH), _fit(_who(line), _WHO_WIDTH)
    return Text.assemble(
        (line.introduced.sha[:8], "dim"),
        ("~" if line.moved else " ", "dim"),
        (ui.LETTER[line.attribution.kind], f"bold {style}"),
        f" {how} ",
        (who, style),
        (f" {line.line:>{digits}} ", "dim"),
        (ui.source(line.text), "bright_black" if line.attribution.kind == "undeclared" else ""),
    )


@lru_cache(1_000)  # a file has thousands of lines and a few authors
def _fit(text: str, width: int) -> str:
    return set_cell_size(ui.cut(text, width), width)


def _brief(attribution: LineAttribution) -> str:
    """How, in one word."""
    if attribution.author == "agent":
        return attribution.how
    if attribution.author == "human":
        return ui.words(attribution.witness)
    if attribution.author == "tool":
        return attribution.tool
    return _BRIEF.get(attribution.reason, ui.words(attribution.reason)) or "not read"


def _who(line: BlameLine) -> str:
    if line.attribution.author == "agent":
        model = (
            _DATED.sub("", line.attribution.model).removeprefix("claude-").removeprefix("Claude ")
        )
        return one_line(model or label_of(line.attribution.agent))
    return one_line(line.commit.author_name if line.commit else "")


def _legend(console: Console, lines: Sequence[BlameLine]) -> None:
    count = Counter(line.attribution.kind for line in lines if line.text.strip())
    whole = sum(count.values())
    console.print()
    table = ui.grid("<", "<", ">", ">", "<~")
    for kind in (*ui.STYLE, ""):
        if count[kind]:
            style = ui.STYLE.get(kind, "red")
            meaning = ui.MEANING.get(kind, "outside the attributed history, or not committed")
            table.add_row(
                Text(ui.LETTER[kind], f"bold {style}"),
                Text(kind or "not read", style),
                ui.number(count[kind]),
                ui.percent(count[kind], whole),
                Text(meaning, "dim"),
            )
    ui.show(console, table, 0)
    moved = sum(line.moved is not None for line in lines)
    if moved:
        text = (
            f"~  older: {ui.count_of(moved, 'line')} that the commit shown only moved or"
            " reformatted (see whowrote why)"
        )
        ui.dim(console, text)


def file_view(console: Console, blamed: FileBlame, blocks: Sequence[Block]) -> None:
    """A file in blocks of lines with the same origin."""
    lines = ui.count_of(len(blamed.lines), "line")
    ui.title(
        console,
        blamed.path,
        f"at {blamed.branch or 'commit'} {blamed.sha[:9]}, {blamed.name}; {lines}",
    )
    console.print()
    table = ui.grid(
        ">",
        "<",
        "<",
        "<",
        "<",
        "<~",
        head=("lines", "", "how", "who", "commit", "prompt or commit subject"),
    )
    for block in blocks:
        first = block.first
        style = ui.STYLE.get(first.attribution.kind, "red")
        lines = str(block.start) if block.start == block.end else f"{block.start}-{block.end}"
        subject = Text(one_line(first.commit.subject if first.commit else ""), "dim")
        about = Text("“" + one_line(ui.opening(block.prompt)) + "”") if block.prompt else subject
        table.add_row(
            lines,
            Text(ui.LETTER[first.attribution.kind], f"bold {style}"),
            _brief(first.attribution),
            Text(_fit(_who(first), _WHO_WIDTH), style),
            Text(first.introduced.sha[:8], "dim"),
            about,
        )
    ui.show(console, table, 0)
    _legend(console, blamed.lines)
    ui.notes(console, blamed.notes)


_PROMPT_LINES, _PROMPT_WIDTH, _ACTIONS = 8, 400, 8
_COLOUR = {"introduced": "green", "removed": "red", "present": "green"}
_MARKS = {"+": "green", "-": "red", "$": "cyan"}


def line_view(
    console: Console, explanation: LineExplanation, history: LineHistoryReport | None = None
) -> None:
    """Everything about one line, and its history where that is known."""
    line, verdict = explanation.line, explanation.line.attribution
    commit = f"{explanation.branch or 'commit'} {explanation.sha[:9]}"
    ui.title(console, f"{explanation.path}:{line.line}", f"at {commit}, {explanation.name}")
    console.print(Text(ui.cut("  " + ui.source(line.text), console.width)))
    console.print()
    style = ui.STYLE.get(verdict.kind, "red")
    table = Table(
        box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0)
    )
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    name = ui.words(verdict.kind) if verdict.kind or verdict.reason else "not attributed"
    parts = dict.fromkeys((name, verdict.how, verdict.evidence, ui.words(verdict.reason)))
    room = console.width - 20
    table.add_row(
        "verdict",
        Text(", ".join(part for part in parts if part not in ("", "none")), f"bold {style}"),
    )
    table.add_row("how we know", _paragraphs(explanation.evidence))
    if explanation.measured:
        table.add_row("measured", Text(f"{explanation.measured}; see docs/accuracy.md", "dim"))
    table.add_row("added by", _commit_words(explanation))
    if line.moved is not None:
        table.add_row("older than\nits commit", _moves_words(line.moved))
    if verdict.session:
        _session_rows(table, explanation, room)
    if verdict.witness:
        table.add_row(
            "witness", Text.assemble(ui.words(verdict.witness), (_sightings(verdict), "dim"))
        )
    if verdict.tool:
        table.add_row("tool", one_line(f"{verdict.tool}, run by {verdict.run_by or 'unknown'}"))
    if explanation.earlier:
        table.add_row(
            "earlier text\nof an agent",
            _paragraphs([earlier_words(call) for call in explanation.earlier]),
        )
    if explanation.others:
        table.add_row("why not\nsomeone else", _paragraphs(explanation.others))
    if explanation.actions:
        table.add_row("actions on\nthe file", _action_words(explanation.actions, room))
    _sections(table, explanation.sections)
    if explanation.needed:
        table.add_row("to know more", _paragraphs(explanation.needed))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
    if history is not None:
        console.print()
        line_history_view(console, history)
    ui.notes(console, [*explanation.notes, *(history.notes if history is not None else ())])


def line_text(explanation: LineExplanation, width: int = 100) -> str:
    """What `line_view` shows, as a plain text."""
    console = Console(file=StringIO(), width=width, color_system=None, record=True)
    line_view(console, explanation)
    return console.export_text()


def _sections(table: Table, sections: Sequence[Section]) -> None:
    """What plug-ins say about the line."""
    for section in sections:
        if section.words:
            table.add_row(section.title, _paragraphs(section.words))


def _paragraphs(texts: Sequence[str]) -> Text:
    return Text("\n".join(one_line(t) for t in texts))


def _commit_words(explanation: LineExplanation) -> Text:
    introduced, commit = explanation.line.introduced, explanation.line.commit
    if introduced.sha == NO_COMMIT:
        return Text("no commit")
    text = Text.assemble(
        (introduced.sha[:9], "bold"), " ", one_line(commit.subject if commit else "")
    )
    if commit:
        text.append(f"\n{one_line(commit.author_name)}, {ui.minute(commit.author_at)}", "dim")
    if explanation.by_blame:
        there = (
            f", where it is {one_line(introduced.path)}:{introduced.line}"
            if (introduced.path, introduced.line) != (explanation.path, explanation.line.line)
            else ""
        )
        text.append(f"\ntraced back from {explanation.sha[:9]} as git blame does{there}", "dim")
    return text


def _moves_words(history: MoveHistory) -> Text:
    """What git blame does not see: the line is older than the commit it names."""
    text = Text()
    if history.first is not None:
        text.append(
            f"first written in {history.first.sha[:9]} as"
            f" {one_line(history.first.path)}:{history.first.line}"
        )
    else:
        text.append("written before the part of history that line history covers")
    for move in history.moves:
        text.append(f"\n{move.how} in {move.sha[:9]} to {one_line(move.path)}:{move.line}", "dim")
    return text


def _sightings(verdict: LineAttribution) -> str:
    """When the file was seen without and with a person's line; nothing where the date of the
    commit is the witness.
    """
    if verdict.evidence == Evidence.DATED:
        return ""
    without = (
        f"without the line {ui.minute(verdict.seen_without_at)}"
        if verdict.seen_without_at
        else "before it unknown"
    )
    later = ui.minute(verdict.seen_with_at) if verdict.seen_with_at else "in the commit"
    return f": {without}, with it {later}"


def _session_rows(table: Table, explanation: LineExplanation, room: int) -> None:
    verdict = explanation.line.attribution
    who = ", ".join(one_line(w) for w in (label_of(verdict.agent), verdict.model) if w)
    table.add_row(
        "session",
        Text.assemble(one_line(verdict.label), (f"\n{who}, {one_line(verdict.session)}", "dim")),
    )
    if explanation.prompt:
        table.add_row(
            f"prompt {verdict.turn}",
            Text.assemble(
                _quote(explanation.prompt), (f"\n{ui.minute(explanation.turn_at)}", "dim")
            ),
        )
    call = explanation.call
    if call is None:
        return
    by = f" by subagent {one_line(call.subagent)}" if call.subagent else ""
    when = f"{call.at[:19].replace('T', ' ')} UTC, " if call.at else ""
    text = Text.assemble(
        (one_line(call.name), "bold"), (f"{by}, {when}{one_line(call.call_id)}", "dim")
    )
    for part in call.lines:
        text.append("\n")
        mark = "▶" if part.hit else " "
        text.append(
            ui.cut(f"{mark}{part.mark} {ui.source(part.text)}", room),
            f"bold {_MARKS.get(part.mark, '')}".strip() if part.hit else _MARKS.get(part.mark, ""),
        )
    if call.match == "similar":
        text.append("\nthe marked line is the most similar one", "dim")
    elif not call.match:
        missing = (
            "the line itself does not appear in the call"
            if call.lines
            else "the text of the call is in the transcript alone"
        )
        text.append(f"\n{missing}", "dim")
    table.add_row("tool call", text)


def _quote(prompt: str) -> Text:
    lines = prompt.strip().split("\n")
    listing = "\n".join(ui.source(line) for line in lines[:_PROMPT_LINES])
    more = len(lines) > _PROMPT_LINES or len(listing) > _PROMPT_WIDTH
    return Text(listing[:_PROMPT_WIDTH] + (" …" if more else ""))


def _action_words(actions: Sequence[EarlierAction], room: int) -> Text:
    """The last actions before the commit, always including the one that decides."""
    marked = (number for number, action in enumerate(actions) if action.mark)
    decisive = max(marked, key=lambda number: actions[number].ours, default=len(actions) - 1)
    start = max(0, min(decisive - 2, len(actions) - _ACTIONS))
    listing = actions[start : start + _ACTIONS]
    text = Text()
    if len(listing) < len(actions):
        text.append(f"{len(listing)} of {len(actions)}\n", "dim")
    for number, action in enumerate(listing):
        text.append("\n" if number else "")
        when = action.at[5:16].replace("T", " ")
        beginning = f"{action.mark:1} {when} {one_line(action.what)}"
        text.append(ui.cut(f"{beginning}  ", room), "bold" if action.mark else "")
        text.append(ui.cut(one_line(action.session), max(0, room - len(beginning) - 2)), "dim")
    return text


def line_history_view(console: Console, report: LineHistoryReport) -> None:
    """What commits did to the line, and what became of it."""
    table = ui.grid("<", "<", "<", "<~")
    for event in report.events:
        targets = (
            one_line(event.path) + (f":{event.line}" if event.line else "") if event.path else ""
        )
        what = one_line(f"{event.subject} ({event.who})")
        location = ", ".join(part for part in (targets, one_line(event.detail)) if part)
        when = ui.minute(event.at)
        table.add_row(
            Text(event.what, f"bold {_COLOUR.get(event.what, 'yellow')}"),
            Text(when, "dim"),
            event.sha[:9],
            Text(what),
        )
        if location:
            table.add_row("", "", "", Text(location, "dim"))
    ui.show(console, table)
    if report.cause:
        who = {"agent": "an agent", "human": "a person"}.get(report.actor, "an unknown author")
        session = f" (session: {one_line(report.actor_session)})" if report.actor_session else ""
        console.print(
            Text.assemble(
                "  removed by ",
                (who, "bold"),
                session,
                (f" after {report.days or 0:.1f} days", "dim"),
            )
        )
        for line in report.replaced_by:
            ui.dim(console, ui.cut("  + " + ui.source(line), console.width))
    elif report.days is not None:
        ui.dim(console, f"  still present after {report.days:.1f} days")
