"""How a conversation moves away from its task, from the vectors of its texts. Columns of
`session_embeddings`. Pure.

Turns are those of the user, counted from 0. The task is the first message of four words or more,
normally of turn 0; turns before it are null in the curves. The vector of a turn is the mean of the
vectors of its message and of all that the agent said in answer: messages alone ("yes", "now the
tests") are no nearer to the task than messages of other sessions
(docs/decisions/0008-embeddings.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from attribution.evaluation.conversation import Conversation, Exchange
from attribution.evaluation.models import Scale, cosine
from attribution.features.registry import Feature, Values
from attribution.features.turn_classes import beginning, classify

NAME = "embedding"
TITLE = "By embeddings"
MODERATE = 0.2  # the thresholds of the source, for a model it does not name
_EMBEDDING = "embedding"
_NO_TASK = "no message of four words or more"
_NO_OTHER = "no later turn"
_NO_WEIGHTS = "a model other than `sentences`"


def _column(
    name: str, type_: str, unit: str, description: str, null: str = "", version: int = 1
) -> Feature:
    """`null` in words: these columns have no row in `feature_nulls`."""
    return Feature(name, type_, unit, description, _EMBEDDING, (null,) if null else (), version)


FEATURES = (
    _column(
        "curve_turns",
        "json",
        "list of turn numbers",
        "turns.turn_index of the turn of each entry of the curves",
    ),
    _column(
        "cp_curve",
        "json",
        "list of 0 to 2",
        "context pollution: 1 - cosine(turn of the task, turn) for each turn of the user, message"
        " and answer together",
        _NO_TASK,
    ),
    _column("max_cp", "real", "0 to 2", "largest value of cp_curve", _NO_OTHER),
    _column(
        "drift_onset_turn",
        "integer",
        "turn from 0",
        f"first turn with cp_curve > {MODERATE}, the threshold of the source; it says nothing with"
        " the models here, 97 % of all turns are beyond it",
        "no turn is beyond it",
    ),
    _column(
        "drift_onset_calibrated",
        "integer",
        "turn from 0",
        "first turn with cp_curve above the model's own threshold, the median between turns of"
        " different sessions of a repository, from which on two thirds of the turns are above it,"
        " itself included and at least two",
        "no such turn",
        version=2,
    ),
    _column(
        "intent_coherence_curve",
        "json",
        "list of -1 to 1",
        "cosine(task, all that the agent said in the turn) for each turn of the user",
        _NO_TASK,
    ),
    _column(
        "assumption_lock_turn",
        "integer",
        "turn from 0",
        "first of two consecutive typed messages that both push back (as turn_pushes_back says,"
        " with `sentences` that of this table), when intent_coherence_curve changes by less than"
        " the model's `flat` from before the first to after the second. As good as the classifier"
        " of messages, which is weak for one message",
        "no such pair, or messages in a language that the classifier was not measured on",
        version=3,
    ),
    _column(
        "plan_ged",
        "real",
        "steps",
        "edit distance between the first and the last plan of the session (approved plans, to-do"
        " lists): a step in or out costs 1, one replaced 1 - cosine, one that is the same 0. Order"
        " is kept: for plans as chains the graph edit distance is at most this",
        "fewer than two plans on record",
    ),
    _column("plan_steps_first", "integer", "steps", "steps of the first plan", "no plan on record"),
    _column(
        "turn_pushes_back",
        "json",
        "list of 0 or 1",
        "of each typed message, as typed_turn_numbers has them: 1: it pushes back by the vector of"
        " its beginning, a linear model with published error rates (docs/turns.md); null in"
        " languages it was not measured on",
        _NO_WEIGHTS,
    ),
    _column(
        "turns_classified",
        "integer",
        "messages",
        "typed messages after the first that turn_pushes_back here has an answer for",
        _NO_WEIGHTS,
    ),
    _column(
        "pushback_turns",
        "integer",
        "messages",
        "of those, the ones that push back; pushback_turns of session_features is the answer of"
        " words",
        _NO_WEIGHTS,
    ),
    _column(
        "goal_alignment_at_close",
        "real",
        "-1 to 1",
        "cosine(task, the agent's last text of the last turn it answered)",
        "no task, or the agent said nothing",
    ),
)

Rows = Mapping[str, Sequence[float]]
"""Text -> vector."""


def texts(conversation: Conversation, scale: Scale) -> list[str]:
    """All texts whose vectors `compute` wants, each once."""
    messages = [
        beginning(e.asked) for e in conversation.exchanges if e.is_typed and scale.classifies
    ]
    return list(dict.fromkeys(text for text in (*_texts(conversation), *messages) if text))


def _texts(conversation: Conversation) -> Iterator[str]:
    if len(conversation.plans) > 1:
        yield from (*conversation.plans[0], *conversation.plans[-1])
    if conversation.task is None:
        return
    for exchange in conversation.exchanges[conversation.task :]:
        yield from (exchange.asked if exchange.has_topic else "", exchange.answered)
    yield _close(conversation)


def compute(conversation: Conversation, rows: Rows, scale: Scale) -> Values:
    plans = conversation.plans
    values = dict.fromkeys(f.name for f in FEATURES)
    values |= {
        "curve_turns": [exchange.turn for exchange in conversation.exchanges],
        "plan_steps_first": len(plans[0]) if plans else None,
        "plan_ged": (
            edit_distance(plans[0], plans[-1], rows, scale.same) if len(plans) > 1 else None
        ),
        **(_pushback(conversation, rows) if scale.classifies else {}),
    }
    task = conversation.task
    if task is None:
        return values
    anchor = rows[conversation.exchanges[task].asked]
    curve = _pollution(conversation, task, rows)
    coherence = [
        _round(cosine(anchor, rows[e.answered])) if i >= task and e.answered else None
        for i, e in enumerate(conversation.exchanges)
    ]
    later = [cp for cp in curve[task + 1 :] if cp is not None]
    close = _close(conversation)
    return values | {
        "cp_curve": curve,
        "max_cp": max(later, default=None),
        "drift_onset_turn": next(
            (i for i, cp in enumerate(curve) if cp is not None and cp > MODERATE), None
        ),
        "drift_onset_calibrated": lasting_onset(curve, scale.drift),
        "intent_coherence_curve": coherence,
        "assumption_lock_turn": _lock(
            conversation, coherence, scale.flat, rows if scale.classifies else None
        ),
        "goal_alignment_at_close": _round(cosine(anchor, rows[close])) if close else None,
    }


def _pushback(conversation: Conversation, rows: Rows) -> Values:
    typed = [e.asked for e in conversation.exchanges if e.is_typed]
    guesses = [
        classify(text, i == 0, rows.get(beginning(text), ())) for i, text in enumerate(typed)
    ]
    later = [guess.pushes_back for guess in guesses[1:] if guess is not None]
    answers = [None if guess is None else int(guess.pushes_back) for guess in guesses]
    return {
        "turn_pushes_back": answers,
        "turns_classified": len(later),
        "pushback_turns": sum(later),
    }


def _pollution(conversation: Conversation, task: int, rows: Rows) -> list[float | None]:
    turns = [
        _turn(exchange, rows) if i >= task else None
        for i, exchange in enumerate(conversation.exchanges)
    ]
    first = turns[task]
    likes = [None if row is None or first is None else cosine(first, row) for row in turns]
    return [None if like is None else _round(max(0.0, 1 - like)) for like in likes]


def _turn(exchange: Exchange, rows: Rows) -> Sequence[float] | None:
    """Mean of the vectors of what was asked and what was answered; None when there is neither."""
    parts = [
        rows[text]
        for text in (exchange.asked if exchange.has_topic else "", exchange.answered)
        if text
    ]
    return [sum(values) for values in zip(*parts, strict=True)] if parts else None


def _round(value: float | None) -> float | None:
    """Vectors are kept in half precision: more digits say nothing."""
    return None if value is None else round(value, 3)


def lasting_onset(curve: Sequence[float | None], threshold: float) -> int | None:
    """The first index beyond the threshold from which on, itself included, two thirds of two or
    more values are: no excursion.
    """
    values = [(i, value) for i, value in enumerate(curve) if value is not None]
    for start, (i, value) in enumerate(values):
        later = [cp > threshold for _, cp in values[start:]]
        if value > threshold and len(later) > 1 and 3 * sum(later) >= 2 * len(later):
            return i
    return None


def _close(conversation: Conversation) -> str:
    return next((e.last_words for e in reversed(conversation.exchanges) if e.last_words), "")


def _lock(
    conversation: Conversation, coherence: Sequence[float | None], flat: float, rows: Rows | None
) -> int | None:
    """See `assumption_lock_turn`; the first message corrects nothing. `rows`: of a model whose
    vectors are classified.
    """
    typed = [(i, e.asked) for i, e in enumerate(conversation.exchanges) if e.is_typed]
    for (first, text), (second, answer) in pairwise(typed[1:]):
        before = coherence[first - 1]
        after = coherence[second]
        guesses = [
            classify(said, vector=None if rows is None else rows.get(beginning(said), ()))
            for said in (text, answer)
        ]
        if not all(guess is not None and guess.pushes_back for guess in guesses):
            continue
        if before is not None and after is not None and abs(after - before) < flat:
            return first
    return None


def edit_distance(first: Sequence[str], last: Sequence[str], rows: Rows, same: float) -> float:
    """Least cost of turning one list of steps into the other; see `plan_ged`."""
    costs = [float(i) for i in range(len(last) + 1)]
    for i, old in enumerate(first, 1):
        before = costs
        costs = [float(i)]
        for j, new in enumerate(last, 1):
            like = 1.0 if old == new else cosine(rows[old], rows[new]) or 0.0
            replaced = before[j - 1] + (0.0 if like >= same else 1 - max(0.0, like))
            costs.append(min(replaced, before[j] + 1, costs[j - 1] + 1))
    return round(costs[-1], 3)
