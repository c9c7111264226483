"""The pages in a real browser (headless Chromium): they load, clicks lead where they should,
nothing is asked of others.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.answers import value
from support.commands import clone, run
from support.hostile import EVIL
from support.pages import Server, serving

from collector.storage.store import Store

webdriver = pytest.importorskip("selenium.webdriver")
pytest.importorskip("datasette")
CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs Debian's chromium and chromium-driver"
)

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1200,900",
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped example, with a prompt and a path that would act if they were taken for HTML."""
    directory = tmp_path_factory.mktemp("browser")
    db = directory / "seen.db"
    run("survival", clone("example", directory), "--no-curves", db=db)
    with Store(db) as store, store.transaction() as connection:
        connection.execute("UPDATE turns SET prompt = prompt || ?", (EVIL,))
    return db


@pytest.fixture(scope="module")
def server(db: Path) -> Iterator[Server]:
    with serving(db) as server:
        yield server


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Iterator[Any]:
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(DRIVER))
    found.set_page_load_timeout(120)
    found.get("about:blank")
    found.get_log("performance")  # what the browser does at its start is its own affair
    found.get(server.address)
    assert "token" not in found.current_url
    yield found
    found.quit()


def quiet(browser: Any) -> None:
    """No error in the console, and no request to anything but this machine since it was asked
    last.
    """
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    asked = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    assert asked
    assert [
        url
        for url in asked
        if urlsplit(url).hostname != "127.0.0.1" and not url.startswith("data:")
    ] == []


def click(browser: Any, css: str) -> None:
    from selenium.webdriver.common.by import By

    element = browser.find_element(By.CSS_SELECTOR, css)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def text(browser: Any, css: str = "body") -> str:
    from selenium.webdriver.common.by import By

    return str(browser.find_element(By.CSS_SELECTOR, css).text)


def test_from_the_start_to_a_line_to_its_session_and_commit(
    browser: Any, address: str, db: Path
) -> None:
    agent = value(db, "SELECT SUM(agent) FROM tip_files WHERE kind IN ('source', 'test')")
    added = value(
        db,
        "SELECT SUM(nonblank) FROM line_spans WHERE author = 'agent' AND kind IN ('source',"
        " 'test')",
    )
    browser.get(f"{address}/-/whowrote")
    assert text(browser, "h1") == "Who wrote what" and f"{added:,}" in text(browser, ".legend")
    click(browser, ".ww-table a")
    assert browser.current_url.endswith("/-/whowrote/seen/example") and f"{agent:,}" in text(
        browser
    )
    quiet(browser)
    click(browser, "td a[href*='@']")
    click(browser, ".k-agent-bg a[href^='?line']")
    assert "line=" in browser.current_url and "agent" in text(browser, "tr.panel")
    assert "<script>alert(1)</script>" in text(browser, "tr.panel pre.prompt")
    quiet(browser)
    click(browser, "tr.panel a[href*='/session/']")
    assert "Turn" in text(browser, "h2#turns") and text(browser, "article.turn h3").startswith(
        "Turn"
    )
    click(browser, "a[href*='/commit/']")
    assert "/commit/" in browser.current_url and "Sessions behind it" in text(browser)
    quiet(browser)


def test_no_hostile_script_ran(browser: Any, address: str) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    for page in ("/-/whowrote/seen", "/seen/turns", "/seen/sessions"):
        browser.get(address + page)
        with pytest.raises(NoAlertPresentException):
            browser.switch_to.alert.accept()
        quiet(browser)


def test_tables_are_described_and_prompts_are_found(browser: Any, address: str) -> None:
    browser.get(f"{address}/seen/line_spans?_size=5")
    assert "who wrote it, how we know" in text(browser)
    browser.get(f"{address}/seen/turns?_search=bird")
    assert "rows where" in text(browser) or "row where" in text(browser)
    quiet(browser)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(browser: Any, address: str, scheme: str) -> None:
    """Contrast of 4.5 to 1 (WCAG AA) for every text of the overview, links and dimmed words
    included.
    """
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.get(f"{address}/-/whowrote/seen/-/go/repo/1")
    low = browser.execute_script("""
        const paint = c => c.match(/[\\d.]+/g).map(Number);
        const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        const light = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
          .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = e => {
          for (; e; e = e.parentElement) {
            const p = paint(getComputedStyle(e).backgroundColor);
            if (p.length < 4 || p[3] > 0.99) return p;
          }
          return [255, 255, 255];
        };
        const text = n => n.nodeType === 3 && n.textContent.trim();
        return [...document.querySelectorAll('main.content *')]
          .filter(e => [...e.childNodes].some(text) && e.offsetParent
            && e.tagName !== 'TITLE' && e.tagName !== 'text')
          .map(e => {
            const a = light(paint(getComputedStyle(e).color)), b = light(behind(e));
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            return [ratio, e.tagName, e.className, e.textContent.slice(0, 30)];
          })
          .filter(([ratio]) => ratio < 4.5);
        """)
    assert low == []


def test_a_phone_shows_it_without_scrolling_sideways(
    browser: Any, address: str, db: Path, tmp_path: Path
) -> None:
    """The pages, and those that a command writes to a file."""
    written: list[Path] = []
    for by in ((), ("--by", "month,directory"), ("--by", "week", "--until", "2026-01-20")):
        written.append(tmp_path / f"report{len(written)}.html")
        run("report", *by, "--html", written[-1], db=db)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True},
    )
    try:
        for page in (
            *(
                f"{address}/-/whowrote/seen{rest}"
                for rest in ("", "/-/go/repo/1", "/-/go/file/1", "/-/go/session/1", "/turns/1")
            ),
            *(path.as_uri() for path in written),
        ):
            browser.get(page)
            wide = browser.execute_script(
                "return document.documentElement.scrollWidth - window.innerWidth"
            )
            assert wide <= 1, page
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
