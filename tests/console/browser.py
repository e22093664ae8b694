"""The console in headless Chromium. Whatever a page asks for is written down; what it asks of another host is refused."""
import os
import shutil
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright


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
            return route.continue_()
        self.foreign.append(request.url)
        return route.abort()

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

    def check(self):
        """Nothing was asked of others, no script failed, the policy was not broken, nothing spoke up."""
        assert self.asked and self.foreign == [] and self.faults == [] and self.dialogs == [], \
            (self.foreign, self.faults, self.dialogs)
        # Elements that would ask or run: ours are one script, one style sheet, one icon.
        assert self.page.evaluate("[...document.querySelectorAll('img,iframe,object,embed,base,script,link')]"
                                  ".map(e => e.localName).sort().join()") == "link,link,script"
        assert self.page.evaluate("window.broken") is None
