"""No command has more options than a person reads: twelve, and fourteen where the main job is
done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

import click

from attribution.cli import TEACH, cli
from collector.cli import TEACH as TEACH_COLLECT

MOST = 12
EXCEPTIONS = {"repo": 14}


def _commands(
    group: click.Group, names: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield " ".join((*names, name)), command
        if isinstance(command, click.Group):
            yield from _commands(command, (*names, name))


def _options(command: click.Command) -> set[str | None]:
    """Spellings of one choice, as --json and --csv, count once."""
    return {
        param.name
        for param in command.params
        if isinstance(param, click.Option) and not param.hidden
    }


def test_no_command_has_too_many_options() -> None:
    counts = {name: len(_options(command)) for name, command in _commands(cli)}
    assert counts["repo"] > MOST
    assert {
        name: count for name, count in counts.items() if count > EXCEPTIONS.get(name, MOST)
    } == {}


def test_greetings_name_commands_and_options_that_exist() -> None:
    commands = dict(_commands(cli))
    proposed = re.findall(
        r"^  (?:whowrote|(collect)) ?([a-z]+)?(.*?)(?:  .*)?$", TEACH + TEACH_COLLECT, re.MULTILINE
    )
    named = [
        (" ".join(filter(None, words[:2])), re.findall(r"--[a-z-]+", words[2]))
        for words in proposed
        if words[1]
    ]
    assert len(named) == 6
    for name, options in named:
        known = {spelling for param in commands[name].params for spelling in param.opts}
        assert set(options) <= known, name


def test_choices_are_spelled_as_the_database_and_the_docs_spell_them() -> None:
    """click shows and takes the name of an enum's member, not the word that it stands for."""
    offered = {
        f"{name} {param.opts[0]}": [
            word
            for word in param.type.choices
            if isinstance(word, Enum) and word.name != word.value
        ]
        for name, command in _commands(cli)
        for param in command.params
        if isinstance(param.type, click.Choice)
    }
    assert "report grades --driver" in offered
    assert {option: words for option, words in offered.items() if words} == {}
