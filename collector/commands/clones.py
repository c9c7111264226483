"""The command about what can be read: formats."""

from typing import TYPE_CHECKING

import click

from collector.console.tables import print_table
from collector.console.terminal import data_options
from collector.json_values import Row
from collector.storage.views import table_of

if TYPE_CHECKING:
    from collector.checkpoints import Layout


@click.command()
@data_options
def formats(output_format: str) -> None:
    """List the supported agents and checkpoint layouts.

    Also lists the other tools whose claims this version reads.
    """
    notes = ["Agents are recognised by the content of their transcripts, not by labels."]
    print_table(output_format, table_of(known_formats(), notes=notes), "kind, name, label, gives")


def known_formats() -> list[Row]:
    """Agents, layouts and what plug-ins read, from the registries."""
    from collector.agents import readers
    from collector.agents.common.reader import FACETS
    from collector.checkpoints import layouts
    from collector.hooks import plugins
    from collector.vocabulary.agents import label_of

    agents = [
        {
            "kind": "agent",
            "name": r.NAME,
            "label": label_of(r.NAME),
            "gives": " ".join(f for f in FACETS if f in r.GIVES),
        }
        for r in readers()
    ]
    labels = {module.NAME: _label(module) for module in layouts()}
    stores = [
        {"kind": "layout", "name": name, "label": label, "gives": ""}
        for name, label in labels.items()
    ]
    producers = [
        {"kind": "producer", "name": each.name, "label": each.label, "gives": each.gives}
        for plugin in plugins()
        for each in plugin.formats()
    ]
    return agents + stores + producers


COLLECT = (formats,)


def _label(layout: "Layout") -> str:
    """What its documentation says in the first paragraph."""
    first = (layout.__doc__ or "").partition("\n\n")[0]
    return " ".join(first.split()).replace("`", "").rstrip(".")
