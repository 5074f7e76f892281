"""Free-flowing debates of older transcripts, whose configuration has simultaneous order."""

import json
from pathlib import Path

import pytest
from cli_support import debate, write_config

CONFIG = """
topic: Should cars be banned?
format: {kind: free_flowing, turns: 2}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
models: {default: {model: mock/a}}
limits: {max_tokens: TOKENS}
"""


@pytest.mark.parametrize("roads", [["--max-tokens", "900000"], ["larger.yaml"]])
def test_an_older_free_flowing_debate_can_be_resumed(here: Path, roads: list[str]) -> None:
    """A debate stored with simultaneous order is resumed with its stored configuration and with its file."""
    write_config(here, CONFIG.replace("TOKENS", "6000"), "small.yaml")
    write_config(here, CONFIG.replace("TOKENS", "900000"), "larger.yaml")
    stopped = debate("run", "small.yaml", "--id", "older", cwd=here)
    assert stopped.code == 4, stopped.err
    saved = here / "transcripts" / "older.json"
    document = json.loads(saved.read_text())
    assert document["config"]["format"]["order"] == "sequential"
    document["config"]["format"]["order"] = "simultaneous"
    saved.write_text(json.dumps(document))
    done = debate("run", *roads, "--resume", "older", cwd=here)
    assert (done.code, json.loads(saved.read_text())["closed"]) == (0, "complete"), done.err
