"""A slot.name that the server does not have, beside the slot that was read: it is told as that, and its name alone mends it."""
import json
import re
import subprocess

import pytest
from test_serve import config_of, published, shop, workers  # noqa: F401

from support.http import ask
from support.offsets import write_offset
from support.paths import BINARY
from support.postgres import lsn
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
HOLD = {"walduct.slot.lost": "hold"}


def misspelt(db, connectors, **more):
    """Stopped, with a position of the stream; its slot has another name than it is given now: (connector, that name)."""
    db.script(TABLE)
    connector = connectors(db, more, sink="file").start().wait_streaming()
    db.execute("insert into items values (1), (2)")
    connector.wait_events(2)
    wait_until(lambda: "snapshot" not in (connector.offset() or {"snapshot": 1}), 20, "a position of the stream is stored")
    connector.stop()
    right = connector.slot
    connector.config["slot.name"] = right + "_x"
    return connector, right


@pytest.mark.parametrize("more", [{}, HOLD, {**HOLD, "snapshot.mode": "when_needed"}])
def test_the_slot_that_was_read_is_named(more, db, connectors):
    connector, right = misspelt(db, connectors, **more)
    position, stands = connector.offset(), db.slot(right)["confirmed_flush_lsn"]
    db.execute("delete from items where id = 1")
    assert connector.run_to_end() == 3
    assert connector.logged(f'stopped: .*slot.name is "{right}_x", which the server does not have, and replication slot "{right}" of this '
                            f"database, which nobody reads, stands at {stands}, .*the stored position.*reason=slot_other_name "
                            f"hint=.*set slot.name={right}, from which the stored position was read, "), connector.log_text()
    assert "--accept-loss" not in connector.log_text()
    said = connector.call("doctor").stdout
    assert "slot_other_name" in said and f"set slot.name={right}, from which " in said and "--accept-loss" not in said, said
    planned = connector.call("recover", "plan")
    assert planned.returncode == 3 and f"set slot.name={right}, from which " in planned.stderr and "backup" not in planned.stderr, planned
    assert db.slots() == [right] and connector.offset() == position
    connector.config["slot.name"] = right
    connector.start().wait_streaming()
    connector.wait_events(lambda events: any(event.op == "d" for event in events), what="the delete")
    connector.stop()
    assert [event.id for event in connector.events() if event.op in ("r", "c")] == [1, 2], "nothing is read anew"


def test_a_slot_that_was_dropped_is_not_told_as_one_of_somebody_else(db, connectors):
    """The name would cost that one its changes. With a hold every minute without a slot counts, and it is in no way."""
    idle = f"{db.name}_idle"
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", idle)
    connector, right = misspelt(db, connectors)
    db.drop_slot(right)
    connector.config["slot.name"] = right
    position = connector.offset()
    assert connector.offset()["walduct_slot_name"] == right
    assert connector.run_to_end() == 4, connector.log_text()
    assert connector.logged(f'stopped: .*the position was read from replication slot "{right}".*reason=position_lost hint=.*snapshot.mode=when_needed')
    said = connector.call("doctor").stdout
    assert "position_lost" in said and "snapshot.mode=when_needed" in said and "slot_other_name" not in said and f"slot.name={idle}" not in said, said
    assert "reason=slot_other_name" not in connector.log_text() and f"slot.name={idle}" not in connector.log_text()
    connector.config.update(HOLD)
    assert connector.run_to_end() == 4 and connector.logged("reason=lost_slot_held"), connector.log_text()
    assert sorted(db.slots()) == sorted([right, idle]) and connector.offset()["lsn_commit"] == position["lsn_commit"]
    db.drop_slot(idle)


def of_debezium(connector, change=lambda offset: None):
    """The stored position without what Debezium would not have written."""
    offset = {key: value for key, value in connector.offset().items() if not key.startswith("walduct_")}
    change(offset)
    write_offset(connector.offset_file, connector.name, connector.prefix, offset)


def test_at_a_move_from_debezium_the_slot_may_lag_behind_its_position(db, connectors):
    connector, right = misspelt(db, connectors)
    db.execute("insert into items values (3)")
    beyond = lsn(db.value("select pg_current_wal_flush_lsn()::text"))
    of_debezium(connector, lambda offset: offset.update({key: beyond for key in ("lsn", "lsn_proc", "lsn_commit") if key in offset}))
    assert connector.run_to_end() == 3
    assert connector.logged(f'replication slot "{right}" .*, before the stored position .*reason=slot_other_name hint=.*set slot.name={right}, if '), \
        connector.log_text()
    second = f"{db.name}_second"
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", second)
    beyond = lsn(db.value("select pg_current_wal_flush_lsn()::text"))
    of_debezium(connector, lambda offset: offset.update({key: beyond for key in ("lsn", "lsn_proc", "lsn_commit") if key in offset}))
    assert connector.run_to_end() == 4, "which of the two nobody knows"
    assert connector.logged("stopped: .*reason=position_lost hint=.*Or correct slot.name, if "), connector.log_text()
    db.drop_slot(second)


def test_a_snapshot_that_is_asked_for_is_taken(db, connectors):
    connector, right = misspelt(db, connectors, **{"snapshot.mode": "when_needed"})
    connector.start().wait_streaming()
    assert connector.logged(f'warning .*slot.name is "{right}_x", which the server does not have.*; taking a new snapshot.*reason=slot_other_name'), \
        connector.log_text()
    connector.wait_events(4)
    connector.stop()
    assert sorted(db.slots()) == sorted([right, right + "_x"])


def test_a_slot_that_has_gone_on_is_not_meant(db, connectors):
    connector, right = misspelt(db, connectors)
    db.execute("insert into items values (3)")
    db.execute("select pg_replication_slot_advance(%s, pg_current_wal_lsn())", right)
    assert lsn(db.slot(right)["confirmed_flush_lsn"]) > connector.offset()["lsn_commit"]
    assert connector.run_to_end() == 4
    assert connector.logged("stopped: .*reason=position_lost hint=.*Or correct slot.name, if "), connector.log_text()


def streams(worker, name):
    offsets = worker.get(f"/connectors/{name}/offsets")["offsets"]
    return offsets and "snapshot" not in offsets[0]["offset"]


def error_of(worker, name):
    worker.wait_state(name, "RUNNING/FAILED")
    return json.loads(ask(worker.port, f"/status?connector={name}")[1])["connectors"][0]


def test_a_worker_is_told_the_name(shop, broker):  # noqa: F811
    """What is printed is typed; and nothing beside it would read all tables anew."""
    worker, db = shop("create table items (id int primary key); insert into items values (1)")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 30, "it streams")
    db.execute("insert into items values (2)")
    wait_until(lambda: published(broker, db) == [1, 2] and streams(worker, "shop"), 60, "a position of the stream is stored")
    assert worker.ask("PATCH", "/connectors/shop/config", {"slot.name": db.name + "_x"})[0] == 200
    shown = error_of(worker, "shop")
    assert shown["last_error"]["reason"] == "slot_other_name" and "problem" not in shown.get("slot", {}), shown
    hint = shown["last_error"]["hint"]
    assert "accept-loss" not in hint and "accept_loss" not in hint, hint
    subprocess.run(["bash", "-ec", re.search(r"curl -X PATCH .*?\}'", hint).group(0)], check=True, timeout=30, capture_output=True)
    worker.wait_state("shop", "RUNNING/RUNNING")
    db.execute("insert into items values (3)")
    wait_until(lambda: published(broker, db) == [1, 2, 3], 60, "it goes on")
    assert db.slots() == [db.name]
    worker.stop()


def test_the_slot_of_another_connector_of_the_worker_is_not_meant(shop, broker):  # noqa: F811
    worker, db = shop("create table items (id int primary key); insert into items values (1)")
    worker.create("other", config_of(db, **{"topic.prefix": db.name + "-other", "slot.name": db.name + "_other",
                                            "publication.name": db.name + "_other"}))
    worker.wait_state("other", "RUNNING/RUNNING")
    wait_until(lambda: (db.slot(db.name + "_other") or {}).get("active"), 30, "it streams")
    assert worker.ask("PUT", "/connectors/other/stop")[0] in (202, 204)
    wait_until(lambda: not db.slot(db.name + "_other")["active"], 30, "it has stopped")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 30, "it streams")
    db.execute("insert into items values (2)")
    wait_until(lambda: published(broker, db) == [1, 2] and streams(worker, "shop"), 60, "a position of the stream is stored")
    assert worker.ask("PUT", "/connectors/shop/stop")[0] in (202, 204)
    wait_until(lambda: not db.slot(db.name)["active"], 30, "it has stopped")
    db.drop_slot(db.name)
    assert worker.ask("PUT", "/connectors/shop/resume")[0] in (202, 204)
    assert error_of(worker, "shop")["last_error"]["reason"] == "position_lost"
    said = walduct("doctor", "shop", "--url", worker.base).stdout
    assert "position_lost" in said and "slot_other_name" not in said, said
    worker.stop()


def walduct(*arguments):
    return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_a_slot_that_there_is_no_room_for_is_told_by_one_command(private_servers, databases, workers):  # noqa: F811
    """The reset is done: that it would be done again helps nobody."""
    db = databases(private_servers(postgres=17, pg_set={"max_replication_slots": "1"}).postgres)
    db.script("create table items (id int primary key); insert into items values (1)")
    worker = workers().start()
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 60, "it streams")
    db.execute("insert into items values (2)")
    wait_until(lambda: streams(worker, "shop"), 60, "a position of the stream is stored")
    assert worker.ask("PUT", "/connectors/shop/stop")[0] in (202, 204)
    wait_until(lambda: not db.slot(db.name)["active"], 30, "it has stopped")
    db.drop_slot(db.name)
    db.execute("select pg_create_physical_replication_slot('other', true)")
    assert worker.ask("PUT", "/connectors/shop/resume")[0] in (202, 204)
    assert error_of(worker, "shop")["last_error"]["reason"] == "position_lost"
    reset = walduct("offsets", "reset", "shop", "--accept-loss", "--url", worker.base)
    assert reset.returncode == 0, reset
    wait_until(lambda: error_of(worker, "shop")["last_error"]["reason"] == "no_free_slot", 30, "it is tried")
    for _ in range(2):
        shown = error_of(worker, "shop")
        assert "problem" not in shown.get("slot", {}), shown
        said = walduct("status", "shop", "--url", worker.base).stdout
        assert "no_free_slot" in said and "offsets reset" not in said, said
        # Another look at the slot does not bring it back.
        ages = [shown.get("slot", {}).get("age_seconds")]

        def looked_at():
            ages.append(error_of(worker, "shop").get("slot", {}).get("age_seconds"))
            return None in ages[-2:] or ages[-1] < ages[-2]
        wait_until(looked_at, 60, "a look at the slot", interval_s=0.5)
    db.drop_slot("other")
    assert walduct("restart", "shop", "--url", worker.base).returncode == 0
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 60, "it streams")
    worker.stop()
