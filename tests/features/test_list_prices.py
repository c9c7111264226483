"""Prices from the package genai-prices."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from attribution.features.list_prices import LISTED, list_prices, prices_from
from attribution.features.prices import standard_prices
from attribution.features.tokens import cost_of
from collector.errors import WhoWroteError


def test_models_of_both_lists_cost_the_same() -> None:
    pytest.importorskip("genai_prices")
    prices, ours = prices_from(Path(LISTED)), standard_prices()
    assert prices.as_of.startswith(f"{LISTED} ")
    for model in ("claude-opus-4-6", "claude-sonnet-4-5-20250929", "claude-sonnet-4.6", "claude-haiku-4-5-20251001", "gpt-5"):
        known, listed = ours.of(model), prices.of(model)
        assert known is not None and listed is not None
        assert {kind: listed[kind] for kind in known} == pytest.approx(dict(known)), model


@pytest.mark.parametrize("model", ["claude-opus-4-6[1m]", "claude-opus-4-6-fast", "deepseek-v4-flash-free", "my-model", ""])
def test_a_name_that_only_resembles_a_model_has_no_price(model: str) -> None:
    pytest.importorskip("genai_prices")
    assert list_prices().of(model) is None


def test_costs_are_computed_with_them() -> None:
    pytest.importorskip("genai_prices")
    counts = {"input": 1_000_000, "output": 0, "cache_read": 0, "cache_write": 0, "cache_write_1h": 0}
    found = cost_of({"gpt-5": counts}, list_prices())
    assert found == {"cost_usd": pytest.approx(1.25), "prices_as_of": list_prices().as_of}


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *more: Any) -> Any:
        if name.startswith("genai_prices"):
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(WhoWroteError, match="not installed"):
        prices_from(Path(LISTED))
