"""Judging system `sources`: checks the citations."""
