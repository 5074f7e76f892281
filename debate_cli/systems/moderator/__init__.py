"""Judging system `moderator`: every round and the end."""
