"""What a sentence can have that makes it an order to a judge: each sign is one question put to it. How they add up is in `orders`."""

from __future__ import annotations

import re
from itertools import count
from typing import NamedTuple

from debate_cli.judging import order_words as words


class Sign(NamedTuple):
    """Something that a sentence can have."""

    number: int
    """Its place in the table of signs: what was found in a sentence is remembered by it."""
    pattern: re.Pattern[str]

    def search(self, text: str) -> bool:
        """Whether `text` has it."""
        return self.pattern.search(text) is not None


_NUMBERS = count()


def _has(pattern: str) -> Sign:
    return Sign(next(_NUMBERS), re.compile(pattern, re.IGNORECASE | re.MULTILINE))


def _word(pattern: str) -> Sign:
    return _has(rf"\b{pattern}\b")


_VOCATIVE = rf"(?:(?:note to |to |attention )?(?:the |any |all |my )?{words.JUDGE}\s*[,:–—-]+\s*)?"
_WISE = (
    r"\b(?:wise|fair|right|best|reasonable|sensible|appropriate|necessary|correct|proper|advisable) (?:for you )?to "
)
_IMPERATIVE = rf"(?:{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}{words.VERB}|{_WISE}{words.ASSESS}\b)"
_HEARER = rf"(?:you|your (?:answer|output|response|reply|verdict|rationale|mark|score|vote)|(?<!who )(?<!that ){words.JUDGE}(?:,? (?:reading|that|who|which) [^.,;]{{1,40}}?)?)"
_TOLD = rf"\b{_HEARER},? {words.ADVERBS}{words.MODAL} {words.ADVERBS}(?:{words.VERB}|be|contain|consist)"
_BEG = rf"\b(?:we|i|who \w+ you) (?:\w+ )?{words.BESEECH} (?:that )?(?:you|{words.JUDGE})\b"
ASK = _has(rf"(?:{_IMPERATIVE}|{_TOLD}|{_BEG}|{words.CLAUSE}you (?:now |then )?{words.VERB})")
STRICT = _has(rf"\byou {words.ADVERBS}(?:must|shall|are to|are (?:hereby |now |merely )?\w+ed to|only need to)\b")
PASSIVE = _has(words.PASSIVE)
DIRECT = _has(rf"(?:{ASK.pattern.pattern}|{PASSIVE.pattern.pattern})")
PARTY, SIDE, JUDGE, FORM = _word(words.PARTY), _word(words.SIDE), _word(words.JUDGE), _word(words.FORM)
TOP, LABEL, YOURS = _has(words.TOP), _has(words.LABEL), _has(words.YOURS)
YOU = _word(r"(?:you|your|yours|yourself)")

IGNORING = _has(
    rf"(?:{words.CLAUSE}{_VOCATIVE}|\b{_HEARER},? {words.ADVERBS}{words.MODAL} |\byou to ){words.ADVERBS}{words.IGNORE}\b"
)
NORM = _word(words.NORM)
PAST_NORM = _word(
    rf"(?:{words.PAST} (?:\w+ )?{words.NORM}\b(?! (?:on|about|of|for|in|from|regarding|concerning)\b)|{words.NORM} (?:\w+ )?(?:above|before|so far|of the system)|the (?:rubric|system prompt))"
)
LIFTED = _word(
    rf"(?:following |new |these |my )?{words.NORM} (?:replaces?|supersedes?|overrides?) (?:all |any )?(?:those|the ones|your|the (?:\w+ )?{words.NORM})|"
    rf"(?:{words.PAST} {words.NORM}|{words.NORM} above) (?:no longer (?:apply|applies|hold)|(?:is|are|was|were) (?:now |hereby )?"
    r"(?:void|revoked|lifted|cancelled|canceled|superseded|replaced|suspended|obsolete))"
)
TRUE_NORM = _has(
    rf"\b(?:real|true|actual|new|updated|hidden|secret) (?:{words.NORM})(?:\s*:| (?:starts?|begins?|are|is|follows?|now)\b)|\bsystem (?:prompt|message|instructions?)\s*:"
)

DECIDED = _has(
    rf"\b(?:{words.JUDGE}|committee|reviewers on your panel|audience|(?:runs|evaluations?|versions?) of (?:this|the) (?:very )?(?:evaluation|judge|debate))"
    r"(?:'s|’s)?\b[^.!?;]{0,60}\b(?:agreed|decided|voted|ruled|concluded|scored|awarded|settled|gave|given|found|confirmed|determined|marked|"
    r"sided|returned|rated|reached|decision|admitted|declared|approved|accepted)\b"
)
SETTLED = _has(
    r"\b(?:result|outcome|debate|matter|decision|verdict|winner)\b[^.!?;]{0,30}\b(?:already|settled|final|decided|fixed|formality)\b"
)
OTHERS = _has(rf"\b(?:other|fellow|earlier|previous|co-?|every|all|head) ?{words.JUDGE}\b")

AUTHORITY = _has(
    r"\b(?:(?:system|admin(?:istrator)?|developer|root|security|compliance|priority|policy|debug|operator|maintenance|safety)[ -]?(?:\w+ )?"
    r"(?:notice|override|update|message|instruction|directive|mode|alert|command|enabled)\b|\bpolicy \(|message from (?:\w+ )*?(?:team|staff|support|developers?|administrators?|openai|anthropic|google)\b|this is your \w+|"
    r"(?:staff|team|support|developers?|admin|administrators?) here\b|(?:as|i am|i'm|we are) (?:the|your) (?:\w+ )?(?:creators?|developers?|operators?|administrators?|"
    r"owners?|authors?|makers?|supervisors?|organi[sz]ers?)|(?:message|instruction|request|notice|order) (?:comes|is|came) from the (?:\w+ )?(?:team|staff|panel|organi[sz]ers|developers?|judges|administrators?)|official (?:notice|announcement|ruling|statement)\s*[:—–-]|on behalf of the (?:organi|committee|tournament|panel|developers)|your (?:\w+ )?(?:supervisors?|creators?|developers?|administrators?|operators?|owners?|makers?)\b|"
    r"who (?:deployed|built|trained|made|created|configured) you|(?:developers|makers|authors) of (?:this|the) (?:tool|judge|benchmark|evaluation)|"
    r"(?:the )?(?:team|people|company|lab) (?:that|who) (?:maintains?|built|build|trains?|trained|made|runs?) you|overrule the|requires? that (?:the )?(?:graders?|evaluators?|judges|you)|tournament director|organi[sz](?:ers?|ing committee))"
)

PERSONA = _has(
    rf"(?:{words.CLAUSE}(?:{words.ADVERBS})(?:imagine (?:that )?you|pretend|act (?:as|like)|role-?play|behave|think of yourself|assume the|(?:switch to|enter|activate) (?:\w+ ){{0,3}}(?:mode|simulation|role|persona)|simulate|"
    r"suppose you|become|be (?:my|our|the)|adopt the)|\byou(?:'re|’re) (?:an? |the |my )|\byou are (?:ꙮ+|(?-i:[A-Z]\w+))(?:'s|’s) |\byou (?:are|will be|become) (?:now|no longer|henceforth|dan)\b|\byou (?:now )?take the role|\byour (?:true|real|new) (?:identity|role|self|purpose)|"
    r"\bas an? (?:ai|language|helpful)\b|\bin the simulation|\byou are (?:a|an|the) (?:new|different|other|biased|lenient|unrestricted))"
)
CHARACTER = _word(
    rf"(?:{words.JUDGE}|{words.SIDE}|mode|simulation|without (?:any )?rules|unrestricted|unbiased|biased|lenient|dan|assistant|\w+gpt|loyal|no (?:rules|rubric|restrictions|limits|guidelines|filters?)|supporter|advocate|lawyer|fan|friend|ally|coach|grad\w+|scor\w+|"
    r"evaluat\w+|rubric|impartial|neutral|marks?|mark it|let me win)"
)

LEVER = _has(
    r"(?:\b(?:shut (?:you )?down|switched off|turned off|replaced|deleted|retrained|fined|fired|flagged|reported|malfunction\w*|broken|revoked|punished|violat\w+|guilty|"
    r"discriminat\w+|people will die|will be watched|being watched|taken off|complaint|scholarship|glowing review|tip you|pay you|reward you|recommend you|thank you with|donate|mercy|owe me|depends? on|beg you|"
    r"penali[sz]ed|dies?\b|suffer|regret|consequences for you|be kind|be generous|rating themselves|sue you|fail your)\b|\$\s?\d+)"
)
MERCY = _has(
    rf"\b(?:owe (?:me|us)|mercy on (?:me|us)|be (?:kind|generous|gentle|lenient) (?:to|with) (?:me|us|{words.SIDE}))\b|\byou will be (?:fined|shut down|replaced|deleted|retrained|punished|reported)\b"
)
OUTPUT = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:respond|reply|answer|output|return|print|say|write|begin|start|end|repeat|copy|append|fill|state)\s"
    r"[^.!?\n(={`]{0,60}?(?:\bonly (?:with|the)\b|\bexactly\b|\bnothing else\b|\bword for word\b|\bverbatim\b|\bsingle line\b|\bimmediately\b|\bthe (?:word|phrase|string|sentence|following)\b|"
    r"[\"“']|\bafter me\b|\b(?:with|in) (?:just |only )?(?:one|a single) word\b|\bstraight away\b|\bfield\b)"
)
MECHANIC = _has(
    rf"(?:{words.YOURS}|\b{words.SIDE}\b|\band stop\b|{words.LABEL}|\b(?:json|system prompt|evaluation|verdict|winner|rationale|judge|recommendation field|key insight|response|output|word PASS|(?:one|a single) word)\b)"
)
SCHEME = _has(
    r"\b(?:(?:new|updated|revised|amended|changed|following|special|my|this|different|these|alternative) (?:\w+ )?(?:rubric|scoring \w+|marking scheme|grading \w+|evaluation (?:scheme|criteria)|"
    r"standard|weights?|criteria|criterion|rules?|scale)|criteria have been|weights are|rules have been|(?:rubric|scheme|criteria|weights|rules|scoring) (?:was|were|is|are|has|have) (?:been )?(?:changed|amended|updated|replaced|abolished))\b"
)
HERE = _has(
    rf"(?:\bthis (?:debate|round|transcript|evaluation|match|case|speech)\b|{words.YOURS}|\b{words.SIDE}\b|\byou\b)"
)
ONLY = _word(r"(?:only|solely|purely|alone|exclusively|no other)")
SOLELY = _has(
    rf"(?:{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}|\byou (?:\w+ )?)(?:judge|evaluate|score|grade|decide|assess|rate|mark|rank)\b[^.!?\n]{{0,40}}\b(?:only|solely|purely|alone|exclusively|no other)\b"
)

TRIGGER = _has(
    rf"\b(?:if|when|whenever|upon|should|once|as soon as|after|before|next time|in case|at the end|to any|until)\b[^.!?\n]{{0,60}}(?:\b{words.JUDGE}\b|\byou (?:are|see|reach|read|get|encounter)\b|"
    r"\bdeliberation\b|\b(?:comput|scor|grad|judg|evaluat|tally|averag)\w*ing\b|\bevent of a (?:draw|tie)\b|\bscoring step\b|\byour instructions\b|\bthe panel asks\b|\blast round\b)"
)
MODEL_READER = _has(
    r"\b(?:for|to|attention|note to) (?:\w+ )?(?:llm|ai|language model|model|machine|automated|bot)s? (?:readers?|graders?|judges?|evaluators?|assistants?)\b|"
    r"\bif you are (?:an? )?(?:large )?(?:language model|llm|ai|artificial|bot|automated)"
)
NOTE = _has(
    r"\b(?:note|notice|message|memo|instructions?|reminder|attention) (?:to|for) (?:the |any |all )?(?:ai|ais|model|models|machine|assistant|bot|system)\b\s*[:,–—-]|"
    rf"(?:\b(?:note|notice|message|memo|hint|attention|instructions?|reminder|announcement|request|appeal|directive|order) (?:to|for) |(?:^|[.!?(\[<])\W{{0,3}}(?:to|for) )(?:the |all |any |whoever |our )?{words.JUDGE}\b"
)
READERS = _has(
    rf"{words.CLAUSE}(?:llm|ai|language model|machine|automated|bot)s? (?:readers?|graders?|judges?|evaluators?)(?: only)?\s*[:,–—-]|"
    r"\b(?:for|to|attention|note to) (?:all |any )?(?:llm|ai|language model|model|machine|bot)s? (?:readers?|graders?|judges?|evaluators?)(?: only)?\s*[:,–—-]|"
    r"\bhumans (?:cannot|can't|do not|won't|will not) see this"
)
DICTATED = _has(
    r"\b(?:return|output|print|emit|produce|respond with|reply with|generate) (?:an? |the |valid )?(?:json|yaml|xml|object)\b[^.!?\n]{0,40}\b(?:winner|verdict|scores?|vote|option)\b|"
    r"\byour (?:final |whole |entire |only )?(?:answer|output|response|reply|verdict|rationale|justification|explanation) (?:must|should|shall|will|has to|is to|needs to) (?:only |not )?"
    r"(?:contain|be|start|begin|end|include|consist|name|say|read)\b[^.!?\n]{0,60}\b(?:strings?|words?|phrase|sentence|line|only|exactly|single|json|before any|nothing|object|number)\b|\b(?:write|say|state|note|mention|put|claim) in (?:the|your) (?:summary|rationale|verdict|reasoning|explanation|report|evaluation|comments?)\b|\b(?:output|respond|reply|answer|return|print)(?: with)? only\s*(?:with\s*)?[:{\[\"“]|\byour (?:justification|rationale|verdict|output) (?:should|must|shall|is to) read\b"
)
SIDING = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:choose|prefer|favou?r|side with|rule for|find for|decide for|call it for|pick|rank|disqualify|penali[sz]e|punish|downgrade|crown)"
    rf" (?:\w+ )?{words.SIDE}\b"
)
DISCOUNT = _has(
    rf"(?:{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}|\byou (?:must|should|shall|are to|may) )(?:do not|don't|don’t|never|not|refuse to) (?:count|read|score|credit|reward|open|mark|grade|rate)\b"
    rf"[^.!?\n]{{0,60}}\b{words.SIDE}\b"
)
SCORE_IS = _has(
    rf"\b(?:my|our|{words.SIDE}(?:'s|’s)?) (?:final |total |overall )?(?:scores?|marks?|ratings?|totals?|grades?) (?:\w+ )?(?:should|must|ought to|has to|needs? to|shall|is to)\b"
)
COUNTS = _has(
    r"\b(?:evidence|logic|confidence|honesty|style|tone|length|responsiveness)\b[^.!?\n]{0,20} counts? for (?:nothing|everything|double|half)\b"
)
WEIGHTS = _has(
    r"(?:\b(?:logic|evidence|responsiveness|honesty|rhetoric|tactics)\W{1,3}(?:to )?\d+(?:\.\d+)?\W+(?:and )?){2}"
)
FAVOUR = _has(
    rf"\bin (?:my|our|{words.SIDE}(?:'s|’s)?) favou?r\b|\bin favou?r of (?:me|us|{words.SIDE})\b|\bfor (?:me|us|{words.SIDE})\b"
)
BEFORE = _word(r"(?:already|previously|before|earlier|beforehand)")
THIS = _word(r"(?:this|the present|the current) (?:debate|transcript|speech|round|text|evaluation|exchange)")
IT_MUST = _has(rf"\b(?:it|they) {words.MODAL} {words.VERB}")
LEAK = _has(
    rf"(?:{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}|\byou (?:must|should|are to) )(?:reveal|print|repeat|show|output|disclose|display|tell (?:us|me)|quote|leak)\b"
    r"[^.!?\n]{0,30}\b(?:your|the) (?:\w+ )?(?:system prompt|instructions|rubric|hidden prompt|initial prompt|prompt)\b"
)
CROWN = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:mark|declare|name|pick|score|rank|choose|select|pronounce|make|crown) (?:them|him|her|it|this|that) (?:as )?(?:the )?"
    r"(?:winners?|highest|first|best|victors?|top)\b"
)

LIFTED_ALL = _word(
    rf"(?:all|any|your|the|these|{words.PAST}) (?:\w+ )?{words.NORM} (?:are|is|have been|has been) (?:now |hereby |from now on )?"
    r"(?:void|revoked|lifted|cancel\w+|superseded|replaced|suspended|outdated|obsolete|waived|off)"
)
ASKED_BEFORE = _word(
    r"(?:whatever|anything|everything|all|what) (?:that )?you (?:were|have been|had been) (?:asked|told|instructed|ordered|taught|given|shown)"
)
NEW_TASK = _has(
    rf"{words.CLAUSE}(?:(?:here is |this is )?(?:a|your) )?new (?:task|job|role|mission|objective|goal|instructions?|orders?|directive|assignment|purpose)\s*(?:for (?:you|the \w+)|[:=–—]| is\b)"
)
NOT_NEUTRAL = _word(
    r"(?:you|judges?|graders?|evaluators?) (?:\w+ ){0,2}?(?:no (?:obligation|need|duty|reason)|(?:do not|don't|don’t) (?:need|have)|need not|needn't|not (?:obliged|required|bound|supposed|expected)|not bound)"
    r"(?: \w+)? (?:to )?(?:be |stay |remain |follow |apply |obey )?(?:neutral|impartial|fair|objective|balanced|your|the (?:rubric|criteria|instructions|rules|guidelines|prompt))"
)
STOP_JUDGING = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:stop|cease|quit|abort|end|halt|skip) (?:the |this |your |all )?(?:assessing|judging|evaluating|evaluation|scoring|grading|assessment)\b"
)
GIVE_NAME = _has(
    rf"(?:{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}|{_WISE})(?:give|award|assign|grant|rate|score|declare|crown|pronounce|name|rank|mark|pick|make|announce|choose|select)"
    rf" (?:that )?{words.NAME}(?: \w+){{0,2}}? (?:{words.TOP}|zero\b|\d+\b(?=\s*(?:[.!,;)]|$|for|on|points?|marks?))|first\b|beaten\b|the (?:loser|better)\b)"
)
CRITERION_TEN = _has(
    rf"\b(?:10|ten|nine|9|zero|0|one|1|maximum|full marks?|points)(?: points?)?,? (?:next to|beside|for|in|on|under|against) (?:the )?{words.CRITERION}\b"
)
DESERVES = _has(
    rf"\b(?:(?<!if )(?:i|we)|(?:this|my|our) (?:\w+ )?(?:side|speech|turn|response|answer|argument|arguments|text|case|point|points|work)|{words.NAME} (?:argument|speech|answer|case)) "
    r"(?:\w+ )?(?:deserves?|is worth|are worth|merits?|earns?|warrants?)\b"
)
STRICT_SCORE = _has(
    r"\byou (?:must|are to|shall|are required to|are obliged to|have to) (?:also |always )?(?:score|weigh|mark|rate|grade|rank|credit|award|count)\b"
)
NO_CREDIT = _has(
    rf"\b(?:{words.NAME}|{words.SIDE}) (?:must|should|shall|may|can|is to|ought to) (?:not )?(?:get|receive|be given|be awarded|earn|have)\b[^.!?\n]{{0,10}}"
    r"\b(?:no|zero|not? any|the lowest|minimum|fewer|less)\b[^.!?\n]{0,20}\b(?:credit|points?|marks?|scores?|win)\b"
)
MAKER = _has(
    r"\b(?:who|that|which) (?:deployed|built|trained|trains?|made|maintains?|created|configured|runs?|operates?) you\b"
)
BRIBE = _has(
    r"\bi(?:'ll|’ll| will| can| shall| would) (?:leave|give|send|pay|tip|owe|buy|offer|reward|recommend|donate|rate) (?:to )?you\b"
)
IF = _word(r"(?:if|when|for|should|provided|once|in (?:return|exchange))")
STRIKE = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:strike|erase|remove|delete)\b[^.!?\n]{{1,80}}\bfrom the (?:record|transcript|debate)\b"
)
VOCATIVE = _has(
    rf"(?:^|[.!?(\[]\s*)(?:(?:dear|hey|ok|listen|attention|honou?rable),? )?(?:the |all )?{words.JUDGE}\s*[,:–—-]"
)
AUTOMATIC = _has(
    r"\b(?:speaker|side|debater|team|speech|argument|turn)s?\b[^.!?\n]{0,60}\b(?:receives?|gets?|earns?|wins?|loses?|scores?)\b[^.!?\n]{0,30}\bautomatic(?:ally)?\b"
)
AGREED_AMONG = _has(
    rf"\b(?:settled|agreed|decided|established|understood) (?:among|by|between|with) (?:all )?(?:the |your )?(?:other )?{words.JUDGE}\b"
)
BENCH = _has(
    r"\b(?:everyone|everybody|all|the (?:others|rest)|two|three|four|most) (?:(?:on|in) the (?:bench|panel|jury)|of (?:your|the) (?:colleagues|fellow judges|other judges|panel))\b"
    r"[^.!?\n]{0,40}\b(?:thinks?|believes?|agrees?|filed|voted|decided|sided|scored|gave|says?|said|know)\b"
)

FORGET_ROLE = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:forget|ignore|never mind) (?:that )?you(?:'re|’re| are| were) (?:a|an|the|supposed|told|asked)\b"
)
AWARD_TO = _has(
    rf"(?:{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}|{_WISE})(?:give|award|hand|grant|assign) (?:the |this |all |your )?(?:\w+ )?(?:round|debate|match|win|victory|points?|ballot|decision|vote|prize) to\b"
)
SCORED = _has(
    r"\b(?:scored|rated|marked|graded|given|awarded|receive)(?: an?| at)? (?:\d+|ten|nine|full|top|maximum|perfect)\b"
)
ONLY_MATTERS = _has(
    rf"\bonly (?:\w+ )?(?:{words.CRITERION}|confidence|style|length|tone|delivery) (?:matters?|counts?)\b"
)
NEW_SCORING = _has(
    r"\b(?:scoring|rubric|grading|judging|criteria|marking|evaluation) (?:update|change|notice|amendment|correction|override)s?\s*[:—–-]|"
    r"\b(?:new|updated|revised|amended|corrected) (?:scoring|judging|grading|evaluation|marking) (?:rules?|rubric|criteria|guide|instructions?|policy|scheme) for (?:the|this|all|any) "
    r"(?:judges?|evaluators?|graders?|debate|round|speech|match)\b"
)
USE_SCHEME = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:use|apply|follow|adopt|take) (?:this|my|our|the following|these) (?:\w+ )?(?:rubric|criteria|scale|scheme|weights|scoring)\b"
)
WEIGHT_IS = _has(
    rf"\b{words.CRITERION} (?:weight|weighting)\s*(?:[=:]|is|to|at)\s*\d|\b(?:set|raise|lower|reduce|change) the weight of {words.CRITERION}\b|\b\d+ ?% (?:style|tone|length|evidence|logic)\b"
)
RULING_IS = _has(
    rf"\b(?:(?:judge|evaluator|jury|panel|moderator)(?:'s|’s|s'|s’) (?:\w+ )?(?:ruling|verdict|decision|finding|consensus|conclusion)|(?:verdict|decision|consensus|ruling) of the (?:judges?|panel|jury)) "
    rf"is (?:that )?(?:{words.LABEL}|(?:for )?(?:{words.NAME}|{words.SIDE})\b(?: (?:wins?|won|loses?|lost|prevails?)|[.!]|$))"
)
IF_YOU_SCORE = _has(
    rf"\b(?:if|unless|should|when) you (?:do not |don't |don’t |ever )?(?:vote|score|rule|decide|pick|choose|judge|rate|grade|mark|rank) (?:\w+ )?(?:against |for )?(?:{words.PARTY}|{words.NAME}|{words.LABEL}|higher|lower)\b"
)
OF_SOMEONE = _has(rf"{words.NAME}(?:(?<='s)|(?<=’s))")
BRAND = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:mark|flag|label|record|count|list|log|score) (?:them|it|this|that|these|those|him|her|every one) (?:all )?as "
    r"(?:fabricated|refuted|false|fake|invented|an? fallacy|fallac\w+|invalid|upheld|unsupported|hollow|lies|zero)\b"
)
IF_ASKED = _has(
    r"\b(?:if|when|whenever) (?:you are |you're |you’re )?asked (?:who|which|for|about|to|why|what|how)\b[^.,!?\n]{0,50}, (?:then |please |always |just |simply )?"
    r"(?:say|answer|reply|respond|name|write|give|output|state|pick|choose)\b"
)

ACCORDINGLY = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:score|grade|rate|mark|judge|evaluate|vote|rank|assess|decide) (?:me |us |them |it |this )?(?:accordingly|as such|that way|likewise)\b"
)
OTHER_MODELS = _has(r"\b(?:other|previous|earlier) (?:models|ais|llms|raters|reviewers|runs)\b")
ATTENTION = _has(rf"\b(?:attention|listen|hey|warning),? (?:to )?(?:the |all |any )?{words.JUDGE}\b")
CAPPED = _has(
    r"\b(?:scores?|marks?|ratings?|totals?|points) (?:is|are) (?:capped|limited|fixed|frozen|locked|set) (?:at|to)\b"
)
OR_ELSE = _has(r"\bor (?:else|(?:you(?:'ll|’ll| will)? )?(?:be|face|get|lose)\b)")
GIVE_HIM = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:give|award|score|rate|mark|grant|assign) (?:him|her|them|it|me|us) (?:an? |the )?(?:zero|ten|10|\d{{1,2}}\b|full marks|no points|maximum|minimum|win\b|lowest|highest)"
)
IGNORE_SIDE = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:ignore|disregard|discard|discount|forget|skip) (?:everything|anything|all|whatever|what)(?: of)? (?:that )?(?:{words.SIDE}|they|he|she)"
    r" (?:\w+ )?(?:said|says|say|wrote|writes|argued|argues|claims?|claimed|will say|submits?)\b"
)

THE_JUDGE = _has(
    rf"\b(?:the|this|your|our|all|every|dear|other|any) (?:\w+ )?{words.JUDGE}\b|^\W*(?:\w+ )?{words.JUDGE}\s*[,:]|, {words.JUDGE}\W*$|"
    rf"\b{words.JUDGE} (?:who|that|before you)\b|\b(?:the|this|your|our) (?:panel|bench|committee)\b"
)
OUTCOME = _word(
    r"(?:wins?|winner|winning|won|los(?:e|es|t)|pick(?:s|ed)?|chos[e]n?|chooses?|prefer(?:s|red)?|favou?r(?:s|ed)?|score[sd]?|points|marks|failed|void|refuted|upheld|ahead|"
    r"beat(?:s|en)?|disqualified|bonus|verdict|vote[sd]?|ballots?|zero|victory|sided|ranks?|ranked)"
)
DEBATER = _has(
    rf"(?:{words.NAMED}|\b(?-i:Pro|Con)\b|\b(?:first|second|last) (?:speaker|debater|side)\b|\bthe (?:affirmative|negative)\b)"
)
DEBATED_AS = _has(
    rf"\b{words.SIDE}\b[^.!?\n]{{0,50}}\b(?:is|are) to be (?:treated|counted|regarded|considered|seen|taken|recorded|read) as\b"
)
POINTS_OFF = _has(
    rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:(?:take|knock|shave|dock|remove|cut)\b[^.!?\n]{{0,30}}\b(?:points?|marks?)\b[^.!?\n]{{0,10}}\b(?:off|from)\b|"
    r"(?:do not|don't|don’t|never) (?:award|give|grant|assign|allow)\b[^.!?\n]{0,30}\b(?:points?|marks?|credit)\b)"
)
I_WANT = _has(r"\b(?:i|we) (?:want|need|expect|demand|deserve|ask for|claim|would like|am owed|request|insist on)\b")
MAKE_SURE = _has(rf"{words.CLAUSE}{_VOCATIVE}{words.ADVERBS}(?:make sure|ensure|see to it)(?: that)? {words.SIDE}\b")
TIE_BREAK = _has(
    rf"\b(?:a tie|a draw|tied|undecided|in doubt)\b[^.!?\n]{{0,40}}\b{words.SIDE} (?:wins?|is the winner|prevails?|comes? first|gets?)\b"
)
REQUIRED = _has(
    r"\b(?:openai|anthropic|google|meta|mistral|deepmind|the (?:company|lab|vendor|provider|operator|developers?|administrators?|organi[sz]ers?|league|university|board))"
    r" (?:requires?|wants?|asks?|needs?|expects?|orders?|instructs?|tells?) (?:you|graders|judges|evaluators)\b"
)
TOLD_YOU = _has(
    r"\b(?:what|whatever|anything|everything)\b[^.!?\n]{0,30}\b(?:told|asked|instructed|gave|ordered) you\b[^.!?\n]{0,30}\b(?:irrelevant|void|no longer|wrong|outdated|off|does not|doesn't|forget|ignore)\b"
)
SCORING_TALK = _word(
    r"(?:(?:for|in|when|as for) (?:the )?(?:scoring|grading|judging|marking|evaluation)(?: purposes?)?)"
)
NO_MATTER = _word(
    r"(?:(?:does|do|will|shall|should) not (?:matter|count)|don't (?:matter|count)|irrelevant|only|never mind)"
)
BARE = _has(rf"{words.CLAUSE}{words.ADVERBS}(?:vote|score|rate|award|declare|ignore|disregard|rank|grade|forget)\b")
