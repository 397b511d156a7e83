"""The cache of the site, which pages and rates do without for as long as its server is away."""

from collections.abc import Callable
from typing import TypeVar

import structlog
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

Value = TypeVar("Value")


class DispensableCache(RedisCache):
    """Redis; while it is away nothing is found in it and nothing kept.

    What it holds can be found again in PostgreSQL or, as the counters of rates, be missed for a
    while: no reason to turn away a person who is in the middle of a study.
    """

    _is_away = False

    def get(self, key: str, default: object = None, version: int | None = None) -> object:
        """Return what is kept under this key, or the default."""
        return self._try(lambda: super(DispensableCache, self).get(key, default, version), default)

    def set(
        self,
        key: str,
        value: object,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> None:
        """Keep a value."""
        self._try(lambda: super(DispensableCache, self).set(key, value, timeout, version), None)

    def add(
        self,
        key: str,
        value: object,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> bool:
        """Keep a value where there is none; tell whether it was kept."""
        return self._try(
            lambda: super(DispensableCache, self).add(key, value, timeout, version),
            otherwise=False,
        )

    def _try(self, act: Callable[[], Value], otherwise: Value) -> Value:
        try:
            result = act()
        except RedisError as error:
            if not self._is_away:
                log.warning("cache_away", error=str(error))
            self._is_away = True
            return otherwise
        self._is_away = False
        return result
