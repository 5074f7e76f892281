"""Judgements as a Parquet file. Other formats are text and are in `render.experiment`."""

import json
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, get_args, get_type_hints

from debate_cli.errors import UsageError
from debate_cli.experiments.results import Judgement, flatten
from debate_cli.storage.atomic_write import friendly_os_errors

ROWS_PER_GROUP = 10_000
MISSING_EXTRA = "--format parquet needs the package pyarrow; install it with: pip install 'debate-cli[experiments]' (from a checkout: pip install '.[experiments]')"
_ARROW_TYPES = {bool: "bool_", int: "int64", float: "float64"}
"""Type of a column -> its type in Arrow; other types are text."""


def write_parquet(path: Path, rows: Iterable[Judgement], axes: Sequence[str]) -> None:
    """Write the rows to `path`, a part at a time. Raises UsageError without pyarrow, StorageError."""
    try:
        pa: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise UsageError(MISSING_EXTRA) from error
    fields = [(name, getattr(pa, kind)()) for name, kind in _column_types()]
    schema = pa.schema([*fields, *((f"axes.{key}", pa.string()) for key in axes)])
    left = iter(rows)
    with friendly_os_errors(path, "written"), parquet.ParquetWriter(path, schema) as writer:
        while part := list(islice(left, ROWS_PER_GROUP)):
            writer.write_table(pa.Table.from_pylist([_to_text_axes(row) for row in part], schema=schema))


def _column_types() -> Iterator[tuple[str, str]]:
    for name, hint in get_type_hints(Judgement).items():
        if name != "axes":
            kinds = set(get_args(hint)) - {type(None)} or {hint}
            yield name, next((_ARROW_TYPES[kind] for kind in _ARROW_TYPES if kind in kinds), "string")


def _to_text_axes(row: Judgement) -> dict[str, Any]:
    """A row with axes converted to text, because values of one axis may have several types."""
    return {
        name: value if not name.startswith("axes.") or isinstance(value, str | None) else json.dumps(value)
        for name, value in flatten(row).items()
    }
