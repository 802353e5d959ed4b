"""Models that come with the package, how any model is found by its name, and how one is packed to be shipped."""
