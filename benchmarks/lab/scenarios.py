"""What happens in a run, by name. Whoever adds one says what is special about it in its docstring."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.play import Run, edit, read, say, shell, write

CART = '''"""The cart of the shop."""


def total(items):
    amount = 0
    for price, count in items:
        amount += price * count
    return amount


def discount(amount, rate):
    return amount * (1 - rate)


def label(name):
    return name.strip().upper()
'''


CHECKED = """    if not 0 <= rate <= 1:
        raise ValueError(rate)
    reduced = amount * (1 - rate)
    return round(reduced, 2)
"""


def basic(run: Run) -> None:
    """The agent writes a file, edits it and runs a command that makes another; the person changes two lines, adds five."""
    script = {
        "one": [
            write("shop/cart.py", CART),
            *([read("shop/cart.py")] if run.agent.name in READ_FIRST else []),
            edit("shop/cart.py", "    return amount * (1 - rate)\n", CHECKED),
            shell("printf 'apples,3\\npears,5\\nplums,7\\n' > stock.csv"),
            say("The cart is done."),
        ]
    }
    run.ask("one", script, files=["shop/cart.py"])
    run.replace(
        "shop/cart.py",
        ("    return name.strip().upper()\n", "    words = name.split()\n    return ' '.join(words).title()\n"),
        ("    amount = 0\n", "    amount = 0.0\n"),
    )
    run.type("shop/cart.py", run.shadow.text("shop/cart.py") + "\n\ndef empty(items):\n    # typed by hand\n    return not items\n")
    run.commit("Add the cart")


def resume(run: Run) -> None:
    """Three prompts in one session, which is resumed twice; the person commits after each."""
    script = {
        "one": [write("shop/cart.py", CART), say("The cart is written.")],
        "two": [
            read("shop/cart.py"),
            edit("shop/cart.py", "    return amount\n", "    return round(amount, 2)\n"),
            say("Amounts are rounded."),
        ],
        "three": [
            write("shop/stock.py", "STOCK = {}\n\n\ndef add(name, count):\n    STOCK[name] = STOCK.get(name, 0) + count\n"),
            say("Done."),
        ],
    }
    run.ask("one", script, files=["shop/cart.py"])
    run.commit("Add a cart")
    run.ask("two", script, more="continue", files=["shop/cart.py"])
    run.commit("Round amounts")
    run.ask("three", script, more="continue", files=["shop/stock.py"])
    run.commit("Add the stock")


READ_FIRST = ("continue-dev",)  # refuse to edit what they have not read, even when they wrote it
SCENARIOS: Mapping[str, Callable[[Run], None]] = {"basic": basic, "resume": resume}
