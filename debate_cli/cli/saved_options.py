"""Options of the commands that work on saved debates."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from debate_cli.cli import completion, options
from debate_cli.errors import ExitCode
from debate_cli.storage.out_path import OutPath

Lookup = Literal["corpus", "web", "both"]
"""Where the judging system `sources` searches for facts that debaters state without a citation."""


class JudgeOptions(NamedTuple):
    """Judge saved debates (again), without their debaters.

    The new assessments become a separate judging run; `debate score --runs all` shows all runs side by side. No
    debater's model or key is needed. Each --model gets its own judging run. With several models, no judging run
    decides the debate.

    Some systems, such as `panel`, also judge documents: files, `-` (stdin), and folders. In a folder without transcripts
    they judge all text files, also in folders below, but no JSON or YAML files. The topic of --config is the question
    about a document.

    Examples:

      debate judge my-debate --system panel --model anthropic/claude-sonnet-5

      debate judge transcripts/ --config configs/panel.yaml --repeat 3

      debate judge PLAN.md --system panel --context brief.md --expect PASS --mock

      debate judge my-debate --system sources --evidence docs/

      debate judge my-debate --system sources --lookup web --model openai/gpt-5

      debate judge transcripts/ --system live --model openai/gpt-5 --dry-run

      debate judge transcripts/ --system structured --model openai/gpt-5 --batch

      debate judge --collect transcripts/
    """

    EPILOG = options.format_exit_codes(ExitCode, resumable=True, FAILED=options.SOME_FAILED)

    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Transcripts, folders, globs, ids; with --system panel also text files, folders of text files, and `-` (stdin).",
            autocompletion=completion.complete_paths,
        ),
    ] = None
    config: options.ConfigOption = None
    system: options.SystemsOption = None
    model: Annotated[list[str] | None, typer.Option(metavar="PROVIDER/MODEL", help="Judges' model (repeatable).")] = (
        None
    )
    judges: Annotated[int | None, typer.Option(min=1, max=25, help="Number of judges of each system.")] = None
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Number of independent judging runs of each model.")] = 1
    lookup: Annotated[
        Lookup | None,
        typer.Option(
            help="Where the system `sources` looks up claims without a citation: files (corpus), web, or both."
        ),
    ] = None
    evidence: options.EvidenceOption = None
    mock: options.MockOption = False
    batch: options.BatchOption = False
    collect: Annotated[
        bool,
        typer.Option(
            "--collect", help="Collect the answers of batches for PATH (default: the folder where `run` saves)."
        ),
    ] = False
    resubmit: Annotated[
        bool,
        typer.Option(
            "--resubmit", help="With --collect: submit questions again, although an earlier batch may contain them."
        ),
    ] = False
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Replace earlier judgements by the same judging systems (default: add a judging run).",
        ),
    ] = False
    context: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="If PATH is a document: file with context. Judges read the context but do not judge it. Default: the background of "
            "--config.",
        ),
    ] = None
    out: Annotated[
        OutPath | None,
        typer.Option(
            parser=OutPath.parse,
            metavar="PATH",
            help="File or folder for the judged transcripts; a path that ends with a slash is a folder (default: in place; "
            "for a document, the folder where `run` saves).",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file at --out.")] = False
    settings: options.SettingsOption = None
    var: options.VarOption = None
    max_cost: Annotated[float | None, typer.Option(metavar="USD", help="Budget of each file in US dollars.")] = None
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Token budget of each file.")] = None
    files: options.FilesOption = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    id: Annotated[str | None, typer.Option("--id", help="Id of the transcript, if a document is judged.")] = None
    no_save: options.NoSaveOption = False
    report: options.ReportOption = None
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Number of files to judge at the same time.")] = 4
    dry_run: options.DryRunOption = False
    quiet: options.QuietOption = False
    details: options.DetailsOption = False
    json: options.JsonOption = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None


class ScoreFormat(StrEnum):
    """Output format of the verdicts."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    junit = "junit"
    github = "github"
    html = "html"


class RowKind(StrEnum):
    """Content of an output row: a verdict, or the mark of one argument on one criterion."""

    verdict = "verdict"
    argument = "argument"


class ScoreOptions(NamedTuple):
    """Recompute verdicts from saved debates, without any model.

    Scores the stored assessments, with other weights, thresholds or penalties if you give them. Without --runs, the
    newest judging run of each system is scored. Nothing is written without --write or -o.

    Examples:

      debate score transcripts/

      debate score debate.json --weights evidence=0.6,logic=0.4

      debate score 'transcripts/*.json' --check --format csv

      debate score transcripts/ --format csv --per argument > arguments.csv

      debate score transcripts/ --fail-under 6 --format junit > gates.xml

      debate score transcripts/ --format html -o reports
    """

    EPILOG = options.EXIT_CODES_WITHOUT_MODELS

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="Transcripts, folders, globs, ids.", autocompletion=completion.complete_paths
        ),
    ]
    system: options.SystemsOption = None
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="NAME=N,...",
            help="Weights of the criteria of `structured`; each is divided by their sum. A criterion that is not named gets "
            "weight 0. Not with --rubric.",
        ),
    ] = None
    rubric: Annotated[
        Path | None,
        typer.Option(
            help="YAML file with weights, thresholds and penalties of judging systems. Weights and other settings "
            "that the file lacks keep their stored values. Not with --weights."
        ),
    ] = None
    runs: Annotated[str, typer.Option(metavar="latest|all|ID", help="The judging runs to score.")] = "latest"
    format: Annotated[ScoreFormat, typer.Option("--format", help="Output format.")] = ScoreFormat.table
    per: Annotated[
        RowKind,
        typer.Option(
            "--per",
            help="What a row of csv, jsonl or json contains: a verdict, or the mark of one argument on one criterion.",
        ),
    ] = RowKind.verdict
    json: options.JsonOption = False
    write: Annotated[bool, typer.Option("--write", help="Store the recomputed verdicts.")] = False
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Fail if a stored verdict differs from the recomputed one.",
            rich_help_panel=options.GATES_PANEL,
        ),
    ] = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    output: Annotated[
        OutPath | None,
        typer.Option(
            "-o",
            "--output",
            parser=OutPath.parse,
            metavar="DIR",
            help="With --format html: folder for the index and a page of each debate.",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite files in DIR.")] = False


ReplayFormat = Literal["terminal", "markdown", "html", "json", "svg", "terminal-html"]


ReplayPart = Literal["turns", "scores", "trace", "verdict", "briefing"]
"""Part of a debate that --only selects."""


class ReplayOptions(NamedTuple):
    """Show a saved debate as `debate run` showed it.

    The debate appears all at once, typed out (--speed), or turn by turn (--step). With --format it becomes a page, a
    picture or Markdown. No model is asked.

    Examples:

      debate replay transcripts/my-debate.json --only trace

      debate replay my-debate --speed 4

      debate replay my-debate --format html -o report.html

      debate replay my-debate --format svg --only verdict -o verdict.svg
    """

    path: options.DebateArgument
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            metavar="X",
            help="Type the speeches out at X times the speed of a fast model (0.2: reading speed).",
        ),
    ] = None
    step: Annotated[bool, typer.Option("--step", help="Wait for a key after each turn.")] = False
    round: Annotated[int | None, typer.Option("--round", min=1, help="Show only this round.")] = None
    only: Annotated[ReplayPart | None, typer.Option(help="Show only this part.")] = None
    show_hidden: Annotated[
        bool, typer.Option("--show-hidden", help="Show the hidden instructions that debaters were given.")
    ] = False
    plain: options.PlainOption = False
    format: Annotated[ReplayFormat, typer.Option("--format", help="Output format.")] = "terminal"
    json: Annotated[bool, typer.Option("--json", help="Same as --format json: the transcript.")] = False
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", parser=options.parse_file, metavar="FILE", help="Write to a file (`-`: stdout)."
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing FILE.")] = False


class ListOptions(NamedTuple):
    """List the saved debates of a folder, with winners and costs.

    The newest debate comes first. In a pipe or file each debate is one line. Tabs separate the columns: id, start
    (UTC), topic, models, winners, cost in USD, state (with missing judgements), and `rehearsal` or `rehearsal in part`
    if the mock answered. With --json, the field `rehearsal` has these words, or null. Unreadable files are named at the
    end; the exit code is then 1, or 2 if no file could be read.

    Examples:

      debate list

      debate list | cut -f 1,5

      debate list --json | jq '.[] | select(.state != "complete").path'
    """

    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
            help="Folder of the debates (default: where `run` saves them).",
        ),
    ] = None
    json: options.JsonOption = False
    plain: options.PlainOption = False


class ReviewOptions(NamedTuple):
    """Judge a saved debate yourself, beside the models.

    You fill in the form that a judging system asks models to fill in. Your answers become a judging run, scored by the
    same code and shown beside the verdicts of models. Your judging run never decides the debate.

    At a terminal you get one form after the other, each below the speeches to judge. Ctrl-C keeps what you wrote, and
    the same command continues the review. You can also print the forms with --template, fill them in with an editor,
    and store them with --from. With --blind, names, models and earlier verdicts are hidden, and the order of the debaters is random.

    Examples:

      debate review my-debate

      debate review my-debate --template > review.yaml

      debate review my-debate --from review.yaml

      debate review my-debate --blind --probability --template > review.yaml

      debate review my-debate --system moderator --name ann --template > ann.yaml
    """

    debate: options.DebateArgument
    system: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Judging system whose form you fill in. Default: structured for a debate, panel for a document.",
            autocompletion=completion.complete_systems,
        ),
    ] = None
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Your name (default: your login name).")] = None
    blind: Annotated[
        bool, typer.Option("--blind", help="Hide names, models and verdicts, and shuffle the debaters.")
    ] = False
    probability: Annotated[
        bool,
        typer.Option(
            "--probability", help="Ask after each round, and at the end, how likely each side is to be right."
        ),
    ] = False
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seed for the order of the debaters in a blind review (default: random)."),
    ] = None
    template: Annotated[bool, typer.Option("--template", help="Print the form as YAML, with the speeches.")] = False
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Read the filled-in template FILE, and store it as a review."),
    ] = None
    json: options.JsonOption = False


class DiffOptions(NamedTuple):
    """Compare two saved debates, or two judging runs of one debate.

    Describes the differences in a few sentences. Tables then compare judges, winners, margins, scores, claims with
    different standings, settings, models and cost. Without --runs, the newest judging run of each system is compared.

    Examples:

      debate diff my-debate my-other-debate

      debate diff my-debate --runs r1,r2
    """

    a: Annotated[
        str,
        typer.Argument(metavar="A", help="Id or file of a saved debate.", autocompletion=completion.complete_debates),
    ]
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="B",
            help="The second debate. Leave it out to compare two judging runs of A.",
            autocompletion=completion.complete_debates,
        ),
    ] = None
    runs: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y", help="Compare judging run X of A with judging run Y of B (of A, if B is left out)."
        ),
    ] = None
    json: options.JsonOption = False
    plain: options.PlainOption = False


Format = Literal[
    "text", "markdown", "vtt", "srt", "csv", "jsonl", "chat", "transcript", "debatrix", "nyu", "lechmazur", "ukp"
]
"""What `debate import` reads: formats of files with one debate, then public data sets."""


RoundBy = Literal["turns", "heading"]
"""Rule that divides the speeches into rounds."""


class ImportOptions(NamedTuple):
    """Make transcripts of debates that were held elsewhere.

    Reads text (`Name: words`), Markdown, subtitles, tables, chats and this program's transcripts, and keeps every
    word. The transcript can be judged, scored, replayed and reported as any other. The command shows what it found.
    With --dry-run it writes nothing.

    The formats debatrix, nyu, lechmazur and ukp read folders of public data sets. People's judgements of these debates
    are written to `labels.csv` beside the transcripts. Each file becomes a transcript of the same name, e.g.
    hearing.txt becomes hearing.json. A broken file is reported, and the other files are imported.

    Examples:

      debate import hearing.txt --dry-run

      debate import hearing.txt --drop "The Chair" --merge "Dr. A=Ann Lee"

      debate import hearing.txt --side "Ann Lee=for" --side Bo=against

      debate import chat.csv --map speaker=who,text=body --topic "Should we move?"

      debate import debates/ -o transcripts/

      debate import hearing.txt --arguments anthropic/claude-sonnet-5
    """

    EPILOG = options.EXIT_CODES_WITHOUT_GATES

    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files that contain one debate each, and folders of such files."),
    ]
    format: Annotated[
        Format | None,
        typer.Option(help="Format of the files, or a public data set; default: detected from the content."),
    ] = None
    topic: Annotated[
        str | None, typer.Option(help="The motion (default: the one in the file, else the file's name).")
    ] = None
    side: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SIDE",
            help="Side of a speaker: for or against, or any label if there are three or more speakers (repeatable).",
        ),
    ] = None
    drop: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Leave out a speaker (repeatable).")] = None
    merge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPELLING=NAME",
            help="If the file spells a speaker's name as SPELLING, read it as NAME (repeatable).",
        ),
    ] = None
    round_by: Annotated[
        RoundBy | None,
        typer.Option(
            help="`turns`: a speaker's second speech in a round begins the next round. `heading`: each heading begins a round. "
            "Default: the rounds that a table gives in its column `round` (or in --map round=COLUMN), else `turns`."
        ),
    ] = None
    map: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=COLUMN,...", help="Columns of a table for the fields speaker, text and round (repeatable)."
        ),
    ] = None
    arguments: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="Ask this model for the claims of each speech, each with a quote that is checked word for word. Without this option, each speech counts as one argument.",
        ),
    ] = None
    mock: options.MockOption = False
    config: options.ConfigOption = None
    max_cost: options.MaxCostOption = None
    max_tokens: options.MaxTokensOption = None
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    out: Annotated[
        OutPath | None,
        typer.Option(
            "-o",
            "--out",
            parser=OutPath.parse,
            metavar="PATH",
            help="Folder or .json file; a path that ends with a slash is a folder (default: the folder where `run` saves).",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing transcripts.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is found; write nothing.")] = False
    json: options.JsonOption = False


class AuditOptions(NamedTuple):
    """Measure whether a judge can be trusted.

    The judge judges the same debates several times. It also judges copies of them in which the program changed one
    thing: the order of the debaters, their names, the length of one side, an invented study, and more. Different
    verdicts show the judge's biases. The same command continues an audit that was stopped, and asks no question twice.
    The result is a judge card in the audit's folder.

    Examples:

      debate audit --judge mock/judge

      debate audit --judge openai/gpt-5 --on transcripts/ --labels labels.csv

      debate audit audits/old/audit.json audits/new/audit.json --diff
    """

    EPILOG = options.EXIT_CODES_WITH_MODELS

    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="AUDIT", help="Two audit.json files to compare with --diff.")
    ] = None
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="PROVIDER/MODEL", help="Model of the judge (repeatable). Default: the judge of --config."),
    ] = None
    system: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Judging system that the judge uses.", autocompletion=completion.complete_systems
        ),
    ] = "structured"
    config: options.ConfigOption = None
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on", metavar="PATH", help="Saved debates to use (repeatable). Default: eight that ship with the program."
        ),
    ] = None
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV file with the known winners. Columns: id, rater, and winner (or score_NAME for each side, 0 to 100).",
        ),
    ] = None
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the audit.")] = Path("audit")
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Test only this variant of each debate (repeatable). Default: all variants. "
            "Each of `confident`, `hedged` and `citation` also adds the variant `padded`.",
        ),
    ] = None
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Number of judging runs of each unchanged debate.")] = 3
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help=f"Exit code {ExitCode.GATE_NOT_MET:d} if a measure on the judge card does not meet this bound, e.g. flip=0.05 (repeatable).",
        ),
    ] = None
    diff: Annotated[bool, typer.Option("--diff", help="Compare two audits.")] = False
    mock: options.MockOption = False
    batch: options.BatchOption = False
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Number of debates to judge at the same time.")] = 8
    max_cost: Annotated[float | None, typer.Option(metavar="USD", help="Budget of the whole audit in US dollars.")] = (
        None
    )
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Budget of the whole audit in tokens.")] = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    dry_run: options.DryRunOption = False
    quiet: options.QuietOption = False
    json: options.JsonOption = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
