"""A missing key or local model: one line, before any call, with the help page that lists the alternatives."""

from pathlib import Path

from cli_support import debate, run_python


def test_a_missing_key_names_variable_provider_and_help_page(here: Path) -> None:
    """The help page lists the alternatives."""
    done = debate("run", "--set", "models.default.model=openai/a", cwd=here)
    (message,) = [line for line in done.lines if "configuration:" not in line]
    assert (done.code, message) == (
        2,
        (
            "--set: models.default.model: OPENAI_API_KEY is not set: provider openai needs it; set it in the environment or in "
            ".env, or run with --mock (debate explain missing-key)"
        ),
    )


def test_models_that_lack_the_same_key_have_one_line(here: Path) -> None:
    """Three models without their common key give one line."""
    (here / "many.yaml").write_text(
        "topic: x\ndebaters: [{name: P, side: for, model: openai/a}, {name: C, side: against, model: openai/b}]\n"
        "judging: {systems: [{kind: live, judge: openai/c}]}\n"
    )
    (message,) = debate("run", "many.yaml", cwd=here).lines
    assert "OPENAI_API_KEY is not set: provider openai needs it; " in message


def test_the_default_debate_without_llama_says_what_to_install(here: Path) -> None:
    """Without the embedded model's package, one sentence says what to install, before any call."""
    bare = "import sys; sys.modules['xllamacpp'] = None; sys.argv = ['debate', 'run']; import debate_cli.__main__ as m; m.main()"
    done = run_python("-c", bare, cwd=here)
    (message,) = [line for line in done.lines if "configuration:" not in line]
    assert (done.code, list(here.iterdir())) == (2, [])
    ways = ("`make run` in the checkout", 'pip install "xllamacpp', "--mock", "(debate explain local-model)")
    assert [way for way in ways if way not in message] == []
