"""Strict readers of environment variables: a bad value stops the start with one clear line."""

import os
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def read_str(name: str, default: str | None = None, *, env: Mapping[str, str] = os.environ) -> str:
    """Return the variable, or the default; without either, refuse."""
    value = env.get(name, "") or default
    if value is None:
        raise ImproperlyConfigured(f"{name} is not set. `make run` sets it; see docs/deploy.md.")
    return value


def read_bool(name: str, *, default: bool, env: Mapping[str, str] = os.environ) -> bool:
    """Return the variable as a truth value: 1/true/yes/on or 0/false/no/off."""
    value = env.get(name, "").strip().lower()
    if not value:
        return default
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise ImproperlyConfigured(f"{name}={value!r} is neither true nor false: write 1 or 0.")


def read_int(
    name: str, default: int, *, minimum: int = 0, env: Mapping[str, str] = os.environ
) -> int:
    """Return the variable as a whole number of at least `minimum`."""
    value = env.get(name, "").strip()
    if not value:
        return default
    if not value.isdecimal() or int(value) < minimum:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number >= {minimum}.")
    return int(value)


def read_list(name: str, default: list[str], *, env: Mapping[str, str] = os.environ) -> list[str]:
    """Return the comma-separated variable as a list without empty entries."""
    value = env.get(name, "")
    return [part.strip() for part in value.split(",") if part.strip()] if value else default


def read_address(name: str, *, schemes: Iterable[str], env: Mapping[str, str] = os.environ) -> str:
    """Return the variable, an address with one of these schemes."""
    value = read_str(name, env=env)
    if not value.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        # The value itself is not shown: it may hold a password.
        raise ImproperlyConfigured(
            f"{name} must start with {' or '.join(f'{scheme}://' for scheme in schemes)}: "
            "see docs/deploy.md."
        )
    try:
        urlsplit(value).port  # noqa: B018  (reading it is the check)
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} is no address: write %23 for # and %2F for / in a password."
        ) from None
    return value


def read_database(name: str, *, env: Mapping[str, str] = os.environ) -> dj_database_url.DBConfig:
    """Return the settings of the PostgreSQL database that the variable names."""
    address = read_address(name, schemes=("postgresql", "postgres"), env=env)
    return dj_database_url.parse(address, conn_max_age=60)
