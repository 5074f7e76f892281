"""`debate prompts`: every shipped prompt, its user, its placeholders, its text."""

from pathlib import Path

import pytest
from cli_support import debate

from debate_cli.llm.prompts import find_placeholders


def test_list_names_user_and_placeholders(here: Path) -> None:
    """One line per prompt off a terminal, and the same columns as JSON."""
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in debate("prompts", "list", cwd=here).out.splitlines()}
    documents = debate("prompts", "list", "--json", cwd=here).json
    assert rows["opening"][0] == "debaters"
    assert rows["judge_structured"][0] == "structured"
    assert {item["name"]: [item["used_by"], " ".join(item["placeholders"]) or "-"] for item in documents} == rows


def test_a_shown_prompt_can_replace_the_shipped_one(here: Path) -> None:
    """The file that `show` writes is accepted by `debate check`."""
    shown = debate("prompts", "show", "opening", cwd=here).out
    assert find_placeholders(shown)
    (here / "opening.md").write_text(shown)
    config = "topic: Cats or dogs?\nmodels: {default: {model: mock/a}}\nprompts: {opening: opening.md}\n"
    (here / "debate.yaml").write_text(config + "debaters: [{name: A, side: for}, {name: B, side: against}]\n")
    done = debate("check", "debate.yaml", cwd=here)
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("show", "openning"), "did you mean `opening`?"), (("show",), "NAME"), (("list", "opening"), "takes no name")],
    ids=str,
)
def test_a_wrong_name_is_one_sentence(here: Path, arguments: tuple[str, ...], words: str) -> None:
    """A wrong or missing name ends with exit code 2 and a sentence."""
    done = debate("prompts", *arguments, cwd=here)
    assert (done.code, words in done.err) == (2, True), done.err
