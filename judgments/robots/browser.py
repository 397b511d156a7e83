"""A browser without a screen: cookies, forms with their tokens, and patience with a site away."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import requests

from judgments.robots.pages import Form, Page, read_page

TIMEOUT_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 2.0
SERVER_FAULT = 500


class SiteAway(Exception):
    """The site gave no proper answer for as long as the robot has patience."""


class Refused(Exception):
    """The site answered with a status of 4xx."""

    def __init__(self, status: int, page: Page) -> None:
        self.status = status
        self.page = page
        super().__init__(f"{status} at {urlsplit(page.url).path}: {page.heading}")


@dataclass(frozen=True)
class Reply:
    """What came back for a request, redirects not followed."""

    status: int
    location: str
    text: str


class Browser:
    """One robot's browser on one site.

    `host` and `secure` say as whom the site is spoken to where its address is that of a loopback
    server: then the site believes what its proxy would have told it.
    """

    def __init__(
        self,
        address: str,
        *,
        host: str = "",
        secure: bool = False,
        patience_seconds: float,
        on_page: Callable[[Page], None] = lambda page: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.faults: Counter[str] = Counter()
        self._address = address.rstrip("/")
        self._patience_seconds = patience_seconds
        self._on_page = on_page
        self._should_stop = should_stop
        self._session = requests.Session()
        # Not the proxies and the passwords of whoever runs the command.
        self._session.trust_env = False
        self._session.headers["Accept-Language"] = "en-GB, en"
        self._origin = self._address
        if host:
            self._session.headers["Host"] = host
            self._origin = f"{'https' if secure else 'http'}://{host}"
        self._is_loopback = secure

    @property
    def cookies(self) -> dict[str, str]:
        """What the site has given so far, by name."""
        return {cookie.name: cookie.value or "" for cookie in self._session.cookies}

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Page:
        """Return the page at an address, redirects followed.

        Raises
        ------
        Refused, SiteAway
        """
        return self.follow(path, self._send("GET", path, query=query))

    def submit(self, form: Form, filled_in: Mapping[str, str]) -> Page:
        """Send a form with its own values and those filled in; return the page it leads to.

        Raises
        ------
        Refused, SiteAway
        """
        return self.follow(form.action, self.post(form, filled_in))

    def post(self, form: Form, filled_in: Mapping[str, str]) -> Reply:
        """Send a form and return the reply; sent again, the same, while the site is away.

        Raises
        ------
        SiteAway
        """
        return self._send("POST", form.action, data={**form.values, **filled_in})

    def follow(self, path: str, reply: Reply) -> Page:
        """Return the page that a reply is or leads to.

        Raises
        ------
        Refused, SiteAway
        """
        while reply.location:
            target = urlsplit(urljoin(path, reply.location))._replace(scheme="", netloc="")
            path = target.geturl()
            reply = self._send("GET", path)
        page = read_page(path, reply.text)
        self._on_page(page)
        if reply.status != requests.codes.ok:
            raise Refused(reply.status, page)
        return page

    def close(self) -> None:
        self._session.close()

    def _keep_cookies(self) -> None:
        """Let the cookies of a site that takes itself for HTTPS go back over the loopback."""
        if self._is_loopback:
            for cookie in self._session.cookies:
                cookie.secure = False

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        data: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request until it is answered without a fault of the server."""
        give_up_at = time.monotonic() + self._patience_seconds
        pause_seconds = FIRST_PAUSE_SECONDS
        while True:
            fault = ""
            try:
                response = self._session.request(
                    method,
                    self._address + path,
                    params=query,
                    data=data,
                    headers={"Referer": self._origin + path},
                    allow_redirects=False,
                    timeout=TIMEOUT_SECONDS,
                )
                self._keep_cookies()
                if response.status_code < SERVER_FAULT:
                    location = response.headers.get("Location", "")
                    return Reply(response.status_code, location, response.text)
                fault = str(response.status_code)
            except (requests.ConnectionError, requests.Timeout) as error:
                fault = type(error).__name__
            self.faults[fault] += 1
            if self._should_stop() or time.monotonic() > give_up_at:
                raise SiteAway(f"{method} {path}: {fault} for {self._patience_seconds:g} s")
            time.sleep(pause_seconds)
            pause_seconds = min(2 * pause_seconds, LONGEST_PAUSE_SECONDS)
