"""What every test shares."""

import pytest

pytest.register_assert_rewrite(
    "tests.tolerances", "tests.mathematical.battery", "tests.mathematical.promises"
)
