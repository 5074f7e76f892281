"""Deterministic model without network, for rehearsals and tests."""
