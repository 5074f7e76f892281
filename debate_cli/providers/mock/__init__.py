"""Mock provider: a deterministic model in this process, for rehearsals and tests. No key, no network."""
