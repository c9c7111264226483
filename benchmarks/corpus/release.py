"""The open part as a tar that others can score with: histories, scorer, licence and a card.

The same histories give the same tar: entries are sorted and have neither times nor owners.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scorer import VERSION
from scorer.histories import about, histories

from corpus.axes import AXES

ROOT = Path(__file__).parent.parent.parent
SCORER = ROOT / "benchmarks" / "scorer"
RELEASE = "3.0"
RELEASES = ROOT / "benchmarks" / "releases"


def make_release(corpus: Path, directory: Path) -> Path:
    """Writes the tar, with its SHA-256 beside it, to the directory; the tar."""
    name = f"whowrote-corpus-{RELEASE}"
    target = directory / f"{name}.tar.xz"
    directory.mkdir(exist_ok=True)
    with tarfile.open(target, "w:xz", format=tarfile.PAX_FORMAT, preset=9) as archive:
        for path, content in _files(corpus):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    Path(f"{target}.sha256").write_text(f"{digest}  {target.name}\n", "utf-8")
    return target


def _files(corpus: Path) -> Iterator[tuple[str, bytes]]:
    """Path in the release and content of each file."""
    yield "CARD.md", card(corpus).encode()
    yield "LICENSE", (ROOT / "LICENSE").read_bytes()
    for root, name in ((SCORER, "scorer"), (corpus, "histories")):
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            place = path.relative_to(root)
            if "__pycache__" not in place.parts and not place.parts[0].endswith(".part"):
                yield f"{name}/{place.as_posix()}", path.read_bytes()


def card(corpus: Path) -> str:
    rows = [about(path) for path in histories(corpus)]
    agents = Counter(f"{name} {number}" for row in rows for name, number in row["versions"].items())
    lines: Counter[str] = Counter()
    for row in rows:
        lines.update(row["lines"])
    values = {
        "RELEASE": RELEASE,
        "SCORER": VERSION,
        "HISTORIES": str(len(rows)),
        "AGENTS": ", ".join(f"{name} ({count})" for name, count in sorted(agents.items())),
        "LINES": f"{lines.total():,}",
        "AUTHORS": ", ".join(f"{name} {count:,}" for name, count in sorted(lines.items())),
        "AXES": "\n".join(
            f"| {axis} | {_counts(Counter(row.get(axis, 'nothing') for row in rows))} |"
            for axis in (*AXES, "agent")
        ),
    }
    text = Path(__file__).with_name("card.md").read_text("utf-8")
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
