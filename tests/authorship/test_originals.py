"""Commits that were squashed, rebased or picked find the commits they were made of, and no
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.answers import analysed_store
from support.builder import git, import_stream
from support.commands import clone, run_json

from attribution.authorship.originals import SquashSource, pull_number, squash_sources
from collector.checkpoints.pull_requests import PullRequest, is_source, read_pull_requests
from collector.git.repository import GitRepo
from collector.model import Commit

ID = "a1b2c3d4e5f6"
AT = 1_000_000.0


def _commit(
    sha: str,
    subject: str = "Budgets",
    at: float = AT,
    named: str = "",
    email: str = "ada@example.com",
    parents: int = 1,
) -> Commit:
    message = f"{subject}\n\nEntire-Checkpoint: {named}\n" if named else subject
    above = tuple(f"{sha}^{n}" for n in range(parents))
    return Commit(sha, above, "t", "Ada", email, at, "Ada", email, at, message)


class Repository:
    """Paths and patches of commits, by the newer of the two ids."""

    def __init__(
        self, paths: Mapping[str, str] | None = None, patches: Mapping[str, str] | None = None
    ) -> None:
        self._paths, self._patches = paths or {}, patches or {}
        self.asked = 0

    def paths(self, base: str, tip: str) -> frozenset[str]:
        return frozenset(self._paths.get(tip, "a.py").split())

    def patch_id(self, base: str, tip: str) -> str | None:
        self.asked += 1
        return self._patches.get(tip, f"patch of {tip}")


def _found(
    commits: Sequence[Commit], *proposals: PullRequest, repo: Repository | None = None
) -> dict[str, list[tuple[str, str]]]:
    repo = repo or Repository()
    made = squash_sources(commits, proposals, repo.paths, repo.patch_id)
    return {sha: [(o.commit.sha, o.method) for o in one.originals] for sha, one in made.items()}


def _pull(*commits: Commit, number: int = 7) -> PullRequest:
    return PullRequest(f"refs/pull/{number}/head", number, commits[-1].sha, commits)


@pytest.mark.parametrize(
    ("subject", "number"),
    {
        "Budgets (#7)": 7,
        'Revert "Budgets (#7)" (#9)': 9,
        "Budgets (!12)": 12,
    }.items(),
)
def test_number_of_a_squash_ends_its_subject(subject: str, number: int) -> None:
    assert pull_number(subject) == number


# --- one by one -----------------------------------------------------------------------------------


def test_rebased_commit_whose_patch_changed_is_known_by_author_second_and_subject() -> None:
    assert _found([_commit("new")], _pull(_commit("old", named=ID))) == {
        "new": [("old", "trailer_in_pull_ref")]
    }


@pytest.mark.parametrize(
    "other",
    [_commit("new", at=AT + 1), _commit("new", "Totals"), _commit("new", email="bo@example.com")],
    ids=["time", "subject", "author"],
)
def test_nothing_less_will_do(other: Commit) -> None:
    assert _found([other], _pull(_commit("old", named=ID))) == {}


def test_equal_patch_that_was_there_before_is_no_copy() -> None:
    repo = Repository(patches={"new": "p", "old": "p"})
    assert (
        _found([_commit("new", "Earlier", AT - 60)], _pull(_commit("old", named=ID)), repo=repo)
        == {}
    )


def test_empty_commits_equal_nothing() -> None:
    class Empty(Repository):
        def patch_id(self, base: str, tip: str) -> str | None:
            return None

    repo = Empty(paths={"new": "", "old": ""})
    assert (
        _found([_commit("new", "Again", AT + 60)], _pull(_commit("old", named=ID)), repo=repo) == {}
    )


def test_patches_are_made_only_where_the_paths_agree() -> None:
    repo = Repository(paths={f"c{n}": f"{n}.py" for n in range(50)} | {"old": "x.py"})
    assert (
        _found(
            [_commit(f"c{n}", f"Change {n}", AT + n) for n in range(50)],
            _pull(_commit("old", named=ID, at=AT - 1)),
            repo=repo,
        )
        == {}
    )
    assert repo.asked == 0


def test_merges_are_made_of_nothing() -> None:
    assert (
        _found([_commit("new", "Budgets (#7)", parents=2)], _pull(_commit("old", named=ID))) == {}
    )


# --- squashes -------------------------------------------------------------------------------------


def _two(first: str = ID, second: str = "0123456789ab") -> tuple[Commit, Commit]:
    return _commit("one", "Totals", AT, first), _commit("two", "Budgets", AT + 60, second)


def test_a_squash_of_gitlab_is_named_by_its_merge() -> None:
    """GitLab's squash has the title alone; the merge commit that brings it says "See merge
    request".
    """
    squash = _commit("new", "Totals and budgets", AT + 900)
    message = (
        "Merge branch 'x' into 'main'\n\nTotals and budgets\n\nSee merge request"
        " group/part/project!7"
    )
    merge = Commit(
        "merge",
        ("main", "new"),
        "t",
        "Ada",
        "a@example.com",
        AT + 901,
        "Ada",
        "a@example.com",
        AT + 901,
        message,
    )
    expected = {"new": [("one", "squash_by_number"), ("two", "squash_by_number")]}
    assert _found([squash, merge], _pull(*_two())) == expected
    assert (
        _found([_commit("new", "Totals\n\nSee merge request !7", AT + 900)], _pull(*_two()))
        == expected
    )
    assert _found([squash], _pull(*_two()), repo=Repository(patches={"new": "other"})) == {}


def test_commits_of_the_pull_request_after_the_squash_do_not_count() -> None:
    squash = _commit("new", "Totals (#7)", AT + 30)
    assert _found([squash], _pull(*_two())) == {"new": [("one", "squash_by_number")]}


def test_another_number_is_another_pull_request() -> None:
    assert _found([_commit("new", "Totals (#8)", AT + 900)], _pull(*_two())) == {}


def test_number_of_an_issue_that_shares_no_path_proves_nothing() -> None:
    repo = Repository(paths={"new": "b.py"})
    assert _found([_commit("new", "Totals (#7)", AT + 900)], _pull(*_two()), repo=repo) == {}


def test_commits_of_a_squash_that_name_nothing_are_remembered() -> None:
    squash, (one, two) = _commit("new", "Totals (#7)", AT + 900), _two(second="")
    made = squash_sources([squash], [_pull(one, two)], Repository().paths, Repository().patch_id)[
        "new"
    ]
    assert isinstance(made, SquashSource)
    assert [c.sha for c in made.others] == ["two"]
    assert made.paths == {"a.py"}


def test_rebased_pull_request_is_not_also_squashed() -> None:
    """Some projects put the number into every subject."""
    one, two = _two()
    branch = [_commit("c1", "Totals (#7)", AT), _commit("c2", "Unrelated (#7)", AT + 900)]
    assert _found(branch, _pull(one, two)) == {"c1": [("one", "trailer_in_pull_ref")]}


def test_stacked_pull_request_does_not_claim_what_was_merged_before() -> None:
    one, two = _two()
    branch = [_commit("c1", "Totals (#7)", AT + 900), _commit("c2", "Budgets (#8)", AT + 1_800)]
    found = _found(branch, _pull(one), _pull(one, two, number=8))
    assert found == {"c1": [("one", "squash_by_number")], "c2": [("two", "squash_by_number")]}


def test_squash_without_number_has_the_patch_of_the_whole_proposal() -> None:
    repo = Repository(patches={"new": "all", "two": "all"})
    squash = _commit("new", "Totals and budgets", AT + 900)
    proposal = PullRequest("refs/heads/totals", 0, "two", _two(), "base")
    # the last commit alone already has it
    assert _found([squash], proposal, repo=repo) == {"new": [("two", "same_patch_id")]}
    repo = Repository(
        {"one": "a.py", "two": "b.py", "tip": "a.py b.py", "new": "a.py b.py"},
        {"new": "all", "tip": "all"},
    )
    commits = (*_two(), _commit("tip", "Typo", AT + 120))
    proposal = PullRequest("refs/heads/totals", 0, "tip", commits, "base")
    assert _found([squash], proposal, repo=repo) == {
        "new": [("one", "same_patch_id"), ("two", "same_patch_id")]
    }
    assert _found([squash], PullRequest("refs/heads/totals", 0, "tip", commits), repo=repo) == {}


# --- refs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "source"),
    {
        "refs/pull/7/head": True,
        "refs/merge-requests/7/head": True,
        "refs/remotes/origin/pull/7/head": True,
        "refs/heads/totals": True,
        "refs/remotes/origin/totals": True,
        "refs/pull/7/merge": False,
        "refs/heads/entire/checkpoints/v1": False,
        "refs/remotes/origin/entire/checkpoints/v1": False,
        "refs/entire/checkpoints/v2/main": False,
        "refs/tags/v1": False,
        "refs/notes/commits": False,
    }.items(),
)
def test_refs_with_originals(ref: str, source: bool) -> None:
    assert is_source(ref) == source


@pytest.mark.parametrize(
    ("case", "methods"),
    {
        "squash_by_number": [("Months and budgets (#7)", "squash_by_number", 2)],
        "squash_of_a_branch": [("Months and budgets", "same_patch_id", 2)],
        "squash_partly_named": [("Months and budgets (#7)", "squash_by_number", 2)],
        "rebase_merge": [("Budgets", "same_patch_id", 1), ("Monthly totals", "same_patch_id", 1)],
        "cherry_pick": [
            ("Budgets, for the release", "same_patch_id", 1),
            ("Monthly totals, for the release", "same_patch_id", 1),
        ],
        "squash": [("Months and budgets (#7)", "trailer", 2)],
    }.items(),
)
def test_links_of_built_repositories(
    case: str, methods: list[tuple[str, str, int]], tmp_path: Path, db: Path
) -> None:
    repo = clone(case, tmp_path)
    with analysed_store(repo, db) as store:
        found = store.rows(
            "SELECT c.subject, l.method, COUNT(*) AS n FROM commit_checkpoint_links l JOIN commits"
            " c ON c.id = l.commit_id WHERE l.checkpoint IS NOT NULL GROUP BY 1, 2 ORDER BY 1"
        )
        assert [tuple(row.values()) for row in found] == methods
        sessions = store.rows("SELECT DISTINCT method FROM commit_sessions")
        assert {row["method"] for row in sessions} == {method for _, method, _ in methods}


def test_file_of_an_unnamed_commit_has_no_author(tmp_path: Path, db: Path) -> None:
    repo = clone("squash_partly_named", tmp_path)
    with analysed_store(repo, db) as store:
        found = store.rows("SELECT author, reason FROM line_spans WHERE path = 'todo.txt'")
        assert [tuple(row.values()) for row in found] == [("unknown", "no_session")]


def test_proposals_hold_what_the_branch_does_not_reach(tmp_path: Path) -> None:
    repo = GitRepo(clone("squash_partly_named", tmp_path))
    (proposal,) = read_pull_requests(repo, repo.default_branch().sha)
    assert (proposal.ref, proposal.number) == ("refs/pull/7/head", 7)
    assert [c.subject for c in proposal.commits] == [
        "Monthly totals",
        "Note what is left to do",
        "Budgets",
    ]
    base = repo.commit(proposal.base)
    assert base is not None and base.subject == "Start the ledger"
    assert read_pull_requests(repo, proposal.tip) == []


def test_refs_that_lead_to_no_commit_or_to_a_missing_one_hide_nothing(tmp_path: Path) -> None:
    place = clone("squash_by_number", tmp_path)
    blob = git(place, "hash-object", "-w", "--stdin", stdin=b"no commit").decode().strip()
    for number, target in enumerate((blob, "1" * 40), 100):
        path = place / "refs" / "pull" / str(number) / "head"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(target + "\n")
    repo = GitRepo(place)
    assert [p.number for p in read_pull_requests(repo, repo.default_branch().sha)] == [7]


SAYS = "Co-authored-by: Claude <noreply@anthropic.com>"
FIRST = "first_line = 1\n"
BOTH = f"{FIRST}second_line = 2\n"


@pytest.mark.parametrize(
    ("first", "second", "squash", "classes"),
    [
        (SAYS, "", SAYS, ["declared", "undeclared"]),  # a server lists the trailers of all
        ("", SAYS, "", ["undeclared", "declared"]),
        ("", "", SAYS, ["declared"]),  # said of all
    ],
)
def test_a_line_of_a_squash_is_declared_by_the_commit_that_added_it(
    first: str, second: str, squash: str, classes: list[str], tmp_path: Path, db: Path
) -> None:
    commits = (
        ("heads/main", "", "", f"Begin (#6)\n\n{SAYS}"),
        ("pull/7/head", ":1", FIRST, f"First\n\n{first}"),
        ("pull/7/head", ":2", BOTH, f"Second\n\n{second}"),
        ("heads/main", ":1", BOTH, f"Numbers (#7)\n\n{squash}"),
    )
    stream = "".join(
        f"commit refs/{ref}\nmark :{mark}\ncommitter Ada <ada@example.com> {1_760_000_000 + mark}"
        f" +0000\ndata <<.\n{message}\n.\n{f'from {parent}' if parent else ''}\nM 100644 inline"
        f" a.py\ndata <<.\n{text}.\n"
        for mark, (ref, parent, text, message) in enumerate(commits, 1)
    )
    repo = import_stream(stream.encode(), tmp_path / "repo")
    with analysed_store(repo, db) as store:
        found = store.rows("SELECT class FROM line_spans ORDER BY start_line")
    assert [row["class"] for row in found] == classes
    line = run_json("why", "--json", repo, "a.py:2", db=db)
    assert ("its pull request added the line: Second" in str(line)) == (len(classes) > 1)
