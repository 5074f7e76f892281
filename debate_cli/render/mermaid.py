"""The argument map as a Mermaid flowchart for Markdown: claims, answers, replies, standings.

Untrusted text is written in quoted labels only. Every character that Mermaid, Markdown or HTML could interpret is written as
a character reference, so that it cannot end a label, a line or a code fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.render import sanitize, theme
from debate_cli.render.theme import shorten
from debate_cli.systems.structured.trace import TraceResponse, TraceRow, build_trace_table

MAX_LABEL_LENGTH = 90
"""Maximum length of a claim or an answer; longer ones are cut."""
MAX_ARROWS = 300
"""With more arrows the map is omitted, because viewers refuse to draw it."""
_LIST = re.compile(r"\d+[.)]|-")
"""Start of a Markdown list, which Mermaid interprets in labels."""
_PLAIN = frozenset(" .,!?()-'/")
_ARROWS = {"refute": "-->", "challenge": "-->", "partial": "-.->", "concede": "-.->"}


def format_mermaid_map(debate: Debate) -> list[str]:
    """The lines of the flowchart; empty without arguments, or with more than `MAX_ARROWS` arrows."""
    rows = build_trace_table(debate)
    arrows = sum(len(row.responses) + len(row.replies) for row in rows)
    if not rows or len(rows) + arrows > MAX_ARROWS:
        return []
    lines = ["flowchart RL"]
    signs = theme.participant_styles(debate.participants)
    sides = list(enumerate(dict.fromkeys(row.participant for row in rows)))
    for number, speaker in reversed(sides):  # Mermaid draws the last subgraph at the top
        sign = signs.get(speaker, theme.UNKNOWN_BADGE)
        lines.append(f'  subgraph side{number}["{sign.symbol} {escape_label(speaker)}"]')
        lines += [
            f"    {_claim(claim_number, row)}" for claim_number, row in enumerate(rows) if row.participant == speaker
        ]
        lines.append("  end")
    for claim_number, row in enumerate(rows):
        lines += _answers(claim_number, row)
    return lines


def escape_label(text: str, longest: int = MAX_LABEL_LENGTH) -> str:
    """Escape `text` for a quoted label: one line, shortened, unusual characters as character references."""
    words = shorten(sanitize.sanitize_line(text), longest)
    head = _LIST.match(words)
    begins = head.end() if head is not None else 0
    return "".join(
        sign if sign.isalnum() or (sign in _PLAIN and index >= begins) else f"#{ord(sign)};"
        for index, sign in enumerate(words)
    )


def _claim(claim_number: int, row: TraceRow) -> str:
    standing = theme.STANDING_BADGES[row.standing] if row.standing is not None else None
    judged = f"<br>{standing.symbol} {standing.word}" if standing is not None else ""
    return f'claim{claim_number}["{escape_label(row.id, 30)} {escape_label(row.claim)}{judged}"]'


def _answers(claim_number: int, row: TraceRow) -> Iterator[str]:
    """Each response with an arrow to its claim, each reply with arrows to the questions about the claim."""
    for number, response in enumerate(row.responses):
        yield f"  {_response(f'answer{claim_number}x{number}', response)} {_arrow(response)} claim{claim_number}"
    asking = [number for number, response in enumerate(row.responses) if response.follow_up.strip()]
    for number, reply in enumerate(row.replies):
        word = "leaves it open" if reply.evaded else "replies"
        node = f'reply{claim_number}x{number}(["{escape_label(row.participant, 30)} {word}<br>{escape_label(reply.reply)}"])'
        if asking:
            yield f"  {node}"
        yield from (f"  reply{claim_number}x{number} --> answer{claim_number}x{asked}" for asked in asking)


def _response(node: str, response: TraceResponse) -> str:
    asks = f"<br>asks: {escape_label(response.follow_up)}" if response.follow_up.strip() else ""
    return f'{node}("{escape_label(response.by, 30)}<br>{escape_label(response.reasoning)}{asks}")'


def _arrow(response: TraceResponse) -> str:
    sign = theme.RESPONSE_BADGES[response.type]
    return f'{_ARROWS[response.type]}|"{escape_label(sign.symbol)} {sign.word}"|'


def fence_mermaid(lines: Sequence[str]) -> list[str]:
    """The flowchart as a fenced code block; empty for no lines."""
    return ["```mermaid", *lines, "```", ""] if lines else []
