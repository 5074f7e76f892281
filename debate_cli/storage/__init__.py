"""Reads and writes files: configurations, journals and transcripts."""
