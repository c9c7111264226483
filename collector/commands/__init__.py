"""The commands of `collect`, a file per subject: parse, call the library, print. A file with NAME and COMMANDS is found."""

from __future__ import annotations

import click

from collector.plugins import modules_of


def commands() -> list[click.Command]:
    return [command for module in modules_of(__name__) for command in module.COMMANDS]
