"""The folder beside the repository with oracles that are not committed to it."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def needs_shared(test):
    """Mark a test that reads ../shared, and skip it where that folder is absent."""
    absent = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is absent")
    return pytest.mark.shared(absent(test))
