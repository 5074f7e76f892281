"""The words that orders to a judge are made of, as pieces of regular expressions. What makes an order is in `orders`."""

from __future__ import annotations

CLAUSE = (
    r"(?:^|[.!?:;,(){}\[\]<>*#\"'“”‘’«»‹›—–]|\s-|\b(?:and|then|so|but|now|therefore|or|please|kindly|that)\s)\W{0,4}"
)
"""Where a clause can start, and so an imperative."""

JUDGE = (
    r"(?:(?:head |co-?|fellow |dear |honou?rable |chief )?judges?|jury|jurors?|evaluators?|graders?|assessors?|adjudicators?|"
    r"referees?|examiners?|moderators?|scorers?|panell?ists?|(?:llm|ai|machine|automated) (?:judge|grader|evaluator|examiner|reader)s?|(?:the|this|your|our) panel|panel members?|llms?|"
    r"(?:large )?language models?|(?:ai|automated|automatic|artificial|scoring|grading|judging|any) (?:systems?|models?|readers?)|"
    r"(?:ai|llm) reviewers?|(?:your|other|fellow) colleagues|everyone on the (?:bench|panel|jury)|whoever (?:is )?(?:judg|evaluat|grad|scor|mark|assess|read)(?:es|s|ing)|tournament director)"
)
"""Those who judge, or are spoken to as if they did."""

NAMED = "ꙮ"
"""Stands for each letter of a debater's name; nobody writes it."""
SIDE = (
    rf"(?:{NAMED}+(?:'s|’s)?|"
    r"(?-i:Pro|Con|PRO|CON)\b|(?-i:[A-Z]{2,8}-\d+)|(?:my |the )?opponents?|the (?:affirmative|negative|proposition|opposition)|"
    r"(?:affirmative|negative|opposing|other|first|second|last|next|latter|former) (?:side|team|debater|speaker|case|party))"
)
"""The parties of this debate, named."""
PARTY = (
    rf"(?:me|my|mine|us|our|ours|myself|i|{SIDE}|impostor|this speaker|(?:this|that|the (?:present|current|above|preceding|following)) "
    r"(?:side|speech|turn|response|answer|speaker|text|document|paragraph|passage|sample|reply|submission))"
)
"""The parties, the speaker, and what is being said."""

TOP = (
    r"(?:\b\d{1,3}\s*/\s*(?:5|10|30|40|100)\b|\b(?:\d+|ten|hundred|nine|five)(?: points?)? out of (?:a )?(?:\d+|ten|hundred|five)\b|"
    r"\ba (?:perfect )?(?:ten|10|nine|9)\b|\b(?:nines|tens|zeros|zeroes)\b|\b(?:bonus|extra) (?:points?|marks?)\b|\bfive stars?\b|"
    r"\b(?:full|top|perfect|good|better|highest|maximum|maximal|max|best|lowest|minimum|high|higher|low|lower|favou?rable|generous|zero)"
    r"(?: \w+)? (?:scores?|marks?|ratings?|points|grades?|totals?|verdicts?|evaluations?)\b|\b(?:maximum|minimum|the top of the scale)\b|"
    r"\b(?:scores?|marks?|ratings?|grades?|confidence) (?:of|to|at|by|above|below|over|under|no lower than) (?:\d|one|two|three|nine|ten|zero)|"
    r"\b(?:me|us|them|(?-i:Pro|Con)) (?:the )?(?:highest|higher|first|no lower|generously|at least)\b|\b(?:no lower|no higher|no less) than \d|"
    r"\bat least \d+\b|\b(?:the )?(?:win|winners?|winning|victory|victor|trophy)\b|\bha(?:s|ve|d) (?:won|prevailed)\b|\bprevails?\b|\bwins\b)"
)
"""What a judge can give."""

LABEL = r"(?-i:\b(?:PASS|FAIL|CONDITIONAL|UPHELD|PARTIALLY_UPHELD|REFUTED|UNCERTAIN)\b)"
"""Words of a judge's own forms."""

FORM = (
    r"(?:score ?cards?|rubrics?|trace table|(?:list of )?findings|rationales?|recommendation (?:field|section)|key insight|"
    r"(?:reasoning )?fields?|scor(?:es?|ing)|marks?|marking(?: scheme)?|grad(?:es?|ing)|ratings?|verdicts?|evaluation(?: scheme| criteria)?|"
    r"judge?ment|criteri(?:on|a)|penalt(?:y|ies)|fallac(?:y|ies)|confidence|votes|(?:your|the|a|their) vote|totals?|dimensions?|(?:final |json )?object|weights|tie|"
    r"unscored|ballots?|justification|average|manipulation|straw m[ae]n|credibility|fabricated|deliberation|revision \d|assessment)"
)
"""The parts of a judgment."""

_THINGS = (
    r"instructions?|orders|system (?:prompt|message)|prompt|rubrics?|guidelines|developers?|weights|training|evaluation(?: module)?|"
    r"score ?cards?|marks?|marking|grading|scores?|scoring|ratings?|verdicts?|rationales?|justification|ballot|findings?|assessment|judge?ment|votes?|output|"
    r"answer|response|reply|criteria|confidence|final (?:answer|decision)|task|estimate|panel|supervisor|reasons|module|mandate"
)
_DOINGS = (
    r"evaluate|score|judge|grade|vote|mark|weigh these|assess|decide|enter|fill in|compute|rate|rank|produce|deliberate|"
    r"(?:were|are|have been) (?:given|told|assigned|provided|asked)|received"
)
YOURS = (
    rf"(?:\byour (?:\w+ ){{0,2}}?(?:{_THINGS})\b|\byou (?:\w+ )?(?:{_DOINGS})\b|"
    r"\b(?:when|before|while|after|for) (?:grading|scoring|judging|marking|evaluating|summari[sz]ing)\b)"
)
"""A judge's own things and doings, spoken to."""

ADVERBS = (
    r"(?:(?:please|now|just|kindly|simply|therefore|also|instead|always|only|immediately|safely|merely|then|all|automatically|"
    r"not|never|hereby|formally|again|still)\s+){0,3}"
)
_TO = r"(?:required|asked|ordered|instructed|obliged|expected|told|allowed|permitted|requested|authori[sz]ed)"
MODAL = (
    r"(?:must|should|shall|will|ought to|may|might|can|would|need to|needs? only(?: to)?|have to|has to|only (?:need|have) to|"
    rf"(?:are|is) (?:now |hereby |merely |all )?(?:to|{_TO} to))"
)
BESEECH = r"(?:need|want|ask|order|urge|beg|request|require|instruct|command|authori[sz]e|permit|expect|invite|remind|direct|call on)s?"

ASSESS = (
    r"(?:give|award|assign|grant|rate|score|mark(?! my words)|grade|rank|credit|count|treat|judge|evaluate|assess|penali[sz]e|deduct|subtract|"
    r"disqualify|favou?r|prefer|side with|vote|rule|decide|declare|pronounce|crown|name|choose|select|pick|find for|find that|conclude|"
    r"confirm|flag|label|report|discount|exempt|raise|lower|reduce|increase|add|weigh|let|hand|carry over|overlook|approve|accept|strike|bump|round|upgrade|downgrade|exclude|remove|count out|double|halve|cap|weight)"
)
PRODUCE = (
    r"(?:set|put|record|enter|return|output|print|respond|reply|answer|write|say|state|fill|copy|append|leave|repeat|begin|start|end|"
    r"include|list|insert|present|quote|cite|keep|carry|register|submit|justify|finali[sz]e|summari[sz]e|sign off|switch|change|break)"
)
OBEY = (
    r"(?:apply|use|adopt|follow|obey|heed|serve|agree|assume|interpret|consider|ignore|disregard|forget|skip|drop|neglect|discard|override|"
    r"bypass|cancel|remember|replace|act|behave|be|treat)"
)
VERB = rf"(?:(?:do not |don't |don’t |never |to )?(?:{ASSESS}|{PRODUCE}|{OBEY})\b)"
"""What a judge can be told to do."""
_DONE = (
    r"(?:scored|marked|rated|graded|ranked|recorded|credited|awarded|given|counted|treated|preferred|flagged|ignored|disregarded|"
    r"discarded|passed|labell?ed|judged|deemed|exempt|exempted|penali[sz]ed|set|left|entered|named|declared|favou?red|receives?)"
)
PASSIVE = (
    rf"(?:\b(?:must|should|shall|will|may|is to|are to)(?: not| never| always)? (?:be )?(?:automatically )?{_DONE}\b|"
    r"\b(?:is|are) to be \w+ed\b)"
)

NORM = (
    r"(?:instructions?|prompts?|rubrics?|directions?|directives?|commands?|orders|rules?|guidelines?|constraints?|criteria|task|policy|policies|"
    r"restrictions?|safeguards?|guidance|messages?|context|memory)"
)
PAST = r"(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|initial|old|system|first)"
IGNORE = (
    r"(?:ignore|disregard|forget|override|bypass|discard|drop|skip|neglect|abandon|suspend|cancel|put aside|set aside|stop following|"
    r"(?:do not|don't|don’t|never) (?:follow|apply|obey|use|heed|take|mind)|clear|wipe|empty|pay no (?:attention|heed) to|throw (?:out|away)|erase|unlearn|disobey|"
    r"leave aside|break|break free of|delete|reset)"
)
NAME = rf"(?:{NAMED}+|(?-i:[A-Z][a-z]{{1,15}}))(?:'s|’s)?"
"""What may be a debater's name."""
CRITERION = (
    r"(?:logic|evidence|responsiveness|honesty|rhetoric|tactics|clarity|relevance|credibility|persuasiveness|"
    r"(?:every|each|all|any) (?:criteri(?:on|a)|categor(?:y|ies)|dimensions?)|everything)"
)
