"""The moderator's criteria and their maxima. Forms, totals, scores and tables are computed from them.

To add a criterion, also describe it in the prompt of its question. The prompts and the docstrings of `settings.py`
name the totals.
"""

ROUND_CRITERIA: dict[str, float] = {"argument_quality": 10, "rebuttal_effectiveness": 10, "strategic_positioning": 10}
"""Maps the criteria of a round to maxima."""
ROUND_TOTAL = sum(ROUND_CRITERIA.values())
"""30: the highest sum of one round."""
ROUND_HEADS: dict[str, str] = {
    "argument_quality": "argument",
    "rebuttal_effectiveness": "rebuttal",
    "strategic_positioning": "strategy",
}
"""Maps the criteria of a round to short names for tables."""
FINAL_CATEGORIES: dict[str, float] = {
    "evidence_based_claims": 10,
    "logical_structure": 10,
    "relevance": 10,
    "comprehensiveness": 10,
    "precision": 10,
    "counter_evidence": 5,
    "framing_control": 10,
    "adaptability": 10,
    "clarity": 5,
    "persuasiveness": 5,
    "tone_management": 5,
    "concession_when_appropriate": 5,
    "accuracy": 5,
}
"""Maps the categories of the final evaluation to maxima."""
FINAL_TOTAL = sum(FINAL_CATEGORIES.values())
"""100: the highest total of the final evaluation."""
CATEGORY_GROUPS: dict[str, tuple[str, ...]] = {
    "argument_quality": ("evidence_based_claims", "logical_structure", "relevance"),
    "rebuttal_effectiveness": ("comprehensiveness", "precision", "counter_evidence"),
    "strategic_positioning": ("framing_control", "adaptability"),
    "rhetorical_effectiveness": ("clarity", "persuasiveness", "tone_management"),
    "intellectual_integrity": ("concession_when_appropriate", "accuracy"),
}
"""Maps groups to categories. The chair gives one reason per group and participant."""
