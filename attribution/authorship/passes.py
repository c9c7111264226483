"""What happens to verdicts once every commit was compared with the worktrees: passes over all
commits, in a fixed order. Pure.

`conclude` leaves some lines without an author, and gives others to a person because nobody else is
left. Each pass settles one kind of them. The order matters: edits get only lines that no person
keeps, and a declaration of the commit comes late, because any record tells more.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from attribution.authorship.agent_text import first_times
from attribution.authorship.applied_edits import applied_edits, attribute_to_edits, give_to_maker
from attribution.authorship.chat_blocks import give_lines_to_answers
from attribution.authorship.conclude import declare
from attribution.authorship.dates import dated_commits
from attribution.authorship.of_others import lines_of_others, testify
from attribution.authorship.old_texts import give_old_texts_back, give_to_branch
from attribution.authorship.people import confirm
from attribution.authorship.person_lines import person_lines
from attribution.authorship.run_data import Judged
from attribution.authorship.seen_lines import (
    LinkedCommit,
    settle_seen_lines,
    take_back_declarations,
)
from attribution.authorship.squashed import SAYING, declare_by_originals
from attribution.authorship.timeline import edited_paths
from attribution.authorship.tools import (
    give_scaffolds_to_tools,
    give_to_generators,
    give_to_tools,
    give_versions_to_bot,
)
from attribution.authorship.verdicts import SightingPair, Span, Verdict, change_verdicts, unknown
from collector.checkpoints.statements import automation
from collector.files.kinds import BY_HAND
from collector.vocabulary.lines import Author, Evidence, How, Reason

_BY_OTHERS = {How.REFORMATTED: unknown(Reason.FORMATTER), How.MOVED: unknown(Reason.AGENT_TEXT)}


def note_sessions(judged: Judged) -> None:
    """Notes on each verdict the sessions that its commit names."""
    ids = judged.evidence.sessions.ids
    for sha, verdict in judged.verdicts.items():
        link = judged.evidence.links[sha]
        if link.is_resolved:
            verdict.named = {ids[key] for key in link.sessions if key in ids}


def name_commands(judged: Judged) -> None:
    """Lines of a file that a command on record named before their commit are unknown because of
    that command, though nothing links the commit to its session.
    """
    nobody = unknown(Reason.NO_SESSION)
    for commit, verdict in judged.commits:
        link = judged.evidence.links[commit.sha]
        if verdict.method or link.is_resolved:
            continue
        lines = [line for line in judged.replayed.timelines.values() if line.was_at_work(commit)]
        for file, spans in verdict.files if lines else ():
            if not any(span.verdict == nobody for span in spans):
                continue
            since = judged.evidence.history.last_change(file.change.path, commit.author_time)
            found = (line.command_on(file.change.path, since, commit) for line in lines)
            call = next(filter(None, found), None)
            if call is not None:
                _replace_verdict(spans, nobody, unknown(Reason.OPAQUE_SHELL, call))


def _replace_verdict(spans: list[Span], old: Verdict, new: Verdict) -> None:
    """Puts a verdict in the place of another one."""
    change_verdicts(spans, lambda verdict: new if verdict == old else verdict)


def give_lines_of_others_to_people(judged: Judged) -> None:
    """Lines without an author that an agent said were there before its edits become a person's,
    to be confirmed.
    """
    others = lines_of_others(judged.evidence.sessions.edits, judged.evidence.history)
    for commit, verdict in judged.commits if others else ():
        testify(verdict, others.get(commit.sha, {}), judged.parent_time(commit), judged.texts)


def take_lines_of_others_back(judged: Judged) -> None:
    """What others formatted or moved of an agent's text is nobody's, where the agent's own
    changes had been committed before.
    """
    others = lines_of_others(judged.evidence.sessions.edits, judged.evidence.history)
    for commit, verdict in judged.commits if others else ():
        lines = others.get(commit.sha, {})
        for file, spans in verdict.files if lines else ():
            if file.change.path in lines and lines[file.change.path][1] is not Reason.FORMATTER:
                change_verdicts(spans, lambda verdict: _BY_OTHERS.get(verdict.how, verdict))


def settle_by_sightings(judged: Judged) -> None:
    """Lines that were seen to appear become a person's, to be confirmed; those seen before their
    author came become nobody's.
    """
    for item in _linked_commits(judged):
        settle_seen_lines(item, judged.seen_files)


def take_back_declared(judged: Judged) -> None:
    """Lines that stood in a file when the sessions of the commit first looked at it are not
    theirs, whatever its trailer says.
    """
    for item in _linked_commits(judged):
        take_back_declarations(item, judged.seen_files)


def _linked_commits(judged: Judged) -> Iterator[LinkedCommit]:
    evidence = judged.evidence
    edited = edited_paths(judged.replayed.timelines)
    paths = {key: edited.get(evidence.sessions.ids[key], set()) for key in evidence.sessions.reach}
    for commit, verdict in judged.commits:
        link = evidence.links[commit.sha]
        lacking = link.incomplete or link.partly or bool(evidence.missing_transcripts(link))
        yield LinkedCommit(
            commit,
            verdict,
            judged.parent_time(commit),
            link.is_resolved and not lacking,
            lacking,
            evidence.claimed_paths(link, paths),
        )


def confirm_people(judged: Judged) -> None:
    """A person's lines stay a person's only with a witness; the others become unknown, with the
    reason.
    """
    evidence = judged.evidence
    commits = judged.commits
    lines = {
        commit.sha: list(person_lines(commit, verdict, judged.texts)) for commit, verdict in commits
    }
    all_lines = [line for several in lines.values() for line in several]
    agents = (text for session in evidence.sessions.edits for text in session.produced)
    produced = first_times(
        {text for line in all_lines for text in (*line.bare, *line.novel)}, agents
    )
    for commit, verdict in commits:
        is_own = evidence.links[commit.sha].own is not None
        confirm(commit, verdict, lines[commit.sha], produced, is_own)


def give_lines_to_edits(judged: Judged) -> None:
    """Lines that the replay lost track of go to an applied edit of that file that holds them.

    In a commit whose id a call printed, so do lines of other sessions that the session of that call
    brings as well.
    """
    edits = applied_edits(
        judged.replayed.edits, judged.replayed.timelines, judged.replayed.undone()
    )
    ids = judged.evidence.sessions.ids
    for commit, verdict in judged.commits:
        own = judged.evidence.links[commit.sha].own
        if own is not None and own.printed:
            give_to_maker(commit, verdict, ids[own.session], edits, judged.texts)
        attribute_to_edits(commit, verdict, edits, judged.texts)


def declare_the_rest(judged: Judged) -> None:
    """Lines without an author become declared where their commit names an agent."""
    for item in _linked_commits(judged):
        own = judged.evidence.links[item.commit.sha].own
        by_record = own is not None and item.complete and "co-authored-by:" in own.made.text.lower()
        declare(item.verdict, item.commit, by_record=by_record)


def give_files_to_tools(judged: Judged) -> None:
    """Lines of lock files, generated files and the like go to the program that writes them,
    unless an agent's edit wrote them.
    """
    for commit, verdict in judged.commits:
        give_to_tools(verdict, commit.sha, judged.texts)
        give_to_generators(verdict, judged.texts)
        give_scaffolds_to_tools(verdict, commit, judged.texts)


def give_versions_to_bots(judged: Judged) -> None:
    """Of a commit by the account of a program, lines in which only a version is new go to that
    program.
    """
    for commit, verdict in judged.commits:
        bot = automation(commit)
        if bot is None:
            continue
        for file, spans in verdict.files:
            give_versions_to_bot(file, spans, bot, judged.texts)


def date_old_lines(judged: Judged) -> None:
    """Lines of commits that are older than coding agents become a person's, if nothing links the
    commit to one or to a program.
    """
    evidence = judged.evidence
    nobody = unknown(Reason.NO_SESSION)
    for sha, witness in dated_commits(evidence.history.commits).items():
        if (verdict := judged.verdicts.get(sha)) is None:
            continue
        link = evidence.links[sha]
        persons = Verdict(
            Author.HUMAN, How.NONE, Evidence.DATED, witness=SightingPair(witness, None)
        )
        is_linked = link.named or link.records or link.made or verdict.method
        for file, spans in () if is_linked else verdict.files:
            if file.kind in BY_HAND:
                _replace_verdict(spans, nobody, persons)


class Pass(NamedTuple):
    """A pass and its contract: it changes the author of no line but those of `takes`, and to
    none but those of `gives`.
    """

    run: Callable[[Judged], None]
    takes: tuple[Author, ...] = ()
    gives: tuple[Author, ...] = ()


PASSES = (
    Pass(note_sessions),
    Pass(name_commands),
    Pass(
        give_lines_of_others_to_people,
        (Author.UNKNOWN, Author.DECLARED, Author.HUMAN),
        (Author.HUMAN,),
    ),
    Pass(
        settle_by_sightings,
        (Author.UNKNOWN, Author.TOOL, Author.AGENT),
        (Author.HUMAN, Author.UNKNOWN),
    ),
    Pass(confirm_people, (Author.HUMAN,), (Author.UNKNOWN, Author.TOOL)),
    Pass(
        give_lines_to_edits,
        (Author.UNKNOWN, Author.AGENT, Author.TOOL),
        (Author.AGENT, Author.TOOL, Author.UNKNOWN),
    ),
    Pass(give_lines_to_answers, (Author.UNKNOWN,), (Author.AGENT,)),
    Pass(give_to_branch),
    Pass(take_lines_of_others_back, (Author.AGENT,), (Author.UNKNOWN,)),
    Pass(give_versions_to_bots, (Author.UNKNOWN,), (Author.TOOL,)),
    Pass(declare_the_rest, (Author.UNKNOWN,), (Author.DECLARED,)),
    Pass(take_back_declared, (Author.DECLARED,), (Author.UNKNOWN,)),
    Pass(declare_by_originals, SAYING, SAYING),
    Pass(give_old_texts_back, (Author.UNKNOWN, Author.HUMAN), (Author.AGENT, Author.TOOL)),
    Pass(
        give_files_to_tools,
        (Author.UNKNOWN, Author.HUMAN, Author.DECLARED, Author.AGENT),
        (Author.TOOL,),
    ),
    Pass(date_old_lines, (Author.UNKNOWN,), (Author.HUMAN,)),
)
"""In the order in which they run. A new kind of evidence is a pass of its own, before the one
that would take its lines.
"""


def settle(judged: Judged) -> None:
    """Runs all passes."""
    for each in PASSES:
        each.run(judged)
