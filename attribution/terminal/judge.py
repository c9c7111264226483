"""Labels by a language model on a terminal: prompts, cost, labels, agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from attribution.terminal.style import grid, number, opening, plain, show, title, words
from collector.console.terminal import one_line
from collector.text import printable

if TYPE_CHECKING:
    from attribution.judge.agreement import Corrected
    from attribution.judge.validation import Judge, Validation
    from attribution.queries.judge import JudgeCost, PromptRow
    from attribution.queries.judge_labels import ClassShare, LabelRow


def prompt_view(console: Console, rows: Sequence[PromptRow]) -> None:
    """Everything that would be sent; the instructions only once per question."""
    shown = set[str]()
    for row in rows:
        name = row.question
        title(
            console,
            f"question {name}, version {row.version}",
            f"about {number(row.input_tokens)} tokens, {row.turns} turns",
        )
        if name not in shown:
            shown.add(name)
            console.print(Text(printable(row.system), "dim"), soft_wrap=True)
        for line in row.prompt.split("\n"):
            console.print(Text(printable(line)), soft_wrap=True)
        console.print()


def cost_view(console: Console, model: str, cost: JudgeCost) -> None:
    table = grid("<", ">")
    price = "unknown (no price for this model)" if cost.usd is None else f"{cost.usd:,.2f} USD"
    for name, value in (
        ("sessions", number(cost.sessions)), ("questions", number(cost.questions)), ("already answered", number(cost.known)),
        ("input tokens, about", number(cost.input_tokens)), ("output tokens, about", number(cost.output_tokens)),
        ("cost, about", price), ("prices as of", cost.prices_as_of),
    ):  # fmt: skip
        table.add_row(name, plain(value))
    title(console, model)
    show(console, table)


def share_view(console: Console, judge: Judge, rows: Sequence[ClassShare]) -> None:
    """A row per class, with the corrected share where it is known."""
    title(console, judge.model, f"question version {judge.prompt_version}")
    table = grid("<", "<", ">", ">", ">", ">", ">", "<~", head=("label", "class", "n", "share", "corrected", "sens", "spec", ""))
    for r in rows:
        share = _percent(r.share) if r.class_ else f"mean {r.mean:.2f}" if r.mean is not None else ""
        known = r.validated
        table.add_row(
            words(r.label), words(r.class_), number(r.n), share, _interval(r.corrected),
            _share(known.sensitivity if known else None), _share(known.specificity if known else None),
            Text(r.corrected.note, "dim"),
        )  # fmt: skip
    show(console, table, 0)
    console.print(Text("these are a model's opinions; for every label: --each, for one session: --session KEY", "dim"))


def label_view(console: Console, judge: Judge, rows: Sequence[LabelRow]) -> None:
    title(console, judge.model, f"question version {judge.prompt_version}")
    table = grid("<", ">", "<", "<", "<~", head=("session", "turn", "label", "value", "prompt"))
    for r in rows:
        value = r.value if r.value is not None else "" if r.number is None else f"{r.number:g}"
        table.add_row(
            plain(r.session[:8]), number(r.turn) if r.turn else "", words(r.label), plain(value or "cannot tell"),
            plain(opening(r.prompt or "")),
        )  # fmt: skip
    show(console, table, 0)


def validation_view(console: Console, result: Validation) -> None:
    """Per label: agreement, then each class."""
    title(console, result.judge.model, f"question version {result.judge.prompt_version}")
    for label in result.labels:
        parts = [f"{number(label.compared)} compared", *_named("kappa", label.kappa), *_named("Pearson", label.pearson)]
        parts += [*_named("Spearman", label.spearman), *_named("mean difference", label.mean_difference)]
        console.print(Text.assemble((one_line(words(label.label)), "bold"), "  ", (", ".join(parts), "dim")))
        if not label.classes:
            continue
        table = grid(
            "<",
            ">",
            ">",
            ">",
            ">",
            ">",
            ">",
            ">",
            "<~",
            head=("class", "both", "only model", "only person", "sens", "spec", "share", "corrected", ""),
        )
        for c in label.classes:
            table.add_row(
                words(c.name), number(c.counts.tp), number(c.counts.fp), number(c.counts.fn), _share(c.counts.sensitivity),
                _share(c.counts.specificity), _percent(c.share), _interval(c.corrected), Text(c.corrected.note, "dim"),
            )  # fmt: skip
        show(console, table)


def _named(name: str, value: float | None) -> list[str]:
    return [] if value is None else [f"{name} {value:.2f}"]


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def _interval(c: Corrected) -> str:
    return (
        "" if c.rate is None or c.low is None or c.high is None else f"{100 * c.rate:.0f} % ({100 * c.low:.0f}–{100 * c.high:.0f})"
    )
