"""`debate run --report`: the page of a debate, written when it is over."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import CONFIGS, Done, debate, write_config

MOCK = CONFIGS / "mock.yaml"


def run(here: Path, *options: str | Path, **env: str) -> Done:
    """A rehearsal with a report."""
    return debate("run", MOCK, "--id", "told", "-q", "--report", "out/told.html", *options, cwd=here, env=env)


def test_the_report_is_what_replay_writes(here: Path) -> None:
    """Byte for byte."""
    done = run(here)
    assert (done.code, done.lines[-1]) == (0, "written: out/told.html")
    assert debate("replay", "told", "--format", "html", cwd=here).out == (here / "out" / "told.html").read_text()


def test_an_existing_file_is_refused_before_anything_is_asked(here: Path) -> None:
    """Nothing was run, and it is as it was; --force overwrites it."""
    page = here / "out" / "told.html"
    page.parent.mkdir()
    page.write_text("precious")
    done = run(here)
    assert (done.code, "--force" in done.err, page.read_text()) == (2, True, "precious")
    assert not (here / "transcripts").exists()
    assert run(here, "--force").code == 0
    assert page.read_text() != "precious"


def test_a_folder_is_no_file(here: Path) -> None:
    """Exit 2."""
    (here / "out" / "told.html").mkdir(parents=True)
    assert run(here).code == 2


@pytest.mark.parametrize("options", [("--no-save",), ("--json",), ("--expect-winner", "Nobody")], ids=str)
def test_a_report_is_written_whatever_else_is_asked(here: Path, options: tuple[str, ...]) -> None:
    """Without a transcript, with one on stdout, and where a gate is not met."""
    done = run(here, *options)
    assert done.code == (5 if "Nobody" in options else 0)
    assert (here / "out" / "told.html").is_file()


def test_no_secret_is_in_the_report(here: Path) -> None:
    """The value of a key that found its way into the motion is redacted, as in the transcript."""
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
