"""The judgment screen and the ways through the study, in a browser. C.. are cases of the brief."""

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Error

from judgments.models import Consent, Judgment, Participant, Revision
from judgments.queries.timeline import timeline_of
from tests.browser.test_study import (
    COVERED,
    NEXT,
    OVERFLOW,
    TARGETS,
    longest_scenarios,
    start,
    turn,
    visitor,
)
from tests.judgments.studies import SMALLEST, answer_all, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 375, "height": 812}
QUESTION = "Which proposal is more informative?"
RETRYING = "#saving:has-text('Not saved yet, retrying')"
FINGER_MS = 40  # for how long a finger holds a key down


@pytest.fixture(autouse=True)
def study():
    cache.clear()
    return make_study(
        n_per_domain=3, allows_equal=True, allows_cannot_judge=True, offers_comment=True
    )


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def viewport(request):
    return request.param


@pytest.fixture
def at_item(open_page, study):
    """Return a function that opens the first item as somebody new."""

    def at_item(**options):
        page = open_page(**options)
        page.goto(visitor(study, start).address)
        return page

    return at_item


def go_to_last(participant):
    start(participant)
    answer_all(participant, range(1, 60), now=timezone.now())


def press(page, *names):
    for name in names:
        page.keyboard.press(name, delay=FINGER_MS)


def press_on(page, *names):
    """Press keys of which the last leads to another page."""
    press(page, *names[:-1])
    with page.expect_navigation():
        press(page, names[-1])


def focus_on(page, name):
    """Press Tab until the control with this name has the focus."""
    for _ in range(30):
        press(page, "Tab")
        focused = page.evaluate(
            "(document.activeElement.labels?.[0] ?? document.activeElement).innerText"
        )
        if name in focused:
            return
    pytest.fail(f"{name} cannot be reached by keyboard")


def is_at(page, position):
    return page.locator("input[name=position]").input_value() == str(position)


def checked(page):
    return page.locator("input[name=choice]:checked").count()


def test_by_keyboard_alone_from_landing_to_the_third_item(open_page, viewport):
    page = open_page(viewport=viewport)
    page.goto("/study/main/")
    focus_on(page, "Begin")
    press_on(page, "Enter")
    for _ in ("consent", "eligibility"):
        focus_on(page, "Yes")
        press_on(page, "Space", "Enter")
    focus_on(page, "Next")
    press_on(page, "Enter")
    focus_on(page, "greater length")
    press_on(page, "Space", "ArrowDown", "Enter")
    press_on(page, "2", "Enter")
    press_on(page, "0", "Enter")
    assert is_at(page, 3)
    assert list(Judgment.objects.order_by("pk").values_list("choice", flat=True)) == [
        "right",
        "equal",
    ]


def test_without_javascript_from_landing_to_the_receipt(open_page, viewport):
    page = open_page(java_script_enabled=False, viewport=viewport)
    page.goto("/study/main/")
    turn(page, "button:has-text('Begin')")
    for _ in ("consent", "eligibility"):
        page.click("label:has-text('Yes')")
        turn(page, NEXT)
    turn(page, NEXT)
    page.click("label:has-text('teach more')")
    turn(page, NEXT)
    assert not page.locator(".key").first.is_visible()
    assert not page.locator("#keys").is_visible()
    page.click("label:has-text('A is more')")
    page.fill("textarea", "Close.")
    turn(page, NEXT)
    assert page.locator(".place [role=status]").inner_text() == "Answer saved."
    assert Judgment.objects.get().comment == "Close."
    turn(page, "a:has-text('Change my last answer')")
    assert page.locator("input[value=left]").is_checked()
    page.click("label:has-text('B is more')")
    turn(page, NEXT)
    assert Judgment.objects.get().choice == "right"
    turn(page, "footer a:has-text('leave')")
    turn(page, "button:has-text('delete my answers')")
    assert "1 answer was deleted" in page.locator("main").inner_text()
    assert not Judgment.objects.exists()


def test_offline_and_back_nothing_is_lost_or_doubled(at_item, viewport):
    """C11: also when the page is reloaded meanwhile."""
    page = at_item(viewport=viewport, loses_network=True)
    page.click("label:has-text('B is more')")
    page.fill("textarea", "Both look at the same part.")
    page.route("**/*", lambda route: route.abort("internetdisconnected"))
    page.click(NEXT)
    page.wait_for_selector(RETRYING)
    assert page.locator("#saving").get_attribute("role") == "status"
    assert page.locator("input[value=right]").is_checked()
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    assert not Judgment.objects.exists()
    page.unroute_all()
    page.goto("/study/main/")
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    stored = Judgment.objects.get()
    assert (stored.choice, stored.comment) == ("right", "Both look at the same part.")
    assert page.locator("textarea").input_value() == ""
    assert page.evaluate("Object.keys(localStorage)") == []


def test_when_the_network_is_back_the_open_page_goes_on_by_itself(open_page, study):
    """C11: at the last answer, without which there is no code."""
    page = open_page(loses_network=True)
    page.goto(visitor(study, go_to_last).address)
    press(page, "1")
    page.context.set_offline(True)
    press(page, "Enter")
    page.wait_for_selector(RETRYING)
    assert Judgment.objects.count() == 59
    with page.expect_navigation():
        page.context.set_offline(False)
    assert page.locator("h1").inner_text() == "All answers are saved"
    assert Judgment.objects.get(item__position=60).choice == "left"
    assert Participant.objects.get().completion_code is None
    turn(page, "main button")
    assert Participant.objects.get().completion_code in page.locator("main").inner_text()


def test_a_reply_that_comes_late_is_waited_for_and_no_click_sends_again(at_item):
    """C59, C02: three clicks, Enter and an impatient repeat are one answer."""
    page = at_item(loses_network=True)
    held = []

    def hold(route):
        if route.request.method == "POST":
            held.append(route)
            if len(held) == 1:
                route.fetch()  # the server stores it, and the reply is lost
            else:
                route.continue_()
        else:
            route.continue_()

    page.route("**/study/main/", hold)
    page.clock.install()
    page.reload()
    page.click("label:has-text('A is more')")
    page.locator(NEXT).click(click_count=3)
    press(page, "Enter")
    page.wait_for_selector("form[aria-busy=true]")
    page.clock.run_for(1_000)
    page.wait_for_selector("#saving:has-text('Saving')")
    assert len(held) == 1
    for _ in range(200):  # the server may still be storing it
        if Judgment.objects.exists():
            break
        page.wait_for_timeout(50)
    assert Judgment.objects.get().choice == "left"
    page.clock.run_for(16_000)
    page.wait_for_selector(RETRYING)
    page.clock.run_for(2_000)
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    assert len(held) == 2
    assert Judgment.objects.count() == 1
    assert not Revision.objects.exists()


def test_browsing_the_choices_stores_nothing_before_next_and_next_leads_to_the_heading(at_item):
    """C15."""
    page = at_item()
    page.clock.install()
    page.reload()
    focus_on(page, "A is more")
    press(page, "Space", "ArrowRight", "ArrowRight", "ArrowRight")
    page.clock.run_for(5_000)
    assert page.locator("input[value=cannot-judge]").is_checked()
    assert not Judgment.objects.exists()
    press_on(page, "ArrowLeft", "Enter")
    assert page.evaluate("document.activeElement.id") == "question"
    assert Judgment.objects.get().choice == "equal"


def test_the_choices_are_a_named_group_of_radios_and_saving_is_announced(at_item):
    """C16."""
    page = at_item()
    assert page.locator(":focus").inner_text() == QUESTION  # read out on entry
    group = page.get_by_role("group", name=QUESTION)
    names = ["A is more informative", "B is more informative", "Both are equal", "I cannot judge"]
    for name in names:
        assert group.get_by_role("radio", name=name, exact=True).count() == 1
    assert group.get_by_role("radio").count() == len(names)
    group.get_by_role("radio", name=names[0]).check()
    assert group.get_by_role("radio", name=names[0], checked=True).count() == 1
    turn(page, NEXT)
    page.get_by_role("status").filter(has_text="Answer saved.").wait_for()


def test_keys_are_text_in_a_text_field_and_off_means_off_and_is_remembered(at_item):
    """C17."""
    page = at_item()
    printed = page.locator("main .key").all_inner_texts()
    assert printed == ["S", "1", "2", "0", "↵"]
    page.focus("textarea")
    for name in ("1", "2", "Space", "0", "s", "Enter"):
        press(page, name)
    assert page.locator("textarea").input_value() == "12 0s\n"
    assert checked(page) == 0
    assert page.locator("details.scenario").get_attribute("open") is not None
    page.uncheck("#keys input")
    page.locator("#question").focus()
    press(page, "1", "s")
    page.reload()
    assert not page.locator("#keys input").is_checked()
    press(page, "1", "Enter")
    assert checked(page) == 0
    assert page.locator("details.scenario").get_attribute("open") is not None
    assert not page.locator("main .key").first.is_visible()
    page.check("#keys input")
    page.locator("#question").focus()
    press(page, "1")
    assert page.locator("input[value=left]").is_checked()


def test_the_scenario_stays_closed_until_the_next_one(at_item):
    page = at_item()
    press(page, "s")
    assert page.locator("details.scenario").get_attribute("open") is None
    press_on(page, "1", "Enter")
    assert page.locator("details.scenario").get_attribute("open") is None
    press(page, "s")
    assert page.locator("details.scenario").get_attribute("open") is not None


def test_held_bouncing_and_left_over_keys_give_no_second_answer(at_item):
    """C18."""
    page = at_item()
    page.evaluate(
        """() => ["keydown", "keyup"].forEach(type => document.body.dispatchEvent(
            new KeyboardEvent(type, {key: "1", bubbles: true})))"""
    )
    assert checked(page) == 0  # no finger is that quick
    press(page, "1")
    press(page, "Enter")  # and 30 more keys while the next item comes
    for _ in range(15):
        page.keyboard.down("Enter")
        page.keyboard.down("1")
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    page.keyboard.up("1")
    page.keyboard.up("Enter")
    page.wait_for_timeout(300)
    assert is_at(page, 2)
    assert Judgment.objects.count() == 1
    for _ in range(30):
        page.keyboard.down("2")
    page.keyboard.up("2")
    assert page.locator("input[value=right]").is_checked()
    assert Judgment.objects.count() == 1


def test_only_time_in_front_of_the_open_page_counts(at_item):
    """C20: 20 minutes in another tab are one loss of focus and no work; a reload adds up."""
    page = at_item()
    page.clock.install()
    page.reload()
    page.clock.run_for(10_000)
    page.reload()
    turn_to = """state => {
        Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(turn_to, "hidden")
    page.clock.run_for(20 * 60_000)
    page.evaluate(turn_to, "visible")
    page.clock.run_for(15_000)
    press(page, "1")
    press_on(page, "Enter")
    stored = Judgment.objects.get()
    assert 24_000 <= (stored.active_ms or 0) < 10 * 60_000
    assert stored.focus_losses == 1


@pytest.mark.parametrize(
    ("size", "layout"),
    [((320, 568), "stacked"), ((390, 844), "stacked"), ((1280, 800), "side-by-side")],
    ids=["small", "phone", "wide"],
)
def test_layout_and_viewport_are_stored_with_the_answer(at_item, size, layout):
    """C21."""
    page = at_item(viewport=dict(zip(("width", "height"), size, strict=True)))
    page.click("label:has-text('A is more')")
    turn(page, NEXT)
    stored = Judgment.objects.get()
    assert (stored.layout, stored.viewport_width, stored.viewport_height) == (layout, *size)


@pytest.mark.parametrize("text", [16, 32], ids=["text", "large-text"])
def test_the_bar_covers_nothing_that_has_the_focus(open_page, text):
    """C21: the longest scenario, at 200 % text too; all is reached, nothing scrolls sideways."""
    call_command("load_scenarios", verbosity=0)
    study = make_study("long", **(SMALLEST | {"scenarios": longest_scenarios()[::3]}))
    page = open_page(has_touch=True)
    sizes = {"standard": text, "fixed": text}
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})
    page.goto(visitor(study, start).address)
    for width, height in ((320, 568), (390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(OVERFLOW) == 0
        assert page.evaluate(TARGETS) == []
        page.evaluate("window.scrollTo(0, 0); document.querySelector('.skip').focus()")
        for _ in range(12):
            press(page, "Tab")
            assert not page.evaluate(COVERED), page.evaluate("document.activeElement.outerHTML")
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        last_card = page.locator(".card").last.bounding_box()
        bar = page.locator(".choice-bar").bounding_box()
        assert last_card["y"] + last_card["height"] <= bar["y"] + 1


def test_choosing_moves_nothing_and_the_cards_are_alike(at_item, viewport):
    page = at_item(viewport=viewport)
    where = """() => [...document.querySelectorAll(".card, main label, main button")].map(
        box => [box.offsetLeft, box.offsetTop, box.offsetWidth, box.offsetHeight])"""
    places = page.evaluate(where)
    left, right = places[:2]
    assert left[2:] == right[2:] or viewport is PHONE
    assert left[2] == right[2]
    page.click("label:has-text('B is more')")
    assert page.evaluate(where) == places


def test_hand_over_on_a_shared_device_asks_the_next_person_for_consent(open_page, viewport, study):
    """C01: rows, consents and what was not confirmed stay with their person."""
    page = open_page(viewport=viewport)
    page.goto(visitor(study, start).address)
    page.click("label:has-text('A is more')")
    page.fill("textarea", "Mine.")
    turn(page, "footer a:has-text('leave')")
    turn(page, "button:has-text('Hand over')")
    assert page.evaluate("Object.keys(localStorage)") == []
    turn(page, "button:has-text('Begin')")
    assert page.locator("h1").inner_text() == "Your consent"
    page.click("label:has-text('Yes')")
    turn(page, NEXT)
    assert Participant.objects.count() == 2
    assert Consent.objects.values("participant").distinct().count() == 2
    assert not Judgment.objects.exists()


def test_a_second_tab_is_led_on_and_its_stale_answer_changes_nothing(at_item):
    """C06."""
    first = at_item()
    second = first.context.new_page()
    second.goto("/study/main/")
    for page in (first, first):
        page.click("label:has-text('A is more')")
        turn(page, NEXT)
    second.click("label:has-text('B is more')")
    turn(second, NEXT)
    assert is_at(second, 3)
    second.get_by_role("status").filter(has_text="answered already").wait_for()
    assert list(Judgment.objects.values_list("choice", flat=True)) == ["left", "left"]


def test_an_answer_in_a_second_tab_to_the_last_item_is_said_to_be_a_change(at_item):
    """C06: item 5 in one tab, then in the other: one row, and the change is kept as one."""
    first = at_item()
    second = first.context.new_page()
    second.goto("/study/main/")
    first.click("label:has-text('A is more')")
    turn(first, NEXT)
    second.click("label:has-text('B is more')")
    turn(second, NEXT)
    assert is_at(second, 2)
    second.get_by_role("status").filter(
        has_text="answered already; your answer is changed"
    ).wait_for()
    assert Judgment.objects.get().choice == "right"
    assert list(Revision.objects.values_list("choice_before", "choice_after")) == [
        ("left", "right")
    ]


def test_a_reload_keeps_the_item_its_sides_and_what_was_begun(at_item):
    """C04; Back leads to the item that is next, too."""
    page = at_item()
    cards = page.locator(".card p").all_inner_texts()
    page.click("label:has-text('B is more')")
    page.fill("textarea", "Half a sent")
    page.reload()
    assert page.locator(".card p").all_inner_texts() == cards
    assert page.locator("textarea").input_value() == "Half a sent"
    assert page.locator("input[value=right]").is_checked()
    turn(page, NEXT)
    turn(page, "a:has-text('Change my last answer')")
    page.go_back()
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    assert Judgment.objects.count() == 1


def test_another_device_goes_on_where_the_first_stopped(open_page, study):
    """C08: with the platform's parameters, and no second participant."""
    study.platform_study_id = "S1"
    study.save()
    address = "/study/main/?PROLIFIC_PID=5f3c&STUDY_ID=S1&SESSION_ID=x9"
    laptop, phone = open_page(), open_page(viewport=PHONE)
    laptop.goto(address)
    turn(laptop, "button:has-text('Begin')")
    start(Participant.objects.get())
    laptop.goto(address)
    laptop.click("label:has-text('A is more')")
    turn(laptop, NEXT)
    phone.goto(address)
    turn(phone, "button:has-text('Begin')")
    assert is_at(phone, 2)
    phone.click("label:has-text('A is more')")
    turn(phone, NEXT)
    participant = Participant.objects.get()
    timeline = timeline_of(study, participant.pk, now=timezone.now())
    events = {event.what: event.detail for event in timeline.events}
    assert "Came back from the platform" in events
    assert events["Other window or device"].startswith("375 × 812, stacked, before 1280 × ")
