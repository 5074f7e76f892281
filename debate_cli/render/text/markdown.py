"""Formats a debate as Markdown (CommonMark with GitHub's tables). All untrusted text is escaped."""

import re
from collections.abc import Iterable, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.message_text import sanitize_text
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content import chair
from debate_cli.render.content.report import DOCUMENT_PARTS, Block, ReportPart, VerdictReport, build_debate_report
from debate_cli.render.content.speech_parts import CheckedCitation, SpeechPart, ThreadIndex, index_citations, split_turn
from debate_cli.render.content.summary import SummaryRow
from debate_cli.systems.scales import format_ranked_scores
from debate_cli.systems.tables import RESPONSE_BADGES, Badge, Cell, Curve, JoinedCells, Lines, Number, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!$^@+=])")
_AUTOLINK = re.compile(r":(?=//|/)|(?<=www)\.|(?<=[a-z]):(?=\S*@)", re.IGNORECASE)
_LINE_START = re.compile(r"^(?:(\d+)([.)])|(-))")


def escape_markdown(text: str) -> str:
    """Escape `text` so that Markdown shows exactly its characters, on one line."""
    words = _AUTOLINK.sub(lambda found: "\\" + found[0], _SPECIAL.sub(r"\\\1", sanitize.sanitize_line(text)))
    return _LINE_START.sub(lambda found: f"{found[1]}\\{found[2]}" if found[1] else "\\-", words)


def escape_paragraphs(text: str) -> list[str]:
    """Escape `text`, and make each line a paragraph."""
    found: list[str] = []
    for line in sanitize_text(text).splitlines():
        if line.strip():
            found += [escape_markdown(line), ""]
    return found


def format_markdown(
    debate: Debate,
    verdicts: Sequence[Verdict],
    only: ReportPart | None = None,
    round_number: int | None = None,
    *,
    show_hidden: bool = False,
) -> str:
    """Return a debate as a Markdown document.

    If `only` is given, only this part is written. If `round_number` is given, only this round is written.
    """
    report = build_debate_report(debate, verdicts, only="turns" if round_number is not None else only)
    framing = [f"**{report.rehearsal}**", ""] if report.rehearsal else []
    lines = [*framing, f"# {escape_markdown(debate.topic)}", ""]
    if report.only is None:
        lines += escape_paragraphs(debate.config.judging.question or "")
        lines += escape_paragraphs("\n\n".join(theme.background_excerpt(debate.config.background)))
    if report.only in {None, "verdict"} and not report.verdicts:
        lines += [f"**{escape_markdown(report.summary.answer)}**", ""]
    for part, blocks in report.blocks(DOCUMENT_PARTS):
        lines += _rounds(debate, round_number, show_hidden=show_hidden) if part == "turns" else ()
        for block in blocks:
            lines += _format_block(block)
    return "\n".join([*lines, *framing]).rstrip() + "\n"


def _format_block(block: Block) -> list[str]:
    if isinstance(block, Table):
        return format_table(block)
    title = f"{block.title[:1].upper()}{block.title[1:]}"
    lines = [f"## {escape_markdown(title)}", ""] if title else []
    if isinstance(block, VerdictReport):
        lines += [
            f"**{escape_markdown(block.answer)}** {escape_markdown(format_ranked_scores(block.verdict))}".rstrip(),
            "",
        ]
    return [*lines, *map(_format_row, block.rows), *([""] if block.rows else [])]


def _format_row(row: SummaryRow) -> str:
    label = f"**{escape_markdown(f'{row.label[:1].upper()}{row.label[1:]}')}:** " if row.label else ""
    first, *others = map(_cell, row.cells)
    return f"- {label}{' · '.join([f'**{first}**', *others]) if others else first}"


def _because(reason: str) -> str:
    return f" — {escape_markdown(reason)}" if reason.strip() else ""


def _rounds(debate: Debate, round_number: int | None = None, *, show_hidden: bool) -> Iterable[str]:
    signs, threads = theme.participant_styles(debate.participants), ThreadIndex(debate.turns)
    citations, cited = index_citations(debate), list[CheckedCitation]()
    heading = 0, ""
    for turn in debate.turns:
        if round_number not in (None, turn.round):
            continue
        if heading != (turn.round, turn.phase):
            heading = turn.round, turn.phase
            yield from (f"## Round {turn.round}: {theme.PHASE_LABELS[turn.phase]}", "")
            yield from _chair(chair.announce_debate(debate)) if turn.round == 1 else ()
            yield from _chair(chair.announce_round(debate, turn.round, turn.phase))
        sign = signs.get(turn.speaker, theme.UNKNOWN_SIGN)
        yield from (
            f"### {sign.symbol} {escape_markdown(turn.speaker)} ({escape_markdown(sign.word)}), turn {turn.index + 1}",
            "",
        )
        for piece in split_turn(turn):
            yield from _thread(piece, threads, turn.round)
            yield from _piece(piece)
            for item in citations.citations_of(turn.index, piece):
                quote = escape_markdown(item.check.quote)
                yield from (f"*Cites* “{quote}” {item.badge.symbol} {item.badge.word}[^{item.number}]", "")
                cited.append(item)
        yield from _remarks(turn, show_hidden=show_hidden)
    if round_number is None:
        yield from _chair(chair.announce_close(debate, debate.closed))
    yield from map(_footnote, dict.fromkeys(cited))


def _footnote(item: CheckedCitation) -> str:
    source = f"**{escape_markdown(item.check.source)}** {escape_markdown(item.title)}".rstrip()
    place = f", {escape_markdown(item.place)}" if item.place and item.place != item.title else ""
    support = f" Judged: {escape_markdown(item.support.word)}{_because(item.answer.reason)}" if item.support else ""
    finding = f"{item.badge.symbol} {escape_markdown(item.finding)}."
    return f"[^{item.number}]: {source}{place}: “{escape_markdown(item.check.quote)}” {finding}{support}\n"


def _chair(announcement: str) -> list[str]:
    return [f"*Chair: {escape_markdown(announcement)}*", ""] if announcement else []


def _thread(piece: SpeechPart, threads: ThreadIndex, round_number: int) -> Iterable[str]:
    found = threads.thread_addressed_by(piece, round_number)
    if found is None:
        return
    target, thread = found
    yield f"> **{escape_markdown(target)}** {escape_markdown(thread.owner)}: {escape_markdown(thread.claim)}"
    for step in thread.steps:
        yield from (">", f"> {step.symbol} {escape_markdown(step.words)}")
    yield ""


def _piece(piece: SpeechPart) -> list[str]:
    match piece:
        case Argument():
            head = f"**{escape_markdown(piece.id)}** {escape_markdown(piece.claim)}"
            return [head, "", *escape_paragraphs(piece.reasoning), *_labelled("Evidence", piece.evidence)]
        case Response():
            sign = RESPONSE_BADGES[piece.type]
            head = f"{sign.symbol} **{sign.word} {escape_markdown(piece.target)}**"
            return [head, "", *escape_paragraphs(piece.reasoning), *_labelled("Asks", piece.follow_up)]
        case FollowUpAnswer():
            left_open = " (left open)" if piece.evaded else ""
            head = f"**answers the question about {escape_markdown(piece.question_target)}**{left_open}"
            return [head, "", *escape_paragraphs(piece.reply)]
        case Closing():
            named = (("Concedes", piece.concessions), ("Unrebutted", piece.unrebutted))
            rows = [f"- {label}: {escape_markdown(', '.join(words))}" for label, words in named if words]
            sign = theme.SHIFT_BADGES[piece.shift]
            position = f"- Position: {sign.symbol} {sign.word}{_because(piece.why)}"
            return [*escape_paragraphs(piece.final_position), *rows, position, ""]
        case str():
            return escape_paragraphs(piece)


def _labelled(label: str, words: str) -> list[str]:
    return [f"*{label}:* {escape_markdown(words)}", ""] if words else []


def _remarks(turn: Turn, *, show_hidden: bool) -> list[str]:
    rows: list[str] = []
    if turn.strategy is not None:
        rows.append(f"- Strategy: {escape_markdown(f'{turn.strategy.name}: {turn.strategy.reason}')}")
    if show_hidden and turn.directive:
        rows.append(f"- Hidden directive: {escape_markdown(turn.directive)}")
    rows += [f"- Warning: {escape_markdown(warning)}" for warning in turn.warnings]
    return [*rows, ""] if rows else []


def format_table(table: Table) -> list[str]:
    """Return a table as lines: title, rows and remarks."""
    heads = [escape_markdown(head) for head in table.heads]
    rule = ["---:" if position in table.numeric else "---" for position in range(len(heads))]
    rows = [heads, rule, *([_cell(cell) for cell in row] for row in table.rows if row is not None)]
    lines = [f"## {escape_markdown(table.heading)}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]
    return [*lines, *(line for remark in table.remarks for line in (escape_markdown(remark), ""))]


def _cell(cell: Cell) -> str:
    match cell:
        case Number():
            return f"**{theme.format_cell(cell)}**" if cell.strong else theme.format_cell(cell)
        case Badge():
            return f"{cell.symbol} {cell.word}"
        case Curve():
            return theme.format_cell(cell)
        case Lines():
            return "<br>".join(map(_cell, cell.cells))
        case JoinedCells():
            return cell.separator.join(map(_cell, cell.cells))
        case _:
            return escape_markdown(theme.format_cell(cell))
