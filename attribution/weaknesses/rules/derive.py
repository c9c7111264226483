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
from collections.abc import Iterator, Mapping
from typing import Any

from attribution.weaknesses.rules.expressions import of_content, of_regex
from attribution.weaknesses.rules.needs import NOTHING, Every, Need, NeededWord, Part, Some, simple

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
        return Part(name.lower(), True) if self._folded else NeededWord(name)

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
