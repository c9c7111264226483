"""Histories in which a person wrote a line and something saw it: the line is that person's, and
the witness is named.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import numbered_text
from support.builder import Session, World
from support.builder.lines import Line, new_file
from support.ledger import (
    EDIT,
    PERSONS,
    answers_at_end,
    finish,
    insert_line,
    look_again,
    start,
    start_edit,
)
from support.line_answers import Answer, about, answers, lines_of

from collector.vocabulary.lines import Author


def _program_puts(world: World, text: str) -> None:
    world.put("src/app.ts", new_file(text, lambda line: Line(line, "shell")))


def _class(one: Answer) -> tuple[str, str, str]:
    return one.author, str(one.line_class), one.witness


def test_line_between_two_reads(tmp_path: Path) -> None:
    """The file was seen without it, then with it, and nobody was at work in between."""
    world, session = start_edit("reads")
    world.wait(60)
    insert_line(world)
    look_again(session)
    found = answers_at_end(world, session, tmp_path)
    line = about(found, PERSONS)
    assert _class(line) == ("human", "human", "recorded")
    assert line.seen_without == "2026-03-02T09:01:14.627Z"
    assert line.seen_with == "2026-03-02T09:03:01.954Z"
    assert about(found, EDIT[1]).source == "agent"


SHOWN: dict[str, tuple[Callable[[Session], object], str]] = {
    # a text that a later commit holds is not thereby from git
    "a read": (lambda session: session.read("src/app.ts"), "recorded"),
    "a partial read": (lambda session: session.read("src/app.ts", start=5, count=4), "recorded"),
    # the agent is told that the file was changed by somebody else
    "a notice": (lambda session: session.outside_edit_notice("src/app.ts"), "notice"),
}


@pytest.mark.parametrize("way", SHOWN)
def test_line_that_the_session_is_shown_last(way: str, tmp_path: Path) -> None:
    show, witness = SHOWN[way]
    world, session = start_edit("shown")
    world.wait(60)
    insert_line(world)
    session.prompt("Now look again")
    show(session)
    found = answers_at_end(world, session, tmp_path)
    assert _class(about(found, PERSONS)) == ("human", "human", witness)


@pytest.mark.parametrize(
    ("count", "kind"), {1: "likely_human", 6: "likely_human", 7: "unknown", 40: "unknown"}.items()
)
def test_lines_that_only_the_commit_shows(count: int, kind: str, tmp_path: Path) -> None:
    """A few may be a person's; more than that is a session that nobody recorded more often than
    not.
    """
    world, session = start_edit("commit")
    session.end_turn()
    world.wait(300)
    world.human_insert("src/app.ts", numbered_text(count, "export const limit{n} = {n}00\n"))
    found = answers(world, world.commit("Go on", [session]), tmp_path)
    persons = [one for one in lines_of(found) if "limit" in one.text]
    assert {str(one.line_class) for one in persons} == {kind}
    assert {one.witness for one in persons} == {"commit" if kind == "likely_human" else ""}
    assert len(persons) == count


def test_lines_of_several_files_count_together(tmp_path: Path) -> None:
    world, session = start_edit("several")
    session.write("src/b.ts", "export const ledger = 2\n")
    session.end_turn()
    world.wait(300)
    for path in ("src/app.ts", "src/b.ts"):
        world.human_insert(
            path, "".join(f"export const limit{n}{path[4]} = {n}00\n" for n in range(4))
        )
    found = answers(world, world.commit("Go on", [session]), tmp_path)
    assert {one.source for one in lines_of(found) if "limit" in one.text} == {"unknown unobserved"}


@pytest.mark.parametrize("recorded", [True, False])
def test_line_of_a_person_that_a_formatter_indents(recorded: bool, tmp_path: Path) -> None:
    """As an agent's line stays the agent's, a person's stays that person's, whoever ran the
    formatter.
    """
    world, session = start_edit("indented")
    world.wait(60)
    world.human_insert("src/app.ts", "  const currency = 'EUR', country = 'AT'", after=EDIT[1])
    session.prompt("Now look again")
    session.read("src/app.ts")
    text = (
        world.files["src/app.ts"]
        .text()
        .replace("  const currency = 'EUR',", '    const currency = "EUR",')
    )

    if recorded:
        session.bash("npx prettier --write .", lambda *_: _program_puts(world, text))
    else:
        _program_puts(world, text)
    session.read("src/app.ts")
    session.edit("src/app.ts", "sum + cents, 0", "sum + cents, 0.0")
    assert _class(about(answers_at_end(world, session, tmp_path), "currency")) == (
        "human",
        "human",
        "recorded",
    )


@pytest.mark.parametrize(
    "trailer",
    [
        "Co-Authored-By: Claude <noreply@anthropic.com>",
        "Co-authored-by: Copilot <copilot@github.com>",
    ],
)
def test_trailer_does_not_erase_the_witness(trailer: str, tmp_path: Path) -> None:
    world, session = start_edit("trailer")
    world.wait(60)
    insert_line(world)
    look_again(session)
    found = answers(world, finish(world, session, message=f"Go on\n\n{trailer}"), tmp_path)
    assert _class(about(found, PERSONS)) == ("human", "human", "recorded")


def test_word_that_nobody_produced_where_a_formatter_ran(tmp_path: Path) -> None:
    """A formatter adds no words of its own; the line beside it, which has none either, stays
    open.
    """
    world, session = start_edit("word")
    world.wait(60)
    world.human_insert("src/app.ts", f"\n{PERSONS}\nimport type {{ Row }} from './rows'\n")
    look_again(session, "npx prettier --write .")
    found = answers_at_end(world, session, tmp_path)
    assert _class(about(found, PERSONS)) == ("human", "human", "recorded")
    assert about(found, "import type").author == Author.UNKNOWN


@pytest.mark.parametrize(
    ("changed", "edited_by", "witness"),
    [
        ("(rows: Row[], precision = 2) => total(rows)", "human", "recorded"),
        ("(rows: Row[]; digits = 2) -> total(rows)", "unknown", ""),
    ],
    ids=["a word", "signs alone"],
)
def test_an_agents_line_changed_between_two_looks(
    changed: str, edited_by: str, witness: str, tmp_path: Path
) -> None:
    """Who changed a word is named; signs alone are changed by hooks that format, too."""
    world, session = start("tweak")
    line = "export const average = (rows: Row[], digits = 2) => total(rows) / rows.length"
    session.edit("src/app.ts", "}\n", f"}}\n\n{line}\n")
    world.wait(60)
    world.human_tweak(
        "src/app.ts", line, line.replace("(rows: Row[], digits = 2) => total(rows)", changed)
    )
    session.prompt("Now look again")
    session.read("src/app.ts")
    session.edit("src/app.ts", *EDIT)
    found = about(answers_at_end(world, session, tmp_path), "average")
    assert (found.author, found.how, found.edited_by, found.witness) == (
        "agent",
        "edited",
        edited_by,
        witness,
    )


def test_paste_of_what_the_agent_said(tmp_path: Path) -> None:
    """Moved by hand, but not written by hand: from an answer of the agent, or from another file."""
    world, session = start_edit("paste")
    session.say("You could add this:\n\n```ts\nexport const currency = 'EUR'\n```\n")
    session.write("src/names.ts", "export const country = 'Austria'\n")
    world.wait(60)
    world.human_insert("src/app.ts", f"\n{PERSONS}\n  export const country = 'Austria';\n")
    look_again(session)
    found = answers_at_end(world, session, tmp_path)
    pasted = [one for one in found["src/app.ts"] if "currency" in one.text or "country" in one.text]
    assert [one.source for one in pasted] == ["unknown agent_text"] * 2


def test_text_faster_than_anybody_types(tmp_path: Path) -> None:
    world, session = start_edit("fast")
    text = numbered_text(
        20, "export const limitOfTheYear{n} = {n}00 // in cents, of all accounts together\n"
    )
    world.human_insert("src/app.ts", text)
    look_again(session)
    found = answers_at_end(world, session, tmp_path)
    assert {one.source for one in lines_of(found) if "limitOf" in one.text} == {
        "unknown unobserved"
    }


def test_proposal_that_the_user_changed_before_accepting_it(tmp_path: Path) -> None:
    """Claude Code says so in the result: the lines in which that differs from the proposal are
    the user's.
    """
    world, session = start("proposal")
    session.read("src/app.ts")
    proposed = "export const limit = 100\nexport const country = 'AT'\n"
    used = (
        "export const limit = 100\n// in cents, whatever the currency is\nexport const country ="
        " 'AT'\n"
    )
    session.edit_changed_by_user("src/app.ts", "}\n", f"}}\n{proposed}", f"}}\n{used}")
    session.edit("src/app.ts", *EDIT)
    found = answers_at_end(world, session, tmp_path)
    assert _class(about(found, "whatever the currency")) == ("human", "human", "notice")
    assert {one.source for one in lines_of(found) if "export" in one.text} == {"agent"}


def test_changed_proposal_of_the_agents_own_words(tmp_path: Path) -> None:
    """What the user put in is still the agent's text if the agent produced it elsewhere before."""
    world, session = start("own-words")
    session.read("src/app.ts")
    session.say("Or would you rather have:\n\nexport const currency = 'EUR'\n")
    session.edit_changed_by_user(
        "src/app.ts", "}\n", "}\nexport const limit = 100\n", f"}}\n{PERSONS}\n"
    )
    found = answers_at_end(world, session, tmp_path)
    assert about(found, PERSONS).source == "unknown agent_text"


def test_after_a_command_that_could_write_anything_nobody_is_named(tmp_path: Path) -> None:
    """Such a command may have written the line, whatever words it has."""
    world, session = start_edit("opaque")
    session.bash("node tasks/refresh.js")
    session.end_turn()
    world.wait(300)
    world.human_insert("src/app.ts", f"{PERSONS}\n", after="import { Row } from './rows'")
    found = answers(world, world.commit("Go on", [session]), tmp_path)
    assert about(found, PERSONS).source == "unknown opaque_shell"


@pytest.mark.parametrize("path", ["src/new.ts", "docs/list.md"])
def test_new_files_and_pages_after_a_command_that_could_write_anything(
    path: str, tmp_path: Path
) -> None:
    world, session = start_edit("opaque-new")
    if path.endswith(".md"):
        world.human_write(path, "# Currencies\n")
        session.bash("node tasks/refresh.js")
        world.human_insert(path, f"{PERSONS}\n")
    else:
        session.bash("node tasks/refresh.js")
        world.human_write(path, f"{PERSONS}\n")
    found = answers_at_end(world, session, tmp_path)
    assert about(found, PERSONS).source == "unknown opaque_shell"


def test_line_without_a_new_word_beside_one_that_has_one(tmp_path: Path) -> None:
    """A formatter writes no statement that stands nowhere else; what it repeats or sorts stays
    open.
    """
    world, session = start_edit("beside")
    world.wait(60)
    world.human_insert("src/app.ts", f"\n{PERSONS}\nexport const rows = total\n")
    look_again(session, "npx prettier --write .")
    found = answers_at_end(world, session, tmp_path)
    assert _class(about(found, "rows = total")) == ("human", "human", "recorded")


@pytest.mark.parametrize(
    ("line", "author"), [("const label = total", "agent"), ("const label = somebody", "human")]
)
def test_line_that_a_command_in_place_cannot_have_written(
    line: str, author: str, tmp_path: Path
) -> None:
    """`sed` writes what its text says and what stood there: other words are not the command's,
    however many it shares.
    """
    world, session = start_edit("in-place")
    session.bash("sed -i -E 's/(const) +(label|currency)/\\1 \\2/g' src/app.ts")
    session.end_turn()
    world.wait(60)
    world.human_insert("src/app.ts", f"export {line}\n")
    found = answers_at_end(world, session, tmp_path)
    assert about(found, line).author == author


SCRIPT = """\
python3 - <<'EOF'
p = 'src/app.ts'; s = open(p).read()
s = s.replace("return 0", "return 0 // nothing to add up")
open(p, 'w').write(s)
EOF
"""
SCRIPTED = "  if (rows.length === 0) return 0 // nothing to add up"


def _scripted(name: str, command: str, extra: str) -> tuple[World, Session]:
    """The agent's script changes a line; `extra` is added by hand afterwards."""
    world, session = start_edit(name)

    def ran(*_: object) -> None:
        text = (
            world.files["src/app.ts"]
            .text()
            .replace("return 0\n", "return 0 // nothing to add up\n")
        )
        _program_puts(world, text)

    session.bash(command, ran)
    session.end_turn()
    world.wait(60)
    world.human_insert("src/app.ts", extra)
    return world, session


def test_line_beside_those_of_a_script_in_the_command(tmp_path: Path) -> None:
    """The text of the script holds what it writes; that it changed the file makes it no author
    of the rest.
    """
    world, session = _scripted("script", SCRIPT, f"{PERSONS}\n")
    found = answers_at_end(world, session, tmp_path)
    assert about(found, SCRIPTED).source == "agent"
    assert _class(about(found, PERSONS)) == ("human", "likely_human", "unwatched")


def test_lines_of_several_scripts_go_to_the_one_that_holds_them(tmp_path: Path) -> None:
    world, session = start_edit("scripts")
    for old, new in (("return 0", "return 0 // nothing to add up"), ("rows.map(", "rows .map( ")):
        text = world.files["src/app.ts"].text().replace(old, new)

        def ran(*_: object, text: str = text) -> None:
            _program_puts(world, text)

        session.bash(
            SCRIPT.replace("return 0 // nothing to add up", new).replace("return 0", old), ran
        )
    found = answers_at_end(world, session, tmp_path)
    assert about(found, SCRIPTED).author == Author.AGENT


@pytest.mark.parametrize(
    "computed",
    ["f'// {len(s)} characters'", "subprocess.check_output(['date'])", "json.dumps(rows)"],
)
def test_script_that_computes_text_leaves_no_line_to_a_person(
    computed: str, tmp_path: Path
) -> None:
    """What it wrote stands nowhere, so that nothing tells its lines from a person's; and none is
    given to the agent for that.
    """
    script = SCRIPT.replace("open(p, 'w')", f"s += str({computed})\nopen(p, 'w')")
    world, session = _scripted("computed", script, f"{PERSONS}\n")
    line = about(answers_at_end(world, session, tmp_path), PERSONS)
    assert (line.author, line.reason) == ("unknown", "opaque_shell")


def test_keys_that_a_formatter_sorts_beside_a_persons_line(tmp_path: Path) -> None:
    """All pieces of the line are the agent's, in another order."""
    world, session = start_edit("sorted")
    session.edit(
        "src/app.ts",
        "export function total",
        "export const row = { value: 99, label: 'Uptime', digits: 1 }\n\nexport function total",
    )
    world.wait(60)
    text = world.files["src/app.ts"].text()
    text = text.replace(
        "{ value: 99, label: 'Uptime', digits: 1 }", "{ digits: 1, label: 'Uptime', value: 99 }"
    )

    session.bash("npx prettier --write .", lambda *_: _program_puts(world, text))
    world.human_insert(
        "src/app.ts",
        f"{PERSONS}\n",
        after="export const row = { digits: 1, label: 'Uptime', value: 99 }",
    )
    look_again(session)
    found = answers_at_end(world, session, tmp_path)
    assert about(found, "digits: 1, label").author != Author.HUMAN
    assert _class(about(found, PERSONS)) == ("human", "human", "recorded")


# --- git took the text of another commit ----------------------------------------------------------


def test_line_after_a_switch_that_no_branch_has(tmp_path: Path) -> None:
    world, session = start_edit("switched")
    session.bash("git switch feature && git log -3 && git switch main")
    insert_line(world)
    found = answers_at_end(world, session, tmp_path)
    assert _class(about(found, PERSONS)) == ("human", "likely_human", "unwatched")


def test_line_after_a_switch_that_another_branch_has(tmp_path: Path) -> None:
    world, session = start("other-branch")
    world.branch_off("feature")
    insert_line(world)
    world.commit("The currency")
    world.switch("main")
    session.edit("src/app.ts", *EDIT)
    session.bash("git checkout feature -- src/app.ts")
    insert_line(world)
    found = answers_at_end(world, session, tmp_path)
    assert about(found, PERSONS).source == "unknown git_operation"


def test_line_after_a_stash_that_no_branch_has(tmp_path: Path) -> None:
    """What was in the stash is in no commit."""
    world, session = start_edit("popped")
    session.bash("git stash && git stash pop")
    insert_line(world)
    found = answers_at_end(world, session, tmp_path)
    assert about(found, PERSONS).source == "unknown git_operation"


def test_lines_that_the_file_had_in_another_layout_are_nobodys(tmp_path: Path) -> None:
    """An editor or a hook of git breaks a list into lines; that no agent did it makes nobody its
    author.
    """
    world, session = start("laid-out")
    world.human_insert("src/app.ts", "\nconst currencies = ['euro', 'dollar', 'sterling']\n")
    world.commit("Name the currencies")
    session.edit("src/app.ts", *EDIT)
    text = world.files["src/app.ts"].text()
    broken = text.replace(
        "['euro', 'dollar', 'sterling']", "[\n  'euro',\n  'dollar',\n  'sterling',\n]"
    )
    assert broken != text
    world.put("src/app.ts", new_file(broken, lambda line: Line(line, "unknown")))
    found = answers_at_end(world, session, tmp_path)
    assert {about(found, f"'{name}',").author for name in ("euro", "dollar", "sterling")} == {
        "unknown"
    }
