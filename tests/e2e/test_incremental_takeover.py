"""INC-04: an incremental snapshot that the real Debezium began goes on in walduct, and the other way round. Takes a minute:
E2E_TAKEOVER=1 runs it."""
import json
import os

import pytest

from support.debezium import Debezium, free_port, installed
from support.wait import wait_until
from test_incremental import fold

ROWS, CHUNK = 20000, 50
pytestmark = pytest.mark.skipif("E2E_TAKEOVER" not in os.environ, reason="runs by name: E2E_TAKEOVER=1")


# A key that Java has a class for, and one that it has none for.
KEYS = {"int": "i", "citext": "lpad(i::text, 6, 'k')"}


@pytest.fixture(params=KEYS)
def half_done(request, db, connectors):
    """A table, a connector for it, and its topic."""
    if not installed():
        pytest.skip("needs the real Debezium: scripts/deps debezium")
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create extension if not exists citext")
    db.execute(f"create table big (id {request.param} primary key, v text)")
    db.execute(f"insert into big select {KEYS[request.param]}, 'v' || i from generate_series(1, {ROWS}) i")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "plugin.name": "pgoutput",
                                "publication.autocreate.mode": "filtered", "incremental.snapshot.chunk.size": str(CHUNK)},
                           worker={"offset.flush.interval.ms": "200"})
    topic = f"{connector.prefix}.public.big"

    def reads():
        return [e.id for e in connector.events() if e.topic == topic and e.op == "r"]
    return connector, topic, reads


def signal(db):
    db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", json.dumps({"type": "incremental", "data-collections": ["public.big"]}))


def check_end(db, connector, topic, before, reads):
    """All rows arrive, and what was read before is not read again but for the last chunks."""
    rows = dict(db.execute("select id, v from big"))
    wait_until(lambda: fold(connector.events(), topic) == rows, 90, "the topic to give the table", interval_s=0.5)
    again = [i for i in reads()[len(before):] if i in set(before)]
    assert len(again) <= len(before) // 2 + 20 * CHUNK, (len(before), len(again))


def test_INC_04_walduct_goes_on_after_debezium(half_done, db):
    connector, topic, reads = half_done
    connector.write_files()
    with_java = Debezium(connector, db, free_port())
    with_java.start().wait_streaming()
    try:
        signal(db)
        wait_until(lambda: len(reads()) > 500, 60, "some chunks")
    finally:
        with_java.stop()
    before = reads()
    assert len(before) < ROWS, "it was too fast"
    assert "incremental_snapshot_collections" in connector.offset()
    db.execute("update big set v = 'changed' where v in ('v3', %s)", f"v{ROWS - 1}")
    connector.start().wait_streaming()
    check_end(db, connector, topic, before, reads)
    connector.stop()


def test_INC_04_debezium_goes_on_after_walduct(half_done, db):
    connector, topic, reads = half_done
    connector.start().wait_streaming()
    signal(db)
    wait_until(lambda: len(reads()) > 500, 60, "some chunks")
    connector.kill()
    before = reads()
    assert len(before) < ROWS, "it was too fast"
    assert "incremental_snapshot_collections" in connector.offset()
    db.execute("update big set v = 'changed' where v in ('v3', %s)", f"v{ROWS - 1}")
    with_java = Debezium(connector, db, free_port())
    with_java.start().wait_streaming()
    try:
        check_end(db, connector, topic, before, reads)
    finally:
        with_java.stop()
