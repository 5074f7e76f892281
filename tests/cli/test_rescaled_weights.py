"""Weights whose sum is not 1 are reported by `check`, `run` and `score`."""

import json
from pathlib import Path

import pytest
from cli_support import debate, write_config

TOLD = (
    "judging.systems.0.weights sum to 2 (logic 1, evidence 1, responsiveness 0, honesty 0), "
    "so they are scaled to logic 0.5, evidence 0.5, responsiveness 0, honesty 0"
)


@pytest.fixture
def uneven(here: Path) -> Path:
    """A configuration whose weights sum to 2."""
    return _weighted(here, "{logic: 1, evidence: 1, responsiveness: 0, honesty: 0}")


def test_check_reports_rescaled_weights(here: Path, uneven: Path) -> None:
    """`check` reports rescaled weights on stderr, and accepts the configuration."""
    done, as_json = debate("check", uneven, cwd=here), debate("check", uneven, "--json", cwd=here)
    assert (done.code, [line for line in done.lines if "weights" in line]) == (0, [f"{uneven}: {TOLD}"])
    assert ": OK;" in done.out
    assert json.loads(as_json.out)[0]["problems"] == []


def test_score_reports_rescaled_weights_once(two_saved: Path) -> None:
    """The note names the option, and is not repeated for each file."""
    done = debate("score", two_saved.parent, "--weights", "evidence=0.5", cwd=two_saved.parent.parent)
    notes = [line for line in done.lines if "scaled" in line]
    assert (done.code, len(notes)) == (0, 1)
    assert notes[0].startswith("note: --weights evidence=0.5: weights sum to 0.5 (")


def _weighted(here: Path, weights: str) -> Path:
    return write_config(
        here,
        "topic: Tea?\nmodels: {default: {model: mock/a}}\nformat: {arguments: 1}\n"
        "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
        f"judging: {{systems: [{{kind: structured, weights: {weights}}}]}}\n",
    )
