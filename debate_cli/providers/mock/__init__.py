"""Mock provider: a deterministic model in this process, for rehearsals and tests. It needs no key and no network."""
