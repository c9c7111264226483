"""What a session feature is: its name, unit, type, kind, version and meaning.

Columns, docs and versions all come from here. Pure.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from collector.json_values import Row, Texts

DETERMINISTIC = "deterministic"
HEURISTIC = "heuristic"
KINDS = (DETERMINISTIC, HEURISTIC, "embedding", "judge")
TYPES = {"integer": "INTEGER", "real": "REAL", "text": "TEXT", "boolean": "INTEGER", "json": "TEXT"}

Values = Row
"""Feature name -> int, float, str, bool, list, dict or None."""


class Feature(NamedTuple):
    """One column of `session_features`.

    `null` says why there can be no value; raising `version` recomputes it.
    """

    name: str
    type: str  # a key of TYPES
    unit: str
    description: str
    kind: str = DETERMINISTIC
    null: tuple[str, ...] = ("no_transcript",)  # keys of `nulls.REASONS`; the first that holds
    version: int = 1

    @property
    def sql_type(self) -> str:
        return TYPES[self.type]


class FeatureGroup(Protocol):
    """A module of `attribution/features/` with a NAME: one group of features."""

    NAME: str
    TITLE: str
    ORDER: int
    STAGE: str  # session: from the transcript alone | repository: once the commits are judged
    FEATURES: tuple[Feature, ...]


def version_of(features: Iterable[Feature], *data: str) -> str:
    """Changes when a feature is added, removed or gets a new version, or when the data it is
    computed with changes.
    """
    parts = [f"{f.name}:{f.type}:{f.version}" for f in features]
    return hashlib.sha256("\n".join([*parts, *data]).encode()).hexdigest()[:16]


_BY_EMBEDDING = (
    "cp_curve max_cp drift_onset_turn intent_coherence_curve assumption_lock_turn plan_ged"
    " goal_alignment_at_close"
)
_BY_JUDGE = (
    "task_paraphrase_accuracy plan_optimality instruction_adherence conflation_turn scope_drift"
    " session_attribution"
)
# Names used elsewhere for what is a column or table here.
ALIASES: Texts = {
    "input_tokens_total": "input_tokens",
    "output_tokens_total": "output_tokens",
    "turn_ratio": "user_agent_turn_ratio",
    "all_turn_timestamps": "turn_timestamps",
    "per_turn_latency_s": "per_turn_agent_latency_s",
    "session_reopened_within": "session_reopened_within_s",
    "region_edit_history": "table region_edits",
    "agent_edit_regions": "table regions",
    **dict.fromkeys(_BY_EMBEDDING.split(), "table session_embeddings"),
    "session_failure_mode": "table session_failure_modes",
    **dict.fromkeys(_BY_JUDGE.split(), "table judge_labels"),
}
