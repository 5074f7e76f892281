"""`debate run --report`: the HTML page of a debate."""

import asyncio
from pathlib import Path

import pytest
from cli_support import CONFIGS, CommandResult, debate, write_config

import debate_cli
from debate_cli.cli.html_report import write_report
from debate_cli.errors import ExitCode

MOCK = CONFIGS / "mock.yaml"


def run(here: Path, *options: str | Path, **env: str) -> CommandResult:
    """A rehearsal with a report."""
    return debate("run", MOCK, "--id", "reported", "-q", "--report", "out/reported.html", *options, cwd=here, env=env)


def test_the_report_equals_the_page_of_replay(here: Path) -> None:
    """`run --report` and `replay --format html` write the same bytes."""
    done = run(here)
    assert (done.code, done.lines[-1]) == (0, "written: out/reported.html")
    assert (
        debate("replay", "reported", "--format", "html", cwd=here).out == (here / "out" / "reported.html").read_text()
    )


def test_an_existing_report_is_refused_before_any_call(here: Path) -> None:
    """The file is unchanged; `--force` overwrites it."""
    page = here / "out" / "reported.html"
    page.parent.mkdir()
    page.write_text("precious")
    done = run(here)
    assert (done.code, "--force" in done.err, page.read_text()) == (2, True, "precious")
    assert not (here / "transcripts").exists()
    assert run(here, "--force").code == 0
    assert page.read_text() != "precious"


@pytest.mark.parametrize("options", [("--no-save",), ("--json",), ("--expect-winner", "draw")], ids=str)
def test_a_report_is_written_with_every_option(here: Path, options: tuple[str, ...]) -> None:
    """A report is written with --no-save and --json, and if a gate is not met."""
    done = run(here, *options)
    assert done.code == (5 if "draw" in options else 0)
    assert (here / "out" / "reported.html").is_file()


def test_no_secret_is_in_the_report(here: Path) -> None:
    """A key in the motion is redacted, as in the transcript."""
    text = (
        "topic: Is open-sesame-4711 a good key?\n"
        'providers: {lab: {kind: openai, base_url: "http://127.0.0.1:1", api_key_env: LAB_KEY}}\n'
        "models: {default: {model: lab/one}}\n"
        "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
    )
    config = write_config(here, text)
    done = debate("run", config, "--mock", "-q", "--report", "a.html", cwd=here, env={"LAB_KEY": "open-sesame-4711"})
    page = (here / "a.html").read_text()
    assert (done.code, "open-sesame" in page, "a good key?" in page) == (0, False, True)


def test_a_secret_may_be_the_name_of_a_key(tmp_path: Path) -> None:
    """The report is also written if a secret is a word that names keys of transcripts."""
    outcome = asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK)))
    page = tmp_path / "reported.html"

    def redact(text: str) -> str:
        return text.replace("weights", "[redacted]")

    assert write_report(page, outcome, redact, show_hidden=False, force=False) == ExitCode.DONE
    assert page.is_file()


def test_a_late_failure_of_the_report_is_reported(tmp_path: Path) -> None:
    """A report that cannot be written gives exit code 1."""
    (tmp_path / "out").write_text("a file")
    outcome = asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK)))
    assert (
        write_report(tmp_path / "out" / "reported.html", outcome, str, show_hidden=False, force=False)
        == ExitCode.FAILED
    )


def test_a_link_to_nothing_is_refused_before_any_call(here: Path) -> None:
    """A report is never written through a link, so the name is taken."""
    (here / "out").mkdir()
    (here / "out" / "reported.html").symlink_to(here / "nowhere.html")
    done = run(here)
    assert (done.code, "exists already" in done.err, (here / "transcripts").exists()) == (2, True, False)


UNREACHABLE_JUDGE = (
    *("--set", "providers.lab={kind: openai, base_url: 'http://127.0.0.1:1', api_key_env: null}"),
    *("--set", "models.judge.model=lab/one", "--set", "limits.max_attempts=1"),
)


@pytest.mark.parametrize(
    ("options", "label"),
    [(("--max-tokens", "3000"), "Resume"), (UNREACHABLE_JUDGE, "Ask again")],
    ids=["unfinished", "judgement missing"],
)
def test_the_page_of_an_incomplete_debate_shows_how_it_continues(
    here: Path, options: tuple[str, ...], label: str
) -> None:
    """All pages show the command of `replay`, under its name, instead of a command that judges the debate."""
    run(here, *options)
    shown = debate("replay", "reported", "--format", "html", cwd=here)
    debate("score", "transcripts/", "--format", "html", "-o", "pages/", cwd=here)
    _, verb, rest = debate("replay", "reported", cwd=here).err.partition("debate run --resume")
    command = verb + rest.splitlines()[0]
    for page in (shown.out, *((here / name).read_text() for name in ("out/reported.html", "pages/reported.html"))):
        card = page.partition('class="card again"')[2].partition("</div>")[0]
        assert (f'<code class="command" tabindex="0">{command}<' in card, f">{label}<" in card) == (True, True), card


def test_the_page_of_an_unsaved_debate_shows_no_command_for_it(here: Path) -> None:
    """No saved file exists, so a command that names the debate would fail."""
    debate("run", "--mock", "--no-save", "--quiet", "--report", "report.html", cwd=here)
    assert "debate judge" not in (here / "report.html").read_text()
