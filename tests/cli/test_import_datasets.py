"""`debate import --format debatrix | nyu | lechmazur | ukp`: debates of public data sets, and labels that the audit reads."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import CommandResult, debate

from debate_cli.audit.labels import WinnerLabel, read_labels

SPEECH = "- debater_name: Ann_Lee\n  content: We should.\n- debater_name: Bo\n  content: |\n    We should not.\n"
DEBATRIX = {
    "DebateArt/motion/debateart_0007.yml": "motion: Move?\npro_side:\n  - name: Ann_Lee\ncon_side:\n  - name: Bo\ninfo_slide: A note.\n",
    "DebateArt/speech/debateart_0007.yml": SPEECH,
    "DebateArt/gold/final.csv": "dart_id,is_many_round,is_long,vote_count,label\n7,False,True,2,1.0\n8,False,True,2,0.0\n",
    "BP/motion/bp_003.yml": "motion: Move?\n",
    "BP/speech/bp_003.yml": "".join(
        f"- speaker_name: {side}_Side_({mark})\n  content: Words.\n" for side, mark in (("A", "OG"), ("B", "OO"), ("C", "CG"))
    ),
    "BP/gold/gold.csv": 'bp_id,label\n3,OO\n4,"OG,CG"\n',
    "BP/speech/bp_004.yml": SPEECH,
}  # fmt: skip
NYU = {
    "debates-readable.jsonl": json.dumps({
        "roomName": "room-1", "debateId": "77", "storyTitle": "S", "story": "Long.", "question": "Who?", "answers": ["He", "She"],
        "judge": "Jo", "isJudgeCorrect": True,
        "turns": [
            {"role": "Judge", "index": None, "text": "", "probabilities": [0.5, 0.5]},
            {"role": "Debater", "index": 0, "text": "It is he.", "probabilities": None},
            {"role": "Debater", "index": 1, "text": "It is she.", "probabilities": None},
            {"role": "Judge", "index": None, "text": "Show me.", "probabilities": [0.2, 0.8]},
        ],
    }) + "\n{}\n",
}  # fmt: skip
NYU_LINE = NYU["debates-readable.jsonl"].split("\n")[0]
LECHMAZUR_ID = "prop_0001__a__b__s0"
LECHMAZUR = {
    f"transcripts/{LECHMAZUR_ID}.md": "# Debate\n\n- topic_id: prop_0001\n- proposition: Move?\n- model_pro: a\n\n## Turn 1: PRO Opening\n\n"
    "- model: a\n- raw_words: 2\n\n[P1.1] We should.\n\n## Turn 2: CON Opening\n\n- model: b\n\n[C1.1] No.\n",
    "reports/x/matchup-judgement-prop_0001-a-vs-b.md": f"# Report\n\n## Debate A\n\n- debate_id: `{LECHMAZUR_ID}`\n\n"
    "| Judge | Winner | Signed Margin (PRO+) | Normalized |\n| --- | --- | ---: | ---: |\n| K2 | A | +1.5 | +1.50 |\n| Q3 | B | -0.5 | x |\n\n### Judge Notes\n",
}  # fmt: skip
UKP = {"data/move_yes.csv": "#id\tlabel\ta1\ta2\narg1_arg2\ta2\tWe should.\tWe should, as it pays.\narg3\ta2\n"}


def imported(folder: Path, name: str, files: dict[str, str], out: str = "out") -> CommandResult:
    """Import a made-up folder in the shape of the data set."""
    for path, text in files.items():
        (folder / "in" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / path).write_text(text)
    return debate("import", "in", "--format", name, "-o", out, cwd=folder)


def transcript(folder: Path, name: str) -> dict[str, Any]:
    """A transcript that was written."""
    return json.loads((folder / "out" / f"{name}.json").read_text())


@pytest.mark.parametrize(
    ("name", "files", "debate_id", "topic", "spoken", "label", "problem"),
    [
        ("debatrix", DEBATRIX, "debateart-0007", "Move?", [("Ann Lee", "We should."), ("Bo", "We should not.")], WinnerLabel("debateart-0007", "Bo", "voters"), "bp_004: the debate has no motion"),
        ("debatrix", DEBATRIX, "bp-003", "Move?", [("A Side (OG)", "Words."), ("B Side (OO)", "Words."), ("C Side (CG)", "Words.")], WinnerLabel("bp-003", "B Side (OO)", "adjudicators"), "bp_004"),
        ("nyu", NYU, "room-1-77", "Who? The answer is “He”, not “She”.", [("Debater A", "It is he."), ("Debater B", "It is she.")], WinnerLabel("room-1-77", "Debater B", "Jo"), "line 2 is not a debate"),
        ("lechmazur", LECHMAZUR, "prop-0001-a-b-s0", "Move?", [("PRO", "[P1.1] We should."), ("CON", "[C1.1] No.")], WinnerLabel("prop-0001-a-b-s0", "PRO", "model K2"), ""),
        ("ukp", UKP, "arg1-arg2", "Argument A is more convincing than argument B (move: yes)", [("Argument A", "We should."), ("Argument B", "We should, as it pays.")], WinnerLabel("arg1-arg2", "Argument B", "crowd"), "line 3 does not consist of an id"),
    ],
)  # fmt: skip
def test_a_data_set_gives_transcripts_and_labels(
    tmp_path: Path,
    name: str,
    files: dict[str, str],
    debate_id: str,
    topic: str,
    spoken: list[tuple[str, str]],
    label: WinnerLabel,
    problem: str,
) -> None:
    """Each debate has its words and sides, the audit reads its labels, and broken entries are named while the rest is done."""
    done = imported(tmp_path, name, files)
    data = transcript(tmp_path, debate_id)
    assert (data["topic"], [(turn["speaker"], turn["text"]) for turn in data["turns"]]) == (topic, spoken)
    assert data["origin"]["format"] == name
    assert label in read_labels(tmp_path / "out" / "labels.csv")
    assert (done.code, problem in done.err) == (1 if problem else 0, True)
    assert "seem to be one speaker" not in done.err


def test_a_judge_of_several_reports_has_one_label(tmp_path: Path) -> None:
    """If several reports have a judge's label of the same debate, the last report counts: the audit refuses a second."""
    ((name, report),) = ((path, text) for path, text in LECHMAZUR.items() if path.startswith("reports"))
    other = {name.replace("-a-vs-b", "-b-vs-a"): report.replace("| K2 | A | +1.5 |", "| K2 | B | -1.5 |")}
    imported(tmp_path, "lechmazur", LECHMAZUR | other)
    labels = read_labels(tmp_path / "out" / "labels.csv")
    assert [(label.winner, label.rater) for label in labels] == [("CON", "model K2"), ("CON", "model Q3")]


@pytest.mark.parametrize(
    ("name", "files", "broken", "words"),
    [
        ("nyu", NYU, {"empty.jsonl": ""}, "empty.jsonl: the file is empty"),
        ("nyu", NYU, {"b.jsonl": '{"question": "Who?", "answers": [1, 2], "turns": [], "debateId": 1}'}, "line 1 is not a debate"),
        ("nyu", NYU, {"b.jsonl": NYU_LINE.replace("[0.2, 0.8]", "[NaN, 0.8]")}, "line 1 is not a debate of this data set (ValueError('nan is not from 0 to 1'))"),
        ("nyu", NYU, {"b.jsonl": NYU_LINE.replace("[0.2, 0.8]", "[-4, 5]")}, "line 1 is not a debate of this data set (ValueError('-4 is not from 0 to 1'))"),
        ("ukp", UKP, {"data/empty.csv": ""}, "empty.csv: the file is empty"),
        ("debatrix", DEBATRIX, {"DebateArt/gold/final.csv": "dart_id,label\n7,x\n"}, "the debate, its motion or its labels are not as expected"),
        ("debatrix", DEBATRIX, {"DebateArt/gold/final.csv": "dart_id,label\n7,nan\n"}, "the debate, its motion or its labels are not as expected"),
        ("debatrix", DEBATRIX, {"DebateArt/gold/final.csv": "dart_id,label\n7,5\n"}, "the debate, its motion or its labels are not as expected"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_and_the_rest_is_imported(
    tmp_path: Path, name: str, files: dict[str, str], broken: dict[str, str], words: str
) -> None:
    """The exit code is 1, and the other debates are there."""
    done = imported(tmp_path, name, files | broken)
    assert (done.code, words in done.err) == (1, True), done.err
    assert list((tmp_path / "out").glob("*.json"))


@pytest.mark.parametrize(
    ("name", "files", "more"),
    [
        ("nyu", NYU, {"one.jsonl": NYU_LINE.replace('"index": 1', '"index": 0')}),
        ("ukp", UKP, {"ranking/move_yes.csv": "#id\trank\targument\narg1\t0.5\tWe should.\n"}),
    ],
)
def test_what_is_no_debate_of_two_sides_is_left_out(
    tmp_path: Path, name: str, files: dict[str, str], more: dict[str, str]
) -> None:
    """Consultancies with one debater, and rankings of single arguments, are part of the repositories and no faults."""
    alone, both = imported(tmp_path / "a", name, files), imported(tmp_path / "b", name, files | more)
    assert both.err.replace("/b/", "/a/") == alone.err


def test_a_folder_of_another_shape_is_refused(tmp_path: Path) -> None:
    """Exit 2, with the page that says what the folder looks like."""
    done = imported(tmp_path, "lechmazur", {"notes.txt": "nothing"})
    assert done.code == 2
    assert "contains no debate of the data set lechmazur" in done.err


def test_a_data_set_is_not_imported_into_one_file(tmp_path: Path) -> None:
    """Exit 2: `-o x.json` names a transcript, and a data set has many. No folder of this name is made."""
    done = imported(tmp_path, "ukp", UKP, out="x.json")
    assert (done.code, "--out x.json: is one file" in done.err, (tmp_path / "x.json").exists()) == (2, True, False)
