"""Weaknesses, the pure parts: what is left out, what needs no scan, which findings are the same,
numbers.
"""

from __future__ import annotations

import math
import random
import subprocess
from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path

import pytest
from support.answers import pick
from support.histories import Build, random_history, text

from attribution.stats import rates as exact
from attribution.stats.rates import RateCell, mantel_haenszel, rate_if_enough, ratio
from attribution.weaknesses.queries import rates as stats
from attribution.weaknesses.queries.rates import Reviewed, Sides
from attribution.weaknesses.rules.languages import kind_of, rule_languages, target_path
from attribution.weaknesses.scan.source import (
    CachedScan,
    Pair,
    Side,
    changed_files,
    hash_of,
    is_suppressed,
)
from attribution.weaknesses.stage.rows import authors_of, ended_by
from attribution.weaknesses.track.tracker import (
    Changed,
    Fix,
    Instance,
    Tracker,
    VersionFinding,
    compare,
    occurrences,
    strongest,
)
from attribution.weaknesses.words import FixHow
from collector.files import git_patterns
from collector.files.analysed import place_of, why_left_out
from collector.files.git_patterns import AttributePattern
from collector.files.kinds import attributes_of
from collector.git.base import is_regular
from collector.git.repository import GitRepo, line_changes
from collector.json_values import JsonObject, RowValues
from collector.model import FileChange
from collector.text import split_lines
from collector.vocabulary.lines import FilePlace, line_class

# --- languages and places -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        ("a/b.py", b"", ("python", "py")),
        ("a/b.MJS", b"", ("javascript", "js")),
        ("a/b.tsx", b"", ("typescript", "tsx")),
        ("deploy/Dockerfile", b"", ("dockerfile", "dockerfile")),
        ("Dockerfile.prod", b"", ("dockerfile", "dockerfile")),
        (".github/workflows/ci.yml", b"", ("workflow", "workflow")),
        ("vendored/.github/workflows/ci.yml", b"", ("yaml", "yml")),
        ("tools/setup/action.yml", b"", ("workflow", "workflow")),
        ("action.yaml", b"", ("workflow", "workflow")),
        ("k8s/deploy.yaml", b"", ("yaml", "yml")),
        ("bin/tool", b"#!/usr/bin/env python3\n", ("python", "py")),
        ("bin/tool", b"#!/usr/bin/env -S node --x\n", ("javascript", "js")),
        ("bin/tool", b"#!/bin/sh\n", ("shell", "sh")),
        ("bin/tool", b"plain words\n", ("other", "")),
        ("README.md", b"#!/bin/sh\n", ("other", "")),
        (".py", b"", ("other", "")),
    ],
)
def test_language_of_a_file(path: str, head: bytes, expected: tuple[str, str]) -> None:
    assert kind_of(path, head) == expected


def test_languages_of_rules() -> None:
    assert rule_languages(["js", "TypeScript", "golang"]) == {"javascript", "typescript", "go"}
    assert rule_languages(["regex"]) == {"*"}
    assert rule_languages(["yaml"], ["**/.github/workflows/*"]) == {"workflow"}
    assert rule_languages(["yaml"]) == {"workflow", "yaml"}


def test_targets_have_names_of_ours() -> None:
    assert target_path("ab12", "py") == "ab/ab12.py"
    assert target_path("ab12", "workflow") == ".github/workflows/ab12.yml"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("src/app.py", "source"),
        ("src/contest.py", "source"),
        ("src/latest/app.go", "source"),
        ("vendor/x/y.go", "vendored"),
        ("web/node_modules/x/i.js", "vendored"),
        ("yarn.lock", "lock"),
        ("go.sum", "lock"),
        ("web/app.min.js", "minified"),
        ("api/x.pb.go", "generated"),
        ("dist/index.js", "generated"),
        (".claude/hooks/x.py", "generated"),
        ("pkg/a_test.go", "test"),
        ("tests/test_a.py", "test"),
        ("src/a.test.ts", "test"),
        ("src/__tests__/a.ts", "test"),
        ("spec/a_spec.rb", "test"),
        ("src/main/FooTest.java", "test"),
        ("examples/a.py", "example"),
        ("docs/conf.py", "example"),
    ],
)
def test_place_by_path(path: str, place: str) -> None:
    assert place_of(path) == place


def test_the_repository_has_the_last_word() -> None:
    said = attributes_of(
        "*.gen.py linguist-generated\nvendor/ours/** -linguist-vendored\nthird/*"
        " linguist-vendored=true\n"
    )
    said += attributes_of("*.py linguist-documentation", "manual")
    assert place_of("a/x.gen.py", said) == "generated"
    assert place_of("vendor/ours/deep/x.go", said) == "source"
    assert place_of("vendor/other/x.go", said) == "vendored"
    assert place_of("third/x.go", said) == "vendored"
    assert place_of("manual/x.py", said) == "example"
    assert place_of("x.py", said) == "source"


@pytest.mark.parametrize(
    ("data", "suffix", "why"),
    [
        (b"x = 1\n", "py", ""),
        (b"# Code generated by tool. DO NOT EDIT.\nx = 1\n", "py", "generated"),
        (b"\n" * 60 + b"# @generated\n", "py", ""),
        (b"a\0b", "py", "binary"),
        (b"x\n" * 20_001, "py", "too_large"),
        (b"x" * 600_000, "py", "too_large"),
        (b"x = '" + b"y" * 6000 + b"'\n", "py", "long_lines"),
        (b"!function(){" + b"a();" * 2000 + b"}\n", "js", "minified"),
    ],
)
def test_texts_that_are_not_scanned(data: bytes, suffix: str, why: str) -> None:
    assert why_left_out(data, suffix) == why


GLOBS = (
    "*.py",
    "/a.py",
    "build",
    "build/",
    "build/**",
    "a/**/b",
    "a/**",
    "**/x.py",
    "a?c",
    "a[!b]c",
    "a[b",
    "(.*)+$",
    "!a.py",
    "*",
    "**",
    "/*",
    "a/*",
    "*.gen.*",
    "x/y",
    "é*",
)
PATHS = (
    "a.py",
    "b/a.py",
    "a/b.pyx",
    "x/build/y.py",
    "build",
    "build/y.py",
    "build/z/y.py",
    "a/x/y/b",
    "a/b",
    "a/x",
    "b/a/x",
    "q/x.py",
    "x.py",
    "q/x.pyc",
    "abc",
    "adc",
    "a[b",
    "(.q)+$",
    "m.gen.py",
    "x/y",
    "x/y/z",
    "q/x/y",
    "é/ü",
    "q/é",
)


@pytest.mark.parametrize("glob", GLOBS)
def test_attributes_match_what_git_matches(glob: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitattributes").write_text(f"{glob} linguist-generated\n", "utf-8")
    command = ["git", "-C", str(tmp_path), "check-attr", "-z", "--stdin", "linguist-generated"]
    printed = subprocess.run(
        command, input="\0".join(PATHS), capture_output=True, text=True, check=True
    ).stdout.split("\0")
    truth = {
        path for path, value in zip(printed[::3], printed[2::3], strict=False) if value == "set"
    }
    assert {path for path in PATHS if AttributePattern("", glob).matches(path)} == truth


@pytest.mark.parametrize("glob", GLOBS)
def test_ignore_files_match_what_git_matches(glob: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".git" / "info" / "exclude").write_text(f"{glob}\n", "utf-8")
    command = ["git", "-C", str(tmp_path), "check-ignore", "-z", "--no-index", "--stdin"]
    printed = subprocess.run(
        command, input="\0".join(PATHS), capture_output=True, text=True, check=False
    ).stdout.split("\0")
    assert {path for path in PATHS if git_patterns.is_ignored(path, f"{glob}\n")} == set(
        filter(None, printed)
    )


def test_an_invalid_pattern_matches_nothing() -> None:
    assert not AttributePattern("", "[z-a]").matches("z")
    assert git_patterns.is_ignored("b.py", "[z-a]\n!\nb.py\n")


def test_attributes_hold_below_their_directory() -> None:
    pattern = AttributePattern("lib", "/gen/*.py")
    assert (
        pattern.matches("lib/gen/a.py")
        and not pattern.matches("gen/a.py")
        and not pattern.matches("lib/x/gen/a.py")
    )


def test_the_last_pattern_decides() -> None:
    assert git_patterns.is_ignored("tests/a.py", "tests/\n")
    assert not git_patterns.is_ignored("tests/a.py", "tests/\n!tests/a.py\n# nothing\n:include x\n")


# --- identity -------------------------------------------------------------------------------------


def hits(data: bytes, word: bytes = b"bad", rule: str = "r") -> tuple[VersionFinding, ...]:
    """A finding for each line that holds the word."""
    found, at = [], 0
    for number, line in enumerate(split_lines(data), 1):
        if word in line:
            found.append(
                VersionFinding(
                    rule, "CWE-1", hash_of(line), number, number, at, at + len(line), False
                )
            )
        at += len(line) + 1
    return tuple(found)


def versions(before: bytes, after: bytes) -> Changed:
    return Changed("a.py", "a.py", hits(before), hits(after), lambda: line_changes(before, after))


def test_a_finding_on_unchanged_lines_is_kept_and_a_second_one_is_new() -> None:
    found = compare([versions(text("a", "bad 1", "b"), text("bad 1", "a", "bad 1", "b"))])[0]
    assert (found.matched, found.new, found.gone) == ([(0, 1)], [0], [])


def test_layout_does_not_matter() -> None:
    found = compare(
        [versions(text("if x:", "bad 1"), text("if x:", "    if y:", "        bad   1"))]
    )[0]
    assert (found.matched, found.new) == ([(0, 0)], [])


def test_what_moved_to_another_file_is_not_new() -> None:
    found = compare(
        [versions(text("bad 1", "a"), text("a")), versions(text("b"), text("b", "  bad 1"))]
    )
    assert found[0].gone == [] and found[1].new == []
    assert found[1].moved_in == [(0, 0, 0)]


def test_an_edited_finding_stays_the_same_weakness() -> None:
    found = compare([versions(text("a", "bad 1", "b"), text("a", "bad 2", "b", "bad 3"))])[0]
    assert (found.reworded, found.new, found.gone) == ([(0, 0)], [1], [])


def test_an_edit_elsewhere_does_not_pair_findings() -> None:
    before, after = text("bad 1", "k1", "k2", "k3"), text("k1", "k2", "k3", "bad 2")
    found = compare([versions(before, after)])[0]
    assert (found.reworded, found.new, found.gone) == ([], [0], [0])


def test_a_statement_is_counted_once_by_its_strongest_rule() -> None:
    weak, strong = (
        VersionFinding("weak", "CWE-1", "x", 1, 1, 0, 20, False),
        VersionFinding("strong", "CWE-1", "y", 1, 1, 5, 10, False),
    )
    other = VersionFinding("weak", "CWE-2", "x", 1, 1, 0, 20, False)
    order = {"strong": (0,), "weak": (1,)}
    assert strongest([weak, strong, other], lambda rule: order[rule]) == (other, strong)
    assert occurrences([weak, strong, weak]) == [0, 0, 1]


def test_comments_that_ask_to_hide_a_finding() -> None:
    lines = [
        b"x = 1",
        b"# nosemgrep: rule",
        b"bad()",
        b"bad() # nosem",
        b"y('nosemgrep')",
        b"bad()",
    ]
    assert [is_suppressed(lines, n) for n in (1, 3, 4, 6)] == [False, True, True, False]


# --- following ------------------------------------------------------------------------------------


def followed(repo: GitRepo, tip: str, word: bytes = b"bad") -> Tracker:
    """Findings of a history, lines with a word taken for findings."""

    commits = list(repo.history(tip))
    tracker = Tracker(Counter(parent for c in commits for parent in c.parents))
    for commit in commits:
        sides = []
        for number in range(max(1, len(commit.parents))):
            pairs = [_pair(change) for change in repo.changes(commit, number) or ()]
            texts = {side.text for pair in pairs for side in pair if side is not None}
            known = {text: hits(repo.blob(text[0]) or b"", word) for text in texts}
            sides.append(
                changed_files(
                    repo, pairs, dict.fromkeys(texts, CachedScan("ok", frozenset())), known
                )
            )
        if len(commit.parents) > 1:
            tracker.merge(commit.sha, commit.parents, sides)
        else:
            tracker.step(commit.sha, commit.parents[0] if commit.parents else None, sides[0])
    tracker.finish(tip)
    return tracker


def _pair(change: FileChange) -> Pair:
    def side(path: str, blob: str | None, mode: int) -> Side | None:
        return (
            Side(path, blob, kind_of("x.py"), FilePlace.SOURCE)
            if blob is not None and is_regular(mode)
            else None
        )

    return Pair(
        side(change.old_path, change.old, change.old_mode),
        side(change.path, change.new, change.new_mode),
    )


def story(build: Build, tip: str) -> dict[str, Instance]:
    """Word of the finding and name of the commit -> instance."""
    repo = GitRepo(build.where)
    return {
        f"{build.name[one.sha]} {one.path}": one for one in followed(repo, build.sha[tip]).instances
    }


def test_renamed_moved_reformatted_fixed_and_brought_back(tmp_path: Path) -> None:
    build = Build(tmp_path / "r.git")
    body = [f"line {n}" for n in range(10)]
    build.commit("one", [], {"a.py": text(*body, "bad 1")})
    build.commit("renamed", ["one"], {"b.py": text(*body, "bad 1")})
    build.commit("layout", ["renamed"], {"b.py": text(*body, "    bad  1")})
    build.commit("moved", ["layout"], {"b.py": text(*body), "c.py": text("x", "bad 1")})
    build.commit("fixed", ["moved"], {"b.py": text(*body), "c.py": text("x", "good 1")})
    build.commit("back", ["fixed"], {"b.py": text(*body), "c.py": text("x", "bad 1")})
    build.commit("gone", ["back"], {"b.py": text(*body)})
    build.done()
    found = story(build, "gone")
    assert set(found) == {"one a.py", "back c.py"}
    first, again = pick(found, "one a.py", "back c.py")
    assert (first.status, first.moves, first.fix) == (
        "introduced",
        1,
        Fix(build.sha["fixed"], FixHow.CHANGED, "c.py", ((2, 2),)),
    )
    assert (again.status, again.fix) == (
        "reintroduced",
        Fix(build.sha["gone"], FixHow.FILE_DELETED, "c.py"),
    )


def test_merges_bring_nothing_in_twice(tmp_path: Path) -> None:
    build = Build(tmp_path / "r.git")
    build.commit("root", [], {"a.py": text("1", "2", "3", "4")})
    build.commit("left", ["root"], {"a.py": text("bad l", "1", "2", "3", "4")})
    build.commit(
        "right", ["root"], {"a.py": text("1", "2", "3", "4", "bad r"), "n.py": text("bad n")}
    )
    build.commit(
        "merge",
        ["left", "right"],
        {"a.py": text("bad l", "1", "bad m", "2", "3", "4", "bad r"), "n.py": text("bad n")},
    )
    build.commit(
        "drop",
        ["merge"],
        {"a.py": text("bad l", "1", "bad m", "2", "3", "4"), "n.py": text("bad n")},
    )
    build.done()
    found = followed(GitRepo(build.where), build.sha["drop"]).instances
    told = {
        (build.name[i.sha], i.path, i.hit.start): (i.head, build.name[i.fix.sha] if i.fix else None)
        for i in found
    }
    assert told == {
        ("left", "a.py", 1): (("a.py", 1), None),
        ("right", "a.py", 5): (None, "drop"),
        ("right", "n.py", 1): (("n.py", 1), None),
        ("merge", "a.py", 3): (("a.py", 3), None),
    }


def test_the_same_on_both_sides_and_a_side_that_is_dropped(tmp_path: Path) -> None:
    build = Build(tmp_path / "r.git")
    build.commit("root", [], {"a.py": text("1", "2")})
    build.commit("left", ["root"], {"a.py": text("1", "2", "bad")})
    build.commit("right", ["root"], {"a.py": text("1", "2", "bad"), "b.py": text("bad b")})
    build.commit("merge", ["left", "right"], {"a.py": text("1", "2", "bad")})
    build.done()
    found = followed(GitRepo(build.where), build.sha["merge"]).instances
    told = {(build.name[i.sha], i.path): (i.head, i.fix and i.fix.how) for i in found}
    assert told == {
        ("left", "a.py"): (("a.py", 3), None),
        ("right", "a.py"): (("a.py", 3), None),
        ("right", "b.py"): (None, "merge"),
    }


def test_a_fix_that_got_lost_in_a_merge_is_none(tmp_path: Path) -> None:
    build = Build(tmp_path / "r.git")
    build.commit("root", [], {"a.py": text("bad", "2")})
    build.commit("left", ["root"], {"a.py": text("bad", "2", "3")})
    build.commit("right", ["root"], {"a.py": text("2")})
    build.commit("merge", ["left", "right"], {"a.py": text("bad", "2", "3")})
    build.done()
    (one,) = followed(GitRepo(build.where), build.sha["merge"]).instances
    assert (one.head, one.fix) == (("a.py", 1), None)


@pytest.mark.parametrize("seed", range(25))
def test_what_is_alive_is_what_the_tip_has(tmp_path: Path, seed: int) -> None:
    build = Build(tmp_path / "r.git")
    tip = random_history(build, random.Random(seed), 25)
    repo = build.done()
    tracker = followed(repo, build.sha[tip], b"e")
    there = Counter(
        (path, hit.start)
        for path, blob in repo.paths(build.sha[tip]).items()
        for hit in hits(repo.blob(blob) or b"", b"e")
    )
    alive = tracker.finish(build.sha[tip])
    assert len({id(one) for one in alive}) == len(alive)
    assert Counter(one.head for one in alive) == there
    assert all((one.head is None) == (one.fix is not None) for one in tracker.instances)
    assert not any(one.older for one in tracker.instances)


# --- authors --------------------------------------------------------------------------------------


def span(
    start: int, end: int, author: str = "agent", session: int | None = 1, reason: str = ""
) -> JsonObject:
    return {
        "start_line": start,
        "end_line": end,
        "nonblank": end - start + 1,
        "author": author,
        "class": line_class(author, "observed", reason),
        "reason": reason,
        "session_id": session,
        "turn_index": 2,
        "call_id": "call",
        "model": "model",
        "agent": "agent",
    }


COUNTS = ("class", "reason", "added_lines", "agent_lines", "human_lines", "unknown_lines")


def test_who_wrote_a_finding() -> None:
    spans = [span(1, 3), span(4, 4, "human", None), span(6, 6, "unknown", None, "no_session")]

    def told(start: int, end: int, blank: Sequence[int] = ()) -> RowValues:
        columns = authors_of(spans, start, end, blank)
        return tuple(columns[name] for name in COUNTS)

    assert told(2, 3) == ("agent", "", 2, 2, 0, 0)
    assert told(3, 4) == ("mixed", "", 2, 1, 1, 0)
    assert told(3, 4, blank=[4])[0] == "agent"
    assert told(6, 6)[:2] == ("undeclared", "no_session")
    assert told(5, 5)[2] == 0


def test_who_ended_a_finding() -> None:
    spans = [span(1, 3, session=7), span(9, 9, "human", None)]
    assert ended_by(spans, [(2, 2)], spans, []) == ("agent", 7)
    assert ended_by(spans, [], spans, []) == ("mixed", 7)
    assert ended_by([], [], spans[:1], []) == ("agent", 7)
    assert ended_by([], [], [], [5]) == ("none", 5)


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [
        (0, 0.0, 3.6889),
        (1, 0.0253, 5.5716),
        (10, 4.7954, 18.3904),
        (100, 81.3640, 121.6270),
        (2000, 1913.2987, 2089.6174),
    ],
)
def test_exact_interval_of_a_count(count: int, low: float, high: float) -> None:
    """Garwood's intervals, as the quantiles of chi square give them."""
    assert exact.poisson_interval(count) == pytest.approx((low, high), abs=2e-3)


def test_rates_and_ratios() -> None:
    assert exact.rate(RateCell(3, 2000))[:3] == (3, 2000, 1.5)
    assert exact.rate(RateCell(0, 0)).rate is None
    assert rate_if_enough(RateCell(3, 2000)) == exact.rate(RateCell(3, 2000)) and rate_if_enough(
        RateCell(3, 999)
    ) == (
        3,
        999,
        None,
        None,
        None,
    )
    found = ratio(RateCell(20, 10_000), RateCell(10, 10_000))
    assert found.ratio == pytest.approx(2.0)
    assert (found.low, found.high) == pytest.approx((0.8935, 4.7846), abs=2e-3)
    assert ratio(RateCell(0, 100), RateCell(0, 100)).ratio is None
    assert ratio(RateCell(3, 100), RateCell(0, 100)).ratio is None
    assert ratio(RateCell(0, 100), RateCell(3, 100)).ratio == 0


def test_strata_undo_a_mix() -> None:
    """Within each stratum the rates are the same; the pooled ratio is far from one."""
    strata = [(RateCell(90, 9_000), RateCell(10, 1_000)), (RateCell(1, 1_000), RateCell(9, 9_000))]
    a, b = exact.total(x for x, _ in strata), exact.total(y for _, y in strata)
    pooled = ratio(a, b)
    assert pooled.ratio == pytest.approx(91 / 19)
    assert mantel_haenszel(strata).ratio == pytest.approx(1.0)
    one = mantel_haenszel([(RateCell(20, 10_000), RateCell(10, 10_000))])
    error = math.sqrt(1 / 20 + 1 / 10)
    assert (one.ratio, one.low, one.high) == pytest.approx(
        (2.0, 2 * math.exp(-1.96 * error), 2 * math.exp(1.96 * error)), rel=1e-3
    )


def test_one_repository_that_carries_everything_is_seen() -> None:
    table: dict[tuple[Hashable, ...], Sides] = {
        ("big", "py"): Sides(RateCell(90, 1_000), RateCell(9, 1_000)),
        ("a", "py"): Sides(RateCell(5, 1_000), RateCell(5, 1_000)),
        ("b", "py"): Sides(RateCell(4, 1_000), RateCell(4, 1_000)),
    }
    found = stats.compare(table)
    assert found.stratified.ratio == pytest.approx(99 / 18)
    assert found.without_one is not None and found.without_one[0] == pytest.approx(1.0)
    assert found.most == "big"


def test_precision_weighs_strata_by_their_findings() -> None:
    assert stats.precision([]) is None
    assert stats.precision([Reviewed(10, 0, 0)]) is None
    one = stats.precision([Reviewed(100, 10, 5)])
    assert one == pytest.approx((0.5, 0.1871, 0.8129), abs=1e-3)
    two = stats.precision([Reviewed(90, 10, 10), Reviewed(10, 10, 0)])
    assert two is not None and two[0] == pytest.approx(0.9) and two[1] < 0.9 < two[2] <= 1.0


def test_corrected_rates() -> None:
    """All read: the true ones as a count. Ten of a hundred read, half true: fifty, from both
    variances.
    """
    cell = RateCell(10, 1_000)
    assert stats.corrected_rate(cell, [Reviewed(10, 0, 0)]) is None
    assert stats.corrected_rate(cell, [Reviewed(6, 6, 4), Reviewed(4, 4, 0)]) == exact.rate(
        RateCell(4, 1_000)
    )
    half = stats.corrected_rate(RateCell(100, 1_000), [Reviewed(100, 10, 5)])
    assert half == pytest.approx((50, 1_000, 50.0, 28.3, 88.3), abs=0.05)
    none = stats.corrected_rate(cell, [Reviewed(10, 5, 0)])
    assert none is not None and (none.rate, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(
        exact.binomial_interval(0, 5)[1] * exact.poisson_interval(10)[1]
    )
    unread = stats.corrected_rate(cell, [Reviewed(5, 5, 5), Reviewed(5, 0, 0)])
    assert (
        unread is not None
        and unread.rate == 10.0
        and unread.high is not None
        and unread.high > 10.0
    )


def test_terciles_by_weight() -> None:
    assert stats.terciles([(1.0, 10), (2.0, 10), (3.0, 10)]) == (1.0, 2.0)
    assert stats.terciles([]) == (0.0, 0.0)


# --- complexity -----------------------------------------------------------------------------------


def test_complexity_of_added_lines() -> None:
    from attribution.weaknesses.stage.complexity import functions, mean_complexity

    some = functions(
        text("x = 1", "def f(a):", "    if a:", "        return 1", "    return 2", "y = 2"), "py"
    )
    assert some == [(2, 5, 2)]
    assert mean_complexity(some, [(1, 1, 1)]) == 1
    assert mean_complexity(some, [(3, 4, 2)]) == 2
    assert mean_complexity(some, [(1, 4, 4)]) == pytest.approx(1.75)
    assert mean_complexity([(1, 9, 7), (3, 4, 2)], [(3, 3, 1)]) == 2
    assert mean_complexity(some, [(1, 1, 0)]) is None
    assert functions(b"anything", "workflow") == []
