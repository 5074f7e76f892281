"""Batches: asks judges through the vendors' batch APIs, which take hours and cost half the price."""
