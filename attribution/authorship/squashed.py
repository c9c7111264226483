"""Which commit of a pull request brought a line of its squash.

A squash repeats the statements of some of its commits, of none, or of all at once, so that its own
message says nothing of one line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from attribution.authorship.agent_text import MIN_LENGTH
from attribution.authorship.commits import added_files, read_history
from attribution.authorship.conclude import declared_verdict
from attribution.authorship.originals import pull_number
from attribution.authorship.run_data import Judged
from attribution.authorship.span_lines import put_lines, verdicts_by_line
from attribution.authorship.verdicts import Verdict, unknown
from collector.checkpoints.pull_requests import pull_heads
from collector.checkpoints.statements import declarations
from collector.git.repository import GitRepo
from collector.model import Commit
from collector.vocabulary.lines import Author, Reason
from collector.vocabulary.releases import steps

_MOST = 200  # commits of a pull request that are read; a branch of more is no single change
SAYING = (Author.UNKNOWN, Author.DECLARED)

Originals = Mapping[str, Mapping[str, Commit]]
"""Path -> text of a line, without the space around it -> the last commit that added it."""


def declare_by_originals(judged: Judged) -> None:
    """Lines of a squash are declared where the commit of its pull request that brought them is."""
    pulls = PullRequests(judged.texts.repo)
    for commit, verdict in judged.commits:
        originals = pulls.find_originals(commit)
        for file, spans in verdict.files if originals else ():
            texts = judged.texts.lines(file)
            known = originals.get(file.change.path, {})
            stated = {}
            original = None
            for line, one in verdicts_by_line(spans).items():
                text = texts[line - 1].strip() if line <= len(texts) else ""
                if len(text) >= MIN_LENGTH:  # a shorter line is that of the line above
                    original = known.get(text)
                if original is not None and one.author in SAYING:
                    stated[line] = _verdict_stated_by(original, one)
            put_lines(spans, stated, texts)


def _verdict_stated_by(original: Commit, existing: Verdict) -> Verdict:
    """What the commit says that brought a line, of which nothing else is known."""
    reason = Reason.NONE if existing.reason is Reason.NO_SESSION else existing.reason
    named = declared_verdict(original)
    if named is not None:
        return replace(named, reason=reason)
    return unknown(reason or Reason.SQUASHED)


class PullRequests:
    """The pull requests that a clone has."""

    def __init__(self, repo: GitRepo) -> None:
        self._repo = repo

    @cached_property
    def _heads(self) -> Mapping[int, str]:
        return pull_heads(self._repo)

    def find_originals(self, squash: Commit) -> Originals:
        """Who added each line of a squash; nothing where all of them say the same as the squash, or
        it says itself what none of them does.
        """
        number = pull_number(squash.subject)
        if not number or squash.author_time < steps()[-1].before or number not in self._heads:
            return {}
        beside = self._repo.history_of([self._heads[number]], list(squash.parents))
        commits = [commit for commit in beside if not commit.is_merge]
        if len(commits) > _MOST:
            return {}
        ours = _declarations_of(squash)
        theirs = [_declarations_of(commit) for commit in commits]
        if all(one == ours for one in theirs) or not ours.issubset(set().union(*theirs)):
            return {}
        return self._lines_of(commits)

    def _lines_of(self, commits: Sequence[Commit]) -> Originals:
        result: dict[str, dict[str, Commit]] = {}
        history = read_history(self._repo, commits, rarity=False)
        for commit in commits:
            for file in added_files(self._repo, history.diffs[commit.sha], old=False):
                lines = result.setdefault(file.path, {})
                for index in file.added:
                    lines[file.lines[index].strip()] = commit
        return result


def _declarations_of(commit: Commit) -> set[tuple[str, str]]:
    return {(stated.agent, stated.sort) for stated in declarations(commit)}
