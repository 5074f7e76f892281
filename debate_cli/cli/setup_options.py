"""Options of the commands that set up debates."""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from debate_cli.cli import completion, options


class InitOptions(NamedTuple):
    """Write a commented debate.yaml and its schema.

    On a terminal it first asks for the motion, the debaters' model and the judge's model. It offers the models that are
    available: those of Ollama if Ollama is running, those of providers whose key is set, and the embedded model.
    """

    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder (created if missing), or a file NAME.yaml.",
        ),
    ] = Path()
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing; use the defaults.")] = False
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False


class PersonasOptions(NamedTuple):
    """Suggest judges for a panel: people with a stake in your documents.

    Asks one model for 3 to 7 stakeholders. Each has a name, a role, a concern, and a quoted passage of a document as the
    reason. The quotes are checked word for word. The result is a configuration with these judges, for you to edit.

    Examples:

      debate personas PLAN.md --model anthropic/claude-sonnet-5 -o judges.yaml

      debate judge PLAN.md --config judges.yaml
    """

    EPILOG = options.format_exit_codes(options.CODES_WITH_MODELS)

    paths: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Text files, folders of text files, and `-` (stdin).")
    ]
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            parser=options.parse_file,
            metavar="FILE",
            help="File for the configuration; default: stdout.",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file at -o.")] = False
    model: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The model to ask.")] = None
    config: options.ConfigOption = None
    mock: options.MockOption = False
    json: options.JsonOption = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None


class ExplainOptions(NamedTuple):
    """Explain an error: what it means, and how to fix it.

    Errors name the page that explains them: "(debate explain missing-key)".
    """

    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC",
            help="Name of a page. Without a name, all pages are listed.",
            autocompletion=completion.complete_topics,
        ),
    ] = None
    json: options.JsonOption = False


class CheckOptions(NamedTuple):
    """Check configurations, and name missing API keys.

    Without CONFIG, the command checks the file that `debate run` would use: configs/debate.yaml or debate.yaml in the
    current folder, else the packaged default. The command names each fault with file, line, column and key. A missing
    API key is a fault too. Exit code 2 if there is any fault.
    """

    configs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONFIG", help="Configurations; - for stdin.", autocompletion=completion.complete_configs
        ),
    ] = None
    var: options.VarOption = None
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    json: options.JsonOption = False


class DoctorOptions(NamedTuple):
    """Test each model with a tiny question: what it can do, what it costs, how fast it is.

    Each model gets one question for each structured-output mode: native schema, forced tool call, schema in the prompt.
    Another question tests a streamed answer. The questions cost a few hundred tokens per model. A model is usable if at
    least one mode gives a valid answer. If no MODEL is named and the configuration searches the web, one web search is
    tested too. Exit code 3 if a model or the search is not usable.

    Examples:

      debate doctor

      debate doctor --config debate.yaml strong ollama/qwen3:8b
    """

    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="provider/model, or a name under `models` in the configuration; default: all models that the configuration uses.",
        ),
    ] = None
    config: options.ConfigOption = None
    var: options.VarOption = None
    mock: options.MockOption = False
    json: options.JsonOption = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None


ModelsAction = Literal["list", "pull"]


class ModelsOptions(NamedTuple):
    """List the providers, what each can do, and whether its key is set.

    `pull` lists the models that can be downloaded and then run without a server. `pull NAME` downloads one of them, or
    continues its download, and checks its SHA-256.

    Examples:

      debate models

      debate models pull

      debate models pull qwen3-1.7b
    """

    action: Annotated[
        ModelsAction, typer.Argument(metavar="ACTION", help="List the providers, or download a model.")
    ] = "list"
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Model to download.")] = None
    config: options.ConfigOption = None
    json: options.JsonOption = False


EvidenceAction = Literal["search", "list"]


class EvidenceOptions(NamedTuple):
    """Show which sources a debate has, and which passages a query finds in them.

    `list` shows each file with its passages, and the files that are not indexed. `search QUERY` shows the passages
    that retrieval finds, the best first.

    Examples:

      debate evidence list --evidence docs/

      debate evidence search "cost of hosting" --config debate.yaml
    """

    action: Annotated[EvidenceAction, typer.Argument(metavar="ACTION", help="Search the sources, or list them.")]
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="Words to search for.")] = None
    config: options.ConfigOption = None
    evidence: options.EvidenceOption = None
    json: options.JsonOption = False
    trust_path: options.TrustPathOption = None


PromptsAction = Literal["list", "show"]


class PromptsOptions(NamedTuple):
    """List the prompts that debaters and judges get, or show the text of one.

    A configuration replaces a prompt with `prompts: {NAME: FILE}`. Start with a copy of the shipped prompt. FILE may
    use only the placeholders of the shipped prompt.

    Examples:

      debate prompts list

      debate prompts show opening > opening.md
    """

    action: Annotated[PromptsAction, typer.Argument(metavar="ACTION", help="List all prompts, or show one.")] = "list"
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The prompt to show.")] = None
    json: options.JsonOption = False


SchemaKind = Literal["config", "transcript", "experiment"]


class SchemaOptions(NamedTuple):
    """Print the JSON Schema of a configuration, a transcript or an experiment."""

    of: Annotated[SchemaKind, typer.Argument(metavar="KIND", help="What the schema describes.")]
