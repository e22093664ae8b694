"""The console in a real browser, before a real process: `scripts/test console`."""
import json
import re

import pytest

from console.browser import TIMEOUT_MS, at, becomes, has_state, press, shows
from support.connector import database_properties
from support.http import Surface, ask
from support.serve import CLASS, JSON
from support.wait import wait_until

HOSTILE = """<img src=x onerror="window.broken='it ran'">'"&amp;</script><script>window.broken=2</script>"""
FAILING = "<b onmouseover=alert(1)>failing</b>"
TABLE = '''public."it's <img src=x onerror=alert(1)>"'''
ALICE, BOB = {"username": "alice", "password": "secret"}, {"username": "bob", "password": "wrong"}
LOGIN = ("KafkaConnect {\n  org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule required\n"
         '  file="%s";\n};\n')


def config_of(database, **more):
    return {"connector.class": CLASS, **database_properties(database), "topic.prefix": database.name,
            "slot.name": database.name, "publication.name": database.name, "publication.autocreate.mode": "filtered",
            "table.include.list": "public.*", "key.converter": JSON, "value.converter": JSON, **more}


def view_of(browser, worker, **options):
    return browser.open(worker.base, **options)


@pytest.fixture
def hostile(worker, databases, pg17):
    """A worker with a connector and a table of hostile names, and one that failed with a text of that kind."""
    worker.properties["walduct.console.write"] = "true"
    worker.start("--log-level", "warn")
    good, bad = databases(pg17), databases(pg17)
    good.script(f"create table {TABLE} (id int primary key); insert into {TABLE} select generate_series(1, 50);"
                "create table items (id int primary key, note text); insert into items select generate_series(1, 9000)")
    bad.script("create table items (id int primary key)")
    worker.create(HOSTILE, config_of(good))
    worker.create(FAILING, config_of(bad, **{"publication.autocreate.mode": "disabled",
                                             "publication.name": "<script>window.broken=3</script>"}))
    worker.wait_state(at(HOSTILE), "RUNNING/RUNNING")
    worker.wait_state(at(FAILING), "RUNNING/FAILED")
    return worker


def test_hostile_names_are_text(browser, hostile):
    view = view_of(browser, hostile)
    page = view.go()
    page.get_by_role("link", name=HOSTILE, exact=True).wait_for(timeout=TIMEOUT_MS)
    assert page.get_by_role("row").nth(1).inner_text().startswith(FAILING), "the worst first"
    shows(page, "2 connectors, 1 failed")
    view.shoot("list")
    page.get_by_role("link", name=HOSTILE, exact=True).click()
    shows(page, TABLE.replace('"', ""))
    assert page.locator("h1").inner_text() == HOSTILE
    page.get_by_role("img", name=re.compile("WAL kept: the last")).wait_for(timeout=TIMEOUT_MS)
    view.shoot("connector")
    view.accessible("connector")
    view.check()
    page.get_by_role("link", name="Connectors").click()
    page.get_by_role("link", name=FAILING, exact=True).click()
    shows(page, "What to do:")
    shows(page, "<script>window.broken=3</script>")
    view.shoot("failed")
    view.accessible("failed")
    view.check()
    page.goto(f"{hostile.base}/console#connector/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    shows(page, "There is no connector <img")
    view.check()


def test_pictures_for_people(browser, hostile):
    """Narrow and dark: nothing is wider than the window."""
    for scheme, width in (("dark", 1280), ("light", 390), ("dark", 360)):
        view = view_of(browser, hostile, color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce")
        page = view.go()
        shows(page, "2 connectors, 1 failed")
        for name in (HOSTILE, FAILING):
            page.get_by_role("link", name=name, exact=True).click()
            shows(page, "On a terminal")
            becomes(page, "document.querySelectorAll('svg.chart').length >= 2 || document.querySelector('.card.bad')")
            view.shoot(f"{'connector' if name == HOSTILE else 'failed'}-{scheme}-{width}")
            view.accessible(f"{name} {scheme} {width}")
            page.go_back()
            page.get_by_role("link", name=HOSTILE, exact=True).wait_for(timeout=TIMEOUT_MS)
        view.shoot(f"list-{scheme}-{width}")
        view.accessible(f"list {scheme} {width}")
        view.check()
        view.context.close()


def test_levers(browser, hostile):
    view = view_of(browser, hostile)
    page = view.go()
    page.get_by_role("link", name=HOSTILE, exact=True).click()
    has_state(page, "RUNNING")
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Enter")
    has_state(page, "PAUSED")
    shows(page, "Pause: it is PAUSED")
    becomes(page, "document.activeElement.textContent === 'Resume'")
    assert page.locator(".tools button").all_inner_texts() == ["Resume", "Stop", "Delete"], "what does something in that state"
    assert hostile.state(at(HOSTILE)).startswith("PAUSED")
    becomes(page, "document.getElementById('news').textContent.includes('PAUSED')")
    press(page, "Resume")
    shows(page, "Resume: it is RUNNING, streaming")
    assert page.locator(".tools button").all_inner_texts() == ["Pause", "Restart", "Stop", "Delete"]
    press(page, "Restart")
    shows(page, "Restart: asked…")
    shows(page, "Restart: it is RUNNING, streaming")
    assert hostile.state(at(HOSTILE)) == "RUNNING/RUNNING"
    press(page, "Stop")
    shows(page, "Stop: it is STOPPED")
    assert page.locator(".tools button").all_inner_texts() == ["Resume", "Delete"]
    page.goto(f"{hostile.base}/console#connector/{at(FAILING)}")
    press(page, "Restart")
    shows(page, "Restart: it is FAILED again: publication")
    view.check()


def test_a_connector_is_made_by_form(browser, worker, databases, pg17):
    worker.properties["walduct.console.write"] = "true"
    worker.start("--log-level", "warn")
    database = databases(pg17)
    database.script("create table items (id int primary key); insert into items values (1)")
    config = config_of(database)
    view = view_of(browser, worker)
    page = view.go("#new")
    page.get_by_role("button", name="Validate").click()
    shows(page, "are wrong")
    assert page.get_by_label("Topic prefix").get_attribute("aria-invalid") == "true"
    assert page.locator("#field-topic\\.prefix-fault").inner_text() == "is needed", "in plain words"
    assert page.get_by_text("is needed").count() == page.locator(".fault:not(:empty)").count(), "said once"
    assert "Java" not in page.content() and "Missing required" not in page.content()
    view.shoot("form")
    page.get_by_label(re.compile("^Name")).fill(HOSTILE)
    for label, name in (("Topic prefix", "topic.prefix"), ("Host", "database.hostname"), ("Port", "database.port"),
                        ("Database", "database.dbname"), ("User", "database.user"), ("Password", "database.password"),
                        ("Slot", "slot.name"), ("Publication", "publication.name"), ("Tables", "table.include.list")):
        page.get_by_label(re.compile(f"^{label} ?")).first.fill(str(config.pop(name)))
    config.pop("connector.class")
    page.get_by_label("More properties").fill("\n".join(["no equals sign"]))
    page.get_by_role("button", name="Create").click()
    shows(page, "has no “=”")
    page.get_by_label("More properties").fill("\n".join(f"{key}={value}" for key, value in config.items()))
    page.get_by_role("button", name="Create").click()
    has_state(page, "RUNNING")
    worker.wait_state(at(HOSTILE), "RUNNING/RUNNING")
    assert worker.get("/connectors") == [HOSTILE]
    page.get_by_text("public.items").first.wait_for(timeout=TIMEOUT_MS)
    view.check()


def test_read_only_and_passwords(browser, worker, tmp_path):
    """A page that may only read is refused by the process, too, and so is one of another origin."""
    (tmp_path / "users").write_text("alice=secret\n")
    (tmp_path / "login").write_text(LOGIN % (tmp_path / "users"))
    worker.properties.update({
        "rest.extension.classes": "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension",
        "walduct.rest.login.config": str(tmp_path / "login")})
    alice = {"Authorization": "Basic YWxpY2U6c2VjcmV0"}
    worker.begin("--log-level", "warn")

    def serves():
        try:
            return ask(worker.port, "/health", **alice)[0] == 200
        except OSError:
            return False
    wait_until(serves, 60, f"it serves (see {worker.log})", interval_s=0.1)
    assert ask(worker.port, "/console/main.js")[0] == 401
    stranger = view_of(browser, worker, http_credentials=BOB)
    assert stranger.page.goto(f"{worker.base}/console").status == 401
    view = view_of(browser, worker, http_credentials=ALICE)
    page = view.go()
    shows(page, "No connectors yet.")
    assert page.get_by_role("link", name="New connector").count() == 0
    page.get_by_role("link", name="Validate a configuration").click()
    page.get_by_role("button", name="Validate").click()
    shows(page, "are wrong")
    assert page.get_by_role("button", name="Create").count() == 0
    view.check()
    posted = page.evaluate("fetch('connectors', {method: 'POST', headers: {'Content-Type': 'application/json'},"
                           "body: JSON.stringify({name: 'x', config: {}})}).then(answer => answer.status)")
    assert posted == 403
    assert ask(worker.port, "/connectors/x/restart", "POST", Origin="http://evil.example", **alice)[0] == 403
    assert ask(worker.port, "/connectors/x/restart", "POST", **alice)[0] == 404, "programs are not asked"
    page.evaluate("document.body.append(Object.assign(document.createElement('img'), {src: 'https://example.com/x'}))")
    wait_until(lambda: page.evaluate("performance.now() > 0") and view.faults, 20, "the policy refuses it")
    assert view.foreign == [] and "Content Security Policy" in " ".join(view.faults)


def test_run_is_shown_and_an_end_is_said(browser, db, connectors):
    """`run --listen`: the same page without forms; when the process ends, the page says that it is old."""
    db.script("create table items (id int primary key); insert into items select generate_series(1, 100)")
    connector = connectors(db, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    view = browser.open(Surface(connector).base)
    page = view.go()
    page.get_by_role("link", name=connector.name, exact=True).click()
    shows(page, "Snapshot completed")
    shows(page, "read-only")
    assert page.locator(".tools button").count() == 0 and page.get_by_text("Ask for a snapshot").count() == 0
    assert page.get_by_role("link", name="New connector").count() == 0
    shows(page, "Last lines of the log")
    view.check()
    connector.stop()
    page.get_by_role("alert").wait_for(timeout=TIMEOUT_MS)
    assert "Nobody answers" in page.get_by_role("alert").inner_text()


@pytest.mark.parametrize("values", [False, True])
def test_live_events(values, browser, db, connectors):
    """Records as they are written, their texts only where that is allowed; what came too fast is counted."""
    db.script(f"create table {TABLE} (id int primary key, note text)")
    connector = connectors(db, {"snapshot.mode": "no_data"}, worker={"walduct.console.values": str(values).lower()})
    view = browser.open(Surface(connector.start("--listen", "127.0.0.1:0").wait_streaming()).base)
    page = view.go()
    page.get_by_role("link", name=connector.name, exact=True).click()
    page.get_by_text("Live events").click()
    shows(page, "since the start")
    db.execute(f"insert into {TABLE} values (1, %s)", HOSTILE)
    page.get_by_role("cell", name="create", exact=True).wait_for(timeout=TIMEOUT_MS)
    if values:
        page.locator(".tail summary").click()
    text = page.locator(".tail tbody").inner_text()
    assert (HOSTILE[:10] in text) == values and ("onerror=\\" in text) == values, text
    db.execute(f"insert into {TABLE} select generate_series(2, 2000)")
    shows(page, "more, not shown")
    assert page.locator(".tail tbody tr").count() <= 201
    view.shoot(f"tail-{values}")
    page.get_by_label("Only topics with").fill("nothing has this")
    page.locator(".tail tbody tr:visible").first.wait_for(state="detached", timeout=TIMEOUT_MS)
    page.get_by_text("Live events").click()
    asked = len([url for _, url in view.asked if "/console/tail" in url])
    page.wait_for_timeout(3000)
    assert len([url for _, url in view.asked if "/console/tail" in url]) <= asked + 1, "closed, it asks no more"
    view.check()
    connector.stop()


def test_an_incremental_snapshot_is_shown(browser, db, connectors):
    """How far it is, what it stands still for, and that it is over."""
    db.script("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));"
              f"create table {TABLE} (id int primary key); insert into {TABLE} select generate_series(1, 9000); analyze {TABLE}")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals",
                                "incremental.snapshot.chunk.size": "50"})
    view = browser.open(Surface(connector.start("--listen", "127.0.0.1:0").wait_streaming()).base)

    def signal(kind, data):
        db.execute("insert into signals values (gen_random_uuid()::text, %s, %s)", kind, json.dumps(data))

    page = view.go()
    page.get_by_role("link", name=connector.name, exact=True).click()
    signal("execute-snapshot", {"data-collections": [TABLE]})
    signal("pause-snapshot", {})
    shows(page, "Incremental snapshot")
    shows(page, "paused, for")
    shows(page, "of about 9,000")
    view.shoot("incremental")
    signal("resume-snapshot", {})
    page.get_by_role("heading", name="Incremental snapshot").wait_for(state="detached", timeout=TIMEOUT_MS)
    view.check()
    connector.stop()


def test_everything_has_a_name_and_a_key(browser, hostile):
    """Each control is reached by Tab, is seen to be, and has a name; text stands out from what is behind it."""
    for scheme in ("light", "dark"):
        view = view_of(browser, hostile, color_scheme=scheme)
        page = view.go("#new")
        page.get_by_label("Topic prefix").wait_for(timeout=TIMEOUT_MS)
        nameless = page.evaluate("""[...document.querySelectorAll('input,textarea,button,a')].filter(one =>
            !(one.labels?.length || one.textContent.trim() || one.ariaLabel)).map(one => one.outerHTML)""")
        assert nameless == []
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        wanted = page.evaluate("[...document.querySelectorAll('input,textarea,button')].length")
        reached = set()
        for _ in range(wanted + 10):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("[...document.querySelectorAll('input,textarea,button')].indexOf(document.activeElement)"))
        assert len(reached - {-1}) == wanted
        page.goto(f"{hostile.base}/console")
        shows(page, "2 connectors, 1 failed")
        assert page.evaluate(CONTRAST) == [], scheme
        view.check()
        view.context.close()


# Texts whose contrast with the nearest background is below 4.5 (WCAG AA).
CONTRAST = """(() => {
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => color.slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((all, c, i) => all + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const color = rgb(getComputedStyle(node).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const node of document.body.querySelectorAll('*')) {
    if (![...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim())) continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${node.localName} ${node.textContent.slice(0, 20)} ${ratio}`);
  }
  return bad;
})()"""
