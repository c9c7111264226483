"""Texts as programs have them, drawn from small grammars: repeated lines, braces, imports,
several languages and encodings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

_NOUNS = (
    "account address amount batch booking branch bucket cache cart channel client column contract"
    " coupon cursor customer delivery device discount document draft entry event factor field"
    " filter folder frame group header index invoice item job journal key label layer ledger limit"
    " list message meter node note offer order owner page parcel payment period plan point price"
    " product profile project quota rate reader record refund region report request reserve result"
    " route rule sample schedule score section segment seller sensor session shelf shipment signal"
    " slot source stock store stream supplier table tariff task team ticket timer token total trace"
    " transfer unit update user value vendor version visit voucher warehouse weight window worker"
    " zone"
)
_VERBS = (
    "add apply book build cancel check clear close collect compute convert copy count create"
    " deliver drop export fetch fill find format group hold import join limit list load lock log"
    " map mark match merge move notify open pack parse pay plan print queue read reject release"
    " remove rename render report reserve reset resolve restore return round save scan sell send"
    " set ship show skip sort split start stop store sum swap sync take track trim update validate"
    " verify weigh wrap write"
)
NOUNS, VERBS = _NOUNS.split(), _VERBS.split()
REMARKS = {
    "ascii": (
        "keeps the order",
        "see the contract",
        "never negative",
        "in cents",
        "the caller checks",
        "at least once",
        "slow path",
    ),
    "latin": (
        "größer als null",
        "année de référence",
        "señal débil",
        "für später",
        "très rare",
        "Maßeinheit prüfen",
        "naïve Lösung",
    ),
    "wide": (
        "注文の合計",
        "проверка остатка",
        "größer als null",
        "σύνολο παραγγελίας",
        "✓ checked",
        "— see above",
    ),
}
Body = list[str]


@dataclass(frozen=True)
class Language:
    """How a language writes what the grammar says; lines of a body are without their margin."""

    suffix: str
    comment: str
    imports: Callable[[Random], Body]
    function: Callable[[str, Sequence[str], Body], Body]
    assign: str
    when: str
    loop: str
    call: str
    give: str
    end: str = ""  # what closes a block
    margin: str = "    "
    join: Callable[[str, str], str] = lambda verb, noun: f"{verb}_{noun}"
    separate: int = 1  # blank lines between functions


def _camel(verb: str, noun: str) -> str:
    return verb + noun.capitalize()


def _modules(form: str, names: Sequence[str]) -> Callable[[Random], Body]:
    return lambda rng: [
        form.format(name)
        for name in sorted(rng.sample(list(names), rng.randint(2, min(5, len(names)))))
    ]


def _python_function(name: str, arguments: Sequence[str], body: Body) -> Body:
    return [f"def {name}({', '.join(arguments)}):", *(f"    {line}" for line in body)]


def _braced(
    head: str, typed: str, margin: str = "    "
) -> Callable[[str, Sequence[str], Body], Body]:
    def function(name: str, arguments: Sequence[str], body: Body) -> Body:
        listed = ", ".join(typed.format(argument) for argument in arguments)
        return [head.format(name=name, arguments=listed), *(margin + line for line in body), "}"]

    return function


LANGUAGES: Mapping[str, Language] = {
    "python": Language(
        ".py",
        "# {}",
        _modules("import {}", ("csv", "json", "math", "os", "re", "sys", "time")),
        _python_function,
        "{} = {}",
        "if {} > {}:",
        "for {} in {}:",
        "{}({})",
        "return {}",
        separate=2,
    ),
    "typescript": Language(
        ".ts",
        "// {}",
        _modules(
            'import {{ {0} }} from "./{0}";',
            ("client", "ledger", "order", "report", "store", "table"),
        ),
        _braced("export function {name}({arguments}): number {{", "{}: number", "  "),
        "const {} = {};",
        "if ({} > {}) {{",
        "for (const {} of {}) {{",
        "{}({});",
        "return {};",
        "}",
        "  ",
        _camel,
    ),
    "go": Language(
        ".go",
        "// {}",
        lambda rng: [
            "package shop",
            "",
            "import (",
            *_modules('\t"{}"', ("errors", "fmt", "math", "os", "sort"))(rng),
            ")",
        ],
        _braced("func {name}({arguments}) int {{", "{} int", "\t"),
        "{} := {}",
        "if {} > {} {{",
        "for _, {} := range {} {{",
        "{}({})",
        "return {}",
        "}",
        "\t",
        _camel,
    ),
    "rust": Language(
        ".rs",
        "// {}",
        _modules("use crate::{};", ("batch", "ledger", "order", "queue", "report", "stock")),
        _braced("pub fn {name}({arguments}) -> i64 {{", "{}: i64"),
        "let {} = {};",
        "if {} > {} {{",
        "for {} in {}.iter() {{",
        "{}({});",
        "return {};",
        "}",
    ),
    "java": Language(
        ".java",
        "// {}",
        _modules("import shop.{};", ("Batch", "Ledger", "Order", "Queue", "Report", "Stock")),
        _braced("static int {name}({arguments}) {{", "int {}"),
        "int {} = {};",
        "if ({} > {}) {{",
        "for (int {} : {}) {{",
        "{}({});",
        "return {};",
        "}",
        "    ",
        _camel,
    ),
    "c": Language(
        ".c",
        "/* {} */",
        _modules("#include <{}.h>", ("limits", "math", "stdio", "stdlib", "string", "time")),
        _braced("int {name}({arguments}) {{", "int {}"),
        "int {} = {};",
        "if ({} > {}) {{",
        "for (int {0} = 0; {0} < {1}; {0}++) {{",
        "{}({});",
        "return {};",
        "}",
    ),
}
PROSE = ("markdown", "csv", "yaml")
SUFFIXES = {
    **{name: language.suffix for name, language in LANGUAGES.items()},
    "markdown": ".md",
    "csv": ".csv",
    "yaml": ".yaml",
}


@dataclass
class Grammar:
    """Draws blocks of one language; `remarks` says in which script comments are."""

    rng: Random
    language: str
    remarks: str = "ascii"

    def name(self) -> str:
        return f"{self.rng.choice(VERBS)}_{self.rng.choice(NOUNS)}"

    def lines(self, count: int) -> list[str]:
        """About `count` lines: a head and blocks, with blank lines between."""
        lines = self.head()
        while len(lines) < count:
            lines += self.gap() + self.block()
        return lines

    def head(self) -> list[str]:
        title = f"The {self.rng.choice(NOUNS)} and the {self.rng.choice(NOUNS)}"
        if self.language in LANGUAGES:
            language = LANGUAGES[self.language]
            return [language.comment.format(title), *language.imports(self.rng)]
        return {
            "markdown": [f"# {title}", "", self.sentence()],
            "csv": ["id,name,count,price"],
            "yaml": [f"# {title}"],
        }[self.language]

    def gap(self) -> list[str]:
        language = LANGUAGES.get(self.language)
        return [] if self.language == "csv" else [""] * (language.separate if language else 1)

    def block(self) -> list[str]:
        rng = self.rng
        if self.language == "markdown":
            listed = [f"- {self.sentence()}" for _ in range(rng.randint(0, 4))]
            return [
                f"## {rng.choice(VERBS).capitalize()} the {rng.choice(NOUNS)}",
                "",
                self.sentence(),
                *listed,
            ]
        if self.language == "csv":
            return [
                f"{rng.randint(1, 9999)},{rng.choice(NOUNS)}"
                f",{rng.randint(0, 40)},{rng.randint(1, 99)}"
                for _ in range(6)
            ]
        if self.language == "yaml":
            keys = [f"  {rng.choice(NOUNS)}: {self.value()}" for _ in range(rng.randint(2, 5))]
            return [f"{self.name()}:", *keys, "  enabled: true"]
        language = LANGUAGES[self.language]
        arguments = rng.sample(NOUNS, rng.randint(1, 3))
        body = self.body(language, list(arguments), rng.randint(2, 5), 0)
        return language.function(
            language.join(rng.choice(VERBS), rng.choice(NOUNS)), arguments, body
        )

    def sentence(self) -> str:
        rng = self.rng
        remark = f" ({rng.choice(REMARKS[self.remarks])})" if rng.random() < 0.3 else ""
        return (
            f"To {rng.choice(VERBS)} a {rng.choice(NOUNS)}, {rng.choice(VERBS)} its"
            f" {rng.choice(NOUNS)} first{remark}."
        )

    def value(self) -> str:
        return self.rng.choice(["0", "1", str(self.rng.randint(2, 500))])

    def body(self, language: Language, known: list[str], count: int, depth: int) -> list[str]:
        """Statements; `known` are the names that they may use. The outermost ends with what is
        returned.
        """
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(language, known, depth)
        return lines if depth else [*lines, language.give.format(self.rng.choice([*known, "0"]))]

    def statement(self, language: Language, known: list[str], depth: int) -> list[str]:
        rng = self.rng
        chance = rng.random()
        if chance < 0.12:
            return [language.comment.format(rng.choice(REMARKS[self.remarks]))]
        if chance < 0.45 or depth > 1:
            name = rng.choice(NOUNS)
            line = language.assign.format(
                name, f"{rng.choice(known)} {rng.choice('+-*')} {self.value()}"
            )
            known.append(name)
            return [line]
        if chance < 0.6:
            return [
                language.call.format(
                    language.join(rng.choice(VERBS), rng.choice(NOUNS)), rng.choice(known)
                )
            ]
        if chance < 0.85:
            head, inner = (
                language.when.format(rng.choice(known), self.value()),
                self.body(language, known[:], 1, depth + 1),
            )
        else:
            name = rng.choice(NOUNS)
            head = language.loop.format(name, rng.choice(known))
            inner = self.body(language, [*known, name], rng.randint(1, 2), depth + 1)
        closed = [language.end] if language.end else []
        return [head, *(language.margin + line for line in inner), *closed]


@dataclass(frozen=True)
class Splice:
    """A change: `removed` lines from the index `start` on give way to `added`."""

    start: int
    removed: int
    added: tuple[str, ...]

    def apply(self, lines: Sequence[str]) -> list[str]:
        return [*lines[: self.start], *self.added, *lines[self.start + self.removed :]]


def insertion(grammar: Grammar, lines: Sequence[str], blocks: int = 1) -> Splice:
    """New blocks between two of the text's, or at its end."""
    gaps = [number for number in range(3, len(lines)) if not lines[number] and lines[number - 1]]
    start = grammar.rng.choice([*gaps, len(lines)])
    added = [line for _ in range(blocks) for line in (*grammar.gap(), *grammar.block())]
    return Splice(start, 0, tuple(added))


def alteration(
    rng: Random, lines: Sequence[str], wanted: Callable[[int], bool] = lambda number: True
) -> Splice | None:
    """One line with another number or name in it; `wanted` says which may be changed. None if
    none can.
    """
    numbers = [
        number for number, line in enumerate(lines) if len(line.strip()) > 7 and wanted(number)
    ]
    if not numbers:
        return None
    number = rng.choice(numbers)
    return Splice(number, 1, (altered(rng, lines[number]),))


def altered(rng: Random, line: str) -> str:
    words = line.split(" ")
    places = [place for place, word in enumerate(words) if any(sign.isalnum() for sign in word)]
    place = rng.choice(places or [0])
    digits = [sign for sign in words[place] if sign.isdigit()]
    if digits:
        words[place] = words[place].replace(
            digits[0], str((int(digits[0]) + rng.randint(1, 8)) % 10), 1
        )
    else:
        stem = next((noun for noun in NOUNS if noun in words[place]), "")
        new = rng.choice(NOUNS)
        words[place] = (
            words[place].replace(stem, new, 1)
            if stem and stem != new
            else f"{words[place]} {rng.choice(NOUNS)}"
        )
    return " ".join(words)


def with_context(lines: Sequence[str], splice: Splice, eol: str = "\n") -> tuple[str, str]:
    """Old and new text of a change with as many lines around it as make the old text the only
    one of its kind.
    """
    first, last = splice.start, splice.start + splice.removed
    whole = eol + eol.join(lines) + eol
    while True:
        old = "".join(line + eol for line in lines[first:last])
        if last > first and whole.count(old) == 1 and old.strip():
            break
        if first == 0 and last == len(lines):
            break
        first, last = max(0, first - 1), min(len(lines), last + 1)
    head, tail = lines[first : splice.start], lines[splice.start + splice.removed : last]
    return old, "".join(line + eol for line in (*head, *splice.added, *tail))
