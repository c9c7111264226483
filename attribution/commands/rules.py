"""The command about rules: list, show, test, pull. Parse, call the library, print."""

from __future__ import annotations

from pathlib import Path

import click

from attribution.commands.common import plain, print_one, print_rows
from collector.console.terminal import data_options, notice, out

_RULES = click.option(
    "--rules", "names", multiple=True, metavar="RULES", help="A file, a directory, p/NAME or own; repeatable.  [default: own]"
)


@click.group(invoke_without_command=True)
@_RULES
@click.option("--cwe", default="", metavar="CWE-89", help="Only rules for this CWE.")
@click.option("--language", default="", metavar="NAME", help="Only rules for this language.")
@data_options
@click.pass_context
def rules(context: click.Context, names: tuple[str, ...], cwe: str, language: str, form: str) -> None:
    """The rules that look for weaknesses: CWE, confidence, and how often each was right.

    Tier taint: a request or command line reaches a dangerous call. built: text put together reaches it. api: the call alone.
    """
    if context.invoked_subcommand is not None:
        return
    from attribution.queries.rules import rule_rows
    from attribution.weaknesses.rules.packs import cache
    from attribution.weaknesses.rules.rulesets import measured, named

    rule_set = named(names, cache())
    rows = [
        row
        for row in rule_rows(rule_set, measured())
        if (not cwe or cwe.upper() in row.cwe.split()) and (not language or language.lower() in row.languages.split())
    ]
    if not rows:
        notice("no rule is for that")
    print_rows(form, rows, lambda terminal: terminal.rules.rule_table(out(), rows, rule_set.sha256))


@rules.command("show")
@click.argument("rule")
@_RULES
@data_options
def show_rule(rule: str, names: tuple[str, ...], form: str) -> None:
    """One rule with its patterns: its id, or the end of it."""
    from attribution.queries.rules import find_rule, rule_rows
    from attribution.weaknesses.rules.packs import cache
    from attribution.weaknesses.rules.rulesets import RuleSet, measured, named, weaknesses

    rule_set = named(names, cache())
    shown = find_rule(rule_set, rule)
    row = rule_rows(RuleSet(rule_set.name, (shown,)), measured())[0]
    data = plain(row) | {"rule_body": dict(shown.body)}
    print_one(form, data, lambda terminal: terminal.rules.rule_view(out(), row, weaknesses(), shown.body))


@rules.command("test")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@_RULES
@click.option(
    "--semgrep", default="", metavar="PATH", help="The semgrep program.  [default: WHOWROTE_SEMGREP, beside python, PATH]"
)
@data_options
@click.pass_context
def test_rules(context: click.Context, paths: tuple[Path, ...], names: tuple[str, ...], semgrep: str, form: str) -> None:
    """Try rules on annotated files: what each found, missed, and hit wrongly. Ends with 1 when something is not right.

    PATH: files or directories. A comment `ruleid: ID` stands before a line that rule ID must find, `ok: ID` before one it must not;
    `VULN: NAME` and `SAFE: NAME` do the same with the end of an id or a CWE. Needs no network.
    """
    from attribution.weaknesses.rules.packs import cache
    from attribution.weaknesses.rules.rulesets import named
    from attribution.weaknesses.scan.engine import Engine, locate, version
    from attribution.weaknesses.scan.trial import annotated_files, try_rules

    program = locate(semgrep)
    trial = try_rules(Engine(program, version(program)), named(names, cache()), annotated_files(paths), notice)
    for text in (
        *(f"{name}: no rule for that file has this name" for name in trial.unknown),
        *(f"{n}: not scanned" for n in trial.failed),
    ):
        notice(text)
    if trial.untried:
        notice(f"{len(trial.untried)} rules are not named by these files")
    print_rows(form, trial.tried, lambda terminal: terminal.rules.trial_table(out(), trial.tried))
    context.exit(0 if trial.passed else 1)


@rules.command()
@click.argument("pack")
@data_options
def pull(pack: str, form: str) -> None:
    """Store a pack of semgrep's registry (p/NAME) in the user's cache, with its hash and date.

    Needs the network once; scans never do. The pack's own licence holds for what you do with it.
    """
    from attribution.weaknesses.rules.packs import cache
    from attribution.weaknesses.rules.packs import pull as download

    about = download(pack, cache())
    print_one(form, about, lambda terminal: terminal.rules.pack_table(out(), [about]))


@rules.command()
@data_options
def packs(form: str) -> None:
    """The packs that are stored, with the hash and date of each."""
    from attribution.weaknesses.rules.packs import cache, stored

    found = stored(cache())
    print_rows(form, found, lambda terminal: terminal.rules.pack_table(out(), found))


COMMANDS = (rules,)
