"""HuggingFace folders in and out: `from_pretrained` reads one, `save_pretrained` writes one that transformers loads."""
