"""Where agents keep sessions on a developer's machine: one module for each way, found by its `NAME`.

A module offers what `Source` in `collector/agents/machine/model.py` says. It chooses files by their place and name, never by
guessing at their content, and opens those of other repositories no further than to see whose they are.
"""

from __future__ import annotations

from typing import cast

from collector.agents.machine.model import Source
from collector.plugins import modules_of


def sources() -> list[Source]:
    return [cast(Source, module) for module in modules_of(__name__)]
