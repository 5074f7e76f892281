"""A whole debate is played by a script that only reads and writes files."""

import json
import runpy
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from cli_support import debate, run_on_terminal, write_config

SCRIPT = Path(__file__).parents[2] / "docs" / "examples" / "answer_files.py"
CONFIG = """\
topic: Should a team of five adopt microservices?
models: {default: files/script}
debaters:
  - {name: Pro, side: for}
  - {name: Con, side: against}
format: {arguments: 1, answers: true}
judging:
  decides: structured
  systems:
    - {kind: structured, judges: 2}
    - {kind: moderator}
    - {kind: panel, personas: [technical_architect], min_judges: 1}
    - {kind: live}
    - {kind: persuasion}
    - {kind: sources}
limits: {timeout_s: 0.05}
""".replace("default: files/script", "default: {model: files/script}")
PEOPLE = """\
topic: Should a team of five adopt microservices?
debaters:
  - {name: Pro, side: for, model: MODEL}
  - {name: Con, side: against, model: mock/con}
judging: {systems: [{kind: structured, judge: mock/judge}]}
"""


@contextmanager
def answering_script(folder: Path) -> Generator[None]:
    """The script of the documentation, answering everything in `folder`."""
    answer_all = runpy.run_path(str(SCRIPT))["answer_all"]
    done = Event()

    def play() -> None:
        while not done.wait(0.02):
            answer_all(folder)

    thread = Thread(target=play)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_script_debates_and_judges(tmp_path: Path) -> None:
    """Debaters and the judges of every system answer through files; usage has their seconds, no tokens and no cost."""
    write_config(tmp_path, CONFIG)
    with answering_script(tmp_path / "p"):
        result = debate("run", "--files", "p", "--json", "--id", "d1", cwd=tmp_path)
    transcript = result.json
    usage = transcript["usage"]
    prompts = sorted(path.name for path in (tmp_path / "p" / "d1").glob("*.prompt.md"))
    assert result.code == 0, result.err
    assert not transcript["failures"]
    assert {item["system"] for item in transcript["verdicts"]} >= {
        "structured",
        "moderator",
        "panel",
        "live",
        "persuasion",
    }
    assert prompts[0] == "001-pro-opening.prompt.md"
    assert any(name.endswith("-judge-panel-technical-architect.prompt.md") for name in prompts)
    assert (usage["human_calls"], usage["input_tokens"], usage["cost_usd"]) == (len(prompts), 0, 0.0)


def test_replies_are_found_again_by_a_resumed_debate(tmp_path: Path) -> None:
    """The debate is replayed from its cassette, without files; a second run of the folder reads the replies that are there."""
    write_config(tmp_path, PEOPLE.replace("MODEL", "files/ann"))
    with answering_script(tmp_path / "p"):
        first = debate("run", "--files", "p", "--json", "--id", "d1", "--record", "tape", cwd=tmp_path)
    again = debate("run", "--files", "p", "--json", "--id", "d1", "--force", cwd=tmp_path)
    replayed = debate("run", "--files", "none", "--json", "--id", "d2", "--replay", "tape", cwd=tmp_path)
    texts = [[turn["text"] for turn in result.json["turns"]] for result in (first, again, replayed)]
    assert texts[0] == texts[1] == texts[2]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("model", ["human", "human/ann"])
def test_a_person_at_a_terminal_needs_one(tmp_path: Path, model: str) -> None:
    """Without a terminal `human` ends with exit code 2 and names the two other ways; `--mock` and `check` need none."""
    write_config(tmp_path, PEOPLE.replace("MODEL", model))
    result = debate("run", cwd=tmp_path)
    assert (result.code, "files/NAME" in result.err, "paste/NAME" in result.err) == (2, True, True)
    assert debate("run", "--mock", "-q", cwd=tmp_path).code == 0
    assert debate("check", "debate.yaml", cwd=tmp_path).code == 0
    plan = debate("run", "--dry-run", "--json", cwd=tmp_path).json["plan"]
    assert {"model": model, "calls": 3, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0} in plan["models"]
    assert json.loads(debate("doctor", model, "--json", cwd=tmp_path).out)[0]["usable"] is True


def test_leaving_the_form_keeps_the_draft_beside_the_journal(tmp_path: Path) -> None:
    """Ctrl-C in the form ends the run as anywhere, resumably; the other opening is not shown, and the words are on disk."""
    write_config(tmp_path, PEOPLE.replace("MODEL", "human"))
    code, screen = run_on_terminal(
        "run", "--id", "d1", cwd=tmp_path, keys="Half a claim\x03", after="Esc Enter send", columns=100
    )
    draft = json.loads((tmp_path / "transcripts" / "d1.turn-0.draft").read_text())
    spoken = json.loads((tmp_path / "transcripts" / "d1.json").read_text())["turns"]
    assert code == 130
    assert draft["values"] == {"arguments/0/claim": "Half a claim"}
    assert spoken
    assert spoken[0]["arguments"][0]["claim"][:40] not in screen


def test_judge_waits_in_the_folder_in_which_resume_waits(tmp_path: Path) -> None:
    """`judge --out` and the command that resumes it both use the folder beside the judged debate."""
    (tmp_path / "d.yaml").write_text(PEOPLE.replace("MODEL", "mock/a"))
    assert debate("run", "d.yaml", "--mock", "--id", "d1", "--out", "saved", "-q", cwd=tmp_path).code == 0
    folder = tmp_path / "judged" / "files"
    folder.mkdir(parents=True)
    (folder / "d1").write_text("A file where the folder of the debate should be.")
    options = ("--system", "structured", "--model", "files/ann", "--out", "judged")
    failed = debate("judge", "saved/d1.json", *options, cwd=tmp_path)
    assert (failed.code, "judged/files/d1: cannot be used" in failed.err) == (3, True), failed.err


@pytest.mark.parametrize("others", [["-q"], ["--json"], ["d2"]])
def test_judging_says_which_reply_it_waits_for(tmp_path: Path, others: list[str]) -> None:
    """The note is also shown if progress is not: with --quiet, with --json, and for several debates."""
    write_config(tmp_path, PEOPLE.replace("MODEL", "mock/a"))
    for name in ("d1", "d2"):
        assert debate("run", "--mock", "--id", name, "-q", cwd=tmp_path).code == 0
    with answering_script(tmp_path / "p"):
        done = debate("judge", "d1", *others, "--model", "files/ann", "--files", "p", cwd=tmp_path)
    assert done.code == 0
    assert "note: waiting for p/d1/001-judge-structured-r2.reply.md" in done.err


def test_resume_waits_in_the_same_folder(tmp_path: Path) -> None:
    """The command that resumes repeats `--files`; without it, the folder is beside the resumed debate."""
    (tmp_path / "d.yaml").write_text(PEOPLE.replace("MODEL", "files/ann"))
    for folder in (tmp_path / "my files", tmp_path / "saved" / "files"):
        folder.mkdir(parents=True)
        (folder / "d1").write_text("A file where the folder of the debate should be.")
    failed = debate("run", "d.yaml", "--files", "my files", "--id", "d1", "--out", "saved", cwd=tmp_path)
    assert (failed.code, "my files/d1: cannot be used" in failed.err) == (3, True), failed.err
    assert "debate run --resume saved/d1.json --files 'my files'" in failed.err
    resumed = debate("run", "--resume", "saved/d1.json", cwd=tmp_path)
    assert (resumed.code, "saved/files/d1: cannot be used" in resumed.err) == (3, True), resumed.err
