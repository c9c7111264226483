"""Writes the notebooks of docs/examples from docs/templates/notebooks, with the output of every
cell.

    python docs/notebooks.py [--check]

`--check` runs them and only tells whether they are up to date. Fenced Python is code, the rest is
text; the value of a cell's last expression is shown, as in Jupyter; of a chart of matplotlib its
picture, which `--check` does not compare: other fonts draw others.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT)]
SOURCES = ROOT / "docs" / "templates" / "notebooks"
TARGET = ROOT / "docs" / "examples"
_CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def notebook(source: str) -> str:
    """A notebook as JSON, executed. Raises whatever a cell raises."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    for is_code, text in _cells(source):
        if is_code:
            number += 1
            cells.append(_code_cell(number, text, names))
        else:
            cells.append(
                {
                    "cell_type": "markdown",
                    "id": f"text-{len(cells)}",
                    "metadata": {},
                    "source": _lines(text),
                }
            )
    kernel = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    made = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _cells(source: str) -> Iterator[tuple[bool, str]]:
    at = 0
    for found in _CODE.finditer(source):
        if text := source[at : found.start()].strip():
            yield False, text
        yield True, found[1].rstrip("\n")
        at = found.end()
    if text := source[at:].strip():
        yield False, text


def _code_cell(number: int, text: str, names: dict[str, Any]) -> dict[str, Any]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = _run(text, names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append(
            {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
        )
    if value is not None:
        outputs.append(
            {
                "data": _shown(value),
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    source = _lines(text)
    return {
        "cell_type": "code",
        "execution_count": number,
        "id": f"code-{number}",
        "metadata": {},
        "outputs": outputs,
        "source": source,
    }


def _run(text: str, names: dict[str, Any]) -> Any:
    """The value of the last expression, None without one."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)  # our own text: docs/templates/notebooks
    return (
        eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        if isinstance(last, ast.Expr)
        else None
    )


def _shown(value: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"text/plain": _lines(repr(value))}
    if hasattr(value, "savefig"):
        picture = io.BytesIO()
        value.savefig(
            picture, format="png", dpi=90, bbox_inches="tight", metadata={"Software": None}
        )
        return shown | {"image/png": base64.b64encode(picture.getvalue()).decode("ascii")}
    return (
        shown | {"text/html": _lines(value._repr_html_())}
        if hasattr(value, "_repr_html_")
        else shown
    )


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def without_pictures(text: str) -> Any:
    """A notebook as it is compared."""
    value = json.loads(text)
    for cell in value["cells"]:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop("image/png", None)
    return value


def main() -> int:
    """0 when everything is up to date afterwards."""
    stale = []
    for source in sorted(SOURCES.glob("*.md")):
        target = TARGET / f"{source.stem}.ipynb"
        text = notebook(source.read_text("utf-8"))
        if target.is_file() and without_pictures(target.read_text("utf-8")) == without_pictures(
            text
        ):
            continue
        stale.append(target.name)
        if "--check" not in sys.argv:
            target.write_text(text, "utf-8")
    if stale and "--check" in sys.argv:
        print(f"not up to date: {', '.join(stale)}; run python docs/notebooks.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
