"""Scripts of `sed -i` whose effect their text gives: literal patterns, lines that are deleted. Pure.

A pattern is literal when it has no operator but those that are escaped; a dot is taken for a dot. Of a script with anything else
nothing is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from collector.model import LineRule, Replacement

_MAX_SCRIPT = 20_000  # characters
_ADDRESS = re.compile(r"(\d{1,7}|\$)(?:,(\d{1,7}|\$))?|/((?:[^/\\\n]|\\.){1,500})/")
_FLAGS = re.compile(r"[gms]*")
_BLANK = re.compile(r"[\s;]*")
_BASIC = frozenset("*[")  # operators without a backslash, in the expressions of sed
_EXTENDED = frozenset("*[]+?(){}|")  # in those of `sed -E`
_CONTROL = {"n": "\n", "t": "\t"}


@dataclass(frozen=True, slots=True)
class _Dialect:
    operators: frozenset[str]
    escaped: str  # characters that a backslash makes operators


_SED = _Dialect(_BASIC, "(){}+?|123456789bBwWsS<>")
_SED_EXTENDED = _Dialect(_EXTENDED, "123456789bBwWsS<>")


class _NotLiteral(Exception):
    """The script does something that its text alone does not give."""


def sed_replacements(script: str, extended: bool) -> tuple[Replacement, ...]:
    """What a script of sed does to a text; () when it is not known."""
    if len(script) > _MAX_SCRIPT:
        return ()
    try:
        return tuple(_commands(script, _SED_EXTENDED if extended else _SED))
    except (_NotLiteral, IndexError):
        return ()


def _commands(script: str, dialect: _Dialect) -> list[Replacement]:
    result: list[Replacement] = []
    moment = _skip(script, 0)
    while moment < len(script):
        rule, moment = _address(script, moment, dialect)
        verb = script[moment]
        if verb == "s":
            item, moment = _substitution(script, moment + 1, rule, dialect)
        elif verb == "d" and (rule.first or rule.containing):
            item, moment = Replacement("", "", lines=replace(rule, deletes=True)), moment + 1
        else:
            raise _NotLiteral
        result.append(item)
        end = _skip(script, moment)
        if moment < len(script) and end == moment:
            raise _NotLiteral
        moment = end
    return result


def _match(pattern: re.Pattern[str], script: str, moment: int) -> str:
    match = pattern.match(script, moment)
    return match[0] if match else ""


def _skip(script: str, moment: int) -> int:
    return moment + len(_match(_BLANK, script, moment))


def _address(script: str, moment: int, dialect: _Dialect) -> tuple[LineRule, int]:
    match = _ADDRESS.match(script, moment)
    if match is None:
        return LineRule(), moment
    if match[3]:
        return LineRule(containing=_pattern(match[3], "/", dialect)), match.end()
    first = -1 if match[1] == "$" else int(match[1])
    last = first if not match[2] else -1 if match[2] == "$" else int(match[2])
    return LineRule(first=first, last=last), match.end()


def _substitution(script: str, moment: int, rule: LineRule, dialect: _Dialect) -> tuple[Replacement, int]:
    closing = script[moment]
    if closing.isalnum() or closing in " \\\n":
        raise _NotLiteral
    old, moment = _part(script, moment + 1, closing)
    new, moment = _part(script, moment, closing)
    flags = _match(_FLAGS, script, moment)
    moment += len(flags)
    text = _pattern(old, closing, dialect)
    if not text:
        raise _NotLiteral
    return Replacement(text, _replacement(new), "g" in flags, rule), moment


def _part(script: str, moment: int, closing: str) -> tuple[str, int]:
    """The text up to the delimiter, and where it goes on after it."""
    start = moment
    while script[moment] != closing:
        moment += 2 if script[moment] == "\\" else 1
    return script[start:moment], moment + 1


def _pattern(text: str, closing: str, dialect: _Dialect) -> str:
    """The text that a literal pattern stands for."""
    result: list[str] = []
    moment = 0
    while moment < len(text):
        char = text[moment]
        if char == "\\":
            moment += 1
            result.append(_unescape(text[moment], closing, dialect))
        elif char in dialect.operators or char in "^$":
            raise _NotLiteral
        else:
            result.append(char)
        moment += 1
    match = "".join(result)
    if "\n" in match:
        raise _NotLiteral  # no line has one
    return match


def _unescape(char: str, closing: str, dialect: _Dialect) -> str:
    if char == closing and char not in dialect.operators:
        return char
    if char in _CONTROL:
        return _CONTROL[char]
    if char in dialect.escaped or char.isalnum():
        raise _NotLiteral
    return char


def _replacement(text: str) -> str:
    result: list[str] = []
    moment = 0
    while moment < len(text):
        char = text[moment]
        if char == "\\":
            moment += 1
            if text[moment].isalnum() and text[moment] not in _CONTROL:
                raise _NotLiteral
            result.append(_CONTROL.get(text[moment], text[moment]))
        elif char == "&":
            raise _NotLiteral
        else:
            result.append(char)
        moment += 1
    return "".join(result)
