"""Reads plain text and Markdown, where `Name:`, `**Name:**` or a heading begins a speech."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from debate_cli.importing.speaker_labels import (
    SpeakerLabel,
    clean_name,
    fold_name,
    is_time_stamp,
    names_section,
    parse_label,
    select_names,
)
from debate_cli.importing.speeches import MAX_TOPIC_CHARS, FoundDebate, Speech, format_counts, join_speeches

_HEADING_UNDERLINE = re.compile(r" {0,3}(?:=+|-{3,})[ \t]*")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
_BOLD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?P<mark>\*\*|__)(?P<name>[^*\n]{1,80}?)(?P=mark)(?P<colon>[ \t]*:)?(?P<rest>.*)"
)
_BOLD_ASIDE = re.compile(r"[ \t]*(?P<aside>[\[(][^\])\n]{1,80}[\])])[ \t]*:(?=\s|$)(?P<rest>.*)")
_NAME_AND_TITLE = re.compile(r"(?P<name>[^:—–]{1,60}?)(?:[ \t]*[:—–][ \t]*|[ \t]+-[ \t]+)(?P<rest>\S.*)")
_TITLE_LINE = re.compile(
    r"(?:topic|motion|resolution|debate|title|resolved)[ \t]*[:：][ \t]*(?P<topic>\S.*)", re.IGNORECASE
)


class _Line(NamedTuple):
    number: int
    text: str
    label: SpeakerLabel | None = None
    heading: str | None = None
    level: int = 0


def read_text(text: str) -> FoundDebate:
    """Read the debate in a plain text, where each speech begins with `Name:` at the start of a line."""
    return _assemble([_Line(number, line, parse_label(line)) for number, line in enumerate(text.split("\n"), 1)])


def read_markdown(text: str) -> FoundDebate:
    """Read the debate in a Markdown text, where a bold name, a heading or `Name:` begins each speech."""
    lines = list(_markdown_lines(text))
    speakers = _speaker_headings(lines)
    readings = (
        [line._replace(label=_bold_label(line.text) if line.heading is None else None) for line in lines],
        [
            line._replace(label=speakers[line.number], heading=None) if line.number in speakers else line
            for line in lines
        ],
        [line._replace(label=parse_label(line.text) if line.heading is None else None) for line in lines],
    )
    return _assemble(max(readings, key=lambda reading: min(len(_select_speakers(reading)), 2)))


def _markdown_lines(text: str) -> Iterator[_Line]:
    lines = text.split("\n")
    is_code = is_underline = False
    for number, (line, below) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        if is_underline:
            is_underline = False
            continue
        is_code ^= _FENCE.match(line) is not None
        heading = None if is_code else _HEADING.fullmatch(line)
        if heading is not None:
            yield _Line(number, line, heading=(heading["title"] or "").strip(), level=len(heading["marks"]))
        elif not is_code and line.strip() and _HEADING_UNDERLINE.fullmatch(below) and not _bold_label(line):
            is_underline = True
            yield _Line(number, line, heading=line.strip(), level=1 if "=" in below else 2)
        else:
            yield _Line(number, line)


def _bold_label(line: str) -> SpeakerLabel | None:
    match = _BOLD.match(line)
    if match is None:
        return None
    name, rest = match["name"].rstrip(), match["rest"]
    aside = _BOLD_ASIDE.match(rest)
    if aside is not None and match["colon"] is None:
        rest = f"{aside['aside']} {aside['rest'].strip()}"
    elif not (name.endswith((":", "：")) or match["colon"] or not rest.strip()):
        return None
    inner = parse_label(f"{name.rstrip(':：')}:")
    if inner is None:
        return None
    words = " ".join(filter(None, (inner.words, rest.strip())))
    return SpeakerLabel(inner.name, words, has_time=inner.has_time)


def _speaker_headings(lines: Sequence[_Line]) -> dict[int, SpeakerLabel]:
    found: dict[int, SpeakerLabel] = {}
    has_title = sum(line.level == 1 for line in lines) == 1
    for line in lines:
        if not line.heading or (line.level == 1 and has_title):
            continue
        parts = _NAME_AND_TITLE.fullmatch(line.heading)
        name, rest = (parts["name"], parts["rest"]) if parts is not None else (line.heading.rstrip(" :："), "")
        label = parse_label(f"{name.strip('* ')}:")
        if label is not None and not names_section(label.name):
            words = " ".join(filter(None, (label.words, f"[{rest}]" if rest else "")))
            found[line.number] = label._replace(words=words)
    chosen = select_names(label.name for label in found.values())
    return {number: label for number, label in found.items() if fold_name(label.name) in chosen}


def _select_speakers(lines: Sequence[_Line]) -> frozenset[str]:
    return select_names(line.label.name for line in lines if line.label is not None)


def _assemble(lines: Sequence[_Line]) -> FoundDebate:
    starts = _speech_starts(lines)
    topic_line, topic = _find_topic(lines, starts)
    title_line = _find_title(lines, starts)
    omitted = Counter[str]()
    before: list[str] = []
    speeches: list[tuple[Speech, list[str]]] = []
    section, pending = "", list[str]()
    for line in lines:
        if line.heading is not None:
            section = clean_name(line.heading) or section
            if line.heading and line.number != topic_line:
                (before if line.number == title_line else pending).append(f"[{line.heading}]")
        elif line.number in starts:
            label = starts[line.number]
            omitted["time stamp"] += label.has_time
            speeches.append((Speech(label.name, "", section, f"line {line.number}"), [*pending, label.words]))
            pending = []
        elif is_time_stamp(line.text):
            omitted["time stamp"] += 1
        elif line.number != topic_line:
            words = speeches[-1][1] if speeches else before
            if line.text.strip():
                words += pending
                pending = []
            words.append(line.text)
    (speeches[-1][1] if speeches else before).extend(pending)
    joined = join_speeches((speech._replace(text="\n".join(words)) for speech, words in speeches), "\n\n")
    topic_text = next((line.heading or line.text.strip() for line in lines if line.number == topic_line), "")
    background = "\n".join(before).strip()
    return FoundDebate(joined, topic, background, topic_text=topic_text, dropped=format_counts(omitted))


def _speech_starts(lines: Sequence[_Line]) -> dict[int, SpeakerLabel]:
    chosen = _select_speakers(lines)
    named = {
        line.number: line.label for line in lines if line.label is not None and fold_name(line.label.name) in chosen
    }
    indent = min((label.indent for label in named.values()), default=0)
    return {number: label for number, label in named.items() if label.indent <= indent}


def _find_title(lines: Sequence[_Line], starts: Mapping[int, SpeakerLabel]) -> int:
    """Return the line number of the title: the file's only heading of level 1, if it is before the first speech.

    Without a title, return 0.
    """
    titles = [line.number for line in lines if line.level == 1]
    return titles[0] if len(titles) == 1 and titles[0] < min(starts, default=len(lines) + 1) else 0


def _find_topic(lines: Sequence[_Line], starts: Mapping[int, SpeakerLabel]) -> tuple[int, str | None]:
    first = min(starts, default=len(lines) + 1)
    for line in lines:
        match = _TITLE_LINE.fullmatch(line.text.strip(" *_"))
        if line.number < first and line.heading is None and match is not None:
            return line.number, match["topic"].strip(" *_")
    titles = [line for line in lines if line.level == 1]
    if len(titles) != 1 or not titles[0].heading or len(titles[0].heading) > MAX_TOPIC_CHARS:
        return 0, None
    return titles[0].number, _TITLE_LINE.sub(lambda match: match["topic"], titles[0].heading)
