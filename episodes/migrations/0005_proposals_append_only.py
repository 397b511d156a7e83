"""The database refuses to rewrite or delete a proposal, whoever asks."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("episodes", "0004_proposals")]
    operations = [
        migrations.RunSQL(
            "CREATE TRIGGER forbid_change BEFORE UPDATE OR DELETE ON episodes_proposal "
            "FOR EACH ROW EXECUTE FUNCTION episodes_forbid_change();",
            "DROP TRIGGER forbid_change ON episodes_proposal;",
        ),
    ]
