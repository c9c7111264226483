"""What happens in a run, by name. Whoever adds one says what is special about it in its
docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.play import Run, edit, read, say, shell, task, write

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

# Whole lines: a patch has no parts of lines.
SUMMED = "        amount += price * count\n    return amount\n"
ROUNDED = "        amount += price * count\n    return round(amount, 2)\n"
CHECKED = """    if not 0 <= rate <= 1:
        raise ValueError(rate)
    reduced = amount * (1 - rate)
    return round(reduced, 2)
"""


def basic(run: Run) -> None:
    """The agent writes a file, edits it and runs a command that makes another; the person
    changes two lines, adds five.
    """
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
        (
            "    return name.strip().upper()\n",
            "    words = name.split()\n    return ' '.join(words).title()\n",
        ),
        ("    amount = 0\n", "    amount = 0.0\n"),
    )
    run.type(
        "shop/cart.py",
        run.shadow.text("shop/cart.py")
        + "\n\ndef empty(items):\n    # typed by hand\n    return not items\n",
    )
    run.commit("Add the cart")


def resume(run: Run) -> None:
    """Three prompts in one session, which is resumed twice; the person commits after each."""
    script = {
        "one": [write("shop/cart.py", CART), say("The cart is written.")],
        "two": [
            read("shop/cart.py"),
            edit("shop/cart.py", SUMMED, ROUNDED),
            say("Amounts are rounded."),
        ],
        "three": [
            write(
                "shop/stock.py",
                "STOCK = {}\n\n\ndef add(name, count):\n    STOCK[name] = STOCK.get(name, 0) +"
                " count\n",
            ),
            say("Done."),
        ],
    }
    run.ask("one", script, files=["shop/cart.py"])
    run.commit("Add a cart")
    run.ask("two", script, more="continue", files=["shop/cart.py"])
    run.commit("Round amounts")
    run.ask("three", script, more="continue", files=["shop/stock.py"])
    run.commit("Add the stock")


ORDERS = '''"""Orders of the shop."""

import math


def total(order):
    result = 0
    for item in order:
        result += item["price"] * item["count"]
    return result


def discount(order, rate):
    if rate < 0 or rate > 1:
        raise ValueError(rate)
    return total(order) * (1 - rate)


def boxes(order, size):
    count = sum(item["count"] for item in order)
    return math.ceil(count / size)


def labels(order):
    return [item["name"].upper() for item in order]
'''
TIDY = """import sys

for name in sys.argv[1:]:
    with open(name) as source:
        text = source.read()
    text = text.replace("key = len", "key=len").replace("names,pairs", "names, pairs")
    text = text.replace("{'a':1,'b' : 2}", '{"a": 1, "b": 2}')
    with open(name, "w") as target:
        target.write(text)
"""
SORTED_LABELS = """    names = [item["name"].upper() for item in order]
    names.sort(key = len)
    pairs = {'a':1,'b' : 2}
    return names,pairs
"""
REFUND = '''

def refund(order, days):
    """Half of it after a month."""
    if days > 30:
        return total(order) / 2
    return total(order)
'''
TAXES = """def tax(price, rate):
    if rate < 0:
        raise ValueError(rate)
    return price * rate


def net(price, rate):
    return price - tax(price, rate)
"""


def person(run: Run) -> None:
    """The person types between the agent's turns, who commits first; commits a part
    (`git add -p`); amends. Formats.
    """
    file = "shop/orders.py"
    script = {
        "one": [write(file, ORDERS), say("The orders are written.")],
        "two": [
            read(file),
            edit(
                file,
                "    return math.ceil(count / size)\n",
                "    if size <= 0:\n        raise ValueError(size)\n    return math.ceil(count /"
                " size)\n",
            ),
            shell("git add -A && git commit -m 'Orders with boxes'"),
            say("Committed."),
        ],
        "three": [
            read(file),
            edit(file, '    return [item["name"].upper() for item in order]\n', SORTED_LABELS),
            shell(f"python3 tools/tidy.py {file}"),
            say("Formatted."),
        ],
    }
    run.write("tools/tidy.py", TIDY)
    run.commit("A tool that formats")
    run.ask("one", script)
    run.replace(
        file,
        ('"""Orders of the shop."""', '"""Orders, and what they cost."""'),
        ("    result = 0\n", "    result = 0.0\n"),
        ("    if rate < 0 or rate > 1:\n", "    if not 0 <= rate <= 1:\n"),
        ("\n\ndef labels", REFUND + "\n\ndef labels"),
    )
    run.ask("two", script, more="continue")
    run.replace(
        file,
        ("import math\n", "import math\nimport sys\n"),
        ("    if days > 30:\n", "    print(days, file=sys.stderr)\n    if days > 30:\n"),
    )
    run.git("add", "-p", file, stdin="y\nn\nq\n")
    run.commit("Import sys", everything=False)
    run.ask("three", script, more="continue")
    run.commit("Sort the labels")
    run.replace(
        file,
        ("        return total(order) / 2\n", "        return total(order) / 3  # was a half\n"),
    )
    run.commit("Sort the labels, and refund less", "--amend")


def branches(run: Run) -> None:
    """A branch with commits of the agent, of the person and of both is squashed into main and
    deleted.
    """
    file = "shop/orders.py"
    script = {
        "one": [
            write(file, ORDERS),
            shell("git add -A && git commit -q -m 'Orders' && git log --oneline -1"),
            say("Done."),
        ],
        "two": [
            read(file),
            edit(
                file, "    return result\n", "    rounded = round(result, 2)\n    return rounded\n"
            ),
            write("shop/taxes.py", TAXES),
            say("Rounded."),
        ],
    }
    run.git("checkout", "-q", "-b", "feature")
    run.ask("one", script)
    run.replace(file, ("import math\n", 'import math\n\nLIMIT = 30\nCURRENCY = "EUR"\n'))
    run.commit("Limits")
    run.ask("two", script, more="continue")
    run.commit("Taxes")
    run.git("checkout", "-q", "main")
    run.type("NOTES.md", "Notes on the shop.\nTaxes come later.\n")
    run.commit("Notes")
    run.git("merge", "-q", "--squash", "feature")
    run.commit("Orders and taxes (#1)", everything=False)
    run.git("branch", "-q", "-D", "feature")


def sessions(run: Run) -> None:
    """A failed edit, a fork, a subagent, a file made and removed, a heredoc, `sed -i`, a file
    that a script computes.
    """
    file = "shop/orders.py"
    table = (
        "python3 -c \"open('shop/squares.csv', 'w').write(''.join(f'{i},{i * i}\\n' for i in"
        ' range(12)))"'
    )
    script = {
        "one": [write(file, ORDERS), say("Done.")],
        "two": [
            read(file),
            edit(file, "this is nowhere in the file\n", "never = 1\n"),
            edit(file, "    return result\n", "    return round(result, 2)\n"),
            say("Done."),
        ],
        "fork": [write("shop/forked.py", TAXES), say("Done.")],
        "sub": [task("inner"), say("The subagent has done it.")],
        "inner": [
            write(
                "shop/inner.py", "def inner(count):\n    # of the subagent\n    return count + 1\n"
            ),
            say("Inner done."),
        ],
        "undo": [
            write("shop/never.py", "NEVER = True\n"),
            shell("rm shop/never.py"),
            shell(
                "cat > shop/heredoc.py <<'EOF'\ndef from_heredoc(price):\n    return price * 3\nEOF"
            ),
            shell(f'sed -i \'s/"count"/"quantity"/g\' {file}'),
            shell(table),
            say("Done."),
        ],
    }
    run.ask("one", script)
    run.ask("two", script, more="continue")
    run.commit("Orders")
    run.ask("fork", script, more="fork")
    run.ask("sub", script, more="continue")
    run.commit("Forked and inner")
    run.ask("undo", script, more="continue")
    run.type(
        "tests/test_orders.py",
        "from shop.orders import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
    )
    run.commit("Quantities and a test")


def parallel(run: Run) -> None:
    """Two files are written by parallel calls of one response, then two edits and a command in
    another.
    """
    script = {
        "one": [
            [*write("shop/orders.py", ORDERS), *write("shop/taxes.py", TAXES)],
            [
                *edit("shop/orders.py", "    return result\n", "    return round(result, 2)\n"),
                *edit(
                    "shop/taxes.py",
                    "    return price * rate\n",
                    "    return round(price * rate, 2)\n",
                ),
                *shell("printf 'apples,3\\n' > stock.csv"),
            ],
            say("Both are done."),
        ]
    }
    run.ask("one", script)
    run.commit("Orders and taxes")


def compact(run: Run) -> None:
    """`/compact` between two edits of a session."""
    file = "shop/orders.py"
    script = {
        "one": [write(file, ORDERS), say("Done.")],
        "two": [
            read(file),
            edit(file, "    return result\n", "    return round(result, 2)\n"),
            write("shop/taxes.py", TAXES),
            say("Done."),
        ],
    }
    run.ask("one", script)
    run.ask("one", script, prompt="/compact", more="continue", plain=True)
    run.ask("two", script, more="continue")
    run.commit("Orders")


def in_terminal() -> Mapping[str, Callable[[Run], None]]:
    """The scenarios at an agent's interface by name; empty without pyte, which reads its screen."""
    try:
        from lab.conversations import CONVERSATIONS
    except ImportError:
        return {}
    return CONVERSATIONS


READ_FIRST = ("continue-dev",)  # refuse to edit what they have not read, even when they wrote it
SCENARIOS: Mapping[str, Callable[[Run], None]] = {
    "basic": basic,
    "resume": resume,
    "person": person,
    "branches": branches,
    "sessions": sessions,
    "parallel": parallel,
    "compact": compact,
}
