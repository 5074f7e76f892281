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
    whole = look.usage_words(debate.usage)
    own = look.usage_words(judging_usage(debate, judged)) if judged is not None else whole
    return (("", whole),) if own == whole else (("this judging", own), ("the debate with all its judgings", whole))
