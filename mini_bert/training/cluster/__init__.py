"""One model trained by several processes, on one machine or on many."""
