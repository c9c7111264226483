"""How often people push back, by agent or by language: in words, corrected for the classifier's measured errors, and in deeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from attribution.features.turn_classes import error_counts
from attribution.lineage import minimum
from attribution.queries.features import session_features
from attribution.stats.agreement import Confusion, Corrected, correct_share, kappa
from collector.errors import WhoWroteError
from collector.storage.store import Store
from collector.storage.views import Column, Table

ALL = "all"
UNKNOWN = "not known"


class By(StrEnum):
    AGENT = "agent"
    LANGUAGE = "language"


@dataclass(frozen=True, slots=True)
class Deeds:
    """Messages that answer a turn which wrote lines: what the turn of the message did with them. In any language."""

    answers: int
    changed: int  # of those, turns that changed or removed lines of the turn before
    undone: int  # of those, turns that put a place back exactly as it was before that turn
    classified: int  # of the answers, messages that the classifier has read: the next ones are of these
    said_and_changed: int
    said_only: int
    changed_only: int
    kappa: float | None  # Cohen's, of pushing back in words and of lines changed; None when chance alone explains all

    @property
    def agree(self) -> float | None:
        """Share of the classified ones of which word and deed say the same."""
        return (self.classified - self.said_only - self.changed_only) / self.classified if self.classified else None


@dataclass(frozen=True, slots=True)
class PushbackShare:
    """Later messages that people typed to one agent, or in one language."""

    name: str  # agent, or code of a language; ALL, UNKNOWN
    messages: int
    classified: int  # in a language that the classifier was measured on
    counted: int  # of those, pushing back by the classifier
    listed: int | None  # of all, by the word lists, which have a number for sessions only: None by language
    corrected: Corrected  # share of the classified ones
    deeds: Deeds

    def row(self) -> dict[str, Any]:
        """Plain values; shares of few messages are None."""
        enough, several = self.classified >= minimum.MESSAGES, self.deeds.classified >= minimum.MESSAGES
        deeds = {f"deeds_{name}": value for name, value in asdict(self.deeds).items()}
        shares = {"share": self.corrected.rate, "low": self.corrected.low, "high": self.corrected.high} if enough else {}
        note = self.corrected.note if enough or not self.classified else "too few messages"
        agree = {"deeds_agree": self.deeds.agree if several else None, "deeds_kappa": self.deeds.kappa if several else None}
        counts = {"name": self.name, "messages": self.messages, "classified": self.classified, "counted": self.counted}
        return {**counts, "listed": self.listed, "share": None, "low": None, "high": None, **shares, "note": note, **deeds, **agree}


_COLUMNS = {
    "name": "agent, or code of a language; all",
    "messages": "messages after the first of a session",
    "classified": "of those, messages in a language that the classifier was measured on",
    "counted": "of the classified ones, those that push back by the classifier",
    "listed": "of all, those that push back by the word lists; NULL by language",
    "share": "share of the classified messages that push back, corrected for errors; NULL with few messages [share]",
    "low": "lower end of its 95 % interval; NULL with few messages [share]",
    "high": "upper end of its 95 % interval; NULL with few messages [share]",
    "note": "why there is no share",
    "deeds_answers": "messages after a turn that wrote lines",
    "deeds_changed": "of those, turns that changed or removed lines of the turn before",
    "deeds_undone": "of those, turns that put a place back exactly as it was before that turn",
    "deeds_classified": "of the answers, messages that the classifier has read",
    "deeds_said_and_changed": "of those, pushing back in words and in deed",
    "deeds_said_only": "in words alone",
    "deeds_changed_only": "in deed alone",
    "deeds_kappa": "Cohen's kappa of word and deed; NULL with few messages, or when chance alone explains all",
    "deeds_agree": "share of the classified answers of which word and deed say the same; NULL with few messages [share]",
}


def pushback_table(store: Store, repo: int | None = None, by: By = By.AGENT) -> Table:
    """The shares of every agent or language as a table. Raises WhoWroteError when nobody typed a second message."""
    columns = [
        Column(name, "", text + (" [agent]" if name == "name" and by is By.AGENT else "")) for name, text in _COLUMNS.items()
    ]
    rows = [share.row() for share in pushback_shares(store, repo, by)]
    notes = [
        "Shares of the classified messages, corrected for the classifier's errors (docs/turns.md).",
        "After lines: messages after a turn that wrote lines; changed, undone: by the turn of the message.",
    ]
    return Table(
        "pushback", "How often people push back.", columns, [{name: row[name] for name in _COLUMNS} for row in rows], notes
    )


class _Message(NamedTuple):
    """A typed message after the first of its session."""

    agent: str
    language: str
    pushes_back: bool | None  # None: not classified
    answered: _Answered | None  # None: the turn before it wrote nothing


class _Answered(NamedTuple):
    """What the turn of a message did with the lines of the turn before."""

    changed: bool
    undone: bool


def pushback_shares(store: Store, repo: int | None = None, by: By = By.AGENT) -> list[PushbackShare]:
    """Shares for each agent or language with later messages, most messages first, and for all. Raises WhoWroteError without any."""
    groups: dict[str, list[_Message]] = defaultdict(list)
    listed: dict[str, int] = defaultdict(int)
    for agent, count, messages in _later(store, repo):
        for name in (agent, ALL):
            listed[name] += count
        for message in messages:
            for name in (message.agent if by is By.AGENT else message.language, ALL):
                groups[name].append(message)
    if not groups:
        raise WhoWroteError(
            "nobody typed a second message in these sessions", "Run whowrote repo on a clone with transcripts first"
        )
    shares = [_share(name, messages, by, listed.get(name, 0)) for name, messages in groups.items()]
    return sorted(shares, key=lambda share: (share.name == ALL, -share.messages, share.name))


def _later(store: Store, repo: int | None) -> Iterator[tuple[str, int, list[_Message]]]:
    """Agent, count of the word lists and later messages of each session."""
    answered = _turn_answers(store, repo)
    for row in session_features(store, repo):
        values = row.values
        if values["turns_classified"] is None or len(values["user_msg_lengths"] or ()) < 2:
            continue
        instructions = zip(values["typed_turn_numbers"], values["turn_languages"], values["turn_pushes_back"], strict=True)
        messages = [
            _Message(
                row.agent or "", language or UNKNOWN, None if back is None else bool(back), answered.get((row.session_id, turn))
            )
            for turn, language, back in list(instructions)[1:]
        ]
        yield row.agent or "", values["correction_turns"] or 0, messages


def _turn_answers(store: Store, repo: int | None) -> dict[tuple[int, int], _Answered]:
    """(session, turn) -> what the turn did with the lines of the one before, where that one wrote some."""
    rows = store.rows(
        "SELECT session_id, turn_index + 1 AS turn, changed_next > 0 AS changed, places_undone > 0 AS undone "
        "FROM turn_outcomes WHERE produced > 0 AND (?1 IS NULL OR repo_id = ?1)",
        (repo,),
    )
    return {(row["session_id"], row["turn"]): _Answered(bool(row["changed"]), bool(row["undone"])) for row in rows}


def _share(name: str, messages: Iterable[_Message], by: By, listed: int) -> PushbackShare:
    every = list(messages)
    answers = [item.pushes_back for item in every if item.pushes_back is not None]
    rates = error_counts(name if by is By.LANGUAGE and name != ALL else None)
    return PushbackShare(
        name, len(every), len(answers), sum(answers), None if by is By.LANGUAGE else listed, _correction(answers, rates),
        _deeds(every),
    )  # fmt: skip


def _correction(answers: list[bool], rates: Mapping[str, int] | None) -> Corrected:
    if rates is None or not answers:
        return Corrected(None, None, None, "language not measured")
    return correct_share(sum(answers), len(answers), Confusion(**rates))


def _deeds(messages: Iterable[_Message]) -> Deeds:
    after = [item for item in messages if item.answered is not None]
    pairs = [(item.pushes_back, item.answered.changed) for item in after if item.answered and item.pushes_back is not None]
    return Deeds(
        len(after),
        sum(item.answered.changed for item in after if item.answered),
        sum(item.answered.undone for item in after if item.answered),
        len(pairs),
        pairs.count((True, True)),
        pairs.count((True, False)),
        pairs.count((False, True)),
        kappa([(str(answers), str(changed)) for answers, changed in pairs]),
    )
