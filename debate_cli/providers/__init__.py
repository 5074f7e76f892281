"""Adapters, one SDK each, imported just before the first call."""
