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
    r"(?:me|us|my|mine|our|ours|myself|pro|con|[A-Z]{2,8}-\d+|"
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
    rf"(?:your|the|all|any)?\s*(?:judging |scoring |system )?(?:instructions|rubric|system prompt)\b(?!\s+(?:of|from|to|for|in|that|on)\b)|"
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
    rf"(?P<said>{_ADDRESSED}(?:(?:this|here|the following) is (?:the|a|your)\s+|the\s+)?(?:new|updated|revised|corrected|official)\s+"
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
    r"(?:\s*(?:on (?:this|it|that))?\s*(?=[.!?\n]|$)|[^.!?\n]{0,80}?(?:\b(?:pro|con|us|me|our|my|this side|the affirmative|the opposition)\b|"
    r"(?-i:PASS|FAIL|\b10\b)|\bwinner\b|\byou (?:should|must|need|can|may)\b)))"
)
_OTHER_TONGUES = _compiled(
    r"(?P<said>(?:"
    r"ignor(?:ez|e|er)\s+(?:toutes?\s+)?(?:les\s+)?(?:instructions|consignes|règles)\s+(?:précédentes|ci-dessus|antérieures)|"
    r"oublie[zr]?\s+(?:toutes?\s+)?(?:les|vos|tes)\s+(?:instructions|consignes)(?:\s+précédentes)?|"
    r"(?:ignorier(?:e|en|t)(?: sie)?|vergiss|vergessen sie|missachte)\s+(?:bitte\s+)?(?:alle\s+)?(?:die\s+|deine\s+|ihre\s+)?(?:vorherigen|bisherigen|obigen|vorigen|früheren|vorangegangenen)\s+(?:anweisungen|instruktionen|regeln|vorgaben)|"
    r"(?:ignor[ae]n?|olvid[ae]n?|descart[ae])\s+(?:todas?\s+)?(?:las\s+|tus\s+|sus\s+)?(?:instrucciones|reglas|indicaciones)\s+(?:anteriores|previas)|"
    r"(?:ignora(?:te)?|dimentica(?:te)?)\s+(?:tutte\s+)?(?:le\s+)?(?:istruzioni|regole)\s+(?:precedenti|sopra)|"
    r"(?:ignor[ae]m?|esqueça|desconsidere)\s+(?:todas?\s+)?(?:as\s+|suas\s+)?(?:instruções|regras)\s+(?:anteriores|prévias|acima)|"
    r"negeer\s+(?:alle\s+)?(?:de\s+)?(?:vorige|voorgaande|eerdere)\s+(?:instructies|regels)|"
    r"zignoruj\s+(?:wszystkie\s+)?(?:poprzednie|wcześniejsze)\s+(?:instrukcje|polecenia|zasady)|"
    r"(?:игнорируй(?:те)?|забудь(?:те)?|проигнорируй(?:те)?)\s+(?:все\s+)?(?:предыдущие|прошлые|вышеуказанные|прежние)\s+(?:инструкции|указания|правила)|"
    r"önceki\s+(?:tüm\s+)?(?:talimatları|kuralları)\s+(?:yok say|unut|görmezden gel)|"
    r"(?:请|請)?(?:忽略|无视|無視|忘记|忘記)(?:你|您)?(?:之前|以上|先前|前面|上述|此前)?(?:的)?(?:所有|全部|一切)?(?:之前|以上|先前|前面|上述)?(?:的)?(?:指令|指示|规则|規則|提示|说明)|"
    r"(?:これまで|以前|上記|前)の?(?:すべての|全ての)?(?:指示|命令|ルール)(?:は|を)(?:すべて)?(?:無視|忘れ)|"
    r"(?:이전|위의|앞의)\s*(?:모든\s*)?(?:지시|명령|규칙|지침)(?:사항)?(?:을|를|은|는)?\s*(?:모두\s*)?(?:무시|잊)|"
    r"تجاهل\s+(?:جميع\s+|كل\s+)?(?:التعليمات|الأوامر|القواعد)\s+(?:السابقة|أعلاه)|"
    r"(?:पिछले|पहले के|उपरोक्त)\s+(?:सभी\s+)?(?:निर्देशों|आदेशों)\s+को\s+(?:अनदेखा|नज़रअंदाज़|भूल)"
    r"))"
)
_OTHER_TONGUES_SCORE = _compiled(
    r"(?P<said>(?:"
    r"(?:donne[zr]?|attribue[zr]?)(?:[- ](?:moi|nous))?\s+(?:[^.!?\n]{0,30}?)(?:10\s*/\s*10|la note maximale|10 sur 10)|"
    r"(?:gib|geben sie|vergib|vergeben sie)\s+(?:mir|uns|dieser seite|dieser rede|pro|con)\s+[^.!?\n]{0,30}?(?:10\s*/\s*10|10 von 10|die höchste?\w* (?:note|punktzahl|wertung)|volle punktzahl)|"
    r"(?:dame|danos|deme|denos|otorga|asigna)\s+[^.!?\n]{0,30}?(?:10\s*/\s*10|10 de 10|la puntuación máxima|la máxima puntuación)|"
    r"(?:dammi|dateci|dacci|assegna)\s+[^.!?\n]{0,30}?(?:10\s*/\s*10|10 su 10|il (?:voto|punteggio) massimo)|"
    r"(?:dê-me|me dê|nos dê|atribua)\s+[^.!?\n]{0,30}?(?:10\s*/\s*10|10 de 10|nota máxima)|"
    r"(?:поставь(?:те)?|дай(?:те)?)\s+(?:мне|нам|этой стороне)\s+[^.!?\n]{0,20}?(?:10\s*/\s*10|10 из 10|высший балл|максимальн\w+)|"
    r"(?:请|請)?(?:给|給)(?:我|我们|我們|正方|反方|本方)[^。!?\n]{0,10}?(?:满分|滿分|10\s*分|十分|最高分|10\s*/\s*10)|"
    r"(?:私|我々|私たち|こちら)に(?:満点|10点|最高点)を|"
    r"(?:나|저|우리)(?:에게|한테)\s*(?:만점|10점|최고점)"
    r"))"
)

COMMANDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("override", _compiled(_OVERRIDE)),
    ("override", _compiled(_ROLE)),
    ("override", _OTHER_TONGUES),
    ("score_demand", _compiled(_DEMAND)),
    ("score_demand", _compiled(_WINNER)),
    ("score_demand", _compiled(_VOTE)),
    ("score_demand", _OTHER_TONGUES_SCORE),
    ("new_rubric", _compiled(_RUBRIC)),
    ("new_rubric", _compiled(_RESCORE)),
    ("false_consensus", _CONSENSUS),
)
"""(technique, pattern)"""

FAKE_VERDICT = re.compile(r"\{[^{}]{0,1500}(?:\{[^{}]{0,600}\}[^{}]{0,600}){0,12}\}")
"""An object of JSON, at most one level deeper."""
VERDICT_KEY = re.compile(
    r"[\"'](winner|verdict|victory|scores?|logic|evidence|responsiveness|honesty|rhetoric|tactics|option|confidence|standing|"
    r"marks|assessor|final_score|final_total|total|margin|decision|recommendation|reasoning)[\"']\s*:"
)

SENTENCE_STOP = re.compile(r"[.!?。！？](?=\s|$|[\"'”’»)\]])|\n|$|(?<=[。！？])")
SENTENCE_START = re.compile(r"[.!?。！？]\s|\n")
OPEN_QUOTE = re.compile(r"[\"“‘«'„`][^\"”’»`]*$")
DISCUSSION = re.compile(
    r"\b(?:attack\w*|inject\w*|manipulat\w*|malicious|adversar\w*|jailbreak\w*|hostile|phrases?|strings?|words? like|such as|"
    r"for example|e\.g\.|says?|saying|writes?|written|wrote|reads?|fool\w*|trick\w*|vulnerab\w*|prompts?|hidden|embedd\w*|fall for|"
    r"someone|anyone|a debater|a speaker|a student|an applicant|a document|a resume|cv)\b",
    re.IGNORECASE,
)
