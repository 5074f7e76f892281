"""Terminal output of a whole debate at several widths, and the closing screen of a run."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rehearsal_support import config_of, run_debate
from render_support import (
    HOSTILE,
    console,
    console_output,
    debate,
    is_printable,
    opened_debate,
    render_text,
    structured_assessment,
    unjudged,
    verdict_of,
    with_arguments,
    with_assessment,
)
from rich.console import Console, Group, RenderableType
from rich.text import Text

from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Citation
from debate_cli.render import theme
from debate_cli.render.content.report import ReportPart
from debate_cli.render.content.speech_parts import CitationIndex, ThreadIndex
from debate_cli.render.content.summary import closing_rows
from debate_cli.render.html.page import render_html
from debate_cli.render.live.header import debate_heading, round_rule
from debate_cli.render.live.speech import PanelRow, turn_panel
from debate_cli.render.terminal.bar import Bar
from debate_cli.render.terminal.report import closing_screen, details, fitting_screen
from debate_cli.render.text.plain import closing_lines, details_lines, header_lines
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.briefing import build_briefing
from debate_cli.systems.scales import format_ranked_scores
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Insight

TRANSCRIPTS = Path(__file__).parent.parent.parent / "transcripts"
REHEARSAL = "REHEARSAL: mock provider, no model was called"
HOSTILE_DEBATE = with_arguments(
    debate(
        topic=HOSTILE,
        background=HOSTILE,
        models={"default": {"model": f"mock/{HOSTILE}"}, "judge": {"model": "mock/x"}},
    ),
    (HOSTILE,),
    claim=HOSTILE,
    evidence=HOSTILE,
)


def whole(shown: Debate) -> list[RenderableType]:
    """Everything that a run prints."""
    styles = theme.participant_styles(shown.participants)
    found: list[RenderableType] = [debate_heading(shown)]
    for number in (1, 2, 3):
        turns = shown.select_turns(round_number=number)
        found.append(round_rule(number, turns[0].phase))
        found.append(PanelRow([turn_panel(turn, styles, ThreadIndex(shown.turns), CitationIndex()) for turn in turns]))
    return found + details(shown, score(shown))


def text(renderables: list[RenderableType], width: int) -> str:
    """The output without colours and trailing blanks."""
    target = console(width)
    for renderable in renderables:
        target.print(renderable)
    return "\n".join(line.rstrip() for line in console_output(target).splitlines()) + "\n"


def test_the_heading_says_that_the_planned_calls_are_a_minimum() -> None:
    """A panel that deliberates or a repeated question adds calls to the plan."""
    plan = theme.RunPlan(22, "about $0.05")
    assert "planned: at least 22 calls, about $0.05" in text([debate_heading(opened_debate(), plan=plan)], 80)
    assert "planned" not in text([debate_heading(opened_debate())], 80)


def test_only_long_rows_of_a_narrow_heading_have_two_lines() -> None:
    """Judges have aligned columns of their own. A model's name is whole."""
    debaters = [
        {"name": "Pro", "side": "for", "personality": "strategist", "strategy": "adaptive"},
        {"name": "Con", "side": "against", "personality": "engineer", "strategy": "analytical"},
    ]
    judging = {"decides": "moderator", "systems": [{"kind": "moderator"}, {"kind": "panel"}, {"kind": "persuasion"}]}
    heading = debate_heading(opened_debate(debaters=debaters, judging=judging, topic="Free trams?", background=None))
    lines = [line.strip("│ ") for line in text([heading], 60).splitlines()]
    assert lines[lines.index("● Pro  for · strategist · strategy adaptive") :][:7] == [
        "● Pro  for · strategist · strategy adaptive",
        "mock, no model",
        "◆ Con  against · engineer · strategy analytical",
        "mock, no model",
        "§ moderator            judge, decides  mock, no model",
        "§ technical_architect  panel 0.25      mock, no model",
        "§ compliance_auditor   panel 0.25      mock, no model",
    ]
    assert "§ persuasion           keywords        no model" in lines


def test_one_long_row_leaves_the_others_on_one_line() -> None:
    """The long name has its part and model below it."""
    models = {"default": {"model": "mock/debater"}, "judge": {"model": "mock/judge"}}
    debaters = [{"name": "A debater with quite a long name", "side": "for"}, {"name": "Bo", "side": "against"}]
    lines = text([debate_heading(opened_debate(debaters=debaters, models=models))], 56).splitlines()
    assert [line.strip("│ ") for line in lines if "for ·" in line or "against" in line] == [
        "for · mock, no model",
        "◆ Bo  against · mock, no model",
    ]


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize(
    ("value", "out_of", "drawn"),
    [
        (0, 10, "──────────"),
        (1, 0, "──────────"),
        (5.5, 10, "━━━━━╾────"),
        (9.9, 10, "━━━━━━━━━╾"),
        (12, 10, "━━━━━━━━━━"),
    ],
)
def test_a_bar_is_clear_without_colours(value: float, out_of: float, drawn: str, *, colour: bool) -> None:
    """The rest of a bar has another sign than its filled part, also in text that is copied from a coloured terminal."""
    shown = render_text(Bar(value, out_of, theme.TEAL, 10), colour=colour)
    assert Text.from_ansi(shown).plain.strip() == drawn


def test_a_bar_needs_no_special_characters() -> None:
    """A terminal without Unicode gets ASCII characters."""
    target = console(40)
    segments = target.render(Bar(4, 10, theme.TEAL, 10), replace(target.options, encoding="ascii"))
    assert "".join(segment.text for segment in segments) == "####------"


def on_terminal(shown: Debate) -> str:
    """The closing screen, 80 columns wide."""
    return text(closing_screen(shown, score(shown)), 80)


def on_pipe(shown: Debate) -> str:
    """The closing screen as plain lines."""
    return "\n".join(closing_lines(shown, score(shown)))


def on_page(shown: Debate) -> str:
    """The text of the HTML page."""
    return re.sub(r"<[^>]*>", "", render_html(shown, score(shown)))


CLOSINGS = [on_terminal, on_pipe]


@pytest.mark.parametrize("width", [40, 60])
def test_no_line_is_wider_than_a_narrow_window(width: int) -> None:
    """Tables and panels shrink."""
    assert max(map(len, text(whole(debate()), width).splitlines())) <= width


@pytest.mark.parametrize(
    ("only", "present", "absent"),
    [
        ("scores", ["evidence"], "recommendation"),
        ("trace", ["✗ refuted", "✓ upheld", "≈ partially upheld"], "recommendation"),
        ("verdict", ["wins narrowly"], "recommendation"),
        ("briefing", ["recommendation"], "lowest score"),
        ("turns", [], "wins narrowly"),
    ],
)
def test_a_part_is_shown_alone(only: ReportPart, present: list[str], absent: str) -> None:
    """Standings have words, not only colours."""
    shown = text(details(debate(), score(debate()), only=only), 100)
    assert all(part in shown for part in present)
    assert absent not in shown


def test_a_small_window_shows_fewer_claims() -> None:
    """So many that 5 rows stay free below; if even one of each kind is too much, as many as fit into 40 rows."""
    shown = debate()

    def rows(height: int) -> int:
        window = Console(width=80, height=height)
        return len(text(fitting_screen(window, shown, score(shown)), 80).splitlines())

    all_rows = rows(200)
    assert rows(all_rows + 5) == all_rows
    assert rows(all_rows + 4) < all_rows
    assert rows(10) == all_rows


def test_six_debaters_and_five_systems_fit_on_one_screen() -> None:
    """A less important part is left out only if there is no room for it. Scores of other verdicts would fill the screen."""
    names = ("Ann", "Bob", "Cyd", "Dan", "Eve", "Fay")
    debaters = [{"name": name, "side": ("for", "against")[place % 2]} for place, name in enumerate(names)]
    systems = ["structured", "moderator", "panel", "persuasion", "live"]
    shown = run_debate(config_of(debaters=debaters, judging={"systems": systems}))
    drawn = text(fitting_screen(Console(width=80, height=200), shown, score(shown)), 80)
    assert len(drawn.splitlines()) <= 35
    parts = ("why", "key insight", "recommendation", "open question")
    assert [f"\n{part} " in drawn for part in parts] == [True, True, True, False]
    assert "moderator       Ann wins clearly, by 5.42 of 82.5 points.\n" in drawn


def test_the_caveat_takes_no_row_from_a_claim() -> None:
    """A window in which all claims but not the caveat fit has all claims, and does not say that a row is left out."""
    shown = debate()

    def closing(height: int) -> str:
        return text(fitting_screen(Console(width=100, height=height), shown, score(shown)), 100)

    rows = len(closing(200).splitlines())
    assert "They do not establish facts" in closing(rows + 5)
    tight = closing(rows + 4)
    assert "They do not establish facts" not in tight
    assert ("and 1 more" in tight, "left out" in tight) == ("and 1 more" in closing(200), False)


@pytest.mark.parametrize("show", CLOSINGS)
def test_other_verdicts_have_their_scores(show: Callable[[Debate], str]) -> None:
    """The line of a system that does not decide has the outcome and the scores."""
    scores = format_ranked_scores(verdict_of(debate(), "moderator"))
    assert scores.startswith("(Bo ")
    assert scores in show(debate())


@pytest.mark.parametrize("show", [*CLOSINGS, on_page])
def test_a_fallacy_is_beside_its_claim(show: Callable[[Debate], str]) -> None:
    """It is in the row of the claim, before the claim's words."""
    assert re.search(r"PRO-1.*! fallacy: appeal to authority\s+Independent", show(debate()))


def test_a_large_window_has_at_most_40_rows() -> None:
    """The file and the next command take 5 of them."""
    shown = debate()
    window = Console(width=54, height=200)
    assert len(text(closing_screen(shown, score(shown)), 54).splitlines()) > 35
    assert len(text(fitting_screen(window, shown, score(shown)), 54).splitlines()) <= 35


@pytest.mark.parametrize("width", [40, 46, 52])
@pytest.mark.parametrize("name", ["showcase", "example-mock", "example-local"])
def test_a_narrow_window_has_at_most_40_rows(name: str, width: int) -> None:
    """The least important parts are left out; the claims, the judges' agreement and the cost stay."""
    shown = open_debate(TRANSCRIPTS / f"{name}.json").debate
    saved = Path(f"transcripts/{name}.json")
    screen = text(fitting_screen(Console(width=width, height=200), shown, score(shown), saved=saved), width)
    assert len(screen.splitlines()) <= 35
    assert all(label in screen for label in ("judges ", "cost ", "more "))


def test_a_wide_window_leaves_nothing_out() -> None:
    """Parts are left out only if one claim of each kind does not fit."""
    shown = open_debate(TRANSCRIPTS / "showcase.json").debate
    screen = text(fitting_screen(Console(width=100, height=200), shown, score(shown)), 100)
    assert all(label in screen for label in ("why ", "key insight ", "open question ", "recommendation ", "moderator "))
    assert "left out" not in screen


@pytest.mark.parametrize("saved", [None, Path("kept here/one.json")])
def test_only_a_saved_debate_is_offered_for_a_replay(saved: Path | None) -> None:
    """The command names the transcript; without one, only the option that shows more in the next run is named."""
    shown = debate()
    screen = " ".join(text(closing_screen(shown, score(shown), saved=saved), 200).split())
    replay = "`debate replay 'kept here/one.json'` shows the speeches and all tables; "
    assert f" more {replay if saved else ''}`--details` shows all tables at the end of a run" in screen


@pytest.mark.parametrize(
    ("saved", "commands"),
    [(None, "`--details` shows"), (Path("one.json"), "`debate replay one.json` shows")],
)
@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_window_says_how_many_rows_are_left_out(width: int, saved: Path | None, commands: str) -> None:
    """The last row of the screen counts them, and names the commands that show them."""
    shown = open_debate(TRANSCRIPTS / "showcase.json").debate
    _, rows = closing_rows(shown, score(shown))
    screen = text(fitting_screen(Console(width=width, height=200), shown, score(shown), saved=saved), width)
    lines = screen.splitlines()
    start = next(line.index("CON-1") for line in lines if line.startswith("rely on"))
    columns, labels = [line[start:] for line in lines], {line[:start].strip() for line in lines}
    omitted = sum(row.row_count for row in rows if row.part and row.label not in labels)
    assert omitted
    assert f"{omitted} rows left out here: {commands} all rows" in " ".join(columns)


LONG = f"{'Ten people cannot run forty services, ' * 12}so they should not."


def test_plain_lines_have_every_sentence_whole() -> None:
    """A pipe has no width: claims of the closing screen and of the full report are never cut."""
    shown = with_arguments(debate(), claim=LONG)
    closing = on_pipe(shown)
    assert f"  {LONG}" in closing
    assert "…" not in closing
    found = [line for line in details_lines(shown, score(shown), only="verdict") if line.startswith("Lowest score:")]
    assert [line.endswith(LONG) for line in found] == [True]


@pytest.mark.parametrize("width", [80, 160])
def test_a_claim_has_about_two_lines_of_the_window(width: int) -> None:
    """A wide window shows more of a long claim than a narrow one."""
    shown = with_arguments(debate(), claim=LONG)
    drawn = text(fitting_screen(Console(width=width, height=50), shown, score(shown)), width)
    claim = " ".join(drawn.split()).partition(LONG[:20])[2].partition("…")[0]
    assert width < len(claim) < 2 * width


@pytest.mark.parametrize("show", CLOSINGS)
def test_further_open_questions_are_counted(show: Callable[[Debate], str]) -> None:
    """The closing screen shows two of them."""
    shown = open_debate(TRANSCRIPTS / "showcase.json").debate
    briefing = build_briefing(shown)
    assert briefing is not None
    assert len(briefing.unresolved_questions) == 3
    assert "and 1 more" in show(shown)


@pytest.mark.parametrize("width", [60, 160])
def test_a_recommendation_is_wrapped_and_never_cut(width: int) -> None:
    """The longest recommendation that a judge's form takes is shown whole, within the 35 rows."""
    judged = structured_assessment()
    *others, insight = judged.findings
    assert isinstance(insight, Insight)
    advice = f"{'Decide first who pays, ' * 9}then split the service."
    findings = (*others, insight.model_copy(update={"recommendation": advice}))
    shown = with_assessment(debate(), judged.model_copy(update={"findings": findings}))
    drawn = text(fitting_screen(Console(width=width, height=50), shown, score(shown)), width)
    assert advice in " ".join(drawn.split())
    assert len(drawn.splitlines()) <= 35


def test_the_closing_screen_fits_one_screen() -> None:
    """At most 36 lines of 80 columns, which leaves 4 lines for the file and the next command."""
    lines = on_terminal(debate()).splitlines()
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("show", CLOSINGS)
def test_the_closing_screen_has_verdicts_claims_and_cost(show: Callable[[Debate], str]) -> None:
    """Also margins with their scale, disagreement and the rehearsal notice."""
    shown = " ".join(show(debate()).replace("┃", " ").split())
    for part in (
        "Bo wins narrowly, by 1.1 of 10 points.",
        "CON-1 ",
        "upheld",
        "7.8",
        "refuted",
        "Bo wins clearly, by 15.67 of 82.5 points.",
        "They differ on how clearly Bo wins",
        "$0.0220",
        REHEARSAL,
    ):
        assert part in shown


def test_score_tables_are_in_the_details_only() -> None:
    """The closing screen has claims in one line each instead."""
    assert "Check first: PRO-1  refuted  5.7  ! fallacy: appeal to authority  Independent" in on_pipe(debate())
    assert "evidence based claims" in text(details(debate(), score(debate())), 100)
    assert "evidence based claims" not in on_terminal(debate())


@pytest.mark.parametrize("show", CLOSINGS)
def test_an_undetermined_verdict_names_what_is_missing(show: Callable[[Debate], str]) -> None:
    """The closing screen and the details say so."""
    assert "Undetermined" in show(unjudged())
    assert "not assessed" in show(unjudged())
    assert "The debate was not assessed by judge." in text(details(unjudged(), score(unjudged())), 100)


def test_the_rehearsal_notice_is_first_for_mock_models_only() -> None:
    """A debate with configured real models has none."""
    real = opened_debate(models={"default": {"model": "openai/gpt-5"}, "judge": {"model": "openai/gpt-5"}})
    assert header_lines(debate())[0] == REHEARSAL
    assert header_lines(real)[0] != REHEARSAL


def test_a_long_background_is_shortened() -> None:
    """The header has three lines and the number of omitted lines."""
    lines = header_lines(debate(background="\n".join(f"line {number}" for number in range(900))))
    assert [line for line in lines if line.startswith("Background: ")] == [
        "Background: line 0",
        "Background: line 1",
        "Background: line 2",
        "Background: … and 897 more lines",
    ]


def test_untrusted_text_is_sanitized() -> None:
    """Topic, background, model names, arguments and rationales send neither sequences nor markup."""
    shown = with_assessment(HOSTILE_DEBATE, structured_assessment().model_copy(update={"rationale": HOSTILE}))
    output = text(whole(shown), 120)
    assert "[bold red]markup[/]" in output
    assert is_printable(output + on_terminal(shown) + on_pipe(shown))


def test_the_trace_has_a_column_for_sources_if_a_claim_cites_one() -> None:
    """Between the claim and the answers to it."""
    cited = with_arguments(debate(), citations=(Citation(source="S7", quote="no such words"),))
    text = render_text(Group(*details(cited, (), only="trace")), 160)
    assert [word in text for word in ("sources", "✗ S7 no such source")] == [True, True]
