"""Exit 0 when the web server of this container and its database answer."""  # noqa: INP001  (a script of its own)

import http.client
import os
import sys

host = os.environ["ALLOWED_HOSTS"].split(",")[0]
connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=5)
connection.request("GET", "/healthz", headers={"Host": host})
sys.exit(connection.getresponse().status != http.HTTPStatus.OK)
