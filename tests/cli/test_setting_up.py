"""`debate init`, `check`, `models` and `schema`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from cli_support import CONFIGS, debate, run_on_terminal, write_config

TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
UNASKED = "no server was asked: `debate doctor` does that"


def test_init_writes_a_configuration_that_runs(here: Path) -> None:
    """What it writes passes `check`, and a debate with it runs on the mock; the schema lies beside it."""
    assert debate("init", "new", "--yes", cwd=here).code == 0
    assert json.loads((here / "new/debate.schema.json").read_text())["type"] == "object"
    assert (here / "new/debate.yaml").read_text().startswith("# yaml-language-server: $schema=./debate.schema.json\n")
    assert debate("check", "new/debate.yaml", cwd=here).code == 0
    assert debate("run", "new/debate.yaml", "--mock", "--no-save", "-q", cwd=here).code == 0


def test_init_asks_nothing_off_a_terminal(here: Path) -> None:
    """Without --yes, but with no one to ask, the defaults are taken."""
    assert debate("init", cwd=here).code == 0
    assert yaml.safe_load((here / "debate.yaml").read_text())["topic"].startswith("Should a startup")


def test_init_asks_three_questions_on_a_terminal(here: Path) -> None:
    """Motion, the debaters' model, the judge's; what is no provider/model is asked again. Quotes survive."""
    code, drawn = run_on_terminal("init", cwd=here, keys='Is "yes: no" # an answer?\nnonsense\nmock/a\nmock/b\n')
    config = yaml.safe_load((here / "debate.yaml").read_text())
    assert code == 0
    assert config["topic"] == 'Is "yes: no" # an answer?'
    assert [config["models"][role]["model"] for role in ("default", "judge")] == ["mock/a", "mock/b"]
    assert "write it as provider/model" in drawn


@pytest.mark.parametrize("name", ["debate.yaml", "debate.schema.json"])
def test_init_overwrites_nothing(here: Path, name: str) -> None:
    """Either file there is a refusal before anything is written; --force writes both."""
    (here / name).write_text("precious")
    done = debate("init", "--yes", cwd=here)
    assert (done.code, (here / name).read_text(), len(list(here.iterdir()))) == (2, "precious", 1)
    assert debate("init", "--yes", "--force", cwd=here).code == 0
    assert (here / name).read_text() != "precious"


def test_check_says_what_a_configuration_would_ask(here: Path) -> None:
    """The models and the least number of calls; and that none of them was asked."""
    done = debate("check", CONFIGS / "mock.yaml", cwd=here)
    assert (done.code, done.lines) == (0, [UNASKED])
    assert done.out == f"{CONFIGS / 'mock.yaml'}: fine; at least 11 calls to mock/debater, mock/judge\n"


def test_of_what_cannot_be_asked_it_is_not_said_that_it_was_not(here: Path) -> None:
    """Where no configuration is fine, the faults are all there is to say."""
    assert UNASKED not in debate("check", "missing.yaml", cwd=here).err


def test_check_names_every_fault_with_its_place(here: Path) -> None:
    """All faults of all files at once, one line each: file, line, column, key; good files are told all the same."""
    bad = write_config(
        here, f"topic: x\nmodels: {{default: {{model: mock/a, wit: 3}}}}\nformt: {{}}\n{TWO}", "bad.yaml"
    )
    done = debate("check", bad, "missing.yaml", CONFIGS / "mock.yaml", cwd=here)
    assert done.code == 2
    assert [line.split(" ", 1)[0] for line in done.lines] == [f"{bad}:2:35:", f"{bad}:3:1:", "missing.yaml:", "no"]
    assert "mock.yaml: fine" in done.out


def test_check_says_which_keys_are_missing(here: Path) -> None:
    """Every one of them, with its provider and the model; set, the configuration is fine."""
    config = write_config(
        here, f"topic: x\nmodels: {{default: {{model: openai/a}}, judge: {{model: anthropic/b}}}}\n{TWO}"
    )
    keys = {"OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "sk-2"}
    without, with_keys = debate("check", config, cwd=here), debate("check", config, cwd=here, env=keys)
    assert (without.code, with_keys.code) == (2, 0)
    assert [line.split(": ")[1:] for line in without.lines] == [
        ["models.default.model", "OPENAI_API_KEY is not set", "provider openai needs it for a; set it in the environment or in .env, or rehearse with --mock"],
        ["models.judge.model", "ANTHROPIC_API_KEY is not set", "provider anthropic needs it for b; set it in the environment or in .env, or rehearse with --mock"],
    ]  # fmt: skip


def test_keys_may_stand_in_a_file_beside_the_configuration(here: Path) -> None:
    """`.env` is read, and its value is not shown."""
    write_config(here, f"topic: x\nmodels: {{default: {{model: openai/a}}}}\n{TWO}")
    (here / ".env").write_text("OPENAI_API_KEY=sk-very-secret\n")
    done = debate("check", "debate.yaml", cwd=here)
    assert (done.code, "very-secret" in done.out + done.err) == (0, False)


@pytest.mark.parametrize("place", ["configs/debate.yaml", "debate.yaml"])
def test_check_without_a_name_takes_what_run_takes(here: Path, place: str) -> None:
    """And tells which; what lies in configs/ first, without any the packaged one."""
    (here / "configs").mkdir()
    write_config(here, "topic: [", "debate.yaml")
    write_config(here, (CONFIGS / "mock.yaml").read_text(), place)
    done = debate("check", cwd=here)
    assert (done.code, done.err) == (0, f"configuration: {place}\n{UNASKED}\n")
    assert done.out.startswith(f"{place}: fine;")


def test_check_without_any_takes_the_packaged_one(here: Path) -> None:
    """Which is named in JSON too."""
    done = debate("check", "--json", cwd=here)
    assert done.lines[0] == f"configuration: {CONFIGS / 'debate.yaml'}"
    assert [report["config"] for report in done.json] == [str(CONFIGS / "debate.yaml")]


def test_check_in_json_is_one_document(here: Path) -> None:
    """An object per configuration, problems as lines; stderr stays empty."""
    done = debate("check", CONFIGS / "mock.yaml", "missing.yaml", "--json", cwd=here)
    assert done.code == 2
    assert done.json == [
        {"config": str(CONFIGS / "mock.yaml"), "models": ["mock/debater", "mock/judge"], "planned_calls": 11, "problems": []},
        {"config": "missing.yaml", "models": [], "planned_calls": None,
         "problems": ["missing.yaml: no such file; `debate init` writes one"]},
    ]  # fmt: skip
    assert done.err == ""


def test_models_lists_every_provider_and_its_key(here: Path) -> None:
    """Off a terminal one provider a line, cells apart by tabs; the key's value is not shown."""
    done = debate("models", cwd=here, env={"OPENAI_API_KEY": "sk-very-secret"})
    rows = {line.split("\t")[0]: line.split("\t") for line in done.out.splitlines()}
    assert rows["openai"][1:3] == ["openai", "OPENAI_API_KEY is set"]
    assert rows["anthropic"][2] == "ANTHROPIC_API_KEY is not set"
    assert rows["ollama"][2] == "not needed"
    assert "very-secret" not in done.out


def test_models_in_json_with_the_providers_of_a_configuration(here: Path) -> None:
    """Rows of the configuration stand beside the built-in ones."""
    config = write_config(
        here,
        f"topic: x\nproviders: {{lab: {{kind: openai, base_url: 'http://127.0.0.1:1/v1', api_key_env: LAB_KEY}}}}\n"
        f"models: {{default: {{model: lab/a}}}}\n{TWO}",
    )
    rows = {row["name"]: row for row in debate("models", "--config", config, "--json", cwd=here).json}
    assert (rows["lab"]["ready"], rows["lab"]["base_url"]) == (False, "http://127.0.0.1:1/v1")
    assert rows["mock"]["ready"] is True


@pytest.mark.parametrize(
    ("of", "committed"),
    [("config", CONFIGS / "debate.schema.json"), ("transcript", CONFIGS.parent / "transcripts/transcript.schema.json")],
)
def test_schema_prints_what_is_committed(here: Path, of: str, committed: Path) -> None:
    """The copies in the repository are those that the program prints; `make schemas` writes them anew."""
    done = debate("schema", of, cwd=here)
    assert (done.code, done.out) == (0, committed.read_text())


def test_schema_knows_two_kinds(here: Path) -> None:
    """Anything else is a usage error."""
    assert debate("schema", "verdict", cwd=here).code == 2
