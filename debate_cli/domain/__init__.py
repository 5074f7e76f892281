"""The values of a debate: frozen, without input, output or clock.

A debate is a list of `events`, from which `debate.Debate` is computed. The forms that models fill in are in
`debaters.forms` and `systems`.
"""
