"""A command whose packages are not installed: one sentence with the command that installs them, and no page."""

import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from cli_support import debate


@pytest.mark.parametrize(
    ("command", "module", "extra"),
    [
        ("audit --judge mock/a --system structured -o out", "scipy", "experiments"),
        ("experiment rate results.csv", "evalica", "experiments"),
        ("worker --queue postgresql://127.0.0.1/debate", "psycopg", "cluster"),
        ("evidence list --evidence plan.pdf", "pypdf", "documents"),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    command: str, module: str, extra: str, tmp_path: Path
) -> None:
    """The command is for this interpreter and for a checkout, as in README, because the package is on no index."""
    (tmp_path / "plan.pdf").write_text("%PDF")
    with patch.dict(sys.modules, {module: None}):
        done = debate(*command.split(), cwd=tmp_path)
    (message,) = done.lines
    assert done.code == 2
    assert message.startswith("debate: ")
    assert f"`{sys.executable} -m pip install '.[{extra}]'` in the checkout of debate-cli" in message
    assert "debate explain" not in message
