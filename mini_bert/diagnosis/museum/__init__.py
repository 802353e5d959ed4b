"""The bug museum: runs that are broken on purpose, each by one mistake that people really make."""
