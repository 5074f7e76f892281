"""A package can add a provider through the entry-point group `debate_cli.providers`."""

import json
from pathlib import Path

from cli_support import CommandResult, start_process

PLUGIN = """
from pathlib import Path
from debate_cli.domain.config import ModelSpec
from debate_cli.providers.mock.model import MockModel
from debate_cli.providers.provider_table import ProviderRow

class EchoServer:
    def model(self, name, profile):
        return MockModel(ModelSpec(model=f"echo/{name}"), seed=1, folder=Path())

    async def aclose(self):
        pass

ROW = ProviderRow("echo", "echo", make_server=lambda row, endpoint: EchoServer())
"""


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
    config = "topic: Tea\nmodels: {default: {model: echo/large}}\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
    (tmp_path / "debate.yaml").write_text(config)
    done = run_debate(tmp_path, "run", "debate.yaml", "--id", "tea", "--out", "transcripts")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "transcripts" / "tea.json").read_text())["status"] == "complete"


def test_a_broken_plugin_is_a_configuration_error(tmp_path: Path) -> None:
    """The message names the plug-in and says what to do."""
    install_plugin(tmp_path, "echo_provider:NOTHING")
    done = run_debate(tmp_path, "run", "--topic", "Tea", "--mock")
    assert done.code == 2
    assert "the plug-in `echo` of echo-provider cannot be loaded" in done.err
    assert "reinstall or remove the package" in done.err
