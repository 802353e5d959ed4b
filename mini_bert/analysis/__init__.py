"""Analyses: each returns numbers, with a figure beside them that a notebook shows by itself."""
