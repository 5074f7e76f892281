"""`debate evidence`."""

import os
from dataclasses import asdict
from pathlib import Path

from debate_cli.app.evidence import describe_skipped, open_sources
from debate_cli.cli import config_options
from debate_cli.cli.console import print_json, print_lines, print_status
from debate_cli.cli.setup_options import EvidenceOptions
from debate_cli.domain.config import EvidenceConfig
from debate_cli.domain.message_text import count_noun
from debate_cli.errors import UsageError
from debate_cli.evidence.corpus import Corpus
from debate_cli.render import sanitize


def run(given: EvidenceOptions) -> None:
    """Search the sources, or list them."""
    if given.action == "search" and not given.query:
        raise UsageError("`debate evidence search` needs a query; add the words to search for")
    if given.action == "list" and given.query:
        raise UsageError(
            "`debate evidence list` takes no query; leave the query out (for a folder of sources, use --evidence DIR)"
        )
    if given.evidence:
        config, folder = EvidenceConfig(sources=tuple(map(str, given.evidence))), Path()
    else:
        loaded = config_options.config_from_argument(given.config, trusted_folders=given.trust_path)
        config, folder = loaded.config.evidence, loaded.folder
    corpus = None if config is None else open_sources(config, folder, os.environ)
    if config is None or corpus is None:
        raise UsageError(
            "the configuration names no sources; add `evidence: {sources: [docs/]}`, or use --evidence DIR"
        )
    if given.action == "list":
        _print_list(corpus, as_json=given.json)
    else:
        _print_found(corpus, given.query or "", config.passages, as_json=given.json)


def _print_list(corpus: Corpus, *, as_json: bool) -> None:
    counts = corpus.count_passages()
    if as_json:
        files = [{"source": name, "passages": counts.get(name, 0)} for name in corpus.files]
        print_json({"files": files, "skipped": [asdict(file) for file in corpus.skipped]})
        return
    lines = [f"{name}: {count_noun(counts.get(name, 0), 'passage')}" for name in corpus.files]
    lines += [f"not indexed: {file.name}: {file.reason}" for file in corpus.skipped]
    print_lines(map(sanitize.sanitize_line, lines))
    print_status(f"{count_noun(len(corpus.files), 'file')}, {count_noun(sum(counts.values()), 'passage')}")


def _print_found(corpus: Corpus, query: str, limit: int, *, as_json: bool) -> None:
    found = corpus.search(query, limit)
    skipped = describe_skipped(corpus)
    if skipped is not None:
        print_status(f"note: {sanitize.sanitize_line(skipped)}")
    if as_json:
        print_json([asdict(passage) for passage in found])
        return
    lines: list[str] = []
    for number, passage in enumerate(found, start=1):
        place = f"{passage.source}, {passage.locator}" if passage.locator else passage.source
        lines.append(sanitize.sanitize_line(f"{number}. {passage.title} ({place})"))
        lines += [*sanitize.prefix_lines("   ", passage.text), ""]
    print_lines(lines)
    if not found:
        print_status("no passage has these words; use other words, or see `debate evidence list`")
