"""The argument map as a Mermaid flowchart, for Markdown: who claimed what, who answered it how, what became of it. No Rich.

Untrusted words stand in quoted labels only, with every sign that could mean something to Mermaid, Markdown or HTML
written as its number: they end no label, no line and no code fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.render import sanitize, theme
from debate_cli.render.theme import shorten
from debate_cli.systems.structured.trace import TraceResponse, TraceRow, build_trace_table

MAX_LABEL_LENGTH = 90
"""Characters of a claim or an answer that are shown."""
MAX_ARROWS = 300
"""Arrows that are drawn at most; viewers refuse maps with many more."""
_LIST = re.compile(r"\d+[.)]|-")
"""What begins a list in Markdown, which Mermaid reads in labels."""
_PLAIN = frozenset(" .,!?()-'/")
_ARROWS = {"refute": "-->", "challenge": "-->", "partial": "-.->", "concede": "-.->"}


def format_mermaid_map(debate: Debate) -> list[str]:
    """The lines of the flowchart; none where nobody argued, or where there is too much to draw."""
    rows = build_trace_table(debate)
    arrows = sum(len(row.responses) + len(row.replies) for row in rows)
    if not rows or len(rows) + arrows > MAX_ARROWS:
        return []
    lines = ["flowchart RL"]
    signs = theme.participant_styles(debate.participants)
    sides = list(enumerate(dict.fromkeys(row.participant for row in rows)))
    for number, speaker in reversed(sides):  # Mermaid puts the one that comes last at the top
        sign = signs.get(speaker, theme.UNKNOWN_BADGE)
        lines.append(f'  subgraph side{number}["{sign.symbol} {escape_label(speaker)}"]')
        lines += [f"    {_claim(place, row)}" for place, row in enumerate(rows) if row.participant == speaker]
        lines.append("  end")
    for place, row in enumerate(rows):
        lines += _answers(place, row)
    return lines


def escape_label(text: str, longest: int = MAX_LABEL_LENGTH) -> str:
    """`text` as it may stand in a quoted label: one line, shortened, every unusual sign by its number."""
    words = shorten(sanitize.sanitize_line(text), longest)
    head = _LIST.match(words)
    begins = head.end() if head is not None else 0
    return "".join(
        sign if sign.isalnum() or (sign in _PLAIN and place >= begins) else f"#{ord(sign)};"
        for place, sign in enumerate(words)
    )


def _claim(place: int, row: TraceRow) -> str:
    standing = theme.STANDING_BADGES[row.standing] if row.standing is not None else None
    judged = f"<br>{standing.symbol} {standing.word}" if standing is not None else ""
    return f'claim{place}["{escape_label(row.id, 30)} {escape_label(row.claim)}{judged}"]'


def _answers(place: int, row: TraceRow) -> Iterator[str]:
    """Each response beside its claim; the reply beside the questions that it answers."""
    for number, response in enumerate(row.responses):
        yield f"  {_response(f'answer{place}x{number}', response)} {_arrow(response)} claim{place}"
    asking = [number for number, response in enumerate(row.responses) if response.follow_up.strip()]
    for number, reply in enumerate(row.replies):
        word = "leaves it open" if reply.evaded else "replies"
        node = f'reply{place}x{number}(["{escape_label(row.participant, 30)} {word}<br>{escape_label(reply.reply)}"])'
        if asking:
            yield f"  {node}"
        yield from (f"  reply{place}x{number} --> answer{place}x{asked}" for asked in asking)


def _response(node: str, response: TraceResponse) -> str:
    asks = f"<br>asks: {escape_label(response.follow_up)}" if response.follow_up.strip() else ""
    return f'{node}("{escape_label(response.by, 30)}<br>{escape_label(response.reasoning)}{asks}")'


def _arrow(response: TraceResponse) -> str:
    sign = theme.RESPONSE_BADGES[response.type]
    return f'{_ARROWS[response.type]}|"{escape_label(sign.symbol)} {sign.word}"|'


def fence_mermaid(lines: Sequence[str]) -> list[str]:
    """The flowchart as a code block of Markdown; nothing where there is none."""
    return ["```mermaid", *lines, "```", ""] if lines else []
