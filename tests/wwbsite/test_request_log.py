"""Log lines of requests tell what was asked for, and not who asked or with what key."""

import pytest

pytestmark = pytest.mark.django_db


def lines(caplog) -> str:
    return "\n".join(str(record.msg) for record in caplog.records)


def test_a_line_has_method_and_path(client, caplog):
    client.get("/methods/")
    assert "GET /methods/" in lines(caplog)


@pytest.mark.parametrize(
    ("address", "secret", "logged"),
    [
        ("/study/main/?PROLIFIC_PID=5f3c77&STUDY_ID=S", "5f3c77", "GET /study/main/"),
        ("/study/main/me/abcDEF123/", "abcDEF123", "GET /study/main/me/…/"),
        ("/no-such-page/?key=abcDEF123", "abcDEF123", "GET /no-such-page/"),
    ],
)
def test_neither_a_platforms_id_nor_the_token_of_a_link_is_logged(
    client, caplog, address, secret, logged
):
    client.get(address)
    assert logged in lines(caplog)
    assert secret not in lines(caplog)
