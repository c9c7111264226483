"""Rules and packs on a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, plain, show
from collector.console.terminal import one_line
from collector.text import printable

if TYPE_CHECKING:
    from attribution.queries.rules import RuleRow


def rule_table(console: Console, rows: Sequence[RuleRow], sha256: str) -> None:
    table = grid(
        "<", "<", "<", "<", "<~", ">", ">", head=("rule", "CWE", "tier", "confidence", "languages", "planted", "reviewed, true")
    )
    for row in rows:
        read = f"{row.read_true} of {row.read}" if row.read else ""
        planted = f"{row.planted_found} (+{row.planted_wrong} wrong)" if row.planted_wrong else number(row.planted_found)
        cells = (row.rule, row.cwe, row.tier, row.confidence, row.languages)
        table.add_row(*(plain(cell) for cell in cells), plain(planted), plain(read))
    show(console, table, 0)
    console.print(Text(f"\n{number(len(rows))} rules, sha256 {sha256[:16]}", "dim"))


def rule_view(console: Console, row: RuleRow, about: Mapping[str, Mapping[str, str]], body: Mapping[str, Any]) -> None:
    console.print(Text(one_line(row.rule), "bold"))
    console.print(Text(printable(row.message)))
    for cwe in row.cwe.split():
        if cwe in about:
            console.print(Text(f"{cwe} {about[cwe]['name']} ({about[cwe]['owasp']}). {about[cwe]['text']}", "dim"))
    console.print(Text(f"tier {row.tier or 'unknown'}, confidence {row.confidence or 'unknown'}, {row.languages}", "dim"))
    console.print(Text(printable(json.dumps(body, indent=1, ensure_ascii=False, default=str))))


def pack_table(console: Console, packs: Sequence[Mapping[str, Any]]) -> None:
    if not packs:
        console.print(Text("no packs downloaded", "dim"))
        return
    table = grid("<", ">", "<", "<", "<~", head=("pack", "rules", "downloaded", "sha256", "file"))
    for pack in packs:
        table.add_row(
            *(plain(pack.get(name)) for name in ("name", "rules", "pulled_at")),
            plain(str(pack.get("sha256"))[:16]),
            plain(pack["file"]),
        )
    show(console, table, 0)
