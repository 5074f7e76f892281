"""Options of the commands whose own modules are slow to import."""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from debate_cli.cli import completion, options


class RunOptions(NamedTuple):
    """Run a debate and save its transcript.

    Without CONFIG, it uses configs/debate.yaml or debate.yaml of this folder, else the packaged default (a debate on
    the tiny embedded model, whose words carry no meaning). Options override DEBATE_... variables, which override the file.

    Examples:

      debate run --mock

      debate run debate.yaml --topic "Rewrite it in Rust?" --set seed=7

      debate run --resume my-debate
    """

    EPILOG = options.EXIT_CODES_WITH_MODELS

    config: options.RunConfigArgument = None
    topic: Annotated[str | None, typer.Option(help="Override the motion.")] = None
    background: Annotated[Path | None, typer.Option(metavar="FILE", help="Text file that replaces the background.")] = (
        None
    )
    evidence: options.EvidenceOption = None
    settings: options.SettingsOption = None
    var: options.VarOption = None
    mock: options.MockOption = False
    seed: Annotated[int | None, typer.Option(help="Seed for the mock, and for providers that support seeds.")] = None
    max_cost: options.MaxCostOption = None
    max_tokens: options.MaxTokensOption = None
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the transcript.")] = None
    id: Annotated[str | None, typer.Option("--id", help="Id of the debate: a-z, 0-9 and dashes.")] = None
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="ID|PATH", help="Resume an unfinished debate.", autocompletion=completion.complete_debates
        ),
    ] = None
    up_to_damage: Annotated[
        bool,
        typer.Option(
            "--up-to-damage",
            help="With --resume: cut a damaged journal before its first damaged line; keep a copy of the whole journal.",
        ),
    ] = False
    continue_: Annotated[
        bool,
        typer.Option(
            "--continue", help="With --id: resume the saved debate with this id, or start it if none is saved."
        ),
    ] = False
    close: Annotated[bool, typer.Option("--close", help="With --resume: end the debate here and judge it.")] = False
    files: options.FilesOption = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    show_hidden: Annotated[
        bool, typer.Option("--show-hidden", help="Show the hidden instructions that debaters were given.")
    ] = False
    quiet: options.QuietOption = False
    json: options.JsonOption = False
    plain: options.PlainOption = False
    details: options.DetailsOption = False
    report: options.ReportOption = None
    no_save: options.NoSaveOption = False
    dry_run: options.DryRunOption = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an existing debate with this id, and an existing report.")
    ] = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False


RUN_PANEL, REPORT_PANEL = "Options of run", "Options of report and merge"


Action = Literal["run", "status", "report", "rate", "merge"]


ReportFormat = Literal["json", "jsonl", "csv", "parquet"]
"""Format of a table with one row per judgement."""


class ExperimentOptions(NamedTuple):
    """Run many debates from one file: players, motions, both side orders, judges.

    Each debate of an experiment is a cell. `run EXP.yaml` runs the cells that are missing or failed. Several processes
    may run the same experiment at once.

    `status` and `report` take the experiment's file or the experiment's folder, which is beside the file. With --queue
    they first copy the workers' results. `report` shows a leaderboard with intervals, how far the judges can be
    trusted, and the cost.

    `merge DIR... -o DIR` joins the folders of runs with --shard. `rate FILE.csv` makes a leaderboard from the results
    of any pairwise comparisons. The file has the columns `left`, `right`, and either `score` (0 to 1) or `margin`. The
    columns `cluster`, `judge` and `side` are optional.

    Examples:

      debate experiment run exp.yaml --mock

      debate experiment run exp.yaml --dry-run

      debate experiment report exp.yaml --html report.html

      debate experiment report exp.yaml --format csv -o results.csv

      debate experiment rate results.csv
    """

    EPILOG = (
        "Exit codes: 0 done, 1 failed (or some cells did), 2 wrong input, 3 a provider failed (resumable), "
        "4 budget reached (resumable), 130 interrupted (resumable), 141 output pipe closed (resumable)."
    )

    action: Annotated[
        Action,
        typer.Argument(
            help="Run the experiment, show its state, report its results, rate a CSV file, or join folders."
        ),
    ]
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="EXP.yaml|DIR|FILE.csv",
            help="run: the experiment's file. status, report: the experiment's file or folder. merge: folders. rate: a CSV file.",
            autocompletion=completion.complete_configs,
        ),
    ]
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="PATH",
            help="run, status: folder of the experiment (default: beside EXP.yaml). merge: the new folder. report: file that --format writes.",
        ),
    ] = None
    mock: Annotated[bool, typer.Option("--mock", help="Rehearse on the mock, in a separate folder.")] = False
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print cells, calls, tokens, cost and time; ask no model.", rich_help_panel=RUN_PANEL
        ),
    ] = False
    limit: Annotated[int | None, typer.Option(min=1, help="Run at most N cells.", rich_help_panel=RUN_PANEL)] = None
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run only the cells that failed.", rich_help_panel=RUN_PANEL)
    ] = False
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Run only part I of N (one per machine).", rich_help_panel=RUN_PANEL),
    ] = None
    queue: options.QueueOption = None
    enqueue_only: Annotated[
        bool,
        typer.Option(
            "--enqueue-only",
            help="With --queue: put the cells into the queue, and do not wait for workers.",
            rich_help_panel=RUN_PANEL,
        ),
    ] = False
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="After the debates, ask judges in the vendor's batches, at half the price.",
            rich_help_panel=RUN_PANEL,
        ),
    ] = False
    format: Annotated[
        ReportFormat | None, typer.Option(help="Print one row per judgement.", rich_help_panel=REPORT_PANEL)
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report as one HTML page.", rich_help_panel=REPORT_PANEL),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the file of the report.", rich_help_panel=REPORT_PANEL)
    ] = False
    json: Annotated[
        bool, typer.Option("--json", help="run: an event per line on stdout; other actions: one JSON document.")
    ] = False
    plain: options.PlainOption = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only the closing lines.")] = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False


class WorkerOptions(NamedTuple):
    """Take debates of experiments from a queue, and run them.

    `debate experiment run EXP.yaml --queue DSN` puts an experiment into a queue, which is a PostgreSQL database.
    Workers on any machines run the experiment's debates, and share the experiment's budget and each key's limits per
    minute. Each worker needs the providers' keys in its environment. If a worker dies, another worker continues the
    debates after their last event. Workers do not trust the experiments: with --trust-host, allow each server that an
    experiment names. Needs the extra `cluster`.

    Examples:

      DEBATE_QUEUE=postgresql://me:secret@db.example/debates debate worker

      debate worker --concurrency 32 --trust-host gpu.example:8000

      debate worker --until-empty
    """

    EPILOG = (
        "Exit codes: 0 done (--until-empty), 1 the queue cannot be reached, 2 wrong input, or an experiment that this machine "
        "may not run (--until-empty), 130 interrupted."
    )

    queue: options.QueueOption = None
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Number of debates to run at the same time.")
    ] = None
    until_empty: Annotated[bool, typer.Option("--until-empty", help="End when no debate is left in the queue.")] = False
    lease: Annotated[
        float,
        typer.Option(
            min=2,
            metavar="SECONDS",
            help="Seconds without a sign of life after which other workers continue this worker's debates.",
        ),
    ] = 30
    trust_host: options.TrustHostOption = None
    json: Annotated[bool, typer.Option("--json", help="Print an event per line on stdout.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only notes and the closing line.")] = (
        False
    )
    debug: options.DebugOption = False


Lookup = Literal["corpus", "web", "both"]
"""Where the judging system `sources` looks up claims without a citation."""


class JudgeOptions(NamedTuple):
    """Judge saved debates (again), without their debaters.

    The new assessments become a separate judging run; `debate score --runs all` shows all runs side by side. No
    debater's model or key is needed. Each --model gets its own judging run. With several models, no judging run
    decides the debate.

    Some systems, such as `panel`, also judge texts: files, `-` (stdin), and folders. In a folder without transcripts
    they judge all text files, also in folders below, but no JSON or YAML files. The topic of --config is the question
    about a text.

    Examples:

      debate judge my-debate --system panel --model anthropic/claude-sonnet-5

      debate judge transcripts/ --config configs/panel.yaml --repeat 3

      debate judge PLAN.md specs/ --system panel --context brief.md --expect PASS --mock

      debate judge my-debate --system sources --evidence docs/ --model anthropic/claude-sonnet-5

      debate judge my-debate --system sources --lookup web --model anthropic/claude-sonnet-5

      debate judge transcripts/ --system live --model openai/gpt-5 --dry-run

      debate judge transcripts/ --system structured --model openai/gpt-5 --batch

      debate judge --collect transcripts/
    """

    EPILOG = options.EXIT_CODES_WITH_MODELS.replace("130", "6 a batch is in progress, 130")

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
        bool, typer.Option("--replace", help="Ignore earlier assessments of the systems that judge now.")
    ] = False
    context: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File that judges read in addition to a text (default: the background of --config)."
        ),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="File or folder for the judged transcripts (default: in place; for a text, the folder where `run` saves).",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file at --out.")] = False
    settings: options.SettingsOption = None
    var: options.VarOption = None
    max_cost: Annotated[float | None, typer.Option(metavar="USD", help="Budget of each file in US dollars.")] = None
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Budget of each file in tokens.")] = None
    files: options.FilesOption = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    id: Annotated[str | None, typer.Option("--id", help="Id of the transcript, if a text is judged.")] = None
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
    debug: options.DebugOption = False


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

      debate import hearing.txt --drop "The Chair" --merge "Dr. A=Ann Lee" --side "Ann Lee=for" --side Bo=against

      debate import answers.csv --map speaker=who,text=body --topic "Should we move?"

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
        typer.Option(metavar="SPELLING=NAME", help="Count speeches under SPELLING as speeches of NAME (repeatable)."),
    ] = None
    round_by: Annotated[
        RoundBy | None,
        typer.Option(
            help="`turns`: a speaker's second speech in a round begins the next round. `heading`: each heading begins a round. "
            "Default: the rounds that a table names, else `turns`."
        ),
    ] = None
    map: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=COLUMN,…", help="Columns of a table for the fields speaker, text and round (repeatable)."
        ),
    ] = None
    arguments: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="Ask this model for the claims of each speech; each claim's quote is checked word for word. Without this option, each speech is one argument.",
        ),
    ] = None
    mock: options.MockOption = False
    config: options.ConfigOption = None
    max_cost: options.MaxCostOption = None
    max_tokens: options.MaxTokensOption = None
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="PATH", help="Folder or .json file (default: the folder where `run` saves)."
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing transcripts.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is found; write nothing.")] = False
    json: options.JsonOption = False
    debug: options.DebugOption = False


class AuditOptions(NamedTuple):
    """Measure whether a judge can be trusted.

    The judge judges the same debates several times. It also judges copies of them in which the program changed one
    thing: the order of the debaters, their names, the length of one side, an invented study, and more. Different
    verdicts show the judge's biases. The same command continues an audit that was stopped, and asks no question twice.
    The result is a judge card in the audit's folder.

    Examples:

      debate audit --judge mock/judge

      debate audit --judge openai/gpt-5 --on transcripts/ --labels labels.csv -o audits/gpt-5

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
            help="CSV file with the known winners. Columns: id, rater, and winner (or score_NAME for each side).",
        ),
    ] = None
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the audit.")] = Path("audit")
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Test only this change of the debates (repeatable). Default: every change. "
            "`confident`, `hedged` and `citation` also test `padded`.",
        ),
    ] = None
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Number of judging runs of each unchanged debate.")] = 3
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Exit code 5 if a measure on the judge card does not meet this bound, e.g. flip=0.05 (repeatable).",
        ),
    ] = None
    diff: Annotated[bool, typer.Option("--diff", help="Compare two audits.")] = False
    mock: options.MockOption = False
    batch: options.BatchOption = False
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Number of debates to judge at the same time.")] = 8
    max_cost: Annotated[float | None, typer.Option(metavar="USD", help="Budget of the whole audit in dollars.")] = None
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Budget of the whole audit in tokens.")] = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    dry_run: options.DryRunOption = False
    quiet: options.QuietOption = False
    json: options.JsonOption = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False
