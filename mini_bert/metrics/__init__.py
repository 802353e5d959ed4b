"""Figures of merit, as functions of plain arrays; scikit-learn and SciPy judge them in tests/parity."""
