"""Standard streams that are closed, or whose encoding or size says little."""

import re
import shutil
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, run_in_shell, run_on_terminal, write_config

NAMES = "topic: Größe?\nmodels: {default: {model: mock/a}}\ndebaters: [{name: 東京, side: for}, {name: Bo, side: against}]\n"
ASCII = {"PYTHONIOENCODING": "ascii"}


@pytest.fixture(scope="module")
def japanese_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a saved debate whose first debater is called 東京; not to be changed."""
    folder = tmp_path_factory.mktemp("japanese")
    write_config(folder, NAMES)
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=folder).code == 0
    return folder


@pytest.fixture
def japanese(japanese_once: Path, here: Path) -> Path:
    """That debate in `here`."""
    shutil.copytree(japanese_once, here, dirs_exist_ok=True)
    return here


@pytest.mark.parametrize(
    "command",
    [
        "run debate.yaml --no-save --json",
        "run - --dry-run",
        "judge one --mock --system live --json",
        "score one --format html",
        "replay one --format markdown",
    ],
)
def test_documents_are_utf_8_in_any_locale(japanese: Path, command: str) -> None:
    """Documents are UTF-8 and keep names as they are, whatever the locale."""
    done = debate(*command.split(), cwd=japanese, env=ASCII, input=(japanese / "debate.yaml").read_text())
    assert (done.code, "東京" in done.out) == (0, True), done.err


@pytest.mark.parametrize("command", ["run debate.yaml --no-save", "score one"])
def test_a_terminal_without_unicode_gets_replacements(japanese: Path, command: str) -> None:
    """A terminal without Unicode gets replacements, and the exit code is 0."""
    code, drawn = run_on_terminal(*command.split(), cwd=japanese, columns=80, env={**ASCII, "TERM": "xterm"})
    assert (code, drawn.isascii()) == (0, True)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(f"run {CONFIGS}/mock.yaml --id new --json >&-", marks=pytest.mark.soak),
        f"run {CONFIGS}/mock.yaml --id new <&- >&- 2>&-",
        pytest.param("judge saved --mock 2>&-", marks=pytest.mark.soak),
        "replay saved >&-",
    ],
)
def test_closed_streams_change_neither_work_nor_exit_code(saved: Path, command: str) -> None:
    """No other file takes the place of a closed stream: the folder holds transcripts alone."""
    done = run_in_shell(f"debate {command}", saved.parent.parent)
    assert (done.code, "unexpected" in done.err) == (0, False), done.err
    assert debate("score", saved.parent, "--check", cwd=saved.parent.parent).code == 0


@pytest.mark.parametrize(
    ("command", "env"),
    [
        ("run debate.yaml --no-save", {"COLUMNS": "0", "LINES": "0"}),
        ("score one", {"COLUMNS": "0", "TERM": "dumb"}),
        ("judge one --mock --system live", {"TERM": "dumb"}),
    ],
    ids=str,
)
def test_a_terminal_of_unknown_size_or_kind_is_written_to(japanese: Path, command: str, env: dict[str, str]) -> None:
    """A terminal of unknown size or kind shows the debate."""
    code, drawn = run_on_terminal(*command.split(), cwd=japanese, columns=80, env={"TERM": "xterm", **env})
    assert (code, "Bo" in drawn) == (0, True), drawn


def test_piped_input_that_is_not_utf_8_is_one_sentence(here: Path) -> None:
    """Piped input that is not UTF-8 ends with exit code 2 and one sentence."""
    done = debate("check", "-", cwd=here, input="topic: \udcff")
    assert (done.code, done.err.startswith("stdin:1:")) == (2, True), done.err


COLOURS = {"TERM": "xterm-256color", "NO_COLOR": ""}


@pytest.mark.parametrize("command", ["--help", "run --help"])
def test_help_is_coloured_on_a_terminal_only(here: Path, command: str) -> None:
    """CI, TERM=dumb and NO_COLOR turn colours off. In a pipe, help has none, also under GitHub Actions."""
    coloured = re.compile(r"\x1b\[[\d;]*3\d")

    def help_on_terminal(**env: str) -> str:
        return run_on_terminal(*command.split(), cwd=here, columns=100, env={**COLOURS, **env})[1]

    assert coloured.search(help_on_terminal())
    assert "\x1b" not in help_on_terminal(CI="true")
    assert "\x1b" not in help_on_terminal(TERM="dumb")
    assert not coloured.search(help_on_terminal(NO_COLOR="1"))
    piped = run_in_shell(f"debate {command}", here, env={**COLOURS, "GITHUB_ACTIONS": "true"})
    assert (piped.code, "\x1b" in piped.out) == (0, False)
