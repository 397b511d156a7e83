"""The folder beside the repository whose files are oracles for some tests."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not there")
