"""`walduct shadow` beside a live connector: the same records, and nothing of the live one is touched."""
import json
import subprocess

import pytest

from support.connector import SNAPSHOT_COMPLETED
from support.events import from_lines
from support.kafka import TopicReader
from support.paths import BINARY
from support.servers import free_ports
from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text); insert into items values (1, 'old')"


@pytest.fixture
def live(db, connectors):
    db.script(ITEMS + "; create table beats (n int)")
    connector = connectors(db, config={"heartbeat.interval.ms": "100", "heartbeat.action.query": "insert into beats values (1)",
                                       "table.include.list": "public.items"})
    connector.start().wait_log(SNAPSHOT_COMPLETED)
    connector.wait_events(lambda events: {"id": 1, "v": "old"} in values(events))
    connector.stop()
    return connector


def shadow_of(connectors, db, live, *arguments):
    """The live connector's files, given to `shadow`."""
    other = connectors(db, name="other")
    other.config, other.worker = dict(live.config), dict(live.worker)
    other.start(*arguments, command="shadow")
    return other.wait_streaming()


def in_file(path):
    return from_lines(path.read_text()) if path.exists() else []


def values(events):
    return [e.after for e in events if e.op in ("r", "c")]


@pytest.mark.parametrize("to", ["file", "topics"])
def test_shadow_beside_the_live_one(to, db, live, connectors, tmp_path):
    live.start().wait_streaming()
    beats = "select count(*) from beats"
    wait_until(lambda: db.value(beats) > 0, 30, "the live one's heartbeats")
    directory = tmp_path / "shadow"
    shadow = shadow_of(connectors, db, live, "--directory", directory, *(["--topics", "try."] if to == "topics" else []))
    assert sorted(db.slots()) == sorted([live.slot, f"{live.slot}_shadow"])
    db.execute("insert into items values (2, 'new')")
    live.wait_events(lambda events: {"id": 2, "v": "new"} in values(events))
    reader = TopicReader(live.worker["bootstrap.servers"], f"try.{live.prefix}") if to == "topics" else None

    def seen():
        return list(reader.read()) if reader else in_file(directory / "records.jsonl")
    wait_until(lambda: {"id": 2, "v": "new"} in values(seen()), 30, "the shadow's record")
    assert {"id": 1, "v": "old"} not in values(seen()), "rows of before belong to a snapshot"
    assert {event.topic for event in seen() if values([event])} == \
        {("try." if reader else "") + f"{live.prefix}.public.items"}
    # A stopped live one: the shadow's heartbeats do nothing to the database.
    live.stop()
    stored, before = live.offset(), db.value(beats)
    heartbeats = TopicReader(live.worker["bootstrap.servers"], f"__debezium-heartbeat.{live.prefix}")
    beaten = len(list(heartbeats.read()))
    db.execute("insert into items values (3, 'later')")
    wait_until(lambda: {"id": 3, "v": "later"} in values(seen()), 30, "the shadow goes on")
    shadow.stop()
    assert db.slots() == [live.slot]
    assert live.offset() == stored and db.value(beats) == before
    assert 0 < beaten == len(list(heartbeats.read())), "the shadow's heartbeats go elsewhere"
    heartbeats.close()
    live.start().wait_streaming()
    live.wait_events(lambda events: {"id": 3, "v": "later"} in values(events))
    live.stop()
    if reader:
        reader.close()


def test_a_killed_shadow_goes_on(db, live, connectors, tmp_path):
    shadow = shadow_of(connectors, db, live, "--directory", tmp_path / "s")
    db.execute("insert into items values (2, 'new')")
    records = tmp_path / "s" / "records.jsonl"
    wait_until(lambda: {"id": 2, "v": "new"} in values(in_file(records)), 30, "its record")
    shadow.kill()
    db.execute("insert into items values (3, 'while away')")
    shadow.start("--directory", tmp_path / "s", command="shadow").wait_streaming()
    wait_until(lambda: {"id": 3, "v": "while away"} in values(in_file(records)), 30, "the record of meanwhile")
    shadow.stop()


BEGINS = "is gone: it begins anew"


@pytest.mark.parametrize("to", ["file", "topics"])
def test_a_stopped_shadow_begins_anew_in_its_folder(to, db, live, connectors, tmp_path):
    arguments = ["--directory", tmp_path / "s", *(["--topics", "try."] if to == "topics" else [])]
    shadow = shadow_of(connectors, db, live, *arguments)
    assert not shadow.logged(BEGINS)
    assert not shadow.logged(r"\bwarning\b.*slot\.drop\.on\.stop"), "what it sets itself is no news"
    db.execute("insert into items values (2, 'new')")
    reader = TopicReader(live.worker["bootstrap.servers"], f"try.{live.prefix}") if to == "topics" else None

    def seen():
        return values(list(reader.read()) if reader else in_file(tmp_path / "s" / "records.jsonl"))
    wait_until(lambda: {"id": 2, "v": "new"} in seen(), 30, "its record")
    shadow.stop()
    assert not [slot for slot in db.slots() if slot.endswith("_shadow")]
    db.execute("insert into items values (3, 'meanwhile')")
    for number in (4, 5):
        shadow.start(*arguments, command="shadow").wait_streaming()
        said = shadow.logged(f"shadow: replication slot {live.slot}_shadow {BEGINS}.*").group(0)
        assert ("--topics" in said) == (to == "topics"), said
        db.execute(f"insert into items values ({number}, 'later')")
        wait_until(lambda n=number: {"id": n, "v": "later"} in seen(), 30, "the record of the new one")
        shadow.stop()
    assert [row["id"] for row in seen()] == [2, 4, 5]
    if reader:
        reader.close()


def test_the_slot_of_a_killed_shadow_is_dropped_by_hand(db, live, connectors, tmp_path):
    shadow = shadow_of(connectors, db, live, "--directory", tmp_path / "s")
    wait_until((tmp_path / "s" / "offsets.dat").exists, 30, "a position")
    shadow.kill()
    db.drop_slot(f"{live.slot}_shadow")
    shadow.start("--directory", tmp_path / "s", command="shadow").wait_streaming()
    assert shadow.logged(BEGINS)
    shadow.stop()


def test_a_killed_shadow_whose_slot_was_lost(private_servers, databases, connectors, broker, tmp_path):
    db = databases(private_servers(postgres=17, pg_set={"max_slot_wal_keep_size": "1MB"}).postgres)
    db.script(ITEMS)
    live = connectors(db)
    live.start().wait_log(SNAPSHOT_COMPLETED)
    live.stop()
    shadow = shadow_of(connectors, db, live, "--directory", tmp_path / "s")
    shadow.kill()

    def lost():
        db.execute("insert into items select n, 'x' from generate_series(1000, 2000) n on conflict do nothing")
        db.execute("select pg_switch_wal()")
        db.execute("checkpoint")
        return db.value("select wal_status from pg_replication_slots where slot_name like '%shadow'") == "lost"
    wait_until(lost, 30, "the loss of the slot")
    shadow.start("--directory", tmp_path / "s", command="shadow").wait_streaming()
    assert shadow.logged("had lost its WAL and is dropped: it begins anew")
    shadow.stop()


def test_it_listens_where_it_is_told(db, live, connectors, tmp_path):
    port, other = free_ports(2)
    live.config["walduct.listen"] = f"127.0.0.1:{other}"
    shadow = connectors(db, name="other")
    shadow.config, shadow.worker = dict(live.config), dict(live.worker)
    shadow.start("--directory", tmp_path / "s", "--listen", f"127.0.0.1:{port}", command="shadow").wait_streaming()
    shown = subprocess.run([BINARY, "status", "--json", "--url", f"http://127.0.0.1:{port}"], capture_output=True, text=True, timeout=30)
    assert "-shadow" in shown.stdout and shadow.logged("listening address=")
    shadow.stop()
    shadow.start("--directory", tmp_path / "s", command="shadow", environment={"WALDUCT_LISTEN": f"127.0.0.1:{other}"}).wait_streaming()
    assert not shadow.logged("listening address="), "there is where the live one answers"
    shadow.stop()


def test_the_live_slot_cannot_be_named(db, live, connectors, tmp_path):
    shadow = shadow_of(connectors, db, live, "--directory", tmp_path / "s", "-o", f"slot.name={live.slot}", "-o",
                       f"name={live.name}")
    assert f"{live.slot}_shadow" in db.slots()
    shadow.stop()
    assert db.slots() == [live.slot]


def test_bad_usage(live, tmp_path):
    assert live.call("shadow").returncode == 2
    two = live.call("shadow", "--directory", tmp_path / "s", "-f", live.dir / "connector.json")
    assert two.returncode == 2 and "one connector" in two.stderr
    gone = live.call("shadow", "--directory", tmp_path / "no" / "such")
    assert gone.returncode == 2 and "No such file" in gone.stderr
    assert json.loads((live.dir / "connector.json").read_text())["name"] == live.name
