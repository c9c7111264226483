"""How often is the program wrong? Writes docs/accuracy.md.

    python benchmarks/accuracy.py [--seeds N] [--check] [--links CLONE ...] [REPOSITORY ...]

The measurements:

1. histories with known authors: random ones and the shipped fixtures
2. git's own counts of added lines
3. the control: a commit judged with some other session's transcript must yield next to no agent
  lines
4. links that are recovered when trailers are hidden
5. line history compared with git blame
6. lines checked by hand (benchmarks/data/audit.csv)
7. regions and outcomes of sessions, constructed and labelled by a reader
  (benchmarks/data/labels.csv)
8. weaknesses checked by hand (benchmarks/data/findings-review.csv)
9. lines that blind readers decided from raw evidence (benchmarks/data/blind.csv)
10. sessions that are forgotten: what does the program say about their lines?
11. lines of known origin put into real commits
12. decoys: sessions of other repositories beside the real ones, and commits of bots

2 to 5 and 10 to 12 need real clones; without any, their last results are kept.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks"), str(ROOT / "docs")]

import hidden_links  # noqa: E402
import independent  # noqa: E402
import labelled  # noqa: E402
import readings  # noqa: E402
from exactness import EARLIER, exactness, history_table  # noqa: E402
from pages import fill_each, table  # noqa: E402
from support import random_history  # noqa: E402
from support.builder import import_stream  # noqa: E402
from support.truth import REPOS, cases, compare, expected_of, run  # noqa: E402

from attribution.authorship.commits import added_files, read_history  # noqa: E402
from attribution.authorship.links import link_by_trailer  # noqa: E402
from attribution.authorship.options import AttributeOptions  # noqa: E402
from attribution.authorship.replay import Worktree  # noqa: E402
from attribution.authorship.session_edits import SessionEdits, session_edits  # noqa: E402
from attribution.authorship.texts import RepositoryTexts  # noqa: E402
from attribution.authorship.timeline import learn_roots, timelines  # noqa: E402
from attribution.authorship.worktree_roots import WorktreeRoots  # noqa: E402
from attribution.authorship.worktrees import CommitProbe, Runner  # noqa: E402
from attribution.stages.lines import attribute_repo  # noqa: E402
from collector.checkpoints import read_all  # noqa: E402
from collector.git.program import ScratchGit  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.load import (  # noqa: E402
    read_session,
    session_files,
)
from collector.repository_rows import repo_name  # noqa: E402
from collector.storage.store import Store  # noqa: E402
from collector.text import encode  # noqa: E402

RESULTS = ROOT / "benchmarks" / "data" / "accuracy.json"
PAGES = ("accuracy.md", "accuracy-audits.md", "accuracy-tests.md", "accuracy-details.md")
AUDIT = ROOT / "benchmarks" / "data" / "audit.csv"
AUTHORS = ("agent", "human", "unknown")
_NULL_COMMITS = 300

Confusion = Counter[tuple[str, str]]


# --- known by construction ------------------------------------------------------------------------


def generated(seeds: Iterable[int]) -> Confusion:
    """(truth, said) -> lines over random histories."""
    total: Confusion = Counter()
    for seed in seeds:
        stream, expected = random_history.generate(seed)
        total += _confusion(stream, expected)
    return total


def fixtures() -> Confusion:
    total: Confusion = Counter()
    for case in cases():
        total += _confusion((REPOS / case / "history.fi").read_bytes(), expected_of(case))
    return total


def _confusion(stream: bytes, expected: dict[str, Any]) -> Confusion:
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory)
        import_stream(stream, where / "repo")
        said, _ = run(where / "repo", where / "out.db")
        found: Confusion = compare(expected, said).confusion
        return found


def rates(confusion: Confusion) -> dict[str, Any]:
    """Precision and recall per class, and the share that is wrong although it claims to know."""
    result: dict[str, Any] = {"lines": confusion.total()}
    for author in AUTHORS:
        right = confusion[author, author]
        said = sum(n for (_, s), n in confusion.items() if s == author)
        true = sum(n for (t, _), n in confusion.items() if t == author)
        result[author] = {
            "true": true,
            "said": said,
            "precision": _share(right, said),
            "recall": _share(right, true),
        }
    wrong = sum(n for (t, s), n in confusion.items() if s != "unknown" and t != s)
    result["wrong_with_confidence"] = _share(wrong, confusion.total())
    return result


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 5) if whole else None


# --- git's own counts -----------------------------------------------------------------------------


def git_counts(path: Path) -> dict[str, int]:
    """Files of all ordinary commits whose added and deleted lines are the ones
    `git log --numstat` prints (no context lines).
    """
    repo = GitRepo(path)
    head = repo.default_branch().sha
    same = different = 0
    with repo.open_scratch() as git:
        expected = _numstat(git, head)
    for commit in repo.history(head):
        if len(commit.parents) > 1:
            continue
        for file in read_history(repo, [commit]).diffs[commit.sha].files or []:
            counts = expected.get((commit.sha, encode(file.change.path)))
            if file.content == "text" and counts is not None:
                equal = counts == (file.lines_added, file.deleted)
                same, different = same + equal, different + (not equal)
    return {"files": same + different, "same": same, "different": different}


def _numstat(git: ScratchGit, head: str) -> dict[tuple[str, bytes], tuple[int, int]]:
    """(commit, path) -> (added, deleted) of text files."""
    log = ("log", "--no-merges", "--format=%x00%x00%H", "--numstat", "-M", "-z", head)
    stream = git.stream(log, settings=("diff.context=0",))
    found: dict[tuple[str, bytes], tuple[int, int]] = {}
    for entry in stream.lines.read().split(b"\0\0\0"):
        sha, _, rest = entry.lstrip(b"\0").partition(b"\0")
        fields = rest.lstrip(b"\n").split(b"\0")
        while fields:
            numbers = fields.pop(0).lstrip(b"\n").split(b"\t")
            if len(numbers) != 3:
                continue
            # a rename: the old and the new name follow
            name = numbers[2] or (fields.pop(0), fields.pop(0))[1]
            if numbers[0] != b"-":
                found[sha.decode(), name] = (int(numbers[0]), int(numbers[1]))
    return found


# --- the null -------------------------------------------------------------------------------------


def null(path: Path, seed: int = 1) -> dict[str, Any]:
    """Linked commits judged with one random other session's transcript, all of it, whatever its
    time.
    """
    repo = GitRepo(path)
    checkpoints = read_all(repo)
    tracks = _tracks(repo, session_files(checkpoints))
    history = read_history(repo, list(repo.history(repo.default_branch().sha)))
    places = WorktreeRoots(frozenset(history.paths))
    learn_roots(places, tracks)
    texts = RepositoryTexts(repo, history)
    links = link_by_trailer(history.commits, checkpoints)
    chooser = random.Random(seed)
    linked = [c for c in history.commits if links[c.sha].is_resolved and len(c.parents) < 2]
    chosen = chooser.sample(linked, min(_NULL_COMMITS, len(linked)))
    lines = agent = 0
    for commit in chosen:
        others = [t for t in tracks if t.edits and t.key not in links[commit.sha].sessions]
        files = added_files(repo, history.diffs[commit.sha])
        if not others or not files:
            continue
        roots, _ = timelines([chooser.choice(others)], places)
        lines += sum(1 for f in files for i in f.added if f.lines[i].strip())
        agent += sum(
            _agent_lines(commit.sha, line, texts, history, repo) for line in roots.values()
        )
    return {"commits": len(chosen), "lines": lines, "agent": agent, "share": _share(agent, lines)}


def _agent_lines(sha: str, line: Any, texts: RepositoryTexts, history: Any, repo: GitRepo) -> int:
    tree = Worktree(texts.versions, texts.is_committed)
    seen = (
        Runner(line, tree, texts.added, history.rarity, history.is_ancestor)
        .run([CommitProbe(4e9, sha, 0.0)])
        .seen
    )
    return sum(
        1
        for one in seen
        for file in one.files
        for index, verdict in file.verdicts.items()
        if verdict.author == "agent" and verdict.evidence != "inferred" and index in file.nonblank
    )


def _tracks(repo: GitRepo, files: Sequence[Any]) -> list[SessionEdits]:
    loaded = [read_session(repo, one) for one in files]
    return [
        session_edits(one.session, number)
        for number, one in enumerate(loaded)
        if one.session is not None
    ]


# --- by hand --------------------------------------------------------------------------------------


def audited() -> dict[str, dict[str, dict[str, int]]]:
    """ "then" and "now" -> author -> verdict -> lines read by hand."""
    found: dict[str, dict[str, dict[str, int]]] = {
        when: defaultdict(lambda: defaultdict(int)) for when in ("then", "now")
    }
    if AUDIT.is_file():
        with AUDIT.open(newline="", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                found["then"][row["said_author"]][row["verdict"]] += 1
                if row.get("now_author"):
                    found["now"][row["now_author"]][_verdict_now(row)] += 1
    return {
        when: {author: dict(verdicts) for author, verdicts in by.items()}
        for when, by in found.items()
    }


def _verdict_now(row: dict[str, str]) -> str:
    """The reader's verdict holds while the statement is the same; else the truth the reader
    found decides.
    """
    if (row["now_author"], row["now_how"]) == (row["said_author"], row["said_how"]):
        return row["verdict"]
    truth = row["truth"] if row["truth"] != "unknowable" else "unknown"
    if row["now_author"] == truth:
        return "right"
    return "defensible" if row["now_author"] == "unknown" else "wrong"


def look_again(database: Path, read: Path, names: Sequence[str]) -> None:
    """What the program says today about lines that people read, as columns `now_…` of the file:
    values of `line_spans`.

    Lines of repositories that the database lacks stay as they are.
    """
    with read.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with Store(database, create=False) as store:
        for row in rows:
            said = store.rows(
                f"SELECT {', '.join(f'l.{name}' for name in names)} FROM line_spans l JOIN repos r"
                " ON r.id = l.repo_id WHERE r.name = ? AND l.commit_sha LIKE ? AND l.path = ? AND"
                " ? BETWEEN l.start_line AND l.end_line",
                (row["repository"], row["commit"] + "%", row["path"], int(row["line"])),
            )
            if said or store.value(
                "SELECT EXISTS (SELECT 1 FROM repos WHERE name = ?)", (row["repository"],)
            ):
                row |= {f"now_{name}": said[0][name] if said else "" for name in names}
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with read.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# --- the page -------------------------------------------------------------------------------------


def pages(results: dict[str, Any]) -> dict[str, str]:
    """The pages in docs by name. Their prose is in docs/templates."""
    values: dict[str, object] = {
        "seeds": results["seeds"],
        "construction": _construction(results),
        "clones": _clones(results.get("clones", {})),
        "link_methods": _link_methods(results),
        "link_recall": _link_recall(results),
        "agents": _agents(results.get("agents", {})),
        "earlier": EARLIER,
        "history": history_table(results.get("history", {})),
        "audit": _hand(results["audit"]),
        **independent.texts(results),
    }
    outcomes = labelled.texts(
        results.get("outcomes", {}), results["labels"], results["labelled"], results["word_lists"]
    )
    return fill_each(
        PAGES,
        values | outcomes | readings.texts(results["findings_read"], results.get("weaknesses", [])),
    )


def _construction(results: dict[str, Any]) -> str:
    rows: list[Sequence[object]] = []
    for name in ("random", "fixtures"):
        found = results[name]
        for author in AUTHORS:
            r = found[author]
            rows.append(
                (name, author, f"{r['true']:,}", _percent(r["precision"]), _percent(r["recall"]))
            )
        rows.append(
            (
                name,
                "definite but wrong",
                f"{found['lines']:,}",
                _percent(found["wrong_with_confidence"]),
                "",
            )
        )
    return table(("histories", "class", "lines", "precision", "recall"), rows)


def _clones(found: dict[str, Any]) -> str:
    header = (
        "repository",
        "commits",
        "non-blank lines",
        "given to the agent",
        "share",
        "files with git's own line counts",
    )
    rows = [
        (
            name,
            one["null"]["commits"],
            f"{one['null']['lines']:,}",
            f"{one['null']['agent']:,}",
            _percent(one["null"]["share"]),
            f"{one['git']['same']:,} of {one['git']['files']:,}",
        )
        for name, one in sorted(found.items())
    ]
    return table(header, rows)


_METHODS = ("same_patch_id", "trailer_in_pull_ref", "squash_by_number", "time_and_files", "content")
_LINK_RUNS = (("with originals", "links"), ("alone", "links_alone"))


def _link_methods(results: dict[str, Any]) -> str:
    rows: list[Sequence[object]] = []
    for title, key in _LINK_RUNS:
        found = hidden_links.summed(results.get(key, {}).values())
        for method in _METHODS:
            n = found.get(method, {})
            if n.get("links"):
                shares = [
                    _percent(_share(n.get(f"{what}_right", 0), n.get(what, 0)))
                    for what in ("links", "lines")
                ]
                rows.append(
                    (
                        title,
                        f"`{method}`",
                        f"{n['links']:,}",
                        shares[0],
                        f"{n.get('lines', 0):,}",
                        shares[1],
                    )
                )
    return table(("", "method", "links found", "precision", "lines found", "precision"), rows)


def _link_recall(results: dict[str, Any]) -> str:
    rows: list[Sequence[object]] = []
    for title, key in _LINK_RUNS:
        n = hidden_links.summed(results.get(key, {}).values()).get("all", {})
        shares = [
            _percent(_share(n.get(f"{what}_right", 0), n.get(f"{what}_findable", 0)))
            for what in ("links", "lines")
        ]
        repositories = sum(
            1 for one in results.get(key, {}).values() if one["all"]["links_findable"]
        )
        sizes = [n.get(f"{what}_findable", 0) for what in ("links", "lines")]
        rows.append((title, repositories, f"{sizes[0]:,}", shares[0], f"{sizes[1]:,}", shares[1]))
    return table(("", "repositories", "links to find", "found", "lines to find", "found"), rows)


def _agents(found: dict[str, Any]) -> str:
    rows: list[Sequence[object]] = []
    for agent, n in hidden_links.summed(found.values()).items():
        edits = sum(
            n.get(o, 0) for o in ("applied", "unmatched", "tool_error", "rejected", "outside_repo")
        )
        unmatched = _percent(
            _share(n.get("unmatched", 0), n.get("applied", 0) + n.get("unmatched", 0))
        )
        lines = (f"{n.get(e, 0):,}" for e in ("observed", "replayed", "matched", "inferred"))
        rows.append(
            (
                agent,
                f"{n.get('sessions', 0):,}",
                f"{edits:,}",
                f"{n.get('unmatched', 0):,} ({unmatched})",
                *lines,
            )
        )
    return table(
        (
            "agent",
            "sessions",
            "edits",
            "unmatched",
            "lines observed",
            "replayed",
            "matched",
            "inferred",
        ),
        rows,
    )


def _hand(audit: dict[str, dict[str, dict[str, int]]]) -> str:
    rows: list[Sequence[object]] = []
    for when in ("then", "now"):
        for author in AUTHORS:
            verdicts = audit.get(when, {}).get(author, {})
            counts = [verdicts.get(v, 0) for v in ("right", "defensible", "wrong")]
            rows.append((when, author, sum(counts), *counts))
    return table(("when", "classified as", "checked", "right", "defensible", "wrong"), rows)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f} %"


def history(repositories: Sequence[Path], files: int | None) -> int:
    """Adds the comparison with git blame to the results and leaves the rest as it is."""
    for path in repositories:
        found = exactness(path, files, files)
        results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
        results.setdefault("history", {})[_name_of(path)] = found
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8")
        _write(pages(results))
        print(_name_of(path), found, file=sys.stderr)
    return 0


def _measure_links(results: dict[str, Any], path: Path) -> None:
    """Lost links and the agents of one repository, into the results."""
    name = _name_of(path)
    for key, alone in (("links", False), ("links_alone", True)):
        results.setdefault(key, {})[name] = hidden_links.measure(path, alone)
        print(name, key, results[key][name], file=sys.stderr)
    with tempfile.TemporaryDirectory() as directory, Store(Path(directory) / "out.db") as store:
        attribute_repo(store, path, AttributeOptions())
        results.setdefault("agents", {})[name] = hidden_links.agents_of(store)


def _name_of(path: Path) -> str:
    return repo_name(GitRepo(path)) if path.name != "repo" else path.parent.name.replace("+", "/")


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--seeds", type=int, default=100, help="random histories (default 100)")
    add(
        "--history",
        nargs="?",
        const=0,
        type=int,
        metavar="FILES",
        help="only line history; at most FILES files per commit",
    )
    add(
        "--links",
        type=Path,
        nargs="*",
        default=[],
        metavar="CLONE",
        help="only lost links and agents, of these clones",
    )
    add(
        "--forget",
        type=Path,
        nargs="*",
        default=[],
        metavar="CLONE",
        help="only forgotten sessions of these clones",
    )
    add(
        "--forget-parts",
        type=Path,
        nargs="*",
        default=[],
        metavar="CLONE",
        help="only lost parts of sessions of these clones",
    )
    add(
        "--spike",
        type=Path,
        nargs="*",
        default=[],
        metavar="CLONE",
        help="only lines of known origin put into these clones",
    )
    add(
        "--donor",
        type=Path,
        action="append",
        default=[],
        metavar="CLONE",
        help="with --spike: a project with lines from before 2021",
    )
    add(
        "--decoys",
        type=Path,
        nargs="*",
        default=[],
        metavar="CLONE",
        help="only decoys and bots in these clones",
    )
    add(
        "--other",
        type=Path,
        action="append",
        default=[],
        metavar="CLONE",
        help="with --decoys: its sessions become decoys",
    )
    add(
        "--held-out",
        action="store_true",
        help="with --forget, --spike and --decoys: no rule was made on these clones",
    )
    add(
        "--sessions",
        type=int,
        default=8,
        help="with --forget and --decoys: sessions of each clone (default 8)",
    )
    add("--files", type=int, default=8, help="with --spike: files of each clone (default 8)")
    add("--seed", type=int, default=1)
    add("--outcomes", action="store_true", help="only regions and outcomes")
    add(
        "--findings",
        type=Path,
        nargs="*",
        default=[],
        metavar="DB",
        help="only rates of weaknesses, from reviewed databases",
    )
    add(
        "--audited",
        type=Path,
        metavar="DB",
        help="only update audit.csv, from a database of the audited repositories",
    )
    add(
        "--read-again",
        type=Path,
        metavar="DB",
        help="only update blind.csv, from a database of its repositories",
    )
    add(
        "--labels",
        type=Path,
        metavar="DB",
        help="only update labels.csv, from a database of the labelled repositories",
    )
    add("--check", action="store_true", help="only check that docs/accuracy.md is up to date")
    add("--page", action="store_true", help="only write docs/accuracy.md from the stored numbers")
    add("repositories", nargs="*", type=Path, help="clones with checkpoints")
    return parser.parse_args(arguments)


def _measure(results: dict[str, Any], options: argparse.Namespace) -> None:
    """What was asked for, into `results`."""
    if options.labels or options.audited or options.read_again:
        _look_at_what_was_read(options)
    elif options.outcomes:
        results["outcomes"] = labelled.constructed()
    elif options.findings:
        results["weaknesses"] = readings.rates(options.findings)
    elif options.forget or options.forget_parts or options.spike or options.decoys:
        _ask_independently(results, options)
    elif options.links:
        for path in options.links:
            _measure_links(results, path)
    else:
        results |= {
            "seeds": options.seeds,
            "random": rates(generated(range(1000, 1000 + options.seeds))),
            "fixtures": rates(fixtures()),
            "outcomes": labelled.constructed(),
        }
        for path in options.repositories:
            name = _name_of(path)
            results.setdefault("clones", {})[name] = {"null": null(path), "git": git_counts(path)}
            results.setdefault("history", {})[name] = exactness(path, None, None)
            print(name, results["clones"][name], file=sys.stderr)
        for path in options.repositories:
            _measure_links(results, path)


def _look_at_what_was_read(options: argparse.Namespace) -> None:
    if options.labels:
        labelled.look_again(options.labels)
    if options.audited:
        look_again(options.audited, AUDIT, ("author", "how", "evidence", "reason"))
    if options.read_again:
        look_again(options.read_again, independent.BLIND, ("class", "evidence", "how"))


def _ask_independently(results: dict[str, Any], options: argparse.Namespace) -> None:
    """Forgotten sessions, lines of known origin and decoys, one clone after the other."""
    for path in options.forget:
        found = independent.forget(path, options.sessions, options.seed)
        results.setdefault("forgotten", {})[_name_of(path)] = found | {"held_out": options.held_out}
        print(_name_of(path), found, file=sys.stderr, flush=True)
    for path in options.forget_parts:
        parts = independent.forget_parts(path, options.sessions, options.seed)
        results.setdefault("forgotten_parts", {})[_name_of(path)] = {
            "parts": parts,
            "held_out": options.held_out,
        }
        print(_name_of(path), parts, file=sys.stderr, flush=True)
    for path in options.spike:
        states = independent.spike(path, options.donor, options.files, options.seed)
        results.setdefault("spikes", {})[_name_of(path)] = states | {"held_out": options.held_out}
        print(_name_of(path), states, file=sys.stderr, flush=True)
    for path in options.decoys:
        trapped = independent.trap(path, options.other, options.sessions, options.seed)
        results.setdefault("decoys", {})[_name_of(path)] = trapped | {"held_out": options.held_out}
        print(_name_of(path), trapped, file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    if options.history is not None:
        return history(options.repositories, options.history or None)
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    if not (options.check or options.page):
        _measure(results, options)
    results |= {
        "date": datetime.now(UTC).date().isoformat(),
        "audit": audited(),
        "findings_read": readings.verdicts(),
    }
    results |= {
        "confidence": independent.confidence(independent.blind()),
        "confusion": independent.confusion(independent.blind()),
    }
    results |= {"audits": independent.audits_newest_first()}
    results |= {
        "labels": labelled.labelled(),
        "labelled": labelled.spread(),
        "word_lists": labelled.word_lists(),
    }
    texts = pages(results)
    if options.check:
        stale = [
            name
            for name, text in texts.items()
            if (ROOT / "docs" / name).read_text("utf-8") != text
        ]
        for name in stale:
            print(
                f"docs/{name} is out of date; run: python benchmarks/accuracy.py --page",
                file=sys.stderr,
            )
        return 1 if stale else 0
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8")
    _write(texts)
    return 0


def _write(texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (ROOT / "docs" / name).write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
