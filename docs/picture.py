"""Draws docs/picture.svg and docs/why.svg: what the terminal shows for the shipped example."""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402

from attribution import demo, terminal  # noqa: E402
from attribution.ensure.clone import attributed_clone  # noqa: E402
from attribution.ensure.lines import AttributeRequest, attribute_clone  # noqa: E402
from attribution.queries.blame import blame, blocks  # noqa: E402
from attribution.queries.explain import explain  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.runtime.progress import no_progress  # noqa: E402
from collector.storage.store import Store  # noqa: E402

_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # nothing is loaded from elsewhere


def main() -> None:
    first, second = _screen(), _screen()
    with tempfile.TemporaryDirectory() as directory:
        clone, db = demo.make(Path(directory)), Path(directory) / "example.db"
        report = attribute_clone(AttributeRequest(str(clone), db))
        first.print("[bold]$ whowrote repo[/bold]")
        terminal.repo.repo_report(first, report, "whowrote.db")
        first.print(f"\n[bold]$ whowrote blame {demo.FILE}[/bold]")
        with Store(db) as store:
            opened = attributed_clone(store, GitRepo(clone), print, no_progress)
            blamed = blame(opened, demo.FILE, "", range(1, 25))
            terminal.blame.blame_view(first, blamed, blocks(opened, blamed))
            second.print(f"[bold]$ whowrote why {demo.FILE}:6[/bold]")
            terminal.blame.line_view(second, explain(opened, demo.FILE, 6, ""), None, False)
    _draw(first, "picture.svg")
    _draw(second, "why.svg")


def _screen() -> Console:
    return Console(
        record=True, width=92, force_terminal=True, color_system="truecolor", file=io.StringIO()
    )


def _draw(console: Console, name: str) -> None:
    svg = _FONTS.sub("", console.export_svg(title="whowrote"))
    (ROOT / "docs" / name).write_text(re.sub(r"terminal-\d+", "terminal", svg), "utf-8")


if __name__ == "__main__":
    main()
