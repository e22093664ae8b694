"""Logical decoding messages: pg_logical_emit_message."""
import time

import pytest

from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text)"


def messages(events):
    return [(e.key_json["prefix"], e.envelope["message"]["content"]) for e in events if e.table == "message"]


def test_msg06_message_of_a_rolled_back_transaction(db, connectors):
    """MSG-06, MSG-09: outside of transactions it stays, inside it goes; an empty content is empty, not null."""
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    with db.transaction() as session:
        session.execute("insert into items values (1)")
        session.execute("select pg_logical_emit_message(true, 'gone', 'x'), pg_logical_emit_message(false, 'kept', 'x')")
        session.rollback()
    db.execute("select pg_logical_emit_message(true, 'empty', '')")
    assert messages(connector.wait_events(2)) == [("kept", "eA=="), ("empty", "")]


@pytest.mark.parametrize("mode", ["initial", "no_data"])
def test_message_before_the_first_transaction_has_the_time_of_the_start(db, connectors, mode):
    db.execute(ITEMS)
    before = time.time()
    connector = connectors(db, {"snapshot.mode": mode}, sink="file").start().wait_streaming()
    db.execute("select pg_logical_emit_message(false, 'first', 'x')")
    event = connector.wait_events(lambda events: messages(events))[-1]
    assert before - 5 < event.envelope["source"]["ts_ms"] / 1000 < time.time() + 5


def test_msg07_message_outside_comes_before_the_transaction_around_it(db, connectors):
    """MSG-07: it is sent at once, ahead of the transaction it was written in; a crash then loses nothing of that one."""
    db.execute(ITEMS)
    connector = connectors(db, {}, {"offset.flush.interval.ms": "20"}, sink="file").start().wait_streaming()
    with db.transaction() as session:
        session.execute("insert into items values (1)")
        session.execute("select pg_logical_emit_message(false, 'now', 'x', true)" if db.value("select current_setting('server_version_num')::int") >= 170000
                        else "select pg_logical_emit_message(false, 'now', 'x')")
        session.execute("insert into items values (2)")
        db.execute("create table flushed (id int)")  # its commit writes the WAL out
        connector.wait_events(lambda events: messages(events) == [("now", "eA==")])
        wait_until(lambda: connector.offset() is not None, 10, "a stored position")
        session.commit()
        connector.kill()
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: {e.id for e in events if e.table == "items"} == {1, 2})
    message = next(e for e in events if e.table == "message")
    assert message.source["txId"] is None and message.source["schema"] == "" and message.headers == []
    first = next(e for e in events if e.table == "items")
    assert message.source["lsn"] > first.source["lsn"]


def test_msg08_message_and_row_of_one_lsn(db, connectors):
    """MSG-08: a message and the row behind it share an LSN; stops around them lose and repeat nothing."""
    db.execute(ITEMS)
    connector = connectors(db, sink="file")
    for cycle in range(1, 4):
        connector.start().wait_streaming()
        db.script(f"begin; select pg_logical_emit_message(true, 'm{cycle}', 'x'); insert into items values ({cycle}); commit")
        events = connector.wait_events(2 * cycle)
        connector.stop()
    assert [p for p, _ in messages(events)] == ["m1", "m2", "m3"]
    assert [e.id for e in events if e.table == "items"] == [1, 2, 3]


def test_msg13_messages_come_first_after_a_restart(db, connectors):
    """MSG-13: messages written while down, before any row: found and passed on once."""
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    db.script("""select pg_logical_emit_message(false, 'outside', 'x'); select pg_logical_emit_message(true, 'inside', 'x');
                 insert into items values (2)""")
    connector.start().wait_streaming()
    connector.wait_events(4)
    connector.stop()
    assert [p for p, _ in messages(connector.events())] == ["outside", "inside"]
    assert [e.id for e in connector.events() if e.table == "items"] == [1, 2]


def test_RST_19_message_outside_is_the_last_event(db, connectors):
    """A message that no transaction follows, then a stop: what comes next is delivered, each once but for the message."""
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    db.execute("select pg_logical_emit_message(false, 'last', 'x')")
    connector.wait_events(2)
    connector.stop()
    db.execute("select pg_logical_emit_message(false, 'next', 'x')")
    db.execute("insert into items values (2)")
    connector.start().wait_streaming()
    connector.wait_events(lambda events: any(e.table == "items" and e.id == 2 for e in events))
    connector.stop()
    events = connector.events()
    assert [e.id for e in events if e.table == "items"] == [1, 2]
    assert list(dict.fromkeys(p for p, _ in messages(events))) == ["last", "next"]


def test_msg04_prefix_lists(db, connectors):
    db.execute(ITEMS)
    connector = connectors(db, {"message.prefix.exclude.list": "drop.*, a b"}, sink="file").start().wait_streaming()
    db.script("""select pg_logical_emit_message(true, 'dropped', ''), pg_logical_emit_message(true, 'a b', ''),
                 pg_logical_emit_message(true, 'keep', '')""")
    assert messages(connector.wait_events(1)) == [("keep", "")]
