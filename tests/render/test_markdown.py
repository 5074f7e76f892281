"""A debate as Markdown: readable, and nothing in it is made by the debaters but words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from render_support import HOSTILE, debate, unscored

from debate_cli.domain.debate import Debate
from debate_cli.render.markdown import escape_markdown, format_markdown
from debate_cli.render.participants import REHEARSAL_NOTICE
from debate_cli.render.report import ReportPart
from debate_cli.render.sanitize import sanitize_line
from debate_cli.systems.scoring import score

PARSER = MarkdownIt("gfm-like", {"linkify": False}).enable("table")
ATTACKS = (
    "<script>alert(1)</script>", "[click](http://evil)", "![img](http://evil/x.png)", "| a | b |", "`code`", "***bold***",
    "# heading", "- item", "1. item", "> quote", "---", "===", "<http://evil>", "&lt;b&gt;", "~~gone~~", "http://evil.example",
    "www.evil.example", "\\*", "[^1]", "    code", "```", "<!-- c -->", "$x$", "a\n\n# b", HOSTILE,
)  # fmt: skip
TEXTS = st.one_of(st.sampled_from(ATTACKS), st.text(st.sampled_from("\\`*_{}[]()<>#+-.!|~&:/$^@= \nab1"), max_size=30))


def words(source: str) -> str:
    """The text of one paragraph as a reader sees it; fails where anything but text is in it."""
    tokens = PARSER.parse(source)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    inline = tokens[1].children or []
    assert {token.type for token in inline} <= {"text", "text_special"}
    return "".join(token.content for token in inline)


def test_the_whole_debate(golden: Callable[[str, str], None]) -> None:
    """The document of the fixed debate."""
    golden("debate.md", format_markdown(debate(), score(debate())))


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_is_shown_as_its_own_characters(text: str) -> None:
    """What would be markup is read as it was written."""
    assert words(escape_markdown(text)) == sanitize_line(text)


@given(TEXTS.filter(lambda text: sanitize_line(text) != ""))
def test_any_text_is_shown_as_its_own_characters(text: str) -> None:
    """Escaping loses nothing and lets nothing through."""
    assert words(escape_markdown(text)) == sanitize_line(text)


@given(TEXTS)
def test_a_cell_stays_one_cell(text: str) -> None:
    """No text breaks a table."""
    source = f"| a | b |\n| --- | --- |\n| {escape_markdown(text)} | end |\n"
    assert [token.type for token in PARSER.parse(source)].count("td_open") == 2


def test_no_bare_address_is_made_a_link() -> None:
    """Forms that GitHub would link by itself are broken up."""
    assert "http:" not in escape_markdown("http://evil.example")
    assert "www." not in escape_markdown("www.evil.example")


def test_a_hostile_debate_has_no_html_and_no_link() -> None:
    """Topic, background and speeches make no HTML (but our own line breaks), no link and no code but our own map."""
    told = debate(topic=" ".join(ATTACKS), background="\n".join(ATTACKS))
    arguments = tuple(
        item.model_copy(update={"claim": attack})
        for item, attack in zip(told.turns[0].arguments or (), ("```\n\n# end", "~~~\n```"), strict=True)
    )
    first = told.turns[0].model_copy(update={"warnings": ATTACKS, "arguments": arguments})
    told = Debate.model_validate({**told.model_dump(), "turns": [first, *told.turns[1:]]})
    tokens = [
        token
        for block in PARSER.parse(format_markdown(told, score(told)))
        for token in (block, *(block.children or ()))
    ]
    assert not {"link_open", "image", "html_block", "code_block"} & {token.type for token in tokens}
    assert [token.info for token in tokens if token.type == "fence"] == ["mermaid"]
    assert {token.content for token in tokens if token.type == "html_inline"} <= {"<br>"}


def test_the_verdict_is_read_before_the_cast_and_says_which_one_decides() -> None:
    """Whoever opens the document sees who won; who debated and who judged stands after the briefing."""
    source = format_markdown(debate(), score(debate()))
    heads = [line for line in source.splitlines() if line.startswith("## ")]
    assert heads[:5] == [
        "## Verdict, structured (decides)",
        "## Verdict, moderator",
        "## Agreement",
        "## Briefing",
        "## Who debated, who judged",
    ]


@pytest.mark.parametrize("told", [debate, unscored], ids=["judged", "undetermined"])
def test_it_says_how_to_have_it_judged_again(told: Callable[[], Debate]) -> None:
    """The command stands below the first verdict, as code that can be copied."""
    first, _, _ = format_markdown(told(), score(told())).partition("## Verdict, moderator")
    assert "Judge it again: `debate judge microservices-0001 --system panel`" in first


def test_a_command_is_code_whatever_the_id() -> None:
    """Backticks in an id do not end the code."""
    told = debate().model_copy(update={"id": "a`b``c"})
    inline = [token for block in PARSER.parse(format_markdown(told, score(told))) for token in block.children or ()]
    (code,) = [token.content for token in inline if token.type == "code_inline"]
    assert code == "debate judge 'a`b``c' --system panel"


def test_a_debate_that_nobody_judged_says_so() -> None:
    """Without a verdict there is a sentence in its place, and the command."""
    told = debate()
    assert "**This debate has not been judged.**\n\nJudge it again: `debate judge " in format_markdown(told, [])


def test_what_is_missing_is_said() -> None:
    """An undetermined verdict tells what was not assessed."""
    assert "- Missing: " in format_markdown(unscored(), score(unscored()))


PARTS = {
    "turns": "## Round 1: ",
    "scores": "## Scores",
    "trace": "## Trace",
    "verdict": "## Verdict",
    "briefing": "## Briefing",
}


@pytest.mark.parametrize("only", ["turns", "scores", "trace", "verdict", "briefing"])
def test_a_part_is_shown_alone(only: ReportPart) -> None:
    """Below the motion, with nothing of another part."""
    document = format_markdown(debate(), score(debate()), only)
    assert document.splitlines()[:3:2] == [f"**{REHEARSAL_NOTICE}**", f"# {debate().topic}"]
    assert {part for part, head in PARTS.items() if head in document} == {only}


@pytest.mark.parametrize("only", [None, "turns"])
def test_a_round_is_shown_by_its_speeches(only: ReportPart | None) -> None:
    """Those of no other round, and nothing else."""
    document = format_markdown(debate(), score(debate()), only, 2)
    assert [line for line in document.splitlines() if line.startswith("## ")] == ["## Round 2: cross-examination"]


def test_the_briefing_can_be_pasted_alone() -> None:
    """It has the outcome, the date, debaters and judges with their models, and the id."""
    briefing = format_markdown(debate(), score(debate()), "briefing")
    for words in (
        "**Bo wins narrowly.**",
        "01 March 2026",
        "Ada: mock",
        "structured: mock",
        debate().id,
    ):
        assert words in briefing


def test_a_rehearsal_says_so_first_and_last() -> None:
    """Every model of the debate is a mock."""
    document = format_markdown(debate(), score(debate()))
    assert document.splitlines()[0] == document.splitlines()[-1] == f"**{REHEARSAL_NOTICE}**"
