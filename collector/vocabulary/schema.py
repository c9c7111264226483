"""The schema's references to words: `{Author}` in a column becomes its CHECK constraint and the
list of words in its comment.

Words that no code names stand in the schema themselves, with what they mean in the comment.

author TEXT NOT NULL {Author}, -- who wrote it
unit TEXT NOT NULL {days, head}, -- unit of the horizon: days (since the commit), head (present at
HEAD) class TEXT NOT NULL {LineClass or Mixture or ''}, -- class of its lines
SELECT {LineClass of o} AS class FROM origins o
SELECT {ClassLines of o} FROM spans s JOIN origins o … (a column for the non-blank lines of each
class)
--   author: who wrote it: {Author}
"""

import importlib
import inspect
import re
from functools import cache
from types import ModuleType

from collector.plugins import plugin_directories
from collector.vocabulary import Word, check_sql, lines, sessions

_MODULES = (sessions, lines)
_COLUMN = re.compile(
    r"^(?P<name>  (\w+) .*?) \{(?P<words>[^}]+)\}(?P<rest>.*? -- )(?P<comment>.*)$", re.M
)
_MENTION = re.compile(r"\{(\w+)\}")
_CLASS = re.compile(r"\{LineClass of (\w+)\}")
_CLASS_LINES = re.compile(r"\{ClassLines of (\w+)(?: where (.+?))?\}$", re.M)
_CLASS_COMMENTS = re.compile(r"^--   \{ClassLines\}$", re.M)
_EMPTY = "''"
# characters of all meanings; with more only the words are listed: docs/schema.md explains them in a
# section
_LONGEST = 400


@cache
def vocabularies() -> dict[str, type[Word]]:
    """Every closed set of words by the name of its class, in order of the modules."""
    classes = {}
    for module in (*_MODULES, *_words_of_plugins()):
        for name, words in inspect.getmembers(module, inspect.isclass):
            if issubclass(words, Word) and words is not Word:
                classes[name] = words
    return classes


def _words_of_plugins() -> list[ModuleType]:
    directories = plugin_directories().items()
    return [
        importlib.import_module(f"{package}.words")
        for package, directory in directories
        if (directory / "words.py").is_file()
    ]


def expand_words(sql: str) -> str:
    """The schema with its references to words replaced. Raises KeyError for a name that no
    vocabulary has.
    """
    meanings = "\n".join(
        f"--   {name}: of the lines, those of class {name}: {name.meaning} [lines]"
        for name in lines.LineClass
    )
    sql = _CLASS_LINES.sub(_class_lines, _CLASS_COMMENTS.sub(meanings, sql))
    sql = _CLASS.sub(lambda match: lines.line_class_sql(match[1]), _COLUMN.sub(_column, sql))
    return _MENTION.sub(lambda match: ", ".join(vocabularies()[match[1]]), sql)


def _class_lines(match: re.Match[str]) -> str:
    """Sums of `s.nonblank` for the classes of the origins with an alias."""
    condition = f"{match[2]} AND " if match[2] else ""
    sums = (
        f"COALESCE(SUM(s.nonblank) FILTER (WHERE {condition}{lines.line_class_sql(match[1])} ="
        f" '{name}'), 0) AS {name},"
        for name in lines.LINE_CLASSES
    )
    return "\n       ".join(sums)


def _column(match: re.Match[str]) -> str:
    if "," in match["words"]:
        return (
            f"{match['name']}"
            f" {check_sql(match[2], match['words'].split(', '))}{match['rest']}{match['comment']}"
        )
    names = [name.strip() for name in match["words"].split(" or ")]
    words = [word for name in names if name != _EMPTY for word in vocabularies()[name]]
    check = check_sql(match[2], [*words, *([""] if _EMPTY in names else [])])
    brief = sum(len(word.meaning) for word in words) > _LONGEST
    descriptions = [
        str(word) if brief or not word.meaning else f"{word} ({word.meaning})"
        for word in words
        if word
    ]
    return f"{match['name']} {check}{match['rest']}{match['comment']}: {', '.join(descriptions)}"
