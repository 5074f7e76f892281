"""Judging system `structured`: each judge reads the whole debate."""
