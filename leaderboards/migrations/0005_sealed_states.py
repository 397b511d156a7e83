from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def withdraw_computations(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Delete what told of single sealed states; the next recomputation makes the boards anew."""
    sealed = apps.get_model("catalog", "ResearchState").objects.filter(disclosure="sealed")
    computations = apps.get_model("leaderboards", "StateComputation").objects
    computations.filter(board__state_set__in=sealed.values("state_set")).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0006_frozen_states"),
        ("leaderboards", "0004_agreement"),
    ]

    operations = [
        migrations.AlterField(
            model_name="statestanding",
            name="efficiency_score",
            field=models.FloatField(
                help_text="Mean share of the best affordable design; "
                "null: it would tell of single states.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="statestanding",
            name="rate_score",
            field=models.FloatField(help_text="Mean nats per unit cost.", null=True),
        ),
        migrations.RunPython(withdraw_computations, migrations.RunPython.noop),
    ]
