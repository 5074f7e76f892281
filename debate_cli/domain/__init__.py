"""The values of a debate: frozen, without input or output, without a clock.

A debate is a list of `events`; `debate.Debate` is their fold. The forms that models fill in do not live here (see
`debaters.forms` and `systems`), so that no schema quirk of a provider reaches a transcript.
"""
