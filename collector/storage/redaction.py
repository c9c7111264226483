"""The adapter for detect-secrets: keys, tokens and passwords in text, replaced by a mark.

Three searches: texts whose form says what they are (`_SHAPES`, and the library's own detectors), values that stand where a secret
belongs (`_PLACES`: an assignment, a header, an option of a command, an address, a sentence that says what the password is), and
blocks of private keys, of which every line is replaced. Each is made only in a text that has one of its words, and many only where
such a word begins, which is what makes it fast.
Text may be JSON inside JSON: a quote may have backslashes in front. The library's entropy detectors are left out: they take words
for secrets. Nothing is sent anywhere, and nothing is verified with a provider.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

MARK = "[secret]"
_SHORTEST = 16  # characters of what the library finds; it is replaced wherever it occurs
_Q = r"\\*[\"'`]"  # a quote, at any depth of JSON

# A block of a private key: the library finds its first line only. With headers, without an end, or in base64 as a whole.
_BLOCK = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"(?:(?:(?!----)[^\0]){1,20000}-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"|(?:[\s\"'+,\\]|\\[nr])*[A-Za-z0-9+/=]{32}[A-Za-z0-9+/=\s\\]*)"  # without an end
    r"|Private-Lines: \d+(?:\s|\\+[nr])+(?:[A-Za-z0-9+/=]{20,80}(?:\s|\\+[nr])*){1,99}(?:Private-MAC: \w+)?"
    r"|LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)(?:[A-Za-z0-9+/=]{20,}(?:\s|\\+[nr])*){2,999}"
)
_BLOCK_WORDS = ("PRIVATE KEY", "Private-Lines", "LS0tLS1CRUdJTi")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/=]{20}|(?:\n|\\n)\s*[A-Za-z0-9+/=]{4,}\s*(?:\n|\\+n)")
_END_OF_LINE = re.compile(r"\n|\\+r\\+n|\\+n")

# How tokens of services begin, and what follows.
_SHAPES = (
    r"gh[pousr]_[A-Za-z0-9]{30,255}", r"github_pat_\w{30,255}",
    r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|wt|oas|ffct|agent|soat)-[\w.-]{20,255}", r"ATBB[A-Za-z0-9]{24,64}",
    r"AT[AC]TT3[\w=-]{40,255}", r"BBDC-[A-Za-z0-9+/]{40,48}", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", r"AIza[\w-]{35}",
    r"GOCSPX-[\w-]{20,64}", r"ya29\.[\w-]{20,1000}", r"1//0[\w-]{30,200}", r"sk-ant-[\w-]{20,255}",
    r"sk-(?:proj|svcacct|admin|or-v1|lf)-[\w-]{20,255}", r"sk-[A-Za-z0-9]{32,64}", r"gsk_[A-Za-z0-9]{40,64}",
    r"xai-[A-Za-z0-9]{40,100}", r"pplx-[A-Za-z0-9]{32,64}", r"r8_[A-Za-z0-9]{30,50}", r"hf_[A-Za-z0-9]{30,60}",
    r"tvly-[\w-]{20,60}", r"xox[a-eoprs][.-][A-Za-z0-9%.-]{10,255}", r"xapp-\d-[A-Za-z0-9-]{20,255}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}", r"whsec_[A-Za-z0-9+/=]{24,100}", r"npm_[A-Za-z0-9]{36}",
    r"pypi-[\w-]{50,255}", r"dckr_(?:pat|oat)_[\w-]{20,64}", r"rubygems_[a-f0-9]{40,64}", r"cio[A-Za-z0-9]{32}",
    r"AKC[A-Za-z0-9]{60,100}", r"SG\.[\w-]{16,32}\.[\w-]{30,64}", r"key-[a-f0-9]{32}", r"[a-f0-9]{32}-us\d{1,2}",
    r"(?:SK|AC)[a-f0-9]{32}", r"EAAA[\w-]{50,100}", r"sq0(?:atp|csp|idp)-[\w-]{22,64}", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}", r"do[opr]_v1_[a-f0-9]{64}", r"dapi[a-f0-9]{32}(?:-\d)?",
    r"NR(?:AK|JS|II|RA)-[\w-]{16,64}", r"sntry[su]_[\w+/=-]{40,500}", r"hv[sbr]\.[\w-]{20,255}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{50,100}", r"pul-[a-f0-9]{40}", r"pscale_(?:pw|tkn|oauth)_[\w.-]{30,64}",
    r"gl(?:sa|c)_[\w+/=-]{30,255}", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    r"lin_api_[A-Za-z0-9]{32,64}", r"ntn_[A-Za-z0-9]{40,60}", r"secret_[A-Za-z0-9]{43}", r"fig[dou]_[\w-]{36,64}",
    r"sb(?:[ps]|_secret)_[\w-]{20,64}", r"FlyV1 fm\d_[\w+/=,-]{50,2000}", r"ops_ey[\w-]{100,2000}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,64}", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    r"(?:eyJ|ewog)[\w-]{10,4000}\.(?:eyJ|ewog)[\w-]{10,8000}\.[\w-]{10,2000}", r"[A-Za-z0-9]{3}8Q~[\w~.-]{31,34}",
    r"ddp?_[A-Za-z0-9]{32,64}", r"key_[a-f0-9]{64}", r"vc[pk]_[A-Za-z0-9]{24,64}", r"vercel_blob_rw_\w{20,80}",
    r"fw_[A-Za-z0-9]{22,40}", r"nvapi-[\w-]{40,80}", r"AQ\.[\w-]{30,100}", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{10,20}",
    r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}", r"cf[a-z]{1,3}_[A-Za-z0-9]{36,64}", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}",
    r"rnd_[A-Za-z0-9]{26,40}", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", r"csk-[a-z0-9]{40,60}",
    r"lsv2_[a-z]{2}_[a-f0-9]{32}_[a-f0-9]{10}", r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}:[a-f0-9]{32}",
    r"[0-2]/\d{16}(?:/\d{16})?:[a-f0-9]{32}", r"nfp_[A-Za-z0-9]{36,44}", r"napi_[a-z0-9]{60,70}", r"npg_[A-Za-z0-9]{12,20}",
    r"HRKU-[\w-]{36,64}", r"tskey-[a-z]{3,12}-[\w-]{20,80}", r"oy2[a-z0-9]{43}", r"RWRTY0I[A-Za-z0-9+/]{60,240}={0,2}",
    r"sk\.eyJ[\w-]{20,200}\.[\w-]{20,60}", r"AAAA[\w-]{7}:APA91b[\w-]{100,160}", r"ph[xs]_[A-Za-z0-9]{36,60}",
    r"tfp_[\w-]{40,64}", r"shippo_(?:live|test)_[a-f0-9]{40}", r"EZ[AT]K[A-Za-z0-9]{54}", r"CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}",
    r"bk[a-z]{2}_[a-f0-9]{40}", r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}", r"sl\.(?:u\.)?[\w-]{100,2000}",
    r"EAA[A-Z][A-Za-z0-9]{80,300}", r"A{18,30}[\w%]{60,120}", r"sk_[a-f0-9]{48}", r"pa-[\w-]{43}", r"jina_[\w-]{40,80}",
    r"fc-[a-f0-9]{32}", r"e2b_[a-f0-9]{40}", r"tgp_v1_[\w-]{40,50}", r"ctx7sk-[a-f0-9-]{36}", r"BSA[\w-]{28}", r"pcsk_\w{40,90}",
    r"lin_oauth_[a-f0-9]{64}", r"tr_(?:dev|prod|pat|stg)_[A-Za-z0-9]{20,40}", r"signkey-[a-z]{4,6}-[a-f0-9]{32,64}",
    r"cal_live_[a-f0-9]{32}", r"pn[ub]_[A-Za-z0-9]{36}", r"xau_[A-Za-z0-9]{30,60}", r"GOOG1E?[A-Z0-9]{20,60}",
    r"LTAI[A-Za-z0-9]{12,20}", r"AKID[A-Za-z0-9]{32}", r"ABSK[A-Za-z0-9+/=]{100,200}", r"bedrock-api-key-[A-Za-z0-9+/=]{60,2000}",
    r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", r"rdme_[a-z0-9]{60,80}", r"nsec1[a-z0-9]{58}",
    r"xprv[1-9A-HJ-NP-Za-km-z]{100,112}", r"sntrya_[\w+/=-]{40,500}", r"glc_ey[\w+/=-]{30,255}", r"eyJrIjoi[\w-]{60,120}={0,2}",
    r"S[NOUAC][A-Z2-7]{56}", r"ntfy?_[A-Za-z0-9]{30,40}", r"waka_[a-f0-9-]{36}", r"apify_api_[A-Za-z0-9]{30,40}",
    r"sk-lf-[a-f0-9-]{36}", r"p8e-[a-z0-9]{32}", r"scp_[A-Za-z0-9]{30,60}", r"kt_[A-Za-z0-9]{40}", r"zpka_[a-z0-9_]{30,60}",
)  # fmt: skip
# A token begins where a word begins, or after the letter of `\n` in JSON.
_TOKENS = re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\A[nrt]))(?:{'|'.join(_SHAPES)})(?![A-Za-z0-9_])")
_LEAST = 16  # characters of a token
# What a token may be a part of. That of one service has a space: texts with it are read by the second.
_RUNS = re.compile(rf"(?<![\w.~=+-])[A-Za-z\d][\w.~=+/,:%-]{{{_LEAST - 1},}}")
_SPACED_RUNS = re.compile(r"(?<![\w.~=+-])[A-Za-z\d][\w.~=+/,:%-]*(?: fm\d_[\w+/=,-]+)?")
_REMEMBERED = 1 << 16  # runs of characters and short texts: the same paths and names come again and again
_SHORT = 300  # characters of a text worth remembering

# Words that say that a value is secret.
_PASS = r"(?:passw(?:or)?d|passphrase|passcode|pwd)"
_KEYS = "api|access|auth|account|private|signing|encryption|role|master|admin|app|server|service|deploy|license|shared"
_KEY = (
    rf"(?:pass(?![a-z])|secret|(?<!publickey)token(?!i[sz])|(?:{_KEYS})[_-]?key|credentials?|webhook[_-]?url)"
    r"(?!\w{0,30}(?:hash|sha\d|digest|fingerprint|checksum))"
)
_WORDS = "pass pwd secret token key credential webhook"
_NAMES = re.compile(rf"{_PASS}|{_KEY}")
_KEY_BEGINS = re.compile(rf"(?=((?:{_KEYS})[_-]?)\Z)")  # what of `_KEY` stands before "key"
_BARE = r"[^\s\"'`\\$<>{}()|&;,\[\]]"  # a character of a value without quotes
_REST = r"[^\s\"'`\\<>{}()|&;,\[\]]"  # one that is not its first
_VALUE = rf"\s{{0,3}}(?P<quote>{_Q}))(?P<secret>[^\"'`\\\n]{{6,400}})(?P=quote)"
_QUOTED = rf"\w{{0,30}}(?:{_Q})?\s{{0,3}}(?::=|=>|:|={{1,2}}){_VALUE}"
# An argument of a command, in quotes or not.
_ARGUMENT = rf"(?:{_Q})?)(?P<secret>(?<=[\"'`])[^\"'`\\\n]{{4,200}}(?=\\*[\"'`])|(?<![\"'`]){_BARE}{_REST}{{3,200}})"
_END = rf"(?=\s|\\+n|{_Q}|$)"  # of a line

# Values that only look like a secret: names of things, calls, placeholders, sentences.
_PLACEHOLDER = re.compile(
    r"^/|\$\{|\{\{|<[\w -]+>|\.\.\.|…|xxxx|\*\*\*|process\.env|os\.environ|getenv|import\.meta|secrets?\.|your[-_ ]|change[-_ ]?me"
    r"|example|placeholder|dummy|redacted|\[secret|fake|mock|sample|https?://|^\$\w+$|^%\w+%$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[@./~:_-]*(?:(?:[A-Z][a-z]*|[a-z]+)[-_]?\d{0,5}(?:[-_./: ,\\@]+|(?=[A-Z])|$))+[.!?:)*]*")
_NUMBER = re.compile(r"[\^~<>=v]{0,3}[\d.,:_/-]+(?:-(?:alpha|beta|rc|dev|next)[\d.]*)?")
_PATH = re.compile(r"[A-Za-z_$][\w$]{0,30}(?:(?:::|\.|->)[A-Za-z_$][\w$]{0,40})+[:.(*?!]*")  # of names in code
_ID = re.compile(r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}", re.IGNORECASE)
_MIXED = re.compile(r"\d[A-Za-z]\w*\d[A-Za-z]")  # digits between letters, again and again: no name
_TYPES = re.compile(
    r"string|text|number|boolean|object|required|optional|unknown|undefined|hidden|invalid|missing|correct|wrong"
    r"|search|email|value|check\w+",
    re.IGNORECASE,
)
_NAMES_SECRETS = re.compile(rf"{_PASS}|{_KEY}|label|field|input|error", re.IGNORECASE)


def _is_key(value: str) -> bool:
    """Whether an assigned value can be a key, and is not a name, a number, a sentence or a placeholder."""
    if _PLACEHOLDER.search(value) or len(set(value)) < 4 or not _has_digit(value) or _has_blank(value):
        return False
    if len(value) >= _LEAST and _MIXED.search(value) and not _PATH.fullmatch(value):
        return True
    return not any(form.fullmatch(value) for form in (_NAME, _NUMBER, _PATH))


def _is_password(value: str) -> bool:
    """The same of what is called a password and stands in quotes: a word may be one, but not a sentence or the name of a field."""
    if _PLACEHOLDER.search(value) or _NAMES_SECRETS.search(value) or _TYPES.fullmatch(value):
        return False
    return not _has_blank(value) and len(set(value)) > 3 and not _PATH.fullmatch(value)


def _is_bare_password(value: str) -> bool:
    """The same without quotes, where it may be anything in code."""
    return _is_password(value) and _has_digit(value) and not _NUMBER.fullmatch(value)


def _is_set_password(value: str) -> bool:
    """The same of what an environment or a file of settings holds: a word may be one too."""
    return _is_bare_password(value) or (_is_password(value) and value.isalpha() and len(value) >= 8)


def _is_set_key(value: str) -> bool:
    """As `_is_key`, or letters alone that are more than a name has."""
    return _is_key(value) or (value.isalpha() and len(value) >= 20 and not _PLACEHOLDER.search(value) and len(set(value)) > 7)


# What has letters and digits and is said beside passwords without being one: names of methods, versions, numbers of things.
_TECHNICAL = re.compile(
    r"(?:\w+-)?(?:argon2|b?crypt|pbkdf2|sha|md5|base64|oauth|2fa|mfa|utf|aes|rsa|ed25519|http|ipv|v\d|ntlm|saml|oidc|rfc|rs256|hs256"
    r"|tls|web|test_|step|phase|level|page|line|item|section|part|week|day|q\d|h\d|p\d|k8s|s3|ec2|i18n)[\w.+/-]*"
    r"|\d+(?:[-–.x]\w{0,12}|[a-z]{1,3}|\+)?(?:-[a-z-]+)?|[A-Z]{1,5}-\d+|#\w+|\w+[/=]\S+|@\S+|[\w-]+\.[a-z]{2,5}",
    re.IGNORECASE,
)


def _is_spoken_password(value: str) -> bool:
    """A password in a sentence: letters and digits, or a sign between letters, as words do not have."""
    if not _is_password(value) or any(form.fullmatch(value) for form in (_TECHNICAL, _NUMBER)):
        return False
    letters = sum(character.isalpha() for character in value)
    return letters > 1 and (_has_digit(value) or bool(re.search(r"\w[!@#$%^&*+?~]\w", value)))


def _is_strong(value: str) -> bool:
    """A password that shows without being called one."""
    return _is_spoken_password(value) and _has_digit(value) and bool(re.search(r"[!@#$%^&*+?~]", value))


def _is_spoken_key(value: str) -> bool:
    """A key in a sentence."""
    return len(value) >= _LEAST and _is_key(value) and bool(_MIXED.search(value)) and "/" not in value and not _ID.fullmatch(value)


def _is_phrase(value: str) -> bool:
    """The words of a wallet, of which no list has articles or pronouns."""
    words = re.findall("[a-z]+", value)
    return len(set(words)) > 5 and not {"the", "and", "for", "are", "was", "not", "but", "with", "from", "which"} & set(words)


def _is_user_and_password(value: str) -> bool:
    """In base64, with a colon between the two."""
    try:
        return re.fullmatch(rb"[\w.@+-]{1,80}:[!-~]{3,400}", base64.b64decode(value, validate=True)) is not None
    except ValueError:
        return False


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value)


def _has_blank(value: str) -> bool:
    return any(character.isspace() for character in value)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a secret stands: after group 1 of the pattern, as the group `secret`."""

    words: tuple[str, ...]  # one of them, in small letters, is in every text that the pattern fits
    pattern: re.Pattern[str]
    fits: Callable[[str], bool] | None = None  # decides whether the value is a secret; None: it always is
    at_word: bool = False  # the pattern begins with `_PASS` or `_KEY`
    at_begins: bool = False  # it begins with one of `words`
    behind: re.Pattern[str] | None = None  # what must stand before it
    each: re.Pattern[str] | None = None  # the value has several secrets: the group `secret` of each match of this

    def mark(self, text: str, small: str = "", words: Set[str] = frozenset(), starts: Sequence[int] = ()) -> str:
        """The text without what the place holds.

        `small`: it in small letters; `words`: those of `_all_words` in it; `starts`: where `_PASS` and `_KEY` may begin.
        """
        if not small or not (self.at_word or self.at_begins):
            return self.pattern.sub(self._replacement, text)
        if self.at_begins:
            starts = _occurrences(small, words & set(self.words))
        parts, end = [], 0
        for start in starts:  # as `sub`, which tries every character
            if start >= end and (match := self.pattern.match(text, start)) is not None:
                parts += [text[end:start], self._replacement(match)]
                end = match.end()
        return "".join([*parts, text[end:]]) if parts else text

    def _replacement(self, match: re.Match[str]) -> str:
        if self.behind is not None and not self.behind.search(match.string, max(0, match.start() - _BEHIND), match.start()):
            return match[0]
        before, value, after = match[1], match["secret"], match[0][match.end("secret") - match.start() :]
        if self.each is not None:
            return before + self.each.sub(self._part, value) + after
        return match[0] if self.fits is not None and not self.fits(value) else before + _marked(value) + after

    def _part(self, match: re.Match[str]) -> str:
        return match[0] if self.fits is not None and not self.fits(match["secret"]) else match[1] + MARK


def _marked(secret: str) -> str:
    """As many lines as the secret has."""
    ends = _END_OF_LINE.findall(secret) if "\n" in secret or "\\" in secret else []
    return MARK + "".join(end + MARK for end in ends)


def _occurrences(small: str, words: Iterable[str]) -> list[int]:
    places: list[int] = []
    for word in words:
        start = small.find(word)
        while start >= 0:
            places.append(start)
            start = small.find(word, start + 1)
    return sorted(places)


def _starts(small: str, words: Set[str]) -> list[int]:
    """Where `_PASS` and `_KEY` may begin."""
    places = _occurrences(small, words & {"pass", "pwd", "secret", "token", "credential", "webhook"})
    for place in _occurrences(small, words & {"key"}):
        before = _KEY_BEGINS.search(small, max(0, place - 12), place)
        if before is not None:
            places.append(before.start())
    return [place for place in sorted(places) if _NAMES.match(small, place)]


def _place(
    words: str,
    pattern: str,
    fits: Callable[[str], bool] | None = None,
    each: str = "",
    behind: str = "",
    start: str = "",  # "noun": at `_PASS` or `_KEY`; "word": at one of `words`
) -> _Place:
    at_word = start == "noun" or pattern.startswith((f"({_PASS}", f"({_KEY}"))
    parts, before = (re.compile(form, re.IGNORECASE) if form else None for form in (each, behind and rf"(?:{behind})\Z"))
    return _Place(tuple(words.split()), re.compile(pattern, re.IGNORECASE), fits, at_word, start == "word", before, parts)


# --- sentences --------------------------------------------------------------------------------------------------------


def _spelled(words: str) -> str:
    """Alternatives for a pattern; characters beside ASCII may be escaped, as in JSON."""
    return "|".join("".join(map(_character, word)) for word in words.replace("_", " ").split("|"))


def _character(character: str) -> str:
    if character.isascii():
        return r"\s" if character == " " else re.escape(character)
    codes = sorted({f"u{ord(case):04x}" for case in (character, character.upper(), character.lower()) if len(case) == 1})
    return rf"(?:{character}|\\+(?:{'|'.join(codes)}))"


_PASS_NOUNS = (
    "password|passwd|passwort|kennwort|passphrase|passcode|passord|pwd|mot_de_passe|mdp|contraseña|contrasena|clave|senha|wachtwoord"
    "|hasło|lösenord|şifre|пароль|пароля|паролем|密码|密碼|口令|パスワード|パス|暗証番号|비밀번호|암호|creds"
)
_KEY_NOUNS = "key|token|secret|schlüssel|clé|chave|chiave|clave|ключ|токен|密钥|密鑰|令牌|キー|トークン|シークレット|키|토큰"
_OPEN = rf"(?:(?:{_Q}|\*\*|{_spelled('「|『|“|„|‘|«|‹|（|【')})\s?)?"
_IS = (
    r"(?:\s(?:is|was|are|be|to|of|as|ist|war|lautet|lautete|sei|es|est|auf|jest|equals|becomes|sera|será|fue|était)\s"
    rf"|\s?(?:[:=]|->|=>|→|{_spelled('：|＝|—|–|→')})"
    rf"|\s(?:{_spelled('é|è|är|er|на|это|то|heißt|à')}|to:|is:|ist:|es:|est:|—)\s|\s?(?:{_spelled('は|が|を|是|为|為|改成|设为|는|은|이|를')}))\s?"
)
_BETWEEN = r"(?:[^\n\\:=.,;{}\[\]<>\"'`]|\\+u[0-9a-f]{4}){0,50}?"
_CLOSE = rf"(?=[.,;:!?)*]*(?:\s|{_Q}|\\+[nrtu]|[^\x00-\x7f]|$))"
_NOT_SPOKEN = r"\s\"'`\\<>(){}\[\],;|\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"  # what ends a password in a sentence
_SPOKEN = rf"(?P<secret>[^{_NOT_SPOKEN}]{{4,99}}[^{_NOT_SPOKEN}.:*?])"


def _beginnings(nouns: str) -> str:
    """How nouns begin in text in small letters; those with characters beside ASCII also as JSON escapes the first of these."""
    words = {word.partition("_")[0] for word in nouns.split("|")}
    escaped = {
        word[:at] + "\\" * depth + f"u{ord(case):04x}"
        for word in words
        for at in [next((n for n, character in enumerate(word) if not character.isascii()), None)]
        if at is not None
        for case in {word[at], word[at].upper()}
        for depth in ((1, 2, 4, 8) if at else (1,))
    }
    return " ".join(sorted(words | escaped))


# Letters of other alphabets, also as JSON escapes them. Dashes and pictures are none.
_FOREIGN = re.compile(r"[\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|\\u(?:0[0-4]|30|[4-9a-d])")
_BEHIND = 64  # characters before a word that are looked at
_START_OF_LINE = rf"(?:^|\n|\\n|{_Q})[ \t-]*[\w.-]{{0,60}}"
_START_OF_QUOTED = rf"{_Q}[\w.-]{{0,40}}"


_PLACES = (
    _place("@", r"(://[^\s:/@\"'`\\<>{}$()\[\]]{0,100}:)(?P<secret>[^\s/@\"'`\\<>{}$*]{3,200})(?=@)"),
    _place(
        "authorization x- private-token api-key",
        rf"(\b(?:authorization|x-[a-z-]{{0,20}}(?:key|token|secret)|private-token|api-key)(?:{_Q})?\s*[:=]\s*(?:{_Q})?"
        r"(?:(?:bearer|basic|token|apikey|bot)\s+)?)(?P<secret>[a-z0-9._~+/=-]{12,4000})",
        _is_key,
    ),
    _place("bearer", r"(\bbearer\s+)(?P<secret>[a-z0-9._~+/=-]{20,4000})", _is_key),
    _place(
        "cookie",
        rf"(\bcookie2?(?:{_Q})?(?:\s?[:=]\s?|\s)(?:{_Q})?)(?P<secret>[\w.%-]{{1,60}}=[^\n\"'\\]{{8,4000}})",
        _is_key,
        rf"([\w.%-]{{1,60}}=)(?P<secret>{_BARE}{{12,4000}})",
    ),
    _place("curl", rf"(\bcurl [^\n]{{0,300}}?(?:-b|--cookie) ?(?:{_Q})?[\w.-]{{1,60}}=)(?P<secret>{_BARE}{{12,2000}})", _is_key),
    _place(
        "sessid sessionid= connect.sid",
        rf"((?:jsessionid|phpsessid|sessionid|connect\.sid)=)(?P<secret>{_BARE}{{16,400}})",
        _is_key,
    ),
    _place(
        "-u --user",
        rf"(\s(?:-u|--user)[ =](?:{_Q})?[^\s:\"'`\\$<{{+][^\s:\"'`\\$<{{]{{0,100}}:)"
        rf"(?P<secret>(?![%/])(?:{_BARE}{_REST}{{2,200}}|[^\s\"'`\\<{{}}]{{3,200}}(?=\\*[\"'`])))",
    ),
    _place("pass pwd", rf"(\s--?[a-z-]{{0,30}}{_PASS}[ =]{_ARGUMENT}", _is_bare_password),
    _place("pass secret token key", rf"(\s--?[a-z-]{{0,30}}{_KEY}[ =](?:{_Q})?)(?P<secret>(?!-){_BARE}{{6,200}})", _is_key),
    _place("--token", r"(--token[ =])(?P<secret>[a-z0-9]{6}\.[a-z0-9]{16})\b"),
    _place("add-authtoken", rf"(\badd-authtoken )(?P<secret>{_BARE}{{20,100}})"),
    _place(
        "sshpass mysql mariadb redis-cli",
        r"(\b(?:(?:sshpass|redis-cli)(?: [^\n;&|]{0,200}?)? -[pa] ?|(?:mysql\w{0,9}|mariadb[\w-]{0,9}) (?:[^\n;&|]{0,200}? )?-p"
        rf"){_ARGUMENT}",
        lambda value: value[0] not in "-$/",
    ),
    _place(
        "echo",
        rf"(\becho (?:-n |-e )?(?:{_Q})?(?:[\w-]{{1,32}}:)?)(?P<secret>[^\s\"'`\\$|]{{4,200}}|(?<=[\"'`])[^\s\"'`\\|]{{4,200}})"
        rf"(?=(?:{_Q})?\s?\|\s?(?:sudo (?:-\w+ )*-S|(?:docker|podman|helm registry) login|(?:sudo )?chpasswd|openssl|gpg"
        r"|cryptsetup|kinit))",
        lambda value: value != "y" and not _NUMBER.fullmatch(value),
    ),
    _place(
        "htpasswd", rf"(\bhtpasswd -\w{{0,4}}b\w{{0,4}} (?:-\w+ )*(?:\S{{1,100}} ){{1,2}}{_ARGUMENT}(?=\s*(?:$|\n|{_Q}|\\|[;&|>]))"
    ),
    _place("send", rf"(assword[^\n]{{0,40}}send(?: --)? {_Q})(?P<secret>[^\s\"'`\\]{{4,100}})(?=\\+r)"),
    _place("sqlplus", rf"(\b(?:sqlplus|rman|impdp|expdp) (?:-\w+ )*\w{{1,40}}/)(?P<secret>{_BARE}{{3,100}})(?=@)"),
    _place("/user:", r"(\bnet use \S{1,3} \\+\S{1,100} )(?P<secret>[^\s/\\]{4,100})(?= )"),
    _place("smbclient", rf"(-U ?(?:{_Q})?[\w\\.@-]{{1,80}}%)(?P<secret>{_BARE}{_REST}{{3,100}})"),
    _place("lftp", rf"(\blftp [^\n]{{0,80}}-u [\w.@-]{{1,60}},)(?P<secret>{_BARE}{{4,100}})"),
    _place("machine", r"(\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+)(?P<secret>\S{3,200})"),
    _place(
        ":54 :6432:",
        rf"((?:^|\n|\\n|{_Q})[\w.*-]{{1,80}}:(?:54\d\d|6432):[\w*-]{{1,60}}:[\w*-]{{1,60}}:)(?P<secret>[^\s\"'`\\]{{4,200}})",
    ),
    _place(
        "identified password",
        rf"(\b(?:identified(?: with \S{{1,60}})? by|password)\s{{1,3}}(?P<quote>{_Q}))"
        r"(?P<secret>[^\s\"'`\\]{6,200})(?P=quote)",
        _is_password,
    ),
    _place("hooks.slack.com", r"(https://hooks\.slack\.com/(?:services|workflows|triggers)/)(?P<secret>[\w/-]{20,200})"),
    _place("webhooks", r"(https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/)(?P<secret>[\w/-]{20,200})"),
    _place(
        "hook",
        r"(https://(?:[\w.-]{1,80}\.webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/"
        r"|hook\.[\w.]{2,20}\.make\.com/))(?P<secret>[\w@/-]{10,300})",
    ),
    _place(
        "sig= token= key= secret= signature=",
        r"([?&](?:sig|x-amz-signature|\w{0,30}token|\w{0,30}key|\w{0,30}secret)=)"
        r"(?P<secret>[\w%.+/=-]{16,500})",
        _is_key,
    ),
    _place("sentry", r"(https?://)(?P<secret>[a-f0-9]{32})(?=@[\w.-]*sentry)"),
    _place("otpauth:", r"(otpauth://[^\s\"'`]{1,300}[?&]secret=)(?P<secret>[A-Z2-7]{16,200})"),
    _place("_auth", r"(_auth(?:Token|Password)?\s?=\s?)(?P<secret>[\w+/=-]{12,400})", _is_key),
    _place('auth" auth\\', rf"(auth{_Q}\s?:\s?{_Q})(?P<secret>[A-Za-z0-9+/=]{{8,400}})(?={_Q})", _is_user_and_password),
    _place("key-data tls.key", rf"((?:key-data|tls\.key)(?:{_Q})?\s?:\s?(?:{_Q})?)(?P<secret>[A-Za-z0-9+/=]{{40,8000}})"),
    _place("kty", rf"({_Q}(?:d|p|q|dp|dq|qi|k){_Q}\s?:\s?{_Q})(?P<secret>[\w-]{{20,2000}})(?={_Q})"),
    _place(
        "seed mnemonic phrase wallet",
        r"((?:seed|mnemonic|wallet|phrase)[^\n.]{0,60}?[\s:=\"'`(]{1,4})"
        r"(?P<secret>(?:1[.):]?\s?)?[a-z]{3,8}(?:[\s,]{1,2}(?:\d{1,2}[.):]?\s?)?[a-z]{3,8}){11,23})(?![a-z])",
        _is_phrase,
        start="word",
    ),
    _place(
        "$2 $1$ $5$ $6$ $y$ $7$ $apr1$ $argon2 pbkdf2 scrypt:",
        r"((?<![\w$]))(?P<secret>\$(?:2[abxy]\$\d\d|(?:apr1|1|5|6|7)(?:\$rounds=\d+)?|y\$[./\w]{1,10}|argon2i?d?\$v=\d+\$[a-z0-9=,]+)"
        r"\$[./\w+=$]{22,200}|pbkdf2[\w:]{4,12}\$\d+\$[^\s$\"'`]{4,60}\$[\w+/=]{27,100}|scrypt:[\d:]+\$[^\s$]{4,60}\$[\w+/=]{40,200})",
    ),
    _place("pass pwd", rf"({_PASS}{_QUOTED}", _is_password),
    _place("pass pwd", rf"({_PASS}\w{{0,30}}{_Q},{_VALUE}", _is_password, behind=_START_OF_QUOTED),
    _place(_WORDS, rf"({_KEY}\w{{0,30}}{_Q},{_VALUE}", _is_key, behind=_START_OF_QUOTED),
    _place(_WORDS, rf"({_KEY}{_QUOTED}", _is_key),
    _place("value=", rf"({_PASS}\w{{0,30}}{_Q}\s+value={_VALUE}", _is_bare_password),
    _place("value=", rf"({_KEY}\w{{0,30}}{_Q}\s+value={_VALUE}", _is_key),
    _place("pass pwd", rf"({_PASS}\w{{0,30}}(?: ?= ?|\\*\":\s?))(?P<secret>{_BARE}{_REST}{{5,400}})", _is_bare_password),
    _place("pass pwd", rf"({_PASS}\w{{0,30}}>\s?)(?P<secret>[^\s<]{{4,400}})(?=\s?</)", _is_password),
    _place(_WORDS, rf"({_KEY}\w{{0,30}}(?: ?= ?|\\*\":\s?))(?P<secret>{_BARE}{_REST}{{7,400}})", _is_key),
    _place(_WORDS, rf"({_KEY}\w{{0,30}}>\s?)(?P<secret>[^\s<]{{8,400}})(?=\s?</)", _is_key),
    # of an environment, or of a file of settings
    _place(
        "pass pwd",
        rf"((?-i:PASS(?:WORD|WD|PHRASE)?|PWD)=)(?P<secret>{_BARE}{_REST}{{5,400}}){_END}",
        _is_set_password,
        behind=r"(?:^|(?-i:[^a-z]))(?-i:[A-Z0-9_]{0,40})",
        start="noun",
    ),
    _place(
        "pass pwd",
        rf"({_PASS} ?= ?)(?P<secret>{_BARE}{_REST}{{5,400}}){_END}",
        _is_set_password,
        behind=rf"(?:^|\n|\\n|{_Q})[a-z-]+\.[a-z.-]+\.",
    ),
    _place(
        "secret= token= key=",
        rf"((?-i:SECRET|TOKEN|KEY)=)(?P<secret>{_BARE}{_REST}{{15,400}}){_END}",
        _is_set_key,
        behind=r"(?-i:[A-Z][A-Z0-9_]{0,40})",
        start="word",
    ),
    _place("pass pwd", rf"({_PASS}:[ \t]+)(?P<secret>{_BARE}{_REST}{{5,400}}){_END}", _is_bare_password, behind=_START_OF_LINE),
    _place(_WORDS, rf"({_KEY}:[ \t]+)(?P<secret>{_BARE}{_REST}{{7,400}}){_END}", _is_key, behind=_START_OF_LINE),
    *(
        _place(
            _beginnings(nouns),
            rf"((?:(?<![a-z0-9_./$-])|(?=\\))(?:{_spelled(nouns)}){between}{_OPEN}){_SPOKEN}{_CLOSE}",
            fits,
            start="word",
        )
        for nouns, between, fits in (
            (_PASS_NOUNS, rf"(?![a-z0-9_/-]){_BETWEEN}{_IS}", _is_spoken_password),
            (_PASS_NOUNS, r"\s", _is_spoken_password),
            (_KEY_NOUNS, rf"(?![a-z0-9_/-]){_BETWEEN}{_IS}", _is_spoken_key),
        )
    ),
    _place(
        "login credentials creds",
        rf"(\b(?:login|credentials|creds|user|account)\b[^\n]{{0,40}}?[\w.@+-]{{2,60}} [/|:] ?(?:{_Q})?){_SPOKEN}{_CLOSE}",
        _is_strong,
    ),
)


def secrets_out(text: str) -> str:
    """The text with every secret found replaced by a mark."""
    return _remembered(text) if len(text) <= _SHORT else _secrets_out(text)


def _secrets_out(text: str) -> str:
    if any(word in text for word in _BLOCK_WORDS):
        text = _BLOCK.sub(_block_out, text)
    runs = _SPACED_RUNS if " fm" in text else _RUNS
    if any(_tokens_out(run) != run for run in set(runs.findall(text))):  # hardly ever: finding alone is far faster than replacing
        text = runs.sub(lambda run: _tokens_out(run[0]), text)
    small = _small(text)
    words = _words_of(small)
    if not words:
        return text
    starts = _starts(small, words)
    for place in _PLACES:
        if not words.isdisjoint(place.words):
            marked = place.mark(text, small, words, starts)
            if marked != text:
                text = marked
                small = _small(text)
                starts = _starts(small, words)
    for detector in _detectors():
        if not words.isdisjoint(detector.words):
            for secret in detector.find(text):
                text = text.replace(secret, MARK)
    return text


def _block_out(match: re.Match[str]) -> str:
    """What only names a block, as code that looks for one does, stays."""
    return _marked(match[0]) if _KEY_TEXT.search(match[0]) else match[0]


def _words_of(small: str) -> set[str]:
    """Those of `_all_words` that a text in small letters has."""
    plain, foreign = _all_words()
    ascii_text = small if small.isascii() else small.encode("ascii", "ignore").decode()  # searched several times faster
    words = {word for word in plain if word in ascii_text}
    words |= {longer for word in words for longer in plain[word] if longer in ascii_text}
    if _FOREIGN.search(small):
        words |= {word for word in foreign if word in small}
    return words


def _small(text: str) -> str:
    """In small letters, as many characters as the text has: of all letters only one becomes two."""
    return text.replace("\u0130", "I").lower()


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
def _all_words() -> tuple[dict[str, list[str]], list[str]]:
    """Words of which a text must have one to hold a secret, apart from tokens and blocks of keys.

    Plain ones, each with the longer ones that it is a part of; and those of other alphabets.
    """
    words = {word for words in [place.words for place in _PLACES] + [kind.words for kind in _detectors()] for word in words}
    foreign = {word for word in words if not word.isascii() or "\\u" in word}
    plain = sorted(words - foreign, key=len)
    part_of = {word: next(part for part in plain if part in word) for word in plain}  # the shortest, perhaps itself
    return {part: [word for word in plain if part_of[word] == part != word] for part in set(part_of.values())}, sorted(foreign)


@cache
def _detectors() -> tuple[_Detector, ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    kinds = {kind.__name__: kind for kind in get_mapping_from_secret_type_to_class().values()}
    return tuple(_Detector(tuple(words.split()), _finder(kinds[name]())) for name, words in _LIBRARY.items() if name in kinds)


def _finder(plugin: Any) -> Callable[[str], set[str]]:
    return lambda text: {secret for secret in plugin.analyze_string(text) if isinstance(secret, str) and len(secret) >= _SHORTEST}
