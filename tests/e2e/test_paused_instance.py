"""An instance that stood still, or lost its stream, while another one took its slot over: what it still has must not land
behind newer values, and the stored position must not go back."""
import json
import signal
import time

import pytest

from support.kafka import read_topics
from support.wait import wait_until

ROWS = 40
STORES = ["file", "topic"]


class Pair:
    """Two instances of one connector, of which A streams."""

    def __init__(self, store, servers, databases, connectors, config=None):
        self.servers, self.db, self.store = servers, databases(servers.postgres), store
        self.db.script("create table items (id int primary key, v text)")
        worker = {"bootstrap.servers": servers.bootstrap}
        if store == "topic":
            self.topic = f"offsets-{self.db.name}"
            worker |= {"offset.storage.file.filename": None, "offset.storage.topic": self.topic,
                       "offset.storage.partitions": "1", "offset.storage.replication.factor": "1"}
        self.a, self.b = connectors(self.db, config, worker=worker), connectors(self.db, config, worker=worker)
        if store == "file":
            self.b.worker["offset.storage.file.filename"] = str(self.a.offset_file)
        self.a.start().wait_streaming()
        self.db.execute("insert into items select g, 'first' from generate_series(1, %s) g", ROWS)
        self.a.wait_events(ROWS)

    def write(self, value):
        """One transaction for each row, as an application would."""
        with self.db.connect() as session:
            for row in range(1, ROWS + 1):
                session.execute("update items set v = %s where id = %s", (value, row))

    def last_values(self):
        return {e.id: e.after["v"] for e in read_topics(self.servers.bootstrap, self.a.prefix)}

    def stored(self):
        if self.store == "file":
            return self.a.offset()["lsn_commit"]
        return json.loads(read_topics(self.servers.bootstrap, self.topic)[-1].value)["lsn_commit"]

    def take_over(self):
        """B streams and has published and stored the new values."""
        self.db.free_slot(self.a.slot)
        self.write("new")
        self.b.start().wait_streaming()
        wait_until(lambda: set(self.last_values().values()) == {"new"}, 60, "new values", interval_s=0.1)
        end = self.db.value("select lsn - '0/0' from pg_current_wal_lsn() lsn")
        wait_until(lambda: self.stored() > end - 100_000, 20, "stored by B")
        return self.stored()

    def check_nothing_went_back(self, stored):
        assert set(self.last_values().values()) == {"new"}, self.last_values()
        assert self.stored() >= stored, "the stored position went back"
        self.b.stop()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("how", ["paused", "control"])
def test_paused_with_a_full_queue(how, store, private_servers, databases, connectors):
    """Rows that were read while Kafka was away. In the control A is killed instead of paused."""
    pair = Pair(store, private_servers(postgres=15, kafka=True), databases, connectors)
    pair.servers.do("stop-kafka")
    pair.write("old")
    time.sleep(1)  # read by A
    pair.a.process.send_signal(signal.SIGSTOP if how == "paused" else signal.SIGKILL)
    pair.servers.do("start-kafka")
    stored = pair.take_over()
    if how == "paused":
        pair.a.process.send_signal(signal.SIGCONT)
        assert pair.a.wait_exit(180) == 3
        assert pair.a.logged("stood still for .* taken over by another process") and pair.a.logged("reason=slot_taken_over")
    time.sleep(3)  # whatever is still to come
    pair.check_nothing_went_back(stored)


@pytest.mark.parametrize("store", STORES)
def test_paused_with_unread_rows(store, private_servers, databases, connectors):
    """Rows that had reached A's socket but not A."""
    pair = Pair(store, private_servers(postgres=15, kafka=True), databases, connectors)
    pair.a.process.send_signal(signal.SIGSTOP)
    pair.write("old")
    time.sleep(1)  # sent by the server
    stored = pair.take_over()
    pair.a.process.send_signal(signal.SIGCONT)
    assert pair.a.wait_exit(180) == 3
    assert pair.a.logged("reason=slot_taken_over")
    time.sleep(3)
    pair.check_nothing_went_back(stored)


def test_pause_without_another_instance(private_servers, databases, connectors):
    """It goes on as if nothing had been, and repeats nothing."""
    pair = Pair("file", private_servers(postgres=15, kafka=True), databases, connectors)
    pair.servers.do("stop-kafka")
    pair.write("old")
    time.sleep(1)
    pair.a.process.send_signal(signal.SIGSTOP)
    pair.servers.do("start-kafka")
    time.sleep(3)
    session = pair.db.slot(pair.a.slot)["active_pid"]
    pair.a.process.send_signal(signal.SIGCONT)
    events = pair.a.wait_events(2 * ROWS, timeout_s=60)
    assert len(events) == 2 * ROWS and pair.db.slot(pair.a.slot)["active_pid"] == session
    pair.a.stop()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("full", [False, True], ids=["room", "full"])
def test_stream_lost_while_kafka_was_away(full, store, private_servers, databases, connectors):
    """A runs, but what it has read cannot be delivered when the slot becomes another instance's. With a full queue it reads
    nothing, and the end of its stream must show all the same, long before the next status update."""
    config = {"status.update.interval.ms": "60000", "producer.override.buffer.memory": "4096" if full else "16777216"}
    pair = Pair(store, private_servers(postgres=15, kafka=True), databases, connectors, config)
    pair.servers.do("stop-kafka")
    pair.write("old")
    time.sleep(1)
    pair.db.execute("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", pair.a.slot)
    pair.a.wait_log("retrying", 5)
    pair.a.process.send_signal(signal.SIGSTOP)  # so that B is the first
    pair.servers.do("start-kafka")
    stored = pair.take_over()
    pair.a.process.send_signal(signal.SIGCONT)
    time.sleep(5)
    pair.check_nothing_went_back(stored)
    assert not pair.a.logged("stopped: ") or pair.a.wait_exit(1) == 3
