"""Print the size of every form's JSON Schema, in characters and estimated tokens: `python tests/bench/form_tokens.py`.

The schema is part of every call, so its size is paid for every time. The debates are two example
configurations on the mock: one with six arguments, and one that is judged by all five systems.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from debate_cli import load_config, run_debate
from debate_cli.llm.form import Form
from debate_cli.llm.schema_dialect import Dialect, convert_schema
from debate_cli.llm.structured_output import StructuredOutputClient

CHARS_PER_TOKEN = 4
DIALECTS: tuple[Dialect, ...] = ("full", "openai", "anthropic")
CONFIGS = Path(__file__).parents[2] / "configs"


async def main() -> None:
    """Run the debate and print one line per form."""
    forms: dict[str, dict[str, Any]] = {}
    ask = StructuredOutputClient.ask

    def recording_ask(self: StructuredOutputClient, request: Any, form: Form[Any], *rest: Any, **options: Any) -> Any:
        forms.setdefault(form.name, form.schema)
        return ask(self, request, form, *rest, **options)

    StructuredOutputClient.ask = recording_ask  # pyright: ignore[reportAttributeAccessIssue] - a script, to see every form
    for name in ("mock.yaml", "everything.yaml"):
        await run_debate(load_config(CONFIGS / name), mock=True)
    print(f"{'form':24}" + "".join(f"{dialect:>12}{'tokens':>8}" for dialect in DIALECTS))
    for name, schema in forms.items():
        sizes = [
            len(json.dumps(convert_schema(schema, dialect, use_references=dialect != "full"), separators=(",", ":")))
            for dialect in DIALECTS
        ]
        print(f"{name:24}" + "".join(f"{size:12}{size // CHARS_PER_TOKEN:8}" for size in sizes))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
