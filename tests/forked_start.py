"""Imported once by the server that forks processes: a process then begins as this module leaves it.

A rehearsal imports and compiles what most commands use, which takes a second. New interpreters are tested in `cli/test_startup.py`.
"""

import tempfile
from pathlib import Path

from cli_support import CONFIGS, debate

from debate_cli import plugins

with tempfile.TemporaryDirectory() as folder:
    here = Path(folder) / "here"
    here.mkdir()
    done = debate("run", CONFIGS / "mock.yaml", "--id", "one", cwd=here)
    assert done.code == 0, done.err
# A process may have other packages installed.
plugins._entry_points.cache_clear()  # pyright: ignore[reportPrivateUsage]
plugins._load.cache_clear()  # pyright: ignore[reportPrivateUsage]
