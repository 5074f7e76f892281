"""People and programs answer through files."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from debate_cli.debaters.forms import RebuttalForm
from debate_cli.errors import PermanentError
from debate_cli.llm.form import Form, FormModel, derive_schema, whole_number
from debate_cli.llm.model import Message, OutputSchema, Reply, Request, RequestOrigin
from debate_cli.providers.people.person import MAX_REPLY_BYTES, SETTLED_S, PromptFolder
from debate_cli.providers.people.prompt_page import format_prompt_text

FORM = Form("rebuttal", RebuttalForm, derive_schema(RebuttalForm), lenient=True)
GOOD = "targets: []\nspeech: |\n  Nine services need nine people on call.\n"


def make_request(words: str = "Rebut PRO-1.", key: str = "turn/3", nonce: str = "aabbccdd") -> Request:
    """A request for a rebuttal."""
    return Request(
        system="Be fair.",
        messages=(Message("user", f"{words}\nMarker of this task: {nonce}"),),
        purpose="rebuttal",
        max_output_tokens=100,
        schema=OutputSchema("rebuttal", FORM.schema),
        nonce=nonce,
        origin=RequestOrigin("d1", key, "Zoë's Team rebuttal", "Zoë's Team: rebuttal, round 2", accepts_text=True),
        form=FORM,
    )


class MarkForm(FormModel):
    """A form with one mark."""

    logic: int = whole_number(1, 10)


class NoMoreStepsError(Exception):
    """The wait would go on."""


@dataclass
class Steps:
    """A sleep that takes no time and does one step at each call."""

    steps: Sequence[Callable[[], object]]
    notes: list[str] = field(default_factory=list[str])

    async def sleep(self, _seconds: float) -> None:
        """Do the next step."""
        if not self.steps:
            raise NoMoreStepsError
        self.steps[0]()
        self.steps = self.steps[1:]
        await asyncio.sleep(0)

    def ask(self, folder: Path, *requests: Request) -> list[Reply]:
        """Ask all of `requests` at once."""
        prompts = PromptFolder(folder, self.notes.append, sleep=self.sleep)
        return asyncio.run(_gather([prompts.answer(request) for request in requests]))


async def _gather(answers: list[Awaitable[Reply]]) -> list[Reply]:
    return list(await asyncio.gather(*answers))


def put(path: Path, words: str | bytes) -> None:
    """Write a reply as something that was finished long ago."""
    path.write_bytes(words if isinstance(words, bytes) else words.encode())
    os.utime(path, (1, 1))


def test_names_and_first_line(tmp_path: Path) -> None:
    """A prompt is named by number, speaker and phase in plain letters; its first line holds the hash of its text."""
    reply = tmp_path / "d1" / "001-zoe-s-team-rebuttal.reply.md"
    answers = Steps([lambda: put(reply, GOOD)]).ask(tmp_path, make_request())
    prompt = (tmp_path / "d1" / "001-zoe-s-team-rebuttal.prompt.md").read_text()
    assert "Nine services" in answers[0].text
    assert prompt.startswith("<!-- prompt ")
    assert "Be fair." in prompt
    assert "speech: |" in prompt
    assert "aabbccdd" not in prompt


def test_data_inside_a_sentence_is_a_list_on_the_page() -> None:
    """JSON objects are lines for people; braces that are no JSON, and lists of other things, stay as they are."""
    listed = 'Marks for: [{"name":"logic","asks":"Is it\\n sound?"},{"name":"honesty","asks":"Fair?"}].'
    kept = ['- opening: {"arguments": [{"id"}, ...]}', 'Motion: "see [{}, 1]"']
    answer = 'You said, rebuttal: {"speech":"So it is."}'
    assert format_prompt_text("\n".join([listed, answer, *kept])).split("\n") == [
        "Marks for:", "- name: logic; asks: Is it sound?", "- name: honesty; asks: Fair?",
        "You said, rebuttal:", "- speech: So it is.", "", *kept,
    ]  # fmt: skip


def test_prompts_stay_in_their_folder(tmp_path: Path) -> None:
    """The id of a debate that was downloaded cannot lead out of the folder."""
    request = make_request()
    assert request.origin is not None
    outside = replace(request, origin=replace(request.origin, debate="../../up"))
    with pytest.raises(NoMoreStepsError):
        Steps([]).ask(tmp_path / "p", outside)
    assert [path.name for path in tmp_path.rglob("*.prompt.md")] == ["001-zoe-s-team-rebuttal.prompt.md"]
    assert (tmp_path / "p" / "up").is_dir()


def test_an_unusable_reply_gets_a_problem_and_another_chance(tmp_path: Path) -> None:
    """The problem is in a file beside the reply, which is removed once the reply is good."""
    reply = tmp_path / "d1" / "001-zoe-s-team-rebuttal.reply.md"
    problem = reply.with_name("001-zoe-s-team-rebuttal.problem.md")
    seen: list[str] = []
    steps = [
        lambda: put(reply, b"speech: \xff"),
        lambda: (seen.append(problem.read_text()), put(reply, "speech: " + "é" * MAX_REPLY_BYTES)),
        lambda: (seen.append(problem.read_text()), put(reply, "targets: []\nspeech: |\n")),
        lambda: (seen.append(problem.read_text()), put(reply, GOOD)),
    ]
    answers = Steps(steps).ask(tmp_path, make_request())
    assert "UTF-8" in seen[0]
    assert "larger than" in seen[1]
    assert "nothing is filled in" in seen[2]
    assert not problem.exists()
    assert "Nine services" in answers[0].text


@pytest.mark.parametrize("target", ["outside", "missing"])
def test_a_reply_that_is_a_link_out_of_the_folder_is_not_read(tmp_path: Path, target: str) -> None:
    """The reply gets a problem, whether or not the link leads to a file. A link inside the folder is followed."""
    folder = tmp_path / "files"
    reply = folder / "d1" / "001-zoe-s-team-rebuttal.reply.md"
    problem, inside = reply.with_name("001-zoe-s-team-rebuttal.problem.md"), folder / "other.md"
    put(tmp_path / "outside", GOOD)
    seen: list[str] = []

    def link(to: Path) -> None:
        reply.unlink(missing_ok=True)
        reply.symlink_to(to)
        os.utime(reply, (1, 1), follow_symlinks=False)

    steps = [
        lambda: link(tmp_path / target),
        lambda: (seen.append(problem.read_text()), put(inside, GOOD.replace("Nine", "Ten")), link(inside)),
    ]
    (answer,) = Steps(steps).ask(folder, make_request())
    assert "- it is a link that leads out of the folder for replies; put the reply itself" in seen[0]
    assert "Ten services" in answer.text
    assert not problem.exists()


def test_a_mark_outside_its_scale_is_reported(tmp_path: Path) -> None:
    """A judge's form accepts the mark and counts it as the nearest end of the scale. The user gets a note."""
    form = Form("marks", MarkForm, derive_schema(MarkForm), lenient=True)
    schema = OutputSchema(form.name, form.schema)
    reply = tmp_path / "d1" / "001-zoe-s-team-rebuttal.reply.md"
    steps = Steps([lambda: put(reply, "logic: 15\n")])
    steps.ask(tmp_path, replace(make_request(), form=form, schema=schema))
    assert steps.notes[-1] == f"{reply} is used in spite of its faults: logic: must be at most 10, not 15"


def test_new_folders_are_private(tmp_path: Path) -> None:
    """Only the user may open them, the parents included."""
    with pytest.raises(NoMoreStepsError):
        Steps([]).ask(tmp_path / "a" / "b", make_request())
    folders = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "d1"]
    assert [oct(folder.stat().st_mode & 0o777) for folder in folders] == ["0o700"] * 3


def test_a_reply_that_still_changes_is_not_read(tmp_path: Path) -> None:
    """A reply that was written a moment ago is read later, unless it was renamed into place."""
    reply = tmp_path / "d1" / "001-zoe-s-team-rebuttal.reply.md"
    with pytest.raises(NoMoreStepsError):
        Steps([lambda: reply.write_text(GOOD[:20]), lambda: None, lambda: None]).ask(tmp_path, make_request())
    whole = tmp_path / "whole"
    whole.write_text(GOOD)
    recent = time.time() - SETTLED_S / 4
    os.utime(whole, (recent, recent))
    Steps([lambda: whole.rename(reply)]).ask(tmp_path, make_request())


def test_a_clock_that_is_ahead_does_not_make_a_reply_complete(tmp_path: Path) -> None:
    """A new file of a shared folder whose clock is an hour ahead is read later."""
    reply = tmp_path / "d1" / "001-zoe-s-team-rebuttal.reply.md"
    ahead = time.time() + 3600
    steps = [lambda: (reply.write_text(GOOD), os.utime(reply, (ahead, ahead))), lambda: None]
    with pytest.raises(NoMoreStepsError):
        Steps(steps).ask(tmp_path, make_request())


def test_a_resumed_run_finds_its_prompt_and_reply(tmp_path: Path) -> None:
    """The same prompt keeps its files, whatever the nonce, so a reply from the meantime is read at once."""
    with pytest.raises(NoMoreStepsError):
        Steps([]).ask(tmp_path, make_request(), make_request("Rebut PRO-2.", "turn/4"))
    put(tmp_path / "d1" / "002-zoe-s-team-rebuttal.reply.md", GOOD.replace("Nine", "Ten"))
    answers = Steps([]).ask(tmp_path, make_request("Rebut PRO-2.", "turn/4", nonce="00112233"))
    assert "Ten services" in answers[0].text
    assert len(list((tmp_path / "d1").iterdir())) == 3


def test_a_reply_counts_only_for_the_prompt_that_is_there(tmp_path: Path) -> None:
    """A reply that names another prompt is a problem, and a reply to an earlier prompt of the same name is not read."""
    folder = tmp_path / "d1"
    first = folder / "001-zoe-s-team-rebuttal.reply.md"
    Steps([lambda: put(first, GOOD)]).ask(tmp_path, make_request("An old question."))
    with pytest.raises(NoMoreStepsError):
        Steps([]).ask(tmp_path, make_request("A new question."))
    second = folder / "002-zoe-s-team-rebuttal.reply.md"
    other = f"# answer to prompt 0123456789abcdef\n{GOOD}"
    with pytest.raises(NoMoreStepsError):
        Steps([lambda: put(second, other), lambda: None]).ask(tmp_path, make_request("A new question."))
    assert "another prompt" in second.with_name("002-zoe-s-team-rebuttal.problem.md").read_text()


def test_a_further_request_for_a_task_has_its_own_files(tmp_path: Path) -> None:
    """A task that is asked again has the prompt NAME.2; plain words are final, so they are not asked for again."""
    folder = tmp_path / "d1"
    steps = [
        lambda: put(folder / "001-zoe-s-team-rebuttal.reply.md", GOOD),
        lambda: put(folder / "001-zoe-s-team-rebuttal.2.reply.md", "No."),
    ]
    prompts = PromptFolder(tmp_path, sleep=Steps(steps).sleep)
    first = make_request()

    async def ask_twice() -> Reply:
        await prompts.answer(first)
        return await prompts.answer(replace(first, messages=(*first.messages, Message("user", "Again."))))

    reply = asyncio.run(ask_twice())
    assert (reply.text, reply.is_final) == ("No.", True)
    assert "Again." in (folder / "001-zoe-s-team-rebuttal.2.prompt.md").read_text()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """The error names the folder and what to do."""
    (tmp_path / "d1").write_text("a file")
    with pytest.raises(PermanentError, match="--files"):
        Steps([]).ask(tmp_path, make_request())
