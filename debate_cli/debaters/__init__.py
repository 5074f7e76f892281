"""Cue -> Turn: the only place where a speech is made."""
