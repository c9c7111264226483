"""Texts that agents produced, and when a line first stood in one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.authorship import agent_text
from attribution.authorship.agent_text import (
    ProducedText,
    first_times,
    lines_without_layout,
    new_text,
    produced_texts,
    without_layout,
)
from collector.model import (
    AgentMessage,
    Command,
    Edit,
    Hunk,
    Replacement,
    Session,
    Status,
    ToolCall,
)

PATCH = """\
*** Begin Patch
*** Update File: src/app.ts
@@
 const before = 1
-const removed = 2
+const added = 3
+const another = 4
*** End Patch"""


def _call(**values: object) -> ToolCall:
    return ToolCall(
        **{"call_id": "c1", "name": "tool", "turn": 1, "at": 10.0, "status": Status.OK} | values  # type: ignore[arg-type]
    )


def _session(*calls: ToolCall, said: tuple[AgentMessage, ...] = ()) -> Session:
    return Session("s", "claude-code", calls=calls, messages=said, started_at=1.0)


def _times(session: Session, *lines: str) -> dict[str, float]:
    return first_times((without_layout(line) for line in lines), produced_texts(session))


@pytest.mark.parametrize(
    ("text", "bare"),
    {
        "  return rows.map(row => row.cents);": "returnrows.maprow=>row.cents",
        "\treturn rows.map((row) => row.cents)\r": "returnrows.maprow=>row.cents",
        "print('a', \"b\", `c`)": "printabc",
        "[{}]();,": "",
        "a\u00a0b\ufeff": "ab",
        "Übung macht": "Übungmacht",
        "": "",
    }.items(),
)
def test_layout_is_left_out(text: str, bare: str) -> None:
    assert without_layout(text) == bare


@given(st.text(), st.text())
def test_layout_of_a_whole_is_that_of_its_parts(one: str, other: str) -> None:
    assert without_layout(one + other) == without_layout(one) + without_layout(other)
    assert without_layout(without_layout(one)) == without_layout(one)


@pytest.mark.parametrize(
    ("edit", "new", "old"),
    [
        (
            Edit("f", "edit", (Replacement("keep me\ndrop me", "keep me\nadd me"),)),
            ["addme"],
            ["keepme", "dropme"],
        ),
        (
            Edit(
                "f",
                "write",
                content="old line\nnew line\n",
                before="  old line;\n",
                before_known=True,
            ),
            ["newline"],
            ["oldline"],
        ),
        (Edit("f", "write", content="whole text\n"), ["wholetext"], []),
        (Edit("f", "edit", before="one\n", after="one\ntwo\n"), ["two"], ["one"]),
        (
            Edit("f", "edit", hunks=(Hunk(1, 2, 1, 2, (" same", "-gone", "+come"), True),)),
            ["come"],
            ["same", "gone"],
        ),
        (Edit("f", "edit", (Replacement("a", "user"),), proposed="agent's"), ["agents"], ["user"]),
        (Edit("f", "delete"), [], []),
    ],
)
def test_new_text_of_an_edit(edit: Edit, new: list[str], old: list[str]) -> None:
    text = without_layout("\n".join(new_text(edit)))
    assert all(line in text for line in new)
    assert not any(line in text for line in old)


def test_lines_that_did_not_follow_each_other_do_not_join() -> None:
    (text,) = new_text(
        Edit("f", "edit", (Replacement("middle", "first half\nmiddle\nsecond half"),))
    )
    assert without_layout("first half second half") not in without_layout(text)


@pytest.mark.parametrize("status", list(Status))
def test_edits_count_however_they_ended(status: Status) -> None:
    edit = Edit("f", "edit", (Replacement("old", "const added = 3"),))
    assert _times(_session(_call(edits=(edit,), status=status)), "const added = 3") == {
        "constadded=3": 10.0
    }


def test_of_a_patch_only_added_lines_count() -> None:
    calls = (
        _call(input=json.dumps({"input": PATCH})),
        _call(call_id="c2", at=20.0, input=PATCH, edits=(Edit("f", "edit"),)),
    )
    for call in calls:
        found = _times(
            _session(call),
            "const before = 1",
            "const removed = 2",
            "const added = 3",
            "const another = 4",
        )
        assert set(found) == {"constadded=3", "constanother=4"}


def test_all_texts_of_arguments_count() -> None:
    arguments = {
        "prompt": "Write `const added = 3`",
        "list": [{"deep": "const another = 4"}],
        "number": 5,
        "none": None,
    }
    found = _times(
        _session(_call(input=json.dumps(arguments))),
        "const added = 3",
        "const another = 4",
        "number",
        "deep",
    )
    assert set(found) == {"constadded=3", "constanother=4"}


@pytest.mark.parametrize("end", ['"', "", '", "more": {"a', "\\"])
def test_arguments_cut_off_count_as_they_are(end: str) -> None:
    broken = '{"content": "const added = 3\\n\\tconst another = 4' + end
    assert set(_times(_session(_call(input=broken)), "const added = 3", "const another = 4")) == {
        "constadded=3",
        "constanother=4",
    }


def test_arguments_nested_without_end() -> None:
    assert _times(_session(_call(input="[" * 100_000)), "const added = 3") == {}


def test_commands_and_messages_count_from_their_own_time() -> None:
    call = _call(command=Command("cat > f <<'E'\nconst added = 3\nE"), at=30.0)
    said = (
        AgentMessage(20.0, 1, "text", "Try this:\n\n    const added = 3\n"),
        AgentMessage(None, 1, "text", "const undated = 1"),
    )
    assert _times(_session(call, said=said), "const added = 3", "const undated = 1") == {
        "constadded=3": 20.0,
        "constundated=1": 1.0,
    }


def test_time_is_that_of_the_call_or_of_the_one_before() -> None:
    first = _call(command=Command("echo first line"), at=5.0, done_at=50.0)
    second = _call(call_id="c2", command=Command("echo second line"), at=None, done_at=60.0)
    third = _call(call_id="c3", command=Command("echo third line"), at=None)
    found = _times(_session(first, second, third), "first line", "second line", "third line")
    assert found == {"firstline": 5.0, "secondline": 60.0, "thirdline": 60.0}


def test_first_of_several_times() -> None:
    texts = [
        ProducedText(9.0, "constadded=3"),
        ProducedText(4.0, "xconstadded=3y"),
        ProducedText(7.0, "constadded=3"),
    ]
    assert first_times(["constadded=3", "nowhere", "con", ""], texts) == {"constadded=3": 4.0}
    assert first_times([], texts) == {}
    assert first_times(["constadded=3"], []) == {}


_WORDS = st.text("abc", min_size=4, max_size=8)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.text("abc", max_size=30)), max_size=8),
    st.sets(_WORDS, max_size=8),
)
def test_search_finds_what_a_plain_search_finds(
    texts: list[tuple[int, str]], lines: set[str]
) -> None:
    produced_texts = [ProducedText(float(at), one) for at, one in texts]
    plain = {line: [float(at) for at, one in texts if line in one] for line in lines}
    assert first_times(lines, produced_texts) == {
        line: min(times) for line, times in plain.items() if times
    }


def test_same_text_is_kept_once() -> None:
    calls = [
        _call(call_id=f"c{n}", at=float(n), command=Command("echo the very same text"))
        for n in range(1, 5)
    ]
    assert produced_texts(_session(*calls)) == [ProducedText(1.0, "echo the very same text")]


def test_common_characters_have_an_entry_in_the_table_that_drops_layout() -> None:
    """One without an entry costs an exception inside `translate`."""
    common = "".join(map(chr, range(0x20, 0x2FF))) + "—…→✓│─"
    assert all(ord(character) in agent_text._DROPPED for character in common)
    assert agent_text.without_layout(common) == "".join(
        c for c in common if c not in " \u00a0,;'\"`()[]{}\\"
    )


def test_a_line_of_half_a_million_characters_is_found_and_breaks_nothing() -> None:
    long = "".join(map(str, range(110_000)))
    assert first_times([long], [ProducedText(7.0, f"before {long} after")]) == {long: 7.0}


def test_long_lines_that_begin_alike_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_text, "LINE_HEAD", 10)
    one = "0123456789abc"
    other = "0123456789abd"
    assert first_times([one, other], [ProducedText(7.0, f"before {one} after")]) == {one: 7.0}


@given(st.lists(st.text(st.sampled_from("ab ,;'\t\r\u00e4\u3042\u00a0"), max_size=6), max_size=6))
def test_lines_of_a_text_that_is_not_all_ascii_are_bare_as_each_of_them_is(
    lines: list[str],
) -> None:
    assert lines_without_layout("\n".join(lines)) == [
        without_layout(line) for line in lines or [""]
    ]


def test_what_a_block_of_an_answer_looks_for_was_there_and_is_not_the_agents() -> None:
    block = (
        "<<<<<<< SEARCH\nconst stood = 1\nconst kept = 2\n=======\nconst kept = 2\nconst added ="
        " 3\n>>>>>>> REPLACE\n"
    )
    said = (
        AgentMessage(
            20.0,
            1,
            "text",
            f"a.js\n```js\n{block}```\nconst after = 4\n<<<<<<< SEARCH\nconst unclosed = 5\n",
        ),
    )
    texts = produced_texts(Session("s", "aider", messages=said))
    names = ("stood", "kept", "added", "after", "unclosed")
    found = first_times(
        [without_layout(f"const {name} = {n}") for n, name in enumerate(names, 1)], texts
    )
    assert found.keys() == {
        without_layout(line)
        for line in ("const added = 3", "const after = 4", "const unclosed = 5")
    }
