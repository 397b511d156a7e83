"""judgments.protocol and judgments.links: strict definitions, digests, names compared alike."""

import json
from dataclasses import replace

import pytest

from judgments.links import new_completion_code, new_token, normalise_pid
from judgments.protocol import Protocol, ProtocolInvalid
from tests.judgments.studies import PROTOCOL, RIGHT_ANSWERS

DEFINITION = replace(PROTOCOL, scenarios=("a", "b")).definition()


def test_a_definition_is_the_same_protocol_after_storage_in_any_order():
    stored = json.loads(json.dumps(DEFINITION, sort_keys=True))
    assert Protocol.from_definition(stored) == replace(PROTOCOL, scenarios=("a", "b"))
    assert Protocol.from_definition(stored).sha256 == replace(PROTOCOL, scenarios=("a", "b")).sha256


def test_every_change_of_a_protocol_changes_its_digest():
    for change in ({"hold_seconds": 5}, {"allows_equal": True}, {"consent": {"en": "Yes."}}):
        assert replace(PROTOCOL, **change).sha256 != PROTOCOL.sha256


@pytest.mark.parametrize(
    "change",
    [
        {"unknown": 1},
        {"checks": {"riddle": 4}},
        {"return_codes": {"complete": "A"}},
        {"return_codes": {"complete": "A", "screened-out": "A", "no-consent": "B"}},
        {"scenarios": ["a", "a"]},
        {"consent": {"de": "Ja."}},
        {"consent": {"en": ""}},
        {"comprehension": {}},
        {"hold_seconds": 0},
        {"resume_hours": -1},
    ],
    ids=lambda change: "-".join(f"{name}" for name in change),
)
def test_an_impossible_definition_is_refused(change):
    with pytest.raises(ProtocolInvalid):
        Protocol.from_definition(DEFINITION | change)


def test_a_definition_without_a_part_is_refused_by_name():
    partial = {name: value for name, value in DEFINITION.items() if name != "quotas"}
    with pytest.raises(ProtocolInvalid, match="quotas"):
        Protocol.from_definition(partial)


def test_a_version_stored_before_there_were_comments_offers_none():
    older = {name: value for name, value in DEFINITION.items() if name != "offers_comment"}
    assert not Protocol.from_definition(older).offers_comment
    assert Protocol.from_definition(DEFINITION | {"offers_comment": True}).offers_comment


def test_studies_without_a_platform_need_no_return_codes():
    codes = dict.fromkeys(PROTOCOL.return_codes, "")
    assert replace(PROTOCOL, return_codes=codes).return_codes == codes


def test_the_comprehension_check_needs_every_answer_right():
    assert PROTOCOL.right_answers(RIGHT_ANSWERS)
    assert not PROTOCOL.right_answers({})
    assert not PROTOCOL.right_answers({"task": "other"})


@pytest.mark.parametrize("spelling", ["ab12", "AB12", " ab12 ", "Ab 12", "ab12\n"])
def test_platform_ids_are_compared_without_spaces_and_case(spelling):
    assert normalise_pid(spelling) == "ab12"


def test_tokens_and_codes_are_long_and_never_the_same():
    assert len({new_token() for _ in range(100)}) == 100
    assert len({new_completion_code() for _ in range(100)}) == 100
    assert len(new_token()) == 43
    assert len(new_completion_code()) == 10
