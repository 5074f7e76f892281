"""Detector of instructions to the judge in speeches."""
