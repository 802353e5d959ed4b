"""What the views of the backward pass and of learning are made of."""
