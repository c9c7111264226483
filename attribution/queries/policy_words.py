"""The words by which the texts of a project are read: what speaks of AI at all, what a sentence
does, how a form is laid out. Small and capital letters are alike.
"""

import re
from functools import cache

_WORDS = {
    # What speaks of AI at all.
    "about_ai": (
        r"(?<![/@.])(?<!\w[-_])\bA\.?I\b(?![-.]\w+\.\w)(?!\.\w)|\bnon-AI\b|"
        r"\bartificial intelligence|\bLLMs?\b|\blanguages? models?|"
        r"\bgenerative|\bgen-?ai\b|\b(?:copilot|chatgpt|claude)\b|\bchatbots?\b|"
        r"\bautonomous(?:ly)?\b.{0,30}\b(?:contribut|bots?|agents?|PRs?|pull)|"
        r"machine[- ]generated|vibe[- ]?cod|\b(?:coding|autonomous) (?:agent|assistant)"
    ),
    # Files: texts about contributions and AI, those that speak of AI for another reason as well,
    # and those of others.
    "template": r"(?:^|/)(?:pull|merge)[-_]request[-_]templates?(?:\.\w+|/[^/]+)?$",
    "policy": (
        r"^(?:\.github/|docs?/)?(?:[\w-]*[-_])?(?:ai|llms?)(?![a-z])[\w -]*\.(?:md|rst|txt|"
        r"adoc)$|"
        r"^(?:[^/]+/){0,5}(?:(?:[\w-]*[-_])?(?:ai|llms?)[-_ ]?(?:tool|gen|assist|polic|us|"
        r"contrib|guid|disclos|cod|statement)|"
        r"generative|coding-assistants|code-provenance)[\w -]*\.(?:md|rst|txt|adoc)$|"
        r"^(?:[^/]+/){0,3}(?:contribut(?:ing|e)|hacking|submitting-?patches|"
        r"code[-_]of[-_]conduct)(?:\.(?:md|rst|txt|adoc))?$|"
        r"^(?:[^/]+/){0,3}contribut(?:ing|e|ors?|ions?)/[^/]+\.(?:md|rst|txt|adoc)$|"
        r"^(?:[^/]+/){0,3}[\w-]*contribut[\w-]*(?:\.(?:md|rst|txt|adoc))?$"
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
        r"merg|submit|includ|contain|contribut(?:e|ing)|commit|consider|paste|open\b|upload|send|post\b|"
        r"written|made with)|"
        r"\b(?:not|never|(?:do|does|wo|ca)n.?t)\b\W+(?:[^\s,.;:]+ )?us(?:e|ed|ing)\b|"
        r"\b(?:forbids?|forbidden|prohibit\w*|banned|disallow\w*|declin\w+|reject\w*|refrain|"
        r"refuse\w*|unacceptable|unwelcome)\b|"
        r"(?:\bnot|\bnever|n.t)\b.{0,40}\bas (?:an? |the )?(?:co-?)?authors?\b|"
        r"\b(?:takes?|accepts?|wants?|allows?|permits?|merges?) no\b|"
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
    "lacking": r"\b(?:without|unless|lack|miss|omit|forget|no longer)",
    # What is no refusal: that something is not forbidden, a condition, an excuse.
    "allows": (
        r"(?:\bnot|\bneither|\bnever|n.t)\b\W+(?:[^\s,.;:]+ ){0,2}(?:forbidden|forbid|prohibit\w*|"
        r"banned|ban|disallow\w*|refuse\w*|reject\w*|unwelcome|unacceptable)\b|"
        r"\b(?:if|when|where|unless|whether)\b[^,.;:]{0,60}?(?:\bnot|n.t|\bnever)\b[^,.;:]*|"
        r"\b(?:did|does|has|have|had(?: \w+)?)(?: not|n.t)\b|"
        r"\b(?:not|never)\b \W?(?:[\w-]+ ){0,3}(?:answer|excuse|reason|explanation|defen[cs]e)\b"
    ),
    "wholly": (
        r"\b(?:wholly|fully|entirely|completely|(?:in )?whole)(?: or |/)(?:in[- ])?part\w*|"
        r"without (?:further |any |prior )*(?:review|discussion|warning|notice|comment|"
        r"explan)\w*"
    ),
    "asks": (
        r"\b(?:must|should|shall|please|need\w*|required?|requires|expect\w*|asks?|have to|"
        r"encourage|prefer|recommend\w*|requests?|appreciate|kindly|want|love|would like|"
        r"(?:we|I).d like|helps?|courtesy|good practice|polite|fair)\b.*?\bSTATES|"
        r"(?:^|: |^(?:if|when|where|should)\b.*?, )\W*(?:(?:always|also|please|then|do|just|simply"
        r"|be|so|and) |fill in .*)*(?!disclosur|disclosi)STATES|"
        r"^\[[ x]?\].*\b(?:disclosed|declared|explain|describe|specify)\b|"
        r"\bdisclosure\b.{0,30}\b(?:required|mandatory)"
    ),
    "need_not": (
        r"\b(?:not?|never|(?:do|does|is|are)n.?t)\b\W+(?:[^\s,.;:]+\W+){0,4}STATES|"
        r"\b(?:feature|plugin|extension|users?|customers?|provider|endpoint|chatbots?) "
        r"(?:must|should|shall|will|can|lets?|needs?)\b"
    ),
    # What a statement is to say.
    "wants_parts": (
        r"\b(?:which|what) (?:\w+ ){0,2}(?:parts?|portions?|sections?|files?|lines?|code|changes|"
        r"pieces|areas|components)\b|\b(?:extent|how much|degree|proportion|percentage|portions?|"
        r"(?:the|all|any) parts?)\b"
    ),
    "wants_how": (
        r"\bhow\b(?! much| (?:you |it |the \S+ |they )?(?:\w+ ){0,3}(?:review|test|verif|check))"
        r"|\bmanner\b|\bwhat (?:for|purpose)\b|\bpurpose|\bprompts?\b|"
        r"\bwhat\b.{0,30}\b(?:used?|did|helped|assisted|contributed|generated|role)\b(?! tools?)"
    ),
    "wants_review": (
        r"\bhow\b.{0,60}\b(?:review|test|verif|check)\w*|\bhuman (?:review|oversight|verif)|"
        r"(?<!you )\b(?:attest|confirm|affirm|certify|explain|describe)\b.{0,60}\b(?:review|test|"
        r"verif|understand|understood|read)"
    ),
    "states": (
        r"disclos\w+|declar(?:e|ed|ing)\b|transparent\b|attribut(?:e|ed|ing)\b|"
        r"let (?:us|me|reviewers|the (?:reviewers?|maintainers?)) know|own up|"
        r"(?:honest|open|up-?front|candid|forthright|forthcoming|frank|truthful)\b.{0,20}\b(?:about|"
        r"that|on|with|whether|if)\b|(?:say|said|state) so\b|know (?:that|if|when|whether)\b|"
        r"(?:mention|note(?! that|:| on)|acknowledge|credit|flag|call out|point out|report|"
        r"add a note|leave a note|give)\b.{0,40}?\b(?:AI|LLMs?|Copilot)\b(?!-generated tests)|"
        r"(?:inform|tell|remind|notify|warn)\b.{0,40}\b(?:that|about|of)\b|(?:mention|note) "
        r"(?:it|this|that|them)\b|"
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
        r"helped|signed-off)-(?:by|with)(?:-\w+)*|"
        r"(?<![\w`] )(?:AI|LLM|Agent|Coding)-[\w-]+(?=:))(?![\w-])\**(:?)(?:[`\"]|"
        r"\**[ \t]*([^\n`\"”]*))"
    ),
    "clause": (
        r"\n\n|\n(?=\W*[\w-]+:)|[.;]\s+|"
        r",\s+(?=(?:(?:but|and|do) )*(?:not?|never|don.t|removed?)\b)|"
        r"[,–—-]\s+(?=(?:(?:but|and|please|instead|rather) )*(?:use|add|write|put|end|credit)\b)|"
        r"\b(?=(?:instead of|rather than)\b)"
    ),
    "unwanted": (
        r"^\W*no\s|"
        r"\b(?:(?:not|never|don.t)(?! (?:forget|omit|miss|leave))|instead of|rather than|"
        r"removed?|strip|without|drop|omit|leave out|(?:forbid|prohibit|disallow|avoid|bann)\w*)\b|"
        r"\bno\b\W*(?:[\w-]+\W+){0,3}$"
    ),
    "named": (r"\b(?:tool|agent|model|assistant|AI|LLM)s?(?![a-z])|agent_|model_|tool_"),
    "any_program": r"^(AI|LLM)s?\b(?!\s?[\w:/(-])",
    "between": r"^[<\[{$(]*[\w.-]+(?: [\w.-]+){0,3}[>\]})]*\s?([:/])(?!/)\s?[<\[{$(]*\w",
    "model": (r"^(?!.*(?:tool|agent|name|assistant|program|harness)).*(?:model|version|\w-\d)"),
    "about_authors": (
        r"\bco-?author(?!ed by)|trailer|\w-by\b|sign(?:ed|s|ing)?[- ]off|as an? (?:author|"
        r"contributor)|\bauthorship\b"
    ),
    "line_of_trailer": r"^\s*([A-Za-z][\w-]*-(?:by|with|off)(?:-\w+)*):\s*(\S.*)$",
    # Pull-request templates.
    "box": r"^(\s*(?:(?:[-*+]|\d+\.)\s*)?)\[[ x]?\](\s*)(.*)$",
    "more": r"^\s+(?![-*+]\s|\d+\.\s|\[|<!--)\S",
    # The last line of such a label that is to be completed.
    "goes_on": r"^\s+(?-i:[a-z(]).*:\W*$",
    # A box whose label goes on in a line that is not indented.
    "wrapped": (
        r"(?m:^([ \t]*(?:[-*+]|\d+\.)[ \t]+\[[ x]?\] [^\n]*"
        r"(?:\n[ \t]+(?![-*+] |\d+\. |<!--|\[)\S[^\n]*)*)\n"
        r"(?=(?-i:[a-z(])|(?![^\n]*[:?]\W*$)[^\s#<>|*_+=\[-])(?!\d+\. |\[[ x]?\]|[^\n]+\n[=-]{3}))"
    ),
    "heading": r"^#{1,6} |^\*\*.*\*\*:?\s*$|^-{3,}$|^<details",
    "comment": (
        r"<!--(?:(?!--!?>).)*?((?:generated|assisted)-by:)(?:(?!--!?>).)*--!?>|<!--.*?--!?>"
    ),
    "asks_in_comment": (
        r"\?|\b(?:say|tell|write|explain|describe|list|name|mention|note|disclose|declare|state|"
        r"specify|indicate|include|inform|add|answer|provide|give)\b"
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
    "passive": r"^(?:has|have|was|were|been|is|are)\b",
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

# What sentences speak of that refuse something of AI, not all that it made.
_LIMITS = (
    # work whose use of AI is not stated
    (
        r"\bundisclos|\bundeclar|\bunmark|(?:\bwithout|\bunless|\bfail\w*|\bnot|n.t|"
        r"\bomit\w*|\bhid\w+)\b.{0,40}\b(?:disclos|declar|acknowledg|attribut|label|saying|"
        r"stating|mention)"
    ),
    # AI for issues that are left to beginners
    (
        r"good.first|\bbeginners?\b|\bnewcomers?\b|first[- ]time(?:r| contrib| issue)|"
        r"starter"
    ),
    # agents that act on their own
    (
        r"autono|unsupervis|unattend|\bbots?\b|without (?:a |any )?(?:human|person)|"
        r"\bautomat\w+ (?:agents?|tools?|contributions?|PRs?|pull|submi)|\bautomatically\b|"
        r"\bagents?\b.{0,40}\b(?:open|submit|creat|post|comment|act)|\bif you are an? (?:AI|"
        r"LLM|agent|autonomous)"
    ),
    # AI that writes or speaks for a person (issues, discussions, reviews)
    (
        r"^(?!.*\b(?:code|patch(?:es)?)\b).*(?:\bcomments?\b|discuss|\bissues?\b|"
        r"\breports?\b|\brepl(?:y|ies)\b|respon[ds]|answer|communic|convers|messages?\b|"
        r"\bposts?\b|\bemails?\b|desc?ription|translat)|speak|behalf|\binteract|"
        r"in place of you|\b(?:address|pass\w*|feed\w*|forward\w*|"
        r"relay\w*)\b.{0,40}\b(?:review|feedback|comment)|\b(?:AI|LLM|"
        r"machine)[- ](?:generated|written|authored)? ?(?:repl|respon|comment|review|answer|"
        r"messag|descr|issues?\b|text)|\bcode reviews?\b|\breview(?:s|ing|"
        r"ers?)? (?:comments?|by|of others)"
    ),
    # pictures, sound and other media that AI made
    (
        r"^(?!.*\bcode\b).*\b(?:media|images?|pictures?|art(?:work)?|audio|music|sounds?|"
        r"videos?|icons?|logos?|textures?|assets?|voice\w*|sprites?)\b"
    ),
    # work of AI that nobody understood or checked
    (
        r"blind|verbatim|\braw\b|as[- ]is\b|copy.?past|\bun(?:review|verif|test|vet|changed|"
        r"modif|check|edit|curat|filter|understood)|(?:\bnot|n.t|\bnever|\bcannot|\bwithout|"
        r"\bunless|\buntil)\b.{0,50}\b(?:review|underst|explain|test|verif|check|read|vet|"
        r"justif|oversight|responsib)|\bhuman (?:review|in the loop|oversight)|"
        r"\bfully? understand"
    ),
    # careless or worthless work of AI
    (
        r"slop|spam|\blow[- ]|careless|vibe|vague|\b(?:bulk|mass|flood\w*|dump\w*)\b|"
        r"excessive|drive-by|worthless|poor|\bgarbage|effort|hallucinat|unproductive|"
        r"not (?:be )?useful|do not actually"
    ),
    # work that AI made wholly or for the most part
    (
        r"\b(?:solely|pure(?:ly)?|whol(?:e|ly)|full(?:y)?|100|complete(?:ly)?|large(?:ly)?|"
        r"mostly?|majority|predominant(?:ly)?|primarily|mainly|entire(?:ly)?|"
        r"substantial(?:ly)?|exclusively)\b(?! language)"
    ),
    # some uses of AI
    (
        r"\bwithout\b|\bunless\b|\buntil\b|\bif (?:you|it|they|the|an?)\b|\b(?:you|who|that|"
        r"they|which)(?: \w+){0,2} (?:cannot|(?:ca|do|does|did|have|has)(?:n.t| not))\b|"
        r"\b(?:looks?|appears?|seem\w*|clear(?:ly)?|obvious(?:ly)?)\b|reserve|\bor not\b|"
        r"\bwhere\b|\baddress|\breview|\bsome\b|\bcertain\b|\b(?:core|security|critical|"
        r"legal)\b.{0,20}\b(?:code|files?|parts?|modules?|paths?)"
    ),
)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The words of this name; `.` is any character of several lines."""
    text = _WORDS[name].replace("STATES", f"(?:{_WORDS['states']})")
    return re.compile(text, re.I | re.S)


def finds(name: str, text: str) -> re.Match[str] | None:
    return pattern(name).search(text)


def is_limit(sentence: str) -> bool:
    """Whether a sentence that refuses something of AI refuses some of it, or some uses."""
    text = pattern("wholly").sub(" ", sentence)
    if finds("about_authors", text) or not finds("work", text):
        return True
    return any(re.search(shape, text, re.I | re.S) for shape in _LIMITS)
