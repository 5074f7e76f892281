"""Every format keeps every word of every speaker."""

import pytest
from hypothesis import given
from importing_support import WRITERS, Spoken, spoken_debates

from debate_cli.importing.formats import READERS, detect_format
from debate_cli.importing.speaker_labels import fold_name
from debate_cli.importing.speakers import resolve_speakers
from debate_cli.importing.speeches import ImportRequest

COLUMNS = {"speaker": "who", "text": "body"}


@pytest.mark.parametrize("name", WRITERS)
@given(spoken=spoken_debates())
def test_the_words_of_each_speaker_are_kept(name: str, spoken: Spoken) -> None:
    """A reader returns the written words in their order, with their speakers."""
    kind, write = WRITERS[name]
    found = READERS[kind](write(spoken), COLUMNS if kind == "jsonl" else {})
    speeches = resolve_speakers(found._replace(sides={}), ImportRequest()).speeches
    assert [(fold_name(speech.speaker), speech.text.split()) for speech in speeches] == [
        (fold_name("draw (speaker)" if who == "draw" else who), text.split()) for who, text in spoken
    ]
    assert not found.background


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_is_recognised_by_its_content(name: str) -> None:
    """The format of a text is detected by its content."""
    kind, write = WRITERS[name]
    spoken = [
        ("Ann Lee", "We should go."),
        ("Bo", "We should stay; it is safer."),
        ("Ann Lee", "Why?"),
        ("Bo", "Rain."),
    ]
    assert detect_format(write(spoken), "debate") == kind
