"""A whole debate as Markdown (CommonMark with GitHub's tables). No Rich.

Untrusted text is escaped: it makes no markup, no link, no HTML and no table cell of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from debate_cli.domain.content import Answer, Argument, Closing, Response, Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import cast, hostile, look
from debate_cli.render.called import called
from debate_cli.render.documents.mermaid import argument_map, fenced
from debate_cli.render.gist import UNJUDGED, judge_again, reason_in_numbers
from debate_cli.render.reasons import Said, judges_words
from debate_cli.render.report import Part, Report, report
from debate_cli.render.sheets.sheet import Cell, Curve, Gauge, Lines, Number, Sheet, Who
from debate_cli.render.spoken import Piece, of_turn
from debate_cli.render.threads import Threads
from debate_cli.render.weakest import Weakest, weakest
from debate_cli.scoring.briefing import Briefing, BriefingClaim

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!$^@+=])")
_AUTOLINK = re.compile(r":(?=//|/)|(?<=www)\.|(?<=[a-z]):(?=\S*@)", re.IGNORECASE)
_LINE_START = re.compile(r"^(?:(\d+)([.)])|(-))")


def escaped(text: str) -> str:
    """`text` on one line, such that Markdown shows exactly its characters."""
    words = _AUTOLINK.sub(lambda found: "\\" + found[0], _SPECIAL.sub(r"\\\1", hostile.line(text)))
    return _LINE_START.sub(lambda found: f"{found[1]}\\{found[2]}" if found[1] else "\\-", words)


def paragraphs(text: str) -> list[str]:
    """`text` as escaped paragraphs, a blank line between two of its lines."""
    found: list[str] = []
    for line in hostile.clean(text).splitlines():
        if line.strip():
            found += [escaped(line), ""]
    return found


def markdown(
    debate: Debate,
    verdicts: Sequence[Verdict],
    only: Part | None = None,
    round_number: int | None = None,
    *,
    show_hidden: bool = False,
) -> str:
    """The document: verdict and briefing first, then cast, scores and trace, then every speech, then what it used.

    `only` picks a part; a round, its speeches.
    """
    told = report(debate, verdicts)
    lines = [f"# {escaped(debate.topic)}", ""]
    if only is not None or round_number is not None:
        lines += _part(debate, told, only or "turns", _rounds(debate, round_number, show_hidden=show_hidden))
    else:
        lines += _whole(debate, told, _rounds(debate, show_hidden=show_hidden))
    return "\n".join(lines).rstrip() + "\n"


def _part(debate: Debate, told: Report, part: Part, speeches: Iterable[str]) -> Iterable[str]:
    match part:
        case "turns":
            return speeches
        case "scores":
            return [line for sheet in told.scores for line in _sheet(sheet)]
        case "trace":
            return _sheet(told.trace) if told.trace is not None else []
        case "verdict":
            return _verdicts(debate, told)
        case "briefing":
            return _briefing(told.briefing)


def _whole(debate: Debate, told: Report, speeches: Iterable[str]) -> list[str]:
    """All that follows the motion."""
    lines: list[str] = []
    if debate.config.background and debate.text is None:
        lines += paragraphs(debate.config.background)
    lines += [*_verdicts(debate, told, told.briefing), *_briefing(told.briefing), *_cast(debate), *_map(debate)]
    for sheet in told.sheets:
        lines += _sheet(sheet)
    lines += speeches
    lines += ["## Usage", "", escaped(look.usage_words(debate.usage)), ""]
    closed = look.closed_words(debate)
    return [*lines, closed, ""] if closed else lines


def _cast(debate: Debate) -> list[str]:
    rows = [*cast.debaters(debate), *cast.judges(debate, debate.runs[0])]
    cells = [(f"{row.sign.symbol} {escaped(row.name)}", escaped(row.part), escaped(row.model)) for row in rows]
    if debate.text is None:
        return ["## Who debated, who judged", "", *_table(("", "", ""), cells)]
    text = [f"> {line}".rstrip() for line in paragraphs(debate.config.background or "")]
    return ["## The text, and who judged it", "", *text, "", *_table(("", "", ""), cells)]


def _map(debate: Debate) -> list[str]:
    drawn = argument_map(debate)
    return ["## Argument map", "", *fenced(drawn)] if drawn else []


def _verdicts(debate: Debate, told: Report, beside: Briefing | None = None) -> list[str]:
    """Each verdict with its reasons; what the briefing `beside` them says is not said here."""
    lines: list[str] = [] if told.verdicts else [f"**{UNJUDGED}**", "", *_again(debate)]
    for place, verdict in enumerate(told.verdicts):
        decides = " (decides)" if verdict.decides else ""
        several = f", {escaped(called(verdict, told.verdicts))}{decides}" if len(told.verdicts) > 1 else ""
        margin = f" Margin {look.number(verdict.margin)}." if verdict.margin is not None else ""
        lines += [f"## Verdict{several}", "", f"**{escaped(look.outcome(verdict, debate.text))}**{margin}", ""]
        lines += [f"- {escaped(name)}: {look.number(score)}" for name, score in verdict.figures.items()]
        lines += ["", *_missing(told.missing(verdict))] if verdict.figures else _missing(told.missing(verdict))
        lines += _why(debate, verdict, beside)
        if place == 0:
            lines += [*_weakest(weakest(debate, told.verdicts)), *_again(debate)]
    if told.agreement is not None:
        lines += _sheet(told.agreement)
    return lines


def _why(debate: Debate, verdict: Verdict, beside: Briefing | None) -> list[str]:
    """What the numbers say, and a judge."""
    if verdict.victory == "undetermined":
        return []
    numbers, said = reason_in_numbers(verdict), judges_words(debate, verdict, beside)
    return [*([escaped(numbers), ""] if numbers else []), *(_quoted(said) if said is not None else [])]


def _quoted(said: Said) -> list[str]:
    """A judge's words, after its name where it has one."""
    return [*([f"{escaped(said.judge)}:", ""] if said.judge else []), f"> {escaped(said.words)}", ""]


def _weakest(found: Weakest | None) -> list[str]:
    if found is None:
        return []
    row = found.row
    worth = f", {found.worth}" if found.worth else ""
    head = f"{found.title}: **{escaped(row.id)}** by {escaped(row.participant)}{worth}."
    return [f"{head} {escaped(row.claim)}{_because(' '.join(found.because))}", ""]


def _again(debate: Debate) -> list[str]:
    """The command that asks other judges, as code that ends where it should whatever stands in the id."""
    command = judge_again(debate, debate.id)
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", command)), default=0))
    return [f"Judge it again: {ticks}{command}{ticks}", ""]


def _missing(sentences: Sequence[str]) -> list[str]:
    return [*(f"- Missing: {escaped(sentence)}" for sentence in sentences), ""] if sentences else []


def _briefing(briefing: Briefing | None) -> list[str]:
    if briefing is None:
        return []
    lines = ["## Briefing", "", *paragraphs(briefing.key_insight)]
    for title, claims in (
        ("Rely on", briefing.rely_on),
        ("Use within limits", briefing.limit),
        ("Do not use", briefing.not_to_use),
        ("Uncertain", briefing.uncertain),
    ):
        lines += _claims(title, claims)
    if briefing.unresolved_questions:
        lines += [
            "### Open questions",
            "",
            *(f"- {escaped(question)}" for question in briefing.unresolved_questions),
            "",
        ]
    if briefing.recommendation:
        lines += ["### Recommendation", "", *paragraphs(briefing.recommendation)]
    return [*lines, f"*{escaped(briefing.caveat)}*", ""]


def _claims(title: str, claims: Sequence[BriefingClaim]) -> list[str]:
    if not claims:
        return []
    rows = [f"- **{escaped(claim.id)}** {escaped(claim.claim)}{_because(claim.reason)}" for claim in claims]
    return [f"### {title}", "", *rows, ""]


def _because(reason: str) -> str:
    return f" — {escaped(reason)}" if reason.strip() else ""


def _rounds(debate: Debate, round_number: int | None = None, *, show_hidden: bool) -> Iterable[str]:
    """The speeches of that round; None means of all."""
    signs, threads = look.voices(debate.participants), Threads(debate.turns)
    heading = 0, ""
    for turn in debate.turns:
        if round_number not in (None, turn.round):
            continue
        if heading != (turn.round, turn.phase):
            heading = turn.round, turn.phase
            yield from (f"## Round {turn.round}: {look.PHASES[turn.phase]}", "")
        sign = signs.get(turn.speaker, look.UNKNOWN)
        yield from (f"### {sign.symbol} {escaped(turn.speaker)} ({escaped(sign.word)}), turn {turn.index}", "")
        for piece in of_turn(turn):
            yield from _thread(piece, threads, turn.round)
            yield from _piece(piece)
        yield from _remarks(turn, show_hidden=show_hidden)


def _thread(piece: Piece, threads: Threads, round_number: int) -> Iterable[str]:
    """What a response or an answer takes up, as a quotation."""
    found = threads.before(piece, round_number)
    if found is None:
        return
    target, thread = found
    yield f"> **{escaped(target)}** {escaped(thread.owner)}: {escaped(thread.claim)}"
    for step in thread.steps:
        yield from (">", f"> {step.symbol} {escaped(step.words)}")
    yield ""


def _piece(piece: Piece) -> list[str]:
    match piece:
        case Argument():
            evidence = [f"*Evidence:* {escaped(piece.evidence)}", ""] if piece.evidence else []
            return [f"**{escaped(piece.id)}** {escaped(piece.claim)}", "", *paragraphs(piece.reasoning), *evidence]
        case Response():
            sign = look.RESPONSES[piece.type]
            asks = [f"*Asks:* {escaped(piece.follow_up)}", ""] if piece.follow_up else []
            return [f"{sign.symbol} **{sign.word} {escaped(piece.target)}**", "", *paragraphs(piece.reasoning), *asks]
        case Answer():
            left_open = " (left open)" if piece.evaded else ""
            return [f"**answers on {escaped(piece.question_target)}**{left_open}", "", *paragraphs(piece.reply)]
        case Closing():
            return [*paragraphs(piece.final_position), *_closing(piece)]
        case str():
            return paragraphs(piece)


def _closing(closing: Closing) -> list[str]:
    named = (("Concedes", closing.concessions), ("Unrebutted", closing.unrebutted))
    rows = [f"- {label}: {escaped(', '.join(words))}" for label, words in named if words]
    sign = look.SHIFTS[closing.shift]
    return [*rows, f"- Position: {sign.symbol} {sign.word}", ""]


def _remarks(turn: Turn, *, show_hidden: bool) -> list[str]:
    rows: list[str] = []
    if turn.strategy is not None:
        rows.append(f"- Strategy: {escaped(f'{turn.strategy.name}: {turn.strategy.reason}')}")
    if show_hidden and turn.directive:
        rows.append(f"- Hidden directive: {escaped(turn.directive)}")
    rows += [f"- Warning: {escaped(warning)}" for warning in turn.warnings]
    return [*rows, ""] if rows else []


def _sheet(sheet: Sheet) -> list[str]:
    rows = [tuple(_cell(cell) for cell in row) for row in sheet.rows if row is not None]
    remarks = [line for remark in sheet.remarks for line in (escaped(remark), "")]
    heads = tuple(escaped(head) for head in sheet.heads)
    return [f"## {escaped(sheet.heading)}", "", *_table(heads, rows, sheet.numeric), *remarks]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: frozenset[int] = frozenset()) -> list[str]:
    rule = ["---:" if position in numeric else "---" for position in range(len(heads))]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)] + [""]


def _cell(cell: Cell) -> str:
    match cell:
        case None | Gauge():
            return ""
        case str():
            return escaped(cell)
        case Who():
            return escaped(cell.name) if cell.name is not None else "—"
        case Number():
            words = "—" if cell.value is None else look.number(cell.value, cell.digits)
            return f"**{words}**" if cell.strong else words
        case Curve():
            return " → ".join(look.number(value) for value in cell.values)
        case look.Sign():
            return f"{cell.symbol} {cell.word}"
        case Lines():
            return "<br>".join(_cell(inner) for inner in cell.cells)
