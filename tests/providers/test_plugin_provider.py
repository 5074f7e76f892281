"""A package can add a provider through the entry-point group `debate_cli.providers`."""

import json
from pathlib import Path

from cli_support import CommandResult, start_process

PLUGIN = """
import asyncio
from pathlib import Path
from debate_cli.domain.config import ModelSpec
from debate_cli.providers.mock.model import MockModel
from debate_cli.providers.provider_table import ProviderRow

class Faulty:
    def __init__(self, name):
        self.name = name

    async def complete(self, request, on_text=None):
        if self.name == "raising":
            raise ValueError("boom")
        if self.name == "sleeping":
            await asyncio.sleep(3600)
        return None

class EchoServer:
    def model(self, name, profile):
        if name == "missing":
            raise LookupError(name)
        if name in {"raising", "sleeping", "empty"}:
            return Faulty(name)
        return MockModel(ModelSpec(model=f"echo/{name}"), seed=1, folder=Path())

    async def aclose(self):
        pass

ROW = ProviderRow("echo", "echo", make_server=lambda row, endpoint: EchoServer())
KEYED = ProviderRow("echo", "echo", api_key_env="ECHO_KEY", make_server=lambda row, endpoint: EchoServer())
"""
CONFIG = (
    "topic: Tea\nmodels: {default: {model: echo/large}}\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
)


def run_debate(folder: Path, *options: str) -> CommandResult:
    """The command line in `folder`, with the packages in it installed."""
    with start_process(*options, cwd=folder, env={"PYTHONPATH": str(folder)}) as process:
        return process.wait()


def install_plugin(folder: Path, entry_point: str) -> None:
    """Put a package with one entry point into `folder`."""
    (folder / "echo_provider.py").write_text(PLUGIN)
    info = folder / "echo_provider-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-provider\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[debate_cli.providers]\necho = {entry_point}\n")


def test_a_plugin_provider_runs_a_debate(tmp_path: Path) -> None:
    """Its models are used like those of a built-in provider."""
    install_plugin(tmp_path, "echo_provider:ROW")
    (tmp_path / "debate.yaml").write_text(CONFIG)
    done = run_debate(tmp_path, "run", "debate.yaml", "--id", "tea", "--out", "transcripts")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "transcripts" / "tea.json").read_text())["status"] == "complete"


FAULTS = {
    "raising": ("CallerModelError", "raised ValueError (boom); update or remove the package of the provider echo"),
    "empty": ("CallerModelError", "returned NoneType instead of a `Reply`"),
    "missing": ("CallerModelError", "raised LookupError (missing)"),
    "sleeping": ("ModelTimeoutError", "did not complete its answer in 1 s"),
}
"""Cause and words of the failure of a judge with a faulty model."""


def test_a_faulty_model_of_a_plugin_costs_only_its_judgement(tmp_path: Path) -> None:
    """Every other answer is kept, and the debate is complete."""
    install_plugin(tmp_path, "echo_provider:ROW")
    judges = ", ".join(f"{{id: {name}, persona: qa_evaluator, model: echo/{name}}}" for name in FAULTS)
    systems = f"judging: {{decides: structured, systems: [structured, {{kind: panel, judges: [{judges}]}}]}}\n"
    (tmp_path / "debate.yaml").write_text(f"{CONFIG}{systems}limits: {{answer_timeout_s: 1, max_attempts: 1}}\n")
    done = run_debate(tmp_path, "run", "debate.yaml", "--id", "tea", "--out", "transcripts")
    stored = json.loads((tmp_path / "transcripts" / "tea.json").read_text())
    assert (stored["status"], len(stored["turns"]), "report it" in done.err) == ("complete", 6, False)
    failures = {failure["who"]: failure for failure in stored["failures"]}
    assert {who: failure["cause"] for who, failure in failures.items()} == {
        who: cause for who, (cause, _) in FAULTS.items()
    }
    assert all(words in failures[who]["message"] for who, (_, words) in FAULTS.items())


def test_a_missing_key_of_a_plugin_is_found_before_the_first_request(tmp_path: Path) -> None:
    """This holds although the plug-in names no address."""
    install_plugin(tmp_path, "echo_provider:KEYED")
    (tmp_path / "debate.yaml").write_text(CONFIG)
    for command in ("check", "run"):
        done = run_debate(tmp_path, command, "debate.yaml")
        assert (done.code, "ECHO_KEY is not set: provider echo needs it" in done.err) == (2, True)


def test_a_broken_plugin_is_a_configuration_error(tmp_path: Path) -> None:
    """The message names the plug-in and says what to do."""
    install_plugin(tmp_path, "echo_provider:NOTHING")
    done = run_debate(tmp_path, "run", "--topic", "Tea", "--mock")
    assert done.code == 2
    assert "the plug-in `echo` of echo-provider cannot be loaded" in done.err
    assert "reinstall or remove the package" in done.err
