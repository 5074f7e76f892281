"""Readers of debates that were held elsewhere. Pure: they convert text to speeches with their places."""
