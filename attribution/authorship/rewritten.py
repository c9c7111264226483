"""Lines that an agent's replacement makes of the version before a commit, even if the replay did not know that version. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from attribution.authorship.agent_text import without_layout
from attribution.authorship.session_edits import RawEdit
from attribution.authorship.substitutes import rewritten
from attribution.authorship.timeline import EditFate
from attribution.authorship.witness import PersonLines


def add_rewritten(first: dict[str, float], person_lines: Iterable[PersonLines], edits: Iterable[EditFate]) -> None:
    """Adds them to `first`: line without layout -> when an agent first produced it, in seconds since 1970."""
    by_path: dict[str, list[RawEdit]] = defaultdict(list)
    for fate in edits:
        if fate.raw.edit.op == "substitute" and fate.path:
            by_path[fate.path].append(fate.raw)
    for person_line in person_lines:
        bare = set(person_line.bare)
        for raw in by_path.get(person_line.file.change.path, ()):
            for text in rewritten(person_line.before.text, raw.edit.replacements):
                line = without_layout(text)
                if line in bare:
                    first[line] = min(raw.at, first.get(line, raw.at))
