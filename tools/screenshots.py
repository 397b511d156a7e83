"""Save every page of a running site at two widths, light and dark, into screenshots/.

    python -m tools.screenshots http://127.0.0.1:8000

It follows the links from the home page inside the site, and adds a page that does not exist.
"""

import argparse
import os
import re
import shutil
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path("screenshots")
WIDTHS = (1280, 375)
SCHEMES = ("light", "dark")
NO_PAGES = ("/admin/", "/staff/", "/api/v1/", "/static/")
# The last one numbers the research states of a set.
_ID = re.compile(r"[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=-)\d\d(?=/)")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_path() -> str | None:
    """Return the browser to drive: CHROMIUM, else the one on PATH."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium")


def links_of(page: Page, site: str) -> list[str]:
    """Return the pages of the same site that the open page links to, without fragments."""
    targets = page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
    addresses = dict.fromkeys(urldefrag(target).url for target in targets)
    return [address for address in addresses if _is_page(address, site)]


def _is_page(address: str, site: str) -> bool:
    parts = urlsplit(address)
    if parts.netloc != urlsplit(site).netloc or parts.path.startswith(NO_PAGES):
        return False
    # A filtered or sorted list is the same page, and pages end with a slash, files do not.
    return not parts.query and parts.path.endswith("/")


def crawl(page: Page, site: str) -> list[str]:
    """Return the address of every page that can be reached from the home page by links.

    Of pages that differ in nothing but an id, such as episodes, two stand for all.
    """
    found = [urljoin(site, "/")]
    for address in found:
        page.goto(address)
        for link in links_of(page, site):
            n_alike = sum(_ID.sub("", link) == _ID.sub("", other) for other in found)
            if link not in found and n_alike < 2:
                found.append(link)
    return found


def photograph(browser: Browser, addresses: list[str]) -> None:
    """Save each address as screenshots/<path>-<width>-<scheme>.png."""
    FOLDER.mkdir(exist_ok=True)
    for scheme in SCHEMES:
        for width in WIDTHS:
            page = browser.new_page(
                viewport={"width": width, "height": 800},
                color_scheme="light" if scheme == "light" else "dark",
            )
            for address in addresses:
                page.goto(address)
                name = (
                    _ID.sub(_first_characters, urlsplit(address).path).strip("/").replace("/", "_")
                )
                page.screenshot(
                    path=FOLDER / f"{name or 'home'}-{width}-{scheme}.png", full_page=True
                )
            page.close()


def _first_characters(found: re.Match[str]) -> str:
    return found[0][:8]


def main() -> None:
    """Photograph the site given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("paths", nargs="*", help="only these paths, instead of following links")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*ARGUMENTS])
        addresses = [urljoin(options.site, path) for path in options.paths] or [
            *crawl(browser.new_page(), options.site),
            urljoin(options.site, "/no-such-page/"),
        ]
        photograph(browser, addresses)
        browser.close()
    print(f"{len(addresses)} pages in {FOLDER}/")


if __name__ == "__main__":
    main()
