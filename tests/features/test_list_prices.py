"""Prices from the package genai-prices."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from support.answers import pick

from attribution.features.costs import cost_of
from attribution.features.prices import (
    LISTED,
    chosen_prices,
    list_prices,
    read_choice,
    standard_prices,
)
from collector.errors import WhoWroteError

ARN = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/"


def test_models_of_both_lists_cost_the_same() -> None:
    pytest.importorskip("genai_prices")
    prices = chosen_prices(read_choice(Path(LISTED)))
    ours = standard_prices()
    assert prices.as_of.startswith(f"{LISTED} ")
    for model in (
        "claude-opus-4-6",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4.6",
        "claude-haiku-4-5-20251001",
        "gpt-5",
    ):
        known = ours.of(model)
        listed = prices.of(model)
        assert known is not None and listed is not None
        assert {kind: listed[kind] for kind in known} == pytest.approx(dict(known)), model


@pytest.mark.parametrize(
    "model",
    ["claude-opus-4-6[x]", "claude-opus-4-6-fast", "deepseek-v4-flash-free", "my-model", ""],
)
def test_a_name_that_only_resembles_a_model_has_no_price(model: str) -> None:
    pytest.importorskip("genai_prices")
    assert list_prices().of(model) is None


@pytest.mark.parametrize("model", ["claude-opus-4 >abc", "claude-opus-4 >5 search", " >", "x >²"])
def test_a_model_of_a_transcript_may_be_called_anything(model: str) -> None:
    standard_prices().of(model)  # no number is read from what is none


def test_costs_are_computed_with_them() -> None:
    pytest.importorskip("genai_prices")
    counts = {
        "input": 1_000_000,
        "output": 0,
        "cache_read": 0,
        "cache_write": 0,
        "cache_write_1h": 0,
    }
    found = cost_of({"gpt-5": counts}, None, list_prices(), None)
    assert found == {
        "cost_usd": pytest.approx(1.25),
        "cost_source": "list",
        "prices_as_of": list_prices().as_of,
    }


def test_the_price_is_the_one_of_the_day() -> None:
    pytest.importorskip("genai_prices")
    before, after = (
        list_prices().of("o3", datetime(2025, month, 1, tzinfo=UTC)) for month in (5, 7)
    )
    assert before is not None and after is not None
    assert (before["input"], after["input"]) == (10.0, 2.0)


def test_without_a_choice_the_list_comes_first_and_the_small_table_second() -> None:
    pytest.importorskip("genai_prices")
    prices = chosen_prices(None)
    assert prices.as_of == f"{list_prices().as_of}, else {standard_prices().as_of}"
    assert prices.of("gpt-5.2-codex") == standard_prices().of("gpt-5.2-codex")
    assert (
        standard_prices().of("gpt-4o") is None
        and prices.of("gpt-4o") == list_prices().of("gpt-4o") is not None
    )


def test_models_of_2026_have_a_price_without_the_package() -> None:
    prices = standard_prices()
    before = datetime(2026, 8, 20, tzinfo=UTC)
    after = datetime(2026, 8, 21, tzinfo=UTC)
    names = [
        "claude-opus-4-7",
        "claude-opus-4.8",
        "claude-opus-5",
        "claude-sonnet-5",
        "claude-fable-5",
        "gpt-5.3-codex",
        "gpt-5.5",
    ]
    assert [model for model in names if prices.of(model) is None] == []
    dated = [prices.of("gpt-5.6-sol", moment) for moment in (before, after)]
    assert [known and pick(known, "input", "output") for known in dated] == [
        (5.0, 30.0),
        (4.0, 20.0),
    ]
    requests = [prices.of(f"gpt-5.4{longer}") for longer in ("", " >200000", " >272000")]
    assert [known and pick(known, "input", "output") for known in requests] == [
        (2.5, 15.0),
        (2.5, 15.0),
        (5.0, 22.5),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "global.anthropic.claude-opus-4-6-v1:0",
        f"{ARN}global.anthropic.claude-opus-4-6-v1:0",
        "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-6-v1:0",
        "claude-opus-4-6@default",
        "claude-opus-4-6[1m]",
        "bedrock/anthropic.claude-opus-4-6-v1",
        "claude-opus-4-6@20260205",
        "openrouter/anthropic/claude-opus-4.6",
    ],
)
def test_a_reseller_charges_what_the_vendor_does(name: str) -> None:
    assert standard_prices().of(name) == standard_prices().of("claude-opus-4-6") is not None


@pytest.mark.parametrize(
    "name",
    [
        "openrouter/anthropic/claude-opus-4.6:free",
        "ollama/gpt-5",
        "github_copilot/gpt-5",
        "github-copilot/claude-opus-4.6",
        "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123def456",
        "claude-opus-4-6 tier=priority",
        "claude-opus-4-5 tier=us",
        "gpt-5.5 tier=priority >272000",
        "o3 tier=priority",
        "claude-opus-4-7-fast",
    ],
)
def test_what_others_bill_in_their_own_way_has_no_price(name: str) -> None:
    assert standard_prices().of(name) is None


@pytest.mark.parametrize(
    ("name", "plain", "factor"),
    [
        ("claude-opus-4-8 tier=us", "claude-opus-4-8", 1.1),
        ("claude-sonnet-5-20260801 tier=us", "claude-sonnet-5", 1.1),
        ("us.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6", 1.1),
        (f"{ARN}eu.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6", 1.1),
        # the premium of regions came with the models of September 2025
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514", 1.0),
        ("claude-opus-4-6 tier=batch", "claude-opus-4-6", 0.5),
        ("gpt-5.5 tier=flex", "gpt-5.5", 0.5),
        ("gpt-5.5 tier=priority", "gpt-5.5", 2.5),
        ("gpt-5.4 tier=priority", "gpt-5.4", 2.0),
        ("claude-opus-4-8-fast tier=us", "claude-opus-4-8", 2.2),
    ],
)
def test_a_tier_costs_the_factor_that_its_vendor_publishes(
    name: str, plain: str, factor: float
) -> None:
    moment = datetime(2026, 9, 1, tzinfo=UTC)
    special, usual = (standard_prices().of(one, moment) for one in (name, plain))
    assert special is not None and usual is not None
    assert special == pytest.approx({kind: factor * price for kind, price in usual.items()})


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("attribution.features.prices.version", missing)
    with pytest.raises(WhoWroteError, match="not installed"):
        read_choice(Path(LISTED))
    assert chosen_prices(None) == standard_prices()
