"""The console in headless Chromium. Whatever a page asks for is written down; what it asks of another host is refused."""
import os
import re
import shutil
from pathlib import Path
from urllib.parse import quote, urlsplit

import axe_playwright_python
from playwright.sync_api import sync_playwright

from support.wait import wait_until

TIMEOUT_MS = 30000
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")


def at(name):
    """In a path."""
    return quote(name, safe="")


def shows(page, text):
    page.get_by_text(text, exact=False).first.wait_for(timeout=TIMEOUT_MS)


def becomes(page, expression):
    """The page's policy forbids waiting inside of it, which takes eval."""
    wait_until(lambda: page.evaluate(expression), TIMEOUT_MS / 1000, expression, interval_s=0.1)


def has_state(page, state):
    page.locator(".state", has_text=re.compile(f"^{state}$")).first.wait_for(timeout=TIMEOUT_MS)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


class Browser:
    def __init__(self):
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"])

    def close(self):
        self.chromium.close()
        self.playwright.stop()

    def open(self, base, **options):
        return View(self.chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}), base)


class View:
    """One window on one process."""

    def __init__(self, context, base):
        self.base, self.context, self.page = base, context, context.new_page()
        self.asked, self.foreign, self.faults, self.dialogs = [], [], [], []
        context.route("**/*", self._route)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda line: self.faults.append(line.text) if line.type == "error" else None)
        self.page.on("dialog", self._dismiss)

    def _route(self, route):
        request = route.request
        self.asked.append((request.method, request.url))
        if urlsplit(request.url).netloc == urlsplit(self.base).netloc:
            return self._own(route, urlsplit(request.url).path)
        self.foreign.append(request.url)
        return route.abort()

    @staticmethod
    def _own(route, path):
        """The page's files from a folder, where WALDUCT_ASSETS names one: seen without a build."""
        file = Path(os.environ.get("WALDUCT_ASSETS", "/nowhere")) / ("index.html" if path == "/console" else path.removeprefix("/console/"))
        if not file.is_file():
            return route.continue_()
        return route.fulfill(path=file, content_type={".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}.get(file.suffix, "text/html"))

    def _dismiss(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def go(self, fragment=""):
        self.page.goto(f"{self.base}/console{fragment}")
        return self.page

    def shoot(self, name):
        """A picture for people, where WALDUCT_PICTURES names a folder."""
        if folder := os.environ.get("WALDUCT_PICTURES"):
            self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)

    def accessible(self, where):
        """axe-core finds nothing, by its rules of WCAG and of good practice; nothing is wider than the window."""
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("axe.run().then(all => all.violations.map(one => one.id + ': ' + one.nodes.map(n => n.html).join(' | ')))")
        assert found == [], f"{where}: {found}"
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where} is wider than the window"
        # A word is cut where an element is wider inside than outside and does not scroll.
        assert self.page.evaluate("""[...document.querySelectorAll('main *')].filter(one => one.clientWidth > 0 && !one.closest('.unseen, .scroll')
            && one.scrollWidth > one.clientWidth + 1 && !/INPUT|TEXTAREA|SELECT/.test(one.tagName)).map(one => one.outerHTML.slice(0, 200))""") == [], where

    def check(self, refused=None):
        """Nothing was asked of others, no script failed, the policy was not broken, nothing spoke up. refused: the code of answers that say no."""
        faults = [fault for fault in self.faults if f"responded with a status of {refused} " not in fault]
        assert self.asked and self.foreign == [] and faults == [] and self.dialogs == [], (self.foreign, faults, self.dialogs)
        # Elements that would ask or run: ours are one script and its parts, one style sheet, one icon.
        assert self.page.evaluate("[...document.querySelectorAll('img,iframe,object,embed,base,script,link:not([rel=modulepreload])')]"
                                  ".map(e => e.localName).sort().join()") == "link,link,script"
        assert self.page.evaluate("window.broken") is None
