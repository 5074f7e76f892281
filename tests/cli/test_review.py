"""`debate review`: a person fills in the form of a judging system."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_support import debate
from review_support import answer
from saved_support import first_debate, write_transcript_file

from debate_cli.app.review import open_review
from debate_cli.domain.reviewer import ReviewAnswers, ReviewTerms
from debate_cli.storage.transcript_store import open_debate


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the saved debate `one`, which models judged by structured and moderator."""
    write_transcript_file(tmp_path / "transcripts" / "one.json", first_debate())
    return tmp_path


def fill_template(folder: Path, *options: str, name: str = "anna") -> Path:
    """Write the template of a review, fill it in, and return its file."""
    template = debate("review", "one", "--template", "--name", name, *options, cwd=folder).out
    document = yaml.safe_load(template)
    terms = {key: value for key, value in document["review"].items() if key != "debate"}
    review = open_review(open_debate(folder / "transcripts" / "one.json"), ReviewTerms(**terms))
    parts = {part.name: part for part in review.evaluate(ReviewAnswers()).parts}
    document["answers"] = {part: answer(parts[part]) for part in document["answers"]}
    document |= {"confidence": 0.8, "seconds": dict.fromkeys(document["answers"], 30)}
    file = folder / "r.yaml"
    file.write_text(yaml.safe_dump(document))
    return file


def transcript(folder: Path) -> Any:
    """The saved debate as data."""
    return json.loads((folder / "transcripts" / "one.json").read_text())


def test_a_review_becomes_a_judging_run_that_does_not_decide(folder: Path) -> None:
    """A filled-in template is stored as a run with its reviewer, beside the deciding verdict of the model."""
    assert debate("review", "one", "--from", fill_template(folder), cwd=folder).code == 0
    (run,) = transcript(folder)["runs"]
    assert run["reviewer"] == {
        "name": "anna",
        "blind": False,
        "order": ["Ada", "Bo"],
        "seconds": {"the debate": 30.0},
        "confidence": 0.8,
    }
    verdicts = debate("score", "one", "--json", cwd=folder).json[0]["verdicts"]
    shown = [(item["system"], item["run"], item["decides"], item.get("reviewer")) for item in verdicts]
    assert shown == [
        ("structured", "r1", True, None),
        ("moderator", "r1", False, None),
        ("structured", "r2", False, "anna"),
    ]


@pytest.mark.parametrize(
    "command", [["score"], ["list"], ["diff", "--runs", "r1,r2"], ["replay"], ["replay", "--format", "markdown"]]
)
def test_a_review_is_shown_beside_models(folder: Path, command: list[str]) -> None:
    """Every command that shows verdicts shows the reviewer's."""
    debate("review", "one", "--from", fill_template(folder), cwd=folder)
    place = ["transcripts"] if command == ["list"] else ["one"]
    assert "human" in debate(command[0], *place, *command[1:], cwd=folder).out


def test_probabilities_are_marks_of_the_rounds_and_the_debate(folder: Path) -> None:
    """Each round, and the debate, has a mark out of 100 for each debater, and scores are as without them."""
    debate("review", "one", "--from", fill_template(folder), cwd=folder)
    plain = debate("score", "one", "--runs", "r2", "--json", cwd=folder).json[0]["verdicts"][0]["scores"]
    debate("review", "one", "--from", fill_template(folder, "--probability"), cwd=folder)
    marks = [
        (item["subject"]["moment"], item["subject"].get("round"), mark["participant"], mark["value"], mark["out_of"])
        for item in transcript(folder)["assessments"]
        for mark in item["marks"]
        if mark["criterion"] == "probability"
    ]
    subjects = [("round", 1), ("round", 2), ("round", 3), ("debate", None)]
    assert marks == [(*subject, name, 50.0, 100.0) for subject in subjects for name in ("Ada", "Bo")]
    assert debate("score", "one", "--runs", "r3", "--json", cwd=folder).json[0]["verdicts"][0]["scores"] == plain


def test_every_problem_is_named_with_its_place(folder: Path) -> None:
    """A template with wrong and missing answers gives a line for each, with line and column, and stores nothing."""
    file = fill_template(folder, "--probability")
    document = yaml.safe_load(file.read_text())
    document["answers"]["the debate"]["arguments"][0]["logic"] = 11
    document["answers"]["the debate"]["arguments"][1]["standing"] = None
    document["answers"]["probability after round 2"]["probabilities"][0]["probability"] = 60
    file.write_text(yaml.safe_dump(document))
    result = debate("review", "one", "--from", file, cwd=folder)
    assert (result.code, len(result.lines)) == (2, 3)
    for words in (
        "logic: must be at most 10",
        "standing: is empty; write one of: UPHELD",
        "sum to 110; make them sum to 100",
    ):
        assert any(words in line and line.startswith(f"{file}:") for line in result.lines)
    assert "runs" not in transcript(folder)


def test_the_seconds_of_an_unknown_part_are_refused(folder: Path) -> None:
    """The name of a part under `seconds` is checked like one under `answers`, and named with line and column."""
    file = fill_template(folder)
    lines = file.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("seconds:"))
    lines[at : at + 1] = ["seconds:", "  nonsense: 3"]
    file.write_text("\n".join(lines))
    result = debate("review", "one", "--from", file, cwd=folder)
    message = f"{file}:{at + 2}:3: seconds.nonsense: there is no such part in this review; remove it (debate explain bad-config)"
    assert (result.code, result.lines) == (2, [message]), result.err


def test_answers_are_written_in_plain_words(folder: Path) -> None:
    """`yes`, a whole number with a decimal point, and an empty optional text are answers."""
    file = fill_template(folder, "--system", "moderator")
    document = yaml.safe_load(file.read_text())
    answer = document["answers"]["round 1"]
    answer["clashes"] = [{"about": "Cost.", "participants": ["Ada", "Bo"], "engaged": "yes"}]
    answer["scores"][0]["total"], answer["guidance"] = 20.0, ""
    file.write_text(yaml.safe_dump(document))
    assert debate("review", "one", "--from", file, cwd=folder).code == 0


def test_answers_that_raise_questions_are_continued_in_a_new_template(folder: Path) -> None:
    """`--from FILE --template` keeps the answers and adds the questions that follow from them."""
    file = fill_template(folder, "--system", "live")
    result = debate("review", "one", "--from", file, cwd=folder)
    assert result.code == 2
    assert "has no answer to narrative of the debate" in result.err
    more = yaml.safe_load(debate("review", "one", "--from", file, "--template", cwd=folder).out)
    assert yaml.safe_load(file.read_text())["answers"].items() <= more["answers"].items()
    assert "narrative of the debate" in more["answers"]


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_a_blind_review_prints_no_name(folder: Path, option: tuple[str, ...]) -> None:
    """Neither the template nor what is printed after storing names a debater; the order shown is stored."""
    template = debate("review", "one", "--blind", "--seed", "1", "--template", "--name", "anna", cwd=folder).out
    result = debate("review", "one", "--from", fill_template(folder, "--blind", "--seed", "1"), *option, cwd=folder)
    assert not any(
        name in text
        for name in ("Ada", "Bo ", "PRO-", "microservices-0001")
        for text in (template, result.out, result.err)
    )
    assert sorted(transcript(folder)["runs"][0]["reviewer"]["order"]) == ["Ada", "Bo"]


def test_models_neither_replace_nor_continue_a_review(folder: Path) -> None:
    """`judge --replace` leaves a review in force, and no judge is asked for it."""
    debate("review", "one", "--from", fill_template(folder), cwd=folder)
    debate("judge", "one", "--system", "structured", "--mock", "--replace", cwd=folder)
    shown = debate("score", "one", "--json", cwd=folder).json[0]["verdicts"]
    assert [(item["run"], item.get("reviewer")) for item in shown if item["system"] == "structured"] == [
        ("r3", None),
        ("r2", "anna"),
    ]


def test_a_review_alone_meets_no_gate(tmp_path: Path) -> None:
    """Gates look at models' verdicts: a debate that only a person judged is undetermined for them."""
    unjudged = first_debate().with_assessments(())
    write_transcript_file(tmp_path / "transcripts" / "one.json", unjudged)
    debate("review", "one", "--from", fill_template(tmp_path), cwd=tmp_path)
    result = debate("score", "one", "--expect-winner", "draw", cwd=tmp_path)
    assert result.code == 5
    assert "undetermined" in result.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--name", "a/b", "--template"], "a reviewer's name has 1 to 40 printable characters"),
        (["--system", "persuasion", "--template"], "there is no form to fill in"),
        (["--system", "nope", "--template"], "no such judging system"),
        (["--from", "absent.yaml"], "no such file; write one with `debate review ID --template`"),
        (["--from", "transcripts/one.json"], "this is not a review"),
    ],
)
def test_refusals_say_what_to_do(folder: Path, options: list[str], words: str) -> None:
    """Options that cannot be used end with exit code 2 and one sentence."""
    result = debate("review", "one", *options, cwd=folder)
    assert (result.code, len(result.lines)) == (2, 1)
    assert words in result.err


def test_a_file_belongs_to_its_debate(folder: Path) -> None:
    """The review of another debate is refused."""
    file = fill_template(folder)
    other = first_debate().model_copy(update={"id": "two"})
    write_transcript_file(folder / "transcripts" / "two.json", other)
    result = debate("review", "two", "--from", file, cwd=folder)
    assert "is the review of another debate" in result.err


@pytest.mark.parametrize("options", [(), ("--probability",)])
def test_a_review_is_stored_once(folder: Path, options: tuple[str, ...]) -> None:
    """The same answers of the same person are refused the second time, with the judging run that has them."""
    file = fill_template(folder, *options)
    assert debate("review", "one", "--from", file, cwd=folder).code == 0
    again = debate("review", "one", "--from", file, cwd=folder)
    assert (again.code, "stored already, as judging run r2" in again.err) == (2, True), again.err
    assert len(transcript(folder)["runs"]) == 1
