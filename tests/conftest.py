"""What holds for the whole suite."""

from __future__ import annotations

import os

from hypothesis import settings

# Where a run must be the same for everyone, so are the examples; elsewhere each run looks at new ones.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "new")
