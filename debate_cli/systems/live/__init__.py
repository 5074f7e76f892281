"""Judging system `live`: judges every turn, every exchange and the whole debate."""
