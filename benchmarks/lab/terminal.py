"""Agents as the interactive programs that people use: keys go in through a pseudo-terminal, and the
screen is read.

`Terminal` is the pseudo-terminal with its screen, `Conversation` a person at an agent's interface
in a run. The log of the scripted model and the screen tell what the person waits for; keys come as
fast as the interfaces take them for typing.
"""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyte

from lab.agents import Start
from lab.interactive import INTERACTIVE, READY
from lab.mock import Script
from lab.play import REPOSITORY, Run, inside_command, read_rows

ROWS, COLUMNS = 60, 140
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "tab": "\t",
    "shift-tab": "\x1b[Z",
    "ctrl-c": "\x03",
    "ctrl-d": "\x04",
    "ctrl-b": "\x02",
    "ctrl-p": "\x10",
    "ctrl-x": "\x18",
    "ctrl-t": "\x14",
    "ctrl-u": "\x15",
    "backspace": "\x7f",
}
TYPED = 40.0  # characters a second; what comes at once is taken for a paste by some interfaces
# What pyte does not know and would print: private sequences, colours with colons, device control
# strings.
_FOREIGN = re.compile(
    r"\x1b\[[<>=][\d;:?]*[ -/]*[@-~]|\x1b\[[\d;]*:[\d;:]*m|\x1b\[\?[\d;]*(?:\$p|m)"
    r"|\x1b[P_^X][^\x1b]*\x1b\\|\x1b\[[\d;]* q"
)
_INCOMPLETE = re.compile(r"\x1b(?:\[[\d;:<>=?]*[ -/]*|[P_^X\]][^\x1b\x07]*\x1b?)?\Z")


class _Screen(pyte.Screen):  # type: ignore[misc]  # pyte has no types
    """Answers what programs ask a terminal about itself."""

    def __init__(self, answer: Callable[[str], None]) -> None:
        super().__init__(COLUMNS, ROWS)
        self.answer = answer

    def write_process_input(self, data: str) -> None:
        self.answer(data)

    def report_device_attributes(self, mode: int = 0, **_: Any) -> None:
        if mode == 0:
            self.answer("\x1b[?62;22c")


class Terminal:
    """A pseudo-terminal: `slave` is for the program, this side reads the screen and presses
    keys.
    """

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.screen = _Screen(self.send)
        self.stream = pyte.Stream(self.screen)
        self.lock, self.changed_at, self.open = threading.Lock(), time.monotonic(), True
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, text: str) -> None:
        os.write(self.master, text.encode())

    def _read(self) -> None:
        decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
        while self.open:
            readable, _, _ = select.select([self.master], [], [], 0.5)
            if not readable:
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the last program on the other side has ended
                break
            rest = self._feed(rest + decoder.decode(data))

    def _feed(self, text: str) -> str:
        """Puts all but an incomplete sequence at the end, which is returned, on the screen."""
        incomplete = _INCOMPLETE.search(text)
        text, rest = (
            (text[: incomplete.start()], text[incomplete.start() :]) if incomplete else (text, "")
        )
        with self.lock:
            before = list(self.screen.display)
            self.stream.feed(_FOREIGN.sub("", text))
            if [_still(line) for line in before] != [_still(line) for line in self.screen.display]:
                self.changed_at = time.monotonic()
        return rest

    def text(self) -> str:
        with self.lock:
            return "\n".join(line.rstrip() for line in self.screen.display).strip("\n")

    def press(self, *names: str) -> None:
        """Keys by name, or single characters."""
        for name in names:
            self.send(KEYS.get(name, name))
            time.sleep(0.4)

    def type(self, text: str) -> None:
        for character in text:
            self.send(character)
            time.sleep(1 / TYPED)
        time.sleep(0.5)

    def paste(self, text: str) -> None:
        """As a terminal sends what is pasted, or a file that is dropped on it."""
        self.send(f"\x1b[200~{text}\x1b[201~")
        self.wait_quiet()

    def wait(self, pattern: str, timeout: float = 30) -> str:
        """The screen, once the pattern is on it."""
        self.wait_until(
            lambda: re.search(pattern, self.text()) is not None,
            f"{pattern!r} on the screen",
            timeout,
        )
        return self.text()

    def wait_until(self, condition: Callable[[], bool], what: str, timeout: float = 60) -> None:
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"waited in vain for {what}; the screen:\n{self.text()}")
            time.sleep(0.2)

    def wait_quiet(self, seconds: float = 1.5, timeout: float = 20) -> str:
        """The screen, once nothing but spinners and clocks moves on it."""
        self.wait_until(
            lambda: time.monotonic() - self.changed_at > seconds, "a quiet screen", timeout
        )
        return self.text()


def _still(line: str) -> str:
    """A line of the screen without what moves while a program waits."""
    return re.sub(r"[^\w\s>]|\d", "", line).strip()


class Conversation:
    """A person at the interface of the run's agent, from its start to its end; use it with
    `with`.
    """

    def __init__(
        self,
        run: Run,
        script: Script,
        name: str,
        *,
        asked: bool = False,
        more: str = "",
        directory: Path = REPOSITORY,
    ) -> None:
        self.run, self.script, self.directory = run, script, directory
        self.log = run.directory / "mock" / f"{len(run.starts)}-{name}"
        self.terminal = Terminal()
        start = Start(run.home, "", more, run.session)
        command = INTERACTIVE[run.agent.name](start, asked, str(directory))
        plan = run.terminal_plan(command, script, self.terminal.slave, str(directory), asked=asked)
        argv, variables = inside_command(plan, self.log)
        self.process = subprocess.Popen(
            argv,
            env=variables,
            pass_fds=[self.terminal.slave],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        os.close(self.terminal.slave)
        run.starts.append({"step": name, "terminal": True})
        self.taken = 0  # rows of changes.jsonl that the shadow has
        self.terminal.wait(READY[run.agent.name], 90)
        self.terminal.wait_quiet()

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if failed is None:
            self.terminal.wait_quiet(4)  # what the last answer cost is written after it is shown
            self.settle()
            self.leave()
        self.terminal.open = False
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.terminal.master)

    def leave(self) -> None:
        """Ends the program as a person does, with the keys that ask for it twice."""
        for _ in range(3):
            with suppress(OSError):
                self.terminal.press("ctrl-c")
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(4)
                return

    def prompt(
        self, step: str, text: str = "Please do the next thing.", *, wait: bool = True
    ) -> None:
        """The person asks for a step, and waits for its last answer and a quiet screen."""
        words = f"{text} (LAB:{step})"
        self.run.prompts.append(words)
        before = len(self.rows())
        self.terminal.type(words)
        self.terminal.press("enter")
        try:
            self.terminal.wait_until(lambda: len(self.rows()) > before, "a request", 10)
        except RuntimeError:  # some interfaces take a key that comes early for a part of the text
            self.terminal.press("enter")
        if wait:
            self.wait_answered(step)

    def wait_answered(self, step: str) -> None:
        def answered() -> bool:
            return any(row.get("step") == step and not row["calls"] for row in self.rows())

        self.terminal.wait_until(answered, f"the last answer of {step}", 90)
        self.terminal.wait_quiet()
        self.settle()

    def wait_asked(self, step: str, done: int = 0) -> None:
        """Until the model was asked for what comes after `done` results of the step, and the
        agent shows the answer.
        """

        def asked() -> bool:
            return any(row.get("step") == step and row["done"] >= done for row in self.rows())

        self.terminal.wait_until(asked, f"request {done} of {step}", 90)
        time.sleep(2)

    def command(self, text: str) -> None:
        """A command of the interface."""
        self.terminal.type(text)
        self.terminal.press("enter")
        self.terminal.wait_quiet()

    @contextmanager
    def editing(self) -> Iterator[Run]:
        """The person edits files while the agent waits."""
        self.settle()
        yield self.run
        self.settle()

    def settle(self) -> None:
        """The shadow takes up what the agent's calls did so far; without a call, the agent took
        files back.
        """
        if (
            self.process.stdin is None
            or self.process.stdout is None
            or self.process.poll() is not None
        ):
            return
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.process.stdout.readline()
        rows = self.rows("changes.jsonl")
        for row in rows[self.taken :]:
            path, text = row["path"], row["text"]
            same = (
                text == self.run.shadow.text(path)
                if path in self.run.shadow.files
                else text is None
            )
            if not same and (row["step"] or not self.run.shadow.restore(path, text)):
                self.run.take_up(row)
        self.taken = len(rows)

    def rows(self, name: str = "requests.jsonl") -> list[dict[str, Any]]:
        return read_rows(self.log / name)
