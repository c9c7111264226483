"""One history: an agent and a person work as the plan of a seed says, and the ledger keeps who
wrote each line.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from lab.actions import Action, Style
from lab.agents import BY_NAME, Command
from lab.install import CACHE
from lab.mock import Script
from lab.play import Run, edit, environment, read, read_rows, say, task, write
from lab.truth import split_lines

from corpus.axes import Plan
from corpus.clock import Clock
from corpus.events import EVENTS, ordinary
from corpus.ledger import BASE, PERSON, Author, Ledger
from corpus.texts import (
    NOUNS,
    REMARKS,
    SUFFIXES,
    VERBS,
    Grammar,
    Splice,
    alteration,
    insertion,
    with_context,
)

Response = list[Action]
OFFSETS = (-3 * 3600, 3 * 3600, -86_400, 86_400)  # seconds by which an agent's clock is off
PACE = 4.0  # characters a second that the person types
SLOWER = 10  # so many times as long as in the lab, where the model answers at once, agents take
DAY = 86_400.0
LONGEST = 600  # seconds of one start of an agent
# values of the axis `writes` where a program writes lines
TOOLS = ("generator", "formatter", "package-manager", "hook")
OWN_CALLS = ("gemini-cli", "aider")  # write no ids of the model's calls
TRAILERS = {
    "claude-code": "Co-Authored-By: Claude <noreply@anthropic.com>",
    "codex": "Co-authored-by: Codex <noreply@openai.com>",
    "copilot-cli": "Co-authored-by: Copilot <223556219+Copilot@users.noreply.github.com>",
    "opencode": "Co-Authored-By: opencode <noreply@opencode.ai>",
}
COMPACT_AT = 4000  # tokens; the first session of such a history says that it has used more
COMPACT_SOON = {"enabled": True, "reserveTokens": 200_000 - COMPACT_AT, "keepRecentTokens": 20}
GENERATOR = '''"""Writes constants and checks from a list of names: generate.py LIST TARGET."""
import sys

with open(sys.argv[1]) as source:
    names = source.read().split()
with open(sys.argv[2], "w") as target:
    target.write("# Generated from " + sys.argv[1] + ". Do not edit.\\n")
    for number, name in enumerate(names):
        target.write(f"{name.upper()}_ID = {number * 7 + 100}\\n")
        target.write(f"{name.upper()}_LABEL = {name.title()!r}\\n\\n")
'''
HOOK = """#!/bin/sh
# Removes spaces at the ends of lines, and tabs, from what is to be committed.
for name in $(git diff --cached --name-only --diff-filter=AM -- src); do
  sed -i -e 's/[ \\t]*$//' -e 's/  *;$/;/' "$name" && git add "$name"
done
"""
GIT_WRAPPER = """#!/bin/sh
# Dates commits by the clock of the history.
now=$(( (LAB_THEN + ($(date +%s%3N) - LAB_SINCE) * LAB_RATE) / 1000 ))
export GIT_AUTHOR_DATE="@$now +0000" GIT_COMMITTER_DATE="@$now +0000"
exec /usr/bin/git "$@"
"""


def program_directory() -> Path:
    """Programs that agents find first: git with the history's clock, and a formatter."""
    directory = CACHE / "corpus-bin"
    wrapper, formatter = directory / "git", directory / "ruff"
    if not formatter.exists():  # another process may be using them
        directory.mkdir(parents=True, exist_ok=True)
        wrapper.write_text(GIT_WRAPPER, "utf-8")
        wrapper.chmod(0o755)
        formatter.unlink(missing_ok=True)
        formatter.symlink_to(Path(sys.executable).parent / "ruff")
    return directory


def stored(lines: Sequence[str], eol: str = "\n", encoding: str = "utf-8") -> str:
    """Lines as the text that a file with that encoding has, bytes that are no UTF-8 as
    surrogates.
    """
    return "".join(line + eol for line in lines).encode(encoding).decode("utf-8", "surrogateescape")


def badly_laid_out(lines: Sequence[str]) -> list[str]:
    """Python as a formatter would not leave it."""
    return [line.replace(" = ", "=").replace(", ", ",").replace(" + ", "+") for line in lines]


class History(Run):
    """`versions`: of each agent that is installed; `salt`: as of the plan. After `play`, `truth`,
    `plan` and the transcripts are what is to be kept.
    """

    def __init__(self, plan: Plan, versions: Mapping[str, str], salt: str = "") -> None:
        self.plan, self.versions, self.rng, self.clock, self.ledger = (
            plan,
            versions,
            Random(f"{salt}history:{plan.seed}"),
            Clock(),
            Ledger(),
        )
        self.clock.step(-self.rng.uniform(30, 90) * DAY)  # so that nothing of it lies in the future
        self.behind = self.rng.randint(300, 1800) if plan.lost == "clock-behind" else 0
        self.place, self.author, self.kept, self.gone = (
            Path("/home/dev/shop"),
            BASE,
            list[bool](),
            set[str](),
        )
        self.homes: list[Path] = []
        self.by_step: dict[str, tuple[str, int]] = {}  # agent and number of the start
        self.hurried = False  # whoever acts does so within seconds
        self.cut = ""  # the id of the call in whose record the transcript ends
        remarks = "latin" if plan.encoding == "latin-1" else self.rng.choice(list(REMARKS))
        self.grammar = Grammar(self.rng, plan.language, remarks)
        suffix = SUFFIXES[plan.language]
        self.old = f"src/{self.rng.choice(NOUNS)}{suffix}"  # stood there before the agent came
        self.main = f"src/{self.rng.choice(VERBS)}_{self.rng.choice(NOUNS)}{suffix}"  # the agent's
        self.branch = (
            "feature"
            if plan.git in ("rebase", "squash", "cherry-pick", "conflict", "branch-deleted")
            else ""
        )
        self.branch = "feature" if plan.lost == "worktree-gone" else self.branch
        self.inserted_at = 0
        # the lines of each file when it was last seen; None: no session can tell
        self.sights: dict[str, set[int]] | None = None
        name = f"corpus/{'hidden-' if salt else ''}{plan.seed:05}"
        agent = BY_NAME[plan.agent]
        super().__init__(agent, versions[plan.agent], "corpus", name, timeout=LONGEST)
        self.homes.append(self.home)
        self.name_person()
        (self.home / ".profile").write_text(f'export PATH="{program_directory()}:$PATH"\n', "utf-8")

    # What the machine does.

    def git(self, *arguments: str, stdin: str = "", check: bool = True, whole: bool = False) -> str:
        """Output of git, run by the person; `whole`: with what is at its end."""
        date = f"@{int(self.clock.now() - self.behind)} +0000"
        variables = environment(
            {
                "HOME": str(self.home),
                "GIT_AUTHOR_DATE": date,
                "GIT_COMMITTER_DATE": date,
                "GIT_EDITOR": "true",
            }
        )
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.repository,
            env=variables,
            input=stdin.encode(),
            capture_output=True,
            check=False,
        )
        if check and done.returncode:
            raise RuntimeError(
                f"git {' '.join(arguments)}: {done.stderr.decode()}{done.stdout.decode()}"
            )
        output = done.stdout.decode("utf-8", "surrogateescape")
        return output if whole else output.removesuffix("\n")

    def name_person(self) -> None:
        """In the settings of the clone: not every agent lets its commands see those of the home.
        Aider's talk is in the clone, where git leaves it out.
        """
        (self.repository / ".git" / "info" / "exclude").write_text(".aider*\n", "utf-8")
        self.git("config", "user.name", "Dev")
        self.git("config", "user.email", "dev@lab.example")

    def file_text(self, path: str) -> str | None:
        target = self.repository / path
        return target.read_bytes().decode("utf-8", "surrogateescape") if target.is_file() else None

    def follow(self, author: Author) -> None:
        """Takes up what git, or a program that it ran, did to the files; a text that no state
        before has is `author`'s.
        """
        tracked = self.git("ls-files", "-z").split("\0")
        for path in sorted({*filter(None, tracked), *self.ledger.current}):
            text = self.file_text(path)
            if text is None:
                self.ledger.current.pop(path, None)
            elif path not in self.ledger.current or self.ledger.text(path) != text:
                self.ledger.adopt(path, text, author)

    # What the person does.

    def write(self, path: str, text: str) -> None:
        self._save(path, text)
        self.ledger.change(path, text, self.author)

    def _save(self, path: str, text: str) -> None:
        target = self.repository / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))

    def pause(self, least: float, most: float, rate: float = 1.0) -> None:
        """Seconds before somebody acts; `rate` as of the clock."""
        if self.hurried:
            least, most, rate = 0.2, 3.0, 1.0
        self.clock.step(self.rng.uniform(least, most), rate)

    def commit(self, message: str, *arguments: str, everything: bool = True) -> None:
        self.pause(2, 40)
        if everything:
            self.git("add", "-A")
        if "--amend" in arguments or self.git("diff", "--cached", "--name-only"):
            self.git("commit", "-q", "-m", message, *arguments)
        self.follow_hook(Author("tool", how="hook", run_by="person"))

    def follow_hook(self, author: Author) -> None:
        for path in list(self.ledger.current):
            text = self.file_text(path)
            if text is not None and text != self.ledger.text(path):
                self.ledger.change(path, text, author)

    def lines(self, path: str) -> tuple[list[str], str]:
        """The lines of a file without their ends, and the end."""
        if path not in self.ledger.current:
            raise RuntimeError(f"no {path}: the agent did not do what it was asked for")
        text = (
            self.ledger.text(path)
            .encode("utf-8", "surrogateescape")
            .decode(self.encoding(path), "surrogateescape")
        )
        eol = "\r\n" if "\r\n" in text else "\n"
        return [line.removesuffix("\r") for line in split_lines(text)], eol

    def encoding(self, path: str) -> str:
        return "latin-1" if path == self.old and self.plan.encoding == "latin-1" else "utf-8"

    def person_splices(
        self, path: str, splice: Splice | None, how: str, also: str = "", pace: float = PACE
    ) -> None:
        """The person changes lines of a file, which takes as long as typing them."""
        if splice is None:
            return
        lines, eol = self.lines(path)
        encoding = self.encoding(path)
        self.pause(5, 60)
        self.clock.step(sum(len(line) + 1 for line in splice.added) / pace)
        text = "".join(line + eol for line in splice.apply(lines)).encode(
            encoding, "surrogateescape"
        )
        changed = text.decode("utf-8", "surrogateescape")
        self._save(path, changed)
        self.ledger.splice(
            path, changed, Author("person", how=how), splice.start, splice.removed, also
        )

    def person_works(self, how: str) -> None:
        """Some lines inserted and some changed, in the old file and in the agent's, or a new
        file.
        """
        for _ in range(self.rng.randint(2, 5)):
            path = self.rng.choice(
                [path for path in (self.old, self.main) if path in self.ledger.current]
            )
            lines, _ = self.lines(path)
            change = (
                insertion(self.grammar, lines)
                if self.rng.random() < 0.6
                else alteration(self.rng, lines)
            )
            self.person_splices(path, change, how)
        if self.rng.random() < 0.3:
            path = f"src/{self.rng.choice(NOUNS)}_notes{SUFFIXES[self.plan.language]}"
            text = stored(self.grammar.lines(self.rng.randint(10, 60)))
            self.clock.step(len(text) / PACE)
            self.author = Author("person", how=how)
            self.write(path, text)

    def person_overwrites(self) -> None:
        """The person changes lines that are the agent's."""
        for _ in range(self.rng.randint(2, 4)):
            lines, _ = self.lines(self.main)
            owners = [line.author.who for line in self.ledger.current[self.main]]
            change = alteration(
                self.rng,
                lines,
                lambda number, owners=owners: owners[number] == "agent",  # type: ignore[misc]
            )
            self.person_splices(self.main, change, "over", "agent")

    def person_pastes(self, block: Sequence[str]) -> None:
        """The person puts what the agent said in the talk into the old file."""
        lines, _ = self.lines(self.old)
        self.person_splices(
            self.old, Splice(len(lines), 0, ("", *block)), "pastes", "agent", pace=200
        )

    # What the agent does.

    def take_up(self, row: Mapping[str, str]) -> None:
        self.touched.add(row["path"])
        who = "tool" if row["how"] in TOOLS else "agent"
        how = row["how"] or {"shell": "heredoc"}.get(row["action"], "tool")
        agent, start = self.by_step.get(row["step"], (self.agent.name, len(self.kept) - 1))
        call = "" if agent in OWN_CALLS else row["call"]
        author = Author(who, agent, start, call, how, "agent" if who == "tool" else "")
        certain = (row["old"], row["new"]) if row.get("old") else None
        # what the prompt said to put there
        also = "person" if how == "told" else ""
        self.ledger.change(row["path"], row["text"], author, certain, also)

    def calls_of(self, step: str) -> list[str]:
        """The ids of the calls in the last start, which had that step."""
        log = self.directory / "mock" / f"{len(self.starts) - 1}-{step}" / "requests.jsonl"
        return [call["id"] for row in read_rows(log) for call in row["calls"]]

    def begins(self, step: str) -> None:
        """A start of the agent, of which the home may keep the transcript."""
        self.kept.append(self.home == self.homes[0])
        self.by_step[step] = (self.agent.name, len(self.kept) - 1)

    def carry_out(self, step: str, plan: dict[str, Any]) -> None:
        self.touched = set[str]()
        super().carry_out(step, plan)
        self.clock.set_off(0)
        self.pause(2, 20)
        self.follow_hook(Author("tool", how="hook", run_by="agent"))
        for path in self.touched:
            self.sees(path)

    def ask(self, step: str, script: Script, more: str = "", **options: Any) -> None:
        self.begins(step)
        self.pause(3, 30, SLOWER)
        if self.plan.event == "clock-off":
            if not more:
                first = len(self.kept) == 1
                self.offset = self.rng.choice(OFFSETS if first else (0, *OFFSETS))
            self.clock.set_off(self.offset)
        if self.agent.style.text:  # whose model says everything in one answer
            whole = [action for response in script[step] for action in response]
            script = {step: [whole]}
            paths = {action.path for action in whole if action.path in self.ledger.current}
            options["files"] = sorted(paths)
        super().ask(step, script, more=more, **options)

    def ask_both(self, asked: Mapping[str, Script], second: str) -> None:
        """The agent, and at the same time `second`, each with a step of its own."""
        first, version = self.agent, self.version
        plans: list[dict[str, Any]] = []
        self.pause(3, 30, SLOWER)
        for (step, script), name in zip(asked.items(), (first.name, second), strict=True):
            self.agent, self.version = BY_NAME[name], self.versions[name]
            self.begins(step)
            more = "" if plans else "continue"
            command = self.started(f"Please do the next thing. (LAB:{step})", more)
            plans.append(self._plan(command, script))
        self.agent, self.version = first, version
        plan, other = plans
        other["commands"][-1]["name"] = "beside"
        plan["commands"] += other["commands"]
        plan["script"] |= other["script"]
        if second != first.name:
            plan["style"] = asdict(Style())
        self.carry_out("both", plan | {"together": len(plans)})

    def _plan(self, command: Command, script: Script) -> dict[str, Any]:
        plan = super()._plan(command, script)
        plan["directory"] = str(self.place)
        plan["used"] = (
            2 * COMPACT_AT
            if self.plan.lost == "compaction" and not self.starts
            else COMPACT_AT // 4
        )
        since, then, rate = self.clock.steps[-1]
        for row in plan["commands"]:
            row["cwd"] = str(self.place)
            row["environment"]["PATH"] = f"{program_directory()}:{row['environment']['PATH']}"
            row["environment"] |= {"LAB_SINCE": str(int(since * 1000)), "LAB_RATE": str(int(rate))}
            row["environment"]["LAB_THEN"] = str(int((then - self.behind) * 1000))
            if (
                self.plan.lost == "compaction" and self.agent.name == "codex"
            ):  # it compacts by itself when it has used so many tokens
                row["argv"][1:1] = (
                    ["-c", f"model_auto_compact_token_limit={COMPACT_AT}"]
                    if len(self.starts)
                    else []
                )
        return plan

    def agent_commits(self, message: str) -> list[Response]:
        """The command with which the agent commits, where it does."""
        if not self.plan.commits.startswith("agent"):
            return []
        return [[self.commit_of_agent(message)]]

    def commit_of_agent(self, message: str) -> Action:
        trailer = TRAILERS.get(self.agent.name, "") if self.plan.trailer else ""
        quiet = "-q " if self.plan.commits == "agent-quiet" else ""
        command = f"git add -A && git commit {quiet}-m '{message}'" + (
            f" -m '{trailer}'" if trailer else ""
        )
        return Action("shell", command=command, how="hook" if self.plan.writes == "hook" else "")

    def sees(self, path: str, *, reads: bool = False) -> None:
        """The agent has the file before it; by reading it shows what a person added since it was
        seen last.
        """
        if self.sights is None:
            return
        lines = self.ledger.current.get(path, [])
        before = self.sights.get(path)
        if reads and before is not None:
            self.ledger.seen |= {
                line.number
                for line in lines
                if line.author.who == "person" and line.number not in before
            }
        self.sights[path] = {line.number for line in lines}

    def must_read(self, path: str) -> bool:
        """Whether the agent refuses to change the file unread."""
        if self.agent.name == "claude-code" and self.sights is not None:
            return {line.number for line in self.ledger.current[path]} != self.sights.get(path)
        return self.agent.name in ("claude-code", "copilot-cli")

    def edits(
        self, path: str, changes: Sequence[Callable[[list[str]], Splice | None]]
    ) -> list[Response]:
        """Calls that edit a file, one after the other, each drawn for the text that the one
        before leaves.
        """
        shown, _ = self.lines(path)
        responses = [read(path)] if self.plan.reads or self.must_read(path) else []
        if responses:
            self.sees(path, reads=True)
        for change in changes:
            splice = change(shown)
            if splice is None:
                continue
            responses.append(edit(path, *with_context(shown, splice)))
            shown = splice.apply(shown)
        return responses

    def insertion_of_agent(self, lines: list[str]) -> Splice:
        splice = insertion(self.grammar, lines, self.rng.randint(1, 2))
        self.inserted_at = splice.start
        return splice

    def new_file(self) -> list[Response]:  # noqa: PLR0911
        """The responses that make the agent's main file, in the way of the plan."""
        lines = self.grammar.lines(self.plan.lines)
        text = "".join(line + self.plan.eol for line in lines)
        path, how = self.main, self.plan.writes
        if how == "patch" and self.agent.name != "codex":
            diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n" + "".join(
                f"+{line}\n" for line in lines
            )
            return [self.command(f"git apply - <<'LABEOF'\n{diff}LABEOF", how)]
        if how == "heredoc":
            return [self.command(f"cat > {path} <<'LABEOF'\n{stored(lines)}LABEOF", how)]
        if how == "script":
            return [self.command(self.script(lines, path), how)]
        if how == "sed":
            words = sorted(
                {word for line in lines for word in line.replace("(", " ").split() if word in NOUNS}
            ) or ["the"]
            return [
                write(path, text),
                self.command(
                    f"sed -i 's/\\b{self.rng.choice(words)}\\b/{self.rng.choice(NOUNS)}2/g' {path}",
                    how,
                ),
            ]
        if how == "generator":
            names = " ".join(self.rng.sample(NOUNS, min(80, max(8, self.plan.lines // 3))))
            target = f"src/{self.rng.choice(NOUNS)}_ids.py"
            listed = write("src/names.txt", names.replace(" ", "\n") + "\n")
            return [
                write(path, text),
                listed,
                self.command(f"python3 tools/generate.py src/names.txt {target}", how),
            ]
        if how == "formatter":
            return [
                write(path, stored(badly_laid_out(lines))),
                self.command(f"ruff format {path}", how),
            ]
        if how == "package-manager":
            call = (
                "npm install --package-lock-only --offline --no-audit --no-fund"
                f" {' '.join(self.packages)}"
            )
            return [write(path, text), self.command(call, how)]
        if how == "hook":
            return [
                write(
                    path,
                    "".join(f"{line}{self.rng.choice(['', '', ' ', '  '])}\n" for line in lines),
                )
            ]
        if how == "subagent":
            return [task("inner")]
        return [write(path, text)]

    def command(self, command: str, how: str) -> Response:
        return [Action("shell", command=command, how=how)]

    def script(self, lines: Sequence[str], path: str) -> str:
        """A script in a command that holds the text, or computes a table."""
        if self.plan.language == "csv":
            rows = (
                "[f'{number},item {number % 7},{number * number % 97}\\n' for number in"
                f" range({len(lines)})]"
            )
            body = (
                f"rows = ['id,name,score\\n'] + {rows}\nopen({path!r}, 'w').write(''.join(rows))\n"
            )
        else:
            body = f"text = {stored(lines)!r}\nopen({path!r}, 'w').write(text)\n"
        return f"python3 - <<'LABEOF'\n{body}LABEOF"

    # What happens, in order.

    def play(self) -> None:
        self.prepare()
        if self.plan.lost == "other-machine":
            self.move_to_other_machine()
        if self.plan.person == "before":
            self.person_works("before")
        block = self.first_task()
        self.between(block)
        self.second_task()
        EVENTS.get(self.plan.event, ordinary)(self)
        if self.plan.git == "days":
            self.clock.step(self.rng.uniform(1, 5) * DAY)
        self.commit(f"{self.rng.choice(VERBS).capitalize()} the {self.rng.choice(NOUNS)}")
        if self.plan.lost == "worktree-gone":
            self.leave_worktree()
        if self.plan.person == "after":
            self.person_works("after")
            self.commit("Some more by hand")
        if self.plan.person == "reverts":
            self.git("revert", "--no-edit", "HEAD")
            self.follow(PERSON)
        self.git_goes_on()
        self.clock.step(1)

    def prepare(self) -> None:
        """What stands there before: code of the person, and what the plan needs."""
        self.author = BASE
        (self.repository / "src").mkdir(exist_ok=True)
        text = stored(
            self.grammar.lines(self.rng.randint(30, 90)), self.plan.eol, self.plan.encoding
        )
        self.write(self.old, text)
        self.write(
            "docs/guide.md", stored(Grammar(self.rng, "markdown").lines(self.rng.randint(6, 25)))
        )
        if self.plan.writes == "generator":
            self.write("tools/generate.py", GENERATOR)
        if self.plan.writes == "package-manager":
            self.packages = [
                f"./vendor/{name}"
                for name in sorted(self.rng.sample(NOUNS, self.rng.randint(2, 9)))
            ]
            self.write("package.json", '{\n  "name": "shop",\n  "version": "1.0.0"\n}\n')
            for package in self.packages:
                name = package.rpartition("/")[2]
                self.write(
                    f"{package[2:]}/package.json",
                    f'{{\n  "name": "{name}",\n  "version": "1.{len(name)}.0"\n}}\n',
                )
        self.commit("Code that was there before")
        if self.plan.writes == "hook":
            hook = self.repository / ".git" / "hooks" / "pre-commit"
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(HOOK, "utf-8")
            hook.chmod(0o755)
        self.clock.step(self.rng.uniform(0.1, 20) * DAY)
        if self.plan.lost != "other-machine":
            self.sights = {
                path: {line.number for line in lines} for path, lines in self.ledger.current.items()
            }
        if self.plan.lost == "worktree-gone":
            self.git("worktree", "add", "-q", "-b", "feature", "../shop-feature")
            self.repository, self.place = self.home / "shop-feature", Path("/home/dev/shop-feature")
        elif self.branch:
            self.git("checkout", "-q", "-b", self.branch)

    def first_task(self) -> list[str]:
        """The agent makes a file and edits another; what it says in the talk."""
        block = self.grammar.block()
        inner = [
            write(
                self.main,
                "".join(line + self.plan.eol for line in self.grammar.lines(self.plan.lines)),
            ),
            say("It is written."),
        ]
        said = (
            "Here is what I would add:\n```\n" + "\n".join(block) + "\n```"
            if self.plan.person == "pastes"
            else "It is done."
        )
        todo = [
            *self.edits(self.old, [self.insertion_of_agent]),
            *self.new_file(),
            *self.agent_commits("Add what was asked for"),
        ]
        self.ask("one", {"one": [*todo, say(said)], "inner": inner})
        if self.plan.commits == "person" or (
            self.plan.lost == "other-machine" and not self.plan.commits.startswith("agent")
        ):
            self.commit("Add what the agent made")
        elif self.plan.commits == "partly":
            self.commit_a_part()
        if self.plan.lost == "other-machine":
            self.return_from_other_machine()
        return block

    def commit_a_part(self) -> None:
        """The first hunk of the old file; the rest stays for the next commit."""
        self.git("add", "-p", self.old, stdin="y\n" + "n\n" * 20, check=False)
        self.commit("A part of it", everything=False)

    def between(self, block: Sequence[str]) -> None:
        if self.plan.git == "days" and self.plan.commits != "person":
            self.clock.step(self.rng.uniform(1, 3) * DAY)
        if self.plan.person == "between":
            self.person_works("between")
        elif self.plan.person == "over":
            self.person_overwrites()
        elif self.plan.person == "pastes":
            self.person_pastes(block)

    def second_task(self) -> None:
        """The agent, or another, goes on: edits its file and the old one, and makes a small one."""
        more = {"session-deleted": "", "second-agent": "", "other-machine": "", "fork": "fork"}.get(
            self.plan.lost, "continue"
        )
        if self.plan.event == "clock-off" and more == "continue" and self.rng.random() < 0.5:
            more = ""
        if self.plan.lost == "session-deleted":
            self.gone = {str(path) for path in self.transcripts()}
            self.kept[:] = [False] * len(self.kept)
            self.sights = None
            self.ledger.seen.clear()
        if self.plan.lost == "second-agent":
            self.agent, self.version = BY_NAME[self.plan.second], self.versions[self.plan.second]
        if self.plan.lost == "compaction" and self.agent.name == "claude-code":
            self.ask("one", {}, prompt="/compact", more="continue", plain=True)
        elif self.plan.lost == "compaction" and self.agent.name == "pi":
            (self.home / ".pi" / "agent" / "settings.json").write_text(
                json.dumps({"compaction": COMPACT_SOON}), "utf-8"
            )
        changes: list[Callable[[list[str]], Splice | None]] = [
            lambda lines: alteration(self.rng, lines)
        ] * self.rng.randint(1, 3)
        changes.append(lambda lines: insertion(self.grammar, lines))
        small = f"src/{self.rng.choice(VERBS)}_small{SUFFIXES[self.plan.language]}"
        todo = self.edits(self.main, changes)
        if self.rng.random() < 0.5:
            todo += self.edits(self.old, [lambda lines: alteration(self.rng, lines)])
        if self.rng.random() < 0.5:
            todo.append(write(small, stored(self.grammar.lines(self.rng.randint(10, 40)))))
        self.ask(
            "two",
            {"two": [*todo, *self.agent_commits("Change it as discussed"), say("Changed.")]},
            more=more,
        )

    def transcripts(self) -> list[Path]:
        """Files below the first home that an agent of the history keeps its sessions in."""
        patterns = [pattern for name in self.plan.at_work for pattern in BY_NAME[name].transcripts]
        return sorted(
            {path for pattern in patterns for path in self.homes[0].glob(pattern) if path.is_file()}
        )

    def move_to_other_machine(self) -> None:
        other = self.directory / "other"
        other.mkdir()
        for name in (".gitconfig", ".profile"):
            (other / name).write_bytes((self.home / name).read_bytes())
        self.git("clone", "-q", "--no-local", str(self.repository), str(other / "shop"))
        hook = self.repository / ".git" / "hooks" / "pre-commit"
        if hook.exists():
            (other / "shop" / ".git" / "hooks" / "pre-commit").write_bytes(hook.read_bytes())
            (other / "shop" / ".git" / "hooks" / "pre-commit").chmod(0o755)
        self.home, self.repository = other, other / "shop"
        self.homes.append(other)
        self.name_person()

    def return_from_other_machine(self) -> None:
        self.commit("The rest of it")
        source, name = self.repository, self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.home = self.homes[0]
        self.repository = self.home / "shop"
        self.git("pull", "-q", "--ff-only", str(source), name)
        self.follow(PERSON)

    def leave_worktree(self) -> None:
        """Its commits come to the main branch, or stay on theirs for what git does next; the
        directory goes.
        """
        self.repository, self.place = self.home / "shop", Path("/home/dev/shop")
        if self.plan.agent == "aider":  # its talk was in the directory
            self.kept[:] = [False] * len(self.kept)
        self.git("worktree", "remove", "--force", "../shop-feature")
        self.git("checkout", "-q", "feature")
        if self.plan.git in ("nothing", "amend", "days"):
            self.git("checkout", "-q", "main")
            self.git("merge", "-q", "--ff-only", "feature")
            self.git("branch", "-q", "-d", "feature")
        self.follow(PERSON)

    # What git does then.

    def git_goes_on(self) -> None:
        steps = {
            "amend": self.amend,
            "rebase": self.rebase,
            "squash": self.squash,
            "cherry-pick": self.cherry_pick,
            "conflict": self.merge_with_conflict,
            "branch-deleted": self.merge_and_delete,
        }
        if self.plan.git in steps:
            steps[self.plan.git]()
        self.follow(PERSON)

    def amend(self) -> None:
        for path in {self.old, self.main} & set(self.ledger.current):
            lines, _ = self.lines(path)
            self.person_splices(path, alteration(self.rng, lines), "amend")
        self.commit("Change it, and a little more", "--amend")

    def main_goes_on(self, path: str, start: int | None = None) -> None:
        """Meanwhile the person works on the main branch."""
        self.git("checkout", "-q", "main")
        self.follow(PERSON)
        lines, _ = self.lines(path)
        change = insertion(
            self.grammar if path == self.old else Grammar(self.rng, "markdown"), lines
        )
        if start is not None:
            change = Splice(min(start, len(lines)), 0, change.added)
        self.person_splices(path, change, "main")
        self.commit("Meanwhile on the main branch")

    def rebase(self) -> None:
        self.main_goes_on("docs/guide.md")
        self.git("checkout", "-q", "feature")
        self.clock.step(self.rng.uniform(60, 4000))
        self.git("rebase", "-q", "main")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--ff-only", "feature")

    def squash(self) -> None:
        self.main_goes_on("docs/guide.md")
        self.git("merge", "-q", "--squash", "feature")
        self.follow(PERSON)
        self.commit("Everything of the feature (#1)", everything=False)
        self.git("branch", "-q", "-D", "feature")

    def cherry_pick(self) -> None:
        self.main_goes_on("docs/guide.md")
        self.clock.step(self.rng.uniform(60, 4000))
        self.git("cherry-pick", "--allow-empty", "main..feature")

    def merge_with_conflict(self) -> None:
        self.main_goes_on(self.old, self.inserted_at)
        self.clock.step(self.rng.uniform(60, 4000))
        self.git("merge", "-q", "--no-ff", "-m", "Merge the feature", "feature", check=False)
        text = self.file_text(self.old) or ""
        if "<<<<<<< " in text:
            signs = ("<<<<<<< ", ">>>>>>> ")
            kept = [
                line
                for line in text.split("\n")
                if not line.startswith(signs) and line.rstrip("\r") != "======="
            ]
            self._save(self.old, "\n".join(kept))
            self.follow(PERSON)
            self.commit("Merge the feature")

    def merge_and_delete(self) -> None:
        self.main_goes_on("docs/guide.md")
        self.git("merge", "-q", "--no-ff", "-m", "Merge the feature", "feature")
        self.git("branch", "-q", "-D", "feature")
