"""The recipe search: short runs that differ in one thing each, and one exam for all of them."""
