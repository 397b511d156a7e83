"""Time judgments of 50 participants at once against a bare view with one INSERT.

Run as ``python -m benchmarks.judgment_throughput``. The web server is the one that is deployed
(gunicorn, gthread, 2 processes of 8 threads), the database is durable and of its own, and both
views pass the same middleware in one run, in turn. Prints a JSON line for each view: requests a
second, and the median and 95th percentile of their times; and one with the ratios: how many times
as long a judgment takes. Every judgment is checked to be stored.
"""

import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode
from wsgiref.types import WSGIApplication

import psycopg

from judgments.robots.browser import Browser
from judgments.robots.decisions import Robot, RobotName
from judgments.robots.pages import Form
from judgments.robots.player import Knowledge, Player
from wwbsite.embedded.processes import service_account, socket_directory
from wwbsite.embedded.servers import VARIABLES, make_servers

HOST = "127.0.0.1"
PROJECT = Path(__file__).resolve().parent.parent
N_PARTICIPANTS = 50
N_POSTS = 14  # each, between two breaks
SERVER = ("--worker-class=gthread", "--workers=2", "--threads=8", "--no-control-socket")
MAKE_STUDY = """
import dataclasses, django
django.setup()
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from catalog.models import Scenario
from judgments.actions.studies import create_study, open_study
from judgments.models import Audience
from judgments.protocol_defaults import default_protocol
call_command("migrate", verbosity=0)
call_command("load_scenarios", verbosity=0)
protocol = default_protocol(Scenario.objects.values_list("slug", flat=True))
protocol = dataclasses.replace(protocol, breaks_after=())
create_study(slug="main", title="Main", protocol=protocol, staff=None, now=timezone.now(),
             audience=Audience.ROBOTS)
open_study(slug="main", staff=None, now=timezone.now())
with connection.cursor() as cursor:
    cursor.execute("CREATE TABLE bare (id bigserial PRIMARY KEY, position int, choice text)")
"""

Send = Callable[[http.client.HTTPConnection, int], int]


def application() -> WSGIApplication:
    """Return the site with one more view, for gunicorn."""
    from django.core.wsgi import get_wsgi_application

    site = get_wsgi_application()
    from django.db import connection, transaction
    from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
    from django.urls import path

    from wwbsite import urls

    def insert(request: HttpRequest) -> HttpResponse:
        with transaction.atomic(), connection.cursor() as cursor:
            values = (request.POST["position"], request.POST["choice"])
            cursor.execute("INSERT INTO bare (position, choice) VALUES (%s, %s)", values)
        return HttpResponseRedirect("/")

    urls.urlpatterns.append(path("bare/", insert))
    return site


def main() -> None:
    with ExitStack() as stack:
        environment = stack.enter_context(servers())
        subprocess.run([sys.executable, "-c", MAKE_STUDY], env=environment, cwd=PROJECT, check=True)
        port = stack.enter_context(web(environment))
        with ThreadPoolExecutor(N_PARTICIPANTS) as pool:
            senders = list(pool.map(lambda number: prepare(port, number), range(N_PARTICIPANTS)))
            run(pool, port, [bare for bare, _ in senders], range(1, 3))  # every thread connects
            half = N_POSTS // 2
            rounds = (range(1, half + 1), range(half + 1, N_POSTS + 1))
            bare, judged = [], []
            for positions in rounds:
                bare.append(run(pool, port, [bare for bare, _ in senders], positions))
                judged.append(run(pool, port, [judge for _, judge in senders], positions))
        require_stored(environment["DATABASE_URL"])
    report("bare", bare)
    report("judgment", judged)
    ratios = {
        "ratio_time": round(seconds(judged) / seconds(bare), 2),
        "ratio_p95": round(percentile(judged) / percentile(bare), 2),
    }
    print(json.dumps({"benchmark": "judgment_throughput", "n_at_once": N_PARTICIPANTS, **ratios}))


Run = tuple[float, list[float]]


def run(
    pool: ThreadPoolExecutor, port: int, senders: Sequence[Send], positions: Sequence[int]
) -> Run:
    """Let everybody send their posts, and return the seconds in all and those of each."""

    def send_all(send: Send) -> list[float]:
        connection = http.client.HTTPConnection(HOST, port, timeout=60)
        taken = []
        for position in positions:
            started = time.perf_counter()
            status = send(connection, position)
            taken.append(time.perf_counter() - started)
            if status not in (http.client.FOUND, http.client.SEE_OTHER):
                raise AssertionError(f"answered with {status}")
        connection.close()
        return taken

    started = time.perf_counter()
    times = [one for taken in pool.map(send_all, senders) for one in taken]
    return time.perf_counter() - started, times


def prepare(port: int, number: int) -> tuple[Send, Send]:
    """Take a participant to the first item, and return how to post to either view as them."""
    browser = Browser(f"http://{HOST}:{port}", patience_seconds=60)
    robot = Robot(RobotName.QUITTER, number, seed=1, stops_after=0)
    knowledge = Knowledge({}, {"task": "more-informative"})
    form = Player(robot, browser, home="/study/main/", knowledge=knowledge).walk_to_items()
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    return sender("/bare/", form, cookies), sender(form.action, form, cookies)


def sender(path: str, form: Form, cookies: str) -> Send:
    headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}

    def send(connection: http.client.HTTPConnection, position: int) -> int:
        fields = form.values | {"position": str(position), "choice": "left", "active_ms": "4000"}
        connection.request("POST", path, urlencode(fields), headers)
        response = connection.getresponse()
        response.read()
        return response.status

    return send


def require_stored(database: str) -> None:
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT count(*) FROM judgments_judgment").fetchone()
    if row != (N_PARTICIPANTS * N_POSTS,):
        raise AssertionError(f"{row} judgments are stored")


def seconds(runs: Sequence[Run]) -> float:
    return sum(taken for taken, _ in runs)


def percentile(runs: Sequence[Run]) -> float:
    times = [one for _, times in runs for one in times]
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def report(view: str, runs: Sequence[Run]) -> None:
    times = [one for _, times in runs for one in times]
    figures = {
        "n": len(times),
        "per_second": round(len(times) / seconds(runs), 1),
        "median_ms": round(1000 * statistics.median(times), 1),
        "p95_ms": round(1000 * percentile(runs), 1),
    }
    print(json.dumps({"benchmark": "judgment_throughput", "view": view, **figures}))


@contextmanager
def servers() -> Iterator[dict[str, str]]:
    """Start a durable database and a broker of this run, and give the settings of a site."""
    account = service_account()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        directory.chmod(0o711)
        sockets = socket_directory(directory / "run", account)
        made = make_servers(
            VARIABLES, data=directory, sockets=sockets, logs=directory, account=account
        )
        settings = {"SECRET_KEY": "benchmark", "INSECURE_HTTP": "1", "STATIC_AUTOREFRESH": "1"}
        settings |= {"LOG_LEVEL": "WARNING", "DJANGO_SETTINGS_MODULE": "wwbsite.settings"}
        settings |= {"BEGINS_PER_ADDRESS": "1000000/hour"}
        for variable, server in made.items():
            stack.callback(server.stop)
            server.start()
            settings[variable] = server.url
        yield os.environ | settings


@contextmanager
def web(environment: dict[str, str]) -> Iterator[int]:
    """Serve the site with the bare view, and give its port."""
    with socket.create_server((HOST, 0)) as listener:
        port: int = listener.getsockname()[1]
        served = "benchmarks.judgment_throughput:application()"
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", served, f"--bind=fd://{listener.fileno()}", *SERVER],
            env=environment,
            cwd=PROJECT,
            pass_fds=(listener.fileno(),),
            process_group=0,
        )
    try:
        yield port
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


if __name__ == "__main__":
    main()
