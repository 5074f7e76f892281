"""`debate import --arguments`: claims whose words were said become arguments, and an import that stopped is continued."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate
from llm_support import FakeModel, reply
from saved_support import first_debate

from debate_cli.app.context import RunContext
from debate_cli.app.import_claims import (
    MAX_PART_CHARS,
    ClaimSearch,
    count_missing,
    find_claims,
    is_long_enough,
    read_known_claims,
    split_speech,
)
from debate_cli.app.import_debate import read_import_file, save_import
from debate_cli.cli import run_control
from debate_cli.cli.app import main
from debate_cli.cli.screen import BY_USER
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.engine import StopSignal
from debate_cli.errors import QuotaExhaustedError
from debate_cli.importing.debate import ImportedDebate
from debate_cli.importing.speeches import ImportRequest
from debate_cli.llm.model import Reply

SPEC = ModelSpec(model="own/model")
SPEECHES = (
    "Ann: Thank you. The air in the centre makes children ill, as the clinic reported in May.\n\n"
    "Bo: Shops need deliveries, and deliveries need the roads that you want to close.\n\nAnn: Hardly."
)


def imported(folder: Path) -> ImportedDebate:
    """The debate of SPEECHES."""
    path = folder / "d.txt"
    path.write_text(SPEECHES)
    return read_import_file(path, folder / "d.json", ImportRequest(), datetime(2026, 1, 2, tzinfo=UTC))


def answer(*claims: tuple[str, str]) -> Reply:
    """A reply with (quote, claim) pairs."""
    return reply(json.dumps({"claims": [{"quote": quote, "claim": claim} for quote, claim in claims]}))


def search_claims(file: ImportedDebate, *replies: Reply | BaseException) -> ClaimSearch:
    """Ask a model that gives these replies, about one speech after the other."""
    config = DebateConfig.model_validate({"topic": "T", "limits": {"concurrency": 1, "max_attempts": 1}})
    context = RunContext(config, models={SPEC.model: FakeModel(*replies)})
    search = ClaimSearch(file.debate, read_known_claims(file.target, file.debate, SPEC) or {})
    asyncio.run(find_claims(search, SPEC, context, lambda part: save_import(replace(file, debate=part), force=True)))
    return search


def test_only_claims_whose_words_were_said_become_arguments(tmp_path: Path) -> None:
    """The passage is stored as it was said; a claim with other words is left out with a warning; a short speech makes none."""
    search = search_claims(
        imported(tmp_path),
        answer(("the air in the CENTRE makes children ill", "Air harms."), ("Air kills thousands of people", "No.")),
        answer(("Shops need deliveries", "Shops are supplied by road."), ("deliveries need the roads", "So.")),
    )
    debate_ = search.finish(SPEC)
    assert [[(item.id, item.claim, item.evidence) for item in turn.arguments or ()] for turn in debate_.turns] == [
        [("PRO-1", "Air harms.", "The air in the centre makes children ill")],
        [
            ("CON-1", "Shops are supplied by road.", "Shops need deliveries"),
            ("CON-2", "So.", "deliveries need the roads"),
        ],
        [],
    ]
    assert debate_.turns[0].warnings == (
        "claim-not-said: a claim was left out, because the speech does not contain its quote: “Air kills thousands of people”",
    )
    assert (debate_.usage.calls, debate_.config.models["arguments"]) == (2, SPEC)


def test_an_import_that_stopped_is_continued_where_it_stopped(tmp_path: Path) -> None:
    """After an error the other speeches count whole, with a warning; the same import asks about these alone."""
    file = imported(tmp_path)
    first = search_claims(file, answer(("makes children ill", "Air harms.")), QuotaExhaustedError("no credit"))
    assert isinstance(first.error, QuotaExhaustedError)
    partial = first.finish(SPEC)
    assert count_missing(partial) == 1
    assert partial.turns[1].is_one_item
    second = search_claims(file, answer(("Shops need deliveries", "Supplies.")))
    finished = second.finish(SPEC)
    assert count_missing(finished) == 0
    assert [item.claim for turn in finished.turns for item in turn.arguments or ()] == ["Air harms.", "Supplies."]


class _KilledError(BaseException):
    """Ends the process in the middle of a call."""


def test_a_killed_import_has_saved_the_answers_that_it_received(tmp_path: Path) -> None:
    """The process ends during the second call; the same import then asks about the second speech alone."""
    file = imported(tmp_path)
    with pytest.raises(_KilledError):
        search_claims(file, answer(("makes children ill", "Air harms.")), _KilledError())
    finished = search_claims(file, answer(("Shops need deliveries", "Supplies."))).finish(SPEC)
    assert [item.claim for turn in finished.turns for item in turn.arguments or ()] == ["Air harms.", "Supplies."]


@pytest.mark.parametrize("speech", ["word " * 5000, "A sentence ends. " * 1500, "x" * 20_000, "para\n\n" * 4000])
def test_a_long_speech_is_cut_into_parts_without_losing_a_character(speech: str) -> None:
    """Parts have at most the allowed length and make up the speech."""
    parts = split_speech(speech)
    assert "".join(parts) == speech
    assert max(map(len, parts)) <= MAX_PART_CHARS


def test_the_mock_shows_claims_and_their_number(tmp_path: Path) -> None:
    """On the command line: what is asked, what was found, usage; and judges mark the claims."""
    (tmp_path / "d.txt").write_text(SPEECHES)
    done = debate("import", "d.txt", "--arguments", "openai/gpt-5", "--mock", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "asking mock/gpt-5 for claims: 2 calls about 2 speeches" in done.err
    data = json.loads((tmp_path / "transcripts" / "d.json").read_text())
    arguments = [item for turn in data["turns"] for item in turn["arguments"]]
    assert arguments
    assert all(item["evidence"] in SPEECHES for item in arguments)
    assert debate("judge", "d", "--system", "structured", "--mock", cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--arguments", "gpt"), "--arguments gpt: write provider/model"),
        (("--arguments", "openai/gpt-5"), "OPENAI_API_KEY"),
    ],
)
def test_wrong_options_are_named_before_anything_is_written(
    tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    """Exit 2 and no transcript."""
    (tmp_path / "d.txt").write_text(SPEECHES)
    done = debate("import", "d.txt", *options, cwd=tmp_path)
    assert done.code == 2
    assert sentence in done.err
    assert not (tmp_path / "transcripts").exists()


DATA_SET = {
    "DebateArt/motion/debateart_0007.yml": "motion: Move?\npro_side:\n  - name: Ann\ncon_side:\n  - name: Bo\n",
    "DebateArt/speech/debateart_0007.yml": (
        "- debater_name: Ann\n  content: The air in the centre makes children ill, as we know.\n"
        "- debater_name: Bo\n  content: Shops need deliveries, and deliveries need the roads that you close.\n"
    ),
    "DebateArt/gold/final.csv": "dart_id,label\n7,1.0\n",
}


def test_an_interrupted_import_of_a_data_set_is_continued_despite_its_labels(tmp_path: Path) -> None:
    """The budget ends the first import; the same command then asks for the rest. Another import is refused."""
    for name, text in DATA_SET.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    command = ("import", "in", "--format", "debatrix", "-o", "out", "--mock", "--arguments")
    first = debate(*command, "openai/gpt-5", "--max-tokens", "10", cwd=tmp_path)
    assert "to ask for the missing claims, run the same command again" in first.err
    labels = (tmp_path / "out" / "labels.csv").read_text()
    again = debate(*command, "openai/gpt-5", cwd=tmp_path)
    assert (again.code, "found" in again.err) == (0, True), again.err
    assert (tmp_path / "out" / "labels.csv").read_text() == labels
    other = debate(*command, "openai/gpt-6", cwd=tmp_path)
    assert (other.code, "labels.csv: exists already" in other.err) == (2, True), other.err


def test_a_stop_leaves_the_files_after_the_one_being_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends the import, not only the search in one of its files; the exit code says so."""

    def stop_at_once(work: Callable[[StopSignal], Coroutine[Any, Any, None]], observer: object) -> None:
        del observer

        async def stopped() -> None:
            signal = StopSignal()
            signal.request()
            await work(signal)

        asyncio.run(stopped())

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_control, "run_until_stopped", stop_at_once)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(SPEECHES)
    with pytest.raises(SystemExit) as ended:
        main(["import", "a.txt", "b.txt", "c.txt", "--arguments", "openai/gpt-5", "--mock", "-o", "out"])
    assert ended.value.code == BY_USER.exit_code
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.json"]
    assert "1 debate imported" in capsys.readouterr().err


def test_a_short_speech_in_chinese_is_asked_about() -> None:
    """Each of its characters counts as a word."""
    turn = first_debate().turns[0]
    said = ("市中心应该对私家车关闭。", "谢谢大家。", "The centre should be closed to private cars.", "Thank you.")
    asked = [is_long_enough(turn.model_copy(update={"text": text})) for text in said]
    assert asked == [True, False, True, False]
