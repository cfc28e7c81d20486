"""Property tests here may take their time, and give the same examples in every run."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("rules", deadline=None, derandomize=True, database=None, max_examples=60)
hypothesis.settings.load_profile("rules")
