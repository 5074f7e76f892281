"""`debate judge` on texts, other commands on judged texts, and messages of `score --weights` and `--check`."""

import json
import os
import shutil
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate

WORDS = {"PASS": "PLAN.md passes", "FAIL": "PLAN.md does not pass", "CONDITIONAL": "Conditional: PLAN.md passes under"}


@pytest.fixture(scope="module")
def plan_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text, PLAN.md, that a panel judged; not to be changed."""
    folder = tmp_path_factory.mktemp("plan")
    (folder / "PLAN.md").write_text("We move the service to one region.")
    done = debate("judge", "PLAN.md", "--system", "panel", "--mock", "--out", "plan.json", cwd=folder)
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def plan(plan_once: Path, here: Path) -> str:
    """The judged text, plan.json in `here`; the option that the panel voted."""
    shutil.copytree(plan_once, here, dirs_exist_ok=True)
    (verdict,) = json.loads((here / "plan.json").read_text())["verdicts"]
    return str(verdict["notes"]["option"])


@pytest.mark.parametrize("command", ["score plan.json", "score plan.json --check", "replay plan.json"])
def test_commands_agree_on_the_verdict_on_a_text(here: Path, plan: str, command: str) -> None:
    """`score` and `replay` name the option that the panel voted, and no motion."""
    done = debate(*command.split(), cwd=here)
    assert (done.code, WORDS[plan] in done.out, "The motion is" in done.out) == (0, True, False), done.out


def test_a_panel_judges_a_text(here: Path) -> None:
    """The text is the background of a debate without speeches; the result is saved among the transcripts."""
    plan = here / "PLAN.md"
    plan.write_text("# Plan\n\nWe rewrite everything in a week.\n")
    done = debate("judge", plan, "--system", "panel", "--mock", "--json", cwd=here)
    assert done.code == 0, done.err
    (entry,) = done.json
    assert [verdict["system"] for verdict in entry["verdicts"]] == ["panel"]
    stored = json.loads((here / entry["path"]).read_text())
    assert (stored["background"], stored["turns"], stored["status"]) == (plan.read_text(), [], "complete")


@pytest.mark.parametrize("options", [(), ("--system", "structured")], ids=" ".join)
def test_only_panels_judge_texts(here: Path, options: tuple[str, ...]) -> None:
    """Exit 2; the message names `--system panel`."""
    plan = here / "PLAN.md"
    plan.write_text("We rewrite everything in a week.\n")
    done = debate("judge", plan, *options, "--mock", cwd=here)
    assert (done.code, "--system panel" in done.err, len(done.lines)) == (2, True, 1)


def test_other_systems_are_left_out_of_a_text(here: Path) -> None:
    """A panel judges it, and a note names the system that cannot."""
    plan = here / "PLAN.md"
    plan.write_text("We rewrite everything in a week.\n")
    done = debate("judge", plan, "--system", "panel", "--system", "live", "--mock", "--json", cwd=here)
    assert (done.code, [verdict["system"] for verdict in done.json[0]["verdicts"]]) == (0, ["panel"]), done.err
    assert "note: PLAN.md: live is left out: has no speeches" in done.err.replace(f"{here}/", "")


JUDGING = """
topic: x
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
models: {default: {model: mock/a}}
judging: {systems: [panel]}
limits: {max_tokens: TOKENS}
"""


@pytest.mark.parametrize("debaters", [True, False])
@pytest.mark.parametrize("given", [["--max-tokens", "900000"], ["larger.yaml"]])
def test_judging_a_text_can_be_resumed(here: Path, given: list[str], debaters: bool) -> None:
    """A stopped judging of a text is resumed with a higher budget or with a configuration."""
    (here / "PLAN.md").write_text("We move the service to one region.")
    judging = (
        JUDGING if debaters else "".join(line for line in JUDGING.splitlines(keepends=True) if "debaters" not in line)
    )
    for name, tokens in (("small.yaml", "5000"), ("larger.yaml", "900000")):
        (here / name).write_text(judging.replace("TOKENS", tokens))
    stopped = debate("judge", "PLAN.md", "--system", "panel", "--config", "small.yaml", "--out", "plan.json", cwd=here)
    assert (stopped.code, "debate run --resume plan.json" in stopped.err) == (4, True), stopped.err
    done = debate("run", *given, "--resume", "plan.json", cwd=here)
    assert done.code == 0, done.err
    (verdict,) = json.loads((here / "plan.json").read_text())["verdicts"]
    assert verdict["victory"] != "undetermined"


@pytest.mark.parametrize("options", ["--model mock/a --model mock/b", "--model openai/a --model anthropic/b --mock"])
def test_each_model_has_a_judging_run_of_the_text(here: Path, options: str) -> None:
    """Each --model gets its own judging runs, also with --repeat and --mock, and none decides."""
    (here / "PLAN.md").write_text("We move the service to one region.")
    command = ("judge", "PLAN.md", "--system", "panel", "--repeat", "2", "--out", "plan.json")
    done = debate(*command, *options.split(), cwd=here)
    assert (done.code, "no deciding verdict" in done.err) == (0, True), done.err
    judged = json.loads((here / "plan.json").read_text())["assessments"]
    assert {(item["run"], item["exchange"]["model"]) for item in judged} == {
        ("r1", "mock/a"), ("r2", "mock/a"), ("r3", "mock/b"), ("r4", "mock/b"),
    }  # fmt: skip


def test_the_topic_of_the_configuration_is_the_question_of_the_text(here: Path) -> None:
    """The topic of --config is the question, and its background the context; debaters are not needed."""
    (here / "PLAN.md").write_text("We move the service to one region.")
    (here / "q.yaml").write_text(
        "topic: Is the plan ready?\nbackground: Four people.\nmodels: {judge: {model: mock/j}}\njudging: {systems: [panel]}\n"
    )
    done = debate("judge", "PLAN.md", "--config", "q.yaml", "--out", "plan.json", "--record", "tape.jsonl", cwd=here)
    assert (done.code, "Question: Is the plan ready?" in done.out) == (0, True), done.err
    asked = (here / "tape.jsonl").read_text()
    assert all(text in asked for text in ("QUESTION", "Is the plan ready?", "CONTEXT", "Four people.", "one region"))
    (here / "stored.yaml").write_text((here / "q.yaml").read_text().replace("systems", "question: Why?, systems"))
    refused = debate("judge", "PLAN.md", "--config", "stored.yaml", cwd=here)
    assert (refused.code, "write `topic` instead" in refused.err) == (2, True)


def test_judging_from_a_cassette_needs_no_key(here: Path) -> None:
    """A replayed or estimated judging needs no key; any other judging does."""
    (here / "PLAN.md").write_text("We move the service to one region.")
    command = ("judge", "PLAN.md", "--system", "panel", "--model", "openai/gpt-5", "--out", "plan.json")
    (here / "tape.jsonl").write_text("")
    assert "OPENAI_API_KEY" in debate(*command, cwd=here).err
    assert "OPENAI_API_KEY" not in debate(*command, "--replay", "tape.jsonl", cwd=here).err
    assert debate(*command, "--dry-run", cwd=here).code == 0


def test_diff_reports_another_option(here: Path, plan: str) -> None:
    """The outcomes differ, and the table names each option."""
    other = "FAIL" if plan == "PASS" else "PASS"
    document = json.loads((here / "plan.json").read_text())
    for assessment in document["assessments"]:
        for finding in assessment["findings"]:
            if finding["kind"] == "vote":
                finding["option"] = other
    (here / "other.json").write_text(json.dumps(document))
    done = debate("diff", "plan.json", "other.json", cwd=here)
    outcomes = {"PASS": " passes, ", "FAIL": " does not pass, "}
    head, of_a, of_b = done.out.splitlines()[1:4]
    assert (head, outcomes[plan] in of_a, outcomes[other] in of_b) == ("The outcomes differ (panel).", True, True), (
        done.out
    )
    assert f"(A: {plan}, " in done.out
    assert not any(word in done.out for word in ("motion", "debaters", "speeches"))


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff\u200b\n"])
def test_an_empty_text_is_refused(here: Path, text: str) -> None:
    """Exit 2 and one sentence before any call; no file is written."""
    (here / "E.md").write_text(text)
    done = debate("judge", "E.md", "--system", "panel", "--mock", cwd=here)
    assert (done.code, len(done.lines), "E.md: has no text to judge" in done.err) == (2, 1, True), done.err
    assert [place.name for place in here.iterdir()] == ["E.md"]


def test_files_folders_and_standard_input_are_judged(here: Path) -> None:
    """Each file is judged as a separate text, named by its path. A note lists other files of a folder and links out of it."""
    (here / "secret.md").write_text("A key that no model may read.")
    (here / "specs" / "api").mkdir(parents=True)
    (here / "specs" / ".git").mkdir()
    for name, text in (("PLAN.md", "a plan"), ("specs/a.md", "part a"), ("specs/api/b.txt", "part b")):
        (here / name).write_text(f"The {text} of the service.")
    (here / "specs" / ".git" / "c.md").write_text("hidden")
    (here / "specs" / "logo.png").write_bytes(b"\x89PNG\0\0")
    (here / "specs" / "link.md").symlink_to(here / "secret.md")
    (here / "specs" / "openapi.json").write_text('{"openapi": "3.1.0"}')
    (here / "specs" / "review.YAML").write_text("topic: May we ship it?")
    done = debate(
        "judge", "PLAN.md", "specs", "-", "--system", "panel", "--mock", "--json", cwd=here, input="From a pipe."
    )
    assert done.code == 0, done.err
    assert [entry["topic"] for entry in done.json] == ["PLAN.md", "specs/a.md", "specs/api/b.txt", "stdin"]
    note = "specs: these files are not judged (empty or data files, links out of the folder, or files that other options name): "
    assert f"{note}link.md, logo.png, openapi.json, review.YAML" in done.err


@pytest.mark.parametrize("name", ["specs.json", "specs.json/", "specs.jsonl"])
def test_a_folder_of_texts_may_have_the_name_of_a_transcript(here: Path, name: str) -> None:
    """It is judged like any other folder."""
    (here / name).mkdir()
    (here / name / "a.md").write_text("The plan of the service.")
    done = debate("judge", name, "--system", "panel", "--mock", "--json", cwd=here)
    assert (done.code, [entry["topic"] for entry in done.json]) == (0, [f"{name.rstrip('/')}/a.md"]), done.err


def test_set_does_not_hide_that_a_debate_or_text_is_missing(here: Path) -> None:
    """`--set` needs a configuration for a text; an unknown id, and a text without a panel, are more important."""
    (here / "PLAN.md").write_text("The plan of the service.")
    changed = ("--set", "output.dir=runs", "--mock")
    assert "nowhere: no such file" in debate("judge", "nowhere", *changed, cwd=here).err
    assert "PLAN.md: is not a transcript" in debate("judge", "PLAN.md", *changed, cwd=here).err
    assert "--set changes settings" in debate("judge", "PLAN.md", "--system", "panel", *changed, cwd=here).err


@pytest.mark.parametrize("reference", ["specs", "specs/*"])
def test_a_special_file_among_texts_is_reported_and_the_rest_judged(here: Path, reference: str) -> None:
    """A FIFO in a folder or glob of texts gets a line, without blocking; a folder in the glob gets none."""
    (here / "specs" / "api").mkdir(parents=True)
    (here / "specs" / "a.md").write_text("The plan of the service.")
    os.mkfifo(here / "specs" / "pipe.md")
    done = debate("judge", reference, "--system", "panel", "--mock", "--json", cwd=here)
    assert (done.code, [entry["topic"] for entry in done.json]) == (1, ["specs/a.md"])
    assert done.err.count("debate: specs/pipe.md: cannot be read (not a regular file)") == 1, done.err
    assert "specs/api" not in done.err


def test_a_yaml_file_is_judged_if_it_is_named(here: Path) -> None:
    """The user chose this file; only a folder leaves YAML files out."""
    (here / "openapi.yaml").write_text("openapi: 3.1.0")
    done = debate("judge", "openapi.yaml", "--system", "panel", "--mock", "--json", cwd=here)
    assert ([entry["topic"] for entry in done.json], done.code) == (["openapi.yaml"], 0), done.err


def test_a_folder_of_texts_may_hold_its_configuration_and_context(here: Path) -> None:
    """The files of --config and --context are not judged, although they are in the folder."""
    shutil.copytree(CONFIGS / "documents", here / "plans")
    (here / "plans" / "notes.md").write_text("Eight engineers.")
    done = debate(
        *("judge", "plans", "--config", "plans/review.yaml", "--context", "plans/notes.md", "--mock", "--json"),
        cwd=here,
    )
    assert ([entry["topic"] for entry in done.json], done.code) == (["plans/PLAN.md"], 0), done.err
    assert "brief.md, notes.md, review.yaml" in done.err


def test_each_of_several_texts_says_what_must_change(here: Path) -> None:
    """Each text has a summary with its required changes above the table."""
    names = [f"{letter}.md" for letter in "abcdefgh"]
    for name in names:
        (here / name).write_text("Plan: rewrite everything in a week.")
    done = debate("judge", *names, "--system", "panel", "--mock", cwd=here)
    assert done.code == 0, done.err
    assert (done.out.count("== Verdict =="), "Must change: " in done.out) == (8, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("- --system structured", "add --system panel"),
        ("empty --system panel", "contains no transcripts and no text files"),
        (
            "saved.json --system panel --context brief.md",
            "--context applies only to documents, and no document is judged",
        ),
        ("PLAN.md --system panel --context gone.md", "gone.md: cannot be read"),
        ("PLAN.md --system panel --fail-under PAS=0.6", "the outcomes of panel are PASS, FAIL, CONDITIONAL"),
    ],
)
def test_wrong_inputs_of_a_text_are_refused(here: Path, plan: str, arguments: str, words: str) -> None:
    """Exit 2, with what to do."""
    del plan
    (here / "empty").mkdir()
    (here / "brief.md").write_text("Four people.")
    (here / "saved.json").write_text((here / "plan.json").read_text())
    done = debate("judge", *arguments.split(), "--mock", cwd=here)
    assert (done.code, words in done.err) == (2, True), done.err


def test_the_context_option_precedes_the_background_of_the_configuration(here: Path) -> None:
    """It is shown to the judges and is not part of the text."""
    (here / "PLAN.md").write_text("We move the service to one region.")
    (here / "brief.md").write_text("Four people run it.")
    (here / "q.yaml").write_text(
        "topic: Is it ready?\nbackground: Old.\nmodels: {judge: {model: mock/j}}\njudging: {systems: [panel]}\n"
    )
    command = ("judge", "PLAN.md", "--config", "q.yaml", "--context", "brief.md", "--out", "plan.json")
    done = debate(*command, cwd=here)
    assert done.code == 0, done.err
    stored = json.loads((here / "plan.json").read_text())
    assert (stored["config"]["judging"]["context"], stored["background"]) == (
        "Four people run it.", "We move the service to one region.",
    )  # fmt: skip


@pytest.mark.parametrize("gate", ["--fail-under PASS=0", "--expect OPTION"])
def test_gates_of_a_text_take_options(here: Path, plan: str, gate: str) -> None:
    """`--expect` is `--expect-winner`; the share of an option is held by `--fail-under`."""
    met = gate.replace("OPTION", plan).split()
    other = next(option for option in WORDS if option != plan)
    unmet = ["--expect", other] if "OPTION" in gate else ["--fail-under", f"{other}=1"]
    assert debate("score", "plan.json", *met, cwd=here).code == 0
    done = debate("score", "plan.json", *unmet, cwd=here)
    assert (done.code, f"gate not met: {'--expect-winner' if 'OPTION' in gate else '--fail-under'}" in done.err) == (
        5,
        True,
    )


def test_a_configuration_for_texts_is_valid(here: Path) -> None:
    """`check` names the command that it is for, and what `run` needs besides, as `run` does."""
    (here / "q.yaml").write_text("topic: Is it ready?\nmodels: {judge: {model: mock/j}}\njudging: {systems: [panel]}\n")
    done = debate("check", "q.yaml", cwd=here)
    use = "OK for `debate judge`, but `debate run` needs at least two debaters"
    assert (done.code, f"q.yaml: {use}; at least 5 calls to mock/j" in done.out) == (0, True)
    assert "a debate needs at least two debaters" in debate("run", "q.yaml", cwd=here).err


def test_a_text_outside_the_working_folder_is_named_without_its_path(here: Path, tmp_path: Path) -> None:
    """The transcript names a text outside of the working folder by its file name alone."""
    (tmp_path / "PLAN.md").write_text("We move.")
    done = debate("judge", tmp_path / "PLAN.md", "--system", "panel", "--mock", "--no-save", "--json", cwd=here)
    assert [entry["topic"] for entry in done.json] == ["PLAN.md"]


@pytest.mark.parametrize("name", ["noext", "saved.bak", "SAVED.JSON"])
def test_a_saved_debate_with_another_name_is_no_text(saved: Path, here: Path, name: str) -> None:
    """Judges are not asked about the JSON of a saved debate."""
    shutil.copy(saved, here / name)
    done = debate("judge", name, "--system", "panel", "--mock", cwd=here)
    expected = f"debate: {name}: this is a saved debate, not a document; to judge it, save it under a name that ends in .json or, if it is a journal, in .jsonl"
    assert (done.code, done.lines) == (2, [expected])


def test_an_existing_file_of_another_debate_is_named_so(here: Path) -> None:
    """Judging the same text again under one id finds the first result, which was not read before."""
    (here / "plan.md").write_text("# Plan\n\nWe build it.\n")
    command = ("judge", "plan.md", "--system", "panel", "--mock", "--id", "x")
    assert debate(*command, cwd=here).code == 0
    done = debate(*command, cwd=here)
    expected = "debate: transcripts/x.json: exists already; choose another --out or --id, or overwrite it with --force"
    assert (done.code, done.lines[-1]) == (2, expected)
