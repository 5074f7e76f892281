"""`debate run`: output, files and options."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS, debate, run_on_terminal

from debate_cli.domain.model_call import REHEARSAL_NOTICE

MOCK = CONFIGS / "mock.yaml"
SHIPPED = sorted(CONFIGS.glob("*.yaml"))


def transcript(here: Path, debate_id: str, folder: str = "transcripts") -> dict[str, Any]:
    """A saved transcript."""
    return json.loads((here / folder / f"{debate_id}.json").read_text())


def what_was_said(document: dict[str, Any]) -> dict[str, Any]:
    """A transcript without what differs between two runs of one debate: id and times."""
    assessments = [{**item, "at": None} for item in document["assessments"]]
    said = {key: value for key, value in document.items() if key not in {"id", "started_at", "finished_at"}}
    return {**said, "assessments": assessments}


def files(folder: Path) -> list[str]:
    """Everything in a folder, however deep."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("config", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_configuration_runs_on_the_mock(config: Path, here: Path) -> None:
    """No key is needed, and `score --check` finds no difference."""
    run = debate("run", config, "--mock", "--id", "one", "--quiet", cwd=here)
    check = debate("score", "transcripts/one.json", "--check", cwd=here)
    assert (run.code, check.code) == (0, 0), run.err + check.err
    assert files(here) == ["transcripts/one.json"]


def test_raw_answers_are_kept_for_an_audit(here: Path) -> None:
    """With `output.raw`, turns and assessments have the model's words, the rules and the task."""
    options = ("--set", "output.raw=true", "--set", "debaters.0.system=Be brief.")
    assert debate("run", MOCK, "--id", "one", "--quiet", *options, cwd=here).code == 0
    document = transcript(here, "one")
    kept = [item["raw"] for item in (*document["turns"], *document["assessments"])]
    assert all(raw["text"].startswith("{") and raw["system"] and raw["task"] for raw in kept)
    assert "TASK, round 1, opening" in document["turns"][0]["raw"]["task"]
    assert "Be brief." in document["turns"][0]["raw"]["system"]


def test_a_pipe_gets_the_debate_in_plain_lines(here: Path) -> None:
    """Motion, speeches, scores and verdict on stdout; file and next command on stderr; no control sequences."""
    done = debate("run", MOCK, "--id", "one", cwd=here, env={"TERM": "xterm-256color", "NO_COLOR": ""})
    assert done.code == 0
    assert "adopt microservices from day one?" in done.out
    assert all(words in done.out for words in ("Pro: [PRO-1]", "== Verdict ==", "Check first: ", "Cost: "))
    assert done.lines == [
        "saved: transcripts/one.json",
        "judge again: debate judge transcripts/one.json --system panel",
    ]
    assert "\x1b" not in done.out + done.err


def test_a_terminal_shows_tables(here: Path) -> None:
    """A terminal gets tables; with --plain it gets lines."""
    env = {"TERM": "xterm-256color", "NO_COLOR": "", "COLUMNS": "100", "LINES": "40"}
    code, drawn = run_on_terminal("run", MOCK, "--id", "one", cwd=here, env=env)
    assert (code, "\x1b[" in drawn) == (0, True)
    assert all(words in drawn for words in ("PRO-1", "Con wins narrowly", "saved: transcripts/one.json"))


def test_json_is_the_saved_transcript(here: Path) -> None:
    """With --json, stdout equals the saved transcript."""
    done = debate("run", MOCK, "--id", "one", "--json", cwd=here)
    assert done.out == (here / "transcripts/one.json").read_text()
    assert done.json["status"] == "complete"


def test_no_save_writes_nothing(here: Path) -> None:
    """With --no-save, no transcript, journal or lock is left."""
    done = debate("run", MOCK, "--no-save", "--json", cwd=here)
    assert (done.code, done.lines, files(here)) == (0, [REHEARSAL_NOTICE], [])
    assert len(done.json["turns"]) == 6


def test_quiet_prints_only_the_verdicts(here: Path) -> None:
    """With --quiet, the verdict of every system is printed, in the same words as at the end of any run."""
    done, whole = (debate("run", MOCK, "--no-save", *quiet, cwd=here) for quiet in (["--quiet"], []))
    notice, heading, _, *rows = done.out.splitlines()
    assert (notice, heading, rows.pop()) == (REHEARSAL_NOTICE, "== Verdict ==", REHEARSAL_NOTICE)
    assert [line.partition(":")[0] for line in rows] == ["Why", "Key insight", "Moderator", "Judges"]
    assert set(done.out.splitlines()) <= set(whole.out.splitlines())
    assert done.err == ""


def test_the_same_seed_gives_the_same_debate(here: Path) -> None:
    """Only id and times differ; another seed gives another debate."""
    for name, seed in (("one", "5"), ("two", "5"), ("three", "6")):
        assert debate("run", MOCK, "--id", name, "--seed", seed, "-q", cwd=here).code == 0
    one, two, three = (what_was_said(transcript(here, name)) for name in ("one", "two", "three"))
    assert one == two
    assert one["turns"] != three["turns"]


def test_out_names_the_folder(here: Path) -> None:
    """`--out` names the folder of the transcript, which is created if necessary."""
    done = debate("run", MOCK, "--id", "one", "--out", "a/b", "-q", cwd=here)
    assert (done.code, files(here)) == (0, ["a/b/one.json"])


def test_without_an_id_the_file_is_named_after_the_topic(here: Path) -> None:
    """The generated id is in the transcript and is safe as a file name."""
    topic = "../../Äpfel & <b>Birnen</b>?"
    assert debate("run", MOCK, "--topic", topic, "-q", cwd=here).code == 0
    (path,) = (here / "transcripts").iterdir()
    stored = json.loads(path.read_text())
    assert (stored["id"], stored["topic"]) == (path.stem, topic)
    assert set(path.stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@pytest.mark.parametrize("there", ["one.json", "one.jsonl"])
def test_an_existing_debate_is_not_overwritten(here: Path, there: str) -> None:
    """Exit 2, and the file is unchanged; `--force` overwrites it."""
    (here / "transcripts").mkdir()
    path = here / "transcripts" / there
    path.write_text("precious")
    refused = debate("run", MOCK, "--id", "one", "-q", cwd=here)
    assert (refused.code, path.read_text(), files(here)) == (2, "precious", [f"transcripts/{there}"])
    assert "--force" in refused.err
    assert debate("run", MOCK, "--id", "one", "-q", "--force", cwd=here).code == 0
    assert transcript(here, "one")["status"] == "complete"
    assert files(here) == ["transcripts/one.json"]


def test_options_change_the_configuration(here: Path) -> None:
    """`--set`, `--topic` and `--seed` change the configuration; `--seed` overrides `--set`."""
    changes = ["format.arguments=2", "limits.max_cost_usd=0.5", "debaters.0.name=Ada", "seed=1"]
    changes += ["judging={systems: [persuasion]}"]
    options = [part for change in changes for part in ("--set", change)]
    command = ("run", MOCK, "--dry-run", "--json", *options, "--topic", "yes: no?", "--seed", "2")
    found = debate(*command, cwd=here).json["config"]
    assert (found["format"]["arguments"], found["limits"]["max_cost_usd"], found["topic"]) == (2, 0.5, "yes: no?")
    assert (found["debaters"][0]["name"], found["judging"]["systems"][0]["kind"]) == ("Ada", "persuasion")
    assert found["seed"] == 2


def test_options_override_the_environment_which_overrides_the_file(here: Path) -> None:
    """For each setting an option precedes the environment, and the environment the file."""
    env = {"DEBATE_SEED": "21", "DEBATE__FORMAT__ARGUMENTS": "2"}
    done = debate("run", MOCK, "--dry-run", "--json", "--seed", "22", cwd=here, env=env)
    config = done.json["config"]
    assert (config["seed"], config["format"]["arguments"]) == (22, 2)


def test_a_dash_reads_the_configuration_from_standard_input(here: Path) -> None:
    """CONFIG `-` reads the configuration from standard input."""
    done = debate("run", "-", "--no-save", "--json", cwd=here, input=MOCK.read_text())
    assert (done.code, done.json["config"]["seed"]) == (0, 7)


def test_the_default_configuration_is_the_one_in_this_folder(here: Path) -> None:
    """Without CONFIG, configs/debate.yaml in the current folder is used, else the packaged one."""
    (here / "configs").mkdir()
    shutil.copy(CONFIGS / "persuasion.yaml", here / "configs/debate.yaml")
    own = debate("run", "--mock", "--dry-run", "--json", cwd=here).json["config"]
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    packaged = debate("run", "--mock", "--dry-run", "--json", cwd=elsewhere).json["config"]
    assert own["judging"]["systems"][0]["kind"] == "persuasion"
    assert packaged["judging"]["systems"][0]["kind"] == "structured"


def test_hidden_directives_are_shown_on_demand_only(here: Path) -> None:
    """Hidden directives are shown with --show-hidden only, and the transcript always holds them."""
    command = ("run", CONFIGS / "live.yaml", "--mock", "--id", "one", "--force")
    hidden, shown = debate(*command, cwd=here), debate(*command, "--show-hidden", cwd=here)
    directives = [turn["directive"] for turn in transcript(here, "one")["turns"] if "directive" in turn]
    first = directives[0].splitlines()[0]
    assert first not in hidden.out
    assert first in shown.out


def test_a_new_transcript_is_private(saved_once: Path) -> None:
    """A new transcript has mode 0600, its new folder 0700."""
    assert [path.stat().st_mode & 0o777 for path in (saved_once.parent, saved_once)] == [0o700, 0o600]


def test_raw_answers_are_left_out_by_default(saved_once: Path) -> None:
    """Without `output.raw`, a transcript has no raw answers."""
    document = json.loads(saved_once.read_text())
    assert not [item for item in (*document["turns"], *document["assessments"]) if "raw" in item]
    assert all(document["started_at"] <= item["at"] <= document["finished_at"] for item in document["assessments"])
