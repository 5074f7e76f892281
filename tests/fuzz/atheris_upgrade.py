"""Fuzz the upgrade steps: `python tests/fuzz/atheris_upgrade.py -max_total_time=60`, or `make fuzz`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from fuzz_atheris import main

main()
