"""What was used, in labelled lines: by a whole debate, or by a judging of it and by the debate with it. No styling; no Rich."""

from __future__ import annotations

from collections.abc import Collection

from debate_cli.domain.debate import Debate, judging_usage
from debate_cli.domain.model_call import ModelCall
from debate_cli.render import theme


def usage_rows(debate: Debate, judged: Collection[str] | None = None) -> tuple[tuple[str, str], ...]:
    """(label, words) on calls, tokens and cost; the label is empty where there is but one row.

    `judged`: ids of the judging runs just added; what they used comes first, and the debate's total after it, as such.
    Without them, the time that the calls took stands there too.
    """
    whole = debate.usage
    if judged is None:
        took = total_call_seconds(debate)
        return (
            ("", theme.format_usage(whole) + (f" · calls took {theme.format_duration(took)} added up" if took else "")),
        )
    own = judging_usage(debate, judged)
    if own == whole:
        return (("", theme.format_usage(whole)),)
    return (
        ("this judging", theme.format_usage(own)),
        ("the debate with all its judgings", theme.format_usage(whole)),
    )


def total_call_seconds(debate: Debate) -> float:
    """Seconds that all calls took, added up; those under way at once count each.

    From the first event to the last would be another time: it holds the pause before a debate was resumed, or judged again.
    """
    heard: list[ModelCall | None] = [item.exchange for item in (*debate.turns, *debate.assessments, *debate.failures)]
    return sum(exchange.latency_s for exchange in heard if exchange is not None)
