"""The values of a debate: frozen, without input, output or clock.

A debate is a list of `events`; `debate.Debate` is their fold. The forms that models fill in live in `debaters.forms`
and `systems`, so that no schema quirk of a provider reaches a transcript.
"""
