"""Adapters for web search: the search tools of Anthropic and OpenAI, and the search engines of Ollama and SearXNG."""
