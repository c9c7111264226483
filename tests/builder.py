"""Repositories built as text, together with the truth about who wrote each line.

A `World` plays a developer's worktree over time: people, agents, shell commands and formatters change files one operation after
the other, on one virtual clock. Each operation marks the lines it makes, so authorship is known and never guessed by comparing
texts. Agents write their transcripts as they go. Commits and checkpoints become one `git fast-import` stream, and
`World.expected()` says for every line a commit adds who wrote it and what an attribution may claim about it.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import subprocess
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

import claude_writer as claude
from claude_writer import Ids, Json, Transcript, iso

from collector.text import encode

START = 1_772_442_000.0  # 2 March 2026, 09:00 UTC
ADA = "Ada Example <ada@example.com>"
V1 = "refs/heads/entire/checkpoints/v1"
V1_REMOTE = "refs/remotes/origin/entire/checkpoints/v1"
V2_MAIN = "refs/entire/checkpoints/v2/main"
V2_FULL = "refs/entire/checkpoints/v2/full/current"
LEGACY = "refs/heads/entire/sessions"
GRACE = 5.0  # an event this long after the author time still belongs to the commit

# --- git objects as text -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Blob:
    data: bytes  # for a submodule the id of its commit
    mode: str = "100644"

    def sha(self) -> str:
        return self.data.decode() if self.mode == "160000" else _object_id("blob", self.data)


def _object_id(kind: str, data: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()


def _tree_id(files: Mapping[str, Blob]) -> str:
    entries: dict[str, tuple[str, str]] = {}
    folders: dict[str, dict[str, Blob]] = {}
    for path, blob in files.items():
        head, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(head, {})[rest] = blob
        else:
            entries[head] = (blob.mode, blob.sha())
    for name, inside in folders.items():
        entries[name + "/"] = ("40000", _tree_id(inside))
    rows = sorted((encode(key), key.rstrip("/"), value) for key, value in entries.items())
    return _object_id("tree", b"".join(encode(f"{mode} {name}\0") + bytes.fromhex(sha) for _, name, (mode, sha) in rows))


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A commit as git will know it."""

    number: int
    sha: str
    files: Mapping[str, Blob]
    parents: tuple[Node, ...]
    author: str
    committer: str
    message: str


class History:
    """Commits and refs, and the `git fast-import` stream that makes them."""

    def __init__(self) -> None:
        self.refs: dict[str, Node] = {}
        self._count = 0

    def commit(
        self, files: Mapping[str, Blob], parents: Sequence[Node], author: str, when: int, message: str, later: int = 0
    ) -> Node:
        self._count += 1
        by, on = f"{author} {when} +0000", f"{author} {when + later} +0000"
        head = f"tree {_tree_id(files)}\n" + "".join(f"parent {parent.sha}\n" for parent in parents)
        body = encode(f"{head}author {by}\ncommitter {on}\n\n{message}")
        return Node(self._count, _object_id("commit", body), dict(files), tuple(parents), by, on, message)

    def reachable(self) -> dict[Node, str]:
        """Every commit that a ref leads to, oldest first, with the first such ref."""
        found: dict[Node, str] = {}
        for ref, tip in sorted(self.refs.items()):
            todo = [tip]
            while todo:
                node = todo.pop()
                if node not in found:
                    found[node] = ref
                    todo += node.parents
        return dict(sorted(found.items(), key=lambda item: item[0].number))

    def stream(self) -> bytes:
        out, known = [b"feature done\n"], set[str]()
        for node, ref in self.reachable().items():
            out += self._commit_lines(node, ref, known)
        for ref, node in sorted(self.refs.items()):
            out.append(f"reset {ref}\nfrom :{node.number}\n\n".encode())
        return b"".join([*out, b"done\n"])

    def _commit_lines(self, node: Node, ref: str, known: set[str]) -> Iterator[bytes]:
        if not node.parents:
            yield f"reset {ref}\n".encode()
        yield encode(f"commit {ref}\nmark :{node.number}\nauthor {node.author}\ncommitter {node.committer}\n")
        message = encode(node.message)
        yield b"data %d\n%s\n" % (len(message), message)
        for i, parent in enumerate(node.parents):
            yield f"{'merge' if i else 'from'} :{parent.number}\n".encode()
        before = node.parents[0].files if node.parents else {}
        for path in sorted(before.keys() - node.files.keys()):
            yield encode(f"D {path}\n")
        for path in sorted(node.files):
            if before.get(path) != node.files[path]:
                yield from _file_lines(path, node.files[path], known)
        yield b"\n"


def _file_lines(path: str, blob: Blob, known: set[str]) -> Iterator[bytes]:
    sha = blob.sha()
    if blob.mode == "160000" or sha in known:
        yield encode(f"M {blob.mode} {sha} {path}\n")
        return
    known.add(sha)
    yield encode(f"M {blob.mode} inline {path}\n") + b"data %d\n%s\n" % (len(blob.data), blob.data)


def git_environment() -> dict[str, str]:
    """The environment without anything that could steer git."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return clean | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def git(directory: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-c", "core.autocrlf=false", "-c", "gc.auto=0", "-C", str(directory), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=True, env=git_environment()).stdout


def import_stream(stream: bytes, directory: Path, bare: bool = True) -> Path:
    """A new repository in that directory, holding what the stream says; HEAD is `main`."""
    directory.mkdir(parents=True, exist_ok=True)
    git(directory, "init", "-q", "-b", "main", "--template=", *(["--bare"] if bare else []))
    git(directory, "fast-import", "--quiet", stdin=stream)
    if not bare:
        git(directory, "reset", "-q", "--hard")
    return directory


# --- lines and files ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of a file; the object is its identity, its text is not."""

    text: str
    kind: str  # human | agent | shell | hidden (a subagent nobody recorded) | tweak | format | move | restore
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
    raw: bytes | None = None  # what no line model fits: binary data, the target of a link, the commit of a submodule

    def text(self) -> str:
        """The text as agents see it: `\\n` between lines whatever the file uses."""
        return "\n".join(line.text for line in self.lines) + ("\n" if self.lines and self.final_newline else "")

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
        """These lines instead; an empty last line without a newline is no line but the newline of the one before."""
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
    first, before = text.count("\n", 0, head), text[head:tail].split("\n")
    after = (text[head:start] + new + text[end:tail]).split("\n")
    everything = [*file.lines, END] if file.final_newline or not file.lines else [*file.lines]
    middle = _reused(everything[first : first + len(before)], before, after, make)
    lines = [*everything[:first], *middle, *everything[first + len(before) :]]
    ended = lines[-1].text == ""
    if ended:
        lines.pop()
    return replace(file, lines=tuple(make("") if line is END else line for line in lines), final_newline=ended)


def _reused(old: Sequence[Line], before: Sequence[str], after: Sequence[str], make: Maker) -> list[Line]:
    lines: list[Line] = []
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        lines += old[a0:a1] if tag == "equal" else [make(text) for text in after[b0:b1]]
    return lines


def restyle(text: str) -> str:
    """What a code formatter does to one line: quotes, blanks around `=` and after commas, no `;` or blanks at the end."""
    body = text.lstrip()
    indent = text[: len(text) - len(body)]
    body = re.sub(r",(?=\S)", ", ", body.replace("'", '"').rstrip().rstrip(";"))
    return indent + re.sub(r"^([\w.\[\]]+)=(?=[^=\s])", r"\1 = ", body)


def likeness(one: str, other: str) -> float:
    """Share of words and signs that two lines have in common, in order."""
    first, second = (re.findall(r"\w+|[^\w\s]", text) for text in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


# --- agents ------------------------------------------------------------------------------------------------------------


class Editor:
    """The editing tools of an agent or a subagent. How a call is recorded is left to the subclasses."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.world: World = session.world

    def _call(self, tool: str, arguments: Json, say: str) -> str:
        raise NotImplementedError

    def _done(self, call: str, content: str, result: Json) -> None:
        raise NotImplementedError

    def _maker(self, call: str) -> Maker:
        return lambda text: Line(text, "agent", self._session.id, call)

    def write(self, path: str, text: str, *, overwrite: bool = False, eol: str = "\n", say: str = "") -> str:
        """A whole file, every line new. An existing one needs `overwrite`, or `rewrite` to keep what stays."""
        before = self.world.files.get(path)
        if (before is not None) != overwrite:
            raise ValueError(f"{path} exists: {before is not None}")
        return self._write(path, text, lambda make: new_file(text, make, eol), say)

    def rewrite(self, path: str, *changes: tuple[str, str], say: str = "") -> str:
        """A whole-file Write that changes only these places; every other line stays who it was."""
        before = self.world.files[path]

        def change(make: Maker) -> File:
            after = before
            for old, new in changes:
                after = replaced(after, old, new, make)
            return after

        return self._write(path, change(lambda text: Line(text, "agent")).text(), change, say)

    def _write(self, path: str, text: str, change: Callable[[Maker], File], say: str) -> str:
        before, absolute = self.world.files.get(path), self._session.absolute(path)
        call = self._call("Write", {"file_path": absolute, "content": text}, say)
        self.world.put(path, change(self._maker(call)))
        self._session.changed(call, path)
        verb = "created successfully at" if before is None else "has been updated successfully"
        said = f"File {verb}: {absolute}" if before is None else f"The file {absolute} {verb}."
        self._done(call, said, claude.write_result(absolute, text, None if before is None else before.text()))
        return call

    def edit(self, path: str, old: str, new: str, *, every: bool = False, say: str = "") -> str:
        """Search and replace. Returns the id of the call."""
        before, absolute = self.world.files[path], self._session.absolute(path)
        replaced(before, old, new, lambda text: END, every)  # fail before anything is recorded
        arguments = {"file_path": absolute, "old_string": old, "new_string": new, "replace_all": every}
        call = self._call("Edit", arguments, say)
        after = replaced(before, old, new, self._maker(call), every)
        self.world.put(path, after)
        self._session.changed(call, path)
        original = None if self._session.null_original else before.text()
        patch = claude.structured_patch(before.text(), after.text())
        said = f"The file {absolute} has been updated successfully."
        self._done(call, said, claude.edit_result(absolute, old, new, original, patch, every))
        return call

    def multi_edit(self, path: str, *changes: tuple[str, str], say: str = "") -> str:
        """Several replacements in one call, in order."""
        before, absolute = self.world.files[path], self._session.absolute(path)
        edits = [{"old_string": old, "new_string": new, "replace_all": False} for old, new in changes]
        call = self._call("MultiEdit", {"file_path": absolute, "edits": edits}, say)
        after = before
        for old, new in changes:
            after = replaced(after, old, new, self._maker(call))
        self.world.put(path, after)
        self._session.changed(call, path)
        result = {
            "filePath": absolute,
            "edits": edits,
            "originalFileContents": before.text(),
            "structuredPatch": claude.structured_patch(before.text(), after.text()),
            "userModified": False,
        }
        self._done(call, f"Applied {len(edits)} edits to {absolute}", result)
        return call


class Shell:
    """What a shell command of the agent does to the worktree."""

    def __init__(self, world: World, session: Session, call: str, exact: bool, blunt: bool) -> None:
        self._world, self._session, self._call = world, session, call
        self._exact, self._blunt = exact, blunt
        self.touched: set[str] = set()

    def _make(self, text: str, origin: Line | None = None) -> Line:
        return Line(text, "shell", self._session.id, self._call, origin, self._exact and origin is None, self._blunt)

    def _put(self, path: str, file: File) -> None:
        self.touched.add(path)
        self._world.put(path, file)

    def write(self, path: str, text: str, eol: str = "\n") -> None:
        self._put(path, new_file(text, self._make, eol))

    def append(self, path: str, text: str) -> None:
        file = self._world.files[path]
        self._put(path, file.spliced(len(file.lines), len(file.lines), new_file(text, self._make).lines))

    def sub(self, path: str, pattern: str, new: str) -> None:
        """Line by line, like `sed`."""
        self.each_line(path, lambda text: re.sub(pattern, new, text))

    def each_line(self, path: str, change: Callable[[str], str]) -> None:
        file = self._world.files[path]
        lines = [line if change(line.text) == line.text else self._make(change(line.text), line) for line in file.lines]
        self._put(path, file.having(lines))

    def delete_lines(self, path: str, pattern: str) -> None:
        file = self._world.files[path]
        self._put(path, file.having(line for line in file.lines if not re.search(pattern, line.text)))

    def move(self, old: str, new: str) -> None:
        self.touched |= {old, new}
        self._world.rename(old, new)

    def remove(self, path: str) -> None:
        self.touched.add(path)
        self._world.remove(path)


class Session(Editor):
    """One agent at work in the worktree, and the transcript it leaves."""

    def __init__(self, world: World, version: str, model: str, null_original: bool, cwd: str) -> None:
        self.world: World = world
        self.id = world.ids.uuid()
        super().__init__(self)
        self.null_original = null_original
        self.log = Transcript(self.id, cwd, world.ids, version, model, world.branch)
        self.changes: list[tuple[float, str, str]] = []  # time, call, path
        self.outcomes: list[tuple[str, str]] = []  # call, how it ended
        self.kept = 0  # records in the last stored copy
        self._turn_started = world.clock

    @property
    def _at(self) -> float:
        return round(self.world.clock, 3)

    def absolute(self, path: str) -> str:
        slash = "\\" if "\\" in self.log.cwd else "/"
        return path if path.startswith("/") else self.log.cwd + slash + path.replace("/", slash)

    def changed(self, call: str, path: str, tool: bool = True) -> None:
        self.changes.append((self._at, call, path))
        if tool:
            self.outcomes.append((call, "applied"))

    def calls(self) -> set[str]:
        return {call for _, call, _ in self.changes}

    # --- conversation ----------------------------------------------------------------------------------------------

    def prompt(self, text: str) -> None:
        self.world.wait(20)
        self._turn_started = self._at
        self.log.prompt(self._at, text)

    def queued_prompt(self, text: str) -> None:
        self.world.wait(1)
        self.log.queued(self._at, text)
        self.world.wait(3)

    def say(self, text: str) -> None:
        self.world.wait(2)
        self.log.said(self._at, text)

    def interrupt(self) -> None:
        self.world.wait(1)
        self.log.interrupt(self._at)

    def compact(self) -> None:
        self.world.wait(30)
        self.log.compact(self._at)

    def end_turn(self, text: str = "Done.") -> None:
        self.say(text)
        self.log.turn_ended(self._at, self._at - self._turn_started)

    def outside_edit_notice(self, path: str) -> None:
        self.world.wait(0.2)
        self.log.outside_edit(self._at, self.absolute(path), self.world.files[path].text().removesuffix("\n"))

    # --- tools -----------------------------------------------------------------------------------------------------

    def _call(self, tool: str, arguments: Json, say: str = "") -> str:
        self.world.wait(2.217)
        return self.log.call(self._at, tool, arguments, say)

    def _done(self, call: str, content: str, result: Json) -> None:
        self.world.wait(0.11)
        self.log.result(self._at, call, content, result)

    def read(self, path: str, start: int = 1, count: int | None = None, say: str = "") -> str:
        texts = self.world.files[path].text().split("\n")
        content = "\n".join(texts[start - 1 : start - 1 + count if count else None])
        absolute = self.absolute(path)
        arguments: Json = {"file_path": absolute} | ({"offset": start, "limit": count} if count else {})
        call = self._call("Read", arguments, say)
        shown = claude.numbered(content.removesuffix("\n"), start)
        self._done(call, shown, claude.read_result(absolute, content, start, len(texts)))
        return call

    def bash(
        self,
        command: str,
        effect: Callable[[Shell], None] | None = None,
        *,
        exact: bool = False,
        blunt: bool = False,
        stdout: str = "",
        say: str = "",
    ) -> str:
        """A shell command. `exact`: its text holds the new lines; `blunt`: its text does not tell which files it changes."""
        call = self._call("Bash", {"command": command, "description": "Run a command"}, say)
        if effect:
            shell = Shell(self.world, self, call, exact, blunt)
            effect(shell)
            for path in sorted(shell.touched):
                self.changed(call, path, tool=False)
            if blunt:
                self.world.blunt |= shell.touched
        self._done(call, stdout, claude.bash_result(stdout))
        return call

    def edit_error(self, path: str, old: str, new: str, reason: str = "String to replace not found in file.") -> None:
        """An Edit that the tool refuses; nothing changes."""
        call = self._call("Edit", {"file_path": self.absolute(path), "old_string": old, "new_string": new})
        self.world.wait(0.05)
        self.log.failed(self._at, call, f"{reason}\nString: {old}" if "not found" in reason else reason)
        self.outcomes.append((call, "tool_error"))

    def edit_rejected(self, path: str, old: str, new: str, saying: str = "") -> None:
        """An Edit that the user declines, with or without a word of explanation; nothing changes."""
        call = self._call("Edit", {"file_path": self.absolute(path), "old_string": old, "new_string": new})
        self.world.wait(4)
        self.log.rejected(self._at, call, saying)
        self.outcomes.append((call, "rejected"))

    def edit_cut_off(self, path: str, old: str, new: str) -> None:
        """A call without a result: the program ended, and the file stayed as it was."""
        call = self._call("Edit", {"file_path": self.absolute(path), "old_string": old, "new_string": new})
        self.outcomes.append((call, "unmatched"))

    def write_outside(self, absolute: str, text: str) -> None:
        """A file that is none of the repository's, such as a plan in the home directory."""
        call = self._call("Write", {"file_path": absolute, "content": text})
        said = f"File created successfully at: {absolute}"
        self._done(call, said, claude.write_result(absolute, text, None))
        self.outcomes.append((call, "outside_repo"))

    def git_commit(self, message: str, **options: Any) -> Commit:
        """The agent commits by itself: the call is in the transcript before the commit, its result after it."""
        quoted = message.split("\n", 1)[0]
        call = self._call("Bash", {"command": f'git add -A && git commit -m "{quoted}"', "description": "Commit"})
        commit = self.world.commit(message, [self], **options)
        stdout = f"[{self.world.branch} {commit.sha[:7]}] {quoted}"
        result = claude.bash_result(stdout)
        if self.log.since((2, 1, 156)):
            result["gitOperation"] = {"commit": {"sha": commit.sha[:7], "kind": "committed"}}
        self.log.result(self._at, call, stdout, result)
        return commit

    @contextmanager
    def subagent(self, task: str, visible: bool = True) -> Iterator[Subagent]:
        """A subagent at work. Visible ones appear in progress records, others only as numbers in the final result."""
        name = "Task" if visible else "Agent"
        arguments = {"description": "Delegated work", "prompt": task, "subagent_type": "general-purpose"}
        parent = self._call(name, arguments)
        child = Subagent(self, parent, visible)
        yield child
        self.world.wait(2)
        result: Json = {
            "status": "completed",
            "prompt": task,
            "agentId": child.agent_id,
            "content": [{"type": "text", "text": "Finished."}],
            "totalDurationMs": 9_000,
            "totalTokens": 12_000,
            "totalToolUseCount": child.edits,
        }
        if not visible:
            numbers = {"editFileCount": child.edits, "linesAdded": child.added, "linesRemoved": child.removed}
            result["toolStats"] = {"readCount": 1, "searchCount": 0, "bashCount": 0} | numbers | {"otherToolCount": 0}
        self.log.result(self._at, parent, result["content"], result)


class Subagent(Editor):
    def __init__(self, session: Session, parent: str, visible: bool) -> None:
        super().__init__(session)
        self.agent_id = self.world.ids.hex(7 if visible else 17)
        self._parent, self._visible = parent, visible
        self.edits = self.added = self.removed = 0

    def _maker(self, call: str) -> Maker:
        kind = "agent" if self._visible else "hidden"
        return lambda text: Line(text, kind, self._session.id, call)

    def _call(self, tool: str, arguments: Json, say: str) -> str:
        self.world.wait(2)
        if self._visible:
            return self._session.log.subagent_call(self._session._at, self._parent, self.agent_id, tool, arguments)
        self.world.hidden = True
        return self._parent

    def _done(self, call: str, content: str, result: Json) -> None:
        self.edits += 1
        marks = Counter(line[0] for hunk in result["structuredPatch"] for line in hunk["lines"])
        self.added += marks["+"]
        self.removed += marks["-"]
        self.world.wait(0.1)
        if self._visible:
            self._session.log.subagent_result(self._session._at, self._parent, self.agent_id, call, content)
        else:
            self._session.changes.pop()
            self._session.outcomes.pop()


# --- the world ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stored:
    """How a checkpoint keeps its sessions; the defaults are the usual case."""

    transcript: str = "full"  # full | delta (since the last copy) | cut (after `keep` records) | none
    keep: int = 0
    parts: int = 1  # chunks: full.jsonl, full.jsonl.001, …
    label: str | None = "Claude Code"
    date_prefix: bool = False  # the session id as old versions wrote it
    numbers: tuple[int, ...] = ()  # of the session directories, when they are not 0, 1, 2, …
    dangling: bool = False  # pointers that lead nowhere
    blank_tail: int = 0
    glued: bool = False  # two JSON values on one line
    redact: tuple[str, ...] = ()
    prompt: bool = True
    hashed: bool = True


@dataclass(eq=False)
class Commit:
    """A code commit and what was going on when it was made."""

    node: Node
    at: int
    files: dict[str, File]
    renamed: dict[str, str]  # new path -> path in the first parent
    parents: tuple[Commit, ...]
    checkpoints: tuple[str, ...] = ()
    dangling: bool = False  # names a checkpoint that does not exist
    declared: bool = False  # the message or the author says that an agent took part
    hidden: bool = False  # an unrecorded subagent was at work since the last commit
    blunt: frozenset[str] = frozenset()  # files changed by commands whose text does not say so

    @property
    def sha(self) -> str:
        return self.node.sha


class World:
    """A worktree, the people and agents who change it, the history that comes of it, and who wrote what."""

    def __init__(self, name: str = "world", layout: str = "v1", cli_version: str = "0.4.7", start: float = START) -> None:
        self.name, self.layout, self.cli_version = name, layout, cli_version
        self.ids = Ids(name)
        self.clock = start
        self.branch = "main"
        self.files: dict[str, File] = {}
        self.tips: dict[str, Commit] = {}
        self.commits: list[Commit] = []
        self.history = History()
        self.sessions: dict[str, Session] = {}
        self.hidden = False
        self.blunt: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.members: dict[str, list[Session]] = {}  # of each stored checkpoint
        self.seen: set[str] = set()  # calls whose results are in some stored transcript
        self.begun: set[str] = set()  # calls that are in some stored transcript, with or without a result
        self.stored: set[str] = set()  # sessions with at least one stored transcript
        self._trees: dict[str, dict[str, Blob]] = {}

    def wait(self, seconds: float) -> None:
        self.clock += seconds

    def session(
        self,
        version: str = "2.1.37",
        model: str = "claude-opus-4-6",
        null_original: bool = False,
        cwd: str = "",
    ) -> Session:
        session = Session(self, version, model, null_original, cwd or f"/home/ada/work/{self.name}")
        self.sessions[session.id] = session
        return session

    # --- the worktree ----------------------------------------------------------------------------------------------

    def put(self, path: str, file: File) -> None:
        self.files[path] = file

    def rename(self, old: str, new: str) -> None:
        self.files[new] = self.files.pop(old)
        self.renamed[new] = self.renamed.pop(old, old)

    def remove(self, path: str) -> None:
        del self.files[path]
        self.renamed.pop(path, None)

    def _human(self, text: str) -> Line:
        return Line(text, "human")

    def human_write(self, path: str, text: str, eol: str = "\n", mode: str = "100644") -> None:
        self.wait(40)
        self.put(path, new_file(text, self._human, eol, mode))

    def human_raw(self, path: str, data: bytes, mode: str = "100644") -> None:
        """Content without lines: binary, a link (mode 120000), a submodule (mode 160000)."""
        self.wait(5)
        self.put(path, File(mode=mode, raw=data))

    def human_insert(self, path: str, text: str, after: str | None = None, before: str | None = None) -> None:
        """New lines after or before the only line that reads so; else at the end."""
        self.wait(25)
        file = self.files[path]
        at = len(file.lines)
        if after is not None:
            at = file.index(after) + 1
        elif before is not None:
            at = file.index(before)
        self.put(path, file.spliced(at, at, new_file(text, self._human).lines))

    def human_replace(self, path: str, old: str, new: str) -> None:
        """Search and replace by hand. The result must not resemble an agent's line (see `human_tweak`)."""
        self.wait(25)
        before, after = self.files[path], replaced(self.files[path], old, new, self._human)
        fresh = set(after.lines) - set(before.lines)
        for gone in set(before.lines) - set(after.lines):
            if gone.kind not in ("human", "hidden") and any(likeness(gone.text, line.text) > 0.45 for line in fresh):
                raise ValueError(f"too much like {gone.text!r}: is this a tweak?")
        self.put(path, after)

    def human_delete(self, path: str, block: str) -> None:
        self.wait(15)
        start, end = self.files[path].block(block)
        self.put(path, self.files[path].spliced(start, end, ()))

    def human_tweak(self, path: str, old: str, new: str) -> None:
        """A small change of one line, so small that the line clearly stays what it was."""
        self.wait(15)
        file = self.files[path]
        at = file.index(old)
        if likeness(old, new) < 0.75:
            raise ValueError(f"{old!r} and {new!r} have little in common")
        self.put(path, file.spliced(at, at + 1, [Line(new, "tweak", origin=file.lines[at])]))

    def human_move(self, path: str, block: str, after: str, to: str = "") -> None:
        """Cut these lines and paste them after another line, of this file or of another one."""
        self.wait(15)
        file = self.files[path]
        start, end = file.block(block)
        moved = [Line(line.text, "move", origin=line) for line in file.lines[start:end]]
        self.put(path, file.spliced(start, end, ()))
        target = self.files[to or path]
        at = target.index(after) + 1
        self.put(to or path, target.spliced(at, at, moved))

    def human_rename(self, old: str, new: str) -> None:
        self.wait(10)
        self.rename(old, new)

    def human_remove(self, path: str) -> None:
        self.wait(10)
        self.remove(path)

    def human_revert(self, commit: Commit) -> None:
        """Every file that commit changed goes back to what it was before, like `git revert` when nothing follows it."""
        self.wait(10)
        before = commit.parents[0].files if commit.parents else {}
        present = {id(line) for file in self.files.values() for line in file.lines}
        for path in {*commit.files, *before}:
            if before.get(path) == commit.files.get(path):
                continue
            if path in before:
                self.put(path, replace(before[path], lines=tuple(_restored(before[path], present))))
            else:
                self.remove(path)
        self.renamed |= {old: new for new, old in commit.renamed.items()}

    def formatter(self, path: str, rule: Callable[[str], str] = restyle) -> None:
        """A formatter that nobody recorded: the editor on save, a hook before the commit."""
        self.wait(1)
        file = self.files[path]
        lines = [line if rule(line.text) == line.text else Line(rule(line.text), "format", origin=line) for line in file.lines]
        self.put(path, file.having(lines))

    # --- commits ---------------------------------------------------------------------------------------------------

    def new_checkpoint_id(self) -> str:
        return self.ids.ulid(self.clock) if self.layout == "refs" else self.ids.hex(12)

    def commit(
        self,
        message: str,
        sessions: Sequence[Session] = (),
        *,
        groups: Sequence[Sequence[Session]] = (),
        names: Sequence[str] = (),
        paths: Iterable[str] | None = None,
        trailer: str = "end",
        stored: Stored | None = Stored(),
        author: str = ADA,
        merge: Commit | None = None,
        later: int = 0,
    ) -> Commit:
        """Commits the worktree, or these paths of it.

        One checkpoint is stored for `sessions`, or one per group of `groups`; with `stored=None` the message names checkpoints that
        do not exist. `names` are further ids for the message. `trailer` is `end`, `middle` (as in squash bodies) or `none`.
        `later` puts the committer's time after the author's.
        """
        self.wait(3)
        at = int(self.clock)
        groups = groups or ([sessions] if sessions else [])
        own = [self.new_checkpoint_id() for _ in groups]
        listed = [*names, *own] if trailer != "none" else []
        text = _message(message, listed, trailer)
        parents = tuple(parent for parent in (self.tips.get(self.branch), merge) if parent)
        files = self._staged(paths, parents)
        tree = {path: file.blob() for path, file in files.items()}
        node = self.history.commit(tree, [parent.node for parent in parents], author, at, text, later)
        commit = Commit(node, at, files, self._renames(files, parents), parents, tuple(listed))
        commit.dangling = bool(own) and stored is None
        commit.declared = "Co-Authored-By: Claude" in text or "[bot]" in author
        commit.hidden, commit.blunt = self.hidden, frozenset(self.blunt & files.keys())
        left = {path for path in self.blunt if self.files.get(path) is not files.get(path)}
        self.hidden, self.blunt, self.renamed = self.hidden and paths is not None, left, {}
        self._advance(commit)
        self.clock = at + 1.3
        if stored:
            for checkpoint_id, members in zip(own, groups, strict=True):
                self.checkpoint(members, checkpoint_id, stored, commit)
        self.wait(8)
        return commit

    def _advance(self, commit: Commit) -> None:
        self.tips[self.branch] = commit
        self.commits.append(commit)
        if not self.branch.startswith("hidden/"):
            self.history.refs[f"refs/heads/{self.branch}"] = commit.node

    def _staged(self, paths: Iterable[str] | None, parents: Sequence[Commit]) -> dict[str, File]:
        if paths is None:
            return dict(self.files)
        staged = dict(parents[0].files) if parents else {}
        for path in paths:
            staged.pop(path, None)
            if path in self.files:
                staged[path] = self.files[path]
        return staged

    def _renames(self, files: Mapping[str, File], parents: Sequence[Commit]) -> dict[str, str]:
        before = parents[0].files if parents else {}
        return {
            new: old
            for new, old in self.renamed.items()
            if new in files and new not in before and old in before and old not in files
        }

    def branch_off(self, name: str) -> None:
        """A new branch from here. Names under `hidden/` get no ref: their commits vanish unless merged."""
        self.tips[name] = self.tips[self.branch]
        self.switch(name)

    def switch(self, name: str) -> None:
        self.wait(5)
        self.branch = name
        self.files = dict(self.tips[name].files)

    def merge(self, name: str, message: str, touch: Callable[[], None] | None = None, **options: Any) -> Commit:
        """A merge of branches that changed different files; `touch` is what the merger changes besides."""
        other, base = self.tips[name], self._fork(name)
        for path in {*other.files, *base.files}:
            if other.files.get(path) == base.files.get(path):
                continue
            if self.files.get(path) != base.files.get(path):
                raise ValueError(f"{path} changed on both sides")
            if path in other.files:
                self.put(path, other.files[path])
            else:
                self.remove(path)
        if touch:
            touch()
        return self.commit(message, merge=other, **options)

    def squash(self, name: str, title: str, **options: Any) -> Commit:
        """The branch as one commit on top of this one: the message lists its commits with their trailers, as GitHub does."""
        base, commit, line = self._fork(name), self.tips[name], list[Commit]()
        while commit is not base:
            line.insert(0, commit)
            commit = commit.parents[0]
        bodies = ["* " + commit.node.message.strip() for commit in line]
        names = [checkpoint for commit in line for checkpoint in commit.checkpoints]
        for commit in line:
            self.renamed |= {new: self.renamed.pop(old, old) for new, old in commit.renamed.items()}
        self.files = dict(self.tips[name].files)
        signed = "\n\n".join([title, *bodies, "---------", f"Co-authored-by: {ADA}"])
        squashed = self.commit(signed, trailer="none", **options)
        squashed.checkpoints = tuple(dict.fromkeys(names))
        squashed.dangling, squashed.hidden = any(one.dangling for one in line), any(one.hidden for one in line)
        squashed.blunt = frozenset().union(*(one.blunt for one in line)) & squashed.files.keys()
        return squashed

    def _fork(self, name: str) -> Commit:
        mine, commit = set[int](), self.tips[self.branch]
        while True:
            mine.add(id(commit))
            if not commit.parents:
                break
            commit = commit.parents[0]
        commit = self.tips[name]
        while id(commit) not in mine:
            commit = commit.parents[0]
        return commit

    def ref(self, name: str, commit: Commit) -> None:
        self.history.refs[name] = commit.node

    # --- checkpoints -----------------------------------------------------------------------------------------------

    def checkpoint(
        self,
        sessions: Sequence[Session],
        checkpoint_id: str = "",
        stored: Stored = Stored(),
        commit: Commit | None = None,
        finalise: bool = False,
    ) -> str:
        """Stores the sessions so far in the layout of this world."""
        checkpoint_id = checkpoint_id or self.new_checkpoint_id()
        copies = [self._copy(session, stored) for session in sessions]
        touched = [sorted({path for _, _, path in session.changes} & (commit or self).files.keys()) for session in sessions]
        self.members[checkpoint_id] = list(sessions)
        writer = _Writer(self, checkpoint_id, sessions, copies, touched, stored)
        for ref, files, merged in writer.trees():
            tree = self._trees.setdefault(ref, {}) if merged else {}
            tree.update({path: Blob(data) for path, data in files.items()})
            title = f"Finalize transcript for Checkpoint: {checkpoint_id}" if finalise else f"Checkpoint: {checkpoint_id}"
            trailers = f"Entire-Session: {sessions[-1].id}\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\n"
            self._store(ref, tree, title if finalise else f"{title}\n\n{trailers}")
        return checkpoint_id

    def finalise(self, commit: Commit, stored: Stored = Stored()) -> None:
        """The end of the turn rewrites the checkpoints of its commits with everything that happened since."""
        self.wait(1)
        for checkpoint_id in commit.checkpoints:
            self.checkpoint(self.members[checkpoint_id], checkpoint_id, stored, commit, finalise=True)

    def store_files(self, files: Mapping[str, bytes], message: str = "Initialize metadata branch", ref: str = V1) -> None:
        """Anything else on a checkpoint branch: foreign files, or nothing at all."""
        tree = self._trees.setdefault(ref, {})
        tree.update({path: Blob(data) for path, data in files.items()})
        self._store(ref, tree, message)

    def forget(self, checkpoint_id: str, ref: str = V1) -> None:
        """Removes a checkpoint from the tip of the branch; its objects stay in the branch's history."""
        prefix = f"{checkpoint_id[:2]}/{checkpoint_id[2:]}/"
        self._trees[ref] = {path: blob for path, blob in self._trees[ref].items() if not path.startswith(prefix)}
        self._store(ref, self._trees[ref], "Cleanup: removed 1 orphaned checkpoint")

    def _store(self, ref: str, tree: Mapping[str, Blob], message: str) -> None:
        tip = self.history.refs.get(ref)
        self.history.refs[ref] = self.history.commit(tree, [tip] if tip else [], ADA, int(self.clock) + 1, message)

    def _copy(self, session: Session, stored: Stored) -> str | None:
        """The session's transcript as it is stored now, and a note of what can be read from it."""
        if stored.transcript == "none":
            return None
        records = session.log.records
        cut = stored.keep if stored.transcript == "cut" else len(records)
        kept = records[session.kept if stored.transcript == "delta" else 0 : cut]
        self.seen |= {record.finished for record in kept if record.finished}
        self.begun |= {call for record in kept for call in record.begun}
        self.stored.add(session.id)
        session.kept = cut

        def redacted(text: str) -> str:
            for secret in stored.redact:
                text = text.replace(secret, "REDACTED")
            return text

        text = claude.to_jsonl(kept, redacted)
        if stored.glued:
            text = text.replace("\n", "", 1)
        if stored.transcript == "cut" and cut < len(records):
            text += records[cut].text()[:90]
        return text + "\n" * stored.blank_tail

    # --- results ---------------------------------------------------------------------------------------------------

    def stream(self) -> bytes:
        return self.history.stream()

    def build(self, directory: Path, bare: bool = True) -> Path:
        return import_stream(self.stream(), directory, bare)

    def expected(self, description: str = "") -> Json:
        """The truth, in the form of `expected.json`."""
        reachable = {node.sha for node in self.history.reachable()}
        truth = Truth(self)
        return {
            "description": description,
            "branch": "main",
            "commits": [truth.commit(commit) for commit in self.commits if commit.sha in reachable],
            "edits": {
                session.id: {name: self._count(session, name) for name in OUTCOMES}
                for session in self.sessions.values()
                if session.id in self.stored
            },
        }

    def _count(self, session: Session, outcome: str) -> int:
        known = self.begun if outcome == "unmatched" else self.seen
        return sum(1 for call, how in session.outcomes if how == outcome and call in known)


OUTCOMES = ("applied", "tool_error", "rejected", "outside_repo", "unmatched")


def _restored(file: File, present: set[int]) -> Iterator[Line]:
    for line in file.lines:
        yield line if id(line) in present else Line(line.text, "restore", origin=line)


def _message(message: str, ids: Sequence[str], trailer: str) -> str:
    title, _, body = message.strip("\n").partition("\n")
    lines = "\n".join(f"Entire-Checkpoint: {checkpoint_id}" for checkpoint_id in ids)
    parts = [title, lines, body.strip("\n")] if trailer == "middle" else [title, body.strip("\n"), lines]
    return "\n\n".join(part for part in parts if part) + "\n"


# --- checkpoints on disk -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Writer:
    """One checkpoint in the files of each layout."""

    world: World
    id: str
    sessions: Sequence[Session]
    copies: Sequence[str | None]
    touched: Sequence[Sequence[str]]
    stored: Stored

    def trees(self) -> Iterator[tuple[str, dict[str, bytes], bool]]:
        """(ref, files, whether they join what the ref already holds)."""
        layout, folder = self.world.layout, f"{self.id[:2]}/{self.id[2:]}/"
        if layout in ("v1", "v1-remote", "both"):
            yield V1_REMOTE if layout == "v1-remote" else V1, self._v1(folder), True
        if layout in ("v2", "both"):
            yield V2_MAIN, self._v2_main(folder), True
            yield V2_FULL, self._v2_full(folder), True
        if layout == "refs":
            yield f"refs/entire/checkpoints/{self.id[-2:]}/{self.id}", self._v1(""), False
        if layout == "legacy":
            yield LEGACY, self._legacy(folder), True

    def _numbers(self) -> Sequence[int]:
        return self.stored.numbers or range(len(self.sessions))

    def _v1(self, folder: str) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for i, number in enumerate(self._numbers()):
            files |= {f"{folder}{number}/{name}": data for name, data in self._session_files(i).items()}
        present = {} if self.stored.dangling else files
        pointers = [
            {key: self._pointer(present, folder, number, name) for key, name in POINTERS.items()} for number in self._numbers()
        ]
        files[f"{folder}metadata.json"] = _json(self._summary(pointers))
        return files

    def _pointer(self, files: Mapping[str, bytes], folder: str, number: int, name: str) -> str:
        if self.stored.dangling:
            return f"/{folder}{number + 7}/{name}"
        path = f"{folder}{number}/{name}"
        return f"/{path}" if path in files else ""

    def _session_files(self, i: int) -> dict[str, bytes]:
        files = {"metadata.json": _json(self._session_metadata(i))}
        text = self.copies[i]
        if text is not None:
            files |= {f"full.jsonl{suffix}": encode(part) for suffix, part in _chunks(text, self.stored.parts)}
            if self.stored.hashed:
                files["content_hash.txt"] = _hash(text)
            if self.stored.prompt:
                files["prompt.txt"] = encode("\n\n---\n\n".join(self.sessions[i].log.prompts))
        return files

    def _legacy(self, folder: str) -> dict[str, bytes]:
        """The latest session at the root of the checkpoint, older ones in `1/`, `2/`, …"""
        files: dict[str, bytes] = {}
        for back, i in enumerate(reversed(range(len(self.sessions)))):
            inside = f"{folder}{back}/" if back else folder
            files |= {inside + name: data for name, data in self._session_files(i).items()}
        return files

    def _v2_main(self, folder: str) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for i, number in enumerate(self._numbers()):
            compact = claude.to_compact(self.sessions[i].log.records, self.world.cli_version)
            files[f"{folder}{number}/metadata.json"] = _json(self._session_metadata(i))
            files[f"{folder}{number}/transcript.jsonl"] = encode(compact)
            files[f"{folder}{number}/transcript_hash.txt"] = _hash(compact)
            files[f"{folder}{number}/prompt.txt"] = encode("\n\n---\n\n".join(self.sessions[i].log.prompts))
        pointers = [
            {
                "metadata": f"/{folder}{number}/metadata.json",
                "transcript": f"/{folder}{number}/transcript.jsonl",
                "content_hash": f"/{folder}{number}/transcript_hash.txt",
                "prompt": f"/{folder}{number}/prompt.txt",
            }
            for number in self._numbers()
        ]
        files[f"{folder}metadata.json"] = _json(self._summary(pointers))
        return files

    def _v2_full(self, folder: str) -> dict[str, bytes]:
        files = {}
        for text, number in zip(self.copies, self._numbers(), strict=True):
            if text is not None:
                files[f"{folder}{number}/raw_transcript"] = encode(text)
                files[f"{folder}{number}/raw_transcript_hash.txt"] = _hash(text)
        return files

    def _summary(self, pointers: list[dict[str, str]]) -> Json:
        return {
            "cli_version": self.world.cli_version,
            "checkpoint_id": self.id,
            "strategy": "manual-commit",
            "branch": self.world.branch,
            "checkpoints_count": len(self.sessions),
            "files_touched": sorted({path for paths in self.touched for path in paths}) or None,
            "sessions": pointers,
            "token_usage": {"input_tokens": 40, "output_tokens": 900, "api_call_count": 10},
        }

    def _session_metadata(self, i: int) -> Json:
        session, world = self.sessions[i], self.world
        prefix = iso(session.log.records[0].at)[:11].replace("T", "-") if self.stored.date_prefix else ""
        data: Json = {
            "cli_version": world.cli_version,
            "checkpoint_id": self.id,
            "session_id": prefix + session.id,
            "strategy": "manual-commit",
            "created_at": iso(world.clock, 6),
            "branch": world.branch,
            "checkpoints_count": len(session.log.prompts),
            "files_touched": list(self.touched[i]),
            "agent": self.stored.label,
            "model": session.log.model,
            "token_usage": {"input_tokens": 40, "output_tokens": 900, "api_call_count": 10},
        }
        return {key: value for key, value in data.items() if value is not None}


POINTERS = {
    "metadata": "metadata.json",
    "transcript": "full.jsonl",
    "content_hash": "content_hash.txt",
    "prompt": "prompt.txt",
}


def _json(value: Json) -> bytes:
    return encode(json.dumps(value, indent=2, ensure_ascii=False))


def _hash(text: str) -> bytes:
    return b"sha256:" + hashlib.sha256(encode(text)).hexdigest().encode()


def _chunks(text: str, parts: int) -> Iterator[tuple[str, str]]:
    """Parts that give the text again when joined with a newline."""
    lines = text.split("\n")
    size = -(-len(lines) // parts)
    for i in range(parts):
        yield (f".{i:03d}" if i else ""), "\n".join(lines[i * size : (i + 1) * size])


# --- the truth ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an attribution may say about a line; the first author is the true one as far as it can be known."""

    authors: tuple[str, ...]
    hows: tuple[str, ...]
    session: str | None = None
    call: str | None = None
    flags: tuple[str, ...] = ()

    def also(self, other: Verdict) -> Verdict:
        """Either of the two."""
        authors = tuple(dict.fromkeys(self.authors + other.authors))
        hows = tuple(dict.fromkeys(self.hows + other.hows))
        same = self.session == other.session and self.call == other.call
        return replace(self, authors=authors, hows=hows, call=self.call if same else None)

    def entry(self, number: int, *flags: str) -> list[Any]:
        every = [*flags, *self.flags]
        if len(self.authors) > 1:
            every += ["ambiguous", "authors=" + "|".join(sorted(self.authors))]
        return [number, self.authors[0], list(self.hows), self.session, self.call, every]


def _unknown(reason: str) -> Verdict:
    return Verdict(("unknown",), ("none",), flags=(f"reason={reason}",))


class Truth:
    """Turns the marks on the lines of a commit into what can be known about them from the repository."""

    def __init__(self, world: World) -> None:
        self._world = world

    def commit(self, commit: Commit) -> Json:
        files = {}
        for path in sorted(commit.files):
            entries = self._file(commit, path)
            if entries:
                files[path] = entries
        subject = commit.node.message.split("\n", 1)[0]
        return {"sha": commit.sha, "subject": subject, "linked_sessions": self._linked(commit), "files": files}

    def _linked(self, commit: Commit) -> list[str]:
        found = [s.id for name in commit.checkpoints for s in self._world.members.get(name, ())]
        return list(dict.fromkeys(found))

    # --- one file --------------------------------------------------------------------------------------------------

    def _file(self, commit: Commit, path: str) -> list[list[Any]]:
        new = commit.files[path]
        olds = [parent.files.get(path) for parent in commit.parents]
        if commit.parents and path in commit.renamed:
            olds[0] = commit.parents[0].files[commit.renamed[path]]
        if new in olds:
            return []
        changes = [compare(old or File(), new) for old in olds] or [compare(File(), new)]
        marks = [_merged(states) for states in zip(*changes, strict=True)]
        verdicts = [self._verdict(line, commit) if mark else None for line, mark in zip(new.lines, marks, strict=True)]
        _blur(new.keys(), marks, verdicts)
        self._newline_only(new, olds, marks, verdicts, commit)
        copies = Counter(line.text for line in new.lines)
        return [
            verdict.entry(i + 1, *_flags(marks[i], copies[new.lines[i].text] > 1 or is_common(new.lines[i].text)))
            for i, verdict in enumerate(verdicts)
            if verdict
        ]

    def _newline_only(
        self, new: File, olds: Sequence[File | None], marks: list[str], verdicts: list[Verdict | None], commit: Commit
    ) -> None:
        """A last line that only got or lost its newline: git reports it, its text is nobody's work of this commit."""
        for i, verdict in enumerate(verdicts):
            if verdict and marks[i] != POSSIBLE and any(old and new.lines[i] in old.lines[-1:] for old in olds):
                marks[i] = MAYBE
                neighbour = verdicts[i + 1] if i + 1 < len(verdicts) else None
                everyone = (
                    verdict.also(neighbour or verdict).also(self._by_human(new.lines[i], commit)).also(_unknown("unexplained"))
                )
                verdicts[i] = everyone

    # --- one line --------------------------------------------------------------------------------------------------

    def _verdict(self, line: Line, commit: Commit) -> Verdict:
        if line.kind == "human":
            return self._by_human(line, commit)
        if line.kind == "agent":
            return self._by_agent(line, commit, ("exact",))
        if line.kind == "shell":
            return self._by_shell(line, commit)
        if line.kind == "hidden":
            return _unknown("invisible_subagent" if self._linked(commit) else "no_session")
        return self._derived(line, commit)

    def _by_human(self, line: Line, commit: Commit) -> Verdict:
        if commit.declared and not commit.checkpoints:
            return _unknown("no_session").also(Verdict(("agent",), ("declared",)))
        if not commit.checkpoints:
            return replace(_unknown("no_session"), flags=("reason=no_session", f"truth={_writer(line)}"))
        states = {self._state(self._world.sessions[name], commit) for name in self._linked(commit)}
        if commit.dangling or not states:
            states.add("absent")
        if states == {"absent"}:
            return _unknown("transcript_missing")
        human = Verdict(("human",), ("none",))
        if states != {"complete"} or commit.hidden or commit.blunt:
            human = human.also(_unknown("unexplained"))
        if any(line in commit.files[path].lines for path in commit.blunt):
            human = human.also(Verdict(("agent",), ("shell",)))
        return human

    def _state(self, session: Session, commit: Commit) -> str:
        """Whether the stored transcripts tell all that this session did before the commit."""
        if session.id not in self._world.stored:
            return "absent"
        before = {call for at, call, _ in session.changes if at <= commit.at + GRACE}
        return "complete" if before <= self._world.seen else "partial"

    def _by_agent(self, line: Line, commit: Commit, hows: tuple[str, ...], call: bool = True) -> Verdict:
        linked = self._linked(commit)
        if line.call not in self._world.seen:
            missing = _unknown("transcript_missing" if commit.checkpoints else "no_session")
            others = {self._state(self._world.sessions[name], commit) for name in linked if name != line.session}
            return missing.also(Verdict(("human",), ("none",))) if "complete" in others else missing
        found = Verdict(("agent",), hows, line.session, line.call if call else None)
        if line.session in linked:
            return found
        return found.also(self._by_human(line, commit)).also(_unknown("no_session"))

    def _by_shell(self, line: Line, commit: Commit) -> Verdict:
        if line.origin is None:
            found = self._by_agent(line, commit, ("shell", "exact") if line.exact else ("shell",))
            return found.also(_unknown("unexplained")) if line.blunt else found
        before = self._verdict(line.origin, commit)
        if before.authors[0] == "agent":
            return self._by_agent(line, commit, ("shell", "edited", "reformatted"), call=False)
        found = self._by_agent(line, commit, ("shell",))
        if restyle(line.text) == restyle(line.origin.text):  # only the style changed: still the words of whoever wrote them
            found = found.also(replace(before, hows=("reformatted", "none")))
        return found.also(_unknown("unexplained")) if line.blunt else found

    def _derived(self, line: Line, commit: Commit) -> Verdict:
        """Lines made from others outside any session: touched up, reformatted, moved, brought back."""
        assert line.origin
        root, human = self._verdict(line.origin, commit), self._by_human(line, commit)
        old = any(line.origin in file.lines for parent in commit.parents for file in parent.files.values())
        hows = {"tweak": ("edited",), "format": ("reformatted",), "move": (*root.hows, "moved"), "restore": ("none",)}[line.kind]
        if line.kind == "format" and "edited" in root.hows:
            hows = ("edited", "reformatted")
        if line.kind == "restore":
            return human.also(root).also(_unknown("unexplained"))
        if root.authors[0] == "agent":
            found = replace(root, hows=hows)
            return found.also(human).also(Verdict(("human",), ("none",))) if old else found
        if line.kind == "tweak":
            return human.also(root) if root.authors[0] == "unknown" and "human" in human.authors else human
        same = replace(root, hows=tuple(dict.fromkeys((*root.hows, *hows, "none"))))
        return same.also(human).also(_unknown("unexplained")) if old else same


def _writer(line: Line) -> str:
    while line.origin:
        line = line.origin
    return "agent" if line.kind in ("agent", "shell", "hidden") else "human"


def is_common(text: str) -> bool:
    """Whether so many files hold this line that it says nothing about who wrote it."""
    return len(re.sub(r"\W", "", text)) < 4 or text.strip() in COMMON


COMMON = {"return nil", "import os", "return None", "else:", "pass", "return err", "if err != nil {"}


# --- what git will call added ------------------------------------------------------------------------------------------
# The model knows which lines are new. Git knows only texts: where a new line equals an old one nearby, git may report either.

NEW, MAYBE, POSSIBLE = "new", "maybe", "possible"


def compare(old: File, new: File) -> list[str]:
    """For each line of `new`: `new`, `maybe` (new, but git may take an equal old line for it), `possible` (old, but git may
    report it in the place of an equal new one), or empty."""
    old_keys, new_keys = old.keys(), new.keys()
    pairs = _kept(old, new, old_keys, new_keys)
    old_count, new_count = Counter(old_keys), Counter(new_keys)
    certain = _always_kept(old_keys, new_keys)
    anchors = [(a, b) for a, b in pairs if b in certain and old_count[old_keys[a]] == new_count[new_keys[b]] == 1]
    kept = {b for _, b in pairs}
    marks = ["" if b in kept else NEW for b in range(len(new_keys))]
    edges = [(-1, -1), *anchors, (len(old_keys), len(new_keys))]
    for (a0, b0), (a1, b1) in pairwise(edges):
        _mark_gap(marks, old_keys[a0 + 1 : a1], new_keys, range(b0 + 1, b1))
    return marks


def _always_kept(old: list[str], new: list[str]) -> set[int]:
    """Lines of `new` that every shortest diff leaves alone."""
    top = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    short = min(len(old), len(new)) - top
    tail = next((i for i in range(short) if old[-1 - i] != new[-1 - i]), short)
    a, b = old[top : len(old) - tail], new[top : len(new) - tail]
    kept = {*range(top), *range(len(new) - tail, len(new))}
    before, after = _common_lengths(a, b), _common_lengths(a[::-1], b[::-1])
    best = before[-1][-1]
    for j in range(len(b)):
        without = max(before[i][j] + after[len(a) - i][len(b) - j - 1] for i in range(len(a) + 1))
        if without < best:
            kept.add(top + j)
    return kept


def _common_lengths(a: list[str], b: list[str]) -> list[list[int]]:
    """Length of the longest common subsequence of every pair of beginnings."""
    table = [[0] * (len(b) + 1)]
    for x in a:
        above, row = table[-1], [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
        table.append(row)
    return table


def _mark_gap(marks: list[str], old_keys: list[str], new_keys: list[str], gap: range) -> None:
    """Between two lines that git cannot mistake."""
    kept = sum(1 for b in gap if not marks[b])
    if kept == len(gap) == len(old_keys):
        return
    texts = set(old_keys)
    for b in gap:
        if marks[b] and new_keys[b] in texts:
            marks[b] = MAYBE
        elif not marks[b]:
            marks[b] = POSSIBLE


def _kept(old: File, new: File, old_keys: list[str], new_keys: list[str]) -> list[tuple[int, int]]:
    """The longest run of lines that are in both files, unchanged and in the same order: (old, new) indices."""
    place = {id(line): i for i, line in enumerate(old.lines)}
    pairs = [(place[id(line)], b) for b, line in enumerate(new.lines) if id(line) in place]
    pairs = [(a, b) for a, b in pairs if old_keys[a] == new_keys[b]]
    tails: list[int] = []
    chain: list[tuple[int, int]] = []  # best length ending here -> (index of pair, index of previous)
    ends: list[int] = []
    for n, (a, _) in enumerate(pairs):
        at = bisect_left(tails, a)
        tails[at : at + 1], ends[at : at + 1] = [a], [n]
        chain.append((n, ends[at - 1] if at else -1))
    out, n = list[tuple[int, int]](), ends[-1] if ends else -1
    while n >= 0:
        out.append(pairs[n])
        n = chain[n][1]
    return out[::-1]


def _merged(states: tuple[str, ...]) -> str:
    """Against several parents a line is new only if it is in none of them."""
    if "" in states:
        return ""
    return next((mark for mark in (POSSIBLE, MAYBE) if mark in states), NEW)


def _flags(mark: str, common: bool) -> list[str]:
    return ([] if mark == NEW else [mark]) + (["common"] if common else [])


def _blur(keys: list[str], marks: list[str], verdicts: list[Verdict | None]) -> None:
    """Where a block could slide over an equal line of somebody else, both are right."""
    runs = _runs(verdicts)
    clear = list(verdicts)
    for start, end in runs:
        for i, j in _slides(keys, start, end):
            first, second = clear[i], clear[j]
            if first and second and first != second:
                verdicts[i] = first.also(second)
    for start, end in _gaps(marks):
        added = [verdict for i in range(start, end) if marks[i] != POSSIBLE and (verdict := clear[i])]
        for i in range(start, end):
            here = verdicts[i]
            if marks[i] == POSSIBLE and here:
                verdicts[i] = reduce(Verdict.also, [*added, here, _unknown("unexplained")])


def _runs(verdicts: Sequence[Verdict | None]) -> list[tuple[int, int]]:
    edges = [i for i in range(len(verdicts) + 1) if i in (0, len(verdicts)) or verdicts[i] != verdicts[i - 1]]
    return [(a, b) for a, b in pairwise(edges) if verdicts[a]]


def _slides(keys: list[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """(line of a neighbour, equal line of the block), both ways, for each line that could change sides."""
    size = end - start
    for step in range(1, size + 1):
        if start - step < 0 or keys[start - step] != keys[end - step]:
            break
        yield start - step, end - step
        yield end - step, start - step
    for step in range(size):
        if end + step >= len(keys) or keys[end + step] != keys[start + step]:
            break
        yield end + step, start + step
        yield start + step, end + step


def _gaps(marks: Sequence[str]) -> list[tuple[int, int]]:
    edges = [i for i in range(len(marks) + 1) if i in (0, len(marks)) or bool(marks[i]) != bool(marks[i - 1])]
    return [(a, b) for a, b in pairwise(edges) if marks[a]]
