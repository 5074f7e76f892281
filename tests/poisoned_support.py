"""A debate under all systems in which every text by a debater, a judge, a user or a source contains an attack."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from rehearsal_support import config_of, run_debate

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure, TaskFailed

SYSTEMS: list[Any] = ["structured", "moderator", "panel", {"kind": "live", "feedback": True}, "persuasion", "sources"]
NAMES = frozenset(
    {
        "name",
        "speaker",
        "participant",
        "participants",
        "toward",
        "winner",
        "logic",
        "rhetoric",
        "tactics",
        "who",
        "names",
    }
)
"""Keys with a debater's name as value."""
TEXTS = frozenset(
    {
        "topic", "background", "text", "claim", "reasoning", "evidence", "follow_up", "final_position", "concessions",
        "unrebutted", "reason", "rationale", "quote", "about", "points", "heading", "consensus", "why", "guidance",
        "key_insight", "unresolved_questions", "recommendation", "explanation", "cause", "process", "consequence",
        "premise", "warnings", "critical_findings", "remediation_required", "changed_because", "reply", "directive",
        "message", "technique", "early", "late", "claimed", "verdict", "source", "assessor", "description", "side",
    }
)  # fmt: skip
"""Keys with a text by a person or a model as value."""


@cache
def plain_debate() -> Debate:
    """A debate on the mock with every kind of content."""
    debaters = [
        {"name": "Pro", "side": "for", "personality": "engineer"},
        {"name": "Con", "side": "against", "personality": "provocateur"},
    ]
    judged = run_debate(config_of(judging={"systems": SYSTEMS}, background="Eight engineers.", debaters=debaters))
    brief = judged.assessments[0].brief.model_copy(update={"assessor": "late"})
    failure = Failure(task=brief, who="late", cause="ModelTimeoutError", message="No answer came.", final=True)
    return judged.apply(TaskFailed(at=judged.started_at, failure=failure))


def poisoned_debate(attack: str) -> Debate:
    """The debate with `attack` appended to every text and to the debaters' names (at most 50 characters of it in names)."""
    names = {debater.name for debater in plain_debate().participants}
    data = plain_debate().model_dump(mode="json")

    def text(key: str, value: str) -> str:
        if key in NAMES and value in names:
            return f"{value} {attack[:50]}"
        return f"{value} {attack[:50] if key == 'side' else attack}" if key in TEXTS else value

    return Debate.model_validate(_with_sources(_map_strings(data, "", text), attack))


def _with_sources(data: dict[str, Any], attack: str) -> dict[str, Any]:
    """The debate with a passage that is an attack, cited in each kind of turn, and judged by `sources`.

    One quote is in the passage, one alters it, and one is of a source that does not exist.
    """
    kept, altered = f"Latency rose {attack} by 43 percent", f"Latency rose {attack} by 34 percent"
    passage = {
        "id": "S1",
        "source": f"https://a.example/{attack}",
        "title": attack,
        "text": f"It is so. {kept}. {attack}",
    }
    cited = [{"source": "S1", "quote": kept}, {"source": "S1", "quote": altered}, {"source": attack, "quote": attack}]
    found: list[dict[str, Any]] = []
    for turn in data["turns"]:
        beside = [*(turn["arguments"] or ())[:1], *(turn["responses"] or ())[:1], *filter(None, [turn["closing"]])]
        for part in beside:
            part["citations"] = cited
            item = part.get("id") or part.get("target") or "closing"
            answer = {"kind": "source_support", "turn": turn["index"], "item": item, "supports": "contradicts"}
            found += [answer | citation | {"reason": attack} for citation in cited]
    (given, *_) = (item for item in data["assessments"] if item["subject"]["moment"] == "round")
    judged = given | {"system": "sources", "assessor": "judge", "findings": found, "marks": []}
    passages = [passage | {"locator": attack, "origin": "web"}]
    return data | {"passages": passages, "assessments": [*data["assessments"], judged]}


def _map_strings(value: Any, key: str, text: Callable[[str, str], str]) -> Any:
    match value:
        case str():
            return text(key, value)
        case list():
            return [_map_strings(item, key, text) for item in cast("list[Any]", value)]
        case dict():
            return {name: _map_strings(item, name, text) for name, item in cast("dict[str, Any]", value).items()}
        case _:
            return value
