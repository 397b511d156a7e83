"""Refuse every change of a published set of states, its states and their priors."""

from django.db import migrations

TABLES = ("stateset", "researchstate", "stateprior")


class Migration(migrations.Migration):
    dependencies = [("catalog", "0005_research_states")]
    operations = [
        migrations.RunSQL(
            f"CREATE TRIGGER {table}_frozen BEFORE UPDATE OR DELETE ON catalog_{table} "
            "FOR EACH ROW EXECUTE FUNCTION catalog_refuse_change();",
            f"DROP TRIGGER {table}_frozen ON catalog_{table};",
        )
        for table in TABLES
    ]
