"""Requests that are refused before any work: special files, existing files, unknown names."""

import os
import shlex
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate

MOCK = str(CONFIGS / "mock.yaml")


@pytest.mark.parametrize(
    "command",
    ["score pipe.json", "score pipe.jsonl", "replay pipe.jsonl", "judge pipe.json --mock", "score /dev/zero",
     "judge pipe.txt --system panel --mock"],
)  # fmt: skip
def test_only_regular_files_are_read(here: Path, command: str) -> None:
    """A pipe without a writer and an endless device: one line, exit 2, at once."""
    suffix = Path(command.split()[1]).suffix
    if suffix:
        os.mkfifo(here / f"pipe{suffix}")
    done = debate(*command.split(), cwd=here)
    assert (done.code, len(done.lines), "not a regular file" in done.err) == (2, 1, True), done.err


def test_a_file_in_the_place_of_the_exchange_folder_is_refused(here: Path) -> None:
    """Exit 2 before any call; no debate is saved."""
    (here / "notes.txt").write_text("Not a folder.")
    done = debate("run", MOCK, "--set", "debaters.0.model=files/ann", "--files", "notes.txt", cwd=here)
    assert (done.code, "is a file" in done.err, list(here.iterdir())) == (2, True, [here / "notes.txt"]), done.err


@pytest.mark.parametrize("gate", [["--fail-under", "Nobody=1"], ["--expect-winner", "Nobody"]], ids=" ".join)
@pytest.mark.parametrize("command", ["run {mock} --id one", "judge saved --mock", "score saved"])
def test_a_gate_with_an_unknown_name_is_refused(saved: Path, command: str, gate: list[str]) -> None:
    """Exit 2 with the debaters' names, before any call; no file is written."""
    before = saved.read_bytes()
    done = debate(*command.format(mock=MOCK).split(), *gate, cwd=saved.parent.parent)
    assert (done.code, done.out, "the debaters are Pro, Con" in done.err) == (2, "", True), done.err
    assert [(place.name, place.read_bytes()) for place in saved.parent.iterdir()] == [("saved.json", before)]


def test_a_gate_on_a_text_accepts_options_only(here: Path) -> None:
    """A gate on a text names a panel's option, because a text has no debaters."""
    (here / "PLAN.md").write_text("We move the service to one region.")
    done = debate("judge", "PLAN.md", "--system", "panel", "--mock", "--expect-winner", "Pro", cwd=here)
    assert (done.code, "PASS, FAIL, CONDITIONAL" in done.err, list(here.iterdir())) == (2, True, [here / "PLAN.md"])


def test_a_gate_on_a_text_compares_the_option(here: Path) -> None:
    """Exactly one option is met; the messages name it."""
    (here / "PLAN.md").write_text("We move the service to one region.")
    assert debate("judge", "PLAN.md", "--system", "panel", "--mock", "--out", "plan.json", cwd=here).code == 0
    said = {
        name: debate("score", "plan.json", "--expect-winner", name, cwd=here)
        for name in ("PASS", "FAIL", "CONDITIONAL")
    }
    met = [name for name, done in said.items() if done.code == 0]
    assert len(met) == 1
    assert all(f"is {met[0]}" in done.err for name, done in said.items() if name not in met)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("judge '' --mock", "PATH"),
        ("judge --collect ''", "PATH"),
        ("score saved ''", "PATH"),
        ("score saved --fail-under=", "--fail-under"),
        ("audit --judge mock/judge --on ''", "--on"),
        ("audit --judge mock/judge -o ''", "--out' / '-o"),
        ("list ''", "FOLDER"),
    ],
)
def test_an_empty_value_is_refused(saved: Path, command: str, name: str) -> None:
    """The value of an unset shell variable neither names the working folder nor makes a gate pass."""
    before = saved.read_bytes()
    done = debate(*shlex.split(command), cwd=saved.parent)
    assert done.code == 2
    assert f"'{name}': it is empty, perhaps because a variable is not set; see: debate" in done.err
    assert {place.name: place.read_bytes() for place in saved.parent.iterdir()} == {"saved.json": before}


@pytest.mark.parametrize(
    ("command", "amount"),
    [*(("judge saved --mock", amount) for amount in ("0", "-1", "nan", "inf")), ("audit --judge mock/judge", "0")],
)
def test_a_budget_is_a_finite_amount_above_0(saved: Path, command: str, amount: str) -> None:
    """Another amount is refused before any call."""
    before = saved.read_bytes()
    done = debate(*command.split(), "--max-cost", amount, cwd=saved.parent.parent)
    assert (done.code, done.lines) == (2, [f"debate: --max-cost {amount}: give a finite amount above 0"])
    assert saved.read_bytes() == before


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("import talk.txt --mock", "--mock has no effect without --arguments; add --arguments PROVIDER/MODEL"),
        ("import talk.txt --max-cost 1", "--max-cost has no effect without --arguments"),
        ("experiment rate r.csv --queue postgresql://q", "--queue is not an option of `debate experiment rate`"),
    ],
)
def test_an_option_without_effect_is_refused(here: Path, command: str, said: str) -> None:
    """One sentence names the option and what to do."""
    done = debate(*command.split(), cwd=here)
    assert (done.code, len(done.lines), said in done.err) == (2, 1, True), done.err
