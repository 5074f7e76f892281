"""Readers of debates that were held elsewhere. Pure functions turn text into speeches."""
