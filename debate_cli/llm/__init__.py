"""The interface `Model` to language models, and model wrappers. No module here depends on a provider."""
