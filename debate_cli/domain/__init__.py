"""The values of a debate: frozen, without input or output, without a clock.

A debate is a list of `events`; `debate.Debate` is their fold. What a model is asked to fill in does not live here (see
`debaters.forms` and `judging.forms`), so that no provider's schema quirk reaches a transcript.
"""
