"""A moment in time as it stands in journals and transcripts, whatever offset it was written with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator


def to_utc(at: datetime) -> datetime:
    """The same moment in UTC; without an offset it is taken for UTC.

    Raises ValueError where UTC has no such year.
    """
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError as error:
        msg = "no moment of the years 1 to 9999 in UTC"
        raise ValueError(msg) from error


UtcDatetime = Annotated[datetime, AfterValidator(to_utc)]
"""In UTC."""
