"""`debate personas`."""

import asyncio
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace

from debate_cli.app.config_resolution import list_input_files
from debate_cli.app.documents import find_sources
from debate_cli.app.judge_request import JudgingRequest, parse_model
from debate_cli.app.model_roles import mock_spec
from debate_cli.app.personas import Stakeholder, TextDocument, find_stakeholders, format_judges_config, prepare_personas
from debate_cli.cli import config_options
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import (
    is_interactive,
    print_json,
    print_status,
    read_stdin,
    show_tables,
    write_document,
)
from debate_cli.cli.output_files import check_output, file_or_stdout
from debate_cli.cli.screen import StatusObserver
from debate_cli.cli.setup_options import PersonasOptions
from debate_cli.domain.model_call import total_usage
from debate_cli.errors import UsageError
from debate_cli.render import theme
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.systems.tables import Table


def run(given: PersonasOptions) -> None:
    """Suggest judges for a panel: people with a stake in your documents."""
    given = given._replace(output=file_or_stdout(given.output))
    loaded = config_options.load_judging_config(given.config, trusted_folders=given.trust_path)
    sources, notes = find_sources(given.paths, (), judges_texts=True, read_stdin=read_stdin)
    config_options.print_notes(notes)
    if given.output is not None:
        settings = () if loaded is None else list_input_files(loaded)
        inputs = [*settings, *(source.path for source in sources)]
        check_output(given.output, "-o", force=given.force, inputs=inputs)
    for source in sources:
        if not source.is_text:
            raise UsageError(f"{source.path}: is not a text file; give text files, or folders of text files")
    documents = [TextDocument(source.name, source.read_text()) for source in sources]
    model = mock_spec(parse_model(given.model or "mock/judge")).model if given.mock else given.model
    request = JudgingRequest(config=None if loaded is None else loaded.config, model=model)
    context, spec = prepare_personas(documents, request, loaded)
    obtain_consents(context.destinations, given.trust_host)
    if is_interactive(sys.stderr):
        print_status(f"asking {spec.model} ...")
    context = replace(context, observer=StatusObserver())
    stakeholders, call = asyncio.run(find_stakeholders(documents, spec, context))
    command = shlex.join(["debate", "judge", *given.paths, "--config", str(given.output or "judges.yaml")])
    text = format_judges_config(stakeholders, documents, spec.model, command)
    _print_result(given, stakeholders, context.redact(text))
    print_status(theme.format_usage(total_usage([call])))
    if given.output is not None:
        print_status(f"edit it, then run: {command}")


def _print_result(given: PersonasOptions, stakeholders: Sequence[Stakeholder], text: str) -> None:
    if given.output is not None:
        atomic_write(given.output, text.encode(), overwrite=given.force)
    for stakeholder in stakeholders:
        if stakeholder.document is None:
            print_status(f"note: {stakeholder.id}: the quoted passage is in none of the documents; check this judge")
    if given.json:
        print_json([stakeholder._asdict() for stakeholder in stakeholders])
    elif given.output is None:
        write_document([text])
    else:
        rows = tuple((item.name, item.role, item.cares_about, _format_passage(item)) for item in stakeholders)
        show_tables([Table("suggested judges", ("judge", "role", "cares about", "passage"), rows)])
        print_status(f"written: {given.output}")


def _format_passage(stakeholder: Stakeholder) -> str:
    known = stakeholder.document is not None
    place = f"{stakeholder.document}, line {stakeholder.line}" if known else "in none of the documents"
    return f"“{stakeholder.quote}” ({place})"
