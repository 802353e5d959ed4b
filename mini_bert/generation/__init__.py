"""Text from a causal model: a token is chosen from what the model expects next, then read, and so on."""
