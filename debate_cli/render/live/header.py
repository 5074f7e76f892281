"""What stands above a debate on a terminal: the motion, who argues, who judges; and the rule above each round."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.render import hostile, look
from debate_cli.render.cast import debaters, judges
from debate_cli.render.live.column import BLANK, Block, Line, Paragraph, Spans, cut, line
from debate_cli.render.live.frame import Frame, Laid, Wave
from debate_cli.render.live.seats import Cast


def heading(debate: Debate, beside: str = "") -> RenderableType:
    """The motion with its background, the debaters and the judges with their models; the title says `beside` first.

    So a narrow window cuts the format, not what sets this view apart.
    """
    body: list[Block] = [Paragraph(hostile.line(debate.topic), "bold")]
    if debate.config.background:
        body.append(Paragraph(hostile.clean(debate.config.background).strip(), look.QUIET))
    body += [BLANK, Cast((*debaters(debate), *judges(debate, debate.runs[0])))]
    what, *kind = look.kind_words(debate)
    return _framed(debate, [what, *([beside] if beside else []), *kind], body)


def judged_heading(debate: Debate) -> RenderableType:
    """What stands above the judging of what is there already; of a text that is judged for the first time, its judges too."""
    body: list[Block] = [Paragraph(hostile.line(debate.topic), "bold")]
    if debate.text is not None and not debate.assessments:
        body += [BLANK, Cast(judges(debate, debate.runs[0]))]
    return _framed(debate, [look.kind_words(debate)[0], look.judged_words(debate)], body)


def _framed(debate: Debate, told: Sequence[str], body: Sequence[Block]) -> RenderableType:
    title = (told[0], "bold"), ("".join(f" · {words}" for words in told[1:]), look.QUIET)
    return Wave([Frame(title, ((hostile.line(debate.id), ""),), look.QUIET, tuple(body))])


def judging_heading(debate: Debate, run: JudgingRun) -> RenderableType:
    """What stands above a later judging run."""
    rule = Laid(lambda width: [_ruled((("judging run ", ""), (hostile.line(run.id), "bold")), width)])
    return Group(rule, Laid(Cast(judges(debate, run)).lines))


def resumed_rule(debate: Debate) -> RenderableType:
    """The line between what was said before a debate is gone on with, and what is said now."""
    return Laid(lambda width: [_ruled(((look.resumed_words(debate), "bold"),), width)])


def round_rule(round_number: int, phase: str) -> RenderableType:
    """The line that opens a round."""
    return Laid(lambda width: [round_line(round_number, phase, width)])


def round_line(round_number: int, phase: str, width: int) -> Line:
    """The same, laid out."""
    return _ruled(
        ((f"round {round_number}", "bold"), ("  ·  ", look.QUIET), (look.PHASES.get(phase, phase), "")), width
    )


def _ruled(title: Spans, width: int) -> Line:
    """A title, and a line from there to the edge."""
    words = cut(title, width)
    rest = width - words.cells - 1
    return line(*words.spans, *([(" " + "─" * rest, look.QUIET)] if rest > 0 else []))
