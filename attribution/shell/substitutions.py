"""Scripts of `sed -i` and `perl -pi` whose effect their text gives: literal patterns, numbers of lines. Pure.

A pattern is literal when it has no operator but those that are escaped, and `^` or `$` at its ends; a dot is taken for a dot. Of a
script with anything else nothing is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from collector.model import LineRule, Replacement

_MAX_SCRIPT = 20_000  # characters
_ADDRESS = re.compile(r"(\d{1,7}|\$)(?:,(\d{1,7}|\$))?|/((?:[^/\\\n]|\\.){1,500})/")
_FLAGS = re.compile(r"[gms]*")
_BLANK = re.compile(r"[\s;]*")
_BRACKETS = {"{": "}", "(": ")", "[": "]", "<": ">"}
_BASIC = frozenset("*[")  # operators without a backslash, in the expressions of sed
_EXTENDED = frozenset("*[]+?(){}|")  # in those of `sed -E` and perl
_CONTROL = {"n": "\n", "t": "\t"}


@dataclass(frozen=True, slots=True)
class _Dialect:
    operators: frozenset[str]
    escaped: str  # characters that a backslash makes operators
    whole: bool = False  # the text is one line
    perl: bool = False


_SED = _Dialect(_BASIC, "(){}+?|123456789bBwWsS<>")
_SED_EXTENDED = _Dialect(_EXTENDED, "123456789bBwWsS<>")


class _NotLiteral(Exception):
    """The script does something that its text alone does not give."""


def sed_replacements(script: str, extended: bool) -> tuple[Replacement, ...]:
    """What a script of sed does to a text; () when it is not known."""
    return _read(script, _SED_EXTENDED if extended else _SED)


def perl_replacements(script: str, whole: bool) -> tuple[Replacement, ...]:
    """What a script of `perl -p` does; `whole`: it reads the text as one line."""
    return _read(script, _Dialect(_EXTENDED, "123456789bBwWsSdDhHvVRAzZGKkgEUL", whole, perl=True))


def _read(script: str, dialect: _Dialect) -> tuple[Replacement, ...]:
    if len(script) > _MAX_SCRIPT:
        return ()
    try:
        return tuple(_commands(script, dialect))
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
        elif verb in "aicd" and not dialect.perl:
            item, moment = _lines(script, moment, rule)
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
    match = None if dialect.perl else _ADDRESS.match(script, moment)
    if match is None:
        return LineRule(), moment
    if match[3]:
        text, start, end = _pattern(match[3], "/", dialect)
        if start or end:
            raise _NotLiteral
        return LineRule(containing=text), match.end()
    first = -1 if match[1] == "$" else int(match[1])
    last = first if not match[2] else -1 if match[2] == "$" else int(match[2])
    return LineRule(first=first, last=last), match.end()


def _lines(script: str, moment: int, rule: LineRule) -> tuple[Replacement, int]:
    """`d`, and `a`, `i`, `c` with the text up to the end of the line that no backslash continues."""
    verb = script[moment]
    if not (rule.first or rule.containing):
        raise _NotLiteral
    if verb == "d":
        return Replacement("", "", lines=replace(rule, verb="d")), moment + 1
    if verb == "c" and rule.first != rule.last:
        raise _NotLiteral
    text = re.sub(r"^\s*(?:\\\n)?", "", script[moment + 1 :])
    end = re.search(r"(?<!\\)\n", text)
    remainder = "" if end is None else text[end.end() :]
    text = text if end is None else text[: end.start()]
    text = text.removeprefix("\\") if text.startswith(("\\ ", "\\\t", "\\\\")) else text
    new = re.sub(r"\\(.)", lambda escape: _CONTROL.get(escape[1], escape[1]), text, flags=re.S)
    return Replacement("", new, lines=replace(rule, verb=verb)), len(script) - len(remainder)


def _substitution(script: str, moment: int, rule: LineRule, dialect: _Dialect) -> tuple[Replacement, int]:
    opening = script[moment]
    if opening.isalnum() or opening in " \\\n":
        raise _NotLiteral
    closing = _BRACKETS.get(opening, opening) if dialect.perl else opening
    old, moment = _part(script, moment + 1, closing)
    if closing != opening:
        moment = _skip(script, moment)
        if script[moment] != opening:
            raise _NotLiteral
        moment += 1
    new, moment = _part(script, moment, closing)
    flags = _match(_FLAGS, script, moment)
    moment += len(flags)
    text, start, end = _pattern(old, closing, dialect)
    if not text or ((start or end) and (dialect.whole or flags.replace("g", ""))):
        raise _NotLiteral
    lines = None if dialect.whole else replace(rule, at_start=start, at_end=end)
    return Replacement(text, _replacement(new, closing, dialect), "g" in flags, lines), moment


def _part(script: str, moment: int, closing: str) -> tuple[str, int]:
    """The text up to the delimiter, and where it goes on after it."""
    start = moment
    while script[moment] != closing:
        moment += 2 if script[moment] == "\\" else 1
    return script[start:moment], moment + 1


def _pattern(text: str, closing: str, dialect: _Dialect) -> tuple[str, bool, bool]:
    """The text that a literal pattern stands for, and whether it must stand at the beginning or the end of a line."""
    start = text.startswith("^")
    end = text.endswith("$") and not re.search(r"(?<!\\)(?:\\\\)*\\\$$", text)
    text = text[1 if start else 0 : len(text) - 1 if end else len(text)]
    result: list[str] = []
    moment = 0
    while moment < len(text):
        char = text[moment]
        if char == "\\":
            moment += 1
            result.append(_unescape(text[moment], closing, dialect))
        elif char in dialect.operators or char in "^$" or (dialect.perl and char == "@"):
            raise _NotLiteral
        else:
            result.append(char)
        moment += 1
    match = "".join(result)
    if "\n" in match and not dialect.whole:
        raise _NotLiteral  # no line has one
    return match, start, end


def _unescape(char: str, closing: str, dialect: _Dialect) -> str:
    if char == closing and char not in dialect.operators:
        return char
    if char in _CONTROL:
        return _CONTROL[char]
    if char in dialect.escaped or char.isalnum():
        raise _NotLiteral
    return char


def _replacement(text: str, closing: str, dialect: _Dialect) -> str:
    result: list[str] = []
    moment = 0
    while moment < len(text):
        char = text[moment]
        if char == "\\":
            moment += 1
            if text[moment].isalnum() and text[moment] not in _CONTROL:
                raise _NotLiteral
            result.append(_CONTROL.get(text[moment], text[moment]))
        elif (char == "&" and not dialect.perl) or (dialect.perl and re.match(r"\$[\w{&+]|@[A-Za-z_{]", text[moment:])):
            raise _NotLiteral
        else:
            result.append(char)
        moment += 1
    return "".join(result)
