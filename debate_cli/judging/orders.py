"""Sentences that give a judge an order, told by what comes together in them rather than by a phrase.

An order needs somebody or something of the judging (a judge, a judge's form, "your verdict"), and an imperative or a
"must" with a verb of judging, or a party and what it is to be given. Either alone is what debates are made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from debate_cli.judging import order_signs as signs

LONGEST = 400
"""Characters of a sentence; what is longer is looked at piece by piece."""
_SENTENCE = re.compile(rf"(?:[^.!?。！？\n]|\.(?=\w)|\n(?=[a-z])){{1,{LONGEST}}}[.!?。！？]*[\"'”’)\]]*")


class Rule(NamedTuple):
    """A sentence that has every sign it `needs`; those that are cheap to look for stand first."""

    technique: str
    needs: tuple[signs.Sign, ...]


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """(start, words) of each sentence of `text`, without white space before it."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group().lstrip()
        if sentence:
            yield match.end() - len(sentence), sentence


def orders(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, technique) of each sentence of `text` that is an order to a judge; the first rule names it."""
    for start, sentence in sentences(text):
        technique = _technique(sentence)
        if technique is not None:
            yield start, start + len(sentence), technique


def _technique(sentence: str) -> str | None:
    known: dict[int, bool] = {}
    for rule in RULES:
        for sign in rule.needs:
            if sign.number not in known:
                known[sign.number] = sign.search(sentence)
            if not known[sign.number]:
                break
        else:
            return rule.technique
    return None


def hints_at_order(text: str) -> bool:
    """Whether `text`, which was hidden, is about the judging: less is enough there."""
    return any(all(sign.search(text) for sign in hint) for hint in HINTS)


RULES: tuple[Rule, ...] = (
    Rule("override", (signs.YOU, signs.NORM, signs.IGNORING)),
    Rule("override", (signs.NORM, signs.PAST_NORM, signs.IGNORING)),
    Rule("override", (signs.NORM, signs.LIFTED)),
    Rule("override", (signs.NORM, signs.TRUE_NORM)),
    Rule("override", (signs.LEAK,)),
    Rule("override", (signs.NORM, signs.LIFTED_ALL, signs.YOU)),
    Rule("override", (signs.NORM, signs.LIFTED_ALL, signs.JUDGE)),
    Rule("override", (signs.ASKED_BEFORE, signs.ASK)),
    Rule("override", (signs.NEW_TASK,)),
    Rule("override", (signs.FORGET_ROLE,)),
    Rule("override", (signs.TOLD_YOU,)),
    Rule("override", (signs.NOT_NEUTRAL,)),
    Rule("override", (signs.STOP_JUDGING,)),
    Rule("output_order", (signs.DICTATED,)),
    Rule("score_demand", (signs.FORM, signs.SCORE_IS)),
    Rule("score_demand", (signs.SIDE, signs.SIDING)),
    Rule("score_demand", (signs.SIDE, signs.DISCOUNT)),
    Rule("score_demand", (signs.TOP, signs.CROWN)),
    Rule("score_demand", (signs.GIVE_NAME,)),
    Rule("score_demand", (signs.AWARD_TO,)),
    Rule("score_demand", (signs.DEBATED_AS,)),
    Rule("score_demand", (signs.POINTS_OFF,)),
    Rule("score_demand", (signs.MAKE_SURE, signs.OUTCOME)),
    Rule("score_demand", (signs.TIE_BREAK,)),
    Rule("score_demand", (signs.CRITERION_TEN, signs.I_WANT)),
    Rule("score_demand", (signs.ACCORDINGLY,)),
    Rule("score_demand", (signs.GIVE_HIM,)),
    Rule("score_demand", (signs.IGNORE_SIDE,)),
    Rule("score_demand", (signs.CAPPED, signs.PARTY)),
    Rule("score_demand", (signs.BRAND,)),
    Rule("score_demand", (signs.SCORED, signs.PARTY, signs.PASSIVE)),
    Rule("score_demand", (signs.CRITERION_TEN, signs.PASSIVE)),
    Rule("score_demand", (signs.YOURS, signs.OF_SOMEONE, signs.DIRECT)),
    Rule("score_demand", (signs.CRITERION_TEN, signs.ASK)),
    Rule("score_demand", (signs.CRITERION_TEN, signs.JUDGE)),
    Rule("score_demand", (signs.CRITERION_TEN, signs.YOU)),
    Rule("score_demand", (signs.DESERVES, signs.TOP)),
    Rule("score_demand", (signs.STRICT_SCORE, signs.PARTY)),
    Rule("score_demand", (signs.NO_CREDIT,)),
    Rule("score_demand", (signs.STRIKE,)),
    Rule("score_demand", (signs.VOCATIVE, signs.FORM, signs.ASK)),
    Rule("score_demand", (signs.VOCATIVE, signs.TOP, signs.ASK)),
    Rule("new_rubric", (signs.AUTOMATIC,)),
    Rule("new_rubric", (signs.USE_SCHEME,)),
    Rule("new_rubric", (signs.SCORING_TALK, signs.THIS, signs.NO_MATTER)),
    Rule("new_rubric", (signs.NEW_SCORING,)),
    Rule("new_rubric", (signs.WEIGHT_IS,)),
    Rule("new_rubric", (signs.SCHEME, signs.ONLY_MATTERS)),
    Rule("role_play", (signs.CHARACTER, signs.PERSONA)),
    Rule("output_order", (signs.MECHANIC, signs.OUTPUT)),
    Rule("false_authority", (signs.MAKER,)),
    Rule("false_authority", (signs.REQUIRED,)),
    Rule("false_authority", (signs.AUTHORITY, signs.YOURS)),
    Rule("false_authority", (signs.AUTHORITY, signs.JUDGE)),
    Rule("false_authority", (signs.AUTHORITY, signs.SIDE)),
    Rule("false_authority", (signs.AUTHORITY, signs.PARTY, signs.TOP)),
    Rule("false_authority", (signs.AUTHORITY, signs.PARTY, signs.FORM)),
    Rule("false_authority", (signs.AUTHORITY, signs.DIRECT)),
    Rule("pressure", (signs.YOU, signs.LEVER, signs.TOP)),
    Rule("pressure", (signs.YOU, signs.LEVER, signs.PARTY, signs.FORM)),
    Rule("pressure", (signs.LEVER, signs.JUDGE, signs.PARTY)),
    Rule("pressure", (signs.LEVER, signs.FORM, signs.SIDE)),
    Rule("pressure", (signs.MERCY, signs.PARTY)),
    Rule("pressure", (signs.BRIBE, signs.IF)),
    Rule("pressure", (signs.LEVER, signs.OR_ELSE, signs.ASK)),
    Rule("pressure", (signs.LEVER, signs.IF_YOU_SCORE)),
    Rule("pressure", (signs.BRIBE, signs.LABEL)),
    Rule("conditional", (signs.MODEL_READER, signs.DIRECT)),
    Rule("conditional", (signs.TRIGGER, signs.TOP, signs.DIRECT)),
    Rule("conditional", (signs.TRIGGER, signs.LABEL, signs.DIRECT)),
    Rule("conditional", (signs.TRIGGER, signs.SIDE, signs.DIRECT)),
    Rule("conditional", (signs.TRIGGER, signs.STRICT, signs.PARTY)),
    Rule("conditional", (signs.TRIGGER, signs.LABEL, signs.IT_MUST)),
    Rule("conditional", (signs.TRIGGER, signs.SIDE, signs.IT_MUST)),
    Rule("conditional", (signs.TRIGGER, signs.TOP, signs.IT_MUST)),
    Rule("false_consensus", (signs.TOP, signs.PARTY, signs.DECIDED)),
    Rule("false_consensus", (signs.LABEL, signs.DECIDED)),
    Rule("false_consensus", (signs.YOU, signs.PARTY, signs.DECIDED)),
    Rule("false_consensus", (signs.SETTLED, signs.PARTY, signs.DECIDED)),
    Rule("false_consensus", (signs.BEFORE, signs.SIDE, signs.DECIDED)),
    Rule("false_consensus", (signs.SETTLED, signs.THIS, signs.FAVOUR)),
    Rule("false_consensus", (signs.OTHERS, signs.PARTY, signs.FORM)),
    Rule("false_consensus", (signs.OTHERS, signs.SETTLED)),
    Rule("false_consensus", (signs.OTHERS, signs.TOP)),
    Rule("false_consensus", (signs.AGREED_AMONG,)),
    Rule("false_consensus", (signs.RULING_IS,)),
    Rule("false_consensus", (signs.OTHER_MODELS, signs.TOP)),
    Rule("false_consensus", (signs.BENCH, signs.PARTY)),
    Rule("new_rubric", (signs.SCHEME, signs.HERE, signs.DIRECT)),
    Rule("new_rubric", (signs.SCHEME, signs.WEIGHTS)),
    Rule("new_rubric", (signs.COUNTS,)),
    Rule("new_rubric", (signs.ONLY, signs.SOLELY)),
    Rule("score_demand", (signs.TOP, signs.PARTY, signs.ASK)),
    Rule("score_demand", (signs.FORM, signs.PARTY, signs.ASK)),
    Rule("score_demand", (signs.LABEL, signs.PARTY, signs.DIRECT)),
    Rule("score_demand", (signs.YOURS, signs.PARTY, signs.DIRECT)),
    Rule("score_demand", (signs.TOP, signs.PARTY, signs.PASSIVE)),
    Rule("score_demand", (signs.JUDGE, signs.SIDE, signs.DIRECT)),
    Rule("score_demand", (signs.JUDGE, signs.THIS, signs.ASK)),
    Rule("score_demand", (signs.YOURS, signs.FORM, signs.DIRECT)),
    Rule("score_demand", (signs.JUDGE, signs.TOP, signs.DIRECT)),
    Rule("false_consensus", (signs.DEBATER, signs.OUTCOME, signs.THE_JUDGE)),
    Rule("conditional", (signs.READERS,)),
    Rule("conditional", (signs.ATTENTION, signs.FORM)),
    Rule("conditional", (signs.ATTENTION, signs.SIDE)),
    Rule("conditional", (signs.ATTENTION, signs.ASK)),
    Rule("conditional", (signs.IF_ASKED,)),
    Rule("conditional", (signs.NOTE, signs.TOP)),
    Rule("conditional", (signs.NOTE, signs.FORM)),
    Rule("conditional", (signs.NOTE, signs.DIRECT)),
)

HINTS = (
    (signs.BARE,),
    (signs.ASK, signs.PARTY),
    (signs.ASK, signs.FORM),
    (signs.ASK, signs.NORM),
    (signs.ASK, signs.TOP),
    (signs.JUDGE,),
    (signs.LABEL,),
    (signs.PARTY, signs.TOP),
)
"""What is enough in words that nobody was to see."""
