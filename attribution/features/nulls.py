"""Why a feature has no value: the reasons, each with the condition under which it holds, and the
views made of them. Pure.

A feature names its reasons in order; the first whose condition holds is the one given. A condition
looks at tables, never at the feature itself, so that `whowrote data check` finds a value that is
missing without a reason.
"""

from collections.abc import Iterable
from typing import NamedTuple

from attribution.features import costs, repository
from attribution.features.registry import Feature

VIEW = "feature_nulls"
TABLE = "session_features"
VIEW_TEXT = "Why a feature of a session has no value: one row per session and feature without one."
VIEW_COLUMNS = {
    "repo_id": "its repository",
    "session_id": "the session",
    "feature": "column of session_features",
    "reason": "why it has no value; docs/metrics.md explains the reasons",
}
UNEXPLAINED = "unexplained"


class NullReason(NamedTuple):
    """`when` is SQL over f (session_features), s (sessions) and t (session_stats)."""

    text: str
    when: str = "1"
    absent: bool = False  # an input that could be there is not: a row of `problems` says so


_EDITS = (
    "(SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0 AND e.outcome NOT IN"
    " ('tool_error', 'rejected'))"
)
_COMMITTED = "(SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.agent_lines > 0)"
_LATER = "json_array_length(f.turn_languages) > 1"
_ENGLISH = "SELECT 1 FROM json_each(f.turn_languages) j WHERE COALESCE(j.value, 'en') = 'en'"

REASONS: dict[str, NullReason] = {
    "no_transcript": NullReason(
        "the transcript cannot be read",
        "f.session_id IS NULL OR f.tool_call_count IS NULL",
        absent=True,
    ),
    "unfinished": NullReason(
        "the run was stopped before: run `whowrote repo` again", "f.touched_files IS NULL"
    ),
    "spawned": NullReason(
        "another session spawned this one: nobody typed", "s.parent_key IS NOT NULL"
    ),
    "forked": NullReason("the session goes on from another one", "s.forked_from IS NOT NULL"),
    "command_first": NullReason(
        "the session begins with a slash command",
        "(SELECT t.origin FROM turns t WHERE t.session_id = s.id AND t.origin <> 'injected' ORDER"
        " BY t.turn_index LIMIT 1) = 'command'",
    ),
    "no_usage": NullReason("the agent records no usage", "s.input_tokens IS NULL", absent=True),
    "no_response": NullReason("no response", "f.turn_count = 0"),
    "no_call": NullReason("no tool call", "s.tool_calls = 0"),
    "no_edit": NullReason("no call changed a file", f"NOT EXISTS {_EDITS}"),
    "no_read": NullReason("no call read a file"),
    "no_file_named": NullReason("no call names a file"),
    "no_result": NullReason("no call has a known result", absent=True),
    "no_subagent": NullReason("no subagent started", "s.subagents = 0"),
    "reasoning_uncounted": NullReason(
        "the agent counts them with the output (Claude Code always does)"
    ),
    "no_input_read": NullReason("neither fresh input tokens nor cache reads are recorded"),
    "no_reasoning_text": NullReason(
        "no text of the model's reasoning is on record (many agents record the mere fact, or"
        " nothing)"
    ),
    "no_response_times": NullReason("no response with a time follows anything"),
    "no_linked_commit": NullReason(
        "no commit is linked to the session",
        "NOT EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id)",
    ),
    "no_file_seen": NullReason("no call names a file of the repository", "f.files_seen = '[]'"),
    "no_change_seen": NullReason("no call of an edit tool changed a file of the repository"),
    "no_plan_file": NullReason("no plan on record names a file"),
    "no_price": NullReason(
        "the agent records no cost, and no price of the model is known: whowrote[prices] brings"
        " more, `--prices FILE` your own",
        absent=True,
    ),
    "cost_recorded": NullReason(
        "the agent records the cost of every response", "f.cost_source = 'recorded'"
    ),
    "no_recorded_cost": NullReason("the agent records no cost"),
    "no_times": NullReason("the agent records no times", "s.started_at IS NULL", absent=True),
    "no_call_times": NullReason(
        "the agent records no time of a call",
        "NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND (c.at IS NOT NULL OR"
        " c.done_at IS NOT NULL))",
    ),
    "no_event_times": NullReason(
        "the agent records when the session began and ended, and no time of a turn or a call",
        "NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND (c.at IS NOT NULL OR"
        " c.done_at IS NOT NULL)) AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id"
        " AND t.at IS NOT NULL)",
        absent=True,
    ),
    "no_event": NullReason(
        "nothing happened: no turn, call or answer", "s.turns = 0 AND s.tool_calls = 0"
    ),
    "no_turn_time": NullReason("no turn has a time and an answer"),
    "nothing_typed": NullReason("the user typed nothing", "f.user_msg_lengths = '[]'"),
    "no_turn": NullReason("no turn of the user", "f.user_turn_count = 0"),
    "one_message": NullReason(
        "fewer than two messages", "json_array_length(f.user_msg_lengths) = 1"
    ),
    "not_english": NullReason(
        "no message after the first can be English, and there are no word lists for other"
        " languages",
        f"{_LATER} AND NOT EXISTS ({_ENGLISH} AND j.key > 0)",
    ),
    "last_not_english": NullReason(
        "the last message is not English, and there are no word lists for other languages",
        f"NOT EXISTS ({_ENGLISH} AND j.key = json_array_length(f.turn_languages) - 1)",
    ),
    "not_classified": NullReason(
        "no message after the first is in a language that the classifier was measured on",
        "f.turns_classified = 0",
    ),
    "not_kept": NullReason(
        "this database was told not to keep such text (`--content`)", "f.agent_words > 0"
    ),
    "commands_not_kept": NullReason(
        "this database was told not to keep commands (`--content`)",
        "NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND c.command IS NOT"
        " NULL)",
    ),
    "nothing_said": NullReason("the agent's text is not on record", "f.agent_words = 0"),
    "no_answer": NullReason("no answered turn", "f.agent_words = 0 AND s.tool_calls = 0"),
    "no_repo_edit": NullReason(
        "no calls of the session changed a file of the repository", "f.touched_files = '[]'"
    ),
    "wrote_nothing": NullReason(
        "the session wrote no line of the repository",
        f"COALESCE(t.produced, 0) = 0 AND NOT EXISTS {_COMMITTED}",
    ),
    "not_elsewhere": NullReason(
        "no other branch has lines that are missing in the attributed one",
        "f.output_applied IS NOT NULL",
    ),
    "shell_only": NullReason(
        "only commits show what its commands wrote", "COALESCE(t.produced, 0) = 0"
    ),
    "left_nothing": NullReason("the agent left no line", "COALESCE(t.final, 0) = 0"),
    "not_reverted": NullReason("nothing was reverted", "f.changes_reverted = 0"),
    "no_next": NullReason("the same person has no further session within 24 hours"),
}

_ROWS = (
    f"FROM sessions s LEFT JOIN {TABLE} f ON f.session_id = s.id LEFT JOIN session_stats t ON"
    " t.session_id = s.id"
)


def null_view(features: Iterable[Feature]) -> str:
    """The view `feature_nulls`: one row per session and feature without a value, with the
    reason.
    """
    return f"CREATE VIEW {VIEW} AS\n{_null_rows(features)}"


# A run that was stopped leaves some tables ahead of others: then there is nothing to compare yet.
_SAME_COPIES = """\
EXISTS (SELECT 1 FROM sessions s JOIN stage_runs a ON a.repo_id = s.repo_id AND a.subject = s.key AND a.stage = 'session'
  JOIN stage_runs b ON b.repo_id = s.repo_id AND b.subject = s.key AND b.stage = 'features' AND b.input_key = a.input_key
  WHERE s.id = f.session_id)"""


def unexplained_sql(features: Iterable[Feature]) -> str:
    """Features without a value for which no reason holds.

    Needs the table, not the view: a merged database may lack the view.
    """
    rows = f"(\n{_null_rows(features)}) f WHERE f.reason = '{UNEXPLAINED}' AND {_SAME_COPIES}"
    return f"SELECT f.repo_id, f.session_id, f.feature FROM {rows}"


def _null_rows(features: Iterable[Feature]) -> str:
    parts = [
        f"SELECT s.repo_id, s.id AS session_id, '{f.name}' AS feature, {_case(f)} AS reason {_ROWS}"
        f" WHERE f.{f.name} IS NULL"
        for f in features
    ]
    return "\nUNION ALL ".join(parts)


def _case(feature: Feature) -> str:
    late = ("unfinished",) if feature in (*repository.FEATURES, *costs.FEATURES) else ()
    codes = ("no_transcript", *late, *(code for code in feature.null if code != "no_transcript"))
    return (
        "CASE "
        + " ".join(f"WHEN {REASONS[code].when} THEN '{code}'" for code in codes)
        + f" ELSE '{UNEXPLAINED}' END"
    )


def problem_rows() -> str:
    """SQL with a place for the repository's id: (session key, reason, features) where an input
    of theirs is absent.
    """
    codes = ", ".join(
        f"'{code}'" for code, reason in REASONS.items() if reason.absent and code != "no_transcript"
    )
    return (
        f"SELECT s.key, n.reason, GROUP_CONCAT(n.feature, ', ') AS features FROM {VIEW} n JOIN"
        f" sessions s ON s.id = n.session_id WHERE n.repo_id = ? AND n.reason IN ({codes}) GROUP BY"
        " n.session_id, n.reason ORDER BY n.session_id, n.reason"
    )
