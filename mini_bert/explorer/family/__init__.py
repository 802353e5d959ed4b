"""The family in the explorer: which members there are, how each is built, and in what two of them differ."""
