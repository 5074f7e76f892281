"""PDF and Word files are sources, if the extra for them is installed."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from debate_cli.evidence.corpus import Corpus, list_source_files, open_corpus
from debate_cli.evidence.documents import SourceFile, read_sections
from debate_cli.evidence.sections import MAX_TEXT_CHARS

docx = pytest.importorskip("docx", reason="needs the extra [documents]")
WD_STYLE_TYPE = pytest.importorskip("docx.enum.style").WD_STYLE_TYPE


def _corpus(folder: Path) -> Corpus:
    return open_corpus(list_source_files("docs", folder), 40, folder / "cache")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a page."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "costs.md").write_text("Hosting costs 43 euros.")
    return folder


def _pdf(*pages: str) -> bytes:
    """A PDF with one line of text on each page."""
    fonts = "<< /Font << /F1 3 0 R >> >>"
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R /Resources {fonts} >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    body = "%PDF-1.4\n"
    offsets: list[int] = []
    for number, item in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{item}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"trailer << /Root 1 0 R /Size {len(objects) + 1} >>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()


def _write_docx(path: Path) -> None:
    document = docx.Document()
    document.add_heading("Costs", 1)
    document.add_paragraph("Hosting costs 43 euros a month.")
    table = document.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, (("item", "cost"), ("redis", "43")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.save(str(path))


def test_pdf_and_word_files_are_read_with_their_places(tmp_path: Path, docs: Path) -> None:
    """A passage of a PDF names its page, one of a Word file its heading; a row of a table names its columns."""
    (docs / "costs.md").unlink()
    (docs / "a.pdf").write_bytes(_pdf("Nothing here.", "Kafka costs 7 euros."))
    _write_docx(docs / "b.docx")
    corpus = _corpus(tmp_path)
    found = [corpus.search(word, 1)[0] for word in ("kafka", "hosting", "redis")]
    assert [(item.title, item.locator, item.text.strip()) for item in found] == [
        ("a", "page 2", "Kafka costs 7 euros."),
        ("Costs", "Costs", "Hosting costs 43 euros a month."),
        ("Costs", "Costs", "item: redis; cost: 43"),
    ]


def test_superscripts_of_a_word_file_do_not_join_the_number_before_them(tmp_path: Path) -> None:
    """Raised runs, also by their style and in headings, links and tables, become Unicode superscripts; H2O stays as it is."""
    document = docx.Document()
    raised = document.styles.add_style("Raised", WD_STYLE_TYPE.CHARACTER)
    raised.font.superscript = True
    table = document.add_table(rows=2, cols=1)
    for paragraph in (
        document.add_heading("", 1),
        document.add_paragraph(),
        *(row.cells[0].paragraphs[0] for row in table.rows),
    ):
        paragraph.add_run("10")
        paragraph.add_run("-").font.superscript = True
        paragraph.add_run("6", raised)
        paragraph.add_run(" t of H")
        paragraph.add_run("2").font.subscript = True
        paragraph.add_run("O")
    document.save(str(tmp_path / "a.docx"))
    source = SourceFile(tmp_path / "a.docx", "a.docx")
    title, sections = read_sections(source, source.path.read_bytes())
    written = "10⁻⁶ t of H2O"
    assert [title, *(section.text for section in sections)] == [written, f"{written}: {written}", written]


def _zip_bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(MAX_TEXT_CHARS + 1))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", lambda: b"%PDF-1.4 broken", "is not valid PDF"),
        ("a.docx", lambda: b"PK broken", "is not valid DOCX"),
        ("a.docx", _zip_bomb, "its unpacked content is larger than 100 MB"),
        ("a.pdf", lambda: _pdf(""), "contain no text"),
    ],
)
def test_a_pdf_or_word_file_that_cannot_be_read_is_named(
    name: str, content: Callable[[], bytes], reason: str, tmp_path: Path, docs: Path
) -> None:
    """A damaged file, one that would unpack without bound and a scan each get a reason; the rest is indexed."""
    (docs / name).write_bytes(content())
    corpus = _corpus(tmp_path)
    assert corpus.files == ("docs/costs.md",)
    assert reason in corpus.skipped[0].reason
