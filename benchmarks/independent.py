"""Error rates from evidence that is not ours: blind readers, forgotten sessions, lines of known
origin put into real commits.

Called by benchmarks/accuracy.py; the page is docs/accuracy.md. The program ships what is measured
here: the table `confidence`.
"""

from __future__ import annotations

import csv
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import decoys  # noqa: E402
import leave_one_out  # noqa: E402
import spike_in  # noqa: E402
from pages import table  # noqa: E402
from part_of_session import Part  # noqa: E402

from attribution.lineage import minimum  # noqa: E402
from attribution.stats.intervals import Interval, wilson  # noqa: E402
from collector.vocabulary.lines import LINE_CLASSES  # noqa: E402

_STATES = ("complete", "incomplete")
_PERSONS = ("after", "inside", "elsewhere")
BLIND = ROOT / "benchmarks" / "data" / "blind.csv"
READ = ROOT / "benchmarks" / "data" / "became-known.csv"
AIDER = ROOT / "benchmarks" / "data" / "aider-labels.csv"
STUDY = ROOT / "benchmarks" / "data" / "public-study.csv"
# The oldest first; of those of one version that of all classes last.
AUDITS = (
    "first",
    "second",
    "third",
    "fourth",
    "records",
    "records_2",
    "fifth",
    "people",
    "sixth",
    "records_3",
    "people_2",
    "seventh",
    "people_3",
    "eighth",
    "ninth",
)


# --- measured -------------------------------------------------------------------------------------


def forget(path: Path, sessions: int, seed: int) -> dict[str, Any]:
    """One clone: lines of forgotten sessions by what became of them."""
    found = leave_one_out.measure(path, sessions, random.Random(seed))
    return {"sessions": found.sessions, "lines": found.lines, "answers": dict(found.answers)}


def forget_parts(path: Path, sessions: int, seed: int) -> dict[str, dict[str, Any]]:
    """One clone: part of a session -> lines of the calls in it by what became of them when only
    that part is forgotten.
    """
    result = {}
    for part in Part:
        found = leave_one_out.measure(path, sessions, random.Random(seed), part)
        result[part.value] = {
            "sessions": found.sessions,
            "lines": found.lines,
            "answers": dict(found.answers),
        }
    return result


def spike(
    path: Path, donors: Sequence[Path], files: int, seed: int
) -> dict[str, dict[str, dict[str, int]]]:
    """One clone: complete or incomplete (records of the commit) -> kind of spike -> answer ->
    lines.
    """
    rng = random.Random(seed)
    found = spike_in.measure(path, spike_in.Donors(donors, rng), files, rng)
    return {
        state: {kind: dict(answers) for kind, answers in kinds.items()}
        for state, kinds in found.items()
    }


def trap(path: Path, others: Sequence[Path], sessions: int, seed: int) -> dict[str, Any]:
    """One clone: lines given to sessions of other repositories, and lines of bots by answer."""
    apart = [other for other in others if other.resolve() != path.resolve()]
    return decoys.measure(path, apart, sessions, random.Random(seed)).data()


def blind() -> list[dict[str, str]]:
    """Lines that readers decided from raw evidence before they knew the program's answer."""
    return _lines_of(BLIND)


def became_known() -> list[dict[str, str]]:
    """Lines decided from raw evidence by a reader who knew which had become known (`audit` is
    `became`) and which not.
    """
    return _lines_of(READ)


def _lines_of(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def judged(row: Mapping[str, str]) -> str:
    """right, defensible or wrong: the program's class against the reader's finding."""
    said, who, sure = row["class"], row["who"], row["sure"]
    # the second says nothing of an author either
    said = {"likely_human": "human", "undeclared": "unknown"}.get(said, said)
    if said == who or (
        said == "declared" and who in ("unknown", "agent")
    ):  # a statement that no record contradicts, or one bears out
        return "right"
    if sure != "yes":
        return "defensible"
    if said in ("unknown", "declared") or {said, who} == {"agent", "tool"}:
        return "defensible" if said != "unknown" else "avoidable"
    return "wrong"


def confusion(rows: Iterable[Mapping[str, str]]) -> dict[str, dict[str, int]]:
    """The program's class -> the reader's finding -> lines."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        found[row["class"]][row["who"]] += 1
    return {name: dict(found[name]) for name in LINE_CLASSES if name in found}


def confidence(rows: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Per class, how, evidence and reason: lines read, right and wrong ones; and those read and
    right of each audit.
    """
    found: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    audits: dict[tuple[str, ...], dict[str, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0])
    )
    for row in rows:
        tier = (row["class"], _how(row), row["evidence"], row["reason"])
        found[tier][judged(row)] += 1
        counts = audits[tier][row["audit"]]
        counts[0] += 1
        counts[1] += judged(row) == "right"
    names = ("class", "how", "evidence", "reason")
    return [
        dict(zip(names, tier, strict=True))
        | {
            "checked": n.total(),
            "correct": n["right"],
            "wrong": n["wrong"],
            "audits": dict(audits[tier]),
        }
        for tier, n in sorted(found.items())
    ]


def audits_newest_first() -> list[str]:
    """Names of the audits as the lines that were read have them."""
    return [audit.replace("_", "-") for audit in reversed(AUDITS)]


def _how(row: Mapping[str, str]) -> str:
    """What the agent did. Nobody noted it then: an agent's line has what the program finds
    today, if the rest is the same.
    """
    if row["class"] != "agent":
        return "declared" if row["class"] == "declared" else "none"
    same = (row["class"], row["evidence"]) == (row["now_class"], row["now_evidence"])
    return row.get("now_how", "") if same else ""


# --- shown ----------------------------------------------------------------------------------------


def texts(results: Mapping[str, Any]) -> dict[str, object]:
    """Values of docs/templates/accuracy.md."""
    rows, read = blind(), became_known()
    return {
        "became": _blind([row for row in read if row["audit"] == "became"]),
        "became_not": _blind([row for row in read if row["audit"] != "became"]),
        **_aider_labels(_lines_of(AIDER)),
        "blind_repositories": len({row["repository"] for row in rows}),
        "blind_lines": len(rows),
        "least_read": minimum.READ.lines,
        "blind_all": _blind(rows),
        "blind_by_audit": _by_audit(rows),
        "summary": _summary(results, rows),
        "forgotten": _forgotten(results.get("forgotten", {})),
        "forgotten_parts": _forgotten_parts(results.get("forgotten_parts", {})),
        "decoys": _decoys(results.get("decoys", {})),
        "bots": _bots(results.get("decoys", {})),
        "spikes_found": _spikes_found(results.get("spikes", {})),
    }


def _blind(rows: Sequence[Mapping[str, str]]) -> str:
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    sure: Counter[tuple[str, str]] = Counter()  # right, and the reader had no doubt
    for row in rows:
        tier, verdict = (row["class"], row["evidence"]), judged(row)
        found[tier][verdict] += 1
        sure[tier] += verdict == "right" and row["sure"] == "yes"
    lines = [
        (
            f"`{name}`",
            evidence,
            verdicts.total(),
            verdicts["right"],
            sure[name, evidence],
            verdicts["defensible"],
            verdicts["avoidable"],
            verdicts["wrong"],
            _interval(verdicts["right"], verdicts.total()),
        )
        for (name, evidence), verdicts in sorted(
            found.items(), key=lambda one: (LINE_CLASSES.index(one[0][0]), one[0][1])
        )
    ]
    verdict_columns = (
        "right",
        "of these sure",
        "defensible",
        "avoidable unknown",
        "wrong",
        "right, 95 % interval",
    )
    return table(("class", "evidence", "lines read", *verdict_columns), lines)


def _by_audit(rows: Sequence[Mapping[str, str]]) -> str:
    """Right answers of each class, the newest audit first."""
    found: dict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
    for row in rows:
        found[row["audit"]][row["class"], judged(row) == "right"] += 1
    lines = []
    for audit in audits_newest_first():
        right = [found[audit][name, True] for name in LINE_CLASSES]
        read = [found[audit][name, False] + n for name, n in zip(LINE_CLASSES, right, strict=True)]
        cells = [f"{n} of {of}" if of else "" for n, of in zip(right, read, strict=True)]
        lines.append((f"`{audit}`", sum(read), *cells))
    return table(("audit", "lines read", *LINE_CLASSES), lines)


def _summary(results: Mapping[str, Any], rows: Sequence[Mapping[str, str]]) -> str:
    """How often is it wrong, in ten lines: every class that names an author, and the three tests
    with known authors.
    """
    read: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        read[row["class"]][judged(row)] += 1
    named = ("agent", "declared", "human", "likely_human", "tool")
    lines: list[Sequence[object]] = [
        (
            f"lines called `{name}`: right",
            read[name].total(),
            _interval(read[name]["right"], read[name].total()),
        )
        for name in named
    ]
    forgotten = [
        (one["lines"], Counter(one["answers"])) for one in results.get("forgotten", {}).values()
    ]
    lost, answers = (
        sum(n for n, _ in forgotten),
        sum((found for _, found in forgotten), Counter[str]()),
    )
    people = answers["human observed"] + answers["human inferred"]
    lines.append(
        (
            "lines of a session that nobody recorded: called a person's",
            f"{lost:,}",
            _at_most(people, lost),
        )
    )
    others = answers["another session"]
    lines.append(("the same: given to another session", f"{lost:,}", _at_most(others, lost)))
    planted = _persons(results.get("spikes", {}).values(), ("complete",))
    found = planted["human observed"] + planted["human inferred"]
    lines.append(
        (
            "a person's lines where all records are complete: found",
            planted.total(),
            _interval(found, planted.total()),
        )
    )
    lines.append(
        (
            "the same: given to an agent",
            planted.total(),
            _interval(_agents(planted), planted.total()),
        )
    )
    decoyed = results.get("decoys", {}).values()
    given, certain = (sum(one[key] for one in decoyed) for key in ("given", "certain"))
    lines.append(
        (
            "lines beside a session of another repository: given to it",
            f"{given + certain:,}",
            _at_most(given, given + certain),
        )
    )
    return table(("", "lines", "share, 95 % interval"), lines)


def _forgotten(found: Mapping[str, Any]) -> str:
    """All repositories together, and those that no rule was made on apart."""
    lines: list[Sequence[object]] = []
    for name, some in _by_origin(found).items():
        total = sum((Counter(one["answers"]) for one in some), Counter[str]())
        lines.append(
            (name, *_forgotten_cells(sum(one["sessions"] for one in some), total.total(), total))
        )
    return table(("repositories", *_FORGOTTEN), lines)


def _by_origin(found: Mapping[str, Any]) -> dict[str, list[Any]]:
    """held out, tuned on, all -> the results of these repositories, where there are any."""
    every = list(found.values())
    groups = {
        "held out": [one for one in every if one.get("held_out")],
        "tuned on": [one for one in every if not one.get("held_out")],
        "all": every,
    }
    return {name: some for name, some in groups.items() if some}


_FORGOTTEN = (
    "sessions",
    "lines",
    "human",
    "likely human",
    "another session's",
    "another session's, changed since",
    "unknown, declared or a tool's",
)


def _aider_labels(rows: Sequence[Mapping[str, str]]) -> dict[str, object]:
    """Lines by what Aider's own record says of them and by class, and how many histories say
    something.
    """
    studied = {row["repository"] for row in _lines_of(STUDY)}
    lines: list[Sequence[object]] = []
    for origin, label in product(("unused", "in the study"), ("agent", "person")):
        some = [
            row
            for row in rows
            if row["label"] == label and (row["repository"] in studied) == (origin != "unused")
        ]
        counts = {name: sum(int(row[name]) for row in some) for name in LINE_CLASSES}
        lines.append(
            (
                origin,
                label,
                len(some),
                f"{sum(counts.values()):,}",
                *(f"{counts[name]:,}" for name in LINE_CLASSES),
            )
        )
    unused = [row for row in rows if row["repository"] not in studied]
    agents = [row for row in unused if row["label"] == "agent"]
    return {
        "aider_labels": table(
            ("repositories", "Aider's record says", "number", "lines", *LINE_CLASSES), lines
        ),
        "aider_histories": len({row["repository"] for row in rows}),
        "aider_unused": len({row["repository"] for row in unused}),
        "aider_labelled": len({row["repository"] for row in unused if row["label"]}),
        "aider_commits": f"{sum(int(row['agent_commits']) for row in agents):,}",
        "aider_linked": f"{sum(int(row['linked_commits']) for row in agents):,}",
        "aider_nine": sum(
            10 * int(row["agent"]) >= 9 * sum(int(row[name]) for name in LINE_CLASSES)
            for row in agents
        ),
        "aider_number": len(agents),
    }


def _forgotten_parts(found: Mapping[str, Any]) -> str:
    """What became of the lines of lost parts of sessions, by part and repository, and over all
    repositories.
    """
    lines: list[Sequence[object]] = []
    for part in Part:
        total: Counter[str] = Counter()
        sessions = 0
        for name, one in sorted(found.items()):
            known = one["parts"].get(part.value, {})
            if known.get("lines"):
                lines.append((part.value, name, *_part_cells(known["sessions"], known["answers"])))
                total.update(known["answers"])
                sessions += known["sessions"]
        lines.append((part.value, "all", *_part_cells(sessions, total)))
    head = (
        "part",
        "repository",
        "sessions",
        "lines",
        "human",
        "likely human",
        "another session's",
        "changed since",
        "another call of the same session",
        "unknown, declared or a tool's",
    )
    return table(head, lines)


def _part_cells(sessions: int, answers: Mapping[str, int]) -> tuple[object, ...]:
    n = sum(answers.values())
    named = [
        answers.get(name, 0)
        for name in (
            "human observed",
            "human inferred",
            "another session",
            "changed",
            "same session",
        )
    ]
    return sessions, f"{n:,}", *(_share(part, n) for part in (*named, n - sum(named)))


def _forgotten_cells(sessions: int, lines: int, answers: Mapping[str, int]) -> tuple[object, ...]:
    wrong = [
        answers.get(name, 0) for name in ("human observed", "human inferred", "another session")
    ]
    changed = answers.get("changed", 0)
    return (
        sessions,
        f"{lines:,}",
        *(_share(n, lines) for n in (*wrong, changed, lines - sum(wrong) - changed)),
    )


def _spikes_found(found: Mapping[str, Any]) -> str:
    """A person's lines by what is on record of the agents' work for their commits: found, given
    to an agent.
    """
    lines: list[Sequence[object]] = []
    for origin, several in _by_origin(found).items():
        for state in (*_STATES, "all"):
            total = _persons(several, _STATES if state == "all" else (state,))
            hits = total["human observed"] + total["human inferred"]
            if total:
                n = total.total()
                lines.append(
                    (
                        origin,
                        state,
                        n,
                        total["human observed"],
                        _interval(hits, n),
                        _agents(total),
                        _reasons(total),
                    )
                )
    head = (
        "repositories",
        "records",
        "lines",
        "human",
        "human or likely human",
        "an agent's",
        "nobody's: reasons",
    )
    return table(head, lines)


def _persons(several: Iterable[Mapping[str, Any]], states: Sequence[str]) -> Counter[str]:
    """Answer -> planted lines of a person."""
    total: Counter[str] = Counter()
    for one, kind, state in product(several, _PERSONS, states):
        total.update(one.get(state, {}).get(kind, {}))
    return total


def _agents(answers: Mapping[str, int]) -> int:
    return sum(count for answer, count in answers.items() if answer.startswith("agent"))


def _decoys(found: Mapping[str, Any]) -> str:
    """Lines given to decoys among those of the commits beside which they were put, and what that
    says of the others at most.
    """
    names = ("decoys", "written", "genuine", "given", "certain")
    total = {name: sum(one[name] for one in found.values()) for name in names}
    share = wilson(total["given"], total["given"] + total["certain"])
    bound = "–"
    if share is not None and total["written"]:
        factor = 1 + total["genuine"] / total["written"]
        bound = f"{100 * min(1.0, share.high * factor):.2f} %"
    head = (
        "decoys",
        "lines that decoys wrote",
        "that the sessions wrote",
        "given to decoys",
        "given to sessions",
        "false lines at most, 95 %",
    )
    return table(head, [(*(f"{total[name]:,}" for name in names), bound)])


def _bots(found: Mapping[str, Any]) -> str:
    """What is said of the lines of commits by automation accounts."""
    total: Counter[str] = Counter()
    for one in found.values():
        total.update(one["bots"])
    n, commits = total.total(), sum(one["bot_commits"] for one in found.values())
    human = total["human observed"] + total["human inferred"]
    agent = total["another session"] + total["changed"]
    cells = [
        (
            commits,
            f"{n:,}",
            *(
                _at_most(part, n)
                for part in (human, agent, total["tool"], n - human - agent - total["tool"])
            ),
        )
    ]
    return table(
        (
            "commits of bots",
            "lines",
            "human or likely human",
            "an agent's by evidence",
            "a tool's",
            "other",
        ),
        cells,
    )


def _at_most(part: int, whole: int) -> str:
    found = wilson(part, whole)
    return "–" if found is None else f"{part:,} (at most {100 * found.high:.2f} %)"


def _reasons(answers: Mapping[str, int]) -> str:
    """The most frequent reasons of lines that nobody was named for."""
    reasons: Counter[str] = Counter()
    for answer, count in answers.items():
        author, _, reason = answer.partition(" ")
        if author in ("unknown", "declared"):
            reasons[reason or author] += count
    return ", ".join(
        f"{count} {reason.replace('_', ' ')}" for reason, count in reasons.most_common(3)
    )


def _interval(right: int, n: int) -> str:
    found: Interval | None = wilson(right, n)
    return (
        "–"
        if found is None
        else f"{100 * right / n:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f})"
    )


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.2f} %)" if whole else "–"
