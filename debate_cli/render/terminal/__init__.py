"""Draws a finished debate on a terminal with Rich. `render.live` draws a debate in progress."""
