"""Lines that a program wrote by itself, told by the file alone: lock files, records, generated
and minified texts. Pure.
"""

import re
from collections.abc import Container, Sequence
from datetime import datetime
from functools import lru_cache

from attribution.authorship.diffs import FileDiff
from attribution.authorship.span_lines import put_lines, verdicts_by_line
from attribution.authorship.texts import DiffTexts
from attribution.authorship.verdicts import CommitVerdict, Span, Verdict, change_verdicts
from collector.files.kinds import PACKAGE_MANAGERS
from collector.files.stated import text_of_file
from collector.json_values import get_dict, get_str, parse_json
from collector.model import Commit
from collector.text import file_name
from collector.vocabulary.agents import Scaffold, agents, scaffolds, shipped_by, slug_of
from collector.vocabulary.lines import HEADLINE, Author, Evidence, FileKind, How, RunBy

# What `npx skills add` (https://github.com/vercel-labs/skills) fills, beside its skills-lock.json.
_SKILL = re.compile(r"((?:.*/)?)\.[a-z]+/skills/([^/]+)/.+")
_NAMES = {
    FileKind.LOCK: "package manager",
    FileKind.GENERATED: "generator",
    FileKind.MINIFIED: "bundler",
    FileKind.RECORDER: "recorder",
}


# How a generator names itself at the top of a file, with the moment if it says one. `[\W_]`: the
# signs of a comment.
_HEADER = re.compile(
    r"[\W_]{0,6}(?:(?:this|the) \w{1,12} (?:is|was|has been) )?(?:auto(?:matically)?[- ]?)?"
    r"generated (?:by|with|using) (?:the )?([a-z][\w.@/-]{1,40})"
    r"(?:.{0,40}?(\d{4}-\d\d-\d\d[ T]\d\d:\d\d))?",
    re.IGNORECASE,
)
_TOP = 3  # lines in which a header stands
_MODELS = frozenset({"ai", "chatgpt", "gpt", "llm"})


def give_to_generators(verdict: CommitVerdict, texts: DiffTexts) -> None:
    """Gives files that a commit brings with the header of a generator to it.

    An agent that wrote the header itself keeps its lines, and so does one whose edits are later
    than the moment that the header names.
    """
    for file, spans in verdict.files:
        if file.kind not in (*HEADLINE, FileKind.CONFIG) or not spans or spans[0].start > _TOP:
            continue
        lines = texts.lines(file)
        found = ((n, _HEADER.match(text)) for n, text in enumerate(lines[:_TOP], 1))
        number, header = next(((n, match) for n, match in found if match), (0, None))
        by_line = verdicts_by_line(spans)
        if header is None or number not in by_line or by_line[number].author == Author.AGENT:
            continue
        name = header[1].lower()
        if name not in _MODELS and not any(slug_of(name) == agent.slug for agent in agents()):
            made = datetime.fromisoformat(f"{header[2]}Z").timestamp() if header[2] else 0.0
            _give_generated(spans, name, made)


def _give_generated(spans: list[Span], tool: str, made: float) -> None:
    def verdict_of(verdict: Verdict) -> Verdict:
        if verdict.author == Author.AGENT:
            is_older = verdict.call is not None and verdict.call.at < made
            return tool_verdict(tool) if is_older else verdict
        return verdict if verdict.author == Author.TOOL else tool_verdict(tool)

    change_verdicts(spans, verdict_of)


def give_to_tools(verdict: CommitVerdict, sha: str, texts: DiffTexts) -> None:
    """Gives the lines of such files to their tool, unless an agent's own edit wrote them.

    Who ran the tool is not known.

    What a tool ships is its own where the commit brings the whole file and nobody is known to have
    written it, and what an installer of skills brings also where its lock file changes with it.
    """
    changed = {file.change.path for file, _ in verdict.files}
    for file, spans in verdict.files:
        path = file.change.path
        is_new = file.change.status == "A"
        shipped = shipped_by(path) if file.kind == FileKind.VENDORED and is_new else ""
        if (skill := _SKILL.fullmatch(path)) and (
            is_new or f"{skill[1]}skills-lock.json" in changed
        ):
            is_locked = skill[2] in _skills_of_others(
                text_of_file(texts.repo, sha, f"{skill[1]}skills-lock.json")
            )
            shipped = "skills" if is_locked else shipped
        tool = (
            PACKAGE_MANAGERS.get(file_name(path), _NAMES[file.kind])
            if file.kind in _NAMES
            else shipped
        )
        kept = (Author.AGENT, Author.TOOL, *((Author.HUMAN,) if shipped else ()))
        if tool:
            _give_lines(spans, tool, kept)


def _give_lines(spans: list[Span], tool: str, kept: Container[Author]) -> None:
    shown = tool_verdict(tool)
    change_verdicts(spans, lambda verdict: verdict if verdict.author in kept else shown)


@lru_cache(8)
def _skills_of_others(lock: str) -> frozenset[str]:
    """Names of the skills that came from other repositories, as the text of a skills-lock.json
    says.
    """
    skills = get_dict(parse_json(lock), "skills")
    return frozenset(
        name for name in skills if get_str(skills, name, "sourceType") not in ("", "local")
    )


def give_scaffolds_to_tools(verdict: CommitVerdict, commit: Commit, texts: DiffTexts) -> None:
    """Gives texts that a program puts into files of other authors to it, where the commit brings
    all of their lines.
    """
    origin = (
        ""
        if commit.parents
        else f"{commit.committer_name} <{commit.committer_email}>: {commit.subject}"
    )
    scaffolds_here = [
        each for each in scaffolds() if each.text.pattern and each.root.search(origin)
    ]
    for file, spans in verdict.files:
        for scaffold in scaffolds_here:
            if scaffold.paths.fullmatch(file.change.path):
                # the agent that a commit names may have written it
                is_code = file.kind in HEADLINE and not scaffold.root.pattern
                takes = {Author.UNKNOWN} if is_code else {Author.UNKNOWN, Author.DECLARED}
                _give_scaffold(scaffold, spans, texts.lines(file), takes)


def _give_scaffold(
    scaffold: Scaffold, spans: list[Span], lines: Sequence[str], takes: Container[Author]
) -> None:
    text = "\n".join(lines)
    verdicts = verdicts_by_line(spans)
    numbers = set[int]()
    first = 1
    end = 0
    for match in scaffold.text.finditer(text):
        first += text.count("\n", end, match.start())
        end = match.start()
        matched = range(first, first + match[0].count("\n") + 1)
        if all(number in verdicts or not lines[number - 1].strip() for number in matched):
            numbers.update(matched)
    open_lines = {n for n in numbers if n in verdicts and verdicts[n].author in takes}
    put_lines(spans, dict.fromkeys(open_lines, tool_verdict(scaffold.program)), lines)


# A version or the hash of one, with what may stand before it.
_VERSION = re.compile(
    r"[\^~<>=v]*\d[\w.+-]*|\b(?:sha\d+[-:])?[0-9a-f]{7,}\b|sha\d+-[A-Za-z0-9+/=]{20,}"
)
# The same as programs write it into source files, where other numbers are counts, sizes and parts
# of names.
_RELEASE = re.compile(
    r"\d+\.\d+\.\d+|[\"'][\^~<>=v]*\d+\.\d|\b[0-9a-f]{40}\b|sha\d+-[A-Za-z0-9+/=]{20,}"
)
# A line with a name and its version alone, as package managers write it.
NAME_AND_VERSION = re.compile(
    r"^[\s\"'-]*[\w@./][\w@./-]*[\"']?[\s:=@]{1,4}[\"'\^~>=v]*\d+(?:\.[\w*-]+)+[\"',;]*\s*$"
)


def tool_verdict(tool: str, run_by: RunBy = RunBy.UNKNOWN) -> Verdict:
    """A line that a program wrote, by the file alone."""
    return Verdict(Author.TOOL, How.NONE, Evidence.INFERRED, tool=tool, run_by=run_by)


def bot_verdict(bot: str) -> Verdict:
    """A line that the program of an automation account wrote, as the commit says."""
    return Verdict(Author.TOOL, How.NONE, Evidence.DECLARED, tool=bot, run_by=RunBy.UNKNOWN)


def give_versions_to_bot(file: FileDiff, spans: list[Span], bot: str, texts: DiffTexts) -> None:
    """Gives lines without an author in which only a version is new to the bot that made the commit.

    They differ from a line of before in versions alone, or are a name with its version in a file of
    settings.
    """
    lines = texts.lines(file)
    lines_before = {line.strip() for line in texts.before(file).split("\n")}
    old = {_strip_versions(line) for line in lines_before}
    version = _RELEASE if file.kind in HEADLINE else _VERSION
    changed = {}
    for number, verdict in verdicts_by_line(spans).items():
        text = lines[number - 1] if number <= len(lines) else ""
        is_new = text.strip() not in lines_before
        is_bumped = is_new and version.search(text) is not None and _strip_versions(text) in old
        is_pinned = file.kind == FileKind.CONFIG and NAME_AND_VERSION.match(text) is not None
        if verdict.author == Author.UNKNOWN and (is_bumped or is_pinned):
            changed[number] = bot_verdict(bot)
    put_lines(spans, changed, lines)


def _strip_versions(line: str) -> str:
    return _VERSION.sub("0", line.strip())
