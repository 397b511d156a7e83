from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "catalog"

    def ready(self) -> None:
        """Register the hidden outcomes, whose model lives apart from catalog.models."""
        import catalog.truth  # noqa: F401
