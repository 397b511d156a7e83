from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "catalog"

    def ready(self) -> None:
        """Register what is hidden: its models live apart from catalog.models."""
        import catalog.scenario_truth
        import catalog.truth  # noqa: F401
