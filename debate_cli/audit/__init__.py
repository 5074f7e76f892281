"""Audits of judges. An audit changes debates. The judge's verdicts on the changed debates show the judge's biases."""
