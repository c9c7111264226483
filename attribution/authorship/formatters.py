"""Lines that a formatter which an agent ran wrote again: nothing but their layout differs from the
version before. Pure.

That a formatter ran is no proof, since a person may have typed something at the same time. But
where the text around a line, without white space, quotes, commas, semicolons and brackets, stands
in the version before as it does in the new one, nothing else happened to it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import accumulate

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.authorship.diffs import runs
from attribution.authorship.session_edits import WorktreeAction
from attribution.authorship.span_lines import spans_of, verdicts_by_line
from attribution.authorship.timeline import Timeline
from attribution.authorship.verdicts import CallRef, Span, Verdict, unknown
from attribution.authorship.windows import SAME_RUN, AttributionWindows
from attribution.shell import tables
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy

# An unknown program with `-w` may be anything.
_KNOWN = {name.partition(" ")[0] for name in (*tables.RULES, *tables.TASK_RUNNERS)}
# a task that is only called so need not write anything
_LINT = re.compile(r"\blint\b(?!.*(?:fix|write))")
_RUNNERS = {name.partition(" ")[0] for name in tables.TASK_RUNNERS}
_WORD = re.compile(r"\w+")
_AROUND = 12  # characters on both sides of a line that must be the same

ToolOf = Callable[[CallRef], tuple[str, int]]
"""The formatter that a call ran, "" for none, and how many problems it said it had mended."""


def tools_of(timelines: Iterable[Timeline]) -> ToolOf:
    """Looks commands up when somebody asks."""
    actions: dict[tuple[int, str], list[tuple[AttributionWindows, WorktreeAction]]] = {}
    for timeline in timelines:
        for action in timeline.windows.actions:
            actions.setdefault((action.call.session_id, action.call.call_id), []).append(
                (timeline.windows, action)
            )

    @cache
    def tool_of(call: CallRef) -> tuple[str, int]:
        for windows, item in actions.get((call.session_id, call.call_id), ()):
            doubted = _RUNNERS if _LINT.search(item.command) else ()
            for effect in windows.effects_of(item):
                is_known = effect.tool in _KNOWN and effect.tool not in doubted
                if effect.kind == "format" and is_known:
                    return effect.tool, item.fixes
        return "", 0

    return tool_of


def give_to_formatters(
    spans: Sequence[Span], lines: Sequence[str], before: str, tool_of: ToolOf, until: float
) -> list[Span]:
    """The spans of a file, of which the lines that were only laid out anew are the tool's.

    `until`: when its commit was made.
    """
    verdicts = verdicts_by_line(spans)
    ran: dict[int, Verdict] = {}
    fixes: list[int] = []
    for line, verdict in verdicts.items():
        call = (
            verdict.call
            if verdict.author == Author.UNKNOWN and verdict.reason == Reason.FORMATTER
            else None
        )
        if (
            call is not None
            and until - call.at <= SAME_RUN
            and line <= len(lines)
            and (told := tool_of(call))[0]
        ):
            tool = told[0]
            fixes.append(told[1])
            ran[line] = Verdict(
                Author.TOOL, How.NONE, Evidence.INFERRED, call=call, tool=tool, run_by=RunBy.AGENT
            )
    if not before.strip() or not (
        ran or any(verdict.run_by == RunBy.AGENT for verdict in verdicts.values())
    ):
        return list(spans)
    bare = without_layout(before)
    verdicts |= {line: ran[line] for line in _unchanged_lines(ran, lines, bare)}
    mended = [line for line in ran if lines[line - 1].strip()]
    is_told = 0 < len(mended) <= min(fixes, default=0)
    if is_told and _are_mended((lines[line - 1] for line in mended), before):
        verdicts |= ran
    # whoever wrote new words unseen may have laid out what stands beside them
    for start, end in runs(sorted(verdicts)):
        block = {line: verdicts[line] for line in range(start, min(end, len(lines) + 1))}
        others = (
            line
            for line, v in block.items()
            if v.evidence == Evidence.INFERRED and v.author != Author.TOOL
        )
        if any(
            len(text) >= MIN_LENGTH and text not in bare
            for text in (without_layout(lines[line - 1]) for line in others)
        ):
            verdicts |= {
                line: unknown(Reason.FORMATTER, v.call)
                for line, v in block.items()
                if v.run_by == RunBy.AGENT
            }
    return spans_of(verdicts, lines)


def _are_mended(lines: Iterable[str], before: str) -> bool:
    """Whether each line is one of before with few other words and the same numbers: what a linter
    mends.
    """
    old = [set(_WORD.findall(line)) for line in before.split("\n")]
    return all(any(map(partial(_is_mended, set(_WORD.findall(line))), old)) for line in lines)


def _is_mended(words: set[str], old: set[str]) -> bool:
    same = len(words & old)
    numbers = {word for word in words ^ old if word[0].isdigit()}
    return 2 * same >= max(len(words), 1) and not numbers


def _unchanged_lines(question: Iterable[int], lines: Sequence[str], before: str) -> set[int]:
    """Those of the lines that stand in `before`, which has no layout, amid the same text, and
    not more often than there.
    """
    bares = [without_layout(line) for line in lines]
    starts = list(accumulate(map(len, bares), initial=0))
    after = "".join(bares)
    remaining: set[int] = set()
    weak: list[int] = []
    for line in sorted(question):
        start = starts[line - 1]
        end = starts[line]
        text = after[max(0, start - _AROUND) : end + _AROUND]
        same = text in before and after.count(text) <= before.count(text)
        if end - start < MIN_LENGTH:
            weak.append(line)
        elif same:
            remaining.add(line)
    remaining.update(line for line in weak if line - 1 in remaining and line + 1 in remaining)
    return remaining
