"""Presents debates and events on a terminal, as plain lines, Markdown, HTML and CI formats."""
