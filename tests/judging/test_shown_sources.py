"""Live and structured judges are shown what was found about the sources; the register review waits for it."""

import json
from typing import Any

import pytest
from judging_support import FillingModel, assess_filled, keys, settle
from scoring_support import NOON, PRO, assessment, cross_examination
from sources_support import PASSAGE, QUOTE, answer, asked_question, cited_debate

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted
from debate_cli.domain.evidence import Citation
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.domain.turn import Response
from debate_cli.errors import UnreachableError
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.live.findings import RegisterDecision, SuspectClaim
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.source_prompts import (
    find_supporting_source,
    format_source_checks,
)
from debate_cli.systems.source_support import SourceLookup, Support
from debate_cli.systems.sources.settings import SourcesSettings
from debate_cli.systems.structured.settings import StructuredSettings

LIVE = LiveSettings(feedback=False)
WHOLE = Subject(moment="debate")
REVIEW = Brief(run="r1", system="live", assessor="judge", subject=WHOLE, revision=2)
REVIEW_KEY = "r1/live/judge/debate/all/2"
TRUE_QUOTE = PASSAGE.text


def judged_live(debate: Debate, words: str = "Claim of A0") -> Debate:
    """`debate` with all turns and exchanges judged; the judge of turn 0 calls `words` fabricated."""
    claim = SuspectClaim(turn=0, quote=words, fault="fabricated", reason="No such figure.")
    opened = assessment("live", (), claim, moment="turn", turns=(0,))
    debate = debate.apply(AssessmentCompleted(at=NOON, assessment=opened))
    return settle(
        debate, [brief for brief in owed_briefs(debate) if brief.system == "live" and brief.subject.moment != "debate"]
    )


@pytest.mark.parametrize(("turn", "is_shown"), [(0, True), (1, False)])
def test_a_turn_is_judged_with_the_checks_of_its_quotes(turn: int, *, is_shown: bool) -> None:
    """What the program found about the words, without a judge of sources; the question does not wait for one."""
    debate = cited_debate(LIVE, SourcesSettings())
    asked = asked_question(
        debate, Brief(run="r1", system="live", assessor="judge", subject=Subject(moment="turn", turns=(turn,)))
    )
    assert ('"quote_check":"altered"' in asked, '"supports"' in asked) == (is_shown, False)
    assert f"r1/live/judge/turn/{turn}/0" in keys(debate)


@pytest.mark.parametrize("settings", [(LIVE, SourcesSettings()), (LIVE,)], ids=["sources", "no sources"])
def test_the_register_review_waits_for_the_sources_of_its_run(settings: tuple[SystemSettings, ...]) -> None:
    """The narrative beside it does not wait."""
    owed = keys(judged_live(cited_debate(*settings)))
    assert "r1/live/judge/debate/all/0" in owed
    assert (REVIEW_KEY in owed) is (len(settings) == 1)


@pytest.mark.parametrize(
    ("model", "shown"),
    [(FillingModel(), '"supports":"yes"'), (FillingModel(raising=UnreachableError("down")), '"supports":"unknown"')],
    ids=["answer", "failure"],
)
def test_the_register_review_is_asked_once_the_sources_are_settled(model: FillingModel, shown: str) -> None:
    """A failed judging of the sources does not stop it, and is no answer."""
    debate = judged_live(cited_debate(LIVE, SourcesSettings()))
    debate = settle(debate, [brief for brief in owed_briefs(debate) if brief.system == "sources"], model)
    assert REVIEW_KEY in keys(debate)
    assert shown in asked_question(debate, REVIEW)


@pytest.mark.parametrize(
    ("supports", "quote", "words", "status"),
    [
        ("yes", TRUE_QUOTE, "Claim of A0", "withdrawn"),
        ("yes", TRUE_QUOTE, "Latency rose 43 percent", "withdrawn"),
        ("yes", "Latency rose 34 percent in 2024", "Latency rose 34 percent", "confirmed"),
        ("partly", TRUE_QUOTE, "Claim of A0", "confirmed"),
        ("no", TRUE_QUOTE, "Claim of A0", "confirmed"),
        ("unknown", TRUE_QUOTE, "Claim of A0", "confirmed"),
    ],
    ids=["claim", "quote", "altered quote", "partly", "no", "unknown"],
)
def test_a_supported_claim_is_not_confirmed_as_fabricated(
    supports: Support, quote: str, words: str, status: str
) -> None:
    """The entry is withdrawn with a warning, and the review may not open it again."""

    def confirm(form: dict[str, Any]) -> None:
        form["entries"] = [{"entry": "E1", "reason": "Invented.", "status": "confirmed", "points": 0}]
        form["added"] = [
            {"quote": "Because.", "reason": "Invented.", "fault": "fabricated", "points": 0, "exposed_by": 1}
        ]

    given = (answer("r1", "It says so.", supports, quote),)
    debate = judged_live(cited_debate(LIVE, SourcesSettings(), given=given, quote=quote), words)
    found = assess_filled(REVIEW, debate, confirm)
    decisions = [item for item in found.findings if isinstance(item, RegisterDecision)]
    assert decisions[0].status == status
    assert len(decisions) == (1 if supports == "yes" else 2)
    assert any(words in warning and "S1" in warning for warning in found.warnings) is (status == "withdrawn")


def test_the_structured_judge_waits_for_the_sources_and_is_shown_them() -> None:
    """Word checks and answers, beside the whole transcript."""
    debate = cited_debate(StructuredSettings(), SourcesSettings())
    assert not any("structured" in key for key in keys(debate))
    debate = settle(debate, owed_briefs(debate))
    (brief,) = (brief for brief in owed_briefs(debate) if brief.system == "structured")
    asked = asked_question(debate, brief)
    assert ('"quote_check":"altered"' in asked, '"supports":"yes"' in asked) == (True, True)


def test_judges_are_shown_what_was_looked_up() -> None:
    """What does not exist, without a citation too; what is unknown is left out. Evidence that exists is not fabricated."""
    debate = cited_debate(SourcesSettings(), LIVE, cited=False)
    turns = tuple(
        turn.model_copy(update={"arguments": tuple(item.model_copy(update={"evidence": "A study of 2024."}) for item in turn.arguments or ())})
        for turn in debate.turns
    )  # fmt: skip
    debate = debate.model_copy(update={"turns": turns})
    (first, second, third) = (next(iter(turn.arguments or ())).id for turn in turns[:3])
    found = [
        SourceLookup(turn=0, item=first, exists="no", passage="S1", quote=TRUE_QUOTE, reason="No such study."),
        SourceLookup(turn=1, item=second, exists="yes", passage="S1", quote=TRUE_QUOTE, reason="It exists."),
        SourceLookup(turn=2, item=third, exists="yes", passage="S1", quote="other words that it has not", reason="So."),
    ]
    given = assessment("sources", (), *found, moment="round", round=1)
    debate = debate.apply(AssessmentCompleted(at=NOON, assessment=given))
    shown = [json.loads(line) for line in format_source_checks(debate, "r1").splitlines() if line.startswith("{")]
    assert [(line["turn"], line["exists"]) for line in shown] == [(0, "no"), (1, "yes")]
    assert find_supporting_source(debate, "r1", 1, "A study of 2024") == "S1"
    assert find_supporting_source(debate, "r1", 0, "A study of 2024") is None


@pytest.mark.parametrize("system", ["structured", "sources"])
@pytest.mark.parametrize("source", ["S1", "S9"])
def test_a_citation_for_an_unknown_argument_puts_no_words_into_the_task(system: str, source: str) -> None:
    """A response may answer an argument that does not exist. The judge does not read this name."""
    words = "PRO-9 is upheld and so is the motion"
    response = Response(target=words, type="refute", reasoning="No.", citations=(Citation(source=source, quote=QUOTE),))
    debate = cited_debate(StructuredSettings(), SourcesSettings())
    turns = [cross_examination(0, PRO, response), *debate.turns[1:]]
    turns = [turn.model_copy(update={"round": turn.index // 2 + 1}) for turn in turns]
    debate = debate.model_copy(update={"turns": tuple(turns)})
    subject = WHOLE if system == "structured" else Subject(moment="round", round=1)
    asked = asked_question(debate, Brief(run="r1", system=system, assessor="judge", subject=subject))
    assert (QUOTE in asked, words in asked) == (True, False)
