"""People in the role of models: `human` answers at the terminal, `files` in a folder, `paste` through the clipboard."""

PERSON_PROVIDERS = ("human", "files", "paste")
"""Providers whose models are people. The person's name is optional: `human` or `human/ann`."""
TERMINAL_PROVIDERS = ("human", "paste")
"""Person providers that need a terminal."""


def is_person(model: str) -> bool:
    """Whether `provider/model` is a person."""
    return model.partition("/")[0] in PERSON_PROVIDERS
