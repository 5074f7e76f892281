"""Formats: pure functions that say who speaks next."""
