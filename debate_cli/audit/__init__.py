"""Audits judges: code changes debates, a judge judges each changed debate, and changed verdicts show its biases."""
