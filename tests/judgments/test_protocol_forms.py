"""judgments.protocol_forms and protocol_differences: every part typed, refused, compared."""

from dataclasses import replace

import pytest

from catalog.models import Domain
from judgments.protocol import Words
from judgments.protocol_defaults import default_protocol
from judgments.protocol_differences import differences, texts_left_behind
from judgments.protocol_forms import ProtocolForm
from tests.judgments.desk import typed
from tests.judgments.studies import make_scenarios

pytestmark = pytest.mark.django_db


@pytest.fixture
def protocol():
    return default_protocol(make_scenarios(n_per_domain=3))


def read(protocol, **changes):
    """Return the form with the protocol as it stands in it, and these fields typed otherwise."""
    return ProtocolForm(typed(ProtocolForm(protocol=protocol)) | changes, protocol=protocol)


def test_what_the_form_shows_is_the_protocol_it_was_made_from(protocol):
    form = read(protocol)
    assert form.is_valid(), form.errors
    assert form.protocol.sha256 == protocol.sha256


def test_scenarios_stay_in_their_order_and_new_ones_follow(protocol):
    turned = replace(protocol, scenarios=protocol.scenarios[:0:-1])
    form = read(turned, **{f"domain_{domain}": "all" for domain in Domain})
    assert form.is_valid(), form.errors
    assert form.protocol.scenarios == (*turned.scenarios, protocol.scenarios[0])


def test_line_ends_of_a_browser_change_no_text(protocol):
    text = protocol.consent["en"].replace("\n", "\r\n")
    form = read(protocol, consent_en=text)
    assert form.is_valid()
    assert form.protocol.sha256 == protocol.sha256


@pytest.mark.parametrize(
    ("changes", "part", "value"),
    [
        (
            {"quotas": "2, 2 2", "instructed": 3, "dominated": 3, "repeat": 3, "breaks_after": ""},
            "quotas",
            (2, 2, 2),
        ),
        ({"allows_equal": "on"}, "allows_equal", True),
        ({"offers_comment": "on"}, "offers_comment", True),
        ({"breaks_after": ""}, "breaks_after", ()),
        ({"breaks_after": "4"}, "breaks_after", (4,)),
        ({"hold_seconds": 60}, "hold_seconds", 60),
        ({"minutes": 20}, "minutes", 20),
        (
            {"code_complete": "A", "code_screened-out": "B", "code_no-consent": "C"},
            "return_codes",
            {"complete": "A", "screened-out": "B", "no-consent": "C"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "-",
)
def test_each_part_can_be_changed(protocol, changes, part, value):
    form = read(protocol, **changes)
    assert form.is_valid(), form.errors
    assert getattr(form.protocol, part) == value


def test_texts_can_be_written_and_left_to_the_site(protocol):
    form = read(protocol, contact_en="Ask Ada.", introduction_en="", **{"consent_zh-hans": ""})
    assert form.is_valid(), form.errors
    assert form.protocol.text("contact", "zh-hans") == Words("en", "Ask Ada.")
    assert "en" not in form.protocol.texts["introduction"]
    assert form.protocol.consent_text("zh-hans")[0] == "en"


def test_scenarios_are_chosen_by_domain_all_none_or_some(protocol):
    form = read(
        protocol,
        **{
            "domain_systems": "none",
            "domain_machine-learning": "some",
            "scenarios_machine-learning": ["machine-learning-02", "machine-learning-00"],
            "quotas": "2 2",
            "instructed": 2,
            "dominated": 2,
            "repeat": 2,
            "breaks_after": "2",
        },
    )
    assert form.is_valid(), form.errors
    assert sorted(form.protocol.scenarios) == [
        *(f"ai-for-science-0{k}" for k in range(3)),
        "machine-learning-00",
        "machine-learning-02",
    ]
    shown = ProtocolForm(protocol=form.protocol)
    assert [shown[f"domain_{domain}"].initial for domain in sorted(shown.by_domain)] == [
        "all",
        "some",
        "none",
    ]


NO_SCENARIOS = {
    f"domain_{one}": "none" for one in ("machine-learning", "systems", "ai-for-science")
}


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        (NO_SCENARIOS, "__all__", "Choose scenarios"),
        ({"domain_systems": "none"}, "quotas", "3 quotas for 2 domains"),
        ({"quotas": "4 3 2"}, "quotas", "has 3 scenarios, not 4"),
        ({"quotas": "three"}, "quotas", "Write whole numbers"),
        ({"quotas": "3 -3 2"}, "quotas", "Write whole numbers"),
        ({"quotas": "²"}, "quotas", "Write whole numbers"),
        ({"quotas": ""}, "quotas", "required"),
        ({"quotas": "3 3 3"}, "instructed", "every four: choose an even number of scenarios"),
        ({"quotas": "2 2 2"}, "instructed", "not one for every four: give 9 of all kinds"),
        ({"repeat": 5, "dominated": 3}, "instructed", "more than a third"),
        ({"breaks_after": "4 2"}, "breaks_after", "rising numbers from 1 to 7"),
        ({"breaks_after": "8"}, "breaks_after", "rising numbers from 1 to 7"),
        ({"consent_en": "  "}, "consent_en", "required"),
        ({"hold_seconds": 0}, "hold_seconds", "greater than or equal to 1"),
        ({"hold_seconds": "1e9"}, "hold_seconds", "whole number"),
        ({"minutes": ""}, "minutes", "required"),
        ({"code_complete": "A", "code_no-consent": "A"}, "code_complete", "must differ"),
        ({"comprehension_task": ""}, "comprehension_task", "must have a question"),
        ({"scenarios_systems": ["elsewhere"]}, "scenarios_systems", "Select a valid choice"),
        ({"contact_en": "\x00"}, "contact_en", "Null characters"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isidentifier() else "-",
)
def test_a_part_that_cannot_be_is_refused_at_its_field_in_words(protocol, changes, field, words):
    form = read(protocol, **changes)
    assert not form.is_valid()
    assert words in " ".join(form.errors[field])


def test_differences_name_the_part_and_show_words_that_go_and_come():
    before = {"consent": {"en": "Read this text."}, "minutes": 45, "scenarios": ["a", "b", "c"]}
    after = {"consent": {"en": "Read that text."}, "minutes": 20, "scenarios": ["b", "c", "d"]}
    text, minutes, scenarios = differences(before, after)
    assert text.part == "consent, en"
    assert [(piece.words, piece.change) for piece in text.pieces] == [
        ("Read ", ""),
        ("this", "out"),
        ("that", "in"),
        (" text.", ""),
    ]
    assert (minutes.part, minutes.before, minutes.after) == ("minutes", "45", "20")
    assert (scenarios.before, scenarios.after) == ("without a", "with d")


def test_texts_that_stay_while_the_length_changes_are_named(protocol):
    before = replace(protocol, texts={"introduction": {"en": "Eight."}, "contact": {"en": "Ada"}})
    shorter = replace(before, quotas=(2, 2, 2), consent=before.consent | {"en": "You read six."})
    for after in (shorter, replace(shorter, quotas=before.quotas, minutes=20)):
        left = texts_left_behind(before.definition(), after.definition())
        assert "texts, introduction, en" in left
        assert not {"consent, en", "texts, contact, en"} & {*left}
    other = replace(shorter, quotas=before.quotas)
    assert texts_left_behind(before.definition(), other.definition()) == ()


def test_differences_in_chinese_give_both_texts_back():
    [change] = differences({"t": "同意。"}, {"t": "同意吗。"})
    assert "".join(piece.words for piece in change.pieces if piece.change != "in") == "同意。"
    assert "".join(piece.words for piece in change.pieces if piece.change != "out") == "同意吗。"


def test_switches_numbers_and_parts_that_come_and_go_are_compared_as_values():
    before = {"allows_equal": False, "quotas": [3, 3, 2], "texts": {}}
    after = {"allows_equal": True, "quotas": [2, 2, 2], "texts": {"contact": {"en": "Ada"}}}
    assert [(one.part, one.before, one.after) for one in differences(before, after)] == [
        ("allows_equal", "no", "yes"),
        ("quotas", "3, 3, 2", "2, 2, 2"),
        ("texts, contact, en", "", "Ada"),
    ]


def test_equal_definitions_differ_in_nothing(protocol):
    assert differences(protocol.definition(), replace(protocol).definition()) == ()
