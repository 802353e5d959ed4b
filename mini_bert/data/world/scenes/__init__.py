"""Scenes: what happens to people and things, and how it is told."""
