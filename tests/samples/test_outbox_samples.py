"""Producers and consumers of examples/outbox with walduct between them: PostgreSQL, Kafka and the languages' own clients are real."""
import json
import os
import shutil
import signal
import subprocess

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from samples.languages import EXAMPLES, LANGUAGES, call
from support.paths import BINARY
from support.wait import wait_until

MANY = 300
TIMES = 5  # that each record is read
ORDERS = f"""
with placed as (insert into orders (customer, total) select 'c' || n % 7, n + 0.25 from generate_series(1, {MANY}) n returning *)
insert into outbox (aggregatetype, aggregateid, type, payload)
select 'Order', id::text, 'OrderPlaced', jsonb_build_object('orderId', id, 'customer', customer, 'total', total::text) from placed"""


class Consumer:
    def __init__(self, language, directory, billing, broker, topic):
        self.command, self.log, self.process = [str(a) for a in language.consumer], directory / "consumer.log", None
        self.environment = {**os.environ, "DATABASE_URL": language.address(billing), "BOOTSTRAP_SERVERS": broker, "TOPIC": topic, "GROUP": billing.name}

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def said(self, word):
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        return self.log.read_text().count(word)

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(30)


@pytest.fixture
def consumers():
    made = []

    def make(*arguments):
        made.append(Consumer(*arguments))
        return made[-1]
    yield make
    for one in made:
        if one.process is not None and one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def read_again(broker, group, topic):
    """The group's offsets go back to the beginning; it must have no member."""
    admin = AdminClient({"bootstrap.servers": broker})
    partitions = [TopicPartition(topic, p, 0) for p in admin.list_topics(topic, timeout=20).topics[topic].partitions]
    for done in admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, partitions)]).values():
        done.result(20)


def again(consumer, broker, billing, topic, times):
    """All records from the beginning; the consumer, which does not run, does then."""
    consumer.log.write_text("")
    for time in range(1, times + 1):
        read_again(broker, billing.name, topic)
        consumer.start()
        wait_until(lambda time=time: consumer.said("seen before") + consumer.said("applied") == time * (MANY + 1), 240, f"the repetition {time}")
        if time < times:
            assert consumer.end(signal.SIGTERM) in (0, 143), consumer.log.read_text()[-3000:]


def totals(billing):
    return billing.execute("select customer, orders, total from customer_totals order by 1")


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)
def test_an_order_its_event_and_its_effect(language, databases, pg15, broker, connectors, consumers, tmp_path):
    if language.missing():
        pytest.skip(language.missing())
    language = language(tmp_path / "sample")
    shop, billing = databases(pg15), databases(pg15)

    def init(*more):
        return call(BINARY, "outbox", "init", "--role", pg15.user, "--publication", shop.name, *more)
    shop.script(init())
    shop.script((EXAMPLES / "shop.sql").read_text())
    billing.script((EXAMPLES / "billing.sql").read_text())
    printed = json.loads(init("--print", "connector"))["config"]
    own = ("database.", "topic.prefix", "slot.name", "publication.name", "connector.class", "plugin.name")
    connector = connectors(shop, {**{name: value for name, value in printed.items() if not name.startswith(own)}, "schema.include.list": None,
                                  "transforms.outbox.route.topic.replacement": shop.name + ".${routedByValue}"}).start().wait_streaming()
    environment = {"DATABASE_URL": language.address(shop)}

    # Both or neither.
    assert call(*language.producer, "c7", "99.90", environment=environment).split() == ["placed", "1"]
    assert shop.value("select count(*) from orders o join outbox e on o.xmin::text = e.xmin::text and o.id::text = e.aggregateid") == 1
    event, = connector.wait_events(1)
    assert (event.topic, event.key, json.loads(event.value)) == (f"{shop.name}.Order", b"1", {"orderId": 1, "customer": "c7", "total": "99.90"})
    assert dict(event.headers)["id"].decode() == str(shop.value("select id from outbox")) and dict(event.headers)["eventType"] == b"OrderPlaced"
    shop.execute("alter table outbox add constraint no_second check (aggregateid <> '2')")
    with pytest.raises(AssertionError, match="no_second"):
        call(*language.producer, "c8", "1", environment=environment)
    assert shop.value("select count(*) from orders") == 1
    assert subprocess.run([str(a) for a in language.producer], stdin=subprocess.DEVNULL, capture_output=True, text=True).returncode != 0

    # Once each, killed in between.
    consumer = consumers(language, tmp_path, billing, broker, event.topic)
    consumer.start()
    wait_until(lambda: consumer.said("applied") == 1, 180, "the first effect")
    assert [(c, n, str(t)) for c, n, t in totals(billing)] == [("c7", 1, "99.90")]
    shop.execute(ORDERS)
    wait_until(lambda: consumer.said("applied") > 20, 180, "some effects")
    consumer.end(signal.SIGKILL)
    consumer.start()
    wanted = shop.execute("select customer, count(*), sum(total) from orders group by 1 order by 1")
    wait_until(lambda: consumer.said("applied") and totals(billing) == wanted, 240, "every effect", interval_s=0.2)
    assert consumer.end(signal.SIGTERM) in (0, 143), consumer.log.read_text()[-3000:]  # 143: a JVM's, after its hook

    # All of it four times more: nothing is applied. Without the inbox's key everything is, or this test would prove nothing.
    again(consumer, broker, billing, event.topic, TIMES - 1)
    assert consumer.said("applied") == 0 and totals(billing) == wanted
    assert consumer.end(signal.SIGTERM) in (0, 143)
    billing.execute("alter table inbox drop constraint inbox_pkey")
    again(consumer, broker, billing, event.topic, 1)
    assert consumer.said("applied") == MANY + 1 and totals(billing) != wanted
    consumer.end(signal.SIGTERM)
    connector.stop()


def test_csharp_is_compiled(tmp_path):
    """Where there is no .NET SDK: against declarations of what it uses of its libraries, as these have it. It shows that the program is
    one, and no more."""
    if shutil.which("mcs") is None:
        pytest.skip("no mcs: scripts/deps samples")
    for program in ("Producer", "Consumer"):
        call("mcs", "-warnaserror+", f"-out:{tmp_path / program}.exe", EXAMPLES / "csharp" / program / "Program.cs",
             EXAMPLES.parent.parent / "tests" / "samples" / "csharp_libraries.cs")
