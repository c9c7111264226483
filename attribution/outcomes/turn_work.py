"""Counts for each turn, from the replay of the worktrees, the lines it wrote and those that
others removed at once. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from attribution.authorship.worktrees import WorktreeRun
from collector.json_values import Numbers

TurnKey = tuple[int, int]
"""Number of the session, number of the turn."""


@dataclass(slots=True)
class TurnWork:
    """Non-blank lines of one turn."""

    produced: int = 0
    dictated: int = 0
    changed_next: int = 0
    # by the session that removed them before any commit had them
    discarded: Counter[int] = field(default_factory=Counter)


def turn_work(
    runs: Iterable[WorktreeRun], user_texts: Mapping[int, UserTexts]
) -> dict[TurnKey, TurnWork]:
    """Turn -> its work, over all worktrees. `user_texts`: session -> what its user said."""
    work: dict[TurnKey, TurnWork] = defaultdict(TurnWork)
    for run in runs:
        _add(work, run, user_texts)
    return dict(work)


def _add(
    work: dict[TurnKey, TurnWork], run: WorktreeRun, user_texts: Mapping[int, UserTexts]
) -> None:
    fates = {fate.line: fate.fate for fate in run.fates}
    writer: dict[int, TurnKey] = {}
    for change in run.changes:
        call = change.call
        if call is None:
            continue
        turn = call.session_id, call.turn
        for line in change.gone:
            _take(work, writer, line, turn, fates.get(line, ""))
        texts = user_texts.get(call.session_id)
        for line, text in zip(change.fresh, change.new, strict=True):
            if line in fates:
                writer[line] = turn
                work[turn].produced += 1
                work[turn].dictated += texts is not None and texts.hold(text, call.turn)


def _take(
    work: dict[TurnKey, TurnWork], writer: Mapping[int, TurnKey], line: int, by: TurnKey, fate: str
) -> None:
    """A call took away a line that a call had written."""
    source = writer.get(line)
    if source is None:
        return
    if source[0] == by[0]:
        work[source].changed_next += by[1] == source[1] + 1
    elif fate != "survived":
        work[source].discarded[by[0]] += 1


# Whether an agent's line stood in what the user gave it: a prompt, an approved plan, pasted text.
# Such a line was typed by the agent and is counted as its own; who thought of it is another
# question, which this answers with care: only text that tells is compared, and only what the user
# had said by then. Files that the user named but did not paste are not seen.
_MOST = 200_000  # characters of one session's texts that are compared
_SHORTEST = 12  # characters without blanks from which a line tells
_NAMES = 3  # names of code in one line of the user's from which they tell
_BLANK = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


class UserTexts:
    """What the user of one session said, turn by turn."""

    def __init__(self, messages: Iterable[tuple[int, str]]) -> None:
        """`messages`: turn and text, in order."""
        self._texts: list[tuple[int, str]] = []
        self._words: Numbers = {}  # word -> the first turn in which it stands
        self._named: list[tuple[int, frozenset[str]]] = []  # names in one line of the user's
        left = _MOST
        for turn, text in messages:
            part = text[:left]
            left -= len(part)
            self._texts.append((turn, _BLANK.sub("", part)))
            for word in _WORD.findall(part):
                self._words.setdefault(word, turn)
            named = ((turn, _names(_WORD.findall(line))) for line in part.splitlines())
            self._named.extend(entry for entry in named if len(entry[1]) >= _NAMES)

    def hold(self, line: str, turn: int) -> bool:
        """Whether the line stood in what was said up to that turn, or all its names of code
        (three or more) in one line of it.
        """
        words = _WORD.findall(line)
        names = _names(words) if self._named else frozenset()
        if len(names) >= _NAMES and any(
            names <= line_names for earlier, line_names in self._named if earlier <= turn
        ):
            return True
        if len(words) < 2 or any(self._words.get(word, turn + 1) > turn for word in words):
            return False
        bare = _BLANK.sub("", line)
        return len(bare) >= _SHORTEST and any(
            bare in text for earlier, text in self._texts if earlier <= turn
        )


def _names(words: Iterable[str]) -> frozenset[str]:
    """Words that only code has: with a capital, an underscore or a digit within."""
    return frozenset(word for word in words if len(word) >= 5 and _is_name(word))


@lru_cache(maxsize=20_000)
def _is_name(word: str) -> bool:
    inner = word[1:]
    return (
        not word[0].isdigit() and inner != inner.lower() and word != word.upper()
    ) or "_" in word.strip("_")
