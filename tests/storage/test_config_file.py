"""Loading a configuration: every error names file, line, column and key path."""

import os
from pathlib import Path

import pytest
from config_file_support import HEAD, problems

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import Problem
from debate_cli.errors import ConfigError
from debate_cli.storage.config_file import read_config_file


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("sed: 7", "stdin:4:1: sed: unknown key; did you mean `seed`?"),
        ("format: {argumens: 2}", "stdin:4:10: format.argumens: unknown key; did you mean `arguments`?"),
        ("judging:\n  systems:\n    - {kind: live, feedbak: true}",
         "stdin:6:20: judging.systems.0.feedbak: unknown key; did you mean `feedback`?"),
        ("providers: {lab: {base_ulr: http://127.0.0.1}}",
         "stdin:4:19: providers.lab.base_ulr: unknown key; did you mean `base_url`?"),
        ("providers: {lab: {kind: openai-compatible}}",
         "stdin:4:25: providers.lab.kind: must be one of openai, anthropic, embedded, mock, not `openai-compatible`"),
        ("judging: {systems: [{kind: structured, criteria: []}]}",
         "stdin:4:40: judging.systems.0.criteria: is empty; add an item, or remove the key"),
        ("xyzzy: 1", "stdin:4:1: xyzzy: unknown key; remove it, or correct its name"),
        ("format: {kind: structurd}",
         "stdin:4:16: format.kind: must be one of structured, semi_structured, free_flowing, not `structurd`; did you mean `structured`?"),
        ("judging: {systems: [modrator]}",
         "stdin:4:21: judging.systems.0.kind: must be one of structured, moderator, panel, live, persuasion, sources, not `modrator`; did you mean `moderator`?"),
        ("judging: {systems: [{judge: default}]}",
         "stdin:4:21: judging.systems.0: has no `kind`; add one, such as `kind: structured`"),
        ("seed: many", "stdin:4:7: seed: must be a whole number"),
        ("seed: 1.5", "stdin:4:7: seed: must be a whole number"),
        ("background: 7", "stdin:4:13: background: must be text; put it in quotes"),
        ("background: [a]", "stdin:4:1: background: must be text; put it in quotes"),
        ("background: {x: 1}", "stdin:4:14: background.x: unknown key; the only key here is `file`"),
        ("background: {fil: a.md}", "stdin:4:14: background.fil: unknown key; did you mean `file`?"),
        ("background: {file: 7}", "stdin:4:20: background.file: must be text; put it in quotes"),
        ("output: {dir: }", "stdin:4:15: output.dir: is empty; write a text, in quotes if it begins with `#`"),
        ("format: {phases: [opening, closng]}",
         "stdin:4:28: format.phases.1: must be one of opening, cross_examination, rebuttal, closing, not `closng`; did you mean `closing`?"),
        ("format: {rounds: [opening, xyzzy]}",
         "stdin:4:28: format.rounds.1: must be one of opening, cross_examination, rebuttal, closing, not `xyzzy`"),
        ("judging: {decides: live, systems: [{kind: 5, feedback: true}]}", "stdin:4:43: judging.systems.0.kind: must be text"),
        ("evidence: {sources: [{title: x}]}", "stdin:4:22: evidence.sources.0.path: is missing; add it"),
        ("evidence: {sources: [{pth: a}]}", "stdin:4:23: evidence.sources.0.pth: unknown key; did you mean `path`?"),
        ("format: []", "stdin:4:1: format: must be a mapping of keys to values"),
        ("format: {phases: opening}", "stdin:4:18: format.phases: must be a list; put its items in brackets, or write a `-` before each"),
        ("format: {arguments: 0}", "stdin:4:21: format.arguments: must be at least 1"),
        ("limits: {timeout_s: .nan}", "stdin:4:21: limits.timeout_s: must be a number"),
        ("judging: {systems: [{kind: live, feedback: maybe}]}",
         "stdin:4:44: judging.systems.0.feedback: must be true or false"),
        ("judging: {systems: [{kind: structured, weights: {logic: 0, evidence: 0, responsiveness: 0, honesty: 0}}]}",
         "stdin:4:40: judging.systems.0.weights: at least one weight must be above 0"),
        ("judging: {systems: [{kind: panel, judges: [{id: a, persona: domain_expert, weight: 1.0e+9}]}]}",
         "stdin:4:84: judging.systems.0.judges.0.weight: must be at most 1,000,000"),
        ("judging: {decides: panel}", "stdin:4:20: judging.decides: `panel` is not among the systems (structured); choose one of these systems, or add the system to `judging.systems`"),
        ("seed: 1\nseed: 2", "stdin:5:1: seed: duplicate key; keep one"),
        ("models: {}", "stdin:4:1: models: duplicate key; keep one"),
        ("limits: {max_tokens: true}", "stdin:4:22: limits.max_tokens: must be a whole number"),
        ("version: 2", "stdin:4:10: version: must be 1"),
    ],
)  # fmt: skip
def test_every_error_names_its_position_and_key(more: str, line: str) -> None:
    """An error names file, line, column and key path, and a similar word."""
    assert problems(more) == [line]


def test_all_errors_of_single_values_come_at_once_in_order() -> None:
    """Unknown keys, wrong values, unset variables and unknown prompts are sorted by position."""
    more = (
        "seed: x\nbackground: ${NOT_SET}\nformat: {kind: fre_flowing, rounds: 0}\nprompts: {opning: a.md}\noutptu: {}\n"
    )
    lines = problems(more)
    keys = ["seed", "background", "format.kind", "format.rounds", "prompts.opning", "outptu"]
    assert [line.split(": ")[1] for line in lines] == keys


def test_duplicate_keys_come_first() -> None:
    """They do not hide the wrong keys and values."""
    lines = problems("seed: 1\nseed: 2\nvars: {}\nvars: {}\noutptu: {}\n")
    assert [line.rpartition(": ")[0] for line in lines] == ["stdin:5:1: seed", "stdin:7:1: vars", "stdin:8:1: outptu"]


def test_all_duplicate_keys_come_at_once() -> None:
    """Duplicate keys are reported first, with their key paths. An alias repeats none of them."""
    more = "seed: 1\nseed: 2\nvars: &vars {a: 1, a: 2}\noutptu: *vars\nprompts: [{b: {c: 1, c: 2}}]\n"
    lines = problems(more)
    keys = ["stdin:5:1: seed", "stdin:6:20: vars.a", "stdin:8:22: prompts.0.b.c"]
    assert [line.rpartition(": ")[0] for line in lines if "duplicate key" in line] == keys


def test_wrong_options_come_with_wrong_keys() -> None:
    """An option that cannot be applied does not hide the errors of the file."""
    lines = problems("outptu: {}\n", overrides=[("format", "{")])
    assert [line.rpartition(": ")[0] for line in lines] == ["stdin:4:1: outptu", "--set: format"]


def test_contradictions_come_with_wrong_keys_and_values() -> None:
    """A wrong part does not hide the contradictions between the other parts, nor what is wrong below a wrong key."""
    more = "judging: {decides: panel}\nformat: {phases: [closing]}\nseed: x\nlimts: {concurrency: 0}"
    keys = ["judging.decides", "format.phases", "seed", "limts", "limts.concurrency"]
    assert [line.split(": ")[1] for line in problems(more)] == keys


@pytest.mark.parametrize(
    ("model", "form"),
    [("mock/m", "mock/m"), ("[mock/m]", "openai/gpt-5"), ("", "openai/gpt-5")],
    ids=["a text", "a list", "nothing"],
)
def test_a_model_that_is_no_mapping_comes_with_its_right_form(model: str, form: str) -> None:
    """The message repeats the model if it is a text, and the errors of the other parts come at once."""
    text = (
        f"topic: t\nmodels: {{default: {model}}}\nformat: {{phases: [closing]}}\n"
        "debaters: [{name: A, side: for}, {name: A, side: against, model: slow}]"
    )
    with pytest.raises(ConfigError) as caught:
        read_config_file(None, text=text, env={})
    lines = [line.partition(": ")[2] for line in caught.value.problems]
    assert lines[0] == f"models.default: must be a mapping; write `default: {{model: {form}}}`"
    assert [line.partition(": ")[0] for line in lines[1:]] == ["format.phases", "debaters.1.name", "debaters.1.model"]


def test_a_debater_has_all_its_errors_at_once() -> None:
    """An unknown key, a missing key, a value out of range, a model without an entry and a name that is taken."""
    text = (
        "topic: t\nmodels: {default: {model: mock/a}}\n"
        "debaters: [{name: A, sde: for, modl: fast, elasticity: 7}, {name: A, model: slow}]"
    )
    with pytest.raises(ConfigError) as caught:
        read_config_file(None, text=text, env={})
    assert [line.partition(": ")[2].partition(";")[0] for line in caught.value.problems] == [
        "debaters.0.sde: unknown key",
        "debaters.0.modl: unknown key",
        "debaters.0.modl: `models` has no entry of this name",
        "debaters.0.elasticity: must be at most 1",
        "debaters.1.side: is missing",
        "debaters.1.name: an earlier debater has this name",
        "debaters.1.model: `models` has no entry of this name",
    ]


@pytest.mark.parametrize(
    "models",
    [
        "modles: {default: {model: mock/a}, fast: {model: mock/b}}",
        "models: {default: {model: mock/a}, fast: 5}",
        "models: {default: {model: mock/a}, fast: {mdel: a/b}}",
        "models: 5",
    ],
)
def test_a_reference_to_a_faulty_entry_is_no_fault(models: str) -> None:
    """Only the entry or section that is wrong is reported, not the debaters and judges that name it."""
    text = (
        f"topic: t\n{models}\ndebaters: [{{name: A, side: for, model: fast}}, {{name: B, side: against, model: fast}}]"
    )
    with pytest.raises(ConfigError) as caught:
        read_config_file(None, text=text, env={})
    assert {line.split(": ")[1].split(".")[0] for line in caught.value.problems} <= {"models", "modles"}


def test_members_of_a_union_are_one_fault() -> None:
    """A personality is a word or a mapping; a wrong word is reported once."""
    people = "debaters: [{name: A, side: for, personality: engeneer}, {name: B, side: against, strategy: bold}]"
    with pytest.raises(ConfigError) as caught:
        read_config_file(None, text=f"topic: t\nmodels: {{default: {{model: mock/d}}}}\n{people}", env={})
    assert [line.split(": ")[1] for line in caught.value.problems] == ["debaters.0.personality", "debaters.1.strategy"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "stdin:1:1: the file is empty; write a mapping with `topic` and `debaters`"),
        ("# nothing\n", "the file is empty"),
        ("{}", "topic: is missing"),
        ("just words", "this is not a configuration"),
        ("- a\n- b", "this is not a configuration"),
        ("a: [", "stdin:1:5: not valid YAML"),
        ("[" * 100_000, "nested more than"),
    ],
)
def test_a_text_that_is_no_configuration_is_one_error(text: str, words: str) -> None:
    """A text that is no configuration gives one line."""
    with pytest.raises(ConfigError, match=words):
        read_config_file(None, text=text, env={})


@pytest.mark.parametrize("name", ["debate.yaml", "mine.md"])
def test_a_fifo_is_not_a_file(tmp_path: Path, name: str) -> None:
    """A FIFO as configuration or prompt is refused without waiting for a writer."""
    (tmp_path / "debate.yaml").write_text(HEAD + "prompts: {opening: mine.md}")
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(ConfigError, match="cannot be read \\(not a regular file\\)"):
        read_config_file(tmp_path / "debate.yaml", env={})


@pytest.mark.parametrize(
    ("file", "words"), [("gone.md", "no such file"), ("../out.md", "must be in the folder"), (".", "cannot be read")]
)
def test_a_prompt_that_cannot_be_read_is_an_error(tmp_path: Path, file: str, words: str) -> None:
    """A prompt file that is missing, elsewhere or a folder is an error."""
    path = tmp_path / "inner" / "debate.yaml"
    path.parent.mkdir()
    (tmp_path / "out.md").write_text("x")
    path.write_text(HEAD + f"prompts: {{opening: {file}}}")
    with pytest.raises(ConfigError, match=f"debate.yaml:4:20: prompts.opening: .*{words}"):
        read_config_file(path, env={})


def test_only_the_unknown_key_beside_a_background_file_is_an_error(tmp_path: Path) -> None:
    """The file itself is read."""
    (tmp_path / "a.md").write_text("Facts.")
    path = tmp_path / "debate.yaml"
    path.write_text(HEAD + "background: {file: a.md, x: 1}")
    with pytest.raises(ConfigError) as caught:
        read_config_file(path, env={})
    assert caught.value.problems == (f"{path}:4:26: background.x: unknown key; the only key here is `file`",)


def test_problems_of_further_checks_have_positions() -> None:
    """A check that the caller adds reports its problems with positions too."""

    def find_cost(_config: DebateConfig) -> list[Problem]:
        return [Problem(("models", "default", "model"), "costs too much")]

    with pytest.raises(ConfigError, match=r"stdin:2:27: models\.default\.model: costs too much"):
        read_config_file(None, text=HEAD, env={}, checks=[find_cost])


@pytest.mark.parametrize("weight", ["1e308", ".inf", "-1"])
def test_weights_and_budgets_are_bounded(weight: str) -> None:
    """Sums of huge numbers would overflow."""
    (line,) = problems(f"limits: {{max_cost_usd: {weight}}}")
    assert "limits.max_cost_usd: must be " in line
    (line,) = problems(f"judging: {{systems: [{{kind: structured, weights: {{logic: {weight}}}}}]}}")
    assert "judging.systems.0.weights.logic: must be " in line
