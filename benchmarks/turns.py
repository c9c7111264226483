"""The classifier of messages: fits its weights, measures it on repositories it was not fitted on,
and writes docs/turns.md.

    python benchmarks/turns.py --page [--check]        the page, from benchmarks/data/turns.csv
                                                       alone
    python benchmarks/turns.py fit DB …                weights and predictions; needs databases with
                                                       prompts, and scikit-learn

`benchmarks/data/turns.csv` holds ids and labels, no text: repository, session, turn, whether it
opens the session, the language, the label that a reader gave, and what models fitted on the other
repositories say, by words and by sentence vectors.
"""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import fill, table  # noqa: E402

from attribution.evaluation.models import SENTENCES, embedder  # noqa: E402
from attribution.features.turn_classes import (  # noqa: E402
    PUSHING_BACK,
    Guess,
    TurnClass,
    TurnModel,
    beginning,
    complains,
    language_of,
    turn_features,
)
from attribution.features.wording import corrects  # noqa: E402
from attribution.stats.agreement import Confusion, confusion  # noqa: E402
from attribution.stats.rates import binomial_interval  # noqa: E402
from collector.labels import request_of  # noqa: E402

DATA = ROOT / "benchmarks" / "data" / "turns.csv"
WEIGHTS = ROOT / "attribution" / "features" / "data"
PAGE, TEMPLATE = ROOT / "docs" / "turns.md", "turns.md"
FOLDS, SCALE = 10, 100
# repositories in which a feature must occur: no phrase of one person is kept
SHARED, SHARED_UNSPACED = 3, 2
# pushing back and not, in at least two repositories, for a language to count as measured
FEWEST = 15
GAIN = 0.25  # sensitivity + specificity - 1 below which the model does not speak in a language
WORDS_THRESHOLD = 0.4  # probability from which words say that a message pushes back
# features of words that stand beside the vector
SIGNS = ("first", "q:end", "q:any", "lines", "error")
# aimed at: the threshold of vectors is where the messages of the other folds reach it
PRECISION = 0.7


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    repository: str
    session: str
    turn: int
    first: int
    language: str
    label: str
    predicted: str = ""
    back: int = 0  # 1: pushes back, by words
    listed: int = 0  # 1: pushes back by the word lists
    words: float = 0.0  # probability of pushing back, by words
    vectors: float = 0.0  # and by vectors
    vectors_back: int = 0  # 1: pushes back, by vectors

    @property
    def pushes_back(self) -> bool:
        return self.label in PUSHING_BACK


def labelled() -> list[LabelledTurn]:
    kinds = {"int": int, "float": float, "str": str}
    with DATA.open(newline="", encoding="utf-8") as file:
        return [
            LabelledTurn(**{f.name: kinds[str(f.type)](row[f.name]) for f in fields(LabelledTurn)})
            for row in csv.DictReader(file)
        ]


def write(rows: Iterable[LabelledTurn]) -> None:
    with DATA.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(
            file, [field.name for field in fields(LabelledTurn)], lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


# --- measuring ------------------------------------------------------------------------------------


def back_confusion(rows: Sequence[LabelledTurn], by: str = "back") -> Confusion:
    """Whether a message pushes back: a reader's word against that of words (back), vectors
    (vectors_back) or lists (listed).
    """
    return confusion([(str(r.pushes_back), str(bool(getattr(r, by)))) for r in rows], "True")


def measured(rows: Sequence[LabelledTurn], by: str = "back") -> dict[str, Confusion]:
    """Languages with enough labels in at least two repositories, later messages alone."""
    found = {}
    for language in sorted({r.language for r in rows if r.language}):
        of = [r for r in rows if r.language == language and not r.first]
        counts = back_confusion(of, by)
        enough = min(counts.tp + counts.fn, counts.tn + counts.fp) >= FEWEST
        gain = (counts.sensitivity or 0.0) + (counts.specificity or 0.0) - 1
        if enough and gain >= GAIN and len({r.repository for r in of}) >= 2:
            found[language] = counts
    return found


def recall_at(precision: float, rows: Sequence[LabelledTurn], by: str) -> float | None:
    """The highest share of what pushes back that is found with such a precision; None without a
    message that does.
    """
    ranked = sorted((-getattr(row, by), row.pushes_back) for row in rows)
    right = list(accumulate(pushes for _, pushes in ranked))
    if not right or not right[-1]:
        return None
    return max((n / right[-1] for i, n in enumerate(right, 1) if n / i >= precision), default=0.0)


def page() -> str:
    rows = [r for r in labelled() if r.vectors]  # of the others no database has the text
    later = [r for r in rows if not r.first]
    languages = sorted(
        {r.language for r in later},
        key=lambda name: (-sum(r.language == name for r in later), name),
    )
    by_language = {"all": later} | {
        _named(name): [r for r in later if r.language == name] for name in languages
    }
    rates = {
        by: [(name, *_rates(back_confusion(of, by))) for name, of in by_language.items()]
        for by in ("back", "listed", "vectors_back")
    }
    aims = [
        (
            name,
            sum(r.pushes_back for r in of),
            len({r.repository for r in of}),
            *_recalls(of, "words"),
            *_recalls(of, "vectors"),
        )
        for name, of in by_language.items()
        if sum(r.pushes_back for r in of) >= FEWEST
    ]
    ways = [f"{by}, at {percent} %" for by in ("words", "vectors") for percent in (70, 60)]
    pairs = [(r.label, r.predicted) for r in rows]
    classes = [(name.value, *_rates(confusion(pairs, name.value))) for name in TurnClass]
    header = ("language", "messages", "precision", "recall", "specificity")
    return fill(
        TEMPLATE,
        {
            "turns": f"{len(rows):,}",
            "repositories": len({r.repository for r in rows}),
            "folds": FOLDS,
            "measured": ", ".join(f"`{name}`" for name in measured(rows)),
            "fewest": FEWEST,
            "gain": f"{GAIN:.2f}",
            "by_vectors": ", ".join(f"`{name}`" for name in measured(rows, "vectors_back")),
            "back": table(header, rates["back"]),
            "lists": table(header, rates["listed"]),
            "vectors": table(header, rates["vectors_back"]),
            "aims": table(("language", "push back", "repositories", *ways), aims),
            "classes": table(("class", *header[1:]), classes),
        },
    )


def _recalls(rows: Sequence[LabelledTurn], by: str) -> tuple[str, ...]:
    return tuple(_percent(recall_at(precision, rows, by)) for precision in (0.7, 0.6))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


def _named(language: str) -> str:
    return language or "not known"


def _rates(c: Confusion) -> tuple[str, ...]:
    return (
        f"{c.tp + c.fn} of {c.tp + c.fp + c.fn + c.tn}",
        _share(c.tp, c.tp + c.fp),
        _share(c.tp, c.tp + c.fn),
        _share(c.tn, c.tn + c.fp),
    )


def _share(count: int, of: int) -> str:
    if not of:
        return "–"
    low, high = binomial_interval(count, of)
    return f"{100 * count / of:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


# --- fitting --------------------------------------------------------------------------------------


def fit(databases: Sequence[Path]) -> None:
    """Fills in languages, predictions and word lists of the labelled messages, and writes the
    weights.

    Messages that no database has are left out of the fit, and keep what is said of them.
    """
    texts = _prompts(databases)
    every = labelled()
    rows = [r for r in every if texts.get((r.session, r.turn))]
    said = [texts[r.session, r.turn] for r in rows]
    rows = [
        replace(row, language=language_of(request_of(text)) or "")
        for row, text in zip(rows, said, strict=True)
    ]
    # as turn_classes.classify decides
    outright = [not row.first and complains(text) for row, text in zip(rows, said, strict=True)]
    features = [turn_features(text, bool(row.first)) for row, text in zip(rows, said, strict=True)]
    encoded = embedder(SENTENCES).embed([beginning(text) for text in said])
    signs = [
        found | {f"v:{i}": value for i, value in enumerate(vector)}
        for found, vector in zip(features, encoded, strict=True)
    ]
    folds = _folds([r.repository for r in rows])
    names = (
        frozenset(_shared(features, [r.repository for r in rows])),
        frozenset((*SIGNS, *(name for name in signs[0] if name[:2] == "v:"))),
    )
    words, vectors = (
        _predictions(rows, features, names[0], folds, outright),
        _predictions(rows, signs, names[1], folds, outright),
    )
    scores = [(row, guess.probability) for row, guess in zip(rows, vectors, strict=True)]
    thresholds = [
        _threshold([pair for pair in scores if folds[pair[0].repository] != fold])
        for fold in range(FOLDS)
    ]
    done = []
    for row, text, word, vector in zip(rows, said, words, vectors, strict=True):
        back, listed = int(word.probability >= WORDS_THRESHOLD), int(corrects(request_of(text)))
        done.append(
            replace(
                row,
                predicted=word.turn_class.value,
                back=back,
                listed=listed,
                words=round(word.probability, 4),
                vectors=round(vector.probability, 4),
                vectors_back=int(vector.probability >= thresholds[folds[row.repository]]),
            )
        )
    known = {(r.session, r.turn): r for r in done}
    write(known.get((r.session, r.turn), r) for r in every)
    _write_weights(
        "turn_classes.json",
        replace(_model(rows, features, names[0], None, folds), threshold=WORDS_THRESHOLD),
        measured(done),
    )
    _write_weights(
        "turn_vectors.json",
        replace(_model(rows, signs, names[1], None, folds), threshold=_threshold(scores)),
        measured(done, "vectors_back"),
    )


def _predictions(
    rows: Sequence[LabelledTurn],
    features: Sequence[Mapping[str, float]],
    names: frozenset[str],
    folds: Mapping[str, int],
    outright: Sequence[bool],
) -> list[Guess]:
    """What models say that were fitted on the other folds."""
    models = [_model(rows, features, names, fold, folds) for fold in range(FOLDS)]
    guesses = [
        models[folds[row.repository]].guess(found)
        for row, found in zip(rows, features, strict=True)
    ]
    return [
        Guess(TurnClass.PUSHBACK, True, 1.0) if says else guess
        for says, guess in zip(outright, guesses, strict=True)
    ]


def _threshold(scores: Sequence[tuple[LabelledTurn, float]]) -> float:
    """The lowest probability from which the precision over later messages is as aimed at."""
    ranked = sorted(
        ((probability, row.pushes_back) for row, probability in scores if not row.first),
        reverse=True,
    )
    right = accumulate(pushes for _, pushes in ranked)
    return min(round(ranked[i - 1][0], 4) for i, n in enumerate(right, 1) if n / i >= PRECISION)


def _prompts(databases: Sequence[Path]) -> dict[tuple[str, int], str]:
    """Session and turn -> prompt; later databases go first."""
    prompts: dict[tuple[str, int], str] = {}
    for path in databases:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as connection:
            rows = connection.execute(
                "SELECT s.key, t.turn_index, t.prompt FROM turns t JOIN sessions s ON s.id ="
                " t.session_id"
            )
            prompts |= {(key, turn): prompt for key, turn, prompt in rows if prompt}
    return prompts


def _shared(found: Sequence[Mapping[str, float]], repositories: Sequence[str]) -> list[str]:
    """Features that occur in several repositories, so that the weights hold nothing of one
    alone.
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for features, repository in zip(found, repositories, strict=True):
        for name in features:
            seen[name].add(repository)
    return sorted(
        name
        for name, at in seen.items()
        if len(at) >= (SHARED_UNSPACED if name.startswith("c:") else SHARED)
    )


def _folds(repositories: Sequence[str]) -> dict[str, int]:
    """Repository -> its fold; the largest are dealt first, each to the smallest fold."""
    sizes: dict[str, int] = defaultdict(int)
    for repository in repositories:
        sizes[repository] += 1
    totals, folds = [0] * FOLDS, {}
    for repository in sorted(sizes, key=lambda name: (-sizes[name], name)):
        folds[repository] = totals.index(min(totals))
        totals[folds[repository]] += sizes[repository]
    return folds


def _model(
    rows: Sequence[LabelledTurn],
    found: Sequence[Mapping[str, float]],
    names: frozenset[str],
    without: int | None,
    folds: Mapping[str, int],
) -> TurnModel:
    """Fitted on all repositories but those of the fold `without`."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    at = [i for i, row in enumerate(rows) if folds[row.repository] != without]
    vectors = DictVectorizer()
    matrix = vectors.fit_transform(
        [{name: value for name, value in found[i].items() if name in names} for i in at]
    )
    model: Any = LogisticRegression(C=1.0, max_iter=2000).fit(matrix, [rows[i].label for i in at])
    weights = {
        name: [float(row[column]) for row in model.coef_]
        for name, column in vectors.vocabulary_.items()
    }
    classes = tuple(TurnClass(name) for name in model.classes_)
    return TurnModel(classes, [float(x) for x in model.intercept_], weights, 0.0, {})


def _write_weights(name: str, model: TurnModel, rates: Mapping[str, Confusion]) -> None:
    rounded = {
        name: [round(SCALE * x) for x in values] for name, values in sorted(model.weights.items())
    }
    kept = {name: values for name, values in rounded.items() if max(map(abs, values)) >= 5}
    data = {
        "about": "Fitted by benchmarks/turns.py; no feature occurs in one repository alone.",
        "scale": SCALE,
        "classes": [name.value for name in model.classes],
        "bias": [round(SCALE * x) for x in model.bias],
        "threshold": model.threshold,
        "languages": {
            name: {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn} for name, c in rates.items()
        },
        "weights": kept,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (WEIGHTS / name).write_text(
        text.replace('],"', '],\n"').replace('"weights":{', '"weights":{\n') + "\n", "utf-8"
    )


def main(words: Sequence[str]) -> int:
    if words[:1] == ["fit"]:
        fit([Path(word) for word in words[1:]])
    elif "--check" in words:
        return int(PAGE.read_text("utf-8") != page())
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
