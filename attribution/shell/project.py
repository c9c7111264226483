"""Reads from package.json, pyproject.toml and mise.toml what the tasks of a project run. Pure.

The files are read as text and never run. A task whose text depends on what is not written there has
none.
"""

import tomllib
from collections.abc import Callable

from collector.json_values import get_dict, get_str, load_json

MAX_FILE = 200_000  # characters of a file that are read

_PACKAGE_RUNNERS = ("npm", "pnpm", "yarn", "bun", "nx", "turbo")

FILES = {
    **dict.fromkeys(_PACKAGE_RUNNERS, ("package.json",)),
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
    return (
        _package_script(text, task)
        if file_name.endswith("package.json")
        else _toml_task(text, task)
    )


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
    positions = (
        ("tasks",),
        ("tool", "poe", "tasks"),
        ("tool", "pdm", "scripts"),
        ("tool", "taskipy", "tasks"),
    )
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


TaskTexts = Callable[[str, str, str], str | None]
"""(directory, program, task) -> the commands of the task; None when they are not known."""


def no_tasks(directory: str, program: str, task: str) -> str | None:
    """For a text of which the project is not known."""
    return None
