"""Using a model: to fill in hidden words, to make vectors of sentences, to write on."""
