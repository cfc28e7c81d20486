"""What all tests share."""

import pytest

import learner  # noqa: F401  before NumPy: it says how many threads BLAS may use, and bits depend on that

# Before anything imports it: its assertions explain themselves like a test's.
pytest.register_assert_rewrite("tests.scenarios.scenario")
