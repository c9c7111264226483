"""An ordinary clone on a developer's machine: a person and an agent change it, git commits it, and
every line's author is known.

What an agent did is a list of actions; the writers in `local_layouts` put it into the form in which
each agent keeps its sessions.
"""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from support import truth
from support.builder.objects import git_environment

START = 1_772_442_000.0  # 2 March 2026, 09:00 UTC
NAME = "Ada Example"
EMAIL = "ada@example.com"
PRINTED = "[main {short}] {message}\n 1 file changed"


@dataclass(frozen=True)
class Line:
    """A line with whoever wrote it; two lines that read the same are two lines."""

    text: str
    author: str
    _identity: object = field(default_factory=object)


@dataclass(frozen=True, slots=True)
class Action:
    """Something that happened in a session: prompt, say, write, edit or shell."""

    kind: str
    at: float
    path: str = ""  # absolute
    # prompt, what was said, the text written, the new text of an edit, or the command
    text: str = ""
    old: str = ""  # the text that an edit replaces
    before: str | None = None  # the whole file before
    after: str = ""  # the whole file after
    output: str = ""
    agent: str = ""  # the subagent that did it


@dataclass(slots=True)
class AgentSession:
    """One session of an agent, as a list of what it did."""

    clone: Clone
    id: str
    cwd: str
    actions: list[Action] = field(default_factory=list)

    def prompt(self, text: str) -> None:
        self.clone.wait(20)
        self.actions.append(Action("prompt", self.clone.clock, text=text))

    def write(self, path: str, text: str, agent: str = "") -> None:
        self._change("write", path, "", text, agent)

    def edit(self, path: str, old: str, new: str, agent: str = "") -> None:
        self._change("edit", path, old, new, agent)

    def _change(self, kind: str, path: str, old: str, new: str, agent: str) -> None:
        self.clone.wait(7)
        before = self.clone.text(path)
        after = new if kind == "write" else (before or "").replace(old, new, 1)
        self.clone.put(path, after, "agent")
        absolute = str(self.clone.path / path)
        self.actions.append(
            Action(kind, self.clone.clock, absolute, new, old, before, after, agent=agent)
        )
        self.clone.wait(1)

    def shell(self, command: str, output: str = "") -> None:
        self.clone.wait(5)
        self.actions.append(Action("shell", self.clone.clock, text=command, output=output))

    def commit(
        self, message: str, command: str = "", output: str = PRINTED, off: float = 0.0
    ) -> str:
        """The agent's own `git commit`, which prints the id; git's clock is `off` by so many
        seconds.
        """
        self.clone.wait(5)
        started = self.clone.clock
        sha = self.clone.commit(message, off)
        printed = output.format(short=sha[:7], sha=sha, message=message)
        self.actions.append(
            Action("shell", started, text=command or f"git commit -qam '{message}'", output=printed)
        )
        return sha

    def say(self, text: str) -> None:
        self.clone.wait(2)
        self.actions.append(Action("say", self.clone.clock, text=text))

    def move(self, old: object, new: object, earlier: float = 0.0) -> None:
        """All actions so far were done elsewhere, and so many seconds earlier."""
        self.actions = [
            replace(one, path=one.path.replace(str(old), str(new)), at=one.at - earlier)
            for one in self.actions
        ]

    @property
    def ended(self) -> float:
        return self.actions[-1].at


@dataclass(slots=True)
class Clone:
    """A work tree with real files and real commits, on a clock of its own."""

    path: Path
    clock: float = START
    lines: dict[str, list[Line]] = field(default_factory=dict)
    # commit -> path -> new line -> author
    truth: dict[str, dict[str, dict[int, str]]] = field(default_factory=dict)
    _committed: dict[str, list[Line]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", NAME)
        self.git("config", "user.email", EMAIL)

    def wait(self, seconds: float) -> None:
        self.clock += seconds

    def text(self, path: str) -> str | None:
        return (
            "".join(f"{line.text}\n" for line in self.lines[path]) if path in self.lines else None
        )

    def put(self, path: str, text: str, author: str) -> None:
        """A file's new text; lines that it had before keep their author."""
        old = self.lines.get(path, [])
        new = text.removesuffix("\n").split("\n")
        matcher = difflib.SequenceMatcher(None, [line.text for line in old], new, autojunk=False)
        result: list[Line] = []
        for tag, a0, a1, b0, b1 in matcher.get_opcodes():
            result += old[a0:a1] if tag == "equal" else [Line(one, author) for one in new[b0:b1]]
        self.lines[path] = result
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def person(self, path: str, text: str) -> None:
        self.wait(40)
        self.put(path, text, "human")

    def person_adds(self, path: str, text: str) -> None:
        self.person(path, (self.text(path) or "") + text)

    def session(self, id: str, cwd: str = "", prompt: str = "") -> AgentSession:
        """`prompt`: its first, at once."""
        session = AgentSession(self, id, cwd or str(self.path))
        if prompt:
            session.prompt(prompt)
        return session

    def commit(self, message: str, off: float = 0.0) -> str:
        self.wait(3)
        self.git("add", "-A", ".", ":!.crush", ":!.aider*")
        self.git("commit", "-q", "-m", message, off=off)
        sha = self.git("rev-parse", "HEAD").strip()
        files: dict[str, dict[int, str]] = {}
        for path, lines in self.lines.items():
            known = {id(line) for line in self._committed.get(path, [])}
            added = {
                number: line.author
                for number, line in enumerate(lines, 1)
                if id(line) not in known and line.text.strip()
            }
            if added:
                files[path] = added
        self.truth[sha] = files
        self._committed = {path: list(lines) for path, lines in self.lines.items()}
        self.wait(8)
        return sha

    def rebase(self, message: str, back: int) -> None:
        """Gives the last commit another message, and makes it and some before it anew."""
        self.git("commit", "-q", "--amend", "-m", message, check=False)
        base = self.git("rev-parse", "-q", "--verify", f"HEAD~{back + 1}", check=False).strip()
        self.git("rebase", "-q", "--force-rebase", base or "--root", check=False)

    def git(self, *arguments: str, off: float = 0.0, check: bool = True) -> str:
        when = f"{int(self.clock + off)} +0000"
        environment = git_environment() | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=environment,
            capture_output=True,
            text=True,
            check=check,
        )
        return done.stdout


def said_of(clone: Clone, db: Path, sha: str, path: str) -> dict[int, truth.Line]:
    """Line -> what the program says of a file in a commit."""
    said, _ = truth.run(clone.path, db)
    return said.get(sha, {}).get(path, {})


def authors(lines: dict[int, truth.Line]) -> set[str]:
    return {line.author for line in lines.values()}


def authors_in(clone: Clone, db: Path, sha: str, path: str) -> set[str]:
    return authors(said_of(clone, db, sha, path))


def _all_lines(clone: Clone, said: truth.Said) -> Iterator[tuple[str, str, str]]:
    """Place, author and whom the program names of every line of the truth."""
    for sha, files in clone.truth.items():
        for path, lines in files.items():
            found = said.get(sha, {}).get(path, {})
            for number, author in lines.items():
                name = found[number].author if number in found else "nothing"
                yield f"{sha[:7]} {path}:{number}", author, name


def wrong_lines(clone: Clone, said: truth.Said) -> list[str]:
    """Where the program contradicts the truth."""
    return [
        f"{place} is {author}, said {name}"
        for place, author, name in _all_lines(clone, said)
        if name not in (author, "unknown")
    ]


def attributed(clone: Clone, said: truth.Said, author: str) -> tuple[int, int]:
    """(lines of this author that the program says are this author's, all lines of this author)."""
    names = [name for _, whose, name in _all_lines(clone, said) if whose == author]
    return names.count(author), len(names)


def touch(path: Path, at: float) -> None:
    """A file was last written then."""
    os.utime(path, (at, at))
