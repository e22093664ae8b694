"""`tail`, and the sinks stdout and file: the bytes that Kafka gets."""
import os
import subprocess

from recorded.records import compare
from support.events import to_line
from support.kafka import create_topic
from support.paths import BINARY, SINK_CONTRACT
from support.wait import wait_until

SETUP = """create table items (id int primary key, v text, n numeric(8,2), t timestamptz);
           insert into items values (1, 'snapshot', 1.5, '2024-02-29 12:00+00')"""
STEPS = """insert into items values (2, E'tab\\t "quotes" \\u00e9\\U0001F600', -0.01, null); update items set id = 3 where id = 2;
           delete from items where id = 1; insert into items values (9)"""


def test_sinks_write_equal_bytes(db, connectors):
    """Three connectors over the same changes, one into each sink."""
    db.script(SETUP)
    names, records = ("kafka", "file", "stdout"), {}
    made = {s: connectors(db, {"slot.name": f"{db.name}_{s}", "publication.name": "shared"}, sink=s, name=s) for s in names}
    for connector in made.values():
        connector.start().wait_streaming()
    db.script(STEPS)
    for sink, connector in made.items():
        events = connector.wait_events(lambda events: any(e.id == 9 and e.op == "c" for e in events))
        connector.stop()
        records[sink] = [to_line(e) for e in events]
    assert len(records["kafka"]) == 8
    for sink in ("file", "stdout"):
        assert compare(records["kafka"], records[sink], strict=True) == []


def test_contract_of_sinks_on_a_real_broker(broker):
    """The tests that every sink passes (tests/sink/contract.h), here Kafka's on a broker instead of a mock."""
    done = subprocess.run([SINK_CONTRACT], env={**os.environ, "WALDUCT_TEST_KAFKA": broker}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0 and "[  PASSED  ]" in done.stdout, done.stdout[-4000:]


def java_murmur2(data):
    """org.apache.kafka.common.utils.Utils.murmur2, as a positive number."""
    mask, m = 0xFFFFFFFF, 0x5BD1E995
    h = 0x9747B28C ^ len(data)
    for i in range(0, len(data) // 4 * 4, 4):
        k = int.from_bytes(data[i:i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = h * m & mask ^ k
    rest = data[len(data) // 4 * 4:]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return (h ^ h >> 15) & 0x7FFFFFFF


def test_SNK_04_partitions_are_those_of_java(db, broker, connectors):
    """A record's partition follows from the bytes of its key as Java's producer has it; the hash is checked with Kafka's own cases."""
    for text, wanted in {"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
                         "a-little-bit-longer-string": -1486304829, "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971}.items():
        assert java_murmur2(text.encode()) == wanted & 0x7FFFFFFF
    db.execute("create table items (id int primary key, v text)")
    create_topic(broker, f"{db.name}.public.items", partitions=7)
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into items select n from generate_series(-100, 100000, 997) n")
    events = connector.wait_events(101)
    connector.stop()
    assert len({e.partition for e in events}) == 7
    assert [e.partition for e in events] == [java_murmur2(e.key) % 7 for e in events]


def test_file_sink_goes_on_after_a_restart(db, connectors):
    db.script(SETUP)
    connector = connectors(db, sink="file")
    for row in (10, 11, 12):
        connector.start().wait_streaming()
        db.execute("insert into items values (%s)", row)
        connector.wait_events(lambda events: any(e.id == row for e in events))
        connector.stop()
    assert [e.id for e in connector.events()] == [1, 10, 11, 12]


def test_tail(db, connectors):
    """Readable events on the terminal; afterwards no slot, no offset, no topic: nothing to see that it was there."""
    db.script(SETUP)
    connector = connectors(db)
    before = db.publications()
    connector.start(command="tail")
    connector.wait_streaming()
    slots = db.server.query("select temporary from pg_replication_slots where database = %s", db.name)
    assert slots == [(True,)]
    db.execute("insert into items values (5, 'hello tail')")
    wait_until(lambda: "hello tail" in connector.out.read_text(), 20, "the event on the terminal")
    assert connector.terminate() == 0
    text = connector.out.read_text()
    assert f"{db.name}.public.items" in text or "public.items" in text
    assert db.slots() == [] and not connector.offset_file.exists() and connector.events() == []
    assert db.publications() == before, "tail left a publication behind"


def test_version():
    done = subprocess.run([BINARY, "version"], capture_output=True, text=True)
    assert done.returncode == 0 and "walduct" in done.stdout and "librdkafka" in done.stdout
