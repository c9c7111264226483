"""The adapter for detect-secrets: keys, tokens and passwords in text, replaced by a mark.

Three searches: texts whose form says what they are (`_SHAPES`, and the library's own detectors), values that stand where a secret
belongs (`_PLACES`: an assignment, a header, an option, an address), and blocks of private keys. Each is made only in a text that
has one of its words, which is what makes it fast.
Text may be JSON inside JSON: a quote may have backslashes in front. The library's entropy detectors are left out: they take words
for secrets. Nothing is sent anywhere, and nothing is verified with a provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

MARK = "[secret]"
_SHORTEST = 16  # characters of what the library finds; it is replaced wherever it occurs
_Q = r"\\*[\"'`]"  # a quote, at any depth of JSON

# A block of a private key: the library finds its first line only.
_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]{1,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[\s\"'+,\\]|\\[nr])*[A-Za-z0-9+/=]{32}[A-Za-z0-9+/=\s\\]*)"  # without an end
)

# How tokens of services begin, and what follows.
_SHAPES = (
    r"gh[pousr]_[A-Za-z0-9]{30,255}", r"github_pat_\w{30,255}", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\w.-]{20,255}",
    r"ATBB[A-Za-z0-9]{24,64}", r"ATATT3[\w=-]{40,255}", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", r"AIza[\w-]{35}",
    r"GOCSPX-[\w-]{20,64}", r"ya29\.[\w-]{20,1000}", r"1//0[\w-]{30,200}", r"sk-ant-[\w-]{20,255}",
    r"sk-(?:proj|svcacct|admin|or-v1|lf)-[\w-]{20,255}", r"sk-[A-Za-z0-9]{32,64}", r"gsk_[A-Za-z0-9]{40,64}",
    r"xai-[A-Za-z0-9]{40,100}", r"pplx-[A-Za-z0-9]{32,64}", r"r8_[A-Za-z0-9]{30,50}", r"hf_[A-Za-z0-9]{30,60}",
    r"tvly-[\w-]{20,60}", r"xox[abeoprs]-[A-Za-z0-9-]{10,255}", r"xapp-\d-[A-Za-z0-9-]{20,255}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}", r"whsec_[A-Za-z0-9+/=]{24,100}", r"npm_[A-Za-z0-9]{36}",
    r"pypi-[\w-]{50,255}", r"dckr_(?:pat|oat)_[\w-]{20,64}", r"rubygems_[a-f0-9]{40,64}", r"cio[A-Za-z0-9]{32}",
    r"AKC[A-Za-z0-9]{10,100}", r"SG\.[\w-]{16,32}\.[\w-]{30,64}", r"key-[a-f0-9]{32}", r"[a-f0-9]{32}-us\d{1,2}",
    r"(?:SK|AC)[a-f0-9]{32}", r"EAAA[\w-]{50,100}", r"sq0(?:atp|csp|idp)-[\w-]{22,64}", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}", r"do[opr]_v1_[a-f0-9]{64}", r"dapi[a-f0-9]{32}(?:-\d)?",
    r"NR(?:AK|JS|II|RA)-[\w-]{16,64}", r"sntry[su]_[\w+/=-]{40,500}", r"hv[sbr]\.[\w-]{20,255}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{50,100}", r"pul-[a-f0-9]{40}", r"pscale_(?:pw|tkn|oauth)_[\w.-]{30,64}",
    r"gl(?:sa|c)_[\w+/=-]{30,255}", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    r"lin_api_[A-Za-z0-9]{32,64}", r"ntn_[A-Za-z0-9]{40,60}", r"secret_[A-Za-z0-9]{43}", r"fig[dou]_[\w-]{36,64}",
    r"sb[ps]_(?:secret_)?[\w-]{30,64}", r"FlyV1 fm\d_[\w+/=,-]{50,2000}", r"ops_ey[\w-]{100,2000}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,64}", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    r"(?:eyJ|ewog)[\w-]{10,4000}\.(?:eyJ|ewog)[\w-]{10,8000}\.[\w-]{10,2000}", r"[A-Za-z0-9]{3}8Q~[\w~.-]{31,34}",
    r"ddp?_[A-Za-z0-9]{32,64}", r"key_[a-f0-9]{64}", r"vc[pk]_[A-Za-z0-9]{24,64}",
)  # fmt: skip
_TOKENS = re.compile(rf"(?:{'|'.join(_SHAPES)})(?![A-Za-z0-9_])")
_LEAST = 16  # characters of a token
# What a token may be a part of. That of one service has a space: texts with it are read by the second.
_RUNS = re.compile(rf"(?<![\w.~=+-])[A-Za-z\d][\w.~=+/,:-]{{{_LEAST - 1},}}")
_SPACED_RUNS = re.compile(r"(?<![\w.~=+-])[A-Za-z\d][\w.~=+/,:-]*(?: fm\d_[\w+/=,-]+)?")
_REMEMBERED = 1 << 16  # runs of characters and short texts: the same paths and names come again and again
_SHORT = 300  # characters of a text worth remembering

# Words that say that a value is secret.
_PASS = r"(?:passw(?:or)?d|passphrase|passcode|pwd)"
_KEY = (
    r"(?:pass(?![a-z])|secret|token(?!i[sz])|api[_-]?key|access[_-]?key|auth[_-]?key|account[_-]?key|private[_-]?key"
    r"|signing[_-]?key|encryption[_-]?key|role[_-]?key|credentials?|webhook[_-]?url)"
    r"(?!\w{0,30}(?:hash|sha\d|digest|fingerprint|checksum))"
)
_WORDS = "pass pwd secret token key credential webhook"
# Where `_PASS` and `_KEY` can begin, in text in small letters.
_STARTS = re.compile(r"(?=pass|pwd|secret|token|api|access|auth|account|private|signing|encryption|role|credential|webhook)")
_BARE = r"[^\s\"'`\\$<>{}()|&;,\[\]]"  # a character of a value without quotes
_VALUE = rf"\s{{0,3}}(?P<quote>{_Q}))(?P<secret>[^\"'`\\\n]{{6,400}})(?P=quote)"
_QUOTED = rf"\w{{0,30}}(?:{_Q})?\s{{0,3}}(?::=|=>|:|={{1,2}}){_VALUE}"

# Values that only look like a secret: names of things, calls, placeholders, sentences.
_PLACEHOLDER = re.compile(
    r"^/|\$\{|\{\{|<[\w -]+>|\.\.\.|…|xxxx|\*\*\*|process\.env|os\.environ|getenv|import\.meta|secrets?\.|your[-_ ]|change[-_ ]?me"
    r"|example|placeholder|dummy|redacted|\[secret|fake|mock|sample|https?://",
    re.IGNORECASE,
)
_NAME = re.compile(r"[@./~:_-]*(?:(?:[A-Z][a-z]*|[a-z]+)[-_]?\d{0,5}(?:[-_./: ,\\@]+|(?=[A-Z])|$))+[.!?:)*]*")
_NUMBER = re.compile(r"[\d.,:_/-]+")
_PATH = re.compile(r"[A-Za-z_$][\w$]{0,30}(?:(?:::|\.|->)[A-Za-z_$][\w$]{0,40})+[:.(*]*")  # of names in code
_TYPES = re.compile(
    r"string|text|number|boolean|object|required|optional|unknown|undefined|hidden|invalid|missing|correct|wrong", re.IGNORECASE
)
_NAMES_SECRETS = re.compile(rf"{_PASS}|{_KEY}|label|field|input|error", re.IGNORECASE)


def _is_key(value: str) -> bool:
    """Whether an assigned value can be a key, and is not a name, a number, a sentence or a placeholder."""
    if _PLACEHOLDER.search(value) or len(set(value)) < 4 or not _has_digit(value):
        return False
    return not any(character.isspace() for character in value) and not any(
        form.fullmatch(value) for form in (_NAME, _NUMBER, _PATH)
    )


def _is_password(value: str) -> bool:
    """The same of what is called a password and stands in quotes: a word may be one, but not a sentence or the name of a field."""
    if _PLACEHOLDER.search(value) or _NAMES_SECRETS.search(value) or _TYPES.fullmatch(value):
        return False
    return not any(character.isspace() for character in value) and len(set(value)) > 3 and not _PATH.fullmatch(value)


def _is_bare_password(value: str) -> bool:
    """The same without quotes, where it may be anything in code."""
    return _is_password(value) and _has_digit(value) and not _NUMBER.fullmatch(value)


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a secret stands: after group 1 of the pattern, as the group `secret`."""

    words: tuple[str, ...]  # one of them, in small letters, is in every text that the pattern fits
    pattern: re.Pattern[str]
    fits: Callable[[str], bool] | None = None  # decides whether the value is a secret; None: it always is
    at_word: bool = False  # the pattern begins with `_PASS` or `_KEY`

    def mark(self, text: str, starts: Sequence[int] | None = None) -> str:
        """The text without what the place holds. `starts`: where `_STARTS` is found, when that is known."""
        if starts is None or not self.at_word:
            return self.pattern.sub(self._replacement, text)
        parts, end = [], 0
        for start in starts:  # as `sub`, which tries every character
            if start >= end and (match := self.pattern.match(text, start)) is not None:
                parts += [text[end:start], self._replacement(match)]
                end = match.end()
        return "".join([*parts, text[end:]]) if parts else text

    def _replacement(self, match: re.Match[str]) -> str:
        if self.fits is not None and not self.fits(match["secret"]):
            return match[0]
        return match[1] + MARK + match[0][match.end("secret") - match.start() :]


def _place(words: str, pattern: str, fits: Callable[[str], bool] | None = None) -> _Place:
    at_word = pattern.startswith((f"({_PASS}", f"({_KEY}"))
    return _Place(tuple(words.split()), re.compile(pattern, re.IGNORECASE), fits, at_word)


_PLACES = (
    _place("@", r"(://[^\s:/@\"'`\\<>{}$]{0,100}:)(?P<secret>[^\s/@\"'`\\<>{}$*]{3,200})(?=@)"),
    _place(
        "authorization x- private-token api-key",
        rf"(\b(?:authorization|x-[a-z-]{{0,20}}(?:key|token|secret)|private-token|api-key)(?:{_Q})?\s*[:=]\s*(?:{_Q})?"
        r"(?:(?:bearer|basic|token|apikey|bot)\s+)?)(?P<secret>[a-z0-9._~+/=-]{12,4000})",
        _is_key,
    ),
    _place("bearer", r"(\bbearer\s+)(?P<secret>[a-z0-9._~+/=-]{20,4000})", _is_key),
    _place(
        "-u --user",
        rf"(\s(?:-u|--user)[ =](?:{_Q})?[^\s:\"'`\\$<{{+][^\s:\"'`\\$<{{]{{0,100}}:)(?P<secret>(?![%/]){_BARE}{{3,200}})",
    ),
    _place("pass pwd", rf"(\s--?[a-z-]{{0,30}}{_PASS}[ =](?:{_Q})?)(?P<secret>(?!-){_BARE}{{4,200}})", _is_bare_password),
    _place("pass secret token key", rf"(\s--?[a-z-]{{0,30}}{_KEY}[ =](?:{_Q})?)(?P<secret>(?!-){_BARE}{{6,200}})", _is_key),
    _place(
        "sshpass mysql mariadb redis-cli",
        rf"(\b(?:sshpass|mysql|mysqldump|mariadb|redis-cli)(?: [^\n;&|]{{0,200}}?)? -[pa] ?)(?P<secret>{_BARE}{{4,200}})",
    ),
    _place("machine", r"(\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+)(?P<secret>\S{3,200})"),
    _place("hooks.slack.com", r"(https://hooks\.slack\.com/services/)(?P<secret>[\w/-]{20,200})"),
    _place("webhooks", r"(https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/)(?P<secret>[\w/-]{20,200})"),
    _place(
        "http", r"(https?://[\w.:-]+/[^\s\"'`]{0,200}[?&](?:sig|x-amz-signature|\w*token|\w*key)=)(?P<secret>[\w%.+/=-]{16,500})"
    ),
    _place("sentry", r"(https?://)(?P<secret>[a-f0-9]{32})(?=@[\w.-]*sentry)"),
    _place("pass pwd", rf"({_PASS}{_QUOTED}", _is_password),
    _place("pass pwd", rf"({_Q}[\w.-]{{0,40}}?{_PASS}\w{{0,30}}{_Q},{_VALUE}", _is_password),
    _place(_WORDS, rf"({_Q}[\w.-]{{0,40}}?{_KEY}\w{{0,30}}{_Q},{_VALUE}", _is_key),
    _place(_WORDS, rf"({_KEY}{_QUOTED}", _is_key),
    _place("pass pwd", rf"({_PASS}\w{{0,30}}(?: ?= ?|\\*\":\s?))(?P<secret>{_BARE}{{6,400}})", _is_bare_password),
    _place(_WORDS, rf"({_KEY}\w{{0,30}}(?: ?= ?|\\*\":\s?))(?P<secret>{_BARE}{{8,400}})", _is_key),
    _place(
        "pass pwd",
        rf"((?:^|\n|\\n)[ \t-]*[\w.-]{{0,60}}?{_PASS}:[ \t]+)(?P<secret>{_BARE}{{6,400}})(?=\s|\\+n|$)",
        _is_bare_password,
    ),
    _place(_WORDS, rf"((?:^|\n|\\n)[ \t-]*[\w.-]{{0,60}}?{_KEY}:[ \t]+)(?P<secret>{_BARE}{{8,400}})(?=\s|\\+n|$)", _is_key),
)


def secrets_out(text: str) -> str:
    """The text with every secret found replaced by a mark."""
    return _remembered(text) if len(text) <= _SHORT else _secrets_out(text)


def _secrets_out(text: str) -> str:
    if "PRIVATE KEY" in text:
        text = _BLOCK.sub(MARK, text)
    runs = _SPACED_RUNS if " fm" in text else _RUNS
    if any(_tokens_out(run) != run for run in set(runs.findall(text))):  # hardly ever: finding alone is far faster than replacing
        text = runs.sub(lambda run: _tokens_out(run[0]), text)
    small = text.lower()
    words = {word for word in _all_words() if word in small}
    if not words:
        return text
    starts = _starts(text, small) if not words.isdisjoint(_WORDS.split()) else None
    for pattern in _PLACES:
        if not words.isdisjoint(pattern.words):
            marked = pattern.mark(text, starts)
            if marked != text:
                text = marked
                starts = _starts(text, text.lower()) if starts is not None else None
    for detector in _detectors():
        if not words.isdisjoint(detector.words):
            for secret in detector.find(text):
                text = text.replace(secret, MARK)
    return text


def _starts(text: str, small: str) -> list[int] | None:
    """Where `_STARTS` is found; None when small letters are more characters than the text has."""
    return [match.start() for match in _STARTS.finditer(small)] if len(small) == len(text) else None


@lru_cache(_REMEMBERED)
def _tokens_out(run: str) -> str:
    return _TOKENS.sub(MARK, run) if len(run) >= _LEAST else run


_remembered = lru_cache(_REMEMBERED)(_secrets_out)


@dataclass(frozen=True, slots=True)
class _Detector:
    """One of the library. What it finds is long enough to be replaced wherever it occurs."""

    words: tuple[str, ...]
    find: Callable[[str], set[str]]


# Detectors of the library -> words of which a text that they fit has one. Left out are those whose kinds are found above.
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
def _all_words() -> tuple[str, ...]:
    """Words of which a text must have one to hold a secret, apart from tokens and blocks of keys."""
    return tuple(
        sorted({word for words in [entry.words for entry in _PLACES] + [entry.words for entry in _detectors()] for word in words})
    )


@cache
def _detectors() -> tuple[_Detector, ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    kinds = {kind.__name__: kind for kind in get_mapping_from_secret_type_to_class().values()}
    return tuple(_Detector(tuple(words.split()), _finder(kinds[name]())) for name, words in _LIBRARY.items() if name in kinds)


def _finder(plugin: Any) -> Callable[[str], set[str]]:
    return lambda text: {secret for secret in plugin.analyze_string(text) if isinstance(secret, str) and len(secret) >= _SHORTEST}
