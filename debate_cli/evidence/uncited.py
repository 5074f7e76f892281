"""Finds arguments that refer to a figure, a study or an institution without citing a source."""

import re
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import Argument

_FIGURE = re.compile(r"(?<![\w-])[$€£]?\d[\d.,]*(?![\w-]*-\d)")
_STUDY = re.compile(
    r"\b(?:stud(?:y|ies)|surveys?|reports?|statistics|research|trials?|papers?|meta-analys[ei]s|census|audits?|according to"
    r"|universit(?:y|ies)|institutes?|agenc(?:y|ies)|ministr(?:y|ies)|department of|bureau|commission|et al)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w&.-]+")
"""A capitalized word inside a sentence."""


class UncitedClaim(NamedTuple):
    """An argument whose evidence names something that can be looked up, without a citation."""

    turn: int
    debater: str
    item: str
    """Id of the argument."""
    evidence: str
    """The evidence of the argument, or the whole speech if it has no parts."""


def find_uncited(debate: Debate) -> tuple[UncitedClaim, ...]:
    """The uncited arguments of the debate, in order.

    A speech without parts (an imported or unstructured one) is treated as one argument.
    """
    return tuple(
        UncitedClaim(turn.index, turn.speaker, argument.id, _evidence(argument))
        for turn in debate.turns
        for argument in turn.arguments or ()
        if not argument.citations and names_a_source(_evidence(argument))
    )


def _evidence(argument: Argument) -> str:
    return argument.evidence or ("" if argument.reasoning else argument.claim)


def names_a_source(evidence: str) -> bool:
    """Whether `evidence` names a figure, a study or an institution."""
    return any(pattern.search(evidence) for pattern in (_FIGURE, _STUDY, _NAME))
