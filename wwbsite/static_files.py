"""Which static files are collected, and under which names production serves them."""

from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedFiles(StaticFilesConfig):
    """Leaves out htmx's extensions: no page loads one, and comments in them name absent files."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "hx-*"]


class HashedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise is not typed
    """Names every file by its digest, in the import statements of modules too.

    A module imported by its plain name would be kept by browsers beyond an upgrade, next to newer
    ones that expect another.
    """

    support_js_module_import_aggregation = True
