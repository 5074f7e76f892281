"""Terminal screens show all text of a debate: wide characters, combining marks, emoji, words longer than a line."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from render_support import (
    debate,
    opened_debate,
    render_text,
    round_assessment,
    structured_assessment,
    turns,
    with_arguments,
    with_assessment,
    with_first_turn,
)
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response, StrategyPick, Turn
from debate_cli.render import theme
from debate_cli.render.content.run_notices import JudgeReport, build_judge_report
from debate_cli.render.content.speech_parts import CitationIndex, ThreadIndex
from debate_cli.render.live.header import debate_heading, judge_report_notice, notice
from debate_cli.render.live.speech import PanelRow, turn_panel
from debate_cli.render.terminal.drawing import section
from debate_cli.render.terminal.report import ScreenLimits, closing_screen, details
from debate_cli.render.terminal_export import TerminalExport, export_terminal_html
from debate_cli.systems.base import ReportedScore
from debate_cli.systems.moderator.findings import Momentum, Summary, SummaryPoint
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Insight, Trace

CHINESE = "独立部署让小团队在成长中保持速度因为每个服务都可以单独发布而不必等待其他服务的修改和测试完成之后再一起上线发布给所有用户使用和体验最新版本的功能"
URL = f"https://example.org/{'reports/2023/' * 8}a-very-long-name.html"
MIXED = (
    "Specific on skill と技能について, 한국어 문장도 있습니다 and Größe, naïve, e\u0301tude; ภาษาไทยไม่มีช่องว่าง 👩‍🔬 ❤️ 🇩🇪"
)
NAME = "Pro 日本語の名前です"
DEBATERS = [{"name": NAME, "side": CHINESE[:30]}, {"name": CHINESE[:60], "side": "against"}]
WIDTHS = st.integers(40, 160)
_WORDS = st.one_of(
    st.text("的一是在人日本語の東京カナ한국어", min_size=1, max_size=60),
    st.text("abcdefghijklmnopqrstuvwxyz.,-", min_size=1, max_size=9),
    st.text("abcxyz/._-%0123", min_size=1, max_size=130),
    st.lists(st.sampled_from(["e\u0301", "n\u0303", "ก\u0e48", "น\u0e49ำ", "ä", "ß"]), min_size=1, max_size=30).map(
        "".join
    ),
    st.lists(st.sampled_from(["👩‍🔬", "❤️", "🇩🇪", "🙂", "👍🏽", "→"]), min_size=1, max_size=20).map("".join),
)
TEXTS = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join)
SHORT_TEXTS = TEXTS.map(lambda text: text[:100].strip())
"""Texts that the closing screen does not shorten, because they have at most 100 characters."""


class Tagged(list[str]):
    """Texts that differ only in a number at their start, so that each must be on the screen."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def make(self) -> str:
        """Add a text, and return it."""
        self.append(f"{len(self)}: {self._text}!")
        return self[-1]


def check(screen: Sequence[RenderableType], width: int, *texts: str) -> None:
    """Assert that a window of that width shows each text whole and in order, and that no line is too wide."""
    output = render_text(Group(*screen), width)
    assert max(map(cell_len, output.splitlines())) <= width, output
    assert "…" not in output, output
    squeezed = re.sub("[\\s\u2500-\u257f]", "", output)
    for text in texts:
        assert "".join(text.split()) in squeezed, f"{text}\n{output}"


def speeches(name: str, text: str) -> list[tuple[Turn, Tagged]]:
    """A turn of each phase, and the texts in its parts."""
    first = turns()[0].model_copy(update={"speaker": name, "arguments": None, "warnings": (), "round": 3})
    found: list[tuple[Turn, Tagged]] = []
    for phase in ("opening", "cross_examination", "answers", "closing", "speech"):
        said = Tagged(text)
        new = said.make
        match phase:
            case "opening":
                argument = Argument(id="PRO-9", claim=new(), reasoning=new(), evidence=new())
                part = {"arguments": (argument,), "strategy": StrategyPick(name="logical", reason=new())}
            case "cross_examination":
                asked = Response(target="CON-1", type="refute", reasoning=new(), follow_up=new())
                part = {"responses": (asked,), "warnings": (new(),)}
            case "answers":
                part = {"answers": (FollowUpAnswer(question_target="CON-1", reply=new()),)}
            case "closing":
                closing = Closing(concessions=(new(),), final_position=new(), shift="adjusted", why=new())
                part = {"closing": closing}
            case _:
                part = {"text": new(), "responses": (Response(target="PRO-1", type="partial", reasoning=""),)}
        found.append((first.model_copy(update={"phase": phase, **part}), said))
    return found


@example(name="Ada", text=CHINESE, width=40)
@example(name=NAME, text=URL, width=60)
@example(name="Ada", text=MIXED, width=100)
@given(name=st.sampled_from(["Ada", NAME]), text=TEXTS, width=WIDTHS)
def test_any_speech_is_whole(name: str, text: str, width: int) -> None:
    """Claim, reasoning, evidence, answers, closing and remarks, alone and beside another speech."""
    signs = {"Ada": "●", name: "●", "Bo": "◆"}
    styles = {who: theme.Sign(sign, "for", "") for who, sign in signs.items()}
    threads = ThreadIndex(with_arguments(debate(), claim=text).turns)
    empty = turns()[0].model_copy(update={"speaker": "Bo", "text": ".", "arguments": None, "warnings": ()})
    for turn, said in speeches(name, text):
        answered = [text] if turn.phase == "speech" else []
        panel, other = (turn_panel(shown, styles, threads, CitationIndex()) for shown in (turn, empty))
        check([panel], width, name, *said, *answered)
        check([PanelRow([other, panel])], width, *said, *answered)


@example(text=CHINESE, width=40)
@example(text=URL, width=60)
@example(text=MIXED, width=100)
@given(text=TEXTS, width=WIDTHS)
def test_any_report_of_a_judge_is_whole(text: str, width: int) -> None:
    """What the judges say while the debate runs: bullets, titles, alerts; notices, and headings of tables."""
    said = Tagged(text)
    summary = Summary(
        points=(SummaryPoint(heading="Ada", points=(said.make(),)),),
        consensus=(said.make(),),
        momentum=Momentum(toward="Bo", why=said.make()),
        guidance=said.make(),
    )
    assessment = round_assessment(1).model_copy(update={"findings": (summary,)})
    check([judge_report_notice(build_judge_report(assessment, debate()), debate())], width, *said)
    alone = JudgeReport(said.make(), (), (said.make(), said.make()), (said.make(),))
    check([judge_report_notice(alone, debate())], width, *said[-4:])
    scored = JudgeReport(said.make(), (ReportedScore(NAME, 7, 10),), (said.make(),))
    check([judge_report_notice(scored, opened_debate(debaters=DEBATERS))], width, *said[-2:])
    check([notice("!", "", said.make()), section(said[-1], Text(""))], width, said[-1])


@example(text=CHINESE, width=40)
@example(text=URL[:100], width=60)
@example(text=MIXED, width=100)
@given(text=SHORT_TEXTS, width=WIDTHS)
def test_any_end_of_a_debate_is_whole(text: str, width: int) -> None:
    """Claims, insight, question and advice, on the closing screen and in verdict and briefing."""
    said = Tagged(text)
    claims = [item.model_copy(update={"claim": said.make()}) for item in turns()[0].arguments or ()]
    insight = Insight(key_insight=said.make(), unresolved_questions=(said.make(),), recommendation=said.make())
    found = structured_assessment()
    findings = [
        insight if isinstance(item, Insight) else item.model_copy(update={"reason": said.make()})
        for item in found.findings
        if isinstance(item, Trace | Insight)
    ]
    judged = with_first_turn(debate(), arguments=tuple(claims))
    judged = with_assessment(judged, found.model_copy(update={"findings": tuple(findings)}))
    verdicts = score(judged)
    check(closing_screen(judged, verdicts, limits=ScreenLimits(width)), width, *said[:5])
    check(details(judged, verdicts, only="briefing"), width, *said[:5])
    check(details(judged, verdicts, only="verdict"), width, said[0])


@pytest.mark.parametrize("width", [40, 100])
@pytest.mark.parametrize("text", [CHINESE, URL, MIXED], ids=["Chinese", "URL", "mixed"])
def test_the_heading_of_a_debate_is_whole(text: str, width: int) -> None:
    """Motion and background, and the names and sides of debaters."""
    names = [part for debater in DEBATERS for part in debater.values()]
    check([debate_heading(opened_debate(topic=text, debaters=DEBATERS))], width, text, *names)


def test_a_text_without_spaces_is_shortened_anywhere() -> None:
    """It may end after a sentence; an early space is no place to cut."""
    assert theme.shorten(f"AI 会{CHINESE * 3}", 100) == f"AI 会{CHINESE * 3}"[:100] + "…"
    assert theme.shorten(f"{CHINESE}。{CHINESE}", 100) == f"{CHINESE}。"
    assert theme.shorten("Many short words are cut between two of them.", 30) == "Many short words are cut…"


@pytest.mark.parametrize("text", [CHINESE, URL], ids=["Chinese", "URL"])
def test_an_exported_terminal_is_whole(text: str) -> None:
    """The page of `--format terminal-html` has each line of the screen."""
    shown = with_arguments(debate(), claim=text)
    page = export_terminal_html(TerminalExport(shown, score(shown), only="briefing"))
    words = re.sub(r"<[^>]*>|[\s\u2500-\u257f]", "", page)
    assert words.count(text) >= len(turns()[0].arguments or ())
