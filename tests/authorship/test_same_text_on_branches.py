"""Two sessions write the same file on two branches: each has the lines of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import analysed_store
from support.builder import World
from support.builder.editing import Shell
from support.commands import run

from collector.git.repository import GitRepo

TEXT = "export const alpha = 17;\nexport const bravo = 'in a heredoc';\n"
COMMAND = f"cat > src/a.ts <<'EOF'\n{TEXT}EOF"
_WRITERS = (
    "SELECT DISTINCT s.key FROM line_spans l JOIN commits c ON c.id = l.commit_id"
    " JOIN sessions s ON s.id = l.session_id WHERE c.commit_sha = ? AND l.path = 'src/a.ts'"
)


def _write(shell: Shell) -> None:
    shell.write("src/a.ts", TEXT)


@pytest.mark.parametrize("is_on_another_branch", [True, False])
def test_the_lines_are_of_the_session_that_wrote_them_on_that_branch(
    is_on_another_branch: bool, tmp_path: Path, db: Path
) -> None:
    world = World("branches")
    world.human_write("README.md", "# Shop\n")
    world.commit("Start")
    if is_on_another_branch:
        world.branch_off("one")
    first = world.session(prompt="Write it")
    first.bash(COMMAND, _write, exact=True)
    first.end_turn()
    if is_on_another_branch:
        world.commit("By one", [first])
        world.wait(3600)
        world.switch("main")
    second = world.session(prompt="Write it")
    second.bash(COMMAND, _write if is_on_another_branch else None, exact=True)
    second.end_turn()
    commit = world.commit("By two", [first, second])
    repo = GitRepo(world.build(tmp_path / "repo"))
    with analysed_store(repo, db) as store:
        keys = [row["key"] for row in store.rows(_WRITERS, (commit.sha,))]
        store.connection.execute("UPDATE sessions SET label = 'Write it'")
    assert keys == [(second if is_on_another_branch else first).id]
    shown = run("why", repo.path, "src/a.ts:1", db=db).stdout
    assert "1 other session touched it" in shown  # though both have the same label
