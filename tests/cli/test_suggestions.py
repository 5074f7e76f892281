"""Misspelt words on the command line get a suggestion."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, write_config

SYSTEMS = "structured, moderator, panel, live, persuasion, sources"


@dataclass(frozen=True)
class Slip:
    """A command line with a wrong word, and the expected message."""

    args: tuple[str, ...]
    said: str


@pytest.mark.parametrize(
    "slip",
    [
        Slip(("rnu", "debate.yaml"), "debate: no such command 'rnu'; did you mean `run`?"),
        Slip(("Check",), "debate: no such command 'Check'; did you mean `check`?"),
        Slip(("frobnicate",), "debate: no such command 'frobnicate'; see: debate --help"),
        Slip(("score", "one", "--system", "panle"), "there is no such judging system; did you mean `panel`?"),
        Slip(("score", "one", "--system", "xyzzy"), f"there is no such judging system; known are {SYSTEMS}"),
        Slip(("judge", "one", "--mock", "--system", "strctured"), "system; did you mean `structured`?"),
        Slip(("score", "one", "--system", "panel,xyzzy"), "there is no such judging system; did you mean `panel`?"),
        Slip(("explain", "bad-confg"), "explain bad-confg: there is no such page; did you mean `bad-config`?"),
        Slip(("explain", "contxt"), "explain contxt: there is no such page; did you mean `context-overflow`?"),
        Slip(("explain", "xyzzy"), "explain xyzzy: there is no such page; known are bad-config, broken-answer"),
        Slip(
            ("doctor", "two.yaml", "--config", str(CONFIGS / "mock.yaml")),
            "; to use this file as the configuration, write --config two.yaml",
        ),
        Slip(
            ("doctor", "a/two.yaml", "--config", str(CONFIGS / "mock.yaml")),
            "; to use this file as the configuration, write --config a/two.yaml",
        ),
        Slip(("run", "--mokc"), "--mock"),
        Slip(("run", "--var", "1A=x"), "--var 1A=x: write NAME=VALUE; a NAME has letters, digits and `_`, and begins"),
        Slip(("schema", "confg"), "'confg' is not one of 'config', 'transcript', 'experiment'; did you mean `config`?"),
    ],
    ids=lambda slip: " ".join(slip.args),
)
@pytest.mark.usefixtures("two_saved")
def test_a_misspelt_word_gets_a_suggestion(here: Path, slip: Slip) -> None:
    """A misspelt word gets one line with a similar word, or with the known words."""
    done = debate(*slip.args, cwd=here)
    assert (done.code, done.out, len(done.lines), slip.said in done.err) == (2, "", 1, True), done.err


@pytest.mark.parametrize(
    "command", [("replay",), ("judge", "--mock"), ("score",), ("diff", "one"), ("run", "--resume")]
)
def test_a_misspelt_id_gets_a_suggestion(command: tuple[str, ...], two_saved: Path) -> None:
    """Every command that takes a debate answers a misspelt id with a similar one."""
    done = debate(*command, "tow", cwd=two_saved.parent.parent)
    assert (done.code, done.out, done.lines) == (
        2,
        "",
        ["debate: `tow`: there is no such debate in transcripts; did you mean `two`?"],
    )


@pytest.mark.parametrize(
    ("command", "other", "code"),
    [
        (("score",), "too", 2),
        (("score",), "one", 1),
        (("judge", "--mock"), "too", 1),
        (("judge", "--mock"), "one", 1),
        (("judge", "--collect"), "too", 1),
    ],
)
def test_each_of_several_misspelt_ids_gets_a_suggestion(
    command: tuple[str, ...], other: str, code: int, two_saved: Path
) -> None:
    """The messages are the same as for one id."""
    done = debate(*command, "tow", other, cwd=two_saved.parent.parent)
    message = "there is no such debate in transcripts; did you mean `two`?"
    wrong = {"tow", other} - {"one"}
    assert done.code == code
    assert {line for line in done.lines if "no such" in line} == {f"debate: `{name}`: {message}" for name in wrong}


@pytest.mark.parametrize("command", [("replay",), ("score",), ("diff", "one"), ("run", "--resume")])
def test_an_unknown_id_leads_to_the_list(command: tuple[str, ...], two_saved: Path) -> None:
    """The message is the same for every command that takes only debates."""
    done = debate(*command, "zzz", cwd=two_saved.parent.parent)
    message = "there is no such debate in transcripts; give the id or the path of a saved debate, see `debate list`"
    assert (done.code, done.lines) == (2, [f"debate: `zzz`: {message}"])


def test_an_untrusted_word_stays_on_one_line(here: Path) -> None:
    """Control characters are escaped, and long words are not compared."""
    (said,) = debate("\x1b[2J\n" + "r" * 100_000, cwd=here).lines
    assert said.isprintable()
    assert "did you mean" not in said


def test_a_misspelt_required_key_is_one_error(here: Path) -> None:
    """The key is not reported as missing too."""
    (here / "a.yaml").write_text("topik: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n")
    done = debate("check", "a.yaml", cwd=here)
    (message,) = [line for line in done.lines if "topi" in line]
    assert message.startswith("a.yaml:1:1: topik: unknown key; did you mean `topic`?")


def test_an_id_to_collect_is_searched_in_the_folder_of_the_configuration(here: Path) -> None:
    """`judge --collect ID --config FILE` finds the debates that `run FILE` has saved."""
    debaters = "debaters: [{name: A, side: for}, {name: B, side: against}]"
    write_config(here, f"topic: May it?\n{debaters}\noutput: {{dir: out}}\n")
    assert debate("run", "debate.yaml", "--mock", "--id", "two", "--quiet", cwd=here).code == 0
    (here / "debate.yaml").rename(here / "other.yaml")
    found = debate("judge", "--collect", "two", "--config", "other.yaml", cwd=here)
    assert found.lines == ["out/two.json: no judgement is missing; no model was asked"]
    done = debate("judge", "--collect", "tow", "--config", "other.yaml", cwd=here)
    assert done.lines == ["debate: `tow`: there is no such debate in out or transcripts; did you mean `two`?"]
