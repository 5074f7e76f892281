"""Use cases, called by the command line and by the Python API alike. They return values and print nothing."""
