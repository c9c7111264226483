"""Repositories built as text, together with the truth about who wrote each line.

A `World` plays a developer's worktree over time: people, agents, shell commands and formatters
change files one operation after the other, on one virtual clock. Each operation marks the lines it
makes, so authorship is known and never guessed by comparing texts. Agents write their transcripts
as they go. Commits and checkpoints become one `git fast-import` stream, and `World.expected()` says
for every line a commit adds who wrote it and what an attribution may claim about it.
"""

from support.builder.diffs import compare
from support.builder.editing import Shell
from support.builder.lines import File, Line, likeness, new_file, replaced
from support.builder.model import Commit, Stored
from support.builder.objects import commit_by_ada, git, import_stream, object_id
from support.builder.session import Session
from support.builder.world import World

__all__ = [
    "Commit",
    "File",
    "Line",
    "Session",
    "Shell",
    "Stored",
    "World",
    "commit_by_ada",
    "compare",
    "git",
    "import_stream",
    "likeness",
    "new_file",
    "object_id",
    "replaced",
]
