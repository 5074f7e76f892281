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


def test_empty_lines_before_the_header_are_skipped() -> None:
    """The first line with text names the columns."""
    assert parse_csv("\n\na;b\n1;2\n").columns == ("a", "b")


def test_delimiters_in_quotes_do_not_count() -> None:
    """A quoted column name may contain more semicolons than the line has commas."""
    assert parse_csv('topic,"a;b;c"\nx,y\n').columns == ("topic", "a;b;c")


def test_a_quote_inside_a_cell_does_not_quote_a_delimiter() -> None:
    """A name with a sign for inches does not hide the semicolons up to the next quote."""
    table = parse_csv('id;12" screen\n1;"x, y"\n2;"p, q, r"\n')
    assert (table.columns, table.rows[1][1]["id"]) == (("id", '12" screen'), "2")


def test_a_quoted_column_name_may_contain_quotes() -> None:
    """Doubled quotes do not end a quoted name."""
    assert parse_csv('topic;"the ""a,b,c"" of, it"\nx;y\n').columns == ("topic", 'the "a,b,c" of, it')


def test_a_column_name_may_contain_a_line_break() -> None:
    """The delimiter is also found if a name in quotes divides the first line."""
    assert parse_csv('"topic\nof the day";side\nx;y\n').columns == ("topic\nof the day", "side")


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
