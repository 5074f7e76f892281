"""The HTML index of many debates: a sortable table with links, in which untrusted text is only text."""

import re

import pytest
from html_support import ParsedPage, policy_allows, script_of
from render_support import HOSTILE, START, debate, opening_event, scored_file, unjudged

from debate_cli.app.gates import GateResult
from debate_cli.app.score import CheckedFile, DebateFacts, ScoredFile, UnusableFile, collect_debate_facts
from debate_cli.domain.debate import fold
from debate_cli.domain.events import DebateOpened
from debate_cli.render.html.index import render_index
from debate_cli.systems.scoring import score

ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}'
ATTACKED = render_index(
    [
        CheckedFile(
            ScoredFile(ATTACK, ATTACK + HOSTILE, ATTACK, ATTACK, score(debate())),
            (GateResult("g", ATTACK),),
            "javascript:alert(1)",
            facts=DebateFacts(START, (ATTACK,), (ATTACK + HOSTILE,), None),
        )
    ],
    [UnusableFile(ATTACK, ATTACK)],
    title=ATTACK,
)
BARE = render_index([CheckedFile(scored_file(debate()))])
FULL = render_index(
    (
        CheckedFile(
            scored_file(debate()), (GateResult("--fail-under", None),), "a.html", facts=collect_debate_facts(debate())
        ),
        CheckedFile(scored_file(unjudged()), (GateResult("--fail-under", "--fail-under: undetermined"),)),
    )
)


@pytest.mark.parametrize("element", ["style", "script"])
def test_the_policy_allows_only_the_style_sheet_and_the_script(element: str) -> None:
    """The Content-Security-Policy has their hashes."""
    assert policy_allows(FULL, element)


def test_untrusted_text_makes_no_element() -> None:
    """The page has its own script only; templates are not evaluated; control characters are removed."""
    found = ParsedPage(ATTACKED)
    assert (found.tags.count("script"), found.tags.count("img"), found.event_attributes()) == (1, 0, set())
    assert script_of(ATTACKED) == script_of(FULL)
    assert "{{ 7*7 }}" in ATTACKED
    assert not any(sign in ATTACKED for sign in ("\x1b", "\x07", "\u202e"))


@pytest.mark.parametrize(
    ("report", "links"),
    [
        (None, []),
        ("a.html", ["./a.html"]),
        ("javascript:alert(1)", ["./javascript%3Aalert%281%29"]),
        ("two words?#.html", ["./two%20words%3F%23.html"]),
        ("/tmp/a.html", ["/tmp/a.html"]),
        ("//evil.example/a", ["/evil.example/a"]),
    ],
)
def test_a_link_leads_to_a_local_file(report: str | None, links: list[str]) -> None:
    """A debate without a report has no link."""
    source = render_index([CheckedFile(scored_file(debate()), report=report)])
    assert ParsedPage(source).links == links
    assert debate().topic in source


def test_every_column_is_sortable_and_every_cell_names_its_column() -> None:
    """Headers are buttons, cells have sort values, and cards of narrow windows repeat the headers."""
    table = FULL[FULL.index('<table class="sortable">') :]
    heads = re.findall(r'<button type="button">(.*?)</button>', table[: table.index("</thead>")])
    rows = table[table.index("<tbody>") : table.index("</tbody>")].split("<tr>")[1:]
    assert len(heads) == 12
    assert [row.count("data-sort=") for row in rows] == [12, 12]
    assert [re.findall(r'data-head="(.*?)"', row) for row in rows] == [heads[1:], heads[1:]]


def test_date_models_and_cost_are_shown() -> None:
    """The models of debaters and judges have separate lines."""
    facts = DebateFacts(START, ("a/b", "c/d"), ("e/f",), 0.25)
    source = render_index([CheckedFile(scored_file(debate()), facts=facts)])
    for text in (
        f'data-sort="{START.isoformat()}"',
        START.strftime("%Y-%m-%d"),
        "<div>a/b</div><div>c/d</div>",
        "judged by e/f",
        'data-sort="0.25" class="num">$0.2500</td>',
    ):
        assert text in source


def test_times_are_utc() -> None:
    """A start with another offset is converted."""
    begun = DebateOpened.model_validate({**dict(opening_event()), "at": "2026-03-01T01:30:00+02:00"})
    source = render_index([CheckedFile(scored_file(debate()), facts=collect_debate_facts(fold([begun])))])
    assert "2026-02-28 <small>23:30 UTC</small>" in source


def test_an_unknown_cost_is_sorted_last() -> None:
    """It has an empty sort value."""
    assert 'data-sort="" class="num">unknown</td>' in ATTACKED


@pytest.mark.parametrize("head", ["date", "models", "cost", "gates"])
def test_empty_columns_are_left_out(head: str) -> None:
    """A column is shown only where a file has a value for it."""
    assert (f">{head}</button>" in BARE, f">{head}</button>" in FULL) == (False, True)


def test_results_of_gates_are_shown() -> None:
    """A failed gate has its reason."""
    assert "✓ --fail-under" in FULL
    assert "✗ --fail-under: undetermined" in FULL


def test_a_file_without_verdicts_has_a_row() -> None:
    """Its system was filtered out."""
    assert "not judged" in render_index([CheckedFile(ScoredFile("a", "a", "t", "complete", ()))])
