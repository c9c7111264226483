"""Puts an entry into JSON (with comments), or a paragraph behind a text, and takes it out again,
without a change to the rest. Pure.

A part has the `kind` and the `content` of what is put, as in `clients.toml`. What comes out is read
again before it counts.
"""

import json
import re
import tomllib
from collections.abc import Iterator

from collector.errors import WhoWroteError
from collector.json_values import JsonObject, Row, load_json

Put = tuple[str, str]
"""A text, and what was put into it; "" where that was there already."""

_STRING = r'("(?:[^"\\]|\\.)*")'
_COMMENT = re.compile(_STRING + r"|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)
_FIRST_BRACE = r"\A(?:\s|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)*\{"
_REST_OF_LINE = r"(?:[ \t]*//[^\r\n]*)?"
_ENTRY = r'\s*"whowrote"\s*:\s*\{(?:"[^"]*"|[^{}"])*\}'


def text_with(text: str, part: Row) -> Put:
    """The text with a part.

    Raises ValueError where the text cannot be read, WhoWroteError where there is no place in it.
    """
    content = part["content"]
    if part["kind"] == "json":
        return _with_entry(text, load_json(content))
    if content in text.replace("\r\n", "\n"):
        return text, ""
    if text and (part["kind"] == "file" or _mark(content) in text):
        raise WhoWroteError(f"add what it lacks of\n{content}")
    added = content if not text else f"\n{content}" if text.endswith("\n") else f"\n\n{content}"
    added = _with_newlines_of(text, added)
    if part["kind"] == "toml":
        tomllib.loads(text + added)
    return text + added, added


def text_without(text: str, part: Row) -> str:
    """The text without `part["added"]`. Raises WhoWroteError where that was changed."""
    content = part["content"]
    rests = [text, text.replace(part["added"], "", 1)]
    if part["kind"] == "json":
        ((key, ours),) = load_json(content).items()
        value = _read_json(text, key)
        if value[key].pop("whowrote", None) == ours["whowrote"]:
            rests.append(re.sub(_ENTRY + r"\s*,", "", text, count=1))
            rests.append(re.sub(",?" + _ENTRY, "", text, count=1))
        rests = [rest for rest in rests if _reads_as(rest, key, value)]
    elif part["kind"] == "file":
        rests = [rest for rest in rests if not rest]
    else:
        rests = [rest for rest in rests if _mark(content) not in rest]
    if rests:
        return rests[0]
    raise WhoWroteError("what was put there has been changed")


def _with_entry(text: str, content: JsonObject) -> Put:
    ((key, ours),) = content.items()
    value = _read_json(text, key)
    wanted = {**value, key: {**value[key], **ours}}
    if wanted == value:
        return text, ""
    for at, added in _places(text, key, ours):
        after = text[:at] + added + text[at:]
        # of two entries of one name the last one counts: another one that is there stays
        if _reads_as(after, key, wanted):
            return after, added
    raise WhoWroteError("it has another entry for whowrote, or no place for one")


def _places(text: str, key: str, ours: JsonObject) -> Iterator[tuple[int, str]]:
    """Where an entry may be put, and how; not each of them is right."""
    indented = re.search(r"\n([ \t]+)\S", text)
    unit = indented[1] if indented else "  "
    ways = ((rf'"{key}"\s*:\s*\{{', unit, ours), (_FIRST_BRACE, "", {key: ours}))
    for opening, margin, members in ways:
        lines = json.dumps(members, indent=unit).split("\n")
        entry = "".join(f"\n{margin}{line}" for line in lines[1:-1])
        for match in re.finditer(opening + _REST_OF_LINE, text):
            yield match.end(), _with_newlines_of(text, f"{entry}\n{margin}")
            yield match.end(), _with_newlines_of(text, f"{entry},")


def _read_json(text: str, key: str) -> JsonObject:
    """An object with an object at `key`, empty where there is none. Comments, and a comma after the
    last member, are allowed. Raises ValueError.
    """
    value = load_json(_LAST_COMMA.sub(r"\1", _COMMENT.sub(r"\1", text)))
    if isinstance(value, dict) and isinstance(value.setdefault(key, {}), dict):
        return value
    raise ValueError(f"it is not a JSON object, or {key} in it is none")


def _reads_as(text: str, key: str, wanted: JsonObject) -> bool:
    try:
        return _read_json(text, key) == wanted
    except ValueError:
        return False


def _mark(content: str) -> str:
    """By which a paragraph is known."""
    return content.partition("\n")[0]


def _with_newlines_of(text: str, added: str) -> str:
    return added.replace("\n", "\r\n") if "\r\n" in text else added
