"""A file of a clone: every line with its verdict, or blocks of lines with the same origin."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from io import StringIO
from itertools import groupby, islice

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from attribution.queries.blame import BlameLine, Block, FileBlame
from attribution.queries.explain import (
    EarlierAction,
    LineExplanation,
    earlier_words,
    measured_share,
)
from attribution.queries.history import LineHistoryReport
from attribution.queries.verdicts import (
    NO_COMMIT,
    NOT_COMMITTED,
    NOT_YET,
    MoveHistory,
)
from attribution.terminal import style as ui
from collector.console.tables import pager
from collector.console.terminal import one_line
from collector.text import command_line
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import Author, How

_WHO_WIDTH = 11
_GUTTER = 28  # cells of a prompt or subject beside the lines, at least


def blame_view(
    console: Console, blamed: FileBlame, blocks: Sequence[Block], texts: bool = True
) -> None:
    """A file line by line, who and why at the first line of each block; without `texts` a row for
    each block.
    """
    where = f"{blamed.branch or 'commit'} {blamed.sha[:9]}"
    ui.title(console, blamed.path, f"{where} · {_counts(blamed.lines)}")
    about = max(_GUTTER, console.width // 3) if texts else console.width - 40
    digits = len(str(blamed.lines[-1].line)) if blamed.lines else 1
    remaining = iter(blamed.lines)
    rows = list[Text]()
    for _, group in groupby(blocks, lambda block: _gutter(block, about).plain):
        alike = list(group)
        start = alike[0].start
        end = alike[-1].end
        gutter = _gutter(alike[0], about)
        if not texts:
            lines = str(start) if start == end else f"{start}-{end}"
            rows.append(Text.assemble((f"{lines:>{2 * digits + 1}} ", "dim"), gutter))
            rows[-1].rstrip()
            continue
        for line in islice(remaining, end - start + 1):
            number = (f" {line.line:>{digits}} ", "dim")
            rows.append(Text.assemble(gutter, number, ui.source(line.text)))
            rows[-1].rstrip()
            gutter = _letter(alike[0]).append(" " * (gutter.cell_len - 1))
    with pager(console):
        if console.is_terminal:
            for row in rows:
                console.print(row, no_wrap=True, overflow="ellipsis")
        else:
            ui.print_whole(console, rows)
        moved = sum(line.moved is not None for line in blamed.lines)
        older = [f"~ {ui.count_of(moved, 'line')} older: the commit only moved or reformatted them"]
        ui.notes(console, [*blamed.notes, *(older if moved else ())])
    if blocks:
        example = command_line("whowrote", "why", f"{blamed.path}:{blocks[0].start}")
        ui.dim(console, one_line(f"one line explained: {example}"))


def _counts(lines: Sequence[BlameLine]) -> str:
    """How many lines are whose, with the letter of each."""
    read = [line.attribution for line in lines if line.text.strip()]
    count = Counter(of.kind or of.reason for of in read)
    letters = ui.LETTER | _NO_VERDICT | {"": "outside the attributed history"}
    return ", ".join(
        f"{letters[name]} {ui.words(name)} {count[name]:,}"
        for name in (*ui.STYLE, *_NO_VERDICT, "")
        if count[name]
    )


def _letter(block: Block) -> Text:
    of = block.first.attribution
    return Text(_NO_VERDICT.get(of.reason, ui.LETTER[of.kind]), f"bold {ui.STYLE.get(of.kind, '')}")


_NO_VERDICT = {NOT_COMMITTED: "+", NOT_YET: "*"}


def _gutter(block: Block, width: int) -> Text:
    """Who wrote a block, in which commit, and what was asked or what the commit says."""
    first = block.first
    of = first.attribution
    commit = first.commit
    who = label_of(of.agent) if of.author in (Author.AGENT, Author.DECLARED) else ""
    who = who or of.tool or (commit.author_name if commit else "")
    said = f"“{ui.opening(block.prompt)}”" if block.prompt else commit.subject if commit else ""
    sha = "now" if first.introduced.sha == NO_COMMIT else first.introduced.sha[:8]
    return Text.assemble(
        _letter(block),
        " ",
        (_fit(one_line(who), _WHO_WIDTH), ui.STYLE.get(of.kind, "")),
        (f" {sha:8}{'~' if first.moved else ' '}", "dim"),
        _fit(one_line(said), width),
    )


@lru_cache(1_000)  # a file has thousands of lines and a few authors
def _fit(text: str, width: int) -> str:
    return set_cell_size(ui.cut(text, width), width)


# cells, actions, lines of a call beside the line
_PROMPT_WIDTH = 300
_ACTIONS = 4
_AROUND = 1
_COLOUR = {"introduced": "green", "removed": "red", "present": "green"}
_MARKS = {"+": "green", "-": "red", "$": "cyan"}
_SAYS = {
    "agent": "{who} wrote this line",
    "declared": "Only the commit says that {who} wrote this line",
    "human": "A person wrote this line",
    "likely_human": "Probably a person wrote this line",
    "tool": "{tool} wrote this line, run by {run_by}",
    "unknown": "An agent may have written this line; the evidence is missing",
    "undeclared": "Who wrote this line is not on record",
    "": "This line has no author yet: {reason}",
}


def line_view(
    console: Console,
    explanation: LineExplanation,
    history: LineHistoryReport | None = None,
    full: bool = False,
) -> None:
    """Who wrote a line, what was asked, the edit, how sure that is; with `full` the whole case."""
    line = explanation.line
    of = explanation.line.attribution
    text = ui.source(line.text).strip() or "(a blank line)"
    console.print(Text(ui.cut(text, console.width), "bold"))
    console.print(Text(_sentence(explanation), f"bold {ui.STYLE.get(of.kind, 'red')}"))
    if explanation.prompt:
        lines = " ".join(explanation.prompt.split())
        turn = f"   turn {of.turn} of {one_line(of.session[:13])}"
        console.print(Text.assemble(f"  “{one_line(ui.cut(lines, _PROMPT_WIDTH))}”", (turn, "dim")))
    console.print(Text(_commit_words(explanation)))
    if line.moved is not None:
        console.print(_moves_words(line.moved))
    rate = measured_share(of)
    sure = "" if rate is None else f" (right in {100 * rate:.0f} % of such lines)"
    evidence = " ".join(one_line(text) for text in explanation.evidence)
    if evidence:
        console.print(Text(f"How we know: {evidence}{sure}"))
    _call_rows(console, explanation, console.width)
    for call in explanation.earlier[:2]:
        console.print(Text(f"earlier text of an agent: {one_line(earlier_words(call))}"))
    for section in explanation.sections:
        for text in section.words:
            console.print(Text(f"{section.title}: {one_line(text)}"))
    for text in explanation.others:
        console.print(Text(one_line(text)))
    if of.author != Author.AGENT and explanation.actions:
        console.print(_action_words(explanation.actions, console.width))
    for text in explanation.needed[:1]:
        console.print(Text(f"To know more: {one_line(text)}"))
    if history is not None:
        line_history_view(console, history)
    ui.notes(console, [*explanation.notes, *(history.notes if history is not None else ())])
    if full:
        console.print()
        ui.everything(console, explanation.data())
    else:
        ui.dim(console, "--full: the whole case, --history: what became of the line")


def _sentence(explanation: LineExplanation) -> str:
    of = explanation.line.attribution
    model = f" ({one_line(of.model)})" if of.model and of.model != of.agent else ""
    text = _SAYS[of.kind].format(
        who=(one_line(label_of(of.agent) or of.agent) or "An agent") + model,
        tool=one_line(of.tool),
        run_by=one_line(of.run_by or "somebody unknown"),
        reason=ui.words(of.reason) or "it is older than what was read",
    )
    changed = ", and it was changed before the commit" if of.how == How.EDITED else ""
    when = f" on {explanation.turn_at[:10]}" if explanation.turn_at else ""
    if not explanation.prompt:
        return f"{text}{changed}."
    if of.author == Author.UNKNOWN:
        return f"{text}. The call below was made{when} for this prompt:"
    return f"{text}{changed}{when}, asked:"


def line_text(explanation: LineExplanation, width: int = 100) -> str:
    """What `line_view` shows, as a plain text."""
    console = Console(file=StringIO(), width=width, color_system=None, record=True)
    line_view(console, explanation)
    return console.export_text()


def _commit_words(explanation: LineExplanation) -> str:
    introduced = explanation.line.introduced
    commit = explanation.line.commit
    if introduced.sha == NO_COMMIT or commit is None:
        return "not committed" if introduced.sha == NO_COMMIT else f"in commit {introduced.sha[:9]}"
    here = (introduced.path, introduced.line) == (explanation.path, explanation.line.line)
    there = "" if here else f", there {introduced.path}:{introduced.line}"
    who = f"{commit.author_name}, {ui.minute(commit.author_at)}"
    return one_line(f"in commit {introduced.sha[:9]} {commit.subject} ({who}){there}")


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


def _call_rows(console: Console, explanation: LineExplanation, room: int) -> None:
    """The line in the call that wrote it, with what stands around."""
    call = explanation.call
    if call is None:
        return
    hit = next((number for number, part in enumerate(call.lines) if part.hit), 0)
    for part in call.lines[max(0, hit - _AROUND) : hit + _AROUND + 1]:
        text = f"  {'▶' if part.hit else ' '}{part.mark} {ui.source(part.text)}".rstrip()
        style = f"bold {_MARKS.get(part.mark, '')}" if part.hit else _MARKS.get(part.mark, "")
        console.print(Text(ui.cut(text, room), style.strip()))
    if call.match == "similar":
        ui.dim(console, "  the marked line is the most similar one")
    elif not call.match and call.lines:
        ui.dim(console, f"  the line itself does not appear in this call of {one_line(call.name)}")


def _action_words(actions: Sequence[EarlierAction], room: int) -> Text:
    """The last actions before the commit, always including the one that decides."""
    marked = (number for number, action in enumerate(actions) if action.mark)
    decisive = max(marked, key=lambda number: actions[number].ours, default=len(actions) - 1)
    start = max(0, min(decisive - 2, len(actions) - _ACTIONS))
    listing = actions[start : start + _ACTIONS]
    text = Text()
    if len(listing) < len(actions):
        text.append(f"{len(listing)} of {len(actions)} (all: --full)\n", "dim")
    for number, action in enumerate(listing):
        text.append("\n" if number else "")
        when = action.at[5:16].replace("T", " ") or "no time"
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
