"""`tail`, and `run` to standard output: a look that nobody else notices."""
import os
import select
import signal

import pytest

from support.wait import wait_until

TABLES = "create table keyed (id int primary key, v text); create table bare (id int, v text)"
ALL_TABLES = {"publication.autocreate.mode": "all_tables"}


def publications(db):
    with db.connect() as session:
        return [name for name, in session.execute("select pubname from pg_publication")]


@pytest.mark.parametrize("mode", ["all_tables", "filtered"])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_tail_is_in_nobody_s_way(end, mode, each_pg, databases, connectors):
    db = databases(each_pg)
    db.script(TABLES)
    connector = connectors(db, {"publication.autocreate.mode": mode}).start(command="tail").wait_streaming()
    db.script("insert into keyed values (1, 'key1'); insert into bare values (1, 'bare1');"
              "update keyed set v = 'key2'; update bare set v = 'bare2'; delete from bare; delete from keyed where id = 1")
    out = lambda: connector.out.read_text()
    wait_until(lambda: all(text in out() for text in ("key1", "bare1", "key2", '"op": "d"' if '"op": "d"' in out() else "key2")), 20, "the rows")
    if end == "stop":
        connector.stop()
    else:
        connector.kill()
    wait_until(lambda: publications(db) == [], 10, "no publication is left behind")
    db.script("insert into bare values (2, 'x'); update bare set v = 'y'; delete from bare")
    assert db.slots() == []


def test_a_reader_that_has_had_enough_ends_it(db, connectors):
    """As `walduct tail … | head` does: no error."""
    db.script(TABLES)
    connector = connectors(db, ALL_TABLES)
    os.mkfifo(connector.out)
    reader = os.open(connector.out, os.O_RDONLY | os.O_NONBLOCK)
    connector.start(command="tail").wait_streaming()
    db.execute("insert into keyed values (1, 'seen')")
    wait_until(lambda: select.select([reader], [], [], 0)[0] and b"seen" in os.read(reader, 65536), 20, "the row")
    os.close(reader)
    db.execute("insert into keyed values (2, 'not seen')")
    assert connector.wait_exit() == 0 and not connector.logged("Broken pipe|error "), connector.log_text()
    wait_until(lambda: publications(db) == [] and db.slots() == [], 10, "nothing is left behind")


def test_new_tables_show_in_tail(db, connectors):
    db.script(TABLES)
    connector = connectors(db, ALL_TABLES).start(command="tail").wait_streaming()
    db.script("create table late (id int, v text); insert into late values (1, 'late1'); update late set v = 'x'")
    wait_until(lambda: "late1" in connector.out.read_text(), 20, "the row")
    connector.stop()


def test_a_line_a_change_of_what_is_asked_for(db, connectors):
    """No snapshot, though the connector takes one; one table, two operations; --full shows all."""
    db.script(TABLES + "; insert into keyed values (1, 'old')")
    connector = connectors(db, {"snapshot.mode": "initial"})
    changes = ("insert into bare values (1, 'other'); insert into keyed values (2, 'new'); update keyed set v = 'changed' where id = 2;"
               "delete from keyed where id = 2; insert into keyed values (3, 'end')")
    connector.start("--table", "public.keyed", "--operation", "c,d", command="tail").wait_streaming()
    db.script(changes)
    wait_until(lambda: '"end"' in connector.out.read_text(), 20, "the last row")
    connector.stop()
    topic = f"{connector.prefix}.public.keyed"
    assert connector.out.read_text().splitlines() == [
        f'CREATE {topic} {{"id":2}} {{"id":2,"v":"new"}}', f'DELETE {topic} {{"id":2}} {{"id":2,"v":null}}',
        f'TOMBSTONE {topic} {{"id":2}}', f'CREATE {topic} {{"id":3}} {{"id":3,"v":"end"}}']


def test_all_of_a_record_and_the_rows_that_are_there(db, connectors):
    db.script(TABLES + "; insert into keyed values (1, 'old')")
    connector = connectors(db).start("--full", "--snapshot", command="tail").wait_streaming()
    wait_until(lambda: '"op": "r"' in connector.out.read_text(), 20, "the row")
    connector.stop()
    refused = connector.call("tail", "--operation", "x")
    assert refused.returncode == 2 and "--operation" in refused.stderr, refused


def test_publication_of_the_connector_is_used(db, connectors):
    """The control: what is there is neither changed nor dropped."""
    db.script(TABLES + f"; create publication {db.name} for table keyed")
    connector = connectors(db, ALL_TABLES).start(command="tail").wait_streaming()
    db.execute("insert into keyed values (1, 'key1')")
    wait_until(lambda: "key1" in connector.out.read_text(), 20, "the row")
    connector.kill()
    assert publications(db) == [db.name]


def test_run_to_stdout_on_a_live_slot(db, connectors):
    """It must not take the changes away that another connector has to publish."""
    db.script(TABLES)
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into keyed values (1, 'a')")
    connector.wait_events(1)
    connector.stop()
    db.execute("insert into keyed values (2, 'b')")
    stored, confirmed = connector.offset(), db.slot(connector.slot)["confirmed_flush_lsn"]
    assert connector.run_to_end("-o", "sink=stdout", "--until-caught-up") == 3
    assert connector.logged("walduct tail")
    assert connector.offset() == stored and db.slot(connector.slot)["confirmed_flush_lsn"] == confirmed
    connector.start().wait_streaming()
    assert [e.id for e in connector.wait_events(2)] == [1, 2]
    connector.stop()


def test_stdout_goes_on_with_its_own_slot(db, connectors):
    """The control."""
    db.script(TABLES)
    connector = connectors(db, sink="stdout")
    for row in (1, 2, 3):
        connector.start().wait_streaming()
        db.execute("insert into keyed values (%s, 'a')", row)
        connector.wait_events(row)
        connector.stop()
    assert [e.id for e in connector.events()] == [1, 2, 3]
