"""Values on a terminal (rich). All texts are escaped first, so nothing from a repository acts on the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from attribution.report import Check, ProblemGroup, RepoReport, SessionGroup, Share
from attribution.show import Action, BlameLine, Block, CommitStory, FileStory, LineStory, Said
from collector.console import one_line
from collector.text import printable

STYLE = {"agent": "cyan", "declared": "blue", "human": "green", "unknown": "yellow", "undeclared": "bright_black"}
MEANING = {
    "agent": "a recorded action explains it",
    "declared": "a trailer says so, no session",
    "human": "all actions known, none fits",
    "unknown": "perhaps an agent, perhaps not",
    "undeclared": "commit mentions no agent",
}
_BAR = 12
_NARROW = 8


def plain(value: object) -> Text:
    return Text(one_line("" if value is None else str(value)))


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def percent(part: int, whole: int) -> str:
    if not whole:
        return ""
    share = 100 * part / whole
    return "<0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def grid(*columns: str, head: Sequence[str] = ()) -> Table:
    """A table without lines; a column is "<" or ">" (aligned), with "~" it may be cut to fit."""
    table = Table(
        box=box.SIMPLE_HEAD if head else None,
        show_header=bool(head),
        show_edge=False,
        pad_edge=False,
        padding=(0, 1 if head else 2, 0, 0),
    )
    for i, column in enumerate(columns):
        flexible = "~" in column
        table.add_column(
            head[i] if head else "",
            justify="right" if ">" in column else "left",
            no_wrap=True,
            overflow="ellipsis" if flexible else "fold",
            header_style="bold",
        )
    return table


def show(console: Console, table: Table, indent: int = 2) -> None:
    """Prints a grid; when it is too wide, the columns that may be cut are."""
    widths = [max(_width(cell) for cell in (column.header, *column.cells)) for column in table.columns]
    room = console.width - indent - 2 * len(widths)
    flexible = [i for i, column in enumerate(table.columns) if column.overflow == "ellipsis"] or range(len(widths))
    while sum(widths) > room:
        widest = max(flexible, key=lambda i: widths[i])
        if widths[widest] <= _NARROW:
            break
        widths[widest] -= 1
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    console.print(Padding(table, (0, 0, 0, indent), expand=False))


def _width(cell: object) -> int:
    return cell.cell_len if isinstance(cell, Text) else cell_len(str(cell))


def cut(text: str, width: int) -> str:
    """The text, ended by … when it is wider."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 1 else ""


def title(console: Console, text: str, note: str = "") -> None:
    console.print(Text.assemble((one_line(text), "bold"), ("  " + one_line(note) if note else "", "dim")))


# --- attribute repo ---------------------------------------------------------------------------------------------------


def repo_report(console: Console, r: RepoReport, database: str) -> None:
    """The short table at the end of `attribute repo`."""
    when = f"{r.first_commit_at[:10]} to {r.last_commit_at[:10]}" if r.first_commit_at else "no commits"
    title(console, r.name, f"{r.branch} at {r.head[:9]}, {when}")
    _commits(console, r)
    _lines(console, r)
    _evidence(console, r.shares, r.lines)
    _edits(console, r)
    _sessions(console, r.sessions)
    if r.problems:
        problems(console, r.problems, most=5)
    _notes(console, r.censored)
    console.print()
    state = "nothing changed since the last run" if r.unchanged else f"done in {r.seconds:.1f} s"
    console.print(Text(one_line(f"{state}, results in {database}"), "dim"))


def hints(console: Console, path: str, example: str) -> None:
    """What to do next."""
    file = example.rpartition(":")[0]
    for question, command in (("why one line?", f"explain {path} {example}"), ("a whole file?", f"blame {path} {file}")):
        console.print(Text.assemble((question + "  ", "dim"), one_line("attribute " + command)), soft_wrap=True)


def _commits(console: Console, r: RepoReport) -> None:
    console.print()
    table = grid("<", ">", "<")
    table.add_row(Text("commits", "bold"), number(r.commits), "")
    by = ", ".join(f"{number(n)} by {m.replace('_', ' ')}" for m, n in r.linked_by.items())
    table.add_row("  linked to a session", number(r.linked), Text(by, "dim"))
    if r.declared:
        table.add_row("  only declare an agent", number(r.declared), Text("in a trailer or as author", "dim"))
    if r.unresolved:
        table.add_row("  name an absent checkpoint", number(r.unresolved), Text("this clone does not have it", "dim"))
    table.add_row("  say nothing of agents", number(r.commits - r.linked - r.declared - r.unresolved), "")
    show(console, table)


def _lines(console: Console, r: RepoReport) -> None:
    console.print()
    table = grid("<", ">", ">", "<", "<~")
    table.add_row(Text("lines added", "bold"), number(r.lines), "", "", Text("blank lines left out", "dim"))
    for name in ("agent", "declared", "human", "unknown", "undeclared"):
        count = getattr(r, f"{name}_lines")
        bar = Text("█" * round(_BAR * count / r.lines) if r.lines else "", STYLE[name])
        table.add_row(Text("  " + name, STYLE[name]), number(count), percent(count, r.lines), bar, Text(MEANING[name], "dim"))
    show(console, table)


def _evidence(console: Console, shares: Sequence[Share], whole: int, most: int = 6) -> None:
    known = [s for s in shares if s.reason != "no_session" and s.evidence != "declared"]
    if not known:
        return
    console.print()
    table = grid("<", ">", ">", "<")
    table.add_row(Text("evidence", "bold"), "", "", "")
    for s in known[:most]:
        what = f"{s.how}, {s.evidence}" if s.how != "none" else s.evidence
        style = STYLE[s.author]
        name = Text.assemble("  ", (s.author, style), f" {s.reason.replace('_', ' ') if s.author == 'unknown' else what}")
        table.add_row(name, number(s.nonblank), percent(s.nonblank, whole), "")
    show(console, table)


def _edits(console: Console, r: RepoReport) -> None:
    if not r.edits and not r.shell_edits:
        return
    console.print()
    parts = [f"{number(n)} {o.replace('_', ' ')}" for o, n in r.edits.items()]
    table = grid("<", "<")
    table.add_row(Text("edit calls", "bold"), ", ".join(parts) or "none")
    if r.shell_edits:
        table.add_row(Text("  by shell"), ", ".join(f"{number(n)} {o.replace('_', ' ')}" for o, n in r.shell_edits.items()))
    show(console, table)


def _sessions(console: Console, groups: Sequence[SessionGroup], most: int = 8) -> None:
    if not groups:
        return
    console.print()
    table = grid("<~", "<~", ">", ">", ">", "<", head=("agent", "model", "sessions", "tool calls", "lines", ""))
    for g in groups[:most]:
        state = "" if g.transcript == "present" else f"transcript {g.transcript.replace('_', ' ')}"
        table.add_row(
            plain(g.agent), plain(g.model or "not recorded"), number(g.sessions), number(g.tool_calls), number(g.nonblank_lines),
            Text(state, "yellow"),
        )  # fmt: skip
    if len(groups) > most:
        table.add_row(Text(f"and {len(groups) - most} more", "dim"), "", number(sum(g.sessions for g in groups[most:])), "", "", "")
    show(console, table)


# --- lists ------------------------------------------------------------------------------------------------------------


def problems(console: Console, groups: Sequence[ProblemGroup], most: int = 1000) -> None:
    console.print()
    table = grid("<", "<", ">", "<~", head=("problem", "stage", "count", "for example"))
    for g in groups[:most]:
        table.add_row(plain(g.code), plain(g.stage), number(g.count), Text(one_line(g.example), "dim"))
    if len(groups) > most:
        table.add_row(Text(f"and {len(groups) - most} more kinds", "dim"), "", "", "")
    show(console, table)


def problem_list(console: Console, groups: Sequence[ProblemGroup]) -> None:
    if groups:
        problems(console, groups)
    else:
        console.print(Text("no problems", "green"))


def check_list(console: Console, found: Sequence[Check]) -> None:
    table = grid("<", "<", "<~")
    for check in found:
        state = Text("OK", "green") if not check.broken else Text(f"BROKEN in {number(check.broken)} rows", "bold red")
        table.add_row(state, plain(check.name), Text(one_line(check.promise), "dim"))
    show(console, table, 0)
    for check in found:
        if check.broken:
            console.print()
            title(console, check.name, "first rows")
            records(console, check.rows)


def records(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    if not rows:
        return
    table = grid(*("<~" for _ in rows[0]), head=tuple(rows[0]))
    for row in rows:
        table.add_row(*(plain(v) for v in row.values()))
    show(console, table)


def failures(console: Console, failed: Iterable[tuple[str, str, str]]) -> None:
    """(path, message, hint) of repositories that could not be attributed."""
    for path, message, hint in failed:
        console.print(Text.assemble(("failed ", "bold red"), one_line(path), ": ", one_line(message)))
        for line in hint.split("\n") if hint else ():
            console.print(Text("       " + one_line(line), "dim"))


# --- attribute blame, explain FILE ------------------------------------------------------------------------------------

_LETTER = {"agent": "A", "declared": "A", "human": "H", "unknown": "U", "undeclared": "U", "": "?"}
_BRIEF = {
    "no_session": "undeclared",
    "transcript_missing": "transcript?",
    "checkpoint_missing": "checkpoint?",
    "invisible_subagent": "subagent?",
    "opaque_shell": "shell?",
    "git_operation": "git?",
    "other_branch": "branch?",
    "restored": "restored?",
    "rewritten": "rewritten?",
    "unexplained": "?",
}
_DATED = re.compile(r"-\d{8}$")
_HOW_WIDTH, _WHO_WIDTH = 11, 14


def blame_view(console: Console, story: FileStory) -> None:
    """One line per line, cut at the edge of a terminal, whole in a file or pipe."""
    title(console, story.path, f"at {story.branch or 'commit'} {story.sha[:9]}, {story.name}")
    digits = len(str(len(story.lines)))
    for line in story.lines:
        text = _blame_line(line, digits)
        if console.is_terminal:
            console.print(text, no_wrap=True, overflow="ellipsis")
        else:
            console.print(text, soft_wrap=True)
    _legend(console, story.lines)
    _notes(console, story.notes)


def _blame_line(line: BlameLine, digits: int) -> Text:
    style = STYLE.get(line.said.kind, "red")
    how, who = _fitted(brief(line.said), _HOW_WIDTH), _fitted(_who(line), _WHO_WIDTH)
    return Text.assemble(
        (line.birth.sha[:8], "dim"), " ", (_LETTER[line.said.kind], f"bold {style}"), f" {how} ", (who, style),
        (f" {line.line:>{digits}} ", "dim"), (source(line.text), "bright_black" if line.said.kind == "undeclared" else ""),
    )  # fmt: skip


def _fitted(text: str, width: int) -> str:
    return set_cell_size(cut(text, width), width)


def source(text: str) -> str:
    """A line of a file, safe for a terminal; tabs as blanks, the carriage return of a Windows line end left out."""
    return printable(text.removesuffix("\r").expandtabs(4)).replace("\n", "\\n")


def brief(said: Said) -> str:
    """How, in one word."""
    if said.author == "agent":
        return said.how
    if said.author == "human":
        return "in between" if said.reason == "before_session" else said.evidence
    return _BRIEF.get(said.reason, said.reason.replace("_", " ")) or "not read"


def _who(line: BlameLine) -> str:
    if line.said.author == "agent":
        model = _DATED.sub("", line.said.model).removeprefix("claude-").removeprefix("Claude ")
        return one_line(model if line.said.model else line.said.agent)
    return one_line(line.commit.author_name if line.commit else "")


def _legend(console: Console, lines: Sequence[BlameLine]) -> None:
    count = Counter(line.said.kind for line in lines if line.text.strip())
    whole = sum(count.values())
    console.print()
    table = grid("<", "<", ">", ">", "<~")
    for kind in (*STYLE, ""):
        if count[kind]:
            style = STYLE.get(kind, "red")
            meaning = MEANING.get(kind, "outside the attributed history")
            table.add_row(
                Text(_LETTER[kind], f"bold {style}"), Text(kind or "not read", style), number(count[kind]),
                percent(count[kind], whole), Text(meaning, "dim"),
            )  # fmt: skip
    show(console, table, 0)


def _notes(console: Console, notes: Iterable[str]) -> None:
    for note in notes:
        console.print(Text.assemble(("note: ", "yellow"), one_line(note)))


def file_view(console: Console, story: FileStory, found: Sequence[Block]) -> None:
    """A file by blocks of lines that came the same way."""
    title(console, story.path, f"at {story.branch or 'commit'} {story.sha[:9]}, {story.name}; {len(story.lines)} lines")
    console.print()
    table = grid(">", "<", "<", "<", "<", "<~", head=("lines", "", "how", "who", "commit", "prompt, or subject of the commit"))
    for block in found:
        first = block.first
        style = STYLE.get(first.said.kind, "red")
        lines = str(block.start) if block.start == block.end else f"{block.start}-{block.end}"
        about = Text("“" + one_line(_head(block.prompt)) + "”") if block.prompt else Text(_subject(first), "dim")
        table.add_row(
            lines, Text(_LETTER[first.said.kind], f"bold {style}"), brief(first.said),
            Text(_fitted(_who(first), _WHO_WIDTH), style), Text(first.birth.sha[:8], "dim"), about,
        )  # fmt: skip
    show(console, table, 0)
    _legend(console, story.lines)
    _notes(console, story.notes)


def _head(text: str) -> str:
    return text.strip().split("\n", 1)[0][:120]


def _subject(line: BlameLine) -> str:
    return one_line(line.commit.subject if line.commit else "")


# --- attribute explain FILE:LINE --------------------------------------------------------------------------------------

_PROMPT_LINES, _PROMPT_WIDTH, _ACTIONS = 8, 400, 8
_MARKS = {"+": "green", "-": "red", "$": "cyan"}


def line_view(console: Console, story: LineStory) -> None:
    """Everything about one line."""
    line, said = story.line, story.line.said
    title(console, f"{story.path}:{line.line}", f"at {story.branch or 'commit'} {story.sha[:9]}, {story.name}")
    console.print(Text(cut("  " + source(line.text), console.width)))
    console.print()
    style = STYLE.get(said.kind, "red")
    table = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    words = dict.fromkeys((said.author or "not attributed", said.how, said.evidence, said.reason.replace("_", " ")))
    verdict = ", ".join(w for w in words if w not in ("", "none"))
    room = console.width - 20
    table.add_row("verdict", Text(verdict, f"bold {style}"))
    table.add_row("how we know", _paragraphs(story.evidence))
    table.add_row("added by", _commit_words(story))
    if said.session:
        _session_rows(table, story, room)
    if story.others:
        table.add_row("why not\nsomeone else", _paragraphs(story.others))
    if story.actions:
        table.add_row("actions on\nthe file", _action_words(story.actions, room))
    if story.needed:
        table.add_row("to know more", _paragraphs(story.needed))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
    _notes(console, story.notes)


def _paragraphs(texts: Sequence[str]) -> Text:
    return Text("\n".join(one_line(t) for t in texts))


def _commit_words(story: LineStory) -> Text:
    birth, commit = story.line.birth, story.line.commit
    text = Text.assemble((birth.sha[:9], "bold"), " ", one_line(commit.subject if commit else ""))
    if commit:
        text.append(f"\n{one_line(commit.author_name)}, {_minute(commit.author_at)}", "dim")
    if story.by_blame:
        there = (
            f", where it is {one_line(birth.path)}:{birth.line}"
            if (birth.path, birth.line) != (story.path, story.line.line)
            else ""
        )
        text.append(f"\nfollowed back from {story.sha[:9]} as git blame does{there}", "dim")
    return text


def _minute(at: str) -> str:
    return f"{at[:10]} {at[11:16]} UTC" if at else "time not recorded"


def _session_rows(table: Table, story: LineStory, room: int) -> None:
    said = story.line.said
    who = ", ".join(one_line(w) for w in (said.agent, said.model) if w)
    table.add_row("session", Text.assemble(one_line(said.label), (f"\n{who}, {one_line(said.session)}", "dim")))
    if story.prompt:
        table.add_row(f"prompt {said.turn}", Text.assemble(_quoted(story.prompt), (f"\n{_minute(story.turn_at)}", "dim")))
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


def _action_words(actions: Sequence[Action], room: int) -> Text:
    """The last ones before the commit; the explaining one always."""
    ours = next((i for i, a in enumerate(actions) if a.ours), len(actions) - 1)
    start = max(0, min(ours - 2, len(actions) - _ACTIONS))
    shown = actions[start : start + _ACTIONS]
    text = Text()
    if len(shown) < len(actions):
        text.append(f"{len(shown)} of {len(actions)}\n", "dim")
    for i, action in enumerate(shown):
        text.append("\n" if i else "")
        words = f"{'▶' if action.ours else ' '} {action.at[5:16].replace('T', ' ')} {one_line(action.what)}"
        text.append(cut(f"{words}  ", room), "bold" if action.ours else "")
        text.append(cut(one_line(action.session), max(0, room - len(words) - 2)), "dim")
    return text


# --- attribute show ---------------------------------------------------------------------------------------------------


def commit_view(console: Console, story: CommitStory) -> None:
    commit = story.commit
    title(console, f"{commit.sha[:9]} {commit.subject}", story.repo)
    console.print(Text(f"{one_line(commit.author_name)}, {_minute(commit.author_at)}", "dim"))
    whole = sum(story.lines.values())
    if whole:
        console.print()
        table = grid("<", ">", ">", "<")
        for name in STYLE:
            if story.lines.get(name):
                count = story.lines[name]
                bar = Text("█" * round(_BAR * count / whole), STYLE[name])
                table.add_row(Text(name, STYLE[name]), number(count), percent(count, whole), bar)
        show(console, table)
    _commit_sessions(console, story)
    _commit_files(console, story)
    _commit_claims(console, story)


def _commit_sessions(console: Console, story: CommitStory) -> None:
    console.print()
    absent = [key for key, there in story.checkpoints if not there]
    if absent:
        console.print(
            Text.assemble(("note: ", "yellow"), f"names checkpoints this clone does not have: {one_line(', '.join(absent))}")
        )
    if not story.sessions:
        declared = story.commit.declared_agent
        console.print(Text(f"no session is linked{f'; the commit declares {one_line(declared)}' if declared else ''}", "dim"))
    for s in story.sessions:
        who = ", ".join(one_line(w) for w in (s.agent, s.model) if w) or "agent not known"
        state = "" if s.transcript == "present" else f", transcript {s.transcript.replace('_', ' ')}"
        console.print(Text(cut(f"session {one_line(s.label)}", console.width), "bold"))
        link = f"by {s.method.replace('_', ' ')}, confidence {s.confidence:.2f}"
        console.print(Text(f"  {who}, linked {link}, wrote {number(s.agent_lines)} lines here{state}", "dim"))
        for prompt in s.prompts[:5]:
            console.print(Text(cut(f"  “{one_line(_head(prompt))}”", console.width)))
        if len(s.prompts) > 5:
            console.print(Text(f"  and {len(s.prompts) - 5} more prompts", "dim"))


def _commit_files(console: Console, story: CommitStory, most: int = 12) -> None:
    if not story.files:
        return
    console.print()
    table = grid("<", "<~", ">", "<~", head=("", "file", "+/-", "added lines"))
    for f in story.files:
        name = f"{f.old_path} → {f.path}" if f.old_path else f.path
        spans = Text()
        for start, end, said in f.spans[:most]:
            spans.append(f"{_LETTER[said.kind]}{start}" if start == end else f"{_LETTER[said.kind]}{start}-{end}", STYLE[said.kind])
            spans.append(" ")
        if len(f.spans) > most:
            spans.append(f"and {len(f.spans) - most} more", "dim")
        if f.kind != "text":
            spans = Text(f.kind.replace("_", " "), "dim")
        table.add_row(f.status, plain(name), f"+{f.added} -{f.deleted}", spans)
    show(console, table, 0)


def _commit_claims(console: Console, story: CommitStory) -> None:
    if not story.claims:
        return
    console.print()
    table = grid("<", ">", ">", "<", "<~", head=("checkpoint", "producer says", "we say", "reason of the difference", "session"))
    for c in story.claims:
        ours = "" if c.ours is None else f"{c.ours:.1f} %"
        theirs = "" if c.theirs is None else f"{c.theirs:.1f} %"
        table.add_row(plain(c.checkpoint), theirs, ours, plain(c.reason.replace("_", " ")), Text(one_line(c.session), "dim"))
    show(console, table, 0)
    if any(c.reason == "not_comparable" for c in story.claims):
        console.print(
            Text("not comparable: the checkpoint or the commit is not alone, so the two do not count the same lines", "dim")
        )


# --- attribute sessions -----------------------------------------------------------------------------------------------


def session_table(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    several = len({r["repo"] for r in rows}) > 1
    head = (*(("repository",) if several else ()), "started", "agent", "turns", "edits", "commits", "lines", "first prompt")
    table = grid(*(("<~",) if several else ()), "<", "<", ">", ">", ">", ">", "<~", head=head)
    for r in rows:
        agent = r["agent"] or Text(f"transcript {r['transcript'].replace('_', ' ')}", "yellow")
        table.add_row(
            *((plain(r["repo"]),) if several else ()), (r["started_at"] or "")[:10], agent, number(r["turns"]),
            number(r["edits_applied"] or 0), number(r["commits"] or 0), number(r["agent_lines"] or 0), plain(r["label"]),
        )  # fmt: skip
    show(console, table, 0)
    count, lines = len(rows), sum(r["agent_lines"] or 0 for r in rows)
    console.print(Text(f"{count} sessions, {number(lines)} lines in commits (blank ones included)", "dim"))
