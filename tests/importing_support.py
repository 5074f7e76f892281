"""Writes a debate in each format that `debate import` reads."""

import csv
import io
import json
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

Spoken = Sequence[tuple[str, str]]
"""Speaker and paragraphs of each speech."""
NAMES = ("Ann Lee", "Dr. Bo Diaz", "SPEAKER 3", "Q", "王伟", "Jürgen O'Neil", "draw", "__proto__")
_WORDS = st.sampled_from((
    "we", "Costs", "10:30", "http://x.org/a", "3.5%", "“quoted”", "don't", "(Applause)", "[laughs]", "日本", "naïve", "e.g.", "—",
    "said:", "A&B", "a<b", "x,y;z", "*star*", "#5", ">", "-", "1.", "tab\there", "\u202eback",
))  # fmt: skip
_PARAGRAPH = st.lists(_WORDS, min_size=1, max_size=8).map(lambda words: f"So {' '.join(words)} then")
_TEXT = st.lists(_PARAGRAPH, min_size=1, max_size=3).map("\n\n".join)


@st.composite
def spoken_debates(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Two or more speakers in turn, each with two speeches or more."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    return [(name, draw(_TEXT)) for _ in range(draw(st.integers(2, 3))) for name in names]


def as_text(spoken: Spoken) -> str:
    """`Name: words`, with paragraphs that continue."""
    return "\n\n".join(f"{name}: {text}" for name, text in spoken)


def as_timed_text(spoken: Spoken) -> str:
    """A name and a time stamp above each speech."""
    return "\n\n".join(f"{name}  00:0{number % 10}:07\n{text}" for number, (name, text) in enumerate(spoken))


def as_bold(spoken: Spoken) -> str:
    """Markdown with bold names."""
    return "\n\n".join(f"**{name}:** {text}" for name, text in spoken)


def as_headings(spoken: Spoken) -> str:
    """Markdown with a heading per speech."""
    return "# The motion\n\n" + "\n\n".join(f"## {name}\n\n{text}" for name, text in spoken)


def as_vtt(spoken: Spoken) -> str:
    """WebVTT with a voice tag per cue and a cue per paragraph."""
    cues = [(name, paragraph) for name, text in spoken for paragraph in text.split("\n\n")]
    escaped = ((name, words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")) for name, words in cues)
    return "WEBVTT\n\n" + "\n\n".join(
        f"{number}\n00:00:{number % 60:02}.000 --> 00:00:{number % 60:02}.900\n<v {name}>{words}</v>"
        for number, (name, words) in enumerate(escaped)
    )


def as_srt(spoken: Spoken) -> str:
    """SubRip with `Name:` where the speaker changes."""
    cues: list[str] = []
    for name, text in spoken:
        first, *rest = text.split("\n\n")
        cues += [f"{name}: {first}", *rest]
    return "\n\n".join(
        f"{number}\n00:00:{number % 60:02},000 --> 00:00:{number % 60:02},900\n{words}"
        for number, words in enumerate(cues)
    )


def as_csv(spoken: Spoken) -> str:
    """A table with quoted cells."""
    target = io.StringIO(newline="")
    rows = csv.writer(target, quoting=csv.QUOTE_ALL)
    rows.writerows([("Speaker", "Text"), *spoken])
    return target.getvalue()


def as_jsonl(spoken: Spoken) -> str:
    """An object per line."""
    return "".join(json.dumps({"who": name, "body": text}) + "\n" for name, text in spoken)


def as_chat(spoken: Spoken) -> str:
    """Messages with names."""
    messages = [{"role": "user", "name": name, "content": [{"type": "text", "text": text}]} for name, text in spoken]
    return json.dumps({"messages": messages})


WRITERS: dict[str, tuple[str, Callable[[Spoken], str]]] = {
    "text": ("text", as_text),
    "timed text": ("text", as_timed_text),
    "bold names": ("markdown", as_bold),
    "headings": ("markdown", as_headings),
    "vtt": ("vtt", as_vtt),
    "srt": ("srt", as_srt),
    "csv": ("csv", as_csv),
    "jsonl": ("jsonl", as_jsonl),
    "chat": ("chat", as_chat),
}
"""Name -> format and writer."""
