"""What a text must hold for a rule to match in it, read from the rule's own patterns. Pure.

A match needs every name that its pattern writes out (`$R.FormValue(...)`: the word FormValue), one of those of each
`pattern-either`, a word that each `metavariable-regex` asks for; a rule of taint needs a source and a sink. What is not understood
asks for nothing, so that a text is only ever left out when it cannot have a match:

- of patterns only names are used, as whole words, never what is in their strings: semgrep puts strings together from parts;
- of what is asked of the content of a string only the word it has to begin with, which may be cut anywhere: "SEL" + "ECT";
- keywords and names of types are not used, since semgrep sees some where none is written (`function` in an arrow function);
- rules for data, shell and Docker files, and regular expressions instead of patterns, ask for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Word:
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


Need = Word | Part | Start | Every | Some
NOTHING = Every(())

_LANGUAGES = {
    "python", "py", "python2", "python3", "javascript", "js", "typescript", "ts", "go", "golang", "java", "php", "ruby", "rb",
    "rust",
}  # fmt: skip
_FOLDED = {"php"}  # names of functions have no case
_OTHER_QUOTES = {"php", "ruby", "rb"}  # have strings without quotes: here-documents, %q(…)
_STRING = re.compile(r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|`(?:\\.|[^`\\])*`')
_COMMENT = re.compile(r"//.*|#.*|/\*[\s\S]*?\*/")
_TYPED = re.compile(r"\([^()$]*\$[A-Z_][A-Z0-9_]*\s*(?::[^()]*)?\)")
_VARIABLE = re.compile(r"\$(?:\.\.\.)?\w+")
_NAME = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*")
# Keywords, literals, types and what semgrep reads into other notations (`<?=` is echo, a backtick a call).
_COMMON = frozenset(
    _NAME.findall("""
    abstract and any array as assert async await begin bool boolean break byte bytes case catch chan char class clone const
    continue crate debugger declare def default defer del delete die do double dyn echo elif else elseif elsif empty end
    endif ensure enum eval except exit export extends false False final finally float float64 fn for foreach from func
    function go goto if impl implements import in include include_once instanceof int int64 integer interface is isset java
    lambda lang let list long loop map match mod module move mut namespace new nil None nonlocal not null number object of
    operator or package pass php print printf private protected pub public raise redo ref require require_once rescue retry
    return select self Self short static str string String struct super switch synchronized then this throw throws trait
    transient true True try type typeof undef undefined union unless unsafe unset until use using var void volatile when
    where while with yield xor shell_exec exports proc Object Integer Boolean Long
    """)
)


def need_of(rule: Mapping[str, Any]) -> Need:
    """What every text with a match holds."""
    languages = {str(name).lower() for name in rule.get("languages") or ()}
    if not languages or not languages <= _LANGUAGES:
        return NOTHING
    reader = _Reader(rule, bool(languages & _FOLDED), not languages & _OTHER_QUOTES)
    mode = rule.get("mode", "search")
    if mode == "search":
        return simple(reader.formula(rule))
    sinks = rule.get("pattern-sinks")
    if mode != "taint" or not isinstance(sinks, list):
        return NOTHING
    sources = NOTHING if any("requires" in one for one in sinks if isinstance(one, Mapping)) else rule.get("pattern-sources")
    return simple(Every((reader.either(sources), reader.either(sinks))))


class _Reader:
    """Patterns of one rule."""

    def __init__(self, rule: Mapping[str, Any], folded: bool, quotes: bool) -> None:
        self._folded = folded
        found = list(_patterns(rule))
        self._quoted = {name for text in found for part in _STRING.findall(text) for name in _VARIABLE.findall(part)}
        bare = [_STRING.sub(" ", text) for text in found]
        # Elsewhere in the patterns they may stand for a whole value, but only for one that is assigned.
        self._contents = {name for name in self._quoted if quotes and all(_assigned(name, text) for text in bare)}

    def either(self, formulas: object) -> Need:
        if not isinstance(formulas, list) or not formulas:
            return NOTHING
        return Some(tuple(self.formula(one) for one in formulas))

    def formula(self, body: object) -> Need:
        """All the conditions of a mapping; those that are not known ask for nothing."""
        if not isinstance(body, Mapping):
            return NOTHING
        terms: list[Need] = []
        for key, value in body.items():
            if key in ("pattern", "pattern-inside"):
                terms.append(self._pattern(value) if isinstance(value, str) else self.formula(value))
            elif key == "patterns" and isinstance(value, list):
                terms += [self.formula(one) for one in value]
            elif key == "pattern-either":
                terms.append(self.either(value))
            elif key == "metavariable-regex" and isinstance(value, Mapping):
                terms.append(self._regex(value))
        return Every(tuple(terms))

    def _pattern(self, text: str) -> Need:
        code = _COMMENT.sub(" ", _STRING.sub(" ", text))
        code = _VARIABLE.sub(" ", _TYPED.sub(" ", code))
        if not code.isascii():
            return NOTHING
        return Every(tuple(self._word(name) for name in dict.fromkeys(_NAME.findall(code)) if name not in _COMMON))

    def _word(self, name: str) -> Need:
        return Part(name.lower(), True) if self._folded else Word(name)

    def _regex(self, body: Mapping[str, Any]) -> Need:
        name, pattern = body.get("metavariable"), body.get("regex")
        if not isinstance(name, str) or not isinstance(pattern, str) or body.get("constant-propagation") or not pattern.isascii():
            return NOTHING
        if name in self._contents:
            return of_content(pattern)
        return NOTHING if name in self._quoted else of_regex(pattern, self._folded)


def _patterns(body: object) -> Iterator[str]:
    """Those that a match is made of, at any depth."""
    if isinstance(body, list):
        for one in body:
            yield from _patterns(one)
    elif isinstance(body, Mapping):
        for key, value in body.items():
            if key in ("pattern", "pattern-inside") and isinstance(value, str):
                yield value
            elif key in ("patterns", "pattern-either", "pattern-inside", "pattern", "pattern-sources", "pattern-sinks"):
                yield from _patterns(value)


def _assigned(name: str, code: str) -> bool:
    return all(code[: at.start()].rstrip().endswith("=") for at in re.finditer(re.escape(name) + r"\b", code))


# --- regular expressions ----------------------------------------------------------------------------------------------

_FLAGS = re.compile(r"\(\?([imsux]+)\)")
_START = re.compile(r"""\(\?[is]*i[is]*\)\^(?:\\\(\?|\[(?:\\s|["'`(bru])+\]\*)*\(([a-z]{3,}(?:\|[a-z]{3,})*)\)\\s""")


class _Unknown(Exception):
    """A notation that is not understood."""


def of_content(pattern: str) -> Need:
    """Of an expression for the content of a string: the words of which it has to begin with one."""
    found = _START.match(pattern)
    return Start(tuple(found[1].split("|"))) if found and not _outer_choice(pattern) else NOTHING


def _outer_choice(pattern: str) -> bool:
    """Whether the expression is several, separated by | outside all groups; or too odd to tell."""
    depth = 0
    for at, char in enumerate(re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", pattern)):
        depth += (char == "(") - (char == ")")
        if depth < 0 or (char == "|" and depth == 0 and at):
            return True
    return depth != 0


def of_regex(pattern: str, folded: bool = False) -> Need:
    """What a text holds in which the expression is found."""
    flags = _FLAGS.match(pattern)
    if flags:
        pattern = pattern[flags.end() :]
        folded = folded or "i" in flags[1]
        if "x" in flags[1]:
            return NOTHING
    if pattern.startswith("^") and pattern.endswith("$") and not folded and not _outer_choice(pattern):
        texts = _expanded(pattern[1:-1])
        if texts is not None:  # one of these, from end to end
            return simple(Some(tuple(Every(tuple(map(Word, _NAMES.findall(text)))) for text in texts)))
    try:
        reader = _Regex(pattern, folded)
        need = reader.choice()
        return NOTHING if reader.rest() else simple(need)
    except (_Unknown, IndexError):
        return NOTHING


_NAMES = re.compile(r"[A-Za-z0-9_]+")
_MOST = 300  # texts of one expression
_FINITE = re.compile(r"\\([^A-Za-z0-9])|(\((?:\?:)?)|([)|?])|([A-Za-z0-9_\s'\"`@/:;,<>=!&%#~-])")


def _expanded(pattern: str) -> set[str] | None:
    """The texts an expression stands for, when they are few and it has nothing but letters, groups, `|` and `?`."""
    stack: list[list[set[str]]] = [[{""}]]  # of open groups the alternatives read so far, the last one unfinished
    last: set[str] | None = None  # what a `?` would make optional
    before: set[str] = set()
    at = 0
    while at < len(pattern):
        found = _FINITE.match(pattern, at)
        if found is None:
            return None
        at = found.end()
        letter = found[1] or found[4]
        if found[2]:
            stack.append([{""}])
            last = None
            continue
        if found[3] == "|":
            stack[-1].append({""})
            last = None
            continue
        if found[3] == "?":
            if last is None:
                return None
            stack[-1][-1] |= before
            last = None
            continue
        if found[3] == ")":
            if len(stack) == 1:
                return None
            last = set().union(*stack.pop())
        else:
            last = {letter}
        before = stack[-1][-1]
        stack[-1][-1] = {one + other for one in before for other in last}
        if len(stack[-1][-1]) > _MOST:
            return None
    return set().union(*stack[0]) if len(stack) == 1 else None


class _Regex:
    """Reads an expression from left to right."""

    def __init__(self, pattern: str, folded: bool) -> None:
        self._pattern, self._folded, self._at = pattern, folded, 0

    def rest(self) -> str:
        return self._pattern[self._at :]

    def choice(self) -> Need:
        terms = [self._sequence()]
        while self.rest().startswith("|"):
            self._at += 1
            terms.append(self._sequence())
        return Some(tuple(terms)) if len(terms) > 1 else terms[0]

    def _sequence(self) -> Need:
        terms: list[Need] = []
        letters = ""
        while (rest := self.rest()) and rest[0] not in "|)":
            item, letter = self._item()
            least = self._least()
            if letter is not None and least != "0":
                letters += letter
                if least == "1":
                    continue
            if letters:
                terms.append(self._part(letters))
                letters = ""
            if letter is None and least != "0":
                terms.append(item)
        if letters:
            terms.append(self._part(letters))
        return Every(tuple(terms))

    def _part(self, letters: str) -> Need:
        return Part(letters.lower() if self._folded else letters, self._folded)

    def _least(self) -> str:
        """How often the last item has to be there: 0, 1 (no more), + (or more)."""
        found = re.match(r"([*?+]|\{(\d+)(?:,\d*)?\})[?+]?", self.rest())
        if not found:
            return "1"
        self._at += found.end()
        return "0" if found[1] in ("*", "?") or (found[2] is not None and int(found[2]) == 0) else "+"

    def _item(self) -> tuple[Need, str | None]:
        """What one item asks for, or the letter that it is."""
        char = self._pattern[self._at]
        self._at += 1
        if char == "\\":
            return self._escape()
        if char == "[":
            self._class()
            return NOTHING, None
        if char == "(":
            return self._group(), None
        if char in ".^$":
            return NOTHING, None
        if char in "*+?{":
            raise _Unknown
        return NOTHING, char

    def _escape(self) -> tuple[Need, str | None]:
        char = self._pattern[self._at]
        self._at += 1
        if not char.isalnum():
            return NOTHING, char
        if char not in "sSdDwWbBntrAzZ":
            raise _Unknown
        return NOTHING, None

    def _class(self) -> None:
        if self.rest().startswith("^"):
            self._at += 1
        if self.rest().startswith("]"):
            self._at += 1
        while self._pattern[self._at] != "]":
            if self.rest().startswith("[:"):
                raise _Unknown
            self._at += 2 if self._pattern[self._at] == "\\" else 1
        self._at += 1

    def _group(self) -> Need:
        asks = True
        kind = re.match(r"\?(:|=|!|<=|<!)?", self.rest())
        if kind:
            if kind[1] is None:
                raise _Unknown
            asks = kind[1] == ":"
            self._at += kind.end()
        need = self.choice()
        if self._pattern[self._at] != ")":
            raise _Unknown
        self._at += 1
        return need if asks else NOTHING


# --- needs ------------------------------------------------------------------------------------------------------------


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
