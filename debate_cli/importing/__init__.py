"""Readers of debates that were held elsewhere. Pure: they turn text into speeches, each with its place in the file."""
