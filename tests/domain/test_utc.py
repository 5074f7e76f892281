"""Times are stored in UTC."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from debate_cli.domain.events import DebateResumed

NINE = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "written", ["2026-03-01T09:00:00Z", "2026-03-01T11:00:00+02:00", "2026-03-01T01:00:00-08:00", "2026-03-01T09:00:00"]
)
def test_a_time_is_converted_to_utc(written: str) -> None:
    """A time without an offset is read as UTC."""
    at = DebateResumed.model_validate({"at": written}).at
    assert (at.isoformat(), at) == (NINE.isoformat(), NINE)


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_time_beyond_year_9999_is_refused(written: str) -> None:
    """A time whose year in UTC is above 9999 is a validation error."""
    with pytest.raises(ValidationError, match="years 1 to 9999"):
        DebateResumed.model_validate({"at": written})
