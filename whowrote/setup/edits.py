"""Puts an entry into JSON (with comments), or a paragraph behind a text, and takes it out again,
without a change to the rest. Pure.

A part has the `kind` and the `content` of what is put, as in `clients.toml`. What comes out is read
again before it counts.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from textwrap import indent

from collector.json_values import JsonObject, Row, load_json

_GAP = r"(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*"
# strings, and what JSON has not: comments, a comma after the last member
_MORE_THAN_JSON = re.compile(
    rf'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?={_GAP}[}}\]])', re.DOTALL
)
_FIRST_BRACE = rf"\A{_GAP}\{{"
_REST_OF_LINE = r"(?:[ \t]*//[^\n]*)?"
_ENTRY = r'\s*"whowrote"\s*:\s*\{(?:"[^"]*"|[^{}"])*\}'


def put_part(text: str, part: Row) -> tuple[str, str]:
    """The text with a part, and what was put in; "" where it was there already.

    Raises ValueError where the text cannot be read or has no place for it.
    """
    content = part["content"]
    if part["kind"] == "json":
        ((key, ours),) = load_json(content).items()
        value = _read_json(text, key)
        wanted = {**value, key: {**value[key], **ours}}
        if wanted == value:
            return text, ""
        for at, added in _places(text, key, ours):
            after = text[:at] + added + text[at:]
            # of two entries of one name the last one counts: another one that is there stays
            with suppress(ValueError):
                if _read_json(after, key) == wanted:
                    return after, added
        raise ValueError("it has another entry for whowrote, or no place for one")
    if content in text:
        return text, ""
    if text and (part["kind"] == "file" or _first_line(content) in text):
        raise ValueError(f"add what it lacks of\n{content}")
    gap = "\n" if text.endswith("\n") else "\n\n"
    added = gap + content if text else content
    if part["kind"] == "toml":
        tomllib.loads(text + added)
    return text + added, added


def take_part(text: str, part: Row) -> str:
    """The text without `part["added"]`. Raises ValueError where that was changed."""
    content = part["content"]
    rest = text.replace(part["added"], "", 1)
    if part["kind"] != "json" and _first_line(content) not in rest:
        return rest
    if part["kind"] == "json":
        ((key, ours),) = load_json(content).items()
        value = _read_json(text, key)
        is_ours = value[key].pop("whowrote", None) in (None, ours["whowrote"])
        # with the comma behind it, or before it
        ways = (_ENTRY + r"\s*,", ",?" + _ENTRY) if is_ours else ()
        for each in (rest, *(re.sub(way, "", text, count=1) for way in ways)):
            with suppress(ValueError):
                if _read_json(each, key) == value:
                    return each
    raise ValueError("what was put there has been changed")


def _places(text: str, key: str, ours: JsonObject) -> Iterator[tuple[int, str]]:
    """Where an entry may be put, and how; not each of them is right."""
    indented = re.search(r"\n([ \t]+)\S", text)
    unit = indented[1] if indented else "  "
    entry = rf'"{key}"\s*:\s*\{{'
    # a large file may have the key in many places: first where it stands in a file with line breaks
    ways = (
        (_FIRST_BRACE, "", {key: ours}),
        (f"(?m)^{unit}{entry}", unit, ours),
        (entry, unit, ours),
    )
    for opening, margin, members in ways:
        # without the braces
        added = indent(json.dumps(members, indent=unit)[1:-2], margin)
        for match in re.finditer(opening + _REST_OF_LINE, text):
            yield match.end(), f"{added}\n{margin}"
            yield match.end(), f"{added},"


def _read_json(text: str, key: str) -> JsonObject:
    """An object with an object at `key`, empty where there is none. Comments, and a comma after the
    last member, are allowed. Raises ValueError.
    """
    value = load_json(_MORE_THAN_JSON.sub(r"\1", text))
    if isinstance(value, dict) and isinstance(value.setdefault(key, {}), dict):
        return value
    raise ValueError(f"it is not a JSON object, or {key} in it is none")


def _first_line(content: str) -> str:
    """By which a paragraph is known."""
    return content.partition("\n")[0]
