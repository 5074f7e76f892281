"""Judging system `live`: every turn, every exchange, the whole debate."""
