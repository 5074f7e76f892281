"""The file of a cassette: for its owner, without secrets, continued where it broke off, refused where it is damaged."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from cassette_support import ASK, REPLY, play, record

from debate_cli.errors import ConfigError, RejectedError, StorageError
from debate_cli.providers.cassette import CassettePlayer, CassetteRecorder


def test_only_the_owner_can_read_it(cassette: Path) -> None:
    """Mode 0600, also where the file was there and more open."""
    record(cassette, REPLY)
    cassette.chmod(0o644)
    CassetteRecorder(cassette)
    assert stat.S_IMODE(cassette.stat().st_mode) == 0o600


def test_it_begins_with_its_version(cassette: Path) -> None:
    """The header is there before the first exchange."""
    CassetteRecorder(cassette)
    assert json.loads(cassette.read_text()) == {"cassette_version": 1}


def test_it_can_be_read_by_people(cassette: Path) -> None:
    """A line holds fingerprint, model, purpose and the request in its own words."""
    record(cassette, REPLY)
    line = json.loads(cassette.read_text().splitlines()[1])
    assert line["fingerprint"] == ASK.fingerprint()
    assert (line["model"], line["request"]["purpose"]) == ("lab/m", "opening")
    assert line["request"]["messages"] == [{"role": "user", "content": "Motion: cats. Tag NONCE."}]


class TestSecrets:
    """Redaction."""

    SECRET = "hunter2hunter2"

    @classmethod
    def redact(cls, text: str) -> str:
        """Take the secret out."""
        return text.replace(cls.SECRET, "[redacted]")

    def test_no_secret_is_written(self, cassette: Path) -> None:
        """No secret is in recorded requests, replies and errors."""
        request = replace(ASK, system=f"Key {self.SECRET}.")
        reply = replace(REPLY, text=f"It is {self.SECRET}.")
        record(cassette, reply, RejectedError(f"bad {self.SECRET}"), request=request, redact=self.redact)
        assert self.SECRET not in cassette.read_text()

    def test_the_recording_run_hears_what_the_replay_will_hear(self, cassette: Path) -> None:
        """The recording run uses the redacted reply, so that its replay makes the same requests."""
        heard = record(cassette, replace(REPLY, text=f"It is {self.SECRET}."), redact=self.redact)
        assert heard == [play(CassettePlayer(cassette))]

    def test_a_request_with_a_secret_is_found_again(self, cassette: Path) -> None:
        """A player that knows the secret looks for the request without it."""
        request = replace(ASK, system=f"Key {self.SECRET}.")
        record(cassette, REPLY, request=request, redact=self.redact)
        assert play(CassettePlayer(cassette, self.redact), request) == REPLY


HEADER = '{"cassette_version": 1}\n'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "line 1"),
        ("hello\n", "line 1"),
        ("[1]\n", "line 1"),
        ('{"cassette_version": 2}\n', "version 2"),
        (HEADER + "{}\n", "line 2.*fingerprint"),
        (HEADER + "nonsense\n", "line 2"),
        (HEADER + '{"fingerprint": "x", "model"', "line 2.*incomplete"),
    ],
)
def test_a_damaged_cassette_is_told_with_its_line(cassette: Path, content: str, told: str) -> None:
    """A damaged file is not replayed."""
    cassette.write_text(content)
    with pytest.raises(ConfigError, match=rf"run\.cassette.*{told}"):
        CassettePlayer(cassette)


def test_a_missing_cassette_is_told(cassette: Path) -> None:
    """The path is in the message."""
    with pytest.raises(ConfigError, match=r"run\.cassette"):
        CassettePlayer(cassette)


def test_a_recording_can_be_continued(cassette: Path) -> None:
    """A second recorder appends, after removing an incomplete last line."""
    record(cassette, replace(REPLY, text="one"))
    with cassette.open("a") as file:
        file.write('{"fingerprint": "to')
    record(cassette, replace(REPLY, text="two"))
    player = CassettePlayer(cassette)
    assert [play(player).text for _ in range(2)] == ["one", "two"]


@pytest.mark.parametrize("content", ["name: not ours\n", "no newline"])
def test_another_file_is_not_written_over(cassette: Path, content: str) -> None:
    """A file that is not a cassette is not changed."""
    cassette.write_text(content)
    with pytest.raises(ConfigError):
        CassetteRecorder(cassette)
    assert cassette.read_text() == content


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The error comes before a model is asked."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        CassetteRecorder(tmp_path / "file" / "run.cassette")
