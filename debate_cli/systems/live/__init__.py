"""Judging system `live`: judges every turn, every exchange (two adjacent turns) and the whole debate."""
