"""A package that registers an object that is no usable judging system: every command says so and what to do."""

from pathlib import Path

import pytest
from cli_support import start_process

PACKAGE = """
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.systems.base import JudgingSystem


class Incomplete(JudgingSystem[SystemSettings]):
    kind = "badsys"
    settings = SystemSettings


class Renamed(Incomplete):
    kind = "other"
    prompt_package = "bad"


MAPPING = {"kind": "badsys"}
INCOMPLETE = Incomplete()
RENAMED = Renamed()
"""


@pytest.mark.parametrize(
    ("attribute", "fault"),
    [
        ("MAPPING", "does not refer to a JudgingSystem"),
        ("Renamed", "does not refer to a JudgingSystem"),  # the class instead of an object of the class
        ("INCOMPLETE", "refers to a JudgingSystem without prompt_package"),
        ("RENAMED", "refers to a JudgingSystem with another kind, `other`"),
    ],
)
def test_a_wrong_object_is_a_configuration_error(tmp_path: Path, attribute: str, fault: str) -> None:
    """The command exits with 2 and names the plug-in, its package, the fault and what to do."""
    (tmp_path / "bad.py").write_text(PACKAGE)
    info = tmp_path / "bad-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[debate_cli.systems]\nbadsys = bad:{attribute}\n")
    with start_process("run", "--topic", "Tea", "--mock", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}) as process:
        done = process.wait()
    assert done.code == 2
    assert f"the plug-in `badsys` of bad {fault}; update or remove its package" in done.err
