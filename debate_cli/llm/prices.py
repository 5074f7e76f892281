"""What a model's tokens cost: the bundled tables of `genai-prices`, read without any network."""
