"""Plots: each function takes numbers and returns a figure. Only this package imports matplotlib."""
