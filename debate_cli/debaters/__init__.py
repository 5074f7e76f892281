"""Debaters: a debater answers a `Cue` with a `Turn`. No other code makes speeches."""
