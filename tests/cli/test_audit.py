"""`debate audit` from nothing to the card, continued, gated and compared."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scipy", reason="needs the extra [experiments]")

from cli_support import debate

SMALL = ("--variant", "order", "--repeat", "2")
SAVED = Path(__file__).parents[2] / "transcripts" / "example-mock.json"
ONE = (*SMALL, "--on", str(SAVED))
BIASED = """
topic: x
models:
  default: {model: mock/debater}
  judge: {model: mock/judge, bias: {first: 0.4}}
debaters: [{name: A, side: for}, {name: B, side: against}]
"""


def test_known_bias_is_found_and_the_card_says_so(here: Path) -> None:
    """The audit finds a bias of 40 points for the first side, and the card names the rule."""
    (here / "biased.yaml").write_text(BIASED)
    done = debate("audit", "--config", "biased.yaml", *SMALL, "--json", cwd=here)
    assert done.code == 0, done.err
    judge = done.json["judges"][0]
    lead = next(measure for measure in judge["measures"] if measure["name"] == "first")["estimate"]
    assert 35 < lead["value"] < 45
    assert lead["low"] < lead["value"] < lead["high"]
    assert judge["follows"] == "the side that is shown first"
    sentence = "It nearly always names the side that is shown first."
    assert sentence in (here / "audit" / "card.md").read_text()
    assert "<script" not in (here / "audit" / "card.html").read_text()


def test_measure_is_the_same_whichever_other_changes_are_tested(here: Path) -> None:
    """The points of `citation` are equal with and without `--variant padded`, for a judge that prefers the longer side."""
    (here / "biased.yaml").write_text(BIASED.replace("first: 0.4", "longer: 0.4"))
    command = (
        "audit",
        "--config",
        "biased.yaml",
        "--on",
        str(SAVED),
        "--repeat",
        "1",
        "--json",
        "--variant",
        "citation",
    )
    alone, both = (debate(*command, *more, cwd=here).json for more in ((), ("--variant", "padded", "-o", "both")))
    assert alone["judges"][0]["measures"] == both["judges"][0]["measures"]


def test_cards_of_the_mock_are_marked_as_a_rehearsal(here: Path) -> None:
    """The notice is the first and the last line on the screen, and is in both saved cards."""
    notice = "REHEARSAL: mock provider, no model was called"
    lines = debate("audit", "--judge", "mock/judge", *ONE, cwd=here).out.splitlines()
    assert (lines[0], lines[-1]) == (notice, notice)
    assert all(notice in (here / "audit" / name).read_text() for name in ("card.md", "card.html"))


def test_second_run_asks_nothing_and_gives_the_same(here: Path) -> None:
    """A repeated audit judges nothing again, and a new gate needs no model."""
    first = debate("audit", "--judge", "mock/judge", *ONE, "--json", cwd=here)
    files = {path: path.stat().st_mtime_ns for path in (here / "audit" / "debates").glob("*.json")}
    again = debate("audit", "--judge", "mock/judge", *ONE, "--json", "--gate", "flip=0", cwd=here)
    assert again.json["judges"][0]["measures"] == first.json["judges"][0]["measures"]
    assert files == {path: path.stat().st_mtime_ns for path in (here / "audit" / "debates").glob("*.json")}
    assert (first.code, again.code) == (0, 5)
    assert "gate flip (at most 0 %): not" in again.err


def test_runs_that_were_cut_off_are_finished(here: Path) -> None:
    """A judging run without its answer is completed, and no run is added to complete ones."""
    debate("audit", "--judge", "mock/judge", *ONE, cwd=here)
    path = here / "audit" / "debates" / "example-mock--order.json"
    stored = json.loads(path.read_text())
    whole = stored["assessments"]
    stored["assessments"], stored["verdicts"] = [], []
    path.write_text(json.dumps(stored))
    done = debate("audit", "--judge", "mock/judge", *ONE, cwd=here)
    assert done.code == 0, done.err
    after = json.loads(path.read_text())
    assert [item["marks"] for item in after["assessments"]] == [item["marks"] for item in whole]
    assert len(after["runs"]) == len(stored["runs"])


def test_several_judges_judge_the_same_files_in_turn(here: Path) -> None:
    """One command audits several judges, and the report compares them."""
    done = debate("audit", "--judge", "mock/judge", "--judge", "mock/second", *ONE, "--json", cwd=here)
    assert done.code == 0, done.err
    assert [judge["judgements"] for judge in done.json["judges"]] == [3, 3]
    assert done.json["between"]["pairs"][0]["share"]["rows"] == 1


def test_the_budget_is_that_of_the_whole_audit(here: Path) -> None:
    """All judgements share one budget, which a repeated command continues and a higher one extends."""
    command = ("audit", "--judge", "mock/judge", *ONE, "--json", "--concurrency", "1", "--max-tokens")
    stopped = debate(*command, "12000", cwd=here)
    assert stopped.code == 4, stopped.err
    assert "the budget is reached" in stopped.err
    judged = stopped.json["judges"][0]["judgements"]
    assert 0 < judged < 3
    again = debate(*command, "12000", cwd=here)
    assert (again.code, again.json["judges"][0]["judgements"]) == (4, judged)
    done = debate(*command, "10000000", cwd=here)
    assert (done.code, done.json["judges"][0]["judgements"]) == (0, 3)


def test_two_audits_are_compared(here: Path) -> None:
    """A measure is better if it is nearer to 0 and the intervals do not overlap."""
    for name, low in (("old", 30.0), ("new", 1.0)):
        estimate = {"value": low + 2, "low": low, "high": low + 4, "rows": 8, "clusters": 8}
        label = "lead of the side shown first"
        measure = {"name": "first", "variant": "order", "label": label, "unit": "points", "estimate": estimate}
        judge = {"judge": {"model": "x/y", "system": "structured"}, "measures": [measure]}
        (here / f"{name}.json").write_text(json.dumps({"format": 1, "judges": [judge]}))
    done = debate("audit", "old.json", "new.json", "--diff", "--json", cwd=here)
    assert [(row["label"], row["change"]) for row in done.json] == [("lead of the side shown first", "better")]
    signed = (here / "new.json").read_text().replace('"value": 3.0', '"value": -3.7')
    (here / "signed.json").write_text(signed)
    shown = debate("audit", "old.json", "signed.json", "--diff", cwd=here).out
    assert ("−3.7 (+1.0 to +5.0)" in shown, "-3.7" in shown) == (True, False), shown
    (here / "cut.json").write_text('{"format": 1, "judges": [{}]}')
    for name, words in (("none", "cannot be read (No such file"), ("cut", "is not a valid audit for this version")):
        done = debate("audit", "old.json", f"{name}.json", "--diff", cwd=here)
        assert (done.code, f"{name}.json: {words}" in done.err) == (2, True), done.err


def _stored(value: float, name: str = "first", unit: str = "points", label: str = "lead") -> dict[str, Any]:
    estimate = {"value": value, "low": value - 0.1, "high": value + 0.1, "rows": 8, "clusters": 8}
    return {"name": name, "variant": "order", "label": label, "unit": unit, "estimate": estimate}


def _write_audit(path: Path, judges: dict[tuple[str, str], float], **more: Any) -> None:
    """Write a report in which each judge (model, system) has one number for everything."""
    numbers = ("accuracy", "lead", "kappa", "alpha_with_judge", "brier", "log_score", "score_error")
    document = {
        "format": 1,
        "judges": [
            {
                "judge": {"model": model, "system": system},
                "measures": [_stored(value)],
                "comparison": {name: _stored(value)["estimate"] for name in numbers},
                "gates": [{"name": "flip", "bound": 0.1, "outcome": "met" if value > 0.5 else "not met"}],
            }
            for (model, system), value in judges.items()
        ],
    }
    path.write_text(json.dumps(document | more))


def test_judges_of_two_audits_are_paired_by_name(here: Path) -> None:
    """Each judge is compared with itself in whatever order, and a judge of only one audit is named."""
    _write_audit(here / "old.json", {("x/a", "structured"): 0.1, ("x/b", "structured"): 0.5, ("x/c", "panel"): 0.5})
    _write_audit(here / "new.json", {("x/b", "structured"): 0.5, ("x/a", "structured"): 0.9, ("x/a", "panel"): 0.5})
    rows = debate("audit", "old.json", "new.json", "--diff", "--json", cwd=here).json
    changes = {row["judge"]: row["change"] for row in rows if row["label"] == "lead"}
    assert changes == {"x/b (structured)": "no clear difference", "x/a (structured)": "worse"}
    alone = {row["judge"]: row["change"] for row in rows if row["label"] == "judge"}
    assert alone == {"x/c (panel)": "not in the new audit", "x/a (panel)": "not in the old audit"}


def test_a_new_model_is_compared_with_the_only_old_one(here: Path) -> None:
    """All results are compared, and both models are named; a judge by another system is not compared."""
    _write_audit(here / "old.json", {("x/one", "structured"): 0.1})
    _write_audit(here / "new.json", {("x/two", "structured"): 0.9})
    rows = debate("audit", "old.json", "new.json", "--diff", "--json", cwd=here).json
    assert {row["judge"] for row in rows} == {"x/one → x/two (structured)"}
    assert {row["label"]: row["change"] for row in rows} == {
        "lead": "worse",
        "names the known winner": "better",
        "lead over the best baseline": "better",
        "Cohen's κ with the known winners": "better",
        "α of the raters together with the judge": "better",
        "Brier score of the judge's margins": "worse",
        "log score of the judge's margins": "worse",
        "error of the judge's scores, in points": "worse",
        "gate flip": "better",
    }
    _write_audit(here / "new.json", {("x/one", "panel"): 0.9})
    rows = debate("audit", "old.json", "new.json", "--diff", "--json", cwd=here).json
    assert [row["change"] for row in rows] == ["different systems", "not in the new audit", "not in the old audit"]


def test_the_texts_of_changes_for_programs(here: Path) -> None:
    """In JSON, each change has five texts: numbers with an ASCII minus sign, shares with one decimal place."""
    for name, value in (("old", -0.25), ("new", 0.5)):
        _write_audit(here / f"{name}.json", {("x/a", "structured"): value}, labels="" if name == "old" else "l.csv")
    rows = debate("audit", "old.json", "new.json", "--diff", "--json", cwd=here).json
    assert list(rows[0]) == ["judge", "label", "before", "now", "change"]
    found = {row["label"]: (row["before"], row["now"]) for row in rows}
    assert found["known winners (labels)"] == ("—", "l.csv")
    assert found["lead"] == ("-0.2 (-0.3 to -0.1)", "0.5 (0.4 to 0.6)")
    assert found["names the known winner"] == ("-25.0 % (-35.0 to -15.0)", "50.0 % (40.0 to 60.0)")
    assert found["Cohen's κ with the known winners"] == ("-0.25 (-0.35 to -0.15)", "0.50 (0.40 to 0.60)")
    assert found["gate flip"] == ("not met", "not met")


def test_names_with_hyphens_stay_as_they_are(here: Path) -> None:
    """On the screen, a hyphen in the name of a file with labels is no minus sign."""
    for name in ("old", "new"):
        _write_audit(here / f"{name}.json", {("x/a", "structured"): 0.5}, labels=f"{name} -1.csv")
    assert "old -1.csv" in debate("audit", "old.json", "new.json", "--diff", cwd=here).out


def test_order_of_judges_is_no_difference(here: Path) -> None:
    """Audits with the same judging systems in another order do not have different systems."""
    judges = {("x/a", "structured"): 0.5, ("x/a", "panel"): 0.5}
    _write_audit(here / "old.json", judges)
    _write_audit(here / "new.json", dict(reversed(judges.items())))
    rows = debate("audit", "old.json", "new.json", "--diff", "--json", cwd=here).json
    assert "different systems" not in {row["change"] for row in rows}


def test_audits_of_other_debates_say_so(here: Path) -> None:
    """The first rows name different debates and labels, on the screen too."""
    judges = {("x/a", "structured"): 0.5}
    _write_audit(here / "old.json", judges, debates=["one", "two"], labels="reviews")
    _write_audit(here / "new.json", judges, debates=["two", "three", "four"], labels="l-1.csv")
    rows = debate("audit", "old.json", "new.json", "--diff", "--json", cwd=here).json
    assert [(row["before"], row["now"], row["change"]) for row in rows[:2]] == [
        ("2", "3", "different debates: 1 only in the old audit, 2 only in the new one"),
        ("reviews", "l-1.csv", "different labels"),
    ]
    assert (
        "different debates: 1 only in the old audit" in debate("audit", "old.json", "new.json", "--diff", cwd=here).out
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "--judge: give the model to audit"),
        (("--judge", "mock/judge", "--variant", "louder"), "--variant louder: there is no such variant"),
        (("--judge", "mock/judge", "--gate", "flip"), "--gate flip: write NAME=NUMBER"),
        (("--judge", "mock/judge", "--labels", "none.csv"), "--labels none.csv: cannot be read"),
        (("a.json", "--diff"), "to compare two audits, write"),
        (("a.json", "--judge", "mock/judge"), "choose the debates for the audit of a judge with --on"),
        (("a.json", "b.json", "--diff", "--gate", "flip=0.1"), "--gate does not apply to a comparison of two audits"),
    ],
)
def test_bad_input_is_one_sentence(here: Path, options: tuple[str, ...], sentence: str) -> None:
    """Wrong input ends with exit code 2 and a sentence that names the option, before anything is written."""
    done = debate("audit", *options, cwd=here)
    assert (done.code, sentence in done.err) == (2, True), done.err
    assert not (here / "audit").exists()


def test_a_file_is_not_the_folder_of_an_audit(here: Path) -> None:
    """`-o FILE` is one sentence, and the file stays unchanged."""
    (here / "card.md").write_text("notes")
    done = debate("audit", "--judge", "mock/judge", *ONE, "-o", "card.md", cwd=here)
    sentence = "debate: card.md/debates: cannot be created (Not a directory); choose another folder"
    assert (done.code, done.lines, (here / "card.md").read_text()) == (1, [sentence], "notes")


def test_unknown_winners_are_refused_and_dry_runs_write_nothing(here: Path) -> None:
    """Labels without a debater are refused with the names to choose from, and a dry run writes nothing."""
    (here / "labels.csv").write_text("id,winner\nexample-mock,Pros\n")
    done = debate("audit", "--judge", "mock/judge", *ONE, "--labels", "labels.csv", cwd=here)
    assert (done.code, "'Pros', but no debater has this name; write Pro, Con or draw" in done.err) == (2, True), (
        done.err
    )
    done = debate("audit", "--judge", "mock/judge", *ONE, "--dry-run", cwd=here)
    assert (done.code, (here / "audit").exists()) == (0, False), done.err


def test_labels_of_other_debates_are_refused(here: Path) -> None:
    """A file without a label of an audited debate is refused, with the ids to choose from, before a judge is asked."""
    (here / "labels.csv").write_text("id,winner\nother,Pro\n")
    done = debate("audit", "--judge", "mock/judge", *ONE, "--labels", "labels.csv", cwd=here)
    sentence = (
        "--labels: the file labels none of the audited debates; write their ids in the column `id`: example-mock\n"
    )
    assert (done.code, done.err.endswith(sentence)) == (2, True), done.err
    assert not (here / "audit").exists()


def test_labels_without_a_known_winner_are_counted(here: Path) -> None:
    """Labels without a known winner are left out, and the card counts them."""
    (here / "labels.csv").write_text("id,winner,rater\nexample-mock,Pro,a\nexample-mock,,b\nexample-mock,unknown,c\n")
    done = debate("audit", "--judge", "mock/judge", *ONE, "--labels", "labels.csv", cwd=here)
    assert done.code == 0, done.err
    assert "2 labels left out" in done.out
    assert "2 labels left out" in (here / "audit" / "card.html").read_text()


def test_failed_judgements_are_named(here: Path) -> None:
    """An audit whose provider fails ends with exit code 3 and the first cause; so does the wrong cassette."""
    (here / "lab.yaml").write_text(
        BIASED.replace(
            "topic: x",
            "topic: x\nproviders: {lab: {kind: openai, base_url: 'http://127.0.0.1:1/v1', api_key_env: null}}",
        ).replace("mock/judge, bias: {first: 0.4}", "lab/m")
        + "limits: {max_attempts: 1}\n"
    )
    dead = debate("audit", "--config", "lab.yaml", *ONE, cwd=here)
    assert (dead.code, "judgements failed; the first: judge: lab (127.0.0.1:1)" in dead.err) == (3, True), dead.err
    assert debate("audit", "--judge", "mock/a", *ONE, "--record", "a.cas", "-o", "one", cwd=here).code == 0
    other = debate("audit", "--judge", "mock/b", *ONE, "--replay", "a.cas", "-o", "two", cwd=here)
    assert (other.code, "has no recorded reply" in other.err) == (3, True), other.err
