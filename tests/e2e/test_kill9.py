"""kill -9, fifty times, under a writer: every committed change arrives, in order per key, and only the tail repeats."""
import json
import os
import random
import time

from support import workload
from support.wait import wait_until

KILLS = int(os.environ.get("E2E_KILLS", "50"))
FLUSH_MS = 100


def test_FAIL_14_fifty_kills(db, connectors):
    """FAIL-14, RST-21: what repeats after a kill begins behind the position that was stored when the kill came."""
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (E2E_SEED={seed} repeats the choices)")
    choose = random.Random(seed)
    workload.setup(db, f"{db.name}_oracle")
    connector = connectors(db, worker={"offset.flush.interval.ms": str(FLUSH_MS)}).start().wait_streaming()
    writer = workload.Writer(db, seed, pause_s=0.02)
    writer.start()
    stored = []  # (time of the kill, lsn_commit stored then)
    try:
        for kill in range(KILLS):
            # Some while it starts, most while it streams.
            if choose.random() < 0.8:
                connector.wait_streaming()
            time.sleep(choose.random() * 1.2)
            assert connector.running(), connector.log_text()[-3000:]
            connector.kill()
            stored.append((time.time(), (connector.offset() or {}).get("lsn_commit", 0)))
            connector.start()
    finally:
        writer.stop()
    connector.wait_streaming()
    check_nothing_lost(db, connector, stored)
    connector.stop()
    print(f"{writer.transactions} transactions")


def check_nothing_lost(db, connector, stored):
    committed = workload.committed_changes(db, f"{db.name}_oracle")
    wanted = {t: c[-1] for t, c in committed.items()}

    def last_arrived():
        assert connector.running(), connector.log_text()[-3000:]
        seen = workload.seen_changes(connector.events())
        return all(seen[t] and seen[t][-1][0] == wanted[t] for t in wanted)
    wait_until(last_arrived, 60, f"the last changes {wanted}", interval_s=0.2)
    time.sleep(0.5)
    seen = workload.seen_changes(connector.events())
    for table in workload.TABLES:
        jumps = workload.replays(committed[table], seen[table], table)
        print(f"{table}: {len(committed[table])} changes committed, {len(seen[table])} in the topic, {len(jumps)} replays")
        assert len(jumps) <= len(stored)
        for event in jumps:
            check_begins_behind_stored(event, stored)


def check_begins_behind_stored(event, stored):
    """The first repeated event lies in a transaction that ends after the position stored at the last kill before it."""
    position = [lsn for moment, lsn in stored if moment * 1000 <= event.timestamp_ms + 1][-1]
    previous_commit = json.loads(event.source["sequence"])[0]
    if previous_commit is not None:
        assert int(previous_commit) >= position, (event.key, event.source, position)
