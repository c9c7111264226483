"""Keys, tokens and passwords in text, replaced by a mark.

Three searches: texts whose form says what they are (`tokens`), values that stand where a secret
belongs (`places`: an assignment, a header, an option of a command, an address, a sentence that says
what the password is), and blocks of private keys, of which every line is replaced. `secrets.toml`
beside this file has the patterns; here is what decides whether a value is a secret. Each search is
made only in a text that has one of its words, and many only where such a word begins, which is what
makes it fast. Nothing is sent anywhere, and nothing is verified with a provider.
"""

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from collector.json_values import Row, Texts
from collector.text import SECRET, toml_beside, word_finder

_KNOWN = 8  # characters of a secret that is one without what was said of it

# A block of a private key: with headers, without an end, or in base64 as a whole. The sign of a
# diff, or its number, may stand before each line.
_AHEAD = r"(?:\\+[nr]|[\s\"'+,\\-]|\d{1,6}→)*+"
_BLOCK = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"(?:(?:(?!----)[^\0]){1,20000}-{4,6} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    rf"|(?:{_AHEAD}[A-Za-z0-9+/=]{{20,}}+){{1,999}}+(?:{_AHEAD}[A-Za-z0-9+/]*=+)?)"
    rf"|Private-Lines: \d+(?:{_AHEAD}[A-Za-z0-9+/=]{{20,80}}){{1,99}}+{_AHEAD}(?:Private-MAC: \w+)?"
    r"|BEGIN OpenVPN Static key V1-----[\sa-f0-9\\nr→-]{64,2000}"
    rf"|LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/=]{{40}}(?:{_AHEAD}[A-Za-z0-9+/=]{{20,}}+)*+"
)
_BLOCK_WORDS = ("PRIVATE KEY", "Static key V1", "Private-Lines", "LS0tLS1CRUdJTi")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/=]{20}|(?:\n|\\n)\s*[A-Za-z0-9+/=]{4,}\s*(?:\n|\\+n)")
_LINES = re.compile(r"\n|\\+n")
_WIDE = 4000  # characters of a line of a table
_RULE = re.compile(r"(?:\s*\d+(?:→|\\+u2192))?[-+|: ]{3,}")  # between a table's head and its rows
_END_OF_LINE = re.compile(r"\n|\\+r\\+n|\\+n")

_RULES: Row = toml_beside(__file__, "secrets.toml")
_PART = re.compile(r"\{([A-Z_]+)\}")


def _expanded(pattern: str) -> str:
    """With the parts that it names, and each character beside ASCII also as JSON escapes it."""
    # a word begins after the letter of `\n` in JSON, too
    pattern = _filled_in(pattern).replace(r"(\b", r"((?:\b|(?<=\\[nrt]))")
    return "".join(map(_character, pattern))


def _filled_in(pattern: str) -> str:
    while (longer := _PART.sub(lambda name: _RULES["parts"][name[1]], pattern)) != pattern:
        pattern = longer
    return pattern


def _character(character: str) -> str:
    if character.isascii():
        return character
    codes = sorted(
        {
            f"u{ord(case):04x}"
            for case in (character, character.upper(), character.lower())
            if len(case) == 1
        }
    )
    return rf"(?:{character}|\\+(?:{'|'.join(codes)}))"


# A token begins where a word begins, or after the letter of `\n` in JSON.
_TOKENS = re.compile(
    rf"(?:(?<![A-Za-z0-9])|(?<=\A[nrt]))(?:{'|'.join(_RULES['tokens'].values())})(?![A-Za-z0-9_])"
)
_LEAST = 16  # characters of a token
# What a token may be a part of.
_RUNS = re.compile(  # `\\w` would take longer
    rf"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9_.~=+/,:%\x80-\U0010ffff-]{{{_LEAST - 1},}}"
)
# runs of characters and short texts: the same paths and names come again and again
_REMEMBERED = 1 << 16
_SHORT = 300  # characters of a text worth remembering


_NAMES = re.compile(_expanded("{PASS}|{KEY}"))

# Values that only look like a secret: names of things, calls, placeholders, sentences.
_PLACEHOLDER = re.compile(
    r"^/(?![\w+/]{20,}=)|\$\{|\{\{|<[\w"
    r" -]+>|\.\.\.|…|xxxx|\*\*\*|process\.env|os\.environ|getenv|import\.meta|secrets?\.|your[-_"
    r" ]|change[-_ ]?me"
    r"|AAAA[BC]3Nza|example|placeholder|dummy|redacted|\[secret|fake|mock|sample|https?://|^env\(|^\$\w+$|^%\w+%$",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[@./~:_-]*(?:(?:[A-Z][a-z]*|[a-z]+)[-_]?\d{0,5}(?:[-_./: ,\\@]+|(?=[A-Z])|$))+[.!?:)*]*"
)
_NUMBER = re.compile(r"[\^~<>=v]{0,3}[\d.,:_/%*~-]+(?:-(?:alpha|beta|rc|dev|next)[\d.]*)?")
# of names in code
_PATH = re.compile(r"[A-Za-z_$][\w$]{0,30}(?:(?:::|\.|->)[A-Za-z_$][\w$]{0,40})+[:.(*?!]*")
_NUMBERED = re.compile(r"\.[a-z]+\d\d+$")  # no name in code, as `summer.matrix42`
_PATH_SIGN = re.compile(r"::|\.|->")
# a UUID, or what begins with words, as the keys of caches do
_ID_OR_NAME = re.compile(
    r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$|(?:[a-z]{3,}-){2}", re.IGNORECASE
)
_WORDS_OF_NAME = re.compile(r"(?:[a-z]{3,}[-_.]){2}", re.IGNORECASE)
_PLAIN = re.compile("[A-Za-z0-9]+")
_HEX = re.compile("[a-f0-9]{32,}|[A-F0-9]{32,}")
_WORD_OR_NUMBER = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MIXED = re.compile(r"\d[A-Za-z]\w*\d[A-Za-z]")  # digits between letters, again and again: no name
_IDS = 20  # digits of numbers that things have
_CHANGE = re.compile(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]")  # from letters to digits or back
_PART_SIGN = re.compile("[-_.]")
_BETWEEN_NAMES = re.compile(r"[^A-Za-z0-9!#$%^&*+?~@]")
# letters of both cases and digits, and no name in code, as `kidSigEnc1`
_ALL_KINDS = re.compile(
    r"(?!O?(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+|\d++)++\Z)(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8}"
)
# of both cases without a sign between, as no name or number is
_MIXED_KEY = re.compile("(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{24,}")
_BASE64_SIGN = re.compile("[+/=_-]")
_TYPES = re.compile(
    r"__\w+__|true|false|string|text|number|boolean|object|required|optional|unknown|undefined|hidden|invalid|missing|correct|wrong"
    r"|search|email|value|message|username|check\w+|confirm\w*",
    re.IGNORECASE,
)
_NAMES_SECRETS = re.compile(
    _NAMES.pattern + "|label|field|input|error|passord|wachtwoord|salasana|heslo|parola|sandi",
    re.IGNORECASE,
)


def _is_key(value: str) -> bool:
    """Whether an assigned value can be a key, and is not a name, a number, a sentence or a
    placeholder.
    """
    if (
        _PLACEHOLDER.search(value)
        or len(set(value)) < 4
        or not _has_digit(value)
        or _has_blank(value)
    ):
        return False
    if _is_random(value) or _is_scrambled(value):
        return True
    return not any(form.fullmatch(value) for form in (_NAME, _NUMBER)) and not _is_path(value)


def _is_path(value: str) -> bool:
    """Names in code that follow each other, none of which is a jumble of letters and digits."""
    return _PATH.fullmatch(value) is not None and not any(
        map(_is_scrambled, _PATH_SIGN.split(value))
    )


def _is_random(value: str) -> bool:
    """Whether a part of a value is long hex, or has letters, digits and both cases that change
    as they do in no name.
    """
    longest = max(_PLAIN.findall(value), key=len, default="")
    if len(longest) < _LEAST:
        return False
    words = len(_WORD_OR_NUMBER.findall(longest))
    if not _has_digit(longest):
        return len(longest) >= 32 and len(longest) < 2.6 * words
    if longest.isdecimal():
        return len(longest) > _IDS
    return (
        len(longest) < 3.2 * words
        or _HEX.fullmatch(longest) is not None
        or 5 * len(_CHANGE.findall(longest)) >= max(25, len(longest))
    )


def _is_opaque(value: str) -> bool:
    """The same of a value in parts, as a UUID, and not of a name in parts."""
    joined = (_BASE64_SIGN if value.endswith("=") else _PART_SIGN).sub("", value)
    return _is_random(value) or (_is_random(joined) and not _WORDS_OF_NAME.match(value))


def _is_password(value: str) -> bool:
    """The same of what is called a password and stands in quotes: a word may be one, but not a
    sentence or the name of a field.
    """
    if _PLACEHOLDER.search(value) or _TYPES.fullmatch(value):
        return False
    if _NAMES_SECRETS.search(value) and not _is_scrambled(value):  # in which `pwD` means nothing
        return False
    return (
        not _has_blank(value)
        and len(set(value)) > 3
        and (value.isascii() or _has_digit(value))
        and (not _is_path(value) or _NUMBERED.search(value) is not None)
    )


_BARE_FORM = re.compile(r"\d|^(?:[a-z]{3,}-){2,}[a-z]{3,}$")  # a digit, or words nobody says


def _is_bare_password(value: str) -> bool:
    """The same without quotes, where it may be anything in code."""
    return (
        _is_password(value)
        and _BARE_FORM.search(value) is not None
        and not _NUMBER.fullmatch(value)
    )


def _is_set_password(value: str) -> bool:
    """The same of what an environment or a file of settings holds: a word may be one too."""
    return _is_bare_password(value) or (_is_password(value) and len(value) >= 8)


def _is_set_key(value: str) -> bool:
    """As `_is_key`, or letters alone that are more than a name has."""
    return _is_key(value) or (
        value.isalpha()
        and len(value) >= 20
        and not _PLACEHOLDER.search(value)
        and len(set(value)) > 7
    )


# What has letters and digits and is said beside passwords without being one: names of methods,
# versions, numbers of things.
_TECHNICAL = re.compile(
    r"(?:\w+-)?(?:argon2|b?crypt|pbkdf2|sha|md5|b64|base64|oauth|2fa|mfa|utf|aes|rsa|ed25519|http|ipv|ntlm|saml|oidc|rfc|rs256|hs256"
    r"|tls|web|test_|step|phase|level|page|line|item|section|part|week|day|k8s|s3|ec2|i18n)[\w.+/-]*|[vqhp]\d(?:[\d.]|[/+-]\S)*"
    r"|\d+(?:[-–.x]\w{0,12}|[a-z]{1,3}|\+)?(?:-[a-z-]+)?|[A-Z]{1,5}-\d+|[#&]\w+|\w+[/=]\S+|(?:[a-z]+@\d|[@-])\S*|[\w-]+\.[a-z]{2,5}(?::\d+)?",
    re.IGNORECASE,
)


# a digit and a sign, or two digits in a longer one; no UUID
_SHOWS = re.compile(
    r"(?![\da-f]{8}-[\da-f]{4}-)(?:(?=.*\d).*[!@#$%^&*+?~]|(?=.{8}).*\d.*\d)", re.IGNORECASE
)
_SPOKEN_FORM = re.compile(r"\d|\w[!@#$%^&*+?~]\w|^(?:[a-z]{3,}-){2,}[a-z]{3,}$")
_SENTENCE = 900  # characters from a noun to the end of what it is said to be, escaped


def _is_spoken_password(value: str) -> bool:
    """A password in a sentence: letters and digits, or a sign between letters, as words do not
    have.
    """
    if not _is_password(value) or any(form.fullmatch(value) for form in (_TECHNICAL, _NUMBER)):
        return False
    letters = sum(character.isalpha() for character in value)
    return letters > 1 and bool(_SPOKEN_FORM.search(value))


def _is_typed_secret(value: str) -> bool:
    """A password or a key where nothing but its place says so: with digits, and no technical
    name.
    """
    return (_is_key(value) and len(value) >= _LEAST) or _is_strong(value)


def _is_scrambled(value: str) -> bool:
    """Letters of both cases and digits that change as they do in no name, with signs that no code
    has between them.
    """
    longest = max(_BETWEEN_NAMES.split(value), key=len)
    if not _ALL_KINDS.match(longest) or _PLACEHOLDER.search(value):
        return False
    words = len(_WORD_OR_NUMBER.findall(longest))
    return (words > 3 and len(longest) < 2.7 * words) or _is_random(longest)


def _is_strong(value: str) -> bool:
    """A password that shows without being called one."""
    return _is_spoken_password(value) and (bool(_SHOWS.match(value)) or _is_scrambled(value))


def _is_spoken_key(value: str) -> bool:
    """A key in a sentence."""
    return (
        len(value) >= _LEAST
        and _is_key(value)
        and bool(_MIXED.search(value))
        and "/" not in value
        and not _ID_OR_NAME.match(value)
    )


_SIGN = re.compile(r"[\d!@#$%^&*+?~-]")  # one of which every value has that fits these
_WITH_SIGN = (
    _is_spoken_password,
    _is_key,
    _is_random,
    _is_opaque,
    _is_scrambled,
    _is_strong,
    _is_spoken_key,
    _is_typed_secret,
)
_COMMON = re.compile(r"\b(?:the|and|for|are|was|not|but|with|from|which)\b")


def _is_phrase(value: str) -> bool:
    """The words of a wallet, of which no list has articles or pronouns."""
    return len(set(re.findall("[a-z]+", value))) > 5 and not _COMMON.search(value)


def _is_user_and_password(value: str) -> bool:
    """In base64, with a colon between the two."""
    try:
        return (
            re.fullmatch(rb"[\w.@+-]{1,80}:[!-~]{3,400}", base64.b64decode(value, validate=True))
            is not None
        )
    except ValueError:
        return False


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value)


def _has_blank(value: str) -> bool:
    return any(character.isspace() for character in value)


class _Words(NamedTuple):
    """Where the words of all places stand in a text."""

    small: str  # the text in small letters
    places: Mapping[str, list[int]]
    nouns: list[int]  # where `PASS` and `KEY` may begin


@dataclass(frozen=True)
class _Place:
    """Where a secret stands: after group 1 of the pattern, as the group `secret`."""

    words: frozenset[str]  # one of them, in small letters, is in every text that the pattern fits
    shape: str  # the pattern; few texts have one of the words, so that most are never compiled
    fits: Callable[[str], bool]  # decides whether the value is a secret
    at_word: bool = False  # the pattern begins with `PASS` or `KEY`
    begins: frozenset[str] = frozenset()  # else with one of these
    lead: re.Pattern[str] | None = None  # or with this, up to one of these
    behind: re.Pattern[str] | None = None  # what must stand before it
    # the value has several secrets: the group `secret` of each match of this
    each: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        return _ignoring_case(self.shape)

    def mark(self, text: str, words: _Words) -> str:
        """The text without what the place holds; `words`: those of the text."""
        parts = []
        end = 0
        starts: Iterable[int] = words.nouns if self.at_word else self._starts(words)
        if not starts:
            return text
        if self.fits in _WITH_SIGN:
            starts = _starts_before(text, starts)
        pattern = self.pattern
        for start in starts:  # as `sub`, which tries every character
            if start >= end and (match := pattern.match(text, start)) is not None:
                parts += [text[end:start], self.replacement(match)]
                end = match.end()
        return "".join([*parts, text[end:]])

    def _starts(self, words: _Words) -> list[int]:
        starts = _occurrences(words.places, self.begins)
        if self.lead is not None:
            leads = (self.lead.search(words.small, max(0, n - _LEAD), n) for n in starts)
            return [lead.start() for lead in leads if lead is not None]
        return starts

    def replacement(self, match: re.Match[str]) -> str:
        if self.behind is not None and not self.behind.search(
            match.string, max(0, match.start() - _BEHIND), match.start()
        ):
            return match[0]
        before = match[1]
        value = match["secret"]
        after = match[0][match.end("secret") - match.start() :]
        if self.each is not None:
            return before + self.each.sub(self._part, value) + after
        if self.fits(value):
            return before + _marked(value) + after
        return match[0]

    def _part(self, match: re.Match[str]) -> str:
        if self.fits(match["secret"]):
            return match[1] + SECRET
        return match[0]


def _starts_before(text: str, starts: Iterable[int]) -> Iterator[int]:
    """Those with a sign not far behind them; no character of the text is read twice."""
    found = -1
    for start in starts:
        if found < start:
            match = _SIGN.search(text, start)
            found = match.start() if match else len(text) + _SENTENCE
        if found - start < _SENTENCE:
            yield start


def _marked(secret: str) -> str:
    """As many lines as the secret has."""
    return SECRET + "".join(end + SECRET for end in _END_OF_LINE.findall(secret))


def _columns_out(text: str, nouns: Iterable[int]) -> str:
    """The text without the secrets of tables (with bars, commas or tabs) in a column that is called
    one.
    """
    done: dict[tuple[str, int, int], int] = {}
    found = sorted({span for noun in nouns for span in _column(text, noun, done)})
    parts = []
    last = 0
    for start, end in found:
        parts += [text[last:start], SECRET]
        last = end
    return "".join([*parts, text[last:]])


def _column(
    text: str, noun: int, done: dict[tuple[str, int, int], int]
) -> Iterator[tuple[int, int]]:
    """Where the secrets below a heading, if the noun is in one, begin and end.

    `done`: up to where a column of a table has been read, by its sign, its number and the signs in
    a row; a row may look like a heading too.
    """
    if not _HEAD_END.match(text, noun):
        return
    begin = _HEAD_BEGIN.search(text, max(0, noun - _BEHIND), noun)
    if begin is None:
        return
    sign = begin["sign"]
    fits = _is_spoken_password if text[noun] in "pP" else _is_typed_secret
    first = max(0, noun - _WIDE)
    first = max(first, text.rfind("\n", first, noun))
    column = _LINES.split(text[first:noun])[-1].count(sign)
    end, start = _line_end(text, noun)
    width = column + text.count(sign, noun, end)
    key = (sign, column, width)
    if noun < done.get(key, 0):
        return
    while start < len(text):
        end, following = _line_end(text, start)
        cells = text[start:end].split(sign)
        is_rule = _RULE.fullmatch(text, start, end)
        if len(cells) != width + 1 and not is_rule:
            break
        value = "" if is_rule else cells[column].strip(" \"'`\\")
        if value and fits(value):
            place = text.index(value, start + len(sign.join(["", *cells[:column]])))
            yield place, place + len(value)
        start = following
    done[key] = start


def _line_end(text: str, start: int) -> tuple[int, int]:
    """Where a line ends, and where the next one begins."""
    end = _LINES.search(text, start, start + _WIDE)
    if end:
        return end.span()
    return (start + _WIDE, start + _WIDE)


def _occurrences(places: Mapping[str, list[int]], words: Set[str]) -> list[int]:
    return sorted({place for word in places.keys() & words for place in places[word]})


def _words_of(text: str) -> _Words:
    small = _small(text)
    places = _finder()(small)
    nouns = _occurrences(places, _NOUNS)
    return _Words(small, places, nouns)


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "key": _is_key,
    "password": _is_password,
    "bare_password": _is_bare_password,
    "set_password": _is_set_password,
    "set_key": _is_set_key,
    "spoken_password": _is_spoken_password,
    "spoken_key": _is_spoken_key,
    "scrambled": _is_scrambled,
    "strong": _is_strong,
    "phrase": _is_phrase,
    "user_and_password": _is_user_and_password,
    "random": _is_random,
    "opaque": _is_opaque,
    "argument": lambda value: value[0] not in "-$/",
    "typed_secret": _is_typed_secret,
    "typed": lambda value: "://" not in value and not _NUMBER.fullmatch(value),
}


def _place(rule: Texts) -> _Place:
    pattern = rule["pattern"]
    nouns = rule.get("nouns")
    words = frozenset(
        _beginnings(_RULES["parts"][nouns]) if nouns else _filled_in(rule["words"]).split()
    )
    return _Place(
        words,
        _expanded(pattern),
        _CHECKS[rule["fits"]] if "fits" in rule else bool,
        at_word=pattern.startswith(_AT_WORD),
        begins=frozenset(rule["begins"].split(", ")) if "begins" in rule else words,
        lead=_compile(rule, "lead", r"\Z"),
        behind=_compile(rule, "behind", r"\Z"),
        each=_compile(rule, "each"),
    )


def _compile(rule: Texts, name: str, end: str = "") -> re.Pattern[str] | None:
    if name not in rule:
        return None
    return _ignoring_case(f"(?:{_expanded(rule[name])}){end}")


@cache
def _ignoring_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _beginnings(nouns: str) -> set[str]:
    """How nouns begin in text in small letters; those with characters beside ASCII also as JSON
    escapes the first of these.
    """
    words = {word.partition(" ")[0] for word in nouns.split("|")}
    escaped = {
        word[:at] + "\\" * depth + f"u{ord(case):04x}"
        for word in words
        for at in [next((n for n, character in enumerate(word) if not character.isascii()), None)]
        if at is not None
        for case in {word[at], word[at].upper()}
        for depth in ((1, 2, 4, 8) if at else (1,))
    }
    return words | escaped


_AT_WORD = ("({PASS}", "({KEY}", "({NAME}")
_NAMING = frozenset(_filled_in("{WORDS}").split())
_KEYS = _RULES["parts"]["KEYS"].split("|")
_NOUNS = _NAMING - {"key"} | {f"{key}{sign}key" for key in _KEYS for sign in ("", " ", "_", "-")}
_BEHIND = 64  # characters before a word that are looked at
_LEAD = 160  # the same of those with which a pattern begins
_KEY_WORDS = frozenset(_RULES["key_words"].split())
_NO_SECRETS = frozenset(_RULES["no_secrets"].split())
_NEAR = 12  # characters between a name and its value
# not the sum of a Go module
_GIVEN = re.compile(
    _expanded(
        r"(?<!\bh1)[>=:,(](?=\s{0,3}(?:{Q})?(?P<secret>\w[\w+/=.~-]{15,1000}+)(?!\(|{Q}\s?:))"
    )
)
# in reading backwards, which finds where a name begins at once
_NAME_BEFORE = re.compile(r"(?:>=|=:|[=:,(>])\s{0,3}\]?(?:[\"'`]\\*)?([\w .@-]{2,60}[A-Za-z])")
# the heading of a column, from the noun on and up to it
_HEAD_END = re.compile(
    _expanded(r"{NAME}\w{0,9}(?:{Q})? {0,40}(?:[|,;\t\n]|\\+[nt]|\Z)"), re.IGNORECASE
)
_HEAD_BEGIN = re.compile(_expanded(r"(?P<sign>[|,;\t]|\\+t) {0,40}(?:{Q})?\w{0,20}\Z"))
_WORD = re.compile("[A-Z]?[a-z0-9]+|[A-Z]+")
_PLACES = tuple(map(_place, _RULES["places"]))


_searched: set[int] = set()  # lines, each with the one before it, in which no secret was found


def secrets_out(text: str) -> str:
    """The text with every secret found replaced by a mark."""
    clean = _remembered(text) if len(text) <= _SHORT else _secrets_out(text)
    if clean == text:
        if len(_searched) > 300_000:
            _searched.clear()
        _searched.update(_keyed_lines(text)[1])
    return clean


def _keyed_lines(text: str) -> tuple[list[str], list[int]]:
    """The lines that are not blank, and what each is remembered by: it and the one before."""
    lines = list(filter(str.strip, text.split("\n")))
    return lines, list(map(hash, zip(["", *lines], lines, strict=False)))


def secrets_in(text: str) -> Iterator[str]:
    """The secrets found in a text, in parts that lie in one line.

    Lines searched before, after the same line, are passed over.
    """
    lines, keys = _keyed_lines(text)
    # lines of a key that were shown without its begin looked like no secret
    if any(word in text for word in _BLOCK_WORDS):
        _searched.difference_update(keys)
    parts = [""]
    last = -1
    for number in [number for number, key in enumerate(keys) if key not in _searched]:
        parts += lines[max(0, number - (last < number - 1)) : number + 1]
        last = number
    return (secret for secret in _left_out("\n".join(parts)) if secret not in ("", SECRET))


def known_secrets(text: str) -> Iterator[str]:
    """The secrets of a text that no word can be: each is one wherever it stands."""
    return (secret for secret in _left_out(text) if len(secret) >= _KNOWN and _has_digit(secret))


def _left_out(text: str) -> Iterator[str]:
    """What marks stand for in the text without secrets, line by line."""
    for line, clean in zip(text.split("\n"), secrets_out(text).split("\n"), strict=False):
        if line != clean:
            first, *parts, last = re.split(rf"(?:{re.escape(SECRET)})+", clean)
            start = len(first)
            for part in parts:
                end = line.find(part, start + 1)
                yield line[start:end]
                start = end + len(part)
            yield line[start : len(line) - len(last)]


def _secrets_out(text: str) -> str:
    if any(word in text for word in _BLOCK_WORDS):
        # What only names a block, as code that looks for one does, stays.
        text = _BLOCK.sub(
            lambda match: _marked(match[0]) if _KEY_TEXT.search(match[0]) else match[0], text
        )
    runs = list(_RUNS.finditer(text))
    # hardly ever: finding alone is far faster than replacing
    if any(_tokens_out(run) != run for run in {run[0] for run in runs}):
        text = _RUNS.sub(lambda run: _tokens_out(run[0]), text)
        runs = list(_RUNS.finditer(text))
    randoms = (run for run in runs if _has_random(run[0]))
    keys = {key for run in randoms for key in _keys_beside_names(text, run)}
    for key in sorted(keys, key=len, reverse=True):  # one may be the beginning of another
        text = text.replace(key, SECRET)
    words = _words_of(text)
    if not words.places:
        return text
    for place in _PLACES:
        if not words.places.keys().isdisjoint(place.words):
            marked = place.mark(text, words)
            if marked != text:
                text = marked
                words = _words_of(text)
    text = _columns_out(text, words.nouns)
    return text


def _keys_beside_names(text: str, run: re.Match[str]) -> Iterable[str]:
    """Values of a run of characters that stand beside a name of a key."""
    for given in _GIVEN.finditer(text, max(0, run.start() - _NEAR), run.end() + _NEAR):
        value = given["secret"]
        name = _NAME_BEFORE.match(text[max(0, given.start() - _BEHIND) : given.start() + 1][::-1])
        if (
            name is not None
            and _names_key(name[1][::-1], value)
            and _has_random(value)
            and not _PLACEHOLDER.search(value)
        ):
            yield value


@lru_cache(_REMEMBERED)
def _names_key(name: str, value: str) -> bool:
    """Whether the last word says that it is a key, or none that it is something else that looks
    so.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if words[-2:] == ["secret", "id"]:
        return True
    if not _NO_SECRETS.isdisjoint(words[-3:]):
        return False
    if words[-1] in _KEY_WORDS:
        if len(words) > 1:
            return True
        value = _BASE64_SIGN.sub("", value)
    return _MIXED_KEY.fullmatch(value) is not None


@cache
def _finder() -> Callable[[str], dict[str, list[int]]]:
    """Finds words of which a text in small letters must have one to hold a secret, apart from
    tokens and blocks of keys, and those with which a pattern begins.
    """
    kinds = (words for place in _PLACES for words in (place.words, place.begins))
    return word_finder(chain(_NOUNS, *kinds))


def _small(text: str) -> str:
    """In small letters, as many characters as the text has: of all letters only one becomes two."""
    return text.replace("\u0130", "I").lower()


_has_random = lru_cache(_REMEMBERED)(_is_opaque)


@lru_cache(_REMEMBERED)
def _tokens_out(run: str) -> str:
    if len(run) >= _LEAST:
        return _TOKENS.sub(SECRET, run)
    return run


_remembered = lru_cache(_REMEMBERED)(_secrets_out)
