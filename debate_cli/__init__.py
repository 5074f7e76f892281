"""A command-line debate runner: language models argue, judges judge, every score can be recomputed."""

__version__ = "0.1.0"
