"""Sources are split into passages, indexed once, and found by their words."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from scoring_support import build_debate, opening_event

from debate_cli.domain.evidence import Passage
from debate_cli.errors import StorageError, UsageError
from debate_cli.evidence.corpus import (
    KEPT_INDEXES,
    MAX_FILES,
    Corpus,
    FoundPassage,
    list_source_files,
    open_corpus,
)
from debate_cli.evidence.documents import MAX_FILE_BYTES, SourceFile, read_sections
from debate_cli.evidence.quote_check import check_quote
from debate_cli.evidence.retrieval import number_passages
from debate_cli.evidence.sections import Section, UnreadableSourceError
from debate_cli.evidence.splitting import split_section
from debate_cli.evidence.unspaced_scripts import MAX_WORD_CHARS
from debate_cli.systems.structured.settings import StructuredSettings


def _corpus(folder: Path, words: int = 40) -> Corpus:
    return open_corpus(list_source_files("docs", folder), words, folder / "cache")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a page."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "costs.md").write_text("# Costs\n\nHosting in C++ costs 43 euros.\n\n## Later\n\nNothing AND nobody.\n")
    return folder


@pytest.mark.parametrize(
    ("name", "content", "sections"),
    [
        (
            "a.md",
            "Intro.\n\n# One\ntext\n\n## Two\nmore\n",
            [("Intro.", "", 1), ("text", "One", 3), ("more", "Two", 6)],
        ),
        (
            "a.md",
            "# One\n```sh\n# no heading\n```\n~~~\n# open\ntext",
            [("```sh\n# no heading\n```\n~~~", "One", 1), ("text", "open", 6)],
        ),
        ("a.rst", "One\n===\n\ntext\n", [("text", "One", 2)]),
        ("a.csv", "item,cost\nredis,43\nkafka,\n", [("item: redis; cost: 43\nitem: kafka", "", 2)]),
        ("a.csv", 'item;note\nredis;"two\nlines"\n', [("item: redis; note: two lines", "", 2)]),
        ("a.csv", "item,,cost\nredis,large,43,EU,\n", [("item: redis; large; cost: 43; EU", "", 2)]),
        ("a.json", '{"a": {"b": [1, "two words"]}}', [("a.b[0]: 1\na.b[1]: two words", "", None)]),
        ("a.html", "<h1>One</h1><p>a <b>b</b></p><script>x</script><p>c</p>", [("a b\n\nc", "One", None)]),
        ("a.html", "<p>a <!-- <p>b --> c</p> 1 <2", [("a c\n\n1 <2", "", None)]),
    ],
)
def test_each_kind_of_file_is_read_with_its_places(
    name: str, content: str, sections: list[tuple[str, str, int | None]]
) -> None:
    """Headings, lines, rows and paths are kept; scripts of a page are not text."""
    _, found = read_sections(SourceFile(Path(name), name), content.encode())
    assert [(section.text.strip(), section.heading, section.first_line) for section in found] == sections


def _read_html(text: str) -> str:
    _, found = read_sections(SourceFile(Path("a.html"), "a.html"), text.encode())
    return "\n\n".join(section.text for section in found if section.text)


HEAD = "<tr><th><button>Year</button></th><th><p>Emissions</p></th></tr>"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (f"{HEAD}<tr><td>2020</td><td>5</td></tr>", "Year; Emissions\n\nYear: 2020; Emissions: 5"),
        (f"{HEAD}<tr>\n<th>2020</th>\n\n<td><p>5</p><p>t</p></td><td>EU</td></tr>", "Year; Emissions\n\nYear: 2020; Emissions: 5 t; EU"),
        (f"{HEAD}<tr><td>2020<td></tr><tr><td>2021<td>6", "Year; Emissions\n\nYear: 2020\n\nYear: 2021; Emissions: 6"),
        (f"{HEAD}<tr><th>Europe</th></tr><tr><td>2020</td></tr>", "Year; Emissions\n\nEurope\n\nYear: 2020"),
        (f"{HEAD}<tr><td colspan=2>2020 to 2021</td><td>5</td></tr>", "Year; Emissions\n\n2020 to 2021; 5"),
        (f"{HEAD}<tr><td rowspan=2>2020</td><td>5</td></tr><tr><td>6</td></tr>", "Year; Emissions\n\n2020; 5\n\n6"),
        (f"{HEAD}<tr><td><table><tr><td>2020</td><td>5</td></tr></table></td><td>6</td></tr>", "Year; Emissions\n\n2020; 5\n\n6"),
        ("<tr>\n<td>\n2020\n</td>\n<td>\n5\n</td></tr>", "2020; 5"),
        ("<tr><td><p>One.</p><p>Two.</p></td><td>5</td></tr>", "One.\n\nTwo.\n\n5"),
    ],
)  # fmt: skip
def test_cells_of_a_page_are_separate_and_have_the_names_of_their_columns(rows: str, text: str) -> None:
    """A cell has the name from the last row of header cells, if its column is certain; a wide or tall cell makes it unsure."""
    assert _read_html(f"<table>{rows}</table>") == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<select><option>2020</option><option>5</option></select>", "2020; 5"),
        ("<button>2020</button><button>5</button>", "2020; 5"),
        ("<dl><dt>2020</dt><dd>5</dd></dl>", "2020\n\n5"),
        ("<figure><figcaption>Figure 20</figcaption></figure>20 tonnes", "Figure 20\n\n20 tonnes"),
        ("<math><msup><mn>10</mn><mn>6</mn></msup></math>", "10 6"),
        ("<p>1<b>0</b>6</p>", "106"),
    ],
)
def test_elements_that_a_browser_separates_do_not_join_their_numbers(page: str, text: str) -> None:
    """Options, buttons and captions are separate; a tag that only changes the font separates nothing."""
    assert _read_html(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("10<sup>6</sup> tonnes", "10⁶ tonnes"),
        ("10<sup>&minus;6 </sup>tonnes", "10⁻⁶ tonnes"),
        ("Ca<sup>2+</sup>", "Ca²⁺"),
        ("2<sup>n+1</sup>", "2^(n+1)"),
        ("e<sup>-x<sup>2</sup></sup>", "e^(-x^2)"),
        ("5<sup>1</sup>/<sub>2</sub>", "5¹/2"),
        ("in 2020<sup>[1]</sup><sup>[2]</sup> it rose.<sup>[3]</sup>", "in 2020 [1] [2] it rose.[3]"),
        ("the 21<sup>st</sup> of 43<sup>*</sup>", "the 21st of 43*"),
        ("H<sub>2</sub>O", "H2O"),
        ("101<sub>2</sub>, log<sub>10</sub>100", "101_(2), log_(10)100"),
        ("10<sup>6<p>tonnes", "10⁶\n\ntonnes"),
        ("</sup>10<sup></sup>6", "106"),
    ],
)
def test_superscripts_and_subscripts_of_a_page_do_not_join_the_number_beside_them(page: str, text: str) -> None:
    """Digits and signs become Unicode superscripts, other exponents `^(…)`; footnotes and ordinals stay readable."""
    assert _read_html(page) == text


def test_a_superscript_in_a_heading_is_kept() -> None:
    """The heading, which names the passage's place, has the same superscripts as the text."""
    title, _ = read_sections(SourceFile(Path("a.html"), "a.html"), b"<h1>10<sup>6</sup> t of CO<sub>2</sub></h1>a")
    assert title == "10⁶ t of CO2"


def test_a_false_quote_of_a_superscript_is_altered() -> None:
    """10⁶ tonnes in a page cannot be quoted as 106 tonnes. H₂O may be written with or without a subscript."""
    passage = _read_html("<p>They emit 10<sup>6</sup> tonnes of H<sub>2</sub>O a year.</p>")
    quotes = ("They emit 106 tonnes", "They emit 10⁶ tonnes", "tonnes of H2O a year", "tonnes of H₂O a year")
    assert [check_quote(quote, passage).outcome for quote in quotes] == ["altered", *["verified"] * 3]


@pytest.mark.parametrize(("text", "reason"), [("[" * 10_000 + "]" * 10_000, "nested too deeply"), ("[1", "not valid")])
def test_json_that_is_nested_too_deeply_is_not_called_invalid(text: str, reason: str) -> None:
    """Valid JSON that is too deep to be read has its own message."""
    with pytest.raises(UnreadableSourceError, match=reason):
        read_sections(SourceFile(Path("a.json"), "a.json"), text.encode())


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_a_long_name_is_not_repeated_for_each_value(name: str) -> None:
    """The name of a column, or the path of a value, is cut, so that a small file does not become a large text."""
    long = "k" * 100_000
    data = f"{long}\n" + "1\n" * 3000 if name == "a.csv" else json.dumps({long: list(range(3000))})
    _, (section,) = read_sections(SourceFile(Path(name), name), data.encode())
    assert section.text.count("\n") == 2999
    assert len(section.text) < 1_000_000


def test_the_cache_keeps_the_newest_indexes(tmp_path: Path, docs: Path) -> None:
    """An index that was not used for a day is deleted once there are newer ones; the last used ones stay."""
    for number in range(KEPT_INDEXES + 1):
        (docs / "costs.md").write_text(f"Version {number}.")
        _corpus(tmp_path)
    for index in (tmp_path / "cache").iterdir():
        os.utime(index, (0, 0))
    assert len(list((tmp_path / "cache").iterdir())) == KEPT_INDEXES + 1
    (docs / "costs.md").write_text("Newest version.")
    _corpus(tmp_path)
    assert len(list((tmp_path / "cache").iterdir())) == KEPT_INDEXES


def test_sources_that_changed_are_found(tmp_path: Path, docs: Path) -> None:
    """A file is named if passages of it that a debate holds are no longer in it."""
    (docs / "other.md").write_text("Other words.")
    found = _corpus(tmp_path).search("euros words", 2)
    known = [item.to_passage(f"S{number}", datetime(2026, 1, 1, tzinfo=UTC)) for number, item in enumerate(found)]
    (docs / "costs.md").write_text("Hosting costs 44 euros.")
    corpus = _corpus(tmp_path)
    assert corpus.find_changed(known) == ["docs/costs.md"]
    assert corpus.find_changed(known[:0]) == []


def test_a_passage_never_splits_a_sentence() -> None:
    """A long paragraph is cut between sentences, short paragraphs are joined up to the limit."""
    text = "One two three four. Five six seven eight. Nine ten.\n\nShort one.\n\nShort two."
    parts = [part for part, _, _ in split_section(Section(text), 6)]
    assert parts == ["One two three four.", "Five six seven eight. Nine ten.", "Short one.\n\nShort two."]


def test_a_period_of_an_abbreviation_ends_no_sentence() -> None:
    """A single letter or a known abbreviation before the period keeps the sentence whole; other words end one."""
    sentences = ["The U.S. Senate heard Dr. Ada Bell on rent.", "Costs rose (Bell et al. 2020).", "No one agreed. "]
    parts = [part for part, _, _ in split_section(Section(" ".join(sentences)), 6)]
    assert parts == [sentence.strip() for sentence in sentences]


def test_a_number_after_an_abbreviation_belongs_to_the_sentence() -> None:
    """Months and words such as `No.` and `Art.` end no sentence before a number; other words and `no.` do."""
    sentences = [
        "Reg. No. 12 of Jan. 2025 and Art. 5 apply to Fig. 3 as well.",
        "See Sec. 4, Vol. 2, Eq. 7 and approx. 30 others vs. Ann.",
        "In 2024 costs rose by 5.",
        "30 of the teams left early.",
        "They all said no.",
        "Two of them left.",
    ]
    parts = [part for part, _, _ in split_section(Section(" ".join(sentences)), 6)]
    assert parts == sentences


def test_a_line_end_does_not_split_a_sentence() -> None:
    """Hard-wrapped sentences stay whole, also if the passages are short."""
    sentence = "\n".join(f"line {number} of the sentence" for number in range(20)) + "."
    parts = [part for part, _, _ in split_section(Section(f"{sentence} {sentence.capitalize()}"), 20)]
    assert parts == [sentence, sentence.capitalize()]


@pytest.mark.parametrize("unit", ["研究显示微服务没有增加运维成本", "การศึกษาพบว่าต้นทุน ", "word ", "x"])
def test_text_without_sentences_is_still_split(unit: str) -> None:
    """A line without an end of a sentence gives passages of limited size, in scripts without spaces too."""
    text = (unit * (400_000 // len(unit))).strip()
    parts = [part for part, _, _ in split_section(Section(text), 100)]
    assert max(map(len, parts)) <= 100 * (MAX_WORD_CHARS if unit == "x" else len("word "))
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")


def test_a_chinese_sentence_is_not_split() -> None:
    """Passages of a script without spaces end after sentences, with their closing quotation marks."""
    text = "他们说：「微服务没有增加运维成本。」小团队的成本增加了。研究到此结束。"
    parts = [part for part, _, _ in split_section(Section(text), 20)]
    assert parts == ["他们说：「微服务没有增加运维成本。」", "小团队的成本增加了。研究到此结束。"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Straße ist lang.", "Straße"),
        ("Die Straße ist lang.", "STRASSE"),
        ("Die Strasse ist lang.", "Straße"),
        ("Neue Maßnahmen helfen.", "Maßnahmen"),
        ("研究显示，微服务没有增加运维成本。", "微服务的优点"),
        ("マイクロサービスは運用コストを増やす。", "運用コスト"),
        ("ต้นทุนการดำเนินงานเพิ่มขึ้น", "ต้นทุน"),
        ("Ο λόγος είναι απλός.", "λόγος"),
    ],
)
def test_words_of_each_script_are_found(text: str, query: str, tmp_path: Path, docs: Path) -> None:
    """A passage is found by its words if they are written without spaces, or if their lower case has other letters."""
    (docs / "other.md").write_text(text)
    (found,) = _corpus(tmp_path).search(query, 5)
    assert found.text == text


def test_characters_in_another_order_are_not_found(tmp_path: Path, docs: Path) -> None:
    """In scripts without spaces, a passage must contain two neighbouring characters of the query."""
    (docs / "other.md").write_text("研究显示，微服务没有增加运维成本。")
    assert _corpus(tmp_path).search("本成微研", 5) == []


@pytest.mark.parametrize("query", ["C++", "AND", '"43', "hosting OR (", "NEAR(a b)", "col:umn *"])
def test_a_query_is_words_and_never_a_command(query: str, tmp_path: Path, docs: Path) -> None:
    """Operators of the index's query language in a query are searched as words."""
    del docs
    assert len(_corpus(tmp_path).search(query, 5)) <= 2


def test_search_gives_place_and_title(tmp_path: Path, docs: Path) -> None:
    """A found passage names its file, title, heading and lines."""
    del docs
    (found,) = _corpus(tmp_path).search("euro", 1)
    assert (found.source, found.title, found.locator) == ("docs/costs.md", "Costs", "Costs, line 3")


def test_an_unchanged_corpus_is_indexed_once(tmp_path: Path, docs: Path) -> None:
    """Opening it again writes nothing; a changed file gives another index."""
    _corpus(tmp_path)
    (index,) = (tmp_path / "cache").iterdir()
    written = index.stat().st_mtime_ns
    _corpus(tmp_path)
    assert [item.stat().st_mtime_ns for item in (tmp_path / "cache").iterdir()] == [written]
    (docs / "costs.md").write_text("Other words.")
    _corpus(tmp_path)
    assert len(list((tmp_path / "cache").iterdir())) == 2


@pytest.mark.parametrize("damage", [b"", b"not an index"])
def test_a_damaged_index_is_written_anew(damage: bytes, tmp_path: Path, docs: Path) -> None:
    """An index in the cache that cannot be read does not stop a run."""
    del docs
    _corpus(tmp_path)
    (index,) = (tmp_path / "cache").iterdir()
    index.write_bytes(damage)
    assert _corpus(tmp_path).files == ("docs/costs.md",)


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path, docs: Path) -> None:
    """The sentence names the variable that moves the cache."""
    del docs
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(StorageError, match="set XDG_CACHE_HOME"):
        _corpus(tmp_path)


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    """No file is left out silently."""
    with pytest.raises(UsageError, match="more than 100,000"):
        open_corpus([SourceFile(tmp_path / "a.md", "a.md")] * (MAX_FILES + 1), 40, tmp_path)


def test_files_that_cannot_be_read_are_named_and_the_rest_is_indexed(tmp_path: Path, docs: Path) -> None:
    """Binary, damaged, too large and unknown files, and a FIFO, each have a reason."""
    (docs / "binary.txt").write_bytes(b"a\0b")
    (docs / "latin.txt").write_bytes(b"caf\xe9")
    (docs / "broken.json").write_text("{")
    (docs / "photo.png").write_bytes(b"png")
    with (docs / "large.txt").open("wb") as large:
        large.truncate(MAX_FILE_BYTES + 1)
    os.mkfifo(docs / "pipe.txt")
    corpus = _corpus(tmp_path)
    assert corpus.files == ("docs/costs.md",)
    assert {file.name.removeprefix("docs/") for file in corpus.skipped} == {
        "binary.txt", "latin.txt", "broken.json", "photo.png", "large.txt", "pipe.txt",
    }  # fmt: skip


def test_links_out_of_the_folder_are_named_and_hidden_files_left_out(tmp_path: Path, docs: Path) -> None:
    """A link to a file or folder elsewhere is not followed, which is said; dot files are not read."""
    (tmp_path / "secret.md").write_text("secret words")
    (docs / "link.md").symlink_to(tmp_path / "secret.md")
    (docs / "elsewhere").symlink_to(tmp_path)
    (docs / ".hidden.md").write_text("secret words")
    corpus = _corpus(tmp_path)
    assert corpus.files == ("docs/costs.md",)
    assert [file.name for file in corpus.skipped] == ["docs/elsewhere", "docs/link.md"]
    assert "link to a place outside the folder" in corpus.skipped[0].reason


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("docs/*", ["docs/costs.md"]),
        ("**/*.md", ["docs/costs.md"]),
        ("docs/.hidden.md*", []),
        (".git/*.md", [".git/a.md"]),
    ],
)
def test_a_pattern_matches_hidden_files_only_by_their_names(
    pattern: str, names: list[str], tmp_path: Path, docs: Path
) -> None:
    """As in a folder, dot files and files in dot folders are left out, unless the pattern names the part with the dot."""
    (docs / ".hidden.md").write_text("secret words")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "a.md").write_text("words")
    assert [file.name for file in list_source_files(pattern, tmp_path)] == names


@pytest.mark.parametrize("given", ["absent", "empty"])
def test_no_source_is_one_sentence(given: str, tmp_path: Path) -> None:
    """A folder that does not exist, or has no text, is an error that says what still works."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"evidence: .*leave out the sources, which are optional$"):
        open_corpus(list_source_files(given, tmp_path), 40, tmp_path / "cache")


def test_a_new_passage_gets_the_number_after_the_highest() -> None:
    """Ids of another form, as a file from elsewhere may have, do not count."""
    debate = build_debate(opening_event(StructuredSettings()))
    known = tuple(Passage(id=name, source="a.md", text=name) for name in ("S2", f"S{'9' * 5000}", "X7"))
    shown = number_passages(
        [FoundPassage("b.md", "b", "", "text")], debate.model_copy(update={"passages": known}), None, debate.started_at
    )
    assert shown.shown == ("S3",)
