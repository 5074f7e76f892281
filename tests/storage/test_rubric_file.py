"""A rubric file: all errors of single settings at once, each with its position."""

from pathlib import Path

import pytest

from debate_cli.errors import ConfigError
from debate_cli.storage.config_file import load_rubric

BENCH = "{id: a, persona: qa_evaluator}, {id: b, persona: qa_evaluator}"
WRONG_IN_ALL_SYSTEMS = """\
structured: {weights: {logic: x, evidance: 2}, thresholds: {draw: y}}
panle: {}
moderator: 5
panel:
  judges:
    - {id: a}
persuasion: {effects: keyword}
"""
ERRORS = [
    "1:31: structured.weights.logic: must be a number",
    "1:34: structured.weights.evidance: unknown key; did you mean `evidence`?",
    "1:67: structured.thresholds.draw: must be a number",
    "2:1: panle: unknown key; did you mean `panel`?",
    "3:12: moderator: must be a mapping of keys to values",
    "6:7: panel.judges.0.persona: is missing; add it",
    "7:23: persuasion.effects: must be one of keywords, factors, judge, not `keyword`; did you mean `keywords`?",
]


def problems(folder: Path, text: str | bytes) -> list[str]:
    """The errors of a rubric, without the name of its file."""
    path = folder / "rubric.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        load_rubric(path)
    assert all(line.startswith(f"{path}:") for line in caught.value.problems)
    return [line.removeprefix(f"{path}:") for line in caught.value.problems]


def test_the_errors_of_all_systems_come_at_once(tmp_path: Path) -> None:
    """The errors of all systems are reported together, in the order of the file."""
    assert problems(tmp_path, WRONG_IN_ALL_SYSTEMS) == ERRORS


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("weights: {logic: 1}", "1:1: weights: unknown key; remove it, or correct its name"),
        ("live: {kind: panel}", "1:14: live.kind: must be live, not `panel`"),
        ("structured: {judge: 5}", "1:21: structured.judge: must be text; put it in quotes"),
        ("structured: {fallacy_penalty: .nan}", "1:31: structured.fallacy_penalty: must be a number"),
        ("", "1:1: this is not a rubric; write settings per system, such as `structured: {weights: {logic: 0.5}}`"),
        ("{}", "1:1: this is not a rubric; write settings per system, such as `structured: {weights: {logic: 0.5}}`"),
        ("live: é\xff".encode("latin-1"), "1:7: not valid UTF-8; save the file as UTF-8"),
        (b"live: {}\n#" + "é".encode() + b"\xff", "2:3: not valid UTF-8; save the file as UTF-8"),
        (b" " * (1024 * 1024 - 1) + "é".encode(), "1:1: larger than 1024 KiB; make it smaller"),
    ],
)  # fmt: skip
def test_an_error_names_its_position(tmp_path: Path, text: str | bytes, line: str) -> None:
    """An error says what is wrong, where, and what to do."""
    assert problems(tmp_path, text) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "live: {thresholds: {draw: 90}}",
        "panel: {min_judges: 9}",
        "panel: {judges: [{id: a, persona: qa_evaluator}]}",
        "structured: {judge: strong}",
        f"panel: {{judges: [{BENCH}], judge: strong}}",
        "persuasion:\n",
        "\ufeffmoderator: {guidance: true}",
    ],
)
def test_a_rubric_may_be_incomplete(tmp_path: Path, text: str) -> None:
    """Bounds, judges and models that a rubric leaves out are not checked against defaults."""
    path = tmp_path / "rubric.yaml"
    path.write_text(text)
    assert list(load_rubric(path).changes) == [text.partition(":")[0].removeprefix("\ufeff")]
