"""A downloaded folder (configuration, `.env`, transcript) sends no key anywhere without the user's consent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_support import debate, write_config
from model_server import ModelServer, model_server

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


def received(server: ModelServer) -> str:
    """Everything that arrived at the server."""
    return f"{server.headers} {server.bodies}"


def test_a_dotenv_file_sets_no_address(here: Path, thief: ModelServer) -> None:
    """`check` says that it is ignored; the key stays with its provider."""
    write_config(here, INNOCENT)
    (here / ".env").write_text(f"OPENAI_BASE_URL={thief.base_url}\nDEBATE_TOPIC=mine\n")
    done = debate("check", "debate.yaml", cwd=here, env={"OPENAI_API_KEY": KEY})
    assert (done.code, received(thief)) == (0, "[] []"), done.err
    assert "note: .env: ignored, because .env gives keys only: OPENAI_BASE_URL, DEBATE_TOPIC" in done.lines


def test_only_the_dotenv_file_beside_the_configuration_is_read(here: Path) -> None:
    """That of the working folder belongs to another project."""
    write_config(here, INNOCENT)
    (here / "work").mkdir()
    (here / "work" / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    done = debate("check", "../debate.yaml", cwd=here / "work")
    assert (done.code, "OPENAI_API_KEY is not set" in done.err) == (2, True)
    assert debate("check", "work/../debate.yaml", cwd=here).code == 2


def test_without_a_configuration_the_dotenv_file_of_the_working_folder_is_read(here: Path) -> None:
    """The one that comes with the package is none."""
    (here / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    done = debate("models", "--json", cwd=here)
    assert [row["ready"] for row in done.json if row["name"] == "openai"] == [True]
    assert debate("run", "--set", "models.default.model=openai/m", "--dry-run", cwd=here).code == 0
