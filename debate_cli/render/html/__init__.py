"""The HTML report of a debate, and the index of many reports."""
