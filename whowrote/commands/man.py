"""`whowrote data man`: manual pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from collector.console.terminal import notice, writing

_MAN_SECTION = 1
_WIDTH = 1000  # a line of help per paragraph: man lays it out


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
def man(directory: Path) -> None:
    """Write manual pages of all commands into a directory.

    They go to DIRECTORY/man1. `man -M DIRECTORY whowrote-blame` shows one; in a directory of MANPATH, for example
    ~/.local/share/man, `git whowrote --help` shows them too.
    """
    from attribution.cli import cli

    written = 0
    with writing(directory):
        (directory / "man1").mkdir(parents=True, exist_ok=True)
        for name, text in pages(cli, "whowrote"):
            (directory / "man1" / name).write_text(text, "utf-8")
            written += 1
        (directory / "man1" / "git-whowrote.1").write_text(".so man1/whowrote.1\n", "utf-8")
    notice(f"{directory}: {written} manual pages")


def pages(program: click.Group, name: str) -> Iterator[tuple[str, str]]:
    """(file name, text) of the page of a program and of each of its commands."""
    yield from _pages(program, [name])


def _pages(command: click.Command, names: list[str]) -> Iterator[tuple[str, str]]:
    yield f"{'-'.join(names)}.{_MAN_SECTION}", _page(command, names)
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _pages(command.commands[name], [*names, name])


def _page(command: click.Command, names: list[str]) -> str:
    context = click.Context(command, info_name=" ".join(names), terminal_width=_WIDTH, max_content_width=_WIDTH)
    text = re.sub(r"\n{2,}", "\n\n", _clean(command.help or ""))
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f'.TH "{"-".join(names).upper()}" "{_MAN_SECTION}" "" "whowrote" ""', ".SH NAME"]
    parts += [f"{_roff('-'.join(names))} \\- {_roff(command.get_short_help_str(_WIDTH))}", ".SH SYNOPSIS"]
    parts += [f".B {_roff(' '.join(names))}", _roff(usage), ".SH DESCRIPTION"]
    parts += [f".PP\n{_roff(' '.join(one.split()))}" for one in text.split("\n\n")]
    records = [record for one in command.get_params(context) if (record := one.get_help_record(context)) is not None]
    if records:
        parts.append(".SH OPTIONS")
        parts += [f".TP\n.B {_roff(option)}\n{_roff(about)}" for option, about in records]
    if isinstance(command, click.Group):
        parts.append(".SH COMMANDS")
        commands = sorted(command.commands.items())
        parts += [f".TP\n.B {_roff(name)}\n{_roff(one.get_short_help_str(_WIDTH))}" for name, one in commands]
    return "\n".join(parts) + "\n"


def _clean(text: str) -> str:
    """Help without click's mark for text that is not wrapped."""
    return text.replace("\b", "").strip()


def _roff(text: str) -> str:
    """Text on one line that man shows as it is."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


DATA = (man,)
