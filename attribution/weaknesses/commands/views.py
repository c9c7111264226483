"""One finding in its context, on a terminal."""

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import dim, minute, opening, source, title, words
from collector.console.formats import STYLE
from collector.console.grid import grid, show
from collector.console.terminal import one_line
from collector.json_values import Row
from collector.vocabulary.lines import LineClass


def finding_view(console: Console, finding: Row) -> None:
    """The lines, who wrote them, why it matters, what became of it."""
    f = finding
    title(
        console,
        f"{f['cwe'] or ''} {f['path']}:{f['start_line']}",
        f"{f['repo']} {f['commit_sha'][:9]}  {f['fingerprint'][:10]}",
    )
    dim(
        console,
        one_line(
            f"{f['rule_id']} ({f['tier'] or f['confidence'] or 'no tier'}): {f['message'] or ''}"
        ),
    )
    console.print()
    for n, line in enumerate(f["lines"], f["first_line"]):
        inside = f["start_line"] <= n <= f["end_line"]
        console.print(
            Text(f"{n:>6} {'>' if inside else ' '} {source(line)}", "bold" if inside else "dim"),
            soft_wrap=True,
        )
    if not f["lines"]:
        console.print(Text(f"the clone is no longer at {one_line(str(f['clone']))}", "yellow"))
    console.print()
    table = grid("<", "<~")
    by = ", ".join(part for part in (f["class"], f["agent"], f["model"]) if part)
    table.add_row(
        "author",
        Text(
            one_line(by + (f" ({words(f['reason'])})" if f["reason"] else "")),
            STYLE.get(f["class"], ""),
        ),
    )
    other = f["added_lines"] - f["agent_lines"] - f["human_lines"] - f["unknown_lines"]
    # a commit says something of agents or not: all its lines without an author are the one or other
    unknown = "undeclared" if f["class"] == LineClass.UNDECLARED else "unknown"
    table.add_row(
        "lines",
        f"{f['added_lines']} added by the commit: {f['agent_lines']} agent, {f['human_lines']}"
        f" human, {f['unknown_lines']} {unknown}, {other} other",
    )
    table.add_row("status", f"{f['status']}, {minute(f['author_at'])}")
    if f["session"]:
        table.add_row(
            "session",
            Text(one_line(f"{f['session']} turn {f['turn_index']}: {opening(f['prompt'])}")),
        )
    table.add_row("now", Text(one_line(_fate(f))))
    if f["suppressed"] or f["ignored"]:
        hidden = (
            "suppressed by a nosemgrep comment"
            if f["suppressed"]
            else "the file is listed in .semgrepignore"
        )
        table.add_row("hidden", hidden)
    for review in f["reviews"]:
        said = (f"{review['verdict']} ({review['reviewer']})", review["note"])
        table.add_row("review", Text(one_line(": ".join(filter(None, said)))))
    show(console, table)
    console.print()


def _fate(f: Row) -> str:
    if f["alive_at_head"]:
        return f"still present at {f['head_path']}:{f['head_line']}"
    return (
        f"gone since {(f['fixed_sha'] or '')[:9]} ({words(f['fixed_how'] or '')}), by"
        f" {f['fixed_author'] or 'unknown'}"
    )
