"""Invalid input: one line each with an exit code, no traceback, no changed file."""

import json
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, write_config

MOCK = CONFIGS / "mock.yaml"
TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
FINE = f"topic: x\nmodels: {{default: {{model: mock/a}}}}\n{TWO}"
CONFIG_FAULTS = {
    "unknown key": (FINE.replace("topic", "topik"), "did you mean `topic`?"),
    "unknown key within": (FINE + "format: {argumants: 2}\n", "did you mean `arguments`?"),
    "unknown provider": (FINE.replace("mock/a", "mok/a"), "did you mean `mock`?"),
    "unknown role": (FINE.replace("name: Pro", "model: strong, name: Pro"), "`models` has no entry of this name"),
    "no provider": (FINE.replace("mock/a", "gpt"), "models.default.model"),
    "malformed": ("topic: [x\n", "debate.yaml:2:1: not valid YAML"),
    "tabs": ("topic: x\n\tdebaters: []\n", "debate.yaml:2:1: not valid YAML"),
    "duplicate key": ("topic: y\n" + FINE, "topic"),
    "a tag": (FINE + "background: !!python/object:os.system x\n", "tag"),
    "a list": ("- topic\n", "mapping"),
    "empty": ("", "topic"),
    "one debater": (FINE.replace(", {name: Con, side: against}", ""), "debaters"),
    "unset variable": (FINE + "background: ${NO_SUCH_VARIABLE}\n", "NO_SUCH_VARIABLE"),
    "a key in the file": (FINE + "providers: {lab: {kind: openai, api_key_env: sk-abcdefghijklmnopqrstuv}}\n", "api_key_env"),
    "not a number": (FINE + "limits: {max_tokens: many}\n", "limits.max_tokens"),
    "out of range": (FINE + "format: {arguments: 99}\n", "format.arguments"),
    "newer": (FINE + "version: 2\n", "version"),
}  # fmt: skip
NO_TRANSCRIPTS = {
    "not JSON": b"hello",
    "empty": b"",
    "a list": b"[]",
    "not ours": b'{"name": "x"}',
    "newer": b'{"schema_version": 99}',
    "cut off": b'{"schema_version": 1, "id": "x", "top',
    "wrong type": b'{"schema_version": 1, "generator": 3}',
    "no number": b'{"schema_version": 1, "id": NaN}',
    "not UTF-8": b'{"schema_version": 1, "id": "\xff\xfe"}',
    "nested": b"[" * 100_000,
}
COMMANDS = {
    "score": ["score", "bad.json"],
    "replay": ["replay", "bad.json"],
    "judge": ["judge", "bad.json", "--mock"],
    "resume": ["run", "--resume", "bad.json"],
}


@pytest.mark.parametrize("name", CONFIG_FAULTS)
def test_an_invalid_configuration_names_its_place(here: Path, name: str) -> None:
    """Exit 2; each line on stderr names the file; no file is written."""
    text, named = CONFIG_FAULTS[name]
    write_config(here, text)
    done = debate("run", "debate.yaml", "--id", "one", cwd=here)
    assert (done.code, done.out) == (2, "")
    assert named in done.err
    assert "Traceback" not in done.err
    assert [path.name for path in here.iterdir()] == ["debate.yaml"]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        pytest.param(name, command, marks=[] if command == "score" or name == "cut off" else pytest.mark.soak)
        for name in NO_TRANSCRIPTS
        for command in COMMANDS
    ],
)
def test_an_invalid_transcript_is_one_line(here: Path, name: str, command: str) -> None:
    """Exit 2 with the file's name; the file is unchanged."""
    path = here / "bad.json"
    path.write_bytes(NO_TRANSCRIPTS[name])
    done = debate(*COMMANDS[command], cwd=here)
    assert (done.code, done.out, len(done.lines)) == (2, "", 1), done.err
    assert "bad.json" in done.err
    assert path.read_bytes() == NO_TRANSCRIPTS[name]
    assert list(here.iterdir()) == [path]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_file_is_one_line(here: Path, command: str) -> None:
    """A missing file ends with exit code 2 and one line with its name."""
    done = debate(*COMMANDS[command], cwd=here)
    assert (done.code, len(done.lines), "bad.json" in done.err) == (2, 1, True), done.err


@pytest.mark.parametrize("command", ["score", "judge"])
@pytest.mark.parametrize("where", ["empty", "*.json"])
def test_an_empty_folder_or_glob_is_an_error(here: Path, command: str, where: str) -> None:
    """A folder or glob without debates ends with exit code 2."""
    (here / "empty").mkdir()
    done = debate(command, where, cwd=here)
    assert (done.code, len(done.lines), where in done.err) == (2, 1, True)


@pytest.mark.parametrize(
    "args",
    [["run", "none.yaml"], ["check", "none.yaml"], ["run", "."], ["run", "--resume", "no-such-id"], ["run", "--resume", "x", "--no-save"],
     ["run", "--resume", "x", "--id", "y"],
     ["run", str(MOCK), "--id", "../x"], ["run", str(MOCK), "--id", "X"], ["run", str(MOCK), "--set", "topic"],
     ["run", str(MOCK), "--set", "format.argments=2"], ["run", str(MOCK), "--set", "seed=[1"],
     ["run", str(MOCK), "--record", "a", "--replay", "b"], ["run", str(MOCK), "--replay", "none"]],
    ids=" ".join,
)  # fmt: skip
def test_an_invalid_option_is_one_line(here: Path, args: list[str]) -> None:
    """Exit 2, nothing on stdout, no file written."""
    done = debate(*args, cwd=here)
    assert (done.code, done.out, len(done.lines), list(here.iterdir())) == (2, "", 1, []), done.err


@pytest.mark.parametrize("args", [["frob"], ["run", "--frob"], ["score"], ["run", "--seed", "x"]], ids=" ".join)
def test_unknown_words_are_refused(here: Path, args: list[str]) -> None:
    """Exit 2 and a hint at the help."""
    done = debate(*args, cwd=here)
    assert (done.code, done.out) == (2, "")
    assert "-h" in done.err


def test_a_missing_key_is_reported_before_any_call(here: Path) -> None:
    """Exit 2 with variable and provider; no file is written."""
    write_config(here, FINE.replace("mock/a", "openai/gpt-5"))
    done = debate("run", "debate.yaml", "--id", "one", cwd=here)
    assert (done.code, len(done.lines)) == (2, 1)
    assert "OPENAI_API_KEY" in done.err
    assert "provider openai" in done.err
    assert [path.name for path in here.iterdir()] == ["debate.yaml"]


def test_a_cost_limit_needs_a_price(here: Path) -> None:
    """Exit 2 before any call; the message says where to set it."""
    lab = "providers: {lab: {kind: openai, base_url: 'http://127.0.0.1:9/v1'}}\n"
    write_config(here, FINE.replace("mock/a", "lab/x") + lab + "limits: {max_cost_usd: 1}\n")
    done = debate("run", "debate.yaml", cwd=here)
    assert (done.code, "price" in done.err, len(done.lines)) == (2, True, 1)


@pytest.mark.parametrize("model", ["ollama/x", "vllm/x", "local/none.gguf", "mock/a"])
def test_local_models_work_with_a_cost_limit(here: Path, model: str) -> None:
    """Models on this machine cost 0, so a cost limit allows them."""
    write_config(here, FINE.replace("mock/a", model) + "limits: {max_cost_usd: 1}\n")
    done = debate("run", "debate.yaml", "--dry-run", "--json", cwd=here)
    document = json.loads(done.out)
    assert (done.code, document["plan"]["worst_cost_usd"]) == (0, 0.0), done.err


@pytest.mark.parametrize(("script", "words"), [("", "needs `script`"), (", script: gone.yaml", "no such file")])
def test_check_reports_a_missing_script(here: Path, script: str, words: str) -> None:
    """`check` names the place of a missing script, and accepts the configuration once the script exists."""
    scripted = FINE.replace("mock/a", f"mock/scripted{script}")
    write_config(here, scripted)
    done = debate("check", "debate.yaml", cwd=here)
    assert (done.code, len(done.lines), words in done.err) == (2, 1, True), done.err
    assert done.err.startswith("debate.yaml:2:")
    (here / "said.yaml").write_text("closing: I rest my case.\n")
    write_config(here, FINE.replace("mock/a", "mock/scripted, script: said.yaml"))
    assert debate("check", "debate.yaml", cwd=here).code == 0


def test_check_warns_of_variables_that_are_no_settings(here: Path) -> None:
    """Without the value; real settings cause no warning."""
    env = {"DEBATE_FORMAT_ARGUMENTS": "hush-hush", "DEBATE_TOPIC": "x", "DEBATE__FORMAT__ARGUMENTS": "2"}
    checked = debate("check", MOCK, "--json", cwd=here, env=env)
    (line,) = checked.lines
    assert line.startswith(
        "warning: DEBATE_FORMAT_ARGUMENTS is not a setting and is ignored; settings are DEBATE_TOPIC"
    )
    assert (checked.code, checked.json[0]["problems"]) == (0, [])


@pytest.mark.parametrize(
    ("name", "variable", "value", "shown"),
    [
        ("ollama", "OLLAMA_HOST", "box:99", "http://box:99/v1"),
        ("openai", "OPENAI_BASE_URL", "http://bob:pass1234@box/v1?key=abcdefgh", "http://[redacted]@box/v1"),
        ("anthropic", "ANTHROPIC_BASE_URL", "https://t0ken@box", "https://[redacted]@box"),
    ],
)
def test_models_shows_the_address_in_use(here: Path, name: str, variable: str, value: str, shown: str) -> None:
    """`models` shows the address from the environment without its credentials, in text and in JSON."""
    plain, data = (debate("models", *args, cwd=here, env={variable: value}) for args in ([], ["--json"]))
    (line,) = (line for line in plain.out.splitlines() if line.startswith(f"{name}\t"))
    assert line.split("\t")[3] == shown
    assert {entry["name"]: entry["base_url"] for entry in data.json}[name] == shown


@pytest.mark.parametrize("blocked", ["transcripts", "transcripts/one.lock"])
def test_nothing_is_asked_if_nothing_can_be_written(here: Path, blocked: str) -> None:
    """If no transcript can be written, the run ends with exit code 1 and one line before any call."""
    if blocked == "transcripts":
        (here / blocked).write_text("")
    else:
        (here / blocked).mkdir(parents=True)
    done = debate("run", MOCK, "--id", "one", "-q", cwd=here)
    assert (done.code, done.out, len(done.lines)) == (1, "", 1), done.err
    assert blocked in done.err


def test_debug_adds_the_traceback(here: Path) -> None:
    """With --debug a traceback comes before the message."""
    done = debate("run", "none.yaml", "--debug", cwd=here)
    assert done.code == 2
    assert done.lines[0].startswith("Traceback")
    assert done.lines[-1] == "none.yaml: no such file; `debate init` writes one (debate explain bad-config)"


def test_json_of_another_program_is_not_resumed(here: Path) -> None:
    """A JSON file of another program is refused and stays unchanged."""
    path = here / "data.json"
    path.write_text(json.dumps({"schema_version": "1", "turns": []}))
    done = debate("run", "--resume", "data.json", cwd=here)
    assert (done.code, json.loads(path.read_text())["schema_version"]) == (2, "1")


@pytest.mark.parametrize(
    ("options", "named"),
    [(("--max-cost", "0"), "--max-cost: must be above 0"), (("--topic", " "), "--topic: "),
     (("--set", "limits.max_cost_usd=0"), "--set: limits.max_cost_usd: ")],
)  # fmt: skip
def test_an_error_names_the_option_that_was_given(here: Path, options: tuple[str, ...], named: str) -> None:
    """An error names the given option, not another one with an equal effect."""
    done = debate("run", CONFIGS / "mock.yaml", *options, cwd=here)
    assert (done.code, done.err.startswith(named)) == (2, True), done.err


@pytest.mark.parametrize("name", ["debate.yaml", "Notes"])
def test_a_file_that_is_not_a_debate_is_not_called_an_invalid_id(here: Path, name: str) -> None:
    """An existing file is refused as a file, not as an invalid id."""
    (here / name).write_text("topic: Is tea better?\n")
    done = debate("replay", name, cwd=here)
    assert (done.code, f"{name}: is not valid JSON" in done.err) == (2, True), done.err


@pytest.mark.parametrize("command", ["replay", "score", "check", "judge"])
def test_file_names_are_sanitized(command: str, tmp_path: Path) -> None:
    """Control characters of a file's name do not reach the terminal."""
    done = debate(command, "\x1b]0;pwned\x07x.json", cwd=tmp_path)
    assert done.code != 0
    assert not {"\x1b", "\x07"} & set(done.out + done.err)


@pytest.mark.parametrize(
    ("command", "words"),
    [("replay x --speed 0", "'--speed': must be at least 0.01"), ("run --seed x", "'--seed': must be a valid integer")],
)
def test_an_option_out_of_range_is_refused_in_plain_words(here: Path, command: str, words: str) -> None:
    """The line names the option and the allowed values, without the words of the library that checks them."""
    done = debate(*command.split(), cwd=here)
    see = f"see: debate {command.split(maxsplit=1)[0]} --help"
    assert (done.code, done.lines) == (2, [f"debate: invalid value for {words}; {see}"])


@pytest.mark.parametrize(
    ("given", "suggestion"),
    [("Is tea better?", "debate run --topic 'Is tea better?'"), ("debate.yml", "did you mean `debate.yaml`?"),
     ("sub/debat.yaml", "did you mean `sub/debate.yaml`?"), ("PLAN.yaml", "`debate init` writes one"),
     ("elsewhere", "`debate init` writes one")],
)  # fmt: skip
def test_a_missing_configuration_gets_a_suggestion(here: Path, given: str, suggestion: str) -> None:
    """A motion, a similar file in the same folder, or `debate init`; `.yaml` makes no names similar."""
    (here / "sub").mkdir()
    for folder in (here, here / "sub"):
        (folder / "debate.yaml").write_text((CONFIGS / "mock.yaml").read_text())
    (here / "m2.yaml").touch()
    done = debate("run", given, "--mock", cwd=here)
    assert (done.code, len(done.lines), f"{given}: no such file; " in done.err, suggestion in done.err) == (
        2,
        1,
        True,
        True,
    )
