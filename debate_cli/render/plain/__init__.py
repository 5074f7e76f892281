"""For pipes, files and screen readers: lines of plain text. No Rich."""
