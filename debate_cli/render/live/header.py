"""What stands above a debate on a terminal: the motion, who argues, who judges; and the rule above each round."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.render import sanitize, theme
from debate_cli.render.live.column import BLANK_LINE, LayoutBlock, Line, Paragraph, Spans, make_line, truncate_line
from debate_cli.render.live.frame import Frame, FrameGroup, LineBlock
from debate_cli.render.live.seats import ParticipantList
from debate_cli.render.participants import debater_rows, judge_rows


def debate_heading(debate: Debate, beside: str = "") -> RenderableType:
    """The motion with its background, the debaters and the judges with their models; the title says `beside` first.

    So a narrow window cuts the format, not what sets this view apart.
    """
    body: list[LayoutBlock] = [Paragraph(sanitize.sanitize_line(debate.topic), "bold")]
    if debate.config.background:
        body.append(Paragraph(sanitize.sanitize_text(debate.config.background).strip(), theme.MUTED))
    body += [BLANK_LINE, ParticipantList((*debater_rows(debate), *judge_rows(debate, debate.runs[0])))]
    what, *kind = theme.describe_kind(debate)
    return _framed(debate, [what, *([beside] if beside else []), *kind], body)


def rejudging_heading(debate: Debate) -> RenderableType:
    """What stands above the judging of what is there already; of a text that is judged for the first time, its judges too."""
    body: list[LayoutBlock] = [Paragraph(sanitize.sanitize_line(debate.topic), "bold")]
    if debate.document_name is not None and not debate.assessments:
        body += [BLANK_LINE, ParticipantList(judge_rows(debate, debate.runs[0]))]
    return _framed(debate, [theme.describe_kind(debate)[0], theme.describe_judging(debate)], body)


def _framed(debate: Debate, told: Sequence[str], body: Sequence[LayoutBlock]) -> RenderableType:
    title = (told[0], "bold"), ("".join(f" · {words}" for words in told[1:]), theme.MUTED)
    return FrameGroup([Frame(title, ((sanitize.sanitize_line(debate.id), ""),), theme.MUTED, tuple(body))])


def judging_run_heading(debate: Debate, run: JudgingRun) -> RenderableType:
    """What stands above a later judging run."""
    rule = LineBlock(lambda width: [_ruled((("judging run ", ""), (sanitize.sanitize_line(run.id), "bold")), width)])
    return Group(rule, LineBlock(ParticipantList(judge_rows(debate, run)).lines))


def resume_rule(debate: Debate) -> RenderableType:
    """The line between what was said before a debate is gone on with, and what is said now."""
    return LineBlock(lambda width: [_ruled(((theme.describe_resume(debate), "bold"),), width)])


def round_rule(round_number: int, phase: str) -> RenderableType:
    """The line that opens a round."""
    return LineBlock(lambda width: [round_line(round_number, phase, width)])


def round_line(round_number: int, phase: str, width: int) -> Line:
    """The same, laid out."""
    return _ruled(
        ((f"round {round_number}", "bold"), ("  ·  ", theme.MUTED), (theme.PHASE_LABELS.get(phase, phase), "")), width
    )


def _ruled(title: Spans, width: int) -> Line:
    """A title, and a line from there to the edge."""
    words = truncate_line(title, width)
    rest = width - words.cells - 1
    return make_line(*words.spans, *([(" " + "─" * rest, theme.MUTED)] if rest > 0 else []))
