"""Reads CSV with column names in its first line, as written by a person or a spreadsheet."""

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from debate_cli.errors import UsageError
from debate_cli.regular_file import read_regular_text

MAX_CELL_CHARS = 128 * 1024
DELIMITERS = ",;\t|"
_MAX_HEAD_CHARS = 100_000
_QUOTED_CELL = re.compile(r'(?:^|(?<=[,;\t|\n]))"(?:[^"]|"")*"')


class CsvFile(NamedTuple):
    """The content of a CSV file."""

    columns: tuple[str, ...]
    """Names of the columns. Columns without a name are called by their position, e.g. `unnamed 3`."""
    rows: tuple[tuple[int, Mapping[str, str]], ...]
    """One pair per row: its line number in the file, and its values by column name. A row that is shorter than the header
    has no values for the last columns.

    If a value contains line breaks, the line number is that of the row's last line.
    """


def read_csv_file(path: Path, max_bytes: int, name: str, max_cell_chars: int = MAX_CELL_CHARS) -> CsvFile:
    """Read a CSV file in UTF-8. `name`: name of the file in errors.

    Raises UsageError if the file is unreadable or too large, or if `parse_csv` raises ValueError.
    """
    try:
        return parse_csv(read_regular_text(path, max_bytes, "utf-8-sig"), max_cell_chars)
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror}); give the path of a readable CSV file") from error
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error


def parse_csv(text: str, max_cell_chars: int = MAX_CELL_CHARS) -> CsvFile:
    """Return the table in `text`. Leaves out empty rows, and empty columns without a name, which spreadsheets append.

    Raises ValueError if `text` is not valid CSV, if a column name appears twice, or if a row has more values than there
    are columns.
    """
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text), strict=True)
    limit = csv.field_size_limit(max_cell_chars)
    try:
        head = [cell.strip() for cell in next((row for row in lines if row), list[str]())]
        rows = [(lines.line_num, row) for row in lines if any(row)]
    except csv.Error as error:
        raise ValueError(f"not valid CSV at line {lines.line_num} ({error}); check the quotes") from error
    finally:
        csv.field_size_limit(limit)
    used = {number for _, row in rows for number, cell in enumerate(row) if cell.strip()}
    for line, row in rows:
        if any(map(str.strip, row[len(head) :])):
            raise ValueError(
                f"line {line} has more values than the {len(head)} columns; quote each value that contains a delimiter"
            )
    columns = {number: name or f"unnamed {number + 1}" for number, name in enumerate(head) if name or number in used}
    repeated = [name for name, count in Counter(map(str.lower, columns.values())).items() if count > 1]
    if repeated:
        raise ValueError(f"two columns are named {repeated[0]!r}; rename or remove one of them")
    return CsvFile(
        tuple(columns.values()),
        tuple((line, {columns[at]: cell for at, cell in enumerate(row) if at in columns}) for line, row in rows),
    )


def find_delimiter(text: str) -> str:
    """Return the most frequent delimiter in the first row with text; the comma if the row has no delimiter.

    Delimiters and line breaks in a quoted cell do not count. A quotation mark inside a cell, as in `12" screen`, does not
    begin a quoted cell.
    """
    head = _QUOTED_CELL.sub("", text.lstrip("\r\n")[:_MAX_HEAD_CHARS]).split("\n", 1)[0]
    return max(DELIMITERS, key=head.count)
