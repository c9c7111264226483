"""The one table of commands: what `whowrote` and `attribute` list on their first page, and how
commands are found.

A command is a function in a file of a `commands` package, in the core or in a plug-in. The file
names it in a tuple, and the tuple says where the command belongs:

    COMMANDS   whowrote NAME          COLLECT   whowrote collect NAME      DATA   whowrote data NAME
    FINDINGS   whowrote findings NAME SERVE     whowrote serve NAME        REPORTS   whowrote report
               NAME
"""

import importlib
import re
from collections.abc import Iterator, MutableMapping
from functools import cached_property
from pathlib import Path

import click

from collector.plugins import plugin_directories

FIRST_PAGE = {
    "Attribute": ("repo", "demo", "doctor"),
    "Ask": (
        "blame",
        "why",
        "log",
        "review",
        "disclose",
        "sessions",
        "findings",
        "survival",
        "culprit",
        "report",
        "browse",
    ),
    "Connect": ("init", "serve", "data"),
    "Many repositories": ("collect", "db"),
}
"""Section of the help -> its commands, in order. Others are listed after them."""

_PACKAGES = ("attribution.commands", "collector.commands")
_TUPLE = r"^{}\b[^=\n]*= \(([^)]*)\)"  # COMMANDS = (repo, demo)


def _packages() -> tuple[str, ...]:
    """Packages with files of commands: those of the core and of each plug-in."""
    plugins = plugin_directories().items()
    return (
        *_PACKAGES,
        *(
            f"{package}.commands"
            for package, directory in plugins
            if (directory / "commands").is_dir()
        ),
    )


class CommandFiles(MutableMapping[str, click.Command]):
    """Name -> command, for all files that name commands in a tuple called `tuple_name`.

    The names are read from the text of the files: a command is called what its function is called.
    A command's file is imported when the command is looked up.
    """

    def __init__(self, tuple_name: str = "COMMANDS") -> None:
        self._tuple_name = tuple_name
        self._loaded: dict[str, click.Command] = {}

    @cached_property
    def _functions(self) -> dict[str, tuple[str, str]]:
        """Name of a command -> its module and function."""
        pattern = re.compile(_TUPLE.format(self._tuple_name), re.MULTILINE)
        functions = {}
        for package in _packages():
            for folder in importlib.import_module(package).__path__:
                for path in sorted(Path(folder).glob("*.py")):
                    for names in pattern.findall(path.read_text("utf-8")):
                        for name in re.findall(r"\w+", names):
                            functions[name.rstrip("_").replace("_", "-")] = (
                                f"{package}.{path.stem}",
                                name,
                            )
        return functions

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module, function = self._functions[name]
            command = getattr(importlib.import_module(module), function)
            self._loaded[name] = command
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        self._functions.pop(name, None)
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._functions, **self._loaded})

    def __len__(self) -> int:
        return len({**self._functions, **self._loaded})
