"""The words by which the texts of a project are read: which files, what speaks of AI, what refuses,
what a trailer is. Small and capital letters are alike.
"""

import re


def _any(*shapes: str) -> re.Pattern[str]:
    return re.compile("|".join(shapes), re.I)


_TEXT = r"(?:\.(?:md|mdx|mdc|markdown|rst|txt|adoc))"

# Files: the template for pull requests, texts that are about AI as a whole, texts about
# contributions, those that speak of AI for other reasons as well, and those that say nothing about
# this project's own contributions.
TEMPLATE = _any(r"(?:^|/)(?:pull|merge)[-_]request[-_]templates?(?:\.\w+|/[^/]+)?$")
ENTIRE = _any(
    r"(?:^|/)(?:[^/]*[-_ ])?(?:gen[-_]?)?(?:ai|llms?|agents?)(?![a-z])[-_ ]?(?:tool|gen|assist"
    rf"|polic|us|contrib|guid|disclos|cod|statement|attrib)[^/]*{_TEXT}$",
    rf"(?:^|/)(?:(?:gen)?(?:ai|llm)|generative[^/]*|[^/]*coding-assistants|code-provenance){_TEXT}$",
)
POLICY = _any(
    rf"(?:^|/)[^/]*contribut[^/]*(?:/[^/]*)?(?:{_TEXT}|(?<=contributing))$",
    rf"(?:^|/)(?:[^/]*hacking|submitting-?patches|code[-_ ]of[-_ ]conduct){_TEXT}?$",
)
GENERAL = _any(
    rf"(?:^|/)(?:agents|claude|gemini|copilot-instructions|review|governance){_TEXT}$",
    rf"^(?:\.github/|docs?/)?readme{_TEXT}$",
    rf"(?:^|/)[^/]*dev(?:elop\w*)?[-_]?(?:guide|ment|ing|ers?)?{_TEXT}$|(?:^|/)readme\.dev\w*$",
    r"^\.(?:claude|cursor)/rules/[^/]+$"
    r"|^\.github/instructions/",
)
FOREIGN = _any(
    r"(?:^|/)(?:vendor|third[-_]?party|node_modules|deps|tests?|fixtures|testdata|i18n"
    r"|versioned_docs|v\d[\d.]*)/"
    r"|llms(?:-full)?\.txt$",
)

# What speaks of AI at all; of what is handed in, and of contributions.
ABOUT_AI = _any(
    r"(?<![/@.])(?<!\w[-_])\b(?:gen)?A\.?I\b(?![-.]\w+\.\w)(?!\.\w)",
    r"\bnon-AI\b|\bartifi?cial intelligence|\bLLMs?\b|\blanguages? models?",
    r"\bgenerative\W+(?:\w+ )?(?:AI|artificial|models?|tools?)\b",
    r"\bgen-?ai\b|\b(?:copilot|chatgpt|claude)\b|\bchatbots?\b|machine[- ]generated",
    r"\bautonomous\w* (?:\w+ )?(?:code|submi|contrib)|\bagents (?:which|that) write",
    r"vibe[- ]?cod|\b(?:coding|code|autonomous) (?:agent|assistant)",
    r"\bassisted-(?:by|with)\b|\b(?:agent|model|tool)_(?:name|version)\b",
)
SUBMITTED = _any(r"contribut|\b(?:pull|merge) request|\bPRs?\b|\bpatch")
CONTRIBUTED = _any(
    SUBMITTED.pattern, r"\bcommit|\w-by\b|\b(?:AI|LLM)\S* (?:\w+ )?polic|disclos|\battribution"
)
# It refuses or limits something.
REFUSES = _any(
    r"(?:^|[:;,)] |\bplease )\W*(?:do not|don.t|never|no|avoid)\b"
    r"(?! (?:need|hesitat|worr|require|mind|have))",
    r"\b(?:must|should|may|shall)(?: not|n.t| never)\b|\bcan(?:not|.t) be\b",
    r"(?:\b(?:not|never|no longer|cannot)|n.t)\b\W+(?:[^\s,.;:]+ ){0,2}(?:accept|allow|permit"
    r"|welcom|merg|tolerat|consider|review|suitable)",
    r"(?<!not )(?<!neither )(?<!nor )\b(?:forbid|prohibit|bann?(?:ed|s)?\b|disallow|declin|reject"
    r"|refrain|refuse|unaccept|unwelcome|discourag)",
    r"\b(?:takes?|accepts?|wants?|allows?|permits?|merges?) no\b",
    r"\b(?:will|may|can|might|are|is|be) (?:\w+ )?(?:closed|removed|deleted|blocked)\b"
    r"|\b(?:will|may) (?:\w+ ){0,2}close\b",
    r"\b(?:must|should|only)\b.{0,60}\b(?:written|authored|created|submitted) by (?:a )?humans?\b",
)
# It asks to be told of the use of AI.
TELLS = _any(
    r"disclos|\bdeclar|\bmention|\bindicat|\bstate\b|\bspecif(?:y|ied)|acknowledg|\btell\b|\bsay\b"
    r"|\btranspar|\binform\b|\bdescribe (?:how|what|which)|\bnote (?:it|that|which|in)\b"
    r"|\blet us know"
)
# A rule, or where it stands.
BINDS = _any(TELLS.pattern, REFUSES.pattern, r"\bmust\b")
RULES = _any(
    BINDS.pattern,
    r"\b(?:should|required?|need(?:s|ed)? to|expect|ensure|only|welcom|allow)"
    r"|\w-by\b|\b(?:read|follow|see|comply|adhere|complian)\w*\b.{0,80}(?:polic|guid|rule)",
)
# The box by which a person agrees to what stands before it.
AGREES = _any(
    r"[\s>]*[-*+] \[[ x]?\] (?:I\b.*\b(?:read|underst|agree|accept|confirm|compl)|.*\babove\b)"
)
# Work of any kind.
WORK = _any(
    CONTRIBUTED.pattern,
    REFUSES.pattern,
    r"\bpolic|\bus(?:e|ed|ing|age)\b|generat|\bassist|\bwrit|submi|\btools?\b|declar|accept|welcom|allow",
)

# Trailers: key, colon, value; where a clause begins, what refuses one in it, and what keeps one
# from being asked for.
TRAILER = _any(
    r"(?<![\w-])((?:\w+-)*(?:assisted|generated|authored|developed|created|written|made|helped)"
    r"-(?:by|with)(?:-\w+)*|(?<![\w`] )(?:AI|LLM|Agent|Coding)-[\w-]+(?=:))(?![\w-])"
    r"\**(:?)(?:[`\"”’']|\**[ \t]*([^\n`\"”’']*))"
)
CLAUSE = _any(
    r"[.;]\s+|,\s+(?=(?:(?:but|and|do) )*(?:not?|never|don.t|removed?)\b)",
    r"[,–—-]\s+(?=(?:(?:but|and|please|instead|rather|always),? )*"
    r"(?:use|add|write|put|end|credit)\b)",
    r"\b(?=(?:instead of|rather than)\b)|\s(?=not \W?[\w-]+-by\b)",
)
UNWANTED = _any(
    r"(?:^|: )\W*no\s|\b(?:not|never|n.t)\W+(?:\w+ ){0,3}(?:us|add|includ|list|nam|append|put"
    r"|insert|sign|writ|contain|have|commit|as |be )|(?:\bnot|\bnever)\W*$|\b(?:instead of"
    r"|rather than|removed?|strip|without|drop|omit|leave out"
    r"|(?:forbid|prohibit|disallow|avoid|reject|bann)\w*)\b"
    r"|\bno\b\W*(?:\w+(?:-\w+)*\W+){0,3}$"
)
NEGATIVE = _any(r"\b(?:no|not|never|cannot|nor|neither)\b|n['’]t\b")
