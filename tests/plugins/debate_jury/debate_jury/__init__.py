"""A judging system for debate-cli: a jury whose members vote with one word."""
