import doctest
import importlib
import pkgutil

import pytest

import catalog.workflows

MODULES = sorted(
    module.name for module in pkgutil.iter_modules(catalog.workflows.__path__, "catalog.workflows.")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_hold(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
