"""The port to models and everything that wraps it; no provider is named here."""
