"""Values on a terminal (rich): one module for each kind of view, and the styles they share."""

from attribution.terminal import attempts, embedding, grades, judge, rules, sessions, weaknesses
from attribution.terminal.blame import blame_view, file_view
from attribution.terminal.claims import claims_view
from attribution.terminal.commit import commit_view
from attribution.terminal.explain import line_view
from attribution.terminal.history import agreement_view, line_history_view
from attribution.terminal.lists import check_list, failures, problem_list, session_table
from attribution.terminal.maintainability import maintainability_view
from attribution.terminal.repo import hints, repo_report
from attribution.terminal.survival import picture_note, survival_view

__all__ = [
    "agreement_view",
    "attempts",
    "blame_view",
    "check_list",
    "claims_view",
    "commit_view",
    "embedding",
    "failures",
    "file_view",
    "grades",
    "hints",
    "judge",
    "line_history_view",
    "line_view",
    "maintainability_view",
    "picture_note",
    "problem_list",
    "repo_report",
    "rules",
    "session_table",
    "sessions",
    "survival_view",
    "weaknesses",
]
