"""Words for outcomes, margins and scores, with the judging system's scale and unit. Names in the text are not sanitized."""

from collections.abc import Iterable

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.explanation import ADVERBS
from debate_cli.systems.registry import get_system
from debate_cli.systems.tables import format_number, format_share


def describe_outcome(verdict: Verdict, document: str | None = None) -> str:
    """Return a sentence that says who won, and how clearly.

    `document`: name of the judged document; None for a debate.
    """
    badge = get_system(verdict.system).options.get(verdict.option or "")
    tone = badge.tone if badge is not None else "info"
    how = ADVERBS.get(verdict.victory, "")
    match verdict.victory:
        case "draw":
            return "A draw: evenly matched."
        case "undetermined":
            return "Undetermined: too little was assessed for a verdict."
        case "conditional" if verdict.is_tied:
            return "Conditional: the vote is tied."
        case "conditional":
            return f"Conditional: {'the motion holds' if document is None else f'{document} passes'} under stated conditions."
        case _ if verdict.winner is not None:
            return f"{verdict.winner} wins {how}."
        case _ if verdict.option is None:
            return f"Decided {how}, but the vote itself is not recorded."
        case _ if tone == "good":
            return f"{'The motion is upheld' if document is None else f'{document} passes'}, {how}."
        case _ if tone == "bad":
            return f"{'The motion is not upheld' if document is None else f'{document} does not pass'}, {how}."
        case _:
            return f"The vote on {'the motion' if document is None else document} is {verdict.option}, {how}."


def format_margin(verdict: Verdict) -> str:
    """Return a verdict's margin, e.g. `1.6 of 10 points` or `20% of the weight`; empty without a margin.

    If the highest possible score is unknown, or if the margin exceeds it because a score is negative, `of 10` is left
    out: `1.6 points`.
    """
    if verdict.margin is None:
        return ""
    system = get_system(verdict.system)
    number = format_share(verdict.margin) if system.scores_are_shares else format_number(verdict.margin)
    highest = system.max_score(verdict)
    is_within = highest is None or verdict.margin <= highest
    return f"{number} {(_of_highest_score(verdict) if is_within else '') or system.unit}".rstrip()


def rank_scores(verdict: Verdict) -> list[tuple[str, float]]:
    """Return pairs (name, score), the highest score first. The names are debaters or, after a vote, options.

    Options that favour no debater, e.g. `CONDITIONAL`, are included.
    """
    shown = {**_undecided_options(verdict), **verdict.displayed_scores}
    return sorted(shown.items(), key=lambda item: -item[1])


def format_ranked_scores(verdict: Verdict) -> str:
    """Return the ranked scores, e.g. `(Pro 7.4, Con 6.8)`; empty if the verdict has no scores.

    The scale is added if no margin is shown elsewhere, e.g. for an undetermined verdict: `(Pro 7.4, Con 6.8 of 10 points)`.
    """
    scores = ", ".join(f"{name} {format_number(score)}" for name, score in rank_scores(verdict))
    scale = "" if _shows_margin(verdict) else _of_highest_score(verdict)
    return f"({f'{scores} {scale}'.rstrip()})" if scores else ""


def _undecided_options(verdict: Verdict) -> dict[str, float]:
    options = get_system(verdict.system).options
    return {
        option: share
        for option, share in verdict.option_scores.items()
        if share and verdict.option is None and option in options and options[option].tone == "mixed"
    }


def _of_highest_score(verdict: Verdict) -> str:
    system = get_system(verdict.system)
    if system.scores_are_shares:
        return f"of the {system.unit}"
    highest = system.max_score(verdict)
    return "" if highest is None else f"of {highest:g} {system.unit}"


def _shows_margin(verdict: Verdict) -> bool:
    return verdict.margin is not None and verdict.victory not in {"undetermined", "conditional"}


def format_scale(verdicts: Iterable[Verdict]) -> str:
    """Return the highest possible score with its unit, e.g. `10 points` or `1 (weight)`; empty if it is unknown.

    If the verdicts have different highest scores, the result is e.g. `80 or 110 points`.
    """
    found: dict[str, set[float]] = {}
    for verdict in verdicts:
        system = get_system(verdict.system)
        highest = system.max_score(verdict)
        if highest is not None:
            unit = f"({system.unit})" if system.scores_are_shares else system.unit
            found.setdefault(unit, set()).add(highest)
    scales = (f"{' or '.join(f'{highest:g}' for highest in sorted(maxima))} {unit}" for unit, maxima in found.items())
    return "; ".join(scales)


def describe_answer(verdict: Verdict, document: str | None) -> str:
    """Return the outcome with its margin, e.g. `Pro wins narrowly, by 1.6 of 10 points.`.

    `document`: name of the judged document; None for a debate.
    """
    outcome, margin = describe_outcome(verdict, document), format_margin(verdict)
    if not _shows_margin(verdict):
        return outcome
    distance = f"{margin} apart" if verdict.victory == "draw" else f"by {margin}"
    return f"{outcome.rstrip('.')}, {distance}."
