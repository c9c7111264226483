"""Programs judged by the tables: a rule for `program subcommand`, the name of a task, or a verb
that promises only to look.

Most programs that agents run are decided here; those whose arguments need a closer look have a
handler of their own elsewhere.
"""

import re
import shlex
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise

from attribution.shell import tables
from attribution.shell.calls import ProgramCall, directory, is_path, operands, subcommand_at
from attribution.shell.model import Effect, ShellWord, Unparsable, join

_UPDATING = re.compile(
    r"\w*(?:UPDATE|REGEN|SNAPSHOT|ACCEPT|GOLDEN|OVERWRITE)\w*=(?!0|false|no|off|$)", re.I
)


def apply_rules(call: ProgramCall) -> list[Effect]:
    """What the longest rule that fits says; without one the program is unknown."""
    words = [ShellWord(call.name, True), *call.args]
    first = subcommand_at(words)
    second = subcommand_at(words, first + 1) if first else 0
    keys = [call.name, *(words[moment].text for moment in (first, second) if moment)]
    for length in range(len(keys), 0, -1):
        if verdict := tables.RULES.get(" ".join(keys[:length])):
            remainder = words[(0, first, second)[length - 1] + 1 :]
            inner = replace(
                call,
                args=tuple(remainder),
                cwd=directory(words[1:first] if first else words[1:], call.cwd),
            )
            if verdict[0] == "scaffold":
                return [
                    replace(effect, tool=" ".join(keys[:length]))
                    for effect in scaffold(verdict[1:], inner)
                ]
            return _verdict(verdict, inner, call)
    return unknown(call, keys[1] if first else "")


def unknown(call: ProgramCall, verb: str) -> list[Effect]:
    """A program or script that is in no table: only a verb or a name that promises to look tells
    it from the worst.
    """
    looks = bool(tables.LOOKING.intersection(re.split(r"[-_.:/]", verb.lower())[:1]))
    if call.has("--fix", "--write", "-w", "--in-place"):
        return [Effect("format")]
    return (
        []
        if looks and not call.has("-o", "--output", "--out", "--update", "-u")
        else [Effect("opaque")]
    )


def _verdict(verdict: tuple[str, ...], call: ProgramCall, whole: ProgramCall) -> list[Effect]:
    kind = verdict[0]
    remainder = verdict[1:]
    if kind == "-":
        return [Effect("generate")] if _updates(whole) else []
    if kind == "fix":
        return _fixed_paths(
            call,
            [flag for flag in remainder if flag[0] != "!"],
            [flag[1:] for flag in remainder if flag[0] == "!"],
        )
    if kind == "generate":
        if whole.has("--dry-run", "--noEmit", "-g", "--global", "--no-save", "--check"):
            return []
        return _generator_effects(call, remainder)
    if kind == "into":
        return (
            call.make("generate", operands(call.args, tables.VALUED)[-1:])
            if len(call.args) > 1
            else []
        )
    return [Effect(kind)]


def _generator_effects(call: ProgramCall, existing: Sequence[str]) -> list[Effect]:
    """The files that the table names, those that the call names with `-o` and the like, and
    perhaps others.
    """
    values = [word for option, word in pairwise(call.args) if option.text in tables.OUTPUTS]
    parted = (text.partition("=") for text in call.texts)
    values += [ShellWord(value, True) for option, _, value in parted if option in tables.OUTPUTS]
    outputs = [join(call.cwd, word.text) for word in values if is_path(word.text)]
    paths = [join(call.cwd, name) for name in existing if name != "?"] + outputs
    result = [Effect("generate", tuple(paths))] if paths else []
    return result + ([Effect("generate")] if not outputs and ("?" in existing or not paths) else [])


def scaffold(verdict: Sequence[str], call: ProgramCall) -> list[Effect]:
    """The directory that a template fills, which may be the one it was called in; the named
    files where no operand says which.
    """
    number = int(verdict[0])
    files = verdict[1:]
    ours = call.args[: call.texts.index("--")] if "--" in call.texts else call.args
    words = operands(ours, tables.VALUED)
    target = next(
        (value for option, value in pairwise(ours) if option.text == "--directory"),
        next(iter(words[number:]), None),
    )
    if target is not None and "$" not in target.text:
        return [Effect("generate", (join(call.cwd, target.text),))]
    paths = tuple(join(call.cwd, name) for name in files)
    return [Effect("generate", paths)] if paths and not words else [Effect("generate")]


def _fixed_paths(call: ProgramCall, needed: list[str], stops: list[str]) -> list[Effect]:
    if call.has(*stops) or (needed and not call.has(*needed)):
        return []
    return call.make("format", operands(call.args, tables.VALUED - frozenset(needed)))


def _updates(call: ProgramCall) -> bool:
    """A test run that rewrites what it compares with."""
    flagged = bool(tables.UPDATE_FLAGS.intersection(call.texts)) and call.name in tables.TESTERS
    return flagged or any(_UPDATING.match(text) for text in call.command.env)


def task(call: ProgramCall, handled: Container[str]) -> list[Effect] | None:
    """`make x`, `npm run x`, `pnpm x`: judged by the name of the task; None for other programs.

    handled: programs that have a handler, which `pnpm` and its like run by their bare name.
    """
    words = [ShellWord(call.name, True), *call.args]
    moment = subcommand_at(words)
    sub = words[moment].text if moment else ""
    if f"{call.name} {sub}" in tables.TASK_RUNNERS:
        names = [word.text for word in words[moment + 1 :]]
    elif call.name in tables.TASK_RUNNERS:
        names = call.texts
    elif call.name in ("pnpm", "yarn", "bun", "mise") and f"{call.name} {sub}" not in tables.RULES:
        if not sub:
            return (
                [] if call.name != "yarn" else [Effect("generate", (join(call.cwd, "yarn.lock"),))]
            )
        if sub in tables.RULES or sub in handled:
            return call.program(words[moment:])
        names = call.texts[moment - 1 :]
    else:
        return None
    return _named_files(call, names)


def _named_files(call: ProgramCall, names: list[str]) -> list[Effect]:
    if call.has("-n", "--dry-run", "--list", "-l", "--summary") and call.name in (
        "make",
        "gmake",
        "just",
        "task",
    ):
        return []
    ours = names[: names.index("--")] if "--" in names else names
    tasks = [
        word.text
        for word in operands(
            [ShellWord(name, True) for name in ours], tables.SELECTOR | tables.DIRECTORY
        )
    ]
    tasks = [name for name in tasks if "=" not in name and name != ":::" and not name.isdigit()]
    if (
        call.name
        not in (
            "make",
            "gmake",
            "task",
            "just",
            "rake",
            "gradle",
            "gradlew",
            "mvn",
            "mvnw",
        )
        and ":::" not in names
    ):
        tasks = tasks[:1]
    if not tasks:
        return [] if call.name in ("npm", "pnpm", "yarn", "bun", "mise") else [Effect("opaque")]
    result: list[Effect] = []
    for name in tasks:
        kinds = "generate" if _updates(call) else _task_kinds(name, names)
        statement = _effects_of_text(call, name)
        result += statement if statement is not None else [Effect(kind) for kind in kinds.split()]
    return list(dict.fromkeys(result))


def _effects_of_text(call: ProgramCall, task: str) -> list[Effect] | None:
    """What the commands of the task do; None when they are not known, or one of them could do
    anything: its name says more.
    """
    elsewhere = call.has(*tables.OTHER_PACKAGES) or call.name in ("nx", "turbo")
    text = None if elsewhere else call.run.tasks(call.cwd, call.name, task)
    if text is None:
        return None
    values = call.texts[call.texts.index("--") + 1 :] if "--" in call.texts else []
    try:
        result = call.nested_effects(" ".join([text, *map(shlex.quote, values)]))
    except Unparsable:
        return None
    return None if any(effect.kind == "opaque" for effect in result) else result


def _task_kinds(task: str, args: list[str]) -> str:
    """The kinds of effect a task has by its name; empty when it has none.

    A generator of which no more is known may write files anew that are there.
    """
    words = set(re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", task).lower()))
    if "fix" in words or "--fix" in args or "--write" in args:
        return "format"
    if words & tables.TASK_CHECKS or "--check" in args:
        return ""
    if words & tables.TASK_FIXES or task.endswith(("spotlessApply", "spotless:apply")):
        return "format"
    if words & tables.TASK_GENERATES and not (
        words & {"test", "tests", "lint"} and not words & {"update", "gen", "regen"}
    ):
        return "generate opaque"
    return "" if words & tables.TASK_HARMLESS else "opaque"
