"""An idle database beside a busy one: the slot must not hold the WAL of others."""
import os
import time

from support.connector import status_of
from support.postgres import lsn

IDLE_S = int(os.environ.get("E2E_IDLE_S", "300"))
WAL_PER_STEP = 4 << 20


def test_idle_slot_beside_a_busy_database(private_servers, databases, connectors):
    """SLT-07, SLT-08, E-01: five minutes without a row for us, with default intervals, while another database writes about
    4 MB of WAL every second. What the slot retains does not grow; neither does our memory, and what logins use of the program and
    its libraries leaves it between them."""
    server = private_servers(postgres=15, pg_set={"max_wal_size": "128MB", "autovacuum": "off"}).postgres
    db, busy = databases(server), databases(server)
    db.script("create table items (id int primary key)")
    busy.script("create table noise (v text)")
    defaults = {"status.update.interval.ms": None}
    connector = connectors(db, defaults, worker={"offset.flush.interval.ms": None}).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)

    retained, memory, of_files, end = [], [], [], time.monotonic() + IDLE_S
    while time.monotonic() < end:
        busy.execute("insert into noise select repeat('x', 1000) from generate_series(1, 3800)")
        if len(retained) % 10 == 0:
            busy.script("truncate noise; checkpoint")
        slot, now = db.slot(connector.slot), lsn(db.value("select pg_current_wal_lsn()::text"))
        retained.append(now - lsn(slot["restart_lsn"]))
        memory.append(connector.rss_kb())
        of_files.append(status_of(connector.process.pid, "RssFile"))
        time.sleep(1)

    # Stored every 10 s, confirmed with the next status at most 10 s later, restart_lsn follows a running-xacts record
    # (15 s apart) and the one before it: well under a minute of WAL.
    bound = 60 * WAL_PER_STEP
    half = len(retained) // 2
    print(f"retained: first half at most {max(retained[:half]) >> 20} MB, second half {max(retained[half:]) >> 20} MB; "
          f"written {len(retained) * WAL_PER_STEP >> 20} MB; RSS {memory[0]} -> {memory[-1]} kB")
    if IDLE_S >= 120:
        assert max(retained[half:]) < bound, "the slot holds the WAL of an idle database"
        assert len(retained) * WAL_PER_STEP > 2 * bound, "too little was written to prove anything"
    assert memory[-1] - memory[len(memory) // 4] < 2048, "memory grows while idle"
    assert min(of_files) < connector.peak_rss_kb() / 3, f"{of_files} kB of files"

    db.execute("insert into items values (2)")
    assert [e.id for e in connector.wait_events(2, timeout_s=10)] == [1, 2]
    connector.stop()
