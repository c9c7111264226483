"""What one edit does to a text: search and replace, whole texts, hunks. Pure.

Agents record edits in different ways and sometimes not the text they started from. Everything here
either gives the text after the edit or raises NoFit; nothing is guessed but the place of an old
text whose surroundings are not known (`overlaid`).
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from attribution.authorship.align import lines_of
from collector.model import Edit, Hunk, Replacement

# Stands for a line of a file of which only the parts around edits are known; no text file holds it,
# so it equals no committed line.
UNSEEN = "\0"


def normal_text(text: str) -> str:
    """A recorded text in the form all texts are compared in: `\\n` at every line end, no byte
    order mark.
    """
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
    """The whole lines that differ, as offsets: start in both texts, end in the old one, end in
    the new one.
    """
    same = bisect_left(
        range(1, min(len(old), len(new)) + 1),
        True,
        key=lambda length: not old.startswith(new[:length]),
    )
    start = old.rfind("\n", 0, same) + 1
    limit = min(len(old), len(new)) - start
    tail = bisect_left(
        range(1, limit + 1), True, key=lambda length: not old.endswith(new[len(new) - length :])
    )
    old_end = len(old) - tail
    new_end = len(new) - tail
    if tail:
        forward = old.find("\n", old_end)
        at_line = (
            old_end > start
            and old[old_end - 1] == "\n"
            and (new_end == start or new[new_end - 1] == "\n")
        )
        if not at_line and forward >= 0:
            old_end, new_end = forward + 1, new_end + (forward + 1 - old_end)
    return start, old_end, new_end


class NoFit(Exception):
    """An edit does not fit a text."""


class TextAfter(NamedTuple):
    """The text of a file after an edit."""

    text: str
    # the agent recorded it whole; else it is what the edit makes of the text before it
    recorded: bool


def text_after(edit: Edit, before: str) -> TextAfter:
    """Raises NoFit."""
    if edit.after is not None:
        return TextAfter(normal_text(edit.after), True)
    if edit.op == "write":
        if edit.content is None:
            raise NoFit("no_content")
        return TextAfter(normal_text(edit.content), True)
    if edit.op == "append":
        return TextAfter(normal_text(before + (edit.content or "")), False)
    if edit.replacements:
        text = before
        for replacement in edit.replacements:
            text = search_and_replace(text, replacement, edit.hunks)
        return TextAfter(normal_text(text), False)
    if edit.hunks and all(h.exact_text for h in edit.hunks):
        return TextAfter(apply_hunks(before, edit.hunks), False)
    raise NoFit("no_text_recorded")


def recorded_starts(edit: Edit) -> list[int]:
    """Number of the first new line of each changed run, as the edit's patch gives it; none where
    the whole text is recorded.
    """
    if edit.before_known or edit.after is not None:
        return []
    result = []
    for hunk in edit.hunks:
        number = hunk.new_start
        inside = False
        for line in hunk.lines:
            changed = line[:1] in ("+", "-")
            if changed and not inside:
                result.append(number)
            inside = changed or line.startswith("\\")  # "No newline at end of file" ends no run
            number += line[:1] in ("+", " ")
    return result


def overlaid(text: str, edit: Edit) -> str:
    """`text` changed so that the edit's old side stands in it, at the most probable place.

    Of an unknown text ("") only that is known; lines that were not seen stand between, so that
    numbers of lines hold.
    """
    lines = lines_of(text)
    unknown = not lines or UNSEEN in lines
    if not edit.replacements:
        return normal_text(
            "\n".join(_apply_hunks(lines, [h for h in edit.hunks if h.exact_text], unknown))
        )
    positions = [h.old_start - 1 for h in edit.hunks]
    for number, replacement in enumerate(edit.replacements):
        if replacement.old and replacement.old not in normal_text("\n".join(lines)):
            expected = positions[min(number, len(positions) - 1)] if positions else -1
            _lay(lines, lines_of(replacement.old), expected, 0, unknown)
    return normal_text("\n".join(lines))


def _apply_hunks(lines: list[str], hunks: Sequence[Hunk], unknown: bool) -> list[str]:
    """The old sides stand one after the other, each as often as the patch has it: hunks may be
    equal but for their place.
    """
    position = 0
    for hunk in hunks:
        requested = hunk.side("-")
        expected = hunk.old_start - 1
        try:
            start = _locate(lines, requested, -1, position)
        except NoFit:
            start = -1
        if start < 0 or (
            unknown
            and start != expected >= position
            and _is_unseen(lines, expected, len(requested))
        ):
            start = _lay(lines, requested, expected, position, unknown)
        position = start + len(requested)
    return lines


def _lay(
    lines: list[str], requested: Sequence[str], expected: int, minimum: int, unknown: bool
) -> int:
    """Puts `requested` into the lines from `minimum` on: around lines both have, at the recorded
    place, or at the end.

    Where nothing is known at the recorded place it comes first, for lines that are unique among a
    few known ones prove little.
    """
    start, end = _region(lines[minimum:], requested)
    if end > start and not (
        unknown and expected >= minimum and _is_unseen(lines, expected, len(requested))
    ):
        start += minimum
        end += minimum
    elif expected < 0:
        start = end = len(lines)
    else:
        if unknown and expected > len(lines):
            lines.extend([UNSEEN] * (expected - len(lines)))
        start = end = max(minimum, min(expected, len(lines)))
        while end < len(lines) and end - start < len(requested) and lines[end] == UNSEEN:
            end += 1
    lines[start:end] = requested
    return start


def _is_unseen(lines: Sequence[str], start: int, count: int) -> bool:
    return all(line == UNSEEN for line in lines[start : start + count])


def _region(lines: Sequence[str], requested: Sequence[str]) -> tuple[int, int]:
    """Where `requested` most probably stood: around lines both have that are unique; (0, 0) if
    there are none.
    """
    unique = (
        (text, offset)
        for offset, text in enumerate(requested)
        if text.strip() and lines.count(text) == 1
    )
    anchors = [(lines.index(text), offset) for text, offset in unique]
    anchors = [anchor for anchor in anchors if abs(anchor[0] - anchors[0][0]) <= len(requested) * 2]
    if not anchors:
        return 0, 0
    first = min(anchors)
    last = max(anchors)
    return max(0, first[0] - first[1]), min(
        len(lines), max(last[0] + 1, last[0] + len(requested) - last[1])
    )


def fits(edit: Edit, text: str, exactly: bool = True) -> bool:
    try:
        text_after(edit, text)
    except NoFit:
        return False
    if exactly and len(edit.replacements) == 1 and edit.hunks and not edit.hunks[0].exact_text:
        return _position_agrees(text, edit.replacements[0].old, edit.hunks)
    return True


def is_inserted(edit: Edit, text: str) -> bool:
    """Whether a text has what an edit only adds to what stood there."""
    return bool(edit.replacements) and all(
        unix(r.old) in unix(r.new) and unix(r.new) in text for r in edit.replacements
    )


def _position_agrees(text: str, old: str, hunks: Sequence[Hunk]) -> bool:
    """Whether the recorded patch points at the line where the old text stands (context
    included).
    """
    line = text.count("\n", 0, max(text.find(old), 0)) + 1
    return (
        any(h.old_start - 1 <= line <= h.old_start + h.old_count + 1 for h in hunks)
        or text.count(old) > 1
    )


def search_and_replace(text: str, replacement: Replacement, hunks: Sequence[Hunk] = ()) -> str:
    """`text` with one search-and-replace done as the agents' tools do it. Raises NoFit."""
    old = unix(replacement.old)
    new = unix(replacement.new)
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

    def distance(position: int) -> int:
        line = text.count("\n", 0, position) + 1
        return min(abs(line - (h.old_start + min(3, h.old_count))) for h in hunks)

    return min(
        (match.start() for match in re.finditer(f"(?={re.escape(old)})", text)), key=distance
    )


def apply_hunks(text: str, hunks: Sequence[Hunk]) -> str:
    """`text` with hunks of exact text applied; their line numbers may be absent (0) or off.

    Raises NoFit.
    """
    try:
        return _apply(text, hunks, by_number=True)
    except NoFit:
        # the nearest place of one hunk may leave no place for the next
        return _apply(text, hunks, by_number=False)


def _apply(text: str, hunks: Sequence[Hunk], by_number: bool) -> str:
    lines = lines_of(text)
    result: list[str] = []
    position = 0
    for hunk in hunks:
        old = hunk.side("-")
        start = _locate(
            lines,
            old,
            hunk.old_start - 1 if hunk.old_start and (by_number or not old) else -1,
            position,
        )
        result.extend(lines[position:start])
        result.extend(hunk.side("+"))
        position = start + len(old)
    result.extend(lines[position:])
    return normal_text("\n".join(result))


def _locate(lines: list[str], old: list[str], expected: int, minimum: int) -> int:
    if not old:
        return max(minimum, min(expected + 1 if expected >= 0 else len(lines), len(lines)))
    if expected >= minimum and lines[expected : expected + len(old)] == old:
        return expected
    for text_of in (str, str.rstrip):  # blanks at the ends of lines are often lost
        have = list(map(text_of, lines))
        requested = list(map(text_of, old))
        starts = (i for i in range(minimum, len(lines) - len(old) + 1) if have[i] == requested[0])
        positions = [i for i in starts if have[i : i + len(old)] == requested]
        if positions:
            return (
                min(positions, key=lambda i: abs(i - expected)) if expected >= 0 else positions[0]
            )
    raise NoFit("text_not_found")
