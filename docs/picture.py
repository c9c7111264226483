"""Draws docs/picture.svg: what the terminal shows for the shipped example."""

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
from collector.git.repository import GitRepo  # noqa: E402
from collector.runtime.progress import no_progress  # noqa: E402
from collector.storage.store import Store  # noqa: E402


def main() -> None:
    console = Console(
        record=True, width=92, force_terminal=True, color_system="truecolor", file=io.StringIO()
    )
    with tempfile.TemporaryDirectory() as directory:
        clone, db = demo.make(Path(directory)), Path(directory) / "example.db"
        report = attribute_clone(AttributeRequest(str(clone), db))
        console.print("[bold]$ whowrote repo birdlog[/bold]")
        terminal.repo.repo_report(console, report, "whowrote.db")
        console.print("\n[bold]$ whowrote blame birdlog birdlog/cli.py[/bold]")
        with Store(db) as store:
            opened = attributed_clone(store, GitRepo(clone), print, no_progress)
            blamed = blame(opened, demo.FILE, "", range(1, 25))
            terminal.blame.blame_view(console, blamed, blocks(opened, blamed))
    svg = console.export_svg(title="whowrote")
    # the reader's own fonts: nothing is loaded from elsewhere
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)
    (ROOT / "docs" / "picture.svg").write_text(re.sub(r"terminal-\d+", "terminal", svg), "utf-8")


if __name__ == "__main__":
    main()
