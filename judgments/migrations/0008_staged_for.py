from django.db import migrations, models
from django.db.models.deletion import PROTECT


class Migration(migrations.Migration):
    dependencies = [("judgments", "0007_launch_check_heard_at")]

    operations = [
        migrations.AddField(
            model_name="study",
            name="staged_for",
            field=models.ForeignKey(
                blank=True,
                help_text="The robots' check whose worker plays here and alone may close it; empty: free.",
                null=True,
                on_delete=PROTECT,
                related_name="+",
                to="judgments.launchcheck",
            ),
        ),
    ]
