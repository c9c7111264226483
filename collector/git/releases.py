"""With which release a commit came out: the first tag whose history has it. Tags of versions that
come before a release are passed over.
"""

import re
from collections.abc import Iterable, Mapping

from collector.git.repository import GitRepo
from collector.json_values import Texts
from collector.model import Commit
from collector.text import printable

_TAG = "refs/tags/"
_BEFORE = re.compile(
    r"(?<![a-z])(?:pre|rc|alpha|beta|nightly|snapshot|canary)|\d[-._]?dev|\d[ab]\d", re.I
)


def tags_of(repo: GitRepo) -> Texts:
    """Commit -> the tag on it; of several the shortest name."""
    named = [
        (name.removeprefix(_TAG), sha)
        for name, oid in repo.refs().items()
        if name.startswith(_TAG)
        and not _BEFORE.search(name.removeprefix(_TAG))
        and (sha := repo.peel_commit(oid))
    ]
    return {sha: printable(name) for name, sha in sorted(named, key=_longest_first)}


def _longest_first(tag: tuple[str, str]) -> tuple[int, str]:
    return -len(tag[0]), tag[0]


def first_releases(tags: Mapping[str, str], commits: Iterable[Commit]) -> Texts:
    """Commit -> its tag. Tags are as old as the commits that they stand on."""
    by_id = {commit.sha: commit for commit in commits}
    tagged = sorted(tags.keys() & by_id.keys(), key=lambda sha: by_id[sha].commit_time)
    found = {}
    for sha in tagged:
        waiting = [sha]
        while waiting:
            one = waiting.pop()
            if one in by_id and one not in found:
                found[one] = tags[sha]
                waiting.extend(by_id[one].parents)
    return found
