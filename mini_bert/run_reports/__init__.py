"""What runs have come to: read from their folders, summed up, compared, and told in a page."""
