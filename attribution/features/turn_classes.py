"""What a message of a person does, by a small linear model over words and character n-grams. Runs on any machine; pure.

What a message says outright at its beginning ("still doesn't work", an error) decides before the model.

The weights (`data/turn_classes.json`) were fitted by `benchmarks/turns.py` on messages that were read and labelled. How often it is
right was measured on repositories it was not fitted on, by language (docs/turns.md); where that was not possible it says nothing.
The word lists of `words.toml` stay beside it as the plain alternative.

The language of a message is told by its script, and for Latin letters by common words: messages are short and full of names, which
statistical detectors take for any language, and for words a plain answer is "not known" (docs/decisions/0019-turn-classes.md).
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from attribution.features.word_lists import UNSPACED, lower_case, source, words
from collector.labels import request_of

_OWN = 400  # characters that are looked at: what follows is often pasted
_NOT_WORDS = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|@?[\w.~-]*(?:/[\w.@-]+)+|@[\w./-]+", re.S)
_HANGUL, _KANA, _HAN = re.compile("[가-힣]"), re.compile("[ぁ-ゖァ-ヺ]"), re.compile("[㐀-鿿]")
_CYRILLIC, _LATIN = re.compile("[а-яёіїєґ]", re.I), re.compile(r"[a-zà-öø-ÿœß]+(?:['’][a-z]+)?", re.I)
_OTHER_SCRIPT = re.compile(r"[^\W\d_]")
_SHARE = 0.15  # of the letters, from which a script decides: one ideograph says as much as a word

# Words of English, and of other languages in Latin letters, that few others have.
_ENGLISH, _OTHERS = frozenset(words("english").phrases), frozenset(words("latin").phrases)


class Language(StrEnum):
    ENGLISH = "en"
    JAPANESE = "ja"
    KOREAN = "ko"
    CHINESE = "zh"
    CYRILLIC = "cyrillic"  # a language in that script
    OTHER = "other"  # one of the other languages in Latin letters


def language_of(text: str) -> Language | None:
    """None when nothing tells, as in `y`, a bare address or a pasted identifier."""
    beginning = _NOT_WORDS.sub(" ", text.lstrip()[:_OWN])
    letters = len(_OTHER_SCRIPT.findall(beginning))
    if not letters:
        return None
    hangul, kana, han, cyrillic = (len(script.findall(beginning)) for script in (_HANGUL, _KANA, _HAN, _CYRILLIC))
    for count, language in ((hangul, Language.KOREAN), (cyrillic, Language.CYRILLIC)):
        if count / letters >= _SHARE:
            return language
    if (kana + han) / letters >= _SHARE:
        return Language.JAPANESE if kana else Language.CHINESE
    return _latin([word.lower().replace("’", "'") for word in _LATIN.findall(beginning)])


def _latin(words: list[str]) -> Language | None:
    english, others = sum(word in _ENGLISH for word in words), sum(word in _OTHERS for word in words)
    if others > english and others >= 2:
        return Language.OTHER
    return Language.ENGLISH if english else None


# --- what a message does ----------------------------------------------------------------------------------------------


_CODE, _URL = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.S), re.compile(r"https?://\S+")
_PATH = re.compile(r"@?[\w.~-]*(?:/[\w.@-]+)+|@[\w./-]+|\b\w+\.(?:py|ts|tsx|js|md|json|go|rs|toml|ya?ml)\b")
_TOKEN = re.compile(r"¤\w+|[a-z']+|[0-9]+|[?!]|[^\W\d_a-z]+")
_TROUBLE = re.compile(r"\berror|failed|exception|❯|exit (?:status|code)|traceback")
_BEGINNING = 40  # characters in which a complaint is looked for: further on it is about something else
_OBJECTION = re.compile(
    r"\W*(?:ok(?:ay)?|yes|yeah|yep|nice|great|good|perfect|thanks|thank you|looks? (?:good|great)|lgtm|cool|it works|works|almost|better)"
    r"\b[^.?!\n]{0,80}?\b(?:but|however|except)\b(?! (?:also|first|can|could|please|let|add|make|then)\b)(?=[^.?!\n]{0,100}\b(?:still|fail\w*"
    r"|(?:is|are|does|do|did|was|has|wo|ca)n't(?! (?:need|want))|missing|broken|gone|wrong|errors?|forgot|missed|lost|empty|worse)\b)[^?]*$"
)
_PASTED = re.compile(
    r"\W*(?:traceback \(most|npm err!|error(?:\[\w+\])?:|fatal:|panic:|fail(?:ed)?:? +\S+[./]\S+|\w*(?:error|exception)(?: \[\w+\])?: "
    r"|(?:build|compilation|tests?) failed|uncaught |unhandled |exception in thread|segmentation fault)"
)
_READ = 300  # characters whose words count: what follows is often pasted
_WORDS = 40  # words whose pairs count
_LINES = 4  # line breaks from which a message is long
PUSHES_BACK = 0.4  # probability of pushback or correction from which a message counts as pushing back


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


@dataclass(frozen=True, slots=True)
class Guess:
    turn_class: TurnClass
    pushes_back: bool


@dataclass(frozen=True, slots=True)
class TurnModel:
    """A linear model: a bias and a weight by feature for each class, and the languages it was measured on."""

    classes: tuple[TurnClass, ...]
    bias: Sequence[float]
    weights: Mapping[str, Sequence[float]]
    languages: Mapping[str, Mapping[str, int]]  # with its counts there: tp, fp, fn, tn, by whether a message pushes back

    def probabilities(self, features: frozenset[str]) -> dict[TurnClass, float]:
        sums = list(self.bias)
        for name in sorted(features):
            for i, weight in enumerate(self.weights.get(name, ())):
                sums[i] += weight
        top = max(sums)
        shares = [math.exp(value - top) for value in sums]
        return {turn_class: share / sum(shares) for turn_class, share in zip(self.classes, shares, strict=True)}


@lru_cache(maxsize=1)
def turn_model() -> TurnModel:
    data = json.loads(source("turn_classes.json"))
    scale = data["scale"]
    return TurnModel(
        tuple(TurnClass(name) for name in data["classes"]),
        [value / scale for value in data["bias"]],
        {name: [value / scale for value in values] for name, values in data["weights"].items()},
        data["languages"],
    )


def error_counts(language: str | None = None) -> Mapping[str, int] | None:
    """Messages by whether they push back and whether the model says so (tp, fp, fn, tn): of all measured languages, or of one.

    None where the model was not measured well enough to speak.
    """
    measured = turn_model().languages
    if language is not None:
        return measured.get(language)
    return {name: sum(counts[name] for counts in measured.values()) for name in ("tp", "fp", "fn", "tn")}


def classify(text: str, first: bool = False) -> Guess | None:
    """None where the model was not measured on the language of the message. `first`: it opens the session."""
    model = turn_model()
    if language_of(request_of(text)) not in model.languages:
        return None
    outright = not first and complains(text)
    return Guess(TurnClass.PUSHBACK, pushes_back=True) if outright else guess(model.probabilities(turn_features(text, first)))


def guess(probabilities: Mapping[TurnClass, float]) -> Guess:
    back = probabilities.get(TurnClass.PUSHBACK, 0.0) + probabilities.get(TurnClass.CORRECTION, 0.0)
    return Guess(max(probabilities, key=lambda name: probabilities[name]), back >= PUSHES_BACK)


def shows_error(text: str) -> bool:
    """Whether it speaks of an error, or has what a program prints about one, or complains, in any language of the word list."""
    return _TROUBLE.search(text.lower()) is not None or complains(text)


def complains(text: str) -> bool:
    """Whether a message begins with what says that the work before it did not do: no progress, praise with a but, or an error."""
    low = lower_case(request_of(text).strip()[:_OWN])
    return words("complaint").occur_in(low[:_BEGINNING]) or _OBJECTION.match(low) is not None or _PASTED.match(low) is not None


def turn_features(text: str, first: bool) -> frozenset[str]:
    """Words, pairs of words, and one to three characters of scripts without blanks; length, question marks, pasted trouble."""
    whole = _PATH.sub(" ¤path ", _URL.sub(" ¤url ", _CODE.sub(" ¤code ", request_of(text)[:20_000])))
    whole = whole.strip().lower().replace("’", "'")
    words, features = [], set[str]()
    for token in _TOKEN.findall(whole[:_READ]):
        if UNSPACED.search(token):
            edged = f"^{token}$"
            features.update(f"c:{edged[i : i + n]}" for n in (1, 2, 3) for i in range(len(edged) - n + 1))
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
    return frozenset(features | {name for name, is_so in holds.items() if is_so})
