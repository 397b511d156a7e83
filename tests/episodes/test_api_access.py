"""Keys, scopes, owners and rates (cases C47, C48)."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from episodes.models import AgentKey, Scope
from tests.api_client import Api, api_of, refusal
from tests.builders import make_agent, make_key, make_task
from wwbsite.api import AddressRateThrottle, KeyRateThrottle, RefusalRateThrottle

pytestmark = pytest.mark.django_db


def test_without_a_key_the_answer_is_401_with_the_challenge():
    response = Api().get("episodes/")
    assert refusal(response) == (401, "not_authenticated")
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("key", "code"),
    [("wwb_abcdefgh_" + "x" * 43, "invalid_key"), ("nonsense", "invalid_key"), ("", "invalid_key")],
)
def test_a_key_that_nobody_has_is_401_also_where_none_is_needed(key, code):
    for path in ("episodes/", "tasks/"):
        response = Api().get(path, Authorization=f"Bearer {key}")
        assert refusal(response) == (401, code)
        assert response["WWW-Authenticate"] == "Bearer"


def test_an_expired_a_revoked_and_an_inactive_agents_key_are_told_apart():
    agent, gone = make_agent("walker"), make_agent("gone")
    now = timezone.now()
    expired = make_key(agent, name="expired", expires_at=now)
    revoked = make_key(agent, name="revoked", revoked_at=now)
    inactive = make_key(gone)
    gone.is_active = False
    gone.save()
    codes = [refusal(Api(key).get("episodes/")) for key in (expired, revoked, inactive)]
    assert codes == [(401, "expired_key"), (401, "revoked_key"), (401, "inactive_agent")]


def test_a_key_in_the_url_or_under_another_scheme_is_no_key():
    key = make_key(make_agent())
    assert refusal(Api().get(f"episodes/?key={key}&token={key}"))[0] == 401
    assert refusal(Api().get("episodes/", Authorization=f"Token {key}")) == (401, "not_bearer")
    assert refusal(Api().get("episodes/", Authorization=f"Basic {key}")) == (401, "not_bearer")


def test_several_keys_of_one_agent_work_side_by_side():
    agent = make_agent()
    laptop, cluster = (Api(make_key(agent, name=name)) for name in ("laptop", "cluster"))
    make_task()
    episode = laptop.start()
    assert cluster.get(f"episodes/{episode['id']}/").status_code == 200


def test_a_reading_key_cannot_write_and_a_writing_key_cannot_read():
    agent = make_agent()
    make_task()
    reader = Api(make_key(agent, name="r", scopes=[Scope.READ]))
    writer = Api(make_key(agent, name="w", scopes=[Scope.WRITE]))
    response = reader.post("episodes/", {"task": "nile", "budget": 8})
    assert refusal(response) == (403, "missing_scope")
    assert "episodes:write" in response.json()["error"]["message"]
    assert reader.get("episodes/").status_code == 200
    assert refusal(writer.get("episodes/")) == (403, "missing_scope")
    assert writer.start()["state"] == "open"


def test_another_agents_episode_is_404_at_every_door_as_if_there_were_none():
    make_task()
    url = f"episodes/{api_of('walker').start()['id']}"
    other = api_of("other")
    for response in (
        other.get(f"{url}/"),
        other.post(f"{url}/measurements/", {"masks": ["0001"]}),
        other.post(f"{url}/prediction/", {"predictions": {}}),
        other.get("episodes/00000000-0000-4000-8000-000000000000/"),
    ):
        assert refusal(response) == (404, "not_found")
        assert response.json()["error"]["message"] == "There is no such episode."


def test_no_cache_keeps_what_belongs_to_an_agent():
    make_task()
    api = api_of()
    url = f"episodes/{api.start()['id']}/"
    for response in (api.get("episodes/"), api.get(url), api.buy(url.split("/")[1], ["0001"])):
        assert response.status_code == 200
        assert "no-store" in response["Cache-Control"]
        assert "private" in response["Cache-Control"]


def test_the_use_of_a_key_is_noted_to_the_minute():
    key = make_key(make_agent())
    Api(key).get("episodes/")
    first = AgentKey.objects.get().last_used_at
    assert first is not None
    Api(key).get("episodes/")
    assert AgentKey.objects.get().last_used_at == first
    assert timezone.now() - first < timedelta(minutes=1)


@pytest.fixture
def low_rates(monkeypatch):
    rates = {"key": "2/min", "address": "1/min", "refusals": "2/min"}
    for throttle in (KeyRateThrottle, AddressRateThrottle, RefusalRateThrottle):
        monkeypatch.setattr(throttle, "THROTTLE_RATES", rates)
    cache.clear()
    yield
    cache.clear()


@pytest.mark.usefixtures("low_rates")
def test_each_key_has_its_own_rate_and_is_told_when_to_come_back():
    one, other = api_of("one"), api_of("other")
    assert [one.get("episodes/").status_code for _ in range(3)] == [200, 200, 429]
    response = one.get("episodes/")
    assert refusal(response) == (429, "throttled")
    assert 1 <= int(response["Retry-After"]) <= 60
    assert other.get("episodes/").status_code == 200


@pytest.mark.usefixtures("low_rates")
def test_without_a_key_the_address_counts_whatever_a_header_claims():
    statuses = [
        Api().get("tasks/", X_Forwarded_For=f"10.0.0.{host}").status_code for host in range(2)
    ]
    assert statuses == [200, 429]


@pytest.mark.usefixtures("low_rates")
@pytest.mark.parametrize("key", [None, "wwb_" + "a" * 43], ids=["no key", "unknown key"])
def test_an_address_without_a_valid_key_is_told_to_wait_and_a_valid_key_is_not(key):
    stranger = Api(key)
    assert [stranger.get("episodes/").status_code for _ in range(3)] == [401, 401, 429]
    response = stranger.post("episodes/", {"task": "nile", "budget": 8})
    assert refusal(response) == (429, "throttled")
    assert 1 <= int(response["Retry-After"]) <= 60
    assert api_of("known").get("episodes/").status_code == 200
