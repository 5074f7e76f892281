"""Judging system `panel`: several judges who deliberate."""
