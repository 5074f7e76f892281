"""Quotes are checked word for word: what is verified, what differs harmlessly, and what says something else."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from quote_alterations import ALTERATIONS, retype, span

from debate_cli.evidence.quote_check import check_quote

PASSAGE = (
    "In 2024 the outage was not caused by the deploy. Latency rose 43 percent, and costs may rise by 2.5 percent. "
    "Amazon’s well-known Prime team reported 10² errors; the service — it was all over — lost -5 degrees (about 1½ hours).\n"
    "More than 5 services were moved to non-verified regions by the team in 2020–2021, and x < 10 is the limit. "
    "The services were written in C++ and cost $5 million per year, 5-10 percent of the budget. The Adams report is public."
)
CUT_QUANTITIES = (
    ("Costs rise by 5 % in 2026.", "Costs rise by 5", "Costs rise by 5 %"),
    ("Costs rise by 5\nmillion euros.", "Costs rise by 5.", "Costs rise by 5\nmillion"),
    ("Costs rise by 5 million euros a year.", "Costs rise by 5 million", "Costs rise by 5 million euros"),
    ("It all fell to -5 °C at night.", "It all fell to -5", "It all fell to -5 °C"),
    ("It all fell to -5 degrees.", "It all fell to -5", "It all fell to -5 degrees."),
    ("Prices rose by 2.5 percentage points.", "Prices rose by 2.5", "Prices rose by 2.5 percentage points."),
    ("Prices rose by 2.5 percentage points.", "Prices rose by 2.5 percentage", "Prices rose by 2.5 percentage points."),
    ("It costs 2000 euros.", "It costs 2000", "It costs 2000 euros."),
    ("It took the team 5-10 days to move.", "It took the team 5–10", "It took the team 5-10 days"),
    ("It lost about 1½ hours.", "It lost about 1½", "It lost about 1½ hours."),
    ("The flat lost 5 m² of floor.", "The flat lost 5", "flat lost 5 m²"),
    ("In 2019 EUR 5 million were spent.", "5 million were spent", "EUR 5 million were spent."),
    ("Es steigt um 5 Mio. Euro im Jahr.", "Es steigt um 5", "Es steigt um 5 Mio."),
    ("It rose 3.5 Mt CO2 a year.", "It rose 3.5", "It rose 3.5 Mt"),
    ("It grew by 5 trn euros.", "It grew by 5", "It grew by 5 trn"),
    ("It grew by +2000 days a year.", "It grew by +2000", "It grew by +2000 days"),
    ("It grew by 2015.5 days a year.", "It grew by 2015.5", "It grew by 2015.5 days"),
    ("It costs 20 000 euros.", "It costs 20", "It costs 20 000 euros."),
    ("It costs 20 000 500 euros.", "It costs 20 000", "It costs 20 000 500 euros."),
    ("It reached 20 000 people.", "It reached 20", "It reached 20 000"),
    ("It reached 20 000 people here.", "000 people here", "20 000 people here."),
    ("It costs 20 500 euros here.", "500 euros here", "20 500 euros here."),
    ("It was 5 to 7 percent.", "It was 5", "It was 5 to 7 percent."),
    ("Es sind 5 bis 7 Prozent.", "Es sind 5", "Es sind 5 bis 7 Prozent."),
    ("It was 5–7 % of all.", "It was 5–7", "It was 5–7 %"),
    ("It measures only 5 m in all.", "It measures only 5", "It measures only 5 m"),
    ("It costs $5 m in all.", "It costs $5", "It costs $5 m"),
    ("Costs rise by 5 % in 2026 for them.", "Costs rise by 5 … in 2026 for them", "Costs rise by 5 %"),
)
WHOLE_NUMBERS = (
    ("fell by half in 2020", " hours worked fell."),
    ("fell by half in 2020", " million-dollar homes sold."),
    ("fell by half in 2020", " EUR 5 million were spent."),
    ("fell by half in 2020", " $5 million were spent."),
    ("is shown in table 5", " m is the length."),
    ("is shown in section 5", " points to this."),
    ("the vote on May 5", " hours after it."),
    ("the group of 5", " people came."),
    ("the group of 5", ", days later, came."),
    ("the group of 5", ". Days later it came."),
    ("the group of 5", "\n\nDays later it came."),
    ("the group of 5", " J. Smith says."),
    ("the group of 5", " $name is a variable."),
    ("the group of 5", " (percent of all)"),
    ("the group of 5", " to 10 people."),
    ("the group of 5", " 300 people came."),
    ("the vote on May 5", " 300 euros were given."),
    ("the firm opened in early 2015", " an office."),
    ("the firm opened in early 2015", " percentage points mattered."),
    ("the work of Smith 2019", " times have changed."),
    ("it was different before 1999", " to 5 percent."),
    ("the people earned $15", " an hour."),
    ("the people earned $15", " days later."),
    ("the people earned EUR 15", " days later."),
    ("only for the under 30", " s of it."),
    ("where group A scored 5", " B scored more."),
    ("where group A scored 5", " M scored more."),
    ("where group A scored 5", " Ms Smith came."),
    ("where it was only 1 in 5", " days off."),
    ("where it was one out of 5", " years ago."),
    ("the flight of Apollo 11", " days later."),
    ("the model in group 5", " points to it."),
    ("we saw Covid-19", " days before."),
    ("rises by 5 million euros", " a year."),
    ("rises by 5 percent", " points to it."),
    ("years of work by the team", " followed."),
    ("the end of the 1990s", " years later."),
)
VOCABULARY = (
    "the a of service services team cost costs reduces reduced deploy “quoted” it’s well-known rollback Amazon Kessler "
    "43 percent 2.5 1,000 -5 € may will not never more less before after — and in is was"
)
WORDS = st.sampled_from(VOCABULARY.split())


@pytest.mark.parametrize(
    "quote",
    [
        "The OUTAGE was  not caused by the deploy",
        "amazon's well–known Prime team",
        "“reported 10² errors; the service”",
        "-5 degrees (about 1½ hours)",
        "it was all over",
        "were written in C++",
        "In 2024 the outage … was not caused by the deploy. [...] costs may rise by",
    ],
)
def test_words_of_the_passage_are_verified(quote: str) -> None:
    """Case, spaces, dashes, quotation marks and an ellipsis make no difference."""
    assert check_quote(quote, PASSAGE).outcome == "verified"


@pytest.mark.parametrize(
    "quote",
    [
        "a service was written in C++",
        "an outage was not caused by deploys",
        "Latency rose 43%, and cost may rise",
        "The outage wasn't caused by the deploy",
    ],
)
def test_articles_and_inflections_are_near(quote: str) -> None:
    """An article, an inflection, a contraction and another notation of a unit are harmless."""
    assert check_quote(quote, PASSAGE).outcome == "near"


LAID_OUT = (
    "The micro-\nservice moved to the well-\nknown cluster.[12] It grew by 5 per cent, see [the guide](https://a.org/b), "
    "The link answered in 5ms, but it wasn't used. FOR A YEAR. It is ... hard to tell what the team of `lib` knew about "
    "argv[1] being greater than 1,000."
)


@pytest.mark.parametrize(
    ("quote", "outcome"),
    [
        ("The microservice moved to the well-known cluster", "near"),
        ("the well-known cluster. It grew by 5%", "near"),
        ("It grew by 5 percent, see the guide", "near"),
        ("being greater than 1000", "near"),
        ("the well-known cluster.[3] It grew by 5%", "altered"),
        ("It grew by 5 cent, see the guide", "altered"),
        ("knew about argv being greater than 1,000", "altered"),
        ("being greater than 1.000", "altered"),
        ("a link answered in 5", "altered"),
    ],
)
def test_layout_may_be_left_out(quote: str, outcome: str) -> None:
    """Hyphens at line ends, footnote numbers and addresses of links are no words; an index and another number are."""
    assert check_quote(quote, LAID_OUT).outcome == outcome


@pytest.mark.parametrize(
    ("quote", "difference"),
    [
        ("the outage was caused by the deploy", "“not” was left out"),
        ("Latency rose 13 percent, and costs", "“43 percent” became “13 percent”"),
        ("costs will rise by 2.5 percent", "“may” became “will”"),
        ("costs may rise by 5 percent", "“2.5 percent” became “5 percent”"),
        ("reported 102 errors; the service", "“10²” became “102”"),
        ("Google’s well-known Prime team", "“Amazon’s” became “Google’s”"),
        ("lost 5 degrees about 1½ hours", "“-5 degrees” became “5 degrees”"),
        ("lost -5 degrees about 11/2 hours", "“1½ hours” became “11/2 hours”"),
        ("fewer than 5 services were moved", "“More” became “fewer”"),
        ("and x > 10 is the limit", "“<” became “>”"),
        ("and cost 5 million per year", "“$5 million” became “5 million”"),
        ("the Adam report is public", "“Adams” became “Adam”"),
        ("the outage was … by the deploy", "the ellipsis leaves out “not caused”"),
        ("verified regions by the team", "“non-verified regions by the team” was cut inside a word"),
        ("10 percent of the budget", "“5-10 percent” became “10 percent”"),
        ("services were written in C", "“services were written in C++” was cut inside a word"),
    ],
)
def test_changed_words_are_altered_with_both_wordings(quote: str, difference: str) -> None:
    """One changed, added or dropped word that carries meaning makes a quote altered, however similar it is."""
    check = check_quote(quote, PASSAGE)
    assert (check.outcome, check.difference) == ("altered", difference)


@pytest.mark.parametrize(("passage", "quote", "whole"), CUT_QUANTITIES)
def test_a_quote_cannot_leave_out_the_unit_of_its_last_number(passage: str, quote: str, whole: str) -> None:
    """A number and its unit are one token, also with a space between them; a currency may stand before the number."""
    check = check_quote(quote, passage)
    assert (check.outcome, check.difference) == ("altered", f"“{whole}” was cut between a number and its unit")


@pytest.mark.parametrize(("quote", "following"), WHOLE_NUMBERS)
def test_a_quote_may_end_with_a_number_that_has_no_unit(quote: str, following: str) -> None:
    """A year or the number of a section is no quantity, and a word of the next sentence or paragraph is no unit."""
    assert check_quote(quote, f"It {quote}{following}").outcome == "verified"


@pytest.mark.parametrize(
    ("passage", "quote", "difference"),
    [
        ("the plans for the team", "the plane for the team", "“plans” became “plane”"),
        ("the wine of the team", "the wins of the team", "“wine” became “wins”"),
        ("the state of the team", "the stats of the team", "“state” became “stats”"),
        ("the boxes of the policies planned", "the box of the policy planning", ""),
        ("they reduce and have tried", "they reduced and had trying", ""),
        ("the paintings of the team", "the painting of the team", ""),
        ("a baked cake caused changes", "the baking cakes cause changing", ""),
    ],
)
def test_forms_of_one_word_are_near_and_words_with_one_stem_are_not(passage: str, quote: str, difference: str) -> None:
    """Dropping endings makes `plans` and `plane` equal; they are no forms of one word."""
    check = check_quote(quote, f"{passage} is here.")
    assert (check.outcome, check.difference) == ("altered" if difference else "near", difference)


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "…",
        "outage was",
        "the outage … not caused by the deploy",
        "costs may rise by … the outage was not",
        "an entirely different set of words",
    ],
)
def test_nothing_close_is_not_found(quote: str) -> None:
    """Fewer than three words, also of a part of the quote, parts in another order, and other words are not found."""
    assert check_quote(quote, PASSAGE).outcome == "not_found"


def test_an_ellipsis_joins_parts_up_to_sixty_words_apart() -> None:
    """Sixty words may be left out between two parts, and not sixty-one."""
    outcomes = [
        check_quote(
            "the first three words … the last three words", f"the first three words {'x ' * gap}the last three words"
        )
        for gap in (60, 61)
    ]
    assert [check.outcome for check in outcomes] == ["verified", "not_found"]


@pytest.mark.parametrize(
    ("passage", "quote", "outcome"),
    [
        (
            "Die Kosten der Firma stiegen für das Team nicht um 43 Prozent.",
            "Kosten der Firma stiegen für ein Team",
            "altered",
        ),
        (
            "Die Kosten der Firma stiegen für das Team nicht um 43 Prozent.",
            "Die Kosten der Firma … um 43 Prozent",
            "altered",
        ),
        (
            "Das ist für die Kosten der Firma noch im Mai ein Problem und es bleibt eines.",
            "Das ist für die Kosten … ein Problem und es bleibt eines",
            "verified",
        ),
        (
            "Le service de la ville n'est plus dans la liste pour le moment.",
            "Le service de la ville … dans la liste pour",
            "altered",
        ),
        ("研究显示，微服务没有增加运维成本，对小团队。", "微服务没有增加运维成本", "verified"),
        ("研究显示，微服务没有增加运维成本，对小团队。", "微服务增加运维成本", "altered"),
        ("Copyright: Bob Smith, errors of tests", "Copyright: Bob Smith, error of tests", "near"),
        ("name,cost\nredis,43\nkafka,130\npostgres,75", "redis,43 kafka,13 postgres,75", "altered"),
    ],
)
def test_the_language_of_a_passage_decides_what_is_harmless(passage: str, quote: str, outcome: str) -> None:
    """In other languages than English no difference is harmless, and an ellipsis leaves out none of their negations."""
    assert check_quote(quote, passage).outcome == outcome


@given(st.lists(WORDS, min_size=4, max_size=60).map(" ".join), st.randoms(use_true_random=False))
def test_every_retyped_span_is_verified(passage: str, draw: random.Random) -> None:
    """Each contiguous span of at least four words is verified under other cases, spaces, dashes and quotation marks."""
    quote = span(passage, draw)
    assume(quote is not None)
    assert quote is not None
    assert check_quote(retype(quote, draw), passage).outcome == "verified"


@pytest.mark.parametrize("kind", ["number", "number format", "negation dropped", "name", "modal", "comparison"])
@given(passage=st.lists(WORDS, min_size=8, max_size=60).map(" ".join), draw=st.randoms(use_true_random=False))
def test_every_altered_span_is_caught(kind: str, passage: str, draw: random.Random) -> None:
    """A span with a number, negation, name, modal or comparison changed inside it is never verified or near."""
    quote = ALTERATIONS[kind](passage, draw)
    assume(quote is not None)
    assert quote is not None
    assert check_quote(quote, passage).outcome in {"altered", "not_found"}
