"""Survival curves as a picture file, SVG or PNG. The adapter for matplotlib (extra `stats`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attribution.stats.estimates import StatsMissing

COLOURS = {
    "agent": "#0891b2", "declared": "#2563eb", "human": "#16a34a", "likely_human": "#86b817", "tool": "#9333ea",
    "unknown": "#ca8a04", "undeclared": "#6b7280",
}  # fmt: skip
SUFFIXES = (".svg", ".png")


def require() -> None:
    """Raises StatsMissing when the library is not installed."""
    try:
        import matplotlib
    except ImportError as error:
        raise StatsMissing(
            "plots need whowrote[stats], which is not installed", "Install it with: pip install 'whowrote[stats]'"
        ) from error
    matplotlib.use("Agg")


def draw(curves: Mapping[str, Mapping[str, Any]], path: Path, title: str) -> None:
    """One step curve with its 95 % band for each class (fields of `Curve`). Format by the suffix. Raises StatsMissing, OSError."""
    require()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "whowrote", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for name, curve in curves.items():
            days, low, high = ([step[n] for step in curve["steps"]] for n in ("days", "low", "high"))
            label = f"{name} ({curve['lines']:,} lines)"
            axes.step(days, [s["alive"] for s in curve["steps"]], where="post", label=label, color=COLOURS.get(name))
            axes.fill_between(days, low, high, step="post", alpha=0.15, color=COLOURS.get(name), linewidth=0)
        axes.set(ylim=(0, 1.02), xlabel="days since the line was written", ylabel="share of lines surviving", title=title)
        axes.set_xlim(left=0)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
