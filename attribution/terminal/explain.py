"""Everything about one line, as `attribute explain FILE:LINE` prints it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from attribution.queries.explain import EarlierAction, LineExplanation
from attribution.queries.moves import MoveHistory
from attribution.terminal.style import STYLE, cut, minute, notes, source, title, words
from collector.console.terminal import one_line

_PROMPT_LINES, _PROMPT_WIDTH, _ACTIONS = 8, 400, 8
_MARKS = {"+": "green", "-": "red", "$": "cyan"}


def line_view(console: Console, story: LineExplanation) -> None:
    """Everything about one line."""
    line, said = story.line, story.line.said
    title(console, f"{story.path}:{line.line}", f"at {story.branch or 'commit'} {story.sha[:9]}, {story.name}")
    console.print(Text(cut("  " + source(line.text), console.width)))
    console.print()
    style = STYLE.get(said.kind, "red")
    table = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    parts = dict.fromkeys((said.author or "not attributed", said.how, said.evidence, words(said.reason)))
    verdict = ", ".join(part for part in parts if part not in ("", "none"))
    room = console.width - 20
    table.add_row("verdict", Text(verdict, f"bold {style}"))
    table.add_row("how we know", _paragraphs(story.evidence))
    table.add_row("added by", _commit_words(story))
    if line.journey is not None:
        table.add_row("older than\nthat", _journey_words(line.journey))
    if said.session:
        _session_rows(table, story, room)
    if story.others:
        table.add_row("why not\nsomeone else", _paragraphs(story.others))
    if story.actions:
        table.add_row("actions on\nthe file", _action_words(story.actions, room))
    if story.claims:
        table.add_row("claimed by\nother tools", _paragraphs([c.words() for c in story.claims]))
    if story.needed:
        table.add_row("to know more", _paragraphs(story.needed))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
    notes(console, story.notes)


def _paragraphs(texts: Sequence[str]) -> Text:
    return Text("\n".join(one_line(t) for t in texts))


def _commit_words(story: LineExplanation) -> Text:
    birth, commit = story.line.birth, story.line.commit
    text = Text.assemble((birth.sha[:9], "bold"), " ", one_line(commit.subject if commit else ""))
    if commit:
        text.append(f"\n{one_line(commit.author_name)}, {minute(commit.author_at)}", "dim")
    if story.by_blame:
        there = (
            f", where it is {one_line(birth.path)}:{birth.line}"
            if (birth.path, birth.line) != (story.path, story.line.line)
            else ""
        )
        text.append(f"\nfollowed back from {story.sha[:9]} as git blame does{there}", "dim")
    return text


def _journey_words(journey: MoveHistory) -> Text:
    """What git blame does not see: the line is older than the commit it names."""
    text = Text()
    if journey.first is not None:
        text.append(f"first written in {journey.first.sha[:9]} as {one_line(journey.first.path)}:{journey.first.line}")
    else:
        text.append("written before the history that was followed")
    for travel in journey.travels:
        text.append(f"\n{travel.how} in {travel.sha[:9]} to {one_line(travel.path)}:{travel.line}", "dim")
    return text


def _session_rows(table: Table, story: LineExplanation, room: int) -> None:
    said = story.line.said
    who = ", ".join(one_line(w) for w in (said.agent, said.model) if w)
    table.add_row("session", Text.assemble(one_line(said.label), (f"\n{who}, {one_line(said.session)}", "dim")))
    if story.prompt:
        table.add_row(f"prompt {said.turn}", Text.assemble(_quoted(story.prompt), (f"\n{minute(story.turn_at)}", "dim")))
    call = story.call
    if call is None:
        return
    by = f" by subagent {one_line(call.subagent)}" if call.subagent else ""
    text = Text.assemble(
        (one_line(call.name), "bold"), (f"{by}, {call.at[:19].replace('T', ' ')} UTC, {one_line(call.call_id)}", "dim")
    )
    for part in call.lines:
        text.append("\n")
        mark = "▶" if part.hit else " "
        text.append(
            cut(f"{mark}{part.mark} {source(part.text)}", room),
            f"bold {_MARKS.get(part.mark, '')}".strip() if part.hit else _MARKS.get(part.mark, ""),
        )
    if call.match == "similar":
        text.append("\nthe marked line is the most similar one", "dim")
    elif not call.match:
        text.append("\nthe line itself is not in the text of the call", "dim")
    table.add_row("tool call", text)


def _quoted(prompt: str) -> Text:
    lines = prompt.strip().split("\n")
    shown = "\n".join(source(line) for line in lines[:_PROMPT_LINES])
    more = len(lines) > _PROMPT_LINES or len(shown) > _PROMPT_WIDTH
    return Text(shown[:_PROMPT_WIDTH] + (" …" if more else ""))


def _action_words(actions: Sequence[EarlierAction], room: int) -> Text:
    """The last ones before the commit; the explaining one always."""
    ours = next((i for i, a in enumerate(actions) if a.ours), len(actions) - 1)
    start = max(0, min(ours - 2, len(actions) - _ACTIONS))
    shown = actions[start : start + _ACTIONS]
    text = Text()
    if len(shown) < len(actions):
        text.append(f"{len(shown)} of {len(actions)}\n", "dim")
    for i, action in enumerate(shown):
        text.append("\n" if i else "")
        done = f"{'▶' if action.ours else ' '} {action.at[5:16].replace('T', ' ')} {one_line(action.what)}"
        text.append(cut(f"{done}  ", room), "bold" if action.ours else "")
        text.append(cut(one_line(action.session), max(0, room - len(done) - 2)), "dim")
    return text
