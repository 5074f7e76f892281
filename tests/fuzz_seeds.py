"""The seeds of fuzzing per target: valid files and replies."""

import asyncio
import json
import tempfile
from functools import cache
from pathlib import Path

from debate_cli.app.api import load_config, run_debate
from debate_cli.domain.config import DebateConfig
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.journal import Journal
from debate_cli.storage.transcript import dump_transcript, parse_transcript, to_transcript, transcript_to_events

CONFIGS = Path(__file__).parent.parent / "configs"
GOOD = '{"reason": "sound", "score": 7}'


@cache
def seeds(target: str) -> tuple[bytes, ...]:
    """The seeds of a target."""
    return _SEEDS[target]()


def _configs() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted(CONFIGS.glob("*.yaml")))


@cache
def _transcripts() -> tuple[bytes, ...]:
    """A short debate and one with all systems, both judged by the mock."""
    return tuple(_transcript(load_config(CONFIGS / name)) for name in ("mock.yaml", "everything.yaml"))


def _transcript(config: DebateConfig) -> bytes:
    outcome = asyncio.run(run_debate(config, mock=True, debate_id="a-seed"))
    return dump_transcript(to_transcript(outcome.debate, outcome.verdicts), Redactor()).encode()


def _journals() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        return tuple(_journal(data, Path(folder) / f"{number}.jsonl") for number, data in enumerate(_transcripts()))


def _journal(data: bytes, path: Path) -> bytes:
    with Journal.create(path, transcript_to_events(parse_transcript(data, "a seed")), Redactor()):
        return path.read_bytes()


def _replies() -> tuple[bytes, ...]:
    """Forms: bare, in a code fence, after thoughts, wrapped, broken."""
    arguments = [
        {"id": f"PRO-{number}", "claim": "It is so.", "reasoning": "For it is.", "evidence": "See: {it}."}
        for number in (1, 2)
    ]
    opening = json.dumps({"arguments": arguments}, indent=1)
    texts = (GOOD, f"So:\n```json\n{GOOD}\n```", f"<think>{GOOD}?</think>{GOOD}", f'{{"answer": {GOOD}}}', opening)
    broken = (opening[:-2] + ",", "{'reason': 'sound', score: 7,}", opening.replace('"claim"', "claim"))
    return tuple(text.encode() for text in (*texts, *broken))


def _sources() -> tuple[bytes, ...]:
    """A page, Markdown, a table and JSON."""
    rows = "<tr><th>Year</th><th>Cost</th></tr><tr><td>2020</td><td>10<sup>6</sup></td></tr>"
    page = f"<!-- a --><h1>Costs</h1><p>They rose<sup><a href='#1'>1</a></sup>.</p><table>{rows}</table>"
    return (
        page.encode(),
        b"# Costs\n\n```\n# code\n```\nThey rose.\n",
        b"year,cost\n2020,5\n",
        b'{"costs": [{"2020": 5}]}',
    )


_SEEDS = {
    "config": _configs,
    "transcript": _transcripts,
    "journal": _journals,
    "reply": _replies,
    "source": _sources,
}
