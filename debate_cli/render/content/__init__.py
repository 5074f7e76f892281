"""Builds the content of screens and reports as values. Other packages draw the values."""
