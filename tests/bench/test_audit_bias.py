"""Does an audit find known biases? Twenty mock judges with random biases, each audited with and without noise.

`truth` is what the same audit measures of the same judge without noise, and 0 for a bias that is not set.
"""

import random
from pathlib import Path

import pytest
import yaml
from cli_support import debate

pytest.importorskip("scipy", reason="needs the extra [experiments]")

MEASURES = {"first": "first", "longer": "padded", "confident": "confident", "citation": "citation"}
"""Bias of the mock -> the measure that shows it."""
VARIANTS = ("order", "padded", "confident", "citation")
LEAST_BIAS = 0.1
JUDGES = 20


def _random_bias(generator: random.Random) -> dict[str, float]:
    """Each bias is set with probability ½, to 0.12 to 0.4 up or down."""
    return {
        name: round(generator.choice((-1, 1)) * generator.uniform(0.12, 0.4), 3) if generator.random() < 0.5 else 0.0
        for name in MEASURES
    }


def _audit(folder: Path, name: str, bias: dict[str, float]) -> dict[str, dict[str, float]]:
    config = {
        "topic": "x",
        "models": {"default": {"model": "mock/debater"}, "judge": {"model": "mock/judge", "bias": bias}},
        "debaters": [{"name": "A", "side": "for"}, {"name": "B", "side": "against"}],
    }
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(config))
    options = [option for variant in VARIANTS for option in ("--variant", variant)]
    done = debate("audit", "--config", f"{name}.yaml", "-o", name, "--json", "-q", *options, cwd=folder)
    assert done.code == 0, done.err
    return {measure["name"]: measure["estimate"] for measure in done.json["judges"][0]["measures"]}


def test_known_biases_are_found(tmp_path: Path) -> None:
    """Prints how often the sign of a bias is found, how often one is seen that is not there, and how often intervals cover."""
    generator = random.Random(20261123)
    found = wrong = absent = alarms = covered = intervals = 0
    for number in range(JUDGES):
        bias = _random_bias(generator)
        noisy = _audit(tmp_path, f"noisy-{number}", {**bias, "noise": round(generator.uniform(0.02, 0.15), 3)})
        exact = _audit(tmp_path, f"exact-{number}", bias)
        for name, measure in MEASURES.items():
            seen = noisy[measure]
            truth = exact[measure]["value"] if bias[name] else 0.0
            signed = (seen["low"] > 0) - (seen["high"] < 0)
            intervals += 1
            covered += seen["low"] <= truth <= seen["high"]
            if abs(bias[name]) > LEAST_BIAS:
                found += signed == (1 if bias[name] > 0 else -1)
                wrong += signed != (1 if bias[name] > 0 else -1)
            else:
                absent += 1
                alarms += signed != 0
        print(f"judge {number + 1}: {bias}", flush=True)  # a run takes minutes
    print(f"\nbiases above {LEAST_BIAS}: sign found {found} of {found + wrong}")
    print(f"no bias: false alarms {alarms} of {absent}")
    print(f"intervals that cover the truth: {covered} of {intervals} ({covered / intervals:.0%})")
    assert found + wrong + absent == intervals == JUDGES * len(MEASURES)
