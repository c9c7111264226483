"""The records of agents that repositories are found by: for each, searches for its files, words of
commits, and places at the root.

The one table for all channels, probes and reports. Files come from the agents' modules
(`COMMITTED`), statements of commits from `statements.toml`. Pure.
"""

from functools import cache
from itertools import takewhile
from typing import NamedTuple

from collector.agents import agents_of_records
from collector.checkpoints.entire import CHECKPOINT_TRAILER, FOLDER
from collector.groups import group_pairs
from collector.vocabulary.agents import STATEMENTS

CHECKPOINTS = "checkpoints"
STATED = "statements"
HOOK = "entire hooks"  # what each hook calls
_ENTIRE = (
    f"filename:settings.json path:{FOLDER}",
    f"filename:settings.local.json path:{FOLDER}",
    f"filename:.gitignore path:{FOLDER}",
    f"filename:metadata.json path:{FOLDER}/metadata",
    # The settings of an agent belong to the user, and are often committed where those of the
    # producer are not.
    f'"{HOOK} claude-code" filename:settings.json path:.claude',
    f'"{HOOK} codex" filename:hooks.json path:.codex',
    f'"{HOOK} cursor" filename:hooks.json path:.cursor',
    f'"{HOOK} gemini" filename:settings.json path:.gemini',
    f'"{HOOK} copilot-cli" filename:entire.json path:.github/hooks',
    "filename:entire.ts path:.opencode/plugins",
)


class Record(NamedTuple):
    name: str  # checkpoints | statements | slug of the agent that keeps it
    files: tuple[str, ...] = ()  # code searches
    commits: tuple[str, ...] = ()  # words of a message
    places: tuple[str, ...] = ()  # paths at the root that show it


@cache
def records() -> dict[str, Record]:
    """All kinds by name."""
    forms = group_pairs((agent, form) for agent, form in agents_of_records())
    kept = [
        Record(
            agent,
            tuple(search for form in listed for search in form.found_by),
            places=tuple(
                filter(None, dict.fromkeys(_place(path) for form in listed for path in form.paths))
            ),
        )
        for agent, listed in forms.items()
    ]
    # Forms in which people are credited, too, name agents in a small part of their commits.
    keys = [
        key
        for form in STATEMENTS["trailer"]
        if not form.get("people") and "-" in form["keys"][0]
        for key in form["keys"]
    ]
    every = [
        Record(CHECKPOINTS, _ENTIRE, (CHECKPOINT_TRAILER,)),
        *kept,
        Record(STATED, commits=tuple(k for k in keys if "-" in k)),
    ]
    return {record.name: record for record in every if record.files or record.commits}


def record_of(query: str) -> str | None:
    """The kind that a query of a channel looked for; owners and forks may follow it."""
    base = query.partition(" user:")[0].removesuffix(" fork:true")
    for r in records().values():
        if base in (*r.files, *map(commit_query, r.commits)):
            return r.name
    return None


def commit_query(words: str) -> str:
    return f'"{words}"'


def _place(glob: str) -> str:
    """The beginning of a path that a whole kind of files has; "" for names that others have too."""
    *directories, name = (part for part in glob.split("/") if part != "**")
    fixed = takewhile(
        lambda part: part and "*" not in part,
        (*(part.removeprefix("*") for part in directories), name),
    )
    return "/".join(fixed)
