"""Formats debates and events for terminals, and as plain lines, Markdown, HTML and CI formats."""
