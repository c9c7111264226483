"""One run: a repository and a home, an agent that goes through a script, a person who types in
between, and the truth.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.actions import Action
from lab.agents import Agent, Command, Start
from lab.inside import HOME
from lab.install import CACHE, node_directory, program
from lab.mock import Script
from lab.truth import PERSON, Author, Shadow

BENCHMARKS = Path(__file__).parent.parent
REPOSITORY = HOME / "shop"
PACE = 4.0  # characters a second that a person types; the program rightly doubts what is faster
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
_GIT_SETTINGS = (
    "[user]\n\tname = Dev\n\temail = dev@lab.example\n[init]\n\tdefaultBranch ="
    " main\n[safe]\n\tdirectory = *\n"
)


def environment(more: Mapping[str, str] | None = None, *, path: str = "") -> dict[str, str]:
    """The variables of a program in the lab; nothing of this machine's but where programs are."""
    names = f"{path}:/usr/local/bin:/usr/bin:/bin".lstrip(":")
    fixed = {
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "USER": "dev",
        "SHELL": "/bin/bash",
        "CI": "1",
        "NO_COLOR": "1",
        "DO_NOT_TRACK": "1",
    }
    return {"PATH": names, "HOME": str(HOME), "GIT_CONFIG_NOSYSTEM": "1", **fixed, **(more or {})}


def inside_command(plan: dict[str, Any], log: Path) -> tuple[list[str], dict[str, str]]:
    """The command that carries out a plan of `lab.inside`, and its environment."""
    log.mkdir(parents=True, exist_ok=True)
    (log / "plan.json").write_text(json.dumps({**plan, "log": str(log)}, indent=1), "utf-8")
    namespaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0:
        namespaces.append("--map-root-user")
    command = [*namespaces, sys.executable, "-m", "lab.inside", str(log / "plan.json")]
    return command, {**os.environ, "PYTHONPATH": str(BENCHMARKS)}


def run_inside(plan: dict[str, Any], log: Path) -> list[dict[str, Any]]:
    """Carries out a plan of `lab.inside`; how each of its commands ended."""
    command, variables = inside_command(plan, log)
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if not (log / "result.json").exists():
        raise RuntimeError(f"the lab's namespace failed ({log}): {done.stderr[-2000:]}")
    results: list[dict[str, Any]] = json.loads((log / "result.json").read_text("utf-8"))
    return results


def plan_row(
    name: str, argv: Sequence[str | Path], variables: Mapping[str, str], timeout: float
) -> dict[str, Any]:
    cwd = str(REPOSITORY)
    return {
        "name": name,
        "argv": [str(part) for part in argv],
        "environment": dict(variables),
        "cwd": cwd,
        "timeout": timeout,
    }


def read_rows(path: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    )


class Run:
    """A run of one scenario with one version of an agent, in `directory`: home,
    mock/<number>-<step>, truth.jsonl.
    """

    def __init__(
        self,
        agent: Agent,
        version: str,
        scenario: str,
        name: str,
        *,
        pace: float = PACE,
        timeout: float = 150,
    ) -> None:
        self.agent, self.version, self.scenario, self.pace, self.timeout = (
            agent,
            version,
            scenario,
            pace,
            timeout,
        )
        self.directory = CACHE / "runs" / name
        shutil.rmtree(self.directory, ignore_errors=True)
        self.home, self.repository = self.directory / "home", self.directory / "home" / "shop"
        self.repository.mkdir(parents=True)
        self.shadow, self.session, self.prompts = Shadow(), "", list[str]()
        self.starts: list[dict[str, Any]] = []
        self.servers: dict[str, list[str]] = {}  # of tools: name -> command
        (self.home / ".gitconfig").write_text(_GIT_SETTINGS, "utf-8")
        self.git("init", "-q")
        self.write("README.md", "# Shop\n\nA small shop.\n")
        self.write("shop/__init__.py", '"""The shop."""\n')
        self.commit("Begin")

    def git(self, *arguments: str, stdin: str = "", check: bool = True) -> str:
        """Output of git, run by the person in the worktree."""
        variables = environment({"HOME": str(self.home)})
        command = ["git", *arguments]
        done = subprocess.run(
            command,
            cwd=self.repository,
            env=variables,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr}")
        return done.stdout.removesuffix("\n")

    def commit(self, message: str, *arguments: str, everything: bool = True) -> None:
        """The person commits; at another second than whatever came before."""
        time.sleep(1.1)
        if everything:
            self.git("add", "-A")
        self.git("commit", "-q", "-m", message, *arguments)

    def write(self, path: str, text: str) -> None:
        """The person saves a file."""
        target = self.repository / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        self.shadow.change(path, text, PERSON)

    def type(self, path: str, text: str) -> None:
        """The person changes a file into `text`, which takes as long as typing what is new."""
        before = {line.text for line in self.shadow.files.get(path, [])}
        typed = sum(len(line) + 1 for line in text.splitlines() if line not in before)
        time.sleep(typed / self.pace if self.pace else 1.1)
        self.write(path, text)

    def replace(self, path: str, *pairs: tuple[str, str]) -> None:
        """The person types over parts of a file, each of which must be there."""
        text = self.shadow.text(path)
        for old, new in pairs:
            if old not in text:
                raise RuntimeError(
                    f"{path} lacks {old!r}: the agent did not do what it was asked for"
                )
            text = text.replace(old, new)
        self.type(path, text)

    def ask(
        self,
        step: str,
        script: Script,
        *,
        prompt: str = "Please do the next thing.",
        more: str = "",
        files: Sequence[str] = (),
        plain: bool = False,
    ) -> None:
        """The person asks the agent, whose model answers from `script[step]`; the shadow takes up
        what it did.

        `plain`: the prompt is a command of the agent, which names no step.
        """
        prompt = prompt if plain else f"{prompt} (LAB:{step})"
        command = self.started(prompt, more, files)
        self.carry_out(step, self._plan(command, {} if plain else script))

    def started(self, prompt: str, more: str = "", files: Sequence[str] = ()) -> Command:
        """How the agent is started with the prompt."""
        self.prompts.append(prompt)
        return self.agent.start(Start(self.home, prompt, more, self.session, files, self.servers))

    def carry_out(self, step: str, plan: dict[str, Any]) -> None:
        """Runs what is planned; the shadow takes up what agents did."""
        log = self.directory / "mock" / f"{len(self.starts)}-{step}"
        results = run_inside(plan, log)
        calls = [call["name"] for row in read_rows(log / "requests.jsonl") for call in row["calls"]]
        self.starts.append({"step": step, **results[-1], "calls": calls})
        for row in read_rows(log / "changes.jsonl"):
            self.take_up(row)
        if self.agent.name == "claude-code":
            self.session = _session_of(log / "ask.out") or self.session

    def take_up(self, row: Mapping[str, str]) -> None:
        """The shadow follows a change that the agent made, a row of `changes.jsonl`."""
        self.shadow.change(
            row["path"], row["text"], Author("agent", row["step"], row["call"], row["action"])
        )

    def _plan(self, command: Command, script: Script) -> dict[str, Any]:
        argv0 = program(self.agent, self.version)
        path = str(node_directory()) if self.agent.registry == "npm" else ""
        variables = environment(command.environment, path=path)
        todo = [("setup", arguments) for arguments in command.before] + [("ask", command.arguments)]
        return {
            "home": str(self.home),
            "directory": str(REPOSITORY),
            "script": {
                step: [[asdict(action) for action in response] for response in todo]
                for step, todo in script.items()
            },
            "style": asdict(self.agent.style),
            "run": f"{len(self.starts):02}",
            # tokens: two answers with the same counts could be taken for one
            "used": 1000 + 100 * len(self.starts),
            "commands": [
                plan_row(name, [argv0, *arguments], variables, self.timeout)
                for name, arguments in todo
            ],
        }

    def terminal_plan(
        self, command: Command, script: Script, terminal: int, directory: str, *, asked: bool
    ) -> dict[str, Any]:
        """The plan of a command whose last run has a pseudo-terminal; `asked`: its calls need
        the person's permission.
        """
        plan = self._plan(command, script) | {"terminal": terminal, "directory": directory}
        plan["style"]["escalated"] = asked
        last = plan["commands"][-1]
        variables = {
            name: value
            for name, value in last["environment"].items()
            if name not in ("CI", "NO_COLOR")
        }
        last |= {"environment": variables | TERMINAL, "cwd": directory, "timeout": 600}
        return plan

    def finish(self) -> None:
        """Writes the truth of HEAD's lines, and what was started."""
        commits: dict[str, list[str]] = {}
        for path in self.git("ls-files", "-z").split("\0"):
            if path in self.shadow.files:
                self._check(path)
                blame = self.git("blame", "-l", "-s", "--root", "HEAD", "--", path)
                commits[path] = [line.split(" ")[0] for line in blame.split("\n")]
        self.shadow.write(self.directory / "truth.jsonl", commits)
        row = {
            "agent": self.agent.name,
            "version": self.version,
            "scenario": self.scenario,
            "prompts": self.prompts,
            "starts": self.starts,
        }
        (self.directory / "run.json").write_text(json.dumps(row, indent=1), "utf-8")

    def _check(self, path: str) -> None:
        if self.git("show", f"HEAD:{path}") + "\n" != self.shadow.text(path):
            raise RuntimeError(f"{path}: the shadow and HEAD differ")


def _session_of(output: Path) -> str:
    try:
        answer = json.loads(output.read_text("utf-8"))
    except ValueError:
        return ""
    return str(answer.get("session_id") or "") if isinstance(answer, dict) else ""


def say(text: str) -> list[Action]:
    return [Action("say", text=text)]


def write(path: str, text: str, how: str = "") -> list[Action]:
    return [Action("write", path=path, text=text, how=how)]


def edit(path: str, old: str, new: str, how: str = "") -> list[Action]:
    return [Action("edit", path=path, old=old, text=new, how=how)]


def read(path: str) -> list[Action]:
    return [Action("read", path=path)]


def shell(command: str, how: str = "") -> list[Action]:
    return [Action("shell", command=command, how=how)]


def plan(text: str) -> list[Action]:
    return [Action("plan", text=text)]


def task(step: str, text: str = "Do what the plan says.") -> list[Action]:
    return [Action("task", step=step, text=text)]
