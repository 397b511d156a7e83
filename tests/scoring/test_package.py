"""What holds for every module of the package."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import scoring

MODULES = [f"scoring.{module.name}" for module in pkgutil.iter_modules(scoring.__path__)]
FORBIDDEN = ("django", "celery", "rest_framework")


def test_the_package_imports_without_django():
    loads_all = "; ".join(f"import {module}" for module in MODULES)
    prints_loaded = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", f"{loads_all}; {prints_loaded}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert "scoring" in loaded
    assert not set(FORBIDDEN) & set(loaded)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_run_as_printed(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
