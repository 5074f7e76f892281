"""Cue -> Turn: the only place where speeches are made."""
