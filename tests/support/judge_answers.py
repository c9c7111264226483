"""Answers of a judge that fit."""

from __future__ import annotations

from typing import Any

from collector.json_values import JsonObject


def session_answer(**changed: Any) -> JsonObject:
    return {
        "notes": "n",
        "task_paraphrase_accuracy": 0.5,
        "plan_optimality": "optimal",
        "instruction_adherence": "full",
        "conflation_turn": None,
        "files_needed": 1,
        "session_attribution": "correct_anticipation",
        "persona": "other",
        "success_score": 80,
        **changed,
    }


def paper_answer(**changed: Any) -> JsonObject:
    return {
        "notes": "n",
        "goal_completion": "resolved",
        "final_state": "positive",
        "agent_efficiency": "mixed",
        "code_quality": None,
        "user_experience": "positive",
        "paper_success_score": 85,
        "paper_persona": "other",
        "domain": "developer_tool",
        "audience": "developers",
        **changed,
    }


def turns_answer(*turns: int, pushback: str = "none", intent: str = "create") -> JsonObject:
    return {"turns": [{"turn": n, "pushback": pushback, "intent": intent} for n in turns]}
