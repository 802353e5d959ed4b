"""What pretraining is worth when a model is fine-tuned: a contest with simpler methods, and its exam."""
