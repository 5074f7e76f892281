"""Debaters: a debater answers a `Cue` with a `Turn`. Only this package makes speeches."""
