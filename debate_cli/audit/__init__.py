"""Audits judges: code changes debates, a judge judges each changed debate, and score differences show its biases."""
