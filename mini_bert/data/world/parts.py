"""Stories for those who learn from labels, and for exams: other ones than models read in training, which has seed 0."""

WORLD_SEEDS = {"train": 101, "dev": 102, "test": 103}
