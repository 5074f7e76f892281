"""The port to language models, and the wrappers around it. No module here depends on a provider."""
