"""Wiring of the site: settings, the map of URLs, workers, API defaults. Nobody imports it."""

import os

# Results of the native workflows follow the BLAS thread count in near ties (see
# catalog/workflows), so one thread is fixed here, before anything imports NumPy.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from wwbsite.celery import app as celery_app  # noqa: E402  (after the thread count is fixed)

__all__ = ("celery_app",)
