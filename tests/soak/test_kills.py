"""SIGKILL at random moments of debates with all five systems: whatever is on disk resumes to the undisturbed transcript."""

from pathlib import Path

import pytest
from saved_support import without_times
from soak_support import command, config, duration, finish, kill_after, moments

KILLS = 200


@pytest.mark.slow
def test_killed_debates_resume_to_the_same_transcript(tmp_path: Path) -> None:
    """Each debate is killed, then resumed: the transcript differs only in its times.

    The configuration is named again, because a saved debate names no sources to read.
    """
    source = config(tmp_path)
    whole = command(str(source), "--id", "d", "--out", "whole")
    longest = duration(whole, tmp_path)
    expected = without_times(tmp_path / "whole" / "d.json")
    caught = 0
    for number, seconds in enumerate(moments(KILLS, seed=1, longest=longest)):
        out = f"run{number}"
        code = kill_after(command(str(source), "--id", "d", "--out", out), tmp_path, seconds)
        caught += code == -9
        if not list((tmp_path / out).glob("d.json*")):
            assert finish(command(str(source), "--id", "d", "--out", out), tmp_path).returncode == 0
        done = finish(command(str(source), "--resume", f"{out}/d.json"), tmp_path)
        assert done.returncode == 0, done.stderr
        assert without_times(tmp_path / out / "d.json") == expected, f"killed after {seconds:.3f} s"
        assert sorted(path.name for path in (tmp_path / out).iterdir() if path.suffix != ".lock") == ["d.json"]
    assert caught
    print(f"{caught} of {KILLS} runs were killed alive; all ended in the same transcript")
