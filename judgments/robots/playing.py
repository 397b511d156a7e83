"""Many robots at once, each in a thread and with a browser of its own."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

from judgments.robots.browser import Browser
from judgments.robots.decisions import Robot
from judgments.robots.loopback import Loopback
from judgments.robots.pages import Page
from judgments.robots.player import Knowledge, Played, Player


@dataclass(frozen=True)
class Stage:
    """Where robots play: a site, the address of the study on it, and what they know."""

    site: Loopback
    home: str
    knowledge: Knowledge
    pause_seconds: float = 0.0
    patience_seconds: float = 60.0

    def browser(
        self,
        *,
        on_page: Callable[[Page], None] = lambda page: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Browser:
        """Return a browser that has been nowhere yet."""
        return Browser(
            self.site.address,
            host=self.site.host,
            secure=self.site.secure,
            patience_seconds=self.patience_seconds,
            on_page=on_page,
            should_stop=should_stop,
        )


def play_all(
    robots: Iterable[Robot],
    stage: Stage,
    *,
    parallel: int,
    on_answer: Callable[[], None] = lambda: None,
    on_page: Callable[[Robot, Page], None] = lambda robot, page: None,
) -> list[Played]:
    """Play every robot to its end, `parallel` of them at a time.

    Whatever `on_answer` raises in one of the threads ends all of them, and is raised here.
    """
    stop = Event()

    def play(robot: Robot) -> Played:
        browser = stage.browser(on_page=lambda page: on_page(robot, page), should_stop=stop.is_set)
        player = Player(
            robot,
            browser,
            home=stage.home,
            knowledge=stage.knowledge,
            pause_seconds=stage.pause_seconds,
            on_answer=on_answer,
            should_stop=stop.is_set,
        )
        return player.play()

    with ThreadPoolExecutor(parallel) as pool:
        plays = [pool.submit(play, robot) for robot in robots]
        try:
            return [play.result() for play in plays]
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
