"""Whether a statement still holds: it is made again, from the clone and the database, and both are
compared value by value.
"""

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from attribution.exchange.exports.statement import read_statement
from collector.errors import WhoWroteError
from collector.json_values import load_json
from collector.plugins import modules_of
from collector.storage.store import Store

# what says when and by which version a statement was made
_VARYING = {"generator", "tools", "timestamp", "creationInfo", "annotationDate", "annotator"}
_NAMES = ("path", "fileName", "name")  # keys that name an item of a list
_SHOWN = 3  # values of one place

Leaves = dict[str, list[str]]
"""Place in a document -> its values as JSON; items of a list that have one name share a place."""


def verify(text: str, repo_id: int, at: Callable[[str], Store | None]) -> list[str]:
    """How a statement differs from what is known now, by place; [] where it holds.

    `at` gives the database with the lines of a commit, None where the clone lacks it. Raises
    WhoWroteError for a text that is not a statement.
    """
    stated = _read(text)
    for made_by in modules_of("attribution.exchange.exports"):
        commit = stated.get(getattr(made_by, "COMMIT", ""), [""])[0].strip('"')
        if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", commit):
            break
    else:
        raise _no_statement("it is in none of their formats")
    store = at(commit)
    if store is None:
        return [f"the clone has no commit {commit}"]
    found = _read(made_by.render(read_statement(store, repo_id)))
    return [
        f"{place}: stated {_only(stated, found, place)}, found {_only(found, stated, place)}"
        for place in sorted({*stated, *found})
        if stated.get(place) != found.get(place)
    ]


def _only(leaves: Leaves, others: Leaves, place: str) -> str:
    """The first values of a place that the other document does not have there, or not as often."""
    values = Counter(leaves.get(place, ())) - Counter(others.get(place, ()))
    return ", ".join([*values][:_SHOWN]) or "nothing else"


def _read(text: str) -> Leaves:
    leaves = defaultdict(list)
    try:
        document = load_json(text) if text.startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_statement(error) from error
    for place, value in _leaves(document, ""):
        leaves[place].append(json.dumps(value, ensure_ascii=False, default=str))
    return dict(leaves)


def _no_statement(why: object) -> WhoWroteError:
    return WhoWroteError(
        f"the file is not a statement of whowrote: {why}",
        "Name one that whowrote data export in-toto, cyclonedx, spdx or reuse wrote",
    )


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key in value.keys() - _VARYING:
            yield from _leaves(value[key], f"{place}/{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, f"{place}/{_name_of(item)}")
    else:
        yield place, value


def _name_of(item: Any) -> str:
    names = (item[name] for name in _NAMES if isinstance(item, dict) and name in item)
    return str(next(names, ""))
