"""Judging system `structured`: one judge reads the whole debate."""
