"""Use cases, called by the command line and by the Python API. They return values and print nothing."""
