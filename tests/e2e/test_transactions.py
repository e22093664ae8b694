"""Transactions: their order, what of them arrives, and their records with provide.transaction.metadata."""
import json

import pytest

from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text)"
METADATA = {"provide.transaction.metadata": "true"}


def rows(events, table="items"):
    return [(e.op, e.id) for e in events if e.table == table]


def until_id(wanted, table="items"):
    return lambda events: any(e.table == table and e.id == wanted for e in events)


def boundaries(events):
    return [e.envelope for e in events if e.topic.endswith(".transaction")]


def block(event):
    return event.envelope["transaction"]


def test_txn01_txn02_metadata(db, connectors):
    """TXN-01, TXN-02, TXN-15: begin, numbers, end; also of a transaction that touches filtered tables only."""
    db.script(ITEMS + "; create table other (id int primary key); create table hidden (id int primary key)")
    db.execute("create publication everything for all tables")
    connector = connectors(db, {**METADATA, "table.exclude.list": "public.hidden", "publication.name": "everything",
                                "publication.autocreate.mode": "disabled"}, sink="file").start().wait_streaming()
    db.script("""begin; insert into items values (1, 'a'); insert into hidden values (1); insert into other values (1), (2);
                 update items set v = 'b'; commit; insert into hidden values (2); insert into items values (9, 'z')""")
    events = connector.wait_events(lambda events: len(boundaries(events)) == 6)
    first, end, hidden, hidden_end, *_ = boundaries(events)
    xid = next(e for e in events if e.id == 1).source["txId"]
    assert (first["status"], first["event_count"], first["data_collections"]) == ("BEGIN", None, None)
    assert (end["status"], end["event_count"]) == ("END", 4)
    assert sorted((c["data_collection"], c["event_count"]) for c in end["data_collections"]) == [("public.items", 2), ("public.other", 2)]
    assert (hidden["status"], hidden_end["event_count"], hidden_end["data_collections"]) == ("BEGIN", 0, [])
    numbered = [e for e in events if e.table in ("items", "other")][:4]
    assert sorted((block(e)["total_order"], e.table, block(e)["data_collection_order"]) for e in numbered) == [
        (1, "items", 1), (2, "other", 1), (3, "other", 2), (4, "items", 2)]
    assert all(block(e)["id"] == f"{xid}:{e.source['lsn']}" for e in numbered)
    assert first["id"].startswith(f"{xid}:") and first["ts_ms"] == numbered[0].source["ts_ms"]
    assert all(e.key_json == {"id": e.envelope["id"]} for e in events if e.topic.endswith(".transaction"))
    connector.stop()
    assert connector.offset()["transaction_id"] == hidden_or_last(events)


def hidden_or_last(events):
    return boundaries(events)[-1]["id"].partition(":")[0]


def test_snapshot_rows_belong_to_no_transaction(db, connectors):
    db.script(ITEMS + "; insert into items values (1, 'a')")
    connector = connectors(db, METADATA, sink="file").start().wait_streaming()
    assert [block(e) for e in connector.wait_events(1)] == [None]
    assert boundaries(connector.events()) == []


def test_metadata_of_messages(db, connectors):
    """MSG-03: a transactional message is numbered, one outside of transactions is not."""
    db.execute(ITEMS)
    connector = connectors(db, METADATA, sink="file").start().wait_streaming()
    db.script("""begin; select pg_logical_emit_message(true, 'in', 'x'); insert into items values (1, 'a'); commit;
                 select pg_logical_emit_message(false, 'out', 'y'); insert into items values (2, 'b')""")
    events = connector.wait_events(until_id(2))
    messages = {e.key_json["prefix"]: block(e) for e in events if e.table == "message"}
    assert (messages["in"]["total_order"], messages["in"]["data_collection_order"]) == (1, 1) and messages["out"] is None
    end = connector.wait_events(lambda events: len(boundaries(events)) >= 4) and boundaries(connector.events())[1]
    assert end["event_count"] == 2
    assert [c["event_count"] for c in end["data_collections"]] == [1, 1]
    assert any("LogicalDecodingMessageId@" in c["data_collection"] for c in end["data_collections"])


def test_txn03_numbers_go_on_after_a_crash(db, connectors):
    """TXN-03: kill -9 inside a transaction: announced once, each row keeps its number, the end counts all."""
    db.execute(ITEMS)
    connector = connectors(db, METADATA, {"offset.flush.interval.ms": "20"}, sink="file").start().wait_streaming()
    db.execute("insert into items select g, repeat('x', 300) from generate_series(1, 40000) g")
    records = connector.dir / "records.jsonl"
    wait_until(lambda: records.exists() and records.stat().st_size > 8_000_000, 60, "some of the rows", interval_s=0.002)
    wait_until(lambda: connector.offset() and connector.offset()["walduct_ordinal"] > 0, 10, "a position inside", interval_s=0.002)
    connector.kill()
    assert not boundaries(connector.events())[1:], "stopped too late to test anything"
    db.execute("insert into items values (50000, 'end')")
    connector.start()
    events = connector.wait_events(until_id(50000), 120)
    assert [b["status"] for b in boundaries(events)][:2] == ["BEGIN", "END"]
    assert boundaries(events)[1]["event_count"] == 40000
    orders = [(e.id, block(e)["total_order"]) for e in events if e.table == "items" and e.id <= 40000]
    assert all(number == order for number, order in orders)
    assert {number for number, _ in orders} == set(range(1, 40001))


@pytest.mark.parametrize("metadata", [False, True])
def test_txn05_empty_transactions(metadata, db, connectors):
    """TXN-05: DDL, a transaction id alone, temporary tables: no record, and the slot moves on."""
    db.execute(ITEMS)
    connector = connectors(db, METADATA if metadata else {}, sink="file").start().wait_streaming()
    before = db.slot(connector.slot)["confirmed_flush_lsn"]
    db.script("""create table unrelated (id int); select pg_current_xact_id(); create temp table t (id int);
                 insert into t values (1); drop table unrelated""")
    wait_until(lambda: db.slot(connector.slot)["confirmed_flush_lsn"] != before, 20, "the slot moves on")
    db.execute("insert into items values (1, 'a')")
    events = connector.wait_events(lambda events: len(events) >= (3 if metadata else 1))
    assert rows(events) == [("c", 1)] and len(boundaries(events)) == (2 if metadata else 0)


def test_txn07_large_transaction(db, connectors):
    """TXN-07: a transaction far larger than the memory allowed, a stop in its middle, its origin preserved."""
    db.execute(ITEMS)
    db.execute("select pg_replication_origin_create(%s)", db.name)
    connector = connectors(db, {}, {"offset.flush.interval.ms": "50"}, sink="file").start().wait_streaming()
    with db.transaction() as session:
        session.execute("select pg_replication_origin_session_setup(%s)", (db.name,))
        session.execute("insert into items select g, repeat('x', 600) from generate_series(1, 150000) g")
        session.execute("select pg_replication_origin_xact_setup('0/ABC', now())")
        session.commit()
    records = connector.dir / "records.jsonl"
    wait_until(lambda: records.exists() and records.stat().st_size > 60_000_000, 60, "part of the transaction", interval_s=0.005)
    assert connector.rss_kb() < 120_000
    connector.stop()
    assert records.stat().st_size < 150_000 * 1000, "stopped too late to test anything"
    connector.start()
    db.execute("insert into items values (200000, 'end')")
    wait_until(lambda: b'{\\"id\\":200000}' in _tail(records), 120, "the end", interval_s=0.1)
    assert connector.rss_kb() < 120_000
    connector.stop()
    seen = 0
    with open(records) as lines:
        for number, line in enumerate(lines, 1):
            seen += 1
            if number % 10_000 == 1 and number <= 150_000:
                source = json.loads(json.loads(line)["value"])["source"]
                assert (source["origin"], source["origin_lsn"]) == (db.name, 0xABC)
    assert seen == 150_001, "after a clean stop nothing comes twice"
    db.execute("select pg_replication_origin_drop(%s)", db.name)


def _tail(path):
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - 5000))
        return file.read()


def test_txn08_rollbacks_and_savepoints(db, connectors):
    """TXN-08: what was rolled back is absent, the rest keeps its order."""
    db.execute(ITEMS)
    connector = connectors(db, METADATA, sink="file").start().wait_streaming()
    db.script("""begin; insert into items values (1); savepoint a; insert into items values (2); rollback to a;
                 insert into items values (3); savepoint b; insert into items values (4); release b; insert into items values (5);
                 commit; begin; insert into items values (6); rollback; insert into items values (7)""")
    events = connector.wait_events(until_id(7))
    assert rows(events) == [("c", 1), ("c", 3), ("c", 4), ("c", 5), ("c", 7)]
    assert [block(e)["total_order"] for e in events if e.table == "items"] == [1, 2, 3, 4, 1]


def test_txn09_STR_01_spilled_subtransactions(private_servers, databases, connectors):
    """TXN-09: main transaction and subtransactions spilled to disk, kept or aborted, in every mix."""
    db = databases(private_servers(postgres=15, pg_set={"logical_decoding_work_mem": "64kB"}).postgres)
    db.execute(ITEMS)
    connector = connectors(db, {"slot.stream.params": ""}, sink="file").start().wait_streaming()
    expected, first = [], 1
    for main in (1, 600):
        for sub in (1, 600):
            for keep in (True, False):
                with db.transaction() as session:
                    session.execute("insert into items select g, repeat('m', 200) from generate_series(%s::int, %s::int) g", (first, first + main - 1))
                    session.execute("savepoint s")
                    session.execute("insert into items select g, repeat('s', 200) from generate_series(%s::int, %s::int) g",
                                    (first + main, first + main + sub - 1))
                    session.execute("release s" if keep else "rollback to s")
                    session.execute("insert into items values (%s, 'end')", (first + main + sub,))
                    session.commit()
                expected += range(first, first + main)
                expected += range(first + main, first + main + sub) if keep else []
                expected.append(first + main + sub)
                first += main + sub + 1
    events = connector.wait_events(len(expected), 60)
    assert [e.id for e in events] == expected


def test_TPC_01_02_prepared_transactions(private_servers, databases, connectors):
    """At COMMIT PREPARED, in its place among the others, also when the process stopped in between; nothing of ROLLBACK PREPARED."""
    db = databases(private_servers(postgres=15, pg_set={"max_prepared_transactions": "4"}).postgres)
    db.execute("create table items (id int primary key)")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("""begin; insert into items values (1); prepare transaction 'stays'; insert into items values (2);
                 begin; insert into items values (3); prepare transaction 'goes'; rollback prepared 'goes'""")
    assert [e.id for e in connector.wait_events(1)] == [2]
    connector.stop()
    db.script("insert into items values (4); commit prepared 'stays'; insert into items values (5)")
    connector.start().wait_streaming()
    assert [e.id for e in connector.wait_events(4)] == [2, 4, 1, 5]
    connector.stop()


def test_txn10_interleaved_transactions(db, connectors):
    """TXN-10: the one that commits first comes first, each in one piece, although LSNs interleave."""
    db.execute(ITEMS)
    connector = connectors(db, METADATA, sink="file").start().wait_streaming()
    with db.transaction() as a, db.transaction() as b:
        a.execute("insert into items values (1)")
        b.execute("insert into items values (2)")
        a.execute("insert into items values (3)")
        b.execute("insert into items values (4)")
        b.commit()
        a.commit()
    events = connector.wait_events(8)
    assert [e.id for e in events if e.table == "items"] == [2, 4, 1, 3]
    lsns = [e.source["lsn"] for e in events if e.table == "items"]
    assert lsns != sorted(lsns)
    assert [e.envelope["status"] for e in events if e.table == "transaction"] == ["BEGIN", "END"] * 2


def test_txn11_large_rollback(db, connectors):
    """TXN-11: nothing of it arrives, and the slot moves beyond it."""
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    with db.transaction() as session:
        session.execute("insert into items select g, repeat('x', 200) from generate_series(1, 20000) g")
        session.rollback()
    end = db.value("select pg_current_wal_lsn()::text")
    wait_until(lambda: db.value("select confirmed_flush_lsn >= %s::pg_lsn from pg_replication_slots where slot_name = %s", end, connector.slot),
               30, "the slot follows")
    db.execute("insert into items values (1)")
    assert rows(connector.wait_events(1)) == [("c", 1)]
