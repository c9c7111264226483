"""What happens in a run at the interface of an agent, by name; `lab.scenarios` has those without
a terminal.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from lab.actions import BACKGROUND, Action
from lab.gestures import GESTURES
from lab.mock import SLOW
from lab.play import Run, edit, plan, read, say, shell, task, write
from lab.scenarios import CART, CHECKED, ORDERS, TAXES
from lab.terminal import Conversation

LONG_ANSWER = [
    Action(
        "say",
        text="The cart is written, and now I explain at length what it does and why it does so.",
        how=SLOW,
    )
]
STOCK = "printf 'apples,3\\npears,5\\n' > stock.csv; sleep 90; printf 'plums,7\\n' >> stock.csv"
STOCK_LATER = "sleep 5; printf 'apples,3\\npears,5\\n' > stock.csv"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5"
    "ErkJggg=="
)
ROUND = ("    return result\n", "    return round(result, 2)\n")
REDUCED = "    return amount * (1 - rate)\n"


def interrupt(run: Run) -> None:
    """The person interrupts an answer, then a command that has written a file; types; and lets
    the agent go on.
    """
    file, keys = "shop/cart.py", GESTURES[run.agent.name]
    script = {
        "one": [write(file, CART), LONG_ANSWER],
        "two": [shell(STOCK), say("Never said.")],
        "three": [read(file), edit(file, REDUCED, CHECKED), say("Checked.")],
    }
    with Conversation(run, script, "interrupt") as talk:
        talk.prompt("one", wait=False)
        talk.wait_asked("one", 1)
        keys.interrupt(talk)
        talk.prompt("two", wait=False)
        talk.wait_asked("two")
        keys.interrupt(talk)
        run.starts[-1]["interrupted_calls"] = 1
        with talk.editing():
            run.replace(file, ("    amount = 0\n", "    amount = 0.0\n"))
        talk.prompt("three")
    run.commit("A cart and a stock")


def refuse(run: Run) -> None:
    """The person allows a new file and a command, refuses another file, a command and an edit."""
    file, keys = "shop/cart.py", GESTURES[run.agent.name]
    script = {
        "one": [write(file, CART), say("Written.")],
        "two": [write("shop/taxes.py", TAXES), say("Never said.")],
        "three": [shell("printf 'apples,3\\n' > stock.csv"), say("Counted.")],
        "four": [shell("printf 'pears,5\\n' > pears.csv"), say("Never said.")],
        "five": [read(file), edit(file, REDUCED, CHECKED), say("Never said.")],
        "six": [
            edit(file, "    return name.strip().upper()\n", "    return name.strip().title()\n"),
            say("Titled."),
        ],
    }
    with Conversation(run, script, "refuse", asked=True) as talk:
        for step, allowed in (
            ("one", True),
            ("two", False),
            ("three", True),
            ("four", False),
            ("five", False),
            ("six", True),
        ):
            talk.prompt(step, wait=False)
            (keys.allow if allowed else keys.refuse)(talk)
            if allowed:
                talk.wait_answered(step)
    run.commit("A cart and a stock")


def clear(run: Run) -> None:
    """The person begins anew in the same program after the first task."""
    script = {
        "one": [write("shop/orders.py", ORDERS), say("Done.")],
        "two": [
            read("shop/orders.py"),
            edit("shop/orders.py", "    return result\n", "    return round(result, 2)\n"),
            write("shop/taxes.py", TAXES),
            say("Done."),
        ],
    }
    with Conversation(run, script, "clear") as talk:
        talk.prompt("one")
        GESTURES[run.agent.name].clear(talk)
        talk.prompt("two")
    run.commit("Orders and taxes")


def rewind(run: Run) -> None:
    """The person takes back the second of two tasks, files and talk, and asks for another."""
    file = "shop/orders.py"
    script = {
        "one": [write(file, ORDERS), say("Done.")],
        "two": [
            read(file),
            edit(
                file, "    return result\n", "    rounded = round(result, 2)\n    return rounded\n"
            ),
            write("shop/taxes.py", TAXES),
            say("Rounded."),
        ],
        "three": [
            read(file),
            edit(file, "    return result\n", "    return math.floor(result)\n"),
            say("Floored."),
        ],
    }
    with Conversation(run, script, "rewind") as talk:
        talk.prompt("one")
        with talk.editing():
            run.replace(file, ('"""Orders of the shop."""', '"""Orders, and what they cost."""'))
        talk.prompt("two")
        GESTURES[run.agent.name].rewind(talk)
        talk.settle()
        talk.prompt("three")
    run.commit("Orders")


def planned(run: Run) -> None:
    """The person lets the agent plan first, agrees, and lets it write."""
    keys = GESTURES[run.agent.name]
    script = {
        "one": [
            read("README.md"),
            plan("First I look for the tool."),
            plan("# Orders\n\nWrite `shop/orders.py`."),
            say("Planned."),
        ],
        "two": [
            write("shop/orders.py", ORDERS),
            read("shop/orders.py"),
            edit("shop/orders.py", *ROUND),
            say("Done."),
        ],
    }
    with Conversation(run, script, "plan") as talk:
        keys.plan(talk)
        talk.prompt("one", wait=False)
        talk.wait_asked("one", 1)
        keys.build(talk)
        talk.prompt("two")
    run.commit("Orders")


def summarize(run: Run) -> None:
    """The person has the talk summarized between two tasks."""
    file = "shop/orders.py"
    script = {
        "one": [write(file, ORDERS), say("Done.")],
        "two": [read(file), edit(file, *ROUND), write("shop/taxes.py", TAXES), say("Done.")],
    }
    with Conversation(run, script, "summarize") as talk:
        talk.prompt("one")
        GESTURES[run.agent.name].summarize(talk)
        talk.prompt("two")
    run.commit("Orders and taxes")


def at_once(run: Run) -> None:
    """Two files are written by parallel calls of one answer, then two edits and a command in
    another.
    """
    tax = ("    return price * rate\n", "    return round(price * rate, 2)\n")
    script = {
        "one": [
            [*write("shop/orders.py", ORDERS), *write("shop/taxes.py", TAXES)],
            [
                *edit("shop/orders.py", *ROUND),
                *edit("shop/taxes.py", *tax),
                *shell("printf 'apples,3\\n' > stock.csv"),
            ],
            say("Both are done."),
        ]
    }
    with Conversation(run, script, "at-once") as talk:
        talk.prompt("one")
    run.commit("Orders and taxes")


def image(run: Run) -> None:
    """The person drops a picture on the prompt."""
    (run.home / "sketch.png").write_bytes(base64.b64decode(PIXEL))
    script = {
        "one": [
            write("shop/orders.py", ORDERS),
            read("shop/orders.py"),
            edit("shop/orders.py", *ROUND),
            say("Drawn."),
        ]
    }
    with Conversation(run, script, "image") as talk:
        talk.terminal.paste("/home/dev/sketch.png")
        talk.prompt("one", " Write what the picture shows.")
    run.commit("Orders")


def subagents(run: Run) -> None:
    """Two subagents at once write a file each, then the agent edits one of the files."""
    file = "shop/orders.py"
    script = {
        "one": [[*task("orders"), *task("taxes")], say("They are at work.")],
        "orders": [write(file, ORDERS), read(file), edit(file, *ROUND), say("Orders done.")],
        "taxes": [write("shop/taxes.py", TAXES), say("Taxes done.")],
        "two": [
            read(file),
            edit(file, '    return [item["name"].upper()', '    return [item["name"].title()'),
            say("Titled."),
        ],
    }
    with Conversation(run, script, "subagents") as talk:
        talk.prompt("one")
        for step in ("orders", "taxes"):
            talk.wait_answered(step)
        talk.prompt("two")
    run.commit("Orders and taxes")


def background(run: Run) -> None:
    """A command goes on in the background while the person asks for something else."""
    script = {
        "one": [shell(STOCK_LATER, BACKGROUND), say("It runs.")],
        "two": [write("shop/orders.py", ORDERS), say("Done.")],
    }
    with Conversation(run, script, "background") as talk:
        talk.prompt("one")
        talk.prompt("two")
        time.sleep(8)
    run.commit("Orders and a stock")


def worktrees(run: Run) -> None:
    """Two agents at once, each in a worktree of its own; the second's branch is merged."""
    other = run.repository.parent / "shop-taxes"
    run.git("worktree", "add", "-q", "-b", "taxes", str(other))
    # the agents see it at another place
    (other / ".git").write_text("gitdir: ../shop/.git/worktrees/shop-taxes\n", "utf-8")
    (run.repository / ".git/worktrees/shop-taxes/gitdir").write_text(
        "/home/dev/shop-taxes/.git\n", "utf-8"
    )
    script = {
        "one": [
            write("shop/orders.py", ORDERS),
            read("shop/orders.py"),
            edit("shop/orders.py", *ROUND),
            say("Done."),
        ],
        "two": [write("shop/taxes.py", TAXES), say("Done.")],
    }
    with (
        Conversation(run, script, "orders") as first,
        Conversation(run, script, "taxes", directory=Path("/home/dev/shop-taxes")) as second,
    ):
        first.prompt("one", wait=False)
        second.prompt("two", wait=False)
        first.wait_answered("one")
        second.wait_answered("two")
    run.commit("Orders")
    run.git("-C", str(other), "add", "-A")
    run.git("-C", str(other), "commit", "-q", "-m", "Taxes")
    run.git("merge", "-q", "--no-edit", "taxes")


def fork(run: Run) -> None:
    """The person forks the session within the program, and resumes the fork when the program is
    started again.
    """
    file = "shop/orders.py"
    script = {
        "one": [write(file, ORDERS), say("Done.")],
        "two": [read(file), edit(file, *ROUND), say("Rounded.")],
        "three": [write("shop/taxes.py", TAXES), say("Done.")],
    }
    with Conversation(run, script, "fork") as talk:
        talk.prompt("one")
        GESTURES[run.agent.name].fork(talk)
        talk.prompt("two")
    with Conversation(run, script, "resumed", more="continue") as talk:
        talk.prompt("three")
    run.commit("Orders and taxes")


CONVERSATIONS: Mapping[str, Callable[[Run], None]] = {
    "interrupt": interrupt,
    "refuse": refuse,
    "clear": clear,
    "rewind": rewind,
    "plan": planned,
    "summarize": summarize,
    "at-once": at_once,
    "image": image,
    "subagents": subagents,
    "background": background,
    "worktrees": worktrees,
    "fork": fork,
}
