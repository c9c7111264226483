"""Writes the pages that come from the code: docs/schema.md, docs/cli.md, docs/agents.md with
agents-tested.md and accounts.md, docs/metrics.md, the error rates in README.md and the limits in
docs/security.md, the attacks in docs/security-tests.md.

    python docs/generate.py [--check]

`--check` only tells whether they are up to date. The prose is in docs/templates.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import click  # noqa: E402
from pages import fill, fill_each, table  # noqa: E402

from attribution.exchange.exports import exports  # noqa: E402
from attribution.exchange.producers import producers  # noqa: E402
from attribution.features import Feature  # noqa: E402
from attribution.stats.accuracy import class_rate, measurements, newest_rate  # noqa: E402
from collector.agents import readers, stores, unproven  # noqa: E402
from collector.agents.common.reader import FACETS  # noqa: E402
from collector.agents.machine.model import Store  # noqa: E402
from collector.checkpoints import layouts  # noqa: E402
from collector.model import TranscriptReader  # noqa: E402
from collector.storage.views import tables  # noqa: E402
from collector.vocabulary.agents import DECLARED, STATEMENTS, label_of  # noqa: E402
from collector.vocabulary.lines import LINE_CLASSES  # noqa: E402
from collector.vocabulary.schema import vocabularies  # noqa: E402


def schema_page() -> str:
    """Tables, views and columns from the comments in collector/storage/schema."""
    parts = []
    title = ""
    for found in tables():
        if found.section.title != title:
            title = found.section.title
            parts += [f"## {title}\n", *([f"{found.section.text}\n"] if found.section.text else [])]
        parts.append(f"### {found.name}{' (view)' if found.is_view else ''}\n\n{found.comment}\n")
        if found.is_view:
            columns = table(("column", ""), [(f"`{c.name}`", c.comment) for c in found.columns])
        else:
            columns = table(
                ("column", "type", ""), [(f"`{c.name}`", c.type, c.comment) for c in found.columns]
            )
        parts.append(columns + "\n")
    return fill("schema.md", {"tables": "\n".join(parts), "words": "\n".join(_words())})


def _words() -> Iterator[str]:
    """Every closed set of words with what each means."""
    for name, words in vocabularies().items():
        rows = [(f"`{word}`" if word else "(empty)", word.meaning) for word in words]
        yield f"### {name}\n\n{_summary(words.__doc__)}\n\n{table(('word', ''), rows)}\n"


def cli_page() -> str:
    """Every command's help."""
    from attribution.cli import cli

    parts = []
    for path, command in _commands("whowrote", cli):
        context = click.Context(command, info_name=path, max_content_width=100, terminal_width=100)
        parts.append(f"## {path}\n\n```\n{command.get_help(context).rstrip()}\n```\n")
    return fill("cli.md", {"commands": "\n".join(parts)})


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _commands(f"{path} {name}", command.commands[name])


@cache
def agents_pages() -> dict[str, str]:
    """Agents, how well each was tested, their accounts, checkpoint layouts, claims and exports of
    this version, from the modules that read and write them.
    """
    facets = [
        (meaning, *("yes" if facet in r.GIVES else "–" for r in readers()))
        for facet, meaning in FACETS.items()
    ]
    claims = [(p.LABEL, f"`{p.NAME}`", p.FOUND, _summary(p.__doc__)) for p in producers()]
    return fill_each(
        _AGENTS_PAGES,
        {
            "agents": table(
                ("agent", "name in the database", "proven by", "format"),
                [
                    (label_of(r.NAME), f"`{r.NAME}`", _proof(r), _summary(r.__doc__))
                    for r in readers()
                ],
            ),
            "unproven": ", ".join(sorted(map(label_of, unproven()))),
            "measured": table(
                _MEASURED, [_measured(r, json.loads(_AGENTS.read_text("utf-8"))) for r in readers()]
            ),
            "lab": table(
                _LAB,
                [
                    row
                    for r in readers()
                    for row in _lab(r, json.loads(_LAB_ROWS.read_text("utf-8")))
                ],
            ),
            "explained": table(("agent", "version", "scenario", "differs in", "why"), _explained()),
            "facets": table(("", *(label_of(r.NAME) for r in readers())), facets),
            "statements": table(
                ("form", "sort", "names", "written by or documented in", "seen in"), _statements()
            ),
            "declared": table(
                ("agent", "name in the database"), [(a.label, f"`{a.slug}`") for a in DECLARED]
            ),
            "accounts": table(
                ("agent", "accounts", "documented or seen in", "listed since"), _accounts()
            ),
            "local": table(
                ("agent", "where", "known from", "deleted by the agent"),
                [
                    (
                        label_of(s.agent),
                        _where(s),
                        "real" if s.proven else "documentation",
                        _deleted(s),
                    )
                    for s in stores()
                ],
            ),
            "layouts": table(
                ("layout", "where"),
                [(f"`{layout.NAME}`", _summary(layout.__doc__)) for layout in layouts()],
            ),
            "producers": table(
                ("tool", "name in the database", "where it is looked for", "format"), claims
            ),
            "exports": table(
                ("format", "`FORMAT`", "what is written"),
                [(e.LABEL, f"`{e.NAME}`", e.GIVES) for e in exports()],
            ),
        },
    )


_AGENTS = ROOT / "benchmarks" / "data" / "agents.json"
# where transcripts of the other agents were found
_PUBLIC = ROOT / "benchmarks" / "data" / "agents-public.json"
_MEASURED = (
    "agent",
    "read from",
    "sessions (copies)",
    "repositories",
    "versions",
    "calls, counted independently",
    "edits replayed, unmatched",
    "calls with a time",
    "with a result",
    "sessions with a model",
    "with tokens",
)


def _measured(reader: TranscriptReader, found: Mapping[str, Any]) -> tuple[str, ...]:
    """A row of what benchmarks/agents.py measured; of an agent without a session in those clones
    the word alone.
    """
    one = found.get(reader.NAME)
    if one is None:
        word = "documentation, untested" if reader.NAME in unproven() else "real, elsewhere"
        return (label_of(reader.NAME), word, *["–"] * (len(_MEASURED) - 2))
    applied, unmatched, versions = one["applied"], one["unmatched"], one["versions"]
    edits = (
        f"{applied}, {unmatched} ({unmatched / (applied + unmatched):.1%})"
        if applied + unmatched
        else "none"
    )
    numbered = sorted(
        (v for v in versions if v[:1].isdigit()),
        key=lambda v: [int(n) for n in re.findall(r"\d+", v)],
    )
    span = f"{numbered[0]} … {numbered[-1]}" if len(numbered) > 1 else "".join(numbered) or "–"
    return (
        label_of(reader.NAME),
        "real",
        f"{one['sessions']} ({one['files']})",
        str(len(one["repositories"])),
        span,
        f"{one['calls']:,}, {one['independent']:,}",
        edits,
        *(f"{one[name] / max(1, one['all_calls']):.0%}" for name in ("timed", "ended")),
        *(f"{one[name]} of {one['sessions']}" for name in ("models", "tokens")),
    )


def _where(store: Store) -> str:
    """Places and the files in them, as the program looks for them."""
    inside = [f"`{store.inside}` in the worktree"] if store.inside else []
    found = ", ".join([*(f"`{place}`" for place in store.at), *inside])
    return found + (
        ": " + ", ".join(f"`{pattern}`" for pattern in store.patterns) if store.patterns else ""
    )


def _deleted(store: Store) -> str:
    return f"after {store.kept_days} days" if store.kept_days else "–"


def _proof(reader: TranscriptReader) -> str:
    """The newest version that the lab ran, and public repositories with transcripts that are
    read.
    """
    rows = [
        row
        for row in json.loads(_LAB_ROWS.read_text("utf-8")).values()
        if row["agent"] == reader.NAME
    ]
    newest = max(
        rows, key=lambda row: [int(part) for part in row["version"].split(".")], default=None
    )
    measured = json.loads(_AGENTS.read_text("utf-8")).get(reader.NAME, {}).get("repositories", [])
    public = measured or json.loads(_PUBLIC.read_text("utf-8")).get(reader.NAME, [])
    more = f" and {len(public) - 1} more" if len(public) > 1 else ""
    proofs = [f"lab, {newest['version']} on {newest['day']}"] if newest else []
    return "; ".join([*proofs, *(f"{name}{more}" for name in public[:1])]) or "untested"


def _statements() -> Sequence[tuple[str, ...]]:
    """A row for each form in which commits name agents."""
    names = {
        "agent": "agent, model",
        "key": "session",
        "yes": "yes or no",
        "uses": "parts of the change",
        "model": "model",
    }
    rows = [
        (
            ", ".join(f"`{key}:`" for key in form["keys"]),
            form["sort"],
            names[form["value"]],
            form["source"],
            form["seen"],
        )
        for form in STATEMENTS["trailer"]
    ]
    for form in STATEMENTS["body"]:
        known = form.get("agent", "agent, model")
        rows.append((f"such as *{form['such']}*", form["sort"], known, "commits", form["seen"]))
    return rows


def _accounts() -> Sequence[tuple[str, ...]]:
    """A row for each program whose accounts are listed: agents, then what merges or reviews."""
    agents = [(label_of(entry["agent"]), entry) for entry in STATEMENTS["account"]]
    asides = [(f"({entry['does']} only)", entry) for entry in STATEMENTS["aside"]]
    return [
        (name, _addresses(entry["accounts"]), entry["source"], str(entry["listed"]))
        for name, entry in (*agents, *asides)
    ]


def _addresses(pattern: str) -> str:
    """A pattern of accounts for readers: what may not stand before an address is left out."""
    return f"`{re.sub(r'[(][?]<![^)]*[)]', '', pattern).replace('|', ' or ')}`"


_LAB_ROWS = ROOT / "benchmarks" / "data" / "lab.json"
_LAB = ("agent", "version", "day", "scenarios", "calls", "edits", "agent's lines", "differs in")


def _lab(reader: TranscriptReader, outcomes: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row for each version that the lab ran of this agent; numbers are read and served in all its
    scenarios.
    """
    runs: dict[str, list[Mapping[str, Any]]] = {}
    for row in outcomes.values():
        if row["agent"] == reader.NAME:
            runs.setdefault(row["version"], []).append(row)
    return [
        (
            label_of(reader.NAME),
            version,
            max(row["day"] for row in rows),
            str(len(rows)),
            *(_read_of_served(row[name] for row in rows) for name in _READ),
            ", ".join(dict.fromkeys(what for row in rows for what in row["differences"])) or "–",
        )
        for version, rows in runs.items()
    ]


_READ = ("calls", "edits", "agent_lines")


def _read_of_served(parts: Iterable[str]) -> str:
    """The sums of texts such as 3/4."""
    numbers = [[int(number) for number in part.split("/")] for part in parts]
    return "/".join(map(str, map(sum, zip(*numbers, strict=True))))


def _explained() -> list[tuple[str, ...]]:
    """Why something is read otherwise than served, as tests/benchmarks/test_lab_outcomes.py
    compares it with the rows above.
    """
    explanations = json.loads(_LAB_ROWS.with_name("lab-explained.json").read_text("utf-8"))
    return [
        (
            ", ".join("all" if agent == "*" else label_of(agent) for agent in one["agents"]),
            *(
                ", ".join(one.get(name, ["all"]))
                for name in ("versions", "scenarios", "differences")
            ),
            one["why"],
        )
        for one in explanations
    ]


_FEATURE = ("type", "unit", "kind", "version", "meaning", "NULL when")


_BASELINE = (
    "sessions",
    "repositories",
    "responses",
    "95 %",
    "output per token read",
    "USD per response, 75 %",
    "90 %",
)


def metrics_page() -> str:
    """Every feature from the registry, the rules of regions and scores, and the signals that do
    not exist.
    """
    import attribution.evaluation.failure_modes.stage as failure_modes
    from attribution.evaluation.embedding import drift
    from attribution.evaluation.scores.quality import PARTS, WEIGHTS, baseline
    from attribution.evaluation.scores.tasks import kind_of_work, task_type
    from attribution.features import groups
    from attribution.features.nulls import REASONS
    from attribution.features.prices import standard_prices
    from attribution.features.registry import ALIASES, FeatureGroup
    from collector.vocabulary import Word
    from collector.vocabulary.lines import Author, FileKind, LineClass, Witness

    words: dict[str, type[Word]] = {
        "authors": Author,
        "classes": LineClass,
        "witnesses": Witness,
        "kinds": FileKind,
    }
    usual = {task: baseline(task) for task in WEIGHTS}
    empty = {
        f.name: "; ".join(REASONS[code].text for code in f.null)
        for group in groups()
        for f in group.FEATURES
    }

    def features(group: FeatureGroup) -> str:
        return table(("feature", *_FEATURE), [_cells(f, empty[f.name]) for f in group.FEATURES])

    tasks = [
        (task, *weights, *(f"{number:g}" for number in usual[task][:-1]))
        for task, weights in WEIGHTS.items()
    ]
    return fill(
        "metrics.md",
        {
            "as_of": standard_prices().as_of,
            **{
                name: table(("", "meaning"), [(f"`{word}`", word.meaning) for word in kind])
                for name, kind in words.items()
            },
            **_minimums(),
            "groups": "\n\n".join(f"## {group.TITLE}\n\n{features(group)}" for group in groups()),
            "embeddings": _details(drift.__doc__).replace("(docs/decisions/", "(decisions/"),
            "embedding_columns": table(
                ("column", *_FEATURE), [_cells(f, "; ".join(f.null)) for f in drift.FEATURES]
            ),
            "failure_modes": _details(failure_modes.__doc__),
            "works": " ".join(_details(kind_of_work.__doc__).split()),
            "rules": " ".join(_details(task_type.__doc__).split()),
            "task_types": table(("task type", *PARTS, *_BASELINE), tasks),
            "aliases": table(
                ("elsewhere", "here"), [(f"`{k}`", f"`{v}`") for k, v in ALIASES.items()]
            ),
        },
    )


def _minimums() -> dict[str, object]:
    """What a comparison with people needs on each side."""
    from attribution.lineage.minimum import (
        COMMITS,
        CURVE,
        FINDINGS,
        MESSAGES,
        PART,
        RATE,
        RATED,
        READ,
        REPOSITORIES,
        SESSIONS,
        SHARE,
        SURVIVAL,
    )

    needed = [
        (
            "excess rework, hazard ratio",
            f"{SURVIVAL.lines:,} lines of {SURVIVAL.commits} commits on each side",
        ),
        ("means and differences of maintainability", f"{COMMITS} whole commits on each side"),
        ("weaknesses per 1,000 lines of one group", f"{RATE.lines:,} scanned lines"),
        ("share of findings that are still present", f"{FINDINGS} findings"),
        ("mean grade, share of sessions by coding mode, coding efficiency", f"{SESSIONS} sessions"),
        (
            "share of messages that push back, agreement of word and deed",
            f"{MESSAGES} classified messages",
        ),
        ("weights fitted to ratings", f"{RATED} rated sessions"),
        (
            "share of lines by what became of them (removed by a person, committed)",
            f"{PART.lines} lines",
        ),
        ("survival curve and median", f"{CURVE.lines} lines of {CURVE.commits} commits"),
        ("interval over several repositories", f"{REPOSITORIES} repositories"),
        (
            "measured error rate of a tier, correction of shares",
            f"{READ.lines} lines that blind readers decided",
        ),
        (
            "share of lines that survive",
            (
                f"{SHARE.lines:,} lines of {SHARE.commits:,} commits that are old enough; of one"
                " session the lines"
            ),
        ),
    ]
    return {"minimums": table(("statistic", "minimum"), needed)}


def _cells(feature: Feature, null: str) -> tuple[object, ...]:
    return (
        f"`{feature.name}`",
        feature.type,
        feature.unit,
        feature.kind,
        feature.version,
        feature.description,
        null,
    )


def _details(doc: str | None) -> str:
    """A docstring without its first paragraph."""
    return (doc or "").split("\n\n", 1)[1].strip()


def _summary(doc: str | None) -> str:
    return " ".join((doc or "").strip().split("\n\n")[0].split())


_BLOCK = re.compile(
    r"(<!-- Generated by docs/generate.py. -->\n).*?(<!-- The end of what is generated. -->)",
    re.DOTALL,
)


def fill_lines(text: str) -> str:
    """A paragraph in lines of the width of these pages."""
    return "\n".join(textwrap.wrap(text, 140, break_long_words=False))


def readme() -> str:
    """The README, with the error rates that the program ships."""
    numbers = measurements()
    rates = {name: class_rate(name) for name in LINE_CLASSES}
    rows = [
        (
            f"`{name}`",
            f"{rate.checked:,}",
            rate.words(),
            "{1.correct} of {1.checked} ({0})".format(*newest_rate({"class": name})),
        )
        for name, rate in rates.items()
        if rate.checked
    ]
    text = (
        "Readers decided lines of public repositories, on most of which no rule had been made,"
        " from the raw records and before they saw the program's answer. All audits together, as"
        f" counted on {numbers['date']} (no line that is dated was among them):"
    )
    tests = numbers["forgotten"].values()
    answers = Counter[str]()
    for test in tests:
        answers.update(test["answers"])
    hidden = (
        f"When the sessions behind {sum(test['lines'] for test in tests):,} lines were hidden from"
        f" the program, it called {answers['human observed']:,} of them `human`,"
        f" {answers['human inferred']:,} `likely_human`, and gave {answers['another session']:,} to"
        " another session."
    )
    parts = (
        fill_lines(text),
        table(("class", "lines read", "right, 95 % interval", "in the newest audit of them"), rows),
        fill_lines(hidden),
    )
    lines = "\n\n".join(parts) + "\n"
    return _BLOCK.sub(
        lambda match: match[1] + lines + match[2], (ROOT / "README.md").read_text("utf-8")
    )


_LIMIT = re.compile(
    r"^# --- (.+)|^((?:# .+\n)*)[A-Z_]+ = ([\d_.]+(?: << \d+)?)(?:  # (.+))?$", re.MULTILINE
)


def with_table(page: str, make: Callable[[], str]) -> str:
    """A page whose prose stands in itself, with the table between its two comments."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return _BLOCK.sub(lambda match: match[1] + make() + "\n" + match[2], text)


def _limits() -> str:
    rows = []
    limits = (ROOT / "collector" / "limits.py").read_text("utf-8")
    for title, above, value, beside in _LIMIT.findall(limits):
        what, _, beyond = (beside or above.replace("\n# ", " ")[2:].strip()).partition(": ")
        number, _, shift = value.replace("_", "").partition(" << ")
        amount = "" if title else f"{int(float(number)) << int(shift or 0):,}"
        rows.append((f"**{title}**", "", "") if title else (amount, what, beyond))
    return table(("at most", "of what", "beyond it"), rows)


def _attacks() -> str:
    attacks = json.loads((ROOT / "tests" / "data" / "security.json").read_text("utf-8")).values()
    rows = [
        (
            a["what"],
            f"{a['tried']:,} {a['unit']}",
            f"{a['tried'] - a['lost']:,}",
            f"{a['lost']:,}",
            a["by"],
            a["at"],
        )
        for a in attacks
    ]
    return table(("attack or accident", "tried", "held", "lost", "by", "on"), rows)


def agents_page(name: str) -> str:
    return agents_pages()[name]


_AGENTS_PAGES = ("agents.md", "agents-tested.md", "accounts.md")
PAGES: dict[str, Callable[[], str]] = {
    "../README.md": readme,
    "security.md": partial(with_table, "security.md", _limits),
    "security-tests.md": partial(with_table, "security-tests.md", _attacks),
    "schema.md": schema_page,
    "cli.md": cli_page,
    **{name: partial(agents_page, name) for name in _AGENTS_PAGES},
    "metrics.md": metrics_page,
}


def main() -> int:
    stale = []
    for name, make in PAGES.items():
        path = ROOT / "docs" / name
        text = make()
        if "--check" in sys.argv[1:]:
            if not path.is_file() or path.read_text("utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, "utf-8")
    for name in stale:
        print(f"docs/{name} is out of date; run: make docs", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
