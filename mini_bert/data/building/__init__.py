"""Building a corpus: from public text as others publish it to two sides, one to learn from and one held out."""
