"""`debate init`, `check`, `models` and `schema`."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from cli_support import CONFIGS, debate, run_on_terminal, write_config

TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
UNASKED = "No server was contacted; to test the servers, run `debate doctor`."


def test_init_writes_a_configuration_that_runs(here: Path) -> None:
    """It passes `check` and runs on the mock; the schema is beside it."""
    assert debate("init", "new", "--yes", cwd=here).code == 0
    assert json.loads((here / "new/debate.schema.json").read_text())["type"] == "object"
    assert (here / "new/debate.yaml").read_text().startswith("# yaml-language-server: $schema=./debate.schema.json\n")
    assert debate("check", "new/debate.yaml", cwd=here).code == 0
    assert debate("run", "new/debate.yaml", "--mock", "--no-save", "-q", cwd=here).code == 0


def test_init_asks_three_questions_on_a_terminal(here: Path) -> None:
    """Motion, the debaters' model, the judge's; an invalid answer is asked again; quotes survive."""
    code, drawn = run_on_terminal("init", cwd=here, keys='Is "yes: no" # an answer?\nnonsense\nmock/a\nmock/b\n')
    config = yaml.safe_load((here / "debate.yaml").read_text())
    assert code == 0
    assert config["topic"] == 'Is "yes: no" # an answer?'
    assert [config["models"][role]["model"] for role in ("default", "judge")] == ["mock/a", "mock/b"]
    assert "as provider/model" in drawn


@pytest.mark.parametrize("name", ["debate.yaml", "debate.schema.json"])
def test_init_overwrites_nothing(here: Path, name: str) -> None:
    """An existing file is refused before any is written; `--force` writes both."""
    (here / name).write_text("precious")
    done = debate("init", "--yes", cwd=here)
    assert (done.code, (here / name).read_text(), len(list(here.iterdir()))) == (2, "precious", 1)
    assert debate("init", "--yes", "--force", cwd=here).code == 0
    assert (here / name).read_text() != "precious"


def test_check_shows_models_and_calls(here: Path) -> None:
    """`check` shows the models and the number of calls, marks the mock, and says that no server was asked."""
    done = debate("check", CONFIGS / "mock.yaml", cwd=here)
    assert (done.code, done.lines) == (0, [UNASKED])
    models = "mock/debater (no model), mock/judge (no model)"
    assert done.out == f"{CONFIGS / 'mock.yaml'}: OK; at least 11 calls to {models}\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("check judges.yaml", "OK for `debate judge`"),
        ("doctor --config judges.yaml", "mock/judge  usable"),
        ("models --config judges.yaml", "openai"),
        ("evidence list --config judges.yaml", "plan.md: 1 passage"),
    ],
)
def test_a_configuration_without_debaters_is_accepted(here: Path, command: str, said: str) -> None:
    """Only `run` needs debaters."""
    (here / "plan.md").write_text("We move the service to one region.")
    judging = "models: {judge: {model: mock/judge}}\njudging: {systems: [panel]}\nevidence: {sources: [plan.md]}\n"
    (here / "judges.yaml").write_text(f"topic: Is the plan ready?\n{judging}")
    done = debate(*command.split(), cwd=here)
    assert (done.code, said in done.out) == (0, True), done.err
    assert debate("run", "judges.yaml", "--mock", cwd=here).code == 2


def test_doctor_needs_a_model(here: Path) -> None:
    """A configuration without debaters may name no model."""
    (here / "judges.yaml").write_text("topic: Is the plan ready?\njudging: {systems: [panel]}\n")
    done = debate("doctor", "--config", "judges.yaml", cwd=here)
    assert done.lines == ["debate: the configuration names no model; give one: debate doctor PROVIDER/MODEL"]
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize(("options", "said"), [((), "would send"), (("--trust-host", "lab.example"), "sends")])
def test_check_says_once_what_a_server_gets(here: Path, options: Sequence[str], said: str) -> None:
    """`check` says once that a server gets the texts, or would get them with your consent."""
    provider = (
        'providers: {lab: {kind: openai, base_url: "https://lab.example/v1"}}\nmodels: {default: {model: lab/m}}\n'
    )
    (here / "lab.yaml").write_text(
        f"topic: x\ndebaters: [{{name: A, side: for}}, {{name: B, side: against}}]\n{provider}"
    )
    done = debate("check", "lab.yaml", *options, cwd=here)
    (line,) = [line for line in f"{done.out}{done.err}".splitlines() if "provider lab" in line]
    assert f"provider lab {said} the debate's texts to lab.example" in line


def test_check_reports_all_mistakes_with_their_places(here: Path) -> None:
    """Each mistake is one line with file, line, column and key, and valid files are reported too."""
    bad = write_config(
        here, f"topic: x\nmodels: {{default: {{model: mock/a, wit: 3}}}}\nformt: {{}}\n{TWO}", "bad.yaml"
    )
    done = debate("check", bad, "missing.yaml", CONFIGS / "mock.yaml", cwd=here)
    assert done.code == 2
    assert [line.split(" ", 1)[0] for line in done.lines] == [f"{bad}:2:35:", f"{bad}:3:1:", "missing.yaml:", "No"]
    assert "mock.yaml: OK" in done.out


def test_check_reports_missing_keys(here: Path) -> None:
    """Each missing key is one line with its provider; with the keys the configuration is valid.

    The help page is named once, for all lines.
    """
    config = write_config(
        here, f"topic: x\nmodels: {{default: {{model: openai/a}}, judge: {{model: anthropic/b}}}}\n{TWO}"
    )
    keys = {"OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "sk-2"}
    without, with_keys = debate("check", config, cwd=here), debate("check", config, cwd=here, env=keys)
    assert (without.code, with_keys.code) == (2, 0)
    assert [line.split(": ")[1:] for line in without.lines] == [
        ["models.default.model", "OPENAI_API_KEY is not set", "provider openai needs it; set it in the environment or in .env, or run with --mock"],
        ["models.judge.model", "ANTHROPIC_API_KEY is not set", "provider anthropic needs it; set it in the environment or in .env, or run with --mock (for all these errors", "debate explain missing-key)"],
    ]  # fmt: skip


@pytest.mark.parametrize("place", ["configs/debate.yaml", "debate.yaml"])
def test_check_uses_the_same_default_as_run(here: Path, place: str) -> None:
    """Without CONFIG, `check` uses the default of `run`, and names the file."""
    (here / "configs").mkdir()
    write_config(here, "topic: [", "debate.yaml")
    write_config(here, (CONFIGS / "mock.yaml").read_text(), place)
    done = debate("check", cwd=here)
    assert (done.code, done.err) == (0, f"configuration: {place}\n{UNASKED}\n")
    assert done.out.startswith(f"{place}: OK;")


def test_check_in_json_is_one_document(here: Path) -> None:
    """`check --json` prints an object for each configuration, with its problems, and nothing on stderr."""
    done = debate("check", CONFIGS / "mock.yaml", "missing.yaml", "--json", cwd=here)
    assert done.code == 2
    assert done.json == [
        {"config": str(CONFIGS / "mock.yaml"), "models": ["mock/debater", "mock/judge"], "planned_calls": 11, "problems": [],
             "hosts": []},
        {"config": "missing.yaml", "models": [], "planned_calls": None,
         "problems": ["missing.yaml: no such file; `debate init` writes one"], "hosts": []},
    ]  # fmt: skip
    assert done.err == ""


def test_models_lists_every_provider_and_its_key(here: Path) -> None:
    """In a pipe each provider is one line that says whether its key is set, without the key."""
    done = debate("models", cwd=here, env={"OPENAI_API_KEY": "sk-very-secret"})
    rows = {line.split("\t")[0]: line.split("\t") for line in done.out.splitlines()}
    assert rows["openai"][1:3] == ["openai", "OPENAI_API_KEY is set"]
    assert rows["anthropic"][2] == "ANTHROPIC_API_KEY is not set"
    assert rows["ollama"][2] == "not needed"
    assert "very-secret" not in done.out


def test_models_lists_providers_of_a_configuration(here: Path) -> None:
    """`models --config` lists the configured providers beside the built-in ones."""
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
def test_the_committed_schemas_are_current(here: Path, of: str, committed: Path) -> None:
    """`debate schema` prints the committed schemas, which `make schemas` regenerates."""
    done = debate("schema", of, cwd=here)
    assert (done.code, done.out) == (0, committed.read_text())
