"""What other tools wrote down about who wrote which lines: one reader per producer, found by its
`NAME`.
"""

from functools import cache
from typing import cast

from attribution.exchange.producers.model import Producer
from collector.plugins import modules_of


@cache
def producers() -> list[Producer]:
    """The modules of this package that read the records of one tool."""
    return [cast("Producer", module) for module in modules_of(__name__)]
