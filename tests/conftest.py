"""What every test shares."""

import pytest
from threadpoolctl import threadpool_limits

pytest.register_assert_rewrite(
    "tests.tolerances", "tests.mathematical.battery", "tests.mathematical.promises"
)

threadpool_limits(1)
"""One BLAS thread: the matrices of tests are so small that a second one only waits for the first."""
