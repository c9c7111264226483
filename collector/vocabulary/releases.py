"""When programs that write code were first released, from `releases.toml`: before that nobody
used one.
"""

from datetime import UTC, date, datetime, time
from functools import cache
from typing import NamedTuple

from collector.json_values import Row
from collector.text import toml_beside
from collector.vocabulary.lines import Witness


class Step(NamedTuple):
    """A moment before which no program of a sort existed, in seconds since 1970; lines of before
    have the witness.
    """

    before: float
    witness: Witness

    @property
    def day(self) -> date:
        """The day of it, UTC."""
        return datetime.fromtimestamp(self.before, UTC).date()


@cache
def release_table() -> dict[str, list[Row]]:
    """The steps and releases as the file has them."""
    tables = toml_beside(__file__, "releases.toml")
    return tables


@cache
def steps() -> tuple[Step, ...]:
    """The steps, the earliest first."""
    days = (
        (datetime.combine(row["before"], time(), UTC), Witness(row["witness"]))
        for row in release_table()["step"]
    )
    return tuple(sorted(Step(midnight.timestamp(), witness) for midnight, witness in days))
