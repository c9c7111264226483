"""What happens in a history beside its two tasks, by the axis `event`.

Each event is a function of the history; it begins after the second task and leaves to the history
to commit what came last.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lab.actions import BACKGROUND, HIDDEN, SERVED, SERVER, Action, Tool
from lab.play import edit, read, say, shell, write
from lab.servers import server_command

from corpus.texts import (
    NOUNS,
    SUFFIXES,
    VERBS,
    Grammar,
    Splice,
    alteration,
    altered,
    insertion,
    with_context,
)

if TYPE_CHECKING:
    from corpus.history import History

SEVERAL = 4  # times as many lines are the person's where a commit is mostly theirs
# Ways in which an agent takes back an edit of the file {0}, one command after the other.
UNDONE = (
    ("git checkout -- {0}",),
    ("git restore {0}",),
    ("git reset -q --hard",),
    ("git stash -q", "git stash drop -q"),
    ("git diff {0} > .git/undo.patch && git apply -R .git/undo.patch",),
)
SET_ASIDE = ("git stash -q", "git stash pop -q")
# Agents with an option for commands that run on; in the others a shell runs them on.
RUN_ON = ("claude-code", "codex", "copilot-cli", "gemini-cli", "qwen-code")
SLOW = ("symbols", "cells")  # servers of tools
PYTHON = """from pathlib import Path
p = Path({path!r})
p.write_bytes(p.read_bytes().replace({old!r}.encode(), {new!r}.encode()))
"""
NODE = (
    "const fs = require('fs'); const f = {path}; const text = fs.readFileSync(f, 'utf8');"
    " fs.writeFileSync(f, text.replace({old}, () => {new}))"
)


def ordinary(history: History) -> None:
    """Nothing more happens."""


def ask(history: History, step: str, responses: Sequence[list[Action]], prompt: str = "") -> None:
    """The agent goes on in its session, and must change something."""
    script = {step: [*responses, say("It is done.")]}
    history.ask(step, script, "continue", **({"prompt": prompt} if prompt else {}))
    if not history.touched:
        raise RuntimeError(f"{history.plan.event}: the agent changed nothing")


def new_path(history: History, suffix: str = "") -> str:
    suffix = suffix or SUFFIXES[history.plan.language]
    return f"src/{history.rng.choice(VERBS)}_{history.rng.choice(NOUNS)}_more{suffix}"


def write_of_agent(history: History, path: str, how: str) -> list[Action]:
    return write(path, text_of_agent(history), how)


def text_of_agent(history: History) -> str:
    lines = history.grammar.lines(history.rng.randint(12, 40))
    return "".join(f"{line}\n" for line in lines)


def small_edit(history: History) -> None:
    """One to five lines of the agent in a commit that is mostly a person's."""
    history.commit("So far")
    rng, before = history.rng, history.rng.random() < 0.5
    count = rng.randint(1, 5)
    if before:
        write_much(history, SEVERAL * count)
    todo = history.edits(history.main, [lambda lines: alteration(rng, lines)] * count)
    ask(history, "small", todo)
    if not before:
        write_much(history, SEVERAL * count)


def write_much(history: History, count: int) -> None:
    """The person inserts at least so many lines, beside what is the agent's and elsewhere."""
    while count > 0:
        path = history.rng.choice((history.old, history.main))
        change = insertion(history.grammar, history.lines(path)[0])
        history.person_splices(path, change, "beside")
        count -= len(change.added)


def undo(history: History) -> None:
    """The agent takes its edit back with git, and the person types nearly the same."""
    history.commit("So far")
    rng = history.rng
    shown, _ = history.lines(history.old)
    change = insertion(history.grammar, shown, 2)
    todo = history.edits(history.old, [lambda lines: change])
    if (number := rng.randrange(len(UNDONE) + 2)) < len(UNDONE):
        todo += [shell(command.format(history.old)) for command in UNDONE[number]]
    elif number == len(UNDONE):
        todo += [shell(command) for command in SET_ASIDE]
    else:
        todo += [[history.commit_of_agent("Try it")], shell("git revert --no-edit HEAD")]
    ask(history, "undo", todo)
    if history.lines(history.old)[0] != shown:
        return  # it is there again
    typed = [altered(rng, line) if line and rng.random() < 0.3 else line for line in change.added]
    number = next(place for place, line in enumerate(change.added) if line.strip())
    typed[number] = altered(rng, change.added[number])
    history.person_splices(history.old, Splice(change.start, 0, tuple(typed)), "retyped", "agent")


def found_first(history: History, tools: Iterable[Tool]) -> list[list[Action]]:
    """What some agents must do before these tools are offered."""
    names = ",".join(tool.name for tool in tools)
    asks = history.agent.name in ("claude-code", "qwen-code")
    return [[Action("find", text=names)]] if asks else []


def background(history: History) -> None:
    """A process that the agent began writes the file while the agent does something else."""
    path, text = new_path(history), text_of_agent(history)
    body = f"sleep 2; cat > {path} <<'LABEOF'\n{text}LABEOF\n"
    if history.rng.random() < 0.5:
        code = f"import time\ntime.sleep(2)\nopen({path!r}, 'w').write({text!r})\n"
        body = f"python3 - <<'LABEOF'\n{code}LABEOF\n"
    if history.agent.name not in RUN_ON:
        body = f"({body}) > /dev/null 2>&1 &"
    started = [Action("shell", path=path, command=body, how=BACKGROUND)]
    ask(history, "background", [started, shell("sleep 8; ls src")])


def served_by(history: History, kind: str) -> list[list[Action]]:
    """From now on the agent has that server; what it must do before it can call its tools."""
    history.servers = {SERVER: server_command(kind, history.place, history.home)}
    asks = found_first(history, HIDDEN[kind])
    # whose tools some agents offer when it has started, which takes a while
    return [shell("sleep 20; ls src"), *asks] if asks and kind in SLOW else asks


def by_server(history: History) -> None:
    """The agent writes and edits through a server of tools."""
    todo = [*served_by(history, "files"), write_of_agent(history, new_path(history), SERVED)]
    lines, eol = history.lines(history.main)
    change = alteration(history.rng, lines)
    if eol == "\n" and change is not None:  # the server would write other ends of lines
        todo.append(edit(history.main, *with_context(lines, change), SERVED))
    ask(history, "served", todo)


def by_served_commands(history: History) -> None:
    """A server runs the commands that write and change files."""
    path, todo = new_path(history), served_by(history, "commands")
    command = f"cat > {path} <<'LABEOF'\n{text_of_agent(history)}LABEOF"
    todo.append([Action("shell", path, command=command, how=SERVED)])
    ask(history, "served", todo + scripts(history, SERVED))


def by_served_symbols(history: History) -> None:
    """A server replaces a function by its name, and puts another behind it."""
    grammar, path = Grammar(history.rng, "python"), new_path(history, ".py")
    lines = grammar.lines(history.rng.randint(20, 40))
    ask(history, "module", [write(path, "".join(f"{line}\n" for line in lines))])
    history.commit("A module")
    heads = [place for place, line in enumerate(lines) if line.startswith("def ")]
    behind = [*lines[history.rng.choice(heads) :], ""]
    old = behind[: behind.index("")]
    name = old[0][len("def ") : old[0].index("(")]
    if lines.count(old[0]) > 1:
        raise RuntimeError(f"{path}: {name} is there twice")
    new = "\n".join([old[0], *grammar.block()[1:]])
    more = "\n".join(["", "", *grammar.block()])
    was = "".join(f"{line}\n" for line in old)
    todo = [
        *served_by(history, "symbols"),
        [Action("symbol", path, new, was, step=name, how=SERVED)],
        [Action("after", path, more, step=name, how=SERVED)],
    ]
    ask(history, "served", todo)


def by_served_cells(history: History) -> None:
    """A server changes a cell of a notebook."""
    grammar, path = make_notebook(history)
    todo = served_by(history, "cells")
    source = "\n".join(grammar.block())
    todo.append([Action("cell", path, source, step="cell-1", how=SERVED)])
    ask(history, "served", todo)


def by_script(history: History) -> None:
    """A script in a command is all that changes the file."""
    ask(history, "scripted", scripts(history, "script-edit"))


def scripts(history: History, how: str) -> list[list[Action]]:
    """Commands with scripts that change the agent's main file, one after the other."""
    shown, eol = history.lines(history.main)
    rng, todo = history.rng, []
    for number in range(rng.randint(2, 4)):
        change = alteration(rng, shown) if number else insertion(history.grammar, shown)
        if change is None:
            continue
        old, new = with_context(shown, change, eol)
        command = rng.choice((python_script, heredoc_script, node_script))(history.main, old, new)
        todo.append([Action("shell", history.main, new, old, command, how=how)])
        shown = change.apply(shown)
    return todo


def python_script(path: str, old: str, new: str) -> str:
    return f"python3 -c {shlex.quote(PYTHON.format(path=path, old=old, new=new))}"


def heredoc_script(path: str, old: str, new: str) -> str:
    return f"python3 - <<'LABEOF'\n{PYTHON.format(path=path, old=old, new=new)}LABEOF"


def node_script(path: str, old: str, new: str) -> str:
    code = NODE.format(path=json.dumps(path), old=json.dumps(old), new=json.dumps(new))
    return f"node -e {shlex.quote(code)}"


def make_notebook(history: History) -> tuple[Grammar, str]:
    """The agent makes a notebook; its language and path."""
    grammar = Grammar(history.rng, "python")
    cells = [grammar.block() for _ in range(history.rng.randint(4, 7))]
    path = new_path(history, ".ipynb")
    ask(history, "notebook", [write(path, _notebook(cells), "notebook")])
    history.commit("A notebook")
    return grammar, path


def notebook(history: History) -> None:
    """The agent makes a notebook and changes a cell; the person changes another."""
    grammar, path = make_notebook(history)
    shown, _ = history.lines(path)
    change = alteration(history.rng, shown, lambda number: _is_code(shown[number]))
    todo = [read(path)]
    if history.agent.name in ("claude-code", "qwen-code"):  # whose other tools refuse notebooks
        source = "\n".join(grammar.block())
        if history.agent.name == "claude-code":
            todo += found_first(history, [Tool("NotebookEdit", {})])
        todo.append([Action("cell", path, source, step="cell-1", how="notebook")])
    elif change is not None:
        todo.append(edit(path, *with_context(shown, change), "notebook"))
    ask(history, "cell", todo)
    shown, _ = history.lines(path)
    change = alteration(history.rng, shown, lambda number: _is_code(shown[number]))
    history.person_splices(path, change, "notebook")


def _is_code(line: str) -> bool:
    return line.startswith('    "') and " = " in line


def _notebook(cells: Sequence[Sequence[str]]) -> str:
    """As Jupyter writes it."""
    rows: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": [f"{line}\n" for line in lines[:-1]] + [lines[-1]],
        }
        for number, lines in enumerate(cells)
    ]
    about = {"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(about, indent=1, ensure_ascii=False) + "\n"


def interleaved(history: History) -> None:
    """Two agents, or two sessions, work in one worktree, each on its files."""
    rng, grammar = history.rng, history.grammar
    first = history.edits(history.main, [lambda lines: insertion(grammar, lines)] * 2)
    first.append(write_of_agent(history, new_path(history), ""))
    second = [write_of_agent(history, new_path(history), "")]
    if history.encoding(history.old) == "utf-8":
        second += both_read(history, history.old, [lambda lines: alteration(rng, lines)] * 2)
    ask_both(history, first, second)


def at_once(history: History) -> None:
    """Two agents, or two sessions, change one file, each a part of it."""
    rng = history.rng
    middle = len(history.lines(history.main)[0]) // 2
    first = both_read(
        history, history.main, [lambda lines: alteration(rng, lines, lambda n: n < middle)] * 2
    )
    second = both_read(
        history, history.main, [lambda lines: alteration(rng, lines, lambda n: n > middle)] * 2
    )
    ask_both(history, first, second)


def both_read(
    history: History, path: str, changes: Sequence[Callable[[list[str]], Splice | None]]
) -> list[list[Action]]:
    """Edits of a file that somebody else changes too: it is read before each of them."""
    todo = [each for each in history.edits(path, changes) if each[0].kind == "edit"]
    return [response for each in todo for response in (read(path), each)]


def ask_both(history: History, first: list[list[Action]], second: list[list[Action]]) -> None:
    """The second one begins a session, and does not see what the first one does there."""
    ending = say("It is done.")
    asked = {"left": {"left": [*first, ending]}, "right": {"right": [*second, ending]}}
    history.ask_both(asked, history.plan.second)
    if not history.touched:
        raise RuntimeError(f"{history.plan.event}: the agents changed nothing")


def hurry(history: History) -> None:
    """Whoever acts does so within seconds of the commit before; a part is committed, then the
    rest.
    """
    history.commit("So far")
    history.hurried = True
    rng = history.rng
    changes = [
        lambda lines: insertion(history.grammar, lines),
        lambda lines: alteration(rng, lines),
    ]
    ask(history, "hurry", history.edits(history.old, changes))
    history.commit_a_part()
    for path in (history.main, history.old):  # a word of a line
        change = alteration(rng, history.lines(path)[0])
        history.person_splices(path, change, "hurry", pace=40)
    history.commit("The rest of it")
    ask(history, "again", history.edits(history.main, [lambda lines: alteration(rng, lines)]))
    history.commit("Again")
    history.hurried = False


def branch_switch(history: History) -> None:
    """In the middle of its work the agent goes to another branch, and comes back."""
    history.commit("So far")
    todo = [
        *history.edits(history.main, [lambda lines: insertion(history.grammar, lines)]),
        shell("git stash -q && git checkout -q -b aside"),
        write_of_agent(history, new_path(history), ""),
        [history.commit_of_agent("Add it aside")],
        shell("git checkout -q - && git stash pop -q"),
        *history.edits(history.old, [lambda lines: alteration(history.rng, lines)]),
    ]
    ask(history, "switch", todo)
    history.follow(history.author)
    history.commit("Back at it")
    history.git("cherry-pick", "aside")
    history.git("branch", "-q", "-D", "aside")
    history.follow(history.author)


def cut_short(history: History) -> None:
    """The transcript of the last session ends in the middle of a record."""
    step = history.starts[-1]["step"]
    calls = [call for call in history.calls_of(step) if call]
    history.cut = history.rng.choice(calls)
    history.ledger.seen.clear()


def told(history: History) -> None:
    """The prompt has code that the person pasted; the agent puts it there, or the person does."""
    path = history.old if history.encoding(history.old) == "utf-8" else history.main
    lines, _ = history.lines(path)
    change = insertion(history.grammar, lines)
    code = "\n".join(change.added).strip("\n")
    if history.rng.random() < 0.5:
        prompt = f"Please put this into {path} as it is:\n```\n{code}\n```"
        ask(history, "told", [read(path), edit(path, *with_context(lines, change), "told")], prompt)
        return
    prompt = f"Is there anything wrong with this?\n```\n{code}\n```"
    history.ask("told", {"told": [say("It looks right.")]}, "continue", prompt=prompt)
    history.person_splices(path, change, "told", pace=200)


EVENTS: Mapping[str, Callable[[History], None]] = {
    "small-edit": small_edit,
    "undo": undo,
    "background": background,
    "mcp": by_server,
    "mcp-shell": by_served_commands,
    "mcp-symbols": by_served_symbols,
    "mcp-notebook": by_served_cells,
    "script-edit": by_script,
    "notebook": notebook,
    "interleaved": interleaved,
    "at-once": at_once,
    "hurry": hurry,
    "branch-switch": branch_switch,
    "cut-short": cut_short,
    "told": told,
}
