"""Every text that agents produced for a repository, without its layout, and when a line first stood
in one. Pure.

A line that stands in such a text before its commit may be an agent's, however it came into the
file: the edit may have been refused and applied all the same, its result lost, its file named
otherwise, its layout changed by a formatter. So it is never called a person's. White space, quotes,
commas, semicolons, brackets and backslashes are left out of the comparison.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from collector.json_values import load_json
from collector.limits import LINE_HEAD
from collector.text import decode_escapes, word_finder

if TYPE_CHECKING:  # one line is explained faster without it
    from collector.model import Edit, Session, ToolCall

MIN_LENGTH = 4  # characters without layout: a shorter line says nothing
# Every common character has an entry, most their own: one without an entry costs an exception
# inside `translate`.
_DROPPED: dict[int, int | None] = {
    **{code: code for code in range(0x3000)},
    **dict.fromkeys(map(ord, " \t\r\n\f\v\u00a0\ufeff,;'\"`()[]{}\\")),
}
_DROPPED_IN_LINES = {code: remaining for code, remaining in _DROPPED.items() if code != ord("\n")}
_SEARCHES = re.compile(r"^<{5,9} SEARCH", re.M)
_BREAK = "\0"  # between pieces that did not follow each other


def without_layout(text: str) -> str:
    """What is left of a text when its layout, quotes, commas, semicolons, brackets and
    backslashes are taken away.
    """
    return text.translate(_DROPPED) if text.isascii() else "".join(lines_without_layout(text))


def lines_without_layout(text: str) -> list[str]:
    """What is left of each line of a text.

    One pass over many lines is several times as fast as one over each, but only in ASCII: in any
    other text `translate` looks up every character.
    """
    if text.isascii():
        return text.translate(_DROPPED_IN_LINES).split("\n")
    lines = text.split("\n")
    ascii_lines = iter(
        "\n".join(filter(str.isascii, lines)).translate(_DROPPED_IN_LINES).split("\n")
    )
    return [next(ascii_lines) if line.isascii() else line.translate(_DROPPED) for line in lines]


def each_without_layout(lines: Collection[str]) -> list[str]:
    """What is left of each of some lines, which a record may have with a break inside."""
    result = lines_without_layout("\n".join(lines)) if lines else []
    return result if len(result) == len(lines) else [without_layout(line) for line in lines]


@dataclass(frozen=True, slots=True, order=True)
class ProducedText:
    """A text that an agent wrote somewhere: an edit, applied or not, a command, a message."""

    at: float  # seconds since the epoch
    text: str


def produced_texts(session: Session) -> list[ProducedText]:
    """What the agents of a session, subagents included, wrote: new text of edits, inputs of
    other calls, messages; each once.
    """
    result: list[ProducedText] = []
    existing: set[int] = set()
    for moment, text in _pieces(session):
        bare = without_layout(text)
        if len(bare) >= MIN_LENGTH and hash(bare) not in existing:
            existing.add(hash(bare))
            result.append(ProducedText(moment, text))
    return result


def _pieces(session: Session) -> Iterator[tuple[float, str]]:
    last = session.started_at or 0.0
    for call in session.calls:
        # The call, not its end: an edit shows on disk before its result is on record.
        existing = (
            moment for moment in (call.at, call.done_at, call.not_before) if moment is not None
        )
        last = next(existing, last)
        for text in _texts_of(call):
            yield last, text
    question = {turn.index: turn.at for turn in session.turns}
    for message in session.messages:
        existing = (
            moment
            for moment in (message.at, message.not_before, question.get(message.turn))
            if moment is not None
        )
        yield next(existing, session.started_at or 0.0), _drop_sought_text(message.text)


def _texts_of(call: ToolCall) -> Iterator[str]:
    for edit in call.edits:
        yield from new_text(edit)
    if call.command is not None:
        text = _added_lines(call.command.text)
        yield text
        if "\\u" in text:
            yield decode_escapes(text)
    if not call.edits or "*** Begin Patch" in call.input:
        yield _BREAK.join(_added_lines(text) for text in _strings(call.input))


def new_text(edit: Edit) -> Iterator[str]:
    """What an edit adds: lines that its old side has as well were there before, and the user's
    changes are the user's.
    """
    if edit.proposed is not None:
        old = "\n".join(
            (edit.before or "", *(replacement.old for replacement in edit.replacements))
        )
        written = iter([_beyond(old, edit.proposed)])
    else:
        written = new_lines(edit)
    for lines, added in written:
        remaining = frozenset(added)
        yield "\n".join(
            line if number in remaining else _BREAK for number, line in enumerate(lines)
        )


def new_lines(edit: Edit) -> Iterator[tuple[list[str], list[int]]]:
    """The texts that an edit leaves behind, by line, each with the numbers of the lines that its
    old side lacks.
    """
    for replacement in edit.replacements:
        yield _beyond(replacement.old, replacement.new)
    for text in (edit.content, edit.after):
        if text:
            yield _beyond(edit.before or "", text)
    for hunk in edit.hunks:
        lines = [line for line in hunk.lines if line[:1] in (" ", "+")]
        yield (
            [line[1:] for line in lines],
            [number for number, line in enumerate(lines) if line.startswith("+")],
        )


def _beyond(old: str, new: str) -> tuple[list[str], list[int]]:
    had = set(lines_without_layout(old)) if old else set()
    return new.split("\n"), [
        number for number, bare in enumerate(lines_without_layout(new)) if bare not in had
    ]


def _added_lines(text: str) -> str:
    """Of a patch only the added lines; any other text as it is."""
    if "*** Begin Patch" not in text:
        return text
    return "\n".join(line[1:] if line.startswith("+") else _BREAK for line in text.split("\n"))


def _drop_sought_text(text: str) -> str:
    """A text without what its marked blocks look for: that stood in the file, and the new side
    may only repeat it.
    """
    if not _SEARCHES.search(text):
        return text
    result: list[str] = []
    block: list[str] = []  # of lines, as long as it is not closed
    for line in text.split("\n"):
        if _SEARCHES.match(line) or (block and line.startswith(">>>>>")):
            result += _new_side(block) if line.startswith(">>>>>") else block
            block = [] if line.startswith(">>>>>") else [line]
        else:
            (block or result).append(line)
    return "\n".join([*result, *block])


def _new_side(block: list[str]) -> list[str]:
    middle = next(
        (number for number, line in enumerate(block) if line.startswith("=====")), len(block)
    )
    old = set(map(without_layout, block[:middle]))
    return [
        _BREAK,
        *(_BREAK if without_layout(line) in old else line for line in block[middle + 1 :]),
    ]


def _strings(arguments: str) -> Iterator[str]:
    """All texts in the arguments of a call; the arguments themselves where they are no whole
    JSON.
    """
    try:
        value = load_json(arguments) if arguments else None
    except (ValueError, RecursionError):
        yield arguments.replace("\\n", "\n").replace("\\t", "\t")
        return
    waiting: list[object] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def first_times(lines: Iterable[str], texts: Iterable[ProducedText]) -> dict[str, float]:
    """Line without layout -> when an agent first produced it; lines that no agent ever produced
    are left out.
    """
    by_head: dict[str, list[str]] = {}
    for line in lines:
        if len(line) >= MIN_LENGTH:
            by_head.setdefault(line[:LINE_HEAD], []).append(line)
    if not by_head:
        return {}
    heads_of = word_finder(by_head)
    result: dict[str, float] = {}
    for item in sorted(texts, key=lambda text: text.at):
        bare = without_layout(item.text)
        for head in heads_of(bare):
            for line in by_head[head]:
                if line not in result and (line == head or line in bare):
                    result[line] = item.at
    return result
