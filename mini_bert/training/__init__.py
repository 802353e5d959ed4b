"""Training: what is predicted, and how weights move."""
