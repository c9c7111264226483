"""Kinds of tool calls, whatever each agent names its tools: read, grep, glob, write, edit, bash:…,
git/gh, web, agent, mcp, … Pure.

The kind of a shell command is that of its first effective program: what only changes the directory,
sets a variable or wraps another program (`sudo`, `timeout 30`, `npx`) is skipped. Agents with
nothing but a shell read files with it, so the files that `cat`, `sed -n` or `rg` name count as
read.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby

from collector.json_values import Texts, load_json
from collector.model import ToolCall
from collector.text import file_name
from collector.vocabulary.agents import tool_kinds

_MOST = 4000  # characters of a command that are looked at
# Tools that no agent in particular has: of MCP servers, of agents without a reader. Those of an
# agent are in its registry entry.
_NAMES = {
    "read": "open_file readfile",
    "grep": "ripgrep find_in_files",
    "write": "create_file",
    "edit": "str_replace insert",
    "web": "fetch browser_navigate",
    "agent": "delegate",
    "skill": "use_skill",
}
_PROGRAMS = {
    "git/gh": "git gh glab",
    "bash:file": (
        "ls cat head tail grep egrep rg ag find fd sed awk wc tree cp mv rm mkdir rmdir touch chmod"
        " ln stat file diff jq pwd cd pushd less more nl bat sort uniq cut tr xxd du df basename"
        " dirname realpath readlink tee echo printf xargs which zip unzip tar"
    ),
    "bash:build": (
        "go make npm pnpm yarn bun cargo pytest tox nox mise gradle gradlew mvn tsc eslint ruff"
        " mypy black prettier gofmt golangci-lint vitest jest mocha playwright cmake ninja"
        " docker-build rake bundle dotnet swift xcodebuild just task turbo nx deno composer phpunit"
        " rspec flutter dart pip pip3 uv poetry pre-commit biome pyright flake8 bats gotestsum zig"
        " mix bazel"
    ),
    "bash:net": (
        "curl wget ssh scp rsync ping nc dig http nslookup aws gcloud az kubectl flyctl vercel"
        " wrangler heroku netlify"
    ),
}
_PROGRAM = {name: kind for kind, names in _PROGRAMS.items() for name in names.split()}
_READERS = frozenset(
    [
        "cat",
        "head",
        "tail",
        "less",
        "more",
        "nl",
        "bat",
        "sed",
        "grep",
        "egrep",
        "rg",
        "ag",
        "awk",
        "wc",
    ]
)
SEARCHES = frozenset(["grep", "egrep", "rg", "ag"])
_WORD = r"(?:'[^']{0,500}'|\"[^\"]{0,500}\"|[^\s;&|'\"]{1,500})"
_BEFORE = re.compile(
    r"\s*(?:"
    rf"(?:cd|pushd|source|\.|export|set|mkdir -p|sleep|unset)(?:[ \t]+{_WORD}){{1,6}}["
    r" \t]*(?:&&|\|\||;|\n)"
    rf"|(?:[A-Za-z_]\w{{0,60}}={_WORD}?[ \t]*)(?:&&|;|\n|[ \t])"
    r"|#[^\n]{0,500}\n"
    r"|(?:sudo|doas|time|nohup|exec|command|builtin|env|npx|bunx|uvx|stdbuf|caffeinate)(?:["
    r" \t]+-\S{1,40})*[ \t]+"
    r"|g?timeout(?:[ \t]+-\S{1,40})*[ \t]+[\d.]+[smh]?[ \t]+"
    r"|(?:uv|poetry|pipenv|pdm|hatch)[ \t]+run[ \t]+|bundle[ \t]+exec[ \t]+|mise[ \t]+(?:exec|x)["
    r" \t]+--[ \t]+"
    r"|(?:ba|z)?sh[ \t]+-l?c[ \t]+['\"]?"
    r"|[({!][ \t]*"
    r")"
)
_FIRST = re.compile(r"\s*([^\s;&|<>()'\"]{1,200})")
_OPERAND = re.compile(_WORD)
_END = re.compile(r"&&|\|\||[;|\n<>]")
# Subcommands of git, and verbs of `gh THING VERB`, that change nothing.
_LOOKING = (
    "log diff show status blame ls-files ls-tree ls-remote rev-parse rev-list cat-file grep"
    " shortlog describe reflog merge-base for-each-ref symbolic-ref remote name-rev show-ref"
    " diff-tree whatchanged help version view list checks watch search"
)
_LOOKS = frozenset(_LOOKING.split())
_GIT_USE = re.compile(
    r"(?:^|[\s;&|(])(?:git(?:[ \t]+-[cC][ \t]+\S{1,300}|[ \t]+--?[\w-]{1,40})*["
    r" \t]+([a-z][a-z-]{1,30})|gh[ \t]+[a-z]{1,20}[ \t]+([a-z][a-z-]{1,30}))"
)
_PATH_KEYS = (
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "notebook_path",
    "target_file",
    "dir_path",
    "directory",
    "file",
)


@cache
def _kinds() -> Texts:
    """Name of a tool in lower case -> kind of call."""
    return {name: kind for kind, names in _NAMES.items() for name in names.split()} | dict(
        tool_kinds()
    )


def category(call: ToolCall) -> str:
    """Kind of a call: one of the names above, or `other`."""
    if call.edits:
        return "write" if all(edit.op == "write" for edit in call.edits) else "edit"
    if call.command is None and call.spawn is not None:
        return "agent"
    return category_of(call.name, call.command.text if call.command is not None else None)


def category_of(name: str, command: str | None) -> str:
    """The same by what is stored of a call: its name, and its command if it is one of the shell."""
    if command is not None:
        return command_kind(command)
    name = name.removeprefix("mcp__acp__").lower()
    kind = _kinds().get(name)
    if kind is not None:
        return kind
    return "mcp" if name.startswith("mcp") or "_mcp_" in name else "other"


def command_kind(text: str) -> str:
    """bash:file, bash:build, bash:net, git/gh or bash, by the first effective program."""
    name = program(text)
    if name.startswith("python") or name in ("node", "ruby", "perl"):
        command = effective(text)
        if re.match(
            r"\S+ -m (?:pytest|unittest|mypy|ruff|build|pip|black|flake8|coverage|tox)\b",
            command,
        ):
            return "bash:build"
        return "bash"
    return _PROGRAM.get(name, "bash")


def effective(text: str) -> str:
    """The command from its first effective program on."""
    text = text[:_MOST]
    start = 0
    for _ in range(12):
        match = _BEFORE.match(text, start)
        if match is None or match.end() >= len(text):
            break
        start = match.end()
    return text[start:].lstrip()


def program(text: str) -> str:
    """Name of the first effective program, without directory; "" when there is none."""
    match = _FIRST.match(effective(text))
    return file_name(match[1]) if match else ""


def paths_read(call: ToolCall, kind: str) -> tuple[str, ...]:
    """Paths that a call reads or searches, as recorded."""
    if call.seen is not None:
        return (call.seen.path,)
    if call.command is not None:
        return _read_by_shell(call.command.text) if kind == "bash:file" else ()
    if kind not in ("read", "grep", "glob") or len(call.input) >= 20_000:
        return ()
    try:
        argument = load_json(call.input or "{}")
    except ValueError:
        return ()
    path = (
        next((argument[key] for key in _PATH_KEYS if isinstance(argument.get(key), str)), "")
        if isinstance(argument, dict)
        else ""
    )
    return (path,) if path else ()


def _read_by_shell(text: str) -> tuple[str, ...]:
    """Operands of `cat`, `sed -n`, `rg` and the like that are paths of files, as far as their
    names say.
    """
    text = effective(text)
    name = program(text)
    if name not in _READERS:
        return ()
    end = _END.search(text)
    words = [w.strip("'\"") for w in _OPERAND.findall(text[: end.start()] if end else text)][1:]
    if name == "sed" and not any(w.startswith("-n") for w in words):
        return ()
    operands = [w for w in words if not w.startswith("-") and not any(c in w for c in "*?[${}()")]
    if name in SEARCHES:  # directories, too
        return tuple(w for w in operands[1:] if "." in file_name(w).strip("."))
    return tuple(w for w in operands[name in ("sed", "awk") :] if not w.lstrip("+").isdigit())


def acts(call: ToolCall, kind: str) -> bool:
    """Whether a shell command does more than look at files or at what git and its host know."""
    if call.command is None or not is_shell(kind) or kind == "bash:file":
        return False
    if kind != "git/gh":
        return True
    used = [match[1] or match[2] for match in _GIT_USE.finditer(call.command.text[:_MOST])]
    return not used or any(name not in _LOOKS for name in used)


def is_shell(kind: str) -> bool:
    return kind.startswith("bash") or kind == "git/gh"


def longest_run(flags: Sequence[bool]) -> int:
    """Length of the longest run of True."""
    return max((len([*run]) for flag, run in groupby(flags) if flag), default=0)
