"""Refuse every change of a published scenario and of what is behind it. Metrics are computed."""

from django.db import migrations

TABLES = ("scenario", "action", "scenariotruth", "actiontruth")


class Migration(migrations.Migration):
    dependencies = [("catalog", "0007_scenarios")]
    operations = [
        migrations.RunSQL(
            f"CREATE TRIGGER {table}_frozen BEFORE UPDATE OR DELETE ON catalog_{table} "
            "FOR EACH ROW EXECUTE FUNCTION catalog_refuse_change();",
            f"DROP TRIGGER {table}_frozen ON catalog_{table};",
        )
        for table in TABLES
    ]
