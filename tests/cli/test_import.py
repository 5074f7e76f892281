"""`debate import`: what it shows, what it writes, and what it says about files without a debate."""

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate

HEARING = (
    "Motion: Should the centre be closed to cars?\n\nCity Hall, May.\n\nTHE CHAIR: Welcome.\n\nDr. Ann Lee: The air is bad.\n\n"
    "Bo Diaz: Deliveries need roads.\n\nANN LEE: Bikes deliver.\n\nLee: Also pianos.\n\nBo Diaz: Hardly."
)
SHORT = "Ann: Yes.\n\nBo: No.\n\nAnn: Why?\n\nBo: Rain."


def write(folder: Path, text: str | bytes, name: str = "hearing.txt") -> Path:
    """Write a file to import."""
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def stored(folder: Path, name: str = "hearing") -> dict[str, Any]:
    """The transcript that was written."""
    return json.loads((folder / "transcripts" / f"{name}.json").read_text())


def test_the_transcript_is_a_free_flowing_debate_with_its_origin(tmp_path: Path) -> None:
    """Speakers are joined and dropped as asked; sides, rounds, items and origin are stored, and no call is counted."""
    write(tmp_path, HEARING)
    names = ("--merge", "Dr. Ann Lee=Ann Lee", "--merge", "lee=Ann Lee")
    done = debate("import", "hearing.txt", "--drop", "the chair", *names, "--side", "Bo Diaz=for", cwd=tmp_path)
    assert done.code == 0, done.err
    data = stored(tmp_path)
    assert data["origin"]["file"] == "hearing.txt"
    assert data["origin"]["format"] == "text"
    assert len(data["origin"]["sha256"]) == 64
    assert (data["status"], data["topic"], data["background"]) == (
        "complete",
        "Should the centre be closed to cars?",
        "City Hall, May.",
    )
    assert [(item["name"], item["side"], item["prefix"], item["model"]) for item in data["participants"]] == [
        ("Ann Lee", "against", "CON", "imported/none"),
        ("Bo Diaz", "for", "PRO", "imported/none"),
    ]
    assert [(turn["round"], turn["arguments"][0]["id"], turn["text"]) for turn in data["turns"]] == [
        (1, "CON-1", "The air is bad."),
        (1, "PRO-1", "Deliveries need roads."),
        (2, "CON-2", "Bikes deliver."),
        (3, "CON-3", "Also pianos."),
        (3, "PRO-2", "Hardly."),
    ]
    assert (data["usage"]["calls"], data["usage"]["cost_usd"]) == (0, 0.0)


def test_a_dry_run_shows_what_is_found_and_writes_nothing(tmp_path: Path) -> None:
    """Speakers with counts, spellings that may be one speaker, a chair, and what is left out come before any file."""
    write(tmp_path, HEARING)
    done = debate("import", "hearing.txt", "--dry-run", cwd=tmp_path)
    assert "Found: 6 speeches in 2 rounds" in done.out
    assert "Left out: nothing" in done.out
    assert '--merge "ANN LEE=Dr. Ann Lee" --merge "Lee=Dr. Ann Lee"' in done.err
    assert '--drop "THE CHAIR"' in done.err
    assert not (tmp_path / "transcripts").exists()


def test_two_speakers_without_sides_get_them_with_a_warning(tmp_path: Path) -> None:
    """The first of two speakers is for, the second against."""
    write(tmp_path, SHORT)
    done = debate("import", "hearing.txt", cwd=tmp_path)
    assert "Ann argues for and Bo against" in done.err
    assert [item["side"] for item in stored(tmp_path)["participants"]] == ["for", "against"]


@pytest.mark.parametrize(
    ("name", "text", "options", "rounds"),
    [
        ("d.md", "## Opening\n\n**Ann:** A.\n\n**Bo:** B.\n\n**Ann:** C.\n\n## Closing\n\n**Bo:** D.", ("--round-by", "heading"), [1, 1, 1, 2]),
        ("d.md", "## Opening\n\n**Ann:** A.\n\n**Bo:** B.\n\n**Ann:** C.\n\n## Closing\n\n**Bo:** D.", (), [1, 1, 2, 2]),
        ("d.csv", "speaker,text,round\nAnn,A,1\nBo,B,1\nAnn,C,1\nBo,D,2\n", (), [1, 1, 1, 2]),
        ("d.csv", "speaker,text,round\nAnn,A,1\nBo,B,1\nAnn,C,1\nBo,D,2\n", ("--round-by", "turns"), [1, 1, 2, 2]),
    ],
)  # fmt: skip
def test_rounds_follow_turns_headings_or_the_column_of_rounds(
    tmp_path: Path, name: str, text: str, options: tuple[str, ...], rounds: list[int]
) -> None:
    """A round ends before a speaker speaks again, unless headings or a column name the rounds."""
    write(tmp_path, text, name)
    done = debate("import", name, *options, cwd=tmp_path)
    assert done.code == 0, done.err
    assert [turn["round"] for turn in stored(tmp_path, "d")["turns"]] == rounds


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (codecs.BOM_UTF8 + "Ann: Café.\r\n\r\nBo: No.".encode(), "UTF-8"),
        ("\ufeffAnn: Café.\n\nBo: No.".encode("utf-16-le"), "UTF-16"),
        ("Ann: Café.\r\rBo: No.".encode("cp1252"), "Windows-1252"),
    ],
)
def test_encodings_and_line_ends_are_recognised(tmp_path: Path, data: bytes, encoding: str) -> None:
    """UTF-8 and UTF-16 with a mark, and Windows-1252 are read, and named."""
    write(tmp_path, data)
    done = debate("import", "hearing.txt", "--topic", "T", cwd=tmp_path)
    assert done.code == 0, done.err
    assert f"(text, {encoding})" in done.out
    assert [turn["text"] for turn in stored(tmp_path)["turns"]] == ["Café.", "No."]


@pytest.mark.parametrize(
    ("name", "data", "options", "sentence"),
    [
        ("x.txt", b"", (), "x.txt: the file is empty; give the path of a file that contains a debate"),
        ("x.txt", bytes(range(256)) * 9, (), "x.txt: the file is not a text file"),
        ("x.txt", b"We met at 10:30 and talked.", (), "x.txt: the debate has no speaker; begin each speech with `Name: `"),
        ("x.md", b"## Talk\n\n**Ann:** Yes.", (), "x.md: the debate has only one speaker (Ann)"),
        ("x.txt", SHORT.encode(), ("--drop", "Ann", "--drop", "Bo"), "x.txt: --drop leaves no speaker, but a debate needs two; drop fewer speakers"),
        ("x.txt", SHORT.encode(), ("--drop", "Ann"), "x.txt: --drop leaves only one speaker (Bo), but a debate needs two; drop fewer speakers"),
        ("x.txt", SHORT.encode(), ("--drop", "Cy"), "x.txt: --drop: the debate has no speaker `Cy`; the speakers are Ann, Bo"),
        ("x.txt", SHORT.encode(), ("--side", "Ann=blue"), "x.txt: the debate has two speakers, so their sides must be `for` and `against`, not `blue`; correct --side"),
        ("x.csv", b"person,remark\nAnn,Yes\n", (), "x.csv: the table has no column for the speaker (its columns are person, remark); give the column with --map"),
        ("x.csv", b"speaker,text\nAnn,Yes, or no\n", (), "x.csv: line 2 has more values than the 2 columns; quote each value that contains a delimiter"),
        ("x.csv", b"speaker,text,Text\nAnn,Yes,Well\n", (), "x.csv: two columns are named 'text'; rename or remove one of them"),
        ("x.csv", b'speaker,text\nAnn,"Yes\n', (), "x.csv: not valid CSV at line 2"),
        ("x.jsonl", b'{"speaker": "Ann", "text": "Yes"}\n{"speaker"', (), "x.jsonl: line 2 is not valid JSON"),
        ("x.jsonl", b'{"speaker": "Ann", "text": "Yes", "text": "No"}\n', (), "x.jsonl: line 1 is not valid JSON (the key `text` is repeated)"),
        ("x.jsonl", b'{"speaker": "Ann", "text": "Yes", "at": NaN}\n', (), "x.jsonl: line 1 is not valid JSON (NaN is not a number)"),
        ("x.json", b'{"messages": [{"role": "user", "content": "Hi"}], "messages": []}', (), "x.json: the file is not valid JSON (the key `messages` is repeated)"),
        ("x.json", b'[{"role": "user", "content": "Hi"}, {"content": "No"}]', (), "x.json: message 2 has no role"),
        ("x.txt", "".join(f"Speaker {n}: Yes.\n" for n in range(1000)).encode(), (), "x.txt: the debate has 1,000 speakers, more than 100;"),
        ("x.txt", SHORT.encode(), ("--map", "text=body"), "--map names columns of a table, but x.txt is in the format text; leave out --map"),
        ("x.yaml", b"topic: Is it so?\ndebaters: []\n", (), "x.yaml: a YAML file is usually a configuration, not a debate; run it with `debate run x.yaml`"),
        ("x.txt", SHORT.encode(), ("--map", "name=who"), "--map name: there is no such field; the fields are speaker, text, round"),
    ],
)  # fmt: skip
def test_a_file_without_a_debate_gets_one_clear_sentence(
    tmp_path: Path, name: str, data: bytes, options: tuple[str, ...], sentence: str
) -> None:
    """Exit 2, one line that says what is wrong and what to do, and nothing is written."""
    write(tmp_path, data, name)
    done = debate("import", name, *options, cwd=tmp_path)
    assert (done.code, len(done.lines)) == (2, 1)
    assert done.err.startswith(f"debate: {sentence}")
    assert not (tmp_path / "transcripts").exists()


def test_half_of_an_emoji_in_json_is_read(tmp_path: Path) -> None:
    """Text that a service cut off may end with a lone surrogate."""
    rows = b'{"speaker": "Ann", "text": "Yes \\ud83d"}\n{"speaker": "Bo", "text": "No."}\n'
    write(tmp_path, rows, "x.jsonl")
    done = debate("import", "x.jsonl", "--topic", "T", cwd=tmp_path)
    assert done.code == 0, done.err


def test_a_folder_gives_one_transcript_each_and_names_the_broken_files(tmp_path: Path) -> None:
    """Files of one name get different ids, the rest is done, and the exit code is 1; a second time nothing is overwritten."""
    for name in ("a.txt", "deep/a.md", "b.srt", "notes.pdf"):
        write(tmp_path / "in", SHORT, name)
    write(tmp_path / "in", "no debate", "c.txt")
    (tmp_path / "in" / "link.txt").symlink_to(write(tmp_path, SHORT))
    done = debate("import", "in", "-o", "out", cwd=tmp_path)
    assert done.code == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a-2.json", "a.json", "b.json"]
    assert "in/c.txt: the debate has no speaker" in done.err
    assert "3 debates imported, 1 could not be imported" in done.err
    assert "1 file skipped, because of an unknown suffix" in done.err
    assert "1 file skipped, because a link leads out of the folder" in done.err
    assert debate("import", "in/a.txt", "-o", "out", cwd=tmp_path).code != 0
    assert debate("import", "in/a.txt", "-o", "out", "--force", cwd=tmp_path).code == 0


def test_out_may_be_a_folder_whose_name_ends_in_json(tmp_path: Path) -> None:
    """`import FILE -o DIR` writes into an existing folder whatever its name is."""
    write(tmp_path, SHORT, "a.txt")
    (tmp_path / "all.json").mkdir()
    done = debate("import", "a.txt", "-o", "all.json", cwd=tmp_path)
    assert (done.code, [path.name for path in (tmp_path / "all.json").iterdir()]) == (0, ["a.json"]), done.err


def test_out_is_a_folder_if_it_ends_with_a_slash(tmp_path: Path) -> None:
    """`import FILE -o all.json/` creates the folder."""
    write(tmp_path, SHORT, "a.txt")
    done = debate("import", "a.txt", "-o", "all.json/", cwd=tmp_path)
    assert (done.code, (tmp_path / "all.json" / "a.json").is_file()) == (0, True), done.err


def test_empty_columns_of_a_spreadsheet_are_ignored(tmp_path: Path) -> None:
    """A table with empty columns at its end is imported as the table without them."""
    write(tmp_path, "speaker,text,,\nAnn,Yes we do.,,\nBob,No.,,\n", "t.csv")
    done = debate("import", "t.csv", "--dry-run", cwd=tmp_path)
    assert (done.code, "Found: 2 speeches" in done.out, "Left out: nothing" in done.out) == (0, True, True), done.err


def test_json_lists_every_file(tmp_path: Path) -> None:
    """One document on stdout with speakers, rounds and what was left out."""
    write(tmp_path, "who=x,body,part,mood\nAnn,Yes,a,glad\nBo,No,b,\n", "d.csv")
    done = debate("import", "d.csv", "--map", "speaker=who=x", "--map", "text=body,round=part", "--json", cwd=tmp_path)
    (record,) = done.json
    assert (record["left_out"], record["rounds"]) == (["the column mood"], 2)
    assert record["speakers"][0] == {"name": "Ann", "side": "for", "speeches": 1, "words": 1}


def test_json_leaves_out_a_debate_that_is_not_saved(tmp_path: Path) -> None:
    """A transcript that exists already is named on stderr, and the record of its file is not printed."""
    for name in ("a.txt", "b.txt"):
        write(tmp_path / "in", SHORT, name)
    debate("import", "in/a.txt", cwd=tmp_path)
    done = debate("import", "in", "--json", cwd=tmp_path)
    assert (done.code, [record["id"] for record in done.json]) == (1, ["b"])
    assert "a.json: exists already" in done.err


def test_every_system_judges_an_imported_debate(tmp_path: Path) -> None:
    """The mock judges it, the verdicts are stored and recomputed, and screens call the speakers' model `imported`."""
    write(tmp_path, HEARING)
    debate("import", "hearing.txt", cwd=tmp_path)
    systems = ("structured", "live", "moderator", "panel", "persuasion")
    options = [part for system in systems for part in ("--system", system)]
    done = debate("judge", "hearing", *options, "--mock", cwd=tmp_path)
    assert done.code == 0, done.err
    assert {verdict["system"] for verdict in stored(tmp_path)["verdicts"]} == set(systems)
    assert debate("score", "--check", "transcripts/hearing.json", cwd=tmp_path).code == 0
    shown = debate("replay", "hearing", cwd=tmp_path).out
    assert "Debater: Dr. Ann Lee (Dr. Ann Lee), imported\n" in shown
    assert "imported/none" not in shown
    assert shown.count("The air is bad.") >= 1


def test_an_imported_debate_is_complete_and_not_judged(tmp_path: Path) -> None:
    """`run --resume` asks no model, `score --check` holds, and `replay` names the command that judges it."""
    write(tmp_path, SHORT)
    debate("import", "hearing.txt", cwd=tmp_path)
    resumed = debate("run", "--resume", "hearing", cwd=tmp_path)
    assert (resumed.code, "the debate is complete; no model was asked" in resumed.out) == (0, True)
    assert debate("score", "--check", "transcripts/hearing.json", cwd=tmp_path).code == 0
    shown = debate("replay", "hearing", cwd=tmp_path)
    assert "Debate: hearing (imported from hearing.txt)" in shown.out
    assert "judge it: debate judge transcripts/hearing.json --system structured" in shown.err


def test_a_debate_without_judges_says_so_and_takes_settings_of_judging(tmp_path: Path) -> None:
    """`score` says that it is not judged, and `judge --mock --set` can choose systems although no judge is stored."""
    write(tmp_path, SHORT)
    debate("import", "hearing.txt", cwd=tmp_path)
    assert debate("score", "hearing", cwd=tmp_path).out == "transcripts/hearing.json  no verdict yet\n"
    done = debate("judge", "hearing", "--mock", "--set", "judging.systems=[moderator]", cwd=tmp_path)
    assert (done.code, stored(tmp_path)["runs"][0]["judging"]["systems"][0]["kind"]) == (0, "moderator")


def test_rounds_of_headings_are_judged_with_any_order_of_speakers(tmp_path: Path) -> None:
    """A round in which one speaker speaks twice, or alone, is judged like another."""
    text = "## A\n\n**Bo:** 1.\n\n**Ann:** 2.\n\n**Bo:** 3.\n\n## B\n\n**Ann:** 4.\n\n## C\n\n**Ann:** 5.\n\n**Bo:** 6."
    write(tmp_path, text, "d.md")
    debate("import", "d.md", "--round-by", "heading", cwd=tmp_path)
    done = debate("judge", "d", "--system", "moderator", "--system", "live", "--mock", cwd=tmp_path)
    assert done.code == 0, done.err
    subjects = [item["subject"] for item in stored(tmp_path, "d")["assessments"] if item["system"] == "moderator"]
    assert [item["round"] for item in subjects if item["moment"] == "round"] == [1, 2, 3]


def test_a_judging_run_that_stopped_is_resumed(tmp_path: Path) -> None:
    """The budget ends the judging of an imported debate; `run --resume` asks about the rest."""
    write(tmp_path, HEARING)
    debate("import", "hearing.txt", cwd=tmp_path)
    judged = debate("judge", "hearing", "--system", "live", "--mock", "--max-tokens", "9000", cwd=tmp_path)
    assert judged.code == 4, judged.err
    before = len(stored(tmp_path)["assessments"])
    resumed = debate("run", "--resume", "hearing", "--mock", cwd=tmp_path)
    assert resumed.code == 0, resumed.err
    assert len(stored(tmp_path)["assessments"]) > before


def test_our_own_transcript_is_imported_without_its_judgements(tmp_path: Path) -> None:
    """Speeches, rounds and sides of a transcript stay; what judges said is left out and counted."""
    write(tmp_path, SHORT)
    debate("import", "hearing.txt", cwd=tmp_path)
    debate("judge", "hearing", "--system", "structured", "--mock", cwd=tmp_path)
    done = debate("import", "transcripts/hearing.json", "-o", "again.json", cwd=tmp_path)
    assert "Left out: 1 assessment" in done.out
    again = json.loads((tmp_path / "again.json").read_text())
    first = stored(tmp_path)
    assert [(turn["round"], turn["text"]) for turn in again["turns"]] == [
        (turn["round"], turn["text"]) for turn in first["turns"]
    ]
    assert again["origin"]["format"] == "transcript"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hearing.txt", f"Topic: Should we ban cars\n\n{SHORT}"),
        ("hearing.md", "# City Hall\n\nMotion: Should we ban cars\n\n**Ann:** Yes.\n\n**Bo:** No.\n"),
        ("hearing.md", "# Should we ban cars\n\n**Ann:** Yes.\n\n**Bo:** No.\n"),
    ],
)
def test_the_words_of_a_motion_that_is_not_used_are_background(tmp_path: Path, name: str, text: str) -> None:
    """With --topic, the file's own motion is kept as background; a title before the first speech is no speaker's words."""
    write(tmp_path, text, name)
    done = debate("import", name, "--topic", "Another", cwd=tmp_path)
    assert done.code == 0, done.err
    data = stored(tmp_path)
    assert data["topic"] == "Another"
    assert "Should we ban cars" in data["background"]
    assert ("[City Hall]" in data["background"]) is ("City Hall" in text)
    assert data["turns"][0]["text"] == "Yes."
    assert "Background: " in done.out


def test_json_has_the_background_and_the_source_of_the_motion(tmp_path: Path) -> None:
    """`--json` shows what the screen shows: the words before the first speech, and where the motion comes from."""
    write(tmp_path, HEARING)
    done = debate("import", "hearing.txt", "--dry-run", "--json", cwd=tmp_path)
    (record,) = json.loads(done.out)
    assert record["background"] == "City Hall, May."
    assert record["topic_source"] == "file"


@pytest.mark.parametrize("option", ["--side", "--merge"])
def test_a_name_that_an_option_gives_twice_is_refused(tmp_path: Path, option: str) -> None:
    """Two values for one speaker contradict each other, so neither is used."""
    write(tmp_path, SHORT)
    done = debate("import", "hearing.txt", option, "Ann=for", option, "ann=against", "--dry-run", cwd=tmp_path)
    assert done.code == 2
    assert f"{option} names " in done.err
