"""Finds the program that a command really runs and the handler that judges it.

`sudo`, `timeout 30`, `npx`, `uv run`, `xargs` are taken off; what is left goes to the handler of
that program, to the name of a task, or to the table of rules. Shells and `find -exec` run what they
are given.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from attribution.shell import files, git, rules, scripts, tables
from attribution.shell.calls import (
    Handler,
    ProgramCall,
    directory,
    feed_words,
    past_options,
    subcommand_at,
)
from attribution.shell.model import Effect, ShellWord, Unparsable, join

_MAX_CALLS = 40  # programs that run programs
_MAX_FIND = 500  # words of a `find`
_VERSIONED = re.compile(r"(python|pip|node|ruby|perl)[\d.]+")


def program(call: ProgramCall) -> list[Effect]:
    """The effects of the program that the arguments start with, wrappers included."""
    words, cwd = _unwrap(call.args, call.cwd)
    if not words:
        return []
    call.run.calls += 1
    if call.run.calls > _MAX_CALLS:
        raise Unparsable
    result = _dispatch(replace(call, name=_base(words[0].text), args=tuple(words[1:]), cwd=cwd))
    call.run.calls -= 1
    return result


def _dispatch(call: ProgramCall) -> list[Effect]:
    name = call.name
    asks = call.has("--help", "--version") or call.texts in (
        ["-h"],
        ["-v"],
        ["-V"],
        ["help"],
        ["version"],
    )
    if name in call.run.functions or asks:
        return []
    if "$" in name or not name:
        return [Effect("opaque")]
    if handler := _HANDLERS.get(name):
        return handler(call)
    if name.startswith("create-"):
        return [_set_program(effect, name) for effect in rules.scaffold("0", call)]
    result = [] if name in tables.HARMLESS else rules.task(call, _HANDLERS)
    return [
        _set_program(effect, name)
        for effect in (result if result is not None else rules.apply_rules(call))
    ]


def _set_program(effect: Effect, program_name: str) -> Effect:
    return (
        replace(effect, tool=effect.tool or program_name)
        if effect.kind in ("format", "generate")
        else effect
    )


def _base(text: str) -> str:
    name = re.split(r"[/\\]", text.replace("@angular/cli", "ng").replace("@nestjs/cli", "nest"))[-1]
    name = name.partition("@")[0] or name
    name = re.sub(r"\.(?:exe|cmd)$", "", "cmd" if _CMD.fullmatch(name) else name)
    return match[1] if (match := _VERSIONED.fullmatch(name)) else name


def _unwrap(words: Sequence[ShellWord], cwd: str) -> tuple[list[ShellWord], str]:
    """The program that is really run, without `sudo`, `timeout 30`, `npx`, `uv run`, `xargs` …
    before it.
    """
    left = list(words)
    for _ in range(12):
        name = _base(left[0].text) if left else ""
        if name == "command" and [word.text for word in left[1:2]] in (["-v"], ["-V"]):
            return [], cwd  # it only asks whether there is such a program
        if name in tables.WRAPPERS:
            left = past_options(left[1:], tables.WRAPPERS[name])[
                tables.WRAPPER_OPERANDS.get(name, 0) :
            ]
            if name in ("env", "cross-env", "dotenv"):
                left = left[
                    next((i for i, word in enumerate(left) if "=" not in word.text), len(left)) :
                ]
        elif name == "xargs":
            left = _xargs(left[1:])
        elif (moment := subcommand_at(left)) and f"{name} {left[moment].text}" in tables.RUNNERS:
            cwd = directory(left[1:moment], cwd)
            left = past_options(left[moment + 1 :], tables.SELECTOR | tables.DIRECTORY)
            if name == "direnv":
                left = left[1:]
        else:
            break
    return left, cwd


def _xargs(words: list[ShellWord]) -> list[ShellWord]:
    """The command that `xargs` runs; `$_` stands for its input."""
    mark = ""
    for option, value in pairwise(words):
        if not option.text.startswith("-"):
            break
        if option.text in ("-I", "-J"):
            mark = value.text
        elif option.text.startswith(("-I", "-i")):
            mark = option.text[2:] or "{}"
    left = past_options(words, frozenset(("-I", "-J", "-n", "-P", "-L", "-d", "-s", "-a", "-E")))
    return feed_words(left, mark) if mark else [*left, ShellWord("$_", False)]


# --- programs that run a command given to them ----------------------------------------------------


# the option behind which a shell is told what to run; those of cmd.exe may stand together, and in
# Git Bash their stroke is doubled
_CMD = re.compile(r"cmd(?:\.exe)?", re.I)
_RUNS_NEXT = re.compile(r"-[a-z]*c|/(?:[^\s/]+/)*/?[ckCKrR]")


def _source(call: ProgramCall) -> list[Effect]:
    """`source x`: harmless for the usual environments, else a script."""
    if re.search(r"activate|\.env|rc$|profile|nvm|cargo/env|asdf", " ".join(call.texts[:1])):
        return []
    return call.nested_effects(
        call.run.files.get(join(call.cwd, call.texts[0])) if call.args else None
    )


def _shell(call: ProgramCall) -> list[Effect]:
    """`sh -c …`, `bash script`, `eval …`, `bash <<EOF`."""
    texts = call.texts
    switch = "/" if call.name == "cmd" else ("-", "+")
    if call.name in ("eval", "trap"):
        return call.nested_effects(" ".join(texts if call.name == "eval" else texts[:1]))
    for moment, text in enumerate(texts):
        if text == "-Command" or _RUNS_NEXT.fullmatch(text):
            remainder = texts[moment + 1 :]
            whole = call.name in ("powershell", "pwsh", "cmd")
            return call.nested_effects(
                " ".join(remainder) if whole else remainder[0] if remainder else None
            )
        if not text.startswith(switch):
            return (
                []
                if "-n" in texts[:moment]
                else call.nested_effects(call.run.files.get(join(call.cwd, text)))
            )
    if not call.command.stdin and not call.command.fed:
        return []
    return call.nested_effects(call.fed_text())


def _find(call: ProgramCall) -> list[Effect]:
    """`find … -exec`, `-delete`, `-fprint`."""
    result = [Effect("remove")] if call.has("-delete") else []
    texts = call.texts
    if len(texts) > _MAX_FIND:
        return [Effect("opaque")]
    for moment, text in enumerate(texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next(
                (i for i in range(moment + 1, len(texts)) if texts[i] in (";", "+")), len(texts)
            )
            result += call.program(feed_words(call.args[moment + 1 : end], "{}"))
        elif text in ("-fprint", "-fprintf", "-fls"):
            result += call.make("write", call.args[moment + 1 : moment + 2])
    return result


_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("sed", "gsed"), files.sed),
    **dict.fromkeys(("rm", "unlink", "trash", "shred", "del"), files.remove),
    **dict.fromkeys(("mv", "cp", "install", "rsync", "scp", "ditto"), files.transfer),
    **dict.fromkeys(("tee", "sponge"), files.tee),
    **dict.fromkeys(("curl", "wget", "sort", "dd"), files.option_target),
    **dict.fromkeys(("yq", "awk", "gawk", "crudini"), files.in_place),
    **dict.fromkeys(("tar", "bsdtar", "gtar"), files.tar),
    **dict.fromkeys(("patch", "apply_patch"), files.patch),
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys((*tables.SHELLS, "eval", "trap", "powershell", "pwsh", "cmd"), _shell),
    **dict.fromkeys(tables.INTERPRETERS, scripts.interpreter),
    "ln": files.link,
    "touch": files.touch,
    "truncate": files.truncate,
    "find": _find,
    "git": git.git,
    "gh": git.gh,
}
