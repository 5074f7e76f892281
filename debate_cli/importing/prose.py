"""Reads plain text and Markdown: `Name: words`, `**Name:** words`, or a heading per speaker. Paragraphs continue a speech."""

import re
from collections.abc import Callable, Iterator, Sequence
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
from debate_cli.importing.speeches import FoundDebate, Omissions, Speech, join_speeches

_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{3,})[ \t]*")
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
_BOLD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?P<mark>\*\*|__)(?P<name>[^*\n]{1,80}?)(?P=mark)(?P<colon>[ \t]*:)?(?P<rest>.*)"
)
_BOLD_ASIDE = re.compile(r"[ \t]*(?P<aside>[\[(][^\])\n]{1,80}[\])])[ \t]*:(?=\s|$)(?P<rest>.*)")
_NAME_AND_TITLE = re.compile(r"(?P<name>[^:—–]{1,60}?)(?:[ \t]*[:—–][ \t]*|[ \t]+-[ \t]+)(?P<rest>\S.*)")
_TITLE_LINE = re.compile(
    r"(?:topic|motion|resolution|debate|title|resolved)[ \t]*[:：][ \t]*(?P<topic>\S.*)", re.IGNORECASE
)
_MAX_TOPIC_CHARS = 4000


class _Line(NamedTuple):
    """A line of the file, with its possible meanings."""

    number: int
    text: str
    label: SpeakerLabel | None = None
    heading: str | None = None
    level: int = 0


def read_text(text: str) -> FoundDebate:
    """The debate in a plain text in which each speech begins with `Name:` at the start of a line."""
    return _assemble([_Line(number, line, parse_label(line)) for number, line in enumerate(text.split("\n"), 1)], ())


def read_markdown(text: str) -> FoundDebate:
    """The debate in a Markdown text. Speakers are bold names if there are any, else headings, else `Name:`."""
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
    chosen = max(readings, key=lambda reading: min(_count_names(reading), 2))
    return _assemble(chosen, _headings(chosen))


def _markdown_lines(text: str) -> Iterator[_Line]:
    lines = text.split("\n")
    is_code = False
    skip = False
    for number, line in enumerate(lines, 1):
        if skip:
            skip = False
            continue
        is_code ^= _FENCE.match(line) is not None
        heading = None if is_code else _HEADING.fullmatch(line)
        below = lines[number] if number < len(lines) else ""
        if heading is not None:
            yield _Line(number, line, heading=(heading["title"] or "").strip(), level=len(heading["marks"]))
        elif not is_code and line.strip() and _UNDERLINE.fullmatch(below) and not _bold_label(line):
            skip = True
            yield _Line(number, line, heading=line.strip(), level=1 if "=" in below else 2)
        else:
            yield _Line(number, line)


def _bold_label(line: str) -> SpeakerLabel | None:
    """The name in bold at the start of a line; None unless it is followed by a colon or the end of the line."""
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
    """Line number -> label of each heading that names a speaker; a title may follow the name."""
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


def _count_names(lines: Sequence[_Line]) -> int:
    return len(select_names(line.label.name for line in lines if line.label is not None))


def _headings(lines: Sequence[_Line]) -> tuple[_Line, ...]:
    return tuple(line for line in lines if line.heading is not None)


def _assemble(lines: Sequence[_Line], headings: Sequence[_Line]) -> FoundDebate:
    """The speeches of a text. A line whose label names a speaker begins one; the other lines continue it."""
    is_speaker = _speaker_test(lines)
    topic = _find_topic(lines, headings, is_speaker)
    omitted = Omissions()
    before: list[str] = []
    speeches: list[Speech] = []
    words = before
    parts: list[tuple[_Line, list[str], str]] = []
    section, pending = "", list[str]()
    for line in lines:
        if line.heading is not None:
            section = clean_name(line.heading) or section
            is_topic = topic is not None and line.heading == topic.heading and line.number == topic.number
            if line.heading and not is_topic:
                pending.append(f"[{line.heading}]")
        elif is_speaker(line):
            assert line.label is not None  # `is_speaker` needs a label
            omitted.add("time stamp", line.label.has_time)
            words = [*pending, line.label.words]
            pending = []
            parts.append((line, words, section))
        elif is_time_stamp(line.text):
            omitted.add("time stamp")
        else:
            if line.text.strip() and pending:
                words += pending
                pending = []
            words.append(line.text)
    words += pending
    speeches = [
        Speech(line.label.name, "\n".join(said).strip("\n"), part, f"line {line.number}")
        for line, said, part in parts
        if line.label is not None
    ]
    background = "\n".join(before).strip()
    if topic is not None and topic.heading is None:
        background = background.replace(topic.text, "", 1).strip()
    return FoundDebate(join_speeches(speeches, "\n\n"), _topic_text(topic), background, dropped=omitted.describe())


def _speaker_test(lines: Sequence[_Line]) -> Callable[[_Line], bool]:
    """Create a test whether a line begins a speech.

    Its label must name a speaker and must not be indented further than the least indented label of a speaker.
    """
    chosen = select_names(line.label.name for line in lines if line.label is not None)
    named = [line.label for line in lines if line.label is not None and fold_name(line.label.name) in chosen]
    indent = min((label.indent for label in named), default=0)

    def is_speaker(line: _Line) -> bool:
        label = line.label
        return label is not None and label.indent <= indent and fold_name(label.name) in chosen

    return is_speaker


def _find_topic(lines: Sequence[_Line], headings: Sequence[_Line], is_speaker: Callable[[_Line], bool]) -> _Line | None:
    """The line with the motion: `Topic: …` before the first speech, else the only heading of the first level."""
    for line in lines:
        if is_speaker(line):
            break
        if line.heading is None and _TITLE_LINE.fullmatch(line.text.strip(" *_")):
            return line
    first = [line for line in headings if line.level == 1]
    return first[0] if len(first) == 1 and first[0].heading and len(first[0].heading) <= _MAX_TOPIC_CHARS else None


def _topic_text(line: _Line | None) -> str | None:
    if line is None:
        return None
    if line.heading is not None:
        return _TITLE_LINE.sub(lambda match: match["topic"], line.heading)
    match = _TITLE_LINE.fullmatch(line.text.strip(" *_"))
    return match["topic"].strip(" *_") if match is not None else None
