"""What hands do on the judgment screen, and what is seen there."""

import pytest

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 375, "height": 812}
QUESTION = "Which proposal is more informative?"
RETRYING = "#saving:has-text('Not saved yet, retrying')"
FINGER_MS = 40  # for how long a finger holds a key down


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
