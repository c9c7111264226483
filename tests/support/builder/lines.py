"""Lines that know who wrote them, files made of them, and the ways a text is changed while its
lines stay who they were.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from collector.text import encode
from support.builder.objects import Blob


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of a file; the object is its identity, its text is not."""

    text: str
    # human | agent | shell | hidden (a subagent nobody recorded) | tweak | format | move | restore
    kind: str
    session: str = ""
    call: str = ""
    origin: Line | None = None  # the line it was made from, for shell and the last four kinds
    exact: bool = False  # shell: the command's text gives this line literally
    blunt: bool = False  # shell: the command's text does not even name the file


Maker = Callable[[str], Line]
END = Line("", "end")  # stands for what follows the final newline


@dataclass(frozen=True, slots=True)
class File:
    lines: tuple[Line, ...] = ()
    final_newline: bool = True
    eol: str = "\n"
    mode: str = "100644"
    # what no line model fits: binary data, the target of a link, the commit of a submodule
    raw: bytes | None = None

    def text(self) -> str:
        """The text as agents see it: `\\n` between lines whatever the file uses."""
        return "\n".join(line.text for line in self.lines) + (
            "\n" if self.lines and self.final_newline else ""
        )

    def blob(self) -> Blob:
        data = encode(self.text().replace("\n", self.eol)) if self.raw is None else self.raw
        return Blob(data, self.mode)

    def keys(self) -> list[str]:
        """Lines as git compares them, ends included."""
        keys = [line.text + self.eol for line in self.lines]
        if keys and not self.final_newline:
            keys[-1] = self.lines[-1].text
        return keys

    def index(self, text: str) -> int:
        """The only line with that text, or with that text apart from indentation."""
        hits = [i for i, line in enumerate(self.lines) if line.text == text]
        hits = hits or [i for i, line in enumerate(self.lines) if line.text.strip() == text.strip()]
        if len(hits) != 1:
            raise ValueError(f"{len(hits)} lines read {text!r}")
        return hits[0]

    def block(self, text: str) -> tuple[int, int]:
        """The only place where these lines stand one after the other."""
        wanted = text.removesuffix("\n").split("\n")
        texts = [line.text for line in self.lines]
        hits = [i for i in range(len(texts)) if texts[i : i + len(wanted)] == wanted]
        if len(hits) != 1:
            raise ValueError(f"{len(hits)} places read {text!r}")
        return hits[0], hits[0] + len(wanted)

    def spliced(self, start: int, end: int, lines: Iterable[Line]) -> File:
        return self.having((*self.lines[:start], *lines, *self.lines[end:]))

    def having(self, lines: Iterable[Line]) -> File:
        """These lines instead; an empty last line without a newline is no line but the newline
        of the one before.
        """
        lines = tuple(lines)
        if not self.final_newline and lines and not lines[-1].text:
            return replace(self, lines=lines[:-1], final_newline=True)
        return replace(self, lines=lines)


def new_file(text: str, make: Maker, eol: str = "\n", mode: str = "100644") -> File:
    lines = tuple(make(line) for line in text.removesuffix("\n").split("\n")) if text else ()
    return File(lines, text.endswith("\n") or not text, eol, mode)


def replaced(file: File, old: str, new: str, make: Maker, every: bool = False) -> File:
    """Search and replace; lines that the replacement repeats unchanged stay who they were."""
    text = file.text()
    places = [match.start() for match in re.finditer(re.escape(old), text)]
    if not places or (len(places) > 1 and not every):
        raise ValueError(f"{len(places)} places read {old!r}")
    for place in reversed(places):
        file = _replaced_at(file, place, place + len(old), new, make)
    return file


def _replaced_at(file: File, start: int, end: int, new: str, make: Maker) -> File:
    text = file.text()
    head = text.rfind("\n", 0, start) + 1
    tail = text.find("\n", end)
    tail = len(text) if tail < 0 else tail
    first = text.count("\n", 0, head)
    before = text[head:tail].split("\n")
    after = (text[head:start] + new + text[end:tail]).split("\n")
    everything = [*file.lines, END] if file.final_newline or not file.lines else [*file.lines]
    middle = _reused(everything[first : first + len(before)], before, after, make)
    lines = [*everything[:first], *middle, *everything[first + len(before) :]]
    ended = lines[-1].text == ""
    if ended:
        lines.pop()
    return replace(
        file, lines=tuple(make("") if line is END else line for line in lines), final_newline=ended
    )


def _reused(
    old: Sequence[Line], before: Sequence[str], after: Sequence[str], make: Maker
) -> list[Line]:
    lines: list[Line] = []
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        lines += old[a0:a1] if tag == "equal" else [make(text) for text in after[b0:b1]]
    return lines


def restyle(text: str) -> str:
    """What a code formatter does to one line: quotes, blanks around `=` and after commas, no `;`
    or blanks at the end.
    """
    body = text.lstrip()
    indent = text[: len(text) - len(body)]
    body = re.sub(r",(?=\S)", ", ", body.replace("'", '"').rstrip().rstrip(";"))
    return indent + re.sub(r"^([\w.\[\]]+)=(?=[^=\s])", r"\1 = ", body)


def likeness(one: str, other: str) -> float:
    """Share of words and signs that two lines have in common, in order."""
    first, second = (re.findall(r"\w+|[^\w\s]", text) for text in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()
