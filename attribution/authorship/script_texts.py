"""The texts that a script holds, by line: what it writes into a file, and what it looks for there.

Pure.

An agent often changes a file by a script in a heredoc that cuts the file somewhere and puts a long
text in between. What the file looks like afterwards does not follow from the script alone, but
which lines are new does: they stand in one of its texts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from attribution.authorship.agent_text import without_layout
from attribution.authorship.case import AttributionWindow
from attribution.authorship.named import SCRIPT_WRITES
from attribution.authorship.session_edits import WorktreeAction
from attribution.authorship.timeline import EditFate, Timeline
from attribution.authorship.verdicts import CallRef
from attribution.authorship.windows import AttributionWindows
from attribution.shell import mentions
from collector.model import Status
from collector.text import decode_escapes, file_name
from collector.vocabulary.lines import Reason

MAX_SCRIPT = 200_000  # characters: what a longer script holds is data
_LONG = re.compile(r"('''|\"\"\")(.*?)\1", re.S)
_TEMPLATE = re.compile(r"(?<!\\)(`)(.*?)(?<!\\)`", re.S)
# An escaped quote outside a text is passed over, so that each of many does not begin a search of
# its own.
_SHORT = re.compile(r"'((?:[^'\\\n]|\\.){1,4000})'|\"((?:[^\"\\\n]|\\.){1,4000})\"|\\.")
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "\n": ""}
# What stands before a text that is looked for: the first argument of a call, or a variable that
# says so.
_SOUGHT = re.compile(
    r"(?:\(|\b(?:old|before|anchor|search|find|target|marker|needle|was|orig)\w{0,20}\s?=)\s{0,20}[rbfuRBFU]{0,2}$",
    re.I,
)
_GIVEN = re.compile(
    r"(?:write\w{0,10}|append|dedent|insert|extend|print|lstrip|join)\(\s{0,20}[rbfuRBFU]{0,2}$",
    re.I,
)


_NAME = re.compile(r"\.(?:py|[cm]?[jt]s|sh|pl|rb)$")


_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.S | re.M)

_LOOKS = re.compile(r"\b(?:review|audit|verify|analy[sz]e|investigate|explore|explain)\b", re.I)
_WRITES = re.compile(
    r"\b(?:implement|add|create|write|append|insert|replace|change|update|modify|fix|refactor|apply|extend)\b",
    re.I,
)
_BEGINNING = 200  # characters of a task that say what kind it is


@dataclass(frozen=True)  # without slots: what is read from the text is kept
class Script:
    """A script that an agent ran in a command, or wrote outside the repository to run it; or the
    task of a subagent.
    """

    at: float
    call: CallRef
    text: str
    action: WorktreeAction | None = None
    windows: AttributionWindows | None = None
    is_task: bool = False  # of a subagent whose calls nobody recorded

    def writes_to(self, path: str) -> bool:
        """Whether the script names the file and writes to a file that it names."""
        if file_name(path) not in self.text:
            return False
        if self.action is None or self.windows is None:
            return mentions(self.text, path)
        answer = self.windows.answer_of(
            self.action, AttributionWindow(path, self.action.at - 1, self.action.until + 1)
        )
        return answer is not None and bool(answer.scripts)

    @cached_property
    def texts(self) -> Sequence[tuple[list[str], list[int]]]:
        """What `script_texts` finds, or the code in a task."""
        return [*(task_texts if self.is_task else script_texts)(self.text)]


def scripts_of(edits: Iterable[EditFate], timelines: Mapping[str, Timeline]) -> list[Script]:
    """The scripts in commands of these worktrees, tasks of subagents, and scripts among the
    files outside the repository.
    """
    result = []
    for timeline in timelines.values():
        for action in timeline.windows.actions:
            task = action.told if action.unseen == Reason.INVISIBLE_SUBAGENT else ""
            if action.command and SCRIPT_WRITES.search(action.command):
                result.append(
                    Script(
                        action.at,
                        replace(action.call, by_shell=True),
                        action.command,
                        action,
                        timeline.windows,
                    )
                )
            # not only to look at the code that the task holds
            elif _WRITES.search(task) and not _LOOKS.search(task[:_BEGINNING]):
                result.append(Script(action.at, action.call, task, is_task=True))
    for fate in edits:
        raw = fate.raw
        text = raw.edit.content or ""
        outside = (
            fate.outcome == "outside_repo" and raw.status is Status.OK and not raw.edit.by_shell
        )
        if outside and _NAME.search(raw.edit.path) and SCRIPT_WRITES.search(text):
            result.append(Script(raw.at, raw.call, text))
    return result


def task_texts(task: str) -> Iterator[tuple[list[str], list[int]]]:
    """The code that a task holds, each block by line with the numbers of the lines to be
    written: of a patch the new side.
    """
    if len(task) > MAX_SCRIPT:
        return
    for match in _FENCED.finditer(task):
        lines = match[2].removesuffix("\n").split("\n")
        if any(line.startswith("+") for line in lines) and all(
            line[:1] in ("", "+", "-", " ", "@") for line in lines
        ):
            new = [line for line in lines if line[:1] not in ("-", "@")]
            yield (
                [line[1:] for line in new],
                [number for number, line in enumerate(new) if line.startswith("+")],
            )
        else:
            yield lines, list(range(len(lines)))


def script_texts(script: str) -> Iterator[tuple[list[str], list[int]]]:
    """Each text of the script by line, with the numbers of the lines that it may write.

    Not those of a text that the script looks for, nor those that it only carries from such a text
    into the new one.
    """
    if len(script) > MAX_SCRIPT:
        return
    pieces = [*_pieces(script)]
    times = Counter(bare for lines, _ in pieces for bare in set(map(without_layout, lines)))
    for lines, sought in pieces:
        if not sought:
            yield (
                lines,
                [number for number, line in enumerate(lines) if times[without_layout(line)] == 1],
            )


def _pieces(script: str) -> Iterator[tuple[list[str], bool]]:
    """The texts of several lines in long quotes, and the short ones that hold several lines;
    each with whether it is sought.
    """
    end = 0
    for match in (_LONG if _LONG.search(script) else _TEMPLATE).finditer(script):
        yield from _short(script[end : match.start()])
        yield (
            match[2].removeprefix("\\\n").split("\n"),
            _is_sought(script[max(end, match.start() - 60) : match.start()]),
        )
        end = match.end()
    yield from _short(script[end:])


def _short(code: str) -> Iterator[tuple[list[str], bool]]:
    for match in _SHORT.finditer(code):
        text = match[1] or match[2] or ""
        if "\\n" in text:
            text = decode_escapes(text)
            lines = re.sub(
                r"\\(.)", lambda result: _ESCAPES.get(result[1], result[1]), text, flags=re.S
            ).split("\n")
            yield lines, _is_sought(code[max(0, match.start() - 60) : match.start()])


def _is_sought(head: str) -> bool:
    return _SOUGHT.search(head) is not None and _GIVEN.search(head) is None
