"""Audits a judge: code changes debates, and the judge's verdicts on the changed debates show the judge's biases."""
