"""Modules of the command line, one per command: options, one call, rendering, exit code."""
