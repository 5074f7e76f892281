"""The command line, one module per command: options, one call into `app`, rendering, exit code."""
