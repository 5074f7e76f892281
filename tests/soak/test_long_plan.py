"""A free-flowing debate of 400 turns with all judging systems: its plan, and what a run on the same mock uses."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml
from cli_support import debate, write_config
from long_debate_support import SYSTEMS, long_config


def test_the_plan_of_400_turns_is_within_a_quarter_of_what_a_run_uses(tmp_path: Path) -> None:
    """Input and output tokens of all calls. Prints both, and the CPU time of the plan."""
    config = long_config(400, "auto").model_dump(mode="json", include={"topic", "debaters", "format"})
    config |= {"models": {"default": {"model": "mock/a"}}, "judging": {"systems": SYSTEMS}}
    write_config(tmp_path, yaml.safe_dump(config))
    started = time.process_time()
    planned = debate("run", "debate.yaml", "--dry-run", "--json", cwd=tmp_path).json["plan"]["planned"]
    seconds = time.process_time() - started
    used = debate("run", "debate.yaml", "--no-save", "--json", cwd=tmp_path).json["usage"]
    for tokens in ("calls", "input_tokens", "output_tokens"):
        print(f"{tokens}: planned {planned[tokens]:,}, used {used[tokens]:,} (plan: {seconds:.0f} s of CPU)")
        assert planned[tokens] == pytest.approx(used[tokens], rel=0.25)
