"""The mathematics: pure functions in pairs. A backward's signature says what its forward must remember."""
