"""The form in which a person answers at the terminal."""

import asyncio
import json
import re
import shlex
import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, get_args

import pytest
from judging_support import debate_with_speeches
from long_debate_support import TirelessModel
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output
from screen_support import Screen

import debate_cli
from debate_cli.debaters.forms import CrossExaminationForm, OpeningForm
from debate_cli.domain.turn import Phase
from debate_cli.judging.judge import build_brief_form
from debate_cli.judging.schedule import owed_briefs
from debate_cli.llm.form import Form, derive_schema, each_of
from debate_cli.llm.model import Message, Reply, Request, RequestOrigin
from debate_cli.providers.people.form_fields import FormDraft, TextSheet
from debate_cli.providers.people.prompt_page import explain_field, format_context
from debate_cli.render.person_form.form import DraftFile, FilledForm, FormLeftError, FormState, FormTask
from debate_cli.render.person_form.person import PeopleAtTerminal, fill_in
from debate_cli.render.person_form.screen import edit_text

OPENING = Form(
    "opening", OpeningForm, derive_schema(OpeningForm, arguments=each_of("id", ["PRO-1"]), citations=None), lenient=True
)
CROSS = Form(
    "cross_examination",
    CrossExaminationForm,
    derive_schema(CrossExaminationForm, responses=each_of("target", ["CON-1", "CON-2"]), arguments=None),
    lenient=True,
)
SEND, TAB, LEAVE, EDIT = "\x1b\r", "\t", "\x03", "\x05"
PAGE_UP = "\x1b[5~"
PASTED = "\x1b[200~First paragraph, 每天.\r\n\r\nSecond\x1b\r one.\x1b[201~"


def fill(form: Form[Any], keys: str, draft: Path | None = None, limit_s: float | None = None) -> FilledForm:
    """Fill in `form` with `keys`, typed one after the other."""
    with _terminal() as typed:
        for part in keys.split("|"):
            typed.send_text(part)
        return asyncio.run(fill_in(FormTask("Pro: opening", "What was said", draft, limit_s), FormDraft(form)))


@contextmanager
def _terminal() -> Generator[PipeInput]:
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        yield typed


class DrawnScreen(Screen):
    """A screen that notes each drawing."""

    def __init__(self) -> None:
        super().__init__()
        self.is_drawn = asyncio.Event()

    def flush(self) -> None:
        """Note that the screen was drawn."""
        self.is_drawn.set()


async def screens(form: Form[Any], context: str, columns: int, rows: int, *keys: str) -> list[list[str]]:
    """The lines of the screen: when the form opens, and after each key."""
    screen = DrawnScreen()
    output = Vt100_Output(screen, lambda: Size(rows=rows, columns=columns), term="xterm")
    with create_pipe_input() as typed, create_app_session(input=typed, output=output):
        asked = asyncio.ensure_future(fill_in(FormTask("Pro: opening", context), FormDraft(form)))
        found: list[list[str]] = []
        for key in (None, *keys):
            before = screen.lines()
            if key is not None:
                typed.send_text(key)
            while screen.lines() == before:
                screen.is_drawn.clear()
                await screen.is_drawn.wait()
            found.append(screen.lines())
        typed.send_text(LEAVE)
        with suppress(FormLeftError):
            await asked
    return found


def value(filled: FilledForm) -> Any:
    """The answer as data."""
    return json.loads(filled.answer.text)


def test_fields_are_filled_in_one_after_the_other() -> None:
    """Tab goes on, Enter is a new line in a text, a pasted text keeps its paragraphs and cannot send the form."""
    keys = f"{PASTED}|{TAB}Because\rof this reason, twice.|{TAB}A log.|{SEND}"
    (argument,) = value(fill(OPENING, keys))["arguments"]
    assert argument["id"] == "PRO-1"
    assert argument["claim"].startswith("First paragraph, 每天.\n\nSecond")
    assert argument["reasoning"] == "Because\nof this reason, twice."


def test_what_is_missing_is_shown_before_it_is_sent_all_the_same() -> None:
    """An unanswered argument is named first, then left out; a half-answered one cannot be sent."""
    sheet = FormDraft(CROSS)
    state = FormState(sheet, can_abstain=False, has_draft=False)
    state.write("It fails at night.")
    assert state.send() is None
    assert "The answer cannot be sent yet. Missing: CON-1, type" in state.message
    assert state.current.label == "CON-1, type"
    state.pick(1)
    assert state.send() is None
    assert "CON-2, reasoning" in state.message
    assert "To send the answer anyway" in state.message
    answer = state.send()
    assert answer is not None
    assert [item["target"] for item in json.loads(answer.text)["responses"]] == ["CON-1"]


def test_what_is_wrong_is_named_by_its_field() -> None:
    """A text that is too short for the form is named before it is sent. Its field says how long it must be."""
    state = FormState(FormDraft(OPENING), can_abstain=False, has_draft=False)
    assert state.current.hint == "at least 10 characters"
    for words in ("Short", "Because of this reason, twice.", "A log."):
        state.write(words)
        state.move(1)
    assert state.send() is None
    assert "Wrong: PRO-1, claim: must have at least 10 characters" in state.message
    assert state.send() is not None


def test_a_field_is_explained_by_the_rules() -> None:
    """The sentence of the rules on a field is shown beside it, the last one if a phase has the same name."""
    rules = '- speech: a round.\n- claim: one sentence. speech: the text of it. why: a word; "" if none.\n- logic (0-40): above 34 rarely.'
    request = Request(rules, (Message("user", "Go."),), "opening", 100)
    assert [explain_field(request, name) for name in ("claim", "speech", "why", "logic", "cause")] == [
        "one sentence.",
        "the text of it.",
        "a word; empty if none.",
        "above 34 rarely.",
        "",
    ]


def test_a_field_of_a_judge_is_explained_by_its_form() -> None:
    """A mark is shown with its scale, and an item of a list with what the list is for."""
    debate = debate_with_speeches()
    (brief,) = owed_briefs(debate)
    fields = FormDraft(build_brief_form(brief, debate).form).fields()
    explanations = {item.label: item.explanation for item in fields}
    assert explanations["PRO-1, logic"].startswith("Is the chain of reasoning consistent? 1 = full of gaps")
    assert explanations["PRO-1, fallacy 1, name"].startswith("Fallacies of the checklist")
    assert explanations["PRO-1, fallacy 1, quote"] == "Words of the argument's speaker, copied."


def test_a_change_takes_back_the_consent_to_send_an_incomplete_form() -> None:
    """After the person goes on writing, what is missing is shown again."""
    state = FormState(FormDraft(OPENING), can_abstain=False, has_draft=False)
    state.write("Nine services.")
    assert state.send() is None
    state.write("Ten services.")
    assert state.send() is None


def test_an_empty_form_cannot_be_sent_by_a_debater() -> None:
    """However often it is sent, an empty answer stays on the screen; a judge may abstain by it."""
    debater = FormState(FormDraft(OPENING), can_abstain=False, has_draft=False)
    judge = FormState(FormDraft(OPENING), can_abstain=True, has_draft=False)
    assert [debater.send() for _ in range(3)] == [None, None, None]
    assert judge.send() is None
    assert judge.send() is not None


@pytest.mark.parametrize(
    ("words", "message"),
    [("", "cannot be sent yet. Missing: answer"), ("```yaml\narguments: [\n```", "cannot be sent yet. Wrong: line ")],
)
def test_a_pasted_text_that_is_no_answer_cannot_be_sent_by_a_debater(words: str, message: str) -> None:
    """However often it is sent, an empty text or broken YAML stays on the screen."""
    state = FormState(TextSheet(_request("a")), can_abstain=False, has_draft=False)
    state.write(words)
    assert [state.send() for _ in range(3)] == [None, None, None]
    assert message in state.message


def test_leaving_keeps_the_draft(tmp_path: Path) -> None:
    """Ctrl-C leaves the form; its words are in the draft, and the next form begins with them."""
    draft = tmp_path / "d1.turn-0.draft"
    with pytest.raises(FormLeftError):
        fill(OPENING, f"Half a claim|{LEAVE}", draft)
    assert draft.stat().st_mode & 0o777 == 0o600
    keys = f" and the rest|{TAB}Because of this reason, twice.|{TAB}A log.|{SEND}"
    assert value(fill(OPENING, keys, draft))["arguments"][0]["claim"] == "Half a claim and the rest"


def test_a_damaged_draft_is_an_empty_one(tmp_path: Path) -> None:
    """A draft that is no draft does not keep a person from answering."""
    draft = tmp_path / "d1.draft"
    for content in ("", "[1]", '{"values": [1]}', '{"values": {"a": 1}}'):
        draft.write_text(content)
        assert DraftFile(draft).load() == {}


def test_the_answer_is_taken_as_it_is_when_the_time_is_up() -> None:
    """After the time limit the form is sent with what it holds."""
    assert value(fill(OPENING, "Too late", limit_s=0.3))["arguments"][0]["claim"] == "Too late"


@pytest.mark.parametrize(
    ("change", "text", "problem"),
    [
        ('p.write_text("textmore")', "textmore", None),
        ("pass", "text", "use an editor command that waits"),
        ("p.unlink()", "text", "cannot be started"),
    ],
)
def test_editors(change: str, text: str, problem: str | None, tmp_path: Path) -> None:
    """The text comes back from the editor; one that does not wait, or that fails, changes nothing and is named.

    Only the file of an editor that may still be open stays.
    """
    edited = tmp_path / "edited"
    code = f"import pathlib, sys; p = pathlib.Path(sys.argv[1]); pathlib.Path({str(edited)!r}).symlink_to(p); {change}"
    found, said = edit_text("text", {"EDITOR": shlex.join([sys.executable, "-c", code])})
    assert found == text
    assert (said is None) if problem is None else problem in (said or "")
    assert edited.exists() == (change == "pass")
    edited.resolve().unlink(missing_ok=True)


def test_people_of_several_debates_are_asked_one_after_the_other(tmp_path: Path) -> None:
    """Two questions at once are two forms in turn, and each draft is named by its debate and task."""

    async def ask_both() -> list[Reply]:
        turn = asyncio.Lock()
        people = [PeopleAtTerminal(nullcontext, turn, tmp_path) for _ in range(2)]
        return list(
            await asyncio.gather(*(one.fill_in_form(_request(key)) for one, key in zip(people, "ab", strict=True)))
        )

    with _terminal() as typed:
        for claim in ("The first claim.", "The second claim."):
            typed.send_text(f"{claim}{TAB}Because of this reason, twice.{TAB}A log.{SEND}")
        replies = asyncio.run(ask_both())
    claims = [json.loads(reply.text)["arguments"][0]["claim"] for reply in replies]
    assert claims == ["The first claim.", "The second claim."]
    assert all(reply.is_final for reply in replies)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d1.a.draft", "d1.b.draft"]


def _request(key: str) -> Request:
    origin = RequestOrigin("d1", key, "Pro opening", "Pro: opening", accepts_text=True)
    return Request("", (Message("user", "Speak."),), "opening", 100, origin=origin, form=OPENING)


@pytest.mark.parametrize(
    "format_",
    [
        "{kind: semi_structured, phases: [opening, cross_examination, rebuttal, closing]}",
        "{phases: [opening, cross_examination, rebuttal, rebuttal, rebuttal, closing], history: recent}",
    ],
)
def test_a_person_reads_no_words_for_models(tmp_path: Path, format_: str) -> None:
    """A debater and a judge of any system read no JSON, no marker, no list of its fields, and the rules of one phase."""
    (tmp_path / "notes.md").write_text(
        "In 2024 the share of incidents with an owner rose by 43 percent in small teams."
    )
    (tmp_path / "debate.yaml").write_text(PLAYED.replace("FORMAT", format_))
    model = TirelessModel()
    config = debate_cli.load_config(tmp_path / "debate.yaml")
    asyncio.run(debate_cli.run_debate(config, models={"mock/a": model}))
    for request in model.requests:
        shown = format_context(request)
        words = ["JSON", '{"', "Marker", "The fields", "What is data", "random tag"]
        assert [word for word in words if word in shown] == []
        phases = re.findall(rf"^- ({'|'.join(get_args(Phase))}): ", shown.partition("## The debate")[0], re.MULTILINE)
        assert phases == ([] if request.purpose.startswith("judge.") else [request.purpose])
        assert "microservices" in shown


PLAYED = """\
topic: Should a startup of five adopt microservices?
models: {default: {model: mock/a}}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
format: FORMAT
evidence: {sources: [notes.md]}
judging: {systems: [structured, moderator, panel, live, persuasion, sources]}
"""
SPEECHES = "\n".join(f"Line {number} of the debate." for number in range(1, 101))


def _shown_lines(screen: list[str]) -> list[str]:
    return [line for line in screen if line.startswith("Line ")]


@pytest.mark.parametrize(("columns", "rows", "share"), [(80, 24, 0.45), (100, 40, 0.5), (60, 20, 0.35)])
async def test_the_debate_has_about_half_of_the_window(columns: int, rows: int, share: float) -> None:
    """The debate is read in a pane of about half of the window, and PgUp moves by all its lines but one."""
    first, scrolled = await screens(CROSS, SPEECHES, columns, rows, PAGE_UP)
    shown = _shown_lines(first)
    assert len(first) == rows
    assert len(shown) >= share * rows
    assert _shown_lines(scrolled)[-1] == shown[0]


async def test_no_key_is_named_twice() -> None:
    """Each key of the form stands on the screen once, also in a field with options."""
    for screen in await screens(CROSS, SPEECHES, 80, 24, TAB):
        text = "\n".join(screen)
        keys = ("Shift-Tab", "PgUp", "Esc", "Ctrl-C", "Ctrl-E" if "Ctrl-E" in text else "Space")
        assert [text.count(key) for key in keys] == [1] * len(keys)


async def test_all_options_can_be_reached_in_a_small_window() -> None:
    """The options scroll with their cursor, if not all of them fit."""
    *_, last = await screens(CROSS, SPEECHES, 60, 12, TAB, "\x1b[A")
    assert any("› 4 ( ) partial" in line for line in last)


@pytest.mark.parametrize("word", ["独立部署让小团队", "👩‍🔬👍🏽", "e\u0301ne\u0301", "abcdefgh"])
async def test_the_debate_above_the_form_is_whole(word: str) -> None:
    """Text without spaces is broken at the edge of the window, also where an emoji has several characters."""
    (lines,) = await screens(OPENING, word * 30, 60, 40)
    shown = "".join("".join(line.split()) for line in lines)
    assert (word * 30).replace("\u200d", "") in shown.replace("\u200d", "")  # prompt_toolkit repeats some joiners
