"""What a computation ran on: library versions, processor, BLAS kernel, threads."""

import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import threadpoolctl

LIBRARIES = ("numpy", "scipy", "scikit-learn", "networkx", "pillow")


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that compute.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> sorted(library_versions())
    ['networkx', 'numpy', 'pillow', 'python', 'scikit-learn', 'scipy']
    """
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}


def environment() -> dict[str, Any]:
    """Return all that near ties in the tables are known to depend on.

    Returns
    -------
    dict
        versions, cpu, and one entry per thread pool: library, kernel, threads.

    Examples
    --------
    >>> sorted(environment())
    ['cpu', 'thread_pools', 'versions']
    """
    pools = [
        {
            "library": pool["internal_api"],
            "version": pool["version"],
            "kernel": pool.get("architecture"),
            "threads": pool["num_threads"],
        }
        for pool in threadpoolctl.threadpool_info()
    ]
    return {"versions": library_versions(), "cpu": _cpu_model(), "thread_pools": pools}


def single_threaded() -> threadpoolctl.threadpool_limits:
    """Hold every BLAS and OpenMP pool of this process to one thread inside a with block.

    The sum of a dot product depends on how it is split among threads; near ties follow it.

    Returns
    -------
    context manager

    Examples
    --------
    >>> with single_threaded():
    ...     {pool["threads"] for pool in environment()["thread_pools"]}
    {1}
    """
    return threadpoolctl.threadpool_limits(limits=1)


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())
