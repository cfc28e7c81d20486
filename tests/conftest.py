"""What all tests share."""

import pytest

# Before anything imports it: its assertions explain themselves like a test's.
pytest.register_assert_rewrite("tests.scenarios.scenario")
