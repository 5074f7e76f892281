"""Detector of instructions to the judge inside speeches."""
