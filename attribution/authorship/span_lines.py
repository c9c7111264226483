"""Spans as lines with a verdict each, and back. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from attribution.authorship.verdicts import Span, Verdict, append_span


def verdicts_by_line(spans: Iterable[Span]) -> dict[int, Verdict]:
    """Number of a line -> verdict."""
    result: dict[int, Verdict] = {}
    for span in spans:
        result |= dict.fromkeys(span.lines, span.verdict)
    return result


def spans_of(verdicts: Mapping[int, Verdict], texts: Sequence[str]) -> list[Span]:
    """The spans of lines with these verdicts; `texts` are all lines of the file, as far as they
    are at hand.
    """
    spans: list[Span] = []
    for line in sorted(verdicts):
        text = texts[line - 1] if line <= len(texts) else ""
        nonblank = int(bool(text.strip()))
        append_span(spans, Span(line, line, nonblank, verdicts[line]))
    return spans


def put_lines(spans: list[Span], verdicts: Mapping[int, Verdict], texts: Sequence[str]) -> None:
    """Gives some of the lines other verdicts; `texts` as in `spans_of`."""
    if not verdicts:
        return
    every = verdicts_by_line(spans)
    every.update(verdicts)
    spans[:] = spans_of(every, texts)
