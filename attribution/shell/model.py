"""What flows through this package: the words and commands that a text is read into, and the effects
they are judged to have.

Nothing here reads or judges: `syntax` and `expansion` make commands, `evaluate` and the handlers of
programs make effects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from collector.model import Hunk
from collector.text import normal_path

# In a heredoc whose delimiter is not quoted: what the shell puts something else for, and what it
# takes the backslash from.
_EXPANDED = re.compile(r"(?<!\\)(?:\\\\)*(?:`|\$[\w{(@*#?$!-])|\\\n")
_ESCAPED = re.compile(r"\\([$`\\])")
MAX_VALUE = 1024  # longest value of a variable, or directory, that is followed


class Unparsable(Exception):
    """The text is not a command this reader understands."""


@dataclass(frozen=True, slots=True)
class ShellWord:
    text: str
    exact: bool  # nothing left to expand: no unknown variable, substitution or glob
    each: tuple[str, ...] = ()  # the texts it has in the rounds of a `for` loop


@dataclass(slots=True)
class Heredoc:
    delimiter: str
    quoted: bool
    strip: bool
    body: str = ""

    def read(self, text: str, pos: int) -> int:
        """Take the body that starts at `pos`; the position after its delimiter."""
        lines: list[str] = []
        while pos < len(text):
            end = text.find("\n", pos)
            end = len(text) if end < 0 else end
            line = text[pos:end].lstrip("\t") if self.strip else text[pos:end]
            if line.rstrip("\r") == self.delimiter:
                self.body = "".join(f"{line}\n" for line in lines)
                return min(end + 1, len(text))
            lines.append(line)
            pos = end + 1
        self.body = "".join(f"{line}\n" for line in lines)
        return len(text)

    @property
    def text(self) -> str | None:
        """The text as the program reads it, None where the shell would expand something."""
        if self.quoted:
            return self.body
        return None if _EXPANDED.search(self.body) else _ESCAPED.sub(r"\1", self.body)


@dataclass(frozen=True, slots=True)
class Redirect:
    fd: str
    op: str
    word: ShellWord


@dataclass(slots=True)
class SimpleCommand:
    """One simple command; a group's closing bracket with its redirections is a command without
    words.
    """

    cwd: str
    fed: SimpleCommand | None = None  # what is piped into it
    words: list[ShellWord] = field(default_factory=list)
    env: list[str] = field(default_factory=list)  # the assignments before the program
    redirects: list[Redirect] = field(default_factory=list)
    stdin: Heredoc | None = None
    group: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a command may have done.

    kind: `write` | `append` | `remove` | `move` | `copy` | `modify` (in place, text unknown) |
    `format` | `restore` (the text comes from git) | `generate` (a known generator or package
    manager) | `opaque` (could change any file) | `commit`. paths: as written, seen from where the
    command was started; globs stay; empty when it cannot be told. content: the exact text written
    or appended, when the command gives it. target: where a move or copy goes.
    tool: the program, of `format` and `generate`.
    from_commit: of `restore`, that the text is that of a commit of this clone: nothing was merged,
    fetched or kept in a stash. directory: where git was run, of `commit`, `git worktree add` and
    what undoes; "" of all others. undo: what git does to text that is not committed: `head` takes
    it away, `clean` the new files too, `stash` puts it aside, `unstash` brings the last of it back,
    `drop` forgets that. hunks: of `modify`, what it does to the text, when the command gives it;
    the old texts may be absent from the file.
    """

    kind: str
    paths: tuple[str, ...] = ()
    content: str | None = None
    target: str = ""
    tool: str = field(default="", compare=False)
    from_commit: bool = field(default=False, compare=False)
    directory: str = field(default="", compare=False)
    hunks: tuple[Hunk, ...] = field(default=(), compare=False)
    undo: str = ""

    @property
    def is_literal(self) -> bool:
        """Whether the text that the command leaves behind follows from the text before."""
        return bool(self.content is not None or self.hunks)


def join(cwd: str, path: str) -> str:
    """The path seen from where the command was started."""
    if not cwd or path.startswith(("/", "~", "$", "\\")) or path[1:3] in (":\\", ":/"):
        return normal_path(path)
    return normal_path(f"{cwd}/{path}")
