"""What a blind reviewer reads names neither debaters nor models."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from formats_support import config, new_debate, play_debate, turn
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from judging_support import close_debate, settle_all
from review_support import answer_all

from debate_cli.app.review import Review, open_review
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.reviewer import ReviewAnswers, ReviewTerms
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Turn
from debate_cli.judging.blinding import Blinding
from debate_cli.render.review_template import format_review_template
from debate_cli.storage.transcript_store import StoredDebate

VERDICT_MARKER = "zebra-verdict"
"""A word that only the earlier verdicts hold."""
FIRST_NAMES, LAST_NAMES = ("Ann", "Zoë", "Pro", "O'Neil", "Claude"), ("Smith", "Müller", "Okafor", "García-Lopez")
MODELS = ("openai/gpt-5-mini", "anthropic/claude-sonnet-5", "ollama/qwen3:8b", "lab/org/Llama-3.2-1B")
WAYS_OF_WRITING: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    lambda word: f"“{word}’s”",
    lambda word: f"({word}).",
)
SYSTEMS = ("structured", "moderator", "panel", "live")
EXAMPLES = settings(
    max_examples=max(5, settings().max_examples // 20), phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
"""Each example is a whole debate; `make soak` tries more."""


def names() -> st.SearchStrategy[str]:
    """Names of one word or two."""
    two = st.tuples(st.sampled_from(FIRST_NAMES), st.sampled_from(LAST_NAMES)).map(" ".join)
    return st.one_of(st.sampled_from(FIRST_NAMES), st.sampled_from(LAST_NAMES), two)


@st.composite
def debates(draw: st.DrawFn) -> Debate:
    """Judged debates in which speakers name each other, their models and their arguments, in several ways of writing."""
    pair = draw(st.lists(names(), min_size=2, max_size=2, unique_by=str.casefold))
    models = draw(st.lists(st.sampled_from(MODELS), min_size=2, max_size=2, unique=True))
    debaters: list[dict[str, Any]] = [
        {"name": name, "side": side, "model": model, "prefix": "".join(word[0] for word in name.split()) + prefix}
        for name, side, model, prefix in zip(pair, ("for", "against"), models, ("X", "Y"), strict=True)
    ]
    setup = config({}, ("structured",), debaters, background=f"{pair[0]} and {pair[1]} met before.")
    words = [
        *pair,
        *models,
        *(model.rpartition("/")[2] for model in models),
        *(word for name in pair for word in name.split()),
    ]
    write = st.sampled_from(WAYS_OF_WRITING)

    def speech(cue: Cue, debate: Debate) -> Turn:
        said = draw(st.lists(st.tuples(st.sampled_from(words), write), min_size=1, max_size=4))
        prefixes = [item.prefix for item in debate.participants]
        text = " and ".join(change(word) for word, change in said) + f" on {prefixes[0]}-1, {prefixes[1]}-7"
        own = debate.participant(cue.speaker).prefix
        made: Any = {"id": f"{own}-1", "claim": text, "reasoning": text, "evidence": text}
        return turn(cue, text=text, **({"arguments": [made]} if cue.phase == "opening" else {}))

    spoken = close_debate(play_debate(new_debate(setup), speech)).model_copy(update={"id": "ann-vs-zoe-20260101"})
    return spoken.with_assessments(_mark(item) for item in settle_all(spoken).assessments)


def _mark(assessment: Assessment) -> Assessment:
    return assessment.model_copy(update={"rationale": VERDICT_MARKER, "warnings": (VERDICT_MARKER,)})


def review_of(debate: Debate, system: str = "structured", *, seed: int = 0, blind: bool = True) -> Review:
    """A review with probabilities."""
    terms = ReviewTerms(system=system, reviewer="rater", blind=blind, seed=seed, probability=True)
    return open_review(StoredDebate(Path("ann-vs-zoe-20260101.json"), debate), terms)


def everything_shown(review: Review) -> str:
    """The whole file of a review, with the questions that follow from answers."""
    answers = answer_all(review)
    return "\n".join(format_review_template(review, review.evaluate(answers).parts, ReviewAnswers()))


def secrets(debate: Debate) -> set[str]:
    """Every word that tells who debated, folded."""
    found = {debate.id, VERDICT_MARKER}
    for person in debate.participants:
        parts = person.name.split()
        found |= {person.name, *parts, person.model, person.model.rpartition("/")[2], f"{person.prefix}-1"}
    return {word.casefold() for word in found}


@EXAMPLES
@given(debate=debates(), system=st.sampled_from(SYSTEMS), seed=st.integers(0, 3))
def test_a_blind_review_shows_no_secret_word(debate: Debate, system: str, seed: int) -> None:
    """No name, part of a name, model, id or earlier verdict is in anything that a blind reviewer is shown."""
    shown = everything_shown(review_of(debate, system, seed=seed)).casefold()
    leaked = [word for word in secrets(debate) if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", shown)]
    assert not leaked


@EXAMPLES
@given(debate=debates(), system=st.sampled_from(SYSTEMS))
def test_blind_and_open_reviews_store_the_same(debate: Debate, system: str) -> None:
    """The same answers give the same marks and findings, whether names were hidden or not."""
    stored: list[list[tuple[Any, Any]]] = []
    for blind in (True, False):
        review = review_of(debate, system, blind=blind)
        given = review.evaluate(answer_all(review)).assessments
        stored.append([(item.subject, sorted(map(str, item.marks))) for item in given])
    assert stored[0] == stored[1]


def test_masks_are_undone() -> None:
    """What a reviewer writes about `Speaker A`, `A-1` and a model is stored with the real names."""
    debate = play_debate(
        new_debate(config(debaters=({"name": "Ann Lee", "side": "for"}, {"name": "Bo", "side": "against"})))
    )
    blinding = Blinding(debate, ("Bo", "Ann Lee"))
    assert blinding.unmask("Speaker B's B-2 beats A-1 of Speaker A") == "Ann Lee's PRO-2 beats CON-1 of Bo"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("As Smith said, ann smith is wrong", "As Speaker A said, Speaker A is wrong"),
        ("The market may bear it; Will will not", "The market may bear it; Speaker B will not"),
        ("THE SMITH of Team Growth", "THE Speaker A of Team Growth"),
        ("PRO-3 and pro-1 are GPT's", "A-3 and A-1 are [model 4]'s"),
    ],
)
def test_words_are_masked(text: str, masked: str) -> None:
    """Parts of names are hidden where they are capitalized, apart from words of the motion; so are ids that do not exist."""
    people = (
        {"name": "Ann Smith", "side": "for", "model": "openai/gpt-5"},
        {"name": "Team Will Growth", "side": "against"},
    )
    debate = play_debate(new_debate(config(debaters=people, topic="Is growth good?")))
    assert Blinding(debate, ("Ann Smith", "Team Will Growth")).mask(text) == masked
