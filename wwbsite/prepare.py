"""What `make run` does to the database before the first page, in one process for speed."""

import os
import sys

import django
from django.core.management import call_command

from wwbsite.installation import Installation, data_directory
from wwbsite.start_faults import START_FAULTS, explain, require_broker


def main() -> None:
    """Prepare, or end with one line if a server that the environment names does not answer."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wwbsite.settings")
    try:
        django.setup()
        require_broker()
        prepare()
    except START_FAULTS as error:
        if (line := explain(error)) is None:
            raise
        sys.exit(line)


def prepare() -> None:
    """Bring tables, catalogue and demo accounts up to date; a second run changes nothing."""
    call_command("migrate", interactive=False)
    call_command("load_catalog")
    call_command("load_scenarios")
    secrets = Installation(data_directory()).secrets()
    call_command("create_demo", agent_key=secrets.agent_key, staff_password=secrets.staff_password)
    ensure_study()


def ensure_study() -> None:
    """Leave a study for staff to look at in preview; it is not open."""
    from judgments.models import Study

    if not Study.objects.exists():
        call_command("create_study", "first", title="What would teach more?")


if __name__ == "__main__":
    main()
