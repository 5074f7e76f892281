"""The finished debate on a terminal, drawn with Rich. `render.live` draws the running one."""
