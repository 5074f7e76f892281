"""Judges: a judge answers a `Brief` with an `Assessment`. No other code makes judgments."""
