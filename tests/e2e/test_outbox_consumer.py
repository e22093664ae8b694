"""The consumer of examples/: kill -9 of it and of walduct, no effect lost and none applied twice."""
import json
import random
import subprocess
import sys
import threading
import time
import uuid

import pytest

from support.paths import BINARY, ROOT
from support.wait import wait_until

EXAMPLE = ROOT / "examples" / "outbox"
KILLS = 12
# Kafka misses a member that was killed after 6 s here, the least that it allows, instead of 45; where it was to lead the next round, once
# more as long.
IMPATIENT = """import runpy, sys, confluent_kafka
made = confluent_kafka.Consumer
confluent_kafka.Consumer = lambda settings: made({**settings, "session.timeout.ms": 6000, "heartbeat.interval.ms": 1000})
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")"""
DEAD_S = 3 * 45  # more than it takes on any machine
ENVELOPE = {"walduct.outbox.route": "false"}
ROUTER = {"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
          "transforms.outbox.table.fields.additional.placement": "type:header:eventType",
          "key.converter": "org.apache.kafka.connect.storage.StringConverter",
          "value.converter": "org.apache.kafka.connect.storage.StringConverter"}


class Consumer:
    def __init__(self, directory, topics, database, brokers, form):
        server = database.server
        self.log = directory / "consumer.log"
        self.command = [sys.executable, "-c", IMPATIENT, EXAMPLE / "python" / "consumer.py", "--brokers", brokers, "--topics", topics, "--group", database.name,
                        "--format", form, "--database",
                        f"host={server.host} port={server.port} user={server.user} password='{server.password}' dbname={database.name}"]
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(a) for a in self.command], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        return self

    def check(self):
        assert self.process.poll() is None, self.log.read_text()[-3000:]

    def kill(self):
        self.process.kill()
        self.process.wait()


class Shop(threading.Thread):
    """Places orders: the order's row and its event in one transaction, some of them rolled back."""

    def __init__(self, db, prefix):
        super().__init__(daemon=True)
        self.db, self.prefix, self.error = db, prefix, None
        self.stopping = threading.Event()

    def run(self):
        choose = random.Random(5)
        try:
            with self.db.connect(autocommit=False) as session:
                while not self.stopping.is_set():
                    order = {"customer": f"c{choose.randrange(20)}", "total": choose.randrange(1, 1000)}
                    for _ in range(choose.choice((1, 1, 1, 10))):
                        session.execute("insert into orders (customer, total) values (%(customer)s, %(total)s)", order)
                        session.execute("insert into outbox (aggregatetype, aggregateid, type, payload) values (%s, %s, 'OrderPlaced', %s)",
                                        [f"{self.prefix}.Order", order["customer"], json.dumps(order)])
                    session.rollback() if choose.random() < 0.1 else session.commit()
                    time.sleep(0.01)
        except Exception as error:  # noqa: BLE001  (told by stop)
            self.error = error

    def stop(self):
        self.stopping.set()
        self.join(30)
        assert not self.is_alive() and self.error is None, self.error



@pytest.mark.parametrize("form", ["envelope", "routed"])
def test_every_effect_once(form, databases, pg17, connectors, tmp_path):
    db, billing = databases(pg17), databases(pg17)
    shell = subprocess.run([BINARY, "outbox", "init", "--role", pg17.user, "--publication", db.name], capture_output=True, text=True, check=True)
    db.script(shell.stdout)
    db.execute("create table orders (id bigserial primary key, customer text not null, total numeric not null)")
    billing.script((EXAMPLE / "billing.sql").read_text())
    topic = f"{db.name}.public.outbox" if form == "envelope" else f"outbox.event.{db.name}.Order"
    connector = connectors(db, {"table.include.list": "public.outbox", "schema.include.list": None,
                                "publication.autocreate.mode": "disabled", **(ROUTER if form == "routed" else ENVELOPE),
                                "walduct.outbox.tables": "public.outbox", "walduct.outbox.cleanup": "delete",
                                "walduct.outbox.retention.ms": "1000", "walduct.outbox.cleanup.interval.ms": "200"})
    consumer = Consumer(tmp_path, topic, billing, connector.worker["bootstrap.servers"], form)
    shop = Shop(db, db.name)
    try:
        run_with_kills(connector, consumer, shop)
        check_effects(db, billing, connector, consumer)
    finally:
        shop.stopping.set()
        consumer.kill()
    connector.stop()


@pytest.mark.parametrize("flavour", ["table", "message"])
def test_the_example_that_is_printed_is_applied(flavour, databases, pg17, connectors, tmp_path):
    """What `outbox init` prints: script, connector and event, with the consumer of examples/."""
    db, billing = databases(pg17), databases(pg17)

    def init(*more):
        command = [BINARY, "outbox", "init", "--role", pg17.user, "--publication", db.name, "--flavour", flavour, *more]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    db.script(init())
    billing.script((EXAMPLE / "billing.sql").read_text())
    printed = json.loads(init("--print", "connector"))["config"]
    own = ("database.", "topic.prefix", "slot.name", "publication.name", "connector.class", "plugin.name")
    config = {name: value for name, value in printed.items() if not name.startswith(own)}
    connector = connectors(db, {**config, "schema.include.list": None,
                                "transforms.outbox.route.topic.replacement": db.name + ".${routedByValue}"}).start().wait_streaming()
    consumer = Consumer(tmp_path, f"{db.name}.Order", billing, connector.worker["bootstrap.servers"], "routed").start()
    try:
        db.script(init("--print", "example"))
        applied = lambda: billing.execute("select customer, orders, total::text from customer_totals")  # noqa: E731
        wait_until(lambda: consumer.check() or applied() == [("c7", 1, "99.90")], 60, "the event's effect")
    finally:
        consumer.kill()
    connector.stop()


def run_with_kills(connector, consumer, shop):
    choose = random.Random(uuid.uuid4().int)
    connector.start().wait_streaming()
    consumer.start()
    shop.start()
    for _ in range(KILLS):
        time.sleep(0.3 + choose.random())
        if choose.random() < 0.5:
            connector.kill()
            connector.start()
        else:
            consumer.check()
            consumer.kill()
            consumer.start()
    shop.stop()
    connector.wait_streaming()


def check_effects(db, billing, connector, consumer):
    wanted = db.execute("select customer, count(*), sum(total) from orders group by 1 order by 1")

    def arrived():
        consumer.check()
        assert connector.running(), connector.log_text()[-3000:]
        return billing.execute("select customer, orders, total from customer_totals order by 1") == wanted
    try:
        wait_until(arrived, DEAD_S, "every effect", interval_s=0.2)
    finally:
        seen = billing.value("select sum(orders) from customer_totals")
        print(f"{sum(row[1] for row in wanted)} orders, {seen} applied, {consumer.log.read_text().count('seen before')} repeated")
    time.sleep(2)
    assert arrived(), "an effect was applied twice"
    wait_until(lambda: db.value("select count(*) from outbox") == 0, 30, "the outbox is empty again")
