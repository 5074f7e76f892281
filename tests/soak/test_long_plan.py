"""Long debates with all judging systems: the plan, and what a run on the same mock uses."""

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_support import debate, write_config
from long_debate_support import SYSTEMS, long_config


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "free_flowing", "turns": 200},
        {"kind": "free_flowing", "turns": 60, "history": "full"},
        {"rounds": 60},
        {"kind": "semi_structured", "rounds": 50, "history": "recent"},
    ],
    ids=str,
)
def test_the_plan_is_within_a_quarter_of_what_a_run_uses(tmp_path: Path, form: dict[str, Any]) -> None:
    """Calls, input and output tokens. Prints both, and the CPU time of the plan."""
    config = long_config(4, "auto").model_dump(mode="json", include={"topic", "debaters"})
    config |= {"format": form, "models": {"default": {"model": "mock/a"}}, "judging": {"systems": SYSTEMS}}
    write_config(tmp_path, yaml.safe_dump(config))
    started = time.process_time()
    planned = debate("run", "debate.yaml", "--dry-run", "--json", cwd=tmp_path).json["plan"]["planned"]
    seconds = time.process_time() - started
    ran = debate("run", "debate.yaml", "--no-save", "--json", cwd=tmp_path).json
    used = ran["usage"]
    print(f"\n{len(ran['turns'])} turns, plan: {seconds:.1f} s of CPU")
    for tokens in ("calls", "input_tokens", "output_tokens"):
        print(f"{tokens}: planned {planned[tokens]:,}, used {used[tokens]:,} ({planned[tokens] / used[tokens]:.2f})")
    for tokens in ("calls", "input_tokens", "output_tokens"):
        assert planned[tokens] == pytest.approx(used[tokens], rel=0.25)
