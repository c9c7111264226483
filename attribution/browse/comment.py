"""Summaries as Markdown, for a comment on a pull request. Texts of repositories stay text in it."""

import json
import re
from collections.abc import Sequence

from attribution.addresses import forge
from attribution.browse import words
from attribution.queries.commit import CommitSummary
from attribution.queries.coverage import AgentShare
from attribution.queries.overview import CLASSES
from attribution.queries.pull_request import FileLines, PullRequest
from collector.console.formats import cut
from collector.json_values import Numbers, Row
from collector.text import count_of
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass

MARK = "<!-- whowrote -->"
"""How a comment of this program begins, by which it is found again."""
# rows of the tables: GitHub takes 65,536 characters
_COMMITS = 100
_FILES = 40
_REMARKABLE = 3
_SESSIONS = 8
_MARKDOWN = """\
Non-blank lines added by commits. *agent*: a recorded edit or command of an agent wrote the line;
*declared*: the commit names an agent, but no recorded session shows its work; *human*: a person
wrote it, with a witness; *likely_human*: a person as far as known; *tool*: a program wrote it;
*unknown*: evidence is missing; *undeclared*: nothing links the commit to an agent."""


def markdown_of(request: PullRequest, prompts: bool = False, limit: float | None = None) -> str:
    """Who wrote the lines of some commits, in a few lines for a comment; commits and files are
    folded below.

    `prompts`: with the beginning of each session's first prompt; `limit`: the percentage that
    agents may have written.
    """
    parts = [
        MARK,
        _share_line(request),
        *_files_line(request.files),
        *request.sections,
        *_sessions_line(request, prompts),
        *_unknown_line(request),
        *_unstated_line(request),
        *(
            [f"Not in the database: {count_of(request.missing, 'commit')}."]
            if request.missing
            else []
        ),
        *_limit_line(request, limit),
    ]
    return "\n\n".join(parts) + "\n\n" + "\n".join(_details(request, prompts)) + "\n"


def _share_line(request: PullRequest) -> str:
    share = request.share
    usual = request.usual
    if not share.lines:
        return "**No lines added** in source and test files."
    tiers = [f"{words.percent(share.recorded, share.lines)} by record"]
    if share.declared:
        tiers.append(
            f"{words.percent(share.declared, share.lines)} only because their commits say so"
        )
    before = (
        f" Usual in this repository: {words.percent(usual.by_agents, usual.lines)}."
        if usual.lines
        else ""
    )
    whole = words.percent(share.by_agents, share.lines)
    lines = count_of(share.lines, "line")
    return (
        f"**Agents wrote {whole}** of {lines} added in source and test files:"
        f" {', '.join(tiers)}.{before}"
    )


def _files_line(files: Sequence[FileLines]) -> list[str]:
    """The files with the most lines that agents wrote or that nobody is known to have written."""
    remarkable = [(file, AgentShare.of(file.lines)) for file in files]
    most = sorted(remarkable, key=lambda pair: -max(pair[1].by_agents, pair[1].unanswered))[
        :_REMARKABLE
    ]
    texts = [
        f"{cell(file.path)} ({words.percent(share.by_agents, share.lines)} of {share.lines:,} by"
        " agents"
        + (
            f", {words.percent(share.unanswered, share.lines)} without an answer)"
            if share.unanswered
            else ")"
        )
        for file, share in most
    ]
    return [f"**Files that stand out:** {'; '.join(texts)}."] if texts else []


def _sessions_line(request: PullRequest, prompts: bool) -> list[str]:
    """How many sessions of which agent, each as a link or with its first prompt where there is
    one to show.
    """
    sessions = {
        session["key"]: session for commit in request.commits for session in commit.sessions
    }
    shown = {
        key: _session(request, sessions[key], number, prompts)
        for number, key in enumerate([*sessions][:_SESSIONS], 1)
    }
    texts = []
    for agent in dict.fromkeys(session["agent"] for session in sessions.values()):
        keys = [key for key, session in sessions.items() if session["agent"] == agent]
        items = [shown[key] for key in keys if shown.get(key)]
        texts.append(
            f"{len(keys)} of {cell(label_of(agent or 'agent'))}"
            + (f" ({', '.join(items)})" if items else "")
        )
    if texts:
        return [f"**Sessions that wrote lines, documentation included:** {'; '.join(texts)}."]
    return []


def _session(request: PullRequest, session: Row, number: int, prompts: bool) -> str:
    """The first prompt if wanted, as a link to the recorder's files where the forge shows them;
    "" without both.
    """
    prompt = cell(cut(session["label"], 60)) if prompts else ""
    web = forge(request.url)
    checkpoint = request.checkpoints.get(session["key"], "")
    if not web or not checkpoint:
        return prompt
    return f"[{prompt or number}]({web}/tree/{checkpoint})"


def _unknown_line(request: PullRequest) -> list[str]:
    share = request.share
    unknown = request.lines[LineClass.UNKNOWN]
    texts = []
    if unknown:
        why = next(iter(request.reasons), "").replace("_", " ")
        texts.append(
            f"{words.percent(unknown, share.lines)} unknown"
            + (f" (most of them: {why})" if why else "")
        )
    if undeclared := share.unanswered - unknown:
        texts.append(
            f"{words.percent(undeclared, share.lines)} in commits that nothing links to an agent"
        )
    if not texts:
        return []
    return [
        f"**Not known:** {', '.join(texts)}. If agents wrote all of these, their share would be"
        f" {share.at_most:.1f} %."
    ]


def _unstated_line(request: PullRequest) -> list[str]:
    """What a project that asks for statements about AI has to ask for."""
    silent = [c.row[LineClass.AGENT] for c in request.commits if not c.row["declared_agent"]]
    if not sum(silent):
        return []
    commits = count_of(sum(map(bool, silent)), "commit")
    return [f"**Lines of an agent, no statement:** {sum(silent):,}, in {commits}."]


def _limit_line(request: PullRequest, limit: float | None) -> list[str]:
    if limit is None:
        return []
    rule = (
        f"**Limit {limit:g} %** of lines by agents, by record or declared; lines that are not known"
        " count as nobody's"
    )
    percent = request.agent_percent
    verdict = (
        "not judged, as no session is on record"
        if percent is None
        else "exceeded"
        if percent > limit
        else "kept"
    )
    return [f"{rule}: {verdict}."]


def _details(request: PullRequest, prompts: bool) -> list[str]:
    commits = [_commit_row(commit, prompts) for commit in request.commits[:_COMMITS]]
    more = (
        [f"{count_of(len(request.commits) - _COMMITS, 'more commit')}.", ""]
        if len(request.commits) > _COMMITS
        else []
    )
    note = words.accuracy_sentence()
    return [
        "<details><summary>Commits and files</summary>",
        "",
        *_class_table("commit", "sessions", commits),
        "",
        *more,
        *_file_table(request.files),
        "</details>",
        "",
        "<details><summary>What the words mean, and how often they are right</summary>",
        "",
        _MARKDOWN,
        *(["", note] if note else []),
        "",
        "</details>",
    ]


def badge(percent: float | None) -> str:
    """The share of agents for an endpoint badge of shields.io, as JSON; no number where no
    session is on record.
    """
    message = "no records" if percent is None else f"{percent:.0f} %"
    colour = "lightgrey" if percent is None else "blue"
    return (
        json.dumps(
            {"schemaVersion": 1, "label": "lines by agents", "message": message, "color": colour}
        )
        + "\n"
    )


def _class_table(first: str, last: str, rows: Sequence[str]) -> list[str]:
    head = f"| {first} | {' | '.join(CLASSES)} |{f' {last} |' if last else ''}"
    return [head, "|---" + "|--:" * len(CLASSES) + f"|{'---|' if last else ''}", *rows]


def _file_table(files: Sequence[FileLines]) -> list[str]:
    rows = [f"| {cell(file.path)} | {_cells(file.lines)} |" for file in files[:_FILES]]
    more = [f"{count_of(len(files) - _FILES, 'more file')}.", ""] if len(files) > _FILES else []
    return [*_class_table("file", "", rows), "", *more] if rows else []


def _commit_row(summary: CommitSummary, prompts: bool) -> str:
    row = summary.row
    names = [
        cell(s["agent"] or "agent") + (f": {cell(cut(s['label'], 60))}" if prompts else "")
        for s in summary.sessions[:3]
    ]
    sessions = "; ".join(dict.fromkeys(names))
    return (
        f"| {row['commit_sha'][:10]} {cell(cut(row['subject'], 70))} | {_cells(row)} | {sessions} |"
    )


def _cells(lines: Numbers) -> str:
    return " | ".join(f"{lines[kind]:,}" if lines.get(kind) else "" for kind in CLASSES)


# What GitHub makes links of, also where Markdown's own signs are escaped: names, numbers, commits,
# addresses.
_REFERENCES = re.compile(
    r"@(?=\w)|#(?=\d)|\bGH-(?=\d)|://|\bwww(?=\.)|\b[0-9a-f]{6}(?=[0-9a-f])", re.IGNORECASE
)
_NOTHING = "<!-- -->"  # not shown, and no word goes on over it


def cell(text: str) -> str:
    """Text in a table that is text: nothing in it is a link, mentions somebody or refers to an
    issue or commit.
    """
    marked = _REFERENCES.sub(lambda match: match[0] + "\0", cut(text, 200))
    safe = re.sub(r"([\\`*_\[\]!@#~|])", r"\\\1", marked.replace("&", "&amp;").replace("<", "&lt;"))
    return safe.replace("\0", _NOTHING)
