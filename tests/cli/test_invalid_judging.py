"""Judging that is refused, and judges that fail."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import CommandResult, debate, write_config

TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
FINE = f"topic: x\nmodels: {{default: {{model: mock/a}}}}\n{TWO}"


def panel(judges: str, more: str = "") -> str:
    """A configuration with this panel."""
    return f"{FINE}judging: {{systems: [{{kind: panel, judges: [{judges}]{more}}}]}}\n"


A, B = "{id: a, persona: technical_architect", "{id: b, persona: qa_evaluator"
CONFIGS_AT_FAULT = {
    "fewer judges than votes needed": (panel(f"{A}}}, {B}}}", ", min_judges: 3"), "needs 3"),
    "a judge of no weight": (panel(f"{A}, weight: 0}}, {B}}}"), "judges.0.weight: must be above 0"),
    "a judge of negative weight": (panel(f"{A}, weight: -1}}, {B}}}"), "judges.0.weight: must be above 0"),
    "an unknown persona": (panel(f"{A}}}, {B[:-1]}}}"), "did you mean `qa_evaluator`?"),
    "an unknown archetype": (FINE.replace("side: for", "side: for, personality: enginer"), "did you mean `engineer`?"),
    "an unknown system": (FINE + "judging: {systems: [panle]}\n", "did you mean `panel`?"),
    "an unknown system that decides": (FINE + "judging: {decides: panel, systems: [panle]}\n", "did you mean `panel`?"),
    "an unknown system with an old section": (FINE + "judging: {systems: [persuasoin]}\npersuasion_factors: {}\n",
                                              "did you mean `persuasion`?"),
    "an unknown criterion": (FINE + "judging: {systems: [{kind: structured, weights: {evidance: 1}}]}\n",
                             "did you mean `evidence`?"),
    "a negative criterion": (FINE + "judging: {systems: [{kind: structured, weights: {evidence: -1}}]}\n",
                             "weights.evidence: must be at least 0"),
    "a negative penalty": (FINE + "judging: {systems: [{kind: live, penalties: {contradiction: -1}}]}\n",
                           "penalties.contradiction: must be at least 0"),
    "decided by a system that is not there": (FINE + "judging: {decides: live, systems: [panel]}\n", "is not among the systems (panel)"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "command"),
    [
        pytest.param(name, command, marks=() if command == "check" or name == "an unknown system" else pytest.mark.soak)
        for name in CONFIGS_AT_FAULT
        for command in ("run", "check", "judge")
    ],
)
def test_a_configuration_that_cannot_judge_is_one_line(saved: Path, name: str, command: str) -> None:
    """A faulty judging configuration gives one line with its place; no debate is run or changed."""
    text, words = CONFIGS_AT_FAULT[name]
    here, before = saved.parent.parent, saved.read_bytes()
    write_config(here, text)
    options = ["judge", "saved", "--config", "debate.yaml"] if command == "judge" else [command, "debate.yaml"]
    done = debate(*options, cwd=here)
    assert (done.code, len(done.lines)) == (2, 1), done.err
    assert done.lines[0].startswith("debate.yaml:")
    assert words in done.lines[0]
    assert (list(saved.parent.iterdir()), saved.read_bytes()) == ([saved], before)


def alone(saved: Path) -> None:
    """Leave one debater in the transcript."""
    document = json.loads(saved.read_text())
    for part, key in (("participants", "name"), ("turns", "speaker")):
        document[part] = [item for item in document[part] if item[key] == "Pro"]
    document["config"]["debaters"] = document["config"]["debaters"][:1]
    saved.write_text(json.dumps(document | {"assessments": [], "verdicts": []}))


def test_persuasion_needs_two_debaters(saved: Path) -> None:
    """`persuasion` refuses a debate with one debater with exit code 2."""
    alone(saved)
    before = saved.read_bytes()
    done = debate("judge", saved, "--system", "persuasion", "--mock", cwd=saved.parent.parent)
    assert (done.code, len(done.lines), saved.read_bytes()) == (2, 1, before), done.err
    assert (
        f"{saved.name}: has fewer than two debaters, so the judging system `persuasion` cannot judge this debate; use another system"
        in done.err
    )


def judged(here: Path, faults: str, systems: str) -> tuple[CommandResult, dict[str, Any]]:
    """A debate whose one judge has these faults; how `run` ended, and its transcript."""
    text = FINE.replace("mock/a}", f"mock/a}}, bad: {{model: mock/b, faults: {faults}}}")
    write_config(here, f"{text}judging: {{systems: [{systems}]}}\nlimits: {{max_attempts: 1}}\n")
    done = debate("run", "debate.yaml", "--id", "one", cwd=here)
    return done, json.loads((here / "transcripts/one.json").read_text())


SEATS = f"{{kind: panel, max_rounds: 0, judges: [{A}, model: bad}}, {B}}}, {B.replace('id: b', 'id: c')}}}]}}"
FAULTS = {"{malformed: 1.0}": "abstained", "{refusal: 1.0}": "abstained", "{timeout: 1.0}": "ModelTimeoutError"}


@pytest.mark.parametrize("faults", FAULTS)
def test_a_panel_decides_without_a_failed_judge(here: Path, faults: str) -> None:
    """Two of three suffice; the failure is shown and stored. Exit 3 only if resuming may bring the third vote."""
    done, stored = judged(here, faults, SEATS)
    assert done.code == (0 if FAULTS[faults] == "abstained" else 3), done.err
    assert stored["verdicts"][0]["victory"] != "undetermined"
    assert [(failure["who"], failure["cause"]) for failure in stored["failures"]] == [("a", FAULTS[faults])]
    assert any(line.startswith("Failed: ") or "abstain" in line for line in done.out.splitlines())


@pytest.mark.parametrize("faults", ["{malformed: 1.0}", "{timeout: 1.0}"])
def test_too_few_votes_are_undetermined(here: Path, faults: str) -> None:
    """The deciding judgement is missing, exit 3, whether the same judge can be asked again or another one must be."""
    two = SEATS.replace("qa_evaluator}", "qa_evaluator, model: bad}", 1)
    done, stored = judged(here, faults, two)
    (verdict,) = stored["verdicts"]
    assert (done.code, verdict["victory"], verdict["winner"]) == (3, "undetermined", None), done.err
    assert stored["status"] == "complete"
    gated = debate("score", "one", "--fail-under", "0", cwd=here)
    assert gated.code == 5


def test_a_debate_without_a_deciding_judgement_is_marked(here: Path) -> None:
    """A debate without a deciding judgement has exit code 3, and `list` marks it."""
    done, _ = judged(here, "{malformed: 1.0}", "{kind: structured, judge: bad}")
    assert (done.code, "ask another model with:" in done.err) == (3, True), done.err
    listed = debate("list", cwd=here)
    assert listed.out.endswith("\tcomplete, the deciding judgement is missing\trehearsal\n")
    assert debate("list", "--json", cwd=here).json[0]["lacks_deciding_judgment"] is True
