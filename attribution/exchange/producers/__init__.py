"""What other tools wrote down about who wrote which lines: one reader per producer, found by its
`NAME`.
"""

from functools import cache
from typing import Any, cast

from attribution.exchange.producers.model import Producer
from collector.plugins import modules_of


@cache
def producers() -> list[Producer]:
    """The modules of this package that read the records of one tool."""
    return [cast("Producer", module) for module in modules_of(__name__)]


def kept_below(kind: str) -> tuple[str, ...]:
    """Where producers keep their records. `kind`: NOTES or FOLDERS, as in `Producer`."""
    return tuple(sorted({name for producer in producers() for name in getattr(producer, kind, ())}))


def note_names() -> tuple[str, ...]:
    """Names below `refs/notes/` under which producers keep their notes."""
    return kept_below("NOTES")


def known_formats() -> list[dict[str, Any]]:
    """The producers whose claims are read, as rows of `collect formats`."""
    return [
        {"kind": "producer", "name": p.NAME, "label": p.LABEL, "gives": p.FOUND.replace("`", "")}
        for p in producers()
    ]
