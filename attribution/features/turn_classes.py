"""What a message of a person does, by small linear models: over words and character n-grams, and
over sentence vectors. Pure.

What a message says outright at its beginning ("still doesn't work", an error) decides before a
model. Words are read on any machine; vectors are those of one encoder
(`attribution/evaluation/models.py`), and their answers stand beside those of words.

The weights were fitted by `benchmarks/turns.py` on labelled messages. Models speak in the languages
in which they were measured on repositories that fitted nothing (docs/turns.md). The word lists of
`words.toml` stay beside them as the plain alternative.

The language of a message is told by its script, and for Latin letters by common words: messages are
short and full of names, which statistical detectors take for any language, and for words a plain
answer is "not known" (docs/decisions/0019-turn-classes.md).
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from attribution.features.word_lists import UNSPACED, lower_case, source, words
from collector.json_values import Numbers
from collector.labels import request_of

_OWN = 400  # characters that are looked at: what follows is often pasted
_NOT_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|@?[\w.~-]*(?:/[\w.@-]+)+|@[\w./-]+", re.S
)
_HANGUL = re.compile("[가-힣]")
_KANA = re.compile("[ぁ-ゖァ-ヺ]")
_HAN = re.compile("[㐀-鿿]")
_CYRILLIC = re.compile("[а-яёіїєґ]", re.I)
_LATIN = re.compile(r"[a-zà-öø-ÿœß]+(?:['’][a-z]+)?", re.I)
_OTHER_SCRIPT = re.compile(r"[^\W\d_]")
_SHARE = 0.15  # of the letters, from which a script decides: one ideograph says as much as a word


class Language(StrEnum):
    ENGLISH = "en"
    JAPANESE = "ja"
    KOREAN = "ko"
    CHINESE = "zh"
    CYRILLIC = "cyrillic"  # a language in that script
    SPANISH = "es"  # goes first where words belong to several
    PORTUGUESE = "pt"
    FRENCH = "fr"
    GERMAN = "de"
    OTHER = "other"  # one of the other languages in Latin letters


# Common words of languages in Latin letters.
_ENGLISH = frozenset(words("english").phrases)
_OTHERS = {
    language: frozenset(words(language).phrases)
    for language in Language
    if language in ("es", "pt", "fr", "de", "other")
}


def language_of(text: str) -> Language | None:
    """None when nothing tells, as in `y`, a bare address or a pasted identifier."""
    beginning = _NOT_WORDS.sub(" ", text.lstrip()[:_OWN])
    letters = len(_OTHER_SCRIPT.findall(beginning))
    if not letters:
        return None
    hangul, kana, han, cyrillic = (
        len(script.findall(beginning)) for script in (_HANGUL, _KANA, _HAN, _CYRILLIC)
    )
    for count, language in ((hangul, Language.KOREAN), (cyrillic, Language.CYRILLIC)):
        if count / letters >= _SHARE:
            return language
    if (kana + han) / letters >= _SHARE:
        return Language.JAPANESE if kana else Language.CHINESE
    return _latin(frozenset(word.lower().replace("’", "'") for word in _LATIN.findall(beginning)))


def _latin(words: frozenset[str]) -> Language | None:
    """English, or the language that most words belong to, of which two are needed: some stand in
    English messages.
    """
    english = len(words & _ENGLISH)
    counts = {language: len(words & known) for language, known in _OTHERS.items()}
    language = max(counts, key=lambda name: counts[name])
    if counts[language] > english and counts[language] >= 2:
        return language
    return Language.ENGLISH if english else None


# --- what a message does --------------------------------------------------------------------------


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.S)
_URL = re.compile(r"https?://\S+")
_PATH = re.compile(
    r"@?[\w.~-]*(?:/[\w.@-]+)+|@[\w./-]+|\b\w+\.(?:py|ts|tsx|js|md|json|go|rs|toml|ya?ml)\b"
)
_TOKEN = re.compile(r"¤\w+|[a-z']+|[0-9]+|[?!]|[^\W\d_a-z]+")
_TROUBLE = re.compile(r"\berror|failed|exception|❯|exit (?:status|code)|traceback")
# characters in which a complaint is looked for: further on it is about something else
_BEGINNING = 40
_OBJECTION = re.compile(
    r"\W*(?:ok(?:ay)?|yes|yeah|yep|nice|great|good|perfect|thanks|thank you|looks?"
    r" (?:good|great)|lgtm|cool|it works|works|almost|better)"
    r"\b[^.?!\n]{0,80}?\b(?:but|however|except)\b(?!"
    r" (?:also|first|can|could|please|let|add|make|then)\b)(?=[^.?!\n]{0,100}\b(?:still|fail\w*"
    r"|(?:is|are|does|do|did|was|has|wo|ca)n't(?!"
    r" (?:need|want))|missing|broken|gone|wrong|errors?|forgot|missed|lost|empty|worse)\b)[^?]*$"
)
_PASTED = re.compile(
    r"\W*(?:traceback \(most|npm err!|error(?:\[\w+\])?:|fatal:|panic:|fail(?:ed)?:?"
    r" +\S+[./]\S+|\w*(?:error|exception)(?: \[\w+\])?: "
    r"|(?:build|compilation|tests?) failed|uncaught |unhandled |exception in thread|segmentation"
    r" fault)"
)
_READ = 300  # characters whose words count: what follows is often pasted
_WORDS = 40  # words whose pairs count
_LINES = 4  # line breaks from which a message is long


class TurnClass(StrEnum):
    PUSHBACK = "pushback"  # refuses, doubts or complains, or reports that it does not work
    CORRECTION = "correction"  # says what it should have been instead
    APPROVAL = "approval"  # agrees, accepts, or picks one of the answers offered
    QUESTION = "question"
    TASK = "task"
    REQUIREMENT = "requirement"  # adds to or changes what was asked
    PACING = "pacing"  # wait, go on, try again, how far are you
    TAKEOVER = "takeover"  # the person does it
    INFORMATION = "information"  # answers, results and other text without a request


PUSHING_BACK = (TurnClass.PUSHBACK, TurnClass.CORRECTION)


class Guess(NamedTuple):
    turn_class: TurnClass
    pushes_back: bool
    probability: float  # that it pushes back


@dataclass(frozen=True, slots=True)
class TurnModel:
    """A linear model: a bias and a weight by feature for each class, and the languages it was
    measured on.
    """

    classes: tuple[TurnClass, ...]
    bias: Sequence[float]
    weights: Mapping[str, Sequence[float]]
    # probability of pushback or correction from which a message counts as pushing back
    threshold: float
    # with its counts there: tp, fp, fn, tn, of whether a message pushes back
    languages: Mapping[str, Numbers]

    def guess(self, features: Mapping[str, float]) -> Guess:
        sums = list(self.bias)
        for name in sorted(features):
            for i, weight in enumerate(self.weights.get(name, ())):
                sums[i] += weight * features[name]
        top = max(sums)
        shares = [math.exp(value - top) for value in sums]
        back = sum(
            share for name, share in zip(self.classes, shares, strict=True) if name in PUSHING_BACK
        ) / sum(shares)
        return Guess(self.classes[sums.index(top)], back >= self.threshold, back)


@cache
def turn_model(by_vectors: bool = False) -> TurnModel:
    """The fitted model over words, or the one over sentence vectors."""
    data = json.loads(source("turn_vectors.json" if by_vectors else "turn_classes.json"))
    scale = data["scale"]
    return TurnModel(
        tuple(TurnClass(name) for name in data["classes"]),
        [value / scale for value in data["bias"]],
        {name: [value / scale for value in values] for name, values in data["weights"].items()},
        data["threshold"],
        data["languages"],
    )


def classify(text: str, first: bool = False, vector: Sequence[float] | None = None) -> Guess | None:
    """None where the model was not measured on the language.

    `first`: it opens the session; `vector`: of its `beginning`.
    """
    model = turn_model(vector is not None)
    if language_of(request_of(text)) not in model.languages:
        return None
    if not first and complains(text):
        return Guess(TurnClass.PUSHBACK, True, 1.0)
    return model.guess(
        turn_features(text, first) | {f"v:{i}": value for i, value in enumerate(vector or ())}
    )


def beginning(text: str) -> str:
    """What a sentence vector is made of: what follows is often pasted."""
    return request_of(text).strip()[:_OWN]


def shows_error(text: str) -> bool:
    """Whether it speaks of an error, or has what a program prints about one, or complains, in
    any language of the word list.
    """
    return _TROUBLE.search(text.lower()) is not None or complains(text)


def complains(text: str) -> bool:
    """Whether a message begins with what says that the work before it did not do: no progress,
    praise with a but, or an error.
    """
    low = lower_case(request_of(text).strip()[:_OWN])
    return (
        words("complaint").occur_in(low[:_BEGINNING])
        or _OBJECTION.match(low) is not None
        or _PASTED.match(low) is not None
    )


def turn_features(text: str, first: bool) -> dict[str, float]:
    """Words, pairs of words, and one to three characters of scripts without blanks; length,
    question marks, pasted trouble.
    """
    whole = _PATH.sub(
        " ¤path ", _URL.sub(" ¤url ", _CODE.sub(" ¤code ", request_of(text)[:20_000]))
    )
    whole = whole.strip().lower().replace("’", "'")
    words = []
    features = set[str]()
    for token in _TOKEN.findall(whole[:_READ]):
        if UNSPACED.search(token):
            edged = f"^{token}$"
            features.update(
                f"c:{edged[i : i + n]}" for n in (1, 2, 3) for i in range(len(edged) - n + 1)
            )
        else:
            words.append("0" if token.isdigit() else token)
    features.update(f"w:{word}" for word in words)
    pairs = ["^", *words[:_WORDS]]
    features.update(f"b:{a} {b}" for a, b in pairwise(pairs))
    features.add(f"len:{min(8, int(math.log2(len(whole) + 1)))}")
    holds = {
        "s:" + " ".join(words[:3]): bool(words),
        "q:end": whole.endswith(("?", "？")),
        "q:any": "?" in whole or "？" in whole,
        "lines": whole.count("\n") >= _LINES,
        "error": shows_error(whole),
        "first": first,
    }
    return dict.fromkeys(features | {name for name, is_so in holds.items() if is_so}, 1.0)
