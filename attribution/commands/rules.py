"""The command about rules: list, show, pull. Parse, call the library, print."""

from __future__ import annotations

import click

from attribution.commands.common import print_one, print_rows
from collector.console.terminal import data_options, notice, out
from collector.plain_values import plain

_RULES = click.option(
    "--rules",
    "names",
    multiple=True,
    metavar="RULES",
    help="Rules to use: a file, a directory, p/NAME (a pulled pack) or own (repeatable).  [default: own]",
)


@click.group(invoke_without_command=True)
@_RULES
@click.option("--cwe", default="", metavar="CWE-89", help="Only rules for this CWE.")
@click.option("--language", default="", metavar="NAME", help="Only rules for this language.")
@data_options
@click.pass_context
def rules(context: click.Context, names: tuple[str, ...], cwe: str, language: str, output_format: str) -> None:
    """List the weakness rules and how often each was right.

    Tiers: taint (input from a request or command line reaches a dangerous call), built (a concatenated string reaches it), api (the
    call alone).
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
        notice("no rule matches")
    print_rows(output_format, rows, lambda terminal: terminal.rules.rule_table(out(), rows, rule_set.sha256))


@rules.command("show")
@click.argument("rule")
@_RULES
@data_options
def show_rule(rule: str, names: tuple[str, ...], output_format: str) -> None:
    """Show one rule with its patterns. RULE is its id or the end of it."""
    from attribution.queries.rules import find_rule, rule_rows
    from attribution.weaknesses.rules.packs import cache
    from attribution.weaknesses.rules.rulesets import RuleSet, measured, named, weaknesses

    rule_set = named(names, cache())
    shown = find_rule(rule_set, rule)
    row = rule_rows(RuleSet(rule_set.name, (shown,)), measured())[0]
    data = plain(row) | {"rule_body": dict(shown.body)}
    print_one(output_format, data, lambda terminal: terminal.rules.rule_view(out(), row, weaknesses(), shown.body))


@rules.command()
@click.argument("pack")
@data_options
def pull(pack: str, output_format: str) -> None:
    """Download a rule pack from the semgrep registry.

    PACK is p/NAME. The pack is stored in your cache directory with its hash and date, so that scans work offline. Its own licence
    applies.
    """
    from attribution.weaknesses.rules.packs import cache
    from attribution.weaknesses.rules.packs import pull as download

    about = download(pack, cache())
    print_one(output_format, about, lambda terminal: terminal.rules.pack_table(out(), [about]))


@rules.command()
@data_options
def packs(output_format: str) -> None:
    """List the downloaded packs with their hashes and dates."""
    from attribution.weaknesses.rules.packs import cache, stored

    found = stored(cache())
    print_rows(output_format, found, lambda terminal: terminal.rules.pack_table(out(), found))


COMMANDS = (rules,)
