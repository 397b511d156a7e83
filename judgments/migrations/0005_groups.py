"""The two groups that staff of a study start with."""

from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

GROUPS = {
    "Study managers": ("run_study", "watch_study", "exclude_participant", "export_study"),
    "Study assistants": ("watch_study",),
}


def add_groups(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    # Permissions are otherwise made after the last migration.
    config = apps.get_app_config("judgments")
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    Group = apps.get_model("auth", "Group")
    Permission = apps.get_model("auth", "Permission")
    for name, codenames in GROUPS.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(
            *Permission.objects.filter(
                content_type__app_label="judgments",
                content_type__model="study",
                codename__in=codenames,
            )
        )


class Migration(migrations.Migration):
    dependencies = [
        ("judgments", "0004_study_desk"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(add_groups, migrations.RunPython.noop)]
