"""Probes: what frozen representations know, measured by small classifiers that are given nothing else."""
