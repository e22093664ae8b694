"""Rows of a polled outbox table that could not be published, in the page: seen in the list, tried again, left out. Before a real process."""
import pytest

from console.browser import TIMEOUT_MS, press, shows
from support.connector import database_properties
from support.polling import polled
from support.serve import CLASS
from support.wait import wait_until

TABLE = """create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
           created_at timestamptz not null default now(), published_at timestamptz, attempts int, last_error text, next_try_at timestamptz)"""
# A topic may not be called so, and nothing of it is markup.
BAD = "<img src=x onerror=\"window.broken='it ran'\">"
NAME = "shop"


def put(db, kind, key):
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values (%s, %s, 'Placed', '{\"n\": 1}')", kind, key)


@pytest.fixture
def parking(databases, pg17):
    """Of a worker: a connector that polls, with rows 2 and 5 parked; row 3 of the key of row 2 waits behind it."""
    def made(worker):
        db = databases(pg17)
        db.execute(TABLE)
        for kind, key in (("Order", "1"), (BAD, "1"), ("Order", "1"), ("Order", "2"), (BAD, "3")):
            put(db, kind, key)
        config = {"connector.class": CLASS, "topic.prefix": db.name, **database_properties(db),
                  **polled(db, **{"walduct.outbox.max.attempts": "2", "walduct.outbox.attempts.backoff.ms": "100"})}
        worker.create(NAME, {name: value for name, value in config.items() if value is not None and name != "walduct.outbox.publish.locally"})
        worker.wait_state(NAME, "RUNNING/RUNNING")
        wait_until(lambda: db.value("select count(*) from outbox where attempts = 2") == 2, 60, "two rows are parked")
        return db
    return made


def parked(page, rows):
    summary = page.locator("summary", has_text="Parked, as they could not be published: " + rows)
    # Where nothing comes rows are counted once a minute.
    summary.wait_for(timeout=3 * TIMEOUT_MS)
    return summary


def test_parked_rows_are_counted_in_the_list_and_listed_with_their_errors(browser, writing, parking):
    """Dark and light, wide and on a phone; the error is cut, and opened by hand; a keyboard reaches it all."""
    db = parking(writing)
    error = db.value("select last_error from outbox where id = 2")
    for scheme, width in (("light", 1280), ("dark", 390), ("light", 390), ("dark", 1280)):
        view = browser.open(writing.base, color_scheme=scheme, viewport={"width": width, "height": 900})
        page = view.go()
        shows(page, "2 rows of outbox tables are parked")
        shows(page, "1 to look at")
        view.accessible(f"list {scheme} {width}")
        page.get_by_role("link", name=NAME, exact=True).click()
        parked(page, "2 rows").focus()
        page.keyboard.press("Enter")
        region = page.get_by_role("region", name="public.outbox")
        region.wait_for(timeout=TIMEOUT_MS)
        assert region.locator("tbody tr").count() == 2
        first = region.locator("tbody tr").first
        text = first.inner_text()
        assert text.startswith("2") and "parked, 2 attempts" in text and " ago" in text and "transform_failed" in text
        first.locator("summary").click()
        assert first.locator("code.message").text_content() == error, "the whole error"
        view.shoot(f"parked-{scheme}-{width}")
        view.accessible(f"parked {scheme} {width}")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.ariaLabel") == "Retry row 2 of public.outbox"
        shows(page, "Outbox tables")
        assert page.get_by_role("heading", name="Slot", exact=True).count() == 0, "there is none"
        view.check()
        view.context.close()


def test_a_parked_row_is_retried_and_one_is_skipped_after_a_question(browser, writing, parking):
    db = parking(writing)
    view = browser.open(writing.base)
    page = view.go(f"#connector/{NAME}")
    parked(page, "2 rows").click()
    page.get_by_role("button", name="Skip row 5 of public.outbox").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Skip row 5 of public.outbox?")
    assert "It is never published" in dialog.inner_text() and f"walduct outbox skip {NAME} 5 --table public.outbox" in dialog.inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Cancel", "the harmless one has the focus"
    view.accessible("dialog")
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached", timeout=TIMEOUT_MS)
    assert page.evaluate("document.activeElement.ariaLabel") == "Skip row 5 of public.outbox"
    assert db.value("select published_at is null and attempts = 2 from outbox where id = 5"), "nothing was done"
    press(page, "Skip row 5 of public.outbox")
    press(page, "Leave it out")
    shows(page, "Row 5 is left out for good: marked as published, never published.")
    assert db.value("select published_at is not null from outbox where id = 5")
    page.get_by_role("button", name="Skip row 5 of public.outbox").wait_for(state="detached", timeout=TIMEOUT_MS)
    assert page.evaluate("document.activeElement.localName") == "summary", "a keyboard goes on from there"
    db.execute("update outbox set aggregate_type = 'Order' where id = 2")
    press(page, "Retry row 2 of public.outbox")
    press(page, "Try it again")
    shows(page, "Row 2 is tried again (2 attempts before)")
    wait_until(lambda: db.value("select count(*) from outbox where published_at is null") == 0, 60, "published, and what waited behind it")
    parked(page, "0 rows").click()
    page.locator("summary", has_text="Parked").wait_for(state="hidden", timeout=TIMEOUT_MS)
    page.get_by_role("link", name="Connectors").click()
    page.locator(".state.good", has_text="RUNNING").wait_for(timeout=TIMEOUT_MS)
    view.check()


def test_a_row_that_another_session_has_locked_is_told(browser, writing, parking):
    db = parking(writing)
    view = browser.open(writing.base)
    page = view.go(f"#connector/{NAME}")
    parked(page, "2 rows").click()
    with db.transaction() as other:
        other.execute("select from outbox where id = 2 for update")
        press(page, "Retry row 2 of public.outbox")
        press(page, "Try it again")
        shows(page, "Row 2 is locked by another session: nothing was changed, ask again.")
        other.rollback()
    page.get_by_role("button", name="Retry row 2 of public.outbox").wait_for(timeout=TIMEOUT_MS)
    press(page, "Delete")
    assert "replication slot" not in page.get_by_role("dialog").inner_text(), "there is none"
    view.check()


def test_who_may_only_read_sees_them_without_buttons(browser, worker, parking):
    worker.start()
    parking(worker)
    view = browser.open(worker.base)
    page = view.go(f"#connector/{NAME}")
    parked(page, "2 rows").click()
    page.get_by_role("region", name="public.outbox").wait_for(timeout=TIMEOUT_MS)
    assert page.get_by_role("button", name="row 2").count() == 0
    view.check()
