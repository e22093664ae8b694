"""The receivers of signed webhooks, in each language: walduct sends, and each request reaches them five times, two of them at once."""
import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from samples.languages import EXAMPLES, LANGUAGES, call
from support.paths import BINARY
from support.polling import polled
from support.servers import free_ports
from support.wait import wait_until

TIMES = 5
MANY = 300
SECRET = "whsec_ZHVtbXktc2VjcmV0LW9mLXRoaXJ0eS10d28tYnl0ZXM="
ORDERS = f"""
insert into outbox (aggregatetype, aggregateid, type, payload)
select 'Order', n::text, 'OrderPlaced', jsonb_build_object('customer', 'c' || n % 7, 'total', (n + 0.25)::text) from generate_series(1, {MANY}) n"""
TOTALS = "select customer, orders, total from customer_totals order by 1"
RECEIVERS = [language for language in LANGUAGES if language.receives]


def post(port, path, body, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def signed(message_id, body, at=None):
    at = str(int(time.time() if at is None else at))
    secret = base64.b64decode(SECRET.removeprefix("whsec_"))
    code = base64.b64encode(hmac.digest(secret, f"{message_id}.{at}.".encode() + body, hashlib.sha256)).decode()
    return {"webhook-id": message_id, "webhook-timestamp": at, "webhook-signature": f"v1,{code}"}


class Fivefold:
    """What stands between: hands each request on five times, two at once and three after them, and answers as the worst of the five was."""

    def __init__(self, port):
        self.port, self.taken = port, 0
        self.lock = threading.Lock()
        fivefold = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = fivefold.hand_on(self.path, body, {name: value for name, value in self.headers.items() if name.startswith("webhook-")})
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def hand_on(self, path, body, headers):
        def one(_):
            try:
                return post(self.port, path, body, headers)
            except (OSError, http.client.HTTPException):
                return 503  # killed
        with ThreadPoolExecutor(2) as two:
            worst = max([*two.map(one, range(2)), *map(one, range(TIMES - 2))])
        with self.lock:
            self.taken += worst == 204
        return worst

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Webhook:
    def __init__(self, language, directory, billing):
        self.command, self.log, self.process = [str(one) for one in language.webhook], directory / "webhook.log", None
        self.port, = free_ports(1)
        self.environment = {**os.environ, "DATABASE_URL": language.address(billing), "WEBHOOK_SECRET": SECRET, "PORT": str(self.port), "GROUP": "billing"}

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def answers():
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            try:
                return post(self.port, "/", b"", {}) == 401
            except (OSError, http.client.HTTPException):
                return False
        wait_until(answers, 60, "the receiver")
        return self

    def said(self, word):
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        return self.log.read_text().count(word)

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(30)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Each language is built once."""
    made = {}

    def of(language):
        if language.missing():
            pytest.skip(language.missing())
        if language not in made:
            made[language] = language(tmp_path_factory.mktemp("webhook") / language.name)
        return made[language]
    return of


@pytest.fixture
def billing(databases, pg17):
    db = databases(pg17)
    db.script((EXAMPLES / "billing.sql").read_text())
    return db


@pytest.fixture
def webhooks(built, billing, tmp_path):
    made = []

    def make(language):
        made.append(Webhook(built(language), tmp_path, billing))
        return made[-1]
    yield make
    for one in made:
        if one.process is not None and one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.fixture
def fivefold():
    made = []

    def make(port):
        made.append(Fivefold(port))
        return made[-1]
    yield make
    for one in made:
        one.close()


def sender(connectors, shop, server, url):
    shop.script(call(BINARY, "outbox", "init", "--flavour", "poll", "--role", server.user))
    return connectors(shop, polled(shop, **{
        "transforms.outbox.route.by.field": None, "transforms.outbox.table.field.event.key": None,
        "transforms.outbox.table.fields.additional.placement": "type:header:eventType",
        "walduct.outbox.poll.interval.ms": "100", "walduct.outbox.publish.locally": None,
        "sink.http.url": url + "/{header:eventType}", "sink.http.authentication.type": "standard-webhooks",
        "sink.http.authentication.webhook.secret": SECRET, "sink.http.headers.encode.base64": "false", "sink.http.retry.interval.ms": "50",
        "walduct.sink.http.id.header": "id", "walduct.sink.http.max.in.flight": "8"}), superuser=True, sink="http")


@pytest.mark.parametrize("language", RECEIVERS, ids=lambda one: one.name)
def test_each_request_comes_five_times(language, webhooks, billing, fivefold, databases, pg17, connectors):
    webhook, shop = webhooks(language).start(), databases(pg17)
    between = fivefold(webhook.port)
    connector = sender(connectors, shop, pg17, between.url).start().wait_streaming()

    def wait_all(count):
        def all_taken():
            assert connector.running(), connector.log_text()[-3000:]
            return between.taken >= count
        wait_until(all_taken, 120, f"{count} events, each of them taken five times", interval_s=0.1)
        wanted = shop.execute("select payload->>'customer', count(*), sum((payload->>'total')::numeric) from outbox group by 1 order by 1")
        assert billing.execute(TOTALS) == wanted
    shop.execute(ORDERS)
    wait_all(MANY)
    assert (webhook.said("applied"), webhook.said("seen before")) == (MANY, MANY * (TIMES - 1))
    assert {str(one) for one, in shop.execute("select id from outbox")} == {one for one, in billing.execute("select message_id from inbox")}

    # Killed in between: it is sent again, and has its effect once.
    shop.execute(ORDERS)
    wait_until(lambda: webhook.said("applied") > MANY + 20, 60, "some effects")
    webhook.end(signal.SIGKILL)
    webhook.start()
    wait_all(2 * MANY)
    assert webhook.end(signal.SIGTERM) in (0, 143), webhook.log.read_text()[-3000:]  # 143: a JVM's
    connector.stop()


@pytest.mark.parametrize("language", RECEIVERS, ids=lambda one: one.name)
def test_without_the_inbox_s_key_effects_come_five_times(language, webhooks, billing, fivefold):
    """What is looked at above can fail."""
    billing.execute("alter table inbox drop constraint inbox_pkey")
    webhook = webhooks(language).start()
    body = b'{"customer": "c7", "total": "99.90"}'
    assert fivefold(webhook.port).hand_on("/OrderPlaced", body, signed("one", body)) == 204
    assert [(c, n, str(t)) for c, n, t in billing.execute(TOTALS)] == [("c7", TIMES, "499.50")]


@pytest.mark.parametrize("language", RECEIVERS, ids=lambda one: one.name)
def test_what_is_refused_and_what_is_forgotten(language, webhooks, billing):
    billing.execute("insert into inbox values ('billing', 'old', now() - interval '31 days'), ('billing', 'young', now() - interval '29 days'),"
                    " ('another', 'old', now() - interval '31 days')")
    webhook = webhooks(language)
    none = subprocess.run(webhook.command, env={**webhook.environment, "WEBHOOK_SECRET": ""}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert none.returncode != 0 and "WEBHOOK_SECRET" in none.stdout + none.stderr, "anybody could sign"
    webhook.start()
    body, now = json.dumps({"customer": "c7", "total": "99.90"}).encode(), time.time()

    def answer(message_id="one", sent=body, to="/OrderPlaced", **headers):
        return post(webhook.port, to, sent, {**signed(message_id, body), **headers})
    good = signed("one", body)["webhook-signature"]
    assert answer(sent=body.replace(b"99.90", b"99.91")) == 401
    assert answer(**{"webhook-id": "two"}) == 401
    assert answer(**{"webhook-signature": good[:-4] + "AAA="}) == 401
    assert answer(**{"webhook-signature": ""}) == 401
    assert answer(**{"webhook-timestamp": "soon"}) == 401
    for at in (now - 400, now + 400):
        assert post(webhook.port, "/OrderPlaced", body, signed("one", body, at)) == 401
    try:
        assert post(webhook.port, "/OrderPlaced", b"x" * (1 << 21), signed("long", b"")) == 413
    except ConnectionError:
        pass  # it does not read on
    assert billing.execute(TOTALS) == [] and webhook.said("applied") == 0

    # A key that is being replaced signs beside its successor.
    assert answer(**{"webhook-signature": f"v1,AAAA {good}"}) == 204
    assert answer() == 204
    assert [(n, str(t)) for _, n, t in billing.execute(TOTALS)] == [(1, "99.90")]
    for text in (b"{", b"[]", b'{"customer": "c7"}', b'{"customer": "c7", "total": "many"}'):
        assert post(webhook.port, "/OrderPlaced", text, signed("strange", text)) == 400, text
    assert post(webhook.port, "/OrderPaid", b"{}", signed("other", b"{}")) == 204, "a kind that it has nothing to do with"

    def remembered():
        return {(c, i) for c, i in billing.execute("select consumer, message_id from inbox")}
    wait_until(lambda: ("billing", "old") not in remembered(), 20, "what is old is forgotten")
    assert remembered() == {("billing", "young"), ("another", "old"), ("billing", "one"), ("billing", "other")}

    # A session that was lost is made anew.
    billing.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
    wait_until(lambda: answer("two") == 204, 20, "another session")
    assert [n for _, n, _ in billing.execute(TOTALS)] == [2]
