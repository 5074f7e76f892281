"""The CSV that spreadsheets write: motions, labels, results and debates are read by the same rules."""

import pytest

from debate_cli.csv_file import CsvFile, parse_csv

TABLE = CsvFile(("a", "b"), ((2, {"a": "1", "b": "2"}), (3, {"a": "3", "b": "4"})))


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n",
        "a;b\r\n1;2\r\n3;4",
        "a\tb\n1\t2\n3\t4\n",
        " a ,b \n1,2\n3,4\n",
        "a,b,,\n1,2,,\n3,4,, \n",
        "a,b\n1,2,,\n3,4\n,\n,,,\n\n",
    ],
    ids=["plain", "semicolons", "tabs", "spaces in the header", "empty columns", "empty rows and values"],
)
def test_what_a_spreadsheet_adds_changes_nothing(text: str) -> None:
    """Delimiters, line ends, and empty rows, values and columns without a name do not change the table."""
    assert parse_csv(text) == TABLE


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("\n\na;b\n1;2\n", ("a", "b")),
        ('topic,"a;b;c"\nx,y\n', ("topic", "a;b;c")),
        ('topic;"the ""a,b,c"" of, it"\nx;y\n', ("topic", 'the "a,b,c" of, it')),
        ('"topic\nof the day";side\nx;y\n', ("topic\nof the day", "side")),
        ('id;12" screen\n1;"x, y"\n2;"p, q, r"\n', ("id", '12" screen')),
    ],
    ids=["empty lines", "delimiters in quotes", "quotes in quotes", "a line break in quotes", "a sign for inches"],
)
def test_the_first_line_with_text_names_the_columns(text: str, columns: tuple[str, ...]) -> None:
    """Delimiters, doubled quotes and line breaks in a quoted name do not count; a quote within a name hides no delimiter."""
    assert parse_csv(text).columns == columns


def test_a_column_without_a_name_that_has_values_is_kept() -> None:
    """A column without a name, such as numbers of rows, is called by its place, and does not clash with another."""
    table = parse_csv(",topic,\n1,Tea?,x\n")
    assert (table.columns, dict(table.rows[0][1])) == (
        ("unnamed 1", "topic", "unnamed 3"),
        {"unnamed 1": "1", "topic": "Tea?", "unnamed 3": "x"},
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('a,b\n"1"x,2\n', "not valid CSV at line 2"),
        ('a,b\n"1,2\n3,4\n', "not valid CSV at line 3"),
        ("a,A\n1,2\n", "two columns are named 'a'; rename or remove one of them"),
        ("a,b\n1,2,3\n", "line 2 has more values than the 2 columns; quote each value that contains a delimiter"),
    ],
)
def test_a_table_that_can_be_read_in_two_ways_is_refused(text: str, sentence: str) -> None:
    """A wrong quote, a repeated name and a value too many are errors with the line or the column."""
    with pytest.raises(ValueError, match=sentence):
        parse_csv(text)
