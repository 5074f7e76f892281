"""A debate as text: plain lines, Markdown, and the formats of continuous integration."""
