"""Adapters for the APIs of vendors. An SDK is imported just before its first call."""
