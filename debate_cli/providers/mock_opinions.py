"""The mock's vocabulary as a judge. Slots are those of `providers.mock_phrases`.

After a dot stands what the judge thinks of whom it writes about: weak, fair or strong, or even where it puts nobody first;
for votes, the option.
"""

from __future__ import annotations

OPINIONS: dict[str, tuple[str, ...]] = {
    "reasoning.strong": (
        "{Name} gives a full chain from cause to consequence on {angle}, names {measure} as the test, and answers the objection raised against it.",
        "The point on {angle} is specific enough to be checked, and the reply of {other} leaves its core untouched.",
        "Clear premise, clear consequence, and an honest limit; {name} loses little in the exchange about {angle}.",
    ),
    "reasoning.fair": (
        "{Name} has the direction right on {angle}, but how large the effect on {measure} would be stays open.",
        "The chain holds up to its last step; {name} asserts rather than shows that {measure} follows.",
        "A solid point with general evidence: {source} are named, yet nobody could look the figure up from this.",
    ),
    "reasoning.weak": (
        "{Name} leaves out the middle of the chain: why {angle} should change at all is never said.",
        "The evidence is too general to be checked, and the objection of {other} on {angle} goes unanswered.",
        "The claim about {angle} is repeated more often than it is supported.",
    ),
    "reasoning.even": (
        "What was said on {angle} met an answer each time, and no answer settled it.",
        "Both keep to {angle}, and neither gives {measure}.",
    ),
    "reasoning.PASS": (
        "The case for the motion stood up to its objections; what is left open about {angle} does not reverse it.",
        "On balance the motion is carried: its chain on {angle} was attacked and not broken.",
    ),
    "reasoning.FAIL": (
        "The motion needs {angle} to come out in its favour, and the exchange ended with that point against it.",
        "Too much of the case for the motion rests on {measure}, which nobody could give.",
    ),
    "reasoning.CONDITIONAL": (
        "The motion holds where {angle} is provided for, and does not hold where it is not.",
        "Both sides are right about different cases; {measure} tells which of them one is in.",
    ),
    "key_insight": (
        "The two sides disagree less about {focus} than about when {angle} begins to matter.",
        "Whether the motion holds depends on {angle}: where {measure} can be kept in check, most objections lose their weight.",
        "The dispute comes down to who carries the cost of {angle}, and neither side priced it.",
    ),
    "recommendation": (
        "Decide in two steps: try it where the choice can be taken back, and watch {measure} before going further.",
        "Settle first how {measure} will be recorded; without that neither side's case can be acted upon.",
        "Go ahead only where someone answers for {angle}, and review the decision after a year.",
    ),
    "unresolved_questions": (
        "How large is the effect on {measure} in a case of this size?",
        "Who answers for {angle} if the expectation is not met?",
        "What would have to happen for the decision to be taken back?",
        "Do {source} carry over to the conditions described here?",
    ),
    "critical_findings": (
        "{Dimension}: the effect on {angle} is asserted, not shown; {measure} is never given.",
        "{Dimension}: the cross-examination left the point on {angle} unanswered.",
        "{Dimension}: what is cited from {source} was found under other conditions.",
        "{Dimension}: no one says who carries the cost of {angle}.",
    ),
    "remediation_required": (
        "State {measure} before and after, for one comparable case.",
        "Name who answers for {angle}.",
        "Say under which condition the decision will be taken back.",
    ),
    "changed_because": (
        "Turn {turn} answers the objection on {angle} more fully than I had given it credit for.",
        "On reading turn {turn} again, the point on {angle} is weaker than it first seemed.",
    ),
    "evaluation": (
        "{Name} made the better case on {angle}, because the chain to {measure} was complete and the objections were met. {Other} was strongest where the evidence of the other side was general. Neither showed how large the effect would be here.",
        "The debate narrowed to {angle}. {Name} kept to what can be checked and granted what had to be granted; {other} raised the better questions and answered fewer. For a decision, {measure} should be known first.",
    ),
    "evaluation.even": (
        "Little separates them. On {angle} every point met an answer, and no answer settled it. What would have settled it, {measure}, was asked for and never given.",
        "A close debate. Both argued {angle} in good faith and with evidence that was general throughout. For a decision, {measure} should be known first.",
    ),
    "reason.strong": (
        "Specific on {angle}, and the objection is met.",
        "Takes {angle} where {other} is weakest.",
        "{Name} ties {angle} to {measure} and meets the objection.",
        "The strongest part of what {name} says: specific and to the point.",
    ),
    "reason.fair": (
        "Sound on {angle}, though more asserted than shown.",
        "Keeps {angle} in view without winning the point.",
        "Right in direction; the size of the effect on {measure} stays open.",
        "{Name} engages with the other side, though not with its best point.",
        "Answers part of what {other} raised on {angle}, and leaves part.",
        "Holds the ground on {angle} without gaining any.",
    ),
    "reason.weak": (
        "Says little on {angle} that could be checked.",
        "Lets {other} set the terms on {angle}.",
        "{Name} passes over what {other} raised about {angle}.",
        "General where it had to be specific: {measure} is never given.",
    ),
    "why": (
        "The last exchange on {angle} ended with the question back at {other}.",
        "{Name} answered more of what was raised and conceded what had to be conceded.",
    ),
    "why.even": (
        "What was raised on {angle} was answered, and no more than that.",
        "Nobody moved the other side on {angle}.",
    ),
    "points": (
        "On {angle}: {case}.",
        "{Measure} is named as the test.",
        "Grants that the effect depends on conditions.",
        "Questions whether {source} carry over.",
    ),
    "heading": ("{Angle}",),
    "consensus": (
        "Both sides accept that any choice about {focus} costs something at first.",
        "Nobody disputes that {measure} is the right test.",
    ),
    "about": (
        "whether {case}",
        "whether {source} carry over to this case",
        "who carries the cost of {angle}",
    ),
    "guidance": (
        "Please give {measure} for one comparable case, and answer the open point on {angle} before adding new ones.",
        "Both sides should now say under which condition they would change their mind about {angle}.",
    ),
    "explanation": (
        "The scorecard counts every exchange alike, while the story turns on the last one about {angle}; both readings are right about what they measure.",
        "Point by point {name} did slightly better; the arc of the debate rewards that {other} carried one thought on {angle} to its end.",
    ),
    "explanation.even": (
        "Turn by turn the two come out even; the story turns on the last exchange about {angle}, which the scorecard counts like any other.",
    ),
    "arc": (
        "Begins with a broad claim, narrows it under pressure to {angle}, and ends on what can be checked.",
        "Starts carefully, gains ground on {angle}, and leaves the evidence for it open.",
    ),
    "early": (
        "At first the two disagreed about whether {focus} matters for {angle} at all.",
        "The first turns set two broad claims against each other, without a common test.",
    ),
    "late": (
        "By the end they differ on the size of the effect, with {measure} as the common test.",
        "The last turns keep both claims, each limited to the cases it fits.",
    ),
    "cause": ("the decision about {focus} changes what is done first",),
    "process": ("what is done first becomes habit, and {angle} follows it",),
    "consequence": ("{case}, which shows in {measure}", "{case}"),
    "missing": ("how large the effect on {measure} is", "what holds where conditions differ"),
    "logic_gap/reason": (
        "Never says how the step from {angle} to the result works; the answer shows the gap.",
        "Takes for granted that {measure} would follow, which the next turn disputes with reason.",
        "Argues from the first effect only; the later one is pointed out to it.",
    ),
    "targets/reasoning": (
        "The point on {angle} meets {name} where the own case is thin.",
        "{Name} has an answer to most of it; the point on {angle} stays.",
        "Little of it is new to {name}; only {angle} was left open before.",
    ),
    "contradictions/explanation": (
        "Accepts now on {angle} what the earlier turn denied.",
        "The earlier turn called {angle} decisive; here it is a side issue.",
    ),
    "premise": ("that {measure} would be recorded at all", "that {case}"),
    "framing": ("Sets {angle} as the question that decides.",),
    "summary": ("The debate turned on {angle}; {name} gained a little ground on it, and {measure} was left open.",),
    "any": (
        "The exchange about {angle} is where the debate was decided.",
        "{Measure} is what both sides would need to settle the point.",
        "The point on {angle} is fair and still open in its size.",
    ),
}
"""What judges write, by the property that asks for it."""

OF_DOCUMENTS: dict[str, tuple[str, ...]] = {
    **OPINIONS,
    "reasoning.PASS": (
        "The document says what is to be done and why; what it leaves open about {angle} can be settled later.",
        "What {motion} says on {angle} can be checked, and nothing else in it speaks against the whole.",
    ),
    "reasoning.FAIL": (
        "The document needs {angle} to come out in its favour, and does not show why it should.",
        "Too much of {motion} rests on {measure}, which it never gives.",
    ),
    "reasoning.CONDITIONAL": (
        "The document can be followed where {angle} is provided for; where it is not, it does not say what to do.",
        "Whether {motion} holds depends on {measure}: it names no bound from which on the plan would change.",
    ),
    "critical_findings": (
        "{Dimension}: the effect on {angle} is asserted, not shown; {measure} is never given.",
        "{Dimension}: the document does not say what becomes of {angle} if the plan fails.",
        "{Dimension}: no one is named who carries the cost of {angle}.",
    ),
    "changed_because.FAIL": (
        "On reading the document again, its point on {angle} is weaker than it first seemed.",
        "The other votes are right that the passage on {angle} does not say what happens if it fails.",
    ),
    "changed_because.PASS": (
        "The passage on {angle} answers the objection more fully than I had given it credit for.",
        "The passage on {angle} says how {measure} would be kept, which I had passed over.",
    ),
    "changed_because.CONDITIONAL": ("The passage on {angle} holds in the case that it describes, and only there.",),
    "any": (
        "The passage on {angle} is where the document is decided.",
        "{Measure} is what the document would need to settle the point.",
    ),
}
"""The same where a document is judged, and nobody debates."""

SYNONYMS = {
    "rationale": "reasoning",
    "justification": "reasoning",
    "analysis": "reasoning",
    "comment": "reason",
    "speech": "text",
    "content": "text",
    "argument": "claim",
    "answer": "reply",
    "question": "follow_up",
    "questions": "unresolved_questions",
    "momentum_why": "why",
    "overall": "summary",
}
"""Properties that say the same in other words."""
