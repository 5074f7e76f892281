"""Judging system `structured`: one judge, whole debate."""
