"""Reads a CSV file with column names in its first line, as written by a person or a spreadsheet."""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from debate_cli.errors import UsageError
from debate_cli.regular_file import read_regular_text

MAX_CELL_CHARS = 128 * 1024


class CsvFile(NamedTuple):
    """The content of a CSV file."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str | None]], ...]
    """One pair per row: line number in the file, and values by column. A missing value is None.

    If a value contains line breaks, the line number is that of the row's last line.
    """


def read_csv_file(path: Path, max_bytes: int, name: str, max_cell_chars: int = MAX_CELL_CHARS) -> CsvFile:
    """Read a CSV file in UTF-8. `name`: name of the file in errors.

    Raises UsageError if the file is unreadable, too large or not valid CSV. Raises UsageError if a column name appears
    twice, or if a row has more values than there are columns.
    """
    try:
        text = read_regular_text(path, max_bytes, "utf-8-sig")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror}); give a CSV file in UTF-8") from error
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    limit = csv.field_size_limit(max_cell_chars)
    try:
        columns = tuple(column.strip() for column in reader.fieldnames or ())
        reader.fieldnames = columns
        rows = tuple((reader.line_num, row) for row in reader)
    except csv.Error as error:
        raise UsageError(f"{name}: not valid CSV after line {reader.line_num} ({error}); check the quotes") from error
    finally:
        csv.field_size_limit(limit)
    repeated = [column for column, count in Counter(map(str.lower, filter(None, columns))).items() if count > 1]
    if repeated:
        raise UsageError(f"{name}: the column {repeated[0]!r} is named twice; rename or remove one of the two")
    for line, row in rows:
        if any(map(str.strip, row.pop(None, ()))):  # a spreadsheet may end rows with empty values
            raise UsageError(
                f"{name}: line {line} has more values than the {len(columns)} columns; put a value with a comma in quotes"
            )
    return CsvFile(columns, rows)
