"""`debate score --rubric`: other rules for stored marks."""

from pathlib import Path

import pytest
from cli_support import CommandResult, debate


def score(saved: Path, *options: str | Path) -> CommandResult:
    """`debate score` in the folder of the saved debate."""
    return debate("score", *options, cwd=saved.parent.parent)


def test_a_rubric_overrides_thresholds_and_weights(saved: Path) -> None:
    """A draw threshold above the margin turns a narrow victory into a draw."""
    rubric = saved.parent.parent / "rubric.yaml"
    rubric.write_text("structured: {thresholds: {draw: 2, clear: 5}}\n")
    done = score(saved, saved, "--rubric", rubric, "--system", "structured", "--json")
    (verdict,) = done.json[0]["verdicts"]
    assert (verdict["victory"], verdict["winner"]) == ("draw", None)


@pytest.mark.parametrize(
    "text",
    ["structured: {weigths: {logic: 1}}", "wits: {}", "structured: [", "- 1", "structured: {thresholds: {draw: -1}}"],
)
def test_an_invalid_rubric_is_refused(saved: Path, text: str) -> None:
    """Exit 2 with the file's name."""
    rubric = saved.parent.parent / "rubric.yaml"
    rubric.write_text(text)
    done = score(saved, saved, "--rubric", rubric)
    assert (done.code, "Traceback" in done.err) == (2, False)
    assert "rubric.yaml" in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("structured: {weights: {logic: many}}", "rubric.yaml:1:31: structured.weights.logic: must be a number"),
        ("structured: {thresholds: {draw: -1}}", "rubric.yaml:1:33: structured.thresholds.draw: must be at least 0"),
        ("structured: {weigths: {}}", "rubric.yaml:1:14: structured.weigths: unknown key; did you mean `weights`?"),
        ("persuasion: {effects: magic}", "rubric.yaml:1:23: persuasion.effects: must be one of keywords, factors, judge, not `magic`"),
        ("panel: {kind: live}", "rubric.yaml:1:15: panel.kind: must be panel, not `live`"),
        ("panel: {judges: [{id: a}]}", "rubric.yaml:1:18: panel.judges.0.persona: is missing; add it"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_rubric_has_its_place(saved: Path, text: str, message: str) -> None:
    """Line, column and key, as in a configuration."""
    (saved.parent.parent / "rubric.yaml").write_text(text)
    done = score(saved, saved, "--rubric", "rubric.yaml")
    assert (done.code, done.lines) == (2, [f"{message} (debate explain bad-config)"])


def test_all_mistakes_of_a_rubric_are_reported(saved: Path) -> None:
    """One line each."""
    (saved.parent.parent / "rubric.yaml").write_text("structured: {weights: {logic: x}, thresholds: {draw: y}}")
    assert len(score(saved, saved, "--rubric", "rubric.yaml").lines) == 2


def test_weights_and_a_rubric_exclude_each_other(saved: Path) -> None:
    """Exit 2."""
    (saved.parent / "r.yaml").write_text("structured: {fallacy_penalty: 1}\n")
    assert score(saved, saved, "--rubric", saved.parent / "r.yaml", "--weights", "logic=1").code == 2
