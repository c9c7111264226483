"""Coding efficiency, survival to the commit, what became of the rest, and the cost of 100 committed lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from attribution.evaluation.study import paper
from attribution.evaluation.study.numbers import EVERY_MODE, FEW_NOTE, StudyUnit, audited_notes, enough, mean, median, pooled
from attribution.evaluation.study.sessions import Row
from collector.storage.store import Store
from collector.storage.views import Table, table_of
from collector.vocabulary.lines import CodingMode

NAME = "efficiency"
ORDER = 30

_PARTS = ("survived", "self_overwritten", "human_overwritten", "human_deleted", "not_committed", "unexplained")
_NOTES = [
    "The paper averages (over sessions or commits, it does not say) and replays edits from the parent commit, where an edit whose "
    "text is absent cannot be applied; ours takes the recorded text before each edit. On the same records of entireio/cli the two "
    "ways give 53 % and 73 %.",
    f"The abstract of v2 says that {paper.V2_SURVIVES:.0%} of agent code survives, without a definition: it is left out.",
    "In a commit: found there by position in the replayed file, not by equal text.",
]
_SHOWN = ("all", CodingMode.COLLABORATIVE, CodingMode.VIBE, "clean mapping")
_FATE_NOTES = [
    "human deleted: a person removed the line, and the session saw the file without it. not committed: the commit does not have "
    "the line, although nothing recorded removed it.",
    "Overwritten or deleted by a person: nobody has checked such lines, so this has no measured error rate.",
    "The paper has one row for both, human deletion, which it explains as not committed; it stands beside not committed.",
]

Groups = Mapping[str, Sequence[Row]]
"""Name -> sessions."""


def tables(store: Store, sessions: list[Row]) -> list[Table]:
    producing = [s for s in sessions if s["produced"]]
    committed = [s for s in producing if s["commits"]]
    groups = {
        "all": committed,
        CodingMode.COLLABORATIVE: [s for s in committed if s["coding_mode"] == CodingMode.COLLABORATIVE],
        CodingMode.VIBE: [s for s in committed if s["coding_mode"] == CodingMode.VIBE],
        "clean mapping": [s for s in producing if s["clean"]],
        "without a commit too": producing,
    }
    return [
        _ratios("coding_efficiency", "Coding efficiency: lines in a commit / lines produced", groups, "produced", paper.EFFICIENCY),
        _ratios("survival_to_commit", "Survival: lines in a commit / lines of the final state", groups, "final", paper.SURVIVAL),
        _breakdown(groups),
        _costs(sessions),
    ]


def _ratios(name: str, title: str, groups: Groups, below: str, published: paper.TwoVersions) -> Table:
    rows = []
    for group, sessions in groups.items():
        units = [StudyUnit(s["repo_id"], s["survived"], s[below]) for s in sessions]
        ratios = {"pooled": enough(pooled(units)), "mean": enough(mean(units))}
        v1, v2 = published.get(group, (None, None))
        values = {f"{kind}_{end}": getattr(ratios[kind], end) for kind in ratios for end in ("value", "low", "high")}
        head = {"sessions": group, "n": len(units), "repositories": ratios["pooled"].repositories}
        rows.append(head | values | {"paper_v1": v1, "paper_v2": v2})
    return table_of(rows, notes=[*_NOTES, FEW_NOTE, *audited_notes()], name=name, title=title)


def _breakdown(groups: Groups) -> Table:
    published = {
        "survived": paper.EFFICIENCY["all"][0], "self_overwritten": paper.SELF_OVERWRITE["all"],
        "not_committed": paper.HUMAN_DELETION["all"],
    }  # fmt: skip
    rows = []
    for part in _PARTS:
        row: Row = {"what became of produced lines": part.replace("_", " ")}
        for group in _SHOWN:
            row[group] = enough(pooled([StudyUnit(s["repo_id"], s[part], s["produced"]) for s in groups[group]])).value
        rows.append(row | {"paper_v1": published.get(part)})
    counts: Row = {group: len(groups[group]) for group in _SHOWN}
    rows.append({"what became of produced lines": "n (sessions)"} | counts)
    title = "What became of the lines that sessions produced, pooled over lines"
    return table_of(rows, notes=[*_FATE_NOTES, FEW_NOTE], name="produced_lines", title=title)


# --- cost -------------------------------------------------------------------------------------------------------------


def _sum(*names: str) -> Callable[[Row], float | None]:
    return lambda session: None if session["output_tokens"] is None else sum(session[name] or 0 for name in names)


def _minutes(name: str) -> Callable[[Row], float | None]:
    return lambda session: None if session[name] is None else session[name] / 60


class Measure(NamedTuple):
    """What is counted, and what the paper has of it by mode."""

    value: Callable[[Row], float | None]
    medians: Mapping[str, float] = {}
    means: Mapping[str, float] = {}


_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_MEASURES = {
    "tokens": Measure(_sum(*_TOKENS), paper.TOKENS_MEDIAN),
    "tokens without cache reads": Measure(_sum("input_tokens", "output_tokens", "cache_write_tokens")),
    "usd": Measure(lambda session: session["cost_usd"], paper.USD_MEDIAN, paper.USD_MEAN),
    "prompt characters": Measure(lambda session: session["typed"], means=paper.TYPED_MEAN),
    "session minutes": Measure(_minutes("session_runtime_s"), paper.MINUTES_MEDIAN),
    "agent minutes": Measure(_minutes("agent_runtime_s"), means=paper.AGENT_MINUTES_MEAN),
}


def _costs(sessions: Sequence[Row]) -> Table:
    """Over sessions that can be assigned unambiguously to their commits; of one in several repositories no part is known."""
    committed = [s for s in sessions if s["commits"]]
    clean = [s for s in committed if s["has_features"] and s["copies"] == 1 and s["clean"] and _committed_lines(s)]
    rows = [_cost_row(what, mode, clean) for what in _MEASURES for mode in EVERY_MODE]
    notes = [
        f"{len(clean)} of {len(committed)} sessions with commits can be assigned unambiguously: one session, one checkpoint, no "
        f"squash; in the paper {paper.CLEAN:.1%} of all.",
        "The paper does not give its rule. Ours is narrow: a commit with several checkpoints, as after hours of work, is left out.",
        "US dollars at public list prices of a stated day; null where a price is unknown. Some versions of Claude Code record too "
        "few output tokens, so dollars are lower bounds there.",
        "The paper publishes neither its prices nor which tokens its median of 204,000 counts; so both ways of counting are here.",
    ]
    return table_of(rows, notes=notes, name="cost", title="Cost of 100 committed lines")


def _committed_lines(session: Row) -> int:
    return int(session["agent_lines"] + session["human_lines"] + session["unknown_lines"])


def _cost_row(what: str, mode: str, sessions: Sequence[Row]) -> Row:
    value, medians, means = _MEASURES[what]
    units = [
        StudyUnit(session["repo_id"], 100 * amount / _committed_lines(session))
        for session in sessions
        if mode in ("all", session["coding_mode"]) and (amount := value(session)) is not None
    ]
    average = mean(units)
    return {
        "per 100 committed lines": what, "mode": mode, "median": median([unit.top for unit in units]), "mean": average.value,
        "low": average.low, "high": average.high, "n": len(units), "paper_v1_median": medians.get(mode),
        "paper_v1_mean": means.get(mode),
    }  # fmt: skip
