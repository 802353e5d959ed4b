"""The explorer: a local web app in which one watches a model think, and watches it learn."""
