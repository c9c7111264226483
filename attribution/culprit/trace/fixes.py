"""Which commits of a clone are fixes, and what each repaired: by messages, the stored line
history and the texts of the clone.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from attribution.culprit.repaired import (
    CODE_KINDS,
    OTHER_KINDS,
    FixedLines,
    TracedFix,
    TracedLines,
    first_answer,
    likeliest,
)
from attribution.culprit.signs import FixSign, fix_signs, names_in
from attribution.culprit.trace.lines import AddedBlocks, LineLookup
from attribution.culprit.words import CulpritBasis, FixTier, RepairOutcome
from attribution.ensure.history import follow_first, survival_current
from attribution.queries.open_repo import SHORT, OpenRepo
from collector.commit_model import Commit
from collector.git.repository import GitRepo
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Store, iso
from collector.text import printable


class FixFinder:
    """The fixes of a repository whose lines are followed.

    Raises WhoWroteError where they are not.
    """

    def __init__(self, store: Store, repo_id: int, repo: GitRepo) -> None:
        self._store = store
        self._repo_id = repo_id
        self._repo = repo
        self._followed = store.pairs(_FOLLOWED, (repo_id,))
        self._shas = sorted(self._followed)
        self._weaknesses = _weaknesses_by_fix(store, repo_id)
        self._lookup = LineLookup(store, repo_id, repo)

    def signs(self, commit: Commit) -> tuple[FixSign, ...]:
        """What shows that a commit is a fix, the strongest sign first; none when it is not one."""
        signs = fix_signs(commit.message)
        reverted = self._followed.get(commit.sha)
        if reverted and not any(sign.tier == FixTier.REVERT for sign in signs):
            signs.append(FixSign(FixTier.REVERT, reverted[:SHORT]))
        signs += [FixSign(FixTier.WEAKNESS, name) for name in self._weaknesses.get(commit.sha, ())]
        return tuple(sorted(signs, key=lambda sign: list(FixTier).index(sign.tier)))

    def trace(self, commit: Commit) -> TracedFix:
        """What a commit repaired, whether or not anything shows that it is a fix."""
        signs = self.signs(commit)
        names = printable(" ".join(dict.fromkeys(sign.name for sign in signs if sign.name)))
        tier = signs[0].tier if signs else FixTier.ASKED
        at = iso(commit.author_time) or ""
        subject = printable(commit.subject)
        fix = TracedFix(
            self._repo_id,
            commit.sha,
            subject,
            at,
            tier,
            names,
            RepairOutcome.OLDER,
            None,
            CulpritBasis.NONE,
        )
        if commit.is_merge:
            return fix._replace(outcome=RepairOutcome.MERGE)
        if commit.sha in self._followed:
            return self._trace_lines(fix, signs, names_in(commit.message))
        return fix

    def _trace_lines(
        self, fix: TracedFix, signs: Sequence[FixSign], named: AbstractSet[str]
    ) -> TracedFix:
        added = self._lookup.added(fix.sha)
        by, lines = first_answer(
            self._lookup.removed(fix.sha, named),
            lambda: self._lookup.around(fix.sha, added, named),
            lambda: self._lookup.adds_code(fix.sha, added, CODE_KINDS),
        )
        culprit, basis = self._culprit(fix.sha, signs, lines)
        within = tuple(FixedLines(line.origin, line.line, line.lines) for line in lines if line.sha)
        outcome = (
            RepairOutcome.OLDER
            if lines and not within
            else by or self._outcome_without_lines(fix.sha, added)
        )
        return fix._replace(outcome=outcome, culprit_sha=culprit or None, basis=basis, lines=within)

    def _outcome_without_lines(self, sha: str, added: AddedBlocks) -> RepairOutcome:
        if self._lookup.is_older(sha):
            return RepairOutcome.OLDER
        adds_code = self._lookup.adds_code(sha, added, CODE_KINDS | OTHER_KINDS)
        return RepairOutcome.NOT_DECIDABLE if adds_code else RepairOutcome.NO_LINES

    def _culprit(
        self, sha: str, signs: Sequence[FixSign], lines: Collection[TracedLines]
    ) -> tuple[str, CulpritBasis]:
        if self._followed[sha]:
            return self._followed[sha], CulpritBasis.REVERTED
        stated = [self._resolve(sign.name) for sign in signs if sign.tier == FixTier.NAMED]
        if stated and stated[0]:
            return stated[0], CulpritBasis.STATED
        commit = likeliest(lines)
        return commit, CulpritBasis.LINES if commit else CulpritBasis.NONE

    def _resolve(self, name: str) -> str:
        """The followed commit whose id begins with a name; "" for none and for several."""
        first = bisect_left(self._shas, name)
        matches = [sha for sha in self._shas[first : first + 2] if sha.startswith(name)]
        return matches[0] if len(matches) == 1 else ""


_FOLLOWED = """
SELECT h.commit_sha AS sha, COALESCE(r.commit_sha, '') AS reverted
FROM history_commits h LEFT JOIN history_commits r ON r.id = h.reverts WHERE h.repo_id = ?
"""


_REPAIRED = """
SELECT fixed_sha, COALESCE(cwe, rule_id) AS weakness FROM finding_list
WHERE repo_id = ? AND status = 'introduced' AND fixed_sha IS NOT NULL
  AND fixed_how IN ('changed', 'elsewhere')
"""


def _weaknesses_by_fix(store: Store, repo_id: int) -> dict[str, list[str]]:
    """Commit -> the weaknesses that disappeared with it, where a plug-in has looked for any."""
    by_fix = defaultdict(list)
    if store.has("finding_list"):
        for row in store.rows(_REPAIRED, (repo_id,)):
            by_fix[row["fixed_sha"]].append(row["weakness"])
    return by_fix


def finder_of(opened: OpenRepo, progress: Progress = no_progress) -> FixFinder:
    """What finds the fixes of a clone, whose lines are followed first when needed."""
    follow_first(opened, progress)
    survival_current(opened.store, [opened.repo_id])
    return FixFinder(opened.store, opened.repo_id, opened.repo)


def fixes_among(finder: FixFinder, commits: Iterable[Commit]) -> Iterator[Commit]:
    """The commits that something shows to be fixes; merges are none: what they bring was written
    elsewhere.
    """
    return (commit for commit in commits if not commit.is_merge and finder.signs(commit))
