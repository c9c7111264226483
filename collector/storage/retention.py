"""How much text of transcripts a database keeps, and what is taken out of it before it is written.

The choice is stored in the database (`settings`), so that whatever fills it later keeps to it.
Everything that is computed is computed from the whole text: only what is stored is redacted.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, partial
from itertools import chain
from typing import Any

from collector.storage.schema import texts_of_plugins
from collector.text import SECRET, one_of

FULL = "full"
PROMPTS = "prompts"
NONE = "none"
CONTENTS = (NONE, PROMPTS, FULL)
# of the columns below and of what is taken out of them: with another one the texts are read again
_VERSION = 12


class Redaction(StrEnum):
    """What is taken out of texts."""

    NONE = "none"
    SECRETS = "secrets"  # keys, tokens, passwords
    EMAILS = "emails"  # e-mail addresses too; those of authors become pseudonyms


# Columns with text that people or agents wrote -> the least content that keeps them; NONE: always
# kept, redacted if that is wanted. Columns of plug-ins are named in their schema.
# tests/storage/test_stored_text.py goes over all of it: a new column is named here, there or in the
# test.
_COLUMNS: Mapping[tuple[str, str], str] = {
    ("turns", "prompt"): PROMPTS,
    ("tool_calls", "name"): NONE,
    ("tool_calls", "command"): FULL,
    ("tool_calls", "input"): FULL,
    ("tool_calls", "error"): FULL,
    ("tool_calls", "output"): FULL,
    ("messages", "text"): FULL,
    ("edits", "detail"): FULL,
    ("region_edits", "removed"): FULL,
    ("region_edits", "added"): FULL,
    ("region_symbols", "symbol"): FULL,
    ("session_features", "last_said"): FULL,
    ("session_features", "undo_commands"): FULL,
    ("sessions", "branch"): NONE,
    # where sessions worked: nothing is found by it
    ("sessions", "cwd"): NONE,
    ("edits", "root"): NONE,
    ("regions", "root"): NONE,
    ("checkpoints", "branch"): NONE,
    ("checkpoints", "vendor_combined"): NONE,
    ("checkpoint_sessions", "vendor"): NONE,
    ("checkpoint_sessions", "vendor_prompts"): NONE,
    ("checkpoint_sessions", "metadata"): NONE,
    ("commits", "author_name"): NONE,
    ("commits", "subject"): NONE,
    ("commits", "release"): NONE,
    ("commits", "label"): NONE,
    ("gone_commits", "label"): NONE,
    ("commit_statements", "session"): NONE,
    ("problems", "detail"): NONE,
}
# Tables whose rows say nothing without their text: they are not written at all.
_ROWS = {"region_symbols": FULL, "messages": FULL}
ADDRESSES = {("commits", "author_email"), ("checkpoints", "author_email")}
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")


@cache
def text_columns() -> dict[tuple[str, str], str]:
    """(table, column) -> the least content that keeps its text, for the core and the plug-ins."""
    return {
        **_COLUMNS,
        **{(text.table, text.column): text.content for text in texts_of_plugins() if not text.key},
    }


@cache
def text_keys() -> dict[tuple[str, str], str]:
    """(table, column) of JSON objects of which one key alone holds text: it goes when the
    content is not full.
    """
    return {(text.table, text.column): text.key for text in texts_of_plugins() if text.key}


@dataclass(frozen=True)
class Policy:
    """What is stored. Not slotted: the redactor is made once, when it is first needed."""

    content: str = FULL
    redaction: Redaction = Redaction.SECRETS

    def stricter(self, other: "Policy") -> "Policy":
        """What both allow to be stored."""
        return Policy(
            min(self.content, other.content, key=CONTENTS.index),
            max(self.redaction, other.redaction, key=list(Redaction).index),
        )

    def key(self) -> str:
        """Part of the keys of stages."""
        return f"{self.content} {self.redaction} {_VERSION}"

    def text(self, value: str | None, least: str = NONE) -> str | None:
        """What is stored of a text that is kept from the content `least` on."""
        if value is None or not self.keeps(least):
            return None
        if self.redacts:
            return self.redactor(value)
        return value

    def rows(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> Iterable[Sequence[Any]]:
        """Rows as they are stored."""
        if self == Policy(FULL, Redaction.NONE):
            return rows
        if not self.keeps(_ROWS.get(table, NONE)):
            return []
        change = {n: how for n, name in enumerate(columns) if (how := self._change(table, name))}
        if change:
            return self._change_rows(change, rows)
        return rows

    def session_rows(
        self,
        tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]],
        others: Iterable[str] = (),
    ) -> dict[str, list[Sequence[Any]]]:
        """Rows of a session as they are stored, by table, of (columns, rows).

        What one text shows to be a secret goes from all; `others`: texts that are not stored.
        """
        kept = {name: list(self.rows(name, *several)) for name, several in tables.items()}
        if not self.redacts:
            return kept
        from collector.storage.redaction import known_secrets

        pairs = (
            cells
            for name, (_, rows) in tables.items()
            # a table that is not kept has no rows
            for row, stored in zip(rows, kept[name], strict=False)
            for cells in zip(row, stored, strict=True)
        )
        changed = (
            text
            for text, rest in pairs
            if text is not rest and isinstance(rest, str) and text != rest
        )
        secrets = {secret for text in chain(changed, others) for secret in known_secrets(text)}
        if not secrets:
            return kept
        known = re.compile(one_of(secrets))
        for name, (columns, _) in tables.items():
            texts = dict.fromkeys(
                (n for n, column in enumerate(columns) if self._change(name, column)),
                partial(known.sub, SECRET),
            )
            kept[name] = list(self._change_rows(texts, kept[name]))
        return kept

    def stored_changes(self) -> Iterator[tuple[str, str, Callable[[str], str | None] | None]]:
        """(table, column, what becomes of a value) for rows that were stored under a policy that
        allowed more; without a function all rows of the table go.
        """
        for table, name in [*text_columns(), *ADDRESSES]:
            if not self.keeps(_ROWS.get(table, NONE)):
                yield table, name, None
            elif change := self._change(table, name):
                yield table, name, change

    def keeps(self, least: str) -> bool:
        """Whether text that is kept from the content `least` on is stored."""
        return CONTENTS.index(self.content) >= CONTENTS.index(least)

    def _change(self, table: str, name: str) -> Callable[[str], str | None] | None:
        """What becomes of the values of a column; None: they stay as they are."""
        if (table, name) in ADDRESSES:
            if self.redaction is Redaction.EMAILS:
                return pseudonym
            return None
        least = text_columns().get((table, name))
        note = text_keys().get((table, name))
        if least is None:
            return None
        if note is not None and not self.keeps(FULL):
            return lambda value: self.text(_without(value, note))
        if self.redacts or not self.keeps(least):
            return lambda value: self.text(value, least)
        return None

    def _change_rows(
        self, change: Mapping[int, Callable[[str], str | None]], rows: Iterable[Sequence[Any]]
    ) -> Iterator[Sequence[Any]]:
        for row in rows:
            yield [
                change[n](v) if n in change and isinstance(v, str) and v else v
                for n, v in enumerate(row)
            ]

    @property
    def redacts(self) -> bool:
        """Whether anything is taken out of texts."""
        return self.redaction is not Redaction.NONE

    @cached_property
    def redactor(self) -> Callable[[str], str]:
        from collector.storage.redaction import secrets_out

        if self.redaction is Redaction.SECRETS:
            return secrets_out
        return lambda text: _EMAIL.sub("[e-mail]", secrets_out(text))


def _without(text: str, key: str) -> str:
    """A JSON object without one of its keys."""
    value = json.loads(text)
    return json.dumps(
        {name: item for name, item in value.items() if name != key}, ensure_ascii=False
    )


def pseudonym(address: str) -> str:
    """The same for the same address; tells nothing else to who does not know it."""
    return (
        hashlib.sha256(
            b"whowrote address\0" + address.lower().encode("utf-8", "replace")
        ).hexdigest()[:16]
        + "@redacted"
    )
