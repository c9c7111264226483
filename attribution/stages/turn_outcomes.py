"""Fills `turn_outcomes`: a row for each turn when the lines are judged; fates, findings and labels
when they are known.

Each function is called within the transaction of the stage whose results it adds.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from attribution.authorship.run_data import Replayed
from attribution.authorship.session_edits import SessionEdits
from attribution.outcomes.turn_work import TurnKey, TurnWork, UserTexts, turn_work
from attribution.queries.features import session_features
from attribution.queries.survival import seconds
from collector.json_values import Numbers, Row, RowValues
from collector.storage.store import Store

HORIZONS = (1, 7, 30, 90)  # days
_DAY = 86_400.0
_WORK = ("produced", "dictated", "changed_next", "discarded", "discarded_by")
_FROM_TEXT = ("language", "message_class", "latency_s", "interrupted")


def fill_turns(
    store: Store, repo_id: int, sessions: Sequence[SessionEdits], replayed: Replayed
) -> None:
    """Rows of a repository anew, with all that does not wait for prices, the history of lines or
    a scan.
    """
    store.connection.execute(_CLEAR, (repo_id,))
    work = turn_work(
        replayed.runs, {session.session_id: UserTexts(session.said) for session in sessions}
    )
    features = _transcript_features(store, repo_id)
    counted = store.rows(_COUNT, (repo_id,))
    rows = ((*row.values(), *_work(work, row), *_text_values(features, row)) for row in counted)
    store.insert("turn_outcomes", (*(counted[0] if counted else ()), *_WORK, *_FROM_TEXT), rows)


_CLEAR = (
    "DELETE FROM turn_outcomes WHERE repo_id = ? AND session_id IN (SELECT id FROM sessions WHERE"
    " gone_since IS NULL)"
)
# Counts per turn from the tables of facts and regions, each made once and joined: subqueries for
# each turn would read the same rows again and again.
_COUNT = """
WITH own AS (SELECT id FROM sessions WHERE repo_id = ?1),
calls AS (
  SELECT session_id, turn_index, COUNT(*) AS calls, SUM(status = 'error') AS failed
  FROM tool_calls WHERE session_id IN own GROUP BY session_id, turn_index),
models AS (
  SELECT session_id, turn_index, model FROM (
    SELECT session_id, turn_index, model,
      ROW_NUMBER() OVER (PARTITION BY session_id, turn_index ORDER BY COUNT(*) DESC, model) AS place
    FROM tool_calls WHERE session_id IN own AND model IS NOT NULL
    GROUP BY session_id, turn_index, model) WHERE place = 1),
edited AS (
  SELECT session_id, turn_index, COUNT(*) AS edits, SUM(lines_added) AS written
  FROM edits WHERE session_id IN own AND outcome = 'applied' GROUP BY session_id, turn_index),
again AS (
  SELECT g.session_id, g.turn_index, COUNT(DISTINCT g.region_id) AS places,
    COUNT(DISTINCT n.region_id) AS again,
    COUNT(DISTINCT CASE WHEN n.added = g.removed AND n.removed = g.added
      THEN n.region_id END) AS undone
  FROM region_edits g
  LEFT JOIN region_edits n ON n.region_id = g.region_id AND n.turn_index = g.turn_index + 1
  WHERE g.session_id IN own GROUP BY g.session_id, g.turn_index),
landed AS (
  SELECT o.session_id, o.turn_index, SUM(p.nonblank) AS committed
  FROM origins o JOIN spans p ON p.origin_id = o.id
  WHERE o.session_id IN own AND o.author = 'agent' GROUP BY o.session_id, o.turn_index)
SELECT s.repo_id, t.session_id, t.turn_index, t.at, t.origin, s.agent,
  COALESCE(models.model, s.model) AS model, length(t.prompt) AS prompt_characters,
  COALESCE(calls.calls, 0) AS calls, COALESCE(calls.failed, 0) AS failed_calls,
  COALESCE(edited.edits, 0) AS edits, COALESCE(edited.written, 0) AS lines_written,
  COALESCE(again.places, 0) AS places, COALESCE(again.again, 0) AS places_again,
  COALESCE(again.undone, 0) AS places_undone, COALESCE(landed.committed, 0) AS committed
FROM turns t JOIN sessions s ON s.id = t.session_id
LEFT JOIN calls ON calls.session_id = t.session_id AND calls.turn_index = t.turn_index
LEFT JOIN models ON models.session_id = t.session_id AND models.turn_index = t.turn_index
LEFT JOIN edited ON edited.session_id = t.session_id AND edited.turn_index = t.turn_index
LEFT JOIN again ON again.session_id = t.session_id AND again.turn_index = t.turn_index
LEFT JOIN landed ON landed.session_id = t.session_id AND landed.turn_index = t.turn_index
WHERE s.repo_id = ?1 AND s.gone_since IS NULL ORDER BY t.session_id, t.turn_index"""


def _work(work: Mapping[TurnKey, TurnWork], row: Row) -> RowValues:
    turn = work.get((row["session_id"], row["turn_index"]), TurnWork())
    by = min(turn.discarded, key=lambda session: (-turn.discarded[session], session), default=None)
    return turn.produced, turn.dictated, turn.changed_next, sum(turn.discarded.values()), by


def _text_values(features: Mapping[TurnKey, Row], row: Row) -> RowValues:
    turn = features.get((row["session_id"], row["turn_index"]), {})
    session = features.get((row["session_id"], 0))  # turn 0: the features of the session are known
    interrupted = None if session is None else int(row["turn_index"] in session["interrupted"])
    return turn.get("language"), turn.get("message_class"), turn.get("latency_s"), interrupted


def _transcript_features(store: Store, repo_id: int) -> dict[TurnKey, Row]:
    """Features of each turn from the transcripts; turn 0 holds the turns that the user
    interrupted.
    """
    features: dict[TurnKey, Row] = defaultdict(dict)
    for values in session_features(store, repo_id):
        session = values["session_id"]
        if values["turn_numbers"] is None:
            continue
        features[session, 0]["interrupted"] = frozenset(values["interrupted_turns"])
        for numbers, name, column in (
            ("turn_numbers", "per_turn_agent_latency_s", "latency_s"),
            ("typed_turn_numbers", "turn_languages", "language"),
            ("typed_turn_numbers", "turn_classes", "message_class"),
        ):
            for turn, value in zip(values[numbers], values[name] or (), strict=False):
                features[session, turn][column] = value
    return features


def fill_turn_fates(store: Store, repo_id: int) -> None:
    """Fills in what became of committed lines. Call it after `line_fates` is filled."""
    tip = store.value(
        "SELECT h.author_at FROM tip_states k JOIN history_commits h ON h.repo_id = k.repo_id AND"
        " h.commit_sha = k.tip_sha WHERE k.repo_id = ?",
        (repo_id,),
    )
    if tip is None:
        return
    head = seconds(str(tip))
    counts: dict[TurnKey, Numbers] = defaultdict(lambda: dict.fromkeys(_FATES, 0))
    for row in store.rows(
        "SELECT o.session_id, o.turn_index, b.author_at AS born, d.author_at AS died, l.cause,"
        " SUM(f.nonblank) AS lines FROM line_fates f JOIN origins o ON o.id = f.origin_id JOIN"
        " line_lifetimes l ON l.repo_id = f.repo_id AND l.origin = f.life JOIN history_commits b ON"
        " b.id = l.birth LEFT JOIN history_commits d ON d.id = l.death WHERE f.repo_id = ? AND"
        " o.author = 'agent' AND l.same_as IS NULL AND o.session_id IS NOT NULL GROUP BY"
        " o.session_id, o.turn_index, l.birth, l.death, l.cause",
        (repo_id,),
    ):
        _count(counts[row["session_id"], row["turn_index"]], row, head)
    zero = ", ".join(
        f"{name} = {'0' if name.startswith(('old', 'present')) else 'NULL'}" for name in _FATES
    )
    store.connection.execute(f"UPDATE turn_outcomes SET {zero} WHERE repo_id = ?", (repo_id,))
    names = ", ".join(f"{name} = ?" for name in _FATES)
    rows = (
        (
            *(
                None if name.startswith("alive") and not count[name.replace("alive", "old")] else n
                for name, n in count.items()
            ),
            *turn,
        )
        for turn, count in counts.items()
    )
    store.connection.executemany(
        f"UPDATE turn_outcomes SET {names} WHERE session_id = ? AND turn_index = ?", rows
    )


_FATES = (*(f"{name}_{days}" for days in HORIZONS for name in ("old", "alive")), "present")


def _count(counts: Numbers, row: Row, head: float) -> None:
    born = seconds(row["born"])
    lines = row["lines"]
    died = None if row["died"] is None else max(seconds(row["died"]), born)
    # how long the lines could be followed
    observed = head if row["cause"] != "unreadable" or died is None else died
    counts["present"] += 0 if died is not None else lines
    for days in HORIZONS:
        if observed - born >= days * _DAY:
            counts[f"old_{days}"] += lines
            gone = died is not None and row["cause"] != "unreadable" and died - born <= days * _DAY
            counts[f"alive_{days}"] += 0 if gone else lines
