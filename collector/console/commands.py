"""The commands of a program, a file per subject, found without importing the files: only that of the command which runs is."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, MutableMapping
from functools import cached_property
from pathlib import Path

import click

_TUPLE = r"^{}\b[^=\n]*= \(([^)]*)\)"  # COMMANDS = (repo, demo)


class CommandFiles(MutableMapping[str, click.Command]):
    """Name -> command, for the files of a package that name theirs in a tuple `COMMANDS`.

    The names are read from the text of the files: a command is called what its function is called. A command's file is imported
    when the command is looked up.
    """

    def __init__(self, package: str, tuple_name: str = "COMMANDS") -> None:
        self._package = package
        self._tuple_name = tuple_name
        self._given: dict[str, click.Command] = {}

    @cached_property
    def _functions(self) -> dict[str, tuple[str, str]]:
        """Name of a command -> its module and function."""
        pattern = re.compile(_TUPLE.format(self._tuple_name), re.MULTILINE)
        found = {}
        for folder in importlib.import_module(self._package).__path__:
            for path in sorted(Path(folder).glob("*.py")):
                for names in pattern.findall(path.read_text("utf-8")):
                    for name in re.findall(r"\w+", names):
                        found[name.rstrip("_").replace("_", "-")] = (f"{self._package}.{path.stem}", name)
        return found

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._given:
            module, function = self._functions[name]
            command: click.Command = getattr(importlib.import_module(module), function)
            self._given[name] = command
        return self._given[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._given[name] = command

    def __delitem__(self, name: str) -> None:
        self._functions.pop(name, None)
        self._given.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._functions, **self._given})

    def __len__(self) -> int:
        return len({**self._functions, **self._given})
