"""The command door: `manage.py help` lists the commands."""

import os
import sys
from importlib.util import find_spec

if find_spec("django") is None:
    sys.exit(
        f"Django is not installed for {sys.executable}: after `make install`, say "
        f".venv/bin/python manage.py {' '.join(sys.argv[1:])}".rstrip()
    )

from django.core.management import execute_from_command_line
from django.db.utils import ProgrammingError

from wwbsite.command_servers import StillStarting, command_servers
from wwbsite.embedded.processes import ServiceError
from wwbsite.installation import Installation, data_directory
from wwbsite.start_faults import START_FAULTS, explain

_NO_TABLES = "The database has no tables yet: run `manage.py migrate`, or start with `make run`."


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wwbsite.settings")
    _refuse_other_encodings(sys.argv)
    try:
        with command_servers(Installation(data_directory())):
            execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads our output, as `head`, has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (StillStarting, ServiceError) as error:
        sys.exit(str(error))
    except ProgrammingError as error:
        if "does not exist" not in str(error):
            raise
        sys.exit(f"{error}\n{_NO_TABLES}")
    except START_FAULTS as error:
        if (line := explain(error)) is None:
            raise
        sys.exit(line)


def _refuse_other_encodings(arguments: list[str]) -> None:
    """Exit on bytes that are no UTF-8: neither database nor terminal takes what Python makes."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            sys.exit(f"The argument {argument!r} is not UTF-8 text.")


if __name__ == "__main__":
    main()
