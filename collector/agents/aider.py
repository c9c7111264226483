"""Aider: `.aider.chat.history.md`, Markdown. `####` prompts, `>` what the program said, all else is
the model's.

An edit counts when the program says that it was applied: a file named before a fenced text, before
blocks of text to search and to put in its place, or in the head of a diff. An answer whose blocks
match nothing is an edit that failed. A run says when it began, in local time without a zone;
nothing was done before. Commits have their ids.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from collector.agents.common.edits import patch_hunks, search_replace_blocks
from collector.agents.common.jsonl import copies
from collector.agents.common.messages import recorded_cost
from collector.agents.common.reader import Call, RecordReader, Result, shell_command
from collector.agents.machine import files
from collector.agents.machine.model import Committed, LocalSession, Roots, Store
from collector.json_values import JsonObject, Moment
from collector.model import (
    AgentMessage,
    ChangeOfOthers,
    Command,
    Edit,
    Replacement,
    Session,
    Status,
)
from collector.text import decode, resolve, timestamp
from collector.vocabulary.agents import Agent

NAME = "aider"
AGENT = Agent(
    NAME,
    "Aider",
    accounts=r"noreply@aider\.chat|aider@aider\.chat|\(aider\)",
    subject="aider:",
    state=r"aider[^/]*",
)
GIVES = frozenset({"results", "text", "commands", "commits", "models", "tokens", "directory"})
ORDER = 70

_BEGINNING = "# aider chat started at "
_RUN = re.compile(rf"^{_BEGINNING}(\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$", re.M)
_PLACE = re.compile(r"> whowrote: (.*)\n")
_ROOT = re.compile(r"^> Git working dir: (/.+|[A-Za-z]:.+)$")
_MODEL = re.compile(r"^> (?:Main model|Model): (\S+)")
_VERSION = re.compile(r"^> Aider v(\S+)")
_NUMBER = r"(\d[\d,]{0,12}(?:\.\d{1,6})?)([km]?)"
_TOKENS = re.compile(
    rf"^> Tokens: {_NUMBER} sent,.*?{_NUMBER} received\.(?: Cost: \$(\d{{1,6}}(?:\.\d{{1,9}})?)"
    r" message)?"
)
_APPLIED = re.compile(r"^> Applied edit to (.+)$")
_COMMIT = re.compile(r"^> Commit ([0-9a-f]{7,40}) ")
_REFUSED = re.compile(r"^> The LLM did not conform to the edit format")
_BEFORE = re.compile(r"^> Committing (.+) before applying edits\.$")
_ASKED = re.compile(r"^#### /commit(?:\s|$)")
_NO_MATCH = re.compile(r"^> # \d{1,6} SEARCH/REPLACE blocks? failed to match!")
_IGNORED = re.compile(r"^> Added (.+) to \.gitignore$")
_IS_USED = re.compile(r"^(?:#### |> Added .+ to \.gitignore\s*$)", re.M)
_FAILED = re.compile(
    r"^## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in (.+?)\s*$",
    re.M,
)
_OTHERS_APPLIED = re.compile(
    r"^(?:[>#]+ )?# The other (\d{1,6}) SEARCH/REPLACE blocks? (?:was|were) applied\b", re.M
)
# what ends an answer for certain
_PLAIN = re.compile(r"^> (?:Tokens: |Applied edit to |Commit [0-9a-f]{7} )")
_FENCE = re.compile(r"^(`{3,}|<(?:source|code|pre|codeblock|sourcecode)>)([\w+#.-]*)\s*$")
# a name with signs that prose has as well is a path, without blanks or with an ending
_NAME = re.compile(
    r"^[#*`\s]*((?:[\w./\\@+()\[\]~$ -]{1,300}?)|[^\s<>|\"?*`]{1,300}?"
    r"|[^<>|\"?*`\n]{1,300}?\.\w{1,10})[*`:\s]*$"
)
_AROUND_NAME = "#*`: "  # is taken for markup
_SEARCH = re.compile(r"<{5,9} (?:SEARCH|ORIGINAL)")  # the second until 2023
_DIFF = re.compile(r"^--- (\S.*)\n\+\+\+ (\S.*)\n(@@.*\n(?:.*\n)*?)(?=--- \S.*\n\+\+\+ |\Z)", re.M)
_REPLACED = ">>>>>"
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}


def sniff(head: object) -> bool:
    return isinstance(head, str) and head.startswith((_BEGINNING, "> whowrote: "))


def read(session_id: str, blobs: Iterable[bytes]) -> Session:
    """Of a history with several runs only the one that the id names is read: `aider` and when it
    began.
    """
    reader = _Reader(NAME, session_id)
    began = session_id.removeprefix(f"{NAME} ")
    others = {}
    for blob in copies(blobs):
        text = decode(blob)
        if place := _PLACE.match(text):  # what the loader of local histories puts before them
            reader.add_cwd(place[1])
            text = text[place.end() :]
        # a browser's has two in a second
        reader.copy("".join(run for moment, run in _runs(text) if moment == began) or text)
        others.update(dict.fromkeys(_changes_of_others(text)))
    session = reader.session()
    if not any(call.edits for call in session.calls):  # what it commits then is somebody else's
        session = replace(session, calls=())
    return replace(session, local_clock=True, of_others=tuple(others))


def _changes_of_others(text: str) -> Iterator[ChangeOfOthers]:
    """What a history, with all its runs, says to have committed before its own edits, or because
    the user told it to when nothing of its own was left to commit.
    """
    applied = set()
    dirty = []
    partly = False
    asked = False
    for line in text.split("\n"):
        if line.startswith("#### "):
            asked = _ASKED.match(line) is not None
        notice = line.rstrip() if line.startswith("> ") else ""
        if not partly:
            partly = _NO_MATCH.match(notice) is not None
        if match := _APPLIED.match(notice):
            applied.add(_use_slashes(match[1]))
        elif match := _BEFORE.match(notice):
            dirty.append(_use_slashes(match[1]))
        elif match := _COMMIT.match(notice):
            if asked and not applied and not dirty:
                yield ChangeOfOthers(match[1], "", partly)
            yield from (ChangeOfOthers(match[1], path, partly or path in applied) for path in dirty)
            applied -= set(dirty) if dirty else set(applied)
            dirty = []
            partly = False


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """(when it began on the author's clock, text) of each run."""
    starts = list(_RUN.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=False):  # of a text without runs there is one end
        yield start[1], text[start.start() : end]


class _Reader(RecordReader):
    ids_are_places = True
    shells = ("commit",)

    def prepare(self) -> None:
        self.prompt: list[str] = []
        self.answer: list[str] = []
        self.began: Moment = None
        self.is_before = False  # the next commit has nothing of the latest answer
        self.is_reflected = False  # the program says which blocks it did not find, in notices
        # (path as it was written, edit) of the latest answer
        self.offered: list[tuple[str, Edit]] = []
        self.last_call = ""
        self.answers: list[int] = []  # keys of the messages since the last call

    def copy(self, text: str) -> None:
        fence = _Fence()
        for number, line in enumerate(text.split("\n")):
            if fence.end and not _PLAIN.match(line):  # an answer may quote anything
                self.answer.append(line)
                fence.follow(line)
            elif line.startswith("#### "):
                self._end_answer(number)
                self.prompt.append(line[5:].rstrip())
            elif self.is_reflected and line.startswith("> ") and not _PLAIN.match(line):
                self.answer.append(line[2:].rstrip())
            elif line.startswith("> "):
                fence = _Fence()
                self._end_prompt(number)
                self._end_answer(number)
                self._notice(line.rstrip(), number)
            elif line.startswith(_BEGINNING):
                # on the clock of the author's machine, whose zone is not recorded
                began = timestamp(line.removeprefix(_BEGINNING).strip())
                if began is not None:
                    self.began = began
            else:
                if line.strip():
                    self._end_prompt(number)
                    self.is_reflected = False
                self.answer.append(line)
                fence.follow(line)
        self._end_answer(len(text))

    def _end_prompt(self, number: int) -> None:
        text = "\n".join(self.prompt)
        self.prompt = []
        if _NO_MATCH.match(f"> {text}"):
            self.answer.append(text)
        elif text:
            self.begin(None)
            self.add_turn(number, None, text)
            self.answers = []  # what was answered before, the user may have pasted

    def _end_answer(self, number: int) -> None:
        text = "\n".join(self.answer).strip("\n")
        self.answer = []
        if text.strip():
            self.begin(None)
            answer = AgentMessage(
                None, 0, "text", text, not_before=self.began, after=self.last_call
            )
            self.messages.setdefault(number, (self.order, answer))
            self.answers.append(number)
            program, mark, rest = text.partition("The SEARCH section must exactly match")
            _, *parts = _FAILED.split(program) if mark else [""]
            blocks = (
                (path, search_replace_blocks(part))
                for path, part in zip(parts[::2], parts[1::2], strict=True)
            )
            if failed := {
                (_use_slashes(path), block) for path, several in blocks for block in several
            }:
                self._apply_others(failed, _OTHERS_APPLIED.search(rest), number)
                self.answers = [number]
                text = rest
            self.offered = self.offered + _offers(text.split("\n"))

    def _apply_others(
        self, failed: set[tuple[str, Replacement]], others: re.Match[str] | None, number: int
    ) -> None:
        """Of the blocks that are offered some were not found in their files; the others were
        applied if the program says so.
        """
        offered = [
            (path, block)
            for path, edit in self.offered
            for block in edit.replacements
            if (path, block) not in failed
        ]
        self.offered = []
        if others is not None and len(offered) == int(others[1]):
            for path in dict.fromkeys(path for path, _ in offered):
                self.begin(None)
                edits = [
                    Edit(path, "edit", tuple(block for named, block in offered if named == path))
                ]
                self._add(f"{number} {path}", "edit", {"path": path, "edit": edits}, "")

    def _notice(self, line: str, number: int) -> None:
        """What the program says of itself, of an edit or of a commit."""
        self.is_reflected = False
        for pattern, note in ((_ROOT, self.add_cwd), (_VERSION, self.add_version)):
            if match := pattern.match(line):
                note(match[1])
        if match := _MODEL.match(line):
            self.use_model(match[1], None)
        elif match := _TOKENS.match(line):
            self.begin(None)
            sent, received = (
                int(float(match[n].replace(",", "")) * _SCALE[match[n + 1]]) for n in (1, 3)
            )
            cost = recorded_cost(float(match[5])) if match[5] else None
            self.use_tokens(
                str(number), None, min(sent, 1 << 40), min(received, 1 << 40), cost=cost
            )
        elif match := _APPLIED.match(line):
            self._apply_offer(_use_slashes(match[1]), number)
        elif _REFUSED.match(line):
            self.begin(None)
            self.call_tool(
                f"line {number}",
                "edit",
                None,
                None,
                Result(None, line, Status.ERROR),
                not_before=self.began,
            )
        elif _BEFORE.match(line):
            self.is_before = True
        elif _NO_MATCH.match(line):
            self.answers = []  # the other blocks of what was answered before may have been applied
            self.is_reflected = True
        elif match := _IGNORED.match(line):
            self.answer = match[1].split(", ")  # its own lines, whoever commits them
        elif match := _COMMIT.match(line):
            # else of changes that were there before: the edits that are offered come next
            if not self.is_before:
                self.offered = []
            self.begin(None)
            self._add(str(number), "commit", {"commit": match[1]}, line)
            self.is_before = False

    def _apply_offer(self, path: str, number: int) -> None:
        names = (path, path.strip(_AROUND_NAME))
        edits = [edit for named, edit in self.offered if named in names]
        self.offered = [(named, edit) for named, edit in self.offered if named not in names]
        self.begin(None)
        self._add(str(number), "edit", {"path": path, "edit": edits}, "")

    def _add(self, number: str, name: str, arguments: JsonObject, notice: str) -> None:
        self.last_call = self.call_tool(
            f"line {number}", name, arguments, None, Result(None, notice), not_before=self.began
        )
        if self.is_before:  # what the answer brings had not been written to any file then
            for key in self.answers:
                order, answer = self.messages[key]
                self.messages[key] = order, replace(answer, after=self.last_call)
        self.answers = []

    def edits(self, call: Call, result: Result) -> list[Edit]:
        if call.name != "edit" or not isinstance(call.arguments, dict):
            return []
        path = resolve(call.cwd, call.arguments["path"])
        edits = call.arguments["edit"]
        call.arguments = {"path": call.arguments["path"]}  # the rest is no JSON
        blocks = tuple(block for edit in edits for block in edit.replacements)
        if len(blocks) == 1 and not blocks[0].old:  # a file that was not there
            return [Edit(path, "write", content=blocks[0].new)]
        # of a diff beside a whole text the one was only shown
        if blocks or len({edit.op for edit in edits}) != 1:
            return [Edit(path, "edit", blocks)]
        return [
            replace(
                edits[-1], path=path, hunks=tuple(hunk for edit in edits for hunk in edit.hunks)
            )
        ]

    def command(self, call: Call, result: Result) -> Command:
        return shell_command("git commit", call.cwd, result.text)

    def commits(self, command: Command, result: Result) -> tuple[str, ...]:
        return tuple(_COMMIT.findall(result.text))


def _use_slashes(path: str) -> str:
    """As models write it: on Windows the program says `src\\a.py`."""
    return path.strip().replace("\\", "/")


class _Fence:
    """The fenced text that a line stands in, if any. What its blocks look for or bring may have
    fences of its own.
    """

    def __init__(self) -> None:
        self.end = ""  # the line that ends it
        self.in_block = False

    def follow(self, line: str) -> bool:
        """Whether the line is inside, and neither opens nor ends it."""
        if not self.end:
            opening = _FENCE.match(line)
            self.end = (
                (opening[1] if opening[1].startswith("`") else f"</{opening[1][1:]}")
                if opening
                else ""
            )
            return False
        if self.in_block or _SEARCH.match(line):
            self.in_block = not line.startswith(_REPLACED)
        elif line.rstrip() == self.end:
            self.end = ""
        return bool(self.end)


def _offers(lines: list[str]) -> list[tuple[str, Edit]]:
    """Files with the fenced text that follows their name."""
    results = []
    name = ""
    fence = _Fence()
    inside = []
    for line in lines:
        if fence.follow(line):
            inside.append(line)
        elif inside:
            offers = (
                (_use_slashes(named), text) for named, text in _split_by_file(name, inside) if named
            )
            # else a text or a block that shows one
            is_diff = inside[0].startswith(("--- ", "diff --git "))
            results += (list(_diffs(inside)) if is_diff else []) or [
                (path, _offered_edit(path, text)) for path, text in offers
            ]
            inside = []
        elif line.strip() and not fence.end:
            named = _NAME.match(line)
            name = named[1].strip() if named else ""
    return results


def _split_by_file(name: str, inside: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(file, lines) of a fenced text: with some models the file's name is inside, before the
    blocks.
    """
    lines: list[str] = []
    for line, following in pairwise([*inside, ""]):
        named = (
            _NAME.match(line)
            if _SEARCH.match(following) and (not lines or lines[-1].startswith(_REPLACED))
            else None
        )
        if named:
            if lines:
                yield name, lines
            name = named[1].strip()
            lines = []
        else:
            lines.append(line)
    yield name, lines


def _diffs(inside: list[str]) -> Iterator[tuple[str, Edit]]:
    """What a unified diff, whose hunks need no numbers, does to each of its files."""
    for old, new, body in _DIFF.findall("".join(f"{line}\n" for line in inside)):
        path = _use_slashes(new.removeprefix("b/") if old.startswith(("a/", "/dev/null")) else new)
        yield path, Edit(path, "edit", hunks=tuple(patch_hunks(body.split("\n"))))


def _offered_edit(path: str, lines: list[str]) -> Edit:
    blocks = search_replace_blocks("\n".join(lines))
    if blocks:
        return Edit(path, "edit", blocks)
    return Edit(path, "write", content="".join(f"{line}\n" for line in lines))


def runs(text: str) -> list[str]:
    """Ids of the runs of a history in which something was asked or written; each is a session."""
    return [f"{NAME} {moment}" for moment, run in _runs(text) if _IS_USED.search(run)]


def _find(location: Path, roots: Roots) -> Iterator[LocalSession]:
    cwd = str(location.parent)
    if roots.of(cwd):
        for key in runs(decode(files.content(location))):
            yield LocalSession(key, (location,), f"kept in {cwd}", cwd=cwd)


def _load(session: LocalSession) -> Iterator[bytes]:
    """The whole history, after a line that names the directory."""
    yield f"> whowrote: {session.cwd}\n".encode("utf-8", "surrogateescape") + files.content(
        session.files[0]
    )


_SEARCHES = tuple(f"filename:.aider.{name}" for name in ("chat.history.md", "input.history"))
COMMITTED = (
    Committed(
        ("**/.aider.chat.history.md", "**/aider.chat.history*.md"),
        lambda path, data: runs(decode(data)),
        found_by=_SEARCHES,
    ),
)
STORES = (Store(NAME, find=_find, load=_load, inside=".aider.chat.history.md"),)
