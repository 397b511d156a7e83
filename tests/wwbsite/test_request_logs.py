"""No log keeps what lets a participant in, or the name that a platform gives."""

import logging
from datetime import timedelta

import pytest
from django.test import Client
from gunicorn.config import Config
from structlog.stdlib import ProcessorFormatter

from tests.judgments.studies import join, make_study
from wwbsite.access_log import AccessLogger
from wwbsite.request_logs import HIDDEN, hide_secrets

TOKEN = "kV3x-_9" * 6


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (f"GET /study/main/me/{TOKEN}/", f"GET /study/main/me/{HIDDEN}/"),
        (f"Not Found: /study/main/me/{TOKEN}/", f"Not Found: /study/main/me/{HIDDEN}/"),
        (f'"GET /study/main/me/{TOKEN} HTTP/1.1"', f'"GET /study/main/me/{HIDDEN} HTTP/1.1"'),
        (
            "GET /study/main/?PROLIFIC_PID=5f3c&STUDY_ID=S1&SESSION_ID=x9",
            f"GET /study/main/?PROLIFIC_PID={HIDDEN}&STUDY_ID=S1&SESSION_ID={HIDDEN}",
        ),
        ("GET /study/main/", "GET /study/main/"),
        ("GET /catalog/?q=me", "GET /catalog/?q=me"),
    ],
    ids=["link", "not-found", "access-line", "platform", "study", "other"],
)
def test_a_line_keeps_everything_but_the_secret(line, kept):
    assert hide_secrets(line) == kept


class Keeper(logging.Handler):
    """Keeps lines as the site's own handler writes them."""

    def __init__(self):
        super().__init__()
        self.lines: list[str] = []
        own = (one.formatter for one in logging.getLogger().handlers)
        self.formatter = next(one for one in own if isinstance(one, ProcessorFormatter))

    def emit(self, record):
        self.lines.append(self.format(record))


@pytest.mark.django_db
def test_the_logs_of_a_request_have_no_personal_link(client):
    keeper = Keeper()
    logging.getLogger().addHandler(keeper)
    try:
        token = join(make_study(n_per_domain=3)).token
        client.get(f"/study/main/me/{token}/")
        client.get(f"/study/main/me/{TOKEN}/", {"PROLIFIC_PID": "5f3c"})
    finally:
        logging.getLogger().removeHandler(keeper)
    text = "\n".join(keeper.lines)
    assert text.count(f"GET /study/main/me/{HIDDEN}/") >= 4  # started and finished, twice
    assert f"Not Found: /study/main/me/{HIDDEN}/" in text
    assert token
    assert not any(secret in text for secret in (token, TOKEN, "5f3c"))


class Reply:
    """What gunicorn knows of a reply."""

    status = "302 Found"
    sent = 0
    headers = ()


class Asked:
    """What gunicorn knows of a request, beside its environment."""

    headers = ()


def test_an_access_line_of_gunicorn_has_no_personal_link():
    path = f"/study/main/me/{TOKEN}/"
    environ = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": f"{path}?PROLIFIC_PID=5f3c",
        "PATH_INFO": path,
        "QUERY_STRING": "PROLIFIC_PID=5f3c",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_REFERER": f"https://localhost{path}",
    }
    atoms = AccessLogger(Config()).atoms(Reply, Asked, environ, timedelta(seconds=1))
    assert atoms["r"] == f"GET /study/main/me/{HIDDEN}/?PROLIFIC_PID={HIDDEN} HTTP/1.1"
    assert not any(secret in str(atoms) for secret in (TOKEN, "5f3c"))


def test_a_forged_host_is_refused_with_one_short_line_of_the_log():
    keeper = Keeper()
    site = next(one for one in logging.getLogger().handlers if one.filters)
    keeper.filters = site.filters
    logging.getLogger("django.security").addHandler(keeper)
    try:
        answer = Client().get("/study/", headers={"host": f"{'evil' * 500}.example"})
    finally:
        logging.getLogger("django.security").removeHandler(keeper)
    assert answer.status_code == 400
    (line,) = keeper.lines
    assert "Invalid HTTP_HOST header: 'evil" in line
    assert "Traceback" not in line
    assert len(line) < 500
