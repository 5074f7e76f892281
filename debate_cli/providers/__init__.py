"""Adapters, one SDK each, imported only when a call is about to be made."""
