"""`whowrote init`: the one command that writes into a clone, and only what the user picks."""

import sys
import tomllib
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import click

from attribution.commands.common import here
from collector.console.terminal import notice, one_line
from collector.errors import EXIT_PARTIAL, WhoWroteError
from collector.runtime.version import install_command
from collector.text import printable

Offered = dict[str, Mapping[str, str]]
"""Name -> files -> the name of the text that is put there."""


@click.command()
@click.argument("words", nargs=-1, metavar="[PATH] [NAME]...")
@click.option("--user", is_flag=True, help="Write into your home directory, for all projects.")
@click.option("--undo", is_flag=True, help="Take back what was written, all of it or that of NAME.")
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
    offered = table["home" if user else "project"]
    path = words[0] if words and Path(words[0]).is_dir() else ""
    root, record = _open(path, user, offered)
    parts = {}
    for name in words[bool(path) :] or ([] if undo else _ask(root, offered)):
        for file, text in offered[click.Choice([*offered]).convert(name, None, context)].items():
            parts[file] = table["text"][text]
    plan = plan_undo if undo else plan_parts
    changes, rows, refused = plan(root, record, parts)
    for file, texts in changes.items():
        before, after = [(text or "").splitlines() for text in texts]
        for line in unified_diff(before, after, str(file), str(file), lineterm=""):
            click.echo(printable(line))
    for sentence in refused or ([] if changes else ["nothing to change"]):
        notice(sentence)
    if changes and not dry_run:
        if yes or (sys.stdin.isatty() and click.confirm("Write this?", err=True)):
            carry_out(changes, record, rows)
            if find_spec("mcp") is None and not undo:
                notice(f"the server needs one package more: {install_command('mcp')}")
        else:
            notice("nothing was written: --yes writes it")
    if refused:
        context.exit(EXIT_PARTIAL)


def _open(path: str, user: bool, offered: Offered) -> tuple[Path, Path]:
    """The directory below which is written, and the record of that; a clone's hook is put among
    what is offered. Raises WhoWroteError.
    """
    from collector.git.repository import GitRepo
    from collector.storage.places import clone_around, data_directory
    from whowrote.setup.project import NAME

    if user:
        return Path.home().resolve(), data_directory() / NAME
    root = clone_around(path or here())
    if root is None or not (root / ".git").exists():
        raise WhoWroteError(f"{path} is not in a clone with files")
    repo = GitRepo(root)
    hooks = repo.setting("core.hooksPath") or ".git/hooks"
    offered["hook"] = {f"{hooks}/prepare-commit-msg": "hook"}
    return root, Path(repo.path) / NAME


def _ask(root: Path, offered: Offered) -> Sequence[str]:
    """Lists what there is, first what the project has files of; the names that the user picks, none
    without a terminal.
    """
    used = {name for name, of in offered.items() for file in of if (root / file).exists()}
    for name in sorted(offered, key=lambda name: name not in used):
        mark = "*" if name in used else " "
        click.echo(one_line(f"{mark} {name:9}  {', '.join(offered[name])}"))
    if sys.stdin.isatty():
        return str(click.prompt("Names (*: has files here)", err=True)).split()
    return ()


COMMANDS = (init,)
