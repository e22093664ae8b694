"""How soon the position is stored after Kafka has taken the records: what lies between is what a kill -9 repeats."""
import os
import statistics
import threading
import time

import pytest

from support.wait import wait_until

KILLS = 5
STORES = ["file", "topic"]


def started(store, db, connectors):
    """With the default of offset.flush.interval.ms."""
    worker = {"offset.flush.interval.ms": None}
    if store == "topic":
        worker |= {"offset.storage.file.filename": None, "offset.storage.topic": f"offsets-{db.name}",
                   "offset.storage.partitions": "1", "offset.storage.replication.factor": "1"}
    db.script("create table items (id serial primary key, v text)")
    return connectors(db, worker=worker).start().wait_streaming()


class Inserts(threading.Thread):
    """Single rows, about 200 a second."""

    def __init__(self, db):
        super().__init__(daemon=True)
        self.db, self.stopping, self.rows = db, threading.Event(), 0

    def run(self):
        with self.db.connect() as session:
            while not self.stopping.is_set():
                session.execute("insert into items (v) values ('x')")
                self.rows += 1
                time.sleep(0.004)

    def stop(self):
        self.stopping.set()
        self.join()
        return self.rows


def limit(store, directory):
    """Seconds that a kill may repeat: 0.3, but a file is not stored more often than twenty times what that costs."""
    if store != "file":
        return 0.3
    costs = []
    for _ in range(5):
        begin = time.monotonic()
        with open(directory / "cost", "wb") as file:
            file.write(b"x" * 1000)
            file.flush()
            os.fsync(file.fileno())
        os.rename(directory / "cost", directory / "cost.done")
        costs.append(time.monotonic() - begin)
        time.sleep(0.1)
    return max(0.3, 0.1 + 20 * 2 * max(costs))  # the directory is synchronised, too


def publications(events):
    """{id: [when it was published, …]} in milliseconds."""
    seen = {}
    for event in events:
        seen.setdefault(event.id, []).append(event.timestamp_ms)
    return seen


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("kills", [KILLS, 0], ids=["kills", "control"])
def test_RST_02_21_what_a_kill_repeats(kills, store, db, connectors):
    connector = started(store, db, connectors)
    inserts = Inserts(db)
    inserts.start()
    moments = []
    for _ in range(kills):
        published = len(connector.events())
        connector.wait_events(published + 200)
        connector.kill()
        moments.append(time.time() * 1000)
        connector.start().wait_streaming()
    connector.wait_events(len(connector.events()) + 200)
    longest = limit(store, connector.dir)
    rows = inserts.stop()
    events = connector.wait_events(lambda events: len({e.id for e in events}) == rows)
    connector.stop()
    seen = publications(events)
    repeats = []  # for each kill the time before it that was published again
    for moment in moments:
        before = [p[0] for p in seen.values() if len(p) > 1 and p[0] <= moment and any(q > moment for q in p)]
        repeats.append((moment - min(before)) / 1000 if before else 0)
    print(f"{store}: repeated seconds {[round(r, 3) for r in repeats]}, {sum(len(p) - 1 for p in seen.values())} of "
          f"{len(events)} records")
    if kills:
        assert statistics.median(repeats) <= longest
        assert max(repeats) <= max(1, 2 * longest), "also on a busy machine"
    else:
        assert all(len(p) == 1 for p in seen.values())


def test_nothing_is_stored_while_idle(db, connectors):
    connector = started("file", db, connectors)
    db.execute("insert into items (v) values ('x')")
    connector.wait_events(1)
    wait_until(connector.offset, 5, "stored soon, not after ten seconds")
    time.sleep(0.5)
    before = connector.offset_file.stat()
    time.sleep(4)
    after = connector.offset_file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    connector.stop()
