"""The commands about rules: list, show, pull."""

from __future__ import annotations

import click

from attribution.commands.common import print_one
from attribution.weaknesses.commands.options import RULES
from collector.console.tables import print_table
from collector.console.terminal import data_options, notice, out
from collector.plain_values import plain

_PACK = ("name", "rules", "pulled_at", "sha256", "file")


@click.command()
@click.argument("rule", required=False)
@RULES
@click.option("--cwe", default="", metavar="CWE-89", help="Only rules for this CWE.")
@click.option("--language", default="", metavar="NAME", help="Only rules for this language.")
@data_options
def rules(rule: str | None, rules: tuple[str, ...], cwe: str, language: str, output_format: str) -> None:
    """List the weakness rules and how often each was right.

    Tiers: taint (input from a request or command line reaches a dangerous call), built (a concatenated string reaches it), api (the
    call alone). With RULE, the id of a rule or its end, the rule is shown with its patterns.
    """
    from attribution.weaknesses.commands.lists import rule_table
    from attribution.weaknesses.commands.views import rule_view
    from attribution.weaknesses.rules.measured import find_rule, rule_row
    from attribution.weaknesses.rules.packs import pack_directory
    from attribution.weaknesses.rules.rulesets import measured, named

    rule_set = named(rules, pack_directory())
    if rule:
        chosen = find_rule(rule_set, rule)
        row = rule_row(chosen, measured()) | {"rule_body": plain(dict(chosen.body))}
        print_one(output_format, row, lambda terminal: rule_view(out(), row))
        return
    rows = [
        rule_row(one, measured())
        for one in rule_set.rules
        if (not cwe or cwe.upper() in one.cwes) and (not language or language.lower() in one.languages_as_named)
    ]
    if not rows:
        notice("no rule matches")
    table = rule_table(rows)
    table.notes.append(f"{len(rows):,} rules, sha256 {rule_set.sha256[:16]}")
    columns = ("rule", "cwe", "tier", "planted_found", "planted_wrong?", "read", "read_true")
    print_table(output_format, table, columns)


@click.command()
@click.argument("pack")
@data_options
def pull(pack: str, output_format: str) -> None:
    """Download a rule pack from the semgrep registry.

    PACK is p/NAME. The pack is stored in your cache directory with its hash and date, so that scans work offline. Its own licence
    applies.
    """
    from attribution.weaknesses.commands.lists import pack_table
    from attribution.weaknesses.rules.packs import download, pack_directory

    print_table(output_format, pack_table([download(pack, pack_directory())]), _PACK)


@click.command()
@data_options
def packs(output_format: str) -> None:
    """List the downloaded packs with their hashes and dates."""
    from attribution.weaknesses.commands.lists import pack_table
    from attribution.weaknesses.rules.packs import pack_directory, stored_packs

    print_table(output_format, pack_table(stored_packs(pack_directory())), _PACK)


FINDINGS = (rules, pull, packs)
