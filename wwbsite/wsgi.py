"""The WSGI door that gunicorn serves."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from wwbsite.start_faults import explain

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wwbsite.settings")
_WORKER_BOOT_ERROR = 3  # on which gunicorn ends, instead of starting workers for ever
try:
    application = get_wsgi_application()
except ImproperlyConfigured as error:
    sys.stderr.write(f"{explain(error)}\n")
    sys.exit(_WORKER_BOOT_ERROR)
