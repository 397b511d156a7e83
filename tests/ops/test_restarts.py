"""The site is killed and its database crashes while robots play: what was acknowledged is there.

Acceptance 4 of the human study; cases C02, C59 and C61.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition

import psycopg
import pytest

from judgments.robots.browser import Refused
from judgments.robots.decisions import RobotName
from judgments.robots.loopback import Loopback
from judgments.robots.plans import Entry, Plan
from judgments.robots.player import Knowledge
from judgments.robots.playing import Stage, play_all
from wwbsite.embedded.binaries import find_postgres
from wwbsite.embedded.postgres import Postgres
from wwbsite.embedded.processes import service_account, socket_directory
from wwbsite.installation import PROJECT

pytestmark = pytest.mark.worker

N_ROBOTS, N_ITEMS = 18, 15
PLAN = Plan(
    (
        Entry(RobotName.ORACLE, 12),
        Entry(RobotName.COIN, 3),
        Entry(RobotName.DOUBLE_CLICKER, 2),
        Entry(RobotName.TWO_TABBER),
    )
)
# A quarter of the real design, in a database of its own.
MAKE_STUDY = """
import dataclasses, json, django
django.setup()
from django.core.management import call_command
from django.utils import timezone
from catalog.models import Scenario
from judgments.actions.studies import create_study, open_study
from judgments.models import Audience, Study
from judgments.protocol_defaults import default_protocol
from judgments.queries.robots import knowledge_of
from judgments.queries.behind import orders_by_metric
call_command("migrate", verbosity=0)
call_command("load_scenarios", verbosity=0)
protocol = default_protocol(Scenario.objects.values_list("slug", flat=True))
protocol = dataclasses.replace(
    protocol, quotas=(1, 1, 0), checks=dict.fromkeys(protocol.checks, 1), breaks_after=(1,)
)
study = create_study(slug="main", title="Main", protocol=protocol, staff=None, now=timezone.now(),
                     audience=Audience.ROBOTS)
open_study(slug="main", staff=None, now=timezone.now())
study.blocked_pids.create(platform_pid="banned")
knowledge = knowledge_of(protocol, orders_by_metric(protocol.scenarios))
print(json.dumps([dict(knowledge.order), dict(knowledge.comprehension)]))
"""
FLAGS = """
import json, django
django.setup()
from judgments.models import Study
from judgments.queries.flags import flags_of
study = Study.objects.get()
flags = {str(one): sorted(flag.rule for flag in flags) for one, flags in flags_of(study).items()}
print(json.dumps(flags, sort_keys=True))
"""
STORED = """
SELECT participant.platform_pid, item.position, judgment.choice
FROM judgments_judgment AS judgment
JOIN judgments_item AS item ON item.id = judgment.item_id
JOIN judgments_participant AS participant ON participant.id = judgment.participant_id
"""


@pytest.fixture
def make_postgres(open_path):
    """Return a function that starts the server on the same data again, with all durability."""
    account = service_account()
    sockets = socket_directory(open_path / "run", account)
    servers = []

    def make():
        server = Postgres(
            find_postgres().reachable_by(account),
            open_path / "postgres",
            sockets=sockets,
            log=open_path / "postgres.log",
            account=account,
        )
        servers.append(server)
        return server, server.start()

    yield make
    for server in servers:
        server.stop()
    shutil.rmtree(sockets)


def run(script, env):
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=env, cwd=PROJECT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def web(env, port, log):
    """Run the web server as it is deployed, killed at the end with all its processes."""
    options = ["--worker-class=gthread", "--workers=1", "--threads=8", "--no-control-socket"]
    command = [sys.executable, "-m", "gunicorn", "wwbsite.wsgi", f"--bind=127.0.0.1:{port}"]
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*command, *options],
            env=env,
            cwd=PROJECT,
            stdout=output,
            stderr=output,
            process_group=0,
        )
    try:
        wait_for_a_page(f"http://127.0.0.1:{port}/study/main/", process)
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for_a_page(url, process):
    while process.poll() is None:
        try:
            with urllib.request.urlopen(url):
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the web server ended")


class Counter:
    """Answers acknowledged so far, by all robots."""

    def __init__(self):
        self.changed = Condition()
        self.n = 0

    def note(self):
        with self.changed:
            self.n += 1
            self.changed.notify_all()

    def wait_for(self, n, playing):
        with self.changed:
            while self.n < n and not playing.done():
                self.changed.wait(1)
        assert not playing.done(), "the robots were through before the site was killed"


def test_no_acknowledged_answer_is_lost_when_the_site_is_killed_and_the_database_crashes(
    make_postgres, tmp_path
):
    server, postgres = make_postgres()
    env = os.environ | {"DATABASE_URL": server.url, "DJANGO_SETTINGS_MODULE": "wwbsite.settings"}
    order, comprehension = run(MAKE_STUDY, env)
    port, log = free_port(), tmp_path / "web.log"
    site = Loopback(f"http://127.0.0.1:{port}", host="", secure=False)
    stage = Stage(site, "/study/main/", Knowledge(order, comprehension), patience_seconds=120)
    robots, counter = PLAN.robots(seed=1), Counter()
    with ThreadPoolExecutor(1) as pool:
        with web(env, port, log):
            playing = pool.submit(play_all, robots, stage, parallel=6, on_answer=counter.note)
            counter.wait_for(60, playing)
        with web(env, port, log):
            counter.wait_for(140, playing)
            postgres.send_signal(signal.SIGQUIT)  # at once, without a checkpoint
            postgres.wait()
            server, _ = make_postgres()
            played = playing.result()
            before = run(FLAGS, env)
        with web(env, port, log):
            assert run(FLAGS, env) == before
            browser = stage.browser()
            begin = browser.get(stage.home, {"PROLIFIC_PID": "banned"}).form_to("/begin/")
            assert begin is not None
            with pytest.raises(Refused, match="403"):
                browser.submit(begin, {})
            browser.close()

    assert [one.problem for one in played] == [""] * N_ROBOTS
    assert sum(one.n_unequal_replies for one in played) == 0
    assert sum(sum(one.faults.values()) for one in played) > 0  # they did meet the outages
    acknowledged = {
        (one.robot.platform_pid, position): choice
        for one in played
        for position, choice in one.answers.items()
    }
    with psycopg.connect(server.url) as connection:
        rows = connection.execute(STORED).fetchall()
        counts = connection.execute(
            "SELECT count(*), count(completion_code) FROM judgments_participant"
        ).fetchone()
    assert {(pid, position): choice for pid, position, choice in rows} == acknowledged
    assert len(rows) == N_ROBOTS * N_ITEMS
    assert counts == (N_ROBOTS, N_ROBOTS)
    assert len(before) == N_ROBOTS
