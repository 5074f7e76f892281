"""The pages in docs/ are true: generated parts are current; links, commands and configurations are valid."""

import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml
from cli_support import CONFIGS, debate, run_script
from played_pages import DOCS, PLAYED, ROOT, played
from reference_files import files_reference
from reference_pages import cli_reference, config_reference, documented
from reference_python import python_reference

import debate_cli
from debate_cli.cli.app import COMMANDS, load_command
from debate_cli.storage.config_file import read_config_file

PAGES = sorted(str(place.relative_to(ROOT)) for place in [*DOCS.rglob("*.md"), ROOT / "README.md"])
AT_LEAST = (
    "topic: A tram?\nmodels: {default: {model: mock/a}}\ndebaters: [{name: P, side: for}, {name: C, side: against}]\n"
)
STALE = "run `make docs-reference`"


written_python_reference = cache(python_reference)


def read(page: str) -> str:
    """Text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, *languages: str) -> list[str]:
    """Fenced blocks of a page in some languages."""
    return re.findall(rf"^```(?:{'|'.join(languages)})\n(.*?)^```", read(page), re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Anchors of the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def lines(page: str) -> list[str]:
    """Every `debate ...` in the blocks of commands of a page."""
    return [
        line.split("  #", maxsplit=1)[0].strip()
        for block in blocks(page, "sh", "bash")
        for line in block.splitlines()
        if line.startswith("debate ")
    ]


@pytest.mark.parametrize("page", PLAYED)
def test_a_page_shows_what_its_commands_print(page: str) -> None:
    """Each command ends as the page says and prints what the page shows."""
    assert played(page) == (DOCS / page).read_text(encoding="utf-8"), STALE


def test_the_reference_is_current() -> None:
    """Configuration, command line, Python and the files of the package."""
    made = {"config": config_reference(), "cli": cli_reference(), "python": written_python_reference()}
    made["files"] = files_reference()
    assert {name: read(f"docs/reference/{name}.md") for name in made} == made, STALE


@pytest.mark.parametrize(
    ("key", "bounds"),
    [
        ("dimension_disagreement_threshold", "number > 0 and ≤ 2"),
        ("max_cost_usd", "number > 0 and ≤ 1,000,000,000"),
        ("timeout_s", "number > 0"),
        ("elasticity", "number 0–1"),
    ],
)
def test_the_reference_shows_which_bounds_are_allowed(key: str, bounds: str) -> None:
    """A range includes both bounds; a bound that is not allowed has a sign."""
    assert f"| `{key}` | {bounds} |" in config_reference()


def test_every_key_of_the_configuration_is_explained() -> None:
    """By a string beneath the field."""
    assert [(kind, key) for kind, key, explained in documented() if not explained] == []


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_every_link_leads_somewhere(page: str) -> None:
    """Relative links name existing files and headings."""
    for link in re.findall(r"(?<!!)\[[^\]]*\]\(([^)]+)\)", re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)):
        target, _, heading = link.partition("#")
        assert ":" not in target, f"{link}: a page needs no network"
        place = (ROOT / page).parent / target if target else ROOT / page
        assert place.exists(), link
        assert not heading or heading in anchors(place.read_text(encoding="utf-8")), link


def test_the_index_leads_to_every_page() -> None:
    """docs/README.md links all pages."""
    linked = {str((DOCS / link).resolve()) for link in re.findall(r"\]\(([^)#]+)\)", read("docs/README.md"))}
    assert {str(place) for place in DOCS.rglob("*.md")} - linked == {str(DOCS / "README.md")}


@pytest.mark.parametrize("page", [page for page in PAGES if lines(page)])
def test_every_command_parses(page: str) -> None:
    """Also commands that are not run because they need a key or a server."""
    for line in lines(page):
        words = shlex.split(re.split(r" \| | > |\s+# exits", line)[0])
        if words[1] != "--version":
            assert words[1] in COMMANDS, line
            load_command(words[1]).make_context(words[1], words[2:])


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/") and blocks(page, "yaml")])
def test_every_configuration_snippet_is_valid(page: str) -> None:
    """Completed by a topic, a model and two debaters."""
    for block in blocks(page, "yaml"):
        whole = {**yaml.safe_load(AT_LEAST), **yaml.safe_load(block)}
        assert read_config_file(None, text=yaml.safe_dump(whole), env={}).config.topic == whole["topic"]


@pytest.mark.parametrize(
    ("number", "said"), [(0, "structured "), (1, "REHEARSAL in part")], ids=["debate", "own model"]
)
def test_an_example_in_python_runs(number: int, said: str, here: Path) -> None:
    """In a folder with the shipped configurations."""
    (here / "configs").symlink_to(CONFIGS)
    examples = [block for block in blocks("docs/reference/python.md", "python") if "asyncio.run" in block]
    assert len(examples) == 2
    done = run_script(examples[number], here)
    assert (done.err, done.out.startswith(said)) == ("", True)


def test_the_example_of_an_own_model_gives_its_answers(here: Path) -> None:
    """The debaters' answers are used as they are, and none fails."""
    (here / "configs").symlink_to(CONFIGS)
    example = blocks("docs/reference/python.md", "python")[1]
    done = run_script(example + "\nprint(outcome.debate.failures)\n", here)
    assert done.out.endswith("['Trams carry more people.']\n()\n")


def test_a_type_checker_accepts_the_examples(tmp_path: Path) -> None:
    """In its strictest mode, with the types of the package."""
    for page in ("README.md", "docs/reference/python.md", "docs/guides/documents.md"):
        found = [block for block in blocks(page, "python") if "import debate_cli" in block or "asyncio.run" in block]
        assert found
        for number, block in enumerate(found):
            (tmp_path / f"{Path(page).stem}_{number}.py").write_text(block)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_workflow_that_judges_documents_works(tmp_path: Path) -> None:
    """Its commands end as they do in CI: a gate fails with 5, the later steps annotate the document and write a report."""
    here = tmp_path / "here"
    shutil.copytree(CONFIGS / "documents", here / "docs" / "plans")
    (here / "docs" / "plans" / "review.yaml").rename(here / "judges.yaml")
    (here / "docs" / "plans" / "brief.md").rename(here / "brief.md")
    (here / "judges.yaml").write_text((here / "judges.yaml").read_text().replace("local/smollm2", "mock/a"))
    (job,) = yaml.safe_load(blocks("docs/guides/documents.md", "yml")[0])["jobs"].values()
    install, *lines = [step["run"] for step in job["steps"] if "run" in step]
    assert install == "pip install ./debate-cli"
    results = [debate(*shlex.split(line.split(" > ")[0])[1:], cwd=here) for line in lines]
    assert [result.code for result in results] == [5, 0, 0], [result.err for result in results]
    assert "::warning file=docs/plans/PLAN.md,line=" in results[1].out
    assert 'classname="docs/plans/PLAN.md" name="panel r1, engineer"' in results[2].out


@pytest.mark.parametrize("page", ["docs/guides/documents.md"])
def test_a_python_example_of_a_guide_runs(page: str, here: Path) -> None:
    """Without a warning."""
    (example,) = blocks(page, "python")
    done = run_script(example, here)
    assert (done.err, bool(done.out)) == ("", True)


def test_every_public_name_is_in_the_reference() -> None:
    """And no other."""
    heads = set(re.findall(r"^## (\w+)$", read("docs/reference/python.md"), re.MULTILINE))
    assert set(debate_cli.__all__) == heads


def test_every_member_is_explained() -> None:
    """A row with a name and a type alone says nothing about the thing."""
    assert re.findall(r"^\| `(\w+)` \| (?:`[^`]*`)? *\|$", written_python_reference(), re.MULTILINE) == []


def test_members_shown_with_parentheses_are_callable() -> None:
    """Properties are shown without."""
    found: list[tuple[str, str]] = []
    reference = written_python_reference()
    for name in debate_cli.__all__:
        about = reference.split(f"\n## {name}\n", 1)[1].split("\n##", 1)[0]
        found += [(name, member) for member in re.findall(r"^\| `(\w+)\(\)` \|", about, re.MULTILINE)]
    assert found
    assert [(name, member) for name, member in found if not callable(getattr(getattr(debate_cli, name), member))] == []
