"""Arguments of the Python API that name files, speakers and model objects."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS

import debate_cli
from debate_cli.domain.config import ModelSpec
from debate_cli.errors import ConfigError, DebateError, TranscriptError
from debate_cli.observer import NullObserver
from debate_cli.providers.mock.model import MockModel

MOCK = CONFIGS / "mock.yaml"


@pytest.fixture(scope="module")
def debate() -> debate_cli.Debate:
    """The debate of configs/mock.yaml."""
    return asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK))).debate


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"folder": "a\0b"}, "folder: 'a\\\\x00b' contains a null character"),
        ({"folder": "a" * 256}, r"cannot be locked \(File name too long\); choose another folder"),
        ({"debate_id": ""}, "`` is not a valid id"),
    ],
)
def test_a_debate_is_not_begun_where_it_cannot_be_saved(here: Path, arguments: dict[str, Any], sentence: str) -> None:
    """The argument or the path is named, and no folder is created."""
    with pytest.raises(DebateError, match=sentence):
        asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK), **arguments))
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"path": ""}, "path: '.*' is a folder, not a file; pass the path"),
        ({"path": Path()}, "path: '.' is a folder"),
        ({"path": CONFIGS}, "is a folder"),
        ({"path": "a\0b"}, "path: .* contains a null character"),
        ({"path": "a" * 256}, "cannot be written .* too long"),
        ({"path": "a" * 250 + ".json"}, "cannot be read .* too long"),
        ({"model": ""}, "model: '' names no model"),
    ],
)
def test_judging_refuses_a_path_or_model_that_cannot_be(
    debate: debate_cli.Debate, arguments: dict[str, Any], sentence: str
) -> None:
    """A debate and a text alike."""
    given: dict[str, Any] = {"model": "mock/judge", **arguments}
    with pytest.raises(DebateError, match=sentence):
        asyncio.run(debate_cli.judge(debate, **given))
    with pytest.raises(DebateError, match=sentence):
        asyncio.run(debate_cli.judge_text("Plan.", **given))


@pytest.mark.parametrize("name", ["", " ", "a" * 4001])
def test_a_text_needs_a_usable_name(name: str) -> None:
    """The name is the topic of the judged text."""
    with pytest.raises(ConfigError, match="name: must have 1 to 4,000 characters"):
        asyncio.run(debate_cli.judge_text("Plan.", name=name, model="mock/judge"))


def test_judges_who_answer_through_files_need_a_path(here: Path, debate: debate_cli.Debate) -> None:
    """Without a path, nothing is written, so the judge could not answer. With a path, the prompts are beside the transcript.

    The observer receives the path of the awaited reply.
    """
    for judging in (
        debate_cli.judge(debate, systems=["structured"], model="files/ann"),
        debate_cli.judge_text("Plan.", model="files/ann"),
    ):
        with pytest.raises(ConfigError, match=r"path: is None, but files/ann needs files.*pass a path"):
            asyncio.run(judging)
    speaking = debate_cli.load_config(MOCK, overrides={"models": {"default": {"model": "files/ann"}}})
    with pytest.raises(ConfigError, match=r"folder: is None, but .* needs files.*pass a path"):
        asyncio.run(debate_cli.run_debate(speaking))
    assert not list(here.iterdir())

    class Notes(NullObserver):
        notes = list[str]()

        def note(self, note: str) -> None:
            self.notes.append(note)

    async def wait_for_prompt() -> None:
        path = here / "out" / "one.json"
        judging = debate_cli.judge(debate, systems=["structured"], model="files/ann", path=path, observer=Notes())
        waiting = asyncio.create_task(judging)
        async with asyncio.timeout(20):
            while not Notes.notes:
                assert not waiting.done()
                await asyncio.sleep(0.05)
        waiting.cancel()

    asyncio.run(wait_for_prompt())
    (prompt,) = here.glob("out/files/*/*.prompt.md")
    assert Notes.notes == [f"waiting for {str(prompt).replace('.prompt.', '.reply.')}"]


@pytest.mark.parametrize("person", ["human", "paste/ann"])
def test_no_function_asks_a_person_at_the_terminal(here: Path, debate: debate_cli.Debate, person: str) -> None:
    """The error comes before anything starts. The mock and a model object take the person's place."""
    speaking = debate_cli.load_config(MOCK, overrides={"models": {"default": {"model": person}}})
    for asking in (
        debate_cli.run_debate(speaking, folder=here),
        debate_cli.judge(debate, systems=["structured"], model=person),
        debate_cli.judge_text("Plan.", model=person, path=here / "one.json"),
    ):
        with pytest.raises(ConfigError, match=rf"^{person}: only the command `debate` asks a person at the terminal"):
            asyncio.run(asking)
    assert not list(here.iterdir())
    objects = {"default": MockModel(ModelSpec(model="mock/any"), seed=1, folder=Path())}
    assert asyncio.run(debate_cli.run_debate(speaking, mock=True)).verdicts
    assert asyncio.run(debate_cli.run_debate(speaking, models=objects)).verdicts


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"drop": ["x"]}, "--drop: the debate has no speaker `x`"),
        ({"drop": ["Ann"]}, "--drop leaves only one speaker"),
        ({"merge": {"Zed": "Ann"}}, "--merge: the debate has no speaker `Zed`"),
        ({"sides": {"Zed": "for"}}, "--side: the debate has no speaker `Zed`"),
        ({"sides": {"Ann": "for", "Bo": "for"}}, "both speakers are on the side `for`"),
        ({"sides": {"Ann": "left"}}, "not `left`; correct --side"),
        ({"topic": ""}, "the motion must have 1 to"),
    ],
)
def test_a_choice_that_does_not_fit_the_imported_file(tmp_path: Path, arguments: dict[str, Any], sentence: str) -> None:
    """The file is a debate, so the argument is at fault."""
    path = tmp_path / "d.txt"
    path.write_text("Ann: We should.\n\nBo: No.\n\nAnn: Why?\n\nBo: Rain.")
    with pytest.raises(ConfigError, match=sentence):
        debate_cli.import_debate(path, **arguments)


def test_a_file_without_a_debate_is_no_wrong_argument(tmp_path: Path) -> None:
    """It has one speaker, whatever the arguments are."""
    path = tmp_path / "d.txt"
    path.write_text("Ann: We should.\n\nAnn: Why?")
    with pytest.raises(TranscriptError, match="only one speaker"):
        debate_cli.import_debate(path, topic="Trams?")


def test_a_model_of_the_caller_is_not_the_mock(tmp_path: Path) -> None:
    """In place of `mock/debater` it is `python/debater`; the debate says which answers the mock gave, and can be judged."""
    models = {name: MockModel(ModelSpec(model=name), seed=1, folder=Path()) for name in ("mock/debater", "mock/judge")}
    config = debate_cli.load_config(MOCK)
    both = asyncio.run(debate_cli.run_debate(config, models=models, folder=tmp_path, debate_id="one"))
    assert "REHEARSAL" not in str(both)
    assert {turn.exchange.model for turn in both.debate.turns} == {"python/debater"}
    half = asyncio.run(debate_cli.run_debate(config, models={"mock/debater": models["mock/debater"]}))
    assert "REHEARSAL in part" in str(half)
    saved = debate_cli.load_transcript(tmp_path / "one.json")
    assert asyncio.run(debate_cli.judge(saved, systems=["panel"], model="mock/judge")).verdicts
