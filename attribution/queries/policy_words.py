"""The words by which the texts of a project are read: which files, what speaks of AI at all, what a
sentence does. Small and capital letters are alike.
"""

import re


def _any(*shapes: str) -> re.Pattern[str]:
    return re.compile("|".join(shapes), re.I)


_TEXT = r"(?:\.(?:md|mdx|mdc|markdown|rst|txt|adoc))"

# Files: the template for pull requests, texts about contributions and AI, those that speak of AI
# for other reasons as well, and those that say nothing about this project's own contributions.
TEMPLATE = _any(r"(?:^|/)(?:pull|merge)[-_]request[-_]templates?(?:\.\w+|/[^/]+)?$")
POLICY = _any(
    rf"(?:^|/)[^/]*contribut[^/]*(?:/[^/]*)?(?:{_TEXT}|(?<=contributing))$",
    rf"(?:^|/)(?:[^/]*hacking|submitting-?patches|code[-_ ]of[-_ ]conduct){_TEXT}?$",
    r"(?:^|/)(?:[^/]*[-_ ])?(?:gen[-_]?)?(?:ai|llms?|agents?)(?![a-z])[-_ ]?(?:tool|gen|assist"
    rf"|polic|us|contrib|guid|disclos|cod|statement|attrib)[^/]*{_TEXT}$",
    rf"(?:^|/)(?:(?:gen)?(?:ai|llm)|generative[^/]*|[^/]*coding-assistants|code-provenance){_TEXT}$",
)
GENERAL = _any(
    rf"(?:^|/)(?:readme|agents|claude|gemini|copilot-instructions|review|governance){_TEXT}$",
    rf"(?:^|/)[^/]*dev(?:elop\w*)?[-_]?(?:guide|ment|ing|ers?)?{_TEXT}$|(?:^|/)readme\.dev\w*$",
    r"^\.(?:claude|cursor)/rules/[^/]+$"
    r"|^\.github/instructions/",
)
FOREIGN = _any(
    r"(?:^|/)(?:vendor|third[-_]?party|node_modules|deps|tests?|fixtures|testdata|i18n"
    r"|versioned_docs|v\d[\d.]*)/"
    r"|llms(?:-full)?\.txt$",
)
FOR_AGENTS = _any(r"agents?\b|claude|copilot")

# What speaks of AI at all.
ABOUT_AI = _any(
    r"(?<![/@.])(?<!\w[-_])\b(?:gen)?A\.?I\b(?![-.]\w+\.\w)(?!\.\w)",
    r"\bnon-AI\b|\bartifi?cial intelligence|\bLLMs?\b|\blanguages? models?",
    r"\bgenerative\W+(?:\w+ )?(?:AI|artificial|models?|tools?)\b",
    r"\bgen-?ai\b|\b(?:copilot|chatgpt|claude)\b|\bchatbots?\b|machine[- ]generated",
    r"\bautonomous\w* (?:\w+ )?(?:code|submi|contrib)|\bagents (?:which|that) write",
    r"vibe[- ]?cod|\b(?:coding|code|autonomous) (?:agent|assistant)",
)
# What a sentence does: it asks to be told, or for another sign.
TELLS = _any(
    r"\b(?:disclos|declar(?:e|ed|ing)\b|transparen|acknowledg|own up|up-?front\b)"
    r"|\bhonest\w* about (?:AI|your|the)\b|\bconvey"
    r"|\b(?:clearly|explicitly) (?:indicat|mark|stat)ed\b",
    r"\b(?:mention|state|say|note(?! that|:)|specify|indicate|identify|name|credit|inform|tell"
    r"|report)\b.{0,60}\b(?:AI|LLMs?|tools?|this|that in|it|so|us(?:e|age)|which|what|how"
    r"|extent)\b",
    r"\b(?:describe|explain|document)\b.{0,60}\b(?:AI|LLMs?|tools?|us(?:ed?|age))\b"
    r"|\blet (?:us|reviewers|the \w+) know\b|\battribut(?:e|ed|ion)\b",
)
SIGNS = _any(
    r"\b(?:add|apply|include|use|insert|append|put|end|write|tick|check|mark|label|tag|flag|prefix)\b"
    r".{0,80}"
    r"(?:\blabel|\btrailer|\btag\b|\bbox|\btitle|\bsection|\bfooter|\bdisclos"
    r"|\bdescription|[\w-]+-(?:by|with)\b)",
    r"\blabel is required|^[`*\s]*[\w-]+-[\w-]+:",
)
MUST = _any(
    r"\b(?:must|should|shall|please|need\w*|required?|requires|expect\w*|asks?|have to|always"
    r"|mandatory|encourage\w*|recommend\w*|appreciat\w*|want|would like|if you)\b",
    r"(?:^|: |, )\W*(?:also |then |please |do )?(?!disclosur)(?:disclose|declare|be |mention|state"
    r"|say|note|describe|explain|let|tell|add|use|identify|credit|label|mark|acknowledge|include)",
)
NEED_NOT = _any(
    r"(?:\b(?:not|no|never)|n.t)\b\W+(?!forget|hesitat|fail)(?:[^\s,.;:]+\W+){0,4}"
    r"(?:disclos|declar|mention|attribut|tell|say|state|report)"
)
# It refuses something; and what makes that no refusal, or one of some of it or some uses.
REFUSES = _any(
    r"(?:\b(?:not|never|cannot|no longer)|n.t)\b\W+(?:[^\s,.;:]+ ){0,2}(?:accept|allow|permit"
    r"|welcom|merg|submit|includ|contain|contribut|commit|consider|paste|open\b|upload|send|post\b"
    r"|us(?:e|ed|ing)\b|add\b|list|written|made with)",
    r"\b(?:forbid|prohibit|bann?(?:ed|s)?\b|disallow|declin|reject|refrain|refuse|unaccept)"
    r"|\bunwelcome|\b(?:takes?|accepts?|wants?|allows?|permits?|merges?) no\b",
    r"\bwill be (?:\w+ )?(?:closed|removed|deleted)",
    r"(?:^|: )\W*(?:strictly )?no (?:\S+ ){0,3}?\W?(?:AI|LLM|gen)",
    r"\b(?:must|should|only)\b.{0,60}\b(?:written|authored|created) by (?:a )?humans?\b",
)
SOME = _any(
    r"(?:\bnot|n.t|\bneither|\bnever)\W+(?:\w+ ){0,2}(?:forbid|prohibit|bann|disallow|refuse|reject"
    r"|unwel)",
    r"\b(?:had|did|has|have)(?: \w+)?(?: not|n.t)\b",
    r"\b(?:if|when|where|unless|without|until|may|might|can|could|some|certain|solely|pure(?:ly)?|100"
    r"|(?:wholly|full|fully|entire\w*|complete\w*)(?!(?: or |/)(?:in[- ])?part)"
    r"|large(?:ly)?(?! language)|most\w*|major\w*|primar\w+|main\w*"
    r"|substantial\w*|good.first|beginner|first|who|that you|which you|or not)\b",
    r"disclos|declar|label|attribut|slop|spam|\blow\b|quality|autono|automat|unsupervis|\bbots?\b",
    r"comment|issue|discus|report|review|descri|messag|repl(?:y|ies)|respon|communic|translat",
    r"co-?author(?!ed by)|as an? author|trailer|\w-by\b|\bsign|verbatim|blind|\braw\b|as[- ]is",
    r"careless|\bun(?!equiv)\w+ed\b|underst|explain|\btest|verif|check|effort",
    r"acceptable (?:answer|excuse|reason|response|explanation)|vibe|behalf|in place of|substitut"
    r"|interact|speak",
    r"^(?!.*\bcode\b).*(?:\barts?\b|artwork|image|media|audio|music|video|icon|asset)",
)
RULES = _any(
    r"\b(?:must|should|shall|may|cannot|please|do not|don.t|never|always|only|required?"
    r"|responsib\w+|guidelines?|polic(?:y|ies)|usage|welcome|allow\w*|accept\w*)\b"
)
WORK = _any(
    r"\b(?:contribut\w*|code|patch(?:es)?|commits?|changes|submissions?|content|work|material"
    r"|(?:pull|merge) requests?|PRs?)\b"
)
CONTRIBUTED = _any(r"\bcontribut|\bpull request|\bPRs?\b|\bpatch|\bcommit|\w-by\b")
ELSEWHERE = _any(
    r"\b(?:vulnerab|security|advisor|translations?\b|reports?\b)",
    r"\b(?:feature|plugin|extension|users?|customers?|provider|endpoint|chatbots?) "
    r"(?:must|should|shall|will|can|lets?|needs?)\b",
)
# A person is to write the text that goes with the change.
OWN_WORDS = _any(
    r"\bown (?:words|writing|voice)\b",
    r"\b(?:yourself|by hand|by (?:a |the )?(?:humans?|person|you))\b.{0,40}\b(?:desc|text|message)",
    r"\b(?:descriptions?|texts?|messages?|communicat\w+|words)\b.{0,60}\b(?:(?:written|authored"
    r"|come) (?:(?:by|from) (?:a |the )?(?:humans?|person|people|you)\b|by hand)|yourself)",
    r"(?:\b(?:not|never|no)|n.t)\b.{0,60}\b(?:PR desc|pull request desc|descriptions?|explanation"
    r"|communicat\w+|commit messages?|speak)",
)

# Trailers: key, colon, value; where a clause begins to refuse one; what one may stand for.
TRAILER = _any(
    r"(?<![\w-])((?:\w+-)*(?:assisted|generated|authored|developed|created|written|made|helped)"
    r"-(?:by|with)(?:-\w+)*|(?<![\w`] )(?:AI|LLM|Agent|Coding)-[\w-]+(?=:))(?![\w-])"
    r"\**(:?)(?:[`\"’']|\**[ \t]*([^\n`\"”'’]*))"
)
CLAUSE = _any(
    r"[.;]\s+|,\s+(?=(?:(?:but|and|do) )*(?:not?|never|don.t|removed?)\b)",
    r"[,–—-]\s+(?=(?:(?:but|and|please|instead|rather|always),? )*"
    r"(?:use|add|write|put|end|credit)\b)",
    r"\b(?=(?:instead of|rather than)\b)|\s(?=not \W?[\w-]+-by\b)",
)
UNWANTED = _any(
    r"^\W*no\s|\b(?:not|never|n.t)\W+(?:\w+ ){0,3}(?:us|add|includ|list|nam|append|put|insert|sign"
    r"|writ|contain|have|commit|as |be )|(?:\bnot|\bnever)\W*$|\b(?:instead of|rather than|removed?"
    r"|strip|without|drop|omit|leave out|(?:forbid|prohibit|disallow|avoid|reject|bann)\w*)\b"
    r"|\bno\b\W*(?:[\w-]+\W+){0,3}$"
)
NAMED = _any(r"\b(?:tool|agent|model|assistant|AI|LLM)s?(?![a-z])|agent_|model_|tool_|^claude")
