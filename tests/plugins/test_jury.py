"""A judging system in a separate package works everywhere, without a line of it in debate_cli."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_support import CommandResult

Command = Callable[..., CommandResult]


def parts(path: Path) -> dict[str, str]:
    """What a transcript holds of the jury, as text: configuration, assessments and verdicts."""
    stored: dict[str, Any] = json.loads(path.read_text())
    own = {key: [item for item in stored[key] if item["system"] == "jury"] for key in ("assessments", "verdicts")}
    return {key: json.dumps(value) for key, value in {**own, "config": stored["config"]}.items()}


def test_a_run_is_judged_by_the_jury(saved: Path) -> None:
    """Five members vote, their votes are findings of the plug-in, and the jury decides."""
    stored = json.loads(saved.read_text())
    votes = [item["findings"] for item in stored["assessments"] if item["system"] == "jury"]
    assert [finding["kind"] for findings in votes for finding in findings] == ["jury_vote"] * 5
    assert (stored["verdicts"][0]["system"], stored["verdicts"][0]["decides"]) == ("jury", True)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["judge", "held.json", "--system", "jury", "--mock", "--judges", "2"], "jury"),
        (["score", "held.json", "--check"], "jury"),
        (["replay", "held.json"], "votes for"),
        (["replay", "held.json", "--format", "html"], "Votes of the jury"),
        (["replay", "held.json", "--format", "markdown"], "Verdict, jury"),
        (["list", "."], "jury="),
        (["diff", "held.json", "held.json", "--json"], "jury"),
        (["check", "debate.yaml"], "OK"),
    ],
    ids=["judge", "check-verdicts", "replay", "html", "markdown", "list", "diff", "check-config"],
)
def test_every_command_knows_the_jury(debate: Command, saved: Path, command: list[str], shown: str) -> None:
    """Each command succeeds and shows the jury."""
    assert saved.is_file()
    done = debate(*command)
    assert done.code == 0, done.err
    assert shown in done.out + done.err


@pytest.mark.parametrize(
    "options", [(), ("--format", "markdown"), ("--format", "html")], ids=["plain", "markdown", "html"]
)
def test_a_report_has_the_section_of_the_jury(debate: Command, saved: Path, options: tuple[str, ...]) -> None:
    """A table about the debate, which belongs to no verdict."""
    assert "heard by the jury" in debate("replay", str(saved), *options).out.lower()


@pytest.mark.parametrize("plugin", [True, False], ids=["installed", "not-installed"])
@pytest.mark.parametrize(
    "command",
    ["score", "replay --only verdict", "replay --only verdict --format markdown", "diff"],
)
def test_scores_without_a_declared_scale_are_shown_without_one(
    debate: Command, saved: Path, command: str, plugin: bool
) -> None:
    """The highest score of the verdict is not the highest possible score, so no screen says `of` it."""
    stored = json.loads(saved.read_text())
    (scores,) = (verdict["scores"] for verdict in stored["verdicts"] if verdict["system"] == "jury")
    name, *options = command.split()
    done = debate(name, "held.json", *(["held.json"] if name == "diff" else []), *options, plugin=plugin)
    assert done.code == 0, done.err
    assert "jury" in done.out
    highest = max(scores.values())
    assert not re.search(rf"(of|out of:?) ({highest:g}|{highest:.1f})\b", done.out)


def test_a_page_draws_bars_only_for_a_declared_scale(debate: Command, saved: Path) -> None:
    """All bars and scales are those of `structured`."""
    page = debate("replay", saved.name, "--format", "html").out
    assert set(re.findall(r'aria-label="[0-9.]+ of ([0-9.]+)"', page)) == {"10.0"}
    assert re.findall(r"out of ([^<]*)</p>", page) == ["10 points"]


def test_repeated_judging_without_a_declared_scale_has_none(debate: Command, saved: Path) -> None:
    """The sentence on several runs ends with the margin."""
    assert debate("judge", saved.name, "--system", "jury", "--judges", "2", "--mock").code == 0
    report = debate("replay", saved.name).out
    assert re.search(r"jury in 2 runs: .*; margin [0-9. to]+\.$", report, re.MULTILINE), report


def test_junit_carries_the_jury(debate: Command, saved: Path) -> None:
    """The JUnit report of the gates is written for a debate that a jury decides."""
    done = debate("score", saved.name, "--expect-winner", "Ada", "--format", "junit")
    assert "<testsuite" in done.out
    assert "jury" in done.out


def test_completion_offers_the_jury(debate: Command) -> None:
    """The shell completes the name of the plug-in."""
    words = {"_DEBATE_COMPLETE": "complete_bash", "COMP_WORDS": "debate judge x --system ju", "COMP_CWORD": "4"}
    assert "jury" in debate(env=words).out


def test_a_misspelt_kind_gets_a_suggestion(debate: Command, saved: Path) -> None:
    """The names of plug-ins are among those that are suggested."""
    assert "did you mean `jury`?" in debate("judge", saved.name, "--system", "jurry", "--mock").err


def test_a_misspelt_setting_of_the_jury_gets_a_suggestion(debate: Command, saved: Path) -> None:
    """The error has the position of the key, as for a system of ours, and the rest of the file is checked as well."""
    config = saved.with_name("debate.yaml")
    config.write_text(config.read_text().replace("members", "membrs") + "limits: {max_token: 5}\n")
    done = debate("check", config.name)
    assert done.code == 2
    assert "judging.systems.1.membrs: unknown key; did you mean `members`?" in done.err
    assert "limits.max_token: unknown key; did you mean `max_tokens`?" in done.err


def test_without_the_plugin_a_configuration_names_the_missing_kind(debate: Command, saved: Path) -> None:
    """The error has the position of the kind and lists those that are installed."""
    assert saved.is_file()
    done = debate("check", "debate.yaml", plugin=False)
    assert done.code == 2
    assert "debate.yaml:5:" in done.err
    assert "not `jury`" in done.err


def test_without_the_plugin_a_transcript_keeps_the_jury_untouched(debate: Command, saved: Path) -> None:
    """Judging by another system adds to the file; configuration, votes and verdict of the jury stay byte for byte."""
    stored = json.loads(saved.read_text())
    votes = [found for item in stored["assessments"] if item["system"] == "jury" for found in item["findings"]]
    votes[0].update(round=None, reason=None, x=None)  # null in this package, perhaps absent in ours
    saved.write_text(json.dumps(stored))
    before = parts(saved)
    done = debate("judge", saved.name, "--system", "moderator", "--mock", plugin=False)
    assert done.code == 0, done.err
    after = parts(saved)
    assert after == before


def test_without_the_plugin_judging_again_leaves_the_jury_out(debate: Command, saved: Path) -> None:
    """The systems of the file that are installed judge again. If none is, nothing is asked and the file stays as it is."""
    done = debate("judge", saved.name, "--mock", plugin=False)
    assert done.code == 0, done.err
    assert "jury is left out: the judging system jury is not installed" in done.err
    runs = json.loads(saved.read_text())["runs"]
    assert [system["kind"] for system in runs[-1]["judging"]["systems"]] == ["structured"]
    assert debate("judge", saved.name, "--system", "jury", "--mock").code == 0
    alone = json.loads(saved.read_text())
    alone["config"]["judging"]["systems"] = alone["config"]["judging"]["systems"][1:]
    saved.write_text(json.dumps(alone))
    done = debate("judge", saved.name, "--mock", plugin=False)
    assert (done.code, json.loads(saved.read_text())) == (2, alone)
    assert "the judging system jury is not installed; install its plug-in" in done.err


@pytest.mark.parametrize("command", ["run debate.yaml --max-tokens 9000", "judge plan.md --system jury"])
def test_without_the_plugin_a_resume_names_a_command_that_works(debate: Command, saved: Path, command: str) -> None:
    """Of a debate and of a judged text: the command of the error judges with an installed system."""
    (saved.parent / "plan.md").write_text("We will ship on Friday.\n")
    begun = debate(*command.split(), "--mock", "--id", "begun", "--out", ".", "-q")
    assert begun.code in {0, 4}, begun.err
    done = debate("run", "--resume", "begun.json", "--set", "limits.max_attempts=2", plugin=False)
    assert done.code == 2
    missing, _, advice = done.err.strip().partition("; install its package, or judge with another system: debate ")
    assert missing.endswith("begun.json: the judging system `jury` is not installed")
    judged = debate(*advice.partition(" (debate explain")[0].split(), "--mock", "-q", plugin=False)
    assert judged.code == 0, judged.err


def test_without_the_plugin_the_stored_verdict_is_shown_and_checked_as_it_is(debate: Command, saved: Path) -> None:
    """`score` shows it, says that it cannot be recomputed, and `--check` neither fails on it nor counts it."""
    done = debate("score", saved.name, "--check", plugin=False)
    assert done.code == 0, done.err
    assert "not installed, so its stored verdict is shown and not recomputed" in done.err
    assert "OK: 1 stored verdict matches the recomputed one" in done.err
    assert "jury" in done.out


def test_a_jury_judges_a_text(judged_text: Path) -> None:
    """Five members vote, no other system takes part, and the notes hold the jury's outcome on its own scale."""
    stored = json.loads(judged_text.read_text())
    assert [item["system"] for item in (*stored["assessments"], *stored["verdicts"])] == ["jury"] * 6
    notes = stored["verdicts"][0]["notes"]
    assert (notes["option"], notes["weights"]) == ("REJECT", {"ACCEPT": 40, "REJECT": 60})


@pytest.mark.parametrize(
    ("gate", "code", "words"),
    [
        ("--expect-winner REJECT", 0, ""),
        ("--expect-winner ACCEPT", 5, "expected ACCEPT, but the verdict of jury is REJECT"),
        ("--expect-winner PASS", 2, "the outcomes of jury are ACCEPT, REJECT"),
        ("--fail-under REJECT=60", 0, ""),
        ("--fail-under ACCEPT=60", 5, "the score of ACCEPT in the verdict of jury is 40.00, below 60"),
        ("--fail-under PASS=0.5", 2, "the outcomes of jury are ACCEPT, REJECT"),
        ("--fail-under 40", 0, ""),
        ("--fail-under 41", 5, "the score of ACCEPT in the verdict of jury is 40.00"),
        ("--fail-under 101", 2, "jury gives scores from 0 to 100"),
    ],
)
def test_gates_of_a_text_have_the_outcomes_and_the_scale_of_the_jury(
    debate: Command, judged_text: Path, gate: str, code: int, words: str
) -> None:
    """The outcomes of the panel are unknown. Without a name, the most favourable outcome counts, which is ACCEPT."""
    done = debate("score", judged_text.name, *gate.split())
    assert done.code == code, done.err
    assert words in done.err


@pytest.mark.parametrize(
    ("gate", "codes"), [("--expect-winner ACCEPT", {0, 5}), ("--fail-under 60", {0, 5}), ("--expect-winner PASS", {2})]
)
def test_judge_knows_the_outcomes_before_the_jury_votes(
    debate: Command, judged_text: Path, gate: str, codes: set[int]
) -> None:
    """A gate with an unknown outcome is refused before a model is asked; any other gate is checked afterwards."""
    assert judged_text.is_file()
    done = debate("judge", "PLAN.md", "--system", "jury", "--mock", "--no-save", *gate.split())
    assert done.code in codes, done.err
    assert ("votes for" in done.err + done.out) is (codes != {2})


@pytest.mark.parametrize("command", ["judge PLAN.md --mock", "judge - --system live --mock"])
def test_messages_about_texts_name_the_jury(debate: Command, judged_text: Path, command: str) -> None:
    """A user who judges a text with another system learns of all systems that judge texts."""
    assert judged_text.is_file()
    done = debate(*command.split())
    assert (done.code, "--system panel or --system jury" in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    ("command", "shown", "shown_without"),
    [
        (
            "score plan.json",
            "PLAN.md does not pass, narrowly, by 20.0 of 100 points",
            "The vote on PLAN.md is REJECT, narrowly, by 20.0.  (REJECT",
        ),
        ("score plan.json --format html", "✗ REJECT", "· REJECT"),
        ("replay plan.json --format html", "does not pass", "is REJECT"),
        ("list .", "jury=REJECT", "jury=REJECT"),
        ("diff plan.json plan.json", "REJECT, narrow", "REJECT, narrow"),
    ],
    ids=["score", "score-html", "replay-html", "list", "diff"],
)
def test_commands_show_the_outcome_of_a_text(
    debate: Command, judged_text: Path, command: str, shown: str, shown_without: str
) -> None:
    """The jury's own outcome. Its meaning for the text is known only where the plug-in is installed."""
    assert judged_text.is_file()
    for plugin, words in ((True, shown), (False, shown_without)):
        done = debate(*command.split(), plugin=plugin)
        assert done.code == 0, done.err
        assert words in done.out + done.err


@pytest.mark.parametrize(
    ("command", "plugin", "code", "words"),
    [
        # ACCEPT is an outcome of texts: in a debate, the jury votes for debaters
        (
            "score held.json --fail-under ACCEPT=60",
            True,
            2,
            "the verdict of jury has no such score; the debaters are Ada",
        ),
        (
            "run debate.yaml --mock --no-save --fail-under ACCEPT=60",
            True,
            2,
            "the verdict of jury has no such score",
        ),
        (
            "judge held.json --system jury --mock --fail-under ACCEPT=60",
            True,
            2,
            "the verdict of jury has no such score",
        ),
        # PASS is an outcome of another system
        (
            "judge PLAN.md --system jury --mock --fail-under PASS=1",
            True,
            2,
            "the verdict of jury has no such score",
        ),
        ("score plan.json --fail-under 40", False, 2, "the judging system jury is not installed"),
        # Among several files, the others are scored
        ("score plan.json held.json --fail-under 0", False, 5, "the judging system jury is not installed"),
        ("score plan.json held.json --fail-under ACCEPT=0", True, 5, "no score for ACCEPT; it has scores for Ada, Bo"),
        ("score plan.json held.json --fail-under ACEPT=0", True, 2, "there is no such name"),
    ],
)
def test_a_gate_on_a_score_that_the_jury_does_not_give(
    debate: Command, saved: Path, judged_text: Path, command: str, plugin: bool, code: int, words: str
) -> None:
    """A gate that cannot be met is refused before a model is asked; among several files it is not met."""
    assert saved.parent == judged_text.parent
    done = debate(*command.split(), plugin=plugin)
    assert (done.code, words in done.err) == (code, True), done.err
    assert "Judge jury" not in done.out


def test_without_the_plugin_the_gates_of_a_text_take_the_stored_outcome(debate: Command, judged_text: Path) -> None:
    """The names of the outcomes are unknown, so none is refused."""
    gates = ("--expect-winner", "REJECT", "--fail-under", "REJECT=60")
    done = debate("score", judged_text.name, *gates, plugin=False)
    assert done.code == 0, done.err


def test_votes_against_a_text_fail_in_junit(debate: Command, judged_text: Path) -> None:
    """A vote for an outcome that the jury marks as bad is a failure; a vote for a good one is not."""
    report = debate("score", judged_text.name, "--format", "junit").out
    assert (report.count("<testcase"), report.count("<failure")) == (5, 3)
