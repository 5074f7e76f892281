"""Adapters for the APIs of vendors. Each adapter imports its SDK just before the first call."""
