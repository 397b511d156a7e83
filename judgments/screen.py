"""What draws the judgment screen, as one digest: button size and layout can shift an answer."""

import hashlib
from functools import cache

from django.conf import settings

_PARTS = (
    "templates/base.html",
    "templates/judgments/_base.html",
    "templates/judgments/_comment.html",
    "templates/judgments/_radios.html",
    "templates/judgments/item.html",
    "static/css/tokens.css",
    "static/css/site.css",
    "static/css/judgments.css",
    "static/js/attention.js",
    "static/js/delivery.js",
    "static/js/judgment.js",
    "static/js/kept.js",
    "static/js/keys.js",
    "static/vendor/manifest.json",
)


@cache
def screen_sha256() -> str:
    """Return the digest of the templates, styles and scripts of the judgment screen."""
    digest = hashlib.sha256()
    for part in _PARTS:
        digest.update((settings.BASE_DIR / part).read_bytes())
    return digest.hexdigest()
