"""Find the chromium that the browser tests drive, or install Debian's: `python3 tools/chromium.py`.

Standard library only: it also runs before .venv exists.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-liberation")
INSTALL_LINE = "apt-get update && apt-get install -y --no-install-recommends " + " ".join(_PACKAGES)


class ChromiumMissing(Exception):
    """There is no browser, and none can be installed. The message names the line to do it."""


def find_chromium() -> Path | None:
    """Return the browser that CHROMIUM names, or the first one on PATH."""
    if given := os.environ.get("CHROMIUM"):
        return Path(given) if os.access(given, os.X_OK) else None
    found = (shutil.which(name) for name in _NAMES)
    return next((Path(path) for path in found if path), None)


def ensure_chromium() -> Path:
    """Return the browser, installed from Debian first where we may.

    Raises ChromiumMissing where there is none and none can be installed.
    """
    if found := find_chromium():
        return found
    if os.geteuid() == 0 and shutil.which("apt-get") and "CHROMIUM" not in os.environ:
        print("chromium: installing Debian's for the browser tests; only once", flush=True)
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["sh", "-c", INSTALL_LINE], env=env, stdout=sys.stderr, check=False)
        if found := find_chromium():
            return found
    raise ChromiumMissing(
        "The browser tests need chromium, and there is none. Install it, as root: "
        f"{INSTALL_LINE} (or set CHROMIUM=/path; `make quick` runs the tests without it)"
    )


def main() -> int:
    """Print where the browser is and return the exit status."""
    try:
        print(f"chromium: {ensure_chromium()}")
    except ChromiumMissing as error:
        print(f"chromium: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
