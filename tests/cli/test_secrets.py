"""Secrets in a configuration: refused in names, not shown on the terminal, redacted in a debate that is resumed."""

from pathlib import Path

import pytest
from cli_support import debate, write_config

SECRET = "hunter2secretvalue"
CONFIG = """\
topic: x
background: "SECRET is here"
providers: {lab: {kind: openai, base_url: "http://127.0.0.1:9/v1", api_key_env: LAB_KEY}}
models: {bad: {model: lab/x}}
debaters: [{name: Pro, side: for, model: bad}, {name: Con, side: against, model: mock/mock}]
judging: {systems: [{kind: structured, judge: mock/mock}]}
limits: {max_attempts: 1, timeout_s: 3}
""".replace("SECRET", SECRET)
ENV = {"LAB_KEY": SECRET}


@pytest.fixture
def failed(here: Path) -> Path:
    """The folder of a debate that failed, as its provider could not be reached."""
    write_config(here, CONFIG)
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here, env=ENV).code == 3
    return here


def test_a_debate_with_a_redacted_secret_can_be_resumed(failed: Path) -> None:
    """A configuration whose secret is redacted in the transcript counts as equal."""
    assert debate("run", "debate.yaml", "--resume", "one", "-q", cwd=failed, env=ENV).code == 3


@pytest.mark.parametrize("forgotten", [[], ["--set", "providers.lab.api_key_env=null"]], ids=["known", "forgotten"])
def test_a_difference_is_shown_without_the_secret(failed: Path, forgotten: list[str]) -> None:
    """A refused difference shows neither the stored nor the given secret."""
    changes = ["--set", f"background={SECRET} was here", *forgotten]
    done = debate("run", "debate.yaml", "--resume", "one", *changes, cwd=failed, env=ENV)
    assert (done.code, SECRET in done.out + done.err) == (2, False)
    assert 'given "[redacted] was here"' in done.err


NAMES = [
    ("debaters.0.name=SECRET", "debaters.0.name"),
    ("debaters.0.name=SECRET_2", "debaters.0.name"),
    ("debaters.0.model=lab/SECRET", "debaters.0.model"),
    ("models.bad.model=lab/SECRET", "models.bad.model"),
    ("models.SECRET.model=lab/x", "models"),
    ("providers.SECRET={kind: openai, base_url: 'http://127.0.0.1:9/v1', api_key_env: null}", "providers"),
    ("judging.systems.0.judge=mock/SECRET", "judging.systems.0.judge"),
    ("judging.systems.0.judges=[{id: SECRET}]", "judging.systems.0.judges.0.id"),
    ("judging.systems.0.criteria=[{name: SECRET, description: x, weight: 1}]", "judging.systems.0.criteria.0.name"),
]


@pytest.mark.parametrize(
    "setting", ["providers.SECRET.kind=mock", "providers.SECRET.structured=[]", "models.SECRET.modle=x"]
)
@pytest.mark.parametrize("variable", ["LAB_KEY", "'${WHICH}'"])
def test_an_error_of_the_configuration_shows_no_secret(here: Path, setting: str, variable: str) -> None:
    """A name that contains a secret is also removed from an error about another part of the configuration."""
    write_config(here, CONFIG.replace("LAB_KEY", variable))
    done = debate(
        "run", "debate.yaml", "--set", setting.replace("SECRET", SECRET), cwd=here, env={**ENV, "WHICH": "LAB_KEY"}
    )
    assert (done.code, SECRET in done.out + done.err, "[redacted]" in done.err) == (2, False, True), done.err


@pytest.mark.parametrize(("setting", "path"), NAMES)
def test_a_name_that_contains_a_secret_is_refused(here: Path, setting: str, path: str) -> None:
    """The error names the key path, and not the value."""
    write_config(here, CONFIG)
    done = debate("run", "debate.yaml", "--set", setting.replace("SECRET", SECRET), cwd=here, env=ENV)
    message = f"{path}: contains a secret"
    assert (done.code, SECRET in done.out + done.err) == (2, False)
    assert message in done.err
    assert done.err.count("contains a secret") == 1


@pytest.mark.parametrize(
    "command", [("run", "debate.yaml", "--dry-run"), ("check", "debate.yaml"), ("check", "debate.yaml", "--json")]
)
def test_the_error_has_the_position_of_the_name(here: Path, command: tuple[str, ...]) -> None:
    """`check` and --dry-run refuse the name too. The line and the column are those of the name in the file."""
    write_config(here, CONFIG.replace("name: Pro", f"name: {SECRET}"))
    done = debate(*command, cwd=here, env=ENV)
    assert (done.code, SECRET in done.out + done.err) == (2, False)
    assert "debate.yaml:5:19: debaters.0.name: contains a secret" in done.out + done.err


def test_a_name_from_a_variable_for_texts_is_refused(here: Path) -> None:
    """A secret variable of --var counts as a secret."""
    write_config(here, CONFIG.replace("name: Pro", 'name: "${MY_TOKEN}"'))
    done = debate("check", "debate.yaml", "--var", "MY_TOKEN=aunt-abigail", cwd=here)
    assert (done.code, "abigail" in done.out + done.err) == (2, False)
    assert "contains a secret" in done.err


@pytest.mark.parametrize(
    "options", [("--model", f"lab/{SECRET}"), ("--model", "mock/judge", "--model", f"lab/{SECRET}")], ids=["one", "two"]
)
def test_a_judge_whose_model_contains_a_secret_is_refused(failed: Path, options: tuple[str, ...]) -> None:
    """`judge` names the option."""
    done = debate("judge", "one", "--config", "debate.yaml", *options, cwd=failed, env=ENV)
    assert (done.code, SECRET in done.out + done.err) == (2, False)
    assert "--model: contains a secret" in done.err


def test_a_short_or_placeholder_key_may_be_part_of_a_name(here: Path) -> None:
    """A value of 7 characters, and a placeholder such as `lm-studio`, are no secrets."""
    for key in ("Studio7", "lm-studio"):
        write_config(here, CONFIG.replace("name: Pro", f"name: {key}"))
        assert debate("check", "debate.yaml", cwd=here, env={"LAB_KEY": key}).code == 0


def test_paths_are_printed_without_the_secret(here: Path) -> None:
    """Status lines, notes on the run and error lines show `[redacted]` in a path that the user chose."""
    write_config(here, CONFIG)
    out, report = ("--out", f"dir-{SECRET}"), ("--report", f"{SECRET}.html")
    first = debate("run", "debate.yaml", "--mock", *out, *report, "--id", "a", cwd=here, env=ENV)
    again = debate("run", "debate.yaml", "--mock", *out, "--id", "a", cwd=here, env=ENV)
    judged = debate("judge", f"dir-{SECRET}/a.json", "--mock", "--config", "debate.yaml", cwd=here, env=ENV)
    assert (first.code, again.code, judged.code) == (0, 2, 0)
    for done in (first, again, judged):
        assert SECRET not in done.out + done.err
    assert "saved: dir-[redacted]/a.json" in first.err
    assert "written: [redacted].html" in first.err
    assert "dir-[redacted]/a.json" in again.err
    assert "saved: dir-[redacted]/a.json" in judged.err


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (("init", f"dir-{SECRET}", "--yes"), "written: dir-[redacted]/debate.yaml"),
        (("judge", SECRET, "--mock"), "[redacted]: no such file"),
        (("import", SECRET, "--arguments", "mock/m"), "[redacted]: no such file"),
    ],
    ids=["init", "judge", "import"],
)
def test_a_key_in_the_environment_is_printed_by_no_command(here: Path, command: tuple[str, ...], line: str) -> None:
    """A command that reads the environment prints no key of a built-in provider, and has to do nothing for it."""
    write_config(here, CONFIG)
    done = debate(*command, cwd=here, env={"OPENAI_API_KEY": SECRET})
    assert (SECRET in done.out + done.err, line in done.err) == (False, True), done.err
