"""Files to hand on: a page, Markdown, and what continuous integration reads."""
