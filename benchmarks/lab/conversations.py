"""What happens in a run at the interface of an agent, by name; `lab.scenarios` has those without a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.actions import Action
from lab.gestures import GESTURES
from lab.mock import SLOW
from lab.play import Run, edit, read, say, shell, write
from lab.scenarios import CART, CHECKED, ORDERS, TAXES
from lab.terminal import Conversation

LONG_ANSWER = [Action("say", text="The cart is written, and now I explain at length what it does and why it does so.", how=SLOW)]
STOCK = "printf 'apples,3\\npears,5\\n' > stock.csv; sleep 90; printf 'plums,7\\n' >> stock.csv"
REDUCED = "    return amount * (1 - rate)\n"


def interrupt(run: Run) -> None:
    """The person interrupts an answer, then a command that has written a file; types; and lets the agent go on."""
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
        "six": [edit(file, "    return name.strip().upper()\n", "    return name.strip().title()\n"), say("Titled.")],
    }
    with Conversation(run, script, "refuse", asked=True) as talk:
        for step, allowed in (("one", True), ("two", False), ("three", True), ("four", False), ("five", False), ("six", True)):
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
            edit(file, "    return result\n", "    rounded = round(result, 2)\n    return rounded\n"),
            write("shop/taxes.py", TAXES),
            say("Rounded."),
        ],
        "three": [read(file), edit(file, "    return result\n", "    return math.floor(result)\n"), say("Floored.")],
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


CONVERSATIONS: Mapping[str, Callable[[Run], None]] = {"interrupt": interrupt, "refuse": refuse, "clear": clear, "rewind": rewind}
