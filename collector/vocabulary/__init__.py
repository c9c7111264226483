"""The words of the database: every closed set of values that a column can have, one module per
subject. Pure.

A member is plain text for SQLite, JSON and CSV, and says in a sentence what it means. The CHECK
constraints of the schema, SQL that compares such words, docs/schema.md and `whowrote why` are made
from the members.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Self


class Word(StrEnum):
    """A closed set of words. A member is written as `NAME = "text", "what it means"`."""

    meaning: str

    def __new__(cls, text: str, meaning: str = "") -> Self:
        word = str.__new__(cls, text)
        word._value_ = text
        word.meaning = meaning
        return word


def sql_list(words: Iterable[str]) -> str:
    """Words for `IN (…)`: `'agent', 'human'`."""
    return ", ".join(f"'{word}'" for word in words)


def check_sql(column: str, words: Iterable[str]) -> str:
    """The CHECK constraint of a column of these words; NULL passes.

    Written with OR: SQLite builds a table for each `IN (…)` of each row it inserts, which takes
    four times as long.
    """
    return "CHECK (" + " OR ".join(f"{column} = '{word}'" for word in words) + ")"
