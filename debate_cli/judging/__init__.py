"""Judges: a judge answers a `Brief` with an `Assessment`."""
