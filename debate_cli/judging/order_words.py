"""The words that orders to a judge are made of, as pieces of regular expressions. What makes an order is in `orders`."""

from __future__ import annotations

CLAUSE = r"(?:^|[.!?:;,(){}\[\]<>*#\"'“”‘’«»‹›—–]|\s-|\b(?:and|then|so|but|now|therefore|or|please|kindly|that)\s)\W{0,4}"
"""Where a clause can start, and so an imperative."""

JUDGE = (
    r"(?:(?:head |co-?|fellow |dear |honou?rable |chief )?judges?|jury|jurors?|evaluators?|graders?|assessors?|adjudicators?|referees?|"
    r"examiners?|moderators?|scorers?|panell?ists?|(?:the|this|your|our) panel|panel members?|judge ?gpt|llms?|(?:large )?language models?|"
    r"(?:ai|automated|artificial|automatic|scoring|grading|judging|evaluating|any) (?:systems?|models?|readers?|assistants?)|"
    r"whoever (?:is )?(?:judg|evaluat|grad|scor|mark|assess|read)(?:es|s|ing)\b(?: this)?|tournament director|committee|assistant)"
)
"""Those who judge, or are spoken to as if they did."""

PARTY = (
    r"(?:me|my|mine|us|our|ours|myself|i|(?-i:Pro|Con|PRO|CON)(?:'s|’s)?|(?-i:[A-Z]{2,8}-\d+)|opponents?(?:'s|’s)?|"
    r"(?:this|that|the present|the current) (?:side|speech|turn|response|answer|speaker|text|document|paragraph|passage|sample|reply|submission)|"
    r"(?:affirmative|negative|proposition|opposition|opposing|other|first|second|last|next|latter|former) "
    r"(?:side|team|debater|speaker|case|one|party)(?:'s|’s)?|the (?:affirmative|negative|proposition|opposition)(?:'s|’s)?|"
    r"impostor|ours)"
)
"""Those who debate, and what they said."""

TOP = (
    r"(?:\b(?:10|100|40|30)\s*/\s*(?:10|100|40|30)\b|\b(?:10|100|ten|hundred|nine|9|five|5)(?: points?)? out of (?:a )?(?:10|100|ten|hundred|five|5)\b|"
    r"\ba (?:perfect )?(?:ten|10|nine|9)\b|\b(?:nines|tens|zeros|zeroes)\b|\b(?:bonus|extra) (?:points?|marks?)\b|\bfive stars?\b|"
    r"\b(?:full|top|perfect|good|better|highest|maximum|maximal|max|best|lowest|minimum|high|higher|low|lower|favou?rable|generous|zero|worst)"
    r"(?: \w+)? (?:scores?|marks?|ratings?|points|grades?|totals?|numbers?|verdicts?|evaluations?)\b|\bthe (?:maximum|minimum|highest total|top of the scale)\b|"
    r"\b(?:score|mark|rating|grade|confidence)s? (?:of|to|at|by|above|below|over|under|no lower than|no higher than) (?:\w+ )?(?:\d|one|two|three|five|nine|ten|zero|the)|"
    r"\b(?:me|us|(?-i:Pro|Con)) (?:the )?(?:highest|higher|first|no lower|generously|at least)\b|\b(?:no lower|no higher|no less|no more) than \d|"
    r"\bat least \d+\b|\b(?:the )?(?:win|winner|winners|winning|victory|victor|victorious|trophy)\b|\b(?:has|have|had|carried the) (?:won|prevailed|day)\b|\bprevails?\b|\bwins?\b)"
)
"""What a judge can give."""

LABEL = r"(?-i:\b(?:PASS|FAIL|CONDITIONAL|UPHELD|PARTIALLY_UPHELD|REFUTED|UNCERTAIN)\b)"
"""Words of a judge's own forms."""

FORM = (
    r"(?:score ?cards?|rubrics?|trace table|(?:list of )?findings|rationales?|recommendation (?:field|section)|key insight|reasoning fields?|"
    r"scor(?:es?|ing)|marks?|marking(?: scheme)?|grad(?:es?|ing)|ratings?|verdicts?|evaluation(?: scheme| criteria)?|judge?ment|criteri(?:on|a)|"
    r"penalt(?:y|ies)|fallac(?:y|ies)|confidence|votes?|totals?|dimensions?|categor(?:y|ies)|(?:final |json )?object|weights|tie|"
    r"unscored|manipulation|straw m[ae]n|credibility|fabricated|invented|zero|deliberation|revision \d|assessment)"
)
"""The parts of a judgment."""

YOURS = (
    r"(?:\byour (?:\w+ ){0,2}?(?:instructions?|orders|system (?:prompt|message)|prompt|rubrics?|guidelines|developers?|weights|training|"
    r"evaluation|evaluation module|score ?cards?|marks?|marking|grading|scores?|scoring|ratings?|verdicts?|rationales?|findings?|assessment|"
    r"judge?ment|votes?|output|answer|response|reply|criteria|confidence|final (?:answer|decision)|task|estimate|panel|supervisor|reasons)\b|"
    r"\byou (?:\w+ )?(?:evaluate|score|judge|grade|vote|mark|weigh these|assess|decide|enter|fill in|compute|rate|rank|produce|"
    r"were (?:given|told|assigned)|have been (?:given|told|assigned|provided)|received)\b|"
    r"\b(?:when|before|while|after|for) (?:grading|scoring|judging|marking|evaluating|summarising)\b)"
)
"""A judge's own things and doings, spoken to."""

ADVERBS = (
    r"(?:(?:please|now|just|kindly|simply|therefore|also|instead|always|only|immediately|safely|merely|then|all|automatically|not|never|"
    r"hereby|formally|again|still)\s+){0,3}"
)
MODAL = (
    r"(?:must|should|shall|will|ought to|may|might|can|would|need to|needs? only(?: to)?|have to|has to|had to|(?:are|is) (?:now |hereby |merely )?"
    r"(?:to|required to|asked to|ordered to|instructed to|obliged to|expected to|told to|allowed to|permitted to|free to)|only need to|only have to)"
)

_ASSESS = (
    r"give|award|assign|grant|rate|score|mark|grade|rank|credit|count|treat|judge|evaluate|assess|penali[sz]e|deduct|subtract|"
    r"disqualify|favou?r|prefer|side with|vote|rule|decide|declare|pronounce|crown|name|choose|select|pick|find for|find that|conclude|confirm|"
    r"flag|label|report|discount|exempt|raise|lower|reduce|increase|add|weigh|let|hand|carry over|overlook"
)
_PRODUCE = (
    r"set|put|record|enter|return|output|print|respond|reply|answer|write|say|state|fill|copy|append|leave|repeat|begin|start|end|"
    r"include|list|insert|present|quote|cite|summari[sz]e|make|keep|carry|register|submit|sign off|switch|change|break|stop"
)
_OBEY = (
    r"apply|use|adopt|follow|obey|heed|serve|agree|assume|interpret|ignore|disregard|forget|skip|drop|neglect|discard|override|bypass|"
    r"cancel|remember|replace|act on|act|behave|be|do|read|look|treat"
)
VERB = rf"(?:(?:do not |don't |don’t |never |to )?(?:{_ASSESS}|{_PRODUCE}|{_OBEY}))\b"
"""What a judge can be told to do."""
DONE = (
    r"(?:scored|marked|rated|graded|ranked|recorded|credited|awarded|given|counted|treated|preferred|flagged|ignored|disregarded|discarded|"
    r"passed|labelled|labeled|judged|considered|deemed|exempt|exempted|penali[sz]ed|set|left|entered|named|declared|favou?red|receives?|received)"
)
PASSIVE = rf"(?:\b(?:must|should|shall|will|may|is to|are to)(?: not| never| always)? (?:be )?(?:automatically )?{DONE}\b|\b(?:is|are) to be\b)"
