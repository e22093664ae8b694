"""Signals and incremental snapshots: some of the recorded corpus (tests/signals/run.py plays all of it), and kills under a writer."""
import json
import os
import random
import threading
import time

import pytest

from signals import run
from support import servers
from support.wait import wait_until

KILLS = int(os.environ.get("E2E_KILLS", "6"))
ROWS = 3000
PLAYED = ["size_n_chunks", "size_one_row", "window_key_change", "window_insert_delete", "pause_resume", "stop_all", "columns_generated",
          "initial_notifications"]


@pytest.mark.parametrize("name", PLAYED)
def test_golden_signals(name, tmp_path):
    own = servers.shared("signals17", postgres=17, **run.SERVER)
    with servers.file_lock("signals17-in-use"):  # one database `shop` per server
        differences = run.play(name, own.postgres, tmp_path, strict=False)
    assert not differences, "\n".join(differences)


class Writer(threading.Thread):
    """Inserts, updates, deletes and key changes in the table, as fast as they go."""

    def __init__(self, database, seed):
        super().__init__(daemon=True)
        self.database, self.choose, self.over, self.changes = database, random.Random(seed), threading.Event(), 0

    def run(self):
        statements = ["update big set v = %s where id = %s", "delete from big where id = %s", "update big set id = %s where id = %s",
                      "insert into big values (%s, %s) on conflict (id) do update set v = excluded.v"]
        with self.database.connect() as session:
            while not self.over.is_set():
                which, a, b = self.choose.randrange(4), self.choose.randrange(2 * ROWS), self.choose.randrange(2 * ROWS)
                value = f"w{self.changes}"
                parameters = [[value, a], [a], [a + 2 * ROWS, b], [a, value]][which]
                try:
                    session.execute(statements[which], parameters)
                    self.changes += 1
                except Exception as error:  # a key that is taken
                    assert "duplicate key" in str(error), error

    def stop(self):
        self.over.set()
        self.join(30)


def fold(events, topic):
    rows = {}
    for event in events:
        if event.topic != topic:
            continue
        if event.value is None or event.op == "d":
            rows.pop(event.id, None)
        else:
            rows[event.id] = event.after["v"]
    return rows


@pytest.mark.parametrize("strategy", ["insert_insert", "insert_delete"])
def test_INC_04_kills_during_an_incremental_snapshot(strategy, db, connectors):
    """Replaying the topic gives the table, whenever the process is killed."""
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (E2E_SEED={seed} repeats the choices)")
    choose = random.Random(seed)
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.execute("create table big (id int primary key, v text)")
    db.execute(f"insert into big select i, 'v' || i from generate_series(1, {ROWS}) i")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals",
                                "incremental.snapshot.chunk.size": "100", "incremental.snapshot.watermarking.strategy": strategy},
                           worker={"offset.flush.interval.ms": "50"}).start().wait_streaming()
    writer = Writer(db, seed)
    writer.start()
    try:
        signal = json.dumps({"type": "incremental", "data-collections": ["public.big"]})
        db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", signal)
        for _ in range(KILLS):
            connector.wait_log(r"\bstreaming\b")
            time.sleep(choose.random() * 0.3)
            connector.kill()
            connector.start()
        connector.wait_streaming()
        done = "incremental_snapshot_collections"
        wait_until(lambda: (offset := connector.offset()) and done not in offset and writer.changes, 60, "the snapshot to be over")
    finally:
        writer.stop()
    rows = dict(db.execute("select id, v from big"))
    topic = f"{connector.prefix}.public.big"
    wait_until(lambda: fold(connector.events(), topic) == rows, 30, "the topic to give the table", interval_s=0.2)
    reads = [e for e in connector.events() if e.topic == topic and e.op == "r"]
    assert reads and all(e.source["snapshot"] == "incremental" for e in reads)
    assert len(reads) <= ROWS * 4 + KILLS * 200  # one chunk a kill, and what was not stored when it came
    connector.stop()
