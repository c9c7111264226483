"""How long work says how far it is. Pure."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""(what is being done, how many are done, of how many; 0 when that is not known)."""


def no_progress(what: str, done: int, total: int) -> None:
    """Says nothing."""
