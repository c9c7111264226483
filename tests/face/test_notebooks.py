"""The notebooks of the docs run, show what they say, and name no directory of whoever made them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from notebooks import SOURCES, TARGET, notebook, without_pictures

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
NAMES = sorted(path.stem for path in SOURCES.glob("*.md"))


def test_there_is_one_for_each_door() -> None:
    assert NAMES == ["lead", "maintainer", "researcher"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_up_to_date(name: str) -> None:
    kept = (TARGET / f"{name}.ipynb").read_text("utf-8")
    cells = json.loads(kept)["cells"]
    made = json.loads(notebook((SOURCES / f"{name}.md").read_text("utf-8")))["cells"]
    assert [cell["source"] for cell in cells] == [cell["source"] for cell in made], (
        "run python docs/notebooks.py"
    )
    assert [_texts(cell) for cell in cells] == [_texts(cell) for cell in made], (
        "run python docs/notebooks.py"
    )
    assert sum(bool(cell.get("outputs")) for cell in cells) >= 4
    assert "/tmp" not in kept and str(Path.home()) not in kept


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_has_charts_that_are_pictures(name: str) -> None:
    """Of what was counted, without the name of a program in them; another one with other fonts
    is not a difference.
    """
    kept = (TARGET / f"{name}.ipynb").read_text("utf-8")
    outputs = [output for cell in json.loads(kept)["cells"] for output in cell.get("outputs", ())]
    pictures = [
        base64.b64decode(output["data"]["image/png"])
        for output in outputs
        if "image/png" in output.get("data", {})
    ]
    assert pictures and all(
        picture.startswith(b"\x89PNG") and b"Software" not in picture for picture in pictures
    )
    other = kept.replace(base64.b64encode(pictures[0]).decode("ascii"), "AAAA")
    assert other != kept and without_pictures(other) == without_pictures(kept)
    assert without_pictures(kept.replace("lines", "rows")) != without_pictures(kept)


def _texts(cell: dict[str, object]) -> list[object]:
    """Outputs without HTML, which another version of pandas writes differently."""
    found: list[object] = []
    for output in cell.get("outputs", []):  # type: ignore[attr-defined]
        found.append(
            output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
        )
    return found


def test_a_cell_that_fails_is_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        notebook("```python\n1 / 0\n```\n")
