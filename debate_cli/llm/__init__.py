"""The port to language models, and the wrappers around it. This package names no provider."""
