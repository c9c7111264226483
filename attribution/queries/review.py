"""What to look at on a branch: the lines that it and the working tree have beyond a base, in blocks
that came the same way, first those of agents that nobody approved and no test followed.
"""

import json
import re
from collections.abc import Iterable
from functools import cache

from attribution.hooks import OfComment, sections
from attribution.lineage.survival import BY_AGENTS
from attribution.queries.blame import Block, blame, blocks
from attribution.queries.commit_range import commits_of
from attribution.queries.open_repo import OpenRepo
from attribution.queries.verdicts import NO_COMMIT
from collector.checkpoints.statements import reviewers
from collector.errors import UnknownBranch
from collector.json_values import Row
from collector.vocabulary.lines import LineClass

_BASES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
_TEST = re.compile(
    r"\b(?:pytest|jest|vitest|mocha|rspec|phpunit|ctest|tox|nox|bats|cypress|playwright|unittest)\b"
    r"|\b(?:go|cargo|npm|pnpm|yarn|bun|deno|make|mvn|gradlew?|dotnet|mix|swift|flutter|rake|bazel)"
    r" (?:run )?(?:-\S+ )*(?:tests?|check|verify)\b"
)
_PATHS = (
    "SELECT DISTINCT path FROM line_spans l JOIN commits c ON c.id = l.commit_id WHERE c.repo_id ="
    " ? AND c.commit_sha IN (SELECT value FROM json_each(?)) ORDER BY 1"
)
_COMMANDS = (
    "SELECT command FROM tool_calls WHERE session_id = ?1 AND command IS NOT NULL AND"
    " COALESCE(status, '') <> 'error' AND at > (SELECT at FROM tool_calls WHERE session_id = ?1"
    " AND call_id = ?2)"
)


def base_of(opened: OpenRepo, base: str = "") -> str:
    """The revision that a branch is compared with: the one that is named, else the main branch of
    the remote or of the clone, else HEAD, so that only the working tree remains.

    Raises UnknownBranch for one that is named.
    """
    if base:
        opened.repo.resolve(base)
        return base
    for name in _BASES:
        try:
            if opened.repo.resolve(name).sha != opened.tip:
                return name
        except UnknownBranch:
            continue
    return "HEAD"


def waiting_shas(opened: OpenRepo, base: str) -> list[str]:
    """The commits beyond the base, without merges, and those that would be made of what is not
    committed; the clone stands at them.
    """
    commits = commits_of(opened, f"{base}..")
    made = [commit.sha for commit in commits if commit.parents < 2]
    return [*made, *opened.unmade]


def review(opened: OpenRepo, base: str) -> Row:
    """`blocks`: rows of the lines that are not a person's, those to look at first before the
    others; `weaknesses`: lines of Markdown about them; `commits`, `lines`: how many there are.

    A row has path, start_line, end_line, class, agent, session, prompt, reason, commit, `approved`:
    whether somebody but the author is named as reviewer, `tested`: whether a test was run later in
    the session, and `rank`: 0 for what to look at first.
    """
    shas = waiting_shas(opened, base)
    within = {*shas, NO_COMMIT}
    rows = list[Row]()
    lines = 0
    for row in opened.store.rows(_PATHS, (opened.repo_id, json.dumps(shas))):
        if opened.repo.file_at((opened.waiting or [opened.tip])[-1], row["path"]) is None:
            continue
        file = blame(opened, row["path"])
        added = [b for b in blocks(opened, file) if b.first.introduced.sha in within]
        lines += sum(block.end - block.start + 1 for block in added)
        rows += _rows(opened, file.path, added)
    rows.sort(key=lambda row: (row["rank"], row["path"], row["start_line"]))
    found = sections(opened.store, OfComment(set(shas)))
    return {
        "branch": opened.branch,
        "base": base,
        "commits": len(shas) - len(opened.unmade),
        "lines": lines,
        "blocks": rows,
        "weaknesses": [text for part in found for text in part.words],
    }


def _rows(opened: OpenRepo, path: str, added: Iterable[Block]) -> list[Row]:
    @cache
    def is_approved(sha: str) -> bool:
        commit = opened.repo.commit(sha) if sha != NO_COMMIT else None
        return commit is not None and bool(reviewers(commit))

    @cache
    def is_tested(session: int | None, call: str) -> bool:
        commands = opened.store.rows(_COMMANDS, (session, call))
        return any(_TEST.search(row["command"]) for row in commands)

    rows = []
    for block in added:
        of = block.first.attribution
        sha = block.first.introduced.sha
        if of.kind in (LineClass.HUMAN, LineClass.LIKELY_HUMAN, LineClass.TOOL):
            continue
        approved = is_approved(sha)
        tested = is_tested(of.session_id, of.call_id) if of.call_id else False
        rank = (1 if approved or tested else 0) if of.kind in BY_AGENTS else 2
        names = ("class", "agent", "session", "reason", "commit")
        values = block.first.data()
        place = {"path": path, "start_line": block.start, "end_line": block.end}
        told = {"prompt": block.prompt, "approved": approved, "tested": tested, "rank": rank}
        rows.append(place | {name: values[name] for name in names} | told)
    return rows
