"""What was used, in labelled lines: by a whole debate, or by a judging of it and by the debate with it. No styling; no Rich."""

from __future__ import annotations

from collections.abc import Collection

from debate_cli.domain.debate import Debate
from debate_cli.domain.judged import judging_usage
from debate_cli.render import look


def usage_rows(debate: Debate, judged: Collection[str] | None = None) -> tuple[tuple[str, str], ...]:
    """(label, words) on calls, tokens and cost; the label is empty where there is but one row.

    `judged`: ids of the judging runs just added; what they used comes first, and the debate's total after it, as such.
    """
    whole = debate.usage
    own = judging_usage(debate, judged) if judged is not None else whole
    if own == whole:
        return (("", look.usage_words(whole)),)
    return (
        ("this judging", look.usage_words(own)),
        ("the debate with all its judgings", look.usage_words(whole)),
    )
