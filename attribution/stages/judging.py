"""From the sessions that were read to the verdicts on lines: read commits -> replay worktrees ->
judge. Nothing is written.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from attribution.authorship.absent import add_missing_ends
from attribution.authorship.applied_edits import DOCUMENTS
from attribution.authorship.clock_offsets import on_session_clocks
from attribution.authorship.commits import added_files, read_history
from attribution.authorship.conclude import NamedSessions, conclude
from attribution.authorship.content import CommitTexts, content_probes
from attribution.authorship.links import (
    ChangedPaths,
    add_imports,
    add_own,
    add_stated,
    commit_probes,
    link_by_trailer,
)
from attribution.authorship.own_commits import own_commits
from attribution.authorship.passes import settle
from attribution.authorship.recover import recover
from attribution.authorship.renamed_files import follow_renamed
from attribution.authorship.replay import Worktree
from attribution.authorship.run_data import Judged, Replayed, RunInputs, SessionsRead
from attribution.authorship.scope import ALL, Scope
from attribution.authorship.session_clocks import put_sessions_on_clock
from attribution.authorship.session_edits import characters_of
from attribution.authorship.texts import DiffTexts, RepositoryTexts, text_at
from attribution.authorship.timeline import (
    Timeline,
    add_snapshots,
    add_unrecorded,
    edited_paths,
    find_moved,
    learn_roots,
    paths_named,
    roots_of,
    timelines,
)
from attribution.authorship.verdicts import CommitVerdict
from attribution.authorship.worktree_roots import WorktreeRoots
from attribution.authorship.worktrees import CommitProbe, Runner
from attribution.stages.earlier import sessions_unread
from attribution.stages.kept import NOTHING_KEPT, KeptWork, work_of
from collector.agents.machine.model import Roots
from collector.files.stated import attributes_at
from collector.git.repository import GitRepo
from collector.local.model import NOTHING_LOCAL, LocalSessions
from collector.model import Checkpoint
from collector.runtime.stages import RunContext
from collector.vocabulary.sessions import CheckpointStore


def judge_lines(
    context: RunContext,
    head: str,
    sessions: SessionsRead,
    stored: tuple[Sequence[Checkpoint], LocalSessions],
    scope: Scope = ALL,
) -> Judged:
    """All steps in order, for a run or a question.

    `stored`: the checkpoints, and what this machine keeps.
    """
    checkpoints, local = stored
    evidence = read_inputs(context, head, sessions, checkpoints, scope)
    with work_of(context, evidence, local) as kept:
        replayed = replay(context, evidence, local, scope, kept)
        context.progress("judging lines", 0, 0)
        return judge(context.repo, evidence, replayed, scope, kept.begin_part("verdicts"))


def read_inputs(
    context: RunContext,
    head: str,
    sessions: SessionsRead,
    checkpoints: Sequence[Checkpoint],
    scope: Scope = ALL,
) -> RunInputs:
    context.progress("reading commits", 0, 0)
    attributes = attributes_at(context.repo, head)
    history = read_history(
        context.repo,
        list(context.repo.history(head)),
        attributes,
        rarity=bool(sessions.edits),
        scope=scope,
    )
    own = own_commits(history.commits, sessions.edits, history.touched)
    history.characters = characters_of(sessions.edits)
    added = partial(added_files, context.repo, characters=history.characters, old=False)
    put_sessions_on_clock(history, own, sessions.edits, added)
    history.put_on_clock(on_session_clocks(history, own, sessions.edits, added))
    links = link_by_trailer(history.commits, checkpoints)
    add_stated(links, sessions.edits, checkpoints)
    add_own(links, {sha: made for sha, made in own.items() if not made.made.on_server}, checkpoints)
    add_imports(links, sessions.edits, checkpoints)
    recover(context.repo, head, history, links, checkpoints, sessions.edits)
    # a merge on a server whose originals are gone is at least the merging session's
    add_own(links, own, checkpoints)
    return RunInputs(checkpoints, add_missing_ends(sessions, checkpoints, links), history, links)


def replay(
    context: RunContext,
    evidence: RunInputs,
    local: LocalSessions = NOTHING_LOCAL,
    scope: Scope = ALL,
    kept: KeptWork = NOTHING_KEPT,
) -> Replayed:
    """Runs every worktree through time, comparing it with the commits made from it."""
    history = evidence.history
    sessions = evidence.sessions.edits
    named = {path for session in sessions for path in paths_named(session)}
    worktree_roots = WorktreeRoots(
        frozenset(history.paths),
        context.repo.links(history.commits[-1].tree) if history.commits else {},
        Roots.of_paths(local.worktrees).led_to(named),
    )
    learn_roots(
        worktree_roots, sessions, local.worktrees, (commit.sha for commit in history.commits)
    )
    texts = RepositoryTexts(context.repo, history)
    find_moved(worktree_roots, sessions, texts.first)
    lines, edits = timelines(sessions, worktree_roots)
    add_unrecorded(lines.values(), sessions_unread(context, local))
    if scope is not ALL:
        edits = [
            edit for edit in edits if edit.path in scope.paths or edit.path.endswith(DOCUMENTS)
        ]
        for line in lines.values():
            line.keep(scope.paths, scope.since)
    # their commits hold snapshots
    shadows = (c for c in evidence.checkpoints if c.store is CheckpointStore.SHADOW)
    snapshots = (
        (c.created_at, evidence.sessions.ids[c.sessions[0].session_id], c.id)
        for c in shadows
        if c.created_at is not None
    )
    add_snapshots(lines, snapshots, partial(text_at, context.repo))
    touched = {sha: history.touched(sha) for sha in history.diffs}
    follow_renamed(lines.values(), history, texts.added, touched)
    for line in lines.values():
        line.windows.tasks = texts.task
        line.windows.tracked = texts.is_tracked
    probes = _probes(evidence, lines, roots_of(sessions, worktree_roots, lines), texts)
    # worktrees compared with one of the commits asked about, and there what the state later
    # depends on
    wanted = {
        root: [probe for probe in several if probe.main or probe.here or probe.sha in scope.asked]
        for root, several in probes.items()
        if any(probe.sha in scope.asked for probe in several)
    }
    runs = []
    for number, (root, line) in enumerate(sorted(lines.items())):
        context.progress("replaying worktrees", number, len(lines))
        if scope is ALL or root in wanted:
            part = kept.begin_part(root)
            run = part.load_value()
            if run is None:
                tree = Worktree(texts.versions, texts.is_committed)
                runner = Runner(line, tree, texts.added, history.rarity, history.is_ancestor)
                run = runner.run(wanted.get(root, ()))
                part.save_value(run)
            runs.append(run)
    return Replayed(lines, edits, runs)


def _probes(
    evidence: RunInputs,
    lines: Mapping[str, Timeline],
    roots_of: Mapping[str, set[str]],
    texts: RepositoryTexts,
) -> dict[str, list[CommitProbe]]:
    """Root -> moments at which the worktree is compared with a commit."""
    history = evidence.history
    links = evidence.links
    commits = {c.sha: c for c in history.commits}
    touched = {sha: history.touched(sha) for sha in history.diffs}
    homes = {root for key in evidence.sessions_of_this_clone() for root in roots_of.get(key, ())}
    probes = commit_probes(
        links, commits, roots_of, lines, ChangedPaths(touched, history.last_change), homes
    )
    added = CommitTexts(touched, texts.added, history.rarity)
    for root, more in content_probes(
        links, commits, lines, added, evidence.unlinked_sessions()
    ).items():
        existing = {(probe.at, probe.sha) for probe in probes[root]}
        probes[root].extend(probe for probe in more if (probe.at, probe.sha) not in existing)
    return probes


def judge(
    repo: GitRepo,
    evidence: RunInputs,
    replayed: Replayed,
    scope: Scope = ALL,
    kept: KeptWork = NOTHING_KEPT,
) -> Judged:
    known = kept.load_value()
    verdicts = known or _conclude_all(evidence, replayed, scope)
    judged = Judged(evidence, replayed, DiffTexts(repo, evidence.history), verdicts)
    if not known:
        settle(judged)
        if evidence.sessions.edits:  # else it is soon done again
            kept.save_value(verdicts)
    return judged


def _conclude_all(
    evidence: RunInputs, replayed: Replayed, scope: Scope
) -> dict[str, CommitVerdict]:
    """The verdicts as the worktrees have them."""
    probes = replayed.probes()
    edited = edited_paths(replayed.timelines)
    sessions = evidence.sessions
    paths = {key: edited.get(sessions.ids[key], set()) for key in sessions.reach}
    verdicts = {}
    local = all(c.store is CheckpointStore.LOCAL for c in evidence.checkpoints)
    for commit in (c for c in evidence.history.commits if c.sha in scope.asked):
        link = evidence.links[commit.sha]
        diff = evidence.history.diffs[commit.sha]
        missing = evidence.missing_transcripts(link)
        readable = any(
            sessions.reach[key].readable for key in link.sessions if key in sessions.reach
        )
        named = NamedSessions(missing, readable, evidence.claimed_paths(link, paths), local)
        verdicts[commit.sha] = conclude(diff, link, probes.get(commit.sha, ()), named)
    return verdicts
