"""Indexes the sources of a configuration, and describes sources that were left out or have changed."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from debate_cli.domain.config import DebateConfig, EvidenceConfig
from debate_cli.domain.debate import Debate
from debate_cli.evidence.corpus import Corpus, list_source_files, open_corpus
from debate_cli.evidence.documents import SourceFile
from debate_cli.regular_file import cache_folder


def open_sources(config: EvidenceConfig, folder: Path, env: Mapping[str, str]) -> Corpus | None:
    """Return an index of the sources of `config`; None without sources.

    `folder`: where relative paths start. Raises UsageError for unusable sources, e.g. a missing file.
    """
    if not config.sources:
        return None
    found = [file for source in config.named_sources for file in list_source_files(source.path, folder, source.title)]
    files: dict[Path, SourceFile] = {}
    for file in found:
        place = file.path if file.leaves_folder else Path(os.path.realpath(file.path))
        if place not in files or _is_preferred(file, files[place]):
            files[place] = file
    return open_corpus([*files.values()], config.passage_words, cache_folder(env, "evidence"))


def _is_preferred(file: SourceFile, other: SourceFile) -> bool:
    """Return whether `file` is listed instead of `other`, another path of the same file.

    A path with a title is preferred. If neither has a title, a path that is no link is preferred.
    """
    if file.title is not None or other.title is not None:
        return file.title is not None
    return other.path.is_symlink() and not file.path.is_symlink()


def describe_skipped(corpus: Corpus) -> str | None:
    """Return a sentence about the files that are not indexed; None if all are indexed."""
    if not corpus.skipped:
        return None
    first, count, total = corpus.skipped[0], len(corpus.skipped), len(corpus.skipped) + len(corpus.files)
    more = "" if count == 1 else "; `debate evidence list` shows all"
    verb = "is" if count == 1 else "are"
    return f"evidence: {count} of {total} files {verb} not indexed: {first.name}: {first.reason}{more}"


def evidence_notes(corpus: Corpus | None, config: DebateConfig, resumed: Debate | None) -> Iterator[str]:
    """Yield notes about source files that were skipped or changed, or that contain no word of the motion.

    `resumed`: the debate to resume; None for a new debate.
    """
    evidence = config.evidence
    if evidence is None:
        return
    if corpus is None:
        if evidence.sources:
            yield (
                "evidence: source files that a saved debate names are not opened, so nothing new can be cited from them; "
                "to open them, give the files with --evidence"
            )
        return
    skipped = describe_skipped(corpus)
    if skipped is not None:
        yield skipped
    if resumed is None and not corpus.search(config.topic, 1):
        yield (
            "evidence: the source files contain no word of the motion, so debaters may get no passages to cite; write the "
            "motion in the language of the files, or choose other files"
        )
    before = None if resumed is None else resumed.config.evidence
    if resumed is None or before is None or before.passage_words != evidence.passage_words:
        return
    changed = corpus.find_changed(resumed.passages)
    if changed:
        yield (
            f"evidence: these files changed or disappeared after the debate got passages from them: {', '.join(changed)}; "
            "earlier passages and their checks are kept, and new passages come from the present files"
        )
