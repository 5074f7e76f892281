"""`debate run --dry-run`: the calls of a run as planned and at worst, without asking a model."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_support import CONFIGS, CommandResult, debate, write_config
from hypothesis import given, settings
from hypothesis import strategies as st

MOCK = CONFIGS / "mock.yaml"
TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
LAB = "providers: {lab: {kind: openai, base_url: 'http://127.0.0.1:9/v1', api_key_env: null}}\n"
ALL = (
    f"topic: t\n{TWO}seed: 3\n"
    "judging: {systems: [structured, moderator, {kind: panel, max_rounds: 2, convergence_threshold: 1.0}, live,"
    " {kind: persuasion, effects: judge}]}\n"
)


def plan(here: Path, text: str) -> Any:
    """The plan for a configuration."""
    return debate("run", write_config(here, text), "--dry-run", "--json", cwd=here).json["plan"]


def worst(found: Any, role: str) -> Any:
    """The worst case of one role."""
    return next(share["worst"] for share in found["roles"] if share["role"] == role)


def test_only_explicit_settings_are_printed(here: Path) -> None:
    """The explicit settings are printed as YAML, with the calls as comments, and no file is written."""
    done = debate("run", MOCK, "--dry-run", "--set", "format.arguments=2", cwd=here)
    resolved = yaml.safe_load(done.out)
    assert resolved["format"] == {"arguments": 2}
    assert not {"limits", "output", "providers", "prompts"} & set(resolved)
    assert "null" not in done.out
    assert "# planned: 6 speeches and at least 5 assessments" in done.out.splitlines()
    assert (done.code, sorted(path.name for path in here.iterdir())) == (0, [])


@pytest.mark.parametrize("judging", ["", "judging: {decides: live, systems: [panel, {kind: live}]}\n"])
def test_what_is_printed_is_a_configuration(here: Path, judging: str) -> None:
    """The printed YAML passes `debate check -` and means the same, also with --mock and without judges."""
    text = f"topic: t\n{TWO}models: {{default: {{model: openai/m}}}}\n{judging}"
    printed = debate("run", write_config(here, text), "--mock", "--dry-run", cwd=here).out
    kinds = [system["kind"] for system in yaml.safe_load(printed)["judging"]["systems"]]
    assert kinds == (["panel", "live"] if judging else ["structured"])
    assert debate("check", "-", cwd=here, input=printed).code == 0
    assert yaml.safe_load(debate("run", "-", "--dry-run", cwd=here, input=printed).out) == yaml.safe_load(printed)


VARIED = {"custom-endpoint", "everything", "evidence", "free-flowing", "mock", "three-way"}
"""Shipped configurations that together have each section, format and judging system."""


def assert_round_trip(folder: Path, config: Path | str, *options: str) -> None:
    """Check that the printed YAML, dry-run again, gives the same settings and the same plan."""
    printed = debate("run", config, *options, "--dry-run", cwd=folder)
    assert printed.code == 0, printed.err
    copy = write_config(folder, printed.out, "printed.yaml")
    first, second = (
        debate("run", *args, "--dry-run", "--json", cwd=folder).json for args in ([config, *options], [copy])
    )
    assert second["plan"] == first["plan"]
    assert second["config"] | {"vars": {}} == first["config"] | {"vars": {}}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.name, marks=() if path.stem in VARIED else pytest.mark.soak)
        for path in sorted(CONFIGS.glob("*.yaml"))
    ],
)
def test_a_printed_configuration_gives_the_same_plan(here: Path, name: str) -> None:
    """The rule holds for each shipped configuration, without its background, of which only the start is printed."""
    folder = shutil.copytree(CONFIGS, here / "configs")
    assert_round_trip(folder, name, "--mock", "--set", "background=null")


FORMATS = st.one_of(
    st.fixed_dictionaries({"rounds": st.integers(1, 6)}),
    st.fixed_dictionaries({"rounds": st.just(["opening", "rebuttal", "closing"]), "answers": st.booleans()}),
    st.fixed_dictionaries({"kind": st.just("semi_structured"), "rounds": st.integers(3, 5), "exchanges": st.just(2)}),
    st.fixed_dictionaries({"kind": st.just("free_flowing")}, optional={"rounds": st.integers(1, 6)}),
    st.fixed_dictionaries(
        {"kind": st.just("free_flowing"), "turns": st.integers(1, 3), "order": st.just("sequential")}
    ),
)
TEXTS = st.sampled_from(
    ["$${X}", "1e3", "08", "~", "on", "Cats: or dogs? #1", "$$${A:-b}", "line\nline", "é 😀", "- x"]
)


@settings(max_examples=max(6, settings().max_examples // 3))
@given(
    form=FORMATS,
    texts=st.lists(TEXTS, min_size=3, max_size=3),
    systems=st.sampled_from([["structured"], ["live", "panel"]]),
)
def test_a_printed_configuration_keeps_each_override(
    tmp_path_factory: pytest.TempPathFactory, form: dict[str, Any], texts: Sequence[str], systems: Sequence[str]
) -> None:
    """The rule holds for all formats, and for texts that YAML or `${NAME}` could change."""
    folder = tmp_path_factory.mktemp("round-trip")
    values = {"format": form, "judging": {"systems": systems}}
    values |= dict(zip(("topic", "background", "debaters.1.system"), texts, strict=True))
    options = [
        part for key, value in values.items() for part in ("--set", f"{key}={json.dumps(value, ensure_ascii=False)}")
    ]
    assert_round_trip(folder, MOCK, *options, "--set", "debaters.0.system=${A}", "--var", "A=1e3")


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        ("{rounds: 4}", {"phases": ["opening", "cross_examination", "rebuttal", "closing"]}),
        ("{rounds: [opening, closing]}", {"phases": ["opening", "closing"]}),
        ("{kind: free_flowing, rounds: 6}", {"kind": "free_flowing", "turns": 6}),
    ],
)
def test_rounds_are_printed_as_they_are_stored(here: Path, form: str, printed: dict[str, Any]) -> None:
    """`format.rounds` is printed as `phases` or `turns`."""
    done = debate("run", MOCK, "--dry-run", "--set", f"format={form}", cwd=here)
    assert yaml.safe_load(done.out)["format"] == printed


def test_the_json_form_has_every_key(here: Path) -> None:
    """`--dry-run --json` has all settings, including defaults and nulls."""
    config = debate("run", MOCK, "--dry-run", "--json", cwd=here).json["config"]
    assert config["judging"]["systems"][0]["weights"]["evidence"] == 0.4
    assert config["limits"]["max_cost_usd"] is None


def test_planned_calls_are_those_that_the_run_makes(here: Path) -> None:
    """The plan has the calls of the run, by model and in total, and about its output tokens."""
    found = debate("run", MOCK, "--dry-run", "--json", cwd=here).json["plan"]
    ran = debate("run", MOCK, "--no-save", "--json", cwd=here).json["usage"]
    assert {share["model"]: share["calls"] for share in found["models"]} == {"mock/debater": 6, "mock/judge": 5}
    assert found["planned"]["calls"] == ran["calls"]
    assert found["planned"]["output_tokens"] == pytest.approx(ran["output_tokens"], rel=0.5)
    assert found["worst_cost_usd"] == 0


@pytest.mark.parametrize(
    "faults", ["{malformed: 0.4}", *(pytest.param(text, marks=pytest.mark.soak) for text in ("{}", "{malformed: 1.0}"))]
)
def test_no_run_takes_more_than_the_worst(here: Path, faults: str) -> None:
    """No run exceeds the worst case, even if answers are unusable and a panel never agrees."""
    text = f"{ALL}models: {{default: {{model: mock/a, faults: {faults}}}}}\n"
    bound = plan(here, text)["worst"]
    ran = debate("run", "debate.yaml", "--no-save", "--json", cwd=here).json["usage"]
    assert ran["attempts"] <= bound["calls"]
    assert ran["input_tokens"] <= bound["input_tokens"]
    assert ran["output_tokens"] <= bound["output_tokens"]


def test_the_worst_counts_every_way_of_asking_again(here: Path) -> None:
    """The worst case counts repeated speeches and questions, deliberation and a resolved contradiction."""
    found = plan(here, f"{ALL}models: {{default: {{model: mock/a, max_output_tokens: 1000}}}}\n")
    assert worst(found, "Pro")["calls"] == 3 * 2 * 3
    assert worst(found, "structured judge")["calls"] == 3
    assert worst(found, "moderator judge")["calls"] == (3 + 1) * 3
    assert worst(found, "panel technical_architect")["calls"] == (1 + 2) * 3
    assert worst(found, "live judge")["calls"] == (6 + 5 + 2 + 1) * 3
    assert worst(found, "persuasion judge")["calls"] == 6 * 3
    assert all(share["worst"]["output_tokens"] == 1000 * share["worst"]["calls"] for share in found["roles"])


def test_roles_on_one_model_are_counted_by_their_own_parameters(here: Path) -> None:
    """A judge on the debaters' model is estimated with its own limit and price."""
    found = plan(
        here,
        f"topic: t\n{TWO}models:\n  default: {{model: mock/a, max_output_tokens: 500, price: {{input: 1, output: 1}}}}\n"
        "  judge: {model: mock/a, max_output_tokens: 4000, price: {input: 0, output: 10}}\n"
        "judging: {systems: [structured]}\n",
    )
    judge, pro = worst(found, "structured judge"), worst(found, "Pro")
    assert (judge["output_tokens"], judge["cost_usd"]) == (12_000, pytest.approx(0.12))
    assert pro["output_tokens"] == 18 * 500
    assert pro["cost_usd"] == pytest.approx((pro["input_tokens"] + pro["output_tokens"]) / 1e6)
    assert found["worst_cost_usd"] == pytest.approx(sum(share["worst"]["cost_usd"] for share in found["roles"]))


def test_an_unknown_price_is_reported_as_unknown(here: Path) -> None:
    """If a price is unknown, so is the total; a missing key does not prevent a plan."""
    text = f"topic: t\n{TWO}{LAB.replace('null', 'NO_SUCH_KEY')}models: {{default: {{model: lab/m}}}}\n"
    done = debate("run", write_config(here, text), "--dry-run", cwd=here)
    assert done.code == 0
    rows = [line for line in done.out.splitlines() if "at worst" in line and line.startswith("#  ")]
    assert rows
    assert all(line.endswith("unknown") for line in rows)
    assert plan(here, text)["worst_cost_usd"] is None


def test_a_recording_is_not_begun(here: Path) -> None:
    """No model is asked, so the file is not created."""
    done = debate("run", MOCK, "--dry-run", "--record", "tape.jsonl", cwd=here)
    assert (done.code, (here / "tape.jsonl").exists()) == (0, False)


@pytest.mark.parametrize(
    "debate_format",
    [
        "{arguments: 3}",
        pytest.param("{kind: free_flowing, turns: 5}", marks=pytest.mark.soak),
        "{kind: free_flowing, turns: 12, history: recent}",
        "{rounds: 5, history: full}",
        pytest.param("{kind: free_flowing, turns: 20, history: recent}", marks=pytest.mark.soak),
        pytest.param("{rounds: 20, history: full}", marks=pytest.mark.soak),
        pytest.param("{kind: free_flowing, turns: 200}", marks=pytest.mark.soak),
        pytest.param("{rounds: 60}", marks=pytest.mark.soak),
        pytest.param("{kind: semi_structured, rounds: 50, history: recent}", marks=pytest.mark.soak),
    ],
)
def test_the_plan_is_within_a_quarter_of_what_a_run_uses(here: Path, debate_format: str) -> None:
    """Planned calls, input and output tokens are within 25 % of those of a run on the same mock."""
    never = "{surrender_threshold: 0, stance_neutral_threshold: 0, consecutive_persuasion: 10}"
    systems = f"structured, moderator, panel, live, {{kind: persuasion, victory_conditions: {never}}}"
    judging = f"judging: {{systems: [{systems}]}}\n"
    text = f"topic: Cats or dogs?\n{TWO}models: {{default: {{model: mock/a}}}}\nformat: {debate_format}\n{judging}"
    found = plan(here, text)
    planned = found["planned"]
    used = debate("run", "debate.yaml", "--no-save", "--json", cwd=here).json["usage"]
    assert used["calls"] >= found["speeches"] + found["assessments"]
    for key in ("calls", "input_tokens", "output_tokens"):
        assert planned[key] == pytest.approx(used[key], rel=0.25), key


def test_the_plan_has_no_surrender(here: Path) -> None:
    """A debater that surrenders in a rehearsal makes no plan shorter."""
    config = f"topic: t\n{TWO}models: {{default: {{model: mock/a}}}}\nformat: {{kind: free_flowing, turns: 10}}\n"
    strict = "{surrender_threshold: 1, stance_neutral_threshold: 1, consecutive_persuasion: 1}"
    judged = f"judging: {{systems: [structured, {{kind: persuasion, embody: false, victory_conditions: {strict}}}]}}\n"
    assert plan(here, config + judged)["planned"] == plan(here, config)["planned"]


@pytest.mark.parametrize("command", [("check",), ("run", "--dry-run"), ("run", "--dry-run", "--json")], ids=" ".join)
def test_a_plan_that_exceeds_a_known_context_is_a_warning(here: Path, command: tuple[str, ...]) -> None:
    """It names the role, the model and its context; a model of unknown context and a short plan have none."""
    models = "models: {short: {model: openai/gpt-4}, unknown: {model: ollama/nobody}}\n"
    debaters = "debaters: [{name: Pro, side: for, model: short}, {name: Con, side: against, model: unknown}]\n"
    judging = "judging: {systems: [{kind: structured, judge: unknown}]}\n"
    texts = {
        "long.yaml": f"topic: t\nbackground: {'word ' * 9000}\n{models}{debaters}{judging}",
        "brief.yaml": f"topic: t\n{models}{debaters}{judging}",
    }
    said: dict[str, list[str]] = {}
    for name, text in texts.items():
        (here / name).write_text(text)
        done = debate(*command, name, cwd=here, env={"OPENAI_API_KEY": "k" * 20})
        assert done.code == 0, done.err
        said[name] = [line for line in done.lines if "but the context of" in line]
    assert (len(said["long.yaml"]), said["brief.yaml"]) == (1, [])
    assert "warning: Pro: a prompt and its answer have about " in said["long.yaml"][0]
    assert "openai/gpt-4 has 8,192;" in said["long.yaml"][0]


@pytest.mark.parametrize("command", [("check",), ("run", "--dry-run"), ("run", "--no-save")], ids=" ".join)
@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("max_tokens: 500", ["warning: limits.max_tokens is 500, but the run needs about "]),
        ("max_cost_usd: 0.01", ["warning: limits.max_cost_usd is $0.01, but the run needs about $"]),
        ("max_cost_usd: 1000", []),
    ],
)
def test_a_budget_below_the_plan_is_a_warning(
    here: Path, command: tuple[str, ...], limit: str, words: list[str]
) -> None:
    """It is printed before the first call."""
    priced = LAB.replace("null}", "null, price: {input: 100, output: 100}}")
    text = f"topic: t\n{priced}models: {{default: {{model: lab/m}}}}\n{TWO}limits: {{{limit}, max_attempts: 1}}\n"
    done = debate(*command, write_config(here, text), cwd=here)
    found = [line for line in done.lines if "warning: limits" in line]
    assert [line.endswith("raise the limit") for line in found] == [True for _ in words], done.err
    assert all(word in line for word, line in zip(words, found, strict=True))


@pytest.mark.parametrize("model", ["mock/m", "openai/gpt-4"])
def test_a_rehearsal_names_the_budget_that_suffices(here: Path, model: str) -> None:
    """With the named limit there is no warning. The number of planned tokens is too low, because calls reserve more."""
    write_config(here, f"topic: t\nmodels: {{default: {{model: {model}}}}}\n{TWO}")

    def run(limit: str) -> CommandResult:
        return debate("run", "debate.yaml", "--mock", "--no-save", "--max-tokens", limit, cwd=here)

    (numbers,) = re.findall(r"warning: limits.max_tokens is 5000, .* about (\d+) \(about (\d+) are", run("5000").err)
    tried = [run(limit) for limit in numbers]
    assert [(done.code, "warning: limits" in done.err) for done in tried] == [(0, False), (4, True)]


def test_a_replay_needs_no_budget(here: Path) -> None:
    """It asks no model, so it has no warning about the budget."""
    write_config(here, f"topic: t\nmodels: {{default: {{model: mock/m}}}}\n{TWO}limits: {{max_attempts: 1}}\n")
    assert debate("run", "debate.yaml", "--no-save", "-q", "--record", "calls.jsonl", cwd=here).code == 0
    limited = ("run", "debate.yaml", "--no-save", "--max-tokens", "500")
    assert "warning: limits" in debate(*limited, cwd=here).err
    done = debate(*limited, "--replay", "calls.jsonl", cwd=here)
    assert (done.code, "warning: limits" in done.err) == (0, False), done.err
