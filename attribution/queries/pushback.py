"""How often people push back, by agent, language or driver: in words, corrected for the
classifier's errors, and in deeds.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from attribution.features.turn_classes import TurnModel, turn_model
from attribution.lineage import minimum
from attribution.queries.features import session_features
from attribution.stats.agreement import Confusion, Corrected, correct_share, kappa
from collector.errors import WhoWroteError
from collector.json_values import Numbers, Row
from collector.storage.store import Store
from collector.storage.views import Column, Table

ALL = "all"
UNKNOWN = "not known"


class By(StrEnum):
    AGENT = "agent"
    LANGUAGE = "language"
    DRIVER = "driver"


_SHARES = {
    "classified": "of those, messages in a language that the classifier was measured on",
    "counted": "of the classified ones, those that push back by the classifier",
    "share": (
        "share of the classified messages that push back, corrected for errors; NULL with few"
        " messages [share]"
    ),
    "low": "lower end of its 95 % interval; NULL with few messages [share]",
    "high": "upper end of its 95 % interval; NULL with few messages [share]",
    "note": "why there is no share",
}
_COLUMNS = {
    "name": "agent, code of a language, or what sent the prompts; all",
    "messages": "messages after the first of a session",
    "listed": "of all, those that push back by the word lists; NULL by language",
    **_SHARES,
    **{f"vector_{name}": f"the same by sentence vectors: {text}" for name, text in _SHARES.items()},
    "deeds_answers": "messages after a turn that wrote lines",
    "deeds_changed": "of those, turns that changed or removed lines of the turn before",
    "deeds_undone": "of those, turns that put a place back exactly as it was before that turn",
    "deeds_classified": "of the answers, messages that the classifier has read",
    "deeds_said_and_changed": "of those, pushing back in words and in deed",
    "deeds_said_only": "in words alone",
    "deeds_changed_only": "in deed alone",
    "deeds_kappa": (
        "Cohen's kappa of word and deed; NULL with few messages, or when chance alone explains all"
    ),
    "deeds_agree": (
        "share of the classified answers of which word and deed say the same; NULL with few"
        " messages [share]"
    ),
}


def pushback_table(store: Store, repo: int | None = None, by: By = By.AGENT) -> Table:
    """The shares of every agent or language as a table.

    Raises WhoWroteError when nobody typed a second message.
    """
    columns = [
        Column(name, "", text + (" [agent]" if name == "name" and by is By.AGENT else ""))
        for name, text in _COLUMNS.items()
    ]
    notes = [
        "Shares of the classified messages, corrected for the classifier's errors (docs/turns.md).",
        (
            "After lines: messages after a turn that wrote lines; changed, undone: by the turn of"
            " the message."
        ),
    ]
    return Table("pushback", "How often people push back.", columns, _rows(store, repo, by), notes)


class Message(NamedTuple):
    """A typed message after the first of its session."""

    agent: str
    language: str
    driver: str
    pushes_back: bool | None  # None: not classified
    by_vector: bool | None  # the same by its sentence vector
    # its turn changed lines of the turn before; None: that turn wrote nothing
    changed: bool | None = None
    undone: bool = False  # or put a place back as it was before


def _rows(store: Store, repo: int | None, by: By) -> list[Row]:
    """A row for each agent or language with later messages, most messages first, and one for
    all.
    """
    groups = defaultdict(list)
    listed: Numbers = defaultdict(int)
    for count, messages in _later(store, repo):
        for name in {getattr(messages[0], by), ALL}:
            listed[name] += count
        for message in messages:
            for name in (getattr(message, by), ALL):
                groups[name].append(message)
    if not groups:
        raise WhoWroteError(
            "nobody typed a second message in these sessions",
            "Run whowrote repo on a clone with transcripts first",
        )
    rows = [share_row(name, messages, by, listed.get(name, 0)) for name, messages in groups.items()]
    return sorted(rows, key=lambda row: (row["name"] == ALL, -row["messages"], row["name"]))


_FEATURES = (
    "turns_classified",
    "user_msg_lengths",
    "typed_turn_numbers",
    "turn_languages",
    "turn_pushes_back",
    "correction_turns",
)
_ANSWERS = (
    "SELECT session_id, turn_index + 1 AS turn, changed_next > 0 AS changed, places_undone > 0 AS"
    " undone FROM turn_outcomes WHERE produced > 0 AND (?1 IS NULL OR repo_id = ?1)"
)


def _later(store: Store, repo: int | None) -> Iterator[tuple[int, list[Message]]]:
    """Count of the word lists and later messages of each session."""
    deeds = {
        (row["session_id"], row["turn"]): (bool(row["changed"]), bool(row["undone"]))
        for row in store.rows(_ANSWERS, (repo,))
    }
    vectors = _vector_answers(store, repo)
    for values in session_features(store, repo, only=_FEATURES):
        if values["turns_classified"] is None or len(values["user_msg_lengths"] or ()) < 2:
            continue
        agent = values["agent"] or ""
        driver = values["driver"]
        typed = values["typed_turn_numbers"]
        backs = values["turn_pushes_back"]
        by_vector = vectors.get(values["session_id"], [])
        if len(by_vector) != len(typed):  # none, or those of a session that has gone on since
            by_vector = [None] * len(typed)
        messages = []
        for turn, spoken, *said in list(
            zip(typed, values["turn_languages"], backs, by_vector, strict=True)
        )[1:]:
            words, vector = (None if back is None else bool(back) for back in said)
            messages.append(
                Message(
                    agent,
                    spoken or UNKNOWN,
                    driver,
                    words,
                    vector,
                    *deeds.get((values["session_id"], turn), ()),
                )
            )
        yield values["correction_turns"] or 0, messages


def _vector_answers(store: Store, repo: int | None) -> dict[int, list[int | None]]:
    """Session -> for each typed message, whether it pushes back; None: its language was not
    measured.
    """
    sql = (
        "SELECT session_id, turn_pushes_back FROM session_drift WHERE turn_pushes_back IS NOT NULL"
        " AND ?1 IN (repo_id, 0)"
    )
    rows = store.rows(sql, (repo or 0,)) if store.has("session_drift") else []
    return {row["session_id"]: json.loads(row["turn_pushes_back"]) for row in rows}


def share_row(name: str, messages: Sequence[Message], by: By, listed: int) -> Row:
    """The columns of `_COLUMNS` for the later messages to one agent, or in one language; shares
    of few messages are None.
    """
    language = name if by is By.LANGUAGE and name != ALL else None
    return {
        "name": name,
        "messages": len(messages),
        "listed": None if by is By.LANGUAGE else listed,
        **_shares([message.pushes_back for message in messages], turn_model(), language),
        **_shares(
            [message.by_vector for message in messages],
            turn_model(by_vectors=True),
            language,
            "vector_",
        ),
        **_deeds(messages),
    }


def _shares(
    answers: Sequence[bool | None], model: TurnModel, language: str | None, prefix: str = ""
) -> Row:
    """The columns of `_SHARES`, corrected for the errors of the model that answered, in all
    measured languages or in one.
    """
    said = [answer for answer in answers if answer is not None]
    counts = [counts for name, counts in model.languages.items() if language in (None, name)]
    missing = ", or no sentence vectors (whowrote data embed --model sentences)" if prefix else ""
    share = Corrected(None, None, None, f"language not measured{missing}")
    if counts and said:
        rates = Confusion(**{name: sum(each[name] for each in counts) for name in counts[0]})
        share = correct_share(sum(said), len(said), rates)
    if said and len(said) < minimum.MESSAGES:
        share = Corrected(None, None, None, "too few messages")
    values = (len(said), sum(said), share.rate, share.low, share.high, share.note)
    return {prefix + name: value for name, value in zip(_SHARES, values, strict=True)}


def _deeds(messages: Iterable[Message]) -> Row:
    """What the turns of messages that answer a turn which wrote lines did with them.

    In any language.
    """
    answered = [message for message in messages if message.changed is not None]
    pairs = [
        (message.pushes_back, message.changed)
        for message in answered
        if message.pushes_back is not None
    ]
    only_said = pairs.count((True, False))
    only_changed = pairs.count((False, True))
    several = len(pairs) >= minimum.MESSAGES
    return {
        "deeds_answers": len(answered),
        "deeds_changed": sum(bool(message.changed) for message in answered),
        "deeds_undone": sum(message.undone for message in answered),
        "deeds_classified": len(pairs),
        "deeds_said_and_changed": pairs.count((True, True)),
        "deeds_said_only": only_said,
        "deeds_changed_only": only_changed,
        "deeds_kappa": (
            kappa([(str(said), str(changed)) for said, changed in pairs]) if several else None
        ),
        "deeds_agree": (len(pairs) - only_said - only_changed) / len(pairs) if several else None,
    }
