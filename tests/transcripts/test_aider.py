"""Aider keeps Markdown: what is an edit in it, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collector.agents import aider
from collector.model import Edit, Replacement, Session

FENCE = "```"
HISTORY = f"""> whowrote: /home/ana/work/tally
# aider chat started at 2026-03-02 09:00:00

> Aider v0.86.1$$
> Main model: claude-sonnet-4 with diff edit format$$
> Git repo: .git with 3 files$$

#### Limit the size$$
#### > and say so$$

I will change the limit.

limit.go
{FENCE}go
<<<<<<< SEARCH
const Max = 10
=======
const Max = 20
>>>>>>> REPLACE
{FENCE}

**notes.md**:
{FENCE}markdown
# Notes

> Quoted, and no edit of its own
#### nor a prompt
{FENCE}

> Tokens: 2.4k sent, 1.8k received. Cost: $0.02 message, $0.14 session.$$
> Applied edit to limit.go$$
> Applied edit to notes.md$$
> Commit 1a2b3c4 feat: raise the limit$$

#### /undo$$

> Removed: 1a2b3c4 feat: raise the limit$$

#### And a test$$

limit_test.go
{FENCE}go
<<<<<<< SEARCH
=======
package tally
>>>>>>> REPLACE
{FENCE}

> Tokens: 900 sent, 1,200 received.$$
""".replace("$$", "  ")  # the program's own lines end in blanks


def read(text: str) -> Session:
    return aider.read("aider 2026-03-02 09:00:00", [text.encode()])


def test_edits_that_were_applied_and_commits() -> None:
    session = read(HISTORY)
    assert (session.cwds, session.versions) == (("/home/ana/work/tally",), ("0.86.1",))
    assert [turn.text for turn in session.turns] == [
        "Limit the size\n> and say so",
        "/undo",
        "And a test",
    ]
    assert [(call.name, call.turn, call.commits) for call in session.calls] == [
        ("edit", 1, ()),
        ("edit", 1, ()),
        ("commit", 1, ("1a2b3c4",)),
    ]
    limit, notes = (edit for call in session.calls for edit in call.edits)
    assert (limit.path, limit.op) == ("/home/ana/work/tally/limit.go", "edit")
    assert [(one.old, one.new) for one in limit.replacements] == [
        ("const Max = 10\n", "const Max = 20\n")
    ]
    assert (notes.path, notes.op) == ("/home/ana/work/tally/notes.md", "write")
    assert notes.content == "# Notes\n\n> Quoted, and no edit of its own\n#### nor a prompt\n"
    assert [(one.model, one.input, one.output, one.cost) for one in session.usage] == [
        ("claude-sonnet-4", 2400, 1800, 0.02),
        ("claude-sonnet-4", 900, 1200, None),
    ]


def test_a_block_may_have_fences_and_headings_of_its_own() -> None:
    page = f"# Run\n{FENCE}\nmake\n{FENCE}\n#### Notes\nDone.\n"
    text = (
        "# aider chat started at 2026-03-02 09:00:00\n\n#### A page\n\nHere it"
        f" is.\n\nnotes.md\n{FENCE}markdown\n<<<<<<< SEARCH\n=======\n{page}>>>>>>>"
        f" REPLACE\n{FENCE}\n\nShow it with:\n\n{FENCE}bash\nless notes.md\n{FENCE}\n\n> Tokens:"
        " 900 sent, 1,200 received.\n> Applied edit to notes.md\n"
    )
    session = read(text)
    assert [(edit.op, edit.content) for call in session.calls for edit in call.edits] == [
        ("write", page)
    ]
    assert [turn.text for turn in session.turns] == ["A page"]


@pytest.mark.parametrize(
    "named", ["app/routes/($locale).shop.$id.tsx", "app\\routes\\($locale).shop.$id.tsx"]
)
def test_on_windows_the_program_writes_paths_otherwise_than_the_answer(named: str) -> None:
    path = "app/routes/($locale).shop.$id.tsx"
    block = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
    session = read(
        "# aider chat started at 2026-03-02 09:00:00\n\n####"
        f" Go\n\n{named}\n{FENCE}tsx\n{block}{FENCE}\n\n> Committing"
        " app\\routes\\($locale).shop.$id.tsx before applying edits.\n> Commit 1a2b3c4 feat: what"
        " was there\n> Applied edit to app\\routes\\($locale).shop.$id.tsx\n> Commit 5d6e7f8 feat:"
        " go\n"
    )
    edits = [
        (edit.path, [(one.old, one.new) for one in edit.replacements])
        for call in session.calls
        for edit in call.edits
    ]
    assert edits == [(path, [("old\n", "new\n")])]
    assert session.of_others == (("1a2b3c4", path, False),)


def test_a_block_that_never_ends_swallows_no_more_than_its_answer() -> None:
    text = (
        f"# aider chat started at 2026-03-02 09:00:00\n\n#### One\n\na.go\n{FENCE}go\n<<<<<<<"
        f" SEARCH\nx\n\n> Tokens: 900 sent, 12 received.\n#### Two\n\nb.go\n{FENCE}go\npackage"
        f" b\n{FENCE}\n\n> Applied edit to b.go\n"
    )
    session = read(text)
    assert [(edit.path, edit.content) for call in session.calls for edit in call.edits] == [
        ("b.go", "package b\n")
    ]
    assert [turn.text for turn in session.turns] == ["One", "Two"]


def test_with_some_models_the_name_of_the_file_is_inside_the_fence() -> None:
    new = "<<<<<<< SEARCH\n=======\n"
    old = "<<<<<<< SEARCH\nimport os\n=======\n"
    text = (
        "# aider chat started at 2026-03-02 09:00:00\n\n#### A page\n\nI will make a page, and"
        f" mend two files.\n\n{FENCE}html\nindex.html\n{new}<html>\n</html>\n>>>>>>>"
        f" REPLACE\n{FENCE}\n\n{FENCE}python\nsrc/a.py\n{old}import re\n>>>>>>>"
        f" REPLACE\n{old}import sys\n>>>>>>> REPLACE\nsrc/b.py\n{old}import io\n>>>>>>>"
        f" REPLACE\n{FENCE}\n\n> index.html\n> Create new file? (Y)es/(N)o [Yes]: y\n> Applied edit"
        " to index.html\n> Applied edit to src/a.py\n> Applied edit to src/b.py\n"
    )
    page, first, second = [edit for call in read(text).calls for edit in call.edits]
    assert (page.path.rsplit("/", 1)[-1], page.op, page.content) == (
        "index.html",
        "write",
        "<html>\n</html>\n",
    )
    assert [block.new for block in first.replacements] == ["import re\n", "import sys\n"]
    assert [block.new for block in second.replacements] == ["import io\n"]


def edits_after(answer: str, *applied: str) -> list[Edit]:
    notices = "".join(f"> Applied edit to {path}\n" for path in applied)
    return [
        edit
        for call in read(
            f"# aider chat started at 2026-03-02 09:00:00\n\n#### Go\n\n{answer}\n{notices}"
        ).calls
        for edit in call.edits
    ]


def test_blocks_of_2023_are_called_original_and_updated() -> None:
    block = "<<<<<<< ORIGINAL\nold\n=======\nnew\n>>>>>>> UPDATED\n"
    (inside,) = edits_after(f"{FENCE}go\na.go\n{block}{FENCE}\n", "a.go")
    (before,) = edits_after(f"a.go\n{FENCE}go\n{block}{FENCE}\n", "a.go")
    assert inside.replacements == before.replacements == (Replacement("old\n", "new\n"),)


@pytest.mark.parametrize("place", ["@@ ... @@", "@@ -4,2 +4,2 @@", "@@"])
@pytest.mark.parametrize(("old", "new"), [("src/a.go", "src/a.go"), ("a/src/a.go", "b/src/a.go")])
def test_a_diff_is_an_edit_of_each_of_its_files(old: str, new: str, place: str) -> None:
    diff = (
        f"--- {old}\n+++ {new}\n{place}\n func a() {{\n-\treturn 1\n+\treturn 2\n"
        f" }}\n\n{place}\n+// the end\n"
    )
    edits = edits_after(
        f"{FENCE}diff\n{diff}--- /dev/null\n+++ b/b.go\n{place}\n+package b\n{FENCE}\n",
        "src/a.go",
        "b.go",
    )
    assert [(edit.path, edit.op, [hunk.lines for hunk in edit.hunks]) for edit in edits] == [
        (
            "src/a.go",
            "edit",
            [(" func a() {", "-\treturn 1", "+\treturn 2", " }"), ("+// the end",)],
        ),
        ("b.go", "edit", [("+package b",)]),
    ]
    # models do not count
    assert all(hunk.exact_text and not hunk.old_start for edit in edits for hunk in edit.hunks)


def test_a_text_that_shows_a_diff_is_an_edit_of_its_own_file() -> None:
    shown = "--- a/q.py\n+++ b/q.py\n@@\n-old\n+new\n"
    block = f"a.md\n{FENCE}md\n<<<<<<< SEARCH\nx\n=======\n{shown}>>>>>>> REPLACE\n{FENCE}\n"
    assert edits_after(block, "a.md") == [Edit("a.md", "edit", (Replacement("x\n", shown),))]
    (whole,) = edits_after(f"a.md\n{FENCE}md\n# Patches\n{shown}{FENCE}\n", "a.md")
    assert (whole.path, whole.content) == ("a.md", f"# Patches\n{shown}")


def test_a_diff_that_is_only_shown_is_no_edit() -> None:
    diff = f"{FENCE}diff\n--- a.go\n+++ a.go\n@@ ... @@\n-old\n+new\n{FENCE}\n"
    block = f"a.go\n{FENCE}go\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n{FENCE}\n"
    whole = f"a.go\n{FENCE}go\npackage a\n{FENCE}\n"
    assert edits_after(diff) == edits_after(diff, "b.go")[1:] == []
    assert edits_after(diff + block, "a.go") == [Edit("a.go", "edit", (Replacement("x\n", "y\n"),))]
    assert (
        edits_after(diff + whole, "a.go")
        == edits_after(whole + diff, "a.go")
        == [Edit("a.go", "edit")]
    ), "which was applied?"


def test_nothing_was_done_before_a_run_began() -> None:
    assert {(call.at, call.not_before) for call in read(HISTORY).calls} == {(None, 1_772_442_000.0)}


BEFORE = f"""# aider chat started at 2026-03-02 08:00:00

> Applied edit to mixed.go$$
# aider chat started at 2026-03-02 09:00:00

#### Limit it$$

limit.go
{FENCE}go
<<<<<<< SEARCH
=======
const Max = 20
>>>>>>> REPLACE
{FENCE}

> Committing limit.go before applying edits.$$
> Committing mixed.go before applying edits.$$
> Commit 1a2b3c4 feat: what was there$$
> Applied edit to limit.go$$
> Commit 5d6e7f8 feat: limit$$
""".replace("$$", "  ")


@pytest.mark.parametrize(
    ("said", "others"),
    {
        "#### /commit\n\n> Commit 1a2b3c4 feat: raise\n": (("1a2b3c4", "", False),),
        "#### /commit raise it\n\n> Commit 1a2b3c4 raise it\n": (("1a2b3c4", "", False),),
        # what an answer wrote and nobody committed is in it too
        "> Applied edit to a.go\n\n#### /commit\n\n> Commit 1a2b3c4 feat: raise\n": (),
        "#### /commit\n\n#### go on\n\n> Commit 1a2b3c4 feat: raise\n": (),
    }.items(),
)
def test_a_commit_that_the_user_asks_for_is_of_what_no_answer_wrote(
    said: str, others: tuple[object, ...]
) -> None:
    history = f"# aider chat started at 2026-03-02 10:00:00\n\n{said}"
    assert read(history).of_others == others


def test_changes_that_were_there_before_the_edits_are_of_others_and_the_edits_stay() -> None:
    session = read(BEFORE)
    # mixed.go has some of both
    assert session.of_others == (("1a2b3c4", "limit.go", False), ("1a2b3c4", "mixed.go", True))
    assert [(call.name, len(call.edits), call.commits) for call in session.calls] == [
        ("commit", 0, ("1a2b3c4",)),
        ("edit", 1, ()),
        ("commit", 0, ("5d6e7f8",)),
    ]


@pytest.mark.parametrize("cut", range(0, len(HISTORY), 37))
def test_a_history_that_is_cut_is_read_as_far_as_it_goes(cut: int) -> None:
    whole = [call.call_id for call in read(HISTORY).calls]
    found = [call.call_id for call in read(HISTORY[:cut]).calls]
    assert found == whole[: len(found)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0" * 90,
        "#### ",
        "> Applied edit to ",
        "> Tokens: .,k sent, ,m received.",
        "```" * 9_000,
    ],
)
def test_strange_histories(text: str) -> None:
    assert isinstance(read(text), Session)


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_damaged_histories_are_read(data: st.DataObject) -> None:
    """Lines of a real shape in any order, with any bytes between: an edit more or less, but no
    failure.
    """
    lines = st.one_of(st.sampled_from(HISTORY.encode().splitlines()), st.binary(max_size=30))
    text = b"\n".join(data.draw(st.lists(lines, max_size=40)))
    session = aider.read("damaged", [text])
    assert session.id == "damaged"
    assert all(call.edits for call in session.calls if call.name == "edit")


PARTLY = f"""# aider chat started at 2026-03-02 09:00:00

#### Two limits$$

a.go
{FENCE}go
<<<<<<< SEARCH
const A = 1
=======
const A = 2
>>>>>>> REPLACE
<<<<<<< SEARCH
const Gone = 1
=======
const Gone = 2
>>>>>>> REPLACE
{FENCE}

b.go
{FENCE}go
<<<<<<< SEARCH
=======
const B = 1
>>>>>>> REPLACE
{FENCE}

> # 1 SEARCH/REPLACE block failed to match!$$

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.go
<<<<<<< SEARCH
const Gone = 1
=======
const Gone = 2
>>>>>>> REPLACE

Did you mean to match some of these actual lines from a.go?

{FENCE}
const Going = 1
{FENCE}

The SEARCH section must exactly match an existing block of lines including all white space, comments, indentation, docstrings, etc

# The other 2 SEARCH/REPLACE blocks were applied successfully.
Don't re-send them.
Just reply with fixed versions of the block above that failed to match.$$
> Commit 1a2b3c4 feat: limits$$

a.go
{FENCE}go
<<<<<<< SEARCH
const Going = 1
=======
const Going = 2
>>>>>>> REPLACE
{FENCE}

> Applied edit to a.go$$
> Commit 5d6e7f8 feat: going$$
""".replace("$$", "  ")  # noqa: E501 - as recorded


def _edits_and_commits(text: str) -> list[tuple[str, list[str]]]:
    calls = read(text).calls
    return [
        (call.name, [block.new or "" for edit in call.edits for block in edit.replacements])
        for call in calls
    ]


def test_blocks_that_were_applied_although_others_were_not_found_are_edits() -> None:
    going = ("edit", ["const Going = 2\n"])
    assert _edits_and_commits(PARTLY) == [
        ("edit", ["const A = 2\n"]),
        ("edit", []),
        ("commit", []),
        going,
        ("commit", []),
    ]
    assert [
        edit.content for call in read(PARTLY).calls for edit in call.edits if edit.op == "write"
    ] == ["const B = 1\n"]
    windows = [edit for call in read(PARTLY.replace("\n", "\r\n")).calls for edit in call.edits]
    assert len(windows) == 3


@pytest.mark.parametrize("mark", ["> ", "#### "])
def test_what_the_program_sends_back_to_the_model_is_no_prompt_and_may_be_quoted(mark: str) -> None:
    start = PARTLY.index("> # 1 SEARCH")
    end = PARTLY.index("> Commit 1a2b3c4")
    sent = "".join(
        f"{mark}{line}  \n" for line in PARTLY[start:end].removeprefix("> ").splitlines()
    )
    quoted = f"{PARTLY[:start]}{sent}{PARTLY[end:]}"
    assert _edits_and_commits(quoted) == _edits_and_commits(PARTLY)
    assert [turn.text for turn in read(quoted).turns] == ["Two limits"]
    only = quoted[: quoted.index("\na.go\n", quoted.index("> Commit 1a2b3c4"))]
    assert aider.runs(only) == ["aider 2026-03-02 09:00:00"]


def test_blocks_are_applied_only_as_far_as_the_program_says() -> None:
    """Where another number was applied than is left over, it is not known which."""
    other = PARTLY.replace(
        "The other 2 SEARCH/REPLACE blocks were", "The other 1 SEARCH/REPLACE block was"
    )
    assert [name for name, _ in _edits_and_commits(other)] == ["commit", "edit", "commit"]
    none = PARTLY.replace(
        "# The other 2 SEARCH/REPLACE blocks were applied successfully.\n", ""
    ).replace("> Commit 1a2b3c4 feat: limits  \n", "")
    # what failed is not applied with the rest
    assert _edits_and_commits(none) == [("edit", ["const Going = 2\n"]), ("commit", [])]


def test_answers_follow_the_commit_that_came_before_what_they_bring() -> None:
    answers = [(message.after, message.not_before) for message in read(BEFORE).messages]
    before = next(call.call_id for call in read(BEFORE).calls if call.commits == ("1a2b3c4",))
    assert answers == [(before, 1_772_442_000.0)]
    calls = {call.call_id: call for call in read(HISTORY).calls}
    assert [calls[m.after].name if m.after else "" for m in read(HISTORY).messages] == [
        "",
        "commit",
    ]


@pytest.mark.parametrize("quoted", [False, True])
def test_an_answer_perhaps_applied_in_part_is_older_than_commits_before_the_next_one(
    quoted: bool,
) -> None:
    """Older versions of Aider quote what they say to the model."""
    committing = (
        "> Committing a.go before applying edits.  \n> Commit 1a2b3c4 feat: limits  \n> Applied"
    )
    dirty = PARTLY.replace("> Commit 1a2b3c4 feat: limits  \n", "").replace("> Applied", committing)
    if quoted:
        start = dirty.index("## SearchReplace")
        end = dirty.index("Just reply")
        dirty = (
            dirty[:start]
            + "".join(f"> {line}" for line in dirty[start:end].splitlines(keepends=True))
            + dirty[end:]
        )
    session = read(dirty)
    commit = next(call.call_id for call in session.calls if call.commits == ("1a2b3c4",))
    assert [
        message.after == commit for message in session.messages if "const A = 2" in message.text
    ] == [False]
    assert [
        message.after == commit for message in session.messages if "const Going = 2" in message.text
    ] == [True]
    assert [(change.path, change.beside_own) for change in session.of_others] == [("a.go", True)]


def test_what_the_program_puts_into_gitignore_is_a_text_of_its_own() -> None:
    session = read(
        HISTORY.replace(
            "> Git repo", "> Added .aider*, .env to .gitignore$$\n> Git repo".replace("$$", "  ")
        )
    )
    assert ".aider*\n.env" in [message.text for message in session.messages]


def test_a_run_of_which_only_some_blocks_were_applied_is_a_session() -> None:
    only = PARTLY[: PARTLY.index("\na.go\n", PARTLY.index("> Commit 1a2b3c4"))]
    assert aider.runs(only) == ["aider 2026-03-02 09:00:00"]


def test_runs_that_began_in_the_same_second_are_one() -> None:
    """In a browser Aider begins twice."""
    begun = "# aider chat started at 2026-03-02 09:00:00\n\n> Aider v0.86.1\n\n"
    assert aider.runs(begun + PARTLY) == ["aider 2026-03-02 09:00:00"]
    assert _edits_and_commits(begun + PARTLY) == _edits_and_commits(PARTLY)


def test_an_answer_whose_blocks_match_nothing_is_an_edit_that_failed() -> None:
    refused = (
        "> The LLM did not conform to the edit format.$$\n> # 1 SEARCH/REPLACE block failed to"
        " match!$$\n".replace("$$", "  ")
    )
    session = read(
        HISTORY.replace("> Applied edit to limit.go", f"{refused}> Applied edit to limit.go")
    )
    assert [(call.name, call.status) for call in session.calls if call.turn == 1] == [
        ("edit", "error"),
        ("edit", "ok"),
        ("edit", "ok"),
        ("commit", "ok"),
    ]
    assert [call.edits for call in session.calls if call.status == "error"] == [()]
    assert [edit for call in session.calls for edit in call.edits] == [
        edit for call in read(HISTORY).calls for edit in call.edits
    ]
    quoted = read(
        HISTORY.replace("# Notes\n", "# Notes\n> The LLM did not conform to the edit format.\n")
    )
    assert {call.status for call in quoted.calls} == {"ok"}


@pytest.mark.parametrize(
    "path",
    [
        *("C#/Program.cs", "#notes.md", "it's/a.py", "a,b.py", "a&b.py", "a=b.py", "50%.py"),
        *("wow!.py", "{id}/page.tsx", "my {id} page.tsx", "a:b.py", "src/plain.py"),
    ],
)
def test_a_name_may_have_any_sign_that_no_markup_is(path: str) -> None:
    history = (
        f"# aider chat started at 2026-03-02 10:00:00\n\n#### write it\n\n"
        f"Here's the code:\n\n{path}\n"
        f"```\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n\n> Applied edit to {path}\n"
    )
    (call,) = aider.read("aider 2026-03-02 10:00:00", [history.encode()]).calls
    assert [(edit.path, edit.content) for edit in call.edits] == [(path, "x = 1\n")]


def test_prose_before_a_fence_is_no_name() -> None:
    history = (
        "# aider chat started at 2026-03-02 10:00:00\n\n#### write it\n\n"
        "src/a.py\nHere's what I did:\n"
        "```\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n\n> Applied edit to src/a.py\n"
    )
    (call,) = aider.read("aider 2026-03-02 10:00:00", [history.encode()]).calls
    assert all(not edit.replacements and edit.content is None for edit in call.edits)


def test_a_chat_without_an_applied_edit_is_a_session_and_an_empty_run_is_none() -> None:
    run = "# aider chat started at 2026-03-02 {}:00:00\n\n> Aider v0.86.1\n\n"
    history = run.format("09") + run.format("10") + "#### what is this?\n\nA tally.\n"
    assert aider.runs(history) == ["aider 2026-03-02 10:00:00"]
    session = aider.read("aider 2026-03-02 10:00:00", [history.encode()])
    assert [turn.text for turn in session.turns] == ["what is this?"]
    assert [message.text for message in session.messages] == ["A tally."]
