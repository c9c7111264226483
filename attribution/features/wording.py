"""What user and agent say, by word lists (`data/words.toml`).

Soft signals: a word list knows no irony. Pure.

Lengths are in words (runs without blanks; characters in scripts without blanks): the same for every
model and free of any tokenizer.
"""

import re
import statistics
from collections.abc import Sequence
from functools import lru_cache

from attribution.features.registry import HEURISTIC, Feature, Values
from attribution.features.turn_classes import Language, classify, language_of
from attribution.features.view import SessionView, words_in
from attribution.features.word_lists import lower_case, words
from collector.groups import group_pairs
from collector.json_values import CUT
from collector.labels import request_of
from collector.vocabulary.sessions import FROM_USER

NAME = "wording"
TITLE = "What was said"
ORDER = 40
STAGE = "session"
_NOTHING_TYPED = ("spawned", "nothing_typed")
_NOT_ENGLISH = (*_NOTHING_TYPED, "not_english")
_NOTHING_SAID = ("nothing_said",)
# characters of a message that are searched for corrections: of longer ones most is pasted
_OWN_WORDS = 400
_LONG = 60  # words from which a first message counts as detailed

FEATURES = (
    Feature(
        "user_msg_lengths",
        "json",
        "list of words",
        "length of each message the user typed, in order",
    ),
    Feature(
        "user_msg_length_slope",
        "real",
        "words per message",
        "least-squares slope over user_msg_lengths",
        null=("spawned", "nothing_typed", "one_message"),
    ),
    Feature(
        "turn_languages",
        "json",
        "list of languages",
        "of each typed message, by script and common words: en, es, pt, fr, de, ja, ko, zh,"
        " cyrillic, other; null where it cannot be determined",
        HEURISTIC,
        null=_NOTHING_TYPED,
    ),
    Feature(
        "turn_classes",
        "json",
        "list of classes",
        "of each typed message: pushback, correction, approval, question, task, requirement,"
        " pacing, takeover, information, by a small model with published error rates"
        " (docs/turns.md); null in languages it was not measured on",
        HEURISTIC,
        null=_NOTHING_TYPED,
    ),
    Feature(
        "turn_pushes_back",
        "json",
        "list of 0 or 1",
        "of each typed message: 1: it pushes back (pushback or correction together are probable"
        " enough) by the same model, whose most probable class may be another; null in languages it"
        " was not measured on",
        HEURISTIC,
        null=_NOTHING_TYPED,
    ),
    Feature(
        "turns_classified",
        "integer",
        "messages",
        "typed messages after the first that turn_classes has a class for",
        HEURISTIC,
        null=_NOTHING_TYPED,
    ),
    Feature(
        "pushback_turns",
        "integer",
        "messages",
        "of those, the ones that push back (pushback or correction) by the model: weak for one"
        " session, made for shares of many (`whowrote sessions --by agent`)",
        HEURISTIC,
        null=(*_NOTHING_TYPED, "one_message", "not_classified"),
    ),
    Feature(
        "correction_turns",
        "integer",
        "messages",
        "typed messages after the first whose first 400 characters hold a phrase of the list"
        " `correction`, or that start with one of `correction_start` (a sentence within too, when a"
        " comma follows)",
        HEURISTIC,
        null=_NOT_ENGLISH,
        version=3,
    ),
    Feature(
        "correction_ratio",
        "real",
        "share",
        "correction_turns / typed messages",
        HEURISTIC,
        null=_NOT_ENGLISH,
        version=3,
    ),
    Feature(
        "last_message_rejects",
        "boolean",
        "0 or 1",
        "1: the first 400 characters of the user's last typed message hold a phrase of the list"
        " `rejection`",
        HEURISTIC,
        null=(*_NOTHING_TYPED, "last_not_english"),
        version=3,
    ),
    Feature(
        "last_message_accepts",
        "boolean",
        "0 or 1",
        "1: the user's last typed message, when it is not the only one, holds a phrase of the list"
        " `acceptance` and is short (12 words at most), and does not reject",
        HEURISTIC,
        null=(*_NOTHING_TYPED, "last_not_english"),
        version=2,
    ),
    Feature("agent_words", "integer", "words", "words of the main agent's text"),
    Feature(
        "last_said",
        "text",
        "text",
        "the main agent's last text, its first 200 characters",
        null=(*_NOTHING_SAID, "not_kept"),
    ),
    Feature(
        "agent_hedging_rate",
        "real",
        "per 100 words",
        "phrases of the list `hedging` in the main agent's text",
        HEURISTIC,
        null=_NOTHING_SAID,
    ),
    Feature(
        "agent_hedging_curve",
        "json",
        "list of per 100 words",
        "the same for each turn; null where the agent said nothing",
        HEURISTIC,
        null=_NOTHING_SAID,
    ),
    Feature(
        "reasoning_lengths",
        "json",
        "list of characters",
        "length of each piece of the main agent's reasoning whose text is on record, in order",
        null=("no_reasoning_text",),
    ),
    Feature(
        "self_correction_count",
        "integer",
        "times",
        "phrases of the list `self_correction` in the main agent's text and recorded reasoning",
        HEURISTIC,
        null=_NOTHING_SAID,
    ),
    Feature(
        "assumption_count",
        "integer",
        "times",
        "phrases of the list `assumption` in the agent's first text and reasoning, before its"
        " second tool call",
        HEURISTIC,
        null=_NOTHING_SAID,
    ),
    Feature(
        "plan_steps_detected",
        "integer",
        "steps",
        "numbered or bulleted lines of the agent's first turn before its first change of a file;"
        " the larger of that and its first to-do list",
        HEURISTIC,
        null=_NOTHING_SAID,
    ),
    Feature(
        "confirmation_requests",
        "integer",
        "times",
        "questions of the list `confirmation` in the main agent's text, and calls of a tool that"
        " asks",
        HEURISTIC,
        null=_NOTHING_SAID,
    ),
    Feature(
        "clarification_sought",
        "boolean",
        "0 or 1",
        "1: in its first turn the agent asked, by a tool that asks or by a question at the end of"
        " its text, before changing anything",
        HEURISTIC,
        null=("no_answer",),
    ),
    Feature(
        "prompt_underspecification",
        "real",
        "0 to 1",
        "mean of: shortness of the first message (1 at 0 words, 0 from 60), no file, path or code"
        " name in it, no word of the list `outcome`; the first message may be a plan",
        HEURISTIC,
        null=(*_NOTHING_TYPED, "command_first", "forked"),
        version=2,
    ),
    Feature(
        "repetition_rate",
        "real",
        "share",
        "calls that repeat an earlier call of the same tool with the same arguments (for shells:"
        " the same command) / calls; arguments of 20,000 characters and more repeat nothing",
        null=("no_call",),
        version=2,
    ),
    Feature(
        "repeated_calls",
        "integer",
        "calls",
        "numerator of repetition_rate",
        null=("no_call",),
        version=2,
    ),
)

_NAMES_CODE = re.compile(
    r"`[^`\n]{1,200}`|\w\.(?:py|go|ts|tsx|js|jsx|rs|java|rb|md|json|ya?ml|toml|sh|css|html|sql|c|h|cpp|kt|swift)\b|\w/\w|\w\(\)"
    r"|[a-z]\w*_\w|\b[a-z]+[A-Z]\w*|@[\w./-]+"
)
_STEP = re.compile(r"^[ \t]{0,6}(?:\d{1,2}[.)]|[-*•]) +\S", re.M)


def compute(view: SessionView) -> Values:
    calls = view.calls
    repeated = _count_repeated(view)
    return {
        **_user_values(view),
        **(_agent_values(view) if view.spoken else {"agent_words": 0}),
        "clarification_sought": _asks_first(view),
        "reasoning_lengths": [len(message.text) for message in view.thought] or None,
        "repeated_calls": repeated if calls else None,
        "repetition_rate": repeated / len(calls) if calls else None,
    }


def _user_values(view: SessionView) -> Values:
    texts = [t.text for t in view.typed]
    opening = next(iter(view.user_turns), None)
    lengths = [words_in(text) for text in texts]
    if not texts or opening is None:
        return {"user_msg_lengths": []}
    languages = [language_of(request_of(text)) for text in texts]
    # what nothing tells may be English
    english = [language in (None, Language.ENGLISH) for language in languages]
    understood = len(texts) == 1 or any(english[1:])
    corrections = sum(1 for text in texts[1:] if corrects(text)) if understood else None
    last = _beginning(texts[-1])
    rejects = words("rejection").occur_in(last)
    accepts = (
        len(texts) > 1
        and not rejects
        and lengths[-1] <= 12
        and words("acceptance").occur_in(last)
        and not corrects(texts[-1])
    )
    return {
        "user_msg_lengths": lengths,
        "user_msg_length_slope": slope(lengths),
        "turn_languages": [None if language is None else language.value for language in languages],
        **_classes(texts),
        "correction_turns": corrections,
        "correction_ratio": None if corrections is None else corrections / len(texts),
        "last_message_rejects": int(rejects) if english[-1] else None,
        "last_message_accepts": int(accepts) if english[-1] else None,
        "prompt_underspecification": (
            underspecification(opening.text)
            if opening.origin in FROM_USER and view.session.fork is None
            else None
        ),
    }


def _classes(texts: Sequence[str]) -> Values:
    """What each message does, and how many of the later ones push back, as far as the model
    speaks.
    """
    guesses = [classify(text, first=i == 0) for i, text in enumerate(texts)]
    later = [guess for guess in guesses[1:] if guess is not None]
    return {
        "turn_classes": [None if guess is None else guess.turn_class.value for guess in guesses],
        "turn_pushes_back": [
            None if guess is None else int(guess.pushes_back) for guess in guesses
        ],
        "turns_classified": len(later),
        "pushback_turns": sum(guess.pushes_back for guess in later) if later else None,
    }


@lru_cache(maxsize=1)
def _start() -> re.Pattern[str]:
    """A phrase of `correction_start` as the first words of a message, or of a sentence when a
    comma follows.
    """
    phrases = words("correction_start").pattern.pattern
    return re.compile(f"^{phrases}|[.!?]\\s+{phrases},")


def corrects(text: str) -> bool:
    """Whether a message corrects the agent, by its beginning: what follows is often pasted."""
    low = _beginning(text)
    return words("correction").occur_in(low) or _start().search(low) is not None


def _beginning(text: str) -> str:
    return lower_case(text.lstrip()[:_OWN_WORDS])


def slope(values: Sequence[float]) -> float | None:
    """Least-squares slope of values over 0, 1, 2, …; None for fewer than two."""
    if len(values) > 1:
        return statistics.linear_regression(range(len(values)), values).slope
    return None


def underspecification(text: str) -> float:
    """0: long, names files or code and says what should come out; 1: none of it."""
    short = max(0.0, 1 - words_in(text) / _LONG)
    nameless = _NAMES_CODE.search(text[:20_000]) is None
    aimless = not words("outcome").occur_in(lower_case(text[:20_000]))
    return round((short + nameless + aimless) / 3, 4)


def _agent_values(view: SessionView) -> Values:
    pieces = group_pairs((message.turn, message.text) for message in view.spoken)
    # a few long texts are searched much quicker
    by_turn = {turn: lower_case("\n".join(texts)) for turn, texts in pieces.items()}
    hedges = {turn: words("hedging").count(text) for turn, text in by_turn.items()}
    sizes = {turn: words_in(text) for turn, text in by_turn.items()}
    whole = sum(sizes.values())
    asks = sum(1 for kind in view.categories if kind == "ask")
    text = "\n".join(by_turn.values())
    thoughts = lower_case("\n".join(message.text for message in view.thought))
    questions = [
        line
        for line in text.split("\n")
        if "?" in line or "please confirm" in line or "let me know if" in line
    ]
    return {
        "agent_words": whole,
        "last_said": view.spoken[-1].text[:200],
        "agent_hedging_rate": 100 * sum(hedges.values()) / whole if whole else None,
        "agent_hedging_curve": [
            round(100 * hedges[t.index] / sizes[t.index], 4) if sizes.get(t.index) else None
            for t in view.user_turns
        ],
        "self_correction_count": (
            words("self_correction").count(text) + words("self_correction").count(thoughts)
        ),
        "assumption_count": words("assumption").count(_opening(view)),
        "plan_steps_detected": _plan_steps(view),
        "confirmation_requests": (
            asks + sum(1 for line in questions if words("confirmation").occur_in(line))
        ),
    }


def _opening(view: SessionView) -> str:
    """What the agent says and thinks in its first turn, before its second tool call."""
    main = [c.at for c in view.calls if not c.agent_id and c.at is not None]
    until = main[1] if len(main) > 1 else float("inf")
    first = _first_turn(view)
    return lower_case(
        "\n".join(
            s.text
            for s in (*view.spoken, *view.thought)
            if s.turn <= first and (s.at or 0.0) <= until
        )
    )


def _first_turn(view: SessionView) -> int:
    return min((s.turn for s in view.spoken), default=0)


def _plan_steps(view: SessionView) -> int:
    first = view.first_edit
    until = view.calls[first].at if first < len(view.calls) else None
    turn = _first_turn(view)
    texts = [
        s.text for s in view.spoken if s.turn == turn and (until is None or (s.at or 0.0) <= until)
    ]
    listed = sum(len(_STEP.findall(text)) for text in texts)
    todo = next(
        (c.input for c, kind in zip(view.calls, view.categories, strict=True) if kind == "todo"), ""
    )
    return max(listed, todo.count('"status"'))


def _asks_first(view: SessionView) -> int | None:
    """Whether the agent asked before it changed anything, in the first turn it answered."""
    turns = [e.turn for kind in (view.spoken, view.calls) for e in kind]
    if not turns:
        return None
    first = min(turns)
    kinds = [
        (k, c)
        for k, c in zip(view.categories, view.calls, strict=True)
        if c.turn == first and not c.agent_id
    ]
    before = next((i for i, (kind, _) in enumerate(kinds) if kind in ("edit", "write")), None)
    if any(kind == "ask" for kind, _ in kinds[:before]):
        return 1
    last = next((s.text for s in reversed(view.spoken) if s.turn == first), "")
    return int(before is None and last.rstrip().rstrip("*_)").endswith("?"))


def _count_repeated(view: SessionView) -> int:
    earlier = set()
    count = 0
    for call in view.calls:
        key = (
            call.agent_id,
            call.name,
            call.command.text if call.command is not None else call.input,
        )
        count += key in earlier and len(key[2]) < CUT  # of longer arguments the ends may differ
        earlier.add(key)
    return count
