"""Audits of judges. Code changes debates, and a judge's verdicts on the changed debates show the judge's biases."""
