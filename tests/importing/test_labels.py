"""Which beginnings of lines name speakers, and what becomes of the other lines."""

import json
from unicodedata import normalize

import pytest

from debate_cli.importing.prose import read_markdown, read_text
from debate_cli.importing.speeches import FoundDebate, Speech
from debate_cli.importing.subtitles import read_subtitles
from debate_cli.importing.tables import read_chat, read_csv


def spoken(found: FoundDebate) -> list[tuple[str, str]]:
    """Speaker and text of each speech."""
    return [(speech.speaker, speech.text) for speech in found.speeches]


@pytest.mark.parametrize(
    "line",
    [
        "http://example.org/air: the data",
        "10:30 we met",
        "Note: the figures are averages.",
        "First: the air.",
        'He said: "Bo: no."',
        "“Bo: never”, she said.",
        "  Bo: indented words are quoted",
        "> Bo: so is this",
        "the point is this: we wait",
        "What is it? Bo: nothing",
        "Ratio 3:1",
    ],
)
def test_a_line_that_only_looks_like_a_label_is_a_part_of_the_speech(line: str) -> None:
    """A URL, a time, an announcing word or quoted dialogue at the start of a line begins no speech."""
    found = read_text(f"Ann: We begin.\n{line}\n\nBo: I reply.\nAnn: And I.\nBo: Done.")
    assert spoken(found)[0] == ("Ann", f"We begin.\n{line}")
    assert len(found.speeches) == 4


@pytest.mark.parametrize(
    ("label", "name", "words"),
    [
        ("Dr. Ann Lee: Yes.", "Dr. Ann Lee", "Yes."),
        ("COUNSEL FOR THE CITY: Yes.", "COUNSEL FOR THE CITY", "Yes."),
        ("Q: Yes.", "Q", "Yes."),
        ("pro: Yes.", "pro", "Yes."),
        ("__proto__: Yes.", "__proto__", "Yes."),
        ("王伟：是的。", "王伟", "是的。"),
        ("Ann Lee (laughing): Yes.", "Ann Lee", "(laughing) Yes."),
        ("[00:01:02] Ann Lee: Yes.", "Ann Lee", "Yes."),
        ("Ann Lee (00:12): Yes.", "Ann Lee", "Yes."),
        ("Ann Lee  0:03\nYes.", "Ann Lee", "Yes."),
        ("[03/01/2024, 10:22:11] Ann Lee: Yes.", "Ann Lee", "Yes."),
        ("03/01/2024, 10:22 - Ann Lee: Yes.", "Ann Lee", "Yes."),
        (">> ANN LEE: Yes.", "ANN LEE", "Yes."),
        ("\u202eAnn\u200b Lee: Yes.", "Ann Lee", "Yes."),
    ],
)
def test_a_label_names_the_speaker(label: str, name: str, words: str) -> None:
    """A title, office, letter, nickname, remark or time stamp beside a name does not hide the name."""
    found = read_text(f"{label}\nBo: No.\n{label}\nBo: No.")
    assert spoken(found)[0] == (name, words)


def test_headings_that_name_no_speaker_and_stage_directions_stay_in_the_speeches() -> None:
    """Headings and stage directions stay in the speeches, and the title becomes the motion."""
    found = read_markdown(
        "# Should we go?\n\nHeld in May.\n\n## Opening statements\n\n**Ann:** We should.\n\n*(Applause)*\n\n##\n\n"
        "## Rebuttals\n\n**Bo:** No.\n\n**Important** point.\n\n**Ann** (rising): Yes.\n\n## End"
    )
    assert (found.topic, found.background) == ("Should we go?", "Held in May.")
    assert spoken(found) == [
        ("Ann", "[Opening statements]\nWe should.\n\n*(Applause)*"),
        ("Bo", "[Rebuttals]\nNo.\n\n**Important** point."),
        ("Ann", "(rising) Yes.\n\n[End]"),
    ]
    assert [speech.section for speech in found.speeches] == ["Opening statements", "Rebuttals", "Rebuttals"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("## Ann\n\nYes.\n\n## Bo\n\nNo.", [("Ann", "Yes."), ("Bo", "No.")]),
        ("## Ann: Opening\n\nYes.\n\n## Bo — Reply\n\nNo.", [("Ann", "[Opening]\n\nYes."), ("Bo", "[Reply]\n\nNo.")]),
        ("Ann\n---\nYes.\n\nBo\n---\nNo.", [("Ann", "Yes."), ("Bo", "No.")]),
        ("## Round 1\n\nAnn: Yes.\n\nBo: No.", [("Ann", "[Round 1]\nYes."), ("Bo", "No.")]),
        ("- **Ann**: Yes.\n- __Bo__: No.", [("Ann", "Yes."), ("Bo", "No.")]),
        ("```\nBo: code\n```\n\nAnn: Yes.\n\n## Bo\n\nBo: No.", [("Ann", "Yes."), ("Bo", "[Bo]\nNo.")]),
    ],
)  # fmt: skip
def test_markdown_names_speakers_in_bold_in_headings_or_plainly(heading: str, expected: list[tuple[str, str]]) -> None:
    """In Markdown, bold names come before headings, and headings before `Name:`."""
    assert spoken(read_markdown(heading))[-2:] == expected


def test_cues_of_one_speaker_are_joined_and_their_markup_is_dropped() -> None:
    """Neighbouring cues of one speaker become one speech without tags; notes and time stamps are counted."""
    found = read_subtitles(
        "WEBVTT\n\nNOTE made by hand\n\n00:00:01.000 --> 00:00:02.000\n<v.loud Ann Lee>We <i>must</i> act &amp; soon.\n\n"
        "00:00:03.000 --> 00:00:04.000 align:start\n<v Ann Lee>Now.</v>\n\n00:00:05.000 --> 00:00:06.000\n<v Bo>Why 1 < 2?</v>"
    )
    assert found.speeches == (
        Speech("Ann Lee", "We must act & soon. Now.", place="00:00:01.000"),
        Speech("Bo", "Why 1 < 2?", place="00:00:05.000"),
    )
    assert found.dropped == ("1 note", "3 time stamps")


@pytest.mark.parametrize(
    ("found", "dropped"),
    [
        (read_chat(json.dumps([{"role": "tool", "content": "1"}, {"role": "user", "content": ""}] * 2)),
         ("2 tool messages", "2 empty messages")),
        (read_csv("speaker,text\nAnn,\nBo,\n", {}), ("2 empty speeches",)),
        (read_subtitles("WEBVTT\n\nSTYLE\na {}\n\nREGION\nid:1\n"), ("2 style blocks",)),
    ],
    ids=["chat", "table", "subtitles"],
)  # fmt: skip
def test_what_is_left_out_is_counted_in_the_plural(found: FoundDebate, dropped: tuple[str, ...]) -> None:
    """Each noun for a part of a file that is left out has a regular plural."""
    assert found.dropped == dropped


@pytest.mark.parametrize(
    "text",
    [
        "1\n00:00:01,000 --> 00:00:02,000\nAnn: Yes.\n\n2\n00:00:02,000 --> 00:00:03,000\nBo: No,\n42\n",
        "1\n00:00:01,000 --> 00:00:02,000\nAnn: Yes.\n2\n00:00:02,000 --> 00:00:03,000\nBo: No,\n42",
        "WEBVTT\nKind: captions\n\nintro\n00:01.000 --> 00:02.000\n>> Ann: Yes.\n\n00:02.000 --> 00:03.000\n>> Bo: No,\n\n42\n",
    ],
)
def test_numbers_and_names_of_cues_are_no_words(text: str) -> None:
    """A number or name right before a time is not part of a speech; another number is."""
    found = read_subtitles(text)
    assert spoken(found) == [("Ann", "Yes."), ("Bo", "No, 42")]


@pytest.mark.parametrize("sign", ["-", "- ", "\u2010 ", "\u2013 ", "\u2014", "\u2015 ", ">> "], ids=ascii)
@pytest.mark.parametrize("name", ["Ann", "Élise", "E\u0301lise", "Юлия", "Ōno", "王伟", "أحمد", "გიორგი"], ids=ascii)
def test_a_dash_before_a_name_begins_a_speech_in_subtitles(sign: str, name: str) -> None:
    """In subtitles a hyphen, a dash or `>>` before a name begins a speech, also if the script has no capitals."""
    cues = (f"{sign}Marc: Why?", f"{sign}{name}: We must act.", f"{sign}Paul: Both.")
    found = read_subtitles("".join(f"00:00:0{at},000 --> 00:00:0{at},900\n{cue}\n\n" for at, cue in enumerate(cues)))
    assert spoken(found) == [("Marc", "Why?"), (normalize("NFC", name), "We must act."), ("Paul", "Both.")]


@pytest.mark.parametrize(
    "line", ["- 3: the third", "– one reason: cost", "— Note: it is late", "–5: below zero", "— Because: it rains"]
)
def test_a_dash_before_other_words_begins_no_speech(line: str) -> None:
    """In subtitles a dash before a number, a small letter or an announcing word stays in the speech."""
    found = read_subtitles(f"00:01.000 --> 00:02.000\n- Ann: Yes.\n{line}\n\n00:03.000 --> 00:04.000\n- Bo: No.\n")
    assert spoken(found) == [("Ann", f"Yes. {line}"), ("Bo", "No.")]
