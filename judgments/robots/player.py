"""How a robot walks through the study: it answers whatever page is shown, until there is none."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from judgments.robots.browser import Browser, Refused, Reply, SiteAway
from judgments.robots.decisions import (
    Comparison,
    NotOffered,
    Robot,
    RobotName,
    UnknownText,
    asked_label,
    decide,
)
from judgments.robots.pages import Form, Page

TABS_EVERY = 10  # a two-tabber leaves a second tab open at every tenth item


class Astray(Exception):
    """The page shown is none of those that a robot knows how to go on from."""


class Stopped(Exception):
    """The robot was asked to stop."""


@dataclass(frozen=True)
class Knowledge:
    """What robots know beforehand: where every proposal stands, and what the instructions said."""

    order: Mapping[str, int]
    comprehension: Mapping[str, str]


@dataclass
class Played:
    """What one robot did, as far as the site confirmed it."""

    robot: Robot
    answers: dict[int, str] = field(default_factory=dict)  # choice by position, acknowledged
    completion_code: str = ""
    n_sent_twice: int = 0
    n_unequal_replies: int = 0
    faults: dict[str, int] = field(default_factory=dict)  # requests sent again, by their reason
    problem: str = ""


class Player:
    """One robot with its browser."""

    def __init__(
        self,
        robot: Robot,
        browser: Browser,
        *,
        home: str,
        knowledge: Knowledge,
        pause_seconds: float = 0.0,
        on_answer: Callable[[], None] = lambda: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.played = Played(robot)
        self._robot = robot
        self._browser = browser
        self._home = home
        self._knowledge = knowledge
        self._pause_seconds = 0.0 if robot.name is RobotName.SPEEDER else pause_seconds
        self._on_answer = on_answer
        self._should_stop = should_stop

    def play(self) -> Played:
        """Begin, or come back, and go on to the end; what went wrong is in what is returned."""
        try:
            self._play()
        except (Astray, NotOffered, Refused, SiteAway, Stopped, UnknownText) as refusal:
            self.played.problem = str(refusal)
        finally:
            self.played.faults = dict(self._browser.faults)
            self._browser.close()
        return self.played

    def walk_to_items(self) -> Form:
        """Begin, go through what comes before the items, and return the form of the item shown.

        Raises
        ------
        Astray, Refused, SiteAway
        """
        page = self._begin()
        while page.step_form and page.step != "item":
            page = self._take_step(page, page.step_form)
        if page.step_form is None:
            raise Astray(f"ended at {page.heading!r} before the items")
        return page.step_form

    def _play(self) -> None:
        page = self._begin()
        while page.step_form and not self._leaves(page):
            if self._should_stop():
                raise Stopped("stopped")
            page = self._take_step(page, page.step_form)
        self.played.completion_code = page.marked.get("code", "")
        if not page.step_form and not self.played.completion_code:
            raise Astray(f"ended at {page.heading!r} without a completion code")

    def _begin(self) -> Page:
        landing = self._browser.get(self._home, {"PROLIFIC_PID": self._robot.platform_pid})
        form = landing.form_to("/begin/")
        if form is None:
            raise Astray(f"there is no way to begin at {landing.heading!r}")
        return self._browser.submit(form, {})

    def _leaves(self, page: Page) -> bool:
        stops_after = self._robot.stops_after
        position = int(page.step_form.values.get("position", 0)) if page.step_form else 0
        return stops_after is not None and position > stops_after

    def _take_step(self, page: Page, form: Form) -> Page:
        if page.step == "item":
            return self._answer(page, form)
        filled_in = {
            name: "yes" if "yes" in offered else self._knowledge.comprehension.get(name, offered[0])
            for name, offered in form.offers.items()
        }
        following = self._browser.submit(form, filled_in)
        if following.step_form and _untouched(following.step_form) == _untouched(form):
            raise Astray(f"{page.heading!r} leads nowhere")
        return following

    def _answer(self, page: Page, form: Form) -> Page:
        shown_at = time.monotonic()
        comparison = read_comparison(page, form)
        choice = decide(self._robot, comparison, self._knowledge.order)
        time.sleep(self._pause_seconds)
        active_ms = round(1000 * (time.monotonic() - shown_at))
        filled_in = {"choice": choice, "active_ms": str(active_ms)}
        position = comparison.position
        other_tab = self._second_tab(position)
        reply = self._send(form, filled_in)
        if reply.location:
            self.played.answers[position] = choice
            self._on_answer()
        following = self._browser.follow(form.action, reply)
        if other_tab:
            following = self._browser.submit(other_tab, filled_in)
            self.played.n_sent_twice += 1
        if following.step_form and _untouched(following.step_form) == _untouched(form):
            raise Astray(f"the answer to item {position} was not taken")
        return following

    def _second_tab(self, position: int) -> Form | None:
        """Return the form of the same item in a tab opened before it is answered."""
        if self._robot.name is not RobotName.TWO_TABBER or position % TABS_EVERY:
            return None
        return self._browser.get(self._home).step_form

    def _send(self, form: Form, filled_in: dict[str, str]) -> Reply:
        if self._robot.name is not RobotName.DOUBLE_CLICKER:
            return self._browser.post(form, filled_in)
        with ThreadPoolExecutor(2) as clicks:
            first, second = clicks.map(lambda _: self._browser.post(form, filled_in), range(2))
        self.played.n_sent_twice += 1
        self.played.n_unequal_replies += first != second
        return first


def read_comparison(page: Page, form: Form) -> Comparison:
    """Return the item that a page shows."""
    return Comparison(
        position=int(form.values["position"]),
        left=page.regions.get("card-a", ""),
        right=page.regions.get("card-b", ""),
        offered=form.offers["choice"],
        asked_label=asked_label(form.legends["choice"]),
    )


def _untouched(form: Form) -> dict[str, str]:
    """Return what the form would send, without the token that differs on every page."""
    return {name: value for name, value in form.values.items() if name != "csrfmiddlewaretoken"}
