"""How a session failed, or that it did not: a fixed decision tree over measured features,
embeddings and a judge's labels.

The questions are asked in order and the first rule that holds decides; a question without an answer
ends the tree with NULL: a later rule must not stand in for an earlier one.

1. stuck_loop: at least 5 calls repeat an earlier one exactly, and they are at least 30 % of all
   calls.
2. assumption_locked: assumption_lock_turn is set (needs embeddings, unless no two messages that
   follow each other push back, and a language that the classifier was measured on).
3. scope_drift above 2, more than twice the files needed: by a judge; without one by the files that
   the session touched for each of them that a commit linked to it has; where there is none, or no
   file was changed, the question is not asked. multi_intent_confusion if the scope was wide from
   the first turn (conflation_turn, or the first turn that touched another file, there or nowhere)
   under a plan of 8 steps or more, scope_bleed if a later turn is known; else no rule fits.
4. shifted_intent: drift_onset_calibrated is set, and the user pushed back little (needs embeddings
   where there are later messages).
5. clean: no such drift, and the user pushed back little.
6. Else no rule fits.

Little: pushback_turns up to a quarter of turns_classified, the later messages in a language that
the classifier was measured on. When these are fewer than half of the later messages, sentence
vectors answer; without them nothing is known about the user's words.
"""

from itertools import pairwise

from attribution.evaluation.versions import FAILURE_MODES
from attribution.evaluation.words import FailureMode
from attribution.queries.features import features_ready, session_features
from collector.json_values import Row
from collector.storage.store import Store

REPEATED = 5
REPETITION_RATE = 0.3
SCOPE_DRIFT = 2.0
MANY_STEPS = 8
FEW_PUSHBACKS = 0.25
COVERED = 0.5  # share of the later messages that the classifier must have read

_NO_EMBEDDINGS = "no embeddings; run: whowrote data embed"
_SILENT = (
    "most later messages are in a language that words were not measured on; run: whowrote data"
    " embed --model sentences"
)

Inputs = Row
"""Feature -> value. `embedded`: its row of embeddings, or empty; `first_turn`: the number of its
first turn; `first_outside`: that of the first turn that touched a file of no commit linked to
it; `touched_per_committed`: files touched for each that one has."""


FailureVerdict = tuple[FailureMode | None, str]
"""How a session failed (None: it did not, or that cannot be told), and the rule that decided, or
what is missing.
"""


def failure_mode(values: Inputs) -> FailureVerdict:
    """The first rule that fits."""
    if values["tool_call_count"] is None:
        return None, "the transcript cannot be read"
    if (values["repeated_calls"] or 0) >= REPEATED and (
        values["repetition_rate"] or 0.0
    ) >= REPETITION_RATE:
        return (
            FailureMode.STUCK_LOOP,
            (
                f"{values['repeated_calls']} of {values['tool_call_count']} calls repeat an"
                " earlier one"
            ),
        )
    return _lock(values) or _scope(values) or _intent(values)


def _lock(values: Inputs) -> FailureVerdict | None:
    """None: the agent followed."""
    pushes = values["turn_pushes_back"] or ()
    if not values["embedded"] and any(before == after == 1 for before, after in pairwise(pushes)):
        return None, _NO_EMBEDDINGS
    if values["assumption_lock_turn"] is not None:
        return (
            FailureMode.ASSUMPTION_LOCKED,
            f"pushed back twice from turn {values['assumption_lock_turn']} on without effect",
        )
    if _later(values) > 1 and _pushback_share(values) is None:
        return None, _SILENT
    return None


def _scope(values: Inputs) -> FailureVerdict | None:
    """None: the scope was kept, nothing was changed, or nothing tells what was needed."""
    by_judge = values["scope_drift"] is not None
    drift = values["scope_drift" if by_judge else "touched_per_committed"]
    turn = values["conflation_turn" if by_judge else "first_outside"]
    if not values["files_changed"] or drift is None or drift <= SCOPE_DRIFT:
        return None
    said = (
        f"scope_drift {drift:.3g}"
        if by_judge
        else f"{drift:.3g} files touched for each that was committed"
    )
    steps = values["plan_steps_first"] or values["plan_steps_detected"] or 0
    if steps >= MANY_STEPS and (turn is None or turn <= values["first_turn"]):
        return FailureMode.MULTI_INTENT, f"{said} from the start, a first plan of {steps} steps"
    if turn is not None and (by_judge or turn > values["first_turn"]):
        return FailureMode.SCOPE_BLEED, f"{said}, from turn {turn:g} on"
    return None, f"no rule fits: {said}, but no turn where it began"


def _intent(values: Inputs) -> FailureVerdict:
    if not values["user_msg_lengths"]:
        return None, "the user typed nothing"
    share = _pushback_share(values)
    if share is None:
        return None, _SILENT
    if share > FEW_PUSHBACKS:
        return (
            None,
            (
                f"no rule fits: {100 * share:.0f} % of the later messages push back, but the agent"
                " followed"
            ),
        )
    if _later(values) and not values["embedded"]:
        return None, _NO_EMBEDDINGS
    if values["drift_onset_calibrated"] is not None:
        return (
            FailureMode.SHIFTED_INTENT,
            f"the user's messages leave the task at turn {values['drift_onset_calibrated']}",
        )
    judged = values["scope_drift"] is not None or not values["files_changed"]
    return FailureMode.CLEAN, "no drift, little pushback" + (
        "" if judged else "; no judge was asked about the scope"
    )


def _later(values: Inputs) -> int:
    """Messages that the user typed after the first."""
    return max(0, len(values["user_msg_lengths"] or ()) - 1)


def _pushback_share(values: Inputs) -> float | None:
    """Of the later messages that words, or else sentence vectors, have an answer for; None: too
    few have one.
    """
    later = _later(values)
    for answers in (values, values["embedded"]):
        classified = answers.get("turns_classified") or 0
        if classified and classified >= COVERED * later:
            return (answers["pushback_turns"] or 0) / classified
    return None if later else 0.0


_COLUMNS = (
    "session_id, session_failure_mode, reason, embedding_model, judge_model, "
    "judge_prompt_version, version"
)
# Embeddings of a sentence model go before hashed words, and those that say which messages push back
# before all others.
_EMBEDDINGS = """
SELECT e.* FROM session_embeddings e JOIN sessions s ON s.id = e.session_id WHERE s.repo_id = ?
ORDER BY e.turns_classified IS NOT NULL, e.backend <> 'ngrams', e.model
"""
_LABELS = """
SELECT l.session_id, l.model, l.prompt_version,
  MAX(CASE WHEN l.label = 'scope_drift' THEN l.number END) AS scope_drift,
  MAX(CASE WHEN l.label = 'conflation_turn' THEN l.number END) AS conflation_turn
FROM latest_labels l JOIN sessions s ON s.id = l.session_id
WHERE s.repo_id = ? AND l.label IN ('scope_drift', 'conflation_turn')
GROUP BY l.session_id, l.model, l.prompt_version
"""
_FIRST_TURNS = """
SELECT t.session_id, MIN(t.turn_index) AS first_turn
FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE s.repo_id = ? GROUP BY t.session_id
"""
_SCOPES = """
WITH touched AS (
  SELECT g.session_id, g.path, MIN(e.turn_index) AS turn,
    EXISTS (
      SELECT 1 FROM commit_sessions cs JOIN commit_files c ON c.commit_id = cs.commit_id
      WHERE cs.session_id = g.session_id AND c.path = g.path) AS committed
  FROM regions g JOIN region_edits e ON e.region_id = g.id JOIN sessions s ON s.id = g.session_id
  WHERE s.repo_id = ? GROUP BY g.session_id, g.path)
SELECT session_id, 1.0 * COUNT(*) / NULLIF(SUM(committed), 0) AS touched_per_committed,
  MIN(CASE WHEN NOT committed THEN turn END) AS first_outside
FROM touched GROUP BY session_id
"""


def fill_failure_modes(store: Store, repo_id: int) -> None:
    """Decides for every session of a repository again.

    Labels of different judges are never mixed. Call within a transaction.
    """
    if not features_ready(store):
        return
    queries = (_EMBEDDINGS, _LABELS, _FIRST_TURNS, _SCOPES)
    embeddings, labels, first_turns, scopes = (
        {row["session_id"]: row for row in store.rows(sql, (repo_id,))} for sql in queries
    )
    rows = []
    for features in session_features(store, repo_id):
        session = features["session_id"]
        vectors = embeddings.get(session, {})
        judged = labels.get(session, {})
        mode, reason = failure_mode(
            {
                **features,
                **{
                    name: vectors.get(name)
                    for name in (
                        "assumption_lock_turn",
                        "drift_onset_calibrated",
                        "plan_steps_first",
                    )
                },
                "scope_drift": judged.get("scope_drift"),
                "conflation_turn": judged.get("conflation_turn"),
                **{
                    name: scopes.get(session, {}).get(name)
                    for name in ("touched_per_committed", "first_outside")
                },
                "first_turn": first_turns.get(session, {"first_turn": 1})["first_turn"],
                "embedded": vectors,
                "files_changed": bool(features["touched_files"]),
            }
        )
        rows.append(
            (
                session,
                mode,
                reason,
                vectors.get("model"),
                judged.get("model"),
                judged.get("prompt_version"),
                FAILURE_MODES,
            )
        )
    store.connection.execute(
        "DELETE FROM session_failure_modes WHERE session_id IN (SELECT id FROM sessions WHERE"
        " repo_id = ?)",
        (repo_id,),
    )
    store.insert("session_failure_modes", _COLUMNS, rows)
