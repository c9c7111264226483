"""The directory of a repository's files, whatever its configuration says, and what a clone
without checkpoints is told.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builder.objects import git

from attribution.authorship.options import AttributeOptions
from attribution.queries.repo_report import repo_report
from attribution.stages.lines import attribute_repo
from collector.git.repository import GitRepo
from collector.storage.store import Store

NOBODY = ("-c", "user.name=a", "-c", "user.email=a@example.org")
LAYOUTS = {  # how a repository is made, from which directory it is read, where its files are
    "ordinary": ((("init", "-q", "tally"),), "tally", "tally"),
    "its .git": ((("init", "-q", "tally"),), "tally/.git", "tally"),
    "bare": ((("init", "-q", "--bare", "tally.git"),), "tally.git", None),
    "a mirror that does not say so": (
        (
            ("init", "-q", "--bare", "tally.git"),
            ("-C", "tally.git", "config", "--unset", "core.bare"),
        ),
        "tally.git",
        None,
    ),
    "apart from its files": (
        (("init", "-q", "--separate-git-dir", "meta/tally", "tally"),),
        "tally",
        "tally",
    ),
    "apart, read by itself": (
        (("init", "-q", "--separate-git-dir", "meta/tally", "tally"),),
        "meta/tally",
        None,
    ),
    "beside its files": (
        (("init", "-q", "--separate-git-dir", "tally/.meta", "tally"),),
        "tally/.meta",
        "tally",
    ),
    "files that it names": (
        (
            ("init", "-q", "--bare", "x.git"),
            ("-C", "x.git", "config", "core.bare", "false"),
            ("-C", "x.git", "config", "core.worktree", ".."),
        ),
        "x.git",
        ".",
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_directory_of_the_files_is_the_one_that_git_says(tmp_path: Path, layout: str) -> None:
    commands, read, files = LAYOUTS[layout]
    for directory in ("meta", "tally"):
        (tmp_path / directory).mkdir()
    for command in commands:
        git(tmp_path, *command)
    assert GitRepo(tmp_path / read).worktree() == (
        None if files is None else (tmp_path / files).resolve()
    )


@pytest.mark.parametrize("branch", ["entire/checkpoints/v1", ""])
def test_a_mirror_without_checkpoints_is_attributed_under_its_name(
    tmp_path: Path, db: Path, branch: str
) -> None:
    mirror = tmp_path / "tally.git"
    git(tmp_path, "init", "-q", "--bare", "tally.git")
    git(mirror, "config", "--unset", "core.bare")
    empty = (
        git(mirror, *NOBODY, "commit-tree", "-m", "x", git(mirror, "mktree").decode().strip())
        .decode()
        .strip()
    )
    for name in filter(None, ("main", branch)):
        git(mirror, "update-ref", f"refs/heads/{name}", empty)
    git(mirror, "symbolic-ref", "HEAD", "refs/heads/main")
    with Store(db) as store:
        done = attribute_repo(store, mirror, AttributeOptions())
        report = repo_report(store, done.repo_id)
    assert (report.name, report.commits, sum(report.lines.values())) == ("tally", 1, 0)
