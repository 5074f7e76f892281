"""What stands above a debate on a terminal: the motion, who argues, who judges; and the rule above each round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.render import hostile, look
from debate_cli.render.cast import Seat, debaters, judges
from debate_cli.render.live.column import BLANK, Line, Paragraph, Spans, cut, laid_out, line
from debate_cli.render.live.frame import Frame, Laid, Wave


def heading(debate: Debate, beside: str = "") -> RenderableType:
    """The motion with its background, the debaters and the judges with their models; `beside` follows in the title."""
    body = [Paragraph(hostile.line(debate.topic), "bold")]
    if debate.config.background:
        body.append(Paragraph(hostile.clean(debate.config.background).strip(), look.QUIET))
    body += [BLANK, *_seats((*debaters(debate), *judges(debate, debate.runs[0])))]
    return _framed(debate, [*look.kind_words(debate), *([beside] if beside else [])], body)


def judged_heading(debate: Debate) -> RenderableType:
    """What stands above the judging of what is there already; of a text that is judged for the first time, its judges too."""
    body = [Paragraph(hostile.line(debate.topic), "bold")]
    if debate.text is not None and not debate.assessments:
        body += [BLANK, *_seats(judges(debate, debate.runs[0]))]
    return _framed(debate, [look.kind_words(debate)[0], look.judged_words(debate)], body)


def _framed(debate: Debate, told: Sequence[str], body: Sequence[Paragraph]) -> RenderableType:
    title = (told[0], "bold"), ("".join(f" · {words}" for words in told[1:]), look.QUIET)
    return Wave([Frame(title, ((hostile.line(debate.id), ""),), look.QUIET, tuple(body))])


def judging_heading(debate: Debate, run: JudgingRun) -> RenderableType:
    """What stands above a later judging run."""
    seats = tuple(_seats(judges(debate, run)))
    rule = Laid(lambda width: [_ruled((("judging run ", ""), (hostile.line(run.id), "bold")), width)])
    return Group(rule, Laid(lambda width: laid_out(seats, width)))


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


def _seats(seats: Sequence[Seat]) -> Iterator[Paragraph]:
    """A seat a line, in three columns."""
    names = [hostile.line(seat.name) for seat in seats]
    parts = [hostile.line(seat.part) for seat in seats]
    named, parted = (max((cell_len(words) for words in column), default=0) for column in (names, parts))
    for seat, name, part in zip(seats, names, parts, strict=True):
        first: Spans = (
            (f"{seat.sign.symbol} ", seat.sign.colour),
            (set_cell_size(name, named), f"bold {seat.sign.colour}"),
            (f"  {set_cell_size(part, parted)}  ", look.QUIET),
        )
        yield Paragraph(hostile.line(seat.model), "", first, (("    ", ""),))
