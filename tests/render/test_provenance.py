"""Where a result comes from, as the page tells it: what was judged, and how long it took."""

from __future__ import annotations

from datetime import timedelta

import pytest
from render_support import START, debate

from debate_cli.domain.debate import fold
from debate_cli.domain.exchange import Usage
from debate_cli.rejudging import Wish, artifact
from debate_cli.render.documents.page.provenance import provenance
from debate_cli.render.look import counted, tokens, usage_words


def test_a_debate_has_its_format() -> None:
    """In words."""
    assert dict(provenance(debate(format={"kind": "free_flowing"}).bare()).facts)["format"] == "free flowing"


def test_a_text_has_no_format() -> None:
    """Its configuration names the default one, under which nobody spoke."""
    told = fold(artifact("PLAN.md", "We rewrite it.", "plan-0001", Wish(systems=("panel",)), START))
    assert dict(provenance(told).facts)["format"] == "none: a document was judged"


def test_what_it_took_is_the_time_of_its_calls() -> None:
    """Not the days between two sittings, or until it was judged again."""
    later = debate().model_copy(update={"finished_at": START + timedelta(days=3)})
    facts = dict(provenance(later).facts)
    assert (facts["calls took, added up"], "took" in facts) == ("22.4 s", False)


def test_where_nothing_was_waited_for_no_time_is_told() -> None:
    """As where nobody was asked."""
    assert "calls took, added up" not in dict(provenance(debate().bare()).facts)


def test_what_was_estimated_is_told_as_such() -> None:
    """Tokens and their price; what was counted has no such word."""
    used = debate().usage
    guessed = usage_words(used.model_copy(update={"estimated": True, "cost_usd": 0.5}))
    assert [guessed.count("about"), usage_words(used).count("about")] == [2, 0]
    assert f"about {tokens(used.input_tokens)} tokens in" in guessed
    assert guessed.endswith("about $0.5000")


@pytest.mark.parametrize(("usage", "told"), [(Usage(), "412 tokens"), (Usage(estimated=True), "about 412 tokens")])
def test_of_one_call_it_is_told_too(usage: Usage, told: str) -> None:
    """Wherever a number of its tokens stands."""
    assert counted(412, usage) == told
