"""What git took away before it was committed is nobody's when the same text comes again."""

from pathlib import Path

import pytest
from support.builder import Commit, World
from support.line_answers import about, answers

BASE = "const rows = []\n\nfunction total(rows) {\n  return 0\n}\n"
WROTE = "  const cents = rows.map(toCents).filter(Boolean)"
NEXT = "  return cents.reduce((sum, item) => sum + item, 0)"


def _undone(command: str) -> tuple[World, Commit]:
    """The agent edits a file, a command takes that back; a person types the same and commits."""
    world = World.holding("undo", {"src/app.js": BASE})
    session = world.session(prompt="Add the rows up")
    session.edit("src/app.js", "  return 0", f"{WROTE}\n{NEXT}")

    def take_back(*_: object) -> None:
        world.human_write("src/app.js", BASE)

    session.bash(command, take_back)
    session.end_turn()
    world.wait(900)
    text = BASE.replace("  return 0", f"{WROTE}\n{NEXT}").replace("sum + item", "sum - item")
    world.human_write("src/app.js", text)
    return world, world.commit("By hand", [session])


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- src/app.js",
        "git checkout .",
        "git checkout HEAD -- src",
        "git restore src/app.js",
        "git restore .",
        "git reset --hard",
        "git reset -q --hard HEAD",
        "git stash",
        "git stash push -- src && git stash drop",
        "cd src && git checkout -- app.js",
        "git checkout -q -f main",
        "git switch --discard-changes main",
        "git checkout-index -f src/app.js",
        "git restore 'src/*.js'",
        "git show HEAD:src/app.js > src/app.js",
    ],
)
def test_text_that_git_took_away_and_a_person_typed_again_is_not_the_agents(
    command: str, tmp_path: Path
) -> None:
    found = answers(*_undone(command), tmp_path)
    assert about(found, WROTE).author != "agent"


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- README.md",
        "git checkout side -- README.md",
        "git checkout-index README.md",
        "git restore '*.md'",
        "git show HEAD:src/app.js > /tmp/app.js",
        "git stash && git stash pop",
        "git stash push README.md && npm test; git stash pop",
        "git reset",
        "git diff",
        "git checkout -f -- README.md",
        "cd /home/ada/other && git reset --hard",
        "git -C /home/ada/other checkout .",
        "cd /home/ada/other && git stash && git clean -fd",
        "cd ../other && git checkout -- src/app.js",
    ],
)
def test_what_takes_nothing_of_the_file_away_leaves_it_the_agents(
    command: str, tmp_path: Path
) -> None:
    world = World("kept")
    world.human_write("src/app.js", BASE)
    world.human_write("README.md", "# Rows\n")
    world.commit("Start")
    session = world.session(prompt="Add the rows up")
    session.edit("src/app.js", "  return 0", f"{WROTE}\n{NEXT}")
    session.bash(command)
    session.end_turn()
    world.wait(900)
    # else the commit itself would show that nothing was lost
    world.human_write("src/app.js", world.files["src/app.js"].text() + "export default total\n")
    found = answers(world, world.commit("Add up", [session]), tmp_path)
    assert about(found, WROTE).author == "agent"
