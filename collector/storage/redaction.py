"""The adapter for detect-secrets: keys, tokens and passwords in text, replaced by a mark.

Three searches: texts whose form says what they are (`tokens`, and the library's own detectors),
values that stand where a secret belongs (`places`: an assignment, a header, an option of a command,
an address, a sentence that says what the password is), and blocks of private keys, of which every
line is replaced. `secrets.toml` beside this file has the patterns; here is what decides whether a
value is a secret. Each search is made only in a text that has one of its words, and many only where
such a word begins, which is what makes it fast. The library's entropy detectors are left out: they
take words for secrets. Nothing is sent anywhere, and nothing is verified with a provider.
"""

import base64
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from collector.json_values import Row, Texts
from collector.text import SECRET, word_finder

_KNOWN = 8  # characters of a secret that is one without what was said of it
_SHORTEST = 16  # characters of what the library finds; it is replaced wherever it occurs

# A block of a private key: the library finds its first line only. With headers, without an end, or
# in base64 as a whole.
_BLOCK = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"(?:(?:(?!----)[^\0]){1,20000}-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"|(?:[\s\"'+,\\]|\\[nr])*[A-Za-z0-9+/=]{32}[A-Za-z0-9+/=\s\\]*)"  # without an end
    r"|Private-Lines:"
    r" \d+(?:\s|\\+[nr])+(?:[A-Za-z0-9+/=]{20,80}(?:\s|\\+[nr])*){1,99}(?:Private-MAC: \w+)?"
    r"|LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)(?:[A-Za-z0-9+/=]{20,}(?:\s|\\+[nr])*){2,999}"
)
_BLOCK_WORDS = ("PRIVATE KEY", "Private-Lines", "LS0tLS1CRUdJTi")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/=]{20}|(?:\n|\\n)\s*[A-Za-z0-9+/=]{4,}\s*(?:\n|\\+n)")
_LINES = re.compile(r"(\n|\\+n)")
_RULE = re.compile(r"[-+|: ]{3,}")  # between a table's head and its rows
_END_OF_LINE = re.compile(r"\n|\\+r\\+n|\\+n")

_RULES: Row = tomllib.loads(Path(__file__).with_name("secrets.toml").read_text("utf-8"))
_PART = re.compile(r"\{([A-Z_]+)\}")


def _expanded(pattern: str) -> str:
    """With the parts that it names, and each character beside ASCII also as JSON escapes it."""
    while (longer := _PART.sub(lambda name: _RULES["parts"][name[1]], pattern)) != pattern:
        pattern = longer
    return "".join(map(_character, pattern))


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
# What a token may be a part of. That of one service has a space: texts with it are read by the
# second.
_RUNS = re.compile(rf"(?<![A-Za-z\d])[A-Za-z\d][\w.~=+/,:%-]{{{_LEAST - 1},}}")
_SPACED_RUNS = re.compile(r"(?<![A-Za-z\d])[A-Za-z\d][\w.~=+/,:%-]*(?: fm\d_[\w+/=,-]+)?")
# runs of characters and short texts: the same paths and names come again and again
_REMEMBERED = 1 << 16
_SHORT = 300  # characters of a text worth remembering


_NAMES = re.compile(_expanded("{PASS}|{KEY}"))
# with what a value may follow
_NAMED = re.compile(
    _expanded(r"(?:{PASS}|{KEY})\w{0,30}(?:\**\s{0,40}(?:[:=|?\[{]|or\b|is:)|[>\])]|{Q})")
)
# what of `KEY` stands before "key"
_KEY_BEGINS = re.compile(_expanded(r"(?=((?:{KEYS})[ _-]?)\Z)"))

# Values that only look like a secret: names of things, calls, placeholders, sentences.
_PLACEHOLDER = re.compile(
    r"^/|\$\{|\{\{|<[\w"
    r" -]+>|\.\.\.|…|xxxx|\*\*\*|process\.env|os\.environ|getenv|import\.meta|secrets?\.|your[-_"
    r" ]|change[-_ ]?me"
    r"|example|placeholder|dummy|redacted|\[secret|fake|mock|sample|https?://|^env\(|^\$\w+$|^%\w+%$",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[@./~:_-]*(?:(?:[A-Z][a-z]*|[a-z]+)[-_]?\d{0,5}(?:[-_./: ,\\@]+|(?=[A-Z])|$))+[.!?:)*]*"
)
_NUMBER = re.compile(r"[\^~<>=v]{0,3}[\d.,:_/-]+(?:-(?:alpha|beta|rc|dev|next)[\d.]*)?")
# of names in code
_PATH = re.compile(r"[A-Za-z_$][\w$]{0,30}(?:(?:::|\.|->)[A-Za-z_$][\w$]{0,40})+[:.(*?!]*")
_PATH_SIGN = re.compile(r"::|\.|->")
_ID = re.compile(r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}", re.IGNORECASE)
_PLAIN = re.compile("[A-Za-z0-9]+")
_HEX = re.compile("[a-f0-9]{32,}|[A-F0-9]{32,}")
_WORD_OR_NUMBER = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MIXED = re.compile(r"\d[A-Za-z]\w*\d[A-Za-z]")  # digits between letters, again and again: no name
_TYPES = re.compile(
    r"string|text|number|boolean|object|required|optional|unknown|undefined|hidden|invalid|missing|correct|wrong"
    r"|search|email|value|message|username|check\w+",
    re.IGNORECASE,
)
_NAMES_SECRETS = re.compile(_NAMES.pattern + "|label|field|input|error", re.IGNORECASE)


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
    if _is_random(value) or (len(value) >= _LEAST and _MIXED.search(value) and not _is_path(value)):
        return True
    return not any(form.fullmatch(value) for form in (_NAME, _NUMBER)) and not _is_path(value)


def _is_path(value: str) -> bool:
    """Names in code that follow each other, none of which is a jumble of letters and digits."""
    return _PATH.fullmatch(value) is not None and not any(map(_is_jumble, _PATH_SIGN.split(value)))


def _is_jumble(name: str) -> bool:
    return (
        len(name) >= 6
        and _has_digit(name)
        and not name.islower()
        and len(name) < 2.7 * len(_WORD_OR_NUMBER.findall(name))
    )


def _is_random(value: str) -> bool:
    """Whether a part of a value is long hex, or has letters, digits and both cases that change
    as they do in no name.
    """
    longest = max(_PLAIN.findall(value), key=len, default="")
    if len(longest) < _LEAST or not _has_digit(longest) or longest.isdecimal():
        return False
    return (
        len(longest) < 3.2 * len(_WORD_OR_NUMBER.findall(longest))
        or _HEX.fullmatch(longest) is not None
    )


def _is_password(value: str) -> bool:
    """The same of what is called a password and stands in quotes: a word may be one, but not a
    sentence or the name of a field.
    """
    if _PLACEHOLDER.search(value) or _NAMES_SECRETS.search(value) or _TYPES.fullmatch(value):
        return False
    return (
        not _has_blank(value)
        and len(set(value)) > 3
        and max(value) < "\u3000"
        and not _is_path(value)
    )


def _is_bare_password(value: str) -> bool:
    """The same without quotes, where it may be anything in code."""
    return _is_password(value) and _has_digit(value) and not _NUMBER.fullmatch(value)


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
    r"(?:\w+-)?(?:argon2|b?crypt|pbkdf2|sha|md5|base64|oauth|2fa|mfa|utf|aes|rsa|ed25519|http|ipv|v\d|ntlm|saml|oidc|rfc|rs256|hs256"
    r"|tls|web|test_|step|phase|level|page|line|item|section|part|week|day|q\d|h\d|p\d|k8s|s3|ec2|i18n)[\w.+/-]*"
    r"|\d+(?:[-–.x]\w{0,12}|[a-z]{1,3}|\+)?(?:-[a-z-]+)?|[A-Z]{1,5}-\d+|#\w+|\w+[/=]\S+|[@-]\S+|[\w-]+\.[a-z]{2,5}",
    re.IGNORECASE,
)


_SPOKEN_SIGN = re.compile(r"[\d!@#$%^&*+?~]")
_SENTENCE = 900  # characters from a noun to the end of what it is said to be, escaped


def _is_spoken_password(value: str) -> bool:
    """A password in a sentence: letters and digits, or a sign between letters, as words do not
    have.
    """
    if not _is_password(value) or any(form.fullmatch(value) for form in (_TECHNICAL, _NUMBER)):
        return False
    letters = sum(character.isalpha() for character in value)
    return letters > 1 and (_has_digit(value) or bool(re.search(r"\w[!@#$%^&*+?~]\w", value)))


def _is_typed_secret(value: str) -> bool:
    """A password or a key where nothing but its place says so: with digits, and no technical
    name.
    """
    return (_is_key(value) and len(value) >= _LEAST) or (
        (_is_key(value) or _is_strong(value)) and not _TECHNICAL.fullmatch(value)
    )


def _is_strong(value: str) -> bool:
    """A password that shows without being called one."""
    return (
        _is_spoken_password(value)
        and _has_digit(value)
        and bool(re.search(r"[!@#$%^&*+?~]", value))
    )


def _is_spoken_key(value: str) -> bool:
    """A key in a sentence."""
    return (
        len(value) >= _LEAST
        and _is_key(value)
        and bool(_MIXED.search(value))
        and "/" not in value
        and not _ID.fullmatch(value)
    )


def _is_phrase(value: str) -> bool:
    """The words of a wallet, of which no list has articles or pronouns."""
    words = re.findall("[a-z]+", value)
    return len(set(words)) > 5 and not {
        "the",
        "and",
        "for",
        "are",
        "was",
        "not",
        "but",
        "with",
        "from",
        "which",
    } & set(words)


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


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a secret stands: after group 1 of the pattern, as the group `secret`."""

    words: frozenset[str]  # one of them, in small letters, is in every text that the pattern fits
    pattern: re.Pattern[str]
    # decides whether the value is a secret; None: it always is
    fits: Callable[[str], bool] | None = None
    at_word: bool = False  # the pattern begins with `PASS` or `KEY`
    at_begins: bool = False  # it begins with one of `words`
    behind: re.Pattern[str] | None = None  # what must stand before it
    # the value has several secrets: the group `secret` of each match of this
    each: re.Pattern[str] | None = None

    def mark(
        self, text: str, small: str = "", words: Set[str] = frozenset(), starts: Sequence[int] = ()
    ) -> str:
        """The text without what the place holds.

        `small`: it in small letters; `words`: those of all places in it; `starts`: where `PASS` and
        `KEY` may begin.
        """
        if not small or not (self.at_word or self.at_begins):
            return self.pattern.sub(self._replacement, text)
        if self.at_begins:
            starts = _occurrences(small, words & self.words)
        if self.fits in (_is_spoken_password, _is_spoken_key):  # no other has one of these
            starts = [n for n in starts if _SPOKEN_SIGN.search(text, n, n + _SENTENCE)]
        parts, end = [], 0
        for start in starts:  # as `sub`, which tries every character
            if start >= end and (match := self.pattern.match(text, start)) is not None:
                parts += [text[end:start], self._replacement(match)]
                end = match.end()
        return "".join([*parts, text[end:]]) if parts else text

    def _replacement(self, match: re.Match[str]) -> str:
        if self.behind is not None and not self.behind.search(
            match.string, max(0, match.start() - _BEHIND), match.start()
        ):
            return match[0]
        before, value, after = (
            match[1],
            match["secret"],
            match[0][match.end("secret") - match.start() :],
        )
        if self.each is not None:
            return before + self.each.sub(self._part, value) + after
        return (
            match[0]
            if self.fits is not None and not self.fits(value)
            else before + _marked(value) + after
        )

    def _part(self, match: re.Match[str]) -> str:
        return (
            match[0]
            if self.fits is not None and not self.fits(match["secret"])
            else match[1] + SECRET
        )


def _marked(secret: str) -> str:
    """As many lines as the secret has."""
    ends = _END_OF_LINE.findall(secret) if "\n" in secret or "\\" in secret else []
    return SECRET + "".join(end + SECRET for end in ends)


def _columns_out(text: str) -> str:
    """The text without the secrets of tables (with bars, commas or tabs) in a column that is called
    one.
    """
    parts = _LINES.split(text)  # lines, and the ends of lines between them
    for number in range(0, len(parts), 2):
        for heading in _HEADING.finditer(parts[number]):
            sign = heading["sign"]
            column, width = parts[number].count(sign, 0, heading.end()), parts[number].count(sign)
            for row in range(number + 2, len(parts), 2):
                cells = parts[row].split(sign)
                if len(cells) != width + 1 and not _RULE.fullmatch(parts[row]):
                    break
                value = cells[min(column, len(cells) - 1)].strip(" \"'`\\")
                if _is_typed_secret(value):
                    cells[column] = cells[column].replace(value, SECRET)
                    parts[row] = sign.join(cells)
    return "".join(parts)


def _occurrences(small: str, words: Iterable[str]) -> list[int]:
    places = []
    for word in words:
        start = small.find(word)
        while start >= 0:
            places.append(start)
            start = small.find(word, start + 1)
    return sorted(places)


def _starts(small: str, words: Set[str]) -> list[int]:
    """Where `PASS` and `KEY` may begin."""
    places = _occurrences(
        small, words & {"pass", "pwd", "secret", "token", "credential", "webhook"}
    )
    for place in _occurrences(small, words & {"key"}):
        before = _KEY_BEGINS.search(small, max(0, place - 12), place)
        if before is not None:
            places.append(before.start())
    return [place for place in sorted(places) if _NAMED.match(small, place)]


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "key": _is_key,
    "password": _is_password,
    "bare_password": _is_bare_password,
    "set_password": _is_set_password,
    "set_key": _is_set_key,
    "spoken_password": _is_spoken_password,
    "spoken_key": _is_spoken_key,
    "strong": _is_strong,
    "phrase": _is_phrase,
    "user_and_password": _is_user_and_password,
    "random": _is_random,
    "argument": lambda value: value[0] not in "-$/",
    "typed_secret": _is_typed_secret,
    "typed": lambda value: value != "y" and not _NUMBER.fullmatch(value),
}


def _place(rule: Texts) -> _Place:
    pattern, start, nouns = rule["pattern"], rule.get("start"), rule.get("nouns")
    words = (
        _beginnings(_RULES["parts"][nouns])
        if nouns
        else _PART.sub(lambda name: _RULES["parts"][name[1]], rule["words"]).split()
    )
    return _Place(
        frozenset(words),
        re.compile(_expanded(pattern), re.IGNORECASE),
        _CHECKS[rule["fits"]] if "fits" in rule else None,
        at_word=start == "noun" or pattern.startswith(("({PASS}", "({KEY}", "({NAME}")),
        at_begins=start == "word" or nouns is not None,
        behind=(
            re.compile(rf"(?:{_expanded(rule['behind'])})\Z", re.IGNORECASE)
            if "behind" in rule
            else None
        ),
        each=re.compile(_expanded(rule["each"]), re.IGNORECASE) if "each" in rule else None,
    )


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


_NAMING = frozenset(_RULES["parts"]["WORDS"].split())
_BEHIND = 64  # characters before a word that are looked at
_SERVICES = frozenset(_RULES["services"].split())
_GIVEN = re.compile(
    _expanded(
        r"([A-Za-z][\w .@-]{2,60}?(?:{Q})?\]?\s{0,3}(?:=>|:=|[=:,(])\s{0,3}(?:{Q})?)"
        r"(?P<secret>\w[\w+/=.~-]{15,150})"
    )
)
# in each of these, and found fifty times as fast
_GIVEN_END = re.compile(_expanded(r"[>=:,(]\s{0,3}(?:{Q})?\w[\w+/=.~-]{15}"))
_HEADING = re.compile(
    _expanded(
        r"(?P<sign>[|,;\t]) {0,40}(?:{Q})?\w{0,20}{NAME}\w{0,9}(?:{Q})? {0,40}(?=[|,;\t]|\Z)"
    ),
    re.IGNORECASE,
)
# the same in a text of many lines
_TABLE = re.compile(_HEADING.pattern.replace(r"\Z", r"\n|\\+n"), re.IGNORECASE)
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
    parts, last = [""], -1
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
    pattern = _SPACED_RUNS if " fm" in text else _RUNS
    runs = set(pattern.findall(text))
    # hardly ever: finding alone is far faster than replacing
    if any(_tokens_out(run) != run for run in runs):
        text = pattern.sub(lambda run: _tokens_out(run[0]), text)
    for key in {key for run in runs if _has_random(run) for key in _keys_of_services(text, run)}:
        text = text.replace(key, SECRET)
    small = _small(text)
    words = _words()(small)
    if not words:
        return text
    starts = _starts(small, words)
    for place in _PLACES:
        if not words.isdisjoint(place.words) and (starts or not place.at_word):
            marked = place.mark(text, small, words, starts)
            if marked != text:
                text = marked
                small = _small(text)
                starts = _starts(small, words)
    if not words.isdisjoint(_NAMING) and _TABLE.search(text):
        text = _columns_out(text)
    for needed, find in _detectors().items():
        if not words.isdisjoint(needed):
            for secret in find(text):
                text = text.replace(secret, SECRET)
    return text


def _keys_of_services(text: str, run: str) -> Iterable[str]:
    """Values of a run of characters that stand beside the name of a service."""
    for start in _occurrences(text, (run,)):
        first, end = max(0, start - _BEHIND), start + len(run)
        for match in (
            _GIVEN.finditer(text, first, end) if _GIVEN_END.search(text, first, end) else ()
        ):
            if (
                _is_random(match["secret"])
                and not _PLACEHOLDER.search(match["secret"])
                and _names_service(match[1])
            ):
                yield match["secret"]


@lru_cache(_REMEMBERED)
def _names_service(name: str) -> bool:
    words = [word.lower() for word in _WORD.findall(name)]
    words += [before + after for before, after in pairwise(words)]
    return any(
        word[:end] in _SERVICES for word in words for end in {len(word), *range(6, len(word))}
    )


@cache
def _words() -> Callable[[str], set[str]]:
    """Finds words of which a text in small letters must have one to hold a secret, apart from
    tokens and blocks of keys.
    """
    return word_finder(
        word for words in (*(place.words for place in _PLACES), *_detectors()) for word in words
    )


def _small(text: str) -> str:
    """In small letters, as many characters as the text has: of all letters only one becomes two."""
    return text.replace("\u0130", "I").lower()


_has_random = lru_cache(_REMEMBERED)(_is_random)


@lru_cache(_REMEMBERED)
def _tokens_out(run: str) -> str:
    return _TOKENS.sub(SECRET, run) if len(run) >= _LEAST else run


_remembered = lru_cache(_REMEMBERED)(_secrets_out)


# Detectors of the library -> words of which a text that they fit has one. Left out are those whose
# kinds are found above.
_LIBRARY = {
    "ArtifactoryDetector": "artifactory jfrog",
    "AWSKeyDetector": "aws",
    "AzureStorageKeyDetector": "accountkey",
    "CloudantDetector": "cloudant",
    "DiscordBotTokenDetector": "discord",
    "IbmCloudIamDetector": "ibm",
    "IbmCosHmacDetector": "cos_ cos-",
    "MailchimpDetector": "-us",
    "SlackDetector": "xox hooks.slack.com",
    "SoftlayerDetector": "softlayer sl_",
    "SquareOAuthDetector": "sq0csp",
    "StripeDetector": "_live_",
    "TelegramBotTokenDetector": ":aa",
    "TwilioKeyDetector": "twilio",
}


@cache
def _detectors() -> dict[frozenset[str], Callable[[str], set[str]]]:
    """Words of which a text that a detector of the library fits has one -> what it finds."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    kinds = {kind.__name__: kind for kind in get_mapping_from_secret_type_to_class().values()}
    return {
        frozenset(words.split()): _finder(kinds[name]())
        for name, words in _LIBRARY.items()
        if name in kinds
    }


def _finder(plugin: Any) -> Callable[[str], set[str]]:
    return lambda text: {
        secret
        for secret in plugin.analyze_string(text)
        if isinstance(secret, str) and len(secret) >= _SHORTEST
    }
