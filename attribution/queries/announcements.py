"""What users said about their own work: prompts in which somebody says to have changed the file of a line.

Support, never a proof: such words date no line, and most prompts that name a file ask for a change. Of 7,040 prompts of public
repositories 47 mention the user's own changes, and one of those names a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collector.storage.store import Store

_CHANGED = (
    "added|adjusted|changed|corrected|deleted|edited|fixed|modified|moved|removed|renamed|replaced|reverted|rewrote|rewritten|tweaked|"
    "updated|wrote|written|made (?:a|an|one|some|a few|several|my own) (?:small )?(?:changes?|edits?|tweaks?)"
)
_FILLERS = r"(?:(?:also|already|have|just|manually|myself|now)\s){0,3}"
_SAID = re.compile(rf"(?<!should )(?<!did )\b(?:I|we)(?:'ve|’ve| have)?\s{_FILLERS}(?:{_CHANGED})\b", re.I)
_REACH = 160  # characters on either side of those words in which the file must be named
_MOST = 500  # prompts that are looked through
_PROMPTS = """
SELECT t.at, s.label AS session, t.turn_index, t.prompt FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE s.repo_id = ? AND t.prompt IS NOT NULL AND t.at > ? AND t.at <= ? AND instr(t.prompt, ?) > 0 ORDER BY t.at DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Announcement:
    """A prompt in which the user says to have changed the file."""

    at: str  # ISO 8601
    session: str  # its label
    turn: int
    text: str  # the words around

    def sentence(self) -> str:
        """One sentence."""
        return f"{self.at[:10]} {self.at[11:16]} UTC, prompt {self.turn} of {self.session}: {self.text}"


class _Prompt(NamedTuple):
    at: str
    session: str
    turn_index: int
    prompt: str


def announcements(store: Store, repo_id: int, path: str, since: str, until: str, most: int = 3) -> list[Announcement]:
    """Prompts after `since` and up to `until` (ISO 8601), the latest first. English only: other languages are passed over."""
    name = path.rpartition("/")[2]
    if len(name) < 3:
        return []
    prompts = store.select(_Prompt, _PROMPTS, (repo_id, since, until, name, _MOST))
    result = (
        Announcement(item.at, item.session, item.turn_index, statement)
        for item in prompts
        if (statement := said_of(item.prompt, path))
    )
    return [item for item, _ in zip(result, range(most), strict=False)]


def said_of(prompt: str, path: str) -> str:
    """The words with which a prompt says that its author changed the file at this path; "" when it does not."""
    named = re.compile(rf"(?<![\w-]){re.escape(path.rpartition('/')[2])}(?![\w-])")
    for match in _SAID.finditer(prompt):
        start, end = max(0, match.start() - _REACH), match.end() + _REACH
        if named.search(prompt, start, end):
            return " ".join(prompt[start:end].split())
    return ""
