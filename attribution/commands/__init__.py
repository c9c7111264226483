"""The commands of `attribute`, a file per subject: parse, call the library, print.

A file with NAME and COMMANDS is found; its REPORTS, if it has any, are commands of the group `report`.
"""

from __future__ import annotations

import click

from collector.plugins import modules_of


def commands() -> list[click.Command]:
    modules = modules_of(__name__)
    found = [command for module in modules for command in module.COMMANDS]
    reports = [command for module in modules for command in getattr(module, "REPORTS", ())]
    for group in found:
        if group.name == "report" and isinstance(group, click.Group):
            for command in reports:
                group.add_command(command)
    return found
