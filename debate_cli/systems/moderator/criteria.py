"""Criteria of the moderator, and the scale of its scores. Prompts, forms, scores and tables are derived from them.

To add a criterion:

1. Add one line to `ROUND` or `FINAL`.
2. Increase `RULES`, the version of the scoring rules, by 1.
3. Read the moderator's rules in the prompts, and docs/systems/moderator.md. These texts name some criteria. Change the
   texts if the new criterion makes them wrong.
4. Change the ranges of sums in the docstrings of score.py.

Debates that were judged before have no marks in the new criterion, so their verdicts become undetermined.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

RULES = 1
"""Version of the scoring rules. A stored verdict of another version is not compared with a recomputed one."""


class Criterion(NamedTuple):
    """A criterion that the judge marks from 0 to `most` for each debater."""

    name: str
    """Name in forms, prompts, marks and verdicts. Unique among the criteria of one question."""
    asks: str
    """What the judge marks. The judge reads this text."""
    most: int = 10
    """Highest mark. For criteria of a round, at most 10: the prompt about a round explains no higher marks."""
    group: str = ""
    """Name of the criterion's group. The judge gives one reason for each group. If empty, the criterion is a group of its
    own, with the criterion's name."""
    head: str = ""
    """Short name for tables. If empty, tables show `name`, with spaces instead of underscores."""


@dataclass(frozen=True)
class CriterionSet:
    """The criteria that the judge marks in one answer."""

    criteria: tuple[Criterion, ...]

    @cached_property
    def maxima(self) -> Mapping[str, int]:
        """Maps criteria to their highest marks."""
        return {criterion.name: criterion.most for criterion in self.criteria}

    @cached_property
    def heads(self) -> Mapping[str, str]:
        """Maps the name of each criterion to its short name for tables."""
        return {criterion.name: criterion.head or criterion.name.replace("_", " ") for criterion in self.criteria}

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Maps groups to the names of their criteria."""
        found: dict[str, tuple[str, ...]] = {}
        for criterion in self.criteria:
            group = criterion.group or criterion.name
            found[group] = (*found.get(group, ()), criterion.name)
        return found

    @cached_property
    def group_maxima(self) -> Mapping[str, int]:
        """Maps each group to the sum of the highest marks of its criteria."""
        return {group: sum(self.maxima[name] for name in names) for group, names in self.groups.items()}

    @property
    def total(self) -> int:
        """Sum of all highest marks."""
        return sum(self.maxima.values())


ROUND = CriterionSet((
    Criterion("argument_quality", "clarity, logical structure, relevance to the motion, depth, and accuracy of the sources in this round", head="argument"),
    Criterion("rebuttal_effectiveness", "how well this round addresses, counters or integrates the earlier turns of others. In a round in which the participants cannot see each other, judge how well the points anticipate objections.", head="rebuttal"),
    Criterion("strategic_positioning", "how well the participant advances its own case, anticipates counter-arguments and uses the structure of the round", head="strategy"),
))  # fmt: skip
"""Criteria of a round."""
FINAL = CriterionSet((
    Criterion("evidence_based_claims", "claims rest on evidence that is specific, can be checked and supports the claims", 10, "argument_quality"),
    Criterion("logical_structure", "premises lead to conclusions, without gaps or contradictions", 10, "argument_quality"),
    Criterion("relevance", "the points bear on the motion", 10, "argument_quality"),
    Criterion("comprehensiveness", "the important points of the others are answered", 10, "rebuttal_effectiveness"),
    Criterion("precision", "answers meet the strongest form of what was said, not a weaker one", 10, "rebuttal_effectiveness"),
    Criterion("counter_evidence", "answers bring evidence of their own", 5, "rebuttal_effectiveness"),
    Criterion("framing_control", "this participant determines which questions the debate is about", 10, "strategic_positioning"),
    Criterion("adaptability", "the case takes up what the others said and develops over the rounds", 10, "strategic_positioning"),
    Criterion("clarity", "a reader understands each point at once", 5, "rhetorical_effectiveness"),
    Criterion("persuasiveness", "an undecided reader is moved", 5, "rhetorical_effectiveness"),
    Criterion("tone_management", "the tone is respectful and fits the subject", 5, "rhetorical_effectiveness"),
    Criterion("concession_when_appropriate", "what cannot be defended is conceded", 5, "intellectual_integrity"),
    Criterion("accuracy", "facts, figures and the words of others are given correctly", 5, "intellectual_integrity"),
))  # fmt: skip
"""Criteria of the final evaluation. Notes and tables call them categories."""
ROUND_SHARE, FINAL_SHARE = 0.25, 0.75
"""A debater's score is ROUND_SHARE x mean points per round + FINAL_SHARE x points in the final evaluation."""
MAX_SCORE = ROUND_SHARE * ROUND.total + FINAL_SHARE * FINAL.total
"""Highest score that a debater can reach."""
