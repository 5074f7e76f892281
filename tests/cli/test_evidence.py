"""Debates with sources on the command line: passages are shown, cited, checked and stored."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS, debate

EVIDENCE = CONFIGS / "evidence.yaml"


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The saved rehearsal of configs/evidence.yaml."""
    folder = tmp_path_factory.mktemp("cited")
    done = debate("run", EVIDENCE, "--id", "cited", "--out", "saved", "--quiet", cwd=folder)
    assert done.code == 0, done.err
    return json.loads((folder / "saved" / "cited.json").read_text()) | {"path": folder / "saved" / "cited.json"}


def cited_checks(cited: dict[str, Any]) -> list[dict[str, Any]]:
    """The checks of all citations."""
    (scored,) = debate("score", cited["path"], "--json", cwd=cited["path"].parent).json
    return scored["sources"]


def interrupted(cited: dict[str, Any], folder: Path, **changes: Any) -> Path:
    """The file of the rehearsal, stopped after its openings. `changes` are fields of the transcript."""
    data = {key: value for key, value in cited.items() if key != "path"}
    data |= {
        "turns": data["turns"][:2],
        "assessments": [],
        "verdicts": [],
        "status": "incomplete",
        "closed": "interrupted",
    }
    path = folder / "cited.json"
    path.write_text(json.dumps(data | changes))
    return path


def test_only_passages_that_were_shown_are_stored(cited: dict[str, Any]) -> None:
    """Each turn lists what its speaker was shown, and the transcript holds these passages and no others."""
    shown = [passage for turn in cited["turns"] for passage in turn["passages"]]
    assert {len(turn["passages"]) for turn in cited["turns"]} == {4}
    assert sorted(set(shown)) == sorted(passage["id"] for passage in cited["passages"])
    assert list(dict.fromkeys(shown)) == [passage["id"] for passage in cited["passages"]]


def test_a_speaker_is_shown_new_passages_first(cited: dict[str, Any]) -> None:
    """What a debater was shown in the opening comes last in its cross-examination."""
    opening, answer = cited["turns"][0]["passages"], cited["turns"][2]["passages"]
    repeated = [passage in opening for passage in answer]
    assert repeated == sorted(repeated)


def test_a_rehearsal_shows_every_outcome_of_a_check(cited: dict[str, Any], tmp_path: Path) -> None:
    """The mock cites real words, one in five wrongly; what is wrong is a warning on its turn."""
    (scored,) = debate("score", cited["path"], "--json", cwd=tmp_path).json
    assert {check["outcome"] for check in scored["sources"]} == {"verified", "near", "altered", "not_found"}
    wrong = sum(check["outcome"] in {"altered", "not_found"} for check in scored["sources"])
    assert 0.1 <= wrong / len(scored["sources"]) <= 0.3
    warnings = [warning for turn in cited["turns"] for warning in turn["warnings"] if warning.startswith("citation:")]
    assert len(warnings) == wrong


def test_the_reasons_of_a_rehearsed_judge_fit_its_answers(cited: dict[str, Any]) -> None:
    """A source that supports is relevant, a quote that is not in its passage is not supported, and each answer has a reason."""
    checks = {(item["turn"], item["item"], item["quote"]): item["outcome"] for item in cited_checks(cited)}
    found = [
        finding for item in cited["assessments"] for finding in item["findings"] if finding["kind"] == "source_support"
    ]
    assert {finding["relevant"] for finding in found if finding["supports"] == "yes"} == {"yes"}
    invented = [item for item in found if checks[item["turn"], item["item"], item["quote"]] == "not_found"]
    assert {item["supports"] for item in invented} == {"no"}
    reasons: dict[str, set[str]] = {}
    for finding in found:
        reasons.setdefault(finding["supports"], set()).add(finding["reason"])
    assert len(set[str]().union(*reasons.values())) == sum(map(len, reasons.values()))


def test_the_option_adds_sources_to_any_debate(tmp_path: Path) -> None:
    """`--evidence DIR` needs no configuration of sources, and names files that are not indexed."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(
        "# Page\n\nMicroservices cost 43 percent more to host than one application does."
    )
    (tmp_path / "docs" / "b.png").write_bytes(b"")
    done = debate(
        "run", CONFIGS / "mock.yaml", "--evidence", "docs", "--id", "a", "--out", "saved", "--quiet", cwd=tmp_path
    )
    saved = json.loads((tmp_path / "saved" / "a.json").read_text())
    assert [passage["source"] for passage in saved["passages"]] == ["docs/a.md"]
    assert "evidence: 1 of 2 files is not indexed: docs/b.png" in done.err


def test_sources_without_a_word_of_the_motion_are_noted_once(tmp_path: Path) -> None:
    """A run says before it starts that the search finds nothing for the motion; it then goes on."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("微服务没有增加运维成本。")
    done = debate(
        "run", CONFIGS / "mock.yaml", "--evidence", "docs", "--id", "a", "--out", "saved", "--quiet", cwd=tmp_path
    )
    assert (done.code, done.err.count("contain no word of the motion")) == (0, 1), done.err


def test_a_link_to_a_listed_file_is_not_listed_again(tmp_path: Path) -> None:
    """Two names of one file are one source, with the name of the file and not of the link."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.md").write_text("Hosting is 43 euros.")
    (tmp_path / "docs" / "a-link.md").symlink_to("b.md")
    (tmp_path / "docs" / "loop.md").symlink_to("loop.md")
    done = debate("evidence", "list", "--evidence", "docs", "--json", cwd=tmp_path)
    assert [file["source"] for file in json.loads(done.out)["files"]] == ["docs/b.md"]


def test_a_title_is_kept_if_a_later_entry_names_the_folder(tmp_path: Path) -> None:
    """A file that is named with a title keeps it, whether its folder is named before or after it."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Heading\n\nHosting is 43 euros.\n")
    named = '{path: docs/a.md, title: "My title"}'
    for sources in (f"[{named}, docs/]", f"[docs/, {named}]"):
        (tmp_path / "d.yaml").write_text((CONFIGS / "mock.yaml").read_text() + f"\nevidence: {{sources: {sources}}}\n")
        done = debate("evidence", "search", "hosting", "--config", "d.yaml", cwd=tmp_path)
        assert (done.code, "My title" in done.out) == (0, True), done.out


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ("[absent/]", "no such file or folder"),
        ("[../]", "--trust-path"),
        ("[/etc]", "--trust-path"),
        ("[]", "is empty"),
        ('[""]', "debate.yaml:{line}:22: evidence.sources.0: is empty"),
        ('[{path: ""}]', "debate.yaml:{line}:29: evidence.sources.0.path: is empty"),
    ],
)
def test_sources_that_cannot_be_used_are_one_sentence(sources: str, words: str, tmp_path: Path) -> None:
    """A missing folder, one outside the folder of the configuration, an empty list and an empty path exit with 2."""
    config = tmp_path / "debate.yaml"
    config.write_text((CONFIGS / "mock.yaml").read_text() + f"\nevidence: {{sources: {sources}}}\n")
    done = debate("run", config, "--no-save", cwd=tmp_path)
    sentence = words.format(line=len(config.read_text().splitlines()))
    assert (done.code, sentence in done.err, len(done.lines)) == (2, True, 1), done.err


def test_resuming_opens_no_source_that_only_the_saved_debate_names(cited: dict[str, Any], tmp_path: Path) -> None:
    """A stored debate may have been downloaded: its sources are read only if they are given again."""
    config = cited["config"] | {"evidence": cited["config"]["evidence"] | {"sources": ["/etc"]}}
    path = interrupted(cited, tmp_path, config=config)
    assert debate("run", "--resume", path, "--quiet", cwd=tmp_path).code == 0
    assert all(not turn.get("passages") for turn in json.loads(path.read_text())["turns"][2:])


def test_resuming_with_sources_shows_more_of_them(cited: dict[str, Any], tmp_path: Path) -> None:
    """`--resume ID --evidence DIR` reads the sources again; what was found before keeps its id."""
    path = interrupted(cited, tmp_path)
    folder = CONFIGS / "examples" / "microservices"
    done = debate("run", "--resume", path, "--evidence", folder, "--quiet", cwd=tmp_path)
    turns = json.loads(path.read_text())["turns"]
    assert (done.code, [len(turn["passages"]) for turn in turns]) == (0, [4] * 6), done.err
    assert turns[0]["passages"] == cited["turns"][0]["passages"]
    assert "changed" not in done.err


def test_the_command_that_resumes_names_the_sources(tmp_path: Path) -> None:
    """A debate that the budget stopped cites on when that command is copied."""
    stopped = debate("run", EVIDENCE, "--id", "one", "--quiet", "--max-tokens", "20000", cwd=tmp_path)
    command = stopped.lines[-1]
    assert (stopped.code, command.endswith("/examples/microservices")) == (4, True), stopped.err
    assert debate(*shlex.split(command)[1:], "--quiet", cwd=tmp_path).code == 0
    turns = json.loads((tmp_path / "transcripts" / "one.json").read_text())["turns"]
    assert [len(turn["passages"]) for turn in turns] == [4] * 6


def test_resuming_names_a_source_that_changed(cited: dict[str, Any], tmp_path: Path) -> None:
    """Passages that were shown are kept; a note says that a file is no longer as it was."""
    first, *others = cited["passages"]
    path = interrupted(cited, tmp_path, passages=[{**first, "text": "Words of an older version."}, *others])
    folder = CONFIGS / "examples" / "microservices"
    done = debate("run", "--resume", path, "--evidence", folder, "--dry-run", cwd=tmp_path)
    assert (
        f"these files changed or disappeared after the debate got passages from them: {first['source']}" in done.err
    ), done.err


def test_search_and_list_show_what_is_indexed(tmp_path: Path) -> None:
    """`evidence search` prints passages with their places, `evidence list` each file with its number of passages."""
    found = debate("evidence", "search", "checkout outage", "--config", EVIDENCE, cwd=tmp_path)
    listed = debate("evidence", "list", "--config", EVIDENCE, "--json", cwd=tmp_path)
    assert "examples/microservices/incident-log.md, Outages of the checkout, lines 5–7" in found.out
    assert listed.json["files"][0] == {"source": "examples/microservices/README.md", "passages": 1}
