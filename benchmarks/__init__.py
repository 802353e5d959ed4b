"""The judges: the same work in Mini-BERT, PyTorch and HuggingFace. Commands, never timed tests."""
