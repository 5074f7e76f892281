"""The Markdown document, in which untrusted text is only text."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from render_support import HOSTILE, debate, unjudged, with_first_turn

from debate_cli.domain.model_call import REHEARSAL_NOTICE
from debate_cli.render.content.report import ReportPart
from debate_cli.render.sanitize import sanitize_line
from debate_cli.render.text.markdown import escape_markdown, format_markdown, format_table
from debate_cli.systems.scoring import score
from debate_cli.systems.tables import Curve, Table

PARSER = MarkdownIt("gfm-like", {"linkify": False}).enable("table")
ATTACKS = (
    "<script>alert(1)</script>", "[click](http://evil)", "![img](http://evil/x.png)", "| a | b |", "`code`", "***bold***",
    "# heading", "- item", "1. item", "> quote", "---", "===", "<http://evil>", "&lt;b&gt;", "~~gone~~", "http://evil.example",
    "www.evil.example", "\\*", "[^1]", "    code", "```", "<!-- c -->", "$x$", "a\n\n# b", HOSTILE,
)  # fmt: skip
TEXTS = st.one_of(st.sampled_from(ATTACKS), st.text(st.sampled_from("\\`*_{}[]()<>#+-.!|~&:/$^@= \nab1"), max_size=30))


def rendered(source: str) -> str:
    """The rendered text of one paragraph. Fails if it holds anything but text."""
    tokens = PARSER.parse(source)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    inline = tokens[1].children or []
    assert {token.type for token in inline} <= {"text", "text_special"}
    return "".join(token.content for token in inline)


def test_the_whole_debate(golden: Callable[[str, str], None]) -> None:
    """The notice of a rehearsal is first and last; verdicts, the deciding one first, and briefing precede the participants."""
    golden("debate.md", format_markdown(debate(), score(debate())))


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_is_shown_as_its_own_characters(text: str) -> None:
    """What would be markup is read as it was written."""
    assert rendered(escape_markdown(text)) == sanitize_line(text)


@given(TEXTS.filter(lambda text: sanitize_line(text) != ""))
def test_any_text_is_shown_as_its_own_characters(text: str) -> None:
    """Escaping neither loses characters nor lets markup through."""
    assert rendered(escape_markdown(text)) == sanitize_line(text)


@given(TEXTS)
def test_a_cell_stays_one_cell(text: str) -> None:
    """Untrusted text breaks no table."""
    source = f"| a | b |\n| --- | --- |\n| {escape_markdown(text)} | end |\n"
    assert [token.type for token in PARSER.parse(source)].count("td_open") == 2


def test_bare_addresses_are_not_linked() -> None:
    """Forms that GitHub links by itself are escaped."""
    assert "http:" not in escape_markdown("http://evil.example")
    assert "www." not in escape_markdown("www.evil.example")


def test_untrusted_text_makes_no_html_link_or_code() -> None:
    """The document has its own line breaks and its own map only."""
    shown = debate(topic=" ".join(ATTACKS), background="\n".join(ATTACKS))
    claims = ("```\n\n# end", "~~~\n```")
    arguments = tuple(
        item.model_copy(update={"claim": claim})
        for item, claim in zip(shown.turns[0].arguments or (), claims, strict=True)
    )
    shown = with_first_turn(shown, warnings=ATTACKS, arguments=arguments)
    tokens = [
        token
        for block in PARSER.parse(format_markdown(shown, score(shown)))
        for token in (block, *(block.children or ()))
    ]
    assert not {"link_open", "image", "html_block", "code_block"} & {token.type for token in tokens}
    assert not [token for token in tokens if token.type == "fence"]
    assert {token.content for token in tokens if token.type == "html_inline"} <= {"<br>"}


def test_without_a_verdict_there_is_a_sentence() -> None:
    """An undetermined verdict lists what is missing."""
    assert "**This debate has not been judged.**" in format_markdown(debate(), [])
    assert "- **Missing:** " in format_markdown(unjudged(), score(unjudged()))


PARTS = {
    "turns": "## Round 1: ",
    "scores": "## Structured: scores",
    "trace": "## Trace",
    "verdict": "## Verdict",
    "briefing": "## Briefing",
}


@pytest.mark.parametrize("only", ["turns", "scores", "trace", "verdict", "briefing"])
def test_a_part_is_shown_alone(only: ReportPart) -> None:
    """It follows the motion; other parts are left out."""
    document = format_markdown(debate(), score(debate()), only)
    assert document.splitlines()[:3:2] == [f"**{REHEARSAL_NOTICE}**", f"# {debate().topic}"]
    assert {part for part, head in PARTS.items() if head in document} == {only}


@pytest.mark.parametrize("only", [None, "turns"])
def test_a_round_is_shown_alone(only: ReportPart | None) -> None:
    """The document has the turns of this round only."""
    document = format_markdown(debate(), score(debate()), only, 2)
    assert [line for line in document.splitlines() if line.startswith("## ")] == ["## Round 2: cross-examination"]


def test_the_briefing_is_self_contained() -> None:
    """It has outcome, date, debaters, judges, their models and the id."""
    briefing = format_markdown(debate(), score(debate()), "briefing")
    for words in (
        "**Outcome:** Bo wins narrowly, by 1.1 of 10 points.",
        "01 March 2026",
        "debated by Ada, Bo: mock",
        "judged by structured, moderator: mock",
        debate().id,
    ):
        assert words in briefing


def test_numbers_over_time_are_not_escaped() -> None:
    """A table cell with numbers over time has no backslash."""
    table = Table("stance", ("debater", "course"), (("Con", Curve((-0.8, 0.5), -1, 1)),))
    assert "| Con | -0.8 → 0.5 |" in format_table(table)


def test_a_long_background_is_an_excerpt() -> None:
    """Three lines and the number of further lines are shown."""
    shown = format_markdown(debate(background="\n".join(f"line {number}" for number in range(1, 901))), ())
    assert "line 3\n\n… and 897 more lines" in shown
    assert "line 4" not in shown
