"""The pass as a graph of operations: which number was made of which others, forward and backward."""
