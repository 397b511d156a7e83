"""`make bench`: run every benchmark, or those named; each prints JSON lines."""

import importlib
import pkgutil
import sys

import benchmarks


def main() -> None:
    """Run the benchmarks one after the other, so that none disturbs another."""
    every = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    for name in sys.argv[1:] or [name for name in every if name != "__main__"]:
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
