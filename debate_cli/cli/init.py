"""`debate init`."""

import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import typer

from debate_cli.app.config_resolution import resolve_config
from debate_cli.app.model_discovery import DiscoveredModel, discover_models, suggest_judge
from debate_cli.app.preparation import prepare_run
from debate_cli.cli import config_options, console
from debate_cli.cli.setup_options import InitOptions
from debate_cli.domain.model_call import is_mock
from debate_cli.errors import DebateError, UsageError
from debate_cli.storage.atomic_write import PUBLIC_FILE_MODE, atomic_write
from debate_cli.storage.schema import config_schema, format_schema
from debate_cli.storage.variables import load_environment

DEFAULT_TOPIC = "Should a startup of under ten people adopt microservices from day one?"
_PLAIN_SCALAR = re.compile(r"[\w./:@-]+[\w/]")


@dataclass(frozen=True, slots=True)
class InitAnswers:
    """Values that the user chose for the configuration."""

    topic: str
    model: str
    judge: str


def run(given: InitOptions) -> None:
    """Write a commented debate.yaml and its schema."""
    names_file = given.folder.suffix in {".yaml", ".yml"} and not given.folder.is_dir()
    config = given.folder if names_file else given.folder / "debate.yaml"
    schema, schema_text = config.parent / "debate.schema.json", format_schema(config_schema()).encode()
    is_current_schema = schema.is_file() and schema.read_bytes() == schema_text
    for path in (config,) if is_current_schema else (config, schema):
        if os.path.lexists(path) and not given.force:
            raise UsageError(f"{path} exists already; overwrite it with --force")
    env = load_environment(config.parent, os.environ)
    config_options.print_notes(env.notes)
    found = discover_models(env)
    if given.yes or not sys.stdin.isatty():
        model = found[0].model
        answers = InitAnswers(DEFAULT_TOPIC, model, suggest_judge(model, found))
    else:
        answers = _prompt_answers(found)
    atomic_write(config, _render_config(answers, config).encode(), overwrite=given.force, mode=PUBLIC_FILE_MODE)
    atomic_write(schema, schema_text, overwrite=True, mode=PUBLIC_FILE_MODE)
    console.print_status(f"written: {config} and {schema}")
    _print_next_steps(config, answers)


def _prompt_answers(found: Sequence[DiscoveredModel]) -> InitAnswers:
    topic: str = typer.prompt("The motion", default=DEFAULT_TOPIC)
    typer.echo("Available models (you can also enter another one as provider/model):")
    width = max(len(one.model) for one in found)
    for number, one in enumerate(found, 1):
        typer.echo(f"  {number}  {one.model:<{width}}  {one.reason}")
    model = _prompt_model("The debaters' model, by number or name", found[0].model, found)
    judge = _prompt_model("The judge's model, by number or name", suggest_judge(model, found), found)
    return InitAnswers(topic, model, judge)


def _prompt_model(question: str, default: str, found: Sequence[DiscoveredModel]) -> str:
    while True:
        answer: str = typer.prompt(question, default=default).strip()
        if answer.isdecimal() and 1 <= int(answer) <= len(found):
            return found[int(answer) - 1].model
        provider, slash, name = answer.partition("/")
        if provider and slash and name:
            return answer
        typer.echo("  give a number from the list, or a name as provider/model, for example ollama/qwen3:8b", err=True)


def _render_config(answers: InitAnswers, config: Path) -> str:
    template = resources.files("debate_cli.cli").joinpath("templates/debate.yaml").read_text(encoding="utf-8")
    judge = f"judge: {{model: {_quote_yaml(answers.judge)}}}"
    if answers.judge == answers.model:
        judge = (
            f"# {judge}    # to set the judge's model, remove the first #; until then, the model `default` also judges"
        )
    filled = {
        "@NAME@": _quote_path(config if str(config).isprintable() else Path(config.name)),
        "@TOPIC@": json.dumps(answers.topic, ensure_ascii=False),
        "@MODEL@": _quote_yaml(answers.model),
        "@JUDGE@": judge,
    }
    return re.sub("|".join(filled), lambda found: filled[found[0]], template)


def _quote_path(path: Path) -> str:
    """Return `path` as an argument of a shell command. A path that begins with a dash gets `./`, so it is no option."""
    return shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))


def _quote_yaml(model: str) -> str:
    return model if _PLAIN_SCALAR.fullmatch(model) else json.dumps(model, ensure_ascii=False)


def _print_next_steps(config: Path, answers: InitAnswers) -> None:
    try:
        prepare_run(resolve_config(config, os.environ))
    except DebateError as error:
        for line in error.problems:
            console.print_status(f"to do before running: {line}")
    name = _quote_path(config)
    if is_mock(answers.model):
        console.print_status(
            "this configuration uses the mock, not a real model; to use a real model, see: debate explain missing-key"
        )
        console.print_status(f"next: debate run {name}")
    else:
        console.print_status(f"next: debate run {name}   (or rehearse it: debate run {name} --mock)")
