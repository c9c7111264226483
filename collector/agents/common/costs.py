"""Costs that agents record."""

from __future__ import annotations

_MAX = 1e6  # USD of one response; more cannot be a cost


def recorded_cost(value: object) -> float | None:
    """USD of one response. None also where it is 0: agents record that for a model whose price they do not know."""
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else 0
    return float(number) if 0 < number < _MAX else None
