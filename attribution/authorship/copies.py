"""New files of one commit with the same content share one author. Pure.

`cp`, a generator that writes twice, an asset that is kept in two packages: where one of them is known to be an agent's or a tool's
work, the other is a copy of it, whoever copied it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from attribution.authorship.conclude import CommitVerdict, VerdictSpan, append_span
from attribution.authorship.lines import Verdict
from attribution.authorship.witness import Texts
from collector.vocabulary.lines import Author

_LEAST = 3  # lines with text from which equal files are no coincidence
_KNOWN = (Author.AGENT, Author.TOOL)


def share_authors(verdict: CommitVerdict, texts: Texts) -> None:
    """Gives lines of unknown author in a new file the author that they have in an equal new file of the commit."""
    equal: dict[str, list[int]] = defaultdict(list)
    for number, (file, spans) in enumerate(verdict.files):
        if file.change.old is None and file.change.new is not None and _text_lines(spans) >= _LEAST:
            equal[file.change.new].append(number)
    for numbers in equal.values():
        if len(numbers) > 1:
            source = max(numbers, key=lambda number: _known_lines(verdict.files[number][1]))
            known = {line: span.verdict for span in verdict.files[source][1] for line in range(span.start, span.end + 1)}
            if not _known_lines(verdict.files[source][1]):
                continue
            written = {number for number, line in enumerate(texts.lines(verdict.files[source][0]), 1) if line.strip()}
            for number in numbers:
                file, spans = verdict.files[number]
                verdict.files[number] = (file, _shared(spans, known, written))


def _text_lines(spans: Iterable[VerdictSpan]) -> int:
    return sum(span.nonblank for span in spans)


def _known_lines(spans: Iterable[VerdictSpan]) -> int:
    return sum(span.nonblank for span in spans if span.verdict.author in _KNOWN)


def _shared(spans: Iterable[VerdictSpan], known: dict[int, Verdict], texts: set[int]) -> list[VerdictSpan]:
    """`texts`: numbers of the lines with text."""
    new: list[VerdictSpan] = []
    for span in spans:
        if span.verdict.author != Author.UNKNOWN:
            append_span(new, span)
            continue
        for line in range(span.start, span.end + 1):
            append_span(new, VerdictSpan(line, line, int(line in texts), _copied(known.get(line), span.verdict)))
    return new


def _copied(source: Verdict | None, own: Verdict) -> Verdict:
    if source is None or source.author not in _KNOWN:
        return own
    if source.author == Author.TOOL:
        return source
    return Verdict("agent", "moved", "matched", call=source.call)
