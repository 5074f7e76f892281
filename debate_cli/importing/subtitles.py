"""Reads subtitles: WebVTT and SubRip. Consecutive subtitles of one speaker become one speech.

In this module, a cue is one entry of the file: a time, and the text that a player shows at this time.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from debate_cli.importing.speaker_labels import SpeakerLabel, fold_name, parse_label, select_names, starts_like_name
from debate_cli.importing.speeches import FoundDebate, Speech, format_counts, join_speeches

_TIMING = re.compile(
    r"[ \t]*(?P<start>(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})[ \t]*-->[ \t]*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}.*"
)
_VOICE = re.compile(r"<v(?:\.[^ \t<>\n]*)?[ \t]+([^<>\n]*)>|</v>")
_TAG = re.compile(
    r"</?(?:(?:[biu]|ruby|rt|c)(?:\.[^<>\s]*)?|v(?:\.[^<>\s]*)?(?:\s[^<>\n]*)?|lang(?:\s[^<>\n]*)?|font(?:\s[^<>\n]*)?)>"
    r"|<\d[\d:.]*>|\{\\[^{}\n]*\}",
    re.IGNORECASE,
)
_BLOCKS = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t].*)?")
_CHANGE = re.compile(r"\s*(?:>>+|(?P<dash>[-\u2010-\u2015]))\s*(?P<words>.*)")


class _Part(NamedTuple):
    text: str
    start: str
    voice: str | None = None


def read_subtitles(text: str) -> FoundDebate:
    """Read the debate in a WebVTT or SubRip file. Voice tags, or `Name:` at the start of a line, name speakers."""
    omitted = Counter[str]()
    parts = list(_read_parts(text, omitted))
    chosen = select_names(
        label.name for part in parts if part.voice is None and (label := _parse_label(part.text)) is not None
    )
    before: list[str] = []
    speeches: list[Speech] = []
    for part in parts:
        label = None if part.voice is not None else _parse_label(part.text)
        if part.voice is not None:
            speeches.append(Speech(part.voice, part.text, place=part.start))
        elif label is not None and fold_name(label.name) in chosen:
            speeches.append(Speech(label.name, label.words, place=part.start))
        elif speeches:
            speeches.append(speeches[-1]._replace(text=part.text))
        else:
            before.append(part.text)
    return FoundDebate(join_speeches(speeches, " "), background=" ".join(before), dropped=format_counts(omitted))


def _parse_label(line: str) -> SpeakerLabel | None:
    change = _CHANGE.fullmatch(line)
    if change is None or (change["dash"] and not starts_like_name(change["words"][:1])):
        return parse_label(line)
    return parse_label(change["words"])


def _read_parts(text: str, omitted: Counter[str]) -> Iterator[_Part]:
    lines = [line.lstrip("\ufeff") for line in text.split("\n")]
    is_timing = [_TIMING.fullmatch(line) for line in lines]
    start, body, in_cue, skipped = "", list[str](), False, False
    for number, line in enumerate(lines):
        timing = is_timing[number]
        ends = timing is not None or not line.strip()
        if in_cue and ends:
            yield from _split_voices("\n".join(body), start)
            body, in_cue = [], False
        if timing is not None:
            omitted["time stamp"] += 1
            start, in_cue, skipped = timing["start"], True, False
        elif ends:
            skipped = False
        elif not skipped and not _is_cue_name(lines, is_timing, number):
            skipped = not in_cue and (line.startswith("WEBVTT") or _BLOCKS.fullmatch(line) is not None)
            if in_cue:
                body.append(line)
            elif not skipped:
                yield _Part(_plain(line), "")
            elif not line.startswith("WEBVTT"):
                omitted["note" if line.startswith("NOTE") else "style block"] += 1
    yield from _split_voices("\n".join(body), start)


def _is_cue_name(lines: Sequence[str], is_timing: Sequence[object], number: int) -> bool:
    if number + 1 >= len(lines) or not is_timing[number + 1]:
        return False
    return lines[number].strip().isdigit() or number == 0 or not lines[number - 1].strip()


def _split_voices(body: str, start: str) -> Iterator[_Part]:
    first, *rest = _VOICE.split(body)
    for voice, words in zip([None, *rest[::2]], [first, *rest[1::2]], strict=True):
        name = html.unescape(voice).strip() if voice else None
        yield from (_Part(plain, start, name) for line in words.split("\n") if (plain := _plain(line)))


def _plain(line: str) -> str:
    return html.unescape(_TAG.sub("", line)).strip()
