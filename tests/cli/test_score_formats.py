"""`debate score --format junit|github|html`."""

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli_support import CommandResult, debate

GATE = ("--expect-winner", "Bo")


def score(two_saved: Path, *options: str | Path, **env: str) -> CommandResult:
    """`debate score transcripts/` with options."""
    return debate("score", two_saved.parent.name, *options, cwd=two_saved.parent.parent, env=env)


@pytest.fixture
def with_bad(two_saved: Path) -> Path:
    """The folder with a damaged file in it."""
    two_saved.with_name("bad.json").write_text('{"schema_version": 1, "id": ')
    return two_saved


def test_junit_has_a_case_per_gate_and_file(with_bad: Path) -> None:
    """Met, not met, and unusable files; the exit code is the usual one."""
    done = score(with_bad, *GATE, "--check", "--format", "junit")
    root = ET.fromstring(done.out)
    cases = [(case.get("classname"), case.get("name"), [child.tag for child in case]) for case in root.iter("testcase")]
    assert done.code == 1
    assert cases == [
        ("transcripts/one.json", "--expect-winner", []),
        ("transcripts/one.json", "--check", []),
        ("transcripts/two.json", "--expect-winner", ["failure"]),
        ("transcripts/two.json", "--check", []),
        ("transcripts/bad.json", "scored", ["error"]),
    ]


def test_junit_reports_a_changed_verdict(two_saved: Path) -> None:
    """`--check` is a gate."""
    two_saved.write_text(two_saved.read_text().replace('"victory": "narrow"', '"victory": "clear"', 1))
    done = score(two_saved, "--check", "--format", "junit")
    (failure,) = ET.fromstring(done.out).iter("failure")
    assert (done.code, "structured r1" in (failure.get("message") or "")) == (5, True)


def test_github_writes_annotations_and_a_summary(two_saved: Path) -> None:
    """Annotations on stdout; Markdown is appended to the summary file."""
    summary = two_saved.parent.parent / "summary.md"
    summary.write_text("before\n")
    done = score(two_saved, *GATE, "--format", "github", GITHUB_STEP_SUMMARY=str(summary))
    assert done.code == 5
    assert [line.split("::")[1].split(",")[0] for line in done.out.splitlines()] == [
        "notice file=transcripts/one.json", "notice file=transcripts/one.json", "error file=transcripts/two.json",
        "notice file=transcripts/two.json", "notice file=transcripts/two.json",
    ]  # fmt: skip
    assert summary.read_text().startswith("before\n## 2 debates scored, gates not met: 1\n")


def test_an_unwritable_summary_is_an_error(two_saved: Path) -> None:
    """Exit 1, after the annotations."""
    done = score(two_saved, "--format", "github", GITHUB_STEP_SUMMARY="/nowhere/summary.md")
    assert (done.code, len(done.lines), "::notice" in done.out) == (1, 1, True)


def test_html_writes_an_index_and_pages(with_bad: Path) -> None:
    """One page per debate; unusable files are named in the index."""
    folder = with_bad.parent.parent / "reports"
    done = score(with_bad, "--format", "html", "-o", folder)
    index = (folder / "index.html").read_text()
    links = re.findall(r'href="\./([^"]+)"', index)
    assert (done.code, done.out, links) == (1, "", ["one.html", "two.html"])
    assert [(folder / link).read_text()[:15].lower() for link in links] == ["<!doctype html>"] * 2
    assert "bad.json: is cut off" in index


def test_the_index_shows_date_models_and_cost(two_saved: Path) -> None:
    """From the transcripts."""
    page = score(two_saved, "--format", "html").out
    assert all(f">{head}</button>" in page for head in ("date", "models", "cost"))
    assert ("$0.0220" in page, "judged by mock/judge" in page) == (True, True)


def test_debates_with_equal_names_get_separate_pages(two_saved: Path) -> None:
    """From two folders into one."""
    shutil.copytree(two_saved.parent, two_saved.parent.parent / "more")
    debate("score", "transcripts", "more", "--format", "html", "-o", "reports", cwd=two_saved.parent.parent)
    pages = sorted(path.name for path in (two_saved.parent.parent / "reports").iterdir())
    assert pages == ["index.html", "one-2.html", "one.html", "two-2.html", "two.html"]


def test_a_path_with_a_slash_at_its_end_is_the_folder_of_the_pages(two_saved: Path) -> None:
    """Even if its name is that of a page. Without the slash, it is refused."""
    refused, done = (score(two_saved, "--format", "html", "-o", out) for out in ("pages.html", "pages.html/"))
    assert (
        refused.code,
        "pages.html: is one file, but an index and a page for each debate are needed" in refused.err,
    ) == (2, True)
    pages = two_saved.parent.parent / "pages.html"
    assert (done.code, {path.name for path in pages.iterdir()} >= {"index.html", "one.html", "two.html"}) == (0, True)


def test_reports_are_not_overwritten(two_saved: Path) -> None:
    """Only with --force."""
    folder = two_saved.parent.parent / "reports"
    assert score(two_saved, "--format", "html", "-o", folder).code == 0
    (folder / "index.html").write_text("precious")
    refused = score(two_saved, "--format", "html", "-o", folder)
    assert (refused.code, "--force" in refused.err, (folder / "index.html").read_text()) == (2, True, "precious")
    assert score(two_saved, "--format", "html", "-o", folder, "--force").code == 0
    assert "precious" not in (folder / "index.html").read_text()


def test_an_existing_page_is_named_before_any_page_is_written(two_saved: Path) -> None:
    """An existing page of the last debate is refused with the option for another folder, and no page is written."""
    folder = two_saved.parent.parent / "reports"
    folder.mkdir()
    (folder / "two.html").write_text("precious")
    refused = score(two_saved, "--format", "html", "-o", folder)
    assert (refused.code, [path.name for path in folder.iterdir()]) == (2, ["two.html"])
    assert "two.html exists already; choose another folder with -o, or overwrite it with --force" in refused.err


def test_on_stdout_the_index_links_existing_pages(two_saved: Path) -> None:
    """Pages beside their transcripts."""
    two_saved.with_suffix(".html").write_text("<!doctype html>")
    done = score(two_saved, "--format", "html")
    assert re.findall(r'href="([^"]+)"', done.out) == ["./transcripts/one.html"]
