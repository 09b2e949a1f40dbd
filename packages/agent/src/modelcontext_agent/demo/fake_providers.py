"""The providers of which the demo has fakes."""

#: By the name of a provider: the kind of model whose adapter speaks its format.
PROVIDERS = {"anthropic": "anthropic", "openai": "openai", "openai-responses": "openai-responses", "gemini": "google"}
