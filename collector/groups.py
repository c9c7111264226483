"""What belongs together. Pure."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable
from typing import TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


def group_pairs(pairs: Iterable[tuple[_Key, _Value]]) -> defaultdict[_Key, list[_Value]]:
    """Key -> its values, in order."""
    groups: defaultdict[_Key, list[_Value]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups


def positions(items: Iterable[_Key]) -> dict[_Key, int]:
    """Item -> its place, from 0; of one that stands there again the last."""
    return {item: place for place, item in enumerate(items)}


def only(items: Collection[_Value]) -> _Value | None:
    """The one item; None where there is none, or several."""
    return next(iter(items)) if len(items) == 1 else None
