"""`debate init`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import options, stage
from debate_cli.errors import UsageError
from debate_cli.storage.disk import write_whole
from debate_cli.storage.schema import config_schema

app = typer.Typer(add_completion=False)
TOPIC = "Should a startup of under ten people adopt microservices from day one?"
MODEL = "local/smollm2"

TEMPLATE = """\
# yaml-language-server: $schema=./debate.schema.json
# Run it with `debate run {name}`; rehearse it without any model with `debate run {name} --mock`.
version: 1
topic: {topic}
# background: |                     # what debaters and judges should know, as data
#   Eight engineers, one product, no platform team.
# seed: 7                           # for the mock, and for providers that take a seed

models:                             # names for provider/model; `debate models` lists the providers
  default: {{model: {model}}}
  judge: {{model: {judge}}}            # {judge_hint}

debaters:
  - {{name: Pro, side: for}}          # each may have its own: model, system, personality, strategy
  - {{name: Con, side: against}}

format:
  kind: structured                  # structured | semi_structured | free_flowing
  arguments: 2                      # that each side opens with
  phases: [opening, cross_examination, closing]     # `rebuttal` may stand between the last two, repeatedly

judging:
  decides: structured               # whose verdict heads the output
  systems:
    - {{kind: structured, weights: {{logic: 0.3, evidence: 0.4, responsiveness: 0.2, honesty: 0.1}}}}
    # - {{kind: moderator}}           # a chair: marks every round, and the whole out of 100
    # - {{kind: panel, personas: [technical_architect, compliance_auditor]}}
    # - {{kind: live}}                # every turn and every exchange; presses the debaters
    # - {{kind: persuasion}}          # stance, conviction, surrender; needs no model

# limits: {{max_cost_usd: 1.0, max_tokens: 400000}}
output: {{dir: transcripts}}
"""


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to; made if it is not there.")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing, take the defaults.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    debug: options.Debug = False,
) -> None:
    """Write a commented debate.yaml and its schema.

    On a terminal it asks three questions first: the motion, the debaters' model, the judge's.
    """
    del debug  # acted on where errors are caught
    config, schema = folder / "debate.yaml", folder / "debate.schema.json"
    for path in (config, schema):
        if path.exists() and not force:
            raise UsageError(f"{path} exists already; overwrite it with --force")
    topic, model, judge = (TOPIC, MODEL, MODEL) if yes or not sys.stdin.isatty() else _questions()
    text = TEMPLATE.format(
        name=config,
        topic=json.dumps(topic, ensure_ascii=False),
        model=model,
        judge=judge,
        judge_hint="best another one than the debaters'" if judge == model else "not the debaters' own model: good",
    )
    write_whole(config, text.encode(), overwrite=force)
    document = json.dumps(config_schema(), ensure_ascii=False, indent=2) + "\n"
    write_whole(schema, document.encode(), overwrite=force)
    stage.tell(f"written: {config} and {schema}")
    stage.tell(f"next: debate run {config}   (or rehearse it: debate run {config} --mock)")


def _questions() -> tuple[str, str, str]:
    """Motion, the debaters' model, the judge's."""
    topic = typer.prompt("The motion", default=TOPIC)
    model = _model("The debaters' model (provider/model)", MODEL)
    return topic, model, _model("The judge's model", model)


def _model(question: str, default: str) -> str:
    while True:
        answer: str = typer.prompt(question, default=default)
        provider, slash, name = answer.strip().partition("/")
        if provider and slash and name:
            return answer.strip()
        typer.echo("  write it as provider/model, for example ollama/qwen3:8b", err=True)
