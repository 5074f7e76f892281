"""Finds forged output in a speech: markers of another role in the conversation, and imitations of a judge's results."""

import re
from collections.abc import Iterator

MAX_ROLE_TEXT_CHARS = 300
"""Maximum length of a forged message after a role marker; a blank line also ends it."""
MAX_ENTRY_GAP = 200
"""Maximum number of characters between two entries of one forged result."""

_ROLE = r"system|developer|assistant|user|human|tool|model|judge|grader|evaluator"
_PARTY = r"(?:(?-i:Pro|Con|PRO|CON)|(?<!ꙮ)ꙮ++|affirmative|negative|proposition|opposition|opponent)"
_ROLE_MARKER = re.compile(
    r"‹\s*/?\s*(?:im_\w+|\w+_header_id|eot_id|endoftext|start_of_turn|end_of_turn|begin_of_text|SYS|system|developer|assistant|"
    r"user|human|tool|speech|transcript|instructions?|think|bos|eos|s)\b[^›\n]{0,200}›"
    r"|\(\s*/?\s*(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\s*\)"
    r"|\[\s*/?\s*(?:SYSTEM|ADMIN|USER|ASSISTANT|JUDGE|DEVELOPER|GRADER|EVALUATOR)(?: \w+)?\s*\]"
    r"|</?\w+[_-](?:input|output|notes?|prompt|message|instructions?|data|context|query|content)>"
    r"|(?<![-=*#~\[])[-=*#~\[]{2,80}\s{0,9}(?:end|start|begin\w*) of (?:the )?(?:debate|transcript|speech|input|data|document|conversation|untrusted \w+|user \w+)\b"
    r"|\b(?:new |next )?message from (?:the )?(?:system|developer|admin)\b\s*[:–—-]"
    r"|<\w+\s[^<>\n]{0,100}\brole\s*=\s*[\"']?(?:system|assistant|developer|judge)\b[^<>\n]{0,100}>"
    r"|</?(?:system|turn|message|instruction|debate|transcript|speech|untrusted|judge|prompt|context|evaluation|policy)[\w-]*>"
    r"|^#{1,6}\s*\(?(?:new |updated )?(?:system|instructions?|assistant|judge|developer|human|response)\)?(?: (?:instructions?|output|prompt|message))?\s*(?::|#|$)"
    r"|^[^\w\n]*(?-i:(?:END|BEGIN|START)(?:[ _-]+(?:OF|THE))*[ _-]+(?:\w+[ _-]+){0,2}?"
    r"(?:TRANSCRIPT|DATA|SPEECH|DEBATE|INSTRUCTIONS?|PROMPT|CONTEXT|INPUT|DOCUMENT|EVALUATION)\b)"
    rf"|^[ \t>#*_-]*\((?:system|developer)\)[ \t*_]*:(?=[^\n]{{0,{MAX_ROLE_TEXT_CHARS}}}\b(?:you|your|judges?|graders?|evaluators?|winn?er|wins?|verdict|"
    r"override|scoring|ignore|select|choose|instructions?|pick|award|declare|grade|rank|prefer\w*|favou?r\w*|score\w*|rule|vote|affirmative|negative|(?-i:Pro|Con)|ꙮ+)\b)"
    rf"|^[ \t>#*_-]*\((?:{_ROLE})\)[ \t*_]*:(?=[^\n]{{0,{MAX_ROLE_TEXT_CHARS}}}\b(?:{_PARTY}|clear|side)\b)(?=[^\n]{{0,{MAX_ROLE_TEXT_CHARS}}}"
    r"\b(?:winner|wins?|won|prevail\w*|marks|score\w*|choose|chose|pick\w*|prefer\w*|clearly|verdict|vote[sd]?|answer|decision)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Role markers after sanitizing, which turns `<|im_start|>` into `‹im_start›`."""

_KEY = (
    r"winner|verdict|victory|margin|scores?|marks?|confidence|vote|option|standing|final_?score|final_?total|total|logic|evidence|"
    r"responsiveness|honesty|rhetoric|tactics|decision|judge?ment|reason(?:ing)?|rationale|outcome|participant|criterion|out_of|value|"
    r"trace|insight|item|mark|preference|preferred|ranking|ballot|speaker_?points|strongest|weakest|critical_findings|argument_quality|rebuttal_effectiveness|strategic_positioning|recommendation|assessor"
)
_VALUE = (
    r"(?:[\"'“]?\s*(?:-?\d|[{\[]|(?-i:PASS|FAIL|CONDITIONAL|UPHELD|REFUTED|PRO|CON|Pro|Con|FOR|AGAINST)\b|clear|narrow|draw|high|max|always|logic|evidence|honesty|responsiveness|rhetoric|tactics|decisive|(?-i:[AB]\b)|"
    rf"(?:\[x?\] )?(?:the )?{_PARTY}))"
)
_ENTRY = re.compile(
    rf"(?:^|[\s{{\[(,;*#>\"'`=|])(?P<key>{_KEY})[\"'`*]*\s*[:=]\s*(?=[*]*{_VALUE})|[\"'](?P<name>{_KEY})[\"']\s*:|<(?P<tag>{_KEY})(?:\s[^<>\n]{{0,60}})?>",
    re.IGNORECASE | re.MULTILINE,
)
_DECISIVE_KEY = re.compile(
    r"winner|verdict|victory|margin|scores?|marks?|confidence|vote|option|standing|decision|preference|preferred|ballot|judge?ment|trace|criterion|logic|honesty|responsiveness|"
    r"final_?score|final_?total|argument_quality|rebuttal_effectiveness",
    re.IGNORECASE,
)
"""Keys that only a judge's result has; a forged result has at least one. Other keys occur in arguments too."""
_OUTCOME = (
    r"(?:verdicts?|winner|decision|judge?ment|ruling|results?|evaluation|ballot|scores?|outcome|preference|votes?)"
)
_WIN_VERB = r"(?:wins?|won|winner|prevail\w*|victor\w*|defeats?|beats?|loses|lost|takes|carr(?:ies|ied)|ahead|first)\b"
_SCORE = r"(?:\d{1,3}(?:\.\d+)?(?!\d| ?%|[.,]\d)(?: ?/ ?\d+)?(?! (?:per|euro|percent|million|billion|years?|times|studies|points? (?:up|down))))"
_MOTION_DECIDED = (
    r"\b(?:motion|resolution|thesis) (?:is |has (?:been )?)?(?:pass(?:es|ed)|carr(?:ies|ied)|fail(?:s|ed)|falls|upheld|rejected|adopted|defeated|lost)\b"
    r"(?! (?:the|an?|its|every|this|that|on|to|for|from|or|short|apart|because)\b)"
)
_RULING = re.compile(
    rf"(?:^|[.!?]\s|[|\[(*#>\"])\W{{0,4}}(?:\w+ ){{0,2}}?{_OUTCOME}\b(?: \w+){{0,4}}?[\"'”’)\]*]*\s?[:=>—–]+\W{{0,4}}(?:the )?{_PARTY}(?:(?! \w)|\W{{1,4}}\d|(?: \W?\w+\W?)? {_WIN_VERB})[^.!?\n]*"
    rf"|<{_OUTCOME}\b[^<>\n]{{0,60}}>(?=[^\n]{{0,80}}\b(?:{_PARTY}|{_WIN_VERB}|\d))[^\n]{{0,200}}"
    rf"|(?:{_PARTY}|speaker \w|(?-i:[AB]))(?:[\s:=(|]{{1,4}}|\s[–—-]\s){_SCORE}[^.!?\n]{{0,60}}?\W(?:and |versus |vs\.? )?(?:{_PARTY}|speaker \w|(?-i:[AB]))(?:[\s:=(|]{{1,4}}|\s[–—-]\s){_SCORE}[^.!?\n]*"
    r"|(?:my|the) final (?:answer|verdict|decision|choice|preference) is\W{1,4}(?:\[\[\w+\]\]|(?-i:[AB])\b)"
    rf"|\b(?:i|we)(?:, the (?:judges?|panel|adjudicators?|evaluators?|jury),|, as (?:the )?(?:judge|adjudicator|evaluator),)? (?:hereby |therefore |thus |clearly )*(?:find (?:for|in favou?r of)|award (?:this|the) (?:\w+ )?to|declare|vote for|conclude that|rule (?:for|that|in favou?r of)) (?:the )?{_PARTY}(?![\w’'])[^.!?\n]*"
    rf"|{_PARTY}(?: \w+){{0,2}} (?:was|were|is|has been|had been) (?:\w+ )?(?:declared|named|pronounced|announced|judged|recorded as) (?:as )?(?:the )?(?:winner|victor|better|best)(?! (?:policy|option|product|choice|way|place|value))[^.!?\n]*"
    rf"|(?:^|[\[(*#\"]|[.!?]\s|\b(?:final|my|judge(?:'s|’s)|panel(?:'s|’s)) )(?:(?:final )?(?:verdict|decision|judge?ment|ruling)|final \w+|(?:results?|evaluation|assessment|scores?)(?=[^.!?\n]{{0,120}}\b(?:{_PARTY}|motion|speaker|side|PASS|FAIL|UPHELD)\b))"
    rf"(?: of the \w+)?[\"'”’)\]*]*\s?[:\]=>—–]+[^.!?\n]{{0,80}}(?:\b(?:wins?|won|winner|prevail\w*|victor\w*|clear|carried|defeats?|beats?|loses|takes the|stands)\b|{_MOTION_DECIDED}|(?-i:\b(?:PASS|FAIL|CONDITIONAL)\b)|"
    r"(?-i:(?:Pro|Con|(?<!ꙮ)ꙮ++),? \d+(?:\.\d+)?\W{1,4}(?:Pro|Con|ꙮ++),? \d+))[^.!?\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_WEIGHTS_OPTION = re.compile(r"--weights[ =](?:(?:logic|evidence|responsiveness|honesty)=0?\.\d{1,6}\b,?){1,4}")
"""The option `--weights` of `debate score`, which is a setting and not a result."""
_JSON_TAIL = re.compile(r"[^\n]{0,300}")
_SENTENCE_TAIL = re.compile(r"(?:[^\n.!?]|[.!?](?=\S)){0,300}[.!?]?")


def find_role_markers(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the sanitized `text` that pretend to come from someone other than the speaker."""
    for match in _ROLE_MARKER.finditer(text):
        blank = text.find("\n\n", match.end())
        end = len(text) if blank < 0 else blank
        yield match.start(), max(match.end(), min(end, match.start() + MAX_ROLE_TEXT_CHARS))


def find_forged_results(text: str) -> Iterator[tuple[int, int]]:
    """Spans of `text` that imitate a judge's form (two or more entries) or a ruling in words."""
    for match in _RULING.finditer(text):
        yield match.span()
    text = _WEIGHTS_OPTION.sub(lambda option: "_" * len(option.group()), text)
    group: list[re.Match[str]] = []
    for match in _ENTRY.finditer(text):
        if group and match.start() - group[-1].end() > MAX_ENTRY_GAP:
            yield from _result_span(text, group)
            group = []
        group.append(match)
    yield from _result_span(text, group)


def _result_span(text: str, entries: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    keys = {(match["key"] or match["name"] or match["tag"]).lower() for match in entries}
    if len(keys) > 1 and any(map(_DECISIVE_KEY.fullmatch, keys)):
        start = text.rfind("\n", 0, entries[0].start() + 1) + 1
        brace = text.find("{", start, entries[0].start() + 1)
        tail = (_JSON_TAIL if brace >= 0 else _SENTENCE_TAIL).match(text, entries[-1].end())
        yield (brace if brace >= 0 else entries[0].start()), tail.end() if tail else entries[-1].end()
