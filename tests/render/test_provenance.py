"""Where a result comes from, as the page tells it: what was judged, and how long it took."""

from __future__ import annotations

from datetime import timedelta

import pytest
from render_support import START, debate

from debate_cli.app.judge_request import JudgingRequest, document_events
from debate_cli.domain.debate import fold
from debate_cli.domain.model_call import Usage
from debate_cli.render.html.provenance import collect_provenance
from debate_cli.render.theme import format_count, format_token_count, format_usage


def test_a_debate_has_its_format() -> None:
    """In words."""
    assert (
        dict(collect_provenance(debate(format={"kind": "free_flowing"}).without_turns()).facts)["format"]
        == "free flowing"
    )


def test_a_text_has_no_format() -> None:
    """Its configuration names the default one, under which nobody spoke."""
    told = fold(document_events("PLAN.md", "We rewrite it.", "plan-0001", JudgingRequest(systems=("panel",)), START))
    assert dict(collect_provenance(told).facts)["format"] == "none: a document was judged"


def test_what_it_took_is_the_time_of_its_calls() -> None:
    """Not the days between two sittings, or until it was judged again."""
    later = debate().model_copy(update={"finished_at": START + timedelta(days=3)})
    facts = dict(collect_provenance(later).facts)
    assert (facts["calls took, added up"], "took" in facts) == ("22.4 s", False)


def test_where_nothing_was_waited_for_no_time_is_told() -> None:
    """As where nobody was asked."""
    assert "calls took, added up" not in dict(collect_provenance(debate().without_turns()).facts)


def test_what_was_estimated_is_told_as_such() -> None:
    """Tokens and their price; what was counted has no such word."""
    used = debate().usage
    guessed = format_usage(used.model_copy(update={"estimated": True, "cost_usd": 0.5}))
    assert [guessed.count("about"), format_usage(used).count("about")] == [2, 0]
    assert f"about {format_count(used.input_tokens)} tokens in" in guessed
    assert guessed.endswith("about $0.5000")


@pytest.mark.parametrize(("usage", "told"), [(Usage(), "412 tokens"), (Usage(estimated=True), "about 412 tokens")])
def test_of_one_call_it_is_told_too(usage: Usage, told: str) -> None:
    """Wherever a number of its tokens stands."""
    assert format_token_count(412, usage) == told
