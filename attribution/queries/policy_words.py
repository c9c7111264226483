"""The words by which the texts of a project are read: what speaks of AI at all, what a sentence
does, how a form is laid out. Small and capital letters are alike.
"""

import re
from functools import cache

_WORDS = {
    # What speaks of AI at all.
    "about_ai": (
        r"\bA\.?I\b(?!\.\w)|\bartificial intelligence|\bLLMs?\b|\blanguages? models?|"
        r"\bgenerative|\bgen-?ai\b|\b(?:copilot|chatgpt|claude)\b|\bchatbots?\b|"
        r"machine[- ]generated|vibe[- ]?cod|\b(?:coding|autonomous) (?:agent|assistant)"
    ),
    # Files: texts about contributions and AI, those that speak of AI for another reason as well,
    # and those of others.
    "template": r"(?:^|/)(?:pull|merge)_request_templates?(?:\.\w+|/[^/]+)?$",
    "policy": (
        r"^(?:\.github/|docs?/)?(?:[\w-]*[-_])?(?:ai|llms?)(?![a-z])[\w -]*\.(?:md|rst|txt|"
        r"adoc)$|"
        r"^(?:[^/]+/){0,5}(?:(?:[\w-]*[-_])?(?:ai|llms?)[-_ ]?(?:tool|gen|assist|polic|us|"
        r"contrib|guid|disclos|cod|statement)|"
        r"generative|coding-assistants|code-provenance)[\w -]*\.(?:md|rst|txt|adoc)$|"
        r"^(?:[^/]+/){0,3}(?:contribut(?:ing|e)|hacking|submitting-?patches|"
        r"code[-_]of[-_]conduct)(?:\.(?:md|rst|txt|adoc))?$|"
        r"^(?:[^/]+/){0,3}contribut(?:ing|e|ors?)/[^/]+\.(?:md|rst|txt|adoc)$"
    ),
    "general": (
        r"^(?:\.github/)?(?:readme|agents|claude|gemini|copilot-instructions)\.(?:md|rst|txt)$"
    ),
    "foreign": (
        r"(?:^|/)(?:vendor|third[-_]?party|node_modules|deps|tests?)/|llms(?:-full)?\.txt$"
    ),
    "for_agents": (r"(?:^|[/_-])(?:ai|llms?)[-_.]|agents|claude|copilot|coding-assist"),
    # What a sentence does.
    "refuses": (
        r"\b(?:not|never|cannot|no longer|nor|"
        r"(?:do|does|wo|ca|is|are)n.?t)\b\W+(?:[^\s,.;:]+ ){0,2}(?:accept|allow|permit|welcom|"
        r"merg|submit|includ|contain|contribut(?:e|ing)|commit|open\b|upload|send|post\b|"
        r"written|made with)|"
        r"\b(?:not|never|(?:do|does|wo|ca)n.?t)\b\W+(?:[^\s,.;:]+ )?us(?:e|ed|ing)\b|"
        r"\b(?:forbids?|forbidden|prohibit\w*|banned|disallow\w*|declin\w+|reject\w*|refrain|"
        r"refuse\w*|unacceptable|unwelcome)\b|"
        r"\bbans? (?:all|any|on|the|AI|LLM)\b|"
        r"(?:^|: )\W*(?:strictly )?no (?:\S+ ){0,3}?\W?(?:AI|LLM|gen)|"
        r"\bwill be (?:\w+ )?(?:closed|removed|deleted)|\bfree (?:from|of)\b|"
        r"\b(?:must|should|only|all)\b.{0,60}\b(?:written|authored|"
        r"created) (?:\S+ ){0,4}by (?:a )?humans?\b"
    ),
    "work": (
        r"\b(?:contributions?|contribute|code|patch(?:es)?|commits|changes|submissions?|content|"
        r"work|material|project)\b|"
        r"\b(?:(?:pull|merge) requests?|PRs?)(?! (?:desc|bod|comm|tit|text|temp))\b"
    ),
    "contributed": r"\bcontribut|\bpull request|\bPRs?\b|\bpatch",
    # What makes a refusal one of some of it, or of something else than the work.
    "some": (
        r"slop|spam|\blow[- ]|careless|\bblind|verbatim|\braw\b|as[- ]is\b|vibe|vague|unless|"
        r"without|until|\bif (?:you|it|they|the|an?)\b|"
        r"\b(?:you|who|that|they|which)(?: \w+){0,2} (?:cannot|"
        r"(?:ca|do|does|did|have|has)(?:n.t| not))\b|"
        r"\bun(?:review|verif|test|vet|disclos|mark|changed|modif|check|superv)|autono|automat|"
        r"\b(?:solely|pure(?:ly)?|whol(?:e|ly)|full(?:y)?|complete(?:ly)?|large(?:ly)?|mostly?|"
        r"primarily|mainly|clear(?:ly)?|entire(?:ly)?|excessive|obvious(?:ly)?)\b(?! language)|"
        r"\b(?:looks?|appears?|seems?|bulk|mass)\b|speak|communic|convers|discuss|respon[ds]|"
        r"\brepl(?:y|ies)\b|answer|address|behalf|interact|translat|\breview|\bcomments?\b|"
        r"good.first|\bmedia\b|reserve|\bor not\b|\bwhere\b|signed-off|trailer|\w-by\b|"
        r"\bco-?author"
    ),
    "lacking": r"\b(?:without|unless|lack|miss|omit|no longer)",
    "wholly": (
        r"\b(?:wholly|fully|entirely|completely|(?:in )?whole)(?: or |/)(?:in[- ])?part\w*|"
        r"without (?:further |any |prior )*(?:review|discussion|warning|notice|comment|"
        r"explan)\w*"
    ),
    "asks": (
        r"\b(?:must|should|shall|please|need\w*|required?|requires|expect\w*|asks?|have to|"
        r"encourage|prefer|recommend\w*|requests?)\b.*?\bSTATES|"
        r"(?:^|: |^(?:if|when)\b.*?, )\W*(?:always |also |please |then |do |"
        r"fill in .*)?(?!disclosur|disclosi)STATES|"
        r"^\[[ x]?\].*\b(?:disclosed|declared|explain|describe|specify)\b|"
        r"\bdisclosure\b.{0,30}\b(?:required|mandatory)"
    ),
    "need_not": (r"\b(?:not?|never|(?:do|does|is|are)n.?t)\b\W+(?:[^\s,.;:]+\W+){0,4}STATES"),
    "states": (
        r"disclos\w+|declar(?:e|ed|ing)\b|transparent\b|let us know|attribut(?:e|ed|ing)\b|"
        r"(?:state|say|mention|indicate|specify|document|describe|report|note(?! that)|reveal|"
        r"acknowledge|identify|list|name|credit|tell|label|inform|include|add|"
        r"make)\b.{0,60}?\b(?:which|what|whether|how|clear|us(?:e|age)\b|so|(?:this|it|that) in|"
        r"the tools?|tools? used|\S+-by)\b|"
        r"(?:mark|tick|check|select|complete)\b.{0,40}\b(?:box|boxes|option|checklist|"
        r"section)\b|"
        r"(?:mark|label|tag|flag)(?:ed)?\b.{0,30}\b(?:as|AI|LLMs?)\b"
    ),
    "about_stating": r"disclos|transparen|attribution",
    "tools": (r"\b(?:the|which|what) (?:AI )?tools?\b|\btools?\b.*\bus(?:e|ed|ing)\b"),
    "uses": (r"\bus(?:e|ed|es|age|ing)\b|assist|generat|\btools?\b|disclos|wrote|written"),
    "reports": r"\b(?:reports?|issues?|vulnerab\w+|security|translat\w+|comments?)\b",
    "commits": r"^(?=.*\bcommit|.*-by\b)(?!.*(?:pull|merge) request|.*\bPRs?\b)",
    "points": r"polic|guideline|rules|contribut",
    # Trailers: key, colon, value; where a clause begins to refuse one; what one may stand for.
    "trailer": (
        r"(?<![\w-])((?:\w+-)*(?:assisted|generated|authored|developed|created|written|made|"
        r"helped)-(?:by|with)(?:-\w+)*|"
        r"(?<![\w`] )(?:AI|LLM|Agent|Coding)-[\w-]+(?=:))(?![\w-])\**(:?)(?:[`\"]|"
        r"\**[ \t]*([^\n`\"”]*))"
    ),
    "clause": (
        r"\n\n|\n(?=\W*[\w-]+:)|[.;]\s+|"
        r",\s+(?=(?:(?:but|and|do) )*(?:not?|never|don.t|removed?)\b)|"
        r"\b(?=(?:instead of|rather than)\b)"
    ),
    "unwanted": (
        r"^\W*no\s|"
        r"\b(?:not|never|don.t|instead of|rather than|removed?|strip|without|"
        r"(?:forbid|prohibit|disallow|avoid|bann)\w*)\b"
    ),
    "named": (r"\b(?:tool|agent|model|assistant|AI|LLM)s?(?![a-z])|agent_|model_|tool_"),
    "any_program": r"^(AI|LLM)s?\b(?!\s?[\w:/(-])",
    "between": r"^[<\[{$(]*[\w.-]+(?: [\w.-]+){0,3}[>\]})]*\s?([:/])(?!/)\s?[<\[{$(]*\w",
    "model": (r"^(?!.*(?:tool|agent|name|assistant|program|harness)).*(?:model|version|\w-\d)"),
    # Pull-request templates.
    "box": r"^(\s*(?:(?:[-*+]|\d+\.)\s*)?)\[[ x]?\](\s*)(.*)$",
    "more": r"^\s+(?![-*+]\s|\d+\.\s|\[)\S",
    "heading": r"^#{1,6} |^\*\*.*\*\*:?\s*$|^-{3,}$|^<details",
    "comment": (
        r"<!--(?:(?!--!?>).)*?((?:generated|assisted)-by:)(?:(?!--!?>).)*--!?>|<!--.*?--!?>"
    ),
    "placeholder": (
        r"(?<=-by: ).+|(?<=\|)[^|]+\|$|`?<[a-z][^<>]*>`?\.?|\{[^{}]*\}|_{3,}|"
        r"\[(?:tool|name|agent|model|llm|fill|e\.g\.)[^\]]*\](?!\()|\b(?:N/A|yes ?/ ?no)$"
    ),
    "reference": r"^\[[^\]]+\]:\s",
    # An answer that is there already, and is not so where an agent took part.
    "denies": (
        r"^[\W_]*(?:none|n/a|no|not applicable|"
        r"(?:no|i did not use|without)(?: any)? (?:AI|LLMs?)(?: tools?)?(?: (?:was|"
        r"were))?(?: used)?)[\W_]*$"
    ),
    # What only the contributor can say; what stands before it may be on record.
    "promise": (
        r"\b(?:I|we) (?:have (?!not |n.t |used)|confirm|certify|understand|take|am\b|will|can\b|"
        r"did (?!not |n.t |use)|(?:\w+ly )?(?:review|verif|test|check|read|ran\b))|"
        r"\bI.ve\b(?! used)|\bmy use\b|\b(?:policy|guidelines)\b|\bthe PR includes\b|"
        r"\byou (?:have|confirm|certify|affirm|agree|assert)\b|"
        r"\b(?:humans?|authors?|contributors?|submitters?) (?:has|have|will|takes?)\b|"
        r"\b(?:has|have|was|were|been|is|are) (?:\w+ )?(?:review|verifi|test|check|understood)|"
        r"^\W*(?:\w+ly )?(?:reviewed|verified|tested|understood|read|followed|filled|completed|"
        r"disclosed|documented)\b"
    ),
}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The words of this name; `.` is any character of several lines."""
    text = _WORDS[name].replace("STATES", f"(?:{_WORDS['states']})")
    return re.compile(text, re.I | re.S)


def finds(name: str, text: str) -> re.Match[str] | None:
    return pattern(name).search(text)
