"""Judging systems: one folder each, behind one protocol and a registry."""
