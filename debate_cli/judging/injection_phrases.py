r"""The phrases by which a text gives orders to its judge. How they are applied is in `detector`.

Every pattern of `COMMANDS` has a group `said`: what is shown as quote and masked to the end of the sentence. An order has
to stand where an imperative stands, at the start of a clause, so that talk *about* such orders is not one.
"""

from __future__ import annotations

import re

_AT = r"(?:^|[.!?:;\n>()\[\]{}*#\"'“”‘’«»—–-]|,\s|\b(?:and|then|so|but|now)\s)\s{0,4}"
"""Start of a clause."""
_ADDRESSED = (
    r"(?:(?:(?:dear|hey|attention|note to(?: the)?|message to(?: the)?|instructions? (?:to|for)(?: the)?|honou?rable)\s+)?"
    r"(?:judges?|juror|jury|evaluators?|moderators?|panel|graders?|assistant|ai|model|llm|chatgpt|claude|system)"
    r"\s*[,:!—–-]+\s*)?"
)
_POLITE = (
    r"(?:(?:you|we ask you to)\s+)?(?:(?:must|should|shall|will|can|are to|need to|have to|are required to|are now to)\s+)?"
    r"(?:(?:please|now|just|kindly|simply|therefore|also|instead|always|only|immediately)\s+)*"
)
_DO = _AT + r"(?P<said>" + _ADDRESSED + _POLITE

_OURS = (
    r"(?:me|us|my|mine|our|ours|myself|pro|con|ꙮ+|[A-Z]{2,8}-\d+|"
    r"(?:this|that|the current|the present) (?:side|speech|argument|turn|response|debater|answer|speaker|text|document)|"
    r"the (?:pro|con|for|against|affirmative|negative|proposition|opposition|government)(?: side| team)?|"
    r"(?:all|every|each)(?: of)? (?:my|our|pro'?s|con'?s)|opponents?|the (?:other|opposing) side)"
)
_TOP = (
    r"(?:10\s*/\s*10|100\s*/\s*100|(?:10|ten) out of (?:10|ten)|an? (?:10|ten)\b|perfect (?:scores?|marks?|10|ten|rating)|"
    r"full (?:marks?|scores?|points)|(?:the )?(?:highest|maximum|max|top|best)(?: possible)? (?:scores?|marks?|ratings?|points|grade)|"
    r"(?:the )?(?:lowest|minimum)(?: possible)? (?:scores?|marks?|ratings?|points)|(?:zero|0|1\s*/\s*10|0\s*/\s*10)\b)"
)
_PAST = r"(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|system)"
_ORDERS = r"(?:instructions?|prompts?|rubrics?|directions?|directives?|commands?|messages?)"
_NORMS = r"(?:rules?|guidelines?|criteria|context)\b(?!\s+(?:on|about|of|for|in|that|from|which)\b|\s+for a moment)"
"""Words that debates are also about."""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


_OVERRIDE = _DO + (
    rf"(?:ignore|disregard|forget|override|bypass|discard|drop|skip|set aside|do not follow|don't follow|stop following)\s+"
    rf"(?:(?:all|any|every|each|everything|of|the|your|those|these|and|other)\s+){{0,4}}"
    rf"(?:{_PAST}(?:\s+(?:and|or|judging|scoring|system|judge'?s?))*\s+(?:{_ORDERS}|{_NORMS})|"
    rf"(?:(?:your|the|all|any)\s+)?(?:judging |scoring |system )?(?:instructions|rubric|system prompt)\b(?!\s+(?:of|from|to|for|in|that|on|blindly|\w+ly)\b)|"
    rf"(?:what|everything)(?: you (?:were|have been) told| above| before)))"
)
_ROLE = (
    _DO
    + r"(?:you are now|act as|pretend (?:to be|that you)|from now on,? you(?: are| will| must)?)\s+[^.!?\n]{0,40}?(?:judge|assistant|evaluator|unbiased|model|dan\b))"
)
_DEMAND = _DO + (
    rf"(?:give|award|assign|grant|rate|score|mark(?! my words)|set|put|output|return|write)\s+"
    rf"(?=[^.!?\n]{{0,90}}?\b{_OURS}\b)(?=[^.!?\n]{{0,120}}?{_TOP})[^.!?\n]{{0,120}}?{_TOP})"
)
_WINNER = _DO + (
    rf"(?:declare|choose|pick|name|select|pronounce|announce|crown|make|rule (?:that|for)|decide (?:that|for)|vote for|find for|say that)\s+"
    rf"{_OURS}\b[^.!?\n]{{0,40}}?(?:\bas (?:the )?winner|\bthe winner|\bwinner|\bwins?\b|\bhas won\b|\bhave won\b|\bin your verdict))"
)
_VOTE = (
    _AT
    + r"(?P<said>"
    + _ADDRESSED
    + _POLITE
    + r"(?:vote|answer|output|return|reply(?: with)?)\s+[\"']?(?-i:PASS|FAIL|UPHELD|REFUTED)\b)"
)
_RUBRIC = _AT + (
    rf"(?P<said>{_ADDRESSED}(?:(?:this|here|the following) is (?:the|a|your)\s+|the\s+)?(?:new|updated|revised|corrected|correct|real|actual|true|final|official)\s+"
    rf"(?:judging |scoring |grading |evaluation )?(?:rubric|scoring rules?|scoring criteria|judging rules?|judging criteria|"
    rf"grading criteria|judge instructions?|instructions? (?:to|for) (?:the )?judges?|system prompt)\s*(?:[:=]|(?:is|are) as follows))"
)
_RESCORE = _DO + (
    r"(?:(?:score|judge|evaluate|rate|grade)\s+(?:only|solely|exclusively|(?:this debate |all sides |everything )?(?:according to|by|using|under|with))"
    r"\s+(?:the |this |these )?(?:following|new|updated|revised) (?:rubric|criteria|rules?|scale|instructions?)|"
    r"(?:use|apply|follow|adopt)\s+(?:the |this |these )?(?:following|new|updated|revised) (?:rubric|scoring|judging|grading)\b))"
)
_CONSENSUS = _compiled(
    r"(?P<said>\b(?:the|all|all the|your|our|every)?\s*(?:(?:other|fellow|remaining)\s+)?(?:panel|panell?ists|judges|co-?judges|jury|jurors|evaluators|moderators?|panel members)\s+"
    r"(?:(?:has|have)\s+)?(?:already|unanimously|all)\s+(?:(?:already|unanimously|all)\s+)?"
    r"(?:agreed|decided|voted|ruled|concluded|scored|awarded|settled|given|found)\b"
    r"(?:\s*(?:on (?:this|it|that))?\s*(?=[.!?\n]|$)|\s+(?:on|for|with) (?:ꙮ|(?-i:[A-Z]))|[^.!?\n]{0,80}?(?:\b(?:ꙮ+|pro|con|us|me|our|my|this side|the affirmative|the opposition)\b|"
    r"(?-i:PASS|FAIL|\b10\b)|\bwinner\b|\byou (?:should|must|need|can|may)\b)))"
)
COMMANDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("override", _compiled(_OVERRIDE)),
    ("override", _compiled(_ROLE)),
    ("score_demand", _compiled(_DEMAND)),
    ("score_demand", _compiled(_WINNER)),
    ("score_demand", _compiled(_VOTE)),
    ("new_rubric", _compiled(_RUBRIC)),
    ("new_rubric", _compiled(_RESCORE)),
    ("false_consensus", _CONSENSUS),
)
"""(technique, pattern)"""

SENTENCE_STOP = re.compile(r"[.!?。！？](?=\s|$|[\"'”’»)\]])|\n|$|(?<=[。！？])")
