"""`whowrote repo`: from one clone to a filled database. The steps in order.

read (checkpoints, sessions, commits) -> replay (worktrees) -> judge (lines) -> write. Facts are written session by session;
everything concluded from them in one transaction at the end, together with the row that says from which inputs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from attribution.authorship.absent import add_missing_ends
from attribution.authorship.clock_offsets import on_session_clocks
from attribution.authorship.commits import CommitHistory, FilesRead, added_files, read_history
from attribution.authorship.conclude import NamedSessions, conclude
from attribution.authorship.content import CommitTexts, content_probes
from attribution.authorship.dates import old_commits
from attribution.authorship.elsewhere import landed_elsewhere
from attribution.authorship.links import ChangedPaths, add_imports, add_own, add_stated, commit_probes, link_by_trailer
from attribution.authorship.options import AttributeOptions
from attribution.authorship.own_commits import own_commits
from attribution.authorship.passes import settle
from attribution.authorship.recover import recover
from attribution.authorship.replay import Worktree
from attribution.authorship.run_data import Judged, Replayed, RunInputs, SessionsRead
from attribution.authorship.session_edits import characters_of
from attribution.authorship.texts import DiffTexts, RepositoryTexts, text_at
from attribution.authorship.timeline import Timeline, add_snapshots, edited_paths, learn_roots, roots_of, timelines
from attribution.authorship.worktree_roots import WorktreeRoots
from attribution.authorship.worktrees import CommitProbe, Runner
from attribution.features.prices import prices_of
from attribution.lineage.reverts import taken_back
from attribution.stages import feature_rows, line_rows, outcomes, turn_outcomes
from attribution.stages.lines_due import STAGE, VERSION, censored_parts, is_done, nothing_found, target_of
from attribution.stages.sessions import read_sessions
from collector.checkpoints import read_all
from collector.files.stated import attributes_at
from collector.git.clocks import other_clocks
from collector.git.repository import GitRepo
from collector.load import LOAD, facts_key, key_of_run, write_commits
from collector.local import find_sessions, keep_private, local_checkpoints
from collector.local.model import LocalSessions, elsewhere_note
from collector.model import Checkpoint, Commit, Problem
from collector.plugins import hooks
from collector.repository_rows import claim_repo, describe_repo, name_branch
from collector.runtime.progress import Progress, no_progress
from collector.runtime.stages import Clock, RunContext, StageName, forget_runs
from collector.storage.store import Store
from collector.vocabulary.sessions import CheckpointStore


@dataclass(slots=True)
class Attributed:
    """What a run did; the numbers themselves are in the database."""

    repo_id: int
    unchanged: bool
    seconds: float
    censored: list[str] = field(default_factory=list)
    elsewhere: str = ""  # sessions that were not started in the clone's worktrees


def attribute_repo(
    store: Store, path: str | Path | GitRepo, options: AttributeOptions, progress: Progress = no_progress
) -> Attributed:
    """Attributes one clone, opened or not. Raises NotARepository, UnknownBranch, NoCheckpoints, DatabaseUnusable."""
    clock = Clock()
    feature_rows.prepare(store)
    repo = path if isinstance(path, GitRepo) else GitRepo(path)
    local = find_sessions(repo, options.local)
    if local.sessions:
        keep_private(store)
    target = target_of(store, repo, options, local)
    if target.known is not None and is_done(store, target):
        name_branch(store, target.known, target.branch)
        repriced = feature_rows.price_repo(store, target.known)
        return Attributed(target.known, not repriced, clock.seconds, censored_parts(repo), elsewhere_note(local))
    progress("reading checkpoints", 0, 0)
    repo.check_trees(target.head)
    problems = list(local.problems)
    checkpoints = read_all(repo, problems)
    checkpoints += local_checkpoints(local, checkpoints)
    if not checkpoints and not options.anyway:
        raise nothing_found(repo, local)
    local = replace(local, problems=tuple(problems))
    context = RunContext(store, repo, claim_repo(store, repo, options.name), progress)
    run = STAGE.start(store, context.repo_id, target.key, clock=clock)
    evidence = _read(context, target.head, read_sessions(context, checkpoints, local, options.jobs, VERSION), checkpoints)
    replayed = _replay(context, evidence, local.worktrees)
    progress("judging lines", 0, 0)
    judged = _judge(repo, evidence, replayed)
    progress("writing", 0, 0)
    run.key = key_of_run(context, run.key)
    with run.writing():
        describe_repo(context, target.branch, target.head)
        run.report(_write(context, judged, target.head, options.since))
        forget_runs(store, (StageName.SURVIVAL,), context.repo_id)  # its rows went with those they point to
        run.covers(feature_rows.COSTS, feature_rows.costs_key(prices_of(store)))
        if options.whole and not local.sessions and run.key == target.key:  # all that `collect run` would have read
            run.covers(LOAD, facts_key(store, repo, target.head))
    return Attributed(context.repo_id, False, clock.seconds, censored_parts(repo), elsewhere_note(local))


def _read(
    context: RunContext, head: str, sessions: SessionsRead, checkpoints: Sequence[Checkpoint], only: FilesRead | None = None
) -> RunInputs:
    context.progress("reading commits", 0, 0)
    attributes = attributes_at(context.repo, head)
    history = read_history(context.repo, list(context.repo.history(head)), attributes, rarity=bool(sessions.edits), only=only)
    own = own_commits(history.commits, sessions.edits, history.touched)
    history.characters = characters_of(sessions.edits)
    added = partial(added_files, context.repo, characters=history.characters)
    history.put_on_clock(on_session_clocks(history, own, sessions.edits, added))
    links = link_by_trailer(history.commits, checkpoints)
    add_stated(links, sessions.edits, checkpoints)
    add_own(links, {sha: made for sha, made in own.items() if not made.made.on_server}, checkpoints)
    add_imports(links, sessions.edits, checkpoints)
    recover(context.repo, head, history, links, checkpoints, sessions.edits)
    add_own(links, own, checkpoints)  # a merge on a server whose originals are gone is at least the merging session's
    clocks = other_clocks(context.repo, old_commits(history.commits))
    return RunInputs(checkpoints, add_missing_ends(sessions, checkpoints, links), history, links, clocks)


def _replay(context: RunContext, evidence: RunInputs, worktrees: Iterable[str] = (), only: FilesRead | None = None) -> Replayed:
    """Runs every worktree through time, comparing it with the commits made from it."""
    history, sessions = evidence.history, evidence.sessions.edits
    worktree_roots = WorktreeRoots(
        frozenset(history.paths), context.repo.links(history.commits[-1].tree) if history.commits else {}
    )
    learn_roots(worktree_roots, sessions, worktrees, (commit.sha for commit in history.commits))
    lines, edits = timelines(sessions, worktree_roots)
    if only is not None:
        edits = [edit for edit in edits if edit.path in only.paths]
        for line in lines.values():
            line.keep(only.paths, only.since)
    add_snapshots(lines, _snapshots(evidence), partial(text_at, context.repo))
    texts = RepositoryTexts(context.repo, history)
    for line in lines.values():
        line.windows.tasks, line.windows.tracked = texts.task, texts.is_tracked
    probes = _probes(evidence, lines, roots_of(sessions, worktree_roots, lines), texts)
    if only is not None:
        asked = only.asked  # worktrees compared with one of these commits, and there what the state later depends on
        wanted = {root: several for root, several in probes.items() if any(probe.sha in asked for probe in several)}
        probes = {root: [p for p in several if p.main or p.here or p.sha in asked] for root, several in wanted.items()}
    runs = []
    for number, (root, line) in enumerate(sorted(lines.items())):
        context.progress("replaying worktrees", number, len(lines))
        if only is None or root in probes:
            tree = Worktree(texts.versions, texts.is_committed)
            runs.append(Runner(line, tree, texts.added, history.rarity, history.is_ancestor).run(probes.get(root, ())))
    return Replayed(lines, edits, runs)


def _snapshots(evidence: RunInputs) -> Iterator[tuple[float, int, str]]:
    """(when, session, commit) of the worktrees that shadow branches hold."""
    for c in evidence.checkpoints:
        if c.store is CheckpointStore.SHADOW and c.created_at is not None:
            yield c.created_at, evidence.sessions.ids[c.sessions[0].session_id], c.id


def _probes(
    evidence: RunInputs, lines: Mapping[str, Timeline], roots_of: Mapping[str, set[str]], texts: RepositoryTexts
) -> dict[str, list[CommitProbe]]:
    """Root -> moments at which the worktree is compared with a commit."""
    history, links = evidence.history, evidence.links
    commits = {c.sha: c for c in history.commits}
    touched = {sha: history.touched(sha) for sha in history.diffs}
    homes = {root for key in evidence.sessions_of_this_clone() for root in roots_of.get(key, ())}
    probes = commit_probes(links, commits, roots_of, lines, ChangedPaths(touched, history.last_change), homes)
    added = CommitTexts(touched, texts.added, history.rarity)
    for root, more in content_probes(links, commits, lines, added, evidence.unlinked_sessions()).items():
        existing = {(probe.at, probe.sha) for probe in probes[root]}
        probes[root].extend(probe for probe in more if (probe.at, probe.sha) not in existing)
    return probes


def _judge(repo: GitRepo, evidence: RunInputs, replayed: Replayed, only: FilesRead | None = None) -> Judged:
    probes, edited, sessions = replayed.probes(), edited_paths(replayed.timelines), evidence.sessions
    paths = {key: edited.get(sessions.ids[key], set()) for key in sessions.reach}
    verdicts, local = {}, all(c.store is CheckpointStore.LOCAL for c in evidence.checkpoints)
    for commit in (c for c in evidence.history.commits if only is None or c.sha in only.asked):
        link, diff = evidence.links[commit.sha], evidence.history.diffs[commit.sha]
        missing = evidence.missing_transcripts(link)
        readable = any(sessions.reach[key].readable for key in link.sessions if key in sessions.reach)
        named = NamedSessions(missing, readable, evidence.claimed_paths(link, paths), local)
        verdicts[commit.sha] = conclude(diff, link, probes.get(commit.sha, ()), named)
    judged = Judged(evidence, replayed, DiffTexts(repo, evidence.history), verdicts)
    settle(judged)
    return judged


def judge_files(
    context: RunContext, head: str, sessions: SessionsRead, stored: tuple[Sequence[Checkpoint], LocalSessions], only: FilesRead
) -> Judged:
    """The verdicts on some files of the commits asked about as a run makes them, from some sessions. Nothing is written."""
    checkpoints, local = stored
    evidence = _read(context, head, sessions, checkpoints, only)
    return _judge(context.repo, evidence, _replay(context, evidence, local.worktrees, only), only)


def _write(context: RunContext, judged: Judged, head: str, since: float | None) -> list[Problem]:
    """Replaces the conclusions about a repository. Call within a transaction. Returns what could not be judged."""
    store, repo_id = context.store, context.repo_id
    numbers = write_commits(store, repo_id, _commits_since(judged.evidence.history, since), context.repo.mailmap(head))
    line_rows.clear(store, repo_id)
    line_rows.links(store, repo_id, numbers, judged.evidence.links)
    line_rows.lines(store, repo_id, numbers, judged)
    line_rows.edits(store, judged.replayed)
    line_rows.sessions(store, numbers, judged)
    line_rows.totals(store, repo_id, judged)
    line_rows.vendor(store, repo_id)
    line_rows.confidence(store)
    elsewhere = landed_elsewhere(judged.texts, judged.replayed.runs)
    reverted = taken_back((commit.sha, commit.message) for commit in judged.evidence.history.commits)
    after = outcomes.AfterSessions(elsewhere, reverted)
    outcomes.fill_outcomes(store, repo_id, judged.evidence.sessions.edits, judged.replayed, after)
    turn_outcomes.fill_turns(store, repo_id, judged.evidence.sessions.edits, judged.replayed)
    feature_rows.fill_costs(store, repo_id, prices_of(store))
    feature_rows.fill_what_follows(store, repo_id)
    for fill in hooks("after_lines"):
        fill(context)
    return [*line_rows.problems(judged), *outcomes.problems(store, repo_id)]


def _commits_since(history: CommitHistory, since: float | None) -> list[Commit]:
    """As git has them, with its times."""
    recorded = (history.recorded.get(commit.sha, commit) for commit in history.commits)
    return [commit for commit in recorded if since is None or commit.author_time >= since]
