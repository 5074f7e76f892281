"""Who speaks next: pure schedulers over a `Debate`."""
