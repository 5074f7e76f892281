"""Options that several commands share, declared once."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from debate_cli.cli import completion
from debate_cli.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from debate_cli.app.gates import Gates

GATES_PANEL = f"Gates (exit code {ExitCode.GATE_NOT_MET:d} if one is not met)"
_RESUMABLE = (ExitCode.PROVIDER_FAILED, ExitCode.BUDGET_REACHED, ExitCode.INTERRUPTED, ExitCode.CLOSED_PIPE)


def format_exit_codes(codes: Iterable[ExitCode], *, resumable: bool = False, **meanings: str) -> str:
    """Return the sentence about exit codes at the end of the help.

    `resumable`: whether work that ends early can be resumed. `meanings`: maps the name of a code, e.g. `FAILED`, to a
    text that replaces the code's usual meaning.
    """
    parts = (
        f"{code:d} {meanings.get(code.name, code.meaning)}{' (resumable)' if resumable and code in _RESUMABLE else ''}"
        for code in codes
    )
    return f"Exit codes: {', '.join(parts)}."


def parse_file(text: str) -> Path:
    """Return the path of a file for output. Raises BadParameter if `text` ends with a slash: it then names a folder."""
    if text.endswith(("/", os.sep)):
        raise typer.BadParameter(f"{text} ends with a slash, so it is a folder; give the path of a file")
    return Path(text)


SOME_FAILED = "failed (also if only some files failed)"
CODES_WITH_MODELS = [code for code in ExitCode if code not in {ExitCode.GATE_NOT_MET, ExitCode.BATCH_PENDING}]
"""Exit codes of a command that asks models and has neither gates nor batches."""
EXIT_CODES_WITHOUT_GATES = format_exit_codes(CODES_WITH_MODELS, resumable=True, FAILED=SOME_FAILED)
EXIT_CODES_WITH_MODELS = format_exit_codes(
    sorted([*CODES_WITH_MODELS, ExitCode.GATE_NOT_MET]), resumable=True, FAILED=SOME_FAILED
)
EXIT_CODES_WITHOUT_MODELS = format_exit_codes(
    [ExitCode.DONE, ExitCode.FAILED, ExitCode.WRONG_INPUT, ExitCode.GATE_NOT_MET, ExitCode.CLOSED_PIPE],
    FAILED=SOME_FAILED,
    GATE_NOT_MET="a gate or --check was not met",
)

RunConfigArgument = Annotated[
    str | None,
    typer.Argument(metavar="CONFIG", help="A debate.yaml, or - for stdin.", autocompletion=completion.complete_configs),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="CONFIG",
        help="A debate.yaml with models, providers and settings to use.",
        autocompletion=completion.complete_configs,
    ),
]
DebateArgument = Annotated[
    str,
    typer.Argument(metavar="ID|PATH", help="Id or file of a saved debate.", autocompletion=completion.complete_debates),
]
SystemsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        metavar="NAME",
        help="Use only this judging system (repeatable).",
        autocompletion=completion.complete_systems,
    ),
]
QueueOption = Annotated[
    str | None,
    typer.Option(
        "--queue",
        metavar="DSN",
        envvar="DEBATE_QUEUE",
        show_envvar=False,
        help="PostgreSQL database of the queue, as postgresql://USER@HOST/NAME. Default: $DEBATE_QUEUE, which keeps a password out of process lists.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show the verdicts only.")]
DetailsOption = Annotated[
    bool, typer.Option("--details", help="Show all tables at the end instead of the short summary.")
]
PlainOption = Annotated[
    bool,
    typer.Option("--plain", help="Plain lines even on a terminal, e.g. for screen readers. --json takes precedence."),
]
MockOption = Annotated[bool, typer.Option("--mock", help="Use the mock provider for every model (no key, no network).")]
BatchOption = Annotated[
    bool,
    typer.Option(
        "--batch",
        help="Send the judges' requests to the provider in batches: half the price; answers come within a day.",
    ),
]
SettingsOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="Change a setting (YAML value, repeatable).")
]
MaxCostOption = Annotated[float | None, typer.Option(metavar="USD", help="Budget in US dollars, above 0.")]
MaxTokensOption = Annotated[int | None, typer.Option(min=1, help="Budget in tokens.")]
RecordOption = Annotated[
    Path | None,
    typer.Option(
        parser=parse_file, metavar="FILE", help="Record every call in FILE (a cassette); an existing FILE is extended."
    ),
]
PlaybackOption = Annotated[
    Path | None,
    typer.Option(
        "--replay", metavar="FILE", help="Take every answer from FILE, a cassette that was recorded with --record."
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option(parser=parse_file, metavar="FILE", help="Write an HTML report of the debate (one debate only)."),
]
NoSaveOption = Annotated[bool, typer.Option("--no-save", help="Write no transcript.")]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the planned calls and tokens, and the highest possible cost; ask no model, write nothing.",
    ),
]
FilesOption = Annotated[
    Path | None,
    typer.Option(
        "--files",
        metavar="DIR",
        file_okay=False,
        help="Folder for prompts to models named `files/NAME`, and for their replies (default: files/ beside the transcripts).",
    ),
]
VarOption = Annotated[
    list[str] | None,
    typer.Option(
        "--var", metavar="NAME=VALUE", help="Replace ${NAME} in the configuration's texts by VALUE (repeatable)."
    ),
]
TrustPathOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--trust-path", metavar="DIR", help="Allow the configuration to read and save files in DIR (repeatable)."
    ),
]
EvidenceOption = Annotated[
    list[Path] | None,
    typer.Option("--evidence", metavar="PATH", help="Folder or file with sources to search (repeatable)."),
]
TrustHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--trust-host",
        metavar="HOST",
        help="Host to which the configuration or transcript may send requests and keys: HOST or HOST:PORT (repeatable).",
    ),
]
FailUnderOption = Annotated[
    str | None,
    typer.Option(
        metavar="[NAME=]SCORE",
        help="Fail if NAME scores less than SCORE in the deciding verdict. NAME is a debater, or an outcome that judges vote for, such as PASS of `panel`. Default: the debater with the highest score; for a text, the most favourable outcome, such as PASS. The score of an outcome is on the scale of its judging system: for `panel`, the share of the votes, from 0 to 1.",
        rich_help_panel=GATES_PANEL,
    ),
]
ExpectWinnerOption = Annotated[
    str | None,
    typer.Option(
        "--expect-winner",
        "--expect",
        metavar="NAME|draw|PASS",
        help="Fail unless the outcome is this one. Possible values: a debater's name, `draw`, `conditional`, or an outcome that judges vote for (with `panel`: PASS, FAIL, CONDITIONAL). `--expect` is the same option.",
        rich_help_panel=GATES_PANEL,
    ),
]
MaxWarningsOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Fail if all speeches and judgements together have more than N warnings.",
        rich_help_panel=GATES_PANEL,
    ),
]
FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="manipulation|missing",
        help="manipulation: fail if the detector or a judge finds words that address the judge. missing: fail if a judgement is missing.",
        rich_help_panel=GATES_PANEL,
    ),
]


def gates_from_options(
    fail_under: str | None, expect_winner: str | None, max_warnings: int | None, fail_on: list[str] | None
) -> Gates:
    """Return the gates that the options describe. Raises UsageError for a wrong --fail-under or --fail-on."""
    from debate_cli.app.gates import FAIL_ON_CONDITIONS, Gates

    parts = re.fullmatch(r"(?:(?P<name>.+)=)?(?P<score>-?\d+(?:\.\d+)?)", (fail_under or "0").strip())
    if parts is None:
        raise UsageError(f"--fail-under {fail_under}: give a number, or NAME=NUMBER")
    for condition in fail_on or ():
        if condition not in FAIL_ON_CONDITIONS:
            raise UsageError(
                f"--fail-on {condition}: there is no such condition; use {' or '.join(FAIL_ON_CONDITIONS)}"
            )
    return Gates(
        min_score_debater=parts["name"],
        min_score=None if fail_under is None else float(parts["score"]),
        expected_winner=expect_winner,
        max_warnings=max_warnings,
        fail_on=tuple(fail_on or ()),
    )
