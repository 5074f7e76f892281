"""Debate formats: pure functions that decide who speaks next."""
