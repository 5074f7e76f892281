"""Detects injections: words in a speech that give the judge instructions."""
