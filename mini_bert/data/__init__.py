"""Text to learn from."""
