"""Scripts of `mock/scripted` that cannot be used: one sentence each, with the file's name and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from debate_cli.domain.config import ModelSpec
from debate_cli.errors import ConfigError
from debate_cli.providers.mock_script import Script

SPEC = ModelSpec(model="mock/scripted", script="said.yaml")
UNREADABLE = "the script of mock/scripted cannot be read"
NO_YAML = "the script of mock/scripted is neither YAML nor JSON; look here"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, f"said.yaml: {UNREADABLE} (No such file or directory); create it, or correct its name"),
        (b"opening: \xff", f"said.yaml: {UNREADABLE} (it is not valid UTF-8); "),
        (b"#" * (1024 * 1024 + 1), f"said.yaml: {UNREADABLE} (it is larger than 1024 KiB); "),
        (b"opening: 2026-99-99", f"said.yaml: {UNREADABLE} ("),
        (b"opening: [", f"said.yaml:1:11: {NO_YAML}"),
        (b"[" * 100_000, f"said.yaml: {NO_YAML}"),
        (b"- opening", "said.yaml: the script of mock/scripted must map purposes (opening, ...) to replies; begin it with"),
        (b"", "said.yaml: the script of mock/scripted must map purposes"),
    ],
)  # fmt: skip
def test_a_script_that_cannot_be_used_is_told_plainly(tmp_path: Path, content: bytes | None, told: str) -> None:
    """Not there, no text, too large, no YAML, nested without end, no mapping."""
    if content is not None:
        (tmp_path / "said.yaml").write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        Script.load(SPEC, tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}/{told}")
