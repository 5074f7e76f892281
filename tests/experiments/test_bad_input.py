"""Each mistake in an experiment is one sentence with its place, before anything runs."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate
from experiments_support import BASE, PAIR, judgements, run, write_experiment

from debate_cli.experiments.cell_store import LedgerCells
from debate_cli.experiments.cells import Cell, CellJudge
from debate_cli.experiments.ledger import Ledger

OPENAI = {"name": "gpt", "model": "openai/gpt-5"}


@pytest.fixture(scope="module")
def begun_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an experiment of which one cell is done; not to be changed."""
    folder = tmp_path_factory.mktemp("begun")
    write_experiment(folder, players=PAIR)
    run(folder, "--limit", "1")
    return folder


@pytest.fixture
def begun(begun_once: Path, here: Path) -> Path:
    """A copy of this folder."""
    shutil.copytree(begun_once, here, dirs_exist_ok=True)
    return here


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"players": [*PAIR, {"name": "Ann"}]}, "players.2.name: the name `Ann` is used twice"),
        ({"judges": [{"name": "jo", "model": "mock/a"}] * 2}, "judges.1.name: the name `jo` is used twice"),
        ({"axes": {"format.knd": ["structured"]}}, "axes: format.knd: unknown key; did you mean `kind`?"),
        ({"axes": {"format.kind": ["wild"]}}, "axes: format.kind: must be one of structured"),
        ({"axes": {"topic": ["x"]}}, "axes.topic: `topic` cannot be an axis: set the topics in `motions`"),
        ({"axes": {"providers.openai.base_url": ["http://x"]}}, "an axis must not send requests to another server"),
        ({"axes": {"prompts.opening": ["../../etc/passwd"]}}, "must be in the folder of the base configuration"),
        ({"axes": {"seed": []}}, "axes.seed: is an empty list"),
        ({"axes": {"format.arguments": [2, 1, 2]}}, "axes.format.arguments.2: this value is listed twice; keep one"),
        ({"players": [*PAIR, OPENAI]}, "players.2.model: OPENAI_API_KEY is not set"),
        ({"judges": [OPENAI]}, "judges.0.model: OPENAI_API_KEY is not set"),
        (
            {"judges": [{"name": "ann", "model": "human/ann"}]},
            "human/ann: an experiment cannot ask a person at the terminal",
        ),
        (
            {"judges": [{"name": "jo", "model": "mock/a"}, {"name": "max", "model": "mock/a"}]},
            "judges.1.model: judge `jo` has the same model and settings",
        ),
        (
            {"judges": [{"name": "jo", "model": "jojo"}]},
            "judges.0.model: `models` of the base configuration has no entry",
        ),
        ({"players": [*PAIR, {"name": "c", "model": "nope"}]}, "players.2.model: `models` has no entry of this name"),
        ({"pairing": [["ann", "bob"]]}, "pairing: cid is in no pair"),
        ({"players": PAIR[:1]}, "players: ann is in no pair"),
        ({"pairing": {"versus": "an"}}, "there is no player `an`; did you mean `ann`?"),
        ({"pairing": "everyone"}, "pairing: must be round_robin, self, {versus: NAME}, or a list of pairs"),
        ({"judges": [{"name": "jo", "model": "mock/ann"}]}, "no judge is left for ann against bob"),
        ({"sides": "left"}, "sides: must be one of both, random, first"),
        ({"repeats": 2}, "repeats: unknown key; did you mean `repeat`?"),
        ({"motions": []}, "motions: there is no motion"),
        ({"motions": ["Tea?", "Tea?"]}, "this motion is already at exp.yaml:"),
        ({"motions": "none.csv"}, "motions: none.csv: cannot be read"),
        ({"motions": "../motions.csv"}, "must be in the folder of the experiment"),
        ({"base": "none.yaml"}, "none.yaml: no such file"),
        ({"base": "../base.yaml"}, "base: the configuration must be in the folder of the experiment"),
        ({"limits": {"max_cost_usd": 0}}, "limits.max_cost_usd: must be above 0"),
        ({"name": None}, "name: is missing; add it"),
    ],
)
def test_a_mistake_is_one_sentence(here: Path, changes: dict[str, Any], words: str) -> None:
    """A mistake ends the run with exit code 2 and its place in the file, before a folder is made."""
    write_experiment(here, **changes)
    done = debate("experiment", "run", "exp.yaml", cwd=here)
    assert done.code == 2, done.err
    assert words in done.err
    assert len(done.lines) == 1, done.err
    assert not (here / "trial").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("motion,tags\nTea?,x\n", "m.csv:1: there is no column `topic` (columns: motion, tags)"),
        ("topic\nTea?\n  \n", "m.csv:3: topic: is empty"),
        ("topic\nTea?\nTea?\n", "m.csv:3: this motion is already at m.csv:2"),
        ("topic\n" + "x" * 4001 + "\n", "m.csv:2: topic: must have at most 4000 characters"),
        ("topic\n\udcff", "m.csv: is not valid UTF-8"),
        ("", "m.csv:1: there is no column `topic` (columns: none)"),
        ("topic,Topic\nTea?,Coffee?\n", "m.csv: two columns are named 'topic'"),
        ("topic,tags\nTea?,x\nTea, or coffee?,x\n", "m.csv: line 3 has more values than the 2 columns"),
    ],
)
def test_a_wrong_motion_file_names_the_line(here: Path, text: str, words: str) -> None:
    """An error in a motion file names the line."""
    (here / "m.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    write_experiment(here, motions="m.csv")
    done = debate("experiment", "run", "exp.yaml", cwd=here)
    assert (done.code, words in done.err) == (2, True), done.err


def test_a_motion_file_as_spreadsheets_write_it(here: Path) -> None:
    """A motion file may have a byte order mark, quotes, line breaks, Windows line ends, other columns, empty ends of rows."""
    text = '\ufeffTopic,Background,Tags,Source,,\r\n"Tea, or coffee?","Two\r\nlines.",drinks; work,me,,,\r\n'
    (here / "m.csv").write_bytes(text.encode())
    write_experiment(here, motions="m.csv", players=PAIR, sides="first")
    done = debate("experiment", "run", "exp.yaml", cwd=here)
    assert (done.code, "ignored columns: source" in done.err) == (0, True), done.err
    assert [(row.topic, row.tags) for row in judgements(here / "trial")] == [("Tea, or coffee?", "drinks;work")]


def test_a_ledger_of_another_experiment_is_refused(begun: Path) -> None:
    """A run does not change the ledger of another experiment or of runs without --mock, and `status` shows no other experiment's."""
    before = judgements(begun / "trial")
    write_experiment(begun, name="another", players=PAIR)
    other = debate("experiment", "run", "exp.yaml", "--out", "trial", cwd=begun)
    assert (other.code, "belongs to the experiment `trial`, not to `another`" in other.err) == (2, True)
    status = debate("experiment", "status", "exp.yaml", "--out", "trial", cwd=begun)
    assert (status.code, status.out, "not to `another`" in status.err) == (2, "", True)
    write_experiment(begun, players=PAIR)
    rehearsal = debate("experiment", "run", "exp.yaml", "--mock", "--out", "trial", cwd=begun)
    assert (rehearsal.code, "belongs to runs without --mock, not to runs with it" in rehearsal.err) == (2, True)
    assert judgements(begun / "trial") == before


def test_a_plan_refuses_the_ledger_that_the_run_refuses(begun: Path) -> None:
    """`experiment run --dry-run` refuses the ledger of another experiment or of a run in the words of the run."""
    for name, options in (("another", ()), ("trial", ("--mock",))):
        write_experiment(begun, name=name, players=PAIR)
        command = ("experiment", "run", "exp.yaml", "--out", "trial", *options)
        plan, refused = debate(*command, "--dry-run", cwd=begun), debate(*command, cwd=begun)
        assert (plan.code, plan.err, plan.out) == (2, refused.err, "")


@pytest.mark.parametrize("kind", ["text", "database", "link"])
def test_a_file_that_is_no_ledger_is_left_alone(here: Path, kind: str) -> None:
    """A run refuses a file that is no ledger, and the file keeps its content."""
    write_experiment(here, players=PAIR)
    path = here / "trial" / "ledger.sqlite"
    path.parent.mkdir()
    if kind == "database":
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE mine (a)")
        database.close()
    elif kind == "link":
        (here / "precious").write_text("mine")
        path.symlink_to(here / "precious")
    else:
        path.write_text("mine")
    before = path.read_bytes()
    done = debate("experiment", "run", "exp.yaml", cwd=here)
    assert done.code == 2, done.err
    assert path.read_bytes() == before or kind == "database"


def test_a_cut_ledger_is_refused_as_damaged(begun: Path) -> None:
    """The sentence allows for a ledger that is damaged, and says to restore it."""
    path = begun / "trial" / "ledger.sqlite"
    path.write_bytes(path.read_bytes()[:5000])
    done = debate("experiment", "status", "trial", cwd=begun)
    assert done.code == 2
    assert "is damaged, or is not a ledger of an experiment (" in done.err
    assert "; restore it, or choose another folder with --out" in done.err


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE cells SET axes = '{'", "cell "),
        ("UPDATE cells SET axes = '[]'", "cell "),
        ("UPDATE cells SET judges = 'x'", "cell "),
        ("UPDATE cells SET state = 'x', plan = (SELECT value FROM meta WHERE name = 'plan')", "cell "),
        ("UPDATE cells SET debate = '../../outside'", "cell "),
        ("UPDATE results SET row = '[1]'", "a result of cell "),
        ("UPDATE results SET row = '{}'", "a result of cell "),
        ("UPDATE results SET row = json_set(row, '$.first_words', 'x')", "a result of cell "),
        ("UPDATE results SET row = json_set(row, '$.first_words', -1)", "a result of cell "),
        ("UPDATE results SET row = json_set(row, '$.tokens', -1)", "a result of cell "),
    ],
)
def test_a_damaged_value_in_a_ledger_is_one_sentence(begun: Path, statement: str, what: str) -> None:
    """`report` and `merge` name the ledger and say to restore it; `merge` copies no file from outside the folder."""
    (begun / "outside.json").write_text("private")
    with sqlite3.connect(begun / "trial" / "ledger.sqlite") as database:
        database.execute(statement)
    database.close()
    for command in (("report", "trial"), ("merge", "trial", "-o", "merged")):
        done = debate("experiment", *command, cwd=begun)
        if command[0] == "report" or "results" not in statement:
            assert done.code == 2, (command, done.err)
            assert f"trial/ledger.sqlite: is damaged ({what}" in done.err
            assert "restore it" in done.err
        assert "unexpected" not in done.err
    assert not [path for path in (begun / "merged").rglob("*") if path.name == "outside.json"]


@pytest.mark.parametrize(
    ("statement", "command"),
    [
        ("UPDATE cells SET message = CAST(x'ff' AS TEXT)", "report"),
        ("UPDATE results SET row = CAST(x'ff' || row AS TEXT)", "report"),
        ("UPDATE meta SET value = CAST(x'ff' AS TEXT)", "status"),
        ("UPDATE cells SET judges = 'x'", "status"),
        ("DROP TABLE results", "status"),
    ],
)
def test_content_that_sqlite_cannot_read_is_damage(begun: Path, statement: str, command: str) -> None:
    """Text that is no UTF-8, malformed JSON and a missing table are damage (exit code 2), in one short sentence."""
    with sqlite3.connect(begun / "trial" / "ledger.sqlite") as database:
        database.execute(statement)
    database.close()
    done = debate("experiment", command, "trial", cwd=begun)
    assert done.code == 2, done.err
    assert "trial/ledger.sqlite: is damaged" in done.err
    assert (len(done.err.splitlines()), len(done.err) < 500) == (1, True)


async def test_a_judge_that_is_added_during_a_run_judges_the_running_cells_too(here: Path) -> None:
    """A run that began before a judge was added cannot finish a cell that the judge must judge."""
    with Ledger.create(here, "trial", mock=True) as ledger:
        ledger.set_plan("one", [make_cell(0, "jo")])
        cells = LedgerCells(ledger, here)
        record = await cells.take()
        assert record is not None
        ledger.set_plan("two", [make_cell(0, "jo", "max")])
        assert not await cells.settle(record, record._replace(state="done"), [])
        assert ledger.counts()["open"] == 1


def make_cell(number: int, *judges: str) -> Cell:
    """A cell with the key `number`."""
    named = tuple(CellJudge(f"questions of {name}", "scoring", name) for name in judges)
    return Cell(f"{number:032x}", "m", "ada", "bob", 1, "{}", f"d-{number}", named)


def test_secrets_of_the_base_reach_no_file(here: Path) -> None:
    """A key in a motion is in no file and no file name of the experiment."""
    base = {**BASE, "providers": {"mock": {"api_key_env": "LAB_KEY"}}}
    key = "s3cr3t-k3y-0f-th3-lab"
    write_experiment(here, base, motions=[f"Is {key} safe?"], players=PAIR, sides="first")
    done = debate("experiment", "run", "exp.yaml", cwd=here, env={"LAB_KEY": key})
    assert done.code == 0, done.err
    for path in (here / "trial").rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes(), path
        assert key not in path.name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["status", "exp.yaml"], "contains no experiment"),
        (["status", "."], "contains no experiment"),
        (["merge", "a", "b"], "`debate experiment merge` needs a new folder for its result; give it with -o DIR"),
        (["run", "exp.yaml", "--shard", "3/2"], "--shard 3/2: write I/N"),
        (["status", "exp.yaml", "--limit", "3"], "--limit is not an option of `debate experiment status`"),
        (["status", ".", "--out", "x"], ". is already the folder of the experiment; leave out --out"),
        (["status", "exp.yaml", "--plain"], "--plain is not an option of `debate experiment status`"),
        (["report", "exp.yaml", "--quiet"], "--quiet is not an option of `debate experiment report`"),
        (
            ["report", "exp.yaml", "-o", "f.html"],
            "-o f.html: this option works only with --format; add --format csv, or",
        ),
        (
            ["report", "exp.yaml", "--format", "csv", "-o", "f.csv/"],
            "--out f.csv: this is a folder; give the path of a file",
        ),
        (["report", "exp.yaml", "--html", "f.html", "--json"], "--html and --json are different forms of the report"),
        (["rate", "r.csv", "-o", "f"], "--out is not an option of `debate experiment rate`"),
        (["merge", "a", "b", "-o", "f", "--mock"], "--mock is not an option of `debate experiment merge`"),
        (["run", "exp.yaml", "--format", "csv"], "--format is not an option of `debate experiment run`"),
        (["run", "exp.yaml", "other.yaml"], "takes one file or folder"),
        (["run", "base.yaml"], "base.yaml: this is a debate, not an experiment; run it with: debate run base.yaml"),
        (
            ["run", "exp.yaml", "--limit", "3", "--queue", "postgresql://h/q"],
            "do not apply to a queue; leave them out",
        ),
    ],
)
def test_a_wrong_command_says_what_to_do(here: Path, words: list[str], message: str) -> None:
    """A wrong command ends with exit code 2 and one sentence that says what to do."""
    write_experiment(here)
    done = debate("experiment", *words, cwd=here)
    assert (done.code, message in done.err) == (2, True), done.err
    assert len(done.err.splitlines()) == 1
