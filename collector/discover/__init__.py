"""Finding repositories with agent checkpoints: a file per channel (found by its NAME), confirmation by git, metadata, exclusions.
A channel names candidates (`ledger.py` stores them with their provenance and remembers how far each slice of a query got).
`lsrefs.py` asks git what a candidate really holds, `metadata.py` what the server knows about it, `exclusions.py` says which
ones are left out and why, `run.py` puts it together, `report.py` counts.
"""

from __future__ import annotations

from collector.discover.channel import Channel
from collector.plugins import modules_of


def channels() -> list[Channel]:
    """All channels, in the order in which they are asked."""
    return [module.CHANNEL for module in modules_of(__name__)]
