"""Missing judgements: each command gives the same number, and the command that asks for them."""

import json
import shutil
from pathlib import Path

import pytest
from cli_support import debate, run_on_terminal, write_config
from model_server import model_server

NOWHERE = """\
topic: Cats or dogs?
providers: {lab: {kind: openai, base_url: "http://127.0.0.1:9/v1", api_key_env: null}}
models: {default: {model: lab/m}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
judging: {systems: [structured, moderator]}
limits: {max_attempts: 1}
"""


def lose_judgements(path: Path, count: int) -> None:
    """Remove judgements from a transcript, as if the judging had been interrupted before they were asked for."""
    document = json.loads(path.read_text())
    del document["assessments"][-count:]
    path.write_text(json.dumps(document))


def test_every_command_gives_the_same_number(saved: Path) -> None:
    """Also if no judge failed, because none of them was asked."""
    here = saved.parent.parent
    assert debate("judge", saved, "--system", "moderator", "--mock", "-q", cwd=here).code == 0
    lose_judgements(saved, 3)
    lists, scored = debate("list", cwd=here), debate("score", saved, cwd=here)
    assert "\tcomplete, 3 judgements missing\t" in lists.out
    assert (
        scored.code,
        scored.err.count("3 judgements are missing (3 of moderator r2): not asked yet; ask again"),
    ) == (
        0,
        1,
    )
    assert f"debate run --resume {saved}" in scored.lines
    gated = debate("score", saved, "--fail-on", "missing", cwd=here)
    assert (gated.code, "gate not met: --fail-on: 3 judgements are missing" in gated.err) == (5, True)
    for part in ((), ("--only", "verdict"), ("--format", "markdown")):
        assert debate("replay", saved, *part, cwd=here).lines == scored.lines[1:]  # below the notice of the mock
    assert "missing" not in debate("replay", saved, "--only", "turns", cwd=here).err
    asked = debate("run", "--resume", saved, "--fail-on", "missing", "-q", cwd=here)
    assert (asked.code, "missing" in asked.err) == (0, False), asked.err
    assert "missing" not in debate("score", saved, cwd=here).err


def test_other_systems_and_runs_are_not_counted(saved: Path) -> None:
    """If a system or a judging run is chosen, `score` counts its missing judgements only."""
    here = saved.parent.parent
    assert debate("judge", saved, "--system", "moderator", "--mock", "-q", cwd=here).code == 0
    lose_judgements(saved, 3)
    for options in (("--system", "structured"), ("--runs", "r1")):
        done = debate("score", saved, *options, "--fail-on", "missing", cwd=here)
        assert (done.code, "missing" in done.err) == (0, False), done.err


def test_a_folder_gets_one_note(saved: Path) -> None:
    """It has the number of all missing judgements, and names the debates."""
    here = saved.parent.parent
    lose_judgements(saved, 1)
    for name in ("a", "b", "c", "d"):
        shutil.copy(saved, saved.with_stem(name))
    done = debate("score", saved.parent, cwd=here)
    (note,) = [line for line in done.lines if "missing" in line]
    assert note.startswith("note: 5 judgements are missing in 5 of 5 debates (")
    named = "a.json, " + ", ".join(f"{saved.with_stem(name)}" for name in ("b", "c")) + ", 2 more"
    assert note.endswith(f"{named}); to see how to ask again, run `debate score PATH` for one of them")


@pytest.mark.parametrize("options", [(), ("--replace",), ("--repeat", "2"), ("--out", "new.json")], ids=" ".join)
def test_a_judging_without_an_answer_changes_no_file(saved: Path, options: tuple[str, ...]) -> None:
    """Nothing was paid; the same command asks again, and the debate has the verdict that it had."""
    here, before = saved.parent.parent, saved.read_bytes()
    write_config(here, NOWHERE)
    done = debate("judge", saved, "--config", "debate.yaml", *options, cwd=here)
    assert (done.code, saved.read_bytes(), (here / "new.json").exists()) == (3, before, False)
    assert list(saved.parent.iterdir()) == [saved]
    assert "no judge answered and nothing was paid, so this judging was not saved" in done.err
    assert ("; ask again with the same command\n" in done.err, "debate run --resume" in done.err) == (True, False), (
        done.err
    )
    assert "the deciding verdict was" not in done.err
    assert debate("list", "--json", cwd=here).json[0]["judgments_missing"] == 0


def test_the_advice_for_a_judging_that_is_not_saved_helps(saved: Path) -> None:
    """A refused key needs a change. If a judge has answered, the answers can be kept; else there is nothing to keep."""
    here = saved.parent.parent
    with model_server(failures=[401] * 9) as server:
        write_config(here, NOWHERE.replace("http://127.0.0.1:9/v1", server.base_url))
        refused = debate("judge", saved, "--config", "debate.yaml", "--no-save", "-q", cwd=here)
    assert (
        "(debate explain key-refused); replace VARIABLE by this name; ask again with the same command and "
        "--set providers.lab.api_key_env=VARIABLE\n" in refused.err
    )
    assert refused.lines[-1] == "or ask another model with the same command and --model PROVIDER/MODEL"
    write_config(here, NOWHERE)
    nothing = debate("judge", saved, "--config", "debate.yaml", "--no-save", "-q", cwd=here)
    write_config(here, NOWHERE.replace("moderator]", "{kind: moderator, judge: mock/m}]"))
    partly = debate("judge", saved, "--config", "debate.yaml", "--no-save", "-q", cwd=here)
    assert ("; ask again with the same command\n" in nothing.err, "--no-save" in nothing.err) == (True, False), (
        nothing.err
    )
    assert (
        "leave out --no-save to save them; then `debate run --resume` asks only for the missing judgements"
        in partly.lines[-1]
    )


@pytest.mark.parametrize("command", ["run", "judge"])
def test_an_unsaved_run_names_the_models_of_all_judges(saved: Path, command: str) -> None:
    """A debate can replace the model of each judge whose answer is missing; `debate judge` replaces all with one option."""
    here = saved.parent.parent
    panel = "{kind: panel, judges: [{id: a, persona: qa_evaluator, model: lab/x}, {id: b, persona: qa_evaluator}]}"
    offline = NOWHERE.replace("{model: lab/m}", "{model: mock/m}, judge: {model: lab/j}")
    write_config(here, offline.replace("moderator]", f"{panel}]"))
    given = {"run": ("run", "debate.yaml"), "judge": ("judge", saved, "--config", "debate.yaml")}[command]
    done = debate(*given, "--no-save", "-q", cwd=here)
    other = {
        "run": "--set models.judge.model=PROVIDER/MODEL --set judging.systems.1.judges.0.model=PROVIDER/MODEL",
        "judge": "--model PROVIDER/MODEL",
    }[command]
    assert f"or ask another model with the same command and {other}" in done.lines, done.err


def test_a_judging_with_one_answer_is_saved(saved: Path) -> None:
    """The failed judgements can be asked for again."""
    here = saved.parent.parent
    write_config(here, NOWHERE.replace("moderator]", "{kind: moderator, judge: mock/m}]"))
    done = debate("judge", saved, "--config", "debate.yaml", "-q", cwd=here)
    assert (done.code, f"debate run --resume {saved}" in done.lines) == (3, True), done.err
    assert "\tcomplete, 1 judgement missing\t" in debate("list", cwd=here).out


def test_a_judge_who_abstained_is_replaced(here: Path) -> None:
    """A resume does not ask again, so `list` and `replay` suggest another model."""
    write_config(
        here,
        "topic: Cats or dogs?\nmodels: {default: {model: mock/a}, lost: {model: mock/b, faults: {refusal: 1.0}}}\n"
        "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
        "judging: {systems: [persuasion, {kind: moderator, judge: lost}]}\n",
    )
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 0
    command = "debate judge transcripts/one.json --system moderator --model PROVIDER/MODEL --replace"
    replayed = debate("replay", "one", cwd=here)
    assert ("ask another model with:\n" in replayed.err, command in replayed.lines) == (True, True), replayed.err
    _, drawn = run_on_terminal("list", cwd=here, env={"TERM": "xterm-256color", "COLUMNS": "80"})
    assert "4 judgements missing" in drawn
    assert f"ask another model:\r\n  {command}\r\n" in drawn


def test_an_earlier_overflow_does_not_save_a_judging_without_an_answer(saved: Path) -> None:
    """Only a prompt of this judging that was too long is worth saving."""
    here, document = saved.parent.parent, json.loads(saved.read_text())
    brief = {key: document["assessments"][0][key] for key in ("run", "system", "assessor", "subject")}
    failure = {
        "task": brief,
        "who": "x",
        "cause": "ContextOverflowError",
        "message": "long",
        "final": False,
        "exchange": None,
    }
    saved.write_text(json.dumps({**document, "failures": [failure]}))
    before = saved.read_bytes()
    write_config(here, NOWHERE)
    assert debate("judge", saved, "--config", "debate.yaml", cwd=here).code == 3
    assert saved.read_bytes() == before
