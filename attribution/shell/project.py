"""Reads from package.json, Makefile, justfile, pyproject.toml and mise.toml what the tasks of a project run. Pure.

The files are read as text and never run. A task whose text depends on what is not written there has none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator

from collector.json_values import get_dict, get_str, load_json

MAX_FILE = 200_000  # characters of a file that are read
_MAX_DEEP = 5  # targets that need targets

_PACKAGE_RUNNERS = ("npm", "pnpm", "yarn", "bun", "nx", "turbo")
_MAKE_VARIABLE = re.compile(r"^([A-Za-z_]\w{0,60})\s{0,9}[:?]?=[ \t]*([^\n#]{0,500})", re.M)
_MAKE_TARGET = re.compile(r"^([\w.\-/ ]{1,200}?)\s{0,9}:(?![=:])([^\n=]{0,500})$")
_MAKE_BRANCHES = re.compile(r"^[ ]{0,8}-?(?:ifn?eq|ifn?def|define|s?include)\b", re.M)  # what is not followed
_JUST_RECIPE = re.compile(r"^@?([A-Za-z_][\w\-]{0,100})((?:\s+[+*]?\w+(?:=\S+)?)*)\s*:(?!=)([^\n]{0,500})$")
_REFERENCE = re.compile(r"\$[({]([A-Za-z_]\w{0,60})[)}]")

FILES = {
    **dict.fromkeys(_PACKAGE_RUNNERS, ("package.json",)),
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    "just": ("justfile", "Justfile"),
    "mise": ("mise.toml", ".mise.toml"),
    "poe": ("pyproject.toml",),
    "pdm": ("pyproject.toml",),
    "task": ("pyproject.toml",),  # taskipy
}
"""Program -> the files in which it looks for tasks, the first that exists."""


def task_text(file_name: str, text: str, task: str) -> str | None:
    """The commands of a task as one text for a shell; None when the file does not tell them."""
    if len(text) > MAX_FILE:
        return None
    name = file_name.rpartition("/")[2]
    if name == "package.json":
        return _package_script(text, task)
    if name.lower().endswith("makefile"):
        return _join(_make(text, task))
    if name.lower() == "justfile":
        return _join(_just(text, task))
    return _toml_task(text, task)


def _package_script(text: str, task: str) -> str | None:
    try:
        scripts = get_dict(load_json(text), "scripts")
    except (ValueError, RecursionError):
        return None
    ours = get_str(scripts, task)
    parts = (get_str(scripts, f"pre{task}"), ours, get_str(scripts, f"post{task}"))
    return " && ".join(part for part in parts if part) if ours else None


def _toml_task(text: str, task: str) -> str | None:
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    positions = (("tasks",), ("tool", "poe", "tasks"), ("tool", "pdm", "scripts"), ("tool", "taskipy", "tasks"))
    for location in positions:
        value = get_dict(tables, *location).get(task)
        if isinstance(value, dict) and ("depends" in value or "deps" in value):
            return None  # other tasks run before it
        if isinstance(value, dict):
            value = value.get("run") or value.get("cmd") or value.get("shell")
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = "\n".join(value)
        if isinstance(value, str):
            return value
    return None


def _join(lines: Iterable[str] | None) -> str | None:
    return None if lines is None else "\n".join(lines)


Recipes = dict[str, tuple[list[str], list[str]]]
"""Name -> what it needs first, its lines."""


def _make(text: str, task: str) -> list[str] | None:
    if _MAKE_BRANCHES.search(text):
        return None
    existing = dict(_MAKE_VARIABLE.findall(text))
    recipes: Recipes = {}
    current: list[list[str]] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            for lines in current:
                lines.append(_expand(line.strip().lstrip("@-+"), existing))
        elif match := _MAKE_TARGET.match(line):
            current = [recipes.setdefault(name, (match[2].split("#")[0].split(), []))[1] for name in match[1].split()]
        elif line.strip() and not line.startswith("#"):
            current = []
    return _run(recipes, task)


def _expand(line: str, existing: dict[str, str]) -> str:
    for _ in range(3):
        line = _REFERENCE.sub(lambda match: existing.get(match[1], match[0]), line)
    return _REFERENCE.sub(r"$\1", line).replace("$$", "$")


def _just(text: str, task: str) -> list[str] | None:
    recipes: Recipes = {}
    current: list[str] | None = None
    for line in text.split("\n"):
        if line[:1] in (" ", "\t"):
            if current is not None and line.strip():
                current.append(re.sub(r"\{\{[^}]{0,200}\}\}", "$_", line.strip().lstrip("@-")))
        elif match := _JUST_RECIPE.match(line):
            needed = [name for name in match[3].split("#")[0].split() if re.fullmatch(r"[\w\-]+", name)]
            current = recipes.setdefault(match[1], (needed, []))[1]
        elif line.strip() and not line.startswith(("#", "[")):
            current = None
    return _run(recipes, task)


def _run(recipes: Recipes, task: str) -> list[str] | None:
    if task not in recipes:
        return None
    lines = list(dict.fromkeys(_lines(recipes, task, 0)))
    return None if any(line.startswith("#!") for line in lines) else lines  # a script in another language


def _lines(recipes: Recipes, task: str, depth: int) -> Iterator[str]:
    needed, lines = recipes.get(task, ([], []))
    if depth < _MAX_DEEP:
        for item in needed[:50]:
            yield from _lines(recipes, item, depth + 1)
    yield from lines


TaskTexts = Callable[[str, str, str], str | None]
"""(directory, program, task) -> the commands of the task; None when they are not known."""


def no_tasks(directory: str, program: str, task: str) -> str | None:
    """For a text of which the project is not known."""
    return None
