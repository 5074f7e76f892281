"""`debate list`: as a table, as lines, as JSON."""

import json
from pathlib import Path

import pytest
from cli_support import CONFIGS, CommandResult, debate, run_on_terminal, write_config
from model_server import model_server
from render_support import debate as saved_debate
from saved_support import first_debate, write_transcript_file

from debate_cli.app.remedies import EndedCommand, find_remedy
from debate_cli.storage.transcript_store import open_debate

DRAWN = {"TERM": "xterm-256color", "COLUMNS": "80"}
JUDGED = (
    "topic: Cats or dogs?\nproviders: {{vllm: {{base_url: '{base_url}', api_key_env: null}}}}\n"
    "models: {{default: {{model: mock/a}}, judge: {{model: vllm/judge}}}}\nlimits: {{max_attempts: 1}}\n"
    "debaters: [{{name: Pro, side: for}}, {{name: Con, side: against}}]\n"
)
"""Debaters are mocks, the judge is served at an address."""


def list_(two_saved: Path, *options: str | Path) -> CommandResult:
    """`debate list` beside the folder of the saved debates."""
    return debate("list", *options, cwd=two_saved.parent.parent)


def test_a_pipe_gets_one_line_per_debate(two_saved: Path) -> None:
    """In a pipe each debate is one line, newest first, with columns separated by tabs. The last one marks a rehearsal."""
    done = list_(two_saved)
    topic = first_debate().topic
    assert (done.code, done.err) == (0, "")
    assert [line.split("\t") for line in done.out.splitlines()] == [
        [
            "two",
            "2026-03-02T09:00:00Z",
            topic,
            "mock/debater",
            "structured=Ada,moderator=Bo",
            "0.022",
            "complete",
            "rehearsal",
        ],
        [
            "one",
            "2026-03-01T09:00:00Z",
            topic,
            "mock/debater",
            "structured=Bo,moderator=Bo",
            "0.022",
            "complete",
            "rehearsal",
        ],
    ]


def test_json_lists_the_newest_first(two_saved: Path) -> None:
    """`list --json` has the newest debate first, with all columns and the path."""
    newest, oldest = list_(two_saved, "--json").json
    assert (newest["id"], oldest["path"]) == ("two", "transcripts/one.json")
    assert list(oldest) == [
        "path", "id", "started_at", "topic", "state", "turns", "models", "verdicts", "cost_usd",
        "judgments_missing", "lacks_deciding_judgment", "rehearsal",
    ]  # fmt: skip
    assert oldest["rehearsal"] == "rehearsal"
    assert oldest["verdicts"][0] == {
        "system": "structured",
        "run": "r1",
        "winner": "Bo",
        "victory": "narrow",
        "margin": pytest.approx(1.1),
        "decides": True,
    }


def test_a_terminal_shows_the_newest_first(two_saved: Path) -> None:
    """On a terminal the table begins with the newest debate."""
    code, drawn = run_on_terminal("list", cwd=two_saved.parent.parent, env=DRAWN)
    assert (code, drawn.index("two") < drawn.index("one")) == (0, True)
    assert "structured Ada, narrow" in drawn


@pytest.mark.parametrize("options", [(), ("--json",)], ids=str)
def test_bad_files_are_reported_at_the_end(two_saved: Path, options: tuple[str, ...]) -> None:
    """Unreadable files are named after the other debates, and the exit code is 1."""
    two_saved.with_name("bad.json").write_text('{"schema_version": 1, "id": ')
    done = list_(two_saved, *options)
    assert (done.code, len(done.lines), "transcripts/bad.json" in done.err) == (1, 1, True)
    assert ("one" in done.out, "two" in done.out) == (True, True)


def test_a_folder_of_bad_files_only_is_wrong_input(here: Path) -> None:
    """If no file can be read, the exit code is 2, as with `score`."""
    (here / "bad.json").write_text("{")
    assert [debate(command, ".", cwd=here).code for command in ("list", "score")] == [2, 2]


def test_interrupted_debates_show_how_to_resume(two_saved: Path) -> None:
    """An interrupted debate is listed with its state and the command that resumes it."""
    write_transcript_file(two_saved, first_debate(), closed="interrupted", status="incomplete")
    assert list_(two_saved).out.splitlines()[1].endswith("\tinterrupted\trehearsal")
    _, drawn = run_on_terminal("list", cwd=two_saved.parent.parent, env=DRAWN)
    assert [line.strip() for line in drawn.splitlines() if "interrupted" in line or "resume: " in line] == [
        "interrupted after 6 speeches",
        "resume: debate run --resume transcripts/one.json",
    ]


def test_a_debate_stopped_by_its_budget_shows_the_limit_to_raise(here: Path) -> None:
    """`list`, which estimates nothing, names the option that raises the reached limit, and no other, and says what its N is."""
    meaning = "replace N by the new limit for the whole debate, which includes what is already used"
    assert debate("run", CONFIGS / "mock.yaml", "--id", "one", "-q", "--max-tokens", "9000", cwd=here).code == 4
    command = "debate run --resume transcripts/one.json --max-tokens N"
    _, drawn = run_on_terminal("list", cwd=here, env=DRAWN)
    assert [line.strip() for line in drawn.splitlines() if "resume: " in line] == [f"resume: {command}"]
    assert meaning in " ".join(drawn.split())


def test_only_the_last_failure_of_a_task_names_an_option(here: Path) -> None:
    """The budget that once stopped a speech need not be raised if the speech failed later for another reason."""
    assert debate("run", CONFIGS / "mock.yaml", "--id", "one", "-q", "--max-tokens", "9000", cwd=here).code == 4
    saved = open_debate(here / "transcripts" / "one.json").debate
    later = [item.model_copy(update={"cause": "ServerError", "message": "it failed"}) for item in saved.failures]
    failed = saved.model_copy(update={"failures": (*saved.failures, *later)})
    found = [find_remedy(value, (), EndedCommand("one.json")).commands for value in (saved, failed)]
    assert [[text for _, text in commands] for commands in found] == [
        ["debate run --resume one.json --max-tokens N"],
        ["debate run --resume one.json"],
    ]


def test_missing_judgements_show_how_to_resume(here: Path) -> None:
    """`list` and `replay` name the command that asks for a missing judgement, until there is an answer."""
    with model_server(failures=[503]) as server:
        write_config(here, JUDGED.format(base_url=server.base_url))
        assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 3
        assert debate("list", cwd=here).out.endswith("\tcomplete, 1 judgement missing\trehearsal in part\n")
        (entry,) = debate("list", "--json", cwd=here).json
        assert (entry["state"], entry["judgments_missing"]) == ("complete", 1)
        _, drawn = run_on_terminal("list", cwd=here, env=DRAWN)
        assert [line.strip() for line in drawn.splitlines() if "missing" in line or "again: " in line] == [
            "1 judgement missing",
            "ask again: debate run --resume transcripts/one.json",
        ]
        assert debate("replay", "one", cwd=here).lines[-2] == "debate run --resume transcripts/one.json"
        assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    assert debate("list", cwd=here).out.endswith("\tcomplete\trehearsal in part\n")


def test_an_empty_list_is_no_error(here: Path) -> None:
    """A missing default folder gives an empty list."""
    done = debate("list", "--json", cwd=here)
    assert (done.code, done.json, len(done.lines)) == (0, [], 1)


def test_a_named_folder_must_exist(here: Path) -> None:
    """A named folder that does not exist ends with exit code 2 and one line."""
    done = debate("list", "nowhere", cwd=here)
    assert (done.code, done.out, len(done.lines), "nowhere" in done.err) == (2, "", 1, True)


def test_topics_cannot_break_the_columns(two_saved: Path) -> None:
    """Tabs, line breaks and escapes stay within one cell."""
    write_transcript_file(two_saved, first_debate(), id="one\tmore")
    document = json.loads(two_saved.read_text())
    document["config"]["topic"] = "a\tb\nc\x1b[31m\x1b]0;owned\x07 [bold]d[/bold]"
    two_saved.write_text(json.dumps(document))
    first = list_(two_saved).out.splitlines()[1].split("\t")
    assert (first[0], first[2], len(first)) == ("one more", "a b c [bold]d[/bold]", 8)
    _, drawn = run_on_terminal("list", cwd=two_saved.parent.parent, env=DRAWN)
    assert ("\x1b]0;" in drawn, "\x07" in drawn, "[bold]d[/bold]" in drawn) == (False, False, True)


def test_an_unfinished_debate_shows_no_undetermined_verdict(here: Path) -> None:
    """If a debate stopped before a judge answered, its card says only why it stopped, and its line `no verdict yet`."""
    nowhere = JUDGED.format(base_url="http://127.0.0.1:9/v1").replace("model: mock/a", "model: vllm/a")
    write_config(here, nowhere)
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 3
    _, drawn = run_on_terminal("list", cwd=here, env=DRAWN)
    assert ("failed after 0 speeches" in drawn, "undetermined" in drawn) == (True, False)
    assert debate("list", cwd=here).out.split("\t")[4] == "no verdict yet"


def test_a_narrow_terminal_cuts_no_topic(here: Path) -> None:
    """The topic continues on the next line."""
    topic = "Should a startup of under ten people adopt microservices from day one, or wait?"
    write_transcript_file(here / "transcripts" / "one.json", saved_debate(topic=topic))
    _, drawn = run_on_terminal("list", cwd=here, env=DRAWN | {"COLUMNS": "60"})
    assert topic in " ".join(drawn.split())
