"""What a text must hold: words, letters, and how they go together. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NeededWord:
    """A name in the text, from end to end."""

    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """Letters anywhere in the text; when `folded` they are in lower case, and whatever case the text has will do."""

    text: str
    folded: bool


@dataclass(frozen=True, slots=True)
class Start:
    """A string that begins with one of the words and white space, perhaps put together from parts; case does not matter."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Every:
    """Each of them; of none: nothing is asked for."""

    terms: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one of them."""

    terms: tuple[Need, ...]


Need = NeededWord | Part | Start | Every | Some
NOTHING = Every(())


def simple(need: Need) -> Need:
    """The same with fewer terms."""
    if not isinstance(need, Every | Some):
        return need
    kind = type(need)
    terms = _flat((simple(one) for one in need.terms), kind)
    if kind is Some and NOTHING in terms:
        return NOTHING
    return terms[0] if len(terms) == 1 else kind(terms)


def _flat(needs: Iterable[Need], kind: type[Every] | type[Some]) -> tuple[Need, ...]:
    found: dict[Need, None] = {}
    for need in needs:
        found.update(dict.fromkeys(need.terms if isinstance(need, Every | Some) and type(need) is kind else (need,)))
    return tuple(found)
