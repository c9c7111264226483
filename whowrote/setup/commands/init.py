"""`whowrote init`: the one command that writes into a clone, and only what the user picks."""

import difflib
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attribution.commands.common import here
from collector.console.terminal import notice, one_line
from collector.errors import EXIT_PARTIAL, WhoWroteError
from collector.text import printable

if TYPE_CHECKING:
    from whowrote.setup.project import Plan, Project

Offered = dict[str, Mapping[str, str]]
"""Name -> files -> the name of the text that is put there."""


@click.command()
@click.argument("words", nargs=-1, metavar="[PATH] [NAME]...")
@click.option("--user", is_flag=True, help="Write into your home directory, for all projects.")
@click.option("--undo", is_flag=True, help="Take back what was written.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.pass_context
def init(
    context: click.Context,
    words: Sequence[str],
    user: bool,
    undo: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Set up agents, editors, a hook or a CI job in a clone.

    NAME is claude, codex, gemini, opencode, cursor or copilot: the server of whowrote, a skill and
    a rule, in the files that this program reads. hook: `whowrote disclose` for each commit message.
    ci, gitlab-ci: a job that reports on changes. Without NAME you are asked. No other command
    writes into a clone. All changes are shown first; without a terminal nothing is written but with
    --yes.
    """
    from whowrote.setup.project import carry_out, plan_parts, plan_undo

    table = tomllib.loads(files("whowrote.setup").joinpath("clients.toml").read_text("utf-8"))
    place = "home" if user else "project"
    offered = {name: of[place] for name, of in table["name"].items() if place in of}
    path = words[0] if words and Path(words[0]).is_dir() else ""
    project = _home() if user else _clone(path, offered)
    names = words[bool(path) :]
    if undo:
        plan = plan_undo(project)
    else:
        parts = {}
        for name in names or _ask(project, offered):
            chosen = click.Choice([*offered]).convert(name, None, context)
            parts.update({file: table["text"][text] for file, text in offered[chosen].items()})
        plan = plan_parts(project, parts)
    _show(plan)
    for sentence in plan.refused:
        notice(sentence)
    if not plan.changes:
        notice("nothing to change")
    elif dry_run or not (yes or sys.stdin.isatty()):
        notice("nothing was written" if dry_run else "nothing was written: --yes writes it")
    elif yes or click.confirm("Write this?", abort=True, err=True):
        carry_out(project, plan)
    if plan.refused:
        context.exit(EXIT_PARTIAL)


def _home() -> "Project":
    from collector.storage.places import data_directory
    from whowrote.setup.project import NAME, Project

    record = data_directory() / NAME
    return Project(Path.home().resolve(), record, record)


def _clone(path: str, offered: Offered) -> "Project":
    """The clone around a path, whose own hook is then among what is offered.

    Raises WhoWroteError.
    """
    from collector.git.program import own_git
    from collector.git.repository import GitRepo
    from collector.storage.places import clone_around
    from whowrote.setup.project import NAME, Project

    root = clone_around(path or here()) or Path(path)
    repo = GitRepo(root)
    if not (root / ".git").exists():
        raise WhoWroteError(f"{root} has no files but git's own")
    hook = repo.common_dir().resolve() / "hooks" / "prepare-commit-msg"
    words = ["config", "--type=path", "--get-all", "core.hooksPath"]
    # the last one is that of `own_git`
    *_, configured, _ = [
        str(hook.parent),
        *own_git(["-C", str(root)], words)[1].decode().splitlines(),
    ]
    offered["hook"] = {str(root / configured / hook.name): "hook"}
    return Project(root, Path(repo.path) / NAME, hook)


def _ask(project: "Project", offered: Offered) -> Sequence[str]:
    """Lists what there is, first what the project has files of; the names that the user picks, none
    without a terminal.
    """

    def is_new(name: str) -> bool:
        return not any((project.root / file).exists() for file in offered[name])

    for name in sorted(offered, key=is_new):
        mark = " " if is_new(name) else "*"
        click.echo(one_line(f"{mark} {name:9}  {', '.join(offered[name])}"))
    if sys.stdin.isatty():
        return str(click.prompt("Names (*: has files here)", err=True)).split()
    return ()


def _show(plan: "Plan") -> None:
    """The differences, as `diff -u` prints them."""
    for path, texts in plan.changes.items():
        before, after = [(text or "").splitlines() for text in texts]
        for line in difflib.unified_diff(before, after, str(path), str(path), lineterm=""):
            click.echo(printable(line))


COMMANDS = (init,)
