"""The open classes, by meaning: who and what there is in the world, and what is done with it."""
