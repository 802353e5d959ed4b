"""Intrinsic exams: how well a model does the very thing it was trained for, and how sound it is."""
