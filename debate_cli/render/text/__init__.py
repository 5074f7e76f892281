"""Formats a debate as text: plain lines, Markdown, and formats for continuous integration."""
