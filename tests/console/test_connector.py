"""The page of one connector: what is asked of it, and what can be done to it. Before a real process."""
import json
import re
import subprocess
import uuid

import pytest

from console.browser import TIMEOUT_MS, becomes, has_state, press, shows
from console.fleet import Fleet, fleet_config
from support.paths import BINARY
from support.serve import CLASS, Worker
from support.wait import wait_until

LARGE = "insert into items values (%s, (select string_agg(md5(random()::text), '') from generate_series(1, 100000)))"  # 3.2 MB


@pytest.fixture
def shop(writing, databases, pg17):
    """One that streams."""
    return Fleet(writing, databases(pg17), 1).start()


@pytest.fixture
def page_of(browser, shop):
    def opened(fragment=None):
        view = browser.open(shop.worker.base, permissions=["clipboard-read", "clipboard-write"])
        page = view.go(f"#connector/{shop.names[0]}" if fragment is None else fragment)
        page.locator("h1").wait_for(timeout=TIMEOUT_MS)
        return view, page
    return opened


def status_of(shop, name=None):
    done = subprocess.run([str(BINARY), "status", name or shop.names[0], "--url", shop.worker.base], capture_output=True, text=True, timeout=60)
    return done.stdout


def open_part(page, title):
    page.get_by_text(title, exact=True).click()


def test_secrets_are_masked_whatever_the_property(page_of, shop):
    """By the rules of the program: known secrets, unknown names that look like one, salts, passwords in addresses; references stay."""
    name = "masked"
    shop.worker.create(name, fleet_config(shop.database, name, **{
        "producer.override.sasl.jaas.config": 'x password="jaas-text"', "my.api.key": "key-text", "database.passwort": "typo-text",
        "column.mask.hash.SHA-256.with.salt.salt-text": "public.items.note", "errors.deadletterqueue.topic.name": "dead",
        "custom.address": "https://user:url-text@host/"}), initial_state="STOPPED")
    view, page = page_of(f"#connector/{name}")
    open_part(page, "Configuration")
    shows(page, "topic.prefix")
    text = page.locator("main").inner_text()
    assert "******" in text and "database.passwort" in text and "my.api.key" in text
    for secret in ("jaas-text", "key-text", "typo-text", "salt-text", "url-text"):
        assert secret not in page.content(), secret
    assert re.search(r"database\.password\n\*{6}\n", text)
    assert "dead" in text and name in text, "what is no secret is shown"
    view.accessible("configuration")
    view.check()


def test_last_lines_of_the_log(page_of, shop):
    view, page = page_of()
    shows(page, "Last lines of the log")
    shows(page, "streaming slot=")
    shop.worker.ask("PUT", f"/connectors/{shop.names[0]}/pause")
    shows(page, "paused")
    lines = page.locator(".lines li").all_inner_texts()
    assert lines == sorted(lines, reverse=True) and len(lines) == len(set(lines)), "the newest first, each once"
    assert not any("[" + shop.names[0] in line for line in lines)
    view.check()


def test_a_chart_is_there_when_the_page_is_opened(page_of, shop):
    """What the process remembers: the second page that is opened begins with it."""
    shop.write(1, 300)
    wait_until(lambda: len(shop.worker.get(f"/console/history?name={shop.names[0]}")["points"]) >= 3, 60, "two looks")
    view, page = page_of()
    chart = page.get_by_role("img", name=re.compile("^Rows read a second"))
    chart.wait_for(timeout=5000)
    assert re.fullmatch(r"Rows read a second: the last [\d.]+ s, now [\d,]+/s, at most [\d,]+/s", chart.get_attribute("aria-label"))
    assert page.locator("svg.chart").count() == 3
    assert page.locator("svg.chart:not(:has(polyline))").count() == 0, "none is empty"
    view.check()


def test_numbers_agree_with_status(page_of, shop):
    """The same rows, the same units and digits."""
    shop.write(1, 4321)
    name = shop.names[0]
    wait_until(lambda: shop.worker.get(f"/status?connector={name}")["connectors"][0]["events"] == 4321, 60, "all rows")
    shop.worker.ask("PUT", f"/connectors/{name}/pause")
    shop.worker.wait_state(name, "PAUSED/PAUSED")
    shop.database.execute("insert into items select i, repeat('x', 1000) from generate_series(10000, 18000) i")
    view, page = page_of()

    def agree():
        kept = re.search(r"([\d.]+ [kMG]?B) of WAL kept", status_of(shop))
        text = page.locator("main").inner_text()
        return kept and re.search(r"WAL kept\n" + re.escape(kept.group(1)) + "\n", text)
    wait_until(agree, 40, "the WAL that is kept", interval_s=1)
    text, said = page.locator("main").inner_text(), status_of(shop)
    assert "4,321 rows read in all" in text and "4321 rows read in all" in said
    limit = re.search(r"0 records, 0 B of ([\d.]+ MB)", said)
    assert limit is None or limit.group(0) in text
    behind = re.search(r"lag .*, ([\d.]+ [kM]?B) of WAL\n", said)
    assert f"{behind.group(1)} of WAL behind" in text if behind else "of WAL behind" not in text
    view.check()


def test_a_reason_has_its_page(page_of, shop):
    view, page = page_of("#reason/slot_lost")
    shows(page, "Changes may be gone for good.")
    said = subprocess.run([str(BINARY), "explain", "slot_lost"], capture_output=True, text=True, timeout=30).stdout
    meaning = page.locator(".card", has_text="What it means").locator("p").inner_text()
    assert meaning[:40] in " ".join(said.split())
    view.accessible("reason")
    page.goto(f"{shop.worker.base}/console#reason/no_such")
    shows(page, "There is no reason no_such.")


def test_doctor_finds_in_the_page_what_it_finds_on_the_terminal(page_of, shop):
    shop.database.execute("drop publication fleet")
    view, page = page_of()
    open_part(page, "Doctor: ask the servers")
    shows(page, "publication_missing")
    found = json.loads(subprocess.run([str(BINARY), "doctor", shop.names[0], "--url", shop.worker.base, "--json"],
                                      capture_output=True, text=True, timeout=60).stdout)["connectors"][0]["findings"]
    shown = page.locator("details", has_text="Doctor").locator("h2").all_inner_texts()
    assert sorted(shown) == sorted(f"{one['severity']}: {one['reason']}" for one in found)
    assert len(found) > 0
    view.accessible("doctor")
    view.check()


def test_commands_are_copied_whole(page_of, shop):
    view, page = page_of()
    block = page.locator(".command", has_text="walduct status")
    block.get_by_role("button", name="Copy").click()
    block.get_by_role("button", name="Copied").wait_for(timeout=TIMEOUT_MS)
    command = page.evaluate("navigator.clipboard.readText()")
    assert command == f"walduct status {shop.names[0]} --url {shop.worker.base}"
    done = subprocess.run([str(BINARY), *command.split()[1:]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and shop.names[0] in done.stdout, "typed as it was copied it works"
    view.check()


def test_delete_asks_first_and_says_what_stays(page_of, shop):
    name = shop.names[0]
    view, page = page_of()
    press(page, "Delete")
    dialog = page.get_by_role("dialog", name=f"Delete {name}?")
    assert f"pg_drop_replication_slot('{name.replace('-', '_')}')" in dialog.inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Cancel", "the harmless one has the focus"
    view.shoot("delete")
    view.accessible("dialog")
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached", timeout=TIMEOUT_MS)
    assert shop.worker.get("/connectors") == [name]
    press(page, "Delete")
    press(page, "Delete it")
    shows(page, "No connectors yet.")
    assert shop.worker.get("/connectors") == []
    view.check()


def test_the_change_that_failed_is_left_out_and_the_error_is_solved(page_of, shop):
    """The button stands only beside a change that can be left out; then the red box goes and the error is told as solved."""
    name = shop.names[0]
    view, page = page_of()
    has_state(page, "RUNNING")
    assert page.get_by_role("button", name="Leave this change out…").count() == 0
    shop.database.execute("insert into items values (1)")
    shop.database.execute(LARGE % 2)
    shop.database.execute("insert into items values (3)")
    has_state(page, "FAILED")
    shows(page, "Failed ")
    view.shoot("skip")
    view.accessible("skip")
    press(page, "Leave this change out…")
    shows(page, "are never published")
    press(page, "Leave it out")
    shows(page, "Skip: it is RUNNING")
    shop.worker.wait_state(name, "RUNNING/RUNNING")
    shows(page, "Solved ")
    page.locator(".troubles .card").first.wait_for(state="detached", timeout=TIMEOUT_MS)
    assert page.get_by_text("What to do").count() == 0
    view.check()


def test_a_signal_is_sent_and_what_becomes_of_it_is_told(page_of, shop):
    """Refused in words where nothing can read it; taken where it can."""
    view, page = page_of()
    open_part(page, "Ask for a snapshot")
    page.get_by_label("Tables").fill("public.nobody")
    press(page, "Send the signal")
    answer = page.locator("details", has_text="Ask for a snapshot").locator("[role=status]")
    wait_until(lambda: answer.inner_text() not in ("", "Asking…"), 30, "an answer")
    assert "Sent" not in answer.inner_text()
    shop.database.script("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));"
                         "alter publication fleet add table signals; insert into items select generate_series(1, 100)")
    name = shop.names[0]
    config = fleet_config(shop.database, name, **{"signal.data.collection": "public.signals"})
    assert shop.worker.ask("PUT", f"/connectors/{name}/config", config)[0] == 200
    wait_until(lambda: shop.activity(name) == "streaming", 60, "it streams again")
    page.get_by_label("Tables").fill("public.items")
    press(page, "Send the signal")
    shows(page, "Sent as ")
    page.get_by_role("heading", name="Snapshots and signals").wait_for(timeout=TIMEOUT_MS)
    view.check(refused=400)


def test_a_pasted_configuration_is_created(page_of, shop):
    """Connect's JSON, a Strimzi manifest, lines: each fills the form; what is wrong is said once, in plain words, before anything is created."""
    view, page = page_of("#new")
    paste = page.get_by_label("Paste a configuration")
    paste.fill('{"name": "x",}')
    shows(page, "This cannot be read: not valid JSON at line 1, column 13: a comma before '}'; remove the comma.")
    view.accessible("a paste that cannot be read")
    config = fleet_config(shop.database, "pasted", **{"slot.name": "Bad-Slot"})
    paste.fill(json.dumps({"name": "pasted", "config": config}))
    shows(page, "properties read into the form")
    assert page.get_by_label("Host").input_value() == config["database.hostname"]
    press(page, "Create")
    fault = page.locator("#field-slot\\.name-fault")
    wait_until(lambda: fault.inner_text() != "", 30, "the fault of the slot", interval_s=0.2)
    assert page.get_by_text(fault.inner_text(), exact=True).count() == 1, "said once"
    assert shop.worker.get("/connectors") == shop.names, "nothing was created"
    view.shoot("paste")
    view.accessible("a form with a fault")
    lines = "\n".join(f"    {key}: {json.dumps(str(value))}" for key, value in {**config, "slot.name": "pasted"}.items() if key != "connector.class")
    paste.fill("apiVersion: kafka.strimzi.io/v1\nkind: KafkaConnector\nmetadata:\n  name: pasted\nspec:\n"
               f"  class: {CLASS}\n  tasksMax: 1\n  config:\n{lines}\n")
    becomes(page, "document.getElementById('field-slot.name').value === 'pasted'")
    assert fault.inner_text() == "", "what was found of another text is gone"
    press(page, "Validate")
    shows(page, "Nothing is wrong with this configuration.")
    press(page, "Create")
    has_state(page, "RUNNING")
    shop.worker.wait_state("pasted", "RUNNING/RUNNING")
    view.check(refused=400)


def test_a_lost_slot_is_said_everywhere(browser, private_servers, broker, tmp_path):
    """Of one that is paused: no green word beside it, no time until it is lost, and the way back to be copied."""
    own = private_servers(postgres=17)
    worker = Worker(tmp_path / "worker", broker, f"lost-{uuid.uuid4().hex[:8]}")
    worker.properties["walduct.console.write"] = "true"
    database = own.postgres.database("lost").create()
    try:
        fleet = Fleet(worker.start(), database, 1).start()
        name = fleet.names[0]
        worker.ask("PUT", f"/connectors/{name}/pause")
        worker.wait_state(name, "PAUSED/PAUSED")
        for statement in ("alter system set max_slot_wal_keep_size = '1MB'", "select pg_reload_conf()"):
            database.execute(statement)
        database.execute("create table more (note text)")
        for _ in range(4):
            database.execute("insert into more select repeat('x', 100) from generate_series(1, 20000)")
            database.execute("select pg_switch_wal()")
        database.execute("checkpoint")
        wait_until(lambda: database.server.query("select wal_status from pg_replication_slots where wal_status = 'lost'"), 60, "it is lost")
        view = browser.open(worker.base)
        page = view.go()
        page.locator(".state.bad", has_text="slot lost").wait_for(timeout=TIMEOUT_MS)
        shows(page, "1 connector, 1 in trouble")
        page.get_by_role("link", name=name, exact=True).click()
        page.locator(".troubles .bad").wait_for(timeout=TIMEOUT_MS)
        shows(page, "Until lost")
        text = page.locator("main").inner_text()
        assert "it is lost" in text and "no limit" not in text and "reserved" not in text and "Until lost" in text
        page.get_by_role("link", name="slot_lost").first.wait_for(timeout=TIMEOUT_MS)
        view.shoot("lost")
        view.accessible("lost")
        view.check()
    finally:
        worker.kill()
