"""Debaters: a debater answers a `Cue` with a `Turn`."""
