"""The HTML report and the index of reports."""
