"""Runs of training as the explorer shows them: their curves, their diagnosis, and what their checkpoints say."""
