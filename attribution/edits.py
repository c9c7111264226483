"""What one edit does to a text: search and replace, whole texts, hunks, literal `sed`. Pure.

Agents record edits in different ways and sometimes not the text they started from. Everything here either gives the text after the
edit or raises NoFit; nothing is guessed but the place of an old text whose surroundings are not known (`overlaid`).
"""

from __future__ import annotations

from collections.abc import Sequence

from attribution.align import lines_of
from collector.model import Edit, Hunk, Replacement


class NoFit(Exception):
    """An edit does not fit a text."""


def ended(text: str) -> str:
    """A recorded text in the form all texts are compared in: `\\n` at every line end, no byte order mark."""
    text = unix(text).removeprefix("\ufeff")
    return text if not text or text.endswith("\n") else text + "\n"


def unix(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text


def last_line(text: str) -> str:
    """The last line with text of the last few, stripped."""
    return next((x.strip() for x in reversed(text[-2000:].split("\n")) if x.strip()), "")


def first_line(text: str) -> str:
    return next((x.strip() for x in text[:2000].split("\n") if x.strip()), "")


def changed_window(old: str, new: str) -> tuple[int, int, int]:
    """(start, end in old, end in new) of the whole lines that differ; the rest is common."""
    start = _common_prefix(old, new)
    start = old.rfind("\n", 0, start) + 1
    limit = min(len(old), len(new)) - start
    tail = _common_suffix(old, new, limit)
    old_end, new_end = len(old) - tail, len(new) - tail
    if tail:
        forward = old.find("\n", old_end)
        if old_end > start and old[old_end - 1] == "\n" and (new_end == start or new[new_end - 1] == "\n"):
            pass  # both windows already end at a line
        elif forward >= 0:
            old_end, new_end = forward + 1, new_end + (forward + 1 - old_end)
    return start, old_end, new_end


def _common_prefix(a: str, b: str) -> int:
    limit = min(len(a), len(b))
    low, step = 0, 4096
    while low < limit:
        high = min(low + step, limit)
        if a[low:high] == b[low:high]:
            low, step = high, step * 2
        elif step == 1 or high - low == 1:
            return low
        else:
            step = max(1, (high - low) // 2)
            limit = high
    return low


def _common_suffix(a: str, b: str, limit: int) -> int:
    low, step = 0, 4096
    while low < limit:
        high = min(low + step, limit)
        if a[len(a) - high : len(a) - low] == b[len(b) - high : len(b) - low]:
            low, step = high, step * 2
        elif high - low == 1:
            return low
        else:
            step = max(1, (high - low) // 2)
            limit = high
    return low


def text_after(edit: Edit, before: str) -> tuple[str, bool]:
    """Text after the edit, and whether it was recorded whole. Raises NoFit."""
    if edit.after is not None:
        return ended(edit.after), True
    if edit.op == "write":
        if edit.content is None:
            raise NoFit("no_content")
        return ended(edit.content), True
    if edit.op == "append":
        return ended(before + (edit.content or "")), False
    if edit.op == "substitute":
        return ended(_substituted(before, edit.replacements[0])), False
    if edit.replacements:
        text = before
        for replacement in edit.replacements:
            text = replaced(text, replacement, edit.hunks)
        return ended(text), False
    if edit.hunks and all(h.exact_text for h in edit.hunks):
        return apply_hunks(before, edit.hunks), False
    raise NoFit("no_text_recorded")


def overlaid(text: str, edit: Edit) -> str:
    """`text` changed so that the edit's old side stands in it, at the most probable place."""
    lines = lines_of(text)
    places = [h.old_start - 1 for h in edit.hunks] or [len(lines)]
    olds = [r.old for r in edit.replacements] or [
        "\n".join(line[1:] for line in h.lines if line[:1] in (" ", "-")) for h in edit.hunks if h.exact_text
    ]
    for number, old in enumerate(olds):
        if old and old not in ended("\n".join(lines)):
            wanted = lines_of(old)
            start, end = _region(lines, wanted, places[min(number, len(places) - 1)])
            lines[start:end] = wanted
    return ended("\n".join(lines))


def _region(lines: Sequence[str], wanted: Sequence[str], expected: int) -> tuple[int, int]:
    """Where `wanted` most probably stood: around lines both have that are unique, else at the recorded place."""
    anchors = []
    for offset, text in enumerate(wanted):
        if text.strip() and lines.count(text) == 1:
            anchors.append((lines.index(text), offset))
    anchors = [a for a in anchors if abs(a[0] - anchors[0][0]) <= len(wanted) * 2]
    if not anchors:
        place = max(0, min(expected, len(lines)))
        return place, place
    first, last = min(anchors), max(anchors)
    start = max(0, first[0] - first[1])
    return start, min(len(lines), max(last[0] + 1, last[0] + len(wanted) - last[1]))


def fits(edit: Edit, text: str, exactly: bool = True) -> bool:
    try:
        text_after(edit, text)
    except NoFit:
        return False
    if exactly and len(edit.replacements) == 1 and edit.hunks and not edit.hunks[0].exact_text:
        return _position_agrees(text, edit.replacements[0].old, edit.hunks)
    return True


def _position_agrees(text: str, old: str, hunks: Sequence[Hunk]) -> bool:
    """Whether the recorded patch points at the line where the old text stands (context included)."""
    line = text.count("\n", 0, max(text.find(old), 0)) + 1
    return any(h.old_start - 1 <= line <= h.old_start + h.old_count + 1 for h in hunks) or text.count(old) > 1


def _substituted(text: str, replacement: Replacement) -> str:
    """As `sed s/old/new/` does it: in every line, the first place or all of them. Raises NoFit."""
    if replacement.old not in text:
        raise NoFit("text_not_found")
    count = -1 if replacement.all else 1
    return "\n".join(line.replace(replacement.old, replacement.new, count) for line in text.split("\n"))


def replaced(text: str, replacement: Replacement, hunks: Sequence[Hunk] = ()) -> str:
    """`text` with one search-and-replace done as the agents' tools do it. Raises NoFit."""
    old, new = unix(replacement.old), unix(replacement.new)
    if not old:
        if text.strip():
            raise NoFit("empty_search")
        return new
    if not new and not old.endswith("\n") and old + "\n" in text:
        old += "\n"  # deleting a whole line takes its line end along
    count = text.count(old)
    if count == 0:
        if old.endswith("\n") and text.endswith(old.rstrip("\n") + "\n"):
            return text[: -len(old.rstrip("\n")) - 1] + new
        raise NoFit("text_not_found")
    if replacement.all:
        return text.replace(old, new)
    position = text.find(old)
    if count > 1 and hunks:
        position = _nearest(text, old, hunks)
    return text[:position] + new + text[position + len(old) :]


def _nearest(text: str, old: str, hunks: Sequence[Hunk]) -> int:
    """Of several places the one that the recorded patch points at."""
    best, best_distance = -1, 10**9
    position = text.find(old)
    while position >= 0:
        line = text.count("\n", 0, position) + 1
        distance = min(abs(line - (h.old_start + min(3, h.old_count))) for h in hunks)
        if distance < best_distance:
            best, best_distance = position, distance
        position = text.find(old, position + 1)
    return best


def apply_hunks(text: str, hunks: Sequence[Hunk]) -> str:
    """`text` with hunks of exact text applied; their line numbers may be absent (0) or off. Raises NoFit."""
    lines = lines_of(text)
    result: list[str] = []
    position = 0
    for hunk in hunks:
        old = [line[1:] for line in hunk.lines if line[:1] in (" ", "-")]
        new = [line[1:] for line in hunk.lines if line[:1] in (" ", "+")]
        start = _locate(lines, old, hunk.old_start - 1 if hunk.old_start else -1, position)
        result.extend(lines[position:start])
        result.extend(new)
        position = start + len(old)
    result.extend(lines[position:])
    return ended("\n".join(result))


def _locate(lines: list[str], old: list[str], expected: int, minimum: int) -> int:
    if not old:
        return max(minimum, min(expected + 1 if expected >= 0 else len(lines), len(lines)))
    if expected >= minimum and lines[expected : expected + len(old)] == old:
        return expected
    places = [i for i in range(minimum, len(lines) - len(old) + 1) if lines[i] == old[0] and lines[i : i + len(old)] == old]
    if not places:
        stripped = [line.rstrip() for line in old]
        places = [i for i in range(minimum, len(lines) - len(old) + 1) if [x.rstrip() for x in lines[i : i + len(old)]] == stripped]
    if not places:
        raise NoFit("text_not_found")
    return min(places, key=lambda i: abs(i - expected)) if expected >= 0 else places[0]
