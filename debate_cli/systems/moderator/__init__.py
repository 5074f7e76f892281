"""Judging system `moderator`: judges every round and the whole debate."""
