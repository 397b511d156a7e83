"""The command door: `manage.py help` lists the commands."""

import os
import sys

from wwbsite.installation import Installation, data_directory


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wwbsite.settings")
    # In a second terminal beside `make run`, commands speak to that run.
    Installation(data_directory()).adopt_environment()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
