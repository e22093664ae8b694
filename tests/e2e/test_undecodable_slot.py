"""A slot that PostgreSQL cannot decode: a table was created while the slot was being made and another transaction ran, and is not
in what the slot knows of the catalog."""
import threading

import pytest

from support.wait import wait_until


def waits_for(db, xid):
    return db.execute("select 1 from pg_locks where locktype = 'transactionid' and not granted and transactionid::text = %s", xid)


def begin(session, statement="select 1"):
    """Its transaction's id."""
    session.execute(statement)
    return session.execute("select (txid_current() % 4294967296)::text").fetchone()[0]


def make_slot(db, name, created_meanwhile):
    """The server makes a slot in two steps, and waits at each for the transactions that ran when it began."""
    ddl = "create table made (id int primary key)"
    if not created_meanwhile:
        db.execute(ddl)

    def create():
        with db.connect() as session:
            session.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", [name])
    making = threading.Thread(target=create)
    with db.transaction() as first, db.transaction() as second, db.transaction() as writer:
        first_xid = begin(first)
        making.start()
        wait_until(lambda: waits_for(db, first_xid), 60, "the slot waits for the first transaction")
        second_xid = begin(second)
        if created_meanwhile:
            db.execute(ddl)
        first.commit()
        wait_until(lambda: waits_for(db, second_xid), 60, "the slot waits for the second transaction")
        begin(writer, "insert into made values (1)")
        second.commit()
        making.join(60)
        writer.commit()
    assert db.slot(name)


# Servers of its own: from what other slots have stored of the catalog the server makes a slot in one step.
@pytest.mark.parametrize("version", [15, 17, 18])
@pytest.mark.parametrize("created_meanwhile", [True, False], ids=["fault", "control"])
def test_a_table_made_while_the_slot_was(created_meanwhile, version, private_servers, databases, connectors):
    db = databases(private_servers(postgres=version).postgres)
    connector = connectors(db, {"snapshot.mode": "no_data", "publication.autocreate.mode": "disabled", "slot.max.retries": "2",
                                "slot.retry.delay.ms": "200"}, sink="file", superuser=True)
    db.execute(f"create publication {connector.publication} for all tables")
    make_slot(db, connector.slot, created_meanwhile)
    if not created_meanwhile:
        connector.start()
        assert [e.id for e in connector.wait_events(1)] == [1]
        return connector.stop()
    assert connector.run_to_end() == 3, connector.log_text()
    assert connector.logged("could not map file.*reason=decoding_failed hint=.*pg_drop_replication_slot.*when_needed")
    assert connector.log_text().count("retrying") == 2, connector.log_text()
    # What the hint says.
    db.drop_slot(connector.slot)
    connector.config["snapshot.mode"] = "when_needed"
    connector.start()
    assert [(e.op, e.id) for e in connector.wait_events(1)] == [("r", 1)]
    db.execute("insert into made values (2)")
    connector.wait_events(2)
    connector.stop()
