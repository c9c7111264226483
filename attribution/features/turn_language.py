"""The language of a message: by its script, and for Latin letters by common words. Pure.

Messages to agents are short and full of names, which statistical detectors take for any language; a script is certain, and for
words a plain answer is "not known". docs/decisions/0019-turn-classes.md has the comparison.
"""

from __future__ import annotations

import re
from enum import StrEnum

_OWN = 400  # characters that are looked at: what follows is often pasted
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|@?[\w.~-]*(?:/[\w.@-]+)+|@[\w./-]+", re.S)
_HANGUL, _KANA, _HAN = re.compile("[가-힣]"), re.compile("[ぁ-ゖァ-ヺ]"), re.compile("[㐀-鿿]")
_CYRILLIC, _LATIN = re.compile("[а-яёіїєґ]", re.I), re.compile(r"[a-zà-öø-ÿœß]+(?:['’][a-z]+)?", re.I)
_OTHER_SCRIPT = re.compile(r"[^\W\d_]")
_SHARE = 0.15  # of the letters, from which a script decides: one ideograph says as much as a word

# Words of English, and of other languages in Latin letters, that few others have.
_ENGLISH, _OTHERS = (
    frozenset(words.split())
    for words in (
        """
        the a an is are was it this that we you i i'm it's to of in on for and or not no yes ok okay can should please do does
        did don't be have has with as at if so what why how when add fix make use run remove update commit push check change
        continue go let lets let's there need want now just still all also instead create implement them then
        """,
        """
        der das und ist nicht ich wir bitte mit für auf ein eine auch noch aber wenn kann mach le les est pas je nous vous une
        pour avec dans qui que mais sur el los las es una por para con pero como está hay quiero puedes uma não você isso fazer
        het een niet voor zijn wel maar deze il gli della sono che questo anche amb però són jo faria tens
        """,
    )
)


class Language(StrEnum):
    ENGLISH = "en"
    JAPANESE = "ja"
    KOREAN = "ko"
    CHINESE = "zh"
    CYRILLIC = "cyrillic"  # a language in that script
    OTHER = "other"  # one of the other languages in Latin letters


def language_of(text: str) -> Language | None:
    """None when nothing tells, as in `y`, a bare address or a pasted identifier."""
    beginning = _CODE.sub(" ", text.lstrip()[:_OWN])
    letters = len(_OTHER_SCRIPT.findall(beginning))
    if not letters:
        return None
    hangul, kana, han, cyrillic = (len(script.findall(beginning)) for script in (_HANGUL, _KANA, _HAN, _CYRILLIC))
    for count, language in ((hangul, Language.KOREAN), (cyrillic, Language.CYRILLIC)):
        if count / letters >= _SHARE:
            return language
    if (kana + han) / letters >= _SHARE:
        return Language.JAPANESE if kana else Language.CHINESE
    return _latin([word.lower().replace("’", "'") for word in _LATIN.findall(beginning)])


def _latin(words: list[str]) -> Language | None:
    english, others = sum(word in _ENGLISH for word in words), sum(word in _OTHERS for word in words)
    if others > english and others >= 2:
        return Language.OTHER
    return Language.ENGLISH if english else None
