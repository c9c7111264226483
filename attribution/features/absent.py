"""Signals that people ask for and that this version does not compute, with the reason. Pure."""

from __future__ import annotations

_JUDGE = "needs to know which files and steps the task calls for; the optional judge answers scope_drift instead"

ABSENT: dict[str, str] = {"gd_actions": _JUDGE}

# Names used elsewhere for what is a column or table here.
ALIASES: dict[str, str] = {
    "input_tokens_total": "input_tokens",
    "output_tokens_total": "output_tokens",
    "turn_ratio": "user_agent_turn_ratio",
    "all_turn_timestamps": "turn_timestamps",
    "per_turn_latency_s": "per_turn_agent_latency_s",
    "session_reopened_within": "session_reopened_within_s",
    "region_edit_history": "table region_edits",
    "agent_edit_regions": "table regions",
    **dict.fromkeys(
        (
            "cp_curve",
            "max_cp",
            "drift_onset_turn",
            "intent_coherence_curve",
            "assumption_lock_turn",
            "plan_ged",
            "goal_alignment_at_close",
        ),
        "table session_embeddings",
    ),
    "session_failure_mode": "table session_failure_modes",
    **dict.fromkeys(
        (
            "task_paraphrase_accuracy",
            "plan_optimality",
            "instruction_adherence",
            "conflation_turn",
            "scope_drift",
            "session_attribution",
        ),
        "table judge_labels",
    ),
}
