"""Debates with citations for the tests of judges who are shown what was found about the sources."""

from judging_support import FillingModel, assess, close_debate
from scoring_support import CON, NOON, PRO, assessment, build_debate, opening, opening_event

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import PassagesShown
from debate_cli.domain.evidence import Citation, Passage
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.tasks import Brief
from debate_cli.systems.source_support import SourceSupport, Support

PASSAGE = Passage(id="S1", source="a.md", title="A", text="Latency rose 43 percent in 2024.", sha256="0")
QUOTE = "Latency rose 34 percent in 2024"


def cited_debate(
    *systems: SystemSettings, cited: bool = True, given: tuple[Assessment, ...] = (), quote: str = QUOTE
) -> Debate:
    """A closed debate of two rounds; in round 1 Ada cites a quote with another number than its passage."""
    first, *others = (opening(index, (PRO, CON)[index % 2], f"A{index}") for index in range(4))
    citations = (Citation(source="S1", quote=quote),) if cited else ()
    arguments = tuple(item.model_copy(update={"citations": citations}) for item in first.arguments or ())
    turns = [first.model_copy(update={"arguments": arguments}), *others]
    turns = [turn.model_copy(update={"round": turn.index // 2 + 1}) for turn in turns]
    debate = build_debate(opening_event(*systems), turns, given)
    return close_debate(debate.apply(PassagesShown(at=NOON, key=None, passages=(PASSAGE,))))


def answer(run: str, reason: str, supports: Support = "contradicts", quote: str = QUOTE) -> Assessment:
    """The assessment of round 1 by `sources`."""
    found = SourceSupport(turn=0, item="A0", source="S1", quote=quote, supports=supports, reason=reason)
    return assessment("sources", (), found, moment="round", round=1, run=run)


def asked_question(debate: Debate, brief: Brief) -> str:
    """What a judge is asked in `brief`, after the transcript."""
    model = FillingModel()
    assess(brief, debate, model)
    request = model.requests[0]
    return request.messages[-1].content[request.stable_chars :]
