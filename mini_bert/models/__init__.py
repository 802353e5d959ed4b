"""Models: configurations, the parts they stand for, the names of their weights, and their files."""
