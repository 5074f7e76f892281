"""Checks the packages of `.ci/constraints*.txt` for known vulnerabilities with pip-audit: `python audit.py PIP_AUDIT`.

pip-audit itself succeeds if it skipped every package. Exit codes: 0 all audited and none vulnerable, 1 vulnerabilities,
2 not audited.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CONSTRAINTS = sorted(Path(__file__).parent.glob("constraints*.txt"))
OPTIONS = ("--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off")
MAX_NAMED = 5


def main(program: str) -> int:
    """Run the program and print the result. Returns the exit code."""
    done = subprocess.run(
        [program, *OPTIONS, *(f"--requirement={path}" for path in CONSTRAINTS)],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
        print(f"not audited: {program} failed ({reason}); try again where its database can be reached")
        return 2
    vulnerable = [package for package in packages if package.get("vulns")]
    for package in vulnerable:
        ids = ", ".join(found["id"] for found in package["vulns"])
        print(f"vulnerable: {package['name']} {package['version']} ({ids})")
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if skipped or not packages:
        named = ", ".join(skipped[:MAX_NAMED]) + (" ..." if len(skipped) > MAX_NAMED else "")
        print(
            f"not audited: {len(skipped)} of {len(packages)} packages ({named}); the database does not answer for them"
        )
    else:
        print(f"audited: {len(packages)} packages, {len(vulnerable)} of them vulnerable")
    return 1 if vulnerable else 2 if skipped or not packages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
