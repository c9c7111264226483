"""Links by content alone: when a worktree is compared with somebody else's commit, and when that
counts.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import pytest
from support import numbered_text

from attribution.authorship.case import SLACK, added_file
from attribution.authorship.content import CommitTexts, content_probes
from attribution.authorship.links import CommitLinks, link_by_trailer
from attribution.authorship.replay import ReplayStep
from attribution.authorship.timeline import Timeline
from attribution.authorship.verdicts import CallRef, Verdict
from attribution.authorship.worktrees import CommitProbe, FileProbe, content_share, linked_by
from collector.model import Commit, Edit, Replacement
from collector.vocabulary.lines import Author, Evidence, How, Reason

AT = 1_000_000.0
DAY = 86_400.0
TEXT = "def budget(limit):\n    return limit - spent\n\n\nMARGIN = 10\nSHARES = 3\n"


def _commit(email: str = "bo@example.com", parents: int = 1) -> Commit:
    return Commit(
        "c",
        tuple(f"p{n}" for n in range(parents)),
        "t",
        "Bo",
        email,
        AT,
        "Bo",
        email,
        AT,
        "Budgets",
    )


def _line(*steps: tuple[float, Edit], session: int = 1) -> Timeline:
    made = [
        ReplayStep(at, n, edit.path, edit, CallRef(session, f"call{n}", 1, at))
        for n, (at, edit) in enumerate(steps)
    ]
    return Timeline("/w", made, emails={"ada@example.com"})


def _looks(
    *lines: Timeline,
    commit: Commit | None = None,
    text: str = TEXT,
    rarity: Mapping[str, float] | None = None,
    wanted: Container[int] = (1,),
) -> dict[str, list[CommitProbe]]:
    commit = commit or _commit()
    links: dict[str, CommitLinks] = link_by_trailer([commit], [])
    file = added_file("a.py", "a.py", text, [(0, text.count("\n"))])
    known = rarity if rarity is not None else {}
    return content_probes(
        links,
        {"c": commit},
        {line.root: line for line in lines},
        CommitTexts(
            {"c": {"a.py"}},
            lambda sha: [file],
            lambda line: known.get(line, 1.0 if len(line.strip()) > 3 else 0.0),
        ),
        wanted,
    )


WRITE = Edit("a.py", "write", content=TEXT)


def test_worktree_where_the_text_was_written_is_compared_when_it_was_and_at_the_commit() -> None:
    found = _looks(_line((AT - DAY, WRITE)))["/w"]
    assert [(look.at, look.main, look.linked, look.by_content) for look in found] == [
        (AT - DAY + SLACK, False, False, True),
        (AT + SLACK, True, False, True),
    ]
    assert all(look.redone for look in found)


def test_text_of_replacements_counts_too() -> None:
    edit = Edit("a.py", "edit", (Replacement("x", TEXT),))
    assert _looks(_line((AT - DAY, edit)))


@pytest.mark.parametrize(
    "at", [AT - 31 * DAY, AT + SLACK + 1], ids=["long ago", "after the commit"]
)
def test_other_times_do_not_count(at: float) -> None:
    assert _looks(_line((at, WRITE))) == {}


def test_commits_of_the_same_person_are_compared_elsewhere() -> None:
    assert _looks(_line((AT - DAY, WRITE)), commit=_commit("ada@example.com")) == {}


def test_merges_and_other_files_are_not_compared() -> None:
    assert _looks(_line((AT - DAY, WRITE)), commit=_commit(parents=2)) == {}
    assert _looks(_line((AT - DAY, Edit("b.py", "write", content=TEXT)))) == {}


def test_sessions_whose_checkpoints_all_arrived_are_not_looked_for() -> None:
    assert _looks(_line((AT - DAY, WRITE), session=2)) == {}


def test_a_few_equal_lines_or_common_ones_propose_nothing() -> None:
    few = Edit("a.py", "write", content="MARGIN = 10\nSHARES = 3\n")
    assert _looks(_line((AT - DAY, few))) == {}
    assert (
        _looks(
            _line((AT - DAY, WRITE)),
            rarity=dict.fromkeys(TEXT.replace("    ", "").split("\n"), 0.0),
        )
        == {}
    )
    mostly_other = TEXT + numbered_text(40, "other_{n} = {n}\n")
    assert _looks(_line((AT - DAY, WRITE)), text=mostly_other) == {}


# --- what counts ----------------------------------------------------------------------------------

AGENT = Verdict(Author.AGENT, How.EXACT, Evidence.REPLAYED, call=CallRef(1, "call", 1, AT))
NOBODY = Verdict(Author.UNKNOWN, How.NONE, Evidence.INFERRED, Reason.UNEXPLAINED)


def _seen(verdicts: Iterable[Verdict], weight: float = 1.0, followed: bool = True) -> FileProbe:
    found = dict(enumerate(verdicts))
    return FileProbe("a.py", found, frozenset(found), followed, dict.fromkeys(found, weight))


@pytest.mark.parametrize(
    ("file", "share"),
    [
        (_seen([AGENT] * 3), 0.95),
        (_seen([AGENT] * 3 + [NOBODY] * 2), 0.6),
        (_seen([AGENT] * 2), 0.0),  # too few
        (_seen([AGENT] * 3 + [NOBODY] * 20), 0.0),  # too small a part
        (_seen([AGENT] * 5, weight=0.5), 0.0),  # each of them stands in another file too
        (_seen([AGENT] * 6, weight=0.5), 0.95),
        (_seen([AGENT] * 9, weight=0.0), 0.0),  # common lines
        (_seen([AGENT] * 9, followed=False), 0.0),
        (_seen([Verdict(Author.AGENT, How.EDITED, Evidence.OBSERVED, call=AGENT.call)] * 9), 0.0),
        (_seen([Verdict(Author.AGENT, How.MOVED, Evidence.MATCHED, call=AGENT.call)] * 9), 0.0),
        (_seen([Verdict(Author.AGENT, How.SHELL, Evidence.INFERRED, call=AGENT.call)] * 9), 0.0),
    ],
)
def test_share_of_rare_lines(file: FileProbe, share: float) -> None:
    assert content_share([file]) == share


def test_author_and_time_make_up_for_rarity() -> None:
    common = [_seen([AGENT] * 9, weight=0.0)]
    assert linked_by(CommitProbe(AT, "c", 0.0, linked=False), common) == ("time_and_files", 0.95)
    assert linked_by(CommitProbe(AT, "c", 0.0, linked=False, by_content=True), common) == ("", 0.0)
    rare = [_seen([AGENT] * 3 + [NOBODY] * 7)]
    assert linked_by(CommitProbe(AT, "c", 0.0, linked=False), rare) == ("content", 0.3)
